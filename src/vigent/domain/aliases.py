"""Other names of subjects: what is kept of an alias, and what callers are told."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from vigent.domain.time import Instant, instant_of, iso, to_datetime

__all__ = ["Alias", "AliasResult", "AliasRow", "Names", "joined"]


class AliasRow(NamedTuple):
    """One alias as stored: a canonical name, as it was written, and the subject it stands for.

    An empty person is what the tenant shares. ``subject`` is canonical: the root it had when the
    alias was made, so an alias of an alias is one of its subject.
    """

    tenant: str
    store: str
    person: str
    name: str
    written: str
    subject: str
    at: Instant


@dataclass(frozen=True, slots=True)
class Alias:
    """Another name of a subject: ``person`` is whose alias it is, None for a shared one."""

    name: str
    subject: str
    person: str | None
    instant: Instant

    @classmethod
    def of(cls, row: AliasRow) -> Alias:
        """Give a stored alias."""
        return cls(row.written, row.subject, row.person or None, row.at)

    @property
    def created_at(self) -> dt.datetime:
        """When it was made, in UTC."""
        return to_datetime(self.instant)

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        return cls(
            found["name"], found["subject"], found["person_id"], instant_of(found["created_at"])
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the alias as JSON-ready values."""
        return {
            "name": self.name, "subject": self.subject, "person_id": self.person,
            "created_at": iso(self.instant),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class AliasResult:
    """What came of making or removing an alias: ``joined``, ``removed`` or ``noop``.

    ``alias`` is the one concerned; None where there was none to remove.
    """

    outcome: str
    alias: Alias | None

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        alias = found["alias"]
        return cls(found["outcome"], None if alias is None else Alias.from_dict(alias))

    def to_dict(self) -> dict[str, Any]:
        """Give the result as JSON-ready values."""
        alias = None if self.alias is None else self.alias.to_dict()
        return {"outcome": self.outcome, "alias": alias}


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a subject.

    ``subject`` is its canonical id, ``written`` the names under which something was written,
    ``aliases`` those it was given, ``name`` what its attribute ``name`` says now.
    """

    subject: str
    written: tuple[str, ...]
    aliases: tuple[str, ...]
    name: tuple[str, ...]

    @property
    def every(self) -> tuple[str, ...]:
        """All of them, each once."""
        return tuple(
            dict.fromkeys((self.subject, *self.written, *self.aliases, *self.name))
        )  # fmt: skip

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        named = (tuple(found[part]) for part in ("written", "aliases", "name"))
        return cls(found["subject"], *named)

    def to_dict(self) -> dict[str, Any]:
        """Give the names as JSON-ready values."""
        return {
            "subject": self.subject, "written": list(self.written),
            "aliases": list(self.aliases), "name": list(self.name),
        }  # fmt: skip


def joined(rows: Iterable[AliasRow], subject: str) -> tuple[str, ...]:
    """Give the names that aliases join with a subject, the root first, then by name.

    A person's own alias goes before a shared one of the same name.
    """
    parent: dict[str, str] = {}
    for row in sorted(rows, key=lambda r: r.person):  # the shared first: own ones replace them
        parent[row.name] = row.subject
    root, passed = subject, {subject}
    # Own and shared aliases, made apart, may lead in a circle: then any of it is as good a root.
    while root in parent and parent[root] not in passed:
        root = parent[root]
        passed.add(root)
    beside: dict[str, set[str]] = {}
    for name, other in parent.items():
        beside.setdefault(name, set()).add(other)
        beside.setdefault(other, set()).add(name)
    found, open_ends = {subject}, [subject]
    while open_ends:
        fresh = beside.get(open_ends.pop(), set()) - found
        found |= fresh
        open_ends += fresh
    if len(passed) > 1 and root in parent:
        root = min(found)
    return (root, *sorted(found - {root}))
