"""kill -9 of a writing process: what was acknowledged is there, and no half of anything else."""

from __future__ import annotations

import random
import sqlite3
import sys
import time
from pathlib import Path

import pytest

from tests.simulation.processes import Child
from vigent import Memory

MODULE = "tests.simulation.crash_writer"


def crash(path: Path, seed: int, *, inside: bool) -> tuple[list[list[str]], bool]:
    """Kill a writer; give what it had acknowledged, and whether it stood in a transaction."""
    acknowledged: list[list[str]] = []
    hit = False
    with Child(MODULE, path, seed, "inside" if inside else "anywhere") as child:
        assert child.line() == {"ready": True}
        child.tell()
        if inside:
            while "inside" not in (said := child.line()):
                acknowledged.append(said["acknowledged"])
            hit = True
        else:
            time.sleep(random.Random(seed).uniform(0.02, 0.3))
        child.kill()
        acknowledged += [said["acknowledged"] for said in child.rest()]
    return acknowledged, hit


def stored(path: Path) -> set[str]:
    """Every value and text that is in the store, by an engine that is not ours."""
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT coalesce(value, text) FROM statement").fetchall()
    connection.close()
    return {value for (value,) in rows if value is not None}


def assert_whole(path: Path, acknowledged: list[list[str]], seed: int) -> None:
    found = stored(path)
    lost = [value for group in acknowledged for value in group if value not in found]
    assert lost == []
    # A batch is there with all five or not at all, acknowledged or not.
    marks = {v.rpartition(".")[0] for v in found if "." in v and v.startswith(f"{seed}-")}
    for mark in marks:
        assert all(f"{mark}.{i}" in found for i in range(5)), mark
    with Memory.open(path, person="p1") as memory:
        report = memory.check()
        assert report.problems == ()
        # Each statement has its belief, its words and its entry in the audit.
        memory.write(subject="after", attribute="crash", value=str(seed))
        assert memory.current("after", "crash").value == str(seed)
    assert_complete(path)


def assert_complete(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        one = connection.execute
        assert one("PRAGMA integrity_check").fetchone() == ("ok",)
        bare = "SELECT count(*) FROM statement s WHERE NOT EXISTS "
        assert one(bare + "(SELECT 1 FROM belief b WHERE b.memory = s.no)").fetchone() == (0,)
        assert one(bare + "(SELECT 1 FROM key k WHERE k.no = s.key)").fetchone() == (0,)
        assert one(bare + "(SELECT 1 FROM audit a WHERE a.target = s.id)").fetchone() == (0,)
        assert one(
            "SELECT count(*) FROM audit a WHERE NOT EXISTS "
            "(SELECT 1 FROM audit_content c WHERE c.audit = a.no)"
        ).fetchone() == (0,)
    connection.close()


def rehearse(folder: Path, kills: int) -> int:
    inside = 0
    path = folder / "memory.db"
    everything: list[list[str]] = []
    for seed in range(kills):
        # Two in three are caught with their rows written and the commit not begun.
        acknowledged, hit = crash(path, seed, inside=seed % 3 != 2)
        everything += acknowledged
        inside += hit
        assert_whole(path, everything, seed)
    return inside


def test_what_a_killed_writer_acknowledged_is_there_and_nothing_half(tmp_path):
    assert rehearse(tmp_path, 6) >= 4


@pytest.mark.slow
def test_fifty_kills(tmp_path, capsys):
    inside = rehearse(tmp_path, 50)
    with capsys.disabled():
        sys.stdout.write(f"\n{inside} of 50 kills fell inside a transaction\n")
    assert inside >= 25
