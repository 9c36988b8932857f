"""``current()`` beside the same question put to the tables by hand."""

from __future__ import annotations

import random
import time
from pathlib import Path

from bench.figures import Figure, in_turns, ratio
from bench.store import connection_of, open_memory

# All that a record shows, from the tables it is kept in.
ALL_COLUMNS = """
SELECT k.tenant, s.id, k.store, k.person, s.type, k.name, k.attribute, s.value_kind, s.value,
       s.text, s.schema_version, b.valid_from, b.valid_to, s.basis, b.recorded_from,
       b.recorded_to, s.replaces, s.source_episode, s.source, s.quote, s.speaker, s.trust,
       s.confidence, s.importance, s.evidence_count, s.retrieved_count, s.contested, s.status,
       s.retention, s.expires_at, s.created_at, s.last_changed_at, s.confirmed_at, s.metadata,
       s.fields, k.last_recorded
FROM key k
JOIN belief b ON b.tenant = k.tenant AND b.key = k.no
JOIN statement s ON s.no = b.memory
WHERE k.tenant = ?1 AND k.store = ?2 AND k.person = ?3 AND k.subject = ?4 AND k.attribute = ?5
  AND k.type = '' AND b.member = x'' AND b.recorded_to IS NULL
  AND b.valid_from <= ?6 AND b.valid_to > ?6
"""
# The quickest ways to value and id alone: by the join, and out of the packed row.
BY_JOIN = """
SELECT s.value, s.id FROM key k
JOIN belief b ON b.tenant = k.tenant AND b.key = k.no
JOIN statement s ON s.no = b.memory
WHERE k.tenant = ?1 AND k.store = ?2 AND k.person = ?3 AND k.subject = ?4 AND k.attribute = ?5
  AND k.type = '' AND b.member = x'' AND b.recorded_to IS NULL
  AND b.valid_from <= ?6 AND b.valid_to > ?6
"""
BY_HEAD = """
SELECT head ->> 3, head ->> 0 FROM key
WHERE tenant = ?1 AND store = ?2 AND person = ?3 AND subject = ?4 AND attribute = ?5
  AND type = '' AND head_from <= ?6 AND head_to > ?6
"""


def measure_reads(folder: Path, *, memories: int, blocks: int) -> list[Figure]:
    print("current() beside SELECT")
    with open_memory(folder / "reads.db") as memory:
        pairs = [(f"subject {i}", f"p{i % 50}") for i in range(memories)]
        for value in ("Rome", "Lugo"):
            memory.write_many(
                {"subject": s, "attribute": "city", "value": value, "person": p} for s, p in pairs
            )
        connection = connection_of(memory)
        run, now = connection.execute, time.time_ns() // 1000 + 1_000_000

        def current(pair: tuple[str, str]) -> tuple[object, str]:
            record = memory.current(pair[0], "city", person=pair[1])
            return record.value, record.memory_id

        def select(sql: str):
            def one(pair: tuple[str, str]) -> object:
                return run(sql, ("bench", "default", pair[1], pair[0], "city", now)).fetchall()[0]

            return one

        calls = {"vigent": current, "all_columns": select(ALL_COLUMNS),
                 "by_join": select(BY_JOIN), "by_head": select(BY_HEAD)}  # fmt: skip
        for pair in pairs[:200]:
            value, id = current(pair)
            assert calls["by_join"](pair) == calls["by_head"](pair) == (value, id)
            assert calls["all_columns"](pair)[1] == id
        random.seed(1)
        sides = in_turns(calls, [random.choices(pairs, k=50) for _ in range(blocks)])
    quickest = min(("by_join", "by_head"), key=lambda name: sides[name].median())
    figures = [
        ratio("current / SELECT of all columns", sides, "vigent", "all_columns", 1.6),
        ratio("current / quickest SELECT of value and id", sides, "vigent", quickest, 3),
    ]
    figures[1]["quickest"] = quickest
    return figures
