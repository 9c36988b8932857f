"""Sixteen clients write to fifty keys while the server ends their sessions at random."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

from tools.postgres import OWNER, SUPERUSER
from vigent import Memory
from vigent.errors import UnavailableError
from vigent.wiring import open_storage

CLIENTS, KEYS = 16, 50


def end_one_now_and_then(postgres, name: str, over: threading.Event) -> int:
    ended, chance = 0, random.Random(7)
    with postgres.connect(name, SUPERUSER) as connection:
        while not over.wait(chance.uniform(0.01, 0.1)):
            ended += connection.execute(
                "SELECT count(pg_terminate_backend(pid)) FROM ("
                " SELECT pid FROM pg_stat_activity WHERE datname = %s"
                " AND application_name = 'vigent' ORDER BY random() LIMIT 1) AS one",
                (name,),
            ).fetchone()[0]
    return ended


def again(call):
    """Call until the database answers."""
    while True:
        try:
            return call()
        except UnavailableError:
            time.sleep(random.uniform(0, 0.02))


def write_all(url: str, client: int, writes: int) -> list[str]:
    """Write until each is in; a key makes sure that it is in once, whatever was heard of it."""
    ids, chance = [], random.Random(client)
    with again(lambda: Memory.open(f"{url}&pool_size=2")) as memory:
        for n in range(writes):
            fact = {
                "subject": f"s{chance.randrange(KEYS)}", "attribute": "a", "value": f"{client}-{n}"
            }  # fmt: skip
            done = again(lambda f=fact, n=n: memory.write(**f, idempotency_key=f"{client}-{n}"))
            ids.append(done.memory.memory_id)
    return ids


@pytest.mark.parametrize("writes", [40, pytest.param(5_000, marks=pytest.mark.slow)])
def test_nothing_is_lost_doubled_or_overlaps(postgres, postgres_database, writes):
    made = postgres.template("migrated", lambda url: open_storage(url).close())
    name = postgres_database(template=made)
    url, over = postgres.url(name, OWNER), threading.Event()
    with ThreadPoolExecutor(CLIENTS + 1) as pool:
        ending = pool.submit(end_one_now_and_then, postgres, name, over)
        try:
            clients = [pool.submit(write_all, url, n, writes) for n in range(CLIENTS)]
            ids = [id for client in clients for id in client.result()]
        finally:
            over.set()
        assert ending.result() > 5
    assert len(set(ids)) == CLIENTS * writes
    with Memory.open(url) as memory:
        found: list[str] = []
        for n in range(KEYS):
            records = memory.history(f"s{n}", "a")
            found += {r.memory_id for r in records}
            believed = sorted(
                (r.valid_from, r.valid_to) for r in records if r.recorded_to is None
            )  # fmt: skip
            assert all(before[1] == after[0] for before, after in pairwise(believed))
            starts = sorted(r.valid_from for r in records if r.recorded_to is None)
            assert len(set(starts)) == len(starts)
        assert sorted(found) == sorted(ids)
        assert memory.check().ok
