"""A long list by pages is the list: whatever was said, and however it is filtered."""

from __future__ import annotations

import random

import pytest

from vigent import Memory
from vigent.read import listing
from vigent.testing import FakeClock

FILTERS = (
    {},
    {"attribute": "city"},
    {"type": "preference"},
    {"include": "history"},
    {"status": "corrected"},
    {"min_confidence": 0.7},
    {"metadata": {"n": {"lt": 100}}},
    {"as_of": "2026-02-01T00:00:00Z", "known_at": "2026-06-01T12:10:00Z"},
)


def fill(memory: Memory, clock: FakeClock, keys: int) -> None:
    chosen = random.Random(3)
    for n in range(keys):
        memory.write(
            subject=f"s{n % (keys // 2)}", attribute=chosen.choice(("city", "job")),
            value=f"v{chosen.randrange(5)}", person=chosen.choice((None, "p1", "p2")),
            valid_from=f"2026-0{chosen.randrange(1, 6)}-01T00:00:00Z",
            mode=chosen.choice(("change", "change", "correction")), metadata={"n": n},
        )  # fmt: skip
        if n % 7 == 0:
            memory.write(type="preference", text=f"likes {n}", person="p1", confidence=0.8)
        clock.advance(seconds=chosen.choice((0, 1, 5)))
    for n in range(0, keys // 2, 9):
        memory.alias(f"s{n}", of=f"s{n + 1}", person="p1")


def paged(memory: Memory, person: str | None, limit: int, **wanted) -> list:
    found, beyond = [], None
    while True:
        records, beyond = memory.records.page(
            beyond=beyond, limit=limit, person=person, **wanted
        )  # fmt: skip
        found += records
        if beyond is None:
            return [record.to_dict() for record in found]


def test_pages_are_the_list(tmp_path):
    clock = FakeClock("2026-06-01T12:00:00Z")
    with Memory.open(tmp_path / "a.db", clock=clock) as memory:
        fill(memory, clock, 4 * listing._FEW)
        for person in (None, "p1"):
            with memory._reading.view(person) as snapshot:
                assert snapshot.broad(memory._reading.selection(person), listing._FEW)
            for wanted in FILTERS:
                whole = [r.to_dict() for r in memory.list(person=person, **wanted)]
                assert paged(memory, person, 97, **wanted) == whole
                assert whole or (person is None and "type" in wanted)


def test_a_page_of_what_hardly_fits_looks_at_a_part_and_goes_on(tmp_path):
    clock = FakeClock("2026-06-01T12:00:00Z")
    with Memory.open(tmp_path / "a.db", clock=clock) as memory:
        fill(memory, clock, 4 * listing._FEW)
        reading, last = memory._reading, 4 * listing._FEW - 1
        for filters in ({"metadata": {"n": last}}, {"as_of": "2001-01-01"}, {}):
            wanted = listing.Wanted.of(reading, **filters)
            found, beyond, sizes = [], None, []
            while True:
                rows, beyond = listing.page(
                    reading, "p1", wanted, beyond=beyond, limit=60, most=300
                )  # fmt: skip
                found += [row.to_dict() for row in rows]
                sizes.append(len(rows))
                if beyond is None:
                    break
            assert found == [r.to_dict() for r in memory.list(person="p1", **filters)]
            assert (0 in sizes[:-1]) == bool(filters)
            assert len(sizes) > 4


@pytest.mark.parametrize("kind", ["sqlite", "inmemory"])
def test_statements_are_walked_in_order_of_recording(tmp_path, kind):
    clock = FakeClock("2026-06-01T12:00:00Z")
    with Memory.open(":memory:" if kind == "inmemory" else tmp_path / "a.db", clock=clock) as m:
        fill(m, clock, 60)
        scope = ("default", "default", ("p1", ""))
        with m._reading.view("p1") as joined:
            snapshot = joined.plain
            every = [
                (key.no, s.id)
                for key, s in sorted(
                    snapshot.statements_from("default", 0, 10_000),
                    key=lambda pair: (pair[1].recorded_from, pair[1].id),
                )
                if key.id.person in {"p1", ""} and key.id.attribute == "city"
            ]
            walked, since = [], (0, "")
            while rows := snapshot.recorded(*scope, "city", since, 7):
                walked += [(key.no, s.id) for key, s in rows if (key.no, s.id) not in walked]
                if since == (rows[-1][1].recorded_from, rows[-1][1].id):
                    break
                since = (rows[-1][1].recorded_from, rows[-1][1].id)
            assert walked == every != []
            assert snapshot.broad(*scope, 5)
            assert not snapshot.broad(*scope, 10_000)
            assert not snapshot.broad("default", "default", ("nobody",), 0)
