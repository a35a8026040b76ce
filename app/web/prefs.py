"""What a browser remembers about its reader: language, theme, sound, keys, a proposed name. Cookies, no database."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response

from app.tables.names import friendly_name
from app.web.language import Language, known, negotiate

_YEAR = 400 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Prefs:
    """The settings of one browser. `proposed` is a friendly name; `browser` a random mark, to count its open streams."""

    language: Language
    theme: Literal["", "light", "dark"]
    sound: bool
    keys: bool
    proposed: str
    browser: str


def read_prefs(request: Request) -> Prefs:
    """Return the settings of the asking browser, as changed by the query (`?lang=de`, `?theme=dark`, …)."""
    cookies, query = request.cookies, request.query_params
    language = (
        known(query.get("lang")) or known(cookies.get("lang")) or negotiate(request.headers.get("accept-language", ""))
    )
    proposed, _, browser = cookies.get("guest", "").partition(".")
    if not (proposed.isalpha() and proposed.isascii() and browser.isalnum() and len(proposed) + len(browser) < 40):
        proposed, browser = friendly_name(), secrets.token_hex(8)
    theme = query.get("theme") or cookies.get("theme") or ""
    return Prefs(
        language=language,
        theme="light" if theme == "light" else "dark" if theme == "dark" else "",
        sound=(query.get("sound") or cookies.get("sound")) != "off",
        keys=(query.get("keys") or cookies.get("keys")) != "off",
        proposed=proposed,
        browser=browser,
    )


def keep_prefs(request: Request, response: Response, prefs: Prefs, *, secure: bool) -> None:
    """Store what the query changed, and the proposed name, in cookies."""
    query = request.query_params
    wanted = {"guest": f"{prefs.proposed}.{prefs.browser}"}
    if "lang" in query:
        wanted["lang"] = prefs.language
    if "theme" in query:
        wanted["theme"] = prefs.theme
    if "sound" in query:
        wanted["sound"] = "on" if prefs.sound else "off"
    if "keys" in query:
        wanted["keys"] = "on" if prefs.keys else "off"
    for name, value in wanted.items():
        if request.cookies.get(name) != value:
            response.set_cookie(name, value, max_age=_YEAR, httponly=True, samesite="lax", secure=secure)
