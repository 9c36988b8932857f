"""The agreement machine: random commands to two adapters, and every kind of read compared.

One adapter is the oracle, because it answers by replaying all statements. A program with an
adapter of its own subclasses ``AgreementMachine`` and overrides ``open_pair``.
"""

from __future__ import annotations

import datetime as dt
import shutil
import tempfile
import unicodedata
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar, Final, cast

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from vigent.memory import Memory
from vigent.testing.clock import FakeClock
from vigent.testing.conversing import THREAD_CALLS, ask_threads, thread_name
from vigent.testing.pairs import Pair

__all__ = ["AGREEMENT_SCHEMA", "SHORT_RUN", "AgreementMachine", "run_agreement"]

AGREEMENT_SCHEMA: Final[dict[str, Any]] = {
    "version": 3,
    "attributes": {
        "city": {"kind": "text", "aliases": ["town"]},
        "desk": {"kind": "text", "conflict": "most_trusted"},
        "score": {"kind": "decimal", "conflict": "most_confident", "half_life_days": 5},
        "plan": {"kind": "enum", "conflict": "contest", "enum": {"basic": ["b"], "plus": []}},
        "seat": {"kind": "text", "conflict": "reject"},
        "account": {"kind": "integer", "min_trust": "application"},
        "allergy": {"kind": "text", "cardinality": "multi"},
        "langs": {"kind": "text", "cardinality": "multi", "min_trust": "application"},
    },
    "retention": {"short": 3},
}
"""Attributes under every conflict policy, with and without a minimum trust, single and multi."""

SHORT_RUN: Final = 400
"""How many commands ``run_agreement`` sends where it is not told."""

_UNSUITED: Final[tuple[HealthCheck, ...]] = (
    HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large,
)  # fmt: skip
_SINGLE: Final = ("city", "town", "desk", "score", "plan", "seat", "account", "free_name")
_MULTI: Final = ("allergy", "langs")
_VALUES: Final[dict[str, tuple[Any, ...]]] = {
    "score": (1, Decimal("2.50"), Decimal("1.0")),
    "plan": ("basic", "plus", "b"),
    "account": (7, 8, 9),
}
_WORDS: Final = ("A", "B", "C", " A ", "Ren\u00e9", "Rene\u0301", "\u6771\u4eac\u90fd")
_SUBJECTS: Final = (
    "mira",
    "MIRA",
    "Zo\u00eb N",
    unicodedata.normalize("NFD", "Zo\u00eb N"),
    "acme",
)
_PERSONS: Final = (None, "p1", "p2")
_TRUSTS: Final = ("document", "assistant", "tool", "application", "person", "reviewer")
_START: Final = dt.datetime(2026, 1, 6, tzinfo=dt.UTC)

_days = st.integers(min_value=-6, max_value=8)
_maybe_day = st.one_of(st.none(), _days)
_pick = st.integers(min_value=0, max_value=40)
# Most commands meet on a few keys, because only there can they disturb each other.
_person = st.sampled_from((None, None, None, None, "p1", "p1", "p2"))
_subject = st.sampled_from(("mira", "mira", "mira", *_SUBJECTS))
_attribute = st.sampled_from(("city", "city", "city", *_SINGLE))
_source = st.fixed_dictionaries(
    {"trust": st.sampled_from(_TRUSTS), "confidence": st.sampled_from((0, 0.2, 0.5, 0.9, 1))},
    optional={
        "quote": st.just("as she said"),
        "source": st.sampled_from(("crm", "mail")),
        "importance": st.integers(min_value=1, max_value=10),
        "metadata": st.sampled_from(({}, {"team": "blue"})),
        "retention_policy": st.sampled_from(("keep", "short")),
        "source_episode_id": _pick,
    },
)
_no_source: dict[str, Any] = {}
_confident = st.one_of(st.just(_no_source), _source)


def _at(day: int | None) -> str | None:
    return None if day is None else (_START + dt.timedelta(days=day)).isoformat()


def _dates(start: int | None, length: int | None) -> dict[str, Any]:
    """Give valid_from and, with a length, valid_to as arguments."""
    out: dict[str, Any] = {} if start is None else {"valid_from": _at(start)}
    if length is not None:
        out["valid_to"] = _at((0 if start is None else start) + length)
    return out


class AgreementMachine(RuleBasedStateMachine):
    """Sends each command to two memories and compares answers, then reads.

    ``steps`` counts the commands sent since the process began.
    """

    steps: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="agreement-"))
        self.clock = FakeClock(_START)
        self.pair = self.open_pair()
        self.memories: list[str] = []
        self.owners: dict[str, str | None] = {}
        self.episodes: list[str] = []
        self.waiting: list[str] = []
        self.seen: list[str] = []

    def open_pair(self) -> Pair:
        """Open the adapter under test and the oracle, with one clock and schema."""
        paths = (str(self.folder / "memory.db"), ":memory:")
        first, second = (
            Memory.open(path, schema=AGREEMENT_SCHEMA, clock=self.clock) for path in paths
        )
        return Pair(first, second)

    # ------------------------------------------------------------------------- commands

    @initialize(linked=st.booleans())
    def link(self, *, linked: bool) -> None:
        """Let a person be one of the subjects, or not."""
        if linked:
            self.pair.do("persons.link", "p1", subject="acme")

    @rule(person=_person, day=_maybe_day, external=st.sampled_from((None, "m1", "m2")))
    def capture(self, person: str | None, day: int | None, external: str | None) -> None:
        """Keep an episode."""
        done = self._do(
            "capture", "as she said", occurred_at=_at(day), speaker="Mira", external_id=external,
            person=person,
        )  # fmt: skip
        if "error" not in done:
            self.episodes.append(done["episode_id"])

    @rule(said=st.sampled_from(THREAD_CALLS), thread=st.sampled_from(("t", "u")), person=_person)
    def converse(
        self, said: tuple[str, tuple[Any, ...], dict[str, Any]], thread: str, person: str | None
    ) -> None:
        """Make, fill, set or delete a thread."""
        verb, more, named = said
        done = self._do(verb, *more, **named, **thread_name(verb, thread), person=person)
        if isinstance(done, dict) and "episode_id" in done:
            self.episodes.append(str(cast("dict[str, Any]", done)["episode_id"]))
        ask_threads(self.pair, thread, (person, None))

    @rule(
        subject=_subject, attribute=_attribute, value=_pick, start=_maybe_day,
        length=st.sampled_from((None, None, None, 1, 2, 4)), more=_confident, person=_person,
    )  # fmt: skip
    def change(
        self,
        subject: str,
        attribute: str,
        value: int,
        start: int | None,
        length: int | None,
        more: dict[str, Any],
        person: str | None,
    ) -> None:
        """Say what holds of a single-valued attribute."""
        self._write(
            person, subject, attribute, value=self._value(attribute, value),
            **_dates(start, length), **more,
        )  # fmt: skip

    @rule(
        attribute=st.sampled_from((*_SINGLE, *_MULTI)), person=_person, atomic=st.booleans(),
        said=st.lists(
            st.tuples(
                st.sampled_from(("write", "write", "write", "correct", "retract", "end")),
                st.integers(min_value=0, max_value=3), _days,
                st.sampled_from((None, None, 1, 2, 5)), st.sampled_from(("mira", "mira", "acme")),
            ),
            min_size=2, max_size=6,
        ),
    )  # fmt: skip
    def batch(
        self,
        attribute: str,
        said: list[tuple[str, int, int, int | None, str]],
        person: str | None,
        *,
        atomic: bool,
    ) -> None:
        """Say several things of one attribute of two subjects at once."""
        items: list[dict[str, Any]] = []
        for verb, value, start, length, subject in said:
            item: dict[str, Any] = {"subject": subject, "attribute": attribute}
            if verb != "retract":
                item["value"] = self._value(attribute, value)
            if verb in {"retract", "end"}:
                item |= {"op": "retract", "valid_from": _at(start)}
            else:
                item |= _dates(start, length)
            items.append(item | ({"mode": "correction"} if verb == "correct" else {}))
        done = self._do("write_many", items, atomic=atomic, person=person)
        if isinstance(done, list):
            type(self).steps += len(items) - 1
            for one in cast("list[dict[str, Any]]", done):
                self._note(one, person)
        self._reads("mira", attribute, person)

    @rule(
        subject=_subject, attribute=st.sampled_from(_MULTI), value=_pick, start=_maybe_day,
        length=st.sampled_from((None, None, 2, 4)), more=_confident, person=_person,
    )  # fmt: skip
    def add(
        self,
        subject: str,
        attribute: str,
        value: int,
        start: int | None,
        length: int | None,
        more: dict[str, Any],
        person: str | None,
    ) -> None:
        """Say one value of a multi-valued attribute."""
        self._write(
            person, subject, attribute, value=self._value(attribute, value),
            **_dates(start, length), **more,
        )  # fmt: skip

    @rule(
        subject=_subject, attribute=st.sampled_from(_MULTI), start=_maybe_day, more=_confident,
        values=st.lists(st.sampled_from(_WORDS), max_size=3), length=st.sampled_from((None, 2, 4)),
        person=_person,
    )  # fmt: skip
    def replace(
        self,
        subject: str,
        attribute: str,
        values: list[str],
        start: int | None,
        length: int | None,
        more: dict[str, Any],
        person: str | None,
    ) -> None:
        """Say that none but these hold."""
        self._write(
            person, subject, attribute, value=values, mode="replace", **_dates(start, length),
            **more,
        )  # fmt: skip

    @rule(
        memory=_pick, value=_pick, start=st.sampled_from((None, None, -3, 1)),
        length=st.sampled_from((None, None, 3)), more=_confident,
    )  # fmt: skip
    def correct_named(
        self, memory: int, value: int, start: int | None, length: int | None, more: dict[str, Any]
    ) -> None:
        """Correct a memory by its id."""
        id = self._memory(memory)
        if id is None:
            return
        record = self.pair.do("get", id, person=self.owners[id])
        if "error" in record or record["attribute"] is None:
            return
        attribute = record["attribute"]
        self._write(
            self.owners[id], record["subject"], attribute, mode="correction", corrects=id,
            value=self._value(attribute, value), **_dates(start, length), **more,
        )  # fmt: skip

    @rule(
        subject=_subject, attribute=st.sampled_from((*_SINGLE, *_MULTI)), value=_pick,
        start=_maybe_day, length=st.sampled_from((None, 1, 3, 6)), more=_confident, person=_person,
    )  # fmt: skip
    def correct(
        self,
        subject: str,
        attribute: str,
        value: int,
        start: int | None,
        length: int | None,
        more: dict[str, Any],
        person: str | None,
    ) -> None:
        """Correct what stands at an instant, or over an interval."""
        self._write(
            person, subject, attribute, value=self._value(attribute, value), mode="correction",
            **_dates(start, length), **more,
        )  # fmt: skip

    @rule(
        subject=_subject, attribute=st.sampled_from((*_SINGLE, *_MULTI)),
        value=st.one_of(st.none(), _pick), start=_maybe_day,
        mode=st.sampled_from(("change", "change", "correction")),
        trust=st.sampled_from(_TRUSTS), person=_person,
    )  # fmt: skip
    def retract(
        self,
        subject: str,
        attribute: str,
        value: int | None,
        start: int | None,
        mode: str,
        trust: str,
        person: str | None,
    ) -> None:
        """Say what no longer holds, or never did."""
        named = {} if value is None else {"value": self._value(attribute, value)}
        done = self._do(
            "retract", subject=subject, attribute=attribute, mode=mode, trust=trust,
            valid_from=_at(start), person=person, **named,
        )  # fmt: skip
        self._note(done, person)
        self._reads(subject, attribute, person)

    @rule(text=st.sampled_from(_WORDS), kind=st.sampled_from(("preference", "commitment", "own")),
          start=_maybe_day, over=st.one_of(st.none(), _pick), person=_person)  # fmt: skip
    def say(
        self, text: str, kind: str, start: int | None, over: int | None, person: str | None
    ) -> None:
        """Keep a memory in free text, perhaps in place of another."""
        old = None if over is None else self._memory(over)
        self._write(
            person, "mira", None, text=text, type=kind, valid_from=_at(start), supersedes=old
        )

    @precondition(lambda self: len(self.memories) > 1)
    @rule(memory=_pick)
    def forget(self, memory: int) -> None:
        """Remove a memory for good."""
        self._on(memory, "forget")

    @precondition(lambda self: bool(self.memories))
    @rule(memory=_pick, change=st.sampled_from((
        {"confidence": 0.3}, {"importance": 9}, {"metadata": {"a": 1}}, {"ttl_days": 2},
        {"retention_policy": "keep"}, {"state": "done"},
    )))  # fmt: skip
    def update(self, memory: int, change: dict[str, Any]) -> None:
        """Change fields in place."""
        self._on(memory, "update", **change)

    @precondition(lambda self: bool(self.waiting))
    @rule(which=_pick, accepted=st.booleans(), trust=st.sampled_from(_TRUSTS))
    def review(self, which: int, trust: str, *, accepted: bool) -> None:
        """Decide a candidate that waits."""
        id = self.waiting[which % len(self.waiting)]
        verb, more = ("accept", {"trust": trust}) if accepted else ("reject", {"reason": "no"})
        done = self._do(f"review.{verb}", id, **more)
        if accepted:
            self._note(done, self.owners[id])
        self._asked(id)

    @precondition(lambda self: bool(self.memories))
    @rule(days=st.sampled_from((1, 2, 5, -1, -4)), swept=st.booleans())
    def time_passes(self, days: int, *, swept: bool) -> None:
        """Let time pass, or the clock step back; forget what is past its time."""
        self.clock.advance(days=days)
        if not swept:
            self._reads("mira", "city", None)
        elif self._do("sweep"):
            self._everything()

    @precondition(lambda self: len(self.memories) > 3)
    @rule(person=st.sampled_from(("p1", "p2")), dry_run=st.sampled_from((True, True, False)))
    def erase(self, person: str, *, dry_run: bool) -> None:
        """Remove a person."""
        self._do("erase_person", person, dry_run=dry_run)
        if not dry_run:
            self._everything()

    @precondition(lambda self: len(self.memories) > 1)
    @rule(name=_subject, of=_subject, person=_person, removed=st.sampled_from((False, False, True)))
    def alias(self, name: str, of: str, person: str | None, *, removed: bool) -> None:
        """Join two names, or part them."""
        if removed:
            self._do("alias.remove", name, person=person)
        else:
            self._do("alias", name, of=of, person=person)
        self.pair.do("alias.list", person=person)
        for subject in (name, of):
            self.pair.do("alias.names", subject, person=person)
            self._reads(subject, "city", person)

    # ---------------------------------------------------------------------------- reads

    def teardown(self) -> None:
        """Compare everything once more, and let both check themselves."""
        try:
            self._everything()
            for memory in (self.pair.first, self.pair.second):
                report = memory.check()
                assert report.ok, report.problems
        finally:
            self.pair.first.close()
            self.pair.second.close()
            shutil.rmtree(self.folder)

    def _reads(self, subject: str, attribute: str | None, person: str | None) -> None:
        """Ask of one subject the questions about state, now and in the past."""
        ask = self.pair.do
        ask("current", subject, person=person)
        for day, known in ((-2, None), (1, self._instant(2)), (5, None), (3, self._instant(1))):
            ask("current", subject, as_of=_at(day), known_at=known, person=person)
        if attribute is not None:
            ask("history", subject, attribute, person=person)
            ask("current", subject, attribute, person=person)
            ask("current", subject, attribute, known_at=self._instant(3), person=person)

    def _asked(self, id: str) -> None:
        """Ask what there is to ask about one memory."""
        ask, person = self.pair.do, self.owners[id]
        record = ask("get", id, person=person)
        ask("provenance", id, person=person)
        ask("visibility", id, person=person)
        if "error" not in record and record["subject"] is not None:
            self._reads(record["subject"], record["attribute"], person)

    def _instant(self, part: int) -> str | None:
        """Give a recorded instant: of part 1 the last one, of 2 half way back, of 3 further."""
        return self.seen[-1 - len(self.seen) * (part - 1) // part] if self.seen else None

    def _everything(self) -> None:
        """Ask every kind of question about everything."""
        ask = self.pair.do
        past = [None, *self.seen[:: max(1, len(self.seen) // 3)]]
        low, high = _at(-10) or "", _at(400) or ""
        for person in _PERSONS:
            for subject in ("mira", "zoe\u0308 n", "acme"):
                for known in past:
                    ask("current", subject, known_at=known, as_of=_at(2), person=person)
                for attribute in (*_SINGLE, *_MULTI):
                    ask("history", subject, attribute, person=person)
            for axis in ("valid", "recorded"):
                ask("diff", since=low, until=high, axis=axis, person=person)
                ask("diff", since=_at(0), until=_at(2), axis=axis, subject="MIRA", person=person)
            for more in (
                {}, {"include": "history"}, {"status": "corrected"}, {"status": "withdrawn"},
                {"status": "pending_review"}, {"status": "contested"}, {"status": "rejected"},
                {"min_confidence": 0.4, "order": "confidence"}, {"type": "preference"},
                {"attribute": "city"}, {"as_of": _at(1), "known_at": past[-1]},
            ):  # fmt: skip
                ask("list", person=person, **more)
            ask("search", "A mira", person=person)
            ask("search", "\u4eac\u90fd rene city", person=person, limit=3, include="history")
            ask("search", "mira city on 2 March", person=person, expand="always")
        for thread in ("t", "u"):
            ask_threads(self.pair, thread, _PERSONS)
        ask("review.list")
        for id in self.memories[-12:]:
            self._asked(id)

    # -------------------------------------------------------------------------- sending

    def _do(self, verb: str, /, *args: Any, **kwargs: Any) -> Any:
        type(self).steps += 1
        return self.pair.do(verb, *args, **kwargs)

    def _write(
        self, person: str | None, subject: str, attribute: str | None, **request: Any
    ) -> None:
        episode = request.pop("source_episode_id", None)
        if episode is not None and self.episodes:
            request["source_episode_id"] = self.episodes[episode % len(self.episodes)]
        done = self._do("write", subject=subject, attribute=attribute, person=person, **request)
        self._note(done, person)
        self._reads(subject, attribute, person)

    def _note(self, done: dict[str, Any], person: str | None) -> None:
        """Remember the ids and recorded instants that an answer shows."""
        record = done.get("memory")
        if record is None:
            return
        id = record["memory_id"]
        if id not in self.owners:
            self.owners[id] = person
            self.memories.append(id)
        if done["outcome"] == "pending_review":
            self.waiting.append(id)
        if record["recorded_from"] not in self.seen:
            self.seen.append(record["recorded_from"])

    def _on(self, memory: int, verb: str, **more: Any) -> None:
        id = self._memory(memory)
        if id is None:
            return
        self._do(verb, id, person=self.owners[id], **more)
        self._asked(id)

    def _memory(self, pick: int) -> str | None:
        return self.memories[pick % len(self.memories)] if self.memories else None

    def _value(self, attribute: str, pick: int) -> Any:
        values = _VALUES.get(attribute, _WORDS)
        return values[pick % len(values)]


def run_agreement(
    machine: type[AgreementMachine] = AgreementMachine,
    *,
    steps: int = SHORT_RUN,
    length: int = 50,
    shrink: bool = False,
) -> int:
    """Run a machine until at least so many commands were sent, and give how many were.

    A short run is the same each time;
    a long one begins anywhere. Each example has ``length`` rules. Shrinking a disagreement takes
    minutes; short examples find a small one quicker.
    """
    begun = machine.steps
    while (left := steps - (machine.steps - begun)) > 0:
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=max(4, left // length),
                stateful_step_count=length,
                deadline=None,
                derandomize=steps <= 1_000,
                database=None,
                print_blob=True,
                phases=(Phase.generate, *([Phase.shrink] if shrink else [])),
                suppress_health_check=_UNSUITED,
            ),
        )
    return machine.steps - begun
