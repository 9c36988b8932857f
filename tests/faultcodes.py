"""The codes under which a candidate of a model's answer may be left out."""

from __future__ import annotations

FAULTS = frozenset(
    {
        "malformed",
        "unknown_item",
        "never_evidence",
        "evidence_missing",
        "unknown_word",
        "unknown_type",
        "unknown_attribute",
        "schema_mismatch",
        "unfit_text",
        "unknown_state",
        "other_key",
        "duplicate",
        "too_many",
    }
)
