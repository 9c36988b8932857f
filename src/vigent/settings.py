"""What the environment sets. It is read here, and by the options of the command line."""

from __future__ import annotations

import os

__all__ = ["default_database"]


def default_database() -> str:
    """Give the store's file: ``VIGENT_DB``, else ``vigent.db`` in the working directory."""
    return os.environ.get("VIGENT_DB") or "vigent.db"
