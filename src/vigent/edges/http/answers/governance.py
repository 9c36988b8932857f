"""What the routes of governance answer."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from vigent.govern.documents import KeyMemory, KeyPii, Policy, TenantSettings
from vigent.govern.extraction import Switch
from vigent.govern.storesettings import StoreSections

__all__ = [
    "AuditAnswer",
    "AuditEntryAnswer",
    "ErasureAnswer",
    "ExportAnswer",
    "KeyAnswer",
    "KeysAnswer",
    "NewKeyAnswer",
    "NewStoreAnswer",
    "PersonAnswer",
    "ReceiptAnswer",
    "SettingsAnswer",
    "StoreAnswer",
    "StoresAnswer",
    "SwitchAnswer",
    "TenantAnswer",
    "TokenAnswer",
    "UsageAnswer",
]


class KeyAnswer(BaseModel):
    """A key, without its secret."""

    id: str
    prefix: str
    label: str | None
    state: str
    capabilities: list[str]
    policy: Policy
    memory: KeyMemory
    pii: KeyPii
    created_at: str
    changed_at: str
    expires_at: str | None
    revoked_at: str | None
    old_secret_until: str | None
    version: int


class NewKeyAnswer(KeyAnswer):
    """A key with its text, which is shown this once; null where a request is repeated."""

    key: str | None


class KeysAnswer(BaseModel):
    """Keys, and where the next ones begin."""

    keys: list[KeyAnswer]
    next: str | None


class TenantAnswer(BaseModel):
    """A tenant."""

    id: str
    created_at: str


class SettingsAnswer(TenantSettings):
    """What a tenant sets."""

    version: int


class ErasureAnswer(BaseModel):
    """What was removed, by table; ``state`` is dry_run, removed or purged."""

    state: str
    counts: dict[str, int]
    at: str


class ReceiptAnswer(ErasureAnswer):
    """What was removed of a person; the name is not kept, but a hash of it."""

    person_hash: str
    shared: list[str]


class UsageAnswer(BaseModel):
    """What model calls came to."""

    by: list[str]
    since: str
    until: str
    usage: list[dict[str, Any]]
    total: dict[str, int]


class PersonAnswer(BaseModel):
    """What is set for a person."""

    id: str
    helper_model: str
    timezone: str | None
    subject: str | None
    version: int


class TokenAnswer(BaseModel):
    """A token for one person."""

    token: str
    person: str
    expires_at: str


class ExportAnswer(BaseModel):
    """Everything of a person."""

    person_id: str
    tenant_id: str
    exported_at: str
    settings: PersonAnswer
    stores: list[str]
    memories: list[dict[str, Any]]
    episodes: list[dict[str, Any]]
    threads: list[dict[str, Any]]
    aliases: list[dict[str, Any]]
    blocks: list[dict[str, Any]]
    candidates: list[dict[str, Any]]
    audit: list[dict[str, Any]]


class AuditEntryAnswer(BaseModel):
    """One thing that happened; content that was erased is null."""

    id: str
    at: str
    action: str
    outcome: str
    target: str | None
    sealed: bool
    store: str | None
    person: str | None
    content: dict[str, Any] | None


class AuditAnswer(BaseModel):
    """Entries, newest first, and where the older ones begin."""

    entries: list[AuditEntryAnswer]
    next: str | None


class NewStoreAnswer(BaseModel):
    """A store."""

    id: str
    name: str
    created_at: str


class StoresAnswer(BaseModel):
    """Stores, and the cursor of the next page."""

    stores: list[NewStoreAnswer]
    next: str | None


class StoreAnswer(StoreSections):
    """A store with its settings."""

    id: str
    name: str
    created_at: str
    version: int


class RunAnswer(BaseModel):
    """A run that was asked for: the worker begins it next."""

    index_id: str
    status: Literal["queued"]


class LastRun(BaseModel):
    """A run of extraction: what it came to so far, and once it has ended, how.

    ``windows`` were read, ``failed`` and ``cancelled`` not. Of what was proposed in them,
    ``written`` is new, ``confirmed`` was known, ``superseded`` ended or corrected something;
    ``held`` waits, ``rejected`` was refused by the gate, ``left_out`` could not be judged.
    """

    started_at: str
    ended_at: str | None
    status: Literal["running", "done", "partial", "failed", "parked"]
    windows: int
    failed: int
    cancelled: int
    written: int
    confirmed: int
    superseded: int
    held: int
    rejected: int
    left_out: int
    error_code: str | None


class SwitchAnswer(Switch):
    """The extraction switch, and how it stands."""

    author: str | None
    since: str | None
    state: str
    last_run: LastRun | None
    error_code: str | None
    windows: dict[str, int]
