"""Memory in one SQLite file."""
