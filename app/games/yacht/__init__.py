"""Yacht: five dice, three rolls a turn, twelve rows to fill."""

from app.games.yacht.board import BOARD
from app.games.yacht.rules import GAME

__all__ = ["BOARD", "GAME"]
