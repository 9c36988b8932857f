"""What storage believes after each write equals the replay of all statements."""

from __future__ import annotations

import apsw
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.statements import said
from vigent.domain.changes import ChangeSet, Withdraw
from vigent.domain.statements import ONE_VALUE, Key, KeyId, Statement
from vigent.domain.timeline import Segment, replay
from vigent.storage.migrate import migrate_sqlite
from vigent.storage.sqlite.writing import SqliteTransaction
from vigent.write.refold import difference, flags, refold

KEY = Key(1, KeyId("t", "s", "", "mira", "plan", ""), "mira", 1)


def words() -> st.SearchStrategy[str]:
    start = st.integers(1, 12)
    value = st.sampled_from("ABC")
    return st.one_of(
        st.builds("{}@{}".format, value, start),
        st.builds(lambda v, f, n: f"{v}[{f},{f + n})", value, start, st.integers(1, 9)),
        st.builds("end:{}@{}".format, value, start),
        st.builds("none@{}".format, start),
    )


class Timeline:
    """One key in a real SQLite store, beside all statements ever entered."""

    def __init__(self) -> None:
        self.connection = apsw.Connection(":memory:")
        migrate_sqlite(self.connection, "vigent.storage.sqlite")
        self.statements: list[Statement] = []
        self._commit(ChangeSet("t", keys=[KEY]))

    def _commit(self, changes: ChangeSet) -> None:
        self.connection.execute("BEGIN IMMEDIATE")
        transaction = SqliteTransaction(self.connection)
        transaction.apply(changes)
        transaction.flush()
        self.connection.execute("COMMIT")

    def change(self, at: int, added: list[Statement], removed: list[Statement]) -> None:
        transaction = SqliteTransaction(self.connection)
        folded = refold(transaction, KEY, ONE_VALUE, added=added, removed=removed)
        changes = ChangeSet("t")
        difference(folded, KEY, at, changes, transaction.numbers.belief)
        flags(folded, {s.no for s in added}, changes)
        changes.statements = [s._replace(clean=int(s.no in folded.plan.clean)) for s in added]
        changes.withdrawn = [Withdraw(s.no, at, "withdrawn") for s in removed]
        self._commit(changes)
        gone = {s.no for s in removed}
        self.statements = [
            s._replace(withdrawn_at=at) if s.no in gone else s for s in self.statements
        ] + added

    def believed(self) -> list[Segment]:
        rows = SqliteTransaction(self.connection).believed(KEY, ONE_VALUE, -(2**63), 2**63 - 1)
        return [Segment(b.valid_from, b.valid_to, b.memory) for b in rows]

    def known(self, at: int, instant: int) -> int | None:
        key = KEY._replace(last_recorded=2**62)
        found = SqliteTransaction(self.connection).at(key, ONE_VALUE, instant, at)
        return found[0].belief.memory if found else None


def at(segments: list[Segment], instant: int) -> int | None:
    return next((s.memory for s in segments if s.start <= instant < s.end), None)


@settings(max_examples=150, deadline=None)
@given(st.lists(words(), min_size=1, max_size=12), st.data())
def test_believed_rows_equal_the_replay_now_and_at_every_earlier_instant(
    spec: list[str], data: st.DataObject
):
    timeline = Timeline()
    coming = said(" ".join(spec))
    now = 0
    for number, statement in enumerate(coming, start=1):
        now += 1
        timeline.change(now, [statement._replace(recorded_from=now, turn=now, bears_from=now)], [])
        live = [s for s in timeline.statements if s.live]
        if number % 4 == 0 and data.draw(st.booleans()):
            now += 1
            timeline.change(now, [], [data.draw(st.sampled_from(live))])
        assert timeline.believed() == replay(timeline.statements)
    for known in range(now + 1):
        then = replay(timeline.statements, known_at=known)
        for instant in range(24):
            assert timeline.known(known, instant) == at(then, instant)
