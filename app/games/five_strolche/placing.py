"""What a die does on a board, and why it may not be laid there. Numbers in brackets are those of the rules page."""

from __future__ import annotations

from app.core.game import Seat
from app.core.text import Text, say
from app.games.five_strolche.material import BOARDS, COLOURS, HOME, ROOM, WINGS, colour
from app.games.five_strolche.state import Position

EFFECTS: dict[str, tuple[str, str]] = {
    "john": ("rotate", "take"),
    "ringo": ("open", "take"),
    "rihanna": ("draw", "take_all"),
    "pink": ("draw", "turn"),
    "paul": ("crack", "crack"),
}
"""What a board does with 1–3 and with 4–6."""

COLOUR_WORDS: dict[str, Text] = {
    "red": say("red"),
    "blue": say("blue"),
    "black": say("black"),
    "yellow": say("yellow"),
}

_WRONG_COLOUR: dict[str, Text] = {
    "john": say("Only blue dice go on John."),
    "ringo": say("Only black dice go on Ringo."),
    "rihanna": say("Only yellow dice go on Rihanna."),
    "pink": say("Only red dice go on Pink."),
    "paul": say("Only red dice go on Paul."),
}


def effect(board: str, face: int) -> str:
    """Return what a die showing `face` does on `board`: one of the names in EFFECTS."""
    return EFFECTS[board][face > 3]


def listed(words: list[Text]) -> Text:
    """Return words as a list in a sentence; at least one."""
    text = words[0]
    for word in words[1:]:
        text = say("{words}, {word}", words=text, word=word)
    return text


def obstacle(at: Position, seat: Seat, die: str, board: str) -> Text | None:
    """Return why `seat` may not lay `die` on `board`, or None if it may. Whose turn it is is not asked here."""
    if board not in BOARDS or die not in at.hands[seat]:
        return say("That die is not yours.") if board in BOARDS else say("There is no such board.")
    if colour(die) != HOME[board]:  # S11
        return _WRONG_COLOUR[board]
    if board == "paul":
        return _paul_obstacle(at, seat, die)
    if at.options.overflow == "blocked" and len(at.tableaus.on(board)) == ROOM[board]:  # (2)
        return say("There is no room: three dice lie there.")
    if at.options.fizzle == "forbidden":  # (8)
        return idle(at, seat, die, board)
    return None


def _paul_obstacle(at: Position, seat: Seat, die: str) -> Text | None:
    """Say why no lock can be cracked with this red die (S12–S16, S26; 4, 5, 6, 7)."""
    following = len(at.cracked) + 1
    rules = (
        (at.dice[die] in {1, 6}, say("Paul takes only a 1 or a 6.")),
        (len(at.tableaus.paul) < ROOM["paul"], say("Two dice lie on Paul. Take one away first.")),
        (at.gate == 0, say("First the gate must be fully open.")),
        (at.options.right_order == "off" or at.lock == following, say("Lock {n} has to come first.", n=following)),
    )
    return next((why for kept, why in rules if not kept), None) or _unpaid(at, seat, die)


def _unpaid(at: Position, seat: Seat, die: str) -> Text | None:
    missing = [COLOUR_WORDS[name] for name, dice in payment(at, seat, die).items() if not dice]
    if not missing:
        return None
    return say(
        "You need a {n} in each colour beside this die. Missing: {colours}", n=at.lock or 0, colours=listed(missing)
    )


def payment(at: Position, seat: Seat, die: str = "") -> dict[str, tuple[str, ...]]:
    """Return by colour the dice of `seat` that show the lock's number, the Paul die `die` left out (7)."""
    fitting = [one for one in at.hands[seat] if one != die and at.dice[one] == at.lock]
    return {name: tuple(one for one in fitting if colour(one) == name) for name in COLOURS}


def idle(at: Position, seat: Seat, die: str, board: str) -> Text | None:
    """Say why laying `die` on `board` would have no effect now; None if it has one (8)."""
    match effect(board, at.dice[die]):
        case "rotate" if at.locks_left == 1:
            return say("There is only one lock left.")
        case "open" if not can_open(at) and not can_rotate_at_ringo(at):
            return say("The gate is open already.")
        case "take" | "take_all" if not at.tableaus.beside(board):
            return say("No dice lie on the other boards.")
        case "draw" if not drawn(at, board):
            return say("The bag is empty.")
        case "turn" if len(at.hands[seat]) == 1:
            return say("You have no other die to turn.")
        case _:
            return None


def can_open(at: Position) -> bool:
    """Say whether Ringo has a wing to open (9)."""
    return 0 < at.gate < WINGS


def can_rotate_at_ringo(at: Position) -> bool:
    """Say whether Ringo, too, may put the front card to the back (1)."""
    return at.options.rotate == "john_and_ringo" and at.locks_left > 1


def swept(at: Position, board: str) -> int:
    """Return how many dice go back into the bag when a die is laid on `board` (2; S17)."""
    there = len(at.tableaus.on(board))
    if board == "paul" or there < ROOM[board]:
        return 0
    return there + (at.options.overflow == "all_four")


def drawn(at: Position, board: str) -> int:
    """Return how many dice "draw 3" on `board` will draw: what the bag has, a sweep before it counted (2, 12; S22)."""
    return min(3, at.in_bag + swept(at, board))
