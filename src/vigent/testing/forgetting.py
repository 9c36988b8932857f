"""What every adapter has to do about what is gone: claims that are part of the contract."""

from __future__ import annotations

from typing import Any

import pytest

from vigent.errors import NotFound
from vigent.memory import Memory
from vigent.testing.clock import FakeClock

__all__ = ["ForgettingClaims"]

_CITY: dict[str, Any] = {"subject": "mira", "attribute": "city", "person": "mira"}
_TEXT: dict[str, Any] = {"subject": "mira", "person": "mira"}
_ANIMAL = "wombat1"


def _id(result: Any) -> str:
    assert result.memory is not None
    return result.memory.memory_id


def _told(memory: Memory) -> str:
    """Give what the audit still says, as it is stored."""
    assert memory.check().ok
    storage: Any = getattr(memory, "_storage", None)
    if storage is None:
        pytest.skip("a client of a service has no engine")
    with storage.snapshot() as snapshot:
        rows = snapshot.audit_entries("default")
    return "\n".join(f"{row.action} {row.content}" for row in rows)


class ForgettingClaims:
    """The claims of forgetting and of expiry, asked through the public face of memory."""

    def test_no_audit_entry_tells_what_was_corrected_and_forgotten(self, memory: Memory) -> None:
        first = _id(memory.write(**_CITY, value=_ANIMAL))
        memory.write(**_CITY, value="Porto", mode="correction", corrects=first)
        assert _ANIMAL in _told(memory)
        assert memory.forget(first, person="mira")
        assert _ANIMAL not in _told(memory)
        assert "memory_forget" in _told(memory)

    def test_no_audit_entry_tells_what_never_was_and_is_forgotten(self, memory: Memory) -> None:
        first = _id(memory.write(**_CITY, value=_ANIMAL))
        memory.retract(**_CITY, value=_ANIMAL, mode="correction")
        memory.retract(**_CITY, value=_ANIMAL, mode="correction")
        assert memory.forget(first, person="mira")
        assert _ANIMAL not in _told(memory)

    def test_no_audit_entry_tells_what_an_interval_corrected(self, memory: Memory) -> None:
        first = _id(memory.write(**_CITY, value=_ANIMAL, valid_from="2026-03-05"))
        memory.write(
            **_CITY, value="Porto", mode="correction", valid_from="2026-03-01",
            valid_to="2026-04-01",
        )  # fmt: skip
        memory.forget(first, person="mira")
        assert _ANIMAL not in _told(memory)

    def test_no_audit_entry_tells_a_text_that_was_corrected(self, memory: Memory) -> None:
        first = _id(memory.write(**_TEXT, text=f'a "{_ANIMAL}" é\n'))
        memory.write(**_TEXT, text="another", mode="correction", corrects=first)
        assert _ANIMAL in _told(memory)
        assert memory.forget(first, person="mira")
        assert _ANIMAL not in _told(memory)

    def test_no_audit_entry_tells_what_expired_and_was_swept(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        first = _id(memory.write(**_CITY, value=_ANIMAL, ttl_days=1))
        memory.write(
            **_CITY, value="Porto", mode="correction", corrects=first, retention_policy="keep"
        )
        clock.advance(days=3)
        memory.sweep()
        assert _ANIMAL not in _told(memory)

    def test_forgetting_leaves_what_the_audit_says_of_others(self, memory: Memory) -> None:
        first = _id(memory.write(**_CITY, value=_ANIMAL))
        memory.write(**_CITY, value="Porto")
        memory.write(subject="tom", attribute="city", person="mira", value=_ANIMAL)
        memory.forget(first, person="mira")
        assert "Porto" in _told(memory)
        assert _ANIMAL in _told(memory)

    def test_what_is_past_its_time_cannot_be_updated(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        first = _id(memory.write(**_CITY, value=_ANIMAL, ttl_days=1))
        clock.advance(days=1)
        for changes in ({"importance": 3}, {"retention_policy": "keep"}):
            with pytest.raises(NotFound):
                memory.update(first, person="mira", **changes)
        assert memory.current(**_CITY) is None

    def test_a_repeated_write_does_not_tell_what_is_past_its_time(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        said = memory.capture("I live there.", person="mira").id
        asked: dict[str, Any] = {
            **_CITY, "value": _ANIMAL, "ttl_days": 1, "source_episode_id": said,
        }  # fmt: skip
        assert memory.write(**asked).memory == memory.write(**asked).memory
        keyed: dict[str, Any] = {
            **_CITY, "subject": "tom", "value": _ANIMAL, "expires_at": "2026-06-01T12:00:00Z",
            "idempotency_key": "k",
        }  # fmt: skip
        assert memory.write(**keyed).memory == memory.write(**keyed).memory
        clock.advance(seconds=12 * 3600)
        assert memory.write(**keyed).memory is None
        clock.advance(seconds=12 * 3600)
        again = memory.write(**asked)
        assert (again.outcome, again.memory) == ("stored", None)

    def test_a_candidate_that_goes_contests_no_more(self, memory: Memory, clock: FakeClock) -> None:
        key: dict[str, Any] = {
            "subject": "mira", "attribute": "contested", "person": "mira",
            "valid_from": "2026-03-01",
        }  # fmt: skip

        def contested() -> bool:
            found: Any = memory.current("mira", "contested", person="mira")
            return found.contested

        memory.write(**key, value="a")
        memory.write(**key, value="b", ttl_days=1)
        other = _id(memory.write(**key, value="c", ttl_days=9))
        assert contested()
        clock.advance(days=2)
        memory.sweep()
        assert contested()
        memory.forget(other, person="mira")
        assert not contested()
