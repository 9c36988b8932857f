"""What the resources say: tenants, stores, keys, agents and persons, as frozen documents.

Each is stored as JSON. Unknown fields are refused, naming them.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Final, Literal, cast

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from vigent.domain.time import Instant, named_zone
from vigent.errors import SchemaMismatch
from vigent.govern.exacting import Exacting

__all__ = [
    "ALL_STORES",
    "CAPABILITIES",
    "AgentDocument",
    "AgentVersion",
    "Capability",
    "Improvements",
    "InjectionSpec",
    "KeyDocument",
    "KeyMemory",
    "KeyPii",
    "PersonDocument",
    "Policy",
    "Right",
    "Secret",
    "StoreDocument",
    "TenantDocument",
    "TenantSettings",
    "Zone",
]

Capability = Literal["memory", "knowledge", "threads", "responses", "management"]
CAPABILITIES: Final[tuple[Capability, ...]] = (
    "memory", "knowledge", "threads", "responses", "management",
)  # fmt: skip
Right = Literal["read", "write"]
ALL_STORES: Final = "*"
"""In a policy: every store of the tenant, also one made later."""

Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Days = Annotated[float, Field(gt=0, le=1_000_000)]


def _known_zone(given: str) -> str:
    named_zone(given)
    return given


Zone = Annotated[str, Field(max_length=100), AfterValidator(_known_zone)]
"""The IANA name of a time zone that is known."""


class _Document(Exacting):
    model_config = ConfigDict(frozen=True)


class Improvements(_Document):
    """Whether the service may learn across persons and propose what it learned."""

    enabled: bool = False


class TenantSettings(_Document):
    """What a tenant sets for all of its stores; ``timezone`` is an IANA name.

    ``models_offered`` left empty offers whatever the service can reach.
    """

    timezone: Zone | None = None
    models_offered: tuple[Name, ...] = ()
    helper_model: Name | None = None
    analysis_model: Name | None = None
    improvements: Improvements = Improvements()
    monthly_token_limit: Annotated[int, Field(ge=0, le=10**15)] | None = None
    audit_retention_days: Annotated[int, Field(ge=1, le=36_500)] = 3_650

    def offers(self, model: str) -> bool:
        """Whether a model may be named."""
        return not self.models_offered or model in self.models_offered


class TenantDocument(_Document):
    """A tenant: its settings, and the secret that its subject tokens are signed with."""

    settings: TenantSettings = TenantSettings()
    token_secret: str = Field(repr=False)


class StoreDocument(_Document):
    """A store: its settings by section, as they were sent, and its extraction switch."""

    settings: dict[str, Any] = Field(default_factory=dict)
    extraction: dict[str, Any] | None = None


class Policy(_Document):
    """Which stores a key sees, and what it may do there; ``*`` stands for every store."""

    stores: dict[str, tuple[Right, ...]] = Field(default_factory=dict)

    def rights(self, index_id: str) -> tuple[Right, ...] | None:
        """Give what is allowed in a store; None where it is not named, so absent."""
        found = self.stores.get(index_id)
        return self.stores.get(ALL_STORES) if found is None else found


def _plain(value: Any) -> Any:
    """Give JSON with its numbers as floats: a Decimal would be kept as text, which is no number."""
    if isinstance(value, Decimal):
        near = float(value)
        if Decimal(repr(near)) != value:
            # Pydantic adds the path, as to its own findings.
            raise PydanticCustomError("number", "must hold numbers that a float can hold")
        return near
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in cast("dict[str, Any]", value).items()}
    return [_plain(item) for item in cast("list[Any]", value)] if type(value) is list else value


class InjectionSpec(_Document):
    """Which memories of which store stand in a caller's context."""

    enabled: bool = True
    index_id: str | None = None
    types: tuple[str, ...] = ()
    metadata: dict[str, Any] = Field(default_factory=dict)
    min_confidence: float | None = None
    limit: int | None = None
    budget_tokens: int | None = None

    @field_validator("metadata")
    @classmethod
    def _as_json(cls, given: dict[str, Any]) -> dict[str, Any]:
        return {name: _plain(condition) for name, condition in given.items()}


class KeyMemory(_Document):
    """How memory comes to the agents of a key; half-lives are in days, by type."""

    retrieval_tool: bool = True
    write_tool: bool = True
    injection: InjectionSpec | None = None
    half_life_days: dict[Name, Days] = Field(default_factory=dict)
    trust_envelope: bool = True


class KeyPii(_Document):
    """What of personal data a model sees under a key."""

    hide: bool = False
    classes: tuple[Name, ...] = ()
    on_failure: Literal["refuse"] = "refuse"


class Secret(_Document):
    """The digest of a secret that is accepted, until an instant (microseconds) if one is given."""

    digest: str = Field(repr=False)
    until: int | None = None


class KeyDocument(_Document):
    """A key: what it may do, and the digests of its secrets; the secrets themselves are not kept.

    Instants are microseconds since 1970 in UTC. A key ends at ``expires_at``, and at once when
    it is revoked.
    """

    label: Name | None = None
    capabilities: tuple[Capability, ...] = ()
    policy: Policy = Policy()
    memory: KeyMemory = KeyMemory()
    pii: KeyPii = KeyPii()
    secrets: tuple[Secret, ...] = ()
    expires_at: int | None = None
    revoked_at: int | None = None

    @model_validator(mode="after")
    def _memory_needs_knowledge(self) -> KeyDocument:
        if "memory" in self.capabilities and "knowledge" not in self.capabilities:
            raise SchemaMismatch("capabilities", "memory needs knowledge too")
        return self

    def state(self, now: Instant) -> Literal["active", "expired", "revoked"]:
        """Say whether it opens anything at an instant, and if not, why."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "active"


class AgentVersion(_Document):
    """One version of an agent; an injection block here replaces the key's whole."""

    name: Name
    model: Name
    instructions: Annotated[str, StringConstraints(max_length=100_000)] | None = None
    memory_injection: InjectionSpec | None = None


class AgentDocument(_Document):
    """An agent with all of its versions, the latest last, and the key that made it."""

    versions: tuple[AgentVersion, ...]
    made_by: str | None = None


class PersonDocument(_Document):
    """What is set for a person; which entity they are, the engine keeps."""

    helper_model: Literal["allow", "deny"] = "allow"
    timezone: Zone | None = None
