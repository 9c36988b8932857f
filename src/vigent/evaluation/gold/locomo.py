"""LoCoMo: long conversations of two people, with questions that name the turns that answer them.

Evidence stands as text: some strings pack several ids, some have leading zeros, some name no
turn. Ids are split, zeros and strangers dropped. ``corrected_evidence.json`` beside the file mends
citations of the first conversations where it is there.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from vigent.evaluation.gold.dataset import GoldError
from vigent.evaluation.gold.documents import documents, objects
from vigent.evaluation.gold.passages import Ask, Conversation, RecallSet, Turn

__all__ = ["read"]

NAME: Final = "locomo"
_ID: Final = re.compile(r"D\s*(\d+)\s*:\s*0*(\d+)")
_CORE: Final = frozenset("1234")


def read(path: Path, limit: int | None = None) -> RecallSet:
    """Read the conversations at ``path``, the first ``limit`` of them.

    Raises:
        GoldError: nothing at ``path`` is a LoCoMo conversation, or a file is damaged.
    """
    found = [
        one for _, document in documents(path) for one in objects(document, "conversation", "qa")
    ][:limit]
    if not found:
        raise GoldError(f"{path} holds no LoCoMo conversation")
    return RecallSet(NAME, tuple(_conversation(n, one) for n, one in enumerate(found)), _CORE)


def _conversation(number: int, one: Mapping[str, Any]) -> Conversation:
    turns = tuple(_turns(one["conversation"]))
    known = {turn.id for turn in turns}
    last = max(turn.at for turn in turns) + dt.timedelta(days=1)
    questions: list[Ask] = []
    for n, qa in enumerate(one["qa"]):
        evidence = tuple(i for i in _ids(qa.get("evidence") or ()) if i in known)
        if evidence:
            text, category = str(qa["question"]), str(qa["category"])
            questions.append(Ask(f"{number}_qa{n}", text, category, evidence, last))
    name = str(one.get("sample_id") or f"conversation-{number}")
    return Conversation(f"{name}-{number}", turns, tuple(questions))


def _ids(evidence: Any) -> list[str]:
    found = [f"D{s}:{t}" for said in evidence for s, t in _ID.findall(str(said))]
    return list(dict.fromkeys(found))


def _turns(conversation: Mapping[str, Any]) -> Iterator[Turn]:
    names = [key for key in conversation if re.fullmatch(r"session_\d+", key)]
    for name in sorted(names, key=lambda key: int(key[8:])):
        begin = _moment(str(conversation[f"{name}_date_time"]))
        for n, said in enumerate(conversation[name] or ()):
            (id,) = _ids([said["dia_id"]]) or [str(said["dia_id"])]
            yield Turn(
                id, name, "user", str(said["speaker"]), str(said["text"]),
                begin + dt.timedelta(seconds=n),
            )  # fmt: skip


def _moment(text: str) -> dt.datetime:
    """Read "1:56 pm on 8 May, 2023"."""
    return dt.datetime.strptime(f"{' '.join(text.split())} +0000", "%I:%M %p on %d %B, %Y %z")
