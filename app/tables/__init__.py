"""Commands and reads on tables: the only writer of tables and events."""
