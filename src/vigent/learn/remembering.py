"""What a step that derives needs of a memory; ``vigent.Memory`` has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from vigent.domain.derivation import Derivation, Settled
from vigent.domain.records import Record
from vigent.domain.threads import Thread, ThreadItem

__all__ = ["Conversations", "DerivedMemories", "Hiding", "Remembering"]


class Conversations(Protocol):
    """The threads of a store."""

    def get(self, id: str, *, person: str | None = ...) -> Thread:
        """Give one thread; raises NotFound."""
        ...

    def items(
        self,
        thread: Thread | str,
        *,
        after: str | ThreadItem | None = ...,
        last: int | None = ...,
        limit: int | None = ...,
        person: str | None = ...,
    ) -> tuple[ThreadItem, ...]:
        """Give items of a thread in order; raises NotFound."""
        ...


class DerivedMemories(Protocol):
    """What the service wrote of sessions; each call is one transaction."""

    def of(self, type: str, *, person: str | None = ...) -> tuple[Record, ...]:
        """Give the derived memories of a type that one owner has, by when they began."""
        ...

    def recorded(self, lineages: Sequence[str], *, person: str | None = ...) -> set[str]:
        """Give those of some lineages of which there is or was a record, also one removed since."""
        ...

    def session(
        self, episode: Derivation, lessons: Sequence[Derivation] = ..., *, person: str | None = ...
    ) -> Settled:
        """Let one record stand for a session, with the lessons of it."""
        ...

    def drawn(
        self,
        items: Sequence[Derivation],
        *,
        noted: Sequence[str],
        note: Mapping[str, Any],
        unless: str | None = ...,
        person: str | None = ...,
    ) -> Settled:
        """Write what is drawn from several episodes, and note on these that it was."""
        ...

    def drop(self, ids: Sequence[str], *, person: str | None = ...) -> Settled:
        """Forget lessons and reflections that are not borne out any more."""
        ...


class Remembering(Protocol):
    """A memory, as far as steps need it."""

    @property
    def threads(self) -> Conversations:
        """The conversations that are read."""
        ...

    @property
    def derived(self) -> DerivedMemories:
        """What is derived of them."""
        ...


class Hiding(Protocol):
    """Puts placeholders for personal data before a model reads it, and the real values after."""

    def hide(self, text: str) -> str:
        """Give a text without personal data; an error means that nothing may be sent."""
        ...

    def reveal(self, text: str) -> str:
        """Give a text with the real values where placeholders stand."""
        ...
