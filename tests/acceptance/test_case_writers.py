"""Several writers, retries, locks, and files that cannot be written."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from vigent import Memory
from vigent.errors import (
    IdempotencyMismatch,
    InvalidInput,
    StoreBusy,
    UnexpectedMemory,
)

SEAT = {"subject": "ira", "attribute": "seat"}

WRITER = """
import sys
from vigent import Memory
path, name, count, key = sys.argv[1:]
with Memory.open(path) as memory:
    for n in range(int(count)):
        subject = "ira" if key == "one" else f"{name}-{n}"
        memory.write(subject=subject, attribute="seat", value=f"{name}-{n}")
"""


def processes(path, names, count, key):
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), name, str(count), key],
            stderr=subprocess.PIPE, text=True,
        )
        for name in names
    ]  # fmt: skip
    return [(p.wait(), p.stderr.read(), p.stderr.close()) for p in running]


# Another process, because locks on files are not held against one's own.
HOLDER = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
time.sleep(float(sys.argv[2]))
connection.execute("ROLLBACK")
"""


@contextlib.contextmanager
def lock_held(path, *, seconds):
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path), str(seconds)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout.readline() == "held\n"
    yield holder
    holder.wait()
    holder.stdout.close()


def at_once(count, call):
    """Call from so many threads at once; give the results and the errors."""
    results: list = []
    errors: list[BaseException] = []
    gate = threading.Barrier(count)

    def one(n: int) -> None:
        gate.wait()
        try:
            results.append(call(n))
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=one, args=(n,)) for n in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return results, errors


class TestC52TwoLatest:
    def test_writes_of_several_processes_form_one_line(self, tmp_path):
        path = tmp_path / "a.db"
        with Memory.open(path) as memory:
            memory.write(**SEAT, value="1A")
            assert {r[0] for r in processes(path, "abcd", 5, "one")} == {0}
            rows = [r for r in memory.history(**SEAT) if r.recorded_to is None]
            assert len({r.value for r in rows}) == 21
            assert [r.supersedes_memory_id for r in rows] == [
                None, *(r.memory_id for r in rows[:-1])
            ]  # fmt: skip
            assert len([r for r in rows if r.valid_to is None]) == 1
            assert memory.check().ok

    def test_one_value_said_at_once_is_one_memory(self, memory):
        done, errors = at_once(20, lambda _: memory.write(**SEAT, value="1A"))
        assert errors == []
        assert len({r.memory.memory_id for r in done}) == 1
        assert sorted(r.outcome for r in done) == [*["confirmed"] * 19, "stored"]

    def test_of_many_that_expect_one_memory_one_succeeds(self, memory):
        id = memory.write(**SEAT, value="1A").memory.memory_id
        done, errors = at_once(20, lambda n: memory.write(**SEAT, value=f"{n}B", expect=id))
        assert len(done) == 1
        assert {type(e) for e in errors} == {UnexpectedMemory}
        assert len(errors) == 19
        assert memory.current(**SEAT).memory_id == done[0].memory.memory_id

    def test_one_message_captured_at_once_is_one_episode(self, memory):
        done, errors = at_once(5, lambda _: memory.capture("I sit at 1A", external_id="m1"))
        assert errors == []
        assert len({e.id for e in done}) == 1
        results, errors = at_once(
            5, lambda _: memory.write(**SEAT, value="1A", source_episode_id=done[0].id)
        )
        assert errors == []
        assert len({r.memory.memory_id for r in results}) == 1
        assert memory.get(results[0].memory.memory_id).evidence_count == 1
        assert len(memory.provenance(results[0].memory.memory_id).evidence) == 1


class TestC54AskedAgain:
    def test_the_same_key_gives_the_first_answer(self, memory):
        ask = {**SEAT, "value": "1A", "idempotency_key": "k1"}
        first = memory.write(**ask)
        again = memory.write(**ask)
        assert again == first
        done, errors = at_once(10, lambda _: memory.write(**{**ask, "idempotency_key": "k2"}))
        assert errors == []
        assert len({r.memory.memory_id for r in done}) == 1
        assert len(memory.history(**SEAT)) == 1

    def test_also_after_the_store_was_opened_again(self, on_file):
        ask = {**SEAT, "value": "1A", "idempotency_key": "k1"}
        first = on_file().write(**ask)
        on_file().write(**SEAT, value="2B")
        again = on_file().write(**ask)
        assert (again.outcome, again.memory.memory_id) == ("stored", first.memory.memory_id)
        assert on_file().current(**SEAT).value == "2B"

    def test_the_same_key_with_another_request_is_refused(self, memory):
        memory.write(**SEAT, value="1A", idempotency_key="k1")
        for other in (
            {"value": "2B"},
            {"value": "1A", "confidence": 0.5},
            {"value": "1A", "person": "p"},
        ):
            with pytest.raises(IdempotencyMismatch):
                memory.write(**SEAT, **other, idempotency_key="k1")
        assert [r.value for r in memory.list()] == ["1A"]

    def test_another_tenant_and_another_verb_have_keys_of_their_own(self, on_file):
        t1, t2 = on_file("t1"), on_file("t2")
        t1.write(**SEAT, value="1A", idempotency_key="k1")
        assert t2.write(**SEAT, value="2B", idempotency_key="k1").outcome == "stored"
        assert t1.retract(**SEAT, idempotency_key="k1").outcome == "retracted"
        assert t1.retract(**SEAT, idempotency_key="k1").outcome == "retracted"
        assert t1.current(**SEAT) is None

    def test_a_key_counts_for_a_day(self, memory, clock):
        memory.write(**SEAT, value="1A", idempotency_key="k1")
        clock.advance(days=1, seconds=1)
        assert memory.write(**SEAT, value="2B", idempotency_key="k1").outcome == "superseded"

    @pytest.mark.parametrize("between", ["nothing", "change", "correction", "forgetting"])
    def test_an_episode_run_again_says_nothing_new(self, memory, between):
        episode = memory.capture("I sit at 1A", occurred_at="2025-01-01T00:00Z")
        ask = {**SEAT, "value": "1A", "source_episode_id": episode.id}
        first = memory.write(**ask).memory
        match between:
            case "change":
                memory.write(**SEAT, value="2B")
            case "correction":
                memory.write(**SEAT, value="2B", mode="correction", corrects=first.memory_id)
            case "forgetting":
                memory.forget(first.memory_id)
        rows = memory.history(**SEAT)
        assert memory.write(**ask).outcome == "stored"
        assert memory.history(**SEAT) == rows


class TestC56Locked:
    def test_four_processes_write_and_nobody_sees_a_lock(self, tmp_path):
        path = tmp_path / "a.db"
        with Memory.open(path) as memory:
            stop = threading.Event()
            seen: list[int] = []

            def read() -> None:
                while not stop.is_set():
                    seen.append(len(list(memory.list(attribute="seat"))))

            reader = threading.Thread(target=read)
            reader.start()
            done = processes(path, "abcd", 50, "own")
            stop.set()
            reader.join()
            assert [(code, err) for code, err, _ in done] == [(0, "")] * 4
            assert len(list(memory.list())) == 200
            assert seen == sorted(seen)

    def test_a_wait_for_the_lock_is_bounded(self, tmp_path):
        with Memory.open(tmp_path / "a.db") as memory:
            memory.write(**SEAT, value="1A")
            with lock_held(tmp_path / "a.db", seconds=60) as holder:
                with pytest.raises(StoreBusy) as refused:
                    memory.write(**SEAT, value="2B")
                assert refused.value.retry_after > 0
                assert memory.current(**SEAT).value == "1A"
                holder.kill()
            assert memory.current(**SEAT).value == "1A"
            assert memory.write(**SEAT, value="2B").outcome == "superseded"

    def test_a_transaction_of_another_is_waited_for(self, tmp_path):
        with Memory.open(tmp_path / "a.db") as memory:
            memory.write(**SEAT, value="1A")
            with lock_held(tmp_path / "a.db", seconds=1):
                assert memory.write(**SEAT, value="2B").outcome == "superseded"


READER = """
import os, sys, zoneinfo
from vigent import Memory, VigentError
if os.geteuid() == 0:
    os.setuid(65534)  # root may write anywhere
try:
    memory = Memory.open(sys.argv[1])
except VigentError as error:
    sys.exit(f"open {error.code}")
found = memory.current("ira", "seat")
print(found.value, [r.value for r in memory.list()], len(memory.history("ira", "seat")))
for attempt in (
    lambda: memory.write(subject="ira", attribute="seat", value="2B"),
    lambda: memory.capture("x"),
    lambda: memory.forget(found.memory_id),
    lambda: memory.erase_person("p"),
):
    try:
        attempt()
        print("done")
    except VigentError as error:
        print(error.code, error.category)
print(memory.current("ira", "seat").value)
"""


class TestC75ReadOnly:
    @pytest.fixture
    def locked(self):
        """A store in a folder in which nobody may write, reached by one who is not root."""
        with tempfile.TemporaryDirectory() as name:
            above, folder = Path(name), Path(name) / "store"
            above.chmod(0o755)
            folder.mkdir()
            with Memory.open(folder / "a.db") as memory:
                memory.write(**SEAT, value="1A")
            for file in folder.iterdir():
                file.chmod(0o444)
            folder.chmod(0o555)
            yield folder / "a.db"
            folder.chmod(0o755)

    def test_opening_or_else_a_write_says_why_not(self, locked):
        done = subprocess.run(
            [sys.executable, "-c", READER, str(locked)], capture_output=True, text=True, check=False
        )
        if done.stderr:
            # Refused at the start, with the reason: the file needs its companions beside it.
            assert (done.stderr, done.stdout) == ("open store_read_only\n", "")
        else:
            refused = ["store_read_only unavailable"] * 4
            assert done.stdout.splitlines() == ["1A ['1A'] 1", *refused, "1A"]

    def test_a_folder_that_is_not_there_is_named(self, tmp_path):
        with pytest.raises(InvalidInput, match="nowhere is not there"):
            Memory.open(tmp_path / "nowhere" / "a.db")
