"""Every option's other values; the numbers are those of the rules page."""

from __future__ import annotations

import pytest

from app import ROOT
from app.core import codec
from app.core.game import Outcome
from app.games.five_strolche.rules import GAME
from app.games.five_strolche.state import Draw, Effect, Give, Options, Pass, Place, Reroll, Rescue, Take
from tests.games.five_strolche.positions import Played, options, position


def test_options_are_those_of_the_contract() -> None:
    assert codec.option_choices(Options) == [
        {"id": "rotate", "default": "john", "choices": ["john", "john_and_ringo"]},
        {"id": "overflow", "default": "all_four", "choices": ["all_four", "old_three", "blocked"]},
        {"id": "fizzle", "default": "allowed", "choices": ["allowed", "forbidden"]},
        {"id": "take2", "default": "exactly", "choices": ["exactly", "up_to_two"]},
        {"id": "pass", "default": "only_if_stuck", "choices": ["only_if_stuck", "allowed"]},
        {"id": "turn_limit", "default": "off", "choices": ["off", 30, 25, 20]},
        {"id": "last_rescue", "default": "off", "choices": ["off", "on", "once"]},
        {"id": "rescue_opens", "default": "both", "choices": ["both", "one"]},
        {"id": "right_order", "default": "off", "choices": ["off", "on"]},
        {"id": "memory_aid", "default": "off", "choices": ["off", "on"]},
    ]


def test_presets_cover_every_choice_of_every_option() -> None:
    played = [codec.data(codec.load_options(GAME, dict(preset))) for preset in ({}, *GAME.presets)]
    for option in codec.option_choices(Options):
        assert {each[option["id"]] for each in played} == set(option["choices"]), option["id"]


def test_names_that_python_keeps_are_spelled_plainly_in_json() -> None:
    assert codec.data(options())["pass"] == "only_if_stuck"
    with pytest.raises(codec.Malformed, match="pass_"):
        codec.load_options(GAME, {"pass_": "allowed"})


class TestRotate:
    """(1): Ringo, too, may put the front card to the back, if the table says so."""

    both = options(rotate="john_and_ringo")
    stack = (3, 5, 1, 2, 4, 6)

    def test_player_chooses_what_ringo_does(self) -> None:
        game = Played(position("k1 k2", "", gate=1, stack=self.stack, options=self.both))
        game.move(Place(game.die("k1"), "ringo"))
        assert game.actions() == [{"kind": "effect", "effect": "open"}, {"kind": "effect", "effect": "rotate"}]
        game.move(Effect("rotate"))
        assert (game.state.lock, game.state.gate) == (5, 1)
        game.move(Place(game.die("k2"), "ringo"))
        game.move(Effect("open"))
        assert (game.state.lock, game.state.gate) == (5, 0)

    def test_open_gate_may_be_opened_in_vain_where_dice_may_fizzle(self) -> None:
        game = Played(position("k1", "", stack=self.stack, options=self.both))
        game.move(Place(game.die("k1"), "ringo"))
        assert [action["effect"] for action in game.actions()] == ["open", "rotate"]
        game.move(Effect("open"))
        assert (game.state.lock, game.state.gate) == (3, 0)

    def test_open_gate_leaves_only_the_card_where_dice_must_not_fizzle(self) -> None:
        strict = options(rotate="john_and_ringo", fizzle="forbidden")
        game = Played(position("k1", "", stack=self.stack, options=strict))
        game.move(Place(game.die("k1"), "ringo"))
        assert (game.state.asked, game.state.lock) == ("", 5)

    def test_single_card_leaves_only_the_gate(self) -> None:
        game = Played(position("k1", "", gate=1, stack=(3,), cracked=(1, 2, 4, 5, 6), options=self.both))
        game.move(Place(game.die("k1"), "ringo"))
        assert (game.state.asked, game.state.gate) == ("", 0)

    def test_john_only_rotates(self) -> None:
        game = Played(position("b1", "", gate=1, stack=self.stack, options=self.both))
        game.move(Place(game.die("b1"), "john"))
        assert (game.state.lock, game.state.gate) == (5, 1)


class TestOverflow:
    """(2): what a fourth die does."""

    def test_old_three_return_and_the_new_one_stays(self) -> None:
        game = Played(position("y2", "", boards={"rihanna": 3}, bag=0, options=options(overflow="old_three")))
        new = game.die("y2")
        _moved, _draw, _roll = game.move(Place(new, "rihanna"), 1, 1, 1, 2, 3, 4)
        assert game.state.tableaus.rihanna == (new,)
        assert game.hand() == ["y2", "y3", "y4"]

    def test_full_board_is_blocked(self) -> None:
        game = Played(position("y2", "", boards={"rihanna": 3}, options=options(overflow="blocked")))
        assert game.refusal(Place(game.die("y2"), "rihanna")) == "There is no room: three dice lie there."
        assert not [action for action in game.actions() if action["kind"] == "place"]

    def test_third_die_is_no_overflow(self) -> None:
        game = Played(position("k2", "", boards={"ringo": 2}))
        game.move(Place(game.die("k2"), "ringo"))
        assert game.laid()["ringo"] == 3

    def test_dice_of_a_swept_board_cannot_be_taken_by_it(self) -> None:
        nowhere = {"john": 3, "ringo": 0, "rihanna": 0, "pink": 0}
        game = Played(position("b5", "", boards=nowhere))
        game.move(Place(game.die("b5"), "john"))
        assert (game.state.asked, game.laid()["john"], game.state.actions_left) == ("", 0, 1)


class TestFizzle:
    """(8): whether a die may be laid in vain."""

    strict = options(fizzle="forbidden")

    @pytest.mark.parametrize(
        ("die", "board", "more", "why"),
        [
            ("b1", "john", {"stack": (3,), "cracked": (1, 2, 4, 5, 6)}, "There is only one lock left."),
            ("k1", "ringo", {}, "The gate is open already."),
            ("k4", "ringo", {"boards": {"john": 0, "rihanna": 0, "pink": 0}}, "No dice lie on the other boards."),
            ("b6", "john", {"boards": {"ringo": 0, "rihanna": 0, "pink": 0}}, "No dice lie on the other boards."),
            ("y4", "rihanna", {"boards": {"john": 0, "ringo": 0, "pink": 0}}, "No dice lie on the other boards."),
            ("y3", "rihanna", {"bag": 0}, "The bag is empty."),
            ("r3", "pink", {"bag": 0}, "The bag is empty."),
            ("r4", "pink", {}, "You have no other die to turn."),
        ],
    )
    def test_die_without_effect(self, die: str, board: str, more: dict[str, object], why: str) -> None:
        game = Played(position(die, "", options=self.strict, **more))  # type: ignore[arg-type]  # as the cases above
        assert game.refusal(Place(game.die(die), board)) == why
        free = Played(position(die, "", **more))  # type: ignore[arg-type]  # as above
        events = free.move(Place(free.die(die), board))
        assert len(events) == 1
        assert (free.state.asked, free.state.actions_left) == ("", 1)

    def test_effect_that_is_there_may_be_used(self) -> None:
        game = Played(position("k1 r4", "", gate=1, options=self.strict))
        game.move(Place(game.die("k1"), "ringo"))
        assert game.state.gate == 0

    def test_swept_board_fills_the_bag_it_draws_from(self) -> None:
        game = Played(position("y2", "", boards={"rihanna": 3}, bag=0, options=self.strict))
        game.move(Place(game.die("y2"), "rihanna"), 1, 1, 1, 2, 3, 4)
        assert len(game.hand()) == 3


class TestTake2:
    """(10): two dice exactly, or one or two."""

    def test_exactly_two(self) -> None:
        game = Played(position("k5", ""))
        game.move(Place(game.die("k5"), "ringo"))
        assert game.refusal(Take(("b0",))) == "Take two dice."
        assert game.refusal(Take(("b0", "y0", "r0"))) == "Take two dice."
        assert game.refusal(Take(("k0", "r0"))) == "Not from the board you have just used."
        assert game.refusal(Take(("r9", "r0"))) == "Take dice that lie on the boards."

    def test_up_to_two(self) -> None:
        game = Played(position("k5", "", options=options(take2="up_to_two")))
        game.move(Place(game.die("k5"), "ringo"))
        assert game.refusal(Take(())) == "Take one or two dice."
        game.move(Take(("b0",)), 4)
        assert game.hand() == ["b4"]

    def test_two_may_come_from_one_board(self) -> None:
        game = Played(position("b5", "", boards={"pink": 2}))
        game.move(Place(game.die("b5"), "john"))
        game.move(Take(("r0", "r1")), 2, 2)
        assert game.laid() == {"john": 2, "ringo": 1, "rihanna": 1, "pink": 0, "paul": 0}


class TestPass:
    """(14): passing is no action, unless the table says so."""

    def test_who_can_act_must(self) -> None:
        game = Played(position("r2", ""))
        assert "pass" not in game.kinds()
        assert game.refusal(Pass()) == "You may pass only when nothing else is possible."

    def test_passing_leaves_the_turn(self) -> None:
        game = Played(position("r2", "", options=options(**{"pass": "allowed"})))
        assert game.actions()[-1] == {"kind": "pass"}
        game.move(Pass())
        assert (game.state.seat, game.state.actions_left, game.state.turns) == (1, 2, 1)

    def test_who_gives_the_last_die_away_is_stuck(self) -> None:
        game = Played(position("r2", "", bag=0))
        game.move(Give(game.die("r2"), 1))
        assert game.actions() == [{"kind": "pass"}]


class TestTurnLimit:
    """(28): the game is lost when all turns are over."""

    @pytest.mark.parametrize(("limit", "turns"), [("off", 200), (30, 30), (25, 25), (20, 20)])
    def test_last_turn(self, limit: object, turns: int) -> None:
        agreed = options(turn_limit=limit, **{"pass": "allowed"})
        game = Played(position("r2", "", options=agreed, seat=1, turns=turns * 2 - 1))
        assert GAME.view(game.state, None).turns_left == (None if limit == "off" else 1)
        assert GAME.view(game.state, None).round == turns
        game.move(Pass())
        outcome = GAME.outcome(game.state)
        assert isinstance(outcome, Outcome)
        assert (outcome.winners, outcome.detail["ended"], outcome.detail["rounds"]) == ((), "turns", turns)
        assert GAME.view(game.state, None).turns_left == (None if limit == "off" else 0)

    def test_turn_before_the_last_goes_on(self) -> None:
        agreed = options(turn_limit=20, **{"pass": "allowed"})
        game = Played(position("r2", "", options=agreed, turns=38))
        game.move(Pass())
        assert (game.state.ended, game.state.seat) == ("", 1)


class TestRescue:
    """(25): the last rescue."""

    def shutting(self, **chosen: object) -> Played:
        game = Played(position("r2 b2", "k5", "y5 y4", gate=1, options=options(last_rescue="on", **chosen)))
        game.move(Reroll((game.die("r2"),)), 6)
        return game

    def test_others_say_their_wish_and_the_active_seat_decides(self) -> None:
        game = self.shutting()
        assert GAME.to_act(game.state) == {0, 1, 2}
        game.move(Rescue(accept=False), seat=2)
        assert GAME.view(game.state, 0).wishes == (None, None, False)
        assert GAME.to_act(game.state) == {0, 1}
        assert game.refusal(Rescue(accept=True), seat=2) == "It is not your turn."
        assert game.state.gate == 1
        game.move(Rescue(accept=True), seat=1)
        assert game.state.wishes == (None, True, False)
        assert GAME.to_act(game.state) == {0}
        game.move(Rescue(accept=True))
        assert game.state.hands == ((), (), ())
        assert (len(game.state.wishes), game.state.rescues) == (0, 1)

    def test_active_seat_need_not_wait(self) -> None:
        game = self.shutting()
        game.move(Rescue(accept=False))
        assert (game.state.ended, game.state.gate, len(game.state.hands[0])) == ("gate", 2, 2)

    def test_nothing_else_is_possible_meanwhile(self) -> None:
        game = self.shutting()
        for seat in range(3):
            assert game.kinds(seat) == {"rescue"}
        assert game.refusal(Draw()) == "First decide about the rescue."
        calm = Played(position("", ""))
        assert calm.refusal(Rescue(accept=True)) == "There is nothing to rescue now."

    def test_rescue_may_open_one_wing_only(self) -> None:
        game = self.shutting(rescue_opens="one")
        game.move(Rescue(accept=True))
        assert game.state.gate == 1

    def test_rescue_on_the_last_action_passes_the_turn_on(self) -> None:
        game = Played(position("r2", "", gate=1, actions_left=1, options=options(last_rescue="on")))
        game.move(Draw(), 1, 6)
        assert (game.state.seat, game.state.asked) == (0, "rescue")
        game.move(Rescue(accept=True))
        assert (game.state.seat, game.state.actions_left) == (1, 2)

    @pytest.mark.parametrize(("mode", "rescues", "saved"), [("on", 7, True), ("once", 0, True), ("once", 1, False)])
    def test_how_often(self, mode: str, rescues: int, saved: bool) -> None:  # noqa: FBT001  # a case of the table
        game = Played(position("r2", "", gate=1, rescues=rescues, options=options(last_rescue=mode)))
        game.move(Draw(), 1, 6)
        assert (game.state.asked == "rescue", game.state.ended == "gate") == (saved, not saved)

    def test_first_wing_needs_no_rescue(self) -> None:
        game = Played(position("r2", "", options=options(last_rescue="on")))
        game.move(Draw(), 1, 6)
        assert (game.state.asked, game.state.gate) == ("", 1)


class TestMemoryAid:
    """(27): cards that were seen."""

    def test_view_keeps_seen_cards_to_memory(self) -> None:
        state = position("", "", stack=(3, 0, 0, 2))
        assert GAME.view(state, 0).stack == ()

    def test_view_shows_seen_cards_where_agreed(self) -> None:
        state = position("", "", stack=(3, 0, 0, 2), options=options(memory_aid="on"))
        assert GAME.view(state, None).stack == (3, 0, 0, 2)


def test_every_option_and_choice_is_in_the_docs() -> None:
    text = (ROOT / "docs/games/five_strolche.md").read_text()
    for option in codec.option_choices(Options):
        assert f"`{option['id']}`: `{option['default']}`" in text
        for choice in option["choices"]:
            assert f"`{choice}`" in text
