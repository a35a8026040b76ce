"""Vault: five dice, twelve vaults, three skimmers; alone or as Den of Thieves."""

from app.core.board import Entry
from app.games.vault.board import BOARD
from app.games.vault.bots import BOTS
from app.games.vault.rules import GAME

ENTRY = Entry(GAME, BOARD, BOTS)
