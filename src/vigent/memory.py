"""The façade: every verb of memory, each one call into a pipeline."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from typing import Any, Literal, Self, overload

from vigent.aliases import Aliases
from vigent.candidates import Candidates
from vigent.derived import Derived
from vigent.domain.episodes import Episode
from vigent.domain.injection import InjectionBlock, StoreSettings
from vigent.domain.records import Record
from vigent.domain.schema import Schema
from vigent.domain.state import State
from vigent.domain.text import check_id
from vigent.domain.time import Instantlike
from vigent.errors import InvalidInput, TenantMismatch, VigentError
from vigent.govern.indexing import index_if_needed
from vigent.govern.keeping import CheckReport, Keeper
from vigent.learn.worker import EmbeddingWorker
from vigent.parts import Persons, Review, Threads
from vigent.ports.models import Embedder
from vigent.ports.storage import Storage
from vigent.ports.system import Clock
from vigent.proposals import Check, MemoryDelta, judged
from vigent.read.past import Change, diff, history
from vigent.read.reading import Reading
from vigent.read.state import current, current_many, state
from vigent.recall import Recall
from vigent.schema import SchemaSource, load_schema
from vigent.settings import embedder_settings
from vigent.system import RandomIds, SystemClock
from vigent.wiring import open_embedder, open_storage
from vigent.write.batch import write_many
from vigent.write.capture import Capture
from vigent.write.context import Context
from vigent.write.draft import UNSET
from vigent.write.pipeline import WritePipeline
from vigent.write.result import ForgetResult, Receipt, WriteResult
from vigent.write.review import Reviewer
from vigent.write.sweep import sweep
from vigent.write.toolcalls import ToolCalls
from vigent.write.verbs import Writer

__all__ = ["Memory"]

Value = Any
_NOT_IN_PLACE = {
    "text": "write(text=…, supersedes=<this id>) puts another in its place",
    "value": "write the new one; mode='correction' says that the old one was never right",
}


class Memory(Recall):
    """Long-term memory of one tenant and store.

    ``person`` on a verb says whose memory it concerns; left out, the one the memory was opened
    for; None, what the tenant shares. A read for a person sees theirs and the shared. Instants
    are datetimes or ISO text with an offset; with ``timezone``, wall-clock times of that zone.
    Every verb raises errors of ``vigent.errors`` and leaves nothing half done.
    """

    def __init__(
        self,
        storage: Storage,
        *,
        tenant: str,
        store: str,
        person: str | None,
        schema: Schema,
        clock: Clock,
        checks: Sequence[Check],
        embedder: Embedder | None,
        injection: InjectionBlock,
        settings: StoreSettings,
        release: Callable[[], None],
        context: Context | None = None,
        beside: Memory | None = None,
        worker: EmbeddingWorker | None = None,
    ) -> None:
        context = context or Context(tenant, store, schema, clock, RandomIds())
        pipeline = WritePipeline(storage, context)
        reading = Reading(storage, schema, clock, tenant, store)
        super().__init__(pipeline, reading, person, embedder, injection, settings, beside, worker)
        self._storage, self._tenant, self._store = storage, tenant, store
        self._checks, self._release = tuple(checks), release
        self._writer = Writer(pipeline)
        self._keeper = Keeper(storage, schema, clock, context.ids, tenant, store)
        self.review = Review(Reviewer(self._pipeline), person or "")
        self.persons = Persons(self._writer)
        self.threads = Threads(self._pipeline, self._reading, self._whose)
        self.calls = ToolCalls(self._writer, self._checks, settings.gate)
        self.alias = Aliases(self._pipeline, self._reading, self._whose)
        self.derived = Derived(self._pipeline, self._reading, self._whose)
        self.candidates = Candidates(
            self._writer, settings.gate, checks, self._whose, self._state_of
        )

    @classmethod
    def open(
        cls,
        path_or_url: str | os.PathLike[str] | Storage,
        *,
        tenant: str = "default",
        store: str = "default",
        person: str | None = None,
        schema: SchemaSource = None,
        clock: Clock | None = None,
        checks: Sequence[Check] = (),
        embedder: Any = UNSET,
        injection: InjectionBlock | Mapping[str, Any] | None = None,
        settings: StoreSettings | Mapping[str, Any] | None = None,
    ) -> Memory:
        """Open a store: ``":memory:"``, a SQLite file, made if it is not there, or ``postgresql://…``.

        An adapter of your own is handed in open, and is closed with the memory.
        ``embedder`` finds by meaning: "local" (or ``VIGENT_EMBEDDER``), "none", a server, an
        ``Embedder``. ``injection`` and ``settings`` say what ``context`` gives.
        """
        for id, field in ((tenant, "tenant"), (store, "store"), (person, "person")):
            if id is not None or field != "person":
                check_id(id, field)
        declared, block = load_schema(schema), InjectionBlock.of(injection)
        bounds = StoreSettings.of(settings)
        with ExitStack() as opened:  # what is open already is released where the rest fails
            model, release = open_embedder(embedder_settings() if embedder is UNSET else embedder)
            opened.callback(release)
            named = not isinstance(path_or_url, Storage)
            storage = open_storage(path_or_url) if named else path_or_url
            opened.callback(storage.close)
            index_if_needed(storage, tenant, store)
            one = cls(
                storage, tenant=tenant, store=store, person=person, schema=declared, checks=checks,
                clock=clock or SystemClock(), embedder=model, injection=block, settings=bounds,
                release=release,
            )  # fmt: skip
            opened.pop_all()
        return one

    def capture(
        self,
        content: str,
        *,
        role: str = "user",
        kind: str = "message",
        occurred_at: Instantlike = None,
        speaker: str | None = None,
        thread: str | None = None,
        external_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Episode:
        """Keep a raw record of what happened; the same external id gives the first one again."""
        asked = Capture(
            content, role=role, kind=kind, occurred_at=occurred_at, speaker=speaker,
            thread=thread, external_id=external_id, metadata=metadata,
        )  # fmt: skip
        return asked.episode(self._pipeline, self._whose(person))

    def write(
        self,
        *,
        subject: str | None = None,
        attribute: str | None = None,
        value: Value = UNSET,
        text: str | None = None,
        type: str = "fact",
        valid_from: Instantlike = None,
        valid_to: Instantlike = None,
        mode: Literal["change", "correction", "replace"] = "change",
        corrects: str | None = None,
        supersedes: str | None = None,
        confidence: float | None = None,
        importance: int | None = None,
        due: Instantlike = None,
        source_episode_id: str | None = None,
        quote: str | None = None,
        source: str | None = None,
        trust: str = "application",
        timezone: str | None = None,
        expires_at: Instantlike = None,
        ttl_days: int | None = None,
        retention_policy: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expect: str | None = None,
        idempotency_key: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> WriteResult:
        """Say what holds: a value of an attribute, or a memory in free text."""
        request = {
            "subject": subject, "attribute": attribute, "value": value, "text": text,
            "type": type, "valid_from": valid_from, "valid_to": valid_to, "mode": mode,
            "corrects": corrects, "supersedes": supersedes, "confidence": confidence,
            "importance": importance, "due": due, "source_episode_id": source_episode_id,
            "quote": quote, "source": source, "trust": trust, "timezone": timezone,
            "expires_at": expires_at, "ttl_days": ttl_days, "retention_policy": retention_policy,
            "metadata": metadata, "expect": expect,
        }  # fmt: skip
        return self._writer.write(self._whose(person), request, idempotency_key, "write")

    def write_many(
        self,
        items: Iterable[Mapping[str, Any]],
        atomic: bool = False,  # noqa: FBT002 - callers may pass it by position
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> list[WriteResult | VigentError]:
        """Take many writes and retractions in, in order.

        Each item has the fields of ``write`` (``"op": "retract"``: of ``retract``). An item that
        is refused gives its error in place; with ``atomic`` it raises, naming the item in
        ``field`` (``items.3.value``), and nothing is written.
        """
        return write_many(self._writer, items, self._whose(person) or None, atomic=atomic)

    def propose(
        self,
        delta: MemoryDelta,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> WriteResult:
        """Hand in a candidate: the checks see it and the state, and may hold or refuse it."""
        if not isinstance(delta, MemoryDelta):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("delta", "must be a MemoryDelta")
        if delta.tenant_id != self._tenant:
            raise TenantMismatch("tenant_id: is not the tenant of this memory", field="tenant_id")
        whose = self._whose(person)
        seen = None if delta.subject is None else self._state_of(delta.subject, whose or None)
        held, refused = judged(self._checks, delta, seen)
        return self._writer.propose(whose, delta.request(), held, refused)

    def _state_of(self, subject: str, person: str | None) -> State:
        return self.current(subject, person=person)

    def retract(
        self,
        *,
        subject: str,
        attribute: str,
        value: Value = UNSET,
        valid_from: Instantlike = None,
        mode: Literal["change", "correction"] = "change",
        source_episode_id: str | None = None,
        quote: str | None = None,
        source: str | None = None,
        trust: str = "application",
        timezone: str | None = None,
        idempotency_key: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> WriteResult:
        """Say what no longer holds, or (``mode="correction"``) what never did."""
        request = {
            "subject": subject, "attribute": attribute, "value": value, "valid_from": valid_from,
            "mode": mode, "source_episode_id": source_episode_id, "quote": quote,
            "source": source, "trust": trust, "timezone": timezone,
        }  # fmt: skip
        return self._writer.write(self._whose(person), request, idempotency_key, "retract")

    @overload
    def current(
        self,
        subject: str,
        attribute: str | None,
        *,
        as_of: Instantlike = None,
        known_at: Instantlike = None,
        timezone: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Any: ...

    @overload
    def current(
        self,
        subject: str,
        attribute: None = None,
        *,
        as_of: Instantlike = None,
        known_at: Instantlike = None,
        timezone: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> State: ...

    def current(
        self,
        subject: str,
        attribute: str | None = None,
        *,
        as_of: Instantlike = None,
        known_at: Instantlike = None,
        timezone: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Any:
        """Give what is in force: a record or None.

        A multi-valued attribute gives a tuple; with no attribute named it is the ``State`` of
        the subject.
        """
        reading, whose = self._reading, self._whose(person)
        at = reading.instants(as_of, known_at, timezone)
        if attribute is None:
            return state(reading, subject, whose, at)
        name, multi = reading.attribute(attribute)
        if multi:
            return current_many(reading, subject, name, whose, at)
        return current(reading, subject, name, whose, at)

    def history(
        self,
        subject: str,
        attribute: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> tuple[Record, ...]:
        """Give every stretch ever believed, by valid_from, then recorded_from.

        Those with ``recorded_to`` None are believed now.
        """
        return history(self._reading, subject, attribute, self._whose(person))

    def diff(
        self,
        *,
        since: Instantlike,
        until: Instantlike,
        axis: Literal["valid", "recorded"] = "valid",
        subject: str | None = None,
        timezone: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> tuple[Change, ...]:
        """Say what changed in ``(since, until]``, in the world or in what was believed.

        A bare date is the end of that day.
        """
        return diff(
            self._reading, since=since, until=until, axis=axis, subject=subject,
            person=self._whose(person), timezone=timezone,
        )  # fmt: skip

    def update(
        self,
        memory_id: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
        **fields: Any,
    ) -> Record:
        """Change fields in place; what is not named stays.

        Fields are confidence, importance, metadata, expires_at, ttl_days, retention_policy, and
        due and state of a commitment.
        """
        for name, how in _NOT_IN_PLACE.items():
            if fields.get(name) is not None:
                raise InvalidInput(name, f"cannot be updated; {how}")
        return self._for(person, lambda whose: self._writer.update(whose, memory_id, fields))

    def forget(
        self,
        memory_id: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> ForgetResult:
        """Remove what a memory said, for good; what it had ended does not come back."""
        gone = self._for(person, lambda whose: self._writer.forget(whose, memory_id))
        return ForgetResult(memory_id, gone)

    def erase_person(self, person: str, *, dry_run: bool = False, wait: bool = False) -> Receipt:
        """Remove everything of a person; ``wait`` until it is out of the files too.

        The receipt's state says whether it is.
        """
        done = self._keeper.erase(check_id(person, "person"), dry_run=dry_run, wait=wait)
        self._forget_found()
        return Receipt(done.person_hash, done.state, done.counts, done.shared, done.at)

    def sweep(self) -> int:
        """Forget what is past its time; gives how many memories."""
        self._keeper.prune_audit()
        return sweep(self._pipeline)

    def check(self, *, repair: bool = False) -> CheckReport:
        """Say what does not add up; ``repair`` mends quick answers and the search index."""
        return self._keeper.check(repair=repair)

    def close(self) -> None:
        """Release the store; whatever fails on the way, the rest is released all the same."""
        with closing(self._storage), ExitStack() as last:
            for release in (self.flush_retrieved, self._release, self.index.close):
                last.callback(release)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
