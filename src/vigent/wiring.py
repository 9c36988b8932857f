"""The composition root: the only place that knows which adapters there are."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from vigent.errors import InvalidInput
from vigent.models.choose import EmbedderSpec, embedder_of
from vigent.models.guarded import GuardedEmbedder
from vigent.models.language.directory import ModelDirectory
from vigent.models.openai_compatible import OpenAIEmbedder
from vigent.ports.models import Embedder, LanguageModels
from vigent.ports.storage import Storage
from vigent.settings import LanguageSettings
from vigent.storage.inmemory.adapter import InMemoryStorage
from vigent.storage.sqlite.adapter import SqliteStorage

__all__ = ["open_embedder", "open_models", "open_storage"]


def open_storage(
    where: str | os.PathLike[str], *, durability: str = "normal", busy_timeout: float = 10.0
) -> Storage:
    """Open a store: ``:memory:``, or the path of a SQLite file, made if it is not there."""
    text = os.fspath(where)
    if text == ":memory:":
        return InMemoryStorage()
    if not text.strip() or "\0" in text:
        raise InvalidInput("path_or_url", "must name a file, or :memory:")
    if "://" in text:
        raise InvalidInput("path_or_url", "this version opens SQLite files only")
    return SqliteStorage(str(Path(text)), durability=durability, busy_timeout=busy_timeout)


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


def open_models(settings: LanguageSettings) -> LanguageModels:
    """Give the language models that settings reach; none is asked before its use.

    Raises InvalidInput, which names the setting.
    """
    return ModelDirectory(settings)


def _nothing() -> None:
    """Release nothing."""
