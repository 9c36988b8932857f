"""``write()`` and ``write_many()`` beside the same rows written by hand."""

from __future__ import annotations

import gc
import statistics
import time
from pathlib import Path
from typing import Any

from bench.figures import Figure, Side, at_least, ratio, timed
from bench.mirror import Mirror, count
from bench.store import connection_of, open_memory

BLOCK = 20


def _items(count: int, value: str) -> list[dict[str, Any]]:
    return [
        {"subject": f"subject {i}", "attribute": "city", "value": value, "person": f"p{i % 50}"}
        for i in range(count)
    ]


def measure_write(folder: Path, *, keys: int, writes: int, durability: str) -> list[Figure]:
    """A write that ends what was in force, and the same rows by hand, in turns."""
    print(f"superseding write() beside the same rows, synchronous={durability.upper()}")
    sides = {"vigent": Side(), "raw": Side()}
    with open_memory(folder / f"write_{durability}.db", durability=durability) as memory:
        mirror = Mirror(connection_of(memory))
        memory.write_many(_items(keys, "Rome"))
        mirror.write_batch(mirror.take())

        def write(item: dict[str, Any]) -> None:
            assert memory.write(**item).outcome == "superseded"

        shape: dict[str, int] = {}
        gc.collect()
        for turn in range(writes // BLOCK):
            items = _items(keys, f"Lugo {turn}")
            chosen = [items[(turn * BLOCK + i) % keys] for i in range(BLOCK)]
            rows: list[Any] = []
            for item in chosen:
                mirror.mark()
                timed(sides["vigent"], write, [item])
                rows.append(mirror.take())
                timed(sides["raw"], mirror.write_one, [rows[-1]])
            shape = count(rows[-1])
    target = 2.5 if durability == "normal" else None
    figure = ratio(f"superseding write / same rows ({durability})", sides, "vigent", "raw", target)
    return [{**figure, "rows_of_one": shape}]


def measure_batches(folder: Path, *, size: int, rounds: int) -> list[Figure]:
    """``write_many`` of new keys, then ending them, and executemany of the same rows."""
    print(f"write_many of {size:,} beside executemany of the same rows")
    rates: dict[str, list[float]] = {}

    def note(name: str, seconds: float) -> None:
        rates.setdefault(name, []).append(size / seconds)

    for turn in range(rounds):
        with open_memory(folder / f"batch_{turn}.db") as memory:
            connection = connection_of(memory)
            memory.write(subject="warm", attribute="up", value="yes", person="p0")
            for kind, value in (("new", "Rome"), ("superseding", "Lugo")):
                if kind == "new":
                    mirror = Mirror(connection)
                items = _items(size, value)
                mirror.mark()
                gc.collect()
                start = time.perf_counter()
                memory.write_many(items)
                note(f"vigent {kind}", time.perf_counter() - start)
                rows = mirror.take()
                gc.collect()
                start = time.perf_counter()
                mirror.write_batch(rows)
                note(f"raw {kind}", time.perf_counter() - start)
    figures: list[Figure] = []
    for kind, target in (("new", 0.45), ("superseding", 0.35)):
        pairs = zip(rates[f"vigent {kind}"], rates[f"raw {kind}"], strict=True)
        each = [ours / raw for ours, raw in pairs]  # of one round: the machine's pace drifts
        ours = statistics.median(rates[f"vigent {kind}"])
        raw = statistics.median(rates[f"raw {kind}"])
        figures.append(
            at_least(
                f"write_many / executemany, {kind}", statistics.median(each), target,
                lowest=round(min(each), 3), highest=round(max(each), 3),
                vigent_memories_per_s=round(ours), raw_memories_per_s=round(raw), rounds=rounds,
            )
        )  # fmt: skip
    return figures
