"""The part of the façade that joins names: ``memory.alias``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vigent.domain.aliases import Alias, AliasResult, Names
from vigent.read.aliases import aliases, names
from vigent.read.reading import Reading
from vigent.write.aliases import AliasWriter
from vigent.write.draft import UNSET
from vigent.write.pipeline import WritePipeline

__all__ = ["Aliases"]


class Aliases:
    """Other names of subjects: ``memory.alias("Kasia", of="Katarzyna Lis")`` joins two.

    Joined subjects are read as one, their statements taken together, at every instant of both
    axes: reading goes by the aliases of today. Each statement keeps the name it was written
    under, so removing the alias parts them again. An alias is a person's, or shared; a person's
    reads use both.
    """

    def __init__(
        self, pipeline: WritePipeline, reading: Reading, whose: Callable[[Any], str]
    ) -> None:
        self._writer = AliasWriter(pipeline)
        self._reading = reading
        self._whose = whose

    def __call__(
        self,
        name: str,
        *,
        of: str,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> AliasResult:
        """Make a name an alias of a subject; the same again changes nothing.

        An alias of an alias is one of its subject. Raises AliasConflict for a name that is an
        alias of another subject, or one with this subject already.
        """
        return self._writer.make(self._whose(person), name, of)

    def remove(
        self,
        name: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> AliasResult:
        """Let an alias go, which parts its names again; nothing happens where there is none.

        Raises Forbidden for a shared one where a person is named.
        """
        return self._writer.remove(self._whose(person), name)

    def list(
        self,
        subject: str | None = None,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> tuple[Alias, ...]:
        """Give a person's aliases and the shared, of one subject or of all, in order of name."""
        return aliases(self._reading, self._whose(person), subject)

    def names(
        self,
        subject: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Names:
        """Give what a subject is called: its id, its aliases, and what its ``name`` says."""
        return names(self._reading, self._whose(person), subject)
