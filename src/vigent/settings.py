"""What the environment sets. It is read here, and by the options of the command line."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

__all__ = ["EmbedderSettings", "agreement_steps", "default_database", "embedder_settings"]


@dataclass(frozen=True, slots=True)
class EmbedderSettings:
    """Which embedder is used: what ``vigent.models.choose.embedder_of`` takes, and its key.

    ``named_by`` is what a wrong ``embedder`` is blamed on: the variable it was read from.
    """

    embedder: str | None = None
    embedder_key: str | None = field(default=None, repr=False)
    named_by: str = field(default="embedder", compare=False)


def default_database() -> str:
    """Give the store's file: ``VIGENT_DB``, else ``vigent.db`` in the working directory."""
    return os.environ.get("VIGENT_DB") or "vigent.db"


def agreement_steps() -> int:
    """Give how many steps the agreement machine takes: ``VIGENT_AGREEMENT_STEPS``, else 400."""
    return int(os.environ.get("VIGENT_AGREEMENT_STEPS", "400"))


def embedder_settings() -> EmbedderSettings:
    """Give ``VIGENT_EMBEDDER``, else "local", and ``VIGENT_EMBEDDER_KEY``, else None."""
    return EmbedderSettings(
        embedder=os.environ.get("VIGENT_EMBEDDER") or "local",
        embedder_key=os.environ.get("VIGENT_EMBEDDER_KEY") or None,
        named_by="VIGENT_EMBEDDER",
    )
