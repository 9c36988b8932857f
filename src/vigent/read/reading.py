"""What every read needs: whose memory, which instants, which keys."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from vigent.domain.records import Record, Stretch
from vigent.domain.schema import Schema
from vigent.domain.statements import Key, Statement
from vigent.domain.text import canonical_subject, check_name
from vigent.domain.time import SECOND, Instant, parse_instant
from vigent.joining import JoinedSnapshot
from vigent.ports.storage import Scope, Selection, Storage, Stretched, Timelines
from vigent.ports.system import Clock
from vigent.standing import half_life, record_of

__all__ = ["NOW", "At", "Reading"]

_REMEMBERED: Final = 10_000
_UNDER_WAY: Final = 600 * SECOND
"""For how long a write may be under way; what was known before is settled in any case."""


class At(NamedTuple):
    """The instants a read asks about; None is now."""

    as_of: Instant | None
    known_at: Instant | None


NOW: Final = At(None, None)


@dataclass(slots=True)
class Reading:
    """The store read from, and how."""

    storage: Storage
    schema: Schema
    clock: Clock
    tenant: str
    store: str
    _attributes: dict[str, tuple[str, bool]] = field(
        default_factory=dict[str, tuple[str, bool]], repr=False
    )

    def scope(self, person: str | None) -> Scope:
        """Give whose memory a read sees."""
        return Scope(self.tenant, self.store, person or "")

    @contextmanager
    def view(
        self, person: str | None, known_at: Instant | None = None
    ) -> Generator[JoinedSnapshot]:
        """Open a consistent view in which a person's joined subjects are one.

        With ``known_at``, what was known then is final: no write that is under way ends below it.
        """
        settled = None
        if known_at is not None and known_at > self.clock.now() - _UNDER_WAY:
            settled = self.tenant
        with self.storage.snapshot(settled=settled) as snapshot:
            yield JoinedSnapshot(snapshot, self.tenant, self.store, person or "")

    def instants(self, as_of: object, known_at: object, timezone: str | None) -> At:
        """Check the instants of a read; a bare date is the last microsecond of that day."""
        if as_of is None and known_at is None:
            return NOW
        return At(
            None
            if as_of is None
            else parse_instant(as_of, "as_of", timezone=timezone, bare_date="end"),
            None
            if known_at is None
            else parse_instant(known_at, "known_at", timezone=timezone, bare_date="end"),
        )

    def attribute(self, name: object) -> tuple[str, bool]:
        """Give an attribute's canonical name, and whether it is multi-valued."""
        found = self._attributes.get(name) if isinstance(name, str) else None
        if found is not None:
            return found
        checked = check_name(name, "attribute")
        definition = self.schema.attribute(checked)
        found = (checked, False) if definition is None else (definition.name, definition.multi)
        if isinstance(name, str) and len(self._attributes) < _REMEMBERED:
            self._attributes[name] = found
        return found

    def selection(
        self,
        person: str | None,
        subject: object = None,
        attribute: object = None,
        type: str | None = None,
    ) -> Selection:
        """Say which keys a read concerns."""
        return Selection(
            self.tenant,
            self.store,
            self.scope(person).readable,
            None if subject is None else canonical_subject(subject)[1],
            None if attribute is None else self.attribute(attribute)[0],
            type,
        )

    def now_of(self, key: Key) -> Instant:
        """Give the present of a key: never before its latest recorded instant."""
        return max(self.clock.now(), key.last_recorded)

    def alone(self, key: Key, statement: Statement, stretch: Stretch) -> Record:
        """Give what is in force as a record that names no memory before or after it."""
        now = self.now_of(key)
        return Record(
            key.id, key.name, statement, stretch, replaced=None, replacer=None,
            valid_at=now, known=key.last_recorded, answered_at=now,
            half_life_days=half_life(self.schema, key.id, statement.type),
        )  # fmt: skip

    def record(self, snapshot: Timelines, found: Stretched, at: At) -> Record:
        """Give what was found as a record."""
        now = self.now_of(found.key)
        return record_of(
            snapshot,
            self.schema,
            found,
            valid_at=now if at.as_of is None else at.as_of,
            known_at=at.known_at,
            now=now,
        )
