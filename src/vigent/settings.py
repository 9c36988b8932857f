"""What the environment sets. It is read here, and by the options of the command line."""

from __future__ import annotations

import os

__all__ = ["agreement_steps", "default_database"]


def default_database() -> str:
    """Give the store's file: ``VIGENT_DB``, else ``vigent.db`` in the working directory."""
    return os.environ.get("VIGENT_DB") or "vigent.db"


def agreement_steps() -> int:
    """Give how many steps the agreement machine takes: ``VIGENT_AGREEMENT_STEPS``, else 400."""
    return int(os.environ.get("VIGENT_AGREEMENT_STEPS", "400"))
