"""What an error says of the way out."""

from __future__ import annotations

import pytest

from vigent import Memory
from vigent.errors import InvalidInput, NotFound, SchemaMismatch

SCHEMA = "attributes: {langs: {kind: text, cardinality: multi}, city: text}"


@pytest.fixture
def memory(tmp_path):
    file = tmp_path / "schema.yaml"
    file.write_text(SCHEMA)
    with Memory.open(":memory:", schema=file) as opened:
        yield opened


def test_a_time_that_is_none_is_told_that_a_date_will_do(memory):
    with pytest.raises(InvalidInput, match="bare date such as 2026-06-03"):
        memory.current("mira", "city", as_of="2026-03")
    with pytest.raises(InvalidInput) as refused:
        memory.capture("Hi.", role="user", occurred_at="2026-03")
    assert "bare date" not in refused.value.message


def test_a_list_for_an_attribute_of_many_values_is_told_how_to_write_them(memory):
    with pytest.raises(SchemaMismatch, match="one value per call, or all of them with mode='repl"):
        memory.write(subject="mira", attribute="langs", value=["sv", "en"])
    memory.write(subject="mira", attribute="langs", value=["sv", "en"], mode="replace")
    assert {record.value for record in memory.current("mira", "langs")} == {"sv", "en"}
    with pytest.raises(SchemaMismatch) as refused:
        memory.write(subject="mira", attribute="city", value=["Lund"])
    assert "per call" not in refused.value.message


def test_an_update_of_the_words_points_to_supersedes(memory):
    old = memory.write(text="Likes ferns.").memory
    with pytest.raises(InvalidInput, match="supersedes=") as refused:
        memory.update(old.memory_id, text="Likes moss.")
    assert refused.value.field == "text"
    new = memory.write(text="Likes moss.", supersedes=old.memory_id)
    assert [record.memory_id for record in new.ended] == [old.memory_id]


def test_not_found_without_a_person_says_so(memory):
    theirs = memory.write(subject="mira", attribute="city", value="Lund", person="mira").memory
    ask = [
        memory.get,
        memory.provenance,
        lambda id, **who: memory.update(id, importance=3, **who),
        memory.forget,
    ]
    for verb in ask:
        told = {}
        for id in (theirs.memory_id, "mem_none"):
            with pytest.raises(NotFound) as missing:
                verb(id)
            told[id] = missing.value.message.replace(id, "ID")
            assert missing.value.field == "memory_id"
        assert set(told.values()) == {
            "memory_id: there is no memory ID here (of nobody in particular; give person=)"
        }  # whether it is somebody else's is not told
        with pytest.raises(NotFound) as missing:
            verb(theirs.memory_id, person="bo")
        assert "person=" not in missing.value.message
