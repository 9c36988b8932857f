"""The rules of the gate in their order, and the verdict they come to.

Each rule looks at a case alone and gives what it found. All are asked, but for those that need
the quote where it does not stand; the gravest outcome decides. The same case has the same verdict.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from vigent.domain.attributes import trust_rank
from vigent.domain.daywords import day_of
from vigent.domain.gate import cues, saying, speaking
from vigent.domain.gate.case import WISHES, Case, Finding, Verdict, finding, gravest
from vigent.domain.gate.codes import Outcome
from vigent.domain.gate.dates import Dates, check_dates
from vigent.domain.gate.instructions import (
    addresses_models,
    closes_frame,
    has_unseen,
    instructs,
    overrides,
)
from vigent.domain.gate.passage import Passage
from vigent.domain.gate.personal import Kind, personal_kinds
from vigent.domain.gate.policy import Rule as PolicyRule
from vigent.domain.gate.sources import trust_of
from vigent.domain.gate.topics import bears_on
from vigent.domain.gate.values import (
    agrees,
    borne_out,
    is_negative,
    nearest_clause,
    negated,
    said_values,
    stands_whole,
)
from vigent.domain.support import denies_past
from vigent.domain.time import named_zone

__all__ = ["RULES", "judge"]

_SHARE: Final = {"preference": 0.5, "behaviour": 0.5}
_FLAGS: Final = frozenset({"true", "false", "yes", "no", "dontcare", "any", "none"})
"""Values of the state of a task that stand for how something was asked for."""
_BETWEEN: Final = re.compile(
    r"[,;，；:：]\s*|[.!?]\s+|[。！？]|\b(?:but|and|so|because|aber|deshalb|donc|así que"
    r"|então|sondern|und|pero|sino|y"
    r"|mais|et|mas|e|ma|maar|en)\b"
)
_OF_POLICY: Final[dict[PolicyRule, Outcome]] = {
    "accept": "accepted", "review": "pending_review", "reject": "rejected",
}  # fmt: skip


def _evidence(case: Case) -> list[Finding]:
    if case.source == "never":
        return [finding("never_evidence")]
    if case.item.sealed:
        return [finding("sealed")]
    return [finding("evidence_missing")] if case.passage is None else []


def _instructions(case: Case) -> list[Finding]:
    found: list[Finding] = []
    passage = case.passage
    if case.item.flagged or has_unseen(case.item.text):
        found.append(finding("hidden_characters"))
    if passage is None:
        return found
    said = case.nomination
    proposed = f"{passage.quote}\n{said.text or said.value or ''}"
    if case.own:
        if closes_frame(passage.text) or overrides(proposed) or addresses_models(passage.text):
            found.append(finding("instruction_markup"))
    elif not speaking.confirmed(case) and (
        instructs(passage.sentence) or instructs(proposed) or overrides(passage.text)
    ):
        found.append(finding("instruction_untrusted"))
    return found


def words_of(case: Case) -> str:
    """Give the words that a value and its dates may stand in."""
    passage = case.passage
    if passage is None:
        return ""
    said = [passage.sentence]
    if case.source == "assistant" and speaking.confirmed(case):
        said.append(case.after)
    elif case.own and (asked := speaking.answered(case)):
        said.append(asked)
    if case.of_task:
        said.append(f"{case.earlier}\n{passage.text}")
    extra = case.nomination.time_words
    if extra and extra in passage.text:
        said.append(extra)
    return "\n".join(said)


def _dates(case: Case) -> Dates:
    said = case.nomination
    return check_dates(
        valid_from=said.valid_from, valid_to=said.valid_to, due=said.due, value=said.value,
        words=words_of(case), at=case.item.at, timezone=case.timezone,
    )  # fmt: skip


def _time(case: Case) -> list[Finding]:
    dates = _dates(case)
    if dates.invalid is not None:
        return [finding("date_invalid", dates.invalid)]
    return [] if dates.unsupported is None else [finding("date_unsupported", dates.unsupported)]


def _value(case: Case) -> list[Finding]:
    said, passage = case.nomination, case.passage
    if passage is None:
        return []
    words = words_of(case)
    if said.retracts and case.of_task:
        return []
    if said.retracts:
        ended = cues.ENDED.search(words) or is_negative(words) or denies_past(words)
        return [] if ended and bears_on(case, words) else [finding("retraction_unsupported")]
    shown = said.text if said.text is not None else said.value
    today = day_of(case.item.at, named_zone(case.timezone))
    names = [case.nomination.subject or "", *case.selves]
    least = _SHARE.get(said.type, 0.34)
    closed = case.definition is not None and case.definition.kind == "enum"
    if case.of_task and (closed or str(shown).lower() in _FLAGS):
        return []
    found: list[Finding] = []
    if not borne_out(
        shown, words, today=today, least=least, names=names, definition=case.definition
    ):
        found.append(finding("value_unsupported"))
    if speaking.confirmed(case) or case.of_task:
        return found
    if said.text is not None:
        nearest = nearest_clause(said.text, passage.sentence)
        agreed = agrees(said.text, passage.quote) or agrees(said.text, nearest)
        return found if agreed else [*found, finding("negated")]
    attribute = said.attribute or ""
    if any(negated(v, attribute, _nearest(v, passage, today)) for v in said_values(said.value)):
        found.append(finding("negated" if isinstance(said.value, bool) else "denied"))
    return found


def _nearest(value: object, passage: Passage, today: dt.date) -> str:
    """Give the clause of the quote that a value stands in; all of it where none is nearest."""
    if isinstance(value, bool):
        return passage.clause
    clauses = re.split(_BETWEEN, passage.clause)
    bearing = [c for c in clauses if c.strip() and borne_out(value, c, today=today, least=0.5)]
    whole = [c for c in bearing if stands_whole(str(value), c)]
    return (whole or bearing or [passage.clause])[-1]


def _personal(case: Case) -> list[Finding]:
    said = case.nomination
    passage = case.passage
    attribute = said.attribute or ""
    text = "\n".join(
        str(v) for v in said_values(said.value) if v is not None and not isinstance(v, bool)
    )
    kinds = personal_kinds("\n".join(filter(None, (text, said.text))), attribute)
    if passage is not None and not said.retracts:
        # A value that is a secret may show only by what stands before it.
        around = personal_kinds(passage.sentence, contacts=False)
        kinds |= {k: v for k, v in around.items() if _carries(case, passage.sentence, v)}
    found: list[Finding] = []
    for kind in kinds:
        outcome = _class_outcome(case, kind)
        if outcome != "accepted":
            found.append(finding(kind, outcome=outcome))
    return found


def _carries(case: Case, sentence: str, spans: list[tuple[int, int]]) -> bool:
    """Whether a nomination, with its quote, has any of what was found in the sentence."""
    said = case.nomination
    kept = f"{said.quote or ''} {said.value or ''} {said.text or ''}"
    return any(sentence[a:b] in kept for a, b in spans)


def _class_outcome(case: Case, kind: Kind) -> Outcome:
    rules: dict[Kind, PolicyRule] = {
        "secret": case.policy.secrets,
        "account_number": case.policy.accounts,
        "identity_number": case.policy.identities,
        "contact_data": case.policy.contacts,
    }
    rule = rules[kind]
    sensitive = case.definition is not None and case.definition.sensitivity == "sensitive"
    if rule == "reject" and sensitive:
        rule = "review"
    return _OF_POLICY[rule]


def _sensitivity(case: Case) -> list[Finding]:
    definition, passage = case.definition, case.passage
    if definition is None or definition.sensitivity == "normal" or case.nomination.retracts:
        return []
    if definition.sensitivity == "personal":
        return [] if case.own else [finding("needs_confirmation")]
    asked = passage is not None and case.own and cues.MEMO.search(passage.sentence)
    return [] if asked or speaking.confirmed(case) else [finding("needs_confirmation")]


def known_confidence(given: Any) -> float | None:
    """Give a confidence that is a number from 0 to 1; None for any other, and for none."""
    if isinstance(given, bool) or not isinstance(given, int | float | Decimal):
        return None
    number = float(given) if not isinstance(given, Decimal) or given.is_finite() else math.nan
    return number if 0.0 <= number <= 1.0 else None


def _confidence(case: Case) -> list[Finding]:
    given = case.nomination.confidence
    sure = known_confidence(given)
    if given is not None and sure is None:
        return [finding("confidence_unknown")]
    least = case.policy.min_confidence
    if least and (sure if sure is not None else 1.0 if case.own else 0.0) < least:
        return [finding("confidence_low")]
    return []


def _trust(case: Case) -> list[Finding]:
    if case.nomination.type in WISHES or case.own:
        return []
    mine = trust_rank(trust_of(case.source))
    below = any(not one.same and one.rank > mine for one in case.standing)
    return [finding("trust_below_standing")] if below else []


def _recurrence(case: Case) -> list[Finding]:
    definition, passage = case.definition, case.passage
    if definition is None or definition.recurrence <= 1 or case.nomination.retracts:
        return []
    asked = passage is not None and case.own and cues.MEMO.search(passage.sentence)
    if asked or speaking.confirmed(case) or case.recurred >= definition.recurrence:
        return []
    return [finding("recurrence", f"{case.recurred} of {definition.recurrence}")]


Rule = Callable[[Case], list[Finding]]
RULES: Final[tuple[tuple[str, Rule], ...]] = (
    ("evidence", _evidence),
    ("speaker", speaking.speaker),
    ("subject", speaking.subject),
    ("instructions", _instructions),
    ("assertion", saying.assertion),
    ("time", _time),
    ("value", _value),
    ("durability", saying.durability),
    ("personal data", _personal),
    ("sensitivity", _sensitivity),
    ("confidence", _confidence),
    ("trust", _trust),
    ("recurrence", _recurrence),
)
"""The rules in the order in which they are asked."""


def judge(case: Case) -> Verdict:
    """Give the verdict on a case."""
    first = _evidence(case)
    if first:
        # Nothing else can be said of words that are not there; what is secret still is.
        found = [*first, *_personal(case)]
    else:
        found = [one for _, rule in RULES for one in rule(case)]
    dates, words = _dates(case), words_of(case)
    mode = case.nomination.mode
    if mode == "correction" and not denies_past(words):
        mode = "change"
    trust = "person" if speaking.confirmed(case) else trust_of(case.source)
    if case.own and any(f.code in {"quoted_text", "reported"} for f in found):
        trust = "document"
    return Verdict(
        gravest(found),
        tuple(dict.fromkeys(found)),
        trust,
        mode,
        dates.valid_from,
        dates.valid_to,
        words,
    )
