"""Many persons with all kinds of memories, each made of words that nobody else uses."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vigent import Memory

SCHEMA = {
    "attributes": {
        "home": {"kind": "text", "min_trust": "application"},
        "allergies": {"kind": "text", "cardinality": "multi"},
    }
}
GRAM = 9
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass
class Someone:
    """A person, and every core of a word that stands for them somewhere."""

    number: int
    rng: random.Random
    cores: list[str] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)

    def word(self, form: str = "{}") -> str:
        """Give a new word of theirs. Its core is what is left of it folded and stemmed."""
        core = "".join(self.rng.choice(LETTERS) for _ in range(13)) + "k"
        self.cores.append(core)
        return form.format(core)

    @property
    def id(self) -> str:
        return self.kept.setdefault("id", self.word("id-{}"))

    @property
    def name(self) -> str:
        return self.kept.setdefault("name", self.word("Ünï{}"))

    def traces(self) -> set[bytes]:
        """What must not be in any byte: how each core begins and how it ends.

        The word index writes a term without the beginning it has in common with the one before
        it, and a long value may be torn where a page ends: so both are looked for.
        """
        cores = [core.encode() for core in self.cores]
        return {c[:GRAM] for c in cores} | {c[-GRAM:] for c in cores}


def everyone(count: int, seed: int = 11) -> list[Someone]:
    rng = random.Random(seed)
    return [Someone(n, random.Random(rng.random())) for n in range(count)]


def tell_all(memory: Memory, people: list[Someone], rounds: int = 3) -> None:
    """Write of everyone in turns, so that their rows lie between each other's."""
    memory.threads.create(None, id="room")
    for turn in range(rounds):
        for who in people:
            _tell(memory, who, turn)
    for who in people:
        _undo(memory, who)


def _tell(memory: Memory, who: Someone, turn: int) -> None:
    mine: dict[str, Any] = {"person": who.id, "subject": who.name}
    quote = who.word("I said {}ing, twice")
    episode = memory.capture(
        f"Hello! {quote}. {who.word('Wandered {}ed')}", person=who.id, speaker=who.word("{}"),
        external_id=who.word("msg-{}"), metadata={"device": who.word("{}")},
    )  # fmt: skip
    thread = who.kept.setdefault("thread", who.word("thread-{}"))
    memory.capture(who.word("Said {} on the way"), person=who.id, thread=thread)
    memory.threads.append(
        thread, who.word("Called {}(1)"), kind="tool_call", agent=who.word("{}"), person=who.id,
        sealed=True, metadata={"place": who.word("{}")},
    )  # fmt: skip
    memory.threads.set_state(thread, {who.word("{}"): [who.word("{}ness")]}, person=who.id)
    memory.threads.append("room", who.word("We all {} here"), role="user", person=who.id)
    memory.write(
        **mine, attribute="city", value=who.word("Sant {}ïngs"), quote=quote,
        source_episode_id=episode.id, metadata={"note": who.word("{}")},
        source=who.word("source {}"),
    )  # fmt: skip
    memory.write(
        **mine, attribute="story", idempotency_key=who.word("key-{}"),
        value=" ".join(who.word("{}ations") for _ in range(250)) if turn == 1 else who.word(),
    )  # fmt: skip
    memory.write(**mine, attribute="city", value=who.word("Not {}"), mode="correction")
    memory.write(**mine, attribute="allergies", value=who.word("{}uts"))
    memory.write(**mine, attribute="home", value=who.word("{}"), trust="tool", confidence=0.5)
    memory.write(person=who.id, text=who.word("Likes {}ies in the morning"), type="preference")
    gone = memory.write(**mine, attribute=f"secret {turn}", value=who.word("{}")).memory
    assert gone is not None
    memory.forget(gone.memory_id, person=who.id)
    memory.write(subject=who.name, attribute="badge", value=who.word("shared {}"))


def _undo(memory: Memory, who: Someone) -> None:
    memory.persons.link(who.id, who.name)
    memory.retract(person=who.id, subject=who.name, attribute="allergies")
    gone = memory.threads.create(
        who.id, who.word("{}"), {"title": who.word("{}")}, who.word("short-{}")
    )  # fmt: skip
    memory.threads.append(gone, who.word("Gone {}"), role="user", speaker=who.word("{}"))
    memory.threads.delete(gone)
    waiting = memory.review.list()
    assert all(item.memory.status == "pending_review" for item in waiting)


def answers_of(memory: Memory, who: Someone) -> list[Any]:
    """Everything that can be asked about somebody."""
    out: list[Any] = [
        r.to_dict()
        for r in memory.list(person=who.id, include="history")
        if r.person_id is not None or r.subject == who.name
    ]
    for attribute in ("city", "story", "allergies", "home", "badge"):
        rows = memory.history(who.name, attribute, person=who.id)
        out += [r.to_dict() for r in rows]
        out += [
            memory.provenance(r.memory_id, person=who.id).to_dict()
            for r in rows
            if r.status != "forgotten"
        ]
    out.append({k: str(v) for k, v in memory.current(who.name, person=who.id).items()})
    out += [r.to_dict() for r in memory.search(who.name, person=who.id, limit=50).records]
    for row in out:
        row.pop("retrieved_count", None)  # to look changes it
        row.get("memory", {}).pop("retrieved_count", None)
    out += [t.to_dict() for t in memory.threads.list(person=who.id) if t.person is not None]
    for thread in ("room", who.kept["thread"]):
        out += [i.to_dict() for i in memory.threads.items(thread, person=who.id)]
    out.append(memory.threads.state(who.kept["thread"], person=who.id).to_dict())
    assert len(out) > 20
    return out


def letters_in(path: Path) -> set[bytes]:
    """Every run of letters of the length of a trace in the bytes of the files, in lower case."""
    found: set[bytes] = set()
    for file in path.parent.glob(path.name + "*"):
        for run in re.findall(rb"[a-z]{%d,}" % GRAM, file.read_bytes().lower()):
            found.update(run[i : i + GRAM] for i in range(len(run) - GRAM + 1))
    return found
