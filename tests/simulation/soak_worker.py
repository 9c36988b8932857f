"""In a process of its own: random commands under a clock that steps, until it is killed."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.simulation.processes import say
from vigent import Memory, VigentError

SCHEMA = {
    "attributes": {
        "city": {"kind": "text"},
        "allergies": {"kind": "text", "cardinality": "multi"},
        "plan": {"kind": "text", "conflict": "contest"},
        "home": {"kind": "text", "min_trust": "application"},
        "age": {"kind": "integer", "conflict": "most_trusted"},
    }
}
DAY = 86_400_000_000
EPOCH = 1_767_225_600_000_000  # 1 January 2026


class SteppingClock:
    """The machine's clock, put forward or back now and then."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._offset = rng.randrange(-3 * DAY, 400 * DAY)

    def now(self) -> int:
        if self._rng.random() < 0.02:
            self._offset += self._rng.randrange(-2 * DAY, 3 * DAY)
        return time.time_ns() // 1000 + self._offset


class Commands:
    """Picks commands and values at random, all of them from few, so that they meet."""

    def __init__(self, memory: Memory, rng: random.Random) -> None:
        self.memory, self.rng = memory, rng
        self.ids: list[str] = []
        self.episodes: list[str] = []

    def one(self) -> dict[str, Any]:
        command: Callable[[], Any] = self.rng.choice(
            [self.write] * 8
            + [self.read] * 6
            + [self.correct, self.retract, self.batch, self.capture] * 2
            + [self.forget, self.update, self.decide, self.note, self.sweep]
        )
        if self.rng.random() < 0.004:
            command = self.erase
        try:
            return {"did": command.__name__, "stored": command() or []}
        except VigentError as error:
            return {"did": command.__name__, "error": error.code, "category": error.category,
                    "message": str(error), "stored": []}  # fmt: skip

    def _day(self) -> int:
        return EPOCH + self.rng.randrange(12) * DAY

    def _item(self) -> dict[str, Any]:
        rng = self.rng
        attribute = rng.choice([*SCHEMA["attributes"], "undeclared"])
        value: Any = rng.randrange(5) if attribute == "age" else f"v{rng.randrange(5)}"
        item: dict[str, Any] = {
            "subject": f"s{rng.randrange(3)}", "attribute": attribute, "value": value,
            "person": rng.choice([None, "p1", "p2"]),
            "trust": rng.choice(["application", "person", "tool"]), "confidence": 0.5,
        }  # fmt: skip
        if rng.random() < 0.7:
            start = self._day()
            item["valid_from"] = _text(start)
            if rng.random() < 0.3:
                item["valid_to"] = _text(start + rng.randrange(1, 5) * DAY)
        if rng.random() < 0.1:
            item["ttl_days"] = rng.randrange(1, 4)
        if self.episodes and rng.random() < 0.3:
            item["source_episode_id"] = rng.choice(self.episodes)
        return item

    def _note(self, result: Any) -> list[str]:
        if isinstance(result, VigentError) or result.memory is None:
            return []
        self.ids = [*self.ids[-50:], result.memory.memory_id]
        # A candidate goes once it is decided, forgotten or past its time; p2 may be erased, also
        # by a process that was killed before it could say so. All other statements stay.
        goes = result.outcome == "pending_review" or result.memory.person_id == "p2"
        return [] if goes else [result.memory.memory_id]

    def write(self) -> list[str]:
        item = self._item()
        if self.rng.random() < 0.1:
            item["idempotency_key"] = f"k{self.rng.randrange(5)}"
        return self._note(self.memory.write(**item))

    def correct(self) -> list[str]:
        item = self._item() | {"mode": "correction"}
        if self.ids and self.rng.random() < 0.3:
            item["corrects"] = self.rng.choice(self.ids)
        return self._note(self.memory.write(**item))

    def retract(self) -> list[str]:
        given = self._item()
        item = {k: given[k] for k in ("subject", "attribute", "person")}
        if self.rng.random() < 0.5:
            item["value"] = given["value"]
        if self.rng.random() < 0.5:
            item["valid_from"] = _text(self._day())
        item["mode"] = self.rng.choice(["change", "correction"])
        self.memory.retract(**item)
        return []

    def batch(self) -> list[str]:
        items = [self._item() for _ in range(self.rng.randrange(1, 8))]
        results = self.memory.write_many(items, atomic=self.rng.random() < 0.5)
        return [id for result in results for id in self._note(result)]

    def note(self) -> list[str]:
        return self._note(self.memory.write(text=f"note {self.rng.randrange(9)}", person="p1"))

    def capture(self) -> list[str]:
        episode = self.memory.capture(
            "said", person=self.rng.choice([None, "p1", "p2"]), occurred_at=_text(self._day())
        )
        self.episodes = [*self.episodes[-10:], episode.id]
        return []

    def forget(self) -> list[str]:
        if self.ids:
            self.memory.forget(self.rng.choice(self.ids), person=self.rng.choice([None, "p1"]))
        return []

    def update(self) -> list[str]:
        if self.ids:
            self.memory.update(self.rng.choice(self.ids), importance=self.rng.randrange(1, 11))
        return []

    def decide(self) -> list[str]:
        waiting = self.memory.review.list()
        if waiting:
            chosen = self.rng.choice(waiting).memory.memory_id
            if self.rng.random() < 0.5:
                return self._note(self.memory.review.accept(chosen))
            self.memory.review.reject(chosen, "soak")
        return []

    def sweep(self) -> list[str]:
        self.memory.sweep()
        return []

    def erase(self) -> list[str]:
        self.memory.erase_person("p2", wait=self.rng.random() < 0.3)
        return []

    def read(self) -> list[str]:
        rng, memory = self.rng, self.memory
        asked: dict[str, Any] = {"person": rng.choice([None, "p1", "p2"])}
        if rng.random() < 0.5:
            asked["as_of"] = _text(self._day())
        if rng.random() < 0.3:
            asked["known_at"] = _text(memory._reading.clock.now() - rng.randrange(3 * DAY))
        subject, attribute = f"s{rng.randrange(3)}", rng.choice(["city", "allergies", "age"])
        memory.current(subject, **asked)
        memory.current(subject, attribute, **asked)
        rows = memory.history(subject, attribute, person=asked["person"])
        for row in rows:
            row.to_dict()
        list(memory.list(**asked))
        memory.diff(since=_text(EPOCH), until=_text(EPOCH + 9 * DAY), person=asked["person"])
        return []


def _text(instant: int) -> str:
    seconds, micros = divmod(instant, 1_000_000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{micros:06d}Z"


def main(path: str, seed: str) -> None:
    rng = random.Random(int(seed))
    with Memory.open(Path(path), schema=SCHEMA, clock=SteppingClock(rng)) as memory:
        say({"ready": True})
        sys.stdin.readline()
        commands = Commands(memory, rng)
        while True:
            say(commands.one())
