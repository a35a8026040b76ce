from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.core import codec
from app.core.game import Viewer
from app.core.text import Player, Text
from app.games.mythical_dice.board import BOARD, CHOICES, OPTIONS
from app.games.mythical_dice.dice import KINDS
from app.games.mythical_dice.options import Options
from app.games.mythical_dice.rules import GAME
from app.games.mythical_dice.state import Bid, Round, View
from app.games.mythical_dice.words import ASKED, FOLLOW, LOOKS, NAMES, NUMBERS
from tests.games.mythical_dice.pages import frame, lines, page, replayed
from tests.games.mythical_dice.played import Played, second_round
from tests.support.games import random_game


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
    game.move(1, Bid(1))
    assert [frame(game, viewer).tray.bid for viewer in (0, 1, 2)] == [2, 1, None]


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


def test_a_step_of_the_replay_shows_its_die_rolling() -> None:
    game = following()
    game.roll(0, "red", 7)
    assert 'data-state="rolling"' in replayed(game.state, fresh=True)
    assert 'data-state="rolling"' not in replayed(game.state)


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
