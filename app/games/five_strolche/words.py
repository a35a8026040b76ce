"""The words of 5 Strolche II that several parts of the board use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.core.text import Dice, Text, say
from app.games.five_strolche.material import COLOURS, colour
from app.games.five_strolche.placing import COLOUR_WORDS, listed

TITLES: dict[str, str] = {"john": "John", "ringo": "Ringo", "rihanna": "Rihanna", "pink": "Pink", "paul": "Paul"}
"""The rogues; names, the same in every language."""

NUMBERS: dict[int, Text] = {
    1: say("ones"),
    2: say("twos"),
    3: say("threes"),
    4: say("fours"),
    5: say("fives"),
    6: say("sixes"),
}

EFFECT_LABELS: dict[str, Text] = {
    "rotate": say("Swap lock"),
    "open": say("Open gate"),
    "take": say("Take 2 dice"),
    "take_all": say("Take a board"),
    "draw": say("Draw 3"),
    "turn": say("Turn 1"),
    "crack": say("Crack lock"),
}
"""What a board does, as it stands on the board."""

EFFECT_ACTS: dict[str, Text] = {
    "rotate": say("swap the lock"),
    "open": say("open the gate"),
    "take": say("take 2 dice"),
    "take_all": say("take a board"),
    "draw": say("draw 3 dice"),
    "turn": say("turn a die"),
    "crack": say("crack the lock"),
}
"""The same as it stands on a button, behind the rogue's name."""

ICONS: dict[str, str] = {
    "rotate": "cards",
    "open": "door",
    "take": "take2",
    "take_all": "takeall",
    "draw": "draw3",
    "turn": "turn",
    "crack": "unlock",
}

_LABELS: dict[str, Text] = {
    "rotate": say("Who swaps the lock"),
    "overflow": say("A fourth die on a board"),
    "fizzle": say("Dice without effect"),
    "take2": say("Take 2 dice"),
    "pass": say("Passing"),
    "turn_limit": say("Difficulty: turns each"),
    "last_rescue": say("Last rescue"),
    "rescue_opens": say("A rescue opens"),
    "right_order": say("Order of the locks"),
    "memory_aid": say("Locks seen before"),
}

_CHOICES: dict[tuple[str, Any], Text] = {
    ("rotate", "john"): say("John"),
    ("rotate", "john_and_ringo"): say("John, and Ringo if he likes"),
    ("overflow", "all_four"): say("sends all four back"),
    ("overflow", "old_three"): say("sends the three old ones back"),
    ("overflow", "blocked"): say("cannot be laid"),
    ("fizzle", "allowed"): say("may be laid"),
    ("fizzle", "forbidden"): say("may not be laid"),
    ("take2", "exactly"): say("exactly two"),
    ("take2", "up_to_two"): say("one or two"),
    ("pass", "only_if_stuck"): say("only when nothing else is possible"),
    ("pass", "allowed"): say("always possible"),
    ("turn_limit", "off"): say("no limit"),
    ("turn_limit", 30): say("30, easy"),
    ("turn_limit", 25): say("25, medium"),
    ("turn_limit", 20): say("20, hard"),
    ("last_rescue", "off"): say("no"),
    ("last_rescue", "on"): say("as often as needed"),
    ("last_rescue", "once"): say("once in the game"),
    ("rescue_opens", "both"): say("both halves of the gate"),
    ("rescue_opens", "one"): say("one half of the gate"),
    ("right_order", "off"): say("as they come"),
    ("right_order", "on"): say("1 to 6"),
    ("memory_aid", "off"): say("are for you to remember"),
    ("memory_aid", "on"): say("are shown"),
}


def option_words(option: str, choice: Any) -> tuple[Text, Text]:
    """Return (name of the option, name of the choice); as they are where they are not known."""
    label = _LABELS.get(option, say("{option}", option=option))
    return label, _CHOICES.get((option, choice), say("{choice}", choice=str(choice)))


def die_words(die: str, face: int) -> Text:
    """Return a die in words: "red 4"."""
    return say("{colour} {face}", colour=COLOUR_WORDS[colour(die)], face=face)


def pictures(dice: Iterable[str], faces: Mapping[str, int]) -> Text:
    """Return dice as pictures within a sentence, colour by colour in the order of the bag."""
    thrown = list(dice)
    parts: list[Text] = []
    for name in COLOURS:
        shown = tuple(faces[die] for die in thrown if colour(die) == name)
        if shown:
            parts.append(say("{dice}", dice=Dice(shown, name)))
    text = parts[0] if parts else say("{dice}", dice=Dice(()))
    for part in parts[1:]:
        text = say("{dice} {more}", dice=text, more=part)
    return text


def colours(names: Iterable[str]) -> Text:
    """Return colours as a list in a sentence; at least one."""
    return listed([COLOUR_WORDS[name] for name in names])
