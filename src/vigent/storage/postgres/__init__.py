"""The adapter for PostgreSQL: what was written is stored as rows of a tenant."""
