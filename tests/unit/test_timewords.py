"""Which times a question names: a table of right answers, and of questions that name none."""

from __future__ import annotations

import datetime as dt
import os
import time

import dateparser.conf
import dateparser.date
import dateparser.freshness_date_parser
import dateparser.parser
import dateparser.utils
import pytest

from vigent.domain import timewords
from vigent.domain.time import parse_instant, to_datetime
from vigent.domain.timewords import find_time_words
from vigent.errors import InvalidInput

NOW = "2026-06-10T14:00:00Z"  # a Wednesday


def day(text: str, timezone: str = "UTC") -> int:
    return parse_instant(text, "day", timezone=timezone, bare_date="start")


def end(text: str, timezone: str = "UTC") -> int:
    return parse_instant(text, "day", timezone=timezone, bare_date="end")


def found(question: str, now: str = NOW, timezone: str = "UTC"):
    return find_time_words(question, now=parse_instant(now, "now"), timezone=timezone)


DAYS = [
    ("What was the deadline on 2 June?", "on 2 June", "2026-06-02"),
    ("What was the deadline on June 2?", "on June 2", "2026-06-02"),
    ("What was the deadline on 2nd June?", "on 2nd June", "2026-06-02"),
    ("What was the deadline on the 2nd of June?", "on the 2nd of June", "2026-06-02"),
    ("What was the deadline on June the 2nd?", "on June the 2nd", "2026-06-02"),
    ("what was the deadline ON 2 JUNE", "ON 2 JUNE", "2026-06-02"),
    ("On 2 June, what was the deadline?", "On 2 June", "2026-06-02"),
    ("On 2 June what was the deadline?", "On 2 June", "2026-06-02"),
    ("As of 2 June, what is the deadline?", "As of 2 June", "2026-06-02"),
    ("What was the deadline as at 2 June?", "as at 2 June", "2026-06-02"),
    ("What did she eat on 8 May 2023?", "on 8 May 2023", "2023-05-08"),
    ("What did she eat on May 8, 2023?", "on May 8, 2023", "2023-05-08"),
    ("What did she eat on May 8 2023?", "on May 8 2023", "2023-05-08"),
    ("What did she eat on May 8th, 2023?", "on May 8th, 2023", "2023-05-08"),
    ("What did she find on 1 February, 2023?", "on 1 February, 2023", "2023-02-01"),
    ("What did she show on October 13, 2023?", "on October 13, 2023", "2023-10-13"),
    ("What did she say on 3 Mar 2024?", "on 3 Mar 2024", "2024-03-03"),
    ("What did she say on 3 Sept. 2024?", "on 3 Sept. 2024", "2024-09-03"),
    ("What did she say on Monday, 8 May 2023?", "on Monday, 8 May 2023", "2023-05-08"),
    ("What did she say on Monday the 8th of May 2023?", "on Monday the 8th of May 2023",
     "2023-05-08"),
    ("What was the deadline on 2026-06-02?", "on 2026-06-02", "2026-06-02"),
    ("What was valid as of 2024-02-29?", "as of 2024-02-29", "2024-02-29"),
    ("What was valid on 29 February 2024?", "on 29 February 2024", "2024-02-29"),
    ("What was valid on 29 February?", "on 29 February", "2024-02-29"),
    ("What did she say on 31 December?", "on 31 December", "2025-12-31"),
    ("What did she say on 1 January?", "on 1 January", "2026-01-01"),
    ("What did she say on 11 June?", "on 11 June", "2025-06-11"),
    ("What did she say on 10 June?", "on 10 June", "2026-06-10"),
    ("Where will she live on 3 July 2027?", "on 3 July 2027", "2027-07-03"),
    ("What did she say yesterday?", "yesterday", "2026-06-09"),
    ("Yesterday what did she say?", "Yesterday", "2026-06-09"),
    ("What did she say the day before yesterday?", "the day before yesterday", "2026-06-08"),
    ("What did she do 3 days ago?", "3 days ago", "2026-06-07"),
    ("What did she do three days ago?", "three days ago", "2026-06-07"),
    ("What did she do a day ago?", "a day ago", "2026-06-09"),
    ("What did she say on Monday?", "on Monday", "2026-06-08"),
    ("What did she say on Sunday?", "on Sunday", "2026-06-07"),
    ("Who called on Monday?", "on Monday", "2026-06-08"),
    ("What did she say last Friday?", "last Friday", "2026-06-05"),
    ("What did she say last Sunday?", "last Sunday", "2026-06-07"),
    ("What was the status as of yesterday?", "as of yesterday", "2026-06-09"),
    ("What was the status as of last month?", "as of last month", "2026-05-31"),
    ("Show me the mail from yesterday", "from yesterday", "2026-06-09"),
    ("What was her address at the end of May?", "at the end of May", "2026-05-31"),
    ("What was her address at the end of February 2024?", "at the end of February 2024",
     "2024-02-29"),
    ("What was her address at the end of 2024?", "at the end of 2024", "2024-12-31"),
    ("What was her address at the end of last year?", "at the end of last year", "2025-12-31"),
    ("What was her address at the beginning of May?", "at the beginning of May", "2026-05-01"),
    ("What was her address at the start of 2025?", "at the start of 2025", "2025-01-01"),
    ("What was in force as of March 2024?", "as of March 2024", "2024-03-31"),
    ("What was in force as of May?", "as of May", "2026-05-31"),
    ("Was hat Mira am 8. Mai 2023 gegessen?", "am 8. Mai 2023", "2023-05-08"),
    ("Qu'a-t-elle dit le 1er mai 2023 ?", "le 1er mai 2023", "2023-05-01"),
    ("¿Dónde vivía el 8 de mayo de 2023?", "el 8 de mayo de 2023", "2023-05-08"),
    ("Waar woonde ze op 8 maart 2023?", "op 8 maart 2023", "2023-03-08"),
    ("她在2023年5月3日吃了什么？", "在2023年5月3日", "2023-05-03"),
]  # fmt: skip

WINDOWS = [
    ("What did Melanie do in March?", "in March", "2026-03-01", "2026-04-01"),
    ("In March, what did Melanie do?", "In March", "2026-03-01", "2026-04-01"),
    ("What did Melanie do during April?", "during April", "2026-04-01", "2026-05-01"),
    ("What did she do in December?", "in December", "2025-12-01", "2026-01-01"),
    ("What did she do in June?", "in June", "2026-06-01", "2026-07-01"),
    ("What did she do in July?", "in July", "2025-07-01", "2025-08-01"),
    ("What did she do in July 2023?", "in July 2023", "2023-07-01", "2023-08-01"),
    ("What did she do in July, 2023?", "in July, 2023", "2023-07-01", "2023-08-01"),
    ("What did she do in July of 2023?", "in July of 2023", "2023-07-01", "2023-08-01"),
    ("What did she do in the month of May?", "in the month of May", "2026-05-01", "2026-06-01"),
    ("What did she do in February 2024?", "in February 2024", "2024-02-01", "2024-03-01"),
    ("May I ask what she did in May?", "in May", "2026-05-01", "2026-06-01"),
    ("Who did march in March?", "in March", "2026-03-01", "2026-04-01"),
    ("Where did Mira live in 2023?", "in 2023", "2023-01-01", "2024-01-01"),
    ("In 2023 where did Mira live?", "In 2023", "2023-01-01", "2024-01-01"),
    ("Where did she live in the year 2024?", "in the year 2024", "2024-01-01", "2025-01-01"),
    ("What books has she read in 2023?", "in 2023", "2023-01-01", "2024-01-01"),
    ("Where did she live throughout 2024?", "throughout 2024", "2024-01-01", "2025-01-01"),
    ("What happened last week?", "last week", "2026-06-01", "2026-06-08"),
    ("Show me everything from last week", "from last week", "2026-06-01", "2026-06-08"),
    ("What happened last month?", "last month", "2026-05-01", "2026-06-01"),
    ("What happened last year?", "last year", "2025-01-01", "2026-01-01"),
    ("What did she say this week?", "this week", "2026-06-08", "2026-06-15"),
    ("What did she say this month?", "this month", "2026-06-01", "2026-07-01"),
    ("What did she say this year?", "this year", "2026-01-01", "2027-01-01"),
    ("What was her address before April?", "before April", None, "2026-04-01"),
    ("What was her address before 3 June?", "before 3 June", None, "2026-06-03"),
    ("What was her address prior to 2024?", "prior to 2024", None, "2024-01-01"),
    ("What was her address before last week?", "before last week", None, "2026-06-01"),
    ("What was her address before yesterday?", "before yesterday", None, "2026-06-09"),
    ("What has changed since Monday?", "since Monday", "2026-06-08", None),
    ("Since 2 June, what has changed?", "Since 2 June", "2026-06-02", None),
    ("What has changed since last month?", "since last month", "2026-05-01", None),
    ("What has changed since 2024?", "since 2024", "2024-01-01", None),
    ("What has changed since two weeks ago?", "since two weeks ago", "2026-05-27", None),
    ("What changed after 3 June?", "after 3 June", "2026-06-04", None),
    ("What changed after April?", "after April", "2026-05-01", None),
    ("What changed after 2024?", "after 2024", "2025-01-01", None),
    ("What did she do in the last 3 weeks?", "in the last 3 weeks", "2026-05-20", None),
    ("What did she do over the past month?", "over the past month", "2026-05-10", None),
    ("What did she do in the last week?", "in the last week", "2026-06-03", None),
    ("What did she do within the last ten days?", "within the last ten days", "2026-05-31", None),
    ("How many hours did I spend on films last month?", "last month", "2026-05-01", "2026-06-01"),
    ("What did I participate in last week?", "last week", "2026-06-01", "2026-06-08"),
    ("What film did she see in Sep 2024?", "in Sep 2024", "2024-09-01", "2024-10-01"),
    ("Wo wohnte sie im März 2023?", "im März 2023", "2023-03-01", "2023-04-01"),
    ("Wo wohnte sie vor dem 3. Mai 2023?", "vor dem 3. Mai 2023", None, "2023-05-03"),
    ("Où habitait-elle en août 2023 ?", "en août 2023", "2023-08-01", "2023-09-01"),
    ("¿Dónde vivía antes de mayo de 2023?", "antes de mayo de 2023", None, "2023-05-01"),
    ("Waar woonde ze in mei 2023?", "in mei 2023", "2023-05-01", "2023-06-01"),
    ("2023年5月以前她住在哪里？", "2023年5月以前", None, "2023-05-01"),
]  # fmt: skip

PAIRS = [
    ("What did she buy between 3 and 9 June?", "2026-06-03", "2026-06-10", "2026-06-09"),
    ("What did she buy between June 3 and 9?", "2026-06-03", "2026-06-10", "2026-06-09"),
    ("What did she buy between 3 May and 9 June 2025?", "2025-05-03", "2025-06-10", "2025-06-09"),
    ("What did she buy between March and May?", "2026-03-01", "2026-06-01", "2026-05-01"),
    ("What did she buy between 2021 and 2023?", "2021-01-01", "2024-01-01", "2023-01-01"),
    ("What changed between 2026-05-01 and 2026-05-09?", "2026-05-01", "2026-05-10", "2026-05-09"),
    ("Where did she live from 2021 to 2023?", "2021-01-01", "2024-01-01", "2023-01-01"),
    ("Where did she live from Feb 2022 to Nov 2023?", "2022-02-01", "2023-12-01", "2023-11-01"),
    ("What did she do from 3 to 9 June?", "2026-06-03", "2026-06-10", "2026-06-09"),
    ("What did she do from March through May?", "2026-03-01", "2026-06-01", "2026-05-01"),
    ("Who was she employed by from 2021 to 2023?", "2021-01-01", "2024-01-01", "2023-01-01"),
    ("What did she do between 2025 and 2026?", "2025-01-01", "2027-01-01", "2026-01-01"),
]  # fmt: skip

ABOUT = [
    ("What did we discuss two weeks ago?", "2026-05-27", "2026-05-25", "2026-06-01"),
    ("What did we discuss a week ago?", "2026-06-03", "2026-06-01", "2026-06-08"),
    ("What did we discuss a month ago?", "2026-05-10", "2026-05-01", "2026-06-01"),
    ("Where did she live a year ago?", "2025-06-10", "2025-01-01", "2026-01-01"),
    ("Where did she live 4 years ago?", "2022-06-10", "2022-01-01", "2023-01-01"),
]

NONE = [
    # words that are no time
    "When did Caroline go to the LGBTQ support group?",
    "May I ask where she lives?", "What may happen to her?", "It may be in doubt, may it not?",
    "Did they march against the war?", "Who won the March Madness?", "Who came second?",
    "Do you have a second?", "What did Sunday say about the trip?", "What did April say?",
    "What happened in April's house?", "Was it before April left?",
    "Did she arrive before June did?", "Did she live in August, Georgia?",
    "Which Mar del Plata trip?", "Who is Augusta?", "How did june do?", "What about in may?",
    'Did you read "1984"?', 'What did she think of "In March" and "Last week"?',
    "What is 1984 about?", "Who wrote 1984?", "Who is the main character in 1984?",
    "Did Anna like the book that is set in 1984?",
    "What happened on Friday the 13th?", "What happened on Black Friday?",
    # numbers
    "Does it run on python 3.11?", "Is it in version 2.2023?", "Call 0171 2023 0506?",
    "What costs $2023?", "How many people came in 2000 cars?", "What is in room 2023?",
    "Which one is in 3rd place?", "See https://example.com/2023/05/06 for what?",
    "What did a-2023-05-06 mean?", "What happened at 10:00?", "What changed since 5?",
    # now, and what is to come
    "What is her current address?", "Where does she live now?", "What is today's plan?",
    "Where does she live currently?", "What is planned for next week?", "What is due tomorrow?",
    "What will she do in July?", "What happens in July?", "What is planned in July?",
    "What will she do on Monday?", "What does she do on Mondays?", "What does she do on Sunday?",
    "What is on 12 June?", "What was said in 2031?", "What changes after 2030?",
    # a value that is asked for, not the time of the question
    "Is the deadline on 30 June?", "What is due on 30 June?", "What is due by 3 June?",
    "When is the May report due?", "What did the May 23 meeting decide?", "Who was born in 1990?",
    "Who owned it for ten years beginning in 2014?", "Which team founded in 2016 did she join?",
    "When did she see the 2023 budget?", "What was moved from 3 June to 9 June?",
    "What is scheduled on 3 June?", "What came of the budget of 2023 in March?",
    "Was the deadline moved from 3 June to 9 June?", "Did it change from 2023 to 2024?",
    "What did she do from Monday to Friday?", "What did she do from March until May?",
    "What did she do between March to May?", "Who held the post from 1857 to 1862?",
    # the time of something else
    "What was the address before she moved in March?", "What did she do after the race in May?",
    "What was said around 9am on 2 June?", "What was said from 8:00 on 2 June?",
    # lengths and distances
    "How many days ago did I buy a smoker?", "How long has she been here since 2023?",
    "What did she do for 3 years?", "How long ago was Caroline's 18th birthday?",
    "How many years ago did she move?", "How long before 3 June did she call?",
    "How many days are between 3 and 9 June?", "What did she do two weeks before 3 June?",
    "Where was she the day after 3 June?", "What is the difference between May and June?",
    # too vague, or several
    "What did she buy a few weeks ago?", "What did she do last night?",
    "What did she say this morning?", "What did she read last summer?",
    "What did she do in the summer of 2022?", "What did she do in early May?",
    "What did she do in mid-May?", "What did she do in May or June?",
    "What did she do in May and June?", "What did she do on Monday or Tuesday?",
    "What did she do in the last week of May?", "What did she do on the last day of May?",
    "What was said in last week's meeting?", "What was in yesterday's mail?",
    "What changed since 3 June and before 9 June?", "What did she do in May but not in June 2024?",
    "Was she heavier than in March?", "What did she do not in March?",
    "What did she do on 3/4/2026?", "What did she do on 12.05.2026?",
    "What did she do on Monday morning?", "What did she do on 2 June in the evening and on 3 June?",
    "What did she say on Wednesday?",  # is it today or a week ago?
    "What did she say last Monday?",  # of this week or of the one before?
    "What did she say last Tuesday?",
    # no such day
    "What did she do on 31 February?", "What did she do on 2026-02-30?",
    "What was valid on 29 February 2023?", "What did she say on Tuesday, 8 May 2023?",
    "What did she buy between 9 and 3 June?", "What did she buy between 2023 and 2021?",
]  # fmt: skip


@pytest.mark.parametrize(("question", "words", "at"), DAYS)
def test_a_day_is_its_last_microsecond(question, words, at):
    assert found(question) == (words, end(at), None, None)


@pytest.mark.parametrize(("question", "words", "after", "before"), WINDOWS)
def test_a_longer_time_is_a_window(question, words, after, before):
    edges = tuple(None if edge is None else day(edge) for edge in (after, before))
    assert found(question) == (words, None, *edges)


@pytest.mark.parametrize(("question", "at", "after", "before"), ABOUT)
def test_a_week_ago_is_that_day_and_its_week(question, at, after, before):
    times = found(question)
    assert times is not None
    assert times[1:] == (end(at), day(after), day(before))


@pytest.mark.parametrize(("question", "after", "before", "point"), PAIRS)
def test_from_one_time_to_another(question, after, before, point):
    times = found(question)
    assert times is not None
    assert times[1:] == (day(point) - 1, day(after), day(before))


@pytest.mark.parametrize("question", NONE)
def test_what_is_no_time_or_unsure_gives_none(question):
    assert found(question) is None


def test_the_tables_are_as_large_as_they_should_be():
    assert len(DAYS) + len(WINDOWS) + len(ABOUT) + len(PAIRS) >= 80
    assert len(NONE) >= 40


@pytest.mark.parametrize(
    ("now", "timezone", "question", "expected"),
    [
        # 2026-06-10 23:30 in Auckland is still the 10th in UTC and in Los Angeles
        ("2026-06-10T11:30:00Z", "Pacific/Auckland", "What did she say yesterday?", "2026-06-09"),
        ("2026-06-10T12:30:00Z", "Pacific/Auckland", "What did she say yesterday?", "2026-06-10"),
        ("2026-06-10T05:00:00Z", "America/Los_Angeles", "What was it yesterday?", "2026-06-08"),
        ("2026-06-10T14:00:00Z", "America/Los_Angeles", "What was it on 2 June?", "2026-06-02"),
        ("2026-01-01T06:00:00Z", "America/Los_Angeles", "What was it on 31 December?",
         "2025-12-31"),
        ("2025-12-31T12:00:00Z", "Pacific/Auckland", "What was it on 1 January?", "2026-01-01"),
        ("2025-12-31T10:00:00Z", "Pacific/Auckland", "What was it on 1 January?", "2025-01-01"),
    ],
)  # fmt: skip
def test_days_are_those_of_the_zone(now, timezone, question, expected):
    times = found(question, now, timezone)
    assert times is not None
    assert times.as_of == end(expected, timezone)


def test_windows_are_those_of_the_zone():
    times = found("What happened last year?", "2026-01-01T06:00:00Z", "America/Los_Angeles")
    assert times is not None
    # there it is still 2025
    assert (times.after, times.before) == (
        day("2024-01-01", "America/Los_Angeles"),
        day("2025-01-01", "America/Los_Angeles"),
    )
    times = found("What happened in January?", "2026-01-31T11:30:00Z", "Pacific/Auckland")
    assert times is not None
    assert to_datetime(times.after or 0) == dt.datetime(2025, 12, 31, 11, tzinfo=dt.UTC)


def test_the_week_begins_on_monday():
    times = found("What happened last week?", "2026-06-08T00:00:00Z")
    assert times is not None
    assert (times.after, times.before) == (day("2026-06-01"), day("2026-06-08"))
    times = found("What happened last week?", "2026-06-07T23:59:59Z")
    assert times is not None
    assert times.after == day("2026-05-25")


def test_a_week_over_the_end_of_a_year():
    times = found("What happened last week?", "2026-01-06T12:00:00Z")
    assert times is not None
    assert (times.after, times.before) == (day("2025-12-29"), day("2026-01-05"))


def test_a_year_ago_on_a_leap_day():
    times = found("Where did she live a year ago?", "2024-02-29T12:00:00Z")
    assert times is not None
    assert times.as_of == end("2023-02-28")


def test_last_month_at_the_end_of_a_long_month():
    times = found("What happened last month?", "2026-03-31T12:00:00Z")
    assert times is not None
    assert (times.after, times.before) == (day("2026-02-01"), day("2026-03-01"))


@pytest.mark.parametrize(
    ("question", "at"),
    [
        ("What was said on 2 June at 3pm?", "2026-06-02T15:00:00+02:00"),
        ("What was said at 9am on 2 June?", "2026-06-02T09:00:00+02:00"),
        ("What was said on 2 June at 12 am?", "2026-06-02T00:00:00+02:00"),
        ("What was said on 2 June 2025 at 15:30?", "2025-06-02T15:30:00+02:00"),
        ("What was in force as of 2026-06-02 at 09:05?", "2026-06-02T09:05:00+02:00"),
    ],
)
def test_a_time_of_day_is_an_instant(question, at):
    times = found(question, timezone="Europe/Madrid")
    assert times is not None
    assert times[1:] == (parse_instant(at, "at"), None, None)


def test_a_time_of_day_that_the_zone_skips_or_has_twice_gives_none():
    zone = "Europe/Madrid"
    assert found("What was said on 29 March 2026 at 02:30?", timezone=zone) is None
    assert found("What was said on 26 October 2025 at 02:30?", timezone=zone) is None
    assert found("What was said on 29 March 2026 at 01:30?", timezone=zone) is not None


def test_an_unknown_zone_is_refused():
    with pytest.raises(InvalidInput) as caught:
        found("What happened last week?", timezone="Mars/Olympus")
    assert caught.value.field == "timezone"


def test_the_ends_of_the_calendar_give_none():
    assert found("What did she say yesterday?", "9999-12-31T23:00:00Z", "Asia/Kolkata") is None
    assert found("What did she say yesterday?", "0001-01-01T00:00:00Z") is None


class Exactly(type):
    def __instancecheck__(cls, value):
        return isinstance(value, dt.datetime)


class NoClock(dt.datetime, metaclass=Exactly):
    @classmethod
    def now(cls, *_):
        raise AssertionError("the machine's clock was read")

    today = utcnow = now


def test_the_library_reads_neither_clock_nor_zone_of_the_machine(monkeypatch):
    questions = [row[0] for row in (*DAYS, *WINDOWS, *ABOUT, *PAIRS)]
    expected = [found(question) for question in questions]
    timewords._read.cache_clear()
    for library in (
        dateparser.date, dateparser.freshness_date_parser, dateparser.parser, dateparser.utils,
    ):  # fmt: skip
        if hasattr(library, "datetime"):
            monkeypatch.setattr(library, "datetime", NoClock)
    monkeypatch.setitem(os.environ, "TZ", "Pacific/Kiritimati")
    time.tzset()
    try:
        answers = [found(question) for question in questions]
    finally:
        monkeypatch.undo()
        time.tzset()
    assert answers == expected


def test_a_question_as_long_as_may_be_takes_no_time():
    for piece in ("in March ", "between ", "the last ", "on 2 ", "'", "last ", "2023 "):
        began = time.perf_counter()
        found(piece * (8000 // len(piece)))
        assert time.perf_counter() - began < 1.0
