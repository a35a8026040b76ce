"""Turns commits into wake-ups of open pages. Knows no game and no template."""
