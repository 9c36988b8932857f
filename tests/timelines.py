"""Writes and reads timelines in one line: ``A@10`` is A from day 10 on, ``A[10,20)`` until day 20.

``none@30`` says that nothing holds from day 30, ``end:A@30`` that A does not. Day 0 is in January.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

from vigent import Memory, Record, WriteResult
from vigent.testing import FakeClock

START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
NOW = "2027-01-01T00:00:00Z"
KEY: dict[str, Any] = {"subject": "mira", "attribute": "city"}


def at(day: float) -> str:
    return (START + dt.timedelta(days=day)).isoformat()


def opened(path: Any = ":memory:", **options: Any) -> tuple[Memory, FakeClock]:
    clock = options.pop("clock", None) or FakeClock(NOW)
    return Memory.open(path, clock=clock, **options), clock


def tell(memory: Memory, line: str, **more: Any) -> list[WriteResult]:
    """Say what a line says, one write after another, and give the results."""
    return [say(memory, word, **more) for word in line.split()]


def say(memory: Memory, word: str, **more: Any) -> WriteResult:
    request = {**KEY, **more}
    value, dates = _read(word)
    if value == "none":
        return memory.retract(valid_from=dates["valid_from"], **request)
    if value.startswith("end:"):
        return memory.retract(value=value[4:], valid_from=dates["valid_from"], **request)
    return memory.write(value=value, **dates, **request)


def _read(word: str) -> tuple[str, dict[str, str]]:
    if "@" in word:
        value, _, start = word.partition("@")
        return value, {"valid_from": at(float(start))}
    value, _, dates = word.removesuffix(")").partition("[")
    start, _, end = dates.partition(",")
    return value, {"valid_from": at(float(start)), "valid_to": at(float(end))}


def day(instant: dt.datetime) -> str:
    return f"{(instant - START) / dt.timedelta(days=1):g}"


def timeline(memory: Memory, **where: Any) -> str:
    """Give what is believed now of the key: ``A[10,20) B[20,)``, joined where one value goes on."""
    rows = [r for r in memory.history(**{**KEY, **where}) if r.recorded_to is None]
    out: list[tuple[str, str, str]] = []
    for r in rows:
        until = "" if r.valid_to is None else day(r.valid_to)
        start = day(r.valid_from)
        if out and out[-1][0] == r.value and out[-1][2] == start:
            out[-1] = (out[-1][0], out[-1][1], until)
        else:
            out.append((r.value, start, until))
    return " ".join(f"{value}[{start},{until})" for value, start, until in out)


def stretches(memory: Memory, known_at: Any = None, **where: Any) -> list[tuple[str, str, str]]:
    """Give (memory id, from, to) of what is believed now, or was at an instant."""
    return [
        (r.memory_id, day(r.valid_from), "" if r.valid_to is None else day(r.valid_to))
        for r in memory.history(**{**KEY, **where})
        if (r.recorded_to is None if known_at is None else _believed(r, known_at))
    ]


def _believed(record: Record, known_at: dt.datetime) -> bool:
    ended = record.recorded_to
    return record.recorded_from <= known_at and (ended is None or known_at < ended)


def answer(memory: Memory, when: float, known_at: Any = None, **where: Any) -> Any:
    """Give the value in force on a day, or None."""
    found = memory.current(**{**KEY, **where}, as_of=at(when), known_at=known_at)
    return None if found is None else found.value
