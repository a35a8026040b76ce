"""Languages: catalogues of texts, and which one somebody reads."""

from __future__ import annotations

import io
from functools import cache, lru_cache
from gettext import GNUTranslations
from pathlib import Path
from typing import Literal, TypeAlias

from babel.core import negotiate_locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

Language: TypeAlias = Literal["de", "en"]

LANGUAGES: tuple[Language, ...] = ("de", "en")
CATALOGUES = Path(__file__).resolve().parent.parent / "locale"


@cache
def translations(language: Language) -> GNUTranslations:
    """Return the texts of a language, read from its catalogue `app/locale/<language>.po`; no compiled file is kept."""
    with (CATALOGUES / f"{language}.po").open("rb") as file:
        catalogue = read_po(file, locale=language)
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return GNUTranslations(compiled)


def known(tag: str | None) -> Language | None:
    """Return the language with this tag, None if we do not speak it."""
    return next((language for language in LANGUAGES if language == tag), None)


@lru_cache(maxsize=500)
def negotiate(accept: str) -> Language:
    """Return the language an `Accept-Language` header asks for first among ours; English if none."""
    weighted = []
    for part in accept.split(",")[:20]:
        tag, _, parameters = part.strip().partition(";")
        try:
            weight = float(parameters.strip().lower().removeprefix("q=") or 1)
        except ValueError:
            continue
        weighted.append((-weight, tag.lower().replace("-", "_")))
    preferred = [tag for weight, tag in sorted(weighted, key=lambda item: item[0]) if tag and weight < 0]
    return known(negotiate_locale(preferred, LANGUAGES, sep="_")) or "en"
