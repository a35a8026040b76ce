"""The database: schema, connections, and the bundled PostgreSQL. Knows no game."""
