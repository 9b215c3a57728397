"""The calendar by arithmetic agrees with the library's, and goes on where that one ends."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each

from muniment.text.dates import calendar

EPOCH = date(1970, 1, 1).toordinal()


@given(st.dates())
def test_a_date_and_its_number_are_one(day: date) -> None:
    number = day.toordinal() - EPOCH
    assert calendar.day_number(day.year, day.month, day.day) == number
    assert calendar.civil(number) == (day.year, day.month, day.day)
    assert calendar.weekday(number) == day.isoweekday()


@given(st.integers(-5_000_000, 20_000_000))
def test_any_day_of_any_year_has_a_date(number: int) -> None:
    assert calendar.day_number(*calendar.civil(number)) == number
    assert calendar.exists(*calendar.civil(number))


@each(
    ("year", "month", "day"), [(2024, 3, 31), (2023, 4, 9), (2008, 3, 23), (1954, 4, 18), (1981, 4, 19), (2038, 4, 25)]
)
def test_easter_is_where_the_churches_keep_it(year: int, month: int, day: int) -> None:
    assert calendar.civil(calendar.easter(year)) == (year, month, day)


@each(
    ("start", "months", "end"),
    [
        ((2024, 3, 31), -1, (2024, 2, 29)), ((2023, 3, 31), -1, (2023, 2, 28)), ((2024, 1, 31), 1, (2024, 2, 29)),
        ((2024, 12, 15), 1, (2025, 1, 15)), ((2024, 1, 15), -13, (2022, 12, 15)), ((2024, 2, 29), 12, (2025, 2, 28)),
    ],
)  # fmt: skip
def test_a_month_later_is_the_same_day_or_the_last(
    start: tuple[int, int, int], months: int, end: tuple[int, int, int]
) -> None:
    assert calendar.civil(calendar.months_later(calendar.day_number(*start), months)) == end


def test_months_beyond_december_are_of_the_next_year() -> None:
    assert calendar.a_month(2023, 13) == calendar.a_month(2024, 1)
    assert calendar.a_month(2023, 0) == calendar.a_month(2022, 12)


def test_the_nth_weekday_of_a_month() -> None:
    assert calendar.civil(calendar.nth_weekday(2023, 11, 4, 4)) == (2023, 11, 23)
    assert calendar.civil(calendar.nth_weekday(2023, 5, 1, 0)) == (2023, 5, 29)
    assert calendar.civil(calendar.nth_weekday(2023, 5, 1, 1)) == (2023, 5, 1)
