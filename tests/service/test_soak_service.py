"""Mixed load for long: the process does not grow, answers do not slow down, nothing fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.service.serving import served

BEGIN = 5
"""The minute from which is compared: before it caches fill."""
RSS_GROWTH, P95_GROWTH = 1.05, 1.10


class Minute(NamedTuple):
    """One minute: memory of the process, calls answered, and the 95th percentile of each kind."""

    rss_mb: float
    calls: int
    p95_ms: dict[str, float]


def rss_mb(pid: int) -> float:
    """Give the memory that is the process's own: pages of the store's file that it has mapped are
    the system's, and come and go with the file.
    """
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("no memory of the process is told")


def soak(folder: Path, seconds: float, minute: float = 60.0) -> tuple[list[Minute], dict[str, int]]:
    """Load a service for so long; gives its minutes, and what failed."""
    found: list[Minute] = []
    failed: dict[str, int] = {}
    with served(folder, "--db", "a.db") as service:
        told = {"url": service.url, "key": service.key, "seconds": seconds, "minute": minute}
        load = subprocess.Popen(
            [sys.executable, "-m", "tests.service.soak_load"], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path.cwd(),
        )  # fmt: skip
        with load:
            load.stdin.write(json.dumps(told))
            load.stdin.close()
            for line in load.stdout:
                said: dict[str, Any] = json.loads(line)
                if "failed" in said:
                    failed = said["failed"]
                else:
                    now = rss_mb(service.process.pid)
                    found.append(Minute(now, said["calls"], said["p95_ms"]))
        assert load.returncode == 0
        assert service.stop() == 0
    return found, failed


def table(minutes: list[Minute]) -> str:
    kinds = sorted({kind for one in minutes for kind in one.p95_ms})
    head = ["minute", "MB", "calls", *(f"{kind} p95 ms" for kind in kinds)]
    rows = [
        [str(n), f"{one.rss_mb:.1f}", str(one.calls),
         *(f"{one.p95_ms.get(kind, 0):.1f}" for kind in kinds)]
        for n, one in enumerate(minutes, 1)
    ]  # fmt: skip
    return "\n".join("  ".join(cell.rjust(14) for cell in row) for row in [head, *rows])


def test_a_short_soak_fails_nowhere(tmp_path):
    minutes, failed = soak(tmp_path, 6, 2)
    assert failed == {}
    assert len(minutes) >= 3
    assert {"state", "search", "write", "context", "item", "list"} <= minutes[0].p95_ms.keys()


@pytest.mark.soak
def test_soak_of_the_service(tmp_path, capsys):
    length = float(os.environ.get("VIGENT_SOAK_MINUTES", "30"))
    minutes, failed = soak(tmp_path, length * 60)
    with capsys.disabled():
        sys.stdout.write(f"\n{table(minutes)}\n")
    assert failed == {}
    if len(minutes) <= BEGIN + 1:
        return  # too short to say what grows
    # Medians of the first and of the last minutes that count: one minute may be unlucky.
    few = max(1, min(5, (len(minutes) - BEGIN) // 2))
    early, late = minutes[BEGIN - 1 : BEGIN - 1 + few], minutes[-few:]

    def middle(some: list[float]) -> float:
        return sorted(some)[len(some) // 2]

    grown = middle([m.rss_mb for m in late]) / middle([m.rss_mb for m in early])
    assert grown < RSS_GROWTH, f"memory grew by {grown:.3f}"

    def pace(some: list[Minute], kind: str) -> float:
        """The time of a call, in those that a call takes which asks nothing of the store.

        Other work on the machine slows all alike; what grows with the store does not.
        """
        return middle([m.p95_ms[kind] / m.p95_ms["live"] for m in some])

    for kind in early[0].p95_ms:
        slower = pace(late, kind) / pace(early, kind)
        assert slower < P95_GROWTH, f"{kind} became slower by {slower:.3f}"
