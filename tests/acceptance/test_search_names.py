"""Search: who is called what is asked of the store as it is now, however long it is open."""

from __future__ import annotations

import pytest

from vigent import Memory


@pytest.fixture
def named(on_file, clock):
    clock.set("2026-06-10T09:00:00Z")
    memory = on_file()
    for who, city in (("p1", "Porto"), ("p2", "Gdynia"), ("p3", "Bonn")):
        memory.write(subject=who, attribute="city", value=city)
    memory.write(subject="p1", attribute="name", value="Kasia", valid_to="2026-06-11")
    memory.write(subject="p2", attribute="name", value="Zofia")
    memory.write(subject="p3", attribute="name", value="Gerda", valid_from="2026-06-12")
    assert [meant(memory, n) for n in ("Kasia", "Zofia", "Gerda")] == [("p1",), ("p2",), ()]
    return memory


def meant(memory: Memory, name: str) -> tuple[str, ...]:
    return memory.search(f"What is {name}'s city?").plan.subjects


def test_a_name_ends_and_begins_at_its_time(named, clock):
    clock.advance(days=2)
    assert (meant(named, "Kasia"), meant(named, "Gerda")) == ((), ("p3",))


def test_a_retracted_name_is_nobodys(named):
    named.retract(subject="p2", attribute="name")
    assert meant(named, "Zofia") == ()


def test_a_name_that_comes_back_is_known(named):
    named.write(subject="p2", attribute="name", value="Zosia")
    assert (meant(named, "Zofia"), meant(named, "Zosia")) == ((), ("p2",))
    named.retract(subject="p2", attribute="name", mode="correction")
    assert (meant(named, "Zofia"), meant(named, "Zosia")) == (("p2",), ())


def test_what_was_only_ended_is_known_to_nobody(named, on_file):
    named.retract(subject="p2", attribute="employer")
    named.retract(subject="Tomas", attribute="city")
    for memory in (named, on_file()):
        plan = memory.search("What is Zofia's employer, and Tomas's city?").plan
        assert (plan.subjects, plan.attributes) == (("p2",), ("city",))
