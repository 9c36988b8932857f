"""Rules about the words: whether they assert something now, and for how long."""

from __future__ import annotations

import re
from typing import Final

from vigent.domain.gate import cues, voices
from vigent.domain.gate.case import WISHES, Case, Finding, finding
from vigent.domain.gate.passage import Passage, folded
from vigent.domain.gate.speaking import confirmed, last_question
from vigent.domain.gate.values import is_negative
from vigent.domain.text import fold, words

__all__ = ["assertion", "durability"]

_LABELS: Final = {
    "asked": "asked", "question": "asked", "supposed": "supposed", "hypothetical": "supposed",
    "wished": "supposed", "denied": "denied", "joked": "joked", "joke": "joked", "past": "past",
}  # fmt: skip
_THAT: Final = re.compile(r",\s+(?=(?:dass|что|чтобы)\b)", re.IGNORECASE)
_LASTING: Final = re.compile(
    r"\b(?:live|living|work|working|study|studying|wohne|lebe|arbeite|studiere|habite|vis"
    r"|travaille|étudie"
    r"|vivo|trabajo|estudio|moro|trabalho|estudo|based|employed)\b|住在|工作",
    re.IGNORECASE,
)
_LOOSELY: Final = re.compile(
    r"right now|at this moment|ahora mismo|de momento|en ce moment même|pour le moment|no momento"
    r"|agora mesmo"
    r"|for now|por ahora|por agora|por enquanto|pour l'instant|jetzt gerade|fürs erste|目前先",
    re.IGNORECASE,
)
_INVERTED: Final = re.compile(
    r"^\W*(?:(?:since|because|as|given that|da|weil|como|puisque|comme|parce que|porque|ya que"
    r"|já que)\b|因为|既然)",
    re.IGNORECASE,
)


def assertion(case: Case) -> list[Finding]:
    """Judge whether something is said to be so now, and not asked, supposed, in jest, or past."""
    found: list[Finding] = []
    label = _LABELS.get((case.nomination.assertion or "").lower())
    if label is not None and not (label in {"past", "denied"} and _may_be_over(case)):
        found.append(finding(label))
    passage = case.passage
    if passage is None or case.source == "never":
        return found
    if case.source in {"assistant", "tool", "document", "application"}:
        return found
    if confirmed(case) or case.of_task:
        return found
    if _is_asked(case, passage):
        found.append(finding("asked"))
    if _is_supposed(case, passage):
        found.append(finding("supposed"))
    if voices.JEST.search(passage.said) or _is_laughed_off(case, passage):
        found.append(finding("joked"))
    before = f"{passage.lead}{passage.quote}"
    dictated = passage.lead if case.nomination.type == "behaviour" else before
    story = voices.FICTION.search(before) or voices.DICTATED.search(dictated)
    if story or _is_story(passage):
        found.append(finding("supposed"))
    if not _may_be_over(case) and _is_past(case, passage):
        found.append(finding("past"))
    elif case.nomination.type == "preference" and cues.LIKED.search(passage.clause):
        # What was liked may be liked still: a person decides.
        found.append(finding("past", outcome="pending_review"))
    if _is_disowned(passage) or (case.before and _is_denial(case)):
        found.append(finding("denied"))
    return found


def _is_laughed_off(case: Case, passage: Passage) -> bool:
    """Whether a liking is turned round, or a question of one's own is answered with laughter."""
    if case.nomination.type == "preference" and voices.IRONY in passage.sentence:
        return True
    before = passage.text[: passage.start - len(passage.lead)].rstrip()
    asked = before.endswith(("?", "\uff1f"))
    return asked and voices.LAUGHTER.search(passage.sentence) is not None


def _is_disowned(passage: Passage) -> bool:
    """Whether the words are said not to be so, or never to have been said, before or after."""
    before = _last_clause(_THAT.sub(" ", passage.lead))
    if before.strip() and voices.DISOWNED.search(before):
        return True
    after = passage.text[passage.stop :]
    return any(voices.UNSAID.search(one) for one in (passage.rest, after[:40]))


def _may_be_over(case: Case) -> bool:
    """Whether a nomination says itself that something has an end."""
    said = case.nomination
    return said.retracts or said.valid_to is not None or said.mode == "correction"


def _is_asked(case: Case, passage: Passage) -> bool:
    sentence = passage.sentence
    if cues.OPINION.search(sentence):
        return True
    if not cues.QUESTION.search(sentence) and not _is_open(passage):
        return False
    if cues.TAG.search(sentence) or cues.MEMO.search(sentence):
        return False
    wish = case.nomination.type in WISHES
    if cues.REQUEST.search(sentence) and wish:
        return False
    if not cues.QUESTION.search(passage.clause) and not cues.QUESTION.search(passage.quote):
        return cues.ASKING.search(passage.clause) is not None and not _INVERTED.search(
            passage.clause
        )
    if wish and cues.REQUEST.search(passage.clause):
        return False
    # A statement that ends in a question of its own: “I'm vegan, so what can I eat?”
    first = passage.clause.split("?")[0]
    return not (_INVERTED.search(first) and "," in first)


def _is_open(passage: Passage) -> bool:
    """Whether a question goes around the quote in the Spanish way, or lacks its mark."""
    before = passage.sentence[: passage.sentence.find(passage.quote)]
    return before.rfind("¿") > before.rfind("?")


def _is_supposed(case: Case, passage: Passage) -> bool:
    wish = case.nomination.type in WISHES
    lead_in = _until_quote(passage)
    before = cues.CONDITION.search(lead_in) or cues.CONDITION.search(_head(passage))
    if cues.SUPPOSE.search(lead_in) or cues.SUPPOSE.search(_head(passage)):
        return True
    irreal = cues.IRREAL.search(passage.sentence)
    if before and (irreal or not wish):
        return True
    if before and wish and not _reaches_past(passage):
        return True
    if irreal and not wish:
        return True
    hedge = cues.HEDGE.search(passage.clause) or cues.HEDGE.search(_last_clause(lead_in))
    # “Perhaps, I like tea”: the word alone, before its comma.
    alone = _last_clause(lead_in.rstrip(" ,\uff0c\u060c")).strip()
    return hedge is not None or cues.HEDGE.fullmatch(alone) is not None


def _until_quote(passage: Passage) -> str:
    """Give what of the sentence stands before the quote, with a sign for where the quote begins."""
    return passage.lead + ("" if not passage.lead or passage.lead[-1:].isspace() else " ")


def _head(passage: Passage) -> str:
    """Give the beginning of a quote, where a condition that it opens with would stand."""
    return " ".join(passage.quote.split()[:3]) + " "


def _reaches_past(passage: Passage) -> bool:
    """Whether a quote goes on after the clause with which its sentence begins."""
    return (
        bool(
            re.search(
                r"[,，、]|\bthen\b|\bdann\b|\balors\b|\bentonces\b|\bentão\b|就", passage.quote
            )
        )
        or bool(passage.lead.strip() and re.search(r"[,，]\s*$", passage.lead))
        or not cues.CONDITION.search(passage.lead or passage.quote.split()[0])
    )


def _last_clause(lead: str) -> str:
    return re.split(r"[,;:，；：]|\bbut\b|\baber\b|\bpero\b|\bmais\b|\bmas\b", lead)[-1]


def _is_story(passage: Passage) -> bool:
    """Whether the message begins by saying that a story or a game follows."""
    return voices.FICTION.search(passage.text[: passage.start]) is not None


def _is_past(case: Case, passage: Passage) -> bool:
    clause = f"{_last_clause(passage.lead)}{passage.clause}"
    if cues.PAST.search(clause) and not _is_of_origin(case):
        return True
    said = case.nomination
    if isinstance(said.value, bool):
        return False
    shown = said.text if said.text is not None else str(said.value)
    if is_negative(shown) or cues.GONE.search(shown):
        return False
    gone = cues.GONE.search(passage.clause)
    if gone is None:
        return False
    # “I no longer take the tram, I cycle in”: what follows holds.
    rest = re.split(r"[,;，；]", passage.clause[gone.start() :], maxsplit=1)
    after = rest[1] if len(rest) > 1 else ""
    return not any(
        fold(w) in fold(after) or _stem(w) in fold(after) for w in words(shown) if len(w) > 2
    )


def _stem(word: str) -> str:
    plain = fold(word)
    return plain[len(plain) - 4 :] if len(plain) > 6 else plain[:4]


_ORIGIN: Final = re.compile(
    r"birth|born|origin|hometown|grew|education|school|alma|degree|previous|former|past|childhood"
    r"|history|ex_"
    r"|geburt|herkunft|naissance|origine|nacimiento|origen|nascimento|origem|出生|家乡|籍贯",
    re.IGNORECASE,
)


def _is_of_origin(case: Case) -> bool:
    said = case.nomination
    about = f"{said.attribute or ''} {said.text or ''}"
    return _ORIGIN.search(about) is not None or cues.PAST.search(about) is not None


def _is_denial(case: Case) -> bool:
    """Whether a person's no answers the question that the value stands in."""
    said = case.nomination
    if (
        said.retracts
        or isinstance(said.value, bool)
        or cues.NO.search(folded(case.item.text)) is None
    ):
        return False
    question = last_question(case.before)
    shown = said.text if said.text is not None else said.value
    passage = case.passage
    in_answer = passage is not None and any(
        w in set(words(passage.quote)) for w in words(str(shown))
    )
    return bool(question) and not in_answer and _names(shown, question)


def _names(value: object, said: str) -> bool:
    there = set(words(said))
    return any(w in there for w in words(str(value)) if len(w) > 2)


# ------------------------------------------------------------------------------ durability


def durability(case: Case) -> list[Finding]:
    """Judge whether what is said outlasts the session; an end that is stated makes it do so."""
    said, passage = case.nomination, case.passage
    if said.durable is False:
        return [finding("session_only")]
    if passage is None or said.retracts or said.valid_to is not None or case.of_task:
        return []
    beside = f"\n{case.after}" if case.source == "assistant" else ""
    match = cues.SESSION.search(passage.sentence + beside)
    if match is None and said.type in WISHES:
        match = cues.MOMENT.search(passage.clause)
    if match is None:
        return []
    if said.type == "fact" and _LOOSELY.search(match.group()) and _LASTING.search(passage.sentence):
        return []
    return [finding("session_only", match.group())]
