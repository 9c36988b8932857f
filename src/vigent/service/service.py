"""The service: one store for many tenants, keys and persons; what a caller may reach, and what not.

Edges hand in what a request says of its caller; a ``Caller`` gives the memory of the stores that
it may see. Tenant and rights come from the key alone. Refusals are audited.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import ExitStack
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

from vigent.domain.injection import InjectionBlock, StoreSettings
from vigent.domain.resources import ResourceRow
from vigent.domain.schema import Schema
from vigent.domain.text import check_id
from vigent.errors import NotFound, SubjectConflict, Unauthorized
from vigent.govern.documents import (
    ALL_STORES,
    CAPABILITIES,
    InjectionSpec,
    KeyDocument,
    Policy,
    Secret,
    StoreDocument,
    TenantDocument,
)
from vigent.govern.indexing import index_if_needed
from vigent.govern.injecting import block_of
from vigent.govern.keeping import Keeper
from vigent.govern.keyring import key_of
from vigent.govern.keys import accepted, new_secret, read_key, read_token, secret_digest, show_key
from vigent.govern.metering import Metering
from vigent.govern.registry import Actor, Registry
from vigent.govern.storesettings import engine_settings
from vigent.govern.upkeep import Upkeep
from vigent.learn.worker import EmbeddingWorker
from vigent.memory import Memory
from vigent.ports.models import Embedder, LanguageModels
from vigent.ports.storage import Storage, Transaction
from vigent.ports.system import Clock
from vigent.schema import SchemaSource, load_schema
from vigent.service.caller import Caller
from vigent.service.working import Extractor, extractor_of
from vigent.settings import (
    LanguageSettings,
    LearningSettings,
    UpkeepSettings,
    embedder_settings,
)
from vigent.system import RandomIds, SystemClock
from vigent.wiring import open_embedder, open_models, open_storage
from vigent.write.context import Context
from vigent.write.draft import UNSET
from vigent.write.pipeline import WritePipeline
from vigent.write.sweep import sweep

__all__ = ["FirstStart", "Presented", "Service"]

_NOBODY: Final = (
    "", "key", "", None, "", 1,
    KeyDocument(
        capabilities=CAPABILITIES, secrets=(Secret(digest="0" * 64),), revoked_at=0
    ).model_dump_json(),
    0, 0,
)  # fmt: skip
_KEPT: Final = 1_000
"""How many views of stores by callers are kept ready."""


class Presented(NamedTuple):
    """What a request says of its caller."""

    authorization: str | None = None
    subject: str | None = None
    token: str | None = None


class FirstStart(NamedTuple):
    """What the first start made; the key is shown this once."""

    tenant: str
    index_id: str
    key: str


class Service:
    """One store that serves many callers."""

    def __init__(
        self,
        storage: Storage,
        *,
        clock: Clock,
        schema: Schema,
        embedder: Embedder | None,
        release: Callable[[], None],
        models: LanguageModels | None = None,
    ) -> None:
        self.storage = storage
        self.clock = clock
        self.schema = schema
        self.ids = RandomIds()
        self.registry = Registry(storage, clock, self.ids)
        self.models = models
        self.metering = Metering(self.registry)
        self._embedder, self._release = embedder, release
        self._worker = (
            None if embedder is None else EmbeddingWorker(storage, embedder, SystemClock())
        )
        self.upkeep: Upkeep | None = None
        self._extractor: Extractor | None = None
        self._stores: dict[tuple[str, str], Memory] = {}
        self._seen: OrderedDict[tuple[Any, ...], Memory] = OrderedDict()
        self._lock = threading.Lock()

    @classmethod
    def open(
        cls,
        path_or_url: str | os.PathLike[str],
        *,
        schema: SchemaSource = None,
        clock: Clock | None = None,
        embedder: Any = UNSET,
        durability: str = "normal",
        busy_timeout: float = 10.0,
        models: LanguageSettings | None = None,
    ) -> Service:
        """Open a store as ``Memory.open`` does, for all of its tenants.

        ``busy_timeout`` is how many seconds a write waits for the lock before StoreBusy.
        ``models`` says which language models it reaches: without it, or where it names none, no
        turn is answered and nothing is extracted here.
        """
        declared = load_schema(schema)
        with ExitStack() as opened:
            model, release = open_embedder(embedder_settings() if embedder is UNSET else embedder)
            opened.callback(release)
            language = None if models is None or not models.reaches_any else open_models(models)
            if language is not None:
                opened.callback(language.close)
            storage = open_storage(path_or_url, durability=durability, busy_timeout=busy_timeout)
            opened.callback(storage.close)
            one = cls(
                storage, clock=clock or SystemClock(), schema=declared, embedder=model,
                release=release, models=language,
            )  # fmt: skip
            opened.pop_all()
        return one

    # ------------------------------------------------------------------------- callers

    def caller(self, presented: Presented) -> Caller:
        """Say who calls; raises Unauthorized, or SubjectConflict where two persons are named."""
        scheme, _, text = (presented.authorization or "").partition(" ")
        parts = read_key(text.strip()) if scheme.lower() == "bearer" else None
        tenant, id, secret = parts or ("", "", "")
        row = self.registry.find(tenant, "key", id) or _nobody()
        document = key_of(row)
        if not accepted(document, secret, self.clock.now()):
            raise Unauthorized(
                "the key is not valid"
                if presented.authorization
                else "a key is missing: send the header Authorization: Bearer, then the key"
            )
        person, by_token = self._person(tenant, presented)
        return Caller(self, row, document, person, by_token=by_token)

    def _person(self, tenant: str, presented: Presented) -> tuple[str | None, bool]:
        named = presented.subject
        if named is not None:
            check_id(named, "X-Vigent-Subject")
        if presented.token is None:
            return named, False
        secret = self.tenant(tenant).token_secret
        person, key = read_token(secret, presented.token, tenant=tenant, now=self.clock.now())
        minter = self.registry.find(tenant, "key", key)
        if minter is None or key_of(minter).revoked_at is not None:
            raise Unauthorized("the subject token is not valid")  # its key was revoked: so is it
        if named not in (None, person):
            raise SubjectConflict("X-Vigent-Subject", "is not the person of the subject token")
        return person, True

    def tenant(self, tenant: str) -> TenantDocument:
        """Give what is set for a tenant; raises Unauthorized for one that is gone."""
        row = self.registry.find(tenant, "tenant", tenant)
        if row is None:
            raise Unauthorized("the tenant is not known")
        return _tenant_of(row.version, row.tenant, row.document)

    # -------------------------------------------------------------------------- memory

    def memory(
        self,
        store: ResourceRow,
        caller: Caller,
        injection: InjectionSpec | None = None,
    ) -> Memory:
        """Give the memory of a store as a caller sees it."""
        key = caller.row
        named = (store.tenant, store.id, store.version, key.id, key.version, injection)
        handle = (*named[:5], None if injection is None else injection.model_dump_json())
        with self._lock:
            found = self._seen.get(handle)
            if found is not None:
                self._seen.move_to_end(handle)
                return found
        made = self._made(store, caller, injection)
        with self._lock:
            self._seen[handle] = made
            gone = self._seen.popitem(last=False)[1] if len(self._seen) > _KEPT else None
        if gone is not None:
            gone.flush_retrieved()
        return made

    def _made(self, store: ResourceRow, caller: Caller, injection: InjectionSpec | None) -> Memory:
        settings = StoreDocument.model_validate_json(store.document).settings
        bounds, unknown = engine_settings(settings)
        schema = self.schema.as_used(
            half_lives=caller.document.memory.half_life_days, **unknown
        )  # fmt: skip
        spec = injection or caller.document.memory.injection
        block = block_of(spec)
        return self._memory(
            store, schema, block, bounds, beside=self.base(store), writer=caller.row.id
        )

    def base(self, store: ResourceRow) -> Memory:
        """Give the memory of a store as the service itself has it."""
        name = (store.tenant, store.name or store.id)
        with self._lock:
            found = self._stores.get(name)
        if found is None:
            index_if_needed(self.storage, *name)
            made = self._memory(store, self.schema, InjectionBlock(), StoreSettings())
            with self._lock:
                found = self._stores.setdefault(name, made)
        return found

    def _memory(
        self,
        store: ResourceRow,
        schema: Schema,
        injection: InjectionBlock,
        settings: StoreSettings,
        *,
        beside: Memory | None = None,
        writer: str | None = None,
    ) -> Memory:
        name = store.name or store.id
        context = Context(
            store.tenant, name, schema, self.clock, self.ids, writer=writer,
            caller=writer or "service", home=partial(_still_there, store.tenant, store.id),
        )  # fmt: skip
        return Memory(
            self.storage, tenant=store.tenant, store=name, person=None, schema=schema,
            clock=self.clock, checks=(), embedder=self._embedder, injection=injection,
            settings=settings, release=_nothing, context=context, beside=beside,
            worker=self._worker,
        )  # fmt: skip

    # ----------------------------------------------------------------------- operation

    def start(
        self, settings: UpkeepSettings | None = None, learning: LearningSettings | None = None
    ) -> None:
        """Begin what goes on beside the calls: vectors, and keeping the store in order.

        With ``learning``, where it is on, conversations are read too.
        """
        if self._worker is not None:
            self._worker.catch_up(0, 0)
        chosen = settings or UpkeepSettings()
        storage = self.storage
        if chosen.enabled and storage.writable and not storage.is_branch and self.upkeep is None:
            self.upkeep = Upkeep(self.storage, self.clock, self._sweep, chosen)
            self.upkeep.start()
        if learning is not None and learning.enabled and self._extractor is None:
            self._extractor = extractor_of(self, learning)
            if self._extractor is not None:
                self._extractor.start()

    @property
    def worker_name(self) -> str:
        """A name for a worker, another each time."""
        return self.ids.new("wrk")

    def learn_now(self) -> None:
        """Have the worker of this process, if there is one, look for what is to be read."""
        if self._extractor is not None:
            self._extractor.wake()

    def _sweep(self, tenant: str) -> int:
        """Forget what of a tenant is past its time, in each of its stores."""
        context = Context(
            tenant, "default", self.schema, self.clock, self.ids, caller="service",
            home=partial(_still_known, tenant),
        )  # fmt: skip
        Keeper(
            self.storage, self.schema, self.clock, self.ids, tenant, context.store
        ).prune_audit()  # fmt: skip
        return sweep(WritePipeline(self.storage, context))

    @property
    def embedding(self) -> EmbeddingWorker | None:
        """What makes vectors, where there is an embedder."""
        return self._worker

    def first_start(self, tenant: str = "default", store: str = "default") -> FirstStart | None:
        """Make a tenant, a store and an admin key where no tenant has a key; else None."""
        with self.storage.snapshot() as snapshot:
            if any(snapshot.resources(t, "key", limit=1) for t in snapshot.tenants()):
                return None
        return self.new_tenant(tenant, store)

    def new_tenant(self, tenant: str, store: str = "default") -> FirstStart:
        """Make a tenant with one store and an admin key; raises ResourceExists."""
        actor, secret = Actor(check_id(tenant, "tenant")), new_secret()
        document = KeyDocument(
            label="admin", capabilities=CAPABILITIES,
            policy=Policy(stores={ALL_STORES: ("read", "write")}),
            secrets=(Secret(digest=secret_digest(secret)),),
        )  # fmt: skip
        signing = TenantDocument(token_secret=new_secret())
        with self.registry.writing(tenant, new=True) as transaction:
            enter = self.registry.enter
            enter(transaction, actor, "tenant", signing, id=tenant)
            made = enter(transaction, actor, "store", StoreDocument(), name=store)
            key = enter(transaction, actor, "key", document)
        return FirstStart(tenant, made.id, show_key(tenant, key.id, secret))

    def forget(self, tenant: str) -> None:
        """Let go of what is kept ready of a tenant: what is read next is read anew."""
        with self._lock:
            stores = [self._stores.pop(k) for k in [k for k in self._stores if k[0] == tenant]]
            for handle in [h for h in self._seen if h[0] == tenant]:
                del self._seen[handle]
        for memory in stores:
            memory.index.forget()

    def close(self) -> None:
        """Release the store; what was counted is written first."""
        if self._extractor is not None:
            self._extractor.stop()
        if self.upkeep is not None:
            self.upkeep.stop()
        with ExitStack() as last:
            last.callback(self.storage.close)
            last.callback(self._release)
            if self.models is not None:
                last.callback(self.models.close)
            if self._worker is not None:
                last.callback(self._worker.stop)
            for memory in (*self._seen.values(), *self._stores.values()):
                last.callback(memory.flush_retrieved)


def _nobody() -> ResourceRow:
    """Give the row of a key that opens nothing: where there is none it is looked at as closely."""
    return ResourceRow._make(_NOBODY)


def _still_there(tenant: str, id: str, transaction: Transaction) -> None:
    """Refuse a write that began before its store was deleted: nothing comes back."""
    if transaction.resource(tenant, "store", id) is None:
        raise NotFound("index_id: the store was deleted meanwhile", field="index_id")


def _still_known(tenant: str, transaction: Transaction) -> None:
    """Refuse a sweep that began before its tenant was deleted.

    A tenant may have memory and no resources: one that was only ever written to by the library.
    """
    if transaction.ledger(tenant).salt is None:
        raise NotFound("tenant: it was deleted meanwhile", field="tenant")


@lru_cache(maxsize=1_000)
def _tenant_of(version: int, tenant: str, document: str) -> TenantDocument:
    del version, tenant
    return TenantDocument.model_validate_json(document)


def _nothing() -> None:
    """Release nothing."""
