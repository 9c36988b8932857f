"""Recall on public conversations, and what the cut-off holds back and what it loses.

Nothing of the data is kept here: the folder that holds it is given on the command line.
"""

from __future__ import annotations

import json
import re
import statistics
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bench.figures import Figure, at_least, at_most, only, percentile
from bench.madeup import unanswered
from vigent import Memory
from vigent.evaluation.gold import locomo, longmemeval
from vigent.evaluation.gold.passages import Conversation, RecallSet
from vigent.evaluation.recall import evaluate_recall
from vigent.testing.clock import FakeClock

LOCOMO = {"5": 0.72, "10": 0.80, "25": 0.88, "50": 0.92}
BM25_ALL = 0.91
"""LongMemEval: how many questions have all their evidence in the first ten by plain BM25."""
BM25_NEWEST = 2
"""LongMemEval: of nine changed facts, how many have the newest message on top by plain BM25."""
_PAST = re.compile(r"\b(previous|when)\b", re.IGNORECASE)
MADE = 200
LOST = 0.03


def measure_locomo(folder: Path, data: Path) -> list[Figure]:
    """Recall over all questions, by category, and how long a search of a conversation takes."""
    print("LoCoMo: share of the evidence found")
    path, db = data / "locomo", str(folder / "locomo.db")
    every = evaluate_recall("locomo", path, db=db)
    questions = every["questions"]
    figures = [
        at_least(f"LoCoMo recall@{depth}", every["recall"][depth], target, questions=questions)
        for depth, target in LOCOMO.items()
    ]
    core = every["core_categories"]
    figures.append(only("LoCoMo recall@10, categories 1-4", core["recall"]["10"], all=core))
    for category, found in every["by_category"].items():
        figures.append(
            only(f"LoCoMo recall@10, category {category}", found["recall"]["10"], all=found)
        )
    gold = locomo.read(path)
    figures.append(_warm(db, gold))
    kept = evaluate_recall("locomo", path, db=db, search={"expand": "auto"})
    figures.append(_lost("LoCoMo", every, kept))
    figures += _held_back("LoCoMo", db, gold)
    return figures


def measure_longmemeval(folder: Path, data: Path) -> list[Figure]:
    """Single messages of one user: all evidence, preferences, and what was said last."""
    print("LongMemEval: evidence among single messages")
    path, db = data / "longmemeval", str(folder / "longmemeval.db")
    answers = folder / "answers.jsonl"
    every = evaluate_recall("longmemeval", path, db=db, answers=answers)
    kinds = every["by_category"]
    figures = [
        at_least("LongMemEval all@10", every["all"]["10"], BM25_ALL, questions=every["questions"]),
        at_least(
            "LongMemEval any@10, preference", kinds["single-session-preference"]["any"]["10"], 1.0
        ),
    ]
    figures += _updates(longmemeval.read(path), answers)
    kept = evaluate_recall("longmemeval", path, db=db, search={"expand": "auto"})
    figures.append(_lost("LongMemEval", every, kept))
    figures += _held_back("LongMemEval", db, longmemeval.read(path))
    return figures


def _warm(db: str, gold: RecallSet) -> Figure:
    """Time a search of one conversation, each question asked once: its vector is not known."""
    conversation = gold.conversations[0]
    took: list[float] = []
    cpu: list[float] = []
    hits = 0
    with _opened(db, conversation) as memory:
        for n, ask in enumerate(conversation.questions):
            start, begun = time.perf_counter(), time.thread_time()
            found = memory.search(ask.text, person=_person(gold, conversation), include="episodes")
            if n >= 5:  # those before it warm up
                took.append((time.perf_counter() - start) * 1000)
                cpu.append((time.thread_time() - begun) * 1000)
                hits += len(found)
    assert hits > len(took), "hardly anything is found: this would time another thing"
    return at_most(
        "search of one conversation, warm, with the query's embedding: p50 ms",
        statistics.median(took), 6, p95_ms=round(percentile(took, 95), 2), n=len(took),
        own_cpu_p50_ms=round(statistics.median(cpu), 2), turns=len(conversation.turns),
    )  # fmt: skip


def _updates(gold: RecallSet, answers: Path) -> list[Figure]:
    """Count where the newest message about a changed fact stands above all earlier ones."""
    said = {t.id: t.at for c in gold.conversations for t in c.turns}
    asked = {ask.id: ask.text for c in gold.conversations for ask in c.questions}
    newest: dict[str, bool] = {}
    for line in answers.read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        if row["category"] != "knowledge-update":
            continue
        last = max(said[id] for id in row["evidence"])
        place = {id: n for n, id in enumerate(row["ranked"])}
        best = min(place.get(id, 1_000) for id in row["evidence"] if said[id] == last)
        older = [place.get(id, 1_001) for id in row["evidence"] if said[id] != last]
        newest[row["question"]] = best < min(older, default=1_001)
    # The words of one ask for the value before, those of another for that of a past moment.
    now = [id for id in newest if not _PAST.search(asked[id])]
    return [
        at_least(
            "LongMemEval updates: newest message above older, of all", sum(newest.values()),
            BM25_NEWEST + 1, updates=len(newest), plain_bm25=BM25_NEWEST,
            ask_about_now=len(now), above_of_these=sum(newest[id] for id in now),
        )
    ]  # fmt: skip


def _lost(name: str, every: dict[str, Any], kept: dict[str, Any]) -> Figure:
    lost = every["recall"]["10"] - kept["recall"]["10"]
    return at_most(
        f"{name} recall@10 lost by the cut-off", lost, LOST, questions=every["questions"],
        with_it=kept["recall"], without=every["recall"],
    )  # fmt: skip


def _held_back(name: str, db: str, gold: RecallSet) -> list[Figure]:
    """Ask what nothing answers, and count what is left without a hit.

    The questions with an answer are asked beside them: a store that finds nothing at all must
    not look like a good cut-off.
    """
    empty: dict[str, list[bool]] = {"known": [], "strangers": []}
    shown: list[str] = []
    answered: list[bool] = []
    each = MADE // len(gold.conversations)
    for seed, conversation in enumerate(gold.conversations):
        speakers = _speakers(conversation)
        texts = [turn.text for turn in conversation.turns]
        with _opened(db, conversation) as memory:

            def finds(question: str, person: str, memory: Memory = memory) -> bool:
                return bool(memory.search(question, person=person, include="episodes"))

            person = _person(gold, conversation)
            answered += [finds(ask.text, person) for ask in conversation.questions]
            for n, question in enumerate(unanswered(speakers, [*texts, *speakers], each, seed)):
                found = finds(question, person)
                empty["strangers" if n % 2 else "known"].append(not found)
                shown += [question] if found else []
    every = [one for found in empty.values() for one in found]
    return [
        at_least(
            f"{name}: made questions without an answer that find nothing", statistics.fmean(every),
            0.8, questions=len(every), known_speaker=_share(empty["known"]),
            strangers=_share(empty["strangers"]), found_something=shown,
        ),
        at_least(
            f"{name}: questions with an answer that find something", statistics.fmean(answered),
            0.9, questions=len(answered),
        ),
    ]  # fmt: skip


def _share(found: Iterable[bool]) -> float:
    return round(statistics.fmean(found), 3)


def _opened(db: str, conversation: Conversation) -> Memory:
    """Open the store as of when the questions are asked: what was said has not expired then."""
    return Memory.open(db, clock=FakeClock(max(ask.at for ask in conversation.questions)))


def _person(gold: RecallSet, conversation: Conversation) -> str:
    return f"{gold.name}-{conversation.id}"


def _speakers(conversation: Conversation) -> list[str]:
    """Give who speaks; of messages without a name it is the user."""
    names = {turn.speaker for turn in conversation.turns if turn.speaker}
    return sorted(names) or ["I"]
