"""Statements as a line of text, for tests of the timeline."""

from __future__ import annotations

from vigent.domain.statements import Statement
from vigent.domain.time import OPEN

_DEFAULTS: dict[str, object] = {
    "tenant": "t", "key": 1, "member": b"", "role": "asserted", "kind": "value", "token": b"",
    "stated_end": 1, "basis": "stated", "withdrawn_at": OPEN, "forgotten_at": OPEN, "gap": 0,
    "place": 0, "clean": 0, "indexed": 0, "keep": "", "type": "fact", "value_kind": "text",
    "value": None, "text": None, "replaces": None, "status": "active", "contested": 0,
    "source_episode": None, "source": None, "quote": None, "speaker": None,
    "trust": "application", "writer": None, "confidence": 1.0, "importance": 5,
    "metadata": "{}", "retention": "standard", "expires_at": OPEN, "created_at": 0,
    "last_changed_at": 0, "confirmed_at": None, "evidence_count": 1, "retrieved_count": 0,
    "schema_version": 0, "fields": "{}", "flagged": 0, "fingerprint": None,
    "outcome": "stored", "ended": "", "reason": None,
}  # fmt: skip


def said(spec: str) -> list[Statement]:
    """Read statements out of a line such as ``A@10 B[20,40) end:A@30 none@50``."""
    out: list[Statement] = []
    for number, word in enumerate(spec.split(), start=1):
        kind, _, rest = word.rpartition(":")
        if "@" in rest:
            value, _, start = rest.partition("@")
            end = OPEN
        else:
            value, _, dates = rest.removesuffix(")").partition("[")
            start, _, stop = dates.partition(",")
            end = int(stop)
        if value == "none":
            kind, value = "none", ""
        out.append(
            Statement(
                **{
                    **_DEFAULTS,
                    "no": number,
                    "id": f"mem_{number}",
                    "kind": kind or "value",
                    "token": value.encode(),
                    "valid_from": int(start),
                    "valid_to": end,
                    "recorded_from": number,
                    "turn": number,
                    "bears": number,
                    "bears_from": number,
                }  # type: ignore[arg-type]
            )
        )
    return out
