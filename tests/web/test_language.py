"""The catalogues: every text is there, in both languages, with the same placeholders and the right forms."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from functools import cache

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from app.core.text import Dice, Player, Text, say, tally
from app.web.assets import Assets
from app.web.catalogues import extract
from app.web.contexts import Chair
from app.web.language import CATALOGUES, LANGUAGES, Language, negotiate
from app.web.rendering import Renderer

PERCENT = re.compile(r"%\(\w+\)[a-z]|%[^(]")
SIE = re.compile(
    r"\bSie\b(?! (hat|ist|wird|war|kann|bleibt|gilt|zählt|gewinnt))"
    r"|\bIhnen\b|\bIhre?[mnrs]?\b|\b(klicken|wählen|würfeln|öffnen|geben|warten|versuchen|laden) Sie\b"
)
CHAIRS = (Chair(0, 1, "Ana"), Chair(1, 2, "B{o} %(x)s"))


@cache
def wanted() -> Catalog:
    return extract()


@cache
def catalogue(language: Language) -> Catalog:
    with (CATALOGUES / f"{language}.po").open("rb") as file:
        return read_po(file, locale=language)


def keys(messages: Catalog) -> set[str]:
    return {key(message) for message in messages if message.id}


def key(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def forms(message: Message) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string)


def sources(message: Message) -> tuple[str, ...]:
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def placeholders(text: str) -> set[str]:
    braces = {f"{{{name}}}" for _, name, _, _ in string.Formatter().parse(text) if name is not None}
    return set(PERCENT.findall(text)) | braces


def test_extraction_finds_the_texts_of_code_and_templates() -> None:
    found = keys(wanted())
    assert len(found) > 150
    assert {"Your turn", "{player} is rolling", "%(num)s free seat", "The table has moved on. This is how it stands now."} <= found


@pytest.mark.parametrize("language", LANGUAGES)
def test_catalogue_has_every_text_and_nothing_that_is_gone(language: Language) -> None:
    found = keys(catalogue(language))
    assert keys(wanted()) - found == set(), "missing; run python -m app.web.catalogues"
    assert found - keys(wanted()) == set(), "gone; run python -m app.web.catalogues"
    assert not catalogue(language).obsolete
    assert not [message.id for message in catalogue(language) if message.fuzzy and message.id]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_translated_with_all_its_forms(language: Language) -> None:
    for message in catalogue(language):
        if not message.id:
            continue
        assert all(form.strip() for form in forms(message)), f"{language}: {message.id!r} is empty"
        assert len(forms(message)) == (2 if message.pluralizable else 1), message.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_translation_has_the_placeholders_of_its_text(language: Language) -> None:
    for message in catalogue(language):
        if not message.id:
            continue
        most = set().union(*(placeholders(source) for source in sources(message)))
        least = set.intersection(*(placeholders(source) for source in sources(message)))
        for form in forms(message):
            assert least - {"%(num)s", "{n}"} <= placeholders(form) <= most, f"{language}: {message.id!r} → {form!r}"
        assert placeholders(forms(message)[-1]) == placeholders(sources(message)[-1]), message.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_spaces_at_the_ends_and_the_last_sign_are_kept(language: Language) -> None:
    for message in catalogue(language):
        if message.id:
            source, form = sources(message)[-1], forms(message)[-1]
            assert (source != source.strip()) == (form != form.strip()), message.id
            assert (source[-1] in ".!?:") == (form[-1] in ".!?:"), f"{source!r} → {form!r}"


@pytest.mark.parametrize(("language", "one"), [("de", {1}), ("en", {1})])
def test_plural_rule_is_that_of_the_language(language: Language, one: set[int]) -> None:
    assert catalogue(language).num_plurals == 2
    assert "n != 1" in catalogue(language).plural_expr
    renderer = Renderer(Assets())
    said = {n: renderer.plain(language, tally("{n} point", "{n} points", n)) for n in (0, 1, 2, 11, 21)}
    assert len({text.replace(str(n), "N") for n, text in said.items() if n not in one}) == 1
    assert said[1].replace("1", "N") != said[0].replace("0", "N")


def test_english_says_its_keys() -> None:
    for message in catalogue("en"):
        if message.id:
            assert forms(message) == sources(message)


def test_german_says_du() -> None:
    for message in catalogue("de"):
        for form in forms(message):
            assert not SIE.search(form), f"{message.id!r} → {form!r}"


def test_german_is_not_english() -> None:
    """Equal texts are names, numbers and the few words that are the same."""
    same = {key(message) for message in catalogue("de") if message.id and forms(message) == sources(message)}
    words = {text for text in same if len(re.findall(r"[A-Za-z]{3,}", PERCENT.sub("", re.sub(r"\{\w+\}", "", text)))) > 1}
    assert words == set()


def texts() -> Iterator[Text]:
    """Every text of the code, with something in each placeholder."""
    for message in wanted():
        if not message.id or "%(" in str(message.id):
            continue
        names = sorted(set().union(*(placeholders(source) for source in sources(message))) - {"{n}"})
        parts: dict[str, str | int | Dice | Player | Text] = {}
        for place, name in enumerate(names):
            parts[name.strip("{}")] = ("x{y}", 7, Dice((1, 6)), Player(1), say("Yacht"))[place % 5]
        if message.pluralizable:
            yield tally(sources(message)[0], sources(message)[1], 3, **parts)
        else:
            yield say(sources(message)[0], **parts, **({"n": 3} if "{n}" in sources(message)[0] else {}))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_leaves_a_placeholder(language: Language) -> None:
    renderer = Renderer(Assets())
    for text in texts():
        plain = renderer.plain(language, text, CHAIRS)
        html = str(renderer.say(language, text, CHAIRS))
        for shown in (plain, html):
            left = shown.replace("x{y}", "").replace("B{o}", "").replace("%(x)s", "")
            assert not re.search(r"[{}]|%\(", left), f"{text.key!r} → {shown!r}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentence_escapes_what_stands_in_it(language: Language) -> None:
    renderer = Renderer(Assets())
    chairs = (Chair(0, 1, "<b>Eve</b>"),)
    html = str(renderer.say(language, say("{player} wins", player=Player(0)), chairs))
    assert "<bdi>&lt;b&gt;Eve&lt;/b&gt;</bdi>" in html
    assert "&lt;i&gt;" in str(renderer.say(language, say("{name} sits down", name="<i>"), ()))


def test_negotiation_never_raises() -> None:
    for header in ("", "\x00", "de;q=" + "9" * 5000, ";" * 100, "é", "de_DE.UTF-8", "-", "de-", "x-default", "i-klingon;q=1e999"):
        assert negotiate(header) in LANGUAGES
