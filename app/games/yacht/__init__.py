"""Yacht: five dice, twelve rows, three rolls."""

from app.core.board import Entry
from app.games.yacht.board import BOARD
from app.games.yacht.bots import BOTS
from app.games.yacht.rules import GAME

ENTRY = Entry(GAME, BOARD, BOTS)
