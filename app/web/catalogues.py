"""`python -m app.web.catalogues`: bring the catalogues of texts up to date with the code and the templates.

New texts come in empty, those that are gone are dropped. English is filled in by itself: its texts are the keys.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from app import ROOT
from app.web.language import CATALOGUES, LANGUAGES

_METHODS = [("app/**.py", "python"), ("templates/**.html", "jinja2")]
_KEYWORDS = {
    "say": None,
    "tally": (1, 2),
    "_": None,
    "gettext": None,
    "ngettext": (1, 2),
}
_OPTIONS = {"templates/**.html": {"extensions": "jinja2.ext.i18n,jinja2.ext.do", "trim_blocks": "true"}}


def extract() -> Catalog:
    """Return all texts of the project, with the files they stand in."""
    found = Catalog(project="Knobel")
    for file, _, message, comments, context in _extracted():
        found.add(message, None, [(file, 1)], auto_comments=comments, context=context)
    return found


def _extracted() -> Iterator[tuple[str, int, str | tuple[str, ...], list[str], str | None]]:
    for folder in ("app", "templates"):
        methods = [(pattern, method) for pattern, method in _METHODS if pattern.startswith(folder)]
        for file, line, message, comments, context in extract_from_dir(
            str(ROOT / folder),
            [(pattern.removeprefix(f"{folder}/"), method) for pattern, method in methods],
            {pattern.removeprefix("templates/"): options for pattern, options in _OPTIONS.items()},
            keywords=_KEYWORDS,
        ):
            yield f"{folder}/{file}", line, message, comments, context


def update() -> None:
    """Rewrite the catalogues."""
    wanted = extract()
    for language in LANGUAGES:
        path = CATALOGUES / f"{language}.po"
        catalogue = Catalog(locale=language)
        if path.exists():
            with path.open("rb") as file:
                catalogue = read_po(file, locale=language)
        catalogue.update(wanted, no_fuzzy_matching=True)
        catalogue.obsolete.clear()
        if language == "en":
            for message in catalogue:
                if message.id:
                    message.string = message.id
        with path.open("wb") as out:
            write_po(out, catalogue, omit_header=False, sort_output=True, no_location=True, width=0)


if __name__ == "__main__":
    update()
    sys.stdout.write("catalogues are up to date; fill in what is empty\n")
