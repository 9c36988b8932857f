"""Tries extraction on a thread: the model is asked, the gate judges, and all of it is undone."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final, cast

from vigent.domain.injection import InjectionBlock, StoreSettings
from vigent.domain.reasoning.window import DEFAULT_TYPES
from vigent.domain.threads import ThreadRow
from vigent.domain.usage import Account, Parked
from vigent.domain.windows import OVERLAP, Piece, Reading, cut, reading_id, thread_digest
from vigent.errors import CallerError, InvalidInput, ModelFailed, NotFound, Unauthorized
from vigent.learn.asking import Asked, ask_about
from vigent.learn.hiding import HidingFailed
from vigent.learn.pieces import pieces_between
from vigent.learn.reading import Shown, delta_of, shown
from vigent.memory import Memory
from vigent.ports.models import LanguageModel
from vigent.ports.storage import Storage, Transaction
from vigent.service.learning import AuthorMemory
from vigent.service.service import Service

__all__ = ["proposed_of"]

_KIND: Final = "extraction"


class _Undo(Exception):
    """Ends a transaction without keeping it."""


class _Undone:
    """A storage that keeps nothing: each transaction is rolled back at its end."""

    def __init__(self, inner: Storage) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    @contextmanager
    def transaction(self, tenant: str, **how: Any) -> Generator[Transaction]:
        """Give a transaction that comes to nothing."""
        with suppress(_Undo), self._inner.transaction(tenant, **how) as transaction:
            yield transaction
            raise _Undo


class _Trying(AuthorMemory):
    """A store as an operator has it, who needs no tenant to be set up."""

    def zone(self, person: str) -> str:
        """Give the zone of a person, or the tenant's, or UTC."""
        try:
            return super().zone(person)
        except Unauthorized:
            return "UTC"


def proposed_of(
    service: Service,
    tenant: str,
    store: str,
    person: str | None,
    thread: str,
    model: str | None = None,
) -> list[dict[str, Any]]:
    """Give what would become of a thread, window by window; only the tokens are counted.

    Each window has its candidates with outcome and reason, what of the answer could not be read
    (``left_out``), or ``error_code``. Raises NotFound, and InvalidInput for a model that is not
    to be had.
    """
    models = service.models
    if models is None:
        raise InvalidInput("models.model", "names no model")
    one = models.get(model or models.default)
    undone = cast("Storage", _Undone(service.storage))
    memory = Memory(
        undone, tenant=tenant, store=store, person=None, schema=service.schema,
        clock=service.clock, checks=(), embedder=None, injection=InjectionBlock(),
        settings=StoreSettings(), release=_nothing,
    )  # fmt: skip
    learns = _Trying(memory, service, tenant)
    with service.storage.snapshot() as snapshot:
        found = snapshot.threads(tenant, store, (person, "") if person else ("",), thread)
        if not found:
            raise NotFound(f"thread: there is no thread {thread} here", field="thread")
        row = found[0]
        pieces = list(pieces_between(snapshot, row, 0))
    home = service.registry.named(tenant, "store", store)
    account = Account(tenant, store if home is None else home.id, _KIND)
    hide = _hidden(service, row, account.store)
    told: list[dict[str, Any]] = []
    for span in cut(pieces):
        own = [p for p in pieces if span.first <= p.place <= span.last]
        before = [p for p in pieces if p.place < span.first][-OVERLAP:]
        every = [*(p._replace(evidence=False) for p in before), *own]
        told.append(_window(service, learns, one, account, row, every, hide))
    return told


def _hidden(service: Service, row: ThreadRow, store: str) -> Sequence[str] | None:
    id = reading_id(store, thread_digest(row.person, row.id, row.created_at))
    return Reading.of_row(service.registry.find(row.tenant, "reading", id)).hide


def _window(
    service: Service,
    memory: AuthorMemory,
    model: LanguageModel,
    account: Account,
    row: ThreadRow,
    pieces: Sequence[Piece],
    hide: Sequence[str] | None,
) -> dict[str, Any]:
    blank: dict[str, Any] = {"candidates": [], "left_out": [], "error_code": None}
    try:
        seen = shown(memory, row.person, pieces, DEFAULT_TYPES, "", hide)
        asked = ask_about(seen.window, model, service.metering, account)
    except HidingFailed:
        return {**blank, "error_code": "hiding_failed"}
    except ModelFailed as error:
        return {**blank, "error_code": error.code}
    if isinstance(asked, Parked):
        return {**blank, "error_code": "monthly_limit"}
    return {
        "candidates": _judged(seen, asked, memory, row.person),
        "left_out": [fault._asdict() for fault in asked.reading.faults],
        "error_code": None if asked.problem is None else asked.problem.code,
    }


def _judged(seen: Shown, asked: Asked, memory: AuthorMemory, person: str) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = []
    for proposed in asked.reading.proposed:
        said = {
            name: getattr(proposed, name)
            for name in ("subject", "attribute", "value", "text", "quote", "type", "relation")
        }
        try:
            found = memory.learn(person, delta_of(seen, proposed))
        except (HidingFailed, CallerError) as error:
            code = error.code if isinstance(error, CallerError) else "hiding_failed"
            told.append({**said, "outcome": "rejected", "reason": code})
            continue
        told.append({**said, "outcome": found.outcome, "reason": found.reason})
    return told


def _nothing() -> None:
    """Release nothing: the service has the store."""
