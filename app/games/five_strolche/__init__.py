"""5 Strolche II: forty dice, six locks, and a gate that wants to shut."""

from app.core.board import Entry
from app.games.five_strolche.board import BOARD
from app.games.five_strolche.bots import BOTS
from app.games.five_strolche.rules import GAME

ENTRY = Entry(GAME, BOARD, BOTS)
