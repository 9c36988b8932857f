"""Connections of a SQLite store: one a thread, and none for threads that have ended."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from vigent import Memory
from vigent.errors import InvalidInput, UnavailableError
from vigent.storage.sqlite.connection import Connections

DESCRIPTORS = Path("/proc/self/fd")


def files_open() -> int:
    return len(list(DESCRIPTORS.iterdir()))


def in_a_thread(run) -> None:
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


@pytest.mark.skipif(not DESCRIPTORS.exists(), reason="the machine does not list open files")
def test_threads_that_ended_keep_no_file_open(tmp_path):
    with Memory.open(tmp_path / "m.db") as memory:
        memory.write(subject="mira", attribute="city", value="Porto")
        seen = []

        def ask() -> None:
            seen.append(memory.current("mira", "city").value)
            seen.append(memory.current("mira")["city"].value)

        for _ in range(3):
            in_a_thread(ask)
        before = files_open()
        for _ in range(200):
            in_a_thread(ask)
        assert files_open() <= before
        assert set(seen) == {"Porto"}
        assert len(seen) == 406


def test_a_thread_that_lives_keeps_its_connection(tmp_path):
    connections = Connections(str(tmp_path / "m.db"), durability="normal", busy_timeout=1)
    mine = connections.get()
    held, go_on = threading.Event(), threading.Event()
    kept = []

    def hold() -> None:
        kept.append(connections.get())
        held.set()
        go_on.wait()
        kept.append(connections.get())
        kept[-1].execute("PRAGMA user_version").fetchall()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    for _ in range(5):
        in_a_thread(connections.get)
    go_on.set()
    holder.join()
    assert kept[0] is kept[1]
    assert connections.get() is mine
    connections.close()


def test_c56_where_no_write_ahead_log_is_possible_opening_is_refused(tmp_path):
    """SQLite would go on in another mode without a word."""
    before = apsw.vfs_names()[0]
    apsw.set_default_vfs("unix-dotfile")  # has no shared memory, as a network file system
    try:
        with pytest.raises(InvalidInput, match="write-ahead log") as refused:
            Memory.open(tmp_path / "a.db", embedder="none")
        assert refused.value.field == "path_or_url"
    finally:
        apsw.set_default_vfs(before)
    with Memory.open(tmp_path / "a.db", embedder="none") as memory:
        assert memory.write(subject="a", attribute="b", value="c").outcome == "stored"


@pytest.mark.parametrize("how", ["removed", "renamed", "replaced"])
def test_a_write_to_a_file_that_is_gone_is_no_success(tmp_path, how):
    path = tmp_path / "m.db"
    with Memory.open(path) as memory:
        memory.write(subject="mira", attribute="city", value="Porto")
        for each in sorted(tmp_path.iterdir()):
            each.rename(tmp_path / f"was-{each.name}") if how == "renamed" else each.unlink()
        if how == "replaced":
            Memory.open(path).close()
        with pytest.raises(UnavailableError, match="removed, renamed or replaced"):
            memory.write(subject="mira", attribute="city", value="Braga")
        with pytest.raises(UnavailableError, match="removed, renamed or replaced"):
            memory.check()
        with ThreadPoolExecutor(1) as other, pytest.raises(UnavailableError):
            other.submit(memory.write, subject="mira", attribute="city", value="Faro").result()
        assert path.exists() == (how == "replaced")
        if how == "renamed":
            for each in sorted(tmp_path.iterdir()):
                each.rename(tmp_path / each.name.removeprefix("was-"))
            assert memory.write(subject="mira", attribute="city", value="Braga").ended
