"""Whether anything that has ended is ever shown as current, and what writes and contexts cost."""

from __future__ import annotations

import datetime as dt
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.figures import Figure, Side, at_most, only, percentile, timed
from bench.store import open_memory
from vigent.memory import Memory
from vigent.testing.embedding import HashEmbedder

PERSON = "mira"
UPDATES = 3
START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
THINGS = """lamp kettle carpet mirror curtain desk piano bicycle garden balcony""".split()  # noqa: SIM905
ATTRIBUTES = """colour shelf price owner maker""".split()  # noqa: SIM905
PHRASINGS = (
    "{subject} {attribute}", "what is the {attribute} of {subject}?",
    "Which {attribute} does {subject} have now?", "tell me about {subject}",
    "{subject}", "is the {attribute} of {subject} still {old}?", "{old}",
    "who changed the {attribute} of {subject} from {old} to something else?",
)  # fmt: skip


def measure_stale(folder: Path, *, facts: int) -> list[Figure]:
    """Update each fact three times, in three ways; then ask for it in many words."""
    print(f"{facts} facts, each updated three times")
    seen = {"search": 0, "context": 0}
    asked = {"search": 0, "context": 0}
    found = 0
    with open_memory(folder / "stale.db", embedder=HashEmbedder()) as memory:
        for turn in range(UPDATES + 1):
            results = memory.write_many(_updated(facts, turn))
            wrong = [r for r in results if isinstance(r, Exception)]
            assert not wrong, wrong[0]
        memory.index.catch_up()
        for i in range(facts):
            subject, attribute = _named(i)
            old = [_value(i, turn) for turn in range(UPDATES)]
            for n, form in enumerate(PHRASINGS):
                question = form.format(subject=subject, attribute=attribute, old=old[n % len(old)])
                expand = "always" if (i + n) % 2 else "auto"
                answer = memory.search(question, person=PERSON, expand=expand)
                asked["search"] += 1
                found += any(_value(i, UPDATES) in hit.text for hit in answer)
                seen["search"] += sum(_stale(hit.text) for hit in answer)
            if i % 5 == 0:
                asked["context"] += 1
                seen["context"] += _stale(_context(memory, f"{attribute} of {subject}"))
    assert found > asked["search"] / 2, "hardly anything is found: nothing stale could be"
    return [
        at_most(f"stale values shown as current ({name})", seen[name], 0, asked=asked[name],
                facts=facts)
        for name in seen if asked[name]
    ]  # fmt: skip


def _named(i: int) -> tuple[str, str]:
    thing = f"{THINGS[i % len(THINGS)]} {i // (len(THINGS) * len(ATTRIBUTES))}"
    return thing, ATTRIBUTES[i // len(THINGS) % len(ATTRIBUTES)]


def _value(i: int, turn: int) -> str:
    """A word that stands for one value of one fact; ended ones tell themselves by their end."""
    return f"v{i}{'now' if turn == UPDATES else f'old{turn}'}"


def _updated(facts: int, turn: int) -> Iterator[dict[str, Any]]:
    """Give the values of a turn: changes by their recording, by a date, and corrections."""
    for i in range(facts):
        subject, attribute = _named(i)
        item: dict[str, Any] = {
            "subject": subject, "attribute": attribute, "value": _value(i, turn), "person": PERSON,
        }  # fmt: skip
        if i % 3 == 1:
            item["valid_from"] = START + turn * dt.timedelta(days=30)
        elif i % 3 == 2 and turn:
            item["mode"] = "correction"
        yield item


def _stale(text: str) -> int:
    return text.count("old0") + text.count("old1") + text.count("old2")


def _context(memory: Any, query: str) -> str:
    return memory.context(query, person=PERSON).block


def measure_context(folder: Path, *, memories: int, samples: int) -> list[Figure]:
    """Time the putting together of a context; the query's vector costs next to nothing here."""
    print(f"context at {memories:,} memories of a person")
    with open_memory(folder / "context.db", embedder=HashEmbedder()) as memory:
        for turn in range(2):
            memory.write_many(_updated(memories // 2, turn))
        memory.index.catch_up(600)
        took: list[float] = []
        for n in range(samples + 5):
            subject, attribute = _named(n)
            # State alone does not answer it: all passages are ranked.
            question = f"which {attribute} would suit {subject} best?"
            memory.index.ask(question)
            start = time.perf_counter()
            given = _context(memory, question)
            took.append((time.perf_counter() - start) * 1000)
            assert subject in given
    took = took[5:]
    return [
        at_most(f"context without the query's embedding, p50 ms ({memories:,})",
                statistics.median(took), 5, p95_ms=round(percentile(took, 95), 2), n=len(took))
    ]  # fmt: skip


def measure_writing(folder: Path, *, writes: int) -> list[Figure]:
    """Time writes with their passages, which are there when the write returns."""
    print("writes, findable at once")
    side = Side()
    with open_memory(folder / "writes.db") as memory:
        items = list(_updated(writes, 0))
        timed(side, lambda item: memory.write(**item), items)
        rates = [_rate(memory, list(_updated(writes, turn))) for turn in (1, 2, 3)]
    return [
        only("write, p50 ms", side.median() / 1000, p95_ms=round(side.p95() / 1000, 3)),
        only("write_many, ms a memory", 1000 / statistics.median(rates),
             memories_per_s=round(statistics.median(rates))),
    ]  # fmt: skip


def _rate(memory: Memory, items: Sequence[dict[str, Any]]) -> float:
    start = time.perf_counter()
    memory.write_many(items)
    return len(items) / (time.perf_counter() - start)
