"""Many writes at once: per item, or all or nothing."""

from __future__ import annotations

import gc
import math
import threading
import time
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, TypeGuard, cast

from vigent.domain.text import check_id
from vigent.errors import InvalidInput, VigentError
from vigent.write.accept import RETRACT_FIELDS, WRITE_FIELDS
from vigent.write.draft import Draft
from vigent.write.result import WriteResult
from vigent.write.session import Session
from vigent.write.verbs import Writer

__all__ = ["write_many"]

_CHUNK: Final = 4_000
"""How many items go into one transaction at most, unless all must."""

_PORTION: Final = 500
"""How many items are looked up, entered and written together: what is made of more has left the
processor's cache before it is written."""

_HOLD: Final = 1.0
"""For how long a transaction takes items in (s), unless all must: others wait for the lock."""

_TEXT: Final = {str}


class _Item(NamedTuple):
    """One item, checked: the draft, what it was made of, its idempotency key and its verb."""

    draft: Draft
    request: Mapping[str, Any]
    name: str | None
    verb: str


def write_many(
    writer: Writer, items: object, default_person: str | None, *, atomic: bool
) -> list[WriteResult | VigentError]:
    """Take many in; an item that is refused is an error in its place, or with ``atomic`` raised.

    The field of an error that is raised begins with its item: ``items.3.value``.
    Raises what is not about one item (no space, a busy store); what was taken in before it stays
    unless ``atomic``.
    """
    if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
        raise InvalidInput("items", "must be a list of mappings")
    with _collector_paused():  # what an item was made into is gone when it goes on
        return _taken(writer, cast("Iterable[object]", items), default_person, atomic=atomic)


def _taken(
    writer: Writer, items: Iterable[object], default_person: str | None, *, atomic: bool
) -> list[WriteResult | VigentError]:
    """Check all, then take them in, a transaction after the other."""
    out: list[WriteResult | VigentError] = []
    prepared = [_prepare(writer, item, default_person) for item in items]
    if atomic:
        for number, one in enumerate(prepared):
            if isinstance(one, VigentError):
                raise one.within(f"items.{number}")
    while len(out) < len(prepared):
        part = prepared if atomic else prepared[len(out) : len(out) + _CHUNK]
        with writer.pipeline.session() as session:
            until = time.monotonic() + (math.inf if atomic else _HOLD)
            for place, one in enumerate(part):
                if place % _PORTION == 0:
                    portion = [i.draft for i in part[place : place + _PORTION] if _stands(i)]
                    cited = [d.source_episode for d in portion if d.source_episode is not None]
                    session.look_up(map(writer.pipeline.key_id, portion), cited)
                found = _enter(writer, session, one)
                if atomic and isinstance(found, VigentError):
                    raise found.within(f"items.{len(out)}")
                out.append(found)
                if time.monotonic() > until:
                    break
            session.look_up(())  # whatever else the session is for reads for itself
    return out


def _stands(one: _Item | VigentError) -> TypeGuard[_Item]:
    return not isinstance(one, VigentError)


def _prepare(writer: Writer, item: object, default_person: str | None) -> _Item | VigentError:
    if not isinstance(item, Mapping):
        return InvalidInput("items", "must be mappings, one per write")
    request = dict(cast("Mapping[str, Any]", item))
    names = cast("Mapping[object, object]", item)
    if {*map(type, names)} != _TEXT and not all(isinstance(name, str) for name in names):
        return InvalidInput("items", "must name their fields by text")
    verb = request.pop("op", "write")
    name = request.pop("idempotency_key", None)
    person = request.pop("person", default_person)
    try:
        if verb not in ("write", "retract"):
            raise InvalidInput("op", "must be one of write, retract")
        known = WRITE_FIELDS if verb == "write" else RETRACT_FIELDS
        if not request.keys() <= known:
            unknown = sorted(request.keys() - known)
            raise InvalidInput(unknown[0], "is not a field of this operation")
        if verb == "retract":
            request = {"subject": None, "attribute": None, **request}
        person = "" if person is None else check_id(person, "person")
        return _Item(writer.draft(person, request, verb), request, name, verb)
    except VigentError as error:
        return error


def _enter(writer: Writer, session: Session, one: _Item | VigentError) -> WriteResult | VigentError:
    if isinstance(one, VigentError):
        return one
    try:
        return writer.enter(session, *one)
    except VigentError as error:
        # What an item is refused for is found before anything of it is applied.
        if error.category not in ("caller", "conflict"):
            raise
        return error


class _Pauses:
    """How many batches are under way, and whether the collector was on before the first."""

    guard = threading.Lock()
    count = 0
    was_on = False


@contextmanager
def _collector_paused() -> Generator[None]:
    """Keep the cycle collector from walking a batch again and again while it grows.

    Nothing of a batch is a cycle, so there is nothing to find; it costs a fifth of the time.
    """
    with _Pauses.guard:
        if _Pauses.count == 0:
            _Pauses.was_on = gc.isenabled()
            gc.disable()
        _Pauses.count += 1
    try:
        yield
    finally:
        with _Pauses.guard:
            _Pauses.count -= 1
            if _Pauses.count == 0 and _Pauses.was_on:
                gc.enable()
