"""The game contract and the engine: pure, standard library only (pydantic in `codec` alone)."""
