"""Instants: one spelling, always UTC, nothing outside the years 1 to 9999. No clock here."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.unit import strategies as make

from muniment.model.claim import Times
from muniment.model.claim_options import read_instant
from muniment.model.errors import Malformed
from muniment.model.times import MAX, MIN, Instant, from_datetime, parse, show

HOUR = 3_600_000_000


@given(make.instants)
def test_what_is_shown_is_read_back(instant: Instant) -> None:
    assert parse(show(instant), field="at") == instant


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_datetime_and_its_text_are_the_same_instant(moment: datetime) -> None:
    assert from_datetime(moment, field="at") == parse(moment.isoformat(), field="at")


@given(st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)), st.integers(-23 * 60, 23 * 60))
def test_a_zone_changes_the_spelling_and_not_the_instant(moment: datetime, minutes: int) -> None:
    there = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    assert from_datetime(there, field="at") == from_datetime(there.astimezone(UTC), field="at")
    assert show(from_datetime(there, field="at")).endswith("Z")


@each(
    ("text", "shown"),
    [
        ("2026-03-01", "2026-03-01T00:00:00Z"),
        ("2026-03-01T10:00Z", "2026-03-01T10:00:00Z"),
        ("2026-03-01t10:00:00z", "2026-03-01T10:00:00Z"),
        ("2026-03-01 10:00:00 +02:00", "2026-03-01T08:00:00Z"),
        ("2026-03-01T00:30:00+01:00", "2026-02-28T23:30:00Z"),
        ("2024-02-29", "2024-02-29T00:00:00Z"),
        ("2026-03-01T10:00:00.5Z", "2026-03-01T10:00:00.500000Z"),
        ("2026-03-01T10:00:00.000001Z", "2026-03-01T10:00:00.000001Z"),
        ("0001-01-01", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
        ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
    ],
)
def test_an_instant_has_one_spelling(text: str, shown: str) -> None:
    assert show(parse(text, field="at")) == shown


def test_the_ends_of_time_are_the_years_1_and_9999() -> None:
    assert (show(MIN), show(MAX)) == ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z")


@each(
    "text",
    [
        "",
        "now",
        "2026",
        "2026-03",
        "2026-3-1",
        "26-03-01",
        "2026-03-01T10:00:00",  # which zone?
        "2026-03-01T10:00:00+2",
        "2026-03-01T10:00:00+24:00",
        "2026-03-01T10:00:00+00:60",
        "2026-03-01T24:00:00Z",
        "2026-03-01T10:60:00Z",
        "2026-03-01T10:00:60Z",
        "2026-02-29",
        "2026-13-01",
        "2026-00-01",
        "2026-01-00",
        "0000-01-01",
        "10000-01-01",
        "-0001-01-01",
        "+2026-01-01",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "２０２６-03-01",
        "2026-03-01T10:00:00Z\x00",
        "2026-03-01Z",
        "1e9",
        "NaN",
        "2026-03-01" * 1_000_000,
    ],
    ids=lambda text: text[:40] or "empty",
)
def test_a_text_that_is_no_instant_is_refused_by_the_name_of_its_field(text: str) -> None:
    with pytest.raises(Malformed) as refused:
        parse(text, field="valid_from")
    assert refused.value.field == "valid_from"


def test_a_datetime_without_a_zone_is_refused() -> None:
    with pytest.raises(Malformed) as refused:
        from_datetime(datetime(2026, 1, 1), field="valid_at")
    assert refused.value.field == "valid_at"


@each("value", [True, 1.5, b"2026-01-01", date(2026, 1, 1), [], MAX + 1, MIN - 1, 10**400])
def test_whatever_else_is_given_as_a_time_is_refused(value: object) -> None:
    with pytest.raises(Malformed) as refused:
        read_instant("known_at", value)
    assert refused.value.field == "known_at"


@pytest.mark.parametrize("hours", [-14, 14])
def test_a_datetime_beyond_the_ends_of_time_is_refused(hours: int) -> None:
    edge = datetime(1, 1, 1) if hours > 0 else datetime(9999, 12, 31, 23, 59)
    there = edge.replace(tzinfo=timezone(timedelta(hours=hours)))
    with pytest.raises(Malformed) as refused:
        Times(expires_at=read_instant("expires_at", there))
    assert refused.value.field == "expires_at"


@each("value", [0, MIN, MAX, -1])
def test_microseconds_are_taken_as_they_are(value: int) -> None:
    assert read_instant("known_at", value) == value
