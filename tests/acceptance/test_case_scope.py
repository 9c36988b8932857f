"""Tenants, persons and ids: nothing of one is seen, changed or removed by way of another."""

from __future__ import annotations

import pytest

from vigent.errors import InvalidInput, NotFound

NAMES = ("birch", "birch-east", "bir_h", "birxh", "%", "b%")
SEPARATORS = (":", "/", ".", "|", "_", "__", "#", "\\", " ", "\u241f", "%2F", "../")
FORGED = ["", "   ", None]


def colour(memory, subject):
    found = memory.current(subject, "color")
    return None if found is None else found.value


class TestC36Birch:
    def test_a_tenant_sees_its_own(self, on_file):
        stores = {name: on_file(name) for name in NAMES}
        for name, memory in stores.items():
            memory.write(subject="s", attribute="secret", value=f"of {name}")
        for name, memory in stores.items():
            own = [f"of {name}"]
            assert memory.current("s", "secret").value == own[0]
            assert [r.value for r in memory.list()] == own
            assert [r.value for r in memory.search("secret").records] == own
            assert [r.value for r in memory.history("s", "secret")] == own
            changes = memory.diff(since="2020-01-01T00:00Z", until="2030-01-01T00:00Z")
            assert len(changes) == 1

    @pytest.mark.parametrize("kind", ["store", "person", "subject"])
    def test_likewise_stores_persons_and_subjects(self, on_file, kind):
        for name in NAMES:
            if kind == "subject":
                on_file().write(subject=name, attribute="secret", value=f"of {name}")
            else:
                on_file(**{kind: name}).write(subject="s", attribute="secret", value=f"of {name}")
        for name in NAMES:
            memory = on_file() if kind == "subject" else on_file(**{kind: name})
            asked = {"subject": name} if kind == "subject" else {}
            assert [r.value for r in memory.list(**asked)] == [f"of {name}"]

    def test_an_id_of_another_tenant_is_not_there(self, on_file):
        mine, other = on_file("birch"), on_file("birxh")
        id = mine.write(subject="s", attribute="secret", value="x").memory.memory_id
        for ask in (other.get, other.provenance, other.visibility, other.forget):
            with pytest.raises(NotFound):
                ask(id)
        with pytest.raises(NotFound):
            other.update(id, importance=9)
        with pytest.raises(NotFound):
            other.write(subject="s", attribute="secret", value="y", mode="correction", corrects=id)
        assert mine.get(id).value == "x"

    def test_a_person_sees_the_shared_and_no_other_persons(self, memory):
        for person in (None, "u1", "u10", "u_1"):
            memory.write(subject="s", attribute=f"of {person}", value="x", person=person)
        for person in ("u1", "u10", "u_1"):
            assert set(memory.current("s", person=person)) == {"of None", f"of {person}"}
        assert set(memory.current("s")) == {"of None"}

    @pytest.mark.parametrize("blank", ["", "   ", "a\x00", " a", "a ", "x" * 201])
    def test_an_empty_or_unclean_id_is_refused(self, on_file, blank):
        for kind in ("tenant", "store", "person"):
            with pytest.raises(InvalidInput):
                on_file(**{kind: blank})


class TestC37Separators:
    @pytest.mark.parametrize("sep", SEPARATORS)
    def test_the_parts_of_a_key_do_not_run_together(self, on_file, sep):
        one, two = on_file(f"a{sep}b"), on_file("a")
        one.write(subject="c", attribute="color", value="red")
        two.write(subject=f"b{sep}c", attribute="color", value="blue")
        assert (colour(one, "c"), colour(two, f"b{sep}c")) == ("red", "blue")
        one.forget(one.current("c", "color").memory_id)
        assert (colour(one, "c"), colour(two, f"b{sep}c")) == (None, "blue")

    @pytest.mark.parametrize("sep", SEPARATORS)
    def test_nor_do_subject_and_attribute(self, memory, sep):
        memory.write(subject=f"a{sep}b", attribute="c", value="red")
        memory.write(subject="a", attribute=f"b{sep}c", value="blue")
        assert memory.current(f"a{sep}b", "c").value == "red"
        assert memory.current("a", f"b{sep}c").value == "blue"

    @pytest.mark.parametrize("sep", SEPARATORS[:8])
    def test_nor_do_persons_when_one_is_erased(self, on_file, sep):
        memory = on_file()
        memory.write(subject="c", attribute="color", value="red", person=f"a{sep}b")
        memory.write(subject="c", attribute="color", value="blue", person="a")
        memory.erase_person("a")
        assert memory.current("c", "color", person=f"a{sep}b").value == "red"
        assert memory.current("c", "color", person="a") is None

    @pytest.mark.parametrize("sep", SEPARATORS[:8])
    def test_nor_do_idempotency_keys(self, on_file, sep):
        one, two = on_file(f"a{sep}b"), on_file("a")
        one.write(subject="s", attribute="x", value="1", idempotency_key="k")
        done = two.write(subject="s", attribute="x", value="2", idempotency_key=f"b{sep}k")
        assert done.outcome == "stored"
        assert [r.value for r in two.list()] == ["2"]


class TestC39EditingHere:
    def test_nothing_done_in_one_tenant_touches_another(self, on_file):
        t1, t2 = on_file("t1"), on_file("t2")
        for memory, value in ((t1, "oak"), (t2, "pine")):
            memory.capture("the desk", external_id="e1")
            memory.write(subject="desk", attribute="color", value=value, idempotency_key="k")

        def seen():
            audit = t2.check().audit
            return (
                t2.current("desk", "color"), t2.search("pine").records,
                t2.history("desk", "color"), audit,
            )  # fmt: skip

        before = seen()
        for change in (
            lambda: t1.write(subject="desk", attribute="color", value="ash"),
            lambda: t1.update(t1.current("desk", "color").memory_id, retention_policy="keep"),
            lambda: t1.write(subject="desk", attribute="color", value="elm", mode="correction"),
            lambda: t1.forget(t1.current("desk", "color").memory_id),
            lambda: t1.write(subject="desk", attribute="color", value="oak"),
            lambda: t1.retract(subject="desk", attribute="color"),
            lambda: t1.erase_person("desk", wait=True),
            lambda: t1.check(repair=True),
            t1.sweep,
        ):
            change()
            assert seen() == before


class TestC42Wipe:
    def filled(self, on_file):
        t1, t2 = on_file("t1"), on_file("t2")
        for memory, persons in ((t1, ("u1", "u1", "u2", "u2")), (t2, ("u1",))):
            for n, person in enumerate(persons):
                memory.write(subject=person, attribute=f"a{n}", value="plum", person=person)
            memory.write(subject="office", attribute="city", value="plum town")
        return t1, t2

    def test_one_person_goes_and_all_others_stay(self, on_file):
        t1, t2 = self.filled(on_file)
        rows = {"statement": 2, "belief": 2, "key": 2}
        dry = t1.erase_person("u1", dry_run=True)
        assert dry.state == "dry_run"
        assert {k: dry.counts[k] for k in rows} == rows
        assert len(list(t1.list(person="u1"))) == 3
        receipt = t1.erase_person("u1")
        assert receipt.state == "removed"
        assert {k: receipt.counts[k] for k in rows} == rows
        assert [r.subject for r in t1.list(person="u1")] == ["office"]
        assert len(list(t1.list(person="u2"))) == 3
        assert len(t1.search("plum", person="u2")) == 3
        assert len(list(t2.list(person="u1"))) == 2
        assert (t1.check().problems, t2.check().problems) == ((), ())

    @pytest.mark.parametrize("nobody", FORGED)
    def test_nobody_is_not_everybody(self, on_file, nobody):
        t1, _ = self.filled(on_file)
        with pytest.raises(InvalidInput) as refused:
            t1.erase_person(nobody)
        assert refused.value.field == "person"
        assert len(list(t1.list(person="u1"))) == 3

    def test_a_filter_that_does_not_exist_is_refused(self, on_file):
        t1, _ = self.filled(on_file)
        with pytest.raises(TypeError):
            t1.erase_person()
        with pytest.raises(TypeError):
            t1.erase_person("u1", persom="u2")
        assert len(list(t1.list(person="u1"))) == 3

    def test_a_stranger_is_erased_with_a_count_of_nothing(self, on_file):
        t1, _ = self.filled(on_file)
        receipt = t1.erase_person("u9")
        assert set(receipt.counts.values()) == {0}
        assert len(list(t1.list(person="u1"))) == 3

    def test_shared_facts_about_the_person_go_along_and_are_named(self, on_file):
        t1, t2 = self.filled(on_file)
        t1.persons.link("u1", subject="office")
        id = t1.current("office", "city").memory_id
        assert t1.erase_person("u1", dry_run=True).shared == (id,)
        assert t1.erase_person("u1").shared == (id,)
        assert t1.current("office", "city") is None
        assert t2.current("office", "city").value == "plum town"


class TestC46Expired:
    @pytest.mark.parametrize("form", [{"expires_at": "2026-01-02T00:00Z"}, {"ttl_days": 1}])
    def test_past_its_time_it_is_in_no_read(self, memory, clock, form):
        hint = memory.write(subject="hal", attribute="pin_hint", value="moon", **form).memory
        memory.write(subject="hal", attribute="pet", value="newt", retention_policy="keep")
        known = hint.recorded_from
        clock.set("2026-01-01T23:59:59.999999Z")
        assert memory.current("hal", "pin_hint").value == "moon"
        clock.set("2026-01-02T00:00:00Z")
        for _ in range(5):
            assert memory.current("hal", "pin_hint") is None
            assert memory.current("hal", "pin_hint", as_of=known, known_at=known) is None
            assert set(memory.current("hal")) == {"pet"}
            assert [r.value for r in memory.list()] == ["newt"]
            assert [r.value for r in memory.list(include="history")] == ["newt"]
            assert memory.history("hal", "pin_hint") == ()
            assert memory.search("moon").hits == ()
            with pytest.raises(NotFound):
                memory.get(hint.memory_id)
            with pytest.raises(NotFound):
                memory.provenance(hint.memory_id)
        assert memory.sweep() == 1
        assert memory.sweep() == 0
        assert memory.check().ok
        assert [r.value for r in memory.list()] == ["newt"]

    def test_a_confirmation_renews_it_and_reading_does_not(self, memory, clock):
        said = {
            "subject": "hal",
            "attribute": "city",
            "value": "Lund",
            "retention_policy": "keep-2y",
        }
        before = memory.write(**said).memory.expires_at
        clock.advance(days=10)
        memory.current("hal", "city")
        assert memory.current("hal", "city").expires_at == before
        memory.write(subject="hal", attribute="city", value="Lund")
        assert (memory.current("hal", "city").expires_at - before).days == 10

    def test_the_end_of_validity_is_another_thing(self, memory):
        memory.write(
            subject="hal", attribute="city", value="Lund", valid_from="2025-01-01",
            valid_to="2025-06-01",
        )  # fmt: skip
        assert memory.current("hal", "city") is None
        assert memory.current("hal", "city", as_of="2025-03-01").value == "Lund"

    def test_what_it_had_ended_does_not_come_back(self, memory, clock):
        said = {"subject": "hal", "attribute": "city"}
        memory.write(**said, value="Lund", retention_policy="keep", valid_from="2025-01-01")
        memory.write(**said, value="Faro", ttl_days=1, valid_from="2025-06-01",
                     retention_policy=None)  # fmt: skip
        clock.advance(days=2)
        for _ in range(2):
            assert memory.current("hal", "city") is None
            assert memory.current("hal", "city", as_of="2025-03-01").value == "Lund"
            memory.sweep()
