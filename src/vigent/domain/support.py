"""Whether what a model says of a person rests on the person's own words.

A model proposes; the words of the turn decide what that is worth. The rules read words alone and
are strict: a claim is borne out only where every word that bears meaning was said, in a sentence
of the same sense (yes or no), by the person and of the person. What is doubtful is the model's.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal, NamedTuple, cast

from vigent.domain.daywords import days_named
from vigent.domain.sections import without_injected
from vigent.domain.terms import index_terms, query_terms

__all__ = ["Claim", "Support", "Turn", "confirms", "denies_past", "own_words", "support_of"]

_SENTENCE: Final = re.compile(
    r"(?<=[.!?。\uff01\uff1f;])\s+|(?<=[。\uff01\uff1f])|\n+|,?\s+\bbut\b\s+|,\s+however\b"
)
_FENCE: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_CITED: Final = re.compile(r"^\s*>.*$", re.MULTILINE)
_NEGATION: Final = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|cannot|without|stopped|nicht|kein\w*|nie"
    r"|pas|jamais|nunca|niet|geen)\b|n['\u2019]t\b|[不没]",
    re.IGNORECASE,
)
_OPENING_NO: Final = re.compile(r"^\s*(?:no|nope|nein|non)\b\s*[,.!;:\u2013-]\s*", re.IGNORECASE)
_MEMO: Final = re.compile(r"\b(?:remember|note|save|store|keep in mind)\b", re.IGNORECASE)
_DENIED: Final = re.compile(
    r"\b(?:(?:was|were|is|has|have|had|did)(?: not|n['\u2019]t)? never"
    r"|never (?:was|were|did|has|have|had|lived|worked|said|owned)"
    r"|(?:was|were)(?: not|n['\u2019]t) ever|misspoke|mis-spoke|misremembered"
    r"|(?:was|were|is) (?:a )?(?:wrong|mistaken|mistake|typo)|(?:i|we) (?:was|were|got it) wrong"
    r"|my mistake|by mistake"
    r"|(?:nie|niemals) (?:war|gewesen|gewohnt|gearbeitet|gesagt)|(?:war|hatte|habe"
    r"|bin) (?:\w+ )?(?:nie|niemals)"
    r"|versprochen|(?:habe|hab) mich (?:vertan|geirrt|verschrieben|getäuscht)"
    r"|war (?:ein )?(?:falsch|irrtum|fehler)"
    r"|me suis trompée?|n['\u2019](?:a|ai|est|était|avait|avais) jamais|jamais été"
    r"|c['\u2019]était une erreur|je me trompais"
    r"|me equivoqué|nunca (?:fue|fui|era|estuve|estuvo|he|ha|viv[ií]|trabajé|tuve|dije)"
    r"|fue un error|me confundí"
    r"|me enganei|enganei-me|nunca (?:foi|fui|era|estive|morei|trabalhei|tive|disse)|foi um erro"
    r"|foi engano"
    r"|non (?:è|era|sono|ho) mai|mi sono sbagliat[oa]|is nooit|was nooit|heb me vergist)\b"
    r"|从来(?:不|没|就不)|从未|我?(?:说|记|搞|弄)错了|間違え(?:た|ました)",
    re.IGNORECASE,
)
_YES: Final = frozenset(
    """yes yep yeah yup sure ok okay please correct right exactly absolutely definitely certainly
    remember save store note keep do confirm confirmed agreed ja genau bitte oui si sí claro
    gerne doe graag""".split()  # noqa: SIM905
)
_BESIDE: Final = frozenset(
    """that this it the so is s thanks thank you go ahead for me to in mind of course all good fine
    great perfect would be nice i d like your memory and also down can could will ll want let them
    these those das dies es merk merke dir cela ça eso esto onthoud dat""".split()  # noqa: SIM905
)
_LONGEST_YES: Final = 14
_NUMERAL: Final = re.compile(
    r"(?<![\w.])-?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|-?[0-9]+(?:\.[0-9]+)?"
)
_KIN: Final = frozenset(
    t
    for word in """wife husband partner spouse son daughter child kid mother father mom mum dad
    brother sister friend girlfriend boyfriend boss colleague neighbour neighbor grandmother
    grandfather uncle aunt cousin roommate""".split()  # noqa: SIM905
    for t in index_terms(word)
)


def _stems(words: str) -> frozenset[str]:
    return frozenset(t for word in words.split() for t in index_terms(word))


_LIKES: Final = _stems(
    "like likes love enjoy prefer preference favour favourite favorite fond want"
)
_DISLIKES: Final = _stems("dislike hate detest avoid loathe")
_LIKE: Final = index_terms("prefer")[0]
_EMPTY: Final = _stems(
    "user users person customer client assistant always please also really very now currently"
)
_COUNTED: Final = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBERS: Final = {word: str(no) for no, word in enumerate(_COUNTED.split())}


class Turn(NamedTuple):
    """The words a claim may rest on: what the person said last, and what came just before it.

    ``proposed`` is what the assistant said between the person's last two messages, ``earlier`` the
    person's message before.
    """

    said: str
    proposed: str = ""
    earlier: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """What is claimed: a text, or a value of an attribute; ``names`` are names of whom it is of."""

    text: str | None = None
    attribute: str | None = None
    value: Any = None
    names: tuple[str, ...] = ()


class Support(NamedTuple):
    """What a claim is worth, the words to be kept as its quote, and those its dates stand in."""

    trust: Literal["person", "assistant"]
    quote: str | None
    words: str


def own_words(said: str) -> str:
    """Give what a person says themselves: not what was injected, cited or pasted as code."""
    return _CITED.sub("", _FENCE.sub("\n", without_injected(said)))


def denies_past(words: str) -> bool:
    """Whether words say that something never was so, and not only that it is so no longer."""
    return _DENIED.search(words) is not None


def confirms(said: str) -> bool:
    """Whether a message says yes to what was proposed, and nothing else."""
    words = re.findall(r"\w+", own_words(said).lower())
    if not 0 < len(words) <= _LONGEST_YES:
        return False
    return all(w in _YES or w in _BESIDE for w in words) and any(w in _YES for w in words)


def support_of(claim: Claim, turn: Turn | None, quote: str | None, today: dt.date) -> Support:
    """Say what a claim is worth by the words of its turn, on the day they were said.

    A quote that does not stand in the person's message is no quote. A message that only says yes
    counts for what the assistant proposed just before it, or the person had said before that.
    """
    if turn is None:
        return Support("assistant", None, "")
    mine = own_words(turn.said)
    stands = quote is not None and " ".join(quote.split()) in " ".join(mine.split())
    kept = quote if stands else None
    if kept is not None and _bears(claim, kept, today):
        return Support("person", kept, kept)
    if quote is None and _bears(claim, mine, today):
        return Support("person", None, mine)
    if confirms(turn.said):
        earlier = own_words(turn.earlier)
        for words, asked in ((turn.proposed, True), (earlier, False)):
            if _bears(claim, words, today, asked=asked):
                return Support("person", mine.strip(), f"{words}\n{mine}")
    return Support("assistant", kept, kept or mine)


# ------------------------------------------------------------------------------- comparing


class _Clause(NamedTuple):
    terms: frozenset[str]
    negated: bool
    numbers: frozenset[Decimal]


def _bears(claim: Claim, words: str, today: dt.date, *, asked: bool = False) -> bool:
    """Whether some words bear a claim out; questions count where they were ``asked`` for a yes."""
    clauses = [
        _clause(part)
        for part in _SENTENCE.split(words)
        if part.strip()
        and (asked or not part.rstrip().endswith(("?", "\uff1f")) or _MEMO.search(part))
    ]
    if not clauses:
        return False
    named = {day for one in days_named(words, today) for day in one.days}
    ignored = _EMPTY | {t for name in claim.names for t in index_terms(name)}
    if claim.text is not None:
        parts = [part for part in _SENTENCE.split(claim.text) if part.strip()]
        return bool(parts) and all(_said(part, clauses, named, ignored, today) for part in parts)
    return _holds(claim.value, claim.attribute or "", clauses, named, ignored, today)


def _clause(part: str) -> _Clause:
    part = _OPENING_NO.sub("", part)
    terms = index_terms(part)
    negated = len(_NEGATION.findall(part)) + sum(t in _DISLIKES for t in terms)
    found = {_LIKE if t in _LIKES or t in _DISLIKES else _NUMBERS.get(t, t) for t in terms}
    numbers = {Decimal(n.replace(",", "")) for n in _NUMERAL.findall(part)}
    numbers |= {Decimal(t) for t in found if t in _NUMBERS.values()}
    return _Clause(frozenset(found), bool(negated % 2), frozenset(numbers))


def _said(
    part: str,
    clauses: Iterable[_Clause],
    named: Collection[dt.date],
    ignored: Collection[str],
    today: dt.date,
) -> bool:
    """Whether a sentence of a claim was said: each day of it, and each word."""
    rest = part
    for one in reversed(days_named(part, today)):
        if not one.days & set(named):
            return False
        rest = f"{rest[: one.start]} {rest[one.stop :]}"
    claimed = _clause(part)
    wanted = {
        _LIKE if t in _LIKES or t in _DISLIKES else _NUMBERS.get(t, t) for t in query_terms(rest)
    } - set(ignored)
    if not wanted:
        return rest != part and any(c.negated == claimed.negated for c in clauses)
    kin = _KIN - claimed.terms - set(ignored)
    bearing = [c for c in clauses if c.terms & wanted]
    if any(
        wanted <= c.terms and c.negated == claimed.negated and not c.terms & kin for c in bearing
    ):
        return True
    if any(c.negated != claimed.negated or c.terms & kin for c in bearing):
        return False
    return wanted <= frozenset[str]().union(*(c.terms for c in bearing))


def _holds(
    value: Any,
    attribute: str,
    clauses: list[_Clause],
    named: Collection[dt.date],
    ignored: Collection[str],
    today: dt.date,
) -> bool:
    """Whether a value was said."""
    if isinstance(value, bool):
        about = set(query_terms(attribute.replace("_", " "))) - set(ignored)
        return any(about <= c.terms and c.negated is not value for c in clauses)
    if isinstance(value, int | float | Decimal):
        return any(Decimal(str(value)) in c.numbers for c in clauses)
    if isinstance(value, Mapping):
        inner = list(cast("Mapping[str, Any]", value).values())
        return all(_holds(v, attribute, clauses, named, ignored, today) for v in inner)
    if isinstance(value, list | tuple):
        several = list(cast("list[Any]", value))
        return all(_holds(v, attribute, clauses, named, ignored, today) for v in several)
    return isinstance(value, str) and _said(value, clauses, named, ignored, today)
