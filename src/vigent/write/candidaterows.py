"""Candidates as rows: what of a proposal is kept, for how long, and by which id."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from vigent.domain.candidates import episode_of
from vigent.domain.gate.case import Verdict
from vigent.domain.gate.personal import masked
from vigent.domain.resources import ResourceRow
from vigent.ports.storage import Snapshot
from vigent.write.context import Context

__all__ = [
    "SECRET",
    "digest_of",
    "kept_of",
    "masked_delta",
    "orphans",
    "shown_of",
    "told_of",
]

SECRET: Final = frozenset({"secret", "account_number", "identity_number"})
"""Codes of what is kept nowhere."""
_LABELS: Final = (
    "subject", "attribute", "type", "mode", "confidence", "assertion", "durable", "speaker",
)  # fmt: skip
"""What a proposal says of itself, and not what it says."""
_PAGE: Final = 200


def digest_of(salt: bytes, person: str, delta: Mapping[str, Any]) -> str:
    """Give what is the same for the same proposal and tells nothing of it."""
    text = json.dumps([person, dict(delta)], sort_keys=True, ensure_ascii=False, default=repr)
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, key=salt, digest_size=12).hexdigest()


def masked_delta(verdict: Verdict, delta: Mapping[str, Any]) -> dict[str, Any]:
    """Give a proposal as it may be kept: what was refused as secret is named, not shown."""
    if not SECRET & set(verdict.codes):
        return dict(delta)
    about = str(delta.get("attribute") or "")
    shown: dict[str, Any] = {}
    for name, value in delta.items():
        if name == "value":
            shown[name] = (
                masked(str(value), about) if masked(str(value), about) != str(value) else "[hidden]"
            )
        else:
            shown[name] = masked(value) if isinstance(value, str) else value
    return shown


def kept_of(verdict: Verdict, outcome: str, delta: Mapping[str, Any]) -> dict[str, Any]:
    """Give what the row of a candidate keeps of a proposal.

    What is in force, or waits, says itself what was proposed; then forgetting it forgets all.
    """
    if outcome == "rejected":
        return masked_delta(verdict, delta)
    return {name: delta[name] for name in _LABELS if name in delta}


def told_of(snapshot: Snapshot, context: Context, rows: Sequence[ResourceRow]) -> frozenset[str]:
    """Give the episodes of some candidates that are still there."""
    ids = {episode_of(row.id) for row in rows}
    found = snapshot.episodes(context.tenant, ids=ids) if ids else []
    now = context.clock.now()
    return frozenset(one.id for one in found if one.content is not None and one.expires_at > now)


def orphans(snapshot: Snapshot, context: Context) -> list[ResourceRow]:
    """Give the candidates of the tenant whose episode is gone."""
    found: list[ResourceRow] = []
    after = ""
    while True:
        rows = snapshot.resources(context.tenant, "candidate", after=after, limit=_PAGE)
        told = told_of(snapshot, context, rows)
        found += [row for row in rows if episode_of(row.id) not in told]
        if len(rows) < _PAGE:
            return found
        after = rows[-1].id


def shown_of(verdict: Verdict, delta: Mapping[str, Any], name: str) -> Any:
    """Give one field of a proposal as it may be shown."""
    return masked_delta(verdict, delta).get(name)
