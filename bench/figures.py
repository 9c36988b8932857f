"""Times two sides in turns and says how they compare."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

Figure = dict[str, Any]


@dataclass
class Side:
    """The times of one side, in nanoseconds."""

    times: list[int] = field(default_factory=list)

    def median(self) -> float:
        return statistics.median(self.times) / 1000

    def p95(self) -> float:
        return percentile(self.times, 95) / 1000

    def summary(self) -> dict[str, Any]:
        return {
            "n": len(self.times),
            "median_us": round(self.median(), 2),
            "p95_us": round(self.p95(), 2),
        }


def percentile(times: Sequence[float], percent: float) -> float:
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def timed(side: Side, call: Callable[[Any], Any], arguments: Iterable[Any]) -> None:
    """Time each call by itself."""
    clock, note = time.perf_counter_ns, side.times.append
    for argument in arguments:
        start = clock()
        call(argument)
        note(clock() - start)


def in_turns(calls: dict[str, Callable[[Any], Any]], blocks: Sequence[Any]) -> dict[str, Side]:
    """Time the sides block by block, in turns, each block beginning with another side: what the
    machine does besides then falls on all of them.
    """
    sides = {name: Side() for name in calls}
    names = list(calls)
    gc.collect()
    for turn, block in enumerate(blocks):
        for place in range(len(names)):
            name = names[(turn + place) % len(names)]
            timed(sides[name], calls[name], block)
    return sides


def at_most(name: str, value: float, target: float, **details: Any) -> Figure:
    return shown(name, value, target, "<=", value <= target, details)


def at_least(name: str, value: float, target: float, **details: Any) -> Figure:
    return shown(name, value, target, ">=", value >= target, details)


def only(name: str, value: float, **details: Any) -> Figure:
    """A figure without a target."""
    return shown(name, value, None, "", None, details)


def shown(
    name: str,
    value: float,
    target: float | None,
    sign: str,
    passed: bool | None,
    details: dict[str, Any],
) -> Figure:
    verdict = {True: "ok", False: "MISSED", None: ""}[passed]
    goal = "" if target is None else f"(target {sign} {target})"
    print(f"  {name:<58} {value:>9.3f} {goal:<17} {verdict}", flush=True)
    return {
        "name": name,
        "value": round(value, 4),
        "target": None if target is None else f"{sign} {target}",
        "pass": passed,
        **details,
    }


def ratio(name: str, sides: dict[str, Side], over: str, under: str, target: float | None) -> Figure:
    """The median of one side over that of another."""
    value = sides[over].median() / sides[under].median()
    details = {
        over: sides[over].summary(),
        under: sides[under].summary(),
        "p95_ratio": round(sides[over].p95() / sides[under].p95(), 3),
    }
    return (
        only(name, value, **details) if target is None else at_most(name, value, target, **details)
    )
