"""What every adapter has to do about aliases: claims that are part of ``MemoryContract``."""

from __future__ import annotations

from typing import Any, Final

import pytest

from vigent.errors import AliasConflict, Forbidden
from vigent.memory import Memory
from vigent.testing.clock import FakeClock

__all__ = ["AliasClaims"]

_FEB, _MAR, _APR, _MAY = (f"2026-0{month}-01T00:00:00Z" for month in (2, 3, 4, 5))
_KASIA: Final[dict[str, Any]] = {"subject": "Kasia", "attribute": "city"}
_LIS: Final[dict[str, Any]] = {"subject": "Katarzyna Lis", "attribute": "city"}


def _values(records: Any) -> list[Any]:
    return [record.value for record in records]


class AliasClaims:
    """The claims of aliases, asked through the public face of memory."""

    def test_joined_names_are_read_as_one(self, memory: Memory) -> None:
        memory.write(**_LIS, value="Gdynia", valid_from=_FEB)
        memory.write(subject="Kasia", attribute="diet", value="vegetarian")
        assert memory.current(**_KASIA) is None
        assert memory.alias("Kasia", of="Katarzyna Lis").outcome == "joined"
        assert memory.current(**_KASIA).value == "Gdynia"
        assert memory.current("Katarzyna Lis", "diet").value == "vegetarian"
        assert list(memory.current("Kasia")) == list(memory.current("katarzyna lis"))
        assert list(memory.current("Kasia")) == ["city", "diet"]
        assert memory.current(**_KASIA).subject == "Katarzyna Lis"

    def test_statements_of_joined_names_are_taken_together(self, memory: Memory) -> None:
        memory.write(**_LIS, value="Gdynia", valid_from=_FEB)
        memory.write(**_KASIA, value="Sopot", valid_from=_APR)
        memory.alias("Kasia", of="Katarzyna Lis")
        for key in (_KASIA, _LIS):
            assert memory.current(**key).value == "Sopot"
            assert memory.current(**key, as_of=_MAR).value == "Gdynia"
            assert _values(r for r in memory.history(**key) if r.recorded_to is None) == [
                "Gdynia", "Sopot",
            ]  # fmt: skip
        assert [r.value for r in memory.list()] == ["Sopot"]
        found = memory.current(**_LIS)
        old = memory.get(found.supersedes_memory_id)
        assert (old.value, old.superseded_by) == ("Gdynia", found.memory_id)
        assert _values(memory.search("sopot").records) == ["Sopot"]
        assert memory.search("gdynia").hits == ()
        (change,) = memory.diff(since=_MAR, until=_MAY)
        assert (_values(change.before), _values(change.after)) == (["Gdynia"], ["Sopot"])

    def test_parted_each_name_reads_as_before(self, memory: Memory) -> None:
        memory.write(**_LIS, value="Gdynia", valid_from=_FEB)
        memory.write(**_KASIA, value="Sopot", valid_from=_APR)
        before = [memory.history(**key) for key in (_KASIA, _LIS)]
        memory.alias("Kasia", of="Katarzyna Lis")
        assert memory.alias.remove("KASIA").outcome == "removed"
        assert [memory.history(**key) for key in (_KASIA, _LIS)] == before
        assert memory.current(**_KASIA).value == "Sopot"
        assert memory.current(**_LIS).value == "Gdynia"
        assert memory.alias.remove("Kasia").outcome == "noop"
        assert memory.check().ok

    def test_a_write_says_what_it_ended_of_all_names(self, memory: Memory) -> None:
        memory.alias("Kasia", of="Katarzyna Lis")
        first = memory.write(**_LIS, value="Gdynia", valid_from=_FEB).memory
        assert first is not None
        done = memory.write(**_KASIA, value="Sopot", valid_from=_MAR)
        assert (done.outcome, _values(done.ended)) == ("superseded", ["Gdynia"])
        assert done.memory is not None
        assert done.memory.subject == "Kasia"
        assert done.memory.supersedes_memory_id == first.memory_id
        again = memory.write(**_LIS, value="Sopot", valid_from=_APR)
        assert again.outcome == "confirmed"
        assert again.memory is not None
        assert again.memory.memory_id == done.memory.memory_id
        gone = memory.retract(**_LIS, valid_from=_MAY)
        assert (gone.outcome, _values(gone.ended)) == ("retracted", ["Sopot"])
        assert memory.current(**_KASIA) is None
        assert memory.check().ok

    def test_a_correction_reaches_the_other_name(self, memory: Memory) -> None:
        memory.write(**_LIS, value="Gdynia", valid_from=_FEB)
        memory.alias("Kasia", of="Katarzyna Lis")
        done = memory.write(**_KASIA, value="Gdansk", mode="correction")
        assert (done.outcome, _values(done.ended)) == ("corrected", ["Gdynia"])
        assert memory.current(**_LIS, as_of=_MAR).value == "Gdansk"
        assert memory.retract(**_KASIA, mode="correction").outcome == "retracted"
        assert memory.current(**_LIS) is None
        memory.alias.remove("Kasia")
        assert memory.history(**_KASIA) == ()
        assert memory.check().ok

    def test_trust_and_conflicts_are_judged_over_all_names(self, memory: Memory) -> None:
        memory.alias("Kasia", of="Katarzyna Lis")
        for attribute in ("trusted", "contested", "fixed"):
            memory.write(
                subject="Kasia", attribute=attribute, value="A", valid_from=_FEB, trust="person"
            )
            done = memory.write(
                subject="Katarzyna Lis", attribute=attribute, value="B", valid_from=_FEB,
                trust="document", confidence=0.9,
            )  # fmt: skip
            assert done.outcome == ("rejected" if attribute == "fixed" else "pending_review")
            assert memory.current("Kasia", attribute).value == "A"

    def test_values_of_a_set_are_joined(self, memory: Memory) -> None:
        memory.write(subject="Kasia", attribute="allergy", value="nuts", valid_from=_FEB)
        memory.write(subject="Katarzyna Lis", attribute="allergy", value="milk", valid_from=_FEB)
        memory.alias("Kasia", of="Katarzyna Lis")
        assert sorted(_values(memory.current("Kasia", "allergy"))) == ["milk", "nuts"]
        memory.retract(subject="Kasia", attribute="allergy", value="milk", valid_from=_MAR)
        assert _values(memory.current("Katarzyna Lis", "allergy")) == ["nuts"]

    def test_the_same_alias_again_changes_nothing(self, memory: Memory) -> None:
        first = memory.alias("Kasia", of="Katarzyna Lis")
        assert memory.alias("kasia", of="KATARZYNA LIS").outcome == "noop"
        memory.alias("Kat", of="Katarzyna Lis")
        assert memory.alias("Kasia", of="Kat").alias == first.alias
        memory.alias.remove("Kat")
        assert memory.alias.list() == (first.alias,)

    def test_an_alias_of_an_alias_is_one_of_its_subject(self, memory: Memory) -> None:
        memory.write(**_LIS, value="Gdynia")
        memory.alias("Kasia", of="Katarzyna Lis")
        made = memory.alias("Kaska", of="Kasia").alias
        assert made is not None
        assert made.subject == "katarzyna lis"
        assert memory.current("Kaska", "city").value == "Gdynia"
        memory.alias("Katarzyna Lis", of="Lis")
        assert memory.current("Lis", "city").value == "Gdynia"
        assert memory.alias.names("Kaska").subject == "lis"

    def test_what_cannot_be_an_alias_is_refused(self, memory: Memory) -> None:
        memory.alias("Kasia", of="Katarzyna Lis")
        for name, subject in [
            ("Kasia", "Katarzyna Bem"),
            ("Katarzyna Lis", "Kasia"),
            ("Bem", "bem"),
        ]:
            with pytest.raises(AliasConflict) as refused:
                memory.alias(name, of=subject)
            assert refused.value.category == "conflict"
        assert len(memory.alias.list()) == 1

    def test_an_alias_is_a_persons_or_shared(self, memory: Memory) -> None:
        memory.write(**_LIS, value="Gdynia")
        memory.write(**_LIS, value="Hel", person="p2")
        memory.alias("Kasia", of="Katarzyna Lis", person="p1")
        assert memory.current(**_KASIA, person="p1").value == "Gdynia"
        for person in ("p2", None):
            assert memory.current(**_KASIA, person=person) is None
        memory.alias("Kat", of="Katarzyna Lis")
        assert memory.current("Kat", "city", person="p2").value == "Hel"
        assert memory.current("Kat", "city", person="p1").value == "Gdynia"
        with pytest.raises(Forbidden):
            memory.alias.remove("Kat", person="p1")
        assert [a.name for a in memory.alias.list(person="p1")] == ["Kasia", "Kat"]
        assert [a.name for a in memory.alias.list()] == ["Kat"]
        # What is written to the shared is read by the person's alias, too.
        memory.write(subject="Kasia", attribute="city", value="Sopot")
        assert memory.current(**_LIS, person="p1").value == "Sopot"
        assert memory.current(**_LIS).value == "Gdynia"

    def test_names_tell_what_a_subject_is_called(self, memory: Memory) -> None:
        memory.write(**_LIS, value="Gdynia")
        memory.write(subject="Katarzyna Lis", attribute="name", value="Katarzyna Maria Lis")
        memory.alias("Kasia", of="Katarzyna Lis")
        names = memory.alias.names("kasia")
        assert names.subject == "katarzyna lis"
        assert names.written == ("Katarzyna Lis",)
        assert names.aliases == ("Kasia",)
        assert names.name == ("Katarzyna Maria Lis",)
        assert len(names.every) == 4

    def test_what_expired_or_was_forgotten_does_not_come_back(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        memory.write(**_LIS, value="Gdynia", valid_from=_FEB, retention_policy="keep")
        brief = memory.write(**_KASIA, value="Sopot", valid_from=_MAR, retention_policy="brief")
        memory.alias("Kasia", of="Katarzyna Lis")
        assert memory.current(**_LIS).value == "Sopot"
        clock.advance(days=3)
        for _ in range(2):
            assert memory.current(**_LIS) is None
            assert memory.search("sopot").hits == ()
            memory.sweep()
        assert brief.memory is not None
        assert memory.current(**_LIS, as_of=_FEB).value == "Gdynia"
        memory.forget(memory.current(**_LIS, as_of=_FEB).memory_id)
        assert memory.current(**_KASIA, as_of=_FEB) is None
        assert memory.check().ok

    def test_an_erased_person_leaves_no_alias(self, memory: Memory) -> None:
        memory.alias("Kasia", of="Lis", person="p1")
        memory.alias("Mama", of="Lis", person="p2")
        memory.alias("Kat", of="Lis")
        memory.write(subject="Kat", attribute="city", value="Gdynia")
        memory.persons.link("p1", "Kasia")
        plan = memory.erase_person("p1", dry_run=True)
        receipt = memory.erase_person("p1")
        assert receipt.counts == plan.counts
        assert (receipt.counts["alias"], len(receipt.shared)) == (2, 1)
        assert memory.alias.list(person="p1") == ()
        assert memory.current("Kat", "city") is None
        assert [a.name for a in memory.alias.list(person="p2")] == ["Mama"]
        assert memory.check().ok
