"""From contexts to HTML: one Jinja environment per language, one renderer for page, answer and stream."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, nodes
from jinja2.visitor import NodeTransformer
from markupsafe import Markup, escape

from app import ROOT
from app.core.board import Line
from app.core.game import Viewer
from app.core.text import Dice, Part, Player, Text
from app.web.assets import Assets
from app.web.contexts import Chair, TableContext
from app.web.language import LANGUAGES, Language, translations

TEMPLATES = ROOT / "templates"

_KEPT = 20_000
"""Sentences and log lines kept per language; one is about 1 KB."""

Names = tuple[tuple[int, int, str], ...]
"""What a sentence needs of the chairs: (seat, shape, name)."""


class Renderer:
    """Renders templates and texts in every language. One per process."""

    def __init__(self, assets: Assets) -> None:
        self._words = {language: Words(language, assets) for language in LANGUAGES}

    def page(self, language: Language, template: str, **context: Any) -> str:
        """Return a template rendered with its typed context."""
        return self._words[language].environment.get_template(template).render(**context)

    def plain(self, language: Language, text: Text, chairs: Sequence[Chair] = ()) -> str:
        """Return a sentence as plain text, for the API. Not HTML: escape it."""
        return self._words[language].plain(text, chairs)


class _Folded(Environment):
    """An environment of one language, which looks up fixed texts and addresses when a template is compiled.

    `_("…")` and `asset("…")` with a literal are the same at every rendering; looked up each time they took a fifth of
    the time of a table page.
    """

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree: nodes.Template = _Fold(self.globals).visit(super()._parse(source, name, filename))
        return tree


class _Fold(NodeTransformer):
    def __init__(self, known: Mapping[str, Any]) -> None:
        self._known = known

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802  # the visitor's way to name methods
        self.generic_visit(node)
        fixed = all(isinstance(argument, nodes.Const) for argument in node.args) and not node.kwargs
        if not (fixed and isinstance(node.node, nodes.Name) and not node.dyn_args and not node.dyn_kwargs):
            return node
        literals = [argument.value for argument in node.args if isinstance(argument, nodes.Const)]
        if node.node.name == "asset":
            return nodes.Const(self._known["asset"](*literals), lineno=node.lineno)
        if node.node.name == "_":
            return nodes.Const(Markup(self._known["fixed_text"](*literals)), lineno=node.lineno)  # noqa: S704  # our own catalogue
        return node


class Words:
    """The templates and sentences of one language. Sentences and log lines are made once and kept."""

    def __init__(self, language: Language, assets: Assets) -> None:
        self._catalogue = translations(language)
        self.environment = _Folded(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            extensions=["jinja2.ext.i18n", "jinja2.ext.do"],
        )
        self.environment.install_gettext_translations(self._catalogue, newstyle=True)  # type: ignore[attr-defined]  # added by the extension
        self.environment.globals |= {
            "asset": assets.url,
            "fixed_text": self._catalogue.gettext,
            "say": self.say,
            "plain": self.plain,
            "log_line": self.log_line,
            "once": lru_cache(_KEPT)(_call),
        }
        self._sentence: Callable[[Text, Names], Markup] = lru_cache(_KEPT)(self._make_sentence)
        self._log_lines: OrderedDict[tuple[str, str, int, Viewer, Names], Markup] = OrderedDict()
        self._latest: tuple[Sequence[Chair], Names] = ((), ())

    def say(self, text: Text, chairs: Sequence[Chair] = ()) -> Markup:
        """Return a sentence as HTML: names isolated, dice as pictures with words for the ear."""
        return self._sentence(text, self._names(chairs))

    def log_line(self, n: int, line: Line, table: TableContext) -> Markup:
        """Return the log line of event `n` as a list item; it stays until somebody is renamed or the game is over."""
        key = table.path, table.status, n, table.me, self._names(table.chairs)
        made = self._log_lines.get(key)
        if made is None:
            made = self._log_lines[key] = self._make_log_line(n, line, key[-1])
            if len(self._log_lines) > _KEPT:
                self._log_lines.popitem(last=False)
        return made

    def _names(self, chairs: Sequence[Chair]) -> Names:
        # asked for each sentence of a page, with the same chairs
        if chairs is not self._latest[0]:
            self._latest = chairs, _names(chairs)
        return self._latest[1]

    def plain(self, text: Text, chairs: Sequence[Chair] = ()) -> str:
        """Return a sentence as plain text, for titles and attributes. Not HTML: escape it."""
        names = self._names(chairs)
        return self._pattern(text).format(**{name: self._plain_part(part, names) for name, part in text.parts})

    def _make_sentence(self, text: Text, names: Names) -> Markup:
        parts = {name: self._part(part, names) for name, part in text.parts}
        return escape(self._pattern(text)).format(**parts)

    def _make_log_line(self, n: int, line: Line, names: Names) -> Markup:
        chair = next((Chair(seat, shape, name) for seat, shape, name in names if seat == line.seat), None)
        return self._macro("log_item", n, line, chair, self._sentence(line.text, names))

    def _macro(self, name: str, *arguments: object) -> Markup:
        module: Any = self.environment.get_template("macros.html").module
        return Markup(getattr(module, name)(*arguments))  # noqa: S704  # our own template, which escapes

    def _part(self, part: Part, names: Names) -> Markup:
        match part:
            case Text():
                return self._sentence(part, names)
            case Dice():
                return self._macro("dice_run", part)
            case Player():
                return Markup("<bdi>{}</bdi>").format(_name(part, names))
            case str():
                return Markup("<bdi>{}</bdi>").format(part)
            case _:
                return escape(part)

    def _plain_part(self, part: Part, names: Names) -> str:
        match part:
            case Text():
                return self._pattern(part).format(**{name: self._plain_part(p, names) for name, p in part.parts})
            case Dice():
                return ", ".join(map(str, part.faces))
            case Player():
                return _name(part, names)
            case _:
                return str(part)

    def _pattern(self, text: Text) -> str:
        if text.plural is not None:
            return self._catalogue.ngettext(text.key, text.plural, text.amount)
        return self._catalogue.gettext(text.key) if text.key else ""


def _call(macro: Callable[..., str], *arguments: object) -> str:
    """Call a macro. Kept by its arguments (`once` in templates): what has not changed is not made again."""
    return macro(*arguments)


def _names(chairs: Sequence[Chair]) -> Names:
    return tuple((chair.seat, chair.shape, chair.name) for chair in chairs if chair.name is not None)


def _name(player: Player, names: Names) -> str:
    return next((name for seat, _, name in names if seat == player.seat), "")
