"""The same reads in a store of a thousand memories and in one of a million.

The large file is made of copies: ten thousand memories go in by ``write_many``, then their rows
are copied by SQL under other numbers, ids, subjects and tenants, index entries and passages too.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.figures import Figure, Side, at_most, in_turns
from bench.store import connection_of, open_memory
from vigent.domain.passages import scope_token
from vigent.memory import Memory

BASE_KEYS = 5_000
PER_KEY = 2
ROUNDS = 5
EDGE = "2026-06-01T00:00:00Z"

# Each copies the rows of the base, ?1 of them; ?2 is which copy it is, ?3 the tenant it goes to,
# ?4 and ?5 how many keys and statements the base has.
_COPIES = {
    "key": ("no + ?1 * ?2", "?3", "store", "person", "subject || ' ' || ?2", "attribute", "type",
            "name || ' ' || ?2", "last_recorded", "head_from", "head_to", "head_recorded",
            "head_expires", "head_replaced || '.' || ?2", "head_replacer", "head", "bears"),
    "belief": ("no + ?1 * ?2", "?3", "key + ?4 * ?2", "member", "memory + ?5 * ?2", "valid_from",
               "valid_to", "recorded_from", "recorded_to"),
    "audit": ("no + ?1 * ?2", "?3", "id || '.' || ?2", "at", "action", "outcome",
              "target || '.' || ?2", "digest", "seal", "said"),
    "passage": ("no + ?1 * ?2", "?3", "scope_in(?3, scope)", "kind", "type", "source + ?5 * ?2",
                "home + ?4 * ?2", "start", "stop", "at", "about", "words"),
    "audit_content": ("audit + ?1 * ?2", "?3", "store", "person", "key + ?4 * ?2", "salt",
                      "content"),
}  # fmt: skip
_CHANGED = {"no": "no + ?1 * ?2", "tenant": "?3", "id": "id || '.' || ?2", "key": "key + ?4 * ?2",
            "turn": "turn + ?1 * ?2", "bears": "bears + ?1 * ?2",
            "replaces": "replaces || '.' || ?2"}  # fmt: skip


def measure_scale(folder: Path, *, large: int, samples: int) -> list[Figure]:
    """Compare p95 of reads at a thousand memories with a large store, of two shapes."""
    figures: list[Figure] = []
    shapes: dict[str, Callable[[int], str]] = {
        "ten tenants alike": lambda copy: f"tenant {copy % 10}",
        "one tenant has 90 %": lambda copy: "big" if copy % 10 else "small",
    }
    for shape, tenant_of in shapes.items():
        print(f"reads at {large:,} memories beside 1,000: {shape}")
        small_at, large_at = folder / "small.db", folder / "large.db"
        _build(small_at, 500, 0, tenant_of)
        start = time.perf_counter()
        copies = large // (BASE_KEYS * PER_KEY) - 1
        _build(large_at, BASE_KEYS, copies, tenant_of)
        took = time.perf_counter() - start
        print(f"  built in {took:.0f} s, {large_at.stat().st_size / 1e9:.2f} GB")
        for tenant in {"ten tenants alike": ["tenant 1"]}.get(shape, ["big", "small"]):
            figures += _compare(small_at, large_at, copies, tenant, tenant_of, samples, shape)
        for path in folder.iterdir():
            path.unlink()
    return figures


def _build(path: Path, keys: int, copies: int, tenant_of: Callable[[int], str]) -> None:
    with open_memory(path, tenant=tenant_of(0)) as memory:
        for value, since in (("Rome", "2026-01-01T00:00:00Z"), ("Lugo", EDGE)):
            memory.write_many(
                {"subject": f"subject {i}", "attribute": "city", "value": value,
                 "person": f"p{i % 500}", "valid_from": since}
                for i in range(keys)
            )  # fmt: skip
        copy_all(
            connection_of(memory), tenant_of(0), [tenant_of(copy) for copy in range(1, copies + 1)]
        )


def marks(connection: Any) -> dict[str, int]:
    """Give the last number of each table that is copied."""
    run = connection.execute
    return {
        table: run(f"SELECT coalesce(max(no), 0) FROM {table}").fetchall()[0][0]
        for table in ("key", "statement", "belief", "audit", "passage")
    }


def copy_all(
    connection: Any, own: str, tenants: Sequence[str], since: dict[str, int] | None = None
) -> None:
    """Copy what a tenant wrote since some marks, once to each of some tenants, by SQL.

    Nobody else may have written since. Copies keep their persons: in the same tenant they join
    the scopes that are there.
    """
    run, low = connection.execute, since or {}
    ((salt,),) = run("SELECT salt FROM tenant WHERE tenant = ?", (own,)).fetchall()
    persons = {
        scope_token(salt, own, store, person): (store, person)
        for store, person in run(
            "SELECT DISTINCT store, person FROM key WHERE tenant = ?", (own,)
        ).fetchall()
    }
    tokens: dict[tuple[str, str], str] = {}

    def scope_in(tenant: str, scope: str) -> str:
        found = tokens.get((tenant, scope))
        if found is None:
            found = tokens[tenant, scope] = scope_token(salt, tenant, *persons[scope])
        return found

    connection.create_scalar_function("scope_in", scope_in, 2, deterministic=True)
    for tenant in sorted(set(tenants)):
        run("INSERT OR IGNORE INTO tenant VALUES (?, ?, 0)", (tenant, salt))
    spans = {table: (low.get(table, 0), top) for table, top in marks(connection).items()}
    for copy, tenant in enumerate(tenants, 1):
        _copy(run, spans, copy, tenant)
    run("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _copy(run: Any, spans: dict[str, tuple[int, int]], copy: int, tenant: str) -> None:
    names = [row[1] for row in run("PRAGMA table_info(statement)").fetchall()]
    columns = {**_COPIES, "statement": tuple(_CHANGED.get(name, name) for name in names)}
    size = {table: top - low for table, (low, top) in spans.items()}
    run("BEGIN IMMEDIATE")
    for table, selected in columns.items():
        counted = "audit" if table == "audit_content" else table
        number = "audit" if table == "audit_content" else "no"
        low, top = spans[counted]
        sql = (
            f"INSERT INTO {table} SELECT {', '.join(selected)} FROM {table} "
            f"WHERE {number} > {low} AND {number} <= {top}"
        )
        given = (size[counted], copy, tenant, size["key"], size["statement"])
        run(sql, given[: 5 if "?5" in sql else 4 if "?4" in sql else 3]).fetchall()
    run("COMMIT")


def _compare(
    small_at: Path,
    large_at: Path,
    copies: int,
    tenant: str,
    tenant_of: Callable[[int], str],
    samples: int,
    shape: str,
) -> list[Figure]:
    random.seed(2)
    mine = [copy for copy in range(copies + 1) if tenant_of(copy) == tenant]
    questions = {"current": {}, "as_of": {"as_of": "2026-03-01T00:00:00Z"}}
    figures: list[Figure] = []
    small_tenant = tenant_of(0)
    with (
        open_memory(small_at, tenant=small_tenant) as small,
        open_memory(large_at, tenant=tenant) as large,
    ):
        known = small.current("subject 1", "city", person="p1").recorded_from
        large_known = _first_recorded(large, mine)
        questions["known_at"] = {}
        for name, asked in questions.items():
            at_small = {**asked, **({"known_at": known} if name == "known_at" else {})}
            at_large = {**asked, **({"known_at": large_known} if name == "known_at" else {})}
            rounds = [
                _sides(small, large, mine, samples // ROUNDS, at_small, at_large)
                for _ in range(ROUNDS)
            ]
            # The median of several rounds: one disturbance of the machine is not a tail.
            sides = sorted(rounds, key=_tails)[ROUNDS // 2]
            value = _tails(sides)
            figures.append(
                at_most(
                    f"p95 {name}, large / small ({shape}; asked in {tenant})", value, 1.3,
                    large=sides["large"].summary(), small=sides["small"].summary(),
                )
            )  # fmt: skip
    return figures


def _tails(sides: dict[str, Side]) -> float:
    return sides["large"].p95() / sides["small"].p95()


def _first_recorded(memory: Memory, mine: list[int]) -> object:
    """An instant before the second value of the keys asked for, and after the first."""
    i = BASE_KEYS - 1
    name = f"subject {i}" if mine[0] == 0 else f"subject {i} {mine[0]}"
    return memory.history(name, "city", person=f"p{i % 500}")[0].recorded_from


def _sides(
    small: Memory,
    large: Memory,
    mine: list[int],
    samples: int,
    at_small: dict[str, Any],
    at_large: dict[str, Any],
) -> dict[str, Side]:
    def ask_small(i: int) -> None:
        key = i % 500
        assert small.current(f"subject {key}", "city", person=f"p{key}", **at_small)

    def ask_large(i: int) -> None:
        key, copy = i % BASE_KEYS, mine[i % len(mine)]
        name = f"subject {key}" if copy == 0 else f"subject {key} {copy}"
        assert large.current(name, "city", person=f"p{key % 500}", **at_large)

    chosen = [random.randrange(10**9) for _ in range(samples)]
    blocks = [chosen[i : i + 50] for i in range(0, samples, 50)]
    # Warm: the same questions once before they are timed.
    in_turns({"small": ask_small, "large": ask_large}, blocks)
    return in_turns({"small": ask_small, "large": ask_large}, blocks)
