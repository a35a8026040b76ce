"""For the host: backups, checks and sessions, from the command line."""
