"""Where a question speaks of a time: the shapes that are taken, and what makes one doubtful.

A shape alone is not enough: what stands before and behind it must read as an adverb of time.
What is doubtful counts as no time at all, since a wrong filter is worse than none.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

__all__ = ["Expression", "expression_of", "instant_in", "is_past", "may_be_future"]


class Expression(NamedTuple):
    """The one expression of time in a question.

    ``words`` as they stand there; ``lead`` the preposition in lower case, empty where there is
    none; ``text`` what a calendar reads, in ``language``; ``clock`` a time of day, if one follows.
    """

    shape: str
    lead: str
    text: str
    words: str
    language: str = "en"
    weekday: str = ""
    clock: str = ""


_FULL: Final = (
    "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_MONTH: Final = rf"(?:{_FULL}|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?)"
_WEEKDAY: Final = "(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)"
_DAY: Final = r"(?:0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th)?\b"
_YEAR: Final = "(?:19|20)[0-9]{2}"
_ISO: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_INSTANT: Final = (
    rf"{_ISO}[T ][0-9]{{2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]{{1,6}})?)?"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
)
_COUNT: Final = r"[1-9][0-9]?|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_DATE: Final = rf"(?:(?:the )?{_DAY}(?: of)? {_MONTH}|{_MONTH} (?:the )?{_DAY})(?:,? {_YEAR})?"
_PERIOD: Final = rf"(?:{_MONTH}(?: of|,)? {_YEAR}|{_FULL}|{_YEAR}|last (?:week|month|year))"
_POINT: Final = rf"(?:{_ISO}|{_DATE}|{_PERIOD}|{_DAY})"
_SHAPES: Final = (
    ("pair", rf"{_POINT} (?:and|to|through) {_POINT}"),
    ("edge", rf"the (?:end|start|beginning) of {_PERIOD}"),
    ("rolling", rf"the (?:last|past) (?:(?:{_COUNT}) )?(?:day|week|month|year)s?"),
    ("ago", rf"(?:{_COUNT}|one|an?) (?:day|week|month|year)s? ago"),
    ("yesterday", "(?:the day before )?yesterday"),
    ("last", "last (?:week|month|year)"),
    ("this", "this (?:week|month|year)"),
    ("lastday", rf"last {_WEEKDAY}"),
    ("instant", _INSTANT),
    ("date", rf"{_ISO}|{_DATE}"),
    ("monthyear", rf"{_MONTH}(?: of|,)? {_YEAR}"),
    ("month", _FULL),
    ("year", _YEAR),
    ("weekday", _WEEKDAY),
)
_LEADS: Final = (
    "between|from|since|before|after|prior to|as of|as at|on|in|during|throughout|at|within|over"
)
_ENGLISH: Final = re.compile(
    rf"(?<![\w'./+$€£#-])(?:(?P<lead>{_LEADS}) )?(?:the (?:year|month of) )?"
    rf"(?:(?P<named>{_WEEKDAY}),? (?=(?:the )?(?:{_DAY}|{_MONTH}|{_ISO})))?"
    rf"(?:{'|'.join(f'(?P<{shape}>{pattern})' for shape, pattern in _SHAPES)})"
    r"(?![\w'/+%°$€£-]|[.,:][0-9])",
    re.IGNORECASE,
)
_WRITTEN: Final = re.compile(rf"(?<![\w-]){_INSTANT}(?![\w:])", re.IGNORECASE)
_ANY: Final = frozenset({"since", "before", "after", "prior to"})
_WITHIN: Final = frozenset({"in", "during", "throughout", "as of", "as at"})
_LOOSE: Final = frozenset({"in", "on", "at", "over", "within"})
_TAKEN: Final = {
    "pair": {"between", "from"},
    "edge": {"at", "as of", "as at"},
    "rolling": {"in", "over", "during", "within"},
    "ago": {"", "since"},
    "yesterday": {"", "from", "as of", *_ANY},
    "last": {"", "from", "as of", *_ANY},
    "this": {"", "during"},
    "lastday": {"", "on", *_ANY},
    "instant": {"on", "at", "as of", "as at", *_ANY},
    "date": {"on", "as of", "as at", *_ANY},
    "monthyear": _WITHIN | _ANY,
    "month": _WITHIN | _ANY,
    "year": _WITHIN | _ANY,
    "weekday": {"on", "since"},
}
# Shapes that name a time beyond doubt: one that stands there without a preposition is content
# ("the 2023 budget"), and the question may well be about it.
_PLAIN: Final = frozenset({"pair", "instant", "date", "monthyear", "year"})
# A shape that is also a common word or number has to be followed by an end or a function word.
_WEAK: Final = frozenset({"month", "year", "weekday", "pair"})

_HINT: Final = re.compile(
    r"[12][0-9]{3}|\b(?:last|past|ago|yesterday|this|(?:mon|tues|wednes|thurs|fri|satur|sun)day|jan"
    r"|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)",
    re.IGNORECASE,
)
_APOSTROPHES: Final = {0x2018: "'", 0x2019: "'"}
_QUOTED: Final = re.compile(
    r"\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」|《[^》]*》|(?<!\w)'[^']+'(?!\w)"
)
_NEXT_WORD: Final = re.compile(
    r"\s*(?:$|[?.!,;:)\]]|(?:with|when|where|what|who|whom|which|why|how|that|to|for|at|by|about"
    r"|from|did|do|does|was|were|is|are|has|have|had|he|she|they|we|you|i|it|her|his|their|my|our"
    r"|the|a|an|and|because|while|if|regarding)\b)",
    re.IGNORECASE,
)
_NEARBY: Final = 40
_NAME_LIKE: Final = re.compile(
    r",? (?:did|do|does|was|were|is|are|has|have|had)\W*$|, [A-Z]\w+\W*$"
)
_GOES_ON: Final = re.compile(
    rf"\s*(?:of\b|(?:the )?[0-9]"
    rf"|(?:at|around|about)? ?(?:dawn|morning|noon|afternoon|evening|night|midnight)"
    rf"|(?:at|around|about) [0-9]|,? ?(?:or|and|to|until|till|through|but not|–|—|-|,|/|&) ?(?:the )?"  # noqa: E501, RUF001
    rf"(?:(?:in|on|since|before|after|early|late|mid) ?)?(?:{_DAY}|{_MONTH}\b|{_YEAR}|{_WEEKDAY}"
    r"|last|this|next|today|now|yesterday|spring|summer|autumn|fall|winter))",
    re.IGNORECASE,
)
_HOUR: Final = r"((?:[01]?[0-9]|2[0-3]):[0-5][0-9](?: ?[ap]m)?|(?:1[0-2]|[1-9]) ?[ap]m)\b"
_CLOCK: Final = re.compile(rf"\s+at {_HOUR}(?!:)", re.IGNORECASE)
_CLOCK_BEFORE: Final = re.compile(rf"(?<![\w:])at {_HOUR}\s+$", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"\b(?:before|after|until|till|since|once|as soon as)\b", re.IGNORECASE)
_UNFIT_BEFORE: Final = re.compile(
    r"(?:\b(?:not|except|excluding|besides|than|like|from|until|till|by|to|or|due|scheduled|planned"
    r"|booked|falls?|fell|born|early|late|mid|middle of|some ?time|day|week|month|year"
    r"|beginning|starting|ending|commencing|founded|established|built|chartered|dated)"
    r"|expir\w+|mid-|\bonly|[0-9] ?[ap]m|[0-9]:[0-9]{2}|o'clock)\s*$",
    re.IGNORECASE,
)
_MEASURED: Final = re.compile(
    r"\b(?:days?|weeks?|months?|years?|hours?|minutes?|long|soon|shortly|right|just|even|night"
    r"|morning|evening|immediately|directly)\s*$",
    re.IGNORECASE,
)
_UNFIT: Final = re.compile(
    r"^\s*(?:is|are|isn't|aren't)\b"
    r"|\bdifference\b|\b(?:choos|chose|decid|pick)\w*\s+between",
    re.IGNORECASE,
)
_LENGTH: Final = re.compile(
    r"\bhow (?:long|old|many (?:minute|hour|day|week|month|year)s?)\b", re.IGNORECASE
)
# Shapes within which a length may be asked for ("how many hours did I spend last month?").
_WIDE: Final = frozenset({"rolling", "last", "this", "monthyear", "month", "year"})
# "Moved from 3 June to 9 June" is about two values.
_CHANGED: Final = re.compile(
    r"\b(?:mov|chang|shift|postpon|delay|extend|extension|reschedul|push|correct|updat|adjust|went"
    r"|go(?:es)?|switch|brought|differ)\w*\b",
    re.IGNORECASE,
)
_PAST: Final = re.compile(
    r"\b(?:did|didn't|was|wasn't|were|weren't|had|hadn't|said|told|went|came|made|got"
    r"|wrote|sent|met|ate|bought|saw|took|gave|began|knew|thought|spoke)\b",
    re.IGNORECASE,
)
_PAST_FORM: Final = re.compile(r"\b\w{2,}ed\b", re.IGNORECASE)
_PRESENT: Final = re.compile(r"\b(?:is|are|be|being|do|does)\b|'s\s+\w+ed\b", re.IGNORECASE)
_AHEAD: Final = re.compile(
    r"\b(?:will|won't|shall|going to|gonna|upcoming|tomorrow|next|should|must|needs? to"
    r"|has to|have to)\b|'ll\b",
    re.IGNORECASE,
)
_INTENDED: Final = re.compile(
    r"\b(?:plan\w*|intend\w*|expect\w*|hop(?:e|es|ing)|schedul\w*|due|coming)\b", re.IGNORECASE
)
_WORK: Final = re.compile(
    r"\b(?:book|novel|film|movie|song|album|chapter|character|author|title|orwell|read|reads"
    r"|reading|watch\w*)\b",
    re.IGNORECASE,
)

_FOREIGN: Final = {
    "de": (
        {"am": "on", "im": "in", "seit": "since", "vor": "before", "nach": "after"},
        (r"(?:dem )?(?:(?P<day>[0-9]{1,2}\. ?)?(?:Januar|Februar|März|April|Mai|Juni|Juli|August"
        r"|September|Oktober|November|Dezember) [12][0-9]{3})"),
    ),
    "fr": (
        {"le": "on", "en": "in", "depuis": "since", "avant": "before", "après": "after"},
        (r"(?:le )?(?:(?P<day>[0-9]{1,2}(?:er)? )?(?:janvier|février|mars|avril|mai|juin|juillet"
        r"|août|septembre|octobre|novembre|décembre) [12][0-9]{3})"),
    ),
    "nl": (
        {"op": "on", "in": "in", "sinds": "since", "voor": "before", "na": "after"},
        (r"(?:(?P<day>[0-9]{1,2} )?(?:januari|februari|maart|april|mei|juni|juli|augustus"
        r"|september|oktober|november|december) [12][0-9]{3})"),
    ),
    "es": (
        {"el": "on", "en": "in", "desde": "since", "antes de": "before", "después de": "after",
         "antes del": "before", "después del": "after"},
        (r"(?:el )?(?:(?P<day>[0-9]{1,2} de )?(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto"
        r"|septiembre|octubre|noviembre|diciembre) (?:de |del )?[12][0-9]{3})"),
    ),
}  # fmt: skip
_OTHERS: Final = {
    language: re.compile(
        rf"(?<![\w'./-])(?P<lead>{'|'.join(sorted(leads, key=len, reverse=True))})"
        rf" (?P<text>{date})(?![\w'/-])"
        r"(?!,? ?(?:bis|und|oder|à|au|et|ou|hasta|al|y|o|tot|en|of|to|and|or) ?[\w])",
        re.IGNORECASE,
    )
    for language, (leads, date) in _FOREIGN.items()
}
_CHINESE: Final = re.compile(
    r"(?:^\s*|在|于)(?P<text>[12][0-9]{3}年(?:1[0-2]|0?[1-9])月(?P<day>(?:3[01]|[12][0-9]|0?[1-9])[日号])?)"
    r"(?P<lead>之前|以前|之后|以后|以来)?(?![的至到或和、0-9前后起底初中])"
)
_CHINESE_LEADS: Final = {
    "之前": "before", "以前": "before", "之后": "after", "以后": "after", "以来": "since",
}  # fmt: skip
_YEARLIKE: Final = re.compile(rf"{_YEAR}|[0-9]年")


def is_past(question: str) -> bool:
    """Say whether a question speaks in the past tense, as far as English words show it."""
    if _PAST.search(question):
        return True
    return bool(_PAST_FORM.search(question)) and not _PRESENT.search(question)


def may_be_future(question: str) -> bool:
    """Say whether a question has words of what is to come."""
    if _AHEAD.search(question):
        return True
    return bool(_INTENDED.search(question)) and not _PAST.search(question)


def instant_in(question: str) -> str | None:
    """Give the first instant in ISO form that stands in a question, taken or not."""
    found = _WRITTEN.search(question)
    return None if found is None else found.group()


def expression_of(question: str) -> Expression | None:
    """Give the one expression of time in a question; None for none, several or a doubtful one."""
    if not _HINT.search(question):
        return None
    text = question.translate(_APOSTROPHES)
    text = _QUOTED.sub(lambda found: "_" * len(found.group()), text)
    if _UNFIT.search(text):
        return None
    if not text.isascii() or _YEARLIKE.search(text):
        text, foreign = _foreign(text)
    else:
        foreign = []
    found = [*foreign, *_english(text)]
    return found[0] if len(found) == 1 and found[0].shape else None


def _foreign(text: str) -> tuple[str, list[Expression]]:
    found: list[Expression] = []
    for language, pattern in _OTHERS.items():
        for match in pattern.finditer(text):
            lead = _FOREIGN[language][0][match["lead"].lower()]
            date = re.sub(r"^(?:dem|le|el) ", "", match["text"], flags=re.IGNORECASE)
            # One name may be a month in two languages: the first takes it.
            text = text[: match.start()] + "_" * len(match.group()) + text[match.end() :]
            shape = "date" if match["day"] else "monthyear"
            fits = (lead == "on") == (shape == "date") or lead in _ANY
            found.append(Expression(shape if fits else "", lead, date, match.group(), language))
    for match in _CHINESE.finditer(text):
        shape = "date" if match["day"] else "monthyear"
        lead = _CHINESE_LEADS.get(match["lead"], "on" if match["day"] else "in")
        text = text[: match.start()] + "_" * len(match.group()) + text[match.end() :]
        found.append(Expression(shape, lead, match["text"], match.group().strip(), "zh"))
    return text, found


def _english(text: str) -> list[Expression]:
    """Give the expressions of a text; one without a shape stands for what is in doubt."""
    found: list[Expression] = []
    for match in _ENGLISH.finditer(text):
        shape = match.lastgroup or ""
        lead = (match["lead"] or "").lower()
        words = match.group()
        if lead in _LOOSE and "" in _TAKEN[shape]:
            # of a verb: "what did she participate in last week"
            words, lead = words[len(lead) + 1 :], ""
        taken = lead in _TAKEN[shape]
        if not taken and shape not in _PLAIN:
            continue
        if len(found) > 1:
            break  # several already
        # A few words on either side decide; looking no further keeps long questions cheap.
        behind = text[max(0, match.start() - _NEARBY) : match.start()]
        ahead = text[match.end() : match.end() + _NEARBY]
        clock = None
        if shape == "date" and lead in {"on", "as of"}:
            clock = _CLOCK.match(ahead)
            if clock:
                words += clock.group()
                ahead = ahead[clock.end() :]
            elif before := _CLOCK_BEFORE.search(behind):
                clock = before
                words = before.group() + words
                behind = behind[: before.start()]
        fits = taken and _fits(shape, lead, match[shape], behind, ahead)
        fits = fits and not _misread(shape, lead, match[shape], text, match.start())
        found.append(
            Expression(
                shape if fits else "", lead, match[shape], words, "en", match["named"] or "",
                clock[1] if clock else "",
            )
        )  # fmt: skip
    return found


def _fits(shape: str, lead: str, expression: str, behind: str, ahead: str) -> bool:
    if lead == "from":
        behind = re.sub(r"\bby\s*$", "", behind)  # "who was she employed by from 1990 to 1995"
    if _GOES_ON.match(ahead) or _UNFIT_BEFORE.search(behind):
        return False
    if lead in _ANY and _MEASURED.search(behind):
        return False
    if shape == "pair" and (lead == "between") is not (" and " in expression.lower()):
        return False
    if lead == "from" and _CHANGED.search(behind):
        return False
    yearless = shape == "date" and not _YEARLIKE.search(expression)
    if (shape in _WEAK or yearless) and not _NEXT_WORD.match(ahead):
        return False
    if shape == "month" and _NAME_LIKE.match(ahead):
        return False  # "before June did", "in August, Georgia"
    # In small letters these two are a verb and a walk.
    small = re.search(r"\b(?:may|march)\b", expression)
    return not (small and shape in {"month", "edge", "pair"})


def _misread(shape: str, lead: str, expression: str, text: str, start: int) -> bool:
    # A bare year of long ago is a title as often as a time.
    if shape == "year" and expression < "2005" and _WORK.search(text):
        return True
    # "Her address before she moved in March": the time is that of another event.
    if _CLAUSE.search(text, 0, start):
        return True
    return (shape not in _WIDE or lead in _ANY) and bool(_LENGTH.search(text))
