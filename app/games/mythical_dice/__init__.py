"""Mythical Dice: hidden dice, bids at once, tricks won by a roll."""

from app.core.board import Entry
from app.games.mythical_dice.board import BOARD
from app.games.mythical_dice.bots import BOTS
from app.games.mythical_dice.rules import GAME

ENTRY = Entry(GAME, BOARD, BOTS)
