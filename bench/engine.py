"""All measurements of the engine, in one run of one process."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from bench.figures import Figure
from bench.processes import measure_processes
from bench.reads import measure_reads
from bench.revisions import measure_revisions
from bench.scale import measure_scale
from bench.store import machine
from bench.writes import measure_batches, measure_write

SCALES: dict[str, dict[str, Any]] = {
    "tiny": {"read_memories": 500, "read_blocks": 40, "write_keys": 200, "writes": 200,
             "batch": 1_000, "rounds": 2, "large": 20_000, "samples": 1_000, "revisions": 200,
             "asked": 200, "process_writes": 800},
    "full": {"read_memories": 10_000, "read_blocks": 200, "write_keys": 5_000, "writes": 4_000,
             "batch": 10_000, "rounds": 9, "large": 1_000_000, "samples": 10_000,
             "revisions": 10_000, "asked": 1_000,
             "process_writes": 20_000},
}  # fmt: skip


def measure_engine(scale: str, parts: list[str] | None = None) -> dict[str, Any]:
    """Measure, each part in files of its own below a temporary folder."""
    s = SCALES[scale]
    figures: list[Figure] = []
    every = {
        "current": lambda at: measure_reads(
            at, memories=s["read_memories"], blocks=s["read_blocks"]
        ),
        "write": lambda at: measure_write(
            at, keys=s["write_keys"], writes=s["writes"], durability="normal"
        ),
        "full": lambda at: measure_write(
            at, keys=s["write_keys"], writes=min(s["writes"], 1_000), durability="full"
        ),
        "batch": lambda at: measure_batches(at, size=s["batch"], rounds=s["rounds"]),
        "scale": lambda at: measure_scale(at, large=s["large"], samples=s["samples"]),
        "revisions": lambda at: measure_revisions(at, many=s["revisions"], samples=s["asked"]),
        "processes": lambda at: measure_processes(at, writes=s["process_writes"]),
    }
    for name, part in every.items():
        if parts is None or name in parts:
            with tempfile.TemporaryDirectory(prefix="vigent-bench-") as folder:
                figures += part(Path(folder))
    return {
        "suite": "engine",
        "scale": scale,
        "settings": "WAL, synchronous=NORMAL where not said otherwise, warm, statements cached",
        "machine": machine(),
        "figures": figures,
    }
