"""A store opened without the schema it was written with: nothing vanishes, nothing is mixed."""

from __future__ import annotations

import pytest

from vigent import Memory
from vigent.errors import SchemaMismatch

SCHEMA = {"attributes": {"languages": {"cardinality": "multi"}}}
ABOUT = {"subject": "ana", "attribute": "languages"}


@pytest.fixture
def path(tmp_path):
    with Memory.open(tmp_path / "a.db", schema=SCHEMA) as memory:
        for value in ("Portuguese", "Welsh"):
            memory.write(**ABOUT, value=value)
    return tmp_path / "a.db"


def test_several_values_are_read_without_their_schema(path):
    with Memory.open(path) as memory:
        assert [r.value for r in memory.current("ana", "languages")] == ["Portuguese", "Welsh"]
        state = memory.current("ana")
        assert [r.value for r in state["languages"]] == ["Portuguese", "Welsh"]
        assert memory.current("ana", "city") is None
        found = memory.search("ana languages").records
        assert {r.value for r in found} == {"Portuguese", "Welsh"}


def test_no_single_value_is_written_beside_them(path):
    with Memory.open(path) as memory:
        for call in (memory.write, memory.retract):
            with pytest.raises(SchemaMismatch, match="holds several values here") as raised:
                call(**ABOUT, value="Basque")
            assert raised.value.field == "attribute"
        with pytest.raises(SchemaMismatch):
            memory.retract(**ABOUT)
    with Memory.open(path, schema=SCHEMA) as memory:
        memory.write(**ABOUT, value="Basque")
        found = memory.current("ana", "languages")
        assert [r.value for r in found] == ["Portuguese", "Welsh", "Basque"]
        assert memory.check().ok


def test_an_undeclared_attribute_of_one_value_is_as_ever(path):
    with Memory.open(path) as memory:
        memory.retract(subject="ana", attribute="city", valid_from="2024-01-02")
        memory.write(subject="ana", attribute="city", value="Rome", valid_from="2026-01-02")
        memory.write(subject="ana", attribute="city", value="Bern", valid_from="2025-01-02")
        assert memory.current("ana", "city").value == "Rome"
