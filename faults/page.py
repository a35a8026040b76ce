"""Writes docs/reliability.md from the results that are kept."""

from __future__ import annotations


def write() -> None:
    """Write the page."""
