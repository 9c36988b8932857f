"""Whether a value stands in the words it is said to come from, or follows from them.

Numbers, addresses and dates have to stand there. Of other words a share has to: forms of a word
count as the word (“cycle” bears out “bicycle”), and words that every such text has count for
nothing. Yes and no have to agree.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Final, cast

from vigent.domain.daywords import days_named
from vigent.domain.schema import AttributeDefinition
from vigent.domain.terms import STOPWORDS
from vigent.domain.text import fold, words

__all__ = [
    "agrees",
    "alike",
    "borne_out",
    "is_empty",
    "is_negative",
    "nearest_clause",
    "negated",
    "said_values",
    "stands_whole",
]

_NUMERAL: Final = re.compile(r"(?<![\w.])[-+]?[0-9][0-9.,' \u00a0]*[0-9]|[0-9]")
_ADDRESS: Final = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+|https?://\S+|www\.\S+", re.IGNORECASE)
_COUNTED: Final = (
    ("zero null cero nul", 0), ("one ein eine einen eins un une uno una um uma", 1),
    ("two zwei deux dos dois duas", 2), ("three drei trois tres três", 3),
    ("four vier quatre cuatro quatro", 4), ("five fünf cinq cinco", 5), ("six sechs seis", 6),
    ("seven sieben sept siete sete", 7), ("eight acht huit ocho oito", 8),
    ("nine neun neuf nueve nove", 9), ("ten zehn dix diez dez", 10),
    ("eleven elf onze once", 11), ("twelve zwölf douze doce doze", 12),
    ("twenty zwanzig vingt veinte vinte", 20), ("thirty dreißig trente treinta trinta", 30),
    ("forty vierzig quarante cuarenta quarenta", 40),
    ("fifty fünfzig cinquante cincuenta cinquenta", 50),
    ("hundred hundert cent cien cem", 100), ("thousand tausend mille mil", 1000),
)  # fmt: skip
_NUMBERS: Final = {fold(word): Decimal(n) for line, n in _COUNTED for word in line.split()}
_HAN: Final = {c: Decimal(n) for n, c in enumerate("零一二三四五六七八九十")} | {"两": Decimal(2)}
# Words that any such text may have, whatever was said.
_EMPTY_WORDS: Final = (
    "user users person customer client assistant always please also really very now currently "
    "prefer prefers preference prefered preferred like likes love loves want wants would enjoy "
    "enjoys favourite favorite use uses using answer answers reply replies respond responds "
    "response responses keep make wish wishes rather should must need needs name named called "
    "person's today der die das den dem des ein eine einen einer und oder ist sind war hat haben "
    "wird werden zu zum zur mit für von vom im in am an auf aus bei nutzer nutzerin benutzer "
    "kunde kundin mag möchte will bevorzugt lieber gern gerne immer bitte soll sollte antworten "
    "antworte antwort auch sehr le la les l un une du de d et ou est sont a ont au aux en dans "
    "sur pour par avec il elle je j que qui qu se s ce cette utilisateur utilisatrice cliente "
    "aime préfère veut souhaite toujours doit réponse réponds répondre aussi très el los las una "
    "unos del al y o es son ha han con por para su sus yo me mi te lo usuario usuaria prefiere "
    "gusta gustan quiere siempre debe responder respuesta también muy os as um uma do da dos no "
    "na nos nas e é são tem com seu sua eu meu minha usuário usuária utilizador prefere gosta "
    "quer sempre deve resposta também muito "
)
_EMPTY: Final = frozenset(fold(w) for w in _EMPTY_WORDS.split())
_EMPTY_HAN: Final = frozenset("的了是在和与我你他她用户喜欢偏好总请要会想很也都")
_NOT: Final = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|cannot|without|isn't|zero"
    r"|nicht|kein\w*|nie|niemals|ohne|weder"
    r"|pas|jamais|aucune?|sans|ni|ne"
    r"|nunca|jamás|sin|tampoco|ningún\w*"
    r"|не|нет|никогда|ни|никак\w*|без|لا|ليس\w*|لست|لم|لن|بدون"
    r"|não|nenhum\w*|sem|nem|non|senza|nessun\w*|niet|geen|nooit|zonder)\b|n['’]t\b"
    r"|(?<!差)[不没]|别|勿|无|ない|ません"
    r"|\b(?:stop|stopped|avoid\w*|hates?|dislikes?|detests?|loathes?|can't stand|skip|quit|refuses?"
    r"|hass\w*|vermeid\w*|verabscheu\w*"
    r"|déteste\w*|évite\w*|arrête\w*"
    r"|odi[oa]\w*|detest\w*|evit\w*|dej[éa] de|par[ae] de)\b|讨厌|避免|停止",
    re.IGNORECASE,
)
_NOT_ONLY: Final = re.compile(
    r"\bnot (?:only|just)\b|\bnicht nur\b|\bpas (?:seulement|que)\b|\bno s[oó]lo\b|\bnão só\b"
    r"|不仅|不只"
    r"|\bno (?:problem|worries|doubt|matter)\b|\bwhy not\b|\bcan't wait\b|\bnever mind\b"
    r"|\bdon't forget\b"
    r"|\bn'oublie[sz]? pas\b|\bno olvides\b|\bnão (?:se )?esqueça\b|\bvergiss nicht\b|别忘了?"
    r"|没问题|不客气"
    r"|\bnot (?:to mention|surprisingly)\b|^\W*(?:no|nein|non|não|不)\s*[,.!，。]",
    re.IGNORECASE,
)
# Attributes that are themselves a no: what is avoided, what is not borne.
_AGAINST: Final = re.compile(
    r"(?:allerg|intoleran|dislik|avoid|hat(?:e|red)|restrict|phobi|fear|ban(?:s|ned)?\b|exclu"
    r"|never|no\b|non|not\b|un(?!i|der)"
    r"|without|free\b|aversion|taboo|forbid|abneig|verbot|unvertr|vermeid|évit|interdi|détest"
    r"|odi[ao]|evit|alerg|prohib|restric|miedo|medo)"
    r"|.*(?:过敏|忌|怕|避|禁|不)",
    re.IGNORECASE,
)
# Pairs that say no once; and a small word of Portuguese that says no elsewhere.
_PAIRS: Final = re.compile(
    r"\b(?:ne|n')\s?(?=.{1,40}\b(?:pas|jamais|plus|aucune?|rien|ni)\b)"
    r"|\b(?:no|não|non|nem|ni)\s(?=.{1,40}\b(?:nunca|jamás|tampoco|ningún\w*|nenhum\w*|nem|ni"
    r"|nessun\w*|jamais)\b)"
    r"|\b(?:sin|sem|sans|senza)\s(?=(?:ni|nem|aucune?|ningún\w*|nenhum\w*|nessun\w*)\b)"
    r"|\b(?:neither|not|never|don't|can't)\s(?=.{1,40}\bnor\b)"
    r"|\b(?:никогда|ни|никак\w*)\s(?=.{1,40}\bне\b)"
    r"|\b(?:nie|niemals)\s(?=(?:mehr )?kein)",
    re.IGNORECASE,
)
_PORTUGUESE: Final = re.compile(
    r"[ãõ]|\b(?:eu|meus?|minhas?|você|moro|sou|uma|pelo|pela|mudei|às|trabalho|prefiro o|gosto)\b",
    re.IGNORECASE,
)
_A_NOT_A: Final = re.compile(r"(\w)[不没]\1|可不可以")
_NO: Final = re.compile(r"\bno\b", re.IGNORECASE)
_CLAUSES: Final = re.compile(
    r"[,;:，；：。.!?\n]+\s*|\s(?:but|so|because|aber|sondern|weil|pero|sino|porque|mais|car|mas"
    r"|ma|perché|maar|want)\s"
)
_JOINED: Final = 6
_SHORT: Final = 4


def said_values(value: object) -> list[object]:
    """Give the single values of a value."""
    if isinstance(value, Mapping):
        inner: Iterable[object] = cast("Mapping[str, object]", value).values()
        return [one for v in inner for one in said_values(v)]
    if isinstance(value, list | tuple | set | frozenset):
        return [one for v in cast("Iterable[object]", value) for one in said_values(v)]
    return [value]


def borne_out(
    value: Any,
    said: str,
    *,
    today: dt.date,
    least: float,
    names: Iterable[str] = (),
    definition: AttributeDefinition | None = None,
) -> bool:
    """Whether a value stands in some words: at least the share ``least`` of what it says.

    A yes or no is judged by ``agrees`` alone. Spellings of an enum stand for its ids.
    """
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int | float | Decimal):
        return _number(Decimal(str(value))) & _numbers(said) != set()
    if isinstance(value, dt.datetime | dt.date):
        value = value.isoformat()
    if not isinstance(value, str):
        every = said_values(value)
        return all(
            borne_out(v, said, today=today, least=least, names=names, definition=definition)
            for v in every
        )
    spellings = [value]
    if definition is not None and definition.kind == "enum":
        target = definition.enum.get(value, value)
        spellings += [s for s, to in definition.enum.items() if to == target]
    return any(_text_stands(s, said, today, least, names) for s in spellings)


def _text_stands(value: str, said: str, today: dt.date, least: float, names: Iterable[str]) -> bool:
    if stands_whole(value, said):
        return True
    for address in _ADDRESS.findall(value):
        if address.rstrip(".,;").lower() not in said.lower():
            return False
    rest = value
    days = {day for one in days_named(said, today) for day in one.days}
    dated = days_named(value, today)
    for one in reversed(dated):
        if not one.days & days:
            return False
        rest = rest[: one.start] + " " + rest[one.stop :]
    numbers = {n for found in _NUMERAL.findall(rest) for n in _number_of(found)}
    if numbers and not numbers & _numbers(said) and not _digits(rest) <= _digits(said):
        return False
    own = {w for name in names for w in words(name)}
    every = [w for w in words(rest) if not w.isdigit()]
    wanted = [w for w in every if not is_empty(w) and w not in own]
    there = set(words(said))
    if not wanted:
        return not every or any(w in there for w in every)
    share = sum(any(alike(w, t) for t in there) for w in wanted) / len(wanted)
    return share >= least


def is_empty(word: str) -> bool:
    """Whether a word is one that any such text may have."""
    return word in STOPWORDS or word in _EMPTY or word in _EMPTY_HAN


def stands_whole(value: str, said: str) -> bool:
    """Whether the words of a value stand side by side in what was said."""
    wanted, there = words(value), words(said)
    size = len(wanted)
    if size > 0 and any(there[i : i + size] == wanted for i in range(len(there) - size + 1)):
        return True
    # “dontcare” stands in “don't care”.
    return size == 1 and len(wanted[0]) > _JOINED and wanted[0] in "".join(there)


def alike(one: str, other: str) -> bool:
    """Whether two words are forms of one, or one is part of the other."""
    if one == other or _NUMBERS.get(one, one) == _NUMBERS.get(other, other):
        return True
    if not (one.isalpha() and other.isalpha()) or one >= "\u2e80" or other >= "\u2e80":
        return False
    short, long = sorted((one, other), key=len)
    if len(short) < 3:
        return False
    if len(short) < _SHORT:
        return long.startswith(short) and len(long) - len(short) <= 2
    if len(short) == _SHORT:
        return short in long
    needed = max(_SHORT, round(0.6 * len(short)))
    return any(short[i : i + needed] in long for i in range(len(short) - needed + 1))


def _numbers(text: str) -> set[Decimal]:
    found = {n for written in _NUMERAL.findall(text) for n in _number_of(written)}
    found |= {_NUMBERS[w] for w in words(text) if w in _NUMBERS}
    return found | {_HAN[c] for c in text if c in _HAN}


def _number(value: Decimal) -> set[Decimal]:
    return {value, abs(value)}


def _number_of(written: str) -> set[Decimal]:
    """Give the numbers that some digits may stand for, by the ways to write them."""
    bare = re.sub(r"[' \u00a0]", "", written).lstrip("+")
    found: set[Decimal] = set()
    for text in (bare.replace(",", ""), bare.replace(".", "").replace(",", ".")):
        if re.fullmatch(r"-?[0-9]+(?:\.[0-9]+)?", text):
            found.add(abs(Decimal(text)))
    return found


def _digits(text: str) -> set[str]:
    return set(re.findall(r"[0-9]+", text))


# -------------------------------------------------------------------------------- yes and no


def is_negative(text: str) -> bool:
    """Whether a text says no: an odd number of words that deny; a French pair counts as one."""
    plain = _PAIRS.sub("", _A_NOT_A.sub("", text))
    if _PORTUGUESE.search(plain):
        plain = _NO.sub(" ", plain)
    return len(_NOT.findall(_NOT_ONLY.sub(" ", plain))) % 2 == 1


def negated(value: object, attribute: str, said: str) -> bool:
    """Whether the words say no of a value that is proposed, or yes of one that is a no."""
    if isinstance(value, bool):
        return not _is_against(attribute) and is_negative(said) is value
    if not isinstance(value, str) or _is_against(attribute):
        return False
    return is_negative(said) and not is_negative(value)


def _is_against(attribute: str) -> bool:
    """Whether an attribute is itself a no, by one of the words of its name."""
    return any(_AGAINST.match(part) for part in re.split(r"[_\W]+", attribute))


def agrees(text: str, said: str) -> bool:
    """Whether a text of its own says no where the words do, and yes where they do."""
    return is_negative(text) == is_negative(said)


def nearest_clause(value: object, said: str) -> str:
    """Give the clause of some words that has most of a value; all of them where none has any."""
    wanted = {w for w in words(str(value)) if not is_empty(w)}
    best, most = said, 0
    for clause in _CLAUSES.split(said):
        there = set(words(clause))
        found = sum(any(alike(w, t) for t in there) for w in wanted)
        if found > most:
            best, most = clause, found
    return best
