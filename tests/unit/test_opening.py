"""What is opened is released, whatever fails on the way."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from vigent import Memory

DESCRIPTORS = Path("/proc/self/fd")
pytestmark = pytest.mark.skipif(not DESCRIPTORS.exists(), reason="counts open files in /proc")


def open_files(path: Path) -> int:
    """Give how often this process holds a store open."""
    there = [link.readlink() for link in DESCRIPTORS.iterdir() if link.is_symlink()]
    return sum(str(file).startswith(str(path)) for file in there)


def test_a_store_that_cannot_be_indexed_is_closed_again(tmp_path):
    path = tmp_path / "m.db"
    with Memory.open(path) as memory:
        memory.capture("zinnia")
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE episode SET metadata = 'no JSON'")
        connection.execute(
            "INSERT INTO job (tenant, kind, lane, payload, state, run_at, attempts, person)"
            " VALUES ('default', 'reindex', 'default', '{}', 'ready', 0, 0, '')"
        )
    connection.close()
    with pytest.raises(ValueError, match="Expecting value") as failed:
        Memory.open(path)
    assert open_files(path) == 0
    del failed


@pytest.mark.parametrize("fails", ["counts", "release"])
def test_a_store_is_closed_where_something_before_fails(tmp_path, fails):
    def release() -> None:
        raise OSError("the model does not let go")

    path = tmp_path / "m.db"
    memory = Memory.open(path)
    memory.write(text="zinnia")
    if fails == "counts":
        memory._pipeline.note_retrieved(["\ud800"])  # no text that can be stored
    else:
        memory._release = release
    with pytest.raises((OSError, TypeError, ValueError)):
        memory.close()
    assert open_files(path) == 0
