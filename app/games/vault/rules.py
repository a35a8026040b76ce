"""The rules of Vault, alone and as Den of Thieves. The ids (V01 …) are those of the rules page, docs/games/vault.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import ClassVar

from app.core.game import Action, Detail, Game, GameInfo, Outcome, Pick, Rng, Roll, Seat, Value, Viewer
from app.core.text import Text
from app.games.vault import reasons, views, worlds
from app.games.vault.marks import all_marks, live_skimmers, tokens
from app.games.vault.sheets import SHEETS, pool, sheet_of_the_day
from app.games.vault.sheets.format import LETTERS, TIERS, PrintedSheet
from app.games.vault.state import (
    DICE,
    ROUNDS,
    Charge,
    Hand,
    Mark,
    Move,
    Options,
    Pass,
    Progress,
    Reroll,
    Skimmer,
    State,
    View,
)

TITLES: tuple[tuple[int, str], ...] = (
    (20, "pink_panther"),
    (18, "bank_robber"),
    (15, "cat_burglar"),
    (10, "shoplifter"),
    (0, "pickpocket"),
)
"""The titles, each with the points from which it is given (V30)."""


def title(score: int) -> str:
    """Return the title for a final score of 0 or more."""
    return next(name for least, name in TITLES if score >= least)


class Vault(Game[Options, State, Move, View]):
    """Vault for one, or Den of Thieves for 2 to 12, who play the same throws at the same time."""

    info: ClassVar[GameInfo] = GameInfo(
        slug="vault",
        title="Vault",
        rules=1,
        min_players=1,
        max_players=12,
        kind="ranked",
        # each round: five dice one by one, and a pass while a skimmer is live; in all three re-rolls and two skimmers more
        max_decisions=12 * (ROUNDS * 6 + 5),
        minutes=15,
        hidden=True,
        simultaneous=True,
    )
    options_type: ClassVar[type[Value]] = Options
    state_type: ClassVar[type[Value]] = State
    view_type: ClassVar[type[Value]] = View
    move_types: ClassVar[tuple[type[Value], ...]] = (Mark, Charge, Reroll, Pass)
    presets: ClassVar[tuple[Mapping[str, object], ...]] = (
        {},
        {
            "sheet": "random",
            "sum_rule": "no_mix",
            "skimmer_as_die": "numbers_only",
            "reroll_timing": "before_first",
            "auto_end": "ask",
            "tie": "more_gems",
        },
    )

    def resolve_options(self, options: Options, today: str) -> Options:
        """Return the options with the sheet of the day in place of "day"."""
        if options.sheet != "day":
            return options
        return replace(options, sheet=sheet_of_the_day(today))  # type: ignore[arg-type]  # a test compares the names

    def setup(self, options: Options, players: int) -> State:
        """Return empty copies of the sheet, if there is nothing to draw."""
        if options.sheet in SHEETS:
            return State(options, options.sheet, 0, (), (_first_hand(options.sheet),) * players)
        return State(options, None, 0, (), (Hand(),) * players)

    def to_act(self, state: State) -> frozenset[Seat]:
        """Return the seats that have not ended the round, unless something is in the air."""
        if state.over or self.chance(state) is not None:
            return frozenset()
        return frozenset(seat for seat, hand in enumerate(state.hands) if not hand.ended)

    def actions(self, state: State, seat: Seat) -> Sequence[Action[Move]]:
        """Return the marks box by box, then the charges, the re-roll and the pass."""
        if seat not in self.to_act(state):
            return ()
        return _actions(state.options, state.printed.id.lower(), state.hands[seat], state.values(seat))

    def play(self, state: State, seat: Seat, move: Move) -> State:
        """Return the state after the move; when the last seat has ended the round, the vault is secured (1.4)."""
        hand = state.hands[seat]
        match move:
            case Mark():
                hand = _marked(state, hand, move)
            case Charge():
                hand = _charged(hand, move, state.values(seat))
            case Reroll():
                hand = _thrown_again(hand, move)
            case Pass():
                hand = replace(hand, ended=True)
        hand = replace(hand, ended=hand.ended or _all_done(hand, state.options))
        after = state.with_hand(seat, hand)
        return _next_round(after) if all(each.ended for each in after.hands) else after

    def chance(self, state: State) -> Roll | None:
        """Return the draw of a sheet, the roll of a round, or the dice in the air that nobody has uncovered yet."""
        if state.sheet is None:
            return Roll((len(_drawn_from(state.options)),), "sheet")
        if state.over:
            return None
        if not state.stream:
            return Roll((6,) * 5, "roll")
        seat = _in_the_air(state)
        if seat is None:
            return None
        alone = len(state.hands) == 1
        return Roll((6,) * state.values(seat).count(None), "reroll", None if alone else frozenset({seat}))

    def settle(self, state: State, faces: tuple[int, ...]) -> State:
        """Return the state with the sheet drawn, the round rolled, or the new values lying there for whoever gets to them."""
        if state.sheet is None:
            name = _drawn_from(state.options)[faces[0] - 1]
            return replace(state, sheet=name, hands=(_first_hand(name),) * len(state.hands))
        if not state.stream:
            return replace(state, stream=tuple((face,) for face in faces))
        seat = _in_the_air(state)
        assert seat is not None
        new = iter(faces)
        stream = tuple(
            (*known, next(new)) if value is None else known
            for known, value in zip(state.stream, state.values(seat), strict=True)
        )
        return replace(state, stream=stream)

    def view(self, state: State, viewer: Viewer) -> View:
        """Return the table without the running rounds of others, and without values the viewer has not uncovered."""
        return views.view(state, viewer, everything=len(state.hands) == 1 or state.over)

    def reveal(self, state: State) -> View:
        """Return the whole table, running rounds too."""
        return views.view(state, None, everything=True)

    def outcome(self, state: State) -> Outcome | None:
        """Return gems and free skimmers of each seat; the highest sum wins, `tie` says what equal sums do (1.8)."""
        if not state.over:
            return None
        ends = [hand.progress for hand in state.hands]
        scores = tuple(end.score for end in ends)
        best = [seat for seat, score in enumerate(scores) if score == max(scores)]
        if state.options.tie == "more_gems":
            most = max(ends[seat].gems for seat in best)
            best = [seat for seat in best if ends[seat].gems == most]
        detail: Detail = {
            "titles": tuple(map(title, scores)),
            "gems": tuple(end.gems for end in ends),
            "skimmers": tuple(end.free_skimmers for end in ends),
        }
        return Outcome("solo" if len(ends) == 1 else "ranked", scores, tuple(best), detail)

    def witnesses(self, state: State, seat: Seat, move: Move) -> frozenset[Seat] | None:
        """Return the seat alone, except for the move that ends its round: that one is shown with what it leads to."""
        if len(state.hands) == 1:
            return None
        waited_for = replace(state, hands=(*state.hands, Hand()))  # with somebody more the round cannot end for all
        return None if self.play(waited_for, seat, move).hands[seat].ended else frozenset({seat})

    def final(self, before: State, seat: Seat, move: Move, after: State) -> bool:
        """Say whether the move showed something: values to the mover, or a round to the others."""
        return isinstance(move, Reroll) or after.secured > before.secured or after.hands[seat].ended

    def resample(self, state: State, viewer: Viewer, rng: Rng) -> State:
        """Return another world: other values behind those the viewer has uncovered, other running rounds of others."""
        return worlds.resample(self, state, viewer, rng)

    def explain(self, state: State, seat: Seat, move: Move) -> Text:
        """Say which rule the move breaks."""
        return reasons.explain(state, seat, move, asked=seat in self.to_act(state)) or super().explain(
            state, seat, move
        )


def _first_hand(name: str) -> Hand:
    progress = Progress(marked=SHEETS[name].filled)
    return Hand(progress, progress)


def _drawn_from(options: Options) -> tuple[str, ...]:
    tier = next((tier for tier in TIERS if tier == options.sheet), None)
    return pool("standard" if options.sheet == "day" else tier)


def _in_the_air(state: State) -> Seat | None:
    return next((seat for seat in range(len(state.hands)) if None in state.values(seat)), None)


# 64 hands hold the few thousand actions of the worst position within some ten megabytes
@lru_cache(maxsize=64)
def _actions(options: Options, sheet: str, hand: Hand, values: tuple[int | None, ...]) -> tuple[Action[Move], ...]:
    dice, skimmers = tokens(hand, values)
    found: list[Action[Move]] = [
        Action(mark) for mark in all_marks(SHEETS[sheet], hand.progress.marked, dice, skimmers, options)
    ]
    if dice:
        pick = Pick(tuple(name for name, _ in dice), 1, len(dice))
        for place, skimmer in enumerate(hand.progress.skimmers):
            if not skimmer.spent:
                found.append(Action(Charge(place, ()), "dice", pick))
        if hand.progress.rerolls_left and (options.reroll_timing == "any_time" or not hand.begun):
            found.append(Action(Reroll(()), "dice", pick))
    found.append(Action(Pass()))
    return tuple(found)


def _used(hand: Hand, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(die for die in DICE if die in hand.used or die in names)


def _marked(state: State, hand: Hand, move: Mark) -> Hand:
    printed, progress, names = state.printed, hand.progress, (*move.plus, *move.minus)
    marked = tuple(box for box in printed.kinds if box in progress.marked or box == move.box)
    skimmers = tuple(
        replace(skimmer, spent=True) if f"s{place}" in names else skimmer
        for place, skimmer in enumerate(progress.skimmers)
    )
    opened = _opened(printed, marked, move.box, state.secured)
    progress = replace(
        progress,
        marked=marked,
        skimmers=skimmers,
        opened=(*progress.opened, *(LETTERS[place] for place in opened)),
        gems=progress.gems + sum(printed.vaults[place].gems for place in opened),
    )
    return replace(hand, progress=progress, used=_used(hand, names))


def _opened(printed: PrintedSheet, marked: Sequence[str], box: str, secured: int) -> list[int]:
    """Return the places of the vaults that the last mark has opened: full lines through it, not yet secured (1.6)."""
    return [
        place
        for place in printed.lines[box]
        if place >= secured and all(each in marked for each in printed.vaults[place].boxes)
    ]


def _charged(hand: Hand, move: Charge, values: Sequence[int | None]) -> Hand:
    more = sum(values[DICE.index(die)] or 0 for die in move.dice)
    skimmers = list(hand.progress.skimmers)
    skimmers[move.skimmer] = Skimmer(skimmers[move.skimmer].charge + more)
    return replace(hand, progress=replace(hand.progress, skimmers=tuple(skimmers)), used=_used(hand, move.dice))


def _thrown_again(hand: Hand, move: Reroll) -> Hand:
    depths = tuple(depth + (die in move.dice) for die, depth in zip(DICE, hand.depths, strict=True))
    progress = replace(hand.progress, rerolls_left=hand.progress.rerolls_left - 1)
    return replace(hand, progress=progress, depths=depths, rolled=move.dice)


def _all_done(hand: Hand, options: Options) -> bool:
    """Say whether the round of a seat ends by itself: all dice are used, and no skimmer is waited for (V28)."""
    if len(hand.used) < len(DICE):
        return False
    return options.auto_end == "literal" or not live_skimmers(hand.progress.skimmers)


def _next_round(state: State) -> State:
    hands = tuple(Hand(hand.progress, hand.progress) for hand in state.hands)
    return State(state.options, state.sheet, state.secured + 1, (), hands)


GAME = Vault()
