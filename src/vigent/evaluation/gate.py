"""Replays candidates through capture, gate and commit, and compares what became of them.

Each line of a file is a case of its own, in a fresh store: items that were said, candidates that
somebody proposes of them, and what is expected of each.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from vigent import Memory, MemoryDelta, VigentError
from vigent.errors import InvalidInput

__all__ = ["evaluate_gate"]

_HELD: Final = frozenset({"buffered", "pending_review", "contested", "unresolved"})
_EXPECTED: Final = ("in_force", "held", "refused")
_KINDS: Final = {"tool_call": "tool_call", "tool_result": "tool_result"}
_ROLES: Final = {"tool_call": "assistant", "tool_result": "tool"}
_THREAD: Final = "case"
_HALF_HOURS: Final = {
    -570: "Pacific/Marquesas", -210: "America/St_Johns", 210: "Asia/Tehran", 270: "Asia/Kabul",
    330: "Asia/Kolkata", 345: "Asia/Kathmandu", 390: "Asia/Yangon", 570: "Australia/Darwin",
    765: "Pacific/Chatham",
}  # fmt: skip

Told = Callable[[str, int, int], None]


def evaluate_gate(
    path: Path,
    *,
    tenant: str = "default",
    schema: Any = None,
    progress: Told | None = None,
    line: Callable[[dict[str, Any]], None] | None = None,
) -> dict[str, Any]:
    """Judge every case of a file of JSON lines; gives the number of cases, and what was wrong.

    ``line`` is told what each case came to. Raises InvalidInput naming the line that is no case.
    """
    cases = list(_cases(path))
    wrong: list[dict[str, Any]] = []
    counts: dict[str, Counter[str]] = {}
    for number, case in enumerate(cases, 1):
        told = _judged(case, tenant, schema)
        if line is not None:
            line(told)
        if told["got"] != told["expect"]:
            wrong.append({name: told[name] for name in ("id", "expect", "got", "reason")})
        counts.setdefault(str(case.get("class", "all")), Counter()).update(_listed(told["got"]))
        if progress is not None:
            progress("judging", number, len(cases))
    classes = {name: dict(sorted(counter.items())) for name, counter in sorted(counts.items())}
    return {"cases": len(cases), "wrong": wrong, "classes": classes}


def _listed(got: Any) -> list[str]:
    return cast("list[str]", got) if isinstance(got, list) else [str(got)]


def _cases(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput("path", f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidInput("path", f"{path} is not UTF-8: {error.reason}") from error
    for number, row in enumerate(text.split("\n"), 1):
        if not row.strip():
            continue
        try:
            case = json.loads(row)
        except ValueError as error:
            raise InvalidInput(f"line {number}", f"is no JSON: {error}") from error
        missing = [n for n in ("id", "items", "candidates", "expect") if n not in case]
        if missing:
            raise InvalidInput(f"line {number}", f"has no {missing[0]}")
        for expected in _listed(case["expect"]):
            if expected not in _EXPECTED:
                raise InvalidInput(f"line {number}", f"expect must be of {', '.join(_EXPECTED)}")
        yield case


def _judged(case: Mapping[str, Any], tenant: str, schema: Any) -> dict[str, Any]:
    """Give what became of the candidates of a case, in a store of its own."""
    items: list[Mapping[str, Any]] = case["items"]
    person = next((str(one["person"]) for one in items if one.get("person")), None)
    with Memory.open(
        ":memory:", tenant=tenant, person=person, schema=schema, embedder="none"
    ) as memory:
        kept = [_captured(memory, one, person) for one in items]
        answers = [
            _outcome(memory, candidate, items, kept, tenant) for candidate in case["candidates"]
        ]
    several = isinstance(case["expect"], list)
    got = [outcome for outcome, _ in answers]
    reasons = [reason for _, reason in answers]
    return {
        "id": case["id"],
        "expect": case["expect"],
        "got": got if several else got[0] if got else None,
        "reason": reasons if several else reasons[0] if reasons else None,
    }


def _captured(memory: Memory, item: Mapping[str, Any], person: str | None) -> str | None:
    """Give the id of the episode that an item became; None where capture refused it."""
    role = str(item.get("role", "user"))
    kind = item.get("kind") or _KINDS.get(role, "message")
    try:
        return memory.capture(
            item["text"], role=_ROLES.get(role, role), kind=kind, occurred_at=item.get("at"),
            thread=_THREAD, person=item.get("person") or person,
        ).id  # fmt: skip
    except VigentError:
        return None


def _outcome(
    memory: Memory,
    candidate: Mapping[str, Any],
    items: list[Mapping[str, Any]],
    kept: list[str | None],
    tenant: str,
) -> tuple[str, str | None]:
    index = candidate.get("item", 0)
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < len(kept):
        return "refused", "evidence_missing"
    episode = kept[index]
    if episode is None:
        return "refused", "not_captured"
    given = {
        n: v
        for n, v in candidate.items()
        if n in MemoryDelta.model_fields and (v is not None or n == "confidence")
    }
    given = {"tenant_id": tenant, **given, "source_episode_id": episode}
    given.setdefault("timezone", _zone(items[index].get("at")))
    try:
        judged = memory.candidates.learn(MemoryDelta.of(given))
    except VigentError as error:
        return "refused", error.code
    if judged.outcome in _HELD:
        return "held", judged.reason
    return ("in_force" if judged.outcome == "accepted" else "refused"), judged.reason


def _zone(at: Any) -> str:
    """Give a zone that has the offset of an instant."""
    try:
        offset = dt.datetime.fromisoformat(str(at)).utcoffset()
    except ValueError:
        offset = None
    minutes = 0 if offset is None else int(offset.total_seconds() // 60)
    hours, rest = divmod(minutes, 60)
    if rest:
        return _HALF_HOURS.get(minutes, "Etc/UTC")
    return "Etc/UTC" if hours == 0 else f"Etc/GMT{-hours:+d}"
