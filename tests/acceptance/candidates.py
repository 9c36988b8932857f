"""A memory whose person says things, of which a model proposes others."""

from __future__ import annotations

from vigent import Memory, MemoryDelta
from vigent.testing import FakeClock

NOW = "2026-06-10T12:00:00Z"


class World:
    """A memory whose person says things, of which a model proposes others."""

    def __init__(self, path=":memory:", **given):
        self.clock = given.pop("clock", None) or FakeClock(NOW)
        self.memory = Memory.open(
            str(path), person=given.pop("person", "mira"), clock=self.clock, **given
        )

    def said(self, said, /, **given):
        given.setdefault("occurred_at", NOW)
        return self.memory.capture(said, **given).id

    def learn(self, said, /, *, episode=None, at=NOW, thread=None, role="user", **proposed):
        episode = episode or self.said(said, occurred_at=at, thread=thread, role=role)
        proposed = {"subject": "mira", "confidence": 0.9, "quote": said, **proposed}
        delta = MemoryDelta(tenant_id="default", source_episode_id=episode, **proposed)
        return self.memory.candidates.learn(delta)

    def value(self, attribute, subject="mira", **given):
        found = self.memory.current(subject, attribute, **given)
        return None if found is None else found.value
