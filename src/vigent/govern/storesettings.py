"""The settings of a store by section: what each may hold, and what the engine takes of them."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, Field

from vigent.domain.gate.policy import GatePolicy
from vigent.domain.injection import (
    BlockLimits,
    CommitmentSettings,
    InjectionSettings,
    StoreSettings,
)
from vigent.domain.resources import ResourceRow
from vigent.govern.documents import StoreDocument
from vigent.govern.exacting import Exacting

__all__ = [
    "MANAGED",
    "PROMOTED",
    "BlocksSection",
    "CommitmentsSection",
    "GateSection",
    "InjectionSection",
    "LessonsSection",
    "MaintenanceSection",
    "PromotionSection",
    "ReflectionSection",
    "RetentionSection",
    "SharesSection",
    "StoreSections",
    "Unknown",
    "engine_settings",
    "settings_of",
]

Unknown = Literal["accept", "review", "reject"]
MANAGED: Final = frozenset({"gate", "retention", "audit_reads"})
"""Sections that need management."""
PROMOTED: Final = "promotion"
"""The section that needs management, in a tenant that has improvements."""


class _Section(Exacting):
    model_config = ConfigDict(frozen=True)


class SharesSection(_Section):
    """How much of the memory budget some memories take at most, from 0 to 1."""

    shared: Annotated[float, Field(ge=0, le=1)] = 0.4
    past_sessions: Annotated[float, Field(ge=0, le=1)] = 0.2


class InjectionSection(_Section):
    """How the store injects; ``budget_tokens`` can only lower what a caller asks for."""

    budget_tokens: Annotated[int, Field(ge=0, le=10_000_000)] | None = None
    shares: SharesSection = SharesSection()
    rank: Literal["confidence", "relevance", "blend"] = "confidence"
    episodes_limit: Annotated[int, Field(ge=0, le=200)] = 0


class CommitmentsSection(_Section):
    """How many open commitments are injected."""

    inject_limit: Annotated[int, Field(ge=0, le=200)] = 10


class BlocksSection(_Section):
    """How many always-visible blocks an owner has at most, and of how many characters each."""

    max_blocks: Annotated[int, Field(ge=0, le=64)] = 8
    max_characters: Annotated[int, Field(ge=1, le=8_000)] = 2_000


class LessonsSection(_Section):
    """Lessons across sessions: whether, and from how many sessions that went alike."""

    enabled: bool = False
    min_episodes: Annotated[int, Field(ge=2, le=100)] = 3


class PromotionSection(_Section):
    """Proposals to make a person's fact the organisation's; labels stand in its metadata."""

    enabled: bool = False
    labels: dict[str, str] = Field(default_factory=dict)


class ReflectionSection(_Section):
    """Higher observations drawn from episodes."""

    enabled: bool = False


class MaintenanceSection(_Section):
    """Confirming duplicates, marking contradictions, counting recurrence, reflecting."""

    enabled: bool = True
    reflection: ReflectionSection = ReflectionSection()


class RetentionSection(_Section):
    """Which policy applies where neither the type nor the attribute names one; else standard."""

    default: Annotated[str, Field(min_length=1, max_length=64)] | None = None


class GateSection(_Section):
    """What the gate asks besides the rules that always hold.

    What is said with less confidence, or with none, waits for a person's decision. The others say
    what becomes of classes of personal data, and of facts from documents.
    """

    min_confidence: Annotated[float, Field(ge=0, le=1)] = 0.0
    secrets: Unknown = "reject"
    accounts: Unknown = "reject"
    identities: Unknown = "reject"
    contacts: Unknown = "accept"
    documents: Unknown = "accept"
    requests: Unknown = "reject"


class StoreSections(_Section):
    """Every section of a store's settings; what was not sent has its default."""

    injection: InjectionSection = InjectionSection()
    commitments: CommitmentsSection = CommitmentsSection()
    blocks: BlocksSection = BlocksSection()
    lessons: LessonsSection = LessonsSection()
    promotion: PromotionSection = PromotionSection()
    maintenance: MaintenanceSection = MaintenanceSection()
    retention: RetentionSection = RetentionSection()
    gate: GateSection = GateSection()
    unknown_attributes: Unknown = "accept"
    unknown_types: Unknown = "accept"
    audit_reads: bool = False


def settings_of(row: ResourceRow) -> dict[str, Any]:
    """Give the sections that a store was sent; read once for each version of it."""
    return _settings_of(row.version, row.tenant, row.id, row.document)


@lru_cache(maxsize=1_000)
def _settings_of(version: int, tenant: str, id: str, document: str) -> dict[str, Any]:
    del version, tenant, id
    return StoreDocument.model_validate_json(document).settings


def engine_settings(stored: dict[str, Any]) -> tuple[StoreSettings, dict[str, Any]]:
    """Give what the engine takes of a store's settings: its bounds, and the rules of its schema.

    What a store does not say is left to its schema.
    """
    given = StoreSections.model_validate(stored)
    bounds = StoreSettings(
        injection=InjectionSettings(**given.injection.model_dump()),
        commitments=CommitmentSettings(**given.commitments.model_dump()),
        blocks=BlockLimits(**given.blocks.model_dump()),
        gate=GatePolicy(**given.gate.model_dump()),
    )
    rules: dict[str, Any] = {
        k: stored[k] for k in ("unknown_attributes", "unknown_types") if k in stored
    }
    rules["default_retention"] = given.retention.default
    rules["min_confidence"] = given.gate.min_confidence
    return bounds, rules
