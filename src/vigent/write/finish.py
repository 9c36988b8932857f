"""Notes everything that follows from the timelines a change has decided for."""

from __future__ import annotations

from vigent.domain.changes import Refold
from vigent.domain.statements import edited
from vigent.domain.text import is_own
from vigent.domain.time import OPEN
from vigent.write.evidence import note_runs
from vigent.write.refold import difference, flags
from vigent.write.work import Work

__all__ = ["finish"]


def finish(work: Work) -> None:
    """Put beliefs, counts, words and the new statements themselves into the change set."""
    changes, new = work.changes, work.new
    indexed: set[int] = set()
    number = work.transaction.numbers.belief
    for folded in work.folds:
        opened = len(changes.opened)
        number = difference(folded, work.key, work.at, changes, number)
        note_runs(work, folded)
        for belief in changes.opened[opened:]:
            _index(work, belief.memory, indexed)
        flags(folded, new.keys(), changes, indexed)
    for memory in indexed.difference(new, *(f.statements for f in work.folds)):
        # Said again by a correction's copies only: the memory itself was withdrawn.
        changes.refolded.append(Refold(memory, 0, 1))
    for no, statement in new.items():
        clean = int(any(no in folded.plan.clean for folded in work.folds))
        if (statement.clean, statement.indexed) != (clean, int(no in indexed)):
            new[no] = edited(statement, clean=clean, indexed=int(no in indexed))
    changes.statements.extend(new.values())
    changes.amended.extend(work.amended.values())
    if new or work.amended or changes.withdrawn or changes.forgotten:
        changes.recorded.append((work.key, work.at))


def _index(work: Work, memory: int, indexed: set[int]) -> None:
    statement = work.find(memory)
    there = memory in indexed or (statement.indexed and memory not in work.new)
    if there or statement.forgotten_at != OPEN or is_own(work.key.id.subject):
        return
    work.index(statement)
    indexed.add(memory)
