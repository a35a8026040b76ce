"""The page of 5 Strolche II: what it shows, and that everything can be done from it by plain forms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from app.core import codec, engine
from app.core.game import IllegalMove
from app.games.five_strolche.board import BOARD
from app.games.five_strolche.material import BOARDS, COLOURS, LOCKS
from app.games.five_strolche.rules import GAME
from app.games.five_strolche.sheet import LockCard, SheetContext
from app.games.five_strolche.state import Options, Place, State
from app.games.five_strolche.tray import Deed, TrayContext
from tests.games.five_strolche.pages import page, postable
from tests.games.five_strolche.positions import options, plain, position
from tests.support.games import random_game

LONG = options(last_rescue="on", rotate="john_and_ringo", **{"pass": "allowed"})
POSITIONS: dict[str, State] = {
    "many dice": position("r1 r1 r3 r6 b1 b3 b5 k3 k6 y2 y3", "r3 y4", "k3", gate=1, options=LONG),
    "a set": position("r1 r3 b3 k3 y3", "r3 y4"),
    "no dice": position("", "r3 y4"),
    "stuck": position("", "r3 y4", bag=0),
    "take": position("r1", "k2", asked="take", used="ringo", boards={"john": 2, "pink": 2}),
    "take up to two": position("r1", "k2", asked="take", used="ringo", options=options(take2="up_to_two")),
    "take one": position("r1", "", asked="take", used="ringo", boards={"john": 0, "pink": 0}),
    "take all": position("r1", "k2", asked="take_all", used="rihanna", gate=1, boards={"paul": 1}),
    "turn": position("r1 b3 k4 y6", "k2", asked="turn", used="pink"),
    "crack": position("r3 r3 b3 b3 k3 y3", "k2", asked="crack", used="paul"),
    "effect": position("r3", "k2", asked="effect", used="ringo", options=LONG),
    "vote": position("r6", "k2", "b1", asked="rescue", wishes=(None, True, None), gate=1, options=LONG),
    "given": position("r3 b2", "k2", gift_used=True, actions_left=1),
    "strict": position("r3 b2 k1 k2", "k2", options=options(fizzle="forbidden", overflow="blocked")),
}


def as_text(move: Mapping[str, Any]) -> str:
    """Return a move for comparison; the order of what is picked does not matter."""
    return str(sorted((name, sorted(value) if isinstance(value, list) else value) for name, value in move.items()))


def described(state: State, seat: int) -> set[str]:
    """Return every move without a pick, and for each pick its smallest and largest."""
    found = set()
    for action in GAME.actions(state, seat):
        moves = [action.move]
        if action.pick is not None:
            sizes = (action.pick.least, action.pick.most)
            moves = [action.fill([str(die) for die in action.pick.options[:size]]) for size in sizes]
        found |= {as_text(codec.data(move)) for move in moves}
    return found


@pytest.mark.parametrize("state", POSITIONS.values(), ids=POSITIONS)
def test_every_move_can_be_posted_and_every_button_means_one(state: State) -> None:
    for seat in range(state.players):
        posted = postable(page(state, seat))
        assert described(state, seat) <= {as_text(move) for move in posted}
        offered = {as_text(move) for move in posted if accepted(state, seat, move)}
        assert {str(move["kind"]) for move in posted} == {
            str(codec.data(action.move)["kind"]) for action in GAME.actions(state, seat)
        }
        assert described(state, seat) <= offered


def accepted(state: State, seat: int, move: dict[str, Any]) -> bool:
    try:
        engine.match(GAME, state, seat, codec.load_move(GAME, move))
    except IllegalMove:
        return False
    return True


@pytest.mark.parametrize(("players", "seed"), [(2, 1), (3, 2), (4, 3), (5, 4)])
def test_pages_of_a_whole_game_can_be_rendered_and_played_by_form(players: int, seed: int) -> None:
    history = list(random_game(GAME, players, LONG, seed))
    for state, _ in history[:: max(1, len(history) // 12)] + history[-1:]:
        for viewer in (*range(players), None):
            html = page(state, viewer, "de" if viewer else "en", fresh=True)
            ids = re.findall(r' id="([^"]+)"', html)
            assert len(ids) == len(set(ids)), "an id stands twice on the page"
            if viewer is not None and viewer in GAME.to_act(state):
                assert described(state, viewer) <= {as_text(move) for move in postable(html)}


def tray(state: State, seat: int | None = 0) -> TrayContext:
    actions = () if seat is None else GAME.actions(state, seat)
    found: TrayContext = BOARD.frame(GAME.view(state, seat), seat, actions, fresh=True).tray
    return found


def sheet(state: State, seat: int | None = 0) -> SheetContext:
    found: SheetContext = BOARD.frame(GAME.view(state, seat), seat, (), fresh=False).sheet
    return found


def deeds(state: State) -> dict[tuple[str, str], Deed]:
    return {(group.id, deed.board): deed for group in tray(state).groups for deed in group.deeds}


def test_own_dice_are_grouped_by_colour_and_number() -> None:
    groups = tray(position("y1 r4 k2 r1 b6 r4", "")).groups
    assert [(group.id, len(group.dice)) for group in groups] == [("r1", 1), ("r4", 2), ("b6", 1), ("k2", 1), ("y1", 1)]


def test_every_die_says_what_it_could_do_or_why_not() -> None:
    state = position("r1 r4 b2 b5 k1 k6 y2 y5", "", boards={"paul": 1, "pink": 3})
    told = {place: (plain(deed.label), deed.why and plain(deed.why)) for place, deed in deeds(state).items()}
    assert told == {
        ("r1", "pink"): ("Pink: draw 3 dice", None),
        ("r1", "paul"): (
            "Paul: crack the lock",
            "You need a 3 in each colour beside this die. Missing: red, blue, black, yellow",
        ),
        ("r4", "pink"): ("Pink: turn a die", None),
        ("b2", "john"): ("John: swap the lock", None),
        ("b5", "john"): ("John: take 2 dice", None),
        ("k1", "ringo"): ("Ringo: open the gate", None),
        ("k6", "ringo"): ("Ringo: take 2 dice", None),
        ("y2", "rihanna"): ("Rihanna: draw 3 dice", None),
        ("y5", "rihanna"): ("Rihanna: take a board", None),
    }


def test_what_a_deed_may_be_in_vain_or_sweeps_is_said_before() -> None:
    found = deeds(position("r4 r5 k1", "", boards={"pink": 3}))
    notes = {place: deed.note and plain(deed.note) for place, deed in found.items()}
    assert notes == {
        ("r4", "pink"): "The board is full: all four dice go back into the bag.",
        ("r5", "pink"): "The board is full: all four dice go back into the bag.",
        ("k1", "ringo"): "No effect: The gate is open already.",
    }
    old = deeds(position("r4 k1", "", boards={"pink": 3}, options=options(overflow="old_three")))
    note = old["r4", "pink"].note
    assert note is not None
    assert plain(note) == "The board is full: the three old dice go back into the bag."


def test_chance_that_a_throw_shuts_the_gate_is_told_before_it() -> None:
    half = position("r1 b5 k5 y1 y5 b2", "", gate=1, bag=2, boards={"pink": 3})
    risks = {place: deed.risk for place, deed in deeds(half).items()}
    assert risks == {
        ("r1", "pink"): 42,  # the swept board is in the bag again: three dice
        ("r1", "paul"): None,
        ("b5", "john"): 31,
        ("k5", "ringo"): 31,
        ("y1", "rihanna"): 31,  # two dice are in the bag
        ("y5", "rihanna"): None,  # it depends on the board, which is the next choice
        ("b2", "john"): None,
    }
    found = tray(half)
    assert found.draw_risk == 17
    assert [(risk.dice, risk.percent, risk.shuts) for risk in found.risks[:3]] == [
        (1, 17, True),
        (2, 31, True),
        (3, 42, True),
    ]
    emptying = tray(position("", "", asked="take_all", used="rihanna", gate=1, boards={"pink": 3}))
    assert [(choice.value, choice.risk) for choice in emptying.choices] == [
        ("take_all john", 17),
        ("take_all ringo", 17),
        ("take_all pink", 42),
    ]
    html = page(half, 0)
    for told in ("Gate shuts: 17%", "3 dice again: gate shuts with 42%"):
        assert told in html


def test_open_gate_cannot_be_shut_by_one_throw() -> None:
    state = position("r1 b5 k5 y1 y5 b2", "")
    assert {deed.risk for deed in deeds(state).values()} == {None}
    assert tray(state).draw_risk is None
    assert not any(risk.shuts for risk in tray(state).risks)
    html = page(state, 0)
    assert "ate shuts" not in html
    assert "3 dice again: a 6 with 42%" in html


def test_progress_is_told_for_everybody() -> None:
    state = position("r3", "r3 b3 b3 k1", "y2")
    told = {mate.seat: plain(mate.progress) for mate in sheet(state).team}
    assert told == {1: "2 of 4 threes: red, blue", 2: "0 of 4 threes"}
    assert [mate.seat for mate in sheet(state, 1).team] == [2, 0]
    assert [mate.seat for mate in sheet(state, None).team] == [0, 1, 2]
    assert [mate.active for mate in sheet(state, None).team] == [True, False, False]


def test_need_shows_what_the_viewer_has_and_who_has_the_rest() -> None:
    found = sheet(position("r3 b3 k3", "y2", "y3 r3"))
    assert [(one.colour, one.have, one.seat) for one in found.need] == [
        ("red", True, 2),
        ("blue", True, None),
        ("black", True, None),
        ("yellow", False, 2),
    ]
    assert found.need_note is not None
    assert plain(found.need_note) == "You have red, blue, black. Missing: yellow."
    wanted = {die.id: die.wanted for mate in found.team for die in mate.dice}
    assert wanted == {"y1": False, "y2": True, "r2": False}


def test_locks_in_the_row() -> None:
    state = position("", "", stack=(4, 0, 0, 2), cracked=(6, 1), options=options(memory_aid="on"))
    done = (LockCard(6, cracked=True), LockCard(1, cracked=True))
    assert sheet(state).locks == (*done, LockCard(4, front=True), LockCard(None), LockCard(None), LockCard(2))
    forgetful = position("", "", stack=(4, 0, 0, 2), cracked=(6, 1))
    assert sheet(forgetful).locks == (*done, LockCard(4, front=True), *[LockCard(None)] * 3)
    assert len(sheet(GAME.setup(Options(), 2)).locks) == LOCKS


@pytest.mark.parametrize(
    ("gate", "label"),
    [
        (0, "Gate: both halves open. The lock shows 3."),
        (1, "Gate: one half closed, one open. The lock shows 3."),
        (2, "Gate: both halves closed. The lock shows 3."),
    ],
)
def test_gate_in_picture_and_words(gate: int, label: str) -> None:
    state = position("", "", gate=gate, ended="gate" if gate == 2 else "")
    assert plain(sheet(state).gate_label) == label
    html = page(state, 0)
    assert f'data-closed="{gate}"' in html
    assert label in html


def test_headline_names_the_lock_that_has_to_come_first() -> None:
    ordered = options(right_order="on")
    assert plain(sheet(position("", "", options=ordered)).headline) == "Lock 1 comes first"
    assert plain(sheet(position("", "", stack=(1, 3), options=ordered)).headline) == "Four 1s, four colours"


def test_boards_show_their_dice_and_both_effects() -> None:
    found = sheet(position("", "", boards={"paul": 2, "john": 3}))
    assert [(board.id, len(board.dice), board.room, board.full) for board in found.boards] == [
        ("john", 3, 3, True),
        ("ringo", 1, 3, False),
        ("rihanna", 1, 3, False),
        ("pink", 1, 3, False),
        ("paul", 2, 2, True),
    ]
    html = page(position("", "", options=LONG), 0)
    for text in (
        "Swap lock",
        "Open gate or swap lock",
        "Take 2 dice",
        "Draw 3",
        "Take a board",
        "Turn 1",
        "Crack lock",
    ):
        assert text in html
    assert all(f'data-point="board {board}"' in html for board in BOARDS)


def test_everybody_sees_all_dice() -> None:
    state = position("r3 b3", "k3 y4", "y1")
    for viewer in (0, 1, 2, None):
        html = page(state, viewer)
        for words in ("red 3", "blue 3", "black 3", "yellow 4", "yellow 1"):
            assert f'aria-label="{words}' in html


def test_bag_is_counted_by_colour() -> None:
    assert sheet(position("r3 r2 b3", "k1")).bag == (("red", 7), ("blue", 8), ("black", 8), ("yellow", 9))


def test_actions_left_and_where() -> None:
    frame = BOARD.frame(GAME.view(position("", "", cracked=(1,), stack=(3,) * 5), 0), 0, (), fresh=False)
    assert plain(frame.where) == "Lock 2 of 6 · 36 dice in the bag"
    assert frame.count == (2, 2)
    assert frame.hint is not None
    assert plain(frame.hint) == "2 actions left"
    limited = position("", "", options=options(turn_limit=20), turns=39)
    assert plain(BOARD.frame(GAME.view(limited, 0), 0, (), fresh=False).where).endswith("1 turn left")


def test_vote_shows_what_the_others_wish() -> None:
    state = POSITIONS["vote"]
    deciding, wishing, said = tray(state, 0), tray(state, 2), tray(state, 1)
    assert (deciding.mode, wishing.mode, said.mode) == ("rescue", "wish", "watch")
    assert deciding.wishes == wishing.wishes == said.wishes == ((1, True), (2, None))
    html = page(state, 0)
    assert "is for it" in html
    assert "has not said yet" in html
    assert "What do you wish?" in page(state, 2)


def test_end_tells_what_came_of_it() -> None:
    state = GAME.settle(position("r1 b1", "", gate=1, cracked=(3, 5), cracked_by=(1, 0), turns=9, air=("r9",)), (6,))
    outcome = GAME.outcome(state)
    assert outcome is not None
    view = GAME.view(state, None)
    assert [plain(note) for note in BOARD.summary(outcome, view)] == ["cracked lock 5", "cracked lock 3"]
    facts = {plain(label): plain(value) for label, value in sheet(state).facts}
    assert facts == {
        "Locks cracked": "3, 5",
        "Rounds": "5",
        "Dice thrown": "1",
        "Sixes thrown": "1, 0.2 were to be expected",
    }
    html = page(state, 0)
    assert "You have lost together" in html
    assert [mate.seat for mate in sheet(state).team] == [0, 1]
    assert "0.2 were to be expected" in html


def test_won_game_has_no_lock_left() -> None:
    state = position("", "", cracked=(1, 2, 3, 4, 5, 6), cracked_by=(0,) * 6, stack=(), ended="won")
    assert "You have won together" in page(state, None)
    outcome = GAME.outcome(state)
    assert outcome is not None
    notes = BOARD.summary(outcome, GAME.view(state, None))
    assert [plain(note) for note in notes] == ["cracked locks 1, 2, 3, 4, 5, 6", "cracked no lock"]


@pytest.mark.parametrize(
    ("form", "move"),
    [
        ({"do": ["place k2,k3 ringo"]}, {"kind": "place", "die": "k2", "on": "ringo"}),
        ({"do": ["place k2,k3 ringo"], "hold": ["k3"]}, {"kind": "place", "die": "k3", "on": "ringo"}),
        ({"do": ["place k2,k3 ringo"], "hold": ["k1"]}, {"kind": "place", "die": "k2", "on": "ringo"}),
        ({"do": ["give k2,k3 1"], "hold": ["b1", "k3"]}, {"kind": "give", "die": "k3", "to": 1}),
        ({}, {"kind": ""}),
        ({"do": [""]}, {"kind": ""}),
        ({"do": ["nonsense of mine"]}, {"kind": "nonsense"}),
        ({"do": ["place"]}, {"kind": "place", "die": "", "on": ""}),
        ({"do": ["give r1 ²"]}, {"kind": "give", "die": "r1", "to": -1}),
        ({"do": ["give r1"]}, {"kind": "give", "die": "r1", "to": -1}),
        ({"do": ["turn 12345"]}, {"kind": "turn", "die": "", "face": -1}),
        ({"do": ["reroll"]}, {"kind": "reroll", "dice": []}),
        ({"do": ["reroll"], "hold": ["r1", "r1"]}, {"kind": "reroll", "dice": ["r1", "r1"]}),
        ({"do": ["crack"]}, {"kind": "crack", "dice": [""] * 4}),
        ({"do": ["rescue perhaps"]}, {"kind": "rescue", "accept": False}),
        ({"do": ["draw", "take_all pink"]}, {"kind": "take_all", "from": "pink"}),
    ],
)
def test_odd_forms_are_moves_that_are_refused_or_not(form: dict[str, list[str]], move: dict[str, Any]) -> None:
    assert BOARD.parse(form) == move


def test_every_option_and_choice_has_words() -> None:
    said = set()
    for option in codec.option_choices(Options):
        for choice in option["choices"]:
            label, words = BOARD.option_text(option["id"], choice)
            assert "{" not in label.key + words.key
            said.add((label.key, words.key))
    assert len(said) == sum(len(option["choices"]) for option in codec.option_choices(Options))
    assert plain(BOARD.option_text("other", 3)[0]) == "other"


def test_pitch_is_a_line_and_three_sentences() -> None:
    assert len(BOARD.pitch()) == 4


def test_dice_just_thrown_roll() -> None:
    thrown = position("r3 b3", "k2", rolled=("b1",))
    assert [die.rolling for die in tray(thrown).dice] == [False, True]
    assert [die.id for die in tray(thrown).thrown] == ["b1"]
    assert 'data-state="rolling"' in page(thrown, 1, fresh=True)
    assert 'data-state="rolling"' not in page(thrown, 1)


def test_colours_of_the_set_are_all_four() -> None:
    assert [one.colour for one in sheet(position("", "")).need] == list(COLOURS)
    assert Place("r1", "paul") in [action.move for action in GAME.actions(POSITIONS["a set"], 0)]
