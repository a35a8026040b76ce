"""Knobel: dice games at a shared table."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The project's folder, which holds `templates`, `static` and `migrations`."""
