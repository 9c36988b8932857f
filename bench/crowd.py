"""Search in scopes of a thousand to a hundred thousand memories, alone and among a million.

All memories of a scope hold the asked words, so that none is ruled out by them. The scopes are
copies by SQL of ones that were written, and so are the million of other tenants.
"""

from __future__ import annotations

import itertools
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.figures import Figure, Side, at_most, in_turns, only, timed
from bench.scale import copy_all, marks
from bench.store import connection_of, open_memory
from vigent.memory import Memory
from vigent.testing.embedding import HashEmbedder

ASKED = "window seat breakfast"
QUESTIONS = (
    ASKED, "breakfast at a window seat", "a window seat with breakfast and a lamp",
    "window seat breakfast quiet", "window seat breakfast morning tea",
)  # fmt: skip
FILLER = """quiet corner morning tea lamp carpet balcony garden stairs lift towel blanket mirror
curtain desk kettle slippers newspaper shutters fireplace""".split()  # noqa: SIM905
WRITTEN = 10_000
TENANT = "asked"


def measure_crowd(folder: Path, *, sizes: Sequence[int], others: int, samples: int) -> list[Figure]:
    """Compare a scope alone in a store with the same scope among those of other tenants."""
    large_at, figures = folder / "large.db", list[Figure]()
    start = time.perf_counter()
    _others(large_at, max(2, others - sum(sizes)))
    for size in sizes:
        _scope(folder / f"{size}.db", size)
        _scope(large_at, size)
    print(f"  {others:,} memories built in {time.perf_counter() - start:.0f} s, "
          f"{large_at.stat().st_size / 1e9:.2f} GB")  # fmt: skip
    for size in sizes:
        print(f"a scope of {size:,} memories alone, and in a store of {others:,}")
        asked = max(10, samples * sizes[0] // size)
        figures += _compared(folder / f"{size}.db", large_at, size, asked)
    return figures


def _person(size: int) -> str:
    return f"guest {size}"


def _scope(path: Path, size: int) -> None:
    """Write a scope of a person of its own; the same for each store, but for ids."""
    written = min(size, WRITTEN)
    with open_memory(path, tenant=TENANT) as memory:
        connection = connection_of(memory)
        since = marks(connection)
        memory.write_many(_wishes(size, written))
        copy_all(connection, TENANT, [TENANT] * (size // written - 1), since)


def _wishes(size: int, count: int) -> Iterator[dict[str, Any]]:
    rng = random.Random(size)
    for i in range(count):
        yield {"subject": f"room {i}", "attribute": "wish", "person": _person(size),
               "value": f"{ASKED} {' '.join(rng.sample(FILLER, rng.randrange(1, 9)))}"}  # fmt: skip


def _others(path: Path, count: int) -> None:
    """Fill a store with what other tenants say, in the same words."""
    written = min(count // 2, WRITTEN)
    with open_memory(path, tenant="tenant 0") as memory:
        memory.write_many(_said(written))
        tenants = [f"tenant {copy % 10}" for copy in range(1, -(-count // written))]
        copy_all(connection_of(memory), "tenant 0", tenants)


def _said(count: int) -> Iterator[dict[str, Any]]:
    for i in range(count):
        yield {"subject": f"subject {i}", "attribute": "wish", "person": f"p{i % 500}",
               "value": f"{ASKED} {FILLER[i % len(FILLER)]}"}  # fmt: skip


def _compared(alone_at: Path, large_at: Path, size: int, samples: int) -> list[Figure]:
    person = _person(size)
    with (
        open_memory(alone_at, tenant=TENANT) as alone,
        open_memory(large_at, tenant=TENANT) as large,
    ):
        first = {name: _first(memory, person) for name, memory in
                 (("alone", alone), ("large", large))}  # fmt: skip
        calls = {"alone": _asks(alone, person), "large": _asks(large, person)}
        blocks = [QUESTIONS] * max(2, samples // len(QUESTIONS))
        in_turns(calls, blocks[:1])
        sides = in_turns(calls, blocks)
        before = _answers(large, person)
        same = [[parts[1:] for parts in found] for found in _answers(alone, person)]
        assert same == [[parts[1:] for parts in found] for found in before]
        with open_memory(large_at, tenant="tenant 1") as other:
            written = other.write_many(dict(item, value=f"{item['value']} anew")
                                       for item in _said(min(size, 1_000)))  # fmt: skip
            assert not any(isinstance(one, Exception) for one in written)
        changed = _changed(before, _answers(large, person))
        with open_memory(large_at, tenant=TENANT) as anew:
            changed += _changed(before, _answers(anew, person))
        after = _after_a_write(alone, person)
    small = f"a scope of {size:,}"
    return [
        at_most(
            f"search, among others / alone, p50 ({small})",
            sides["large"].median() / sides["alone"].median(), 1.5,
            large=sides["large"].summary(), alone=sides["alone"].summary(),
            first_ms=first,
        ),
        at_most(
            f"hits changed by what another tenant writes ({small})", changed, 0,
            hits=sum(map(len, before)),
        ),
        only(f"search by words, p50 ms ({small})", sides["alone"].median() / 1000,
             p95_ms=round(sides["alone"].p95() / 1000, 2)),
        only(f"first search of a process, by words, ms ({small})", first["alone"]),
        only(f"search right after a write of a new subject, ms ({small})", after),
    ]  # fmt: skip


def _first(memory: Memory, person: str) -> float:
    start = time.perf_counter()
    assert len(memory.search(ASKED, person=person)) == 10
    return round((time.perf_counter() - start) * 1000, 1)


def _asks(memory: Memory, person: str) -> Callable[[str], object]:
    def ask(question: str) -> None:
        assert memory.search(question, person=person)

    return ask


def _answers(memory: Memory, person: str) -> list[list[tuple[object, ...]]]:
    """Give all that is told of the hits; floats as hexadecimal, so that no bit is lost."""
    return [
        [
            (hit.id, hit.text, hit.score.hex(),
             tuple((name, part.hex()) for name, part in sorted(hit.parts.items())))
            for hit in memory.search(question, person=person, limit=50, explain=True)
        ]
        for question in QUESTIONS
    ]  # fmt: skip


def _changed(before: list[list[Any]], after: list[list[Any]]) -> int:
    return sum(
        one != two
        for asked, again in zip(before, after, strict=True)
        for one, two in itertools.zip_longest(asked, again)
    )


def _after_a_write(memory: Memory, person: str) -> float:
    took: list[float] = []
    for i in range(5):
        memory.write(subject=f"new room {i}", attribute="wish", value=ASKED, person=person)
        took.append(_first(memory, person))
    return statistics.median(took)


def measure_vectors(folder: Path, *, sizes: Sequence[int], samples: int) -> list[Figure]:
    """Time searches by words and vectors; the vectors are of a model that costs nothing."""
    figures: list[Figure] = []
    for size in sizes:
        print(f"a scope of {size:,} memories with vectors")
        path, person, side = folder / f"vectors {size}.db", _person(size), Side()
        with open_memory(path, tenant=TENANT, embedder=HashEmbedder(512)) as memory:
            memory.write_many(_wishes(size, size))
            state = memory.index.catch_up(600)
            assert state.pending == 0, state
        with open_memory(path, tenant=TENANT, embedder=HashEmbedder(512)) as memory:
            first = _first(memory, person)
            ask = _asks(memory, person)
            timed(side, ask, QUESTIONS)
            side = Side()
            for turn in range(max(2, samples // len(QUESTIONS))):
                timed(side, ask, [f"{question} {turn}" for question in QUESTIONS])
        figures += [
            only(f"search by words and vectors, p50 ms ({size:,})", side.median() / 1000,
                 p95_ms=round(side.p95() / 1000, 2), n=len(side.times), dimension=512),
            only(f"first search of a process, words and vectors, ms ({size:,})", first),
        ]  # fmt: skip
    return figures
