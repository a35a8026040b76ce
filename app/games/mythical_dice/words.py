"""What the dice are called, in the rules' own answers and on the board, for both skins."""

from __future__ import annotations

from dataclasses import replace

from app.core.text import Text, say
from app.games.mythical_dice.dice import FACES, Face

LOOKS: dict[str, dict[str, str]] = {
    "mythical": {
        "minotaur": "minotaur",
        "griffin": "griffin",
        "mermaid": "mermaid",
        "red": "red",
        "yellow": "yellow",
        "purple": "purple",
        "gray": "gray",
    },
    "pirate": {
        "minotaur": "skull_king",
        "griffin": "pirate",
        "mermaid": "mermaid",
        "red": "black",
        "yellow": "blue",
        "purple": "red",
        "gray": "yellow",
    },
}
"""What a kind of die looks like in a skin; moves, records and the API always name the kind."""

NAMES: dict[str, Text] = {
    "minotaur": say("Minotaur"),
    "griffin": say("Griffin"),
    "mermaid": say("Mermaid"),
    "skull_king": say("Skull king"),
    "pirate": say("Pirate"),
    "red": say("Red"),
    "yellow": say("Yellow"),
    "purple": say("Purple"),
    "gray": say("Gray"),
    "black": say("Black"),
    "blue": say("Blue"),
}
"""The looks, as a heading or a label names them."""

FOLLOW: dict[str, Text] = {
    "red": say("You have red: roll red or a creature."),
    "yellow": say("You have yellow: roll yellow or a creature."),
    "purple": say("You have purple: roll purple or a creature."),
    "gray": say("You have gray: roll gray or a creature."),
    "black": say("You have black: roll black or a creature."),
    "blue": say("You have blue: roll blue or a creature."),
}
"""Why a die of another colour may not be rolled, by the look of the colour to follow."""


def look(kind: str, skin: str) -> str:
    """Return the look of a kind of die in a skin."""
    return LOOKS[skin][kind]


def name(kind: str, skin: str) -> Text:
    """Return the name of a kind of die in a skin."""
    return NAMES[look(kind, skin)]


ASKED: dict[str, Text] = {
    "red": say("Red is asked: follow with red or roll a creature."),
    "yellow": say("Yellow is asked: follow with yellow or roll a creature."),
    "purple": say("Purple is asked: follow with purple or roll a creature."),
    "gray": say("Gray is asked: follow with gray or roll a creature."),
    "black": say("Black is asked: follow with black or roll a creature."),
    "blue": say("Blue is asked: follow with blue or roll a creature."),
}
"""The colour to follow, for everybody at the table."""

NUMBERS: dict[str, Text] = {
    "red": say("red {n}"),
    "yellow": say("yellow {n}"),
    "purple": say("purple {n}"),
    "gray": say("gray {n}"),
    "black": say("black {n}"),
    "blue": say("blue {n}"),
}
"""A number that a die shows; `shown` puts it in."""


def shown(kind: str, face: Face, skin: str) -> Text:
    """Return what a rolled die shows: a number with its colour, a flag with its die, or a creature."""
    as_seen = look(kind, skin)
    if isinstance(face, int):
        return replace(NUMBERS[as_seen], parts=(("n", face),))
    return say("flag, {die}", die=NAMES[as_seen]) if face == "F" else NAMES[as_seen]


def faces(kind: str, skin: str) -> Text:
    """Return a kind of die with its six faces, for the ear."""
    die = name(kind, skin)
    numbers = " ".join(str(face) for face in FACES[kind] if isinstance(face, int))
    if not numbers:
        return say("{die}: itself on four faces, a flag on two", die=die)
    if "F" in FACES[kind]:
        return say("{die}: {numbers} and three flags", die=die, numbers=numbers)
    return say("{die}: {numbers}", die=die, numbers=numbers)
