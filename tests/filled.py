"""A store with one memory of each kind, and what is asked of it after it was moved."""

from __future__ import annotations

from vigent import Memory
from vigent.testing import FakeClock
from vigent.testing.pairs import plain

START = "2026-02-01T09:00:00Z"

LATER = "2026-03-01T09:00:00Z"


def fill(path, **more):
    """One of each: in force, ended, corrected, retracted, expiring, several values, a name …"""
    clock = FakeClock(START)
    with Memory.open(path, clock=clock, person="p1", **more) as memory:
        said = memory.capture("I moved to „Oslo“ 🇵🇹", thread="t1", external_id="m1")
        memory.capture("She likes tea\nand 'coffee'")
        memory.write(subject="mira", attribute="city", value="Rome", source_episode_id=said.id)
        memory.write(subject="mira", attribute="plan", value="basic", ttl_days=29)
        memory.write(subject="mira", attribute="desk", value="3-114", valid_from=START)
        memory.write(subject="mira", attribute="desk", value="5-020", valid_from=START)
        memory.write(subject="mira", attribute="note", value="shared", person=None)
        memory.write(subject="gone", attribute="city", value="secret", person="p2")
        clock.advance(days=2)
        memory.write(subject="mira", attribute="city", value="Oslo")
        memory.write(subject="mira", attribute="city", value="Bergen", mode="correction")
        memory.write(subject="mira", attribute="city", value="Lima",
                     valid_from="2025-12-01T00:00:00Z")  # fmt: skip
        memory.retract(subject="mira", attribute="seat")
        memory.alias("mimi", of="mira")
        memory.erase_person("p2")
    return path


def asked(path, person="p1"):
    """Twenty reads of everything that can be asked exactly, and a search."""
    with Memory.open(path, clock=FakeClock(LATER), person=person) as memory:
        found = [
            memory.current("mira", name, as_of=as_of, known_at=known)
            for name in ("city", "desk", "plan")
            for as_of in (None, "2026-01-15T00:00:00Z", START)
            for known in (None, "2026-02-02T00:00:00Z")
        ]
        found += [memory.history("mira", "city"), memory.search("tea"), memory.current("mimi")]
        found.append(memory.diff(since="2026-01-01", until="2026-02-28", axis="recorded"))
        return [plain(one) for one in found]
