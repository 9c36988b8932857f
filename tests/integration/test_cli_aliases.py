"""Aliases on the command line: what it answers, and how it refuses."""

from __future__ import annotations


def test_names_are_joined_listed_and_parted(store):
    store.ask("write", "Katarzyna Lis", "city", "Gdynia")
    made = store.ask("alias", "Kasia", "--of", "Katarzyna Lis")
    assert (made["outcome"], made["alias"]["subject"]) == ("joined", "katarzyna lis")
    assert store.ask("alias", "kasia", "--of", "Katarzyna Lis")["outcome"] == "noop"
    assert store.ask("current", "Kasia", "city")["value"] == "Gdynia"
    store.ask("alias", "Kas", "--of", "Katarzyna Lis", "--person", "p1")
    assert [a["name"] for a in store.ask("alias", "--list")] == ["Kasia"]
    listed = store.ask("alias", "--list", "KASIA", "--person", "p1")
    assert [(a["name"], a["person_id"]) for a in listed] == [("Kas", "p1"), ("Kasia", None)]
    assert store.ask("alias", "--remove", "KASIA")["outcome"] == "removed"
    assert store.ask("alias", "--remove", "KASIA") == {"outcome": "noop", "alias": None}
    assert store.run("current", "Kasia", "city", "--json").code == 1


def test_for_people_it_says_what_was_done(store):
    assert "Kasia is an alias of lis.\n" in store.run("alias", "Kasia", "--of", "Lis").out
    assert "(shared)" in store.run("alias", "--list").out
    assert "Kasia is parted from lis." in store.run("alias", "Kasia", "--remove").out
    assert "nothing was changed" in store.run("alias", "Kasia", "--remove").out
    nothing = store.run("alias", "--list")
    assert (nothing.code, nothing.out) == (1, "There are no aliases.\n")


def test_it_refuses_what_cannot_be(store):
    store.ask("alias", "Kasia", "--of", "Lis")
    ran = store.run("alias", "Kasia", "--of", "Bem", "--json")
    assert (ran.code, ran.error["code"]) == (3, "alias_conflict")
    for wrong in (["Kasia"], ["--list", "--remove"], ["Kasia", "--of", "Lis", "--remove"]):
        assert store.refused("alias", *wrong)["field"] == "of"
    assert store.refused("alias", "--remove")["field"] == "name"
