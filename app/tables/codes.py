"""Codes of tables: random, readable aloud, forgiving to type."""

from __future__ import annotations

import hashlib
import secrets

ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789"
LENGTH = 10


def new_code() -> str:
    """Return a fresh code: 10 characters of a 30-letter alphabet, 49 bits."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def clean_code(typed: str) -> str | None:
    """Return the code somebody typed, whatever case, spaces and dashes; None if it cannot be one."""
    code = "".join(typed.split()).replace("-", "").upper()
    return code if len(code) == LENGTH and all(letter in ALPHABET for letter in code) else None


def show_code(code: str) -> str:
    """Return a code in groups, as people read it: K7QM-X2PA-3D."""
    return "-".join((code[:4], code[4:8], code[8:]))


def code_mark(typed: str) -> str:
    """Return what logs call a table: the start of the SHA-256 of its code, which opens nothing; "" for no code."""
    code = clean_code(typed)
    return "" if code is None else hashlib.sha256(code.encode()).hexdigest()[:8]
