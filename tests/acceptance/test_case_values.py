"""Which value counts: changes, repeats, late facts, boundaries, ties and corrections."""

from __future__ import annotations

import itertools

import pytest

JAN, FEB, JUN = "2025-01-01T00:00:00Z", "2025-02-10T00:00:00Z", "2025-06-01T00:00:00Z"


def values(found):
    return [record.value for record in found]


class TestC01OldEmployer:
    def test_the_new_employer_alone_is_in_force(self, memory):
        said = {"subject": "ana", "attribute": "employer"}
        memory.write(**said, value="Kestrel Freight", valid_from="2023-04-03T00:00Z")
        done = memory.write(**said, value="Moss & Daughters", valid_from="2025-02-10T00:00Z")
        assert done.outcome == "superseded"
        assert values(done.ended) == ["Kestrel Freight"]
        assert memory.current("ana", "employer").value == "Moss & Daughters"
        assert memory.current("ana")["employer"].value == "Moss & Daughters"
        assert values(memory.list(subject="ana")) == ["Moss & Daughters"]
        old, new = memory.history("ana", "employer")[-2:]
        assert old.to_dict()["valid_to"] == "2025-02-10T00:00:00Z"
        assert (old.superseded_by, new.supersedes_memory_id) == (new.memory_id, old.memory_id)

    def test_words_do_not_find_the_old_one(self, memory):
        said = {"subject": "ana", "attribute": "employer"}
        memory.write(**said, value="Kestrel Freight works", valid_from="2023-04-03T00:00Z")
        memory.write(**said, value="Moss & Daughters", valid_from="2025-02-10T00:00Z")
        assert values(memory.search("ana works Kestrel", expand="always").records) == [
            "Moss & Daughters"
        ]

    @pytest.mark.parametrize("count", [2, 5, 30])
    def test_of_many_changes_one_is_in_force(self, memory, count):
        for n in range(count):
            memory.write(subject="ana", attribute="employer", value=f"E{n}")
        assert values(memory.list()) == [f"E{count - 1}"]


class TestC02SaidFourWays:
    def test_one_memory_with_all_its_evidence(self, memory):
        said = {"subject": "bo", "attribute": "hometown"}
        ids = set()
        texts = ("I grew up in Faro.", "Faro is where I grew up.", "I grew up in Faro.")
        for text, value in zip(texts, ("Faro", " Faro ", "Faro"), strict=True):
            episode = memory.capture(text)
            done = memory.write(**said, value=value, source_episode_id=episode.id, quote=text)
            ids.add(done.memory.memory_id)
        done = memory.write(**said, value="Faro")
        assert done.outcome == "confirmed"
        ids.add(done.memory.memory_id)
        assert len(ids) == 1
        assert len(list(memory.list(attribute="hometown"))) == 1
        (id,) = ids
        evidence = memory.provenance(id).evidence
        assert [e.episode.content for e in evidence if e.episode] == list(texts)
        assert memory.get(id).evidence_count == 4

    def test_free_text_said_twice_is_one_memory(self, memory):
        first = memory.write(type="preference", text="I like the window seat")
        again = memory.write(type="preference", text="I  like the window seat ")
        assert (first.outcome, again.outcome) == ("stored", "confirmed")
        assert first.memory.memory_id == again.memory.memory_id
        assert len(list(memory.list(type="preference"))) == 1


class TestC04Update:
    def test_a_replacement_keeps_what_is_not_named(self, memory):
        episode = memory.capture("Ilse Bern is my manager", occurred_at="2024-02-01T00:00Z")
        said = {"subject": "dee", "attribute": "manager"}
        first = memory.write(
            **said, value="Ilse Bern", valid_from="2024-02-01T00:00Z", confidence=0.8,
            retention_policy="keep-2y", source_episode_id=episode.id, metadata={"team": "blue"},
        ).memory  # fmt: skip
        second = memory.write(**said, value="Omar Quill", valid_from="2025-05-01T00:00Z").memory
        old = memory.get(first.memory_id)
        assert (old.value, old.confidence) == ("Ilse Bern", 0.8)
        assert old.to_dict()["valid_to"] == "2025-05-01T00:00:00Z"
        assert second.supersedes_memory_id == first.memory_id
        assert second.metadata == {"team": "blue"}
        assert second.retention_policy == "keep-2y"
        # Confidence and source belong to the new statement.
        assert (second.confidence, second.source_episode_id) == (1.0, None)
        assert memory.current("dee", "manager", as_of="2024-12-01T00:00Z").value == "Ilse Bern"

    @pytest.mark.parametrize(
        ("change", "field", "right"),
        [
            ({"confidence": 0.4}, "confidence", 0.4),
            ({"importance": 9}, "importance", 9),
            ({"metadata": {"a": 1}}, "metadata", {"a": 1}),
            ({"retention_policy": "keep"}, "retention_policy", "keep"),
        ],
    )
    def test_an_update_changes_one_field(self, memory, change, field, right):
        id = memory.write(
            subject="dee", attribute="manager", value="Ilse", confidence=0.8, importance=7,
            retention_policy="keep-2y", metadata={"team": "blue"}, source="hr", quote="my manager",
        ).memory.memory_id  # fmt: skip
        before = memory.get(id).to_dict()
        memory.update(id, **change)
        after = memory.get(id).to_dict()
        moved = {k for k in before if before[k] != after[k]}
        assert after[field] == right
        moved -= {"as_of", "known_at", "answered_at"}
        assert moved <= {field, "effective_confidence", "last_changed_at", "expires_at"}


class TestC06OldThread:
    @pytest.mark.parametrize("order", [(0, 1), (1, 0)])
    def test_the_order_of_arrival_does_not_count(self, memory, order):
        episode = memory.capture("I'm an intern here.", occurred_at="2023-02-01T10:00Z")
        said = {"subject": "fay", "attribute": "role"}
        writes = [
            {**said, "value": "team lead", "valid_from": "2025-11-01T00:00Z"},
            {**said, "value": "intern", "source_episode_id": episode.id},
        ]
        for n in order:
            memory.write(**writes[n])
        assert memory.current("fay", "role").value == "team lead"
        assert memory.current("fay", "role", as_of="2024-01-01T00:00Z").value == "intern"
        assert memory.current("fay", "role", as_of="2025-12-01T00:00Z").value == "team lead"
        intern = memory.current("fay", "role", as_of="2024-01-01T00:00Z")
        assert intern.to_dict()["valid_to"] == "2025-11-01T00:00:00Z"
        assert intern.valid_from_basis == "episode"

    def test_every_order_of_four_facts_gives_the_same_answers(self, memory):
        said = [("A", 1), ("B", 3), ("C", 5), ("D", 7)]
        for n, order in enumerate(itertools.permutations(said)):
            for value, month in order:
                memory.write(
                    subject=f"s{n}", attribute="role", value=value,
                    valid_from=f"2025-{month:02}-01T00:00Z",
                )  # fmt: skip
            for value, month in said:
                found = memory.current(f"s{n}", "role", as_of=f"2025-{month:02}-15T00:00Z")
                assert found.value == value


class TestC08Boundary:
    @pytest.mark.parametrize(
        ("dates", "zone"),
        [
            (("2025-04-01T00:00:00Z", "2025-06-01T00:00:00Z"), None),
            (("2025-04-01", "2025-06-01"), "UTC"),
        ],
    )
    def test_an_interval_holds_its_start_and_not_its_end(self, memory, dates, zone):
        for value, start in zip(("Basic", "Plus"), dates, strict=True):
            memory.write(
                subject="hana", attribute="plan", value=value, valid_from=start, timezone=zone
            )
        for when, right in {
            "2025-06-01T00:00:00Z": "Plus",
            "2025-05-31T23:59:59.999999Z": "Basic",
            "2025-04-01T00:00:00Z": "Basic",
        }.items():
            assert memory.current("hana", "plan", as_of=when).value == right
            assert values(memory.list(subject="hana", as_of=when)) == [right]
        assert memory.current("hana", "plan", as_of="2025-03-31T23:59:59.999999Z") is None

    def test_recorded_time_has_the_same_boundary(self, memory, clock):
        memory.write(subject="hana", attribute="plan", value="Basic", valid_from=JAN)
        clock.advance(days=1)
        later = memory.write(subject="hana", attribute="plan", value="Plus", valid_from=JAN).memory
        at, before = later.recorded_from, "2026-01-01T23:59:59.999999Z"
        assert memory.current("hana", "plan", as_of=JUN, known_at=at).value == "Plus"
        assert memory.current("hana", "plan", as_of=JUN, known_at=before).value == "Basic"


class TestC09Tie:
    def test_one_value_always_the_same(self, memory):
        said = {"subject": "ivo", "attribute": "desk", "valid_from": "2025-07-01T09:00:00Z"}
        for value in ("3-114", "5-020"):
            episode = memory.capture(f"my desk is {value}")
            memory.write(**said, value=value, source_episode_id=episode.id)
        answers = {memory.current("ivo", "desk").value for _ in range(200)}
        at = "2025-07-01T09:00:00Z"
        answers |= {memory.current("ivo", "desk", as_of=at).value for _ in range(200)}
        assert answers == {"5-020"}
        first = next(r for r in memory.history("ivo", "desk") if r.value == "3-114")
        assert first.recorded_to is not None
        assert memory.get(first.memory_id).superseded_by == memory.current("ivo", "desk").memory_id

    @pytest.mark.parametrize("count", [3, 8])
    def test_of_many_at_one_instant_the_last_stands(self, memory, count):
        for n in range(count):
            memory.write(subject="ivo", attribute="desk", value=f"D{n}", valid_from=JAN)
        assert values(memory.list()) == [f"D{count - 1}"]
        assert memory.check().ok


class TestC10NeverPorto:
    def test_the_past_reads_otherwise_and_what_was_believed_stays(self, memory, clock):
        said = {"subject": "jo", "attribute": "city", "valid_from": "2024-03-01T00:00Z"}
        clock.set("2025-01-10T00:00Z")
        porto = memory.write(**said, value="Porto").memory
        clock.set("2025-09-05T00:00Z")
        done = memory.write(**said, value="Braga", mode="correction")
        assert done.outcome == "corrected"
        june = {"as_of": "2024-06-01T00:00Z"}
        assert memory.current("jo", "city").value == "Braga"
        assert memory.current("jo", "city", **june).value == "Braga"
        then = memory.current("jo", "city", **june, known_at="2025-02-01T00:00Z")
        assert then.value == "Porto"
        assert memory.get(porto.memory_id).status == "corrected"
        assert done.memory.supersedes_memory_id == porto.memory_id
        assert {r.status for r in memory.history("jo", "city") if r.value == "Porto"} == {
            "corrected"
        }

    def test_a_correction_by_name_in_the_middle(self, memory):
        said = {"subject": "jo", "attribute": "city"}
        memory.write(**said, value="Faro", valid_from="2023-01-01T00:00Z")
        porto = memory.write(**said, value="Porto", valid_from="2024-01-01T00:00Z").memory
        memory.write(**said, value="Lagos", valid_from="2025-01-01T00:00Z")
        memory.write(**said, value="Braga", mode="correction", corrects=porto.memory_id)
        asked = [f"{year}-06-01T00:00Z" for year in (2022, 2023, 2024, 2025)]
        found = [memory.current("jo", "city", as_of=when) for when in asked]
        assert [r and r.value for r in found] == [None, "Faro", "Braga", "Lagos"]
