"""Case C75: what cannot be written is never called stored, and it goes on once it can."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.simulation.processes import Child
from vigent import Memory
from vigent.errors import InvalidInput, StoreFull, StoreReadOnly, UnavailableError

MODULE = "tests.simulation.disk_worker"


def said_by(role: str, path: Path) -> Any:
    with Child(MODULE, role, path) as child:
        return child.line()


def attributes_in(path: Path) -> set[str]:
    with sqlite3.connect(path) as connection:
        rows = connection.execute(
            "SELECT k.attribute FROM statement s JOIN key k ON k.no = s.key "
            "JOIN belief b ON b.memory = s.no"
        ).fetchall()
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    return {name for (name,) in rows}


def test_on_a_full_disk_every_write_called_stored_is_there_and_no_other(tmp_path):
    path = tmp_path / "memory.db"
    said = said_by("limited", path)
    assert 20 < len(said["stored"]) < 500
    assert "batch" not in said["stored"]
    assert len(said["errors"]) == 501 - len(said["stored"])
    assert {category for _, category in said["errors"]} == {"unavailable"}
    assert said["reads"] == "here"
    # It went on in the same process once there was room.
    assert said["after"] == "stored"
    assert attributes_in(path) == {"before", "after", *said["stored"]}
    with Memory.open(path) as memory:
        assert memory.check().problems == ()
        assert len(memory.current("s")) == len(said["stored"]) + 2


def test_a_store_at_its_largest_size_says_so_and_goes_on_when_it_may_grow(tmp_path):
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        memory.write(subject="s", attribute="before", value="here")
        limit = memory._storage._connections.get().execute
        (pages,) = limit("PRAGMA page_count").fetchall()[0]
        limit(f"PRAGMA max_page_count = {pages + 60}").fetchall()
        stored = ["before"]
        caught: UnavailableError | None = None
        for i in range(500):
            try:
                memory.write(subject="s", attribute=f"a{i}", value="x" * 4_000)
                stored.append(f"a{i}")
            except StoreFull as error:
                caught = error
                break
        assert caught is not None
        assert caught.code == "store_full"
        assert "nothing was written" in str(caught)
        with pytest.raises(StoreFull):
            memory.write_many(
                [{"subject": "s", "attribute": f"b{i}", "value": "y" * 4_000} for i in range(100)],
                atomic=True,
            )
        with pytest.raises(StoreFull):
            memory.write_many(
                [{"subject": "s", "attribute": f"c{i}", "value": "y" * 4_000} for i in range(100)]
            )
        assert set(memory.current("s")) == set(stored)
        limit("PRAGMA max_page_count = 1000000").fetchall()
        assert memory.write(subject="s", attribute="after", value="on").outcome == "stored"
        assert memory.check().problems == ()
    assert attributes_in(path) == {*stored, "after"}


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that everybody may enter (those of pytest are private)."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        with Memory.open(folder / "memory.db") as memory:
            memory.write(subject="ira", attribute="seat", value="1A")
        yield folder
        folder.chmod(0o755)


def test_in_a_read_only_folder_reading_works_and_writing_says_why_not(public):
    path = public / "memory.db"
    for file in public.iterdir():
        file.chmod(0o444)
    public.chmod(0o555)
    said = said_by("unprivileged", path)
    assert_read_only(said)
    public.chmod(0o755)
    path.chmod(0o644)
    with Memory.open(path) as memory:
        assert [r.value for r in memory.history("ira", "seat")] == ["1A"]
        assert memory.write(subject="ira", attribute="seat", value="2B").outcome == "superseded"


def test_a_read_only_file_in_a_writable_folder_can_be_read(public):
    path = public / "memory.db"
    path.chmod(0o444)
    public.chmod(0o777)
    assert_read_only(said_by("unprivileged", path))


def assert_read_only(said: dict[str, Any]) -> None:
    if "refused" in said:
        code, category, message = said["refused"]
        assert (code, category) == ("store_read_only", "unavailable"), message
        return
    assert said["current"] == "1A"
    assert said["history"] == ["1A"]
    assert said["words"] == ["1A"]
    for verb in ("write", "capture", "forget"):
        code, category, message = said[verb]
        assert (code, category) == ("store_read_only", "unavailable"), message


def test_a_file_nobody_may_read_is_refused_with_the_reason(public):
    path = public / "memory.db"
    path.chmod(0o000)
    if os.geteuid() != 0:
        with pytest.raises(StoreReadOnly):
            Memory.open(path)
        return
    said = said_by("unprivileged", path)
    assert said["refused"][0] == "store_read_only"


def test_a_folder_that_is_not_there_is_refused_with_the_reason(tmp_path):
    with pytest.raises(InvalidInput, match="nowhere is not there"):
        Memory.open(tmp_path / "nowhere" / "memory.db")


def test_a_folder_is_refused_with_the_reason(tmp_path):
    with pytest.raises(InvalidInput, match="is a folder"):
        Memory.open(tmp_path)


def test_a_file_that_is_not_a_store_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "memory.db"
    path.write_bytes(b"not a store " * 1_000)
    with pytest.raises(Exception, match="not a Vigent store") as caught:
        Memory.open(path)
    assert caught.value.code == "invalid_input"
    assert path.read_bytes() == b"not a store " * 1_000
