"""Rules about who speaks: whether they may say this, and of whom the words are."""

from __future__ import annotations

import re
from typing import Final

from vigent.domain.gate import cues, voices
from vigent.domain.gate.case import WISHES, Case, Finding, finding
from vigent.domain.gate.passage import Passage, folded, sentences
from vigent.domain.gate.subjects import (
    is_relational,
    is_third,
    names_subject,
    of_another,
    speaks_as_self,
    speaks_of_others,
    third_party,
    third_subject,
)
from vigent.domain.text import words

__all__ = ["answered", "confirmed", "last_question", "speaker", "subject"]

# A reason that is given beside a question is no part of what a yes answers.
_REASON: Final = re.compile(
    r"(?:^|[,;]\s*)(?:since|because|as|given that|knowing|seeing that|da|weil|puisque|comme"
    r"|vu que|como|porque|ya que|já que|visto que"
    r"|poiché|siccome|omdat|aangezien)\b|既然|因为|から",
    re.IGNORECASE,
)
_THOUGH: Final = re.compile(
    r"\b(?:but|not really|no longer|aber|pero|mais|mas|ma|maar|sauf|except)\b|但是?|不过",
    re.IGNORECASE,
)


def confirmed(case: Case) -> bool:
    """Whether what the assistant asked is what the person said yes to.

    Either the item is that question and the answer is a yes, or the item is the yes and the
    question came just before it. “Ok” and “thanks” are no yes.
    """
    passage = case.passage
    if passage is None:
        return False
    if case.source == "assistant":
        asked = cues.QUESTION.search(passage.sentence) and not _REASON.search(passage.clause)
        return bool(asked) and _says_yes(case.after)
    return case.own and bool(answered(case))


def answered(case: Case) -> str:
    """Give the question of the assistant's that a person's message answers with yes; or nothing."""
    if not case.before or not _says_yes(case.item.text):
        return ""
    return last_question(case.before)


def _says_yes(text: str) -> bool:
    """Whether a message says yes, and takes nothing of it back."""
    plain = folded(text)
    return cues.YES.search(plain) is not None and _THOUGH.search(plain) is None


def last_question(text: str) -> str:
    """Give the last question that stands in a text; empty where there is none."""
    plain = folded(text)
    asked = [plain[a:b] for a, b in sentences(plain) if cues.QUESTION.search(plain[a:b])]
    return asked[-1] if asked else ""


def speaker(case: Case) -> list[Finding]:
    """Judge whether whoever speaks may say this of this subject."""
    if case.own and _is_another(case):
        return [finding("other_person", case.item.speaker or case.item.person)]
    if case.source == "assistant":
        return _of_assistant(case)
    if case.own:
        return _of_person(case)
    if case.nomination.type in WISHES:
        return [finding("not_own_wish")]
    return [] if case.source == "application" else _of_source(case)


def _is_another(case: Case) -> bool:
    """Whether a message is another person's than whose memory it would be."""
    if case.item.person and case.person and case.item.person != case.person:
        return True
    return (case.item.speaker or "").casefold() in case.others and case.of_self


def _of_source(case: Case) -> list[Finding]:
    """What a tool or a document says: facts of others, and nothing of the person."""
    if case.of_self or case.nomination.retracts:
        return [finding("untrusted_source")]
    rule = case.policy.documents if case.source == "document" else "accept"
    if rule == "accept":
        return []
    return [finding("untrusted_source", outcome="rejected" if rule == "reject" else None)]


def _of_assistant(case: Case) -> list[Finding]:
    if confirmed(case):
        return []
    if case.passage is not None and cues.NO.search(folded(case.after)):
        return [finding("denied")]
    return [finding("assistant_word")]


def _of_person(case: Case) -> list[Finding]:
    passage = case.passage
    if passage is None or case.of_task:
        return []
    found: list[Finding] = []
    if not passage.own:
        found.append(finding("quoted_text"))
    scope = f"{passage.lead}{passage.quote}"
    if voices.REPORT.search(scope) or _reported_after(passage):
        told = not case.of_self and case.nomination.type not in WISHES
        if not (told and passage.own and names_subject(case.subject, passage.sentence)):
            found.append(finding("reported"))
    return found


_SAID_AFTER: Final = re.compile(
    r"^\W*(?:,\s*)?(?:he|she|they|my \w+|the \w+|(?-i:[A-Z]\w+))\s+(?:said|says|told me|claims"
    r"|thinks|wrote)\b"
    r"|^\W*,?\s*(?:said|says|sagt\w*|meint\w*|dit|dijo|dice|disse|diz)\s",
    re.IGNORECASE,
)


def _reported_after(passage: Passage) -> bool:
    return _SAID_AFTER.search(passage.rest) is not None


# --------------------------------------------------------------------------------- subject


def subject(case: Case) -> list[Finding]:
    """Judge whether the words are of the subject that is nominated."""
    if case.namesakes:
        return [finding("subject_ambiguous", ", ".join(case.namesakes))]
    passage = case.passage
    if passage is None or not case.own or not passage.own or case.of_task:
        return []
    # Where nobody is known to speak, words that do not name their subject are taken as its own.
    named = names_subject(case.nomination.subject or "", passage.sentence)
    if not case.of_self and (case.person or named):
        return _of_other(case, passage)
    said = case.nomination
    value = said.text if said.text is not None else str(said.value or "")
    kin = third_party(passage)
    if _about_relation(case, value, kin):
        return []
    if said.type == "behaviour":
        return [finding("subject_unclear")] if is_third(passage) else []
    is_value = kin is not None and kin[:1].isupper() and kin.lower() in value.lower()
    if kin is not None and not is_value and not _names_value(kin, passage, value):
        return [finding("wrong_subject", kin)]
    third = third_subject(passage, case.selves, value)
    if third is None or (said.text is not None and names_subject(third, said.text)):
        return []
    return [finding("subject_unclear", third)]


def _about_relation(case: Case, value: str, kin: str | None) -> bool:
    """Whether what is nominated is of a relation: then two may stand in the words.

    A value that is of one (“a dog”) is so only where it is the one that the words are of.
    """
    said = case.nomination
    if said.type == "preference" and said.attribute and "contact" in said.attribute:
        return False  # a way to be reached, and nobody's contact
    names = [said.attribute or "", said.text or ""]
    of_value = said.text is None and (kin is None or kin.lower() in value.lower())
    return is_relational(names) or (of_value and is_relational([value]))


def _names_value(kin: str, passage: Passage, value: str) -> bool:
    """Whether the value is just what the relative is called: “my brother Teo”."""
    match = re.search(
        rf"{re.escape(kin)}\W+(?:(?:is )?(?:called|named) |heißt |s'appelle |se llama "
        rf"|se chama )?{re.escape(value)}",
        passage.clause,
    )
    return match is not None and value[:1].isupper() and len(words(value)) <= 2


def _of_other(case: Case, passage: Passage) -> list[Finding]:
    """What a person says of another: not what they say they are themselves."""
    known = case.subject in case.others
    named = names_subject(case.nomination.subject or "", passage.sentence)
    if case.nomination.type == "behaviour" and not named:
        return [finding("not_own_wish")] if known else []
    about_self = of_another(passage.clause) and third_party(passage) is None
    if not named and about_self:
        return [finding("wrong_subject", case.nomination.subject)]
    liking = case.nomination.type == "preference" and not speaks_of_others(passage.sentence)
    if liking and not named and third_party(passage) is None and speaks_as_self(passage.clause):
        return [finding("wrong_subject", case.nomination.subject)]
    if known and not named and speaks_as_self(passage.clause):
        return [finding("wrong_subject", case.nomination.subject)]
    return []
