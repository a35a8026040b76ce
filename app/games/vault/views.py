"""What a viewer sees of a game of Vault: the only redaction of its state."""

from __future__ import annotations

from app.core.game import Seat, Viewer
from app.games.vault.state import DICE, ROUNDS, DieView, Hand, SeatView, State, VaultView, View

_AS_ROLLED = (0, 0, 0, 0, 0)


def view(state: State, viewer: Viewer, *, everything: bool) -> View:
    """Return the view of `viewer` (None: a spectator), or, with `everything`, all there is."""
    sheet = state.sheet
    printed = None if sheet is None else state.printed
    return View(
        round=min(state.secured + 1, ROUNDS),
        sheet=sheet,
        cells=() if printed is None else printed.cells,
        vaults=()
        if printed is None
        else tuple(
            VaultView(vault.id, vault.line, vault.gems, vault.boxes, place < state.secured)
            for place, vault in enumerate(printed.vaults)
        ),
        seats=tuple(_seat(state, seat, viewer, everything=everything) for seat in range(len(state.hands))),
        over=state.over,
    )


def known_depths(state: State, viewer: Viewer) -> tuple[int, ...]:
    """Return for each die how many throws beyond the roll the viewer has uncovered; a spectator none."""
    return _AS_ROLLED if viewer is None else state.hands[viewer].depths


def _seat(state: State, seat: Seat, viewer: Viewer, *, everything: bool) -> SeatView:
    hand = state.hands[seat]
    if not (everything or seat == viewer or hand.ended):
        hand = Hand(hand.before, hand.before)  # a running round of somebody else: how it began
    progress = hand.progress
    return SeatView(
        marked=progress.marked,
        dice=_dice(state, hand, None if everything or seat == viewer else known_depths(state, viewer)),
        skimmers=progress.skimmers,
        rerolls_left=progress.rerolls_left,
        opened=progress.opened,
        gems=progress.gems,
        score=progress.score,
        rolled=tuple(DICE.index(die) for die in hand.rolled),
        ended=hand.ended,
    )


def _dice(state: State, hand: Hand, known: tuple[int, ...] | None) -> tuple[DieView, ...]:
    """Return the dice of a hand, values beyond the `known` depths withheld (None: nothing is)."""
    dice = []
    for place, values in enumerate(state.stream):
        depth = hand.depths[place]
        seen = depth < len(values) and (known is None or depth <= known[place])
        dice.append(DieView(values[depth] if seen else None, DICE[place] in hand.used))
    return tuple(dice)
