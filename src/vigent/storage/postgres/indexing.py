"""Passages and vectors in a PostgreSQL database."""

from __future__ import annotations

from vigent.storage.sql.indexing import IndexView

__all__ = ["PgIndexView"]


class PgIndexView(IndexView):
    """What a snapshot sees of the index."""
