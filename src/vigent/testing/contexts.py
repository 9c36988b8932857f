"""What every adapter has to do about contexts and blocks: claims that are part of the contract."""

from __future__ import annotations

from typing import Any

import pytest

from vigent.errors import LimitExceeded, NotFound, UnexpectedText
from vigent.memory import Memory
from vigent.testing.clock import FakeClock

__all__ = ["ContextClaims"]


def _sections(memory: Memory, **asked: Any) -> dict[str, int]:
    answer = memory.context("no topic of these", budget_tokens=100_000, limit=0, **asked)
    return {label: len(ids) for label, ids in answer.trace.sections.items()}


class ContextClaims:
    """The claims of contexts and blocks, asked through the public face of memory."""

    def test_commitments_and_rules_are_found_by_type(self, memory: Memory) -> None:
        for n in range(5):
            memory.write(subject="s", attribute=f"a{n}", value="x")
        memory.write(type="commitment", text="free")
        memory.write(subject="s", attribute="promise", value="typed", type="commitment")
        memory.write(subject="s", attribute="tone", value="brief", type="behaviour", person="p1")
        memory.write(subject="t", text="about a subject", type="behaviour", person="p1")
        memory.write(type="behaviour", text="of another", person="p2")
        assert _sections(memory) == {"[commitments]": 2}
        assert _sections(memory, person="p1") == {"[commitments]": 2, "[behaviour]": 2}

    def test_of_a_type_only_what_is_in_force_is_found(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        about: dict[str, Any] = {"subject": "s", "type": "commitment"}
        memory.write(**about, attribute="a", value="ends", valid_to="2026-06-02")
        memory.write(**about, attribute="b", value="begins", valid_from="2026-06-02")
        memory.write(**about, attribute="c", value="expires", ttl_days=1)
        gone = memory.write(**about, attribute="d", value="forgotten").memory
        assert gone is not None
        memory.forget(gone.memory_id)
        memory.write(**about, attribute="e", value="was a commitment")
        memory.write(subject="s", attribute="e", value="is a fact")
        assert _sections(memory) == {"[commitments]": 2}
        clock.set("2026-06-02T00:00:00Z")
        assert _sections(memory) == {"[commitments]": 1}

    def test_what_is_given_is_counted_with_the_next_write(self, memory: Memory) -> None:
        written = memory.write(subject="mira", attribute="city", value="Porto").memory
        assert written is not None
        for _ in range(2):
            memory.context("Porto")
        memory.write(subject="mira", attribute="seat", value="12A")
        assert memory.get(written.memory_id).retrieved_count == 2
        found = memory.current("mira", "city")
        assert (found.retrieved_count, found.last_changed_at) == (2, written.last_changed_at)
        assert memory.check().ok

    def test_a_block_is_versioned_bounded_and_exact(self, memory: Memory, clock: FakeClock) -> None:
        memory.blocks.set("persona", "calm")
        clock.advance(days=1)
        memory.blocks.replace("persona", "calm", "brisk")
        assert memory.blocks.get("persona").text == "brisk"
        assert memory.blocks.get("persona", as_of="2026-06-01").text == "calm"
        with pytest.raises(UnexpectedText):
            memory.blocks.replace("persona", "calm", "x")
        with pytest.raises(LimitExceeded):
            memory.blocks.set("persona", "x" * 2_001)
        memory.blocks.delete("persona")
        with pytest.raises(NotFound):
            memory.blocks.get("persona")
        assert {block.text for block in memory.blocks.history("persona")} == {"calm", "brisk"}
        assert memory.check().ok
