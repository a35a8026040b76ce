"""What the dice are called, in the rules' own answers and on the board, for both skins."""

from __future__ import annotations

from app.core.text import Text, say

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
