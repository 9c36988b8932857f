"""Keys with a long history beside keys with a short one."""

from __future__ import annotations

import datetime as dt
import random
import time
from pathlib import Path
from typing import Any

from bench.figures import Figure, at_most, in_turns
from bench.store import open_memory
from vigent.memory import Memory

START = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)
# Short keys that are written in turns, so that each stays short.
SHORT = 40


def _in_order(count: int) -> list[dict[str, Any]]:
    return [{"value": f"v{i}", "valid_from": START + i * HOUR} for i in range(count)]


def _one_instant(count: int) -> list[dict[str, Any]]:
    """Corrections of what holds from one instant on."""
    return [
        {"value": f"v{i}", "valid_from": START, "mode": "correction" if i else "change"}
        for i in range(count)
    ]


def _late(count: int) -> list[dict[str, Any]]:
    items = _in_order(count)
    random.Random(3).shuffle(items)
    return items


def _said_again(count: int) -> list[dict[str, Any]]:
    return [{"value": "v", "valid_from": START + i * HOUR} for i in range(count)]


HISTORIES = {"in order": (_in_order, 3), "corrections of one instant": (_one_instant, 3),
             "random late arrivals": (_late, 10), "said again": (_said_again, 3)}  # fmt: skip


def measure_revisions(folder: Path, *, many: int, samples: int) -> list[Figure]:
    """Ask and write on a key with many revisions and on one with ten."""
    figures: list[Figure] = []
    for name, (history, target) in HISTORIES.items():
        print(f"a key with {many:,} revisions beside one with 10: {name}")
        with open_memory(folder / f"{name}.db") as memory:
            lengths = {"long": many, "short": 10}
            start = time.perf_counter()
            for key, count in lengths.items():
                _fill(memory, key, history(count))
            for other in range(SHORT):
                _fill(memory, f"short {other}", history(10))
            print(f"  filled in {time.perf_counter() - start:.0f} s")
            figures += _reads(memory, name, lengths, samples, target)
            figures += _next_write(memory, name, lengths, min(samples, 200), target)
    return figures


def _fill(memory: Memory, subject: str, items: list[dict[str, Any]]) -> None:
    results = memory.write_many({"subject": subject, "attribute": "a", **item} for item in items)
    wrong = [r for r in results if isinstance(r, Exception)]
    assert not wrong, wrong[0]


def _reads(
    memory: Memory, name: str, lengths: dict[str, int], samples: int, target: float
) -> list[Figure]:
    rng = random.Random(4)
    questions: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for key, count in lengths.items():
        rows = memory.history(key, "a")
        recorded = sorted({r.recorded_from for r in rows})
        valid = [START + rng.random() * count * HOUR for _ in range(samples)]
        known = [rng.choice(recorded) for _ in range(samples)]
        questions[key] = {
            "now": [{}] * samples,
            "as_of": [{"as_of": v} for v in valid],
            "known_at": [{"known_at": k} for k in known],
            "both": [{"as_of": v, "known_at": k} for v, k in zip(valid, known, strict=True)],
        }
    figures: list[Figure] = []
    for kind in ("now", "as_of", "known_at", "both"):
        pairs = list(zip(questions["long"][kind], questions["short"][kind], strict=True))
        blocks = [pairs[i : i + 20] for i in range(0, samples, 20)]
        calls = {
            "long": lambda pair: memory.current("long", "a", **pair[0]),
            "short": lambda pair: memory.current("short", "a", **pair[1]),
        }
        in_turns(calls, blocks[: len(blocks) // 4 or 1])
        sides = in_turns(calls, blocks)
        figures.append(
            at_most(
                f"{kind}, long / short ({name})", sides["long"].median() / sides["short"].median(),
                target, long=sides["long"].summary(), short=sides["short"].summary(),
            )
        )  # fmt: skip
    return figures


def _next_write(
    memory: Memory, name: str, lengths: dict[str, int], samples: int, target: float
) -> list[Figure]:
    rng = random.Random(5)

    def write(subject: str):
        def one(turn: int) -> None:
            item: dict[str, Any] = {"value": f"next {turn}"}
            if name == "said again":
                item = {"value": "v", "valid_from": START + (lengths[subject] + turn) * HOUR}
            elif name == "in order":
                item["valid_from"] = START + (lengths[subject] + turn) * HOUR
            elif name == "random late arrivals":
                item["valid_from"] = START + rng.random() * lengths[subject] * HOUR
            else:
                item |= {"valid_from": START, "mode": "correction"}
            name_of = "long" if subject == "long" else f"short {turn % SHORT}"
            memory.write(subject=name_of, attribute="a", **item)

        return one

    calls = {"long": write("long"), "short": write("short")}
    blocks = [range(i, i + 5) for i in range(0, samples, 5)]
    sides = in_turns(calls, blocks)
    return [
        at_most(
            f"next write, long / short ({name})",
            sides["long"].median() / sides["short"].median(), target,
            long=sides["long"].summary(), short=sides["short"].summary(),
        )
    ]  # fmt: skip
