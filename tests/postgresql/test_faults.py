"""What a database does to its clients: sessions end, it restarts or is full, answers are lost."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import closing, suppress

import psycopg
import pytest

from tools.postgres import OWNER, SUPERUSER
from vigent import Memory
from vigent.errors import StoreBusy, UnavailableError
from vigent.wiring import open_storage


def end_sessions(postgres, name: str) -> int:
    with postgres.connect(name, SUPERUSER) as connection:
        done = connection.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
            " WHERE datname = %s AND application_name = 'vigent'", (name,),
        )  # fmt: skip
        return done.fetchone()[0]


def sessions(postgres, name: str) -> int:
    with postgres.connect(name, SUPERUSER) as connection:
        return connection.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = %s AND application_name = 'vigent'", (name,),
        ).fetchone()[0]  # fmt: skip


def test_sessions_that_were_ended_are_not_noticed(memory_at, postgres, store_name):
    memory = memory_at()
    memory.write(subject="s", attribute="a", value="v")
    assert end_sessions(postgres, store_name) > 0
    time.sleep(0.2)
    assert memory.current("s", "a").value == "v"
    end_sessions(postgres, store_name)
    time.sleep(0.2)
    memory.write(subject="s", attribute="a", value="w")
    assert memory.current("s", "a").value == "w"


def test_a_session_that_ends_in_the_middle_writes_nothing(memory_at, postgres, store_name):
    memory = memory_at()
    memory.write(subject="s", attribute="a", value="v")

    def write_and_lose() -> None:
        with memory._pipeline.together():
            memory.write(subject="s", attribute="a", value="w")
            end_sessions(postgres, store_name)
            memory.write(subject="s", attribute="b", value="x")

    with pytest.raises(UnavailableError):
        write_and_lose()
    assert memory.current("s", "a").value == "v"
    assert memory.current("s", "b") is None
    assert memory.check().ok


def test_a_database_that_comes_back_is_used_again(postgres_alone):
    name = postgres_alone.new_database()
    with Memory.open(postgres_alone.url(name, OWNER)) as memory:
        memory.write(subject="s", attribute="a", value="v")
        postgres_alone.stop("immediate")
        begun = time.monotonic()
        with pytest.raises(UnavailableError):
            memory.current("s", "a")
        with pytest.raises(UnavailableError):
            memory.write(subject="s", attribute="a", value="w")
        assert time.monotonic() - begun < 10
        postgres_alone.restart()
        assert memory.current("s", "a").value == "v"
        memory.write(subject="s", attribute="a", value="w")
        assert memory.check().ok


def test_a_full_pool_is_waited_for_and_then_busy(store_url):
    storage = open_storage(f"{store_url}&pool_size=2&pool_timeout=0.3")
    with closing(storage):
        inside, leave = threading.Barrier(3), threading.Event()

        def hold() -> None:
            with storage.snapshot() as snapshot:
                snapshot.tenants()
                inside.wait(10)
                leave.wait(10)

        holders = [threading.Thread(target=hold) for _ in range(2)]
        for holder in holders:
            holder.start()
        inside.wait(10)
        begun = time.monotonic()
        with pytest.raises(StoreBusy), storage.snapshot():
            pass
        assert 0.2 < time.monotonic() - begun < 5
        leave.set()
        for holder in holders:
            holder.join(10)
        with storage.snapshot() as snapshot:
            snapshot.tenants()


def test_errors_leak_no_connection(store_url, postgres, store_name):
    storage = open_storage(f"{store_url}&pool_size=3&pool_timeout=1")
    with closing(storage):
        for _ in range(20):
            for view in (storage.transaction("t"), storage.snapshot()):
                with pytest.raises(ZeroDivisionError), view as opened:
                    len(opened.tenants()) / 0
        assert sessions(postgres, store_name) <= 3
        with postgres.connect(store_name, SUPERUSER) as connection:
            idle = connection.execute(
                "SELECT DISTINCT state FROM pg_stat_activity"
                " WHERE datname = %s AND application_name = 'vigent'", (store_name,),
            ).fetchall()  # fmt: skip
        assert idle == [("idle",)]
    until = time.monotonic() + 30
    while sessions(postgres, store_name) and time.monotonic() < until:
        time.sleep(0.05)
    assert sessions(postgres, store_name) == 0


class Between:
    """A wire between client and server that can be cut after the client's next words."""

    def __init__(self, host: str, port: int) -> None:
        self._server = (host, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.cut_after: bytes | None = None
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(self._server)
            self._open += [client, server]
            cut = threading.Event()
            for args in ((client, server, True, cut), (server, client, False, cut)):
                threading.Thread(target=self._pass, args=args, daemon=True).start()

    def _pass(self, one, other, from_client, cut) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                if cut.is_set() and not from_client:
                    break  # the server has done it, and nobody hears of it
                if from_client and self.cut_after and self.cut_after in data:
                    cut.set()
                other.sendall(data)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        for one in (self._listener, *self._open):
            one.close()


def test_a_commit_whose_answer_is_lost_is_done_once_under_its_key(postgres, store_name):
    wire = Between("127.0.0.1", postgres.port)
    url = postgres.url(store_name, OWNER, tcp=True).replace(str(postgres.port), str(wire.port))
    with closing(wire), Memory.open(url + "?sslmode=disable&gssencmode=disable") as memory:
        memory.write(subject="s", attribute="a", value="v")

        def write():
            return memory.write(subject="s", attribute="a", value="w", idempotency_key="k")

        wire.cut_after = b"COMMIT\0"
        with pytest.raises(UnavailableError, match="did not answer whether"):
            write()
        wire.cut_after = None
        assert write().outcome == "superseded"
        assert [r.value for r in memory.history("s", "a") if r.recorded_to is None] == ["v", "w"]
        assert memory.check().ok


def test_a_place_that_is_not_there_is_told_without_its_password():
    with pytest.raises(UnavailableError) as told:
        open_storage("postgresql://me:secret@127.0.0.1:1/db")
    assert "secret" not in str(told.value)


def test_many_processes_migrate_once(postgres, postgres_database):
    url = postgres.url(postgres_database(), OWNER)
    problems: list[Exception] = []

    def start() -> None:
        try:
            open_storage(url).close()
        except Exception as error:  # noqa: BLE001 - told below
            problems.append(error)

    starting = [threading.Thread(target=start) for _ in range(5)]
    for one in starting:
        one.start()
    for one in starting:
        one.join(60)
    assert problems == []
    with psycopg.connect(url) as connection:
        numbers = connection.execute("SELECT number FROM migration ORDER BY number").fetchall()
    assert [n for (n,) in numbers] == list(range(1, len(numbers) + 1))


def test_what_is_removed_is_purged_when_nobody_looks_at_it_any_more(
    memory_at, postgres, store_name
):
    memory = memory_at()
    memory.write(subject="s", attribute="a", value="v", person="p")
    with memory_at()._storage.snapshot() as snapshot:
        snapshot.tenants()
        assert memory.erase_person("p", wait=True).state == "removed"
    until = time.monotonic() + 20
    while not memory._storage.purge():  # it is not tried again at once
        assert time.monotonic() < until
        time.sleep(0.1)
    with memory._storage.snapshot() as snapshot:
        assert snapshot.pending().unpurged_since is None


def test_the_owner_of_a_transaction_pooler_may_switch_prepared_statements_off(
    postgres_pooler, store_name
):
    url = postgres_pooler.url(store_name, OWNER)
    mark = "&" if "?" in url else "?"
    with Memory.open(f"{url}{mark}prepare=off") as memory:
        memory.write(subject="s", attribute="a", value="v")
        memory.write(subject="s", attribute="a", value="w")
        assert memory.current("s", "a").value == "w"
        assert memory.check().ok
