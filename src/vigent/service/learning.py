"""Extraction of the stores of a service: which are read, under whose key, and with which model."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, NamedTuple, cast

from vigent.domain.candidates import Candidate
from vigent.domain.reasoning.window import StateLine
from vigent.domain.records import Record
from vigent.domain.resources import ResourceRow
from vigent.domain.schema import Schema
from vigent.domain.text import fold
from vigent.domain.usage import Account
from vigent.domain.windows import Reading, Waiting, reading_id
from vigent.errors import InvalidInput, ModelUnavailable, Unauthorized
from vigent.govern.documents import (
    AgentDocument,
    PersonDocument,
    StoreDocument,
    TenantSettings,
)
from vigent.govern.extraction import KeptSwitch, state_of
from vigent.govern.keyring import key_of
from vigent.learn.hiding import HidingFailed
from vigent.learn.looking import Orders, look
from vigent.learn.queue import Outcome, Queue
from vigent.learn.reading import Model, Shown, read_window, show
from vigent.memory import Memory
from vigent.ports.models import LanguageModel, LanguageModels, MeteredModels
from vigent.ports.storage import Snapshot, Storage
from vigent.ports.system import Clock
from vigent.proposals import MemoryDelta
from vigent.service.caller import Caller, Host

__all__ = ["AuthorMemory", "Learner", "Place", "Step", "Work"]

_log = logging.getLogger("vigent")

_PAGE: Final = 500
_LINES: Final = 40
_SPOKEN: Final = 120
_NAME: Final = 64
_WORD: Final = re.compile(r"[a-z0-9_]+")
_SHARE: Final = 0.6
"""This part of a lease a model may take; the rest is for the gate."""


class Place(NamedTuple):
    """A store whose switch is on and active."""

    store: ResourceRow
    switch: KeptSwitch

    @property
    def tenant(self) -> str:
        """The tenant that it is of."""
        return self.store.tenant

    @property
    def name(self) -> str:
        """The store's name, as its records bear it."""
        return self.store.name or self.store.id


@dataclass(frozen=True, slots=True)
class Work:
    """What a step has that is done once the windows of a store are drained.

    ``memory`` is the store as the switch's author sees it, for no person; verbs name one.
    """

    memory: Memory
    storage: Storage
    clock: Clock
    tenant: str
    store: ResourceRow
    switch: KeptSwitch
    models: LanguageModels
    metered: MeteredModels
    orders: Orders
    settings: TenantSettings


Step = Callable[[Work], None]
"""Something that is done each time that the windows of a store are drained."""


class AuthorMemory:
    """The memory of a store in the name of a switch's author: what reading a window asks of it."""

    def __init__(self, memory: Memory, host: Host, tenant: str) -> None:
        self.memory = memory
        self._host, self._tenant = host, tenant

    @property
    def schema(self) -> Schema:
        """What the store knows of."""
        return self._host.schema

    def subject(self, person: str) -> str | None:
        """Give the name under which a person's own memory stands."""
        if not person:
            return None
        with self._host.storage.snapshot() as snapshot:
            return snapshot.ledger(self._tenant, subject_of=person).subject or person

    def zone(self, person: str) -> str:
        """Give the zone of a person, or the tenant's."""
        row = self._host.registry.find(self._tenant, "person", person) if person else None
        own = None if row is None else PersonDocument.model_validate_json(row.document).timezone
        return own or self._host.tenant(self._tenant).settings.timezone or "UTC"

    def concerning(self, words: str, person: str) -> list[StateLine]:
        """Give what is in force of the attributes that words name, and what they find besides."""
        found: dict[str, Record] = {}
        subject, spoken = self.subject(person), fold(words)
        declared = [
            definition.name
            for definition in self.schema.attributes
            if any(
                fold(name) in spoken
                for name in (
                    definition.name.replace("_", " "), *definition.aliases, *definition.enum
                )
                if len(name) > 2
            )
        ]  # fmt: skip
        for name in dict.fromkeys([*declared, *_named_in(spoken)]) if subject else ():
            if len(found) >= _LINES:
                break
            now: Any = self.memory.current(subject or "", name, person=person)
            several = cast("tuple[Record | None, ...]", now if type(now) is tuple else (now,))
            for record in several:
                if record is not None:
                    found[record.memory_id] = record
        for record in self.memory.concerning(words, person=person or None):
            found.setdefault(record.memory_id, record)
        return [StateLine.of(record) for record in list(found.values())[:_LINES]]

    def learn(self, person: str, delta: Mapping[str, Any]) -> Candidate:
        """Put a candidate through the gate."""
        made = MemoryDelta.of({**delta, "tenant_id": self._tenant})
        return self.memory.candidates.learn(made, person=person or None)


def _named_in(spoken: str) -> list[str]:
    """Give the names that attributes may have that are spoken of: single words, and two in a row.

    They are looked up one by one, so that it costs the same whatever a person's memory has.
    """
    words = _WORD.findall(spoken)[-_SPOKEN:]
    pairs = [f"{one}_{other}" for one, other in pairwise(words)]
    return [name for name in dict.fromkeys([*words, *pairs]) if 2 < len(name) <= _NAME]


class Learner:
    """Reads the conversations of the stores of a service, one window at a time.

    ``clock`` is the machine's: leases are between processes. May be used from several threads.
    """

    def __init__(
        self,
        host: Host,
        models: LanguageModels,
        metered: MeteredModels,
        clock: Clock,
        *,
        by: str,
        lease_seconds: float = 300,
        steps: Sequence[Step] = (),
    ) -> None:
        self.host, self.models, self.metered = host, models, metered
        self._clock, self._by, self._lease = clock, by, lease_seconds
        self._steps = steps

    def places(self) -> Iterator[Place]:
        """Give the stores that are read: their switch is on and nothing is amiss with it."""
        with self.host.storage.snapshot() as snapshot:
            tenants = snapshot.tenants()
        for tenant in tenants:
            after = ""
            while True:
                with self.host.storage.snapshot() as snapshot:
                    rows = snapshot.resources(tenant, "store", after=after, limit=_PAGE)
                    active = [p for row in rows if (p := self._place(snapshot, row)) is not None]
                yield from active
                if len(rows) < _PAGE:
                    break
                after = rows[-1].id

    def _place(self, snapshot: Snapshot, row: ResourceRow) -> Place | None:
        switch = _switch_of(row.version, row.tenant, row.document)
        if switch is None or not switch.enabled:
            return None
        try:
            settings = self.host.tenant(row.tenant).settings
        except Unauthorized:
            return None
        state = state_of(snapshot, row.tenant, settings, switch, self.host.clock.now())
        return Place(row, switch) if state == "active" else None

    def queue(self, place: Place) -> Queue:
        """Give the queue of a store."""
        return Queue(
            self.host.storage, self.host.clock, self._clock, place.tenant, place.store.id,
            by=self._by, lease_seconds=self._lease,
        )  # fmt: skip

    def look(self, place: Place, *, at_once: bool = False) -> bool:
        """Put what is to be read of a store in its queue; gives whether that ended a run.

        Where the author may not do it any more, what waits fails with that as its reason.
        """
        queue = self.queue(place)
        now = self.host.clock.now()
        look(queue, place.name, self._orders(place), now=now, at_once=at_once)
        if self._author(place) is None:
            queue.refuse("forbidden")
            return False
        return queue.settle()

    def take(self, place: Place) -> Waiting | None:
        """Take the next window of a store."""
        if self._author(place) is None:
            return None
        return self.queue(place).take()

    def read(self, place: Place, window: Waiting) -> bool:
        """Read a window that was taken; gives whether that ended the run."""
        outcome = self._outcome(place, window)
        return self.queue(place).finish(window, outcome)

    def _outcome(self, place: Place, window: Waiting) -> Outcome:
        author = self._author(place)
        if author is None:
            return Outcome("failed", "forbidden")
        model = self.model(place)
        if model is None:
            return Outcome("failed", "model_unavailable")
        memory = AuthorMemory(
            self.host.memory(place.store, author), self.host, place.tenant
        )  # fmt: skip
        try:
            seen = self.shown(place, window, memory)
        except HidingFailed:
            return Outcome("failed", "hiding_failed")
        if seen is None:
            return Outcome("cancelled")
        account = Account(place.tenant, place.store.id, "extraction")
        asked = Model(model, self.metered, account, self._lease * _SHARE)
        return read_window(seen, asked, memory, window.person)

    def shown(self, place: Place, window: Waiting, memory: AuthorMemory) -> Shown | None:
        """Give a window as a model sees it, None where it is gone; raises HidingFailed."""
        with self.host.storage.snapshot() as snapshot:
            row = snapshot.resource(
                place.tenant, "reading", reading_id(place.store.id, window.digest)
            )
            return show(
                snapshot, memory, window, place.name, types=place.switch.types,
                instructions=place.switch.instructions or "", hide=Reading.of_row(row).hide,
            )  # fmt: skip

    def model(self, place: Place) -> LanguageModel | None:
        """Give the switch's model, None where this process cannot reach it."""
        try:
            return self.models.get(place.switch.model or self.models.default)
        except (InvalidInput, ModelUnavailable) as error:
            _log.warning("nothing is extracted by %s: %s", place.switch.model, error.code)
            return None

    def steps(self, place: Place) -> None:
        """Do what comes after the windows of a store; a step that fails stops no other."""
        author = self._author(place)
        if author is None:
            return
        work = Work(
            self.host.memory(place.store, author), self.host.storage, self.host.clock,
            place.tenant, place.store, place.switch, self.models, self.metered,
            self._orders(place), self.host.tenant(place.tenant).settings,
        )  # fmt: skip
        for step in self._steps:
            try:
                step(work)
            except Exception as error:  # noqa: BLE001 - it is told, and the next one is done
                _log.warning("a step after extraction failed: %s", type(error).__name__)

    def _author(self, place: Place) -> Caller | None:
        """Give the author as a caller, None where they may not read threads or write there."""
        row = self.host.registry.find(place.tenant, "key", place.switch.author)
        if row is None or key_of(row).state(self.host.clock.now()) != "active":
            return None
        author = Caller(self.host, row, key_of(row), None, by_token=False)
        rights = author.document.policy.rights(place.store.id) or ()
        may = author.can("threads") and author.can("memory") and "write" in rights
        return author if may else None

    def _orders(self, place: Place) -> Orders:
        switch = place.switch
        return Orders(
            author=switch.author, model=switch.model or "", types=switch.types,
            instructions=switch.instructions or "", schedule_minutes=switch.schedule_minutes,
            quiet_minutes=switch.quiet_minutes, everyone=switch.threads == "all",
            keys=frozenset(switch.filters.key_ids), agents=self._agents(place),
        )  # fmt: skip

    def _agents(self, place: Place) -> frozenset[str]:
        """Give the agents of the switch by their ids and by the names that they had."""
        ids = place.switch.filters.agent_ids
        named: set[str] = set(ids)
        for id in ids:
            row = self.host.registry.find(place.tenant, "agent", id)
            if row is not None:
                versions = AgentDocument.model_validate_json(row.document).versions
                named |= {version.name for version in versions}
        return frozenset(named)


@lru_cache(maxsize=1_000)
def _switch_of(version: int, tenant: str, document: str) -> KeptSwitch | None:
    del version, tenant
    kept = StoreDocument.model_validate_json(document).extraction
    return None if kept is None else KeptSwitch.model_validate(kept)
