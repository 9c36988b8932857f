"""The part of the façade that keeps what is derived of sessions: ``memory.derived``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vigent.domain.derivation import Derivation, Settled
from vigent.domain.records import Record
from vigent.read.listing import Wanted, listed
from vigent.read.reading import Reading
from vigent.write.derived import DerivedWriter
from vigent.write.draft import UNSET
from vigent.write.pipeline import WritePipeline

__all__ = ["Derived"]


class Derived:
    """Episodes, lessons and reflections: written by background work, by nobody else."""

    def __init__(
        self, pipeline: WritePipeline, reading: Reading, whose: Callable[[Any], str]
    ) -> None:
        self._writer = DerivedWriter(pipeline)
        self._reading, self._whose = reading, whose

    def of(
        self,
        type: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> tuple[Record, ...]:
        """Give the derived memories of a type that one owner has, by when they began."""
        whose = self._whose(person)
        found = listed(self._reading, whose, Wanted.of(self._reading, type=type))
        own = [record for record in found if record.key.person == whose]
        return tuple(sorted(own, key=lambda r: (r.stretch.valid_from, r.memory_id)))

    def recorded(
        self,
        lineages: Sequence[str],
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> set[str]:
        """Give those of some lineages of which there is or was a record, also one removed since."""
        return self._writer.recorded(self._whose(person), lineages)

    def session(
        self,
        episode: Derivation,
        lessons: Sequence[Derivation] = (),
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Settled:
        """Let one record stand for a session, with the lessons of it, in one transaction."""
        return self._writer.session(self._whose(person), episode, lessons)

    def drawn(
        self,
        items: Sequence[Derivation],
        *,
        noted: Sequence[str],
        note: Mapping[str, Any],
        unless: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Settled:
        """Write what is drawn from several episodes, and note on these that it was."""
        return self._writer.drawn(self._whose(person), items, noted=noted, note=note, unless=unless)

    def drop(
        self,
        ids: Sequence[str],
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Settled:
        """Forget lessons and reflections that are not borne out any more."""
        return self._writer.drop(self._whose(person), ids)
