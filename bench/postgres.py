"""Vigent on PostgreSQL beside psycopg alone, in one run, on a server that is started for it."""

from __future__ import annotations

import platform
import secrets
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any, Final

import psycopg
from psycopg import sql

from bench.figures import Figure, Side, at_most, in_turns, only, ratio, timed
from bench.pgmirror import PgMirror, Rows, count
from bench.untrailed import measure_trail
from tools.postgres import OWNER, SUPERUSER, Server
from vigent.memory import Memory

SCALES: dict[str, dict[str, int]] = {
    "tiny": {"keys": 500, "blocks": 20, "writes": 100, "large": 20_000, "samples": 500,
             "clients": 4, "each": 50},
    "full": {"keys": 5_000, "blocks": 100, "writes": 2_000, "large": 1_000_000, "samples": 5_000,
             "clients": 16, "each": 400},
}  # fmt: skip
_TENANT: Final = "bench"
_APP_ROLE: Final = "vigent_app"
_BLOCK: Final = 20
_PER_KEY: Final = 2
_HEAD: Final = (
    "SELECT no, person, name, last_recorded, head_from, head_to, head_recorded, head_expires,"
    " head_replaced, head_replacer, head FROM key WHERE tenant = %s AND store = %s"
    " AND person = %s AND subject = %s AND attribute = %s AND type = ''"
)


def measure_postgres(scale: str, parts: list[str] | None = None) -> dict[str, Any]:
    """Measure, each part in a database of its own."""
    s = SCALES[scale]
    every: dict[str, Callable[[Server, str], list[Figure]]] = {
        "read": lambda server, name: _read(server, name, s["keys"], s["blocks"]),
        "write": lambda server, name: _write(server, name, s["keys"], s["writes"]),
        "audit": lambda server, name: _audit(server, name, s["clients"], s["each"]),
        "scale": lambda server, name: _scale(server, name, s["large"], s["samples"]),
    }
    figures: list[Figure] = []
    with Server() as server:
        for part, measured in every.items():
            if parts is None or part in parts:
                name = server.new_database()
                figures += measured(server, name)
                server.drop_database(name)
        with server.connect() as connection:
            version = connection.info.server_version
    return {
        "suite": "postgres",
        "scale": scale,
        "settings": "by a Unix socket, as a role under row-level security, statements prepared,"
        " commits do not wait for the disk",
        "machine": {
            "python": platform.python_version(), "postgresql": version,
            "psycopg": psycopg.__version__, "system": f"{platform.system()} {platform.machine()}",
        },
        "figures": figures,
    }  # fmt: skip


def _url(server: Server, name: str, pool: int) -> str:
    url = server.url(name, OWNER)
    mark = "&" if "?" in url else "?"
    return f"{url}{mark}pool_size={pool}"


def _opened(server: Server, name: str) -> Memory:
    return Memory.open(_url(server, name, 4), tenant=_TENANT, embedder="none")


def raw_connection(server: Server, name: str) -> psycopg.Connection[Any]:
    """Give a connection that is under row-level security as Vigent's are."""
    connection = server.connect(name, OWNER)
    connection.autocommit = True
    connection.prepare_threshold = 1
    connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(_APP_ROLE)))
    return connection


def _filled(memory: Memory, keys: int) -> list[tuple[str, str]]:
    pairs = [(f"subject {i}", f"p{i % 50}") for i in range(keys)]
    for value in ("Rome", "Lugo")[:_PER_KEY]:
        memory.write_many(
            {"subject": s, "attribute": "city", "value": value, "person": p} for s, p in pairs
        )
    return pairs


def _analysed(server: Server, name: str) -> None:
    with server.connect(name, SUPERUSER) as connection:
        connection.autocommit = True
        connection.execute("VACUUM (ANALYZE)")
        connection.execute("CHECKPOINT")


def _read(server: Server, name: str, keys: int, blocks: int) -> list[Figure]:
    print("current() beside the same SELECT by psycopg, in the same transaction")
    with closing(_opened(server, name)) as memory, raw_connection(server, name) as raw:
        pairs = _filled(memory, keys)
        _analysed(server, name)

        def current(pair: tuple[str, str]) -> None:
            assert memory.current(pair[0], "city", person=pair[1]).value == "Lugo"

        def told(row: Any) -> None:
            assert row is not None
            assert "Lugo" in row[10]

        def waiting(pair: tuple[str, str]) -> None:
            with raw.transaction():
                raw.execute("SET LOCAL app.tenant = 'bench'")
                asked = (_TENANT, "default", pair[1], pair[0], "city")
                told(raw.execute(_HEAD, asked).fetchone())

        def piped(pair: tuple[str, str]) -> None:
            asked = (_TENANT, "default", pair[1], pair[0], "city")
            with raw.pipeline(), raw.transaction():
                raw.execute("SET LOCAL app.tenant = 'bench'")
                cursor = raw.execute(_HEAD, asked)
            told(cursor.fetchone())

        calls = {"vigent": current, "raw": waiting, "raw_pipelined": piped}
        chosen = [[pairs[(i * 7919 + n) % keys] for n in range(_BLOCK)] for i in range(blocks)]
        in_turns(calls, chosen[:5])
        sides = in_turns(calls, chosen)
    quickest = min(("raw", "raw_pipelined"), key=lambda side: sides[side].median())
    figure = ratio("state read / the same SELECT", sides, "vigent", quickest, 1.4)
    return [{**figure, "quickest": quickest, "raw": sides["raw"].summary()}]


def _write(server: Server, name: str, keys: int, writes: int) -> list[Figure]:
    print("superseding write() beside the same rows by psycopg")
    sides = {"vigent": Side(), "raw": Side(), "raw_pipelined": Side()}
    with (
        closing(_opened(server, name)) as memory,
        raw_connection(server, name) as raw,
        server.connect(name, SUPERUSER) as watching,
    ):
        watching.autocommit = True
        mirrors = {
            "raw": PgMirror(watching, raw, _TENANT, 1),
            "raw_pipelined": PgMirror(watching, raw, _TENANT, 2),
        }
        pairs = _filled(memory, keys)
        for mirror in mirrors.values():
            mirror.write(mirror.take())
        _analysed(server, name)

        def write(item: dict[str, Any]) -> None:
            assert memory.write(**item).outcome == "superseded"

        rows: dict[str, Rows] = {}  # of the write before: nobody is bound to go first

        def rewrite(side: str) -> None:
            if side in rows:
                call = mirrors[side].write if side == "raw" else mirrors[side].write_piped
                timed(sides[side], call, [rows[side]])

        names = list(sides)
        for turn in range(writes):
            taken: dict[str, Rows] = {}
            for place in range(len(names)):
                side = names[(turn + place) % len(names)]
                if side != "vigent":
                    rewrite(side)
                    continue
                subject, person = pairs[(turn * 7919) % keys]
                item = {"subject": subject, "attribute": "city", "value": f"Town {turn}",
                        "person": person}  # fmt: skip
                for mirror in mirrors.values():
                    mirror.mark()
                timed(sides[side], write, [item])
                taken = {name: mirror.take() for name, mirror in mirrors.items()}
            rows = taken
    shape = count(rows["raw"])
    quickest = min(("raw", "raw_pipelined"), key=lambda side: sides[side].median())
    figure = ratio("superseding write / the same rows", sides, "vigent", quickest, 2)
    more = {"quickest": quickest, "rows_of_one": shape, "raw": sides["raw"].summary()}
    return [{**figure, **more}]


def _audit(server: Server, name: str, clients: int, each: int) -> list[Figure]:
    _opened(server, name).close()  # the tables, and the roles
    return measure_trail(_url(server, name, clients + 2), _TENANT, clients, each)


_COPIED: Final = {
    "key": {"no": "no + {by}", "subject": "subject || ' ' || c", "name": "name || ' ' || c",
            "head_replaced": "head_replaced || '.' || c"},
    "statement": {"no": "no + {by}", "id": "id || '.' || c", "key": "key + {by}",
                  "turn": "turn + {by}", "bears": "bears + {by}",
                  "replaces": "replaces || '.' || c"},
    "belief": {"no": "no + {by}", "key": "key + {by}", "memory": "memory + {by}"},
}  # fmt: skip
"""What is another in a copy. Only tables that a state read may touch are made large."""


def _copies(server: Server, name: str, copies: int) -> None:
    with server.connect(name, SUPERUSER) as connection:
        connection.autocommit = True
        for table, changed in _COPIED.items():
            found = connection.execute(
                "SELECT column_name FROM information_schema.columns"
                " WHERE table_schema = current_schema() AND table_name = %s"
                " ORDER BY ordinal_position", (table,),
            ).fetchall()  # fmt: skip
            chosen = [changed.get(row[0], row[0]).format(by="c * 1000000000") for row in found]
            connection.execute(
                f"INSERT INTO {table} SELECT {', '.join(chosen)} FROM {table},"
                f" generate_series(1, {copies}) AS c"
            )


def _scale(server: Server, name: str, large: int, samples: int) -> list[Figure]:
    keys = 5_000
    print(f"state reads at {large:,} memories beside 1,000")
    few = server.new_database()
    copies = max(1, large // (keys * _PER_KEY) - 1)
    with closing(_opened(server, few)) as small, closing(_opened(server, name)) as big:
        _filled(small, 500)
        _filled(big, keys)
        start = time.perf_counter()
        _copies(server, name, copies)
        print(f"  built in {time.perf_counter() - start:.0f} s")
        for each in (few, name):
            _analysed(server, each)

        def ask_small(i: int) -> None:
            key = i % 500
            assert small.current(f"subject {key}", "city", person=f"p{key % 50}")

        def ask_large(i: int) -> None:
            key, copy = i % keys, i % (copies + 1)
            subject = f"subject {key} {copy}" if copy else f"subject {key}"
            assert big.current(subject, "city", person=f"p{key % 50}")

        chosen = [secrets.randbelow(10**9) for _ in range(samples)]
        blocks = [chosen[i : i + 50] for i in range(0, samples, 50)]
        in_turns({"small": ask_small, "large": ask_large}, blocks)
        rounds = [in_turns({"small": ask_small, "large": ask_large}, blocks) for _ in range(3)]
    server.drop_database(few)
    sides = sorted(rounds, key=lambda one: one["large"].p95() / one["small"].p95())[1]
    value = sides["large"].p95() / sides["small"].p95()
    return [
        at_most(
            f"p95 of a state read, {large:,} / 1,000 memories", value, 1.5,
            large=sides["large"].summary(), small=sides["small"].summary(),
        ),
        only("state read at the large store, median us", sides["large"].median()),
    ]  # fmt: skip
