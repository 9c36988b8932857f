"""Eight processes write one file at once: with Vigent, and the same raw rows by hand."""

from __future__ import annotations

import collections
import json
import random
import secrets
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import apsw

from bench.figures import Figure, at_least, at_most, percentile
from bench.mirror import SQL, Mirror, Rows, fresh_id
from bench.store import connection_of, open_memory

PROCESSES = 8
SHARED_KEYS = 10
# One write in five goes to a key that all processes write.
SHARED_EVERY = 5


def measure_processes(folder: Path, *, writes: int) -> list[Figure]:
    """Nothing lost, no lock error, no overlap, and how long a write waits."""
    print(f"{PROCESSES} processes write one file: {writes:,} writes")
    path = folder / "many.db"
    templates = _prepare(path)
    (folder / "rows.bin").write_text(json.dumps(_packed(templates)), encoding="utf-8")
    each = writes // PROCESSES // 2
    ours: list[dict[str, Any]] = []
    raw: list[dict[str, Any]] = []
    for turn in range(2):
        ours.append(_run(path, "vigent", each, turn))
        raw.append(_run(path, "raw", each, turn))
    waits = [t for run in ours for t in run["times"]]
    errors = [e for run in ours for e in run["errors"]]
    rate = sum(r["writes"] for r in ours) / sum(r["seconds"] for r in ours)
    raw_rate = sum(r["writes"] for r in raw) / sum(r["seconds"] for r in raw)
    raw_waits = [t for run in raw for t in run["times"]]
    lost, overlaps = _verify(path, [id for run in ours for id in run["ids"]])
    return [
        at_most("8 processes: lost writes", lost, 0, writes=len(waits)),
        at_most("8 processes: errors", len(errors), 0, kinds=collections.Counter(errors)),
        at_most("8 processes: overlapping beliefs", overlaps, 0),
        at_most("8 processes: p99 of a write, ms", percentile(waits, 99) * 1000, 50,
                median_ms=round(percentile(waits, 50) * 1000, 2),
                raw_p99_ms=round(percentile(raw_waits, 99) * 1000, 2)),
        at_most("8 processes: longest wait, s", max(waits), 5, raw_longest_s=max(raw_waits)),
        at_least("8 processes: rate / raw rate", rate / raw_rate, 0.5,
                 writes_per_s=round(rate), raw_writes_per_s=round(raw_rate)),
    ]  # fmt: skip


def _prepare(path: Path) -> dict[str, Rows]:
    """Make the file, and take the rows of a first write and of one that ends another."""
    with open_memory(path) as memory:
        for i in range(SHARED_KEYS):
            memory.write(subject=f"shared {i}", attribute="seat", value="first")
        mirror = Mirror(connection_of(memory))
        memory.write(subject="template", attribute="seat", value="1A")
        new = mirror.take()
        mirror.write_one(new)
        mirror.mark()
        memory.write(subject="template", attribute="seat", value="2B")
        superseding = mirror.take()
        mirror.write_one(superseding)
    return {"new": new, "superseding": superseding}


def _packed(templates: dict[str, Rows]) -> dict[str, Any]:
    return {
        kind: {
            name: [[v.hex() if isinstance(v, bytes) else v for v in row] for row in rows]
            + [[isinstance(v, bytes) for v in rows[0]]]
            for name, rows in found.items()
            if rows
        }
        for kind, found in templates.items()
    }


def _run(path: Path, side: str, each: int, turn: int) -> dict[str, Any]:
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "bench.processes", side, str(path), str(each), str(n),
             str(turn)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for n in range(PROCESSES)
    ]  # fmt: skip
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    start = time.perf_counter()
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    said = [json.loads(worker.communicate()[0]) for worker in workers]
    seconds = max(s["ended"] for s in said) - start
    return {
        "seconds": seconds,
        "writes": each * PROCESSES,
        "times": [t for s in said for t in s["times"]],
        "errors": [e for s in said for e in s["errors"]],
        "ids": [i for s in said for i in s["ids"]],
    }


def _verify(path: Path, ids: list[str]) -> tuple[int, int]:
    connection = apsw.Connection(str(path))
    stored = {id for (id,) in connection.execute("SELECT id FROM statement")}
    overlaps = connection.execute(
        "SELECT count(*) FROM (SELECT valid_from, lag(valid_to) OVER (PARTITION BY tenant, key, "
        "member ORDER BY valid_from) AS previous FROM belief WHERE recorded_to IS NULL) "
        "WHERE previous > valid_from"
    ).fetchall()[0][0]
    connection.close()
    return len(ids) - len(stored.intersection(ids)), overlaps


# ------------------------------------------------------------------------ in the worker


def _work(side: str, path: str, each: int, number: int, turn: int) -> None:
    rng = random.Random(number)
    with open_memory(path) as memory:
        memory.current("shared 0", "seat")
        connection = connection_of(memory)
        templates = json.loads((Path(path).parent / "rows.bin").read_text(encoding="utf-8"))
        raw = _Raw(connection, templates)
        out: dict[str, list[Any]] = {"times": [], "errors": [], "ids": []}
        print("ready", flush=True)
        sys.stdin.readline()
        for i in range(each):
            shared = i % SHARED_EVERY == 0
            subject = f"shared {rng.randrange(SHARED_KEYS)}" if shared else (
                f"subject {turn} {number} {i // 2}"
            )  # fmt: skip
            start = time.perf_counter()
            try:
                if side == "vigent":
                    result = memory.write(
                        subject=subject, attribute="seat", value=f"{turn} {number} {i}"
                    )
                    out["ids"].append(result.memory.memory_id)
                else:
                    raw.write(f"raw {subject}")
            except Exception as error:  # noqa: BLE001 - each one is counted, whatever it is
                out["errors"].append(type(error).__name__)
            out["times"].append(time.perf_counter() - start)
        print(json.dumps({**out, "ended": time.perf_counter()}), flush=True)


class _Raw:
    """Writes the rows of a template under numbers and ids of its own.

    It finds the key and the stretch it ends as any writer must; all else is row writes.
    """

    def __init__(self, connection: Any, templates: dict[str, Any]) -> None:
        self.run = connection.execute
        self.rows = {
            kind: {
                name: [
                    tuple(bytes.fromhex(v) if b else v for v, b in zip(row, rows[-1], strict=True))
                    for row in rows[:-1]
                ]
                for name, rows in found.items()
            }
            for kind, found in templates.items()
        }

    def write(self, subject: str) -> None:
        run = self.run
        run("BEGIN IMMEDIATE")
        try:
            found = run(
                "SELECT k.no, b.no, b.valid_from, k.last_recorded FROM key k JOIN belief b "
                "ON b.tenant = k.tenant AND b.key = k.no WHERE k.tenant = ? AND store = ? AND "
                "person = ? AND subject = ? AND attribute = ? AND type = '' AND b.member = x'' "
                "AND b.recorded_to IS NULL ORDER BY b.valid_from DESC LIMIT 1",
                ("bench", "default", "", subject, "seat"),
            ).fetchall()
            now = time.time_ns() // 1000
            self._rows(subject, found[0] if found else None, now)
            run("COMMIT")
        except BaseException:
            run("ROLLBACK")
            raise

    def _rows(self, subject: str, found: tuple[int, int, int, int] | None, now: int) -> None:
        run, rows = self.run, self.rows["superseding" if found else "new"]
        top = run(
            "SELECT (SELECT max(no) FROM key), (SELECT max(no) FROM statement), "
            "(SELECT max(no) FROM belief), (SELECT max(no) FROM audit)"
        ).fetchall()[0]
        key, statement, belief, audit = (n + 1 for n in top)
        if found:
            key, now = found[0], max(now, found[3] + 1)
        else:
            k = rows["key"][0]
            run(SQL["key"], (key, *k[1:4], subject, *k[5:]))
        s = list(rows["statement"][0])
        id = fresh_id(s[2])
        s[0], s[2], s[3], s[17], s[8] = statement, id, key, statement, now
        run(SQL["statement"], s)
        if found:
            tenant = rows["close"][0][2]
            run(SQL["close"], (now, found[1], tenant))
            first, second = rows["belief"]
            run(SQL["belief"], (belief, first[1], key, first[3], statement - 1, found[2], now,
                                now, None))  # fmt: skip
            run(SQL["belief"], (belief + 1, second[1], key, second[3], statement, now,
                                second[6], now, None))  # fmt: skip
        else:
            b = rows["belief"][0]
            run(SQL["belief"], (belief, b[1], key, b[3], statement, now, b[6], now, None))
        p = rows["passage"][0]
        run(SQL["passage"], (*p[:4], statement, key, *p[6:]))
        h = rows["head"][0]
        run(SQL["head"], (now, now, *h[2:8], key, h[9]))
        a, c = rows["audit"][0], rows["audit_content"][0]
        run(SQL["audit"], (audit, a[1], "aud_" + secrets.token_hex(13), *a[3:6], id, *a[7:]))
        run(SQL["audit_content"], (audit, *c[1:4], key, *c[5:]))


if __name__ == "__main__":
    _work(sys.argv[1], sys.argv[2], *(int(a) for a in sys.argv[3:]))
