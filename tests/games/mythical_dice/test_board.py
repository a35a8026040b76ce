from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pytest

from app.core import codec, engine
from app.core.board import Line
from app.core.events import Event, visible
from app.core.game import Viewer
from app.core.text import Player, Text
from app.games.mythical_dice.board import BOARD, CHOICES, OPTIONS
from app.games.mythical_dice.dice import KINDS
from app.games.mythical_dice.options import Options
from app.games.mythical_dice.rules import GAME
from app.games.mythical_dice.state import Bid, Round, State, View
from app.games.mythical_dice.words import ASKED, FOLLOW, LOOKS, NAMES, NUMBERS
from app.tables.chronicle import Story
from app.tables.replay import Replay
from app.tables.snapshot import Seated, Snapshot
from app.web.assets import Assets
from app.web.contexts import PageContext, Person
from app.web.language import LANGUAGES, Language
from app.web.presenter import game_context, replay_context, table_context
from app.web.rendering import Renderer
from tests.games.mythical_dice.test_rules import Played, second_round
from tests.support.games import random_game

NAMED = ("Mia", "Jonas", "Ayla", "Kasimir", "Ida", "Bo")
PAGE = PageContext("en", "", sound=True, keys=True, me=Person("Mia", "Mia"), here="/t/X", origin="http://x")


@cache
def renderer() -> Renderer:
    return Renderer(Assets())


def lines(events: Iterable[Event], options: Options, players: int, viewer: Viewer) -> list[tuple[int, Line]]:
    """Return the log as the chronicle tells it."""
    state, found = GAME.setup(options, players), []
    for event in events:
        before = GAME.view(state, viewer)
        state = engine.advance(GAME, state, event)
        line = BOARD.line(visible(event, viewer, over=False), before, GAME.view(state, viewer))
        if line is not None:
            found.append((event.n, line))
    return found


def snapshot(state: State) -> Snapshot:
    asked = GAME.to_act(state)
    outcome = GAME.outcome(state)
    return Snapshot(
        id=1,
        code="ABCDEFGHJK",
        slug="mythical-dice",
        rules=1,
        game=GAME,
        board=BOARD,
        options=state.options,
        visibility="unlisted",
        status="playing" if outcome is None else "finished",
        version=9,
        host_id="p0",
        players=state.players,
        state=state,
        outcome=outcome,
        undo_seat=None,
        undo_from=None,
        rematch=None,
        seats=tuple(
            Seated(seat, f"p{seat}", NAMED[seat], 7 if seat in asked else None, present=True)
            for seat in range(state.players)
        ),
        started_at=None,
        finished_at=None,
    )


def page(
    state: State,
    viewer: Viewer,
    log: Sequence[tuple[int, Line]] = (),
    *,
    fresh: bool = False,
    language: Language = "en",
) -> str:
    me = None if viewer is None else f"p{viewer}"
    context = table_context(
        snapshot(state), me, Story(9, None, tuple(log)), origin="http://x", fresh=fresh, watching=viewer is None
    )
    return renderer().page(language, "_fragment.html", table=context, page=PAGE)


def replayed(state: State, seat: Viewer = None, *, fresh: bool = False) -> str:
    view = GAME.reveal(state) if seat is None else GAME.view(state, seat)
    shown = Replay(3, 9, None, state, view, None, ())
    context = replay_context(snapshot(state), None, shown, origin="http://x", playing=fresh)
    if seat is not None:  # what a replay through somebody's eyes needs of the shared page: the viewer for `frame`
        context = replace(context, frame=BOARD.frame(view, seat, (), fresh=fresh))
    return renderer().page("en", "replay.html", replay=context, page=PAGE, me=None)


class Forms(HTMLParser):
    """Collects the fields of the form that posts moves, and the labels of all dice."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.inside = False
        self.hidden: dict[str, str] = {}
        self.radios: list[tuple[str, bool]] = []
        self.labels: dict[str, str] = {}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.inside = found.get("action", "").endswith("/moves")
        if tag == "input" and self.inside:
            if found["type"] == "hidden":
                self.hidden[found["name"]] = found["value"]
            else:
                self.radios.append((found["value"], "disabled" not in found))
                self.labels[found["value"]] = found.get("aria-label", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = False

    def moves(self) -> list[dict[str, Any]]:
        """Return the moves that can be posted."""
        return [
            BOARD.parse({"do": [self.hidden["do"]], "turn": ["7"], "hold": [value]})
            for value, enabled in self.radios
            if enabled
        ]


def by_text(move: dict[str, Any]) -> str:
    return json.dumps(move, sort_keys=True)


def states(players: int, seed: int, preset: dict[str, Any] | None = None) -> list[State]:
    """Return the states of a random game in which people look at it, fewer of the later rounds."""
    history = [state for state, _ in random_game(GAME, players, Options(**(preset or {})), seed)]
    found = [state for state in history if GAME.chance(state) is None]
    return [*found[:24], *found[24::9], found[-1]]


@pytest.mark.parametrize("preset", [{}, {"skin": "pirate"}], ids=["mythical", "pirate"])
@pytest.mark.parametrize("players", [3, 4, 6])
def test_every_legal_move_and_no_other_can_be_posted(players: int, preset: dict[str, Any]) -> None:
    for state in states(players, players, preset)[::2]:
        for viewer in {*GAME.to_act(state), 0}:
            html = page(state, viewer)
            wanted = [codec.action_data(action) for action in GAME.actions(state, viewer)]
            found = Forms(html).moves() if wanted else []
            assert sorted(found, key=by_text) == sorted(wanted, key=by_text)
            if not wanted:
                assert not Forms(html).radios


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_page_of_every_viewer_renders_in_both_languages_and_at_a_fresh_roll(language: Language) -> None:
    for state in states(4, 1)[::5]:
        for viewer in (0, 3, None):
            assert 'id="mythical"' in page(state, viewer, fresh=True, language=language)


@pytest.mark.parametrize("players", [3, 5])
def test_the_page_is_the_same_in_worlds_that_a_viewer_cannot_tell_apart(players: int) -> None:
    rng = random.Random(players)
    changed = 0
    for state in states(players, 2)[::3]:
        for viewer in (0, None):
            world = GAME.resample(state, viewer, rng)
            changed += world != state
            assert page(world, viewer, fresh=True) == page(state, viewer, fresh=True)
    assert changed > 10


def test_page_and_log_are_the_same_for_others_whatever_somebody_holds_and_bids() -> None:
    found: dict[Viewer, list[str]] = {}
    for hand, bid in (("red", 0), ("minotaur", 1)):
        game = Played([["purple"], [hand], ["yellow"]])
        game.move(1, Bid(bid))
        for viewer in (0, 1, 2, None):
            told = lines(game.events, game.options, 3, viewer)
            found.setdefault(viewer, []).append(page(game.state, viewer, told, fresh=True))
    for viewer in (0, 2, None):
        assert found[viewer][0] == found[viewer][1]
    assert found[1][0] != found[1][1]


def following() -> Played:
    game = second_round(
        [
            ["red", "red"],
            [
                "griffin",
                "red",
            ][:2],
            ["gray", "gray"],
        ],
        lead="winner",
    )
    game.bids(1, 1, 0)
    return game


def test_a_die_that_may_not_be_rolled_says_why() -> None:
    game = second_round([["red", "red"], ["gray", "red"], ["gray", "gray"]], lead="winner")
    game.bids(1, 1, 0)
    game.roll(0, "red", 7)
    form = Forms(page(game.state, 1))
    assert form.radios == [("red", True), ("gray", False)]
    assert form.labels["gray"] == "Gray: 7 1 1 and three flags. Not now. You have red: roll red or a creature."
    assert form.labels["red"] == "Red: 7 7 6 6 5 5"


def test_the_only_die_that_may_be_rolled_is_chosen_already_and_else_none_is() -> None:
    game = second_round([["red", "red"], ["gray", "red"], ["gray", "purple"]], lead="winner")
    game.bids(1, 1, 0)
    game.roll(0, "red", 7)
    assert page(game.state, 1).count(" checked") == 1
    game.roll(1, "red", 7)
    assert page(game.state, 2).count(" checked") == 0


def test_own_dice_are_shown_with_their_number_and_only_to_their_owner() -> None:
    game = second_round([["red", "red"], ["griffin", "mermaid"], ["gray", "gray"]])
    assert "Red: 7 7 6 6 5 5, 2 dice" in page(game.state, 0)
    for viewer in (1, 2, None):
        assert "Red: 7 7 6 6 5 5, 2 dice" not in page(game.state, viewer)
    assert "only you see these" in page(game.state, 0)
    assert "only you see these" not in page(game.state, None)


def frame(game: Played, viewer: Viewer = None, *, fresh: bool = False) -> Any:
    actions = () if viewer is None else GAME.actions(game.state, viewer)
    return BOARD.frame(GAME.view(game.state, viewer), viewer, actions, fresh=fresh)


def test_the_winning_die_is_marked_as_it_stands_and_stays_until_the_next_roll() -> None:
    game = following()
    game.roll(0, "red", 7)
    assert [(card.seat, card.best, card.note and card.note.key) for card in frame(game).sheet.cards] == [
        (0, True, "is ahead"),
        (1, False, "is up"),
        (2, False, None),
    ]
    game.roll(1, "griffin", "G")
    game.roll(2, "gray", 7)
    done = frame(game).sheet
    assert done.taken
    assert [(card.seat, card.best, card.turn) for card in done.cards] == [
        (0, False, False),
        (1, True, True),
        (2, False, False),
    ]
    assert all(card.piece for card in done.cards)
    assert done.before == ()
    game.roll(1, "red", 5)
    going_on = frame(game).sheet
    assert [card.piece is not None for card in going_on.cards] == [True, False, False]
    assert [piece.label.key for piece in going_on.before] == ["red {n}", "Griffin", "gray {n}"]
    assert going_on.before_best == 1
    assert 'aria-label="Griffin"' in page(game.state, 0)


def test_only_the_newest_roll_is_shown_rolling() -> None:
    game = following()
    for fresh in (True, False):
        assert not any(card.piece and card.piece.rolling for card in frame(game, fresh=fresh).sheet.cards)
    game.roll(0, "red", 7)
    assert [card.seat for card in frame(game, fresh=True).sheet.cards if card.piece and card.piece.rolling] == [0]
    game.roll(1, "griffin", "G")
    game.roll(2, "gray", 7)
    assert [card.seat for card in frame(game, fresh=True).sheet.cards if card.piece and card.piece.rolling] == [2]
    game.roll(1, "red", 5)
    game.roll(2, "gray", 1)
    game.roll(0, "red", 6, [["red"] * 3, ["yellow"] * 3, ["purple"] * 3])
    assert [card.seat for card in frame(game, fresh=True).sheet.cards if card.piece and card.piece.rolling] == [0]
    game.move(2, Bid(1))
    assert not any(card.piece and card.piece.rolling for card in frame(game, fresh=True).sheet.cards)


def test_over_under_and_exact_are_said_in_words() -> None:
    game = following()
    game.roll(0, "red", 5)
    game.roll(1, "griffin", "F")
    game.roll(2, "gray", 7)
    how = {card.seat: (card.how.key, dict(card.how.parts), card.over) for card in frame(game).sheet.cards if card.how}
    assert how == {
        0: ("{n} to go", {"n": 1}, 0),
        1: ("{n} to go", {"n": 1}, 0),
        2: ("{n} over", {"n": 1}, 1),
    }
    balance = frame(game).sheet.balance
    assert balance.key == "Bids in all: {bids}, tricks: {tricks}."
    assert "1 over" in page(game.state, None)


def test_the_score_sheet_has_a_row_for_each_round_and_the_own_column_first() -> None:
    game = following()
    sheet = frame(game, 1).sheet
    assert sheet.order == (1, 2, 0)
    assert [row.number for row in sheet.rows] == [1, 2]
    assert [(cell.points, cell.won, cell.bid, cell.missed) for cell in sheet.rows[0].cells] == [
        (10, 0, 0, False),
        (10, 0, 0, False),
        (20, 1, 1, False),
    ]
    assert sheet.totals == (10, 10, 20)
    html = page(replace(game.state, past=(Round((1, 0, 0), (0, 1, 0), (0, 0, 0), (-10, -10, 10)),)), 1)
    assert html.count("data-miss") == 2
    assert "−10" in html


def test_bids_are_offered_as_on_the_keyboard() -> None:
    game = second_round([["red", "red"], ["gray", "red"], ["gray", "gray"]])
    assert frame(game, 0).tray.bids == (1, 2, 0)
    game.move(0, Bid(2))
    tray = frame(game, 0).tray
    assert (tray.mode, tray.bid, tray.bids) == ("wait", 2, ())
    assert [frame(game, viewer).tray.bid for viewer in (1, 2, None)] == [None, None, None]
    assert "Your bid: 2" in page(game.state, 0)
    assert "Your bid" not in page(game.state, 1)
    assert "Your bid" not in page(game.state, None)


@pytest.mark.parametrize(
    ("form", "move"),
    [
        ({"do": ["bid"], "hold": ["3"]}, {"kind": "bid", "tricks": 3}),
        ({"do": ["bid"], "hold": ["9" * 5000]}, {"kind": "bid", "tricks": "9" * 5000}),
        ({"do": ["bid"], "hold": ["²"]}, {"kind": "bid", "tricks": "²"}),
        ({"do": ["bid"]}, {"kind": "bid", "tricks": ""}),
        ({"do": ["roll"], "hold": ["red"]}, {"kind": "roll", "die": "red"}),
        ({}, {"kind": "roll", "die": ""}),
    ],
)
def test_a_form_becomes_a_move_or_something_the_engine_refuses(
    form: dict[str, list[str]], move: dict[str, Any]
) -> None:
    assert BOARD.parse(form) == move


def said(text: Text) -> str:
    """Return a text in English, players by their seat."""
    parts = {
        name: said(part) if isinstance(part, Text) else f"P{part.seat}" if isinstance(part, Player) else part
        for name, part in text.parts
    }
    return (text.plural if text.plural and text.amount != 1 else text.key).format(**parts)


def told(game: Played, viewer: Viewer = None) -> list[tuple[int | None, str, int | None]]:
    return [(line.seat, said(line.text), line.number) for _, line in lines(game.events, game.options, 3, viewer)]


def test_the_log_tells_the_round_in_words() -> None:
    game = Played([["red"], ["yellow"], ["purple"]])
    game.move(1, Bid(1))
    game.move(0, Bid(0))
    game.move(2, Bid(0))
    game.roll(0, "red", 5)
    game.roll(1, "yellow", 5)
    game.roll(2, "purple", 1, [["gray"] * 2, ["red"] * 2, ["mermaid"] * 2])
    game.bids(0, 0, 2)
    game.roll(1, "red", 7)
    game.roll(2, "mermaid", "F")
    assert told(game) == [
        (0, "leads the first round", None),
        (None, "Round 1: everybody draws a die", None),
        (1, "bids in secret", None),
        (0, "bids in secret", None),
        (None, "The bids: P0 0, P1 1, P2 0", None),
        (0, "leads: red 5", None),
        (1, "rolls: yellow 5", None),
        (2, "rolls: purple 1. P1 wins the last trick of round 1", None),
        (None, "Round 2: everybody draws 2 dice", None),
        (0, "bids in secret", None),
        (1, "bids in secret", None),
        (None, "The bids: P0 0, P1 0, P2 2", None),
        (1, "leads: red 7", None),
        (2, "rolls: flag, Mermaid", None),
    ]
    assert [line for line in told(game, 1) if line not in told(game)] == [
        (1, "bids in secret", 1),
        (1, "bids in secret", 0),
    ]


def test_the_end_shows_the_ranking_and_the_sheet() -> None:
    final = [state for state, _ in random_game(GAME, 3, Options(), 4)][-1]
    html = page(final, 0)
    outcome = GAME.outcome(final)
    assert outcome is not None
    assert html.count('class="rank"') == 3
    assert "is-now" not in html
    notes = BOARD.summary(outcome, GAME.view(final, None))
    assert [dict(note.parts).get("n", dict(note.parts).get("bids")) for note in notes]
    met = outcome.detail["bids_met"]
    assert isinstance(met, tuple)
    assert [said(note).split(" ")[0] for note in notes] == [str(number) for number in met]
    assert 'id="tray"' not in html


def test_the_replay_shows_every_hand_or_looks_through_one_players_eyes() -> None:
    game = second_round([["red", "red"], ["griffin", "mermaid"], ["gray", "purple"]])
    game.move(1, Bid(2))
    everybody = replayed(game.state)
    for label in (
        "Red: 7 7 6 6 5 5, 2 dice",
        "Griffin: itself",
        "Mermaid: itself",
        "Gray: 7 1 1",
        "Purple: 3 3 2 2 1 1",
    ):
        assert label in everybody
    assert "Bid 2" in everybody
    one = replayed(game.state, 1)
    hands = one[one.index('id="hands-h"') : one.index('id="sc-h"')]
    assert "Griffin: itself" in hands
    assert "Red: 7 7" not in hands
    assert "Bid 2" in one
    assert "Bid 2" not in replayed(game.state, 0)


def test_a_step_of_the_replay_shows_its_die_rolling() -> None:
    game = following()
    game.roll(0, "red", 7)
    assert 'data-state="rolling"' in replayed(game.state, fresh=True)
    assert 'data-state="rolling"' not in replayed(game.state)


def test_options_rules_and_tile_render() -> None:
    from app.games import CURRENT

    context = game_context(CURRENT["mythical-dice"])
    for language in LANGUAGES:
        html = renderer().page(language, "game.html", game=context, page=PAGE, me=None)
        assert html.count("<select") == 8
        assert html.count("<tr>") == 7


def test_every_option_and_choice_has_a_name_of_its_own() -> None:
    known = {(option["id"], choice) for option in codec.option_choices(Options) for choice in option["choices"]}
    assert known == set(CHOICES)
    assert {option for option, _ in known} == set(OPTIONS)
    for option, choice in known:
        assert BOARD.option_text(option, choice) == (OPTIONS[option], CHOICES[option, choice])
    assert BOARD.option_text("other", 1)[1] == Text("{choice}", (("choice", "1"),))


def test_both_skins_name_every_kind_and_no_two_alike() -> None:
    for looks in LOOKS.values():
        assert tuple(looks) == KINDS
        assert len(set(looks.values())) == 7
        assert all(one in NAMES for one in looks.values())
        colours = list(looks.values())[3:]
        assert all(one in NUMBERS and one in FOLLOW and one in ASKED for one in colours)
    assert len({text.key for text in NAMES.values()}) == len(NAMES)


def test_the_pirate_skin_shows_other_dice_and_posts_the_same_moves() -> None:
    game = second_round([["red", "griffin"], ["minotaur", "red"], ["gray", "gray"]], lead="winner", skin="pirate")
    game.bids(1, 1, 0)
    html = page(game.state, 0)
    assert Forms(html).radios == [("griffin", True), ("red", True)]
    assert Forms(html).labels == {"griffin": "Pirate: itself on four faces, a flag on two", "red": "Black: 7 7 6 6 5 5"}
    assert "Griffin" not in html
    assert 'data-color="black"' in html


def test_where_and_who() -> None:
    game = Played([["red"], ["yellow"], ["purple"]])
    assert (said(frame(game).where), said(frame(game).status)) == ("Round 1 of 8", "3 players choose their bids")
    game.move(0, Bid(0))
    game.move(2, Bid(0))
    assert said(frame(game).status) == "P1 chooses a bid"
    assert [standing.note and said(standing.note) for standing in frame(game).standings] == [None, "is choosing", None]
    game.move(1, Bid(1))
    assert (said(frame(game).where), said(frame(game).status)) == ("Round 1/8 · trick 1/1", "P0 leads")
    game.roll(0, "red", 5)
    assert said(frame(game).status) == "P1 is rolling"
    drawing: View = GAME.view(GAME.setup(Options(), 3), None)
    assert said(BOARD.frame(drawing, None, (), fresh=False).status) == "Dice are drawn"
