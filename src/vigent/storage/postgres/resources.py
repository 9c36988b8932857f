"""Resources and the audit trail in a PostgreSQL database, as they are read."""

from __future__ import annotations

from vigent.storage.sql.resources import ResourceView

__all__ = ["PgResourceView"]


class PgResourceView(ResourceView):
    """Reads resources, and what waits of all tenants."""
