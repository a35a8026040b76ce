"""FastAPI routes and Jinja templates. No SQL and no game's name in here."""
