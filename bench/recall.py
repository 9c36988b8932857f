"""All measurements of search, in one run of one process."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.crowd import measure_crowd, measure_vectors
from bench.figures import Figure
from bench.quality import measure_locomo, measure_longmemeval
from bench.store import machine
from bench.truth import measure_context, measure_stale, measure_writing

SCALES: dict[str, dict[str, Any]] = {
    "tiny": {"sizes": (50, 200), "others": 2_000, "searches": 20, "vectors": (200,),
             "facts": 20, "context": 200, "contexts": 10, "writes": 50},
    "full": {"sizes": (1_000, 10_000, 100_000), "others": 1_000_000, "searches": 300,
             "vectors": (1_000, 10_000), "facts": 500, "context": 10_000, "contexts": 200,
             "writes": 1_000},
}  # fmt: skip
SETS = {"locomo": measure_locomo, "longmemeval": measure_longmemeval}


def measure_recall(
    scale: str, parts: list[str] | None = None, data: Path | None = None
) -> dict[str, Any]:
    """Measure, each part in files of its own below a temporary folder.

    What needs public data is measured where ``data`` holds their folders, else told as skipped.
    """
    s = SCALES[scale]
    every: dict[str, Callable[[Path], list[Figure]]] = {
        "truth": lambda at: measure_stale(at, facts=s["facts"]),
        "context": lambda at: measure_context(at, memories=s["context"], samples=s["contexts"]),
        "writing": lambda at: measure_writing(at, writes=s["writes"]),
        "vectors": lambda at: measure_vectors(at, sizes=s["vectors"], samples=s["searches"]),
        "crowd": lambda at: measure_crowd(
            at, sizes=s["sizes"], others=s["others"], samples=s["searches"]
        ),
    }
    skipped: dict[str, str] = {}
    for name, measure in SETS.items():
        if data is not None and (data / name).exists():
            every[name] = lambda at, measure=measure, data=data: measure(at, data)
        else:
            skipped[name] = "no data: give the folder that holds it with --data"
    figures: list[Figure] = []
    for name, part in every.items():
        if parts is None or name in parts:
            with tempfile.TemporaryDirectory(prefix="vigent-bench-") as folder:
                found = part(Path(folder))
            figures += found
            if not found:
                skipped[name] = "not there yet"
    for name, why in skipped.items():
        print(f"  skipped: {name}: {why}")
    return {
        "suite": "recall",
        "scale": scale,
        "settings": "default embedder on public data; elsewhere none, or one that costs nothing",
        "machine": machine(),
        "skipped": skipped,
        "figures": figures,
    }
