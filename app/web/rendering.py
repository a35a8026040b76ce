"""From contexts to HTML: one Jinja environment per language, one renderer for page, answer and stream."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from app import ROOT
from app.core.text import Dice, Part, Player, Text
from app.web.assets import Assets
from app.web.contexts import Chair
from app.web.language import LANGUAGES, Language, translations

TEMPLATES = ROOT / "templates"


class Renderer:
    """Renders templates and texts in every language. One per process."""

    def __init__(self, assets: Assets) -> None:
        self._environments = {language: self._environment(language, assets) for language in LANGUAGES}
        self._dice = {
            language: lru_cache(maxsize=4096)(self._dice_macro(environment))
            for language, environment in self._environments.items()
        }

    def _environment(self, language: Language, assets: Assets) -> Environment:
        environment = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            extensions=["jinja2.ext.i18n", "jinja2.ext.do"],
        )
        environment.install_gettext_translations(translations(language), newstyle=True)  # type: ignore[attr-defined]  # added by the extension
        environment.globals["asset"] = assets.url
        environment.globals["say"] = lambda text, chairs=(): self.say(language, text, chairs)
        environment.globals["plain"] = lambda text, chairs=(): self.plain(language, text, chairs)
        return environment

    @staticmethod
    def _dice_macro(environment: Environment) -> Any:
        macro: Any = None

        def render(dice: Dice) -> Markup:
            nonlocal macro
            if macro is None:
                macro = environment.get_template("macros.html").make_module().dice_run  # type: ignore[attr-defined]  # macros are attributes of their module
            return Markup(macro(dice))  # noqa: S704  # our own template, which escapes

        return render

    def page(self, language: Language, template: str, **context: Any) -> str:
        """Return a template rendered with its typed context."""
        return self._environments[language].get_template(template).render(**context)

    def say(self, language: Language, text: Text, chairs: Sequence[Chair] = ()) -> Markup:
        """Return a sentence as HTML: names isolated, dice as pictures with words for the ear."""
        parts = {name: self._part(language, part, chairs) for name, part in text.parts}
        return escape(_pattern(language, text)).format(**parts)

    def plain(self, language: Language, text: Text, chairs: Sequence[Chair] = ()) -> str:
        """Return a sentence as plain text, for titles, attributes and the API. Not HTML: escape it."""
        parts = {name: self._plain_part(language, part, chairs) for name, part in text.parts}
        return _pattern(language, text).format(**parts)

    def _part(self, language: Language, part: Part, chairs: Sequence[Chair]) -> Markup:
        match part:
            case Text():
                return self.say(language, part, chairs)
            case Dice():
                rendered: Markup = self._dice[language](part)
                return rendered
            case Player():
                return Markup("<bdi>{}</bdi>").format(_name(part, chairs))
            case str():
                return Markup("<bdi>{}</bdi>").format(part)
            case _:
                return escape(part)

    def _plain_part(self, language: Language, part: Part, chairs: Sequence[Chair]) -> str:
        match part:
            case Text():
                return self.plain(language, part, chairs)
            case Dice():
                return ", ".join(map(str, part.faces))
            case Player():
                return _name(part, chairs)
            case _:
                return str(part)


def _pattern(language: Language, text: Text) -> str:
    catalogue = translations(language)
    if text.plural is not None:
        return catalogue.ngettext(text.key, text.plural, text.amount)
    return catalogue.gettext(text.key) if text.key else ""


def _name(player: Player, chairs: Sequence[Chair]) -> str:
    return next((chair.name or "" for chair in chairs if chair.seat == player.seat), "")
