"""``vigent review candidates``: what was proposed, and what the gate made of it."""

from __future__ import annotations

from vigent import Memory, MemoryDelta


def learned(path, said, **proposed):
    with Memory.open(path, person="mira", embedder="none") as memory:
        episode = memory.capture(said).id
        memory.candidates.learn(
            MemoryDelta(
                tenant_id="default", source_episode_id=episode, subject="mira", quote=said,
                confidence=0.9, **proposed,
            )
        )  # fmt: skip
    return episode


def test_the_candidates_are_listed_with_their_reasons(store):
    Memory.open(store.path, embedder="none").close()
    assert store.ask("review", "candidates", "--person", "mira") == []
    assert "Nothing was proposed." in store.run("review", "candidates").out
    asked = learned(store.path, "Do I live in Oslo?", attribute="city", value="Oslo")
    learned(store.path, "I live in Bern.", attribute="city", value="Bern")
    found = store.ask("review", "candidates", "--person", "mira")
    assert {(one["outcome"], one["reason"]) for one in found} == {
        ("rejected", "asked"), ("accepted", None),
    }  # fmt: skip
    of_one = store.ask("review", "candidates", "--person", "mira", "--episode", asked)
    assert [one["delta"]["value"] for one in of_one] == ["Oslo"]
    refused = store.ask("review", "candidates", "--person", "mira", "--outcome", "rejected")
    assert [one["episode_id"] for one in refused] == [asked]
    shown = store.run("review", "candidates", "--person", "mira").out
    assert "Oslo" in shown
    assert "asked" in shown
    wrong = store.run("review", "candidates", "--outcome", "lost", "--json")
    assert wrong.code != 0


def waiting(path, *values):
    ids = []
    with Memory.open(path, embedder="none") as memory:
        for n, value in enumerate(values):
            held = memory.propose(
                MemoryDelta(
                    tenant_id="default", subject=f"s{n}", attribute="city", value=value,
                    trust="assistant", confidence=0.9, held="look at it",
                )
            )  # fmt: skip
            ids.append(held.memory.memory_id)
    return ids


def test_a_candidate_is_put_right_and_let_in(store):
    (id,) = waiting(store.path, "Romme")
    done = store.ask("review", "accept", id, "--edits", '{"value": "Rome"}')
    assert (done["outcome"], done["memory"]["value"]) == ("stored", "Rome")
    assert store.ask("current", "s0", "city")["value"] == "Rome"
    assert store.run("review", "accept", id, "--edits", "[1]", "--json").code != 0


def test_many_are_decided_each_by_itself(store):
    ids = waiting(store.path, "Rome", "Lugo")
    assert store.run("review", "decide", "accept", *ids).code == 0
    assert store.ask("current", "s1", "city")["value"] == "Lugo"
    (third,) = waiting(store.path, "Pisa")
    done = store.run("review", "decide", "reject", third, ids[0], "--reason", "no", "--json")
    assert done.code == 1
    assert store.ask("review", "list") == []
    assert store.run("review", "decide", "keep", third, "--json").code != 0
