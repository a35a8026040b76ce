"""The rules of Yacht. Source: the Yacht text; what it leaves open is ruled by an option or as the comments say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, TypeAlias

from app.core.game import Action, Game, GameInfo, Outcome, Pick, Roll, Seat, Value, Viewer
from app.core.text import Text, say
from app.games.yacht.scoring import CATEGORIES, score

ROUNDS = 12
"""Turns of each player: one per row."""

ROLLS = 3
"""Rolls of a turn, the first included."""

POSITIONS = (0, 1, 2, 3, 4)
"""The five dice, by place; a die keeps its place through a turn."""


@dataclass(frozen=True, slots=True)
class Options(Value):
    """`variant`: how four of a kind counts, see `score`. `first_player`: who begins, a random seat or seat 0."""

    variant: Literal["classic", "exercism"] = "classic"
    first_player: Literal["random", "host"] = "random"


@dataclass(frozen=True, slots=True)
class Sheet(Value):
    """One player's rows: the points written there, None while a row is free."""

    ones: int | None = None
    twos: int | None = None
    threes: int | None = None
    fours: int | None = None
    fives: int | None = None
    sixes: int | None = None
    choice: int | None = None
    full_house: int | None = None
    four_of_a_kind: int | None = None
    little_straight: int | None = None
    big_straight: int | None = None
    yacht: int | None = None

    def get(self, category: str) -> int | None:
        """Return the points in a row, None while it is free. `category` is one of CATEGORIES."""
        points: int | None = getattr(self, category)
        return points

    def free(self) -> tuple[str, ...]:
        """Return the rows not yet written, in the order of CATEGORIES."""
        return tuple(category for category in CATEGORIES if self.get(category) is None)

    def write(self, category: str, points: int) -> Sheet:
        """Return this sheet with `points` in a row. `category` is one of CATEGORIES."""
        change: dict[str, Any] = {category: points}
        return replace(self, **change)

    def total(self) -> int:
        """Return the sum of what is written; the Yacht text knows no bonus."""
        return sum(self.get(row.name) or 0 for row in fields(self))


@dataclass(frozen=True, slots=True)
class RollDice(Value):
    """Roll the dice at these positions (0…4, ascending); the first roll of a turn takes all five."""

    dice: tuple[int, ...]
    kind: Literal["roll"] = "roll"


@dataclass(frozen=True, slots=True)
class Score(Value):
    """Write the dice as they lie into a free row of one's own sheet, which ends the turn."""

    category: str
    kind: Literal["score"] = "score"


Move: TypeAlias = RollDice | Score


@dataclass(frozen=True, slots=True)
class State(Value):
    """A game of Yacht; all of it is public.

    `first`: who begins, None until chance has said so. `turns`: how many are over, 0…12 times the players.
    `dice`: None before the first roll of a turn. `pending`: positions in the air, ascending, () if none.
    `rolled`: positions thrown by the last roll of this turn.
    """

    options: Options
    sheets: tuple[Sheet, ...]
    first: Seat | None
    turns: int = 0
    rolls_used: int = 0
    dice: tuple[int, ...] | None = None
    pending: tuple[int, ...] = ()
    rolled: tuple[int, ...] = ()

    @property
    def over(self) -> bool:
        """Whether every row of every sheet is written."""
        return self.turns == ROUNDS * len(self.sheets)

    @property
    def seat(self) -> Seat | None:
        """Whose turn it is, after the end whose turn was the last; None until the first player is known."""
        last = ROUNDS * len(self.sheets) - 1
        return None if self.first is None else (self.first + min(self.turns, last)) % len(self.sheets)


@dataclass(frozen=True, slots=True)
class View(Value):
    """What everybody sees of a game of Yacht.

    `round`: 1…12. `seat`: whose turn it is; None only until chance has named the first player. `rolls_used`: 0…3 in
    this turn. `dice`: five faces, None before the first roll of a turn. `sheets`, `totals`: one per seat. `rolled`:
    positions thrown by the last roll of this turn, ascending, () if none. `variant`: as the table chose. When the game is over it stands at the last
    turn: round 12, the seat that scored last, no dice.
    """

    round: int
    seat: Seat | None
    rolls_used: int
    dice: tuple[int, ...] | None
    sheets: tuple[Sheet, ...]
    totals: tuple[int, ...]
    rolled: tuple[int, ...]
    variant: Literal["classic", "exercism"]


class Yacht(Game[Options, State, Move, View]):
    """Yacht for 1 to 10 players, who take turns in seat order."""

    info: ClassVar[GameInfo] = GameInfo(
        slug="yacht",
        title="Yacht",
        rules=1,
        min_players=1,
        max_players=10,
        kind="ranked",
        max_decisions=10 * ROUNDS * (ROLLS + 1),
        minutes=20,
    )
    options_type: ClassVar[type[Value]] = Options
    state_type: ClassVar[type[Value]] = State
    view_type: ClassVar[type[Value]] = View
    move_types: ClassVar[tuple[type[Value], ...]] = (RollDice, Score)
    presets: ClassVar[tuple[Mapping[str, object], ...]] = ({}, {"variant": "exercism", "first_player": "host"})

    def setup(self, options: Options, players: int) -> State:
        """Return empty sheets; the first player is known only where there is nothing to draw."""
        known = options.first_player == "host" or players == 1
        return State(options, (Sheet(),) * players, 0 if known else None)

    def to_act(self, state: State) -> frozenset[Seat]:
        """Return the seat whose turn it is, unless dice are in the air."""
        if state.seat is None or state.pending or state.over:
            return frozenset()
        return frozenset({state.seat})

    def actions(self, state: State, seat: Seat) -> Sequence[Action[Move]]:
        """Return the roll, if one is left, then the free rows in the order of CATEGORIES, once dice lie there."""
        if seat not in self.to_act(state):
            return ()
        if state.dice is None:
            return (Action(RollDice(POSITIONS)),)
        rows: list[Action[Move]] = [Action(Score(category)) for category in state.sheets[seat].free()]
        if state.rolls_used == ROLLS:  # Y20: after the third roll scoring is forced
            return rows
        return [Action(RollDice(()), "dice", Pick(POSITIONS, 1, 5)), *rows]  # Y22: at least one die, all five too

    def play(self, state: State, seat: Seat, move: Move) -> State:
        """Return the state with the chosen dice in the air, or with the row written and the next turn begun."""
        if isinstance(move, RollDice):
            return replace(state, pending=move.dice)
        assert state.dice is not None
        points = score(move.category, state.dice, state.options.variant)
        written = state.sheets[seat].write(move.category, points)
        sheets = (*state.sheets[:seat], written, *state.sheets[seat + 1 :])
        return State(state.options, sheets, state.first, state.turns + 1)

    def chance(self, state: State) -> Roll | None:
        """Return the draw of the first player, or one die per position in the air, in ascending order."""
        if state.first is None:
            return Roll((len(state.sheets),), "first")
        return Roll((6,) * len(state.pending), "roll") if state.pending else None

    def settle(self, state: State, faces: tuple[int, ...]) -> State:
        """Return the state with the first player named, or with the rolled dice on the table."""
        if state.first is None:
            return replace(state, first=faces[0] - 1)
        new = dict(zip(state.pending, faces, strict=True))
        old = state.dice or faces
        dice = tuple(new.get(position, old[position]) for position in POSITIONS)
        return replace(state, dice=dice, rolls_used=state.rolls_used + 1, pending=(), rolled=state.pending)

    def view(self, state: State, viewer: Viewer) -> View:  # noqa: ARG002  # nothing is hidden in Yacht
        """Return the table as it lies there, the same for everybody."""
        return View(
            round=min(state.turns // len(state.sheets) + 1, ROUNDS),
            seat=state.seat,
            rolls_used=state.rolls_used,
            dice=state.dice,
            sheets=state.sheets,
            totals=tuple(sheet.total() for sheet in state.sheets),
            rolled=state.rolled,
            variant=state.options.variant,
        )

    def outcome(self, state: State) -> Outcome | None:
        """Return the totals; the highest wins, and all who reach it share the win (Y25)."""
        if not state.over:
            return None
        totals = tuple(sheet.total() for sheet in state.sheets)
        winners = tuple(seat for seat, total in enumerate(totals) if total == max(totals))
        return Outcome("ranked", totals, winners)

    def explain(self, state: State, seat: Seat, move: Move) -> Text:
        """Say which rule the move breaks."""
        if state.over:
            return say("The game is over.")
        if seat not in self.to_act(state):
            return say("It is not your turn.")
        if isinstance(move, RollDice):
            return _explain_roll(state, move)
        if isinstance(move, Score):
            return _explain_score(state, seat, move)
        return super().explain(state, seat, move)


def _explain_roll(state: State, move: RollDice) -> Text:
    if state.rolls_used == ROLLS:
        return say("You have used all three rolls. Choose a row.")
    if state.dice is None:
        return say("The first roll takes all five dice.")
    if not move.dice:
        return say("Choose at least one die to roll.")
    return say("There are five dice, and each is rolled once.")


def _explain_score(state: State, seat: Seat, move: Score) -> Text:
    if move.category not in CATEGORIES:
        return say("There is no such row.")
    if state.dice is None:
        return say("Roll first.")
    if state.sheets[seat].get(move.category) is not None:
        return say("That row is already filled. Choose another.")
    return say("That is not possible now.")


GAME = Yacht()
