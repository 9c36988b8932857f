"""C36, C37, C39, C42: nothing of one tenant, person or subject is reached through another."""

from __future__ import annotations

import pytest

from tests.service.worlds import Refused

NOW = "2026-01-10T12:00:00Z"

NAMES = ("birch", "birch-east", "bir_h", "birxh", "%", "b%")
SEPARATORS = (":", "/", ".", "|", "_", "__", "#", "\\", " ", "%2F", "../", "?", "&")


def test_c36_tenants_of_similar_names(world):
    for name in NAMES:
        world.place(name).write(subject="s", attribute="secret", value=f"of {name}")
    for name in NAMES:
        place, own = world.place(name), [f"of {name}"]
        assert place.current("s", "secret")["value"] == own[0]
        assert [r["value"] for r in place.list()] == own
        assert [r["value"] for r in place.history("s", "secret")] == own
        assert [h["record"]["value"] for h in place.search("secret")] == own
        block = place.context("the secret of s")["block"]
        assert [n for n in NAMES if f'"value":"of {n}"' in block] == [name]


def test_c36_subjects_and_persons_of_similar_names(world):
    for name in ("u1", "u10", "u_1", "u%"):
        world.place().write(subject=name, attribute="x", value=name)
        world.place(person=name).write(subject="me", attribute="own", value=name)
    for name in ("u1", "u10", "u_1", "u%"):
        assert [r["value"] for r in world.place().list(subject=name)] == [name]
        assert world.place(person=name).current("me", "own")["value"] == name
    assert world.place().current("me", "own") is None
    for empty in ("", " "):
        with pytest.raises(Refused) as caught:
            world.place().list(subject=empty)
        assert caught.value.field == "subject"


def test_c36_a_record_of_another_tenant_is_not_there(world):
    id = world.place("birch").write(subject="s", attribute="x", value="1")["memory"]["memory_id"]
    other = world.place("birxh")
    for call in (other.get, other.forget, other.retract):
        with pytest.raises(Refused) as caught:
            call(id)
        assert caught.value.code == "not_found"
    with pytest.raises(Refused) as caught:
        other.amend(id, value="2")
    assert caught.value.code == "not_found"
    assert world.place("birch").get(id)["value"] == "1"


@pytest.mark.parametrize("sep", SEPARATORS)
def test_c37_ids_with_separators(world, sep):
    first, second = ("a" + sep + "b", "c"), ("a", "b" + sep + "c")
    for (tenant, subject), value in ((first, "red"), (second, "blue")):
        world.place(tenant).write(subject=subject, attribute="color", value=value)
        world.place(tenant, person=subject).write(subject="me", attribute="color", value=value)
    for (tenant, subject), value in ((first, "red"), (second, "blue")):
        assert world.place(tenant).current(subject, "color")["value"] == value
        assert world.place(tenant, person=subject).current("me", "color")["value"] == value
    world.erase(first[0], first[1])
    assert world.place(first[0], person=first[1]).current("me", "color") is None
    assert world.place(second[0], person=second[1]).current("me", "color")["value"] == "blue"
    world.place("a").write(subject="x" + sep + "y", attribute="p" + sep + "q", value="kept")
    assert world.place("a").current("x" + sep + "y", "p" + sep + "q")["value"] == "kept"
    assert world.place("a").current("x", "y" + sep + "p" + sep + "q") is None


def test_c37_idempotency_keys_are_whole(world):
    a = world.place("t1").write(text="one", idempotency_key="a:b")
    b = world.place("t1").write(text="two", idempotency_key="a")
    c = world.place("t1:a").write(text="three", idempotency_key="b")
    assert len({r["memory"]["memory_id"] for r in (a, b, c)}) == 3


# What a record and an entry have of the instant of the question, of readers and of the sealer.
ASKED = {"as_of", "known_at", "answered_at", "effective_confidence", "retrieved_count", "sealed"}


def test_c39_what_is_done_in_one_tenant_changes_nothing_in_another(world):
    one, two = world.place("t1"), world.place("t2")
    desk = {"subject": "desk", "attribute": "color"}
    mine = one.write(**desk, value="oak")["memory"]["memory_id"]
    two.write(**desk, value="pine")
    for place in (one, two):
        place.capture("the desk was painted", external_id="e1")

    def seen():
        rows = [two.current("desk", "color"), *two.history("desk", "color"), *world.audit("t2")]
        return [{n: v for n, v in row.items() if n not in ASKED} for row in rows]

    before = seen()

    def unchanged():
        assert seen() == before
        assert [h["record"]["value"] for h in two.search("pine")] == ["pine"]
        assert two.search("painted", include="episodes", expand="always")

    changed = one.amend(mine, value="ash")["memory"]["memory_id"]
    unchanged()
    one.amend(changed, retention_policy="keep")
    unchanged()
    one.forget(changed)
    one.write(**desk, value="elm")
    unchanged()
    world.reindex("t1")
    unchanged()
    assert [h["record"]["value"] for h in one.search("elm")] == ["elm"]
    assert one.current("desk", "color")["value"] == "elm"


def test_c42_erasing_one_person_leaves_all_others(world):
    for tenant, person, count in (("t1", "u1", 2), ("t1", "u2", 2), ("t2", "u1", 1)):
        for n in range(count):
            world.place(tenant, person).write(subject=person, attribute=f"f{n}", value=f"fact {n}")
    counts = world.erase("t1", "u1")
    assert counts["statement"] == 2
    assert world.place("t1", "u1").list() == []
    for tenant, person, count in (("t1", "u2", 2), ("t2", "u1", 1)):
        assert len(world.place(tenant, person).list()) == count
        assert len(world.place(tenant, person).search("fact", expand="always")) == count
    for empty in ("", " "):
        with pytest.raises(Refused) as caught:
            world.erase("t1", empty)
        # A path without the person is no route: nothing is named, and nothing erased.
        assert (caught.value.field, caught.value.status) in {
            ("person", 0), ("person", 422), (None, 404),
        }  # fmt: skip
    assert sum(world.erase("t1", "u9").values()) == 0
