"""The time a question speaks about: what each way of saying it means on a given day, and what is no time at all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.unit.world import at

from muniment.model.times import MAX, MIN, Instant, show
from muniment.text.dates import read_span

ASKED = at("2024-05-15T12:00:00Z")
"""A Wednesday, in a leap year."""

DAY_END = "T23:59:59.999999Z"


def told(text: str, asked: Instant = ASKED) -> tuple[str, str] | None:
    """First and last day of what is read; with the time of day where it is not a whole one."""
    span = read_span(text, asked)
    if span is None:
        return None
    return show(span.first).removesuffix("T00:00:00Z"), show(span.last).removesuffix(DAY_END)


DAYS = [
    ("on 2024-03-15", "2024-03-15"), ("at 2024-03-15T10:30:00Z", "2024-03-15"), ("on 2024/3/5", "2024-03-05"),
    ("on March 15, 2024", "2024-03-15"), ("on 15 Mar 2024", "2024-03-15"), ("on the 3rd of March 2022", "2022-03-03"),
    ("on Mar. 3rd, 2022", "2022-03-03"), ("on 3/15/2024", "2024-03-15"), ("on 15.3.2024", "2024-03-15"),
    ("on 3/15", "2024-03-15"), ("on 12/31", "2023-12-31"), ("May 5th", "2024-05-05"), ("May 15", "2024-05-15"),
    ("May 16", "2023-05-16"), ("June 3", "2023-06-03"), ("4 July", "2023-07-04"), ("July 4th 2021", "2021-07-04"),
    ("yesterday", "2024-05-14"), ("yesterday evening", "2024-05-14"), ("today", "2024-05-15"),
    ("tonight", "2024-05-15"), ("this morning", "2024-05-15"), ("the day before yesterday", "2024-05-13"),
    ("tomorrow", "2024-05-16"), ("the day after tomorrow", "2024-05-17"), ("3 days ago", "2024-05-12"),
    ("one day ago", "2024-05-14"), ("twenty days ago", "2024-04-25"), ("a couple of days ago", "2024-05-13"),
    ("last Friday", "2024-05-10"), ("on Friday", "2024-05-10"), ("on Wednesday", "2024-05-15"),
    ("last Wednesday", "2024-05-08"), ("last Thursday night", "2024-05-09"), ("this Friday", "2024-05-17"),
    ("next Monday", "2024-05-20"), ("on fri", "2024-05-10"), ("two weeks before March 15", "2024-03-01"),
    ("a month after 2023-05-01", "2023-06-01"), ("three days after Christmas 2022", "2022-12-28"),
    ("the day before Christmas", "2023-12-24"), ("the day after March 1, 2023", "2023-03-02"),
    ("the first day of May 2023", "2023-05-01"), ("the last day of February 2024", "2024-02-29"),
    ("on Christmas", "2023-12-25"), ("on Christmas Eve 2020", "2020-12-24"), ("on New Year's Day", "2024-01-01"),
    ("on New Year’s Eve", "2023-12-31"), ("on Halloween", "2023-10-31"), ("on Valentine's Day", "2024-02-14"),
    ("on Thanksgiving", "2023-11-23"), ("on Thanksgiving 2022", "2022-11-24"), ("at Easter", "2024-03-31"),
    ("at Easter 2019", "2019-04-21"), ("last Easter", "2024-03-31"), ("on Labor Day 2023", "2023-09-04"),
    ("on Memorial Day 2023", "2023-05-29"), ("on Black Friday", "2023-11-24"), ("on Mother's Day", "2024-05-12"),
    ("the Sunday before October 25, 2022", "2022-10-23"), ("last Friday, on 23 January 2022", "2022-01-21"),
]  # fmt: skip

STRETCHES = [
    ("in 2023-04", "2023-04-01", "2023-04-30"), ("in March 2023", "2023-03-01", "2023-03-31"),
    ("in March", "2024-03-01", "2024-03-31"), ("last March", "2024-03-01", "2024-03-31"),
    ("this March", "2024-03-01", "2024-03-31"), ("in May", "2024-05-01", "2024-05-31"),
    ("last May", "2023-05-01", "2023-05-31"), ("in June", "2023-06-01", "2023-06-30"),
    ("this June", "2024-06-01", "2024-06-30"), ("next March", "2025-03-01", "2025-03-31"),
    ("in Feb", "2024-02-01", "2024-02-29"), ("in 2022", "2022-01-01", "2022-12-31"),
    ("in the year 2021", "2021-01-01", "2021-12-31"), ("in the 1990s", "1990-01-01", "1999-12-31"),
    ("in Q3 2023", "2023-07-01", "2023-09-30"), ("spring 2023", "2023-03-01", "2023-05-31"),
    ("the summer of 2022", "2022-06-01", "2022-08-31"), ("fall 2021", "2021-09-01", "2021-11-30"),
    ("autumn 2021", "2021-09-01", "2021-11-30"), ("winter 2023", "2023-12-01", "2024-02-29"),
    ("last summer", "2023-06-01", "2023-08-31"), ("in the winter", "2023-12-01", "2024-02-29"),
    ("last night", "2024-05-14T18:00:00Z", "2024-05-15T05:59:59.999999Z"), ("last week", "2024-05-06", "2024-05-12"),
    ("last month", "2024-04-01", "2024-04-30"), ("last year", "2023-01-01", "2023-12-31"),
    ("last weekend", "2024-05-11", "2024-05-12"), ("this past weekend", "2024-05-11", "2024-05-12"),
    ("this week", "2024-05-13", "2024-05-19"), ("this month", "2024-05-01", "2024-05-31"),
    ("this year", "2024-01-01", "2024-12-31"), ("last quarter", "2024-01-01", "2024-03-31"),
    ("next week", "2024-05-20", "2024-05-26"), ("the past week", "2024-05-08", "2024-05-15T12:00:00Z"),
    ("in the last month", "2024-04-15", "2024-05-15T12:00:00Z"),
    ("the past year", "2023-05-15", "2024-05-15T12:00:00Z"),
    ("a week ago", "2024-05-05", "2024-05-11"), ("two weeks ago", "2024-04-28", "2024-05-04"),
    ("a month ago", "2024-03-31", "2024-04-30"), ("a year ago", "2022-11-13", "2023-11-14"),
    ("a few days ago", "2024-05-10", "2024-05-13"), ("a few weeks ago", "2024-04-07", "2024-05-04"),
    ("an hour ago", "2024-05-15T10:30:00Z", "2024-05-15T11:29:59.999999Z"),
    ("past 3 days", "2024-05-12", "2024-05-15T12:00:00Z"), ("last two weeks", "2024-05-01", "2024-05-15T12:00:00Z"),
    ("the past few months", "2023-12-15", "2024-05-15T12:00:00Z"),
    ("the last 24 hours", "2024-05-14T12:00:00Z", "2024-05-15T12:00:00Z"),
    ("between March and May 2023", "2023-03-01", "2023-05-31"), ("between 2020 and 2022", "2020-01-01", "2022-12-31"),
    ("between November and February", "2023-11-01", "2024-02-29"),
    ("between March 5 and March 10, 2023", "2023-03-05", "2023-03-10"),
    ("from March 5 to March 10", "2024-03-05", "2024-03-10"), ("from March 2022 to May", "2022-03-01", "2022-05-31"),
    ("from January to March", "2024-01-01", "2024-03-31"), ("March 5-10, 2023", "2023-03-05", "2023-03-10"),
    ("from Monday to Friday", "2024-05-06", "2024-05-10"), ("between yesterday and today", "2024-05-14", "2024-05-15"),
    ("from 2020-01-01 until yesterday", "2020-01-01", "2024-05-14"),
    ("since March", "2024-03-01", "2024-05-15T12:00:00Z"),
    ("since last summer", "2023-06-01", "2024-05-15T12:00:00Z"), ("since 2022", "2022-01-01", "2024-05-15T12:00:00Z"),
    ("before March 15, 2024", "0001-01-01", "2024-03-14"), ("before Christmas", "0001-01-01", "2023-12-24"),
    ("after 2023-05-01", "2023-05-02", "9999-12-31"), ("until last Friday", "0001-01-01", "2024-05-10"),
    ("by July 10, 2022", "0001-01-01", "2022-07-10"), ("the week of March 5", "2024-03-04", "2024-03-10"),
    ("the week after Easter 2024", "2024-04-01", "2024-04-07"),
    ("the week before August 3, 2023", "2023-07-27", "2023-08-02"), ("the end of May", "2024-05-21", "2024-05-31"),
    ("the beginning of November 2022", "2022-11-01", "2022-11-10"), ("mid-May", "2024-05-11", "2024-05-20"),
    ("early March 2023", "2023-03-01", "2023-03-10"), ("the first half of September 2022", "2022-09-01", "2022-09-15"),
    ("the first week of May 2023", "2023-05-01", "2023-05-07"), ("the last week of April", "2024-04-24", "2024-04-30"),
    ("last weekend before April 10, 2023", "2023-04-08", "2023-04-09"),
]  # fmt: skip

NO_TIME = [
    "", "I may go", "you may 5 of them", "may 5 people come", "we march on", "to march", "march 10 miles", "second",
    "a day", "How many days", "How many years ago", "the other day", "every March", "each Friday", "on Fridays",
    "Saturday mornings", "in 2000 steps", "a budget of 2023 dollars", "room 2023", "call 555-2023", "24/7", "10.5 days",
    "February 30", "2023-02-29", "2023-13-01", "on 13/32", "sun and sat", "April said hi", "June is nice",
    "spring forward", "fall apart", "the last one",
    "this thing", "next", "ago", "before", "between us", "$2023", "2023%",
]  # fmt: skip


@each(("words", "day"), DAYS)
def test_words_that_mean_one_day(words: str, day: str) -> None:
    assert told(f"What did Ana say {words}?") == (day, day)


@each(("words", "first", "last"), STRETCHES)
def test_words_that_mean_a_stretch_of_time(words: str, first: str, last: str) -> None:
    assert told(f"What did Ana say {words}?") == (first, last)


@each("words", NO_TIME)
def test_words_that_mean_no_time(words: str) -> None:
    assert told(f"What did Ana say: {words}") is None


@each(
    ("asked", "words", "first", "last"),
    [
        ("2024-03-31", "a month before today", "2024-02-29", "2024-02-29"),
        ("2023-03-31", "a month before today", "2023-02-28", "2023-02-28"),
        ("2024-02-29", "a year before today", "2023-02-28", "2023-02-28"),
        ("2024-01-01", "yesterday", "2023-12-31", "2023-12-31"),
        ("2024-01-01", "last month", "2023-12-01", "2023-12-31"),
        ("2024-01-01", "last week", "2023-12-25", "2023-12-31"),
        ("2023-01-01", "this week", "2022-12-26", "2023-01-01"),
        ("2024-01-02", "last quarter", "2023-10-01", "2023-12-31"),
        ("2023-12-31", "tomorrow", "2024-01-01", "2024-01-01"),
        ("2024-03-01", "yesterday", "2024-02-29", "2024-02-29"),
        ("2023-03-01", "yesterday", "2023-02-28", "2023-02-28"),
        ("2023-03-01", "on February 29", "2020-02-29", "2020-02-29"),
        ("1903-01-01", "on February 29", "1896-02-29", "1896-02-29"),
        ("2024-03-15", "last March", "2023-03-01", "2023-03-31"),
        ("2024-04-01", "last March", "2024-03-01", "2024-03-31"),
        ("2024-12-25", "on Christmas", "2024-12-25", "2024-12-25"),
        ("2024-12-25", "last Christmas", "2023-12-25", "2023-12-25"),
        ("2024-01-20", "this winter", "2023-12-01", "2024-02-29"),
        ("2024-05-12", "last Sunday", "2024-05-05", "2024-05-05"),
        ("2024-05-12", "on Sunday", "2024-05-12", "2024-05-12"),
        ("2000-03-01", "the last day of February", "2000-02-29", "2000-02-29"),
        ("1900-03-01", "the last day of February", "1900-02-28", "1900-02-28"),
    ],
)  # fmt: skip
def test_the_calendar_turns_where_it_should(asked: str, words: str, first: str, last: str) -> None:
    assert told(f"What did Ana say {words}?", at(asked)) == (first, last)


def test_the_edge_of_time_cuts_a_span_off() -> None:
    assert told("yesterday", at("0001-01-01")) is None
    assert told("this week", at("9999-12-31")) == ("9999-12-27", "9999-12-31")
    assert told("9999 years ago") is None
    assert told("since tomorrow") == ("2024-05-16", "9999-12-31")


@each(
    ("words", "sure"),
    [
        ("on March 15, 2024", True), ("in March", False), ("last March", True), ("on 3/15/2024", True),
        ("on 3/4/2024", False), ("on 4.3.2024", True), ("yesterday", True), ("two weeks ago", False),
        ("two days ago", True), ("a few days ago", False), ("on Friday", False), ("last Friday", True),
        ("winter 2023", False), ("summer 2023", True), ("the past few months", False), ("the past 3 months", True),
        ("between 2020 and 2022", True), ("between March and May 2023", False), ("the end of May 2023", False),
    ],
)  # fmt: skip
def test_a_span_is_sure_when_nothing_had_to_be_guessed(words: str, sure: bool) -> None:
    span = read_span(f"What did Ana say {words}?", ASKED)
    assert span is not None
    assert span.sure is sure


def test_the_words_are_kept_as_they_are_written() -> None:
    span = read_span("What happened Two Weeks before MARCH 15, please?", ASKED)
    assert span is not None
    assert span.words == "Two Weeks before MARCH 15"


def test_of_several_times_the_first_sure_one_is_read() -> None:
    assert told("Was it on Friday, or was it on 2023-05-01, or in 2022?") == ("2023-05-01", "2023-05-01")
    assert told("Was it on Friday or in April?") == ("2024-05-10", "2024-05-10")


def test_only_the_head_of_a_long_text_is_read() -> None:
    assert read_span("x" * 4_001 + " on 2023-05-01", ASKED) is None


instants = st.integers(MIN, MAX).map(Instant)
phrases = st.sampled_from([words for words, *_ in (*DAYS, *STRETCHES)] + NO_TIME)
joins = st.sampled_from([" ", " and ", " to ", " before ", ", ", " the week of ", " since ", "-", " 12 "])
sentences = st.lists(st.tuples(phrases, joins), max_size=5).map(lambda parts: "".join(a + b for a, b in parts))


@given(st.one_of(sentences, st.text(max_size=80)), instants)
def test_whatever_is_read_lies_within_the_years_there_are(text: str, asked: Instant) -> None:
    span = read_span(text, asked)
    if span is not None:
        assert MIN <= span.first <= span.last <= MAX
        assert span.words
        assert span.words in text


@given(sentences, instants)
def test_capitals_change_nothing(text: str, asked: Instant) -> None:
    def read(written: str) -> tuple[int, int, bool] | None:
        span = read_span(written, asked)
        return None if span is None else (span.first, span.last, span.sure)

    assert read(text.upper()) == read(text.lower()) == read(text)
