"""The content of a record: the columns of a statement that it shows, and how they are written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from operator import itemgetter
from typing import Any, Final

import orjson

from vigent.domain.exact import exact_json, restored
from vigent.domain.jsontext import check_metadata
from vigent.domain.statements import Statement
from vigent.domain.time import OPEN, instant_of

__all__ = [
    "AT",
    "CONTENT_FIELDS",
    "beyond_json",
    "content_of",
    "moment_of",
    "pack",
    "shown_columns",
]

CONTENT_FIELDS: Final = (
    "id",
    "type",
    "value_kind",
    "value",
    "text",
    "schema_version",
    "basis",
    "source_episode",
    "source",
    "quote",
    "speaker",
    "trust",
    "confidence",
    "importance",
    "evidence_count",
    "retrieved_count",
    "contested",
    "status",
    "retention",
    "expires_at",
    "created_at",
    "last_changed_at",
    "confirmed_at",
    "metadata",
    "fields",
)
"""The columns of a statement that a record shows, in the order of the packed form."""

shown_columns = itemgetter(*(Statement._fields.index(name) for name in CONTENT_FIELDS))
AT: Final = {name: i for i, name in enumerate(CONTENT_FIELDS)}


def pack(statement: Statement) -> str:
    """Give the content of a statement as one text, which ``Record`` can read back."""
    return orjson.dumps(shown_columns(statement)).decode()


_SAID: Final = frozenset({
    "tenant_id", "memory_id", "store_id", "person_id", "memory_type", "subject", "attribute",
    "value", "value_kind", "value_json", "text", "schema_version", "valid_from", "valid_to",
    "valid_from_basis", "recorded_from", "recorded_to", "supersedes_memory_id", "superseded_by",
    "source_episode_id", "source", "quote", "speaker", "trust", "confidence",
    "effective_confidence", "importance", "evidence_count", "retrieved_count", "contested",
    "status", "retention_policy", "expires_at", "created_at", "last_changed_at", "confirmed_at",
    "half_life_days", "as_of", "known_at", "answered_at", "metadata",
})  # fmt: skip


def beyond_json(kind: str | None, stored: str) -> dict[str, str]:
    """Give what JSON cannot say of a value, to stand beside it."""
    exact = exact_json(stored) if kind == "json" else None
    return {} if exact is None else {"value_json": exact}


def moment_of(text: str | None, missing: Any) -> Any:
    """Give an instant that ``iso`` wrote, or what stands where there is none."""
    return missing if text is None else instant_of(text)


def content_of(found: Mapping[str, Any]) -> list[Any]:
    """Give the content of the record that was written as a dict."""
    kind = found["value_kind"]
    stored = None if kind is None else restored(kind, found["value"], found.get("value_json"))
    own = {name: value for name, value in found.items() if name not in _SAID}
    columns: dict[str, Any] = {
        "id": found["memory_id"], "type": found["memory_type"], "value": stored,
        "basis": found["valid_from_basis"], "source_episode": found["source_episode_id"],
        "contested": int(found["contested"]), "retention": found["retention_policy"],
        "expires_at": moment_of(found["expires_at"], OPEN),
        "created_at": instant_of(found["created_at"]),
        "last_changed_at": instant_of(found["last_changed_at"]),
        "confirmed_at": moment_of(found["confirmed_at"], None),
        "metadata": check_metadata(found["metadata"]),
        "fields": json.dumps(own) if own else "{}",
    }  # fmt: skip
    return [columns[name] if name in columns else found[name] for name in CONTENT_FIELDS]
