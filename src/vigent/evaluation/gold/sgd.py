"""Schema-Guided Dialogue, re-shaped: a line is a dialogue whose turns list what they change.

``turns[].f[]`` holds for each service the slots ``set`` (slot to accepted spellings) and
``unset``; ``final`` is the last state. The schema beside it names every service's slots and the
closed lists of the categorical ones, where ``dontcare`` is allowed too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from vigent.evaluation.gold.dataset import (
    Dialogue,
    GoldError,
    GoldSet,
    Slot,
    Utterance,
    distinct_subject,
    folded,
)
from vigent.evaluation.gold.documents import beside, listed, mapping, objects
from vigent.evaluation.gold.story import Spellings, Step, tell

__all__ = ["read"]

NAME: Final = "sgd"
_ANY: Final = "dontcare"
_SPEAKERS: Final = {"U": "user", "S": "system"}

SlotTable = dict[tuple[str, str], Slot]


def read(path: Path, limit: int | None = None) -> GoldSet:
    """Read the dialogues at ``path`` (the first ``limit``) and the schema there or beside it.

    Without a schema every slot that is spoken of holds any text.

    Raises:
        GoldError: nothing at ``path`` is an SGD dialogue, or a file is damaged.
    """
    stories: list[dict[str, Any]] = []
    schemas: dict[str, list[dict[str, Any]]] = {}
    for name, document in beside(path):
        stories += objects(document, "id", "turns")
        if services := objects(document, "service_name", "slots"):
            schemas[name] = services
    if not stories:
        raise GoldError(f"{path} holds no SGD dialogue")
    stories = stories[:limit]
    table = _slot_table(_schemas_of(path, schemas), stories)
    taken: set[str] = set()
    dialogues = tuple(_dialogue(story, table, taken) for story in stories)
    return GoldSet(NAME, tuple(table.values()), dialogues)


def _schemas_of(path: Path, schemas: Mapping[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The schema named after the file (``dev`` in ``dev_schema.json``), else all there are."""
    split = path.name.split(".")[0]
    named = [document for name, document in schemas.items() if name.startswith(f"{split}_")]
    return [service for document in named or schemas.values() for service in document]


def _slot_table(
    services: Iterable[Mapping[str, Any]], stories: Iterable[Mapping[str, Any]]
) -> SlotTable:
    table: SlotTable = {}
    for service in services:
        for slot in service["slots"]:
            key = (str(service["service_name"]), str(slot["name"]))
            choices = _choices(slot)
            before = table.get(key)
            if before is not None and before.choices is not None and choices is not None:
                choices = tuple(dict.fromkeys(before.choices + choices))
            table[key] = Slot(*key, choices)
    if not table:
        for story in stories:
            for turn in story["turns"]:
                for frame in turn.get("f", ()):
                    for name in frame.get("set", {}):
                        key = (str(frame["service"]), str(name))
                        table[key] = Slot(*key)
    return table


def _choices(slot: Mapping[str, Any]) -> tuple[str, ...] | None:
    listed = tuple(str(value) for value in slot.get("possible_values") or ())
    if not slot.get("is_categorical") or not listed:
        return None
    return tuple(dict.fromkeys((*listed, _ANY)))


def _dialogue(story: Mapping[str, Any], table: SlotTable, taken: set[str]) -> Dialogue:
    dialogue_id = str(story["id"])
    turns: list[Mapping[str, Any]] = story["turns"]
    steps = [_step(number, turn, table) for number, turn in enumerate(turns) if turn.get("f")]
    final: dict[Slot, Spellings] = {}
    for service, values in mapping(story.get("final")).items():
        for name, value in mapping(values).items():
            slot = table.get((service, name))
            if slot is not None and (spellings := _legal(slot, value)):
                final[slot] = spellings
    return tell(
        dialogue_id,
        distinct_subject(dialogue_id, taken),
        steps,
        last_turn=len(turns) - 1,
        known=table.values(),
        final=final,
        said=[_utterance(number, turn) for number, turn in enumerate(turns)],
    )


def _utterance(number: int, turn: Mapping[str, Any]) -> Utterance:
    speaker = str(turn.get("s", ""))
    return Utterance.of(number, _SPEAKERS.get(speaker, speaker), str(turn["u"]))


def _step(number: int, turn: Mapping[str, Any], table: SlotTable) -> Step:
    source = _utterance(number, turn)
    given: dict[Slot, Spellings] = {}
    dropped: set[Slot] = set()
    refused: list[tuple[Slot, str]] = []
    services: set[str | None] = set()
    for frame in turn["f"]:
        service = str(frame["service"])
        services.add(service)
        for name in frame.get("unset", ()):
            if (service, name) in table:
                dropped.add(table[service, name])
        for name, value in frame.get("set", {}).items():
            slot = table.get((service, name))
            spellings = _legal(slot, value)
            if slot is not None and spellings:
                given[slot] = spellings
            else:
                refused += [(slot or Slot(service, str(name)), text) for text in _texts(value)]
    return Step(source, given, dropped - given.keys(), services, tuple(refused))


def _legal(slot: Slot | None, value: Any) -> Spellings:
    if slot is None:
        return ()
    if slot.choices is None:
        return _texts(value)
    choices = set(map(folded, slot.choices))
    return tuple(text for text in _texts(value) if folded(text) in choices)


def _texts(value: Any) -> Spellings:
    return tuple(text for text in map(str, listed(value)) if text.strip())
