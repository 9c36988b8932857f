"""Memory in a PostgreSQL database."""
