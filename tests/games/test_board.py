"""Conformance 11 and 14 over all games: pages of every state for every viewer, forms for every move, logs in words."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlencode

import pytest

from app import games
from app.core import codec, engine
from app.core.board import Entry, Frame, Line
from app.core.events import Event, visible
from app.core.game import IllegalMove, Viewer
from app.tables.chronicle import Story
from app.tables.replay import Replay
from app.tables.snapshot import Seated, Snapshot
from app.web.assets import Assets
from app.web.contexts import Chair, PageContext, Person
from app.web.language import LANGUAGES, Language
from app.web.presenter import chairs_of, replay_context, table_context
from app.web.rendering import Renderer, Words
from tests.games.conformance import Case, cases
from tests.support.games import sample
from tests.web.forms import Form, Page

CODE = "K7QMX2PA3D"
ENTRIES = list(games.CURRENT.values())
CASES = [(entry, case) for entry in ENTRIES for case in cases(entry.game, seeds=1)]
HIDDEN = [(entry, case) for entry, case in CASES if entry.game.info.hidden]
by_case = pytest.mark.parametrize(("entry", "case"), CASES, ids=[str(case) for _, case in CASES])
LEFT_OVER = re.compile(r"[{}]|%\(|\bNone\b|\bUndefined\b|&lt;|&amp;lt;|<[a-z_.]+ object")


@cache
def renderer() -> Renderer:
    return Renderer(Assets())


@cache
def words(language: Language) -> Words:
    return Words(language, Assets())


def page_context(language: Language) -> PageContext:
    return PageContext(
        language, "", sound=True, keys=True, me=Person(None, "Ida"), here="/t/" + CODE, origin="http://k"
    )


def snapshot(entry: Entry, case: Case, state: Any) -> Snapshot:
    """A table in a state of a game, as the database would give it."""
    game, outcome = entry.game, entry.game.outcome(state)
    due = game.to_act(state)
    return Snapshot(
        id=1,
        code=CODE,
        slug=game.info.slug,
        rules=game.info.rules,
        game=game,
        board=entry.board,
        options=case.options,
        visibility="unlisted",
        status="playing" if outcome is None else "finished",
        version=7,
        host_id="p0",
        players=case.players,
        state=state,
        outcome=outcome,
        undo_seat=None,
        undo_from=None,
        rematch=None,
        seats=tuple(
            Seated(seat, f"p{seat}", f"Name{seat}", 7 if seat in due else None, present=True) for seat in case.seats
        ),
        started_at=None,
        finished_at=None,
        at=0.0,
    )


def log_of(entry: Entry, case: Case, upto: int, viewer: Viewer, *, over: bool) -> list[tuple[int, Line]]:
    """The log of a game's first events as a viewer may see it."""
    game, lines = entry.game, []
    for (before, _), (after, event) in zip(case.history[:upto], case.history[1 : upto + 1], strict=False):
        assert event is not None
        shown = visible(event, viewer, over=over)
        line = entry.board.line(shown, game.view(before, viewer), game.view(after, viewer))
        if line is not None:
            lines.append((event.n, line))
    return lines


def fragment(
    table: Snapshot, viewer: Viewer, language: Language, lines: Sequence[tuple[int, Line]] = (), *, fresh: bool = False
) -> str:
    """The table as a viewer gets it."""
    me = None if viewer is None else f"p{viewer}"
    story = Story(table.version, None, tuple(lines))
    context = table_context(table, me, story, origin="http://k", fresh=fresh)
    return renderer().page(language, "_fragment.html", table=context, page=page_context(language))


def some(case: Case, pages: int) -> list[tuple[int, Any]]:
    """Some states of a game that a table can be in, evenly spread, the first and the last among them: so many that
    about `pages` pages are made if each viewer gets one of each state, but six at least.
    """
    most = max(6, pages // len(case.viewers))
    stable = [(n, state) for n, state in enumerate(case.states) if case.game.chance(state) is None]
    step = max(1, len(stable) // most)
    return [*stable[::step], stable[-1]]


@by_case
def test_every_state_renders_for_every_viewer(entry: Entry, case: Case) -> None:
    for place, (n, state) in enumerate(some(case, 60)):
        table = snapshot(entry, case, state)
        for viewer in case.viewers:
            language = LANGUAGES[place % 2]
            lines = log_of(entry, case, n, viewer, over=table.over) if place % 8 == 0 else ()
            page = Page(fragment(table, viewer, language, lines, fresh=place % 3 == 0))
            roots = [child for child in page.children if not isinstance(child, str)]
            assert [root.attrs.get("id") for root in roots] == ["table"]
            ids = [node.attrs["id"] for node in page.walk() if "id" in node.attrs]
            assert len(ids) == len(set(ids)), "an id stands twice"
            assert not LEFT_OVER.search(page.text), LEFT_OVER.search(page.text)
            moves = [form for form in page.forms if form.action.endswith("/moves")]
            asked = viewer is not None and viewer in entry.game.to_act(state)
            assert bool(moves) == asked, f"viewer {viewer} is asked: {asked}"
            assert all(dict(form.fields)["turn"] == "7" for form in moves)


def offered(page: Page) -> Iterator[tuple[Form, str | None]]:
    """Every way to send a form of moves: by each of its buttons."""
    for form in page.forms:
        if form.action.endswith("/moves"):
            for name, value, _ in form.buttons:
                yield form, value if name else None


def parsed(entry: Entry, sent: list[tuple[str, str]]) -> Any:
    """The move that arrives when these fields travel as a browser sends them."""
    return entry.board.parse(parse_qs(urlencode(sent), keep_blank_values=True))


def boxes(form: Form) -> list[tuple[str, str]]:
    return [
        (node.attrs["name"], node.attrs["value"])
        for node in form.node.all("input", type="checkbox")
        if "disabled" not in node.attrs
    ]


def said_in(move: Any) -> set[str]:
    """What a move names, as a form writes it."""
    values = [value for each in codec.data(move).values() for value in (each if isinstance(each, list) else [each])]
    return {str(value) for value in values}


def attempts(entry: Entry, page: Page, move: Any) -> Iterator[Any]:
    """Moves posted by each button, with the boxes ticked that the move names, or those that it does not, or none; of
    each group of radio buttons the one that it names."""
    named = said_in(move)
    for form, button in offered(page):
        ticks = boxes(form)
        radios = [(node.attrs["name"], node.attrs["value"]) for node in form.node.all("input", type="radio")]
        chosen = [pair for pair in radios if pair[1] in named]
        open_names = {name for name, _ in ticks} | {name for name, _ in chosen}
        rest = [pair for pair in form.filled(button) if pair[0] not in open_names]
        for ticked in (
            [pair for pair in ticks if pair[1] in named],
            [pair for pair in ticks if pair[1] not in named],
            [],
        ):
            yield parsed(entry, rest + ticked + chosen)


@by_case
def test_every_legal_move_can_be_posted_through_a_form_of_the_page(entry: Entry, case: Case) -> None:
    rng = random.Random(case.seed)
    for _, state in some(case, 40):
        for seat in sorted(entry.game.to_act(state)):
            page = Page(fragment(snapshot(entry, case, state), seat, "en"))
            actions = list(entry.game.actions(state, seat))
            for action in rng.sample(actions, min(5, len(actions))):
                for _ in range(4 if action.pick else 1):
                    move = sample(action, rng)
                    after = entry.game.play(state, seat, move)
                    posted = attempts(entry, page, move)
                    assert any(_as_good(entry, state, seat, after, other) for other in posted), move


def _as_good(entry: Entry, state: Any, seat: int, after: Any, raw: Any) -> bool:
    """Whether a posted move is legal and leads to `after`: 3 + 4 − 3 is as good as 4 + 3 − 3."""
    try:
        move = engine.match(entry.game, state, seat, codec.load_move(entry.game, raw))
    except IllegalMove:
        return False
    return bool(entry.game.play(state, seat, move) == after)


@by_case
def test_every_form_as_it_stands_is_a_move_that_the_engine_judges(entry: Entry, case: Case) -> None:
    for _, state in some(case, 40):
        for seat in sorted(entry.game.to_act(state)):
            page = Page(fragment(snapshot(entry, case, state), seat, "en"))
            for form, button in offered(page):
                assert isinstance(parsed(entry, form.filled(button)), dict)


@pytest.mark.parametrize("entry", ENTRIES, ids=list(games.CURRENT))
@pytest.mark.parametrize(
    "form",
    [
        {},
        {"turn": ["7"]},
        {"do": []},
        {"do": ["\x00"]},
        {"do": ["roll", "score"]},
        {"x" * 999: ["y"] * 999},
        {"hold": ["é", "-1", ""]},
    ],
    ids=str,
)
def test_no_form_whatever_makes_parse_raise(entry: Entry, form: dict[str, list[str]]) -> None:
    assert isinstance(entry.board.parse(form), dict)


@by_case
def test_every_event_has_its_line_in_both_languages_without_leftovers(entry: Entry, case: Case) -> None:
    chairs = tuple(Chair(seat, seat + 1, f"Name{seat}") for seat in case.seats)
    for viewer in (0, None):
        for over in (False, True):
            lines = log_of(entry, case, len(case.history), viewer, over=over)
            assert lines
            said = {}
            for language in LANGUAGES:
                said[language] = [renderer().plain(language, line.text, chairs) for _, line in lines]
                html = [str(words(language).say(line.text, chairs)) for _, line in lines]
                for shown in (*said[language], *(Page(text).text for text in html)):
                    assert shown
                    assert not LEFT_OVER.search(shown), shown
            assert said["de"] != said["en"]
            assert all(line.seat is None or line.seat in case.seats for _, line in lines)


@by_case
def test_replay_renders_at_every_stage(entry: Entry, case: Case) -> None:
    lines = tuple(log_of(entry, case, len(case.history), None, over=True))
    last = len(case.history) - 1
    table = snapshot(entry, case, case.states[-1])
    for n in {0, 1, 2, last // 3, last // 2, last - 1, last}:
        state, event = case.history[n]
        shown = Replay(n, last, event, state, entry.game.view(state, None), entry.game.outcome(state), lines)
        for language in LANGUAGES:
            context = replay_context(table, None, shown, origin="http://k", playing=n == 1)
            page = Page(renderer().page(language, "replay.html", replay=context, page=page_context(language)))
            assert page.id("replay").attrs["data-step"] == str(n)
            assert not LEFT_OVER.search(page.text), LEFT_OVER.search(page.text)
            assert [form.action for form in page.forms if form.method == "post"] == []


@pytest.mark.parametrize(
    ("entry", "case"), HIDDEN or [(None, None)], ids=[str(case) for _, case in HIDDEN] or ["none yet"]
)
def test_worlds_a_viewer_cannot_tell_apart_have_the_same_html(entry: Entry | None, case: Case | None) -> None:
    if entry is None or case is None:
        assert not any(each.game.info.hidden for each in ENTRIES)
        return
    rng = random.Random(case.seed)
    for _, state in some(case, 30):
        for viewer in case.viewers:
            world = entry.game.resample(state, viewer, rng)
            pages = [fragment(snapshot(entry, case, each), viewer, "en") for each in (state, world)]
            assert pages[0] == pages[1], f"viewer {viewer} can tell two worlds apart by the page"


@by_case
def test_frame_has_a_standing_for_every_seat_and_a_note_for_each_at_the_end(entry: Entry, case: Case) -> None:
    game = entry.game
    for _, state in some(case, 30):
        for viewer in case.viewers:
            acts = () if viewer is None else tuple(game.actions(state, viewer))
            frame = entry.board.frame(game.view(state, viewer), viewer, acts, fresh=False)
            assert isinstance(frame, Frame)
            assert len(frame.standings) == case.players
            assert frame == entry.board.frame(game.view(state, viewer), viewer, acts, fresh=False)
    outcome = game.outcome(case.states[-1])
    assert outcome is not None
    assert len(entry.board.summary(outcome, game.view(case.states[-1], None))) == case.players


@pytest.mark.parametrize("entry", ENTRIES, ids=list(games.CURRENT))
def test_every_option_and_the_pitch_have_words_in_both_languages(entry: Entry) -> None:
    assert len(entry.board.pitch()) == 4
    for language in LANGUAGES:
        for text in entry.board.pitch():
            assert renderer().plain(language, text)
        for option in codec.option_choices(entry.game.options_type):
            names = [entry.board.option_text(option["id"], choice) for choice in option["choices"]]
            assert len({name for name, _ in names}) == 1
            assert len({choice for _, choice in names}) == len(names)
            for pair in names:
                for text in pair:
                    assert renderer().plain(language, text) not in {option["id"], *map(str, option["choices"])}
    german, english = ([renderer().plain(language, text) for text in entry.board.pitch()] for language in ("de", "en"))
    assert not set(german) & set(english)


def test_free_seat_is_shown_before_the_start_and_none_at_a_full_table() -> None:
    entry, case = CASES[0]
    table = snapshot(entry, case, case.states[-1])
    assert [chair.name for chair in chairs_of(table, 0)] == [f"Name{seat}" for seat in case.seats]
    assert chairs_of(table, 0)[0].you


def test_event_type_is_known() -> None:
    assert {type(event) for _, case in CASES for event in case.events} <= set(Event.__args__)
