"""Names that are one by an explicit alias, and by nothing else."""

from __future__ import annotations

import sqlite3

import pytest

from vigent import Memory, VigentError
from vigent.errors import AliasConflict, InvalidInput, LimitExceeded

LIS = {"subject": "Katarzyna Lis", "attribute": "city"}
KASIA = {"subject": "Kasia", "attribute": "city"}
FEB, MAR = "2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z"


def value(record):
    return None if record is None else record.value


def heads(memory: Memory) -> dict[str, bool]:
    """Which keys have a quick answer, by subject and attribute."""
    keys = ("katarzyna lis city", "bem city", "kasia city", "kasia diet")
    named = {key: key.rpartition(" ") for key in keys}
    read = memory._storage.reader().head
    return {
        key: read("t1", "default", "", subject, attribute).valid_to > 0
        for key, (subject, _, attribute) in named.items()
    }


def test_c23_kasia_is_katarzyna(on_file):
    memory, other = on_file("t1"), on_file("t2")
    memory.write(**LIS, value="Gdynia")
    memory.write(subject="Kasia", attribute="diet", value="vegetarian")
    other.write(**LIS, value="Lodz")
    assert memory.current(**KASIA) is None
    memory.alias("Kasia", of="Katarzyna Lis")
    assert memory.current(**KASIA).value == "Gdynia"
    assert memory.current("Katarzyna Lis", "diet").value == "vegetarian"
    with pytest.raises(AliasConflict, match="katarzyna lis"):
        memory.alias("Kasia", of="Katarzyna Bem")
    assert other.current(**KASIA) is None
    assert other.alias.list() == ()
    memory.alias.remove("Kasia")
    assert memory.current(**KASIA) is None
    assert memory.current(**LIS).value == "Gdynia"
    assert memory.current("Katarzyna Lis", "diet") is None
    assert memory.current("Kasia", "diet").value == "vegetarian"


def test_c36_a_name_that_begins_like_another_is_not_joined(memory):
    memory.write(subject="birch", attribute="status", value="green")
    memory.write(subject="birch-east", attribute="status", value="red")
    memory.alias("birke", of="birch")
    assert memory.current("birke", "status").value == "green"
    assert memory.current("birch-east", "status").value == "red"
    assert [a.name for a in memory.alias.list("birch-east")] == []


def test_c19_allergies_of_both_names_are_one_set(memory):
    memory.write(subject="Kasia", attribute="allergy", value="nuts")
    memory.write(subject="Katarzyna Lis", attribute="allergy", value="milk")
    memory.alias("Kasia", of="Katarzyna Lis")
    done = memory.write(subject="Kasia", attribute="allergy", value=["eggs"], mode="replace")
    assert sorted(r.value for r in done.ended) == ["milk", "nuts"]
    assert [r.value for r in memory.current("Katarzyna Lis", "allergy")] == ["eggs"]


def test_two_of_one_fact_stay_two(memory):
    for subject in ("p1", "p2"):
        memory.write(subject=subject, attribute="name", value="Kasia")
    memory.write(subject="p1", attribute="city", value="Gdynia")
    assert memory.current("p2", "city") is None
    assert memory.alias.names("p1").every == ("p1", "Kasia")
    assert memory.alias.names("Kasia").every == ("kasia",)


def test_another_store_has_its_own_aliases(on_file):
    one, two = on_file("t1"), on_file("t1", store="two")
    for memory in (one, two):
        memory.write(**LIS, value="Gdynia")
    one.alias("Kasia", of="Katarzyna Lis")
    assert two.current(**KASIA) is None
    assert two.alias("Kasia", of="Katarzyna Bem").outcome == "joined"


@pytest.mark.parametrize(
    ("name", "of", "error"),
    [
        ("", "Lis", InvalidInput),
        ("Kasia", "  ", InvalidInput),
        (7, "Lis", InvalidInput),
        ("K" * 201, "Lis", LimitExceeded),
        ("Kasia", "KASIA", AliasConflict),
    ],
)
def test_a_name_that_is_none_is_refused(memory, name, of, error):
    with pytest.raises(error):
        memory.alias(name, of=of)
    assert memory.alias.list() == ()


def test_a_circle_of_own_and_shared_aliases_is_one_subject(memory):
    memory.write(subject="a", attribute="city", value="Gdynia")
    memory.alias("b", of="a", person="p1")
    memory.alias("a", of="b")
    for name in ("a", "b"):
        assert memory.current(name, "city", person="p1").value == "Gdynia"
        assert memory.current(name, "city").value == "Gdynia"
    memory.alias.remove("b", person="p1")
    assert memory.alias.names("b").subject == "b"


def test_ones_own_alias_goes_before_a_shared_one(memory):
    memory.write(**LIS, value="Gdynia")
    memory.write(subject="Bem", attribute="city", value="Hel")
    memory.alias("Kasia", of="Bem", person="p1")
    memory.alias("Kasia", of="Katarzyna Lis")
    assert memory.current(**KASIA, person="p1").value == "Hel"
    assert memory.current(**KASIA).value == "Gdynia"
    assert memory.current(**LIS, person="p1").value == "Gdynia"
    assert [a.subject for a in memory.alias.list(person="p1")] == ["bem"]


def test_a_joined_key_has_no_quick_answer_and_gets_it_back(on_file):
    memory = on_file()
    memory.write(**LIS, value="Gdynia", valid_from=FEB)
    memory.write(subject="Bem", attribute="city", value="Hel")
    memory.alias("Kasia", of="Katarzyna Lis")
    memory.write(**KASIA, value="Sopot", valid_from=MAR)
    memory.write_many([{**KASIA, "attribute": "diet", "value": v} for v in ("vegan", "all")])
    memory.update(memory.current(**LIS).memory_id, importance=9)
    assert heads(memory) == {
        "katarzyna lis city": False, "bem city": True, "kasia city": False, "kasia diet": False,
    }  # fmt: skip
    assert memory.check().ok
    memory.check(repair=True)
    assert not heads(memory)["kasia city"]
    memory.alias.remove("Kasia")
    assert all(heads(memory).values())
    assert (value(memory.current(**KASIA)), value(memory.current(**LIS))) == ("Sopot", "Gdynia")
    assert memory.check().ok


def test_a_quick_answer_beside_an_alias_is_told_and_taken_away(on_file, tmp_path):
    memory = on_file()
    memory.write(**LIS, value="Gdynia")
    memory.alias("Kasia", of="Katarzyna Lis")
    memory.close()
    with sqlite3.connect(tmp_path / "shared.db") as connection:
        connection.execute(
            "UPDATE key SET head_to = 9223372036854775807, head_expires = 9223372036854775807"
        )
    connection.close()
    memory = on_file()
    assert any("quick answer" in problem for problem in memory.check().problems)
    memory.check(repair=True)
    assert memory.check().ok
    assert memory.current(**KASIA).value == "Gdynia"


def test_the_same_request_of_an_episode_is_known_again(memory, clock):
    memory.write(**LIS, value="Gdynia", valid_from=FEB)
    memory.alias("Kasia", of="Katarzyna Lis")
    said = memory.capture("Kasia moved to Sopot.")
    first = memory.write(**KASIA, value="Sopot", source_episode_id=said.id)
    clock.advance(days=1)
    again = memory.write(**KASIA, value="Sopot", source_episode_id=said.id)
    assert again.outcome == "superseded"
    assert again.memory.memory_id == first.memory.memory_id
    assert [r.memory_id for r in again.ended] == [r.memory_id for r in first.ended]
    fixed = memory.write(**KASIA, value="Hel", source_episode_id=said.id, mode="correction")
    same = memory.write(**KASIA, value="Hel", source_episode_id=said.id, mode="correction")
    assert same.memory.memory_id == fixed.memory.memory_id
    assert len(memory.history(**KASIA)) == 4


def test_a_batch_is_judged_on_what_all_names_hold(memory):
    memory.alias("Kasia", of="Katarzyna Lis")
    items = [
        {**LIS, "value": "Gdynia", "valid_from": FEB},
        {**KASIA, "value": "Sopot", "valid_from": MAR},
        {**LIS, "value": "Sopot", "valid_from": MAR},
        {"subject": "Bem", "attribute": "city", "value": "Hel"},
        {**LIS, "value": "Lodz"},
    ]
    done = memory.write_many(items)
    assert not any(isinstance(one, VigentError) for one in done)
    assert [one.outcome for one in done] == [
        "stored", "superseded", "confirmed", "stored", "superseded",
    ]  # fmt: skip
    assert memory.current(**KASIA).value == "Lodz"
    assert memory.check().ok


def test_expect_names_what_is_in_force_of_all_names(memory):
    first = memory.write(**LIS, value="Gdynia", valid_from=FEB).memory
    memory.alias("Kasia", of="Katarzyna Lis")
    with pytest.raises(VigentError) as refused:
        memory.write(**KASIA, value="Sopot", expect="mem_other")
    assert refused.value.code == "unexpected_memory"
    assert memory.write(**KASIA, value="Sopot", expect=first.memory_id).outcome == "superseded"


def test_a_memory_changed_in_place_shows_what_holds_of_all_names(memory):
    first = memory.write(**LIS, value="Gdynia", valid_from=FEB).memory
    memory.alias("Kasia", of="Katarzyna Lis")
    second = memory.write(**KASIA, value="Sopot", valid_from=MAR, idempotency_key="k").memory
    changed = memory.update(first.memory_id, importance=9)
    assert (changed.valid_to, changed.superseded_by) == (second.valid_from, second.memory_id)
    again = memory.write(**KASIA, value="Sopot", valid_from=MAR, idempotency_key="k")
    assert again.memory.supersedes_memory_id == first.memory_id
    assert again.ended[0].valid_to == second.valid_from


def test_free_text_of_both_names_is_one(memory):
    memory.write(subject="Kasia", text="Likes the sea.")
    memory.alias("Kasia", of="Katarzyna Lis")
    again = memory.write(subject="Katarzyna Lis", text="Likes the sea.")
    assert again.outcome == "confirmed"
    assert [r.text for r in memory.list(subject="Katarzyna Lis")] == ["Likes the sea."]
    assert [r.text for r in memory.search("sea", subject="Kasia").records] == ["Likes the sea."]


def test_held_by_trust_it_may_be_let_in(tmp_path, clock):
    schema = {"attributes": {"city": {"min_trust": "person"}}}
    with Memory.open(tmp_path / "m.db", schema=schema, clock=clock) as memory:
        memory.write(**LIS, value="Gdynia", valid_from=FEB, trust="person")
        memory.alias("Kasia", of="Katarzyna Lis")
        held = memory.write(
            **KASIA, value="Sopot", valid_from=MAR, trust="tool", confidence=0.9
        )  # fmt: skip
        assert (held.outcome, memory.current(**LIS).value) == ("pending_review", "Gdynia")
        (item,) = memory.review.list()
        done = memory.review.accept(item.memory.memory_id)
        assert (done.outcome, [r.value for r in done.ended]) == ("superseded", ["Gdynia"])
        assert memory.current(**LIS).value == "Sopot"
        assert memory.check().ok


def test_contested_across_names_is_settled_by_a_correction(tmp_path, clock):
    schema = {"attributes": {"city": {"conflict": "contest"}}}
    with Memory.open(tmp_path / "m.db", schema=schema, clock=clock) as opened:
        opened.write(**LIS, value="Gdynia", valid_from=FEB)
        opened.alias("Kasia", of="Katarzyna Lis")
        held = opened.write(**KASIA, value="Sopot", valid_from=FEB)
        assert (held.outcome, opened.current(**LIS).contested) == ("pending_review", True)
        done = opened.review.accept(held.memory.memory_id)
        assert (done.outcome, [r.value for r in done.ended]) == ("corrected", ["Gdynia"])
        assert (opened.current(**KASIA).value, opened.current(**KASIA).contested) == (
            "Sopot", False,
        )  # fmt: skip
        assert opened.check().ok


def test_an_erased_persons_names_are_in_no_byte(on_file, tmp_path):
    memory = on_file()
    memory.alias("Zuzannaqxvarn", of="Wisniewskaqxvarn", person="p1")
    memory.alias("Sharedqxvarn", of="Wisniewskaqxvarn")
    memory.alias("Goneqxvarn", of="Wisniewskaqxvarn")
    memory.write(subject="Sharedqxvarn", attribute="city", value="Gdynia")
    memory.alias.remove("Goneqxvarn")
    memory.write(subject="Bem", attribute="city", value="Hel")
    memory.persons.link("p1", "Zuzannaqxvarn")
    receipt = memory.erase_person("p1", wait=True)
    assert receipt.state == "purged"
    memory.close()
    # Salts and digests are random bytes, in which a short word would stand by chance.
    for file in tmp_path.glob("shared.db*"):
        assert b"qxvarn" not in file.read_bytes().lower()


def test_what_was_done_is_in_the_audit_without_names(on_file, tmp_path):
    memory = on_file()
    memory.alias("Kasia", of="Katarzyna Lis")
    memory.alias.remove("Kasia")
    assert memory.check().audit["broken"] == 0
    memory.close()
    with sqlite3.connect(tmp_path / "shared.db") as connection:
        rows = connection.execute("SELECT action, outcome, target FROM audit").fetchall()
        content = connection.execute("SELECT content FROM audit_content").fetchall()
    connection.close()
    assert [row[:2] for row in rows] == [("alias_make", "joined"), ("alias_remove", "removed")]
    assert rows[0][2] == rows[1][2]
    assert "kasia" not in str(content).lower()
