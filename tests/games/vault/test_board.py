"""The board of Vault: what lights up, which move a form stands for, and what the log says to whom."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from app import ROOT
from app.core import codec, engine
from app.core.board import Line
from app.core.events import Event, visible
from app.core.game import Viewer
from app.core.text import Dice, Text
from app.games.vault.board import BOARD, Grid, SheetContext, TrayContext
from app.games.vault.offers import word
from app.games.vault.rules import GAME
from app.games.vault.state import Charge, Mark, Options, Pass, Reroll, Skimmer, State
from tests.support.vault import SPENT, Played, after_v01, charged, column, ended, position


def contexts(state: State, viewer: Viewer = 0) -> tuple[SheetContext, TrayContext]:
    actions = () if viewer is None else tuple(GAME.actions(state, viewer))
    frame = BOARD.frame(GAME.view(state, viewer), viewer, actions, fresh=False)
    return frame.sheet, frame.tray


def fits(state: State) -> dict[str, set[str]]:
    return {box.name: set(box.fits.split()) for box in contexts(state)[0].grids[0].boxes if box.fits}


def plain(text: Text) -> str:
    """A sentence in English, without a renderer."""
    parts: dict[str, Any] = {}
    for name, part in text.parts:
        parts[name] = (
            plain(part)
            if isinstance(part, Text)
            else ",".join(map(str, part.faces))
            if isinstance(part, Dice)
            else part
        )
    key = text.plural if text.plural is not None and text.amount != 1 else text.key
    return key.format(**parts)


# what lights up


def test_boxes_know_the_choices_that_cross_them() -> None:
    found = fits(position([6, 3, 5, 5, 2], used=["d4"]))
    assert "ab" in found["r2c4"]
    assert "ab" in found["r3c5"]
    assert {"ab", "b"} <= found["r1c6"]
    assert "cd" in found["r2c6"]
    assert found["r3c6"] == {"a"}
    assert not any("e" in choice for choices in found.values() for choice in choices)


def test_choices_are_exactly_those_of_the_legal_marks() -> None:
    state = position([6, 3, 3, 1], skimmers=charged(8))
    wanted: dict[str, set[str]] = {}
    for action in GAME.actions(state, 0):
        if isinstance(action.move, Mark):
            wanted.setdefault(action.move.box, set()).add(word((*action.move.plus, *action.move.minus)))
    assert fits(state) == wanted


def test_style_sheet_shows_what_belongs_to_the_choice() -> None:
    """The formula by which the rules at the end of the style sheet are written, one for each choice of tokens."""
    text = (ROOT / "static/games/vault.css").read_text(encoding="utf-8")
    rules = []
    for size in range(1, 9):
        for tokens in combinations("abcdefgh", size):
            chosen = "".join(f":has(#t-{token}:checked)" for token in tokens)
            rest = ",".join(f"#t-{token}" for token in "abcdefgh" if token not in tokens)
            others = f":not(:has(:is({rest}):checked))" if rest else ""
            rules.append(f'.play{chosen}{others} [data-fits~="{"".join(tokens)}"]{{display:revert}}')
    assert text.endswith("\n".join(rules) + "\n")


def test_sums_are_shown_as_they_are_reckoned() -> None:
    tray = contexts(position([6, 3, 5, 5]))[1]
    shown = {(each.word, each.text, each.total) for each in tray.sums}
    assert {("ab", "6 + 3", 9), ("ab", "6 − 3", 3)} <= shown
    assert not any(each.word == "cd" and each.total == 0 for each in tray.sums)
    assert len({(each.word, each.total) for each in tray.sums}) == len(tray.sums)
    many = contexts(position([1, 2, 3, 4, 5], skimmers=charged(6)))[1]
    assert max(len(each.word) for each in many.sums) == 2


def test_other_way_is_offered_where_a_skimmer_is_not_needed() -> None:
    tray = contexts(position([3, 1], skimmers=charged(6)))[1]
    offer = next(each for each in tray.others if each.word == "af" and each.box == "r1c6")
    assert (offer.text, offer.value) == ("6 − 3", "r1c6:3:all")
    form = {"hold": ["d0", "s0"], "value": ["d0:3", "s0:6"]}
    assert BOARD.parse({**form, "mark": ["r1c6:3"]}) == codec.data(Mark("r1c6", ("d0",), ()))
    assert BOARD.parse({**form, "mark": [offer.value]}) == codec.data(Mark("r1c6", ("s0",), ("d0",)))
    assert not any(each.word == "f" for each in tray.others)


# forms


@pytest.mark.parametrize(
    "state",
    [
        position([1, 3, 4, 5, 6]),
        position([2, 2, 3], skimmers=charged(8, 3)),
        position([6, 6], skimmers=(Skimmer(5), Skimmer(4, spent=True), Skimmer()), round=9),
    ],
)
def test_every_legal_move_has_a_form(state: State) -> None:
    """By its box and its tokens a move with the same effect; by the fields box, plus and minus the very move."""
    tray = contexts(state)[1]
    values = [f"{die.name}:{die.face}" for die in tray.dice] + [f"{one.name}:{one.charge}" for one in tray.columns]
    for action in GAME.actions(state, 0):
        if not isinstance(action.move, Mark):
            continue
        move = action.move
        kind = state.printed.kinds[move.box]
        held = [*move.plus, *move.minus]
        raw = BOARD.parse({"turn": ["7"], "mark": [f"{move.box}:{kind}:all"], "hold": held, "value": values})
        posted = engine.match(GAME, state, 0, codec.load_move(GAME, raw))
        assert GAME.play(state, 0, posted) == GAME.play(state, 0, move)
        full = BOARD.parse({"box": [move.box], "plus": list(move.plus), "minus": list(move.minus)})
        assert codec.load_move(GAME, full) == move
    assert BOARD.parse({"charge": ["2"], "hold": ["d1", "d0", "s0"]}) == codec.data(Charge(2, ("d0", "d1")))
    assert BOARD.parse({"do": ["reroll"], "hold": ["d4", "d1"]}) == codec.data(Reroll(("d1", "d4")))
    assert BOARD.parse({"do": ["pass"]}) == codec.data(Pass())


def test_few_tokens_count_down() -> None:
    raw = BOARD.parse({"mark": ["r4c6:2"], "hold": ["d0", "d1", "d2", "d3"], "value": ["d0:1", "d1:1", "d2:2", "d3:2"]})
    assert raw["minus"] == ["d3"]


def test_choice_that_does_not_fit_is_refused_in_words() -> None:
    game = Played(position([6, 3, 1]))
    raw = BOARD.parse({"mark": ["r1c4:8"], "hold": ["d0", "d1"], "value": ["d0:6", "d1:3"]})
    assert game.refusal(codec.load_move(GAME, raw)) == "6 + 3 is 9, not 8."
    assert (
        game.refusal(codec.load_move(GAME, BOARD.parse({"mark": ["r1c4:8"]}))) == "Choose at least one die or skimmer."
    )


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"do": []},
        {"mark": [""]},
        {"mark": ["::::"], "hold": ["d0"]},
        {"mark": ["r1c4:99999999999"], "hold": ["d0", "d1", "d9", ""], "value": ["d0:²", "d1:99999", "x:1", ":", "d2"]},
        {"charge": ["-1"]},
        {"charge": ["²"]},
        {"charge": ["9" * 5000]},
        {"box": ["r1c1"]},
    ],
    ids=str,
)
def test_no_form_makes_parse_raise(form: dict[str, list[str]]) -> None:
    raw = BOARD.parse(form)
    assert isinstance(raw["kind"], str)


# the sheet and the tray


def grid(state: State, viewer: Viewer = 0) -> Grid:
    (found,) = contexts(state, viewer)[0].grids
    return found


def test_vaults_stand_clockwise_around_the_sheet() -> None:
    sides = {vault.id: vault.side for vault in grid(position([1])).vaults}
    assert list(sides.values()) == ["t1", "t3", "t5", "r1", "r3", "r5", "b6", "b4", "b2", "l6", "l4", "l2"]


def test_vaults_show_opened_secured_and_next() -> None:
    game = after_v01()
    states = {vault.id: vault.state for vault in grid(game.state).vaults}
    assert (states["A"], states["B"]) == ("open", "")
    assert grid(game.state).ring == "A"
    game.move(Pass(), 1, 1, 1, 1, 1)
    game.move(Pass(), 1, 1, 1, 1, 1)
    states = {vault.id: vault.state for vault in grid(game.state).vaults}
    assert [states[letter] for letter in "ABCD"] == ["open", "shut", "next", ""]
    assert grid(game.state).ring == "C"


def test_boxes_show_filled_crossed_and_open() -> None:
    states = {box.name: box.state for box in grid(after_v01().state).boxes}
    assert (states["r1c1"], states["r3c1"], states["r1c2"]) == ("pre", "marked", "open")
    assert list(states)[:7] == ["r1c1", "r1c2", "r1c3", "r1c4", "r1c5", "r1c6", "r2c1"]


def test_tray_asks_before_usable_dice_are_lost() -> None:
    assert contexts(position([1, 2, 3]))[1].unused == 3
    nothing_fits = position([2, 2], skimmers=SPENT, rerolls=0, marked=[box for n in range(1, 7) for box in column(n)])
    assert contexts(nothing_fits)[1].unused == 0
    one = position(
        [2, 3], skimmers=SPENT, rerolls=0, marked=[b for n in range(1, 7) for b in column(n, without=["r4c6"])]
    )
    assert contexts(one)[1].unused == 1


def test_tray_shows_used_dice_and_the_three_skimmers() -> None:
    tray = contexts(position([1, 2, 3], skimmers=(Skimmer(8), Skimmer(4, spent=True), Skimmer())))[1]
    assert [(die.face, die.used) for die in tray.dice] == [(1, False), (2, False), (3, False), (6, True), (6, True)]
    assert [(one.usable, one.spent, one.chargeable) for one in tray.columns] == [
        (True, False, True),
        (False, True, False),
        (False, False, True),
    ]
    assert [die.letter for die in tray.dice] + [one.letter for one in tray.columns] == list("abcdefgh")


def test_player_sees_the_own_sheet_and_everybody_all_at_the_end() -> None:
    game = Played(None, 1, 1, 1, 1, 1, players=3)
    assert [each.seat for each in contexts(game.state, 1)[0].grids] == [1]
    assert [each.seat for each in contexts(game.state, None)[0].grids] == [0, 1, 2]
    over = State(Options(), "s-01", 12, (), game.state.hands)
    assert [each.seat for each in contexts(over, 1)[0].grids] == [0, 1, 2]


def test_result_tells_title_gems_and_skimmers_apart() -> None:
    state = ended((15, (Skimmer(), Skimmer(3), Skimmer(1, spent=True))), (1, SPENT))
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert [plain(text) for text in BOARD.summary(outcome, GAME.view(state, None))] == [
        "cat burglar: 15 gems, 2 free skimmers",
        "pickpocket: 1 gem, 0 free skimmers",
    ]


def test_status_says_who_is_waited_for() -> None:
    game = Played(None, 1, 1, 1, 1, 1, players=3)

    def status(viewer: Viewer) -> str:
        return plain(BOARD.frame(GAME.view(game.state, viewer), viewer, (), fresh=False).status)

    assert status(None) == "3 players are cracking"
    game.move(Pass(), seat=0)
    assert status(0) == "Waiting for 2 more players"
    notes = BOARD.frame(GAME.view(game.state, 1), 1, (), fresh=False).standings
    assert [plain(each.note) if each.note else "" for each in notes] == ["done", "thinking", "thinking"]


# the log


def told(game: Played, move: Any, *faces: int, seat: int = 0, viewer: Viewer = 0) -> list[str]:
    """What the log says to a viewer about a move and what follows it."""
    state = game.state
    lines = []
    for event in game.move(move, *faces, seat=seat):
        after = engine.advance(GAME, state, event)
        line = said(event, state, after, viewer)
        lines += [] if line is None else [f"{plain(line.text)} {line.number or ''}".strip()]
        state = after
    return lines


def said(event: Event, before: State, after: State, viewer: Viewer) -> Line | None:
    return BOARD.line(visible(event, viewer, over=False), GAME.view(before, viewer), GAME.view(after, viewer))


def test_log_of_a_round_alone() -> None:
    game = Played(None, 1, 3, 4, 5, 6)
    assert told(game, Mark("r3c1", ("d2",), ())) == ["crosses 4 with 4"]
    assert told(game, Mark("r4c1", ("d1",), ())) == ["crosses 3 with 3 and cracks A 3"]
    assert told(game, Reroll(("d0", "d4")), 2, 2) == ["re-rolls: 2,2"]
    assert told(game, Mark("r2c6", ("d0", "d4"), ())) == ["crosses X2 with 2, 2"]
    last = told(game, Charge(1, ("d3",)), 1, 2, 3, 4, 5)
    assert last == ["charges skimmer 2 with 5 5", "A is secured. Round 2: 1,2,3,4,5"]
    assert told(game, Charge(1, ("d0", "d1"))) == ["charges skimmer 2 with 1 + 2 8"]
    assert told(game, Mark("r6c2", ("d3",), ("d2",))) == ["crosses 1 with 4 − 3"]
    assert told(game, Pass(), 6, 6, 6, 6, 6) == ["ends the round", "B is secured. Round 3: 6,6,6,6,6"]


def test_log_of_two_vaults_with_one_box() -> None:
    both = [box for n in (1,) for box in column(n, without=["r4c1"])] + [f"r4c{n}" for n in range(2, 7)]
    assert told(Played(position([3, 1], marked=both)), Mark("r4c1", ("d0",), ())) == [
        "crosses 3 with 3 and cracks A and K 4"
    ]


def test_log_hides_a_running_round_and_sums_it_up_when_it_ends() -> None:
    game = Played(None, 1, 3, 4, 5, 6, players=3)
    assert told(game, Mark("r3c1", ("d2",), ()), seat=1, viewer=0) == []
    assert told(game, Reroll(("d4",)), 2, seat=1, viewer=2) == []
    assert told(game, Mark("r4c1", ("d1",), ()), seat=1, viewer=None) == []
    assert told(game, Pass(), seat=1, viewer=0) == ["ends the round: 2 boxes crossed, A cracked 3"]
    assert told(game, Reroll(("d4",)), seat=2, viewer=2) == ["re-rolls: 2"]
    for die in ("d0", "d1", "d2", "d3"):
        assert told(game, Charge(0, (die,)), seat=0, viewer=2) == []
    assert told(game, Charge(0, ("d4",)), seat=0, viewer=2) == ["ends the round: 0 boxes crossed"]
    assert told(game, Pass(), 1, 1, 1, 1, 1, seat=2, viewer=0)[0] == "ends the round: 0 boxes crossed"


def test_log_of_a_pass_without_anything_done() -> None:
    game = Played(None, 1, 3, 4, 5, 6, players=2)
    assert told(game, Pass(), seat=1, viewer=0) == ["ends the round"]


def test_log_says_which_sheet_is_drawn() -> None:
    state = GAME.setup(Options(sheet="hard"), 1)
    state_after, events = engine.begin(GAME, Options(sheet="hard"), 1, _Ones())
    line = said(events[0], state, GAME.settle(state, (1,)), None)
    assert line is not None
    assert plain(line.text) == "Sheet H-01 is drawn"
    assert state_after.sheet == "h-01"


class _Ones:
    def roll(self, sides: tuple[int, ...]) -> tuple[int, ...]:
        return (1,) * len(sides)


def test_offer_to_undo_says_what_was_done() -> None:
    game = Played(position([4, 3, 1], skimmers=charged(5)))
    done: list[tuple[Any, str]] = [
        (Mark("r3c1", ("d0",), ()), "4 crossed"),
        (Charge(0, ("d1",)), "Skimmer 1 charged: 8"),
    ]
    for move, words in done:
        (event,) = game.move(move)
        text = BOARD.done(event, GAME.view(game.state, 0))
        assert text is not None
        assert plain(text) == words
    event, *_ = game.move(Pass(), 1, 1, 1, 1, 1)
    assert BOARD.done(event, GAME.view(game.state, 0)) is None


def test_options_are_named_for_people() -> None:
    assert [plain(text) for text in BOARD.option_text("sheet", "s-07")] == ["Sheet", "S-07"]
    assert [plain(text) for text in BOARD.option_text("sheet", "day")] == ["Sheet", "the sheet of the day"]
    for option in codec.option_choices(Options):
        names = {plain(BOARD.option_text(option["id"], choice)[1]) for choice in option["choices"]}
        assert len(names) == len(option["choices"])
