"""`python -m bench.peers.knobel`: the service as `python -m app` serves it, with the game of this bench beside its own."""

from __future__ import annotations

import sys
from unittest.mock import patch

from fastapi import FastAPI

from app import main, serve
from app.games import CURRENT
from app.settings import Settings
from bench.peers.game import ENTRY


def with_game(settings: Settings) -> FastAPI:
    """Return the service, which now knows the game; it has no style sheet, so the site's must be made before."""
    app = main.create_app(settings)
    CURRENT[ENTRY.game.info.slug] = ENTRY
    return app


if __name__ == "__main__":
    with patch.object(serve, "create_app", with_game):
        sys.exit(serve.main())
