"""Memory that is moved again and again answers as one that never was, whatever is said between."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.moved import body, exported, imported, store_at
from vigent import Memory
from vigent.testing.agreement import AGREEMENT_SCHEMA, AgreementMachine, run_agreement

ENGINES = ("sqlite", "memory")
"""Through which engine the rows of a store go."""


class MovingMachine(AgreementMachine):
    """The agreement machine, in which the store under test is moved now and then."""

    moves: ClassVar[int] = 0

    @rule(through=st.sampled_from(ENGINES))
    def move(self, through: str) -> None:
        """Export the store, import it elsewhere, from there into a new one, and go on with that."""
        type(self).moves += 1
        mine = self.pair.first
        storage: Any = mine._storage
        if "default" not in _tenants(storage):
            return
        for memory in (mine, self.pair.second):
            memory.flush_retrieved()  # what was counted beside the reads is written first
        lines = exported(storage)
        middle = str(self.folder / f"middle-{self.moves}.db") if through == "sqlite" else ":memory:"
        with store_at(middle) as between:
            imported(between, lines)
            there = exported(between)
        assert body(there, heads=through == "sqlite") == body(lines, heads=through == "sqlite")
        path = self.folder / f"moved-{self.moves}.db"
        with store_at(path) as target:
            imported(target, there)
            assert exported(target)[1:] == there[1:]
            assert target.check() == []
            assert target.audit("default").broken == ()
        mine.close()
        self.pair.first = Memory.open(path, schema=AGREEMENT_SCHEMA, clock=self.clock)


def _tenants(storage: Any) -> list[str]:
    with storage.snapshot() as snapshot:
        return snapshot.tenants()


def test_a_store_that_is_moved_answers_like_one_that_stayed():
    before = MovingMachine.moves
    run_agreement(MovingMachine, steps=300)
    assert MovingMachine.moves > before


@pytest.mark.parametrize("engine", ENGINES)
def test_moving_twice_gives_the_same_lines(tmp_path, engine):
    with Memory.open(tmp_path / "a.db", person="p1") as memory:
        memory.write(subject="mira", attribute="desk", value="3-114")
        memory.write(subject="mira", attribute="desk", value='🇵🇹 „quoted“\n\\ "x"')
    with store_at(tmp_path / "a.db") as one:
        lines = exported(one)
    where = tmp_path / "b.db" if engine == "sqlite" else ":memory:"
    with store_at(where) as other:
        assert imported(other, lines).fresh
        assert body(exported(other), heads=engine == "sqlite") == body(
            lines, heads=engine == "sqlite"
        )
