"""Random commands, crashes and clock steps on one file, for as long as one likes."""

from __future__ import annotations

import collections
import os
import random
import sqlite3
import sys
import time
from pathlib import Path

import pytest

from tests.simulation.processes import Child
from tests.simulation.soak_worker import SCHEMA
from vigent import Memory

MODULE = "tests.simulation.soak_worker"
OVERLAPS = (
    "SELECT count(*) FROM (SELECT valid_from, lag(valid_to) OVER (PARTITION BY tenant, key, "
    "member ORDER BY valid_from) AS previous FROM belief WHERE recorded_to IS NULL) "
    "WHERE previous > valid_from"
)
# Errors that say that a command does not fit what there is, not that something is wrong.
EXPECTED = {"caller", "conflict"}


def soak(path: Path, minutes: float, seed: int) -> collections.Counter[str]:
    """Let two processes at a time command at random and kill them; check after each round."""
    until = time.monotonic() + minutes * 60
    did: collections.Counter[str] = collections.Counter()
    rng = random.Random(seed)
    while time.monotonic() < until:
        did["kills"] += 1
        seeds = [rng.randrange(10**9) for _ in range(2)]
        run_and_kill(path, seeds, min(rng.uniform(1, 6), max(0.5, until - time.monotonic())), did)
        examine(path, f"after seeds {seeds}")
    return did


def run_and_kill(
    path: Path, seeds: list[int], seconds: float, did: collections.Counter[str]
) -> None:
    stored: list[str] = []
    children = [Child(MODULE, path, seed) for seed in seeds]
    try:
        for child in children:
            assert child.line() == {"ready": True}
        for child in children:
            child.tell()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for seed, child in zip(seeds, children, strict=True):
                said = child.line()
                did[said["did"]] += 1
                stored += said["stored"]
                assert said.get("category", "caller") in EXPECTED, (seed, said)
        for child in children:
            child.kill()
    finally:
        for child in children:
            if child.process.poll() is None:
                child.kill()
            child.close()
    assert_there(path, stored)


def assert_there(path: Path, ids: list[str]) -> None:
    """What was acknowledged is there (forgotten or not): a row is never taken away."""
    with sqlite3.connect(path) as connection:
        there = {id for (id,) in connection.execute("SELECT id FROM statement")}
    connection.close()
    assert [id for id in ids if id not in there] == []


def examine(path: Path, when: str) -> None:
    with Memory.open(path, schema=SCHEMA) as memory:
        report = memory.check()
        assert report.problems == (), when
    with sqlite3.connect(path) as connection:
        assert connection.execute(OVERLAPS).fetchone() == (0,), when
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",), when
    connection.close()


def test_a_short_soak(tmp_path):
    did = soak(tmp_path / "memory.db", 0.15, seed=7)
    assert did["kills"] >= 2
    assert did["write"] > 50


@pytest.mark.soak
def test_soak(tmp_path, capsys):
    minutes = float(os.environ.get("VIGENT_SOAK_MINUTES", "30"))
    seed = int(os.environ.get("SEED") or random.randrange(10**6))
    with capsys.disabled():
        sys.stdout.write(f"\nSEED={seed}, {minutes:g} minutes\n")
    did = soak(tmp_path / "memory.db", minutes, seed)
    assert did["write"] > 0
    with capsys.disabled():
        sys.stdout.write(", ".join(f"{n} {name}" for name, n in did.most_common()) + "\n")
