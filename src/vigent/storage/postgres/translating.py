"""Turns what PostgreSQL reports into our errors."""

from __future__ import annotations

from typing import Final

import psycopg

from vigent.errors import (
    CorruptStore,
    InternalError,
    StoreBusy,
    StoreFull,
    StoreReadOnly,
    UnavailableError,
    VigentError,
)

__all__ = ["AWAY", "translate"]

AWAY: Final = "the database is away or ended the session; what was under way was not written"
_BUSY: Final = "the store is being written by others; nothing was written"
_MEANWHILE: Final = "others wrote the same at the same time; nothing was written, try again"

# By the code of the state, or by its class, which is the first two characters.
_OURS: Final[dict[str, tuple[type[VigentError], str]]] = {
    "08": (UnavailableError, AWAY),
    "57": (UnavailableError, AWAY),
    "40": (StoreBusy, _BUSY),
    "53": (UnavailableError, "the database has no room for more work; nothing was written"),
    "25P03": (UnavailableError, AWAY),
    "25P04": (UnavailableError, AWAY),
    "55P03": (StoreBusy, _BUSY),
    "57014": (StoreBusy, "the database took too long; nothing was written"),
    "53100": (StoreFull, "no space is left for the store; nothing was written"),
    "25006": (StoreReadOnly, "the database can only be read"),
    "42501": (StoreReadOnly, "the role of the database may not do this; check its rights"),
    "42P01": (CorruptStore, "a table of the store is not there"),
    "42703": (CorruptStore, "a column of the store is not there"),
    "XX001": (CorruptStore, "the database says that its files are damaged"),
    "XX002": (CorruptStore, "the database says that its files are damaged"),
}


def translate(error: psycopg.Error, *, beside: bool = False) -> VigentError:
    """Give the error of ours for one of the engine's.

    ``beside`` says that others may have written to the tenant meanwhile: what cannot be twice is
    then a matter of who came first.
    """
    state = error.sqlstate or ""
    if state in ("23505", "23502") and beside:
        return StoreBusy(_MEANWHILE)
    if state.startswith("23"):
        return CorruptStore(f"the store refused a contradiction: {error}")
    found = _OURS.get(state) or _OURS.get(state[:2])
    if found is not None:
        return found[0](found[1])
    if not state and isinstance(error, psycopg.OperationalError):
        return UnavailableError(AWAY)
    return InternalError(f"{type(error).__name__}: {error}")
