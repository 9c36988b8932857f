"""Search, top to bottom: ask, understand, state, candidates, rank, cut, hand out.

Exact state answers exact questions and stands first; words and vectors support it. Whatever they
find is checked against the store in the same view before it leaves.
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from vigent.domain.alike import KEPT, alike
from vigent.domain.corpus import Corpus, Floats, Ints
from vigent.domain.cutoff import answerable, worth_handing_out
from vigent.domain.newest import newest_first
from vigent.domain.passages import MEMORY, scope_token
from vigent.domain.query import NOTHING_THEN, Hit, IndexState, Plan, SearchAnswer
from vigent.domain.rank import rank
from vigent.domain.recipes import RECIPES, Recipe
from vigent.domain.records import Record
from vigent.domain.text import check_name
from vigent.domain.timewords import read_time_words
from vigent.errors import InvalidInput
from vigent.joining import JoinedSnapshot
from vigent.ports.storage import Snapshot
from vigent.read.arranging import about_named, arranged, own_first, precise_rows, with_then
from vigent.read.found import Checker, Wanted
from vigent.read.handing import held, once, others, then_of, within
from vigent.read.index import IndexCache, Kept
from vigent.read.names import NameCache, Names
from vigent.read.past import history
from vigent.read.planning import FUZZY, Asked, beside_time, expanded, plan_of
from vigent.read.reading import At, Reading
from vigent.read.searching import Ranked, allowed, walk
from vigent.read.state import current, current_many
from vigent.standing import record_text

__all__ = ["Meaning", "Narrowed", "Searcher", "check_types"]


_POOL: Final = 100
"""From how many hits a recipe chooses that weighs more than relevance."""
_BESIDE: Final = 8
"""How many more a search for a person looks at, for their own values of what it hands out."""


class Meaning(Protocol):
    """What a search asks of vectors."""

    @property
    def cache(self) -> IndexCache:
        """The passages that are kept in memory."""
        ...

    def ask(self, question: str) -> tuple[Floats | None, str | None]:
        """Give a question as a vector, or why there is none."""
        ...

    def remembered(self, question: str) -> Floats | None:
        """Give the vector of a question that was asked of late; None for any other."""
        ...

    def model_of(self, snapshot: Snapshot) -> int:
        """Give the number of the model whose vectors are compared; 0 for none."""
        ...

    def hurry(self, snapshot: Snapshot, corpora: Sequence[Corpus]) -> int:
        """Give up to which passage a search had better wait for vectors; 0 for none."""
        ...

    def wait(self, last: int) -> bool:
        """Wait a little for the vectors up to a passage; gives whether they came."""
        ...

    def state_of(self, corpora: Sequence[Corpus], problem: str | None) -> IndexState:
        """Say how far the index is for what a search may see."""
        ...


class Narrowed(NamedTuple):
    """What else a search is narrowed to: some types, or all but some; a least confidence."""

    types: frozenset[str] | None = None
    without: frozenset[str] = frozenset()
    min_confidence: float | None = None


def check_types(types: object) -> frozenset[str] | None:
    """Check the types that a search is narrowed to; None and an empty list leave all."""
    if types is None:
        return None
    if isinstance(types, str) or not isinstance(types, list | tuple | set | frozenset):
        raise InvalidInput("types", "must be a list of names")
    names: Sequence[Any] = list(types)  # pyright: ignore[reportUnknownArgumentType]
    return frozenset(check_name(name, "types") for name in names) or None


class Searcher:
    """Searches one tenant and store."""

    def __init__(self, reading: Reading, meaning: Meaning) -> None:
        self.reading = reading
        self.meaning = meaning
        self.names = NameCache()

    def search(
        self, asked: Asked, person: str, narrowed: Narrowed, *, explain: bool
    ) -> SearchAnswer:
        """Answer a search; every field of ``asked`` has been checked."""
        if asked.attribute is not None:
            asked = replace(asked, attribute=self.reading.attribute(asked.attribute)[0])
        question = _Question(asked, person, narrowed, explain)
        # What state answers needs no vector, and a model may be far away: it is asked last.
        known = self.meaning.remembered(asked.query)
        with self._opened(question, vectors=known is not None) as search:
            answered, understood = search.from_state(), _Understood(search.plan, search.names)
            if answered is not None:
                return answered
            if known is not None and not self.meaning.hurry(search.view.plain, search.corpora):
                return search.answer(known, None)
        vector, problem = self.meaning.ask(asked.query)
        waited = vector is None
        while True:
            with self._opened(question, vectors=True, understood=understood) as search:
                last = 0 if waited else self.meaning.hurry(search.view.plain, search.corpora)
                if not last:
                    return search.answer(vector, problem)
            waited = True
            self.meaning.wait(last)

    @contextmanager
    def _opened(
        self, question: _Question, *, vectors: bool, understood: _Understood | None = None
    ) -> Generator[_Search]:
        """Open a view of the store with the passages that the reader may see."""
        with (
            self.reading.view(question.person, question.asked.known_at) as view,
            self.meaning.cache.scopes(
                view.plain, self.reading.tenant, self._scopes(view.plain, question.person),
                self.meaning.model_of(view.plain) if vectors else None,
            ) as kept,
        ):  # fmt: skip
            yield _Search(self, view, kept, question, understood)

    def _scopes(self, snapshot: Snapshot, person: str) -> list[str]:
        reading = self.reading
        salt = snapshot.ledger(reading.tenant).salt or b""
        persons = reading.scope(person).readable
        return [scope_token(salt, reading.tenant, reading.store, whose) for whose in persons]


class _Question(NamedTuple):
    """What is asked, and by whom."""

    asked: Asked
    person: str
    narrowed: Narrowed
    explain: bool


class _Understood(NamedTuple):
    """How a question was understood, and by which names."""

    plan: Plan
    names: Names


class _Search:
    """One search under way, within one view of the store."""

    def __init__(
        self,
        searcher: Searcher,
        view: JoinedSnapshot,
        kept: Sequence[Kept],
        question: _Question,
        understood: _Understood | None,
    ) -> None:
        self.searcher = searcher
        self.view = view
        self.asked, self.person, self.narrowed, self.explain = question
        self.corpora = [one.corpus for one in kept]
        if understood is None:
            self.names = searcher.names.of(searcher.reading, view, self.person, kept)
            self.plan = self._understood()
        else:
            self.plan, self.names = understood
        self.exact = self._state(self.plan) if self.plan.exact else []
        first = understood is None
        if first and self.plan.exact and not self.exact and self.asked.expand == "auto":
            self.plan = expanded(self.plan, "state has no answer")

    def _understood(self) -> Plan:
        now, asked = self.searcher.reading.clock.now(), self.asked
        found, refused = read_time_words(asked.query, now=now, timezone=asked.timezone)
        mentions = self.names.index.mentions(beside_time(asked.query, found))
        return plan_of(asked, now=now, mentions=mentions, time_words=found, refused=refused)

    def from_state(self) -> SearchAnswer | None:
        """Answer where state alone is to; None where words and vectors are asked too."""
        if set(self.plan.arms).intersection(FUZZY):
            return None
        self.corpora.clear()  # state alone was looked at, so nothing of the index need be told
        return self._answered(self.plan, [], None)

    def answer(self, vector: Floats | None, problem: str | None) -> SearchAnswer:
        """Answer from state, and from what words and the question's vector find."""
        plan, found = self.plan, list[Hit]()
        if set(plan.arms).intersection(FUZZY):
            # An empty scope changes no score and costs as many steps as a small one.
            corpora, names = [c for c in self.corpora if len(c)], self.names
            found = self._fuzzy(plan, names, corpora, vector)
            if not found and plan.time_words is not None and plan.as_of is not None:
                # Text that was told later may be of that time, and none knows: it is no state.
                found = self._fuzzy(plan, names, corpora, vector, undated=True)
                if found:
                    plan = replace(plan, notes=(*plan.notes, NOTHING_THEN))
        return self._answered(plan, found, problem)

    def _answered(self, plan: Plan, found: Sequence[Hit], problem: str | None) -> SearchAnswer:
        asked = self.asked
        hits = self.exact + others(found, self.exact)
        kept, tokens, dropped = within(hits, asked.limit, asked.budget_tokens)
        seen = [hit.record.known for hit in kept if hit.record is not None]
        known = max([self.searcher.reading.clock.now(), *seen])
        if plan.known_at is not None:
            known = min(known, plan.known_at)
        return SearchAnswer(
            tuple(kept), plan, self.searcher.meaning.state_of(self.corpora, problem), known,
            estimated_tokens=tokens, dropped_by_budget=dropped, explained=self.explain,
        )  # fmt: skip

    def _state(self, plan: Plan) -> list[Hit]:
        """Answer from state alone: the attributes asked for, of the one subject."""
        reading, at, hits = self.searcher.reading, At(plan.as_of, plan.known_at), list[Hit]()
        for attribute in plan.attributes:
            name, multi = reading.attribute(attribute)
            subject = plan.subjects[0]
            records: Sequence[Record]
            if plan.include == "history":
                every = history(reading, subject, name, self.person)
                records = [record for record in every if held(record, plan)]
            elif multi:
                records = current_many(reading, subject, name, self.person, at)
            else:
                one = current(reading, subject, name, self.person, at)
                records = one if isinstance(one, tuple) else [] if one is None else [one]
            hits += [self._exact(record, plan) for record in records if self._fits(record)]
        return once(hits)

    def _exact(self, record: Record, plan: Plan) -> Hit:
        when = record.answered_at if plan.as_of is None else plan.as_of
        stretch, known = record.stretch, plan.known_at
        believed = stretch.recorded_to is None or (
            known is not None and known < stretch.recorded_to
        )
        in_force = plan.include != "history" or (
            believed and stretch.valid_from <= when < stretch.valid_to
        )
        return Hit(record, None, 1.0, exact=True, in_force=in_force, excerpt=record_text(record))

    def _fits(self, record: Record) -> bool:
        types, without, least = self.narrowed
        if record.memory_type in without or (types is not None and record.memory_type not in types):
            return False
        if not record.reaches(least):
            return False
        made, (after, before) = record.made, (self.asked.after, self.asked.before)
        if (after is not None and made < after) or (before is not None and made >= before):
            return False
        return self.asked.metadata.matches(record.metadata)

    def _fuzzy(
        self,
        plan: Plan,
        names: Names,
        corpora: Sequence[Corpus],
        vector: Floats | None,
        *,
        undated: bool = False,
    ) -> list[Hit]:
        """Rank what the filters leave, and give the best that may be shown."""
        query = plan.query
        if RECIPES[plan.recipe].named_only:
            # The names behind it that it has with a slip: they are what it asks of.
            query = " ".join([query, *names.index.meant(query)])
        rankings, evidence = rank(corpora, query, vector)
        if self.asked.expand != "always" and not answerable(evidence):
            return []
        recipe, wanted = RECIPES[plan.recipe], self._wanted(plan)
        if undated:
            wanted = replace(wanted, at=At(None, plan.known_at), undated=True, point=plan.as_of)
        fits = self._fits_all(plan, recipe, wanted, names, corpora)
        rankings = [
            ranking._replace(score=np.where(fit, ranking.score, np.float32(0)))
            for ranking, fit in zip(rankings, fits, strict=True)
        ]
        rankings = newest_first(corpora, rankings, plan.query)
        if plan.time_words is not None:
            rankings = [
                with_then(corpus, plan, ranking, fit)
                for corpus, ranking, fit in zip(corpora, rankings, fits, strict=True)
            ]
        scores: list[Floats] = [ranking.score for ranking in rankings]
        if self.asked.expand != "always":
            own = [ranking.parts["words"] for ranking in rankings]
            scores = worth_handing_out(scores, own, evidence)
        if self.asked.limit > KEPT and corpora:
            scores = alike(corpora, scores)
        ranked = [
            Ranked(corpus, score, ranking.parts)
            for corpus, score, ranking in zip(corpora, scores, rankings, strict=True)
        ]
        checker = Checker(self.searcher.reading, self.view, wanted)
        hits = arranged(walk(ranked, checker, self._pool(recipe, ranked)), recipe, checker.now)
        if self.person:
            hits = own_first(hits, self._fact)
        return hits if self.asked.budget_tokens is not None else hits[: self.asked.limit]

    def _pool(self, recipe: Recipe, ranked: Sequence[Ranked]) -> int:
        """Say how many hits are looked at, of which the limit is handed out."""
        limit, beside = self.asked.limit, _BESIDE if self.person else 0
        # A recipe that weighs more, and a budget that skips, choose from more than is handed out.
        if recipe.relevance != 1.0 or self.asked.budget_tokens is not None:
            return max(_POOL, limit) + beside
        # Of talk alone there are no values of one's own.
        facts = any(((r.corpus.kinds == MEMORY) & (r.scores > 0)).any() for r in ranked)
        return limit + beside if facts else limit

    def _fact(self, record: Record) -> Hashable:
        """Give what fact a record is of; None for free text and one of several values."""
        attribute = record.key.attribute
        if not attribute or self.searcher.reading.attribute(attribute)[1]:
            return None
        return (self.view.names(record.key.subject)[0], attribute)

    def _fits_all(
        self,
        plan: Plan,
        recipe: Recipe,
        wanted: Wanted,
        names: Names,
        corpora: Sequence[Corpus],
    ) -> list[NDArray[np.bool_]]:
        """Tell which passages the filters, the names in the question and the recipe admit."""
        homes = self._homes(wanted)
        asked = [name for s in plan.subjects for name in (s, *names.subjects.get(s, ()))]
        fits = [
            allowed(corpus, wanted, episodes=plan.include == "episodes", homes=homes)
            for corpus in corpora
        ]
        if asked and wanted.subjects is None:
            fits = [f & about_named(c, asked) for f, c in zip(fits, corpora, strict=True)]
        if recipe.named_only:
            rows = precise_rows(corpora, plan, names.subjects)
            fits = [fit & there for fit, there in zip(fits, rows, strict=True)]
        return fits

    def _wanted(self, plan: Plan) -> Wanted:
        asked = self.asked
        return Wanted(
            At(plan.as_of, plan.known_at), self.narrowed.types, self.narrowed.without,
            None if asked.subject is None else frozenset(self.view.names(asked.subject)),
            None if asked.attribute is None else frozenset(plan.attributes),
            asked.metadata.matches if asked.metadata.conditions else None,
            asked.after, asked.before, history=plan.include == "history",
            min_confidence=self.narrowed.min_confidence,
            during=partial(held, plan=plan) if plan.include == "history" else None,
            point=then_of(plan, self.searcher.reading.clock.now()),
        )  # fmt: skip

    def _homes(self, wanted: Wanted) -> Ints | None:
        """Give the keys that a subject and an attribute leave; None for all."""
        if wanted.subjects is None and wanted.attributes is None:
            return None
        reading = self.searcher.reading
        found: list[int] = []
        for subject in wanted.subjects or (None,):
            for attribute in wanted.attributes or (None,):
                selection = reading.selection(self.person, subject, attribute)
                found += [key.no for key in self.view.plain.keys(selection)]
        return np.array(found, np.int64)
