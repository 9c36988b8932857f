"""Performing a set's operations as real writes, each resting on the words it came from."""

from __future__ import annotations

import datetime as dt
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final

from vigent import Memory, VigentError, WriteResult
from vigent.errors import InvalidInput, SchemaMismatch
from vigent.evaluation.gold.dataset import Change, Dialogue, GoldSet, Refusal, Slot, Utterance

__all__ = ["ReplayClock", "Replayed", "perform", "schema_of"]

_BATCH: Final = 500
_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)

Done = Callable[[int], None]
Result = WriteResult | VigentError


class ReplayClock:
    """The machine's clock, but never before the set's own "now", when everything was said."""

    def __init__(self, earliest: dt.datetime) -> None:
        self._earliest = (earliest - _EPOCH) // dt.timedelta(microseconds=1)

    def now(self) -> int:
        """Microseconds since 1970 in UTC."""
        return max(self._earliest, time.time_ns() // 1000)


@dataclass(slots=True)
class Replayed:
    """What came of the writes: the refusals that were due, and how long the writing took."""

    refused: list[tuple[Dialogue, Refusal, bool]] = field(
        default_factory=list[tuple[Dialogue, Refusal, bool]]
    )
    writes: int = 0
    seconds: float = 0.0

    @property
    def writes_per_second(self) -> float:
        """Changes written a second, the capture of their episodes included."""
        return self.writes / self.seconds if self.seconds else 0.0


def schema_of(slots: Sequence[Slot]) -> dict[str, Any]:
    """Declare exactly these slots; what is not declared shall be refused."""
    return {
        "attributes": {slot.attribute: _definition(slot) for slot in slots},
        "unknown_attributes": "reject",
    }


def perform(
    memory: Memory, gold: GoldSet, *, shuffle: int | None, done: Done, clients: int = 1
) -> Replayed:
    """Write every change of the set, then try the writes that must be refused.

    With ``shuffle`` the changes go in an order drawn with this seed, all dialogues mixed, each
    with its own time. ``done`` is told of every batch. What was said is captured by so many
    ``clients`` at once, each dialogue by one of them in its order. Running again on one store
    changes nothing: a write that rests on the same episode is known.

    Raises:
        InvalidInput: the store holds other words under the id of one of the set's utterances.
        VigentError: a change was refused that the set's own schema allows.
    """
    changes = [(dialogue, change) for dialogue in gold.dialogues for change in dialogue.changes]
    if shuffle is not None:
        random.Random(shuffle).shuffle(changes)  # noqa: S311 - an order, no secret
    episodes = _Episodes(memory, gold.name, clients)
    replayed = Replayed(writes=len(changes))
    started = time.perf_counter()
    for batch in _batches(changes):
        episodes.capture((dialogue, change.source) for dialogue, change in batch)
        items = [_item(dialogue, change, episodes) for dialogue, change in batch]
        for result in memory.write_many(items):
            if isinstance(result, VigentError):
                raise result
        done(len(batch))
    replayed.seconds = time.perf_counter() - started
    attempts = [(dialogue, refusal) for dialogue in gold.dialogues for refusal in dialogue.refusals]
    for batch in _batches(attempts):
        episodes.capture((dialogue, refusal.source) for dialogue, refusal in batch)
        items = [_attempt(dialogue, refusal, episodes) for dialogue, refusal in batch]
        for (dialogue, refusal), result in zip(batch, memory.write_many(items), strict=True):
            replayed.refused.append((dialogue, refusal, _was_refused(result)))
        done(len(batch))
    return replayed


class _Episodes:
    """The ids of the episodes of utterances."""

    def __init__(self, memory: Memory, name: str, clients: int) -> None:
        self._memory = memory
        self._name = name
        self._clients = clients
        self._ids: dict[tuple[str, int], str] = {}

    def id_of(self, dialogue: Dialogue, said: Utterance) -> str:
        return self._ids[dialogue.subject, said.turn]

    def capture(self, wanted: Iterable[tuple[Dialogue, Utterance]]) -> None:
        """Capture the utterances that are not there yet."""
        new: dict[str, list[tuple[Dialogue, Utterance]]] = {}
        for dialogue, said in wanted:
            if (dialogue.subject, said.turn) not in self._ids:
                new.setdefault(dialogue.subject, []).append((dialogue, said))
        if self._clients == 1:
            for turns in new.values():
                self._capture_in_order(turns)
            return
        with ThreadPoolExecutor(self._clients) as pool:
            for _ in pool.map(self._capture_in_order, new.values()):
                pass

    def _capture_in_order(self, turns: list[tuple[Dialogue, Utterance]]) -> None:
        for dialogue, said in turns:
            key = (dialogue.subject, said.turn)
            if key not in self._ids:
                self._ids[key] = self._capture(dialogue, said)

    def _capture(self, dialogue: Dialogue, said: Utterance) -> str:
        episode = self._memory.capture(
            said.text,
            role="user",
            kind="document" if said.speaker == "document" else "message",
            occurred_at=said.at,
            speaker=said.speaker,
            thread=dialogue.subject,
            external_id=f"{self._name}:{dialogue.subject}:{said.turn}",
        )
        if episode.content != said.text:
            raise InvalidInput(
                "db",
                f"holds other words for turn {said.turn} of {dialogue.subject!r}; "
                "another split of this set was replayed there: use another file",
            )
        return episode.id


def _definition(slot: Slot) -> dict[str, Any]:
    definition: dict[str, Any] = {"cardinality": "multi" if slot.many else "single"}
    if slot.choices is not None:
        definition |= {"kind": "enum", "enum": list(slot.choices)}
    return definition


def _item(dialogue: Dialogue, change: Change, episodes: _Episodes) -> dict[str, Any]:
    item: dict[str, Any] = {
        "subject": dialogue.subject,
        "attribute": change.slot.attribute,
        "valid_from": change.valid_from,
        "source_episode_id": episodes.id_of(dialogue, change.source),
    }
    if change.value is None:
        return item | {"op": "retract"}
    item["value"] = change.value
    if change.valid_to is not None:
        item["valid_to"] = change.valid_to
    return item


def _attempt(dialogue: Dialogue, refusal: Refusal, episodes: _Episodes) -> dict[str, Any]:
    return {
        "subject": dialogue.subject,
        "attribute": refusal.slot.attribute,
        "value": refusal.value,
        "valid_from": refusal.source.at,
        "source_episode_id": episodes.id_of(dialogue, refusal.source),
    }


def _was_refused(result: Result) -> bool:
    if isinstance(result, VigentError):
        return isinstance(result, SchemaMismatch)
    return result.outcome == "rejected"


def _batches(items: list[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(items), _BATCH):
        yield items[start : start + _BATCH]
