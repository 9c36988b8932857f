"""The extraction switch of a store: what it may say, and how it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import ConfigDict, Field

from vigent.domain.changes import ChangeSet, ResourceChanges
from vigent.domain.resources import ResourceRow
from vigent.domain.schema import BUILT_IN_TYPES
from vigent.domain.text import MAX_TYPE, check_name
from vigent.domain.time import Instant, iso
from vigent.domain.windows import FAILED, PARKED, QUEUED, Run, Waiting, of_state, prefix
from vigent.errors import InvalidInput
from vigent.govern.documents import Name, StoreDocument, TenantSettings
from vigent.govern.exacting import Exacting
from vigent.govern.keyring import key_of
from vigent.ports.storage import Snapshot, Transaction

__all__ = [
    "KeptSwitch", "Switch", "SwitchFilters", "ask_run", "checked", "learned_in", "naming_agent",
    "shown_switch", "state_of",
]  # fmt: skip

_DEFAULT: Final = ("fact", "preference", "commitment", "behaviour")
_PAGE: Final = 1_000

Ids = Annotated[tuple[Name, ...], Field(max_length=100)]


class SwitchFilters(Exacting):
    """Of which keys and agents threads are read; both given, both must hold."""

    model_config = ConfigDict(frozen=True)

    key_ids: Ids = ()
    agent_ids: Ids = ()


class Switch(Exacting):
    """What is sent to switch extraction of a store on or off."""

    model_config = ConfigDict(frozen=True)

    enabled: bool
    model: Name | None = None
    instructions: Annotated[str, Field(max_length=20_000)] | None = None
    types: Annotated[tuple[Name, ...], Field(min_length=1, max_length=50)] = _DEFAULT
    schedule_minutes: Annotated[int, Field(ge=1, le=10_080)] = 60
    quiet_minutes: Annotated[int, Field(ge=0, le=10_080)] = 30
    threads: Literal["with_person", "all"] = "with_person"
    filters: SwitchFilters = SwitchFilters()
    episodes: bool = False
    lessons: bool = False


class KeptSwitch(Switch):
    """The switch as it is kept: with its author, and since when it is on.

    One that was kept without ``threads`` reads all of them.
    """

    threads: Literal["with_person", "all"] = "all"
    author: str
    since: int
    connector: bool = True


class _Where(NamedTuple):
    """What a switch is checked against."""

    snapshot: Snapshot
    tenant: str
    settings: TenantSettings


def checked(
    snapshot: Snapshot,
    tenant: str,
    settings: TenantSettings,
    sent: Switch,
    before: StoreDocument,
    *,
    author: str,
    now: Instant,
) -> KeptSwitch:
    """Check a switch that was sent; raises InvalidInput naming the first field that does not fit.

    Ids that the switch had already are not checked again.
    """
    where = _Where(snapshot, tenant, settings)
    kept = None if before.extraction is None else KeptSwitch.model_validate(before.extraction)
    if sent.lessons and not sent.episodes:
        raise InvalidInput("lessons", "needs episodes too")
    for name in sent.types:
        known = BUILT_IN_TYPES.get(check_name(name, "types", MAX_TYPE))
        if known is not None and known.service_only:
            raise InvalidInput("types", f"{name} is the service's own")
    if sent.enabled:
        if sent.model is None:
            raise InvalidInput("model", "must be given")
        if not settings.offers(sent.model):
            raise InvalidInput("model", f"{sent.model} is not offered in this tenant")
        _check_ids(where, sent.filters, SwitchFilters() if kept is None else kept.filters)
    since = now if kept is None or not (kept.enabled and sent.enabled) else kept.since
    fields = sent.model_dump()
    return KeptSwitch(**fields, author=author, since=since, connector=True)


def _check_ids(where: _Where, filters: SwitchFilters, had: SwitchFilters) -> None:
    for id in filters.agent_ids:
        if id in had.agent_ids:
            continue
        if where.snapshot.resource(where.tenant, "agent", id) is None:
            raise InvalidInput("filters.agent_ids", f"there is no agent {id}")
    for id in filters.key_ids:
        if id in had.key_ids or where.snapshot.resource(where.tenant, "key", id) is not None:
            continue
        # A deleted key is known for as long as the trail tells of it.
        told = where.snapshot.audit_entries(where.tenant, action="key_delete", target=id, limit=1)
        if not told:
            raise InvalidInput("filters.key_ids", f"there never was a key {id}")


def shown_switch(
    snapshot: Snapshot, settings: TenantSettings, row: ResourceRow, now: Instant
) -> dict[str, Any]:
    """Give the switch of a store as it is answered: its state, its last run and its windows."""
    tenant, store = row.tenant, StoreDocument.model_validate_json(row.document)
    work = _work(snapshot, tenant, row.id)
    if store.extraction is None:
        sent = Switch(enabled=False).model_dump(mode="json")
        return {**sent, "state": "off", "author": None, "since": None, **work}
    kept = KeptSwitch.model_validate(store.extraction)
    told = kept.model_dump(mode="json", exclude={"connector", "since"})
    state = state_of(snapshot, tenant, settings, kept, now)
    return {**told, "since": iso(kept.since), "state": state, **work}


def _work(snapshot: Snapshot, tenant: str, store: str) -> dict[str, Any]:
    """Give the last run, how many windows there are by state, and why most of the failed did."""
    run = Run.of_row(snapshot.resource(tenant, "run", store))
    failed = Counter(Waiting.of_row(row).code for row in _windows(snapshot, tenant, store, FAILED))
    commonest = min(failed, key=lambda code: (-failed[code], code or "")) if failed else None
    counts = {
        "ready": run.ready, "failed": failed.total(),
        "queued": sum(1 for _ in _windows(snapshot, tenant, store, QUEUED)),
        "parked": sum(1 for _ in _windows(snapshot, tenant, store, PARKED)),
    }  # fmt: skip
    return {"last_run": run.told, "error_code": commonest, "windows": counts}


def ask_run(transaction: Transaction, store: ResourceRow, now: Instant) -> None:
    """Have the worker begin a run of a store with its next look."""
    before = transaction.resource(store.tenant, "run", store.id)
    asked = replace(Run.of_row(before), asked=True)
    kept = ResourceChanges(kept=[asked.row(store.tenant, store.id, before, now)])
    transaction.apply(ChangeSet(store.tenant, resources=kept))


def _windows(snapshot: Snapshot, tenant: str, store: str, state: str) -> Iterator[ResourceRow]:
    after = prefix(store, state)
    while True:
        rows = snapshot.resources(tenant, "window", after=after, limit=_PAGE)
        mine = of_state(rows, store, state)
        yield from mine
        if len(mine) < _PAGE:
            return
        after = rows[-1].id


def learned_in(snapshot: Snapshot, tenant: str, store: str) -> list[ResourceRow]:
    """Give all that is kept of the extraction of a store, by its id: it goes with the store."""
    found = [row for state in (QUEUED, FAILED, PARKED)
             for row in _windows(snapshot, tenant, store, state)]  # fmt: skip
    begin = after = f"{store}/"
    while rows := snapshot.resources(tenant, "reading", after=after, limit=_PAGE):
        mine = [row for row in rows if row.id.startswith(begin)]
        found += mine
        if len(mine) < len(rows):
            break
        after = rows[-1].id
    run = snapshot.resource(tenant, "run", store)
    return found if run is None else [*found, run]


def state_of(
    snapshot: Snapshot, tenant: str, settings: TenantSettings, kept: KeptSwitch, now: Instant
) -> str:
    """Say how a switch stands; only the switch, its author, its connector and its model count."""
    if not kept.connector:
        return "objects_missing"
    if not kept.enabled:
        return "off"
    row = snapshot.resource(tenant, "key", kept.author)
    if row is None or key_of(row).state(now) != "active":
        return "author_unavailable"
    return "active" if settings.offers(kept.model or "") else "model_unavailable"


def naming_agent(snapshot: Snapshot, tenant: str, agent: str) -> str | None:
    """Give the id of a store whose switch names an agent, if there is one."""
    after = ""
    while rows := snapshot.resources(tenant, "store", after=after, limit=_PAGE):
        for row in rows:
            kept = StoreDocument.model_validate_json(row.document).extraction
            if kept is not None and agent in KeptSwitch.model_validate(kept).filters.agent_ids:
                return row.id
        after = rows[-1].id
    return None
