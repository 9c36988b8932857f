"""The composition root: the only place that knows which adapters there are."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from vigent.errors import InvalidInput, NotSupported
from vigent.models.choose import EmbedderSpec, embedder_of
from vigent.models.guarded import GuardedEmbedder
from vigent.models.openai_compatible import OpenAIEmbedder
from vigent.ports.models import Embedder
from vigent.ports.moving import Copies
from vigent.ports.storage import Storage
from vigent.storage.inmemory.adapter import InMemoryStorage
from vigent.storage.sqlite.adapter import SqliteStorage
from vigent.storage.sqlite.copying import SqliteCopies

__all__ = ["copies_of", "open_embedder", "open_storage"]

_POSTGRES = ("postgresql://", "postgres://")


def open_storage(
    where: str | os.PathLike[str], *, durability: str = "normal", busy_timeout: float = 10.0
) -> Storage:
    """Open a store: ``:memory:``, the path of a SQLite file, made if it is not there, or a URL.

    ``postgresql://…`` names a database of PostgreSQL, whose tables are made if they are not there.
    """
    text = os.fspath(where)
    if text == ":memory:":
        return InMemoryStorage()
    if not text.strip() or "\0" in text:
        raise InvalidInput("path_or_url", "must name a file, or :memory:")
    if text.startswith(_POSTGRES):
        return _open_postgres(text, busy_timeout)
    if "://" in text:
        raise InvalidInput("path_or_url", "must be a path, :memory:, or begin with postgresql://")
    return SqliteStorage(str(Path(text)), durability=durability, busy_timeout=busy_timeout)


def copies_of(where: str | os.PathLike[str]) -> Copies:
    """Give what makes whole copies of a store; raises NotSupported where the engine does it."""
    text = os.fspath(where)
    if text.startswith(("postgresql://", "postgres://")):
        raise NotSupported(
            "PostgreSQL makes its own backups: use pg_dump and pg_restore, as"
            " docs/how-to/moving.md shows; export, import and copy work on it as on a file"
        )
    if text == ":memory:" or not text.strip() or "\0" in text or "://" in text:
        raise InvalidInput("path_or_url", "must name the file of a store")
    return SqliteCopies(text)


def _open_postgres(url: str, busy_timeout: float) -> Storage:
    try:
        from vigent.storage.postgres.adapter import PostgresStorage  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise InvalidInput(
            "path_or_url", "needs the extra postgres: pip install 'vigent[postgres]'"
        ) from error
    return PostgresStorage(url, busy_timeout=busy_timeout)


def open_embedder(spec: EmbedderSpec) -> tuple[Embedder | None, Callable[[], None]]:
    """Give the embedder that is meant, and what releases it: nothing for one made elsewhere.

    Nothing is loaded, and no server asked, before its use. Whatever it fails with then is told
    as ModelUnavailable, so that a search goes on by words.
    """
    embedder = embedder_of(spec)
    if embedder is None:
        return None, _nothing
    release = _nothing
    if isinstance(embedder, OpenAIEmbedder) and embedder is not spec:
        release = embedder.close
    return GuardedEmbedder(embedder), release


def _nothing() -> None:
    """Release nothing."""
