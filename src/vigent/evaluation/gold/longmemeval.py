"""LongMemEval: questions of one user, with the turns of earlier sessions that answer them.

All turns of a file are one pool: each question is asked of all of them. Both the evidence files
(``evidence_sessions``) and the full ones (``haystack_sessions`` with ``has_answer``) are read.
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

NAME: Final = "longmemeval"
_NOTED: Final = re.compile(r"(\d{4})/(\d{2})/(\d{2}) \(\w+\) (\d{2}):(\d{2})")


def read(path: Path, limit: int | None = None) -> RecallSet:
    """Read the questions at ``path``, the first ``limit`` of them, with all turns they bring.

    Raises:
        GoldError: nothing at ``path`` is a LongMemEval question, or a file is damaged.
    """
    found = [
        one
        for _, document in documents(path)
        for one in objects(document, "question_id", "question")
    ][:limit]
    if not found:
        raise GoldError(f"{path} holds no LongMemEval question")
    turns: dict[tuple[str, str, str], Turn] = {}
    questions: list[Ask] = []
    for one in found:
        evidence: list[str] = []
        for answers, turn in _turns(one):
            kept = turns.setdefault((turn.session, turn.role, turn.text), turn)
            evidence += [kept.id] if answers else []
        if evidence:
            questions.append(
                Ask(
                    str(one["question_id"]), str(one["question"]), str(one["question_type"]),
                    tuple(dict.fromkeys(evidence)), _moment(str(one["question_date"])),
                )
            )  # fmt: skip
    pool = Conversation("pool", tuple(sorted(turns.values(), key=lambda t: t.at)), tuple(questions))
    return RecallSet(NAME, (pool,), frozenset())


def _turns(one: Mapping[str, Any]) -> Iterator[tuple[bool, Turn]]:
    """Give each turn with whether it is evidence."""
    if one.get("evidence_sessions") is not None:
        for n, session in enumerate(one["evidence_sessions"]):
            name, begin = f"{one['question_id']}-{n}", _moment(str(session["date"]))
            for turn in _session(name, begin, session["turns"]):
                yield True, turn
        return
    answering = set(one.get("answer_session_ids") or ())
    for name, date, said in zip(
        one["haystack_session_ids"], one["haystack_dates"], one["haystack_sessions"], strict=True
    ):
        for turn, raw in zip(_session(str(name), _moment(str(date)), said), said, strict=True):
            yield name in answering and bool(raw.get("has_answer")), turn


def _session(name: str, begin: dt.datetime, said: list[Mapping[str, Any]]) -> list[Turn]:
    return [
        Turn(
            f"{name}:{n}", name, str(turn["role"]), None, str(turn["content"]),
            begin + dt.timedelta(seconds=n),
        )
        for n, turn in enumerate(said)
    ]  # fmt: skip


def _moment(text: str) -> dt.datetime:
    """Read "2023/06/28 (Wed) 20:07"."""
    found = _NOTED.fullmatch(text.strip())
    if found is None:
        raise GoldError(f"{text!r} is no date of this set")
    year, month, day, hour, minute = map(int, found.groups())
    return dt.datetime(year, month, day, hour, minute, tzinfo=dt.UTC)
