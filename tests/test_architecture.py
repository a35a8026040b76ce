"""The layers, the import rule, and the house style, read from the source itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app import ROOT, games

APP = sorted((ROOT / "app").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
SOURCES = [*APP, *TESTS, *sorted((ROOT / "faults").rglob("*.py")), *sorted((ROOT / "migrations").rglob("*.py"))]

# which parts of the app a part may import, beside itself; everything may import core
MAY = {
    "core": set[str](),
    "games": {"core"},
    "bots": {"tables", "games", "core", "db", ""},
    "db": {"settings", ""},
    "tables": {"db", "games", "core"},
    "live": {"db"},
    "records": {"games", "core"},
    "admin": {"tables", "db", "settings"},
    "web": {"tables", "live", "games", "core", "db", "settings", "logs", ""},
    "settings": set[str](),
    "logs": set[str](),
    "main": {"web", "bots", "db", "live", "settings", "logs", ""},
    "connection": set[str](),
    "serve": {"main", "connection", "db", "settings", "logs"},
    "__main__": {"serve"},
    "": set[str](),
}
"""`""` is `app` itself, which says where the files lie."""
# `web` may see of the database only what its faults and its handle are called
WEB_FROM_DB = {"Database", "FAULTS", "is_away", "revisions"}
IMPURE = {
    "random", "secrets", "time", "datetime", "os", "sys", "io", "pathlib", "asyncio", "threading", "socket", "subprocess", "logging",
    "structlog", "fastapi", "starlette", "sqlalchemy", "asyncpg", "jinja2", "babel", "uuid", "tempfile", "shutil", "locale", "gettext",
}  # fmt: skip
OUTSIDE = {
    "core": {"pydantic"},
    "games": {"numpy"},
    "bots": {"structlog"},
    "db": {"sqlalchemy", "asyncpg", "alembic", "orjson"},
    "tables": {"sqlalchemy", "asyncpg", "orjson", "structlog"},
    "live": {"asyncpg", "structlog"},
    "records": {"orjson"},
    "admin": {"asyncpg", "orjson"},
    "web": {"fastapi", "starlette", "pydantic", "jinja2", "markupsafe", "babel", "orjson", "segno", "limits", "prometheus_client", "structlog", "multipart", "python_multipart"},
}  # fmt: skip


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def layer(path: Path) -> str:
    parts = path.relative_to(ROOT / "app").parts
    return parts[0] if len(parts) > 1 else "" if parts[0] == "__init__.py" else parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (module, name) for everything a file imports, wherever it stands in it; name is "" for `import x`."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name(path)}: a relative import"
            yield from ((node.module or "", alias.name) for alias in node.names)


def inner(module: str, imported: str) -> str | None:
    """Return the part of the app an import reaches; "" for `app` itself; None for what is not ours."""
    parts = module.split(".")
    if parts[0] != "app":
        return None
    if len(parts) > 1:
        return parts[1]
    return imported if (ROOT / "app" / imported).is_dir() or (ROOT / "app" / f"{imported}.py").is_file() else ""


@pytest.mark.parametrize("path", APP, ids=name)
def test_file_imports_only_what_its_layer_may(path: Path) -> None:
    mine = layer(path)
    assert mine in MAY, f"{mine} is no known part of the app"
    for module, imported in imports(path):
        other = inner(module, imported)
        if other is None or other in {mine, "core"}:
            continue
        assert other in MAY[mine], f"{name(path)} imports {module}"
        if mine == "web" and other == "db":
            assert imported in WEB_FROM_DB, f"{name(path)} takes {imported} from {module}"


@pytest.mark.parametrize("path", [path for path in APP if layer(path) in OUTSIDE], ids=name)
def test_file_uses_only_the_libraries_of_its_layer(path: Path) -> None:
    import sys

    mine = layer(path)
    for module, _ in imports(path):
        top = module.split(".")[0]
        if top != "app" and top not in sys.stdlib_module_names:
            assert top in OUTSIDE[mine], f"{name(path)} imports {module}"
            assert top != "pydantic" or mine != "core" or path.name == "codec.py", f"{name(path)} imports pydantic"
        if mine in {"core", "games"} and path.name != "__main__.py":  # a command beside a game is no part of it
            assert top not in IMPURE or (path == ROOT / "app/games/__init__.py" and top == "importlib"), module


@pytest.mark.parametrize("path", [path for path in APP if layer(path) in {"core", "games"}], ids=name)
def test_game_and_core_touch_nothing_outside(path: Path) -> None:
    called = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not called & {"open", "print", "input", "exec", "eval", "__import__", "id", "hash"}


def test_no_game_imports_another() -> None:
    for path in (ROOT / "app/games").glob("*/*.py"):
        for module, _ in imports(path):
            parts = module.split(".")
            if parts[:2] == ["app", "games"]:
                assert parts[2:3] == [path.parent.name], f"{name(path)} imports {module}"


def test_only_the_tables_write_and_web_has_no_sql() -> None:
    statement = re.compile(r"\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\s+\w+", re.ASCII)
    for path in APP:
        if layer(path) in {"web", "core", "games", "records"}:
            found = [text for text in _strings(path) if statement.search(text) and text != "SELECT 1"]
            assert not found, f"{name(path)}: {found}"


def _strings(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


SHARED = [
    *(path for path in APP if layer(path) != "games"),
    *(path for path in (ROOT / "templates").glob("*.html")),
    *(path for path in (ROOT / "static").glob("*.css")),
    *(path for path in (ROOT / "static").glob("*.js")),
    *(path for path in (ROOT / "migrations").rglob("*.py")),
]
SLUGS = {*games.CURRENT, *games.FOLDERS}


@pytest.mark.parametrize("path", SHARED, ids=name)
def test_shared_code_knows_no_game(path: Path) -> None:
    text = path.read_text().lower()
    assert not [slug for slug in SLUGS if re.search(rf"\b{re.escape(slug)}\b", text)], name(path)


def test_every_part_at_the_top_is_known() -> None:
    found = {
        path.name.removesuffix(".py")
        for path in (ROOT / "app").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    assert {"" if part == "__init__" else part for part in found} == set(MAY)
    beside = {path.name for path in (ROOT / "app").iterdir() if path.is_dir() and not (path / "__init__.py").is_file()}
    assert beside <= {"locale", "__pycache__"}


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_file_has_less_than_400_lines(path: Path) -> None:
    assert len(path.read_text().splitlines()) < 400


# a migration is one list of statements, however long
@pytest.mark.parametrize("path", [path for path in SOURCES if path.parent.name != "versions"], ids=name)
def test_function_has_less_than_40_lines(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno + 1 <= _longest(node), f"{name(path)}: {node.name}"


def _longest(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """40 lines; a function that only holds others (a factory with its lifespan) may be as long as they and 40 more."""
    within = [
        each for each in ast.walk(node) if each is not node and isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return 40 + sum((each.end_lineno or 0) - each.lineno + 1 for each in within)


@pytest.mark.parametrize("path", APP, ids=name)
def test_module_says_what_it_is_for(path: Path) -> None:
    assert path.stat().st_size == 0 or ast.get_docstring(ast.parse(path.read_text()))


def test_nothing_is_left_to_do_in_the_tree() -> None:
    marks = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX|HA" + r"CK)\b")
    for path in (*SOURCES, *(ROOT / "templates").rglob("*.html"), *(ROOT / "static").glob("*.[cj]s*")):
        assert not marks.search(path.read_text()), name(path)


def test_every_module_of_the_app_can_be_imported() -> None:
    from importlib import import_module

    for path in APP:
        if path.name != "__main__.py":
            import_module(name(path).removesuffix(".py").removesuffix("/__init__").replace("/", "."))
