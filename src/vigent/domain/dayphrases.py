"""Words that name days in languages other than English, Russian and Arabic among them.

What ``daywords`` reads in English, in these: days near, stretches of time away, weeks, months and
years before and after, days of the week and of a month. "In" and "for" are not told apart by
looks alone: where a phrase has two readings both days are given.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator
from typing import Final

from vigent.domain.dayspans import DAY, away, dates, first, period, span, weekday

__all__ = ["LONG_PHRASES", "SHORT_PHRASES"]

_Found = Iterator[tuple[re.Match[str], set[dt.date]]]
_Finder = Callable[[str, dt.date], _Found]

_NEAR: Final = re.compile(
    r"\b(?:(?P<p2>depois de amanhã)|(?P<m2>anteontem)|(?P<p1>amanhã)|(?P<m1>ontem)|(?P<p0>hoje))\b"
    r"|(?P<zp2>大后天|明後日)|(?P<zm2>前天|一昨日)|(?P<zp1>明日)|(?P<zm1>昨日)|(?P<zp0>今日)"
    r"|\b(?:(?P<rp2>послезавтра)|(?P<rm2>позавчера)|(?P<rp1>завтра(?:шн\w+)?)"
    r"|(?P<rm1>вчера(?:шн\w+)?)|(?P<rp0>сегодня(?:шн\w+)?))\b"
    r"|(?<!\w)(?:(?P<ap2>بعد (?:ال)?غد)|(?P<ap1>(?:ال)?غد[اً]*)|(?P<am1>أمس|البارحة)"
    r"|(?P<ap0>اليوم))(?!\w)",
    re.IGNORECASE,
)
_STEPS: Final = {"p2": 2, "m2": -2, "p1": 1, "m1": -1, "p0": 0}
_COUNTS: Final = {
    word: no
    for no, line in enumerate(
        (
            "", "ein eine einem einer un une una um uma", "zwei deux dos dois duas",
            "drei trois tres três", "vier quatre cuatro quatro", "fünf cinq cinco",
            "sechs six seis",
            "sieben sept siete sete", "acht huit ocho oito", "neun neuf nueve nove",
            "zehn dix diez dez", "elf onze once", "zwölf douze doce doze",
        )
    )
    for word in line.split()
}  # fmt: skip
_COUNT: Final = rf"(?P<count>[0-9]{{1,3}}|{'|'.join(sorted(_COUNTS, key=len, reverse=True))})"
_UNITS: Final = {
    "tag": "day", "jour": "day", "día": "day", "dia": "day", "woche": "week", "semaine": "week",
    "semana": "week", "monat": "month", "mois": "month", "mes": "month", "mês": "month",
    "jahr": "year", "année": "year", "an": "year", "año": "year", "ano": "year",
}  # fmt: skip
_UNIT: Final = (
    r"(?P<unit>tag|woche|monat|jahr|jour|semaine|mois|année|an|día|semana|mes|año|dia|mês|ano)"
    r"(?:en|es|e|n|s)?"
)
_AWAY: Final = re.compile(
    rf"\b(?:(?P<after>in|dans|en|dentro de|daqui a|em)|(?P<before>vor|il y a|hace|há"
    rf"|faz))\s+{_COUNT}\s+{_UNIT}\b"
    rf"|\b{_COUNT.replace('<count>', '<count2>')}\s+{_UNIT.replace('<unit>', '<unit2>')}"
    r"\s+(?P<past>atrás)\b",
    re.IGNORECASE,
)
_RUSSIAN: Final = {"д": "day", "н": "week", "м": "month", "г": "year", "л": "year"}
_RUSSIAN_AWAY: Final = re.compile(
    r"\b(?:через\s+(?:(?P<count>[0-9]{1,3})\s+)?(?P<unit>д(?:ень|ня|ней)|недел[юиь]|месяц\w*|год\w*"
    r"|лет)|(?:(?P<count2>[0-9]{1,3})\s+)?(?P<unit2>д(?:ень|ня|ней)|недел[юиь]|месяц\w*|год\w*|лет)"
    r"\s+назад)\b",
    re.IGNORECASE,
)
_NEXT: Final = r"nächste\w*|kommende\w*|prochaine?|próxim[oa]|que viene|que vem|entrante"
_LAST: Final = r"letzte\w*|vergangene\w*|vorige\w*|derni(?:er|ère)s?|passée?|pasad[oa]|passad[oa]"
_THIS: Final = r"diese\w*|cette|cet|ce|est[ae]|nest[ae]|dest[ae]"
_PERIOD: Final = re.compile(
    rf"\b(?:(?:(?P<n1>{_NEXT})|(?P<l1>{_LAST})|(?P<t1>{_THIS}))\s+{_UNIT}"
    rf"|{_UNIT.replace('<unit>', '<unit2>')}\s+(?:(?P<n2>{_NEXT})|(?P<l2>{_LAST})))\b"
    r"|(?P<edge>ende|anfang|fin|finales?|principios?|fim|início|début) (?:des|de|del|du|do|da"
    r"|de la|dieses|de l')\s?"
    rf"{_UNIT.replace('<unit>', '<unit3>')}\b",
    re.IGNORECASE,
)
_DAYS: Final = (
    "montag lundi lunes segunda", "dienstag mardi martes terça",
    "mittwoch mercredi miércoles quarta",
    "donnerstag jeudi jueves quinta", "freitag vendredi viernes sexta",
    "samstag sonnabend samedi sábado", "sonntag dimanche domingo",
)  # fmt: skip
_DAY_OF: Final = {name: no for no, line in enumerate(_DAYS) for name in line.split()}
_DAY: Final = rf"(?P<name>{'|'.join(_DAY_OF)})(?:-feira|s)?"
_WEEKDAY: Final = re.compile(
    rf"\b(?:(?P<n1>{_NEXT})\s+|(?P<l1>{_LAST})\s+)?{_DAY}(?:\s+(?:(?P<n2>{_NEXT})"
    rf"|(?P<l2>{_LAST})))?\b",
    re.IGNORECASE,
)
_OF_MONTH: Final = re.compile(
    r"\b(?:am|zum|bis|le|el|día|dia|no dia)\s+(?:día\s+|dia\s+)?(?P<day>[0-9]{1,2})(?:\.|er"
    r"|º)?(?![\w.:/-]*[\d])(?!\s*(?:uhr|h\b|heures|horas|%|€|euro))"
    r"|(?<![月\d])(?P<zh>[0-9]{1,2})[号日](?!线|楼|房)",
    re.IGNORECASE,
)
_HAN: Final = {c: n for n, c in enumerate("零一二三四五六七八九十")} | {"两": 2, "半": 0}
_HAN_UNITS: Final = {
    "天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month",
    "年": "year", "週間": "week", "ヶ月": "month", "か月": "month",
}  # fmt: skip
_HAN_AWAY: Final = re.compile(
    r"(?P<count>[0-9]{1,3}|[一二两三四五六七八九十])个?(?P<unit>天|日|周|星期|礼拜|月|年|週間"
    r"|ヶ月|か月)(?:之|以)?(?P<way>后|後|前)"
)
_HAN_PERIOD: Final = re.compile(
    r"(?P<which>去年|今年|明年|来年|(?:上|下|这|本|先|来|今)个?(?P<unit>周|星期|礼拜|月"
    r"|週))(?![一二三四五六日天末])"
)
_HAN_WEEKDAY: Final = re.compile(
    r"(?P<lead>[上下这本])?个?(?:周|星期|礼拜)(?P<name>[一二三四五六日天])"
)
_HAN_MONTH: Final = re.compile(
    r"(?P<year>(?:19|20)[0-9]{2})年(?P<month>[0-9]{1,2})月(?![0-9]{1,2}[日号])"
)


def _near(text: str, today: dt.date) -> _Found:
    for match in _NEAR.finditer(text):
        yield match, {today + _STEPS[str(match.lastgroup)[-2:]] * DAY}


def _away(text: str, today: dt.date) -> _Found:
    for match in _AWAY.finditer(text):
        word = (match["count"] or match["count2"]).lower()
        count = int(word) if word.isdigit() else _COUNTS[word]
        past = match["before"] or match["past"]
        unit = _UNITS[(match["unit"] or match["unit2"]).lower()]
        yield match, away(today, -count if past else count, unit)


def _russian_away(text: str, today: dt.date) -> _Found:
    for match in _RUSSIAN_AWAY.finditer(text):
        count = int(match["count"] or match["count2"] or 1)
        unit = _RUSSIAN[(match["unit"] or match["unit2"])[0].lower()]
        yield match, away(today, -count if match["unit2"] else count, unit)


def _periods(text: str, today: dt.date) -> _Found:
    for match in _PERIOD.finditer(text):
        unit = _UNITS[(match["unit"] or match["unit2"] or match["unit3"]).lower()]
        step = 1 if match["n1"] or match["n2"] else -1 if match["l1"] or match["l2"] else 0
        yield match, period(today, step, unit)


def _weekdays(text: str, today: dt.date) -> _Found:
    for match in _WEEKDAY.finditer(text):
        lead = 1 if match["n1"] or match["n2"] else -1 if match["l1"] or match["l2"] else None
        if lead is None and _is_ordinal(match, text):
            continue
        yield match, weekday(today, _DAY_OF[match["name"].lower()], lead)


def _is_ordinal(match: re.Match[str], text: str) -> bool:
    """Whether a Portuguese day of the week is rather "second", "third" and so on."""
    if match["name"].lower() not in {"segunda", "terça", "quarta", "quinta", "sexta"}:
        return False
    if "-feira" in match.group().lower():
        return False
    return re.search(r"\b(?:na|nesta|de|até|a partir de)\s+$", text[: match.start()]) is None


def _of_month(text: str, today: dt.date) -> _Found:
    for match in _OF_MONTH.finditer(text):
        days: set[dt.date] = set()
        for step in (-1, 0, 1):
            year, month = divmod(today.year * 12 + today.month - 1 + step, 12)
            days |= dates((year, month + 1, int(match["day"] or match["zh"])))
        yield match, days


def _han_away(text: str, today: dt.date) -> _Found:
    for match in _HAN_AWAY.finditer(text):
        word = match["count"]
        count = int(word) if word.isdigit() else _HAN[word]
        yield (
            match,
            away(today, -count if match["way"] == "前" else count, _HAN_UNITS[match["unit"]]),
        )


def _han_periods(text: str, today: dt.date) -> _Found:
    for match in _HAN_PERIOD.finditer(text):
        which = match["which"]
        step = -1 if which[0] in "去上先" else 1 if which[0] in "明下来" else 0
        unit = "year" if which[-1] == "年" else "month" if "月" in which else "week"
        yield match, period(today, step, unit)


def _han_weekdays(text: str, today: dt.date) -> _Found:
    for match in _HAN_WEEKDAY.finditer(text):
        number = "一二三四五六日".find(match["name"].replace("天", "日"))
        lead = {"上": -1, "下": 1}.get(match["lead"] or "")
        yield match, weekday(today, number, lead)


def _han_months(text: str, _: dt.date) -> _Found:
    for match in _HAN_MONTH.finditer(text):
        year, month = int(match["year"]), int(match["month"])
        if 1 <= month <= 12:
            yield match, span(first(year, month), first(year, month + 1))


LONG_PHRASES: Final[tuple[_Finder, ...]] = (
    _near, _away, _russian_away, _han_away, _han_weekdays, _han_months,
)  # fmt: skip
"""What is looked for before the words that may be part of it, narrowest first."""
SHORT_PHRASES: Final[tuple[_Finder, ...]] = (_periods, _han_periods, _weekdays, _of_month)
"""What is looked for after them."""
