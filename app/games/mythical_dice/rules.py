"""The rules of Mythical Dice. Source: the Mythical Dice text; what it leaves open is an option or a ruling with an id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, TypeVar

from app.core.game import Action, Game, GameInfo, Outcome, Rng, Roll, Seat, Value, Viewer
from app.core.text import Text, say
from app.games.mythical_dice import worlds
from app.games.mythical_dice.dice import BAG, COUNTS, KINDS, SPECIALS, allowed, draw, left_in_bag
from app.games.mythical_dice.options import Options
from app.games.mythical_dice.scoring import bonus, round_score
from app.games.mythical_dice.state import Bid, Move, Phase, RollDie, Round, State, Thrown, Trick, View, face_of, winner
from app.games.mythical_dice.words import FOLLOW, look, name

T = TypeVar("T")


class MythicalDice(Game[Options, State, Move, View]):
    """Mythical Dice for 3 to 6 players: draw in secret, bid at once, roll for tricks."""

    info: ClassVar[GameInfo] = GameInfo(
        slug="mythical-dice",
        title="Mythical Dice",
        rules=1,
        min_players=3,
        max_players=6,
        kind="ranked",
        max_decisions=4 * (8 + 36),  # four players have the most: 8 rounds with 1…8 dice each
        minutes=30,
        hidden=True,
        simultaneous=True,
    )
    options_type: ClassVar[type[Value]] = Options
    state_type: ClassVar[type[Value]] = State
    view_type: ClassVar[type[Value]] = View
    move_types: ClassVar[tuple[type[Value], ...]] = (Bid, RollDie)
    presets: ClassVar[tuple[Mapping[str, object], ...]] = (
        {},
        {"colour_setter": "leader_only", "three_kinds": "sequential", "all_flags": "last", "lead": "winner"},
        {"flag_clause": "B", "griffin_bonus": "flat", "skin": "pirate"},
        {"scoring": "simplified"},
    )

    def setup(self, options: Options, players: int) -> State:
        """Return a table with all dice in the bag and nobody named to lead."""
        return State(options, ((),) * players, (None,) * players)

    def to_act(self, state: State) -> frozenset[Seat]:
        """Return all who have not bid yet, or the seat that is to roll."""
        if state.phase == "bidding":
            return frozenset(seat for seat, bid in enumerate(state.bids) if bid is None)
        if state.seat is None or state.rolling is not None:
            return frozenset()
        return frozenset({state.seat})

    def actions(self, state: State, seat: Seat) -> Sequence[Action[Move]]:
        """Return the bids 0…round, or the kinds in the hand that may be rolled, in canonical order."""
        if seat not in self.to_act(state):
            return ()
        if state.phase == "bidding":
            return [Action(Bid(tricks)) for tricks in range(state.round + 1)]
        return [Action(RollDie(die)) for die in allowed(state.hands[seat], state.colour)]

    def play(self, state: State, seat: Seat, move: Move) -> State:
        """Return the state with the bid made, the last one opening them all, or with the die in the air."""
        if isinstance(move, Bid):
            return replace(state, bids=_put(state.bids, seat, move.tricks))
        left = list(state.hands[seat])
        left.remove(move.die)
        return replace(state, hands=_put(state.hands, seat, tuple(left)), rolling=move.die)

    def chance(self, state: State) -> Roll | None:
        """Return the lot for who begins, the next hand to be drawn, or the die in the air.

        A draw is blind: its faces count in what the others have left, so they would tell the drawer about it.
        """
        if state.phase == "drawing":
            if state.start is None:
                return Roll((state.players,), "first")
            left = len(BAG) - state.drawn * state.round
            sides = tuple(range(left, left - state.round, -1))
            return Roll(sides, "draw", frozenset({state.drawn}), blind=True)
        return None if state.rolling is None else Roll((6,), "roll")

    def settle(self, state: State, faces: tuple[int, ...]) -> State:
        """Return the state with the first leader named, a hand drawn, or the die on the table."""
        if state.start is None:
            return replace(state, start=faces[0] - 1, lead=faces[0] - 1)
        if state.phase == "drawing":
            hand = draw(left_in_bag(state.hands), faces)
            return replace(state, hands=_put(state.hands, state.drawn, hand), drawn=state.drawn + 1)
        assert state.rolling is not None
        assert state.seat is not None
        trick = (*state.trick, Thrown(state.seat, state.rolling, face_of(state.rolling, faces[0])))
        state = replace(state, rolling=None, trick=trick)
        return _finish_trick(state) if len(trick) == state.players else state

    def view(self, state: State, viewer: Viewer) -> View:
        """Return the table, the viewer's own dice, and its own bid until all are open."""
        opened = state.phase in ("playing", "over")
        bids = tuple(bid if opened or seat == viewer else None for seat, bid in enumerate(state.bids))
        return _view(state, () if viewer is None else state.hands[viewer], bids, None)

    def reveal(self, state: State) -> View:
        """Return the table with everybody's dice and bids, for the replay."""
        return _view(state, (), state.bids, state.hands)

    def witnesses(self, state: State, seat: Seat, move: Move) -> frozenset[Seat] | None:
        """Return the bidder alone for a bid, unless it is the last one, which opens them all; else everybody."""
        return frozenset({seat}) if isinstance(move, Bid) and state.bids.count(None) > 1 else None

    def final(self, before: State, seat: Seat, move: Move, after: State) -> bool:  # noqa: ARG002  # every bid stands
        """A bid stands once it is given."""
        return isinstance(move, Bid)

    def resample(self, state: State, viewer: Viewer, rng: Rng) -> State:
        """Return the state with other hands and unopened bids, all that fit what the viewer knows equally likely."""
        others = [seat for seat in range(state.players) if seat != viewer]
        unseen = Counter(COUNTS)
        unseen.subtract(state.rolled())
        unseen.subtract(() if viewer is None else state.hands[viewer])
        voids = state.voids()
        hands, bids = list(state.hands), list(state.bids)
        dealt = worlds.deal(unseen, [len(hands[seat]) for seat in others], [voids[seat] for seat in others], rng)
        for seat, hand in zip(others, dealt, strict=True):
            hands[seat] = hand
            if state.phase == "bidding" and bids[seat] is not None:
                bids[seat] = rng.randrange(state.round + 1)
        return replace(state, hands=tuple(hands), bids=tuple(bids))

    def outcome(self, state: State) -> Outcome | None:
        """Return the totals; the highest wins, and all who reach it share the win.

        `detail`: how many bids each seat met, and its bonus points.
        """
        if state.phase != "over":
            return None
        totals = _totals(state.past, state.players)
        winners = tuple(seat for seat, total in enumerate(totals) if total == max(totals))
        seats = range(state.players)
        return Outcome(
            "ranked",
            totals,
            winners,
            {
                "bids_met": tuple(
                    sum(past.bids[seat] == past.tricks_won[seat] for past in state.past) for seat in seats
                ),
                "bonuses": tuple(sum(past.bonuses[seat] for past in state.past) for seat in seats),
            },
        )

    def explain(self, state: State, seat: Seat, move: Move) -> Text:
        """Say which rule the move breaks, from what lies open and the asker's own dice."""
        if state.phase == "over":
            return say("The game is over.")
        if isinstance(move, Bid):
            return _explain_bid(state, seat, move)
        if isinstance(move, RollDie):
            return _explain_roll(state, seat, move)
        return super().explain(state, seat, move)


def _put(values: tuple[T, ...], seat: Seat, value: T) -> tuple[T, ...]:
    return (*values[:seat], value, *values[seat + 1 :])


def _finish_trick(state: State) -> State:
    """Return the state after the last die of a trick: its winner leads, or the round is scored."""
    tricks = (*state.tricks, state.trick)
    lead = winner(state.trick, state.options)
    state = replace(state, trick=(), tricks=tricks, last=state.trick, lead=lead)
    return state if any(state.hands) else _finish_round(state)


def _finish_round(state: State) -> State:
    """Return the state with the round scored and, unless it was the last, all dice back in the bag."""
    past = (*state.past, _scored(state))
    if len(past) == state.rounds:
        return replace(state, past=past)
    assert state.start is not None
    lead = state.lead if state.options.lead == "winner" else (state.start + len(past)) % state.players
    empty: tuple[tuple[str, ...], ...] = ((),) * state.players
    return State(state.options, empty, (None,) * state.players, state.start, lead=lead, last=state.last, past=past)


def _scored(state: State) -> Round:
    bids = tuple(bid or 0 for bid in state.bids)
    won = [state.won(seat) for seat in range(state.players)]
    captures = [[[thrown.face for thrown in trick] for trick in tricks] for tricks in won]
    return Round(
        bids=bids,
        tricks_won=tuple(map(len, won)),
        bonuses=tuple(
            bonus(faces, state.options) if bid == len(faces) else 0 for bid, faces in zip(bids, captures, strict=True)
        ),
        points=tuple(
            round_score(bid, len(faces), state.round, faces, state.options)
            for bid, faces in zip(bids, captures, strict=True)
        ),
    )


def _totals(past: Sequence[Round], players: int) -> tuple[int, ...]:
    return tuple(sum(each.points[seat] for each in past) for seat in range(players))


def _view(
    state: State, hand: tuple[str, ...], bids: tuple[int | None, ...], hands: tuple[tuple[str, ...], ...] | None
) -> View:
    won = [state.won(seat) for seat in range(state.players)]
    phase: Phase = state.phase
    captured: tuple[Trick, ...] = tuple(tuple(thrown for trick in tricks for thrown in trick) for tricks in won)
    return View(
        round=state.round,
        rounds=state.rounds,
        phase=phase,
        seat=state.seat,
        hand=hand,
        hand_sizes=tuple(map(len, state.hands)),
        hands=hands,
        bids=bids,
        has_bid=tuple(bid is not None for bid in state.bids),
        lead=None if state.start is None or phase == "over" else state.lead,
        trick=state.trick,
        rolling=state.rolling,
        colour=state.colour,
        ahead=winner(state.trick, state.options) if state.trick else None,
        last_trick=state.last,
        taken_by=winner(state.last, state.options) if state.last else None,
        tricks_won=tuple(map(len, won)),
        captured=captured,
        scores=tuple(past.points for past in state.past),
        past=state.past,
        totals=_totals(state.past, state.players),
        skin=state.options.skin,
    )


def _explain_bid(state: State, seat: Seat, move: Bid) -> Text:
    if state.phase == "playing":
        return say("The bids are made.")
    if state.bids[seat] is not None:
        return say("You have bid {n}, and a bid stands.", n=state.bids[seat] or 0)
    if not 0 <= move.tricks <= state.round:
        return say("Bid 0 to {n} in this round.", n=state.round)
    return say("That is not possible now.")


def _explain_roll(state: State, seat: Seat, move: RollDie) -> Text:
    if state.phase != "playing":
        return say("Nobody rolls before all have bid.")
    if seat != state.seat or state.rolling is not None:
        return say("It is not your turn.")
    if move.die not in KINDS:
        return say("There is no such die.")
    if move.die not in state.hands[seat]:
        return say("You have no such die: {die}.", die=name(move.die, state.options.skin))
    colour = state.colour
    if colour is not None and move.die not in (colour, *SPECIALS):
        return FOLLOW[look(colour, state.options.skin)]
    return say("That is not possible now.")


GAME = MythicalDice()
