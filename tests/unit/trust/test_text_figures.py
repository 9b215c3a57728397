"""Stems and figures: two spellings of one thing meet, two things stay apart."""

from __future__ import annotations

from tests.cases import each

from muniment.text.quantities import Quantity, differ, quantities
from muniment.text.stems import done, stem
from muniment.text.words import bag, spoken, tokens


def figures(text: str) -> list[Quantity]:
    return quantities(tokens(text))


@each(
    "forms",
    [
        "enable enables enabled enabling", "optimize optimization optimizing", "submit submitted submission",
        "write wrote written writing", "policy policies", "use used using uses", "agree agreed agrees",
        "classify classification", "deploy deployment deploys", "run running ran",
    ],
)  # fmt: skip
def test_the_forms_of_a_word_meet(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@each(
    ("one", "other"),
    [("mission", "miss"), ("station", "state"), ("note", "not"), ("early", "ear"), ("daily", "day"), ("class", "clay")],
)
def test_two_words_stay_apart(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_a_past_form_is_known_by_its_ending_or_by_name() -> None:
    assert [word for word in ("missed", "took", "take", "need", "speed", "using") if done(word)] == ["missed", "took"]


@each(
    ("one", "other"),
    [
        ("100 ms", "0.1 s"), ("1,000 rows", "1000 rows"), ("two replicas", "2 replicas"), ("5k users", "5,000 users"),
        ("100 requests per minute", "6,000 requests/hour"), ("30 %", "30 percent"), ("$5", "5 dollars"),
        ("90 minutes", "1.5 hours"), ("2 years", "24 months"), ("3 PM", "15:00"), ("12 AM", "0:00"),
        ("March 15, 2024", "2024-03-15"), ("15 March 2024", "Mar 15, 2024"), ("twenty-five cats", "25 cats"),
        ("one hundred and twenty pods", "120 pods"), ("3 million dollars", "$3,000k"), ("1 GB", "1000 MB"),
        ("１００ ms", "100 ms"),
    ],
)  # fmt: skip
def test_one_figure_in_two_spellings(one: str, other: str) -> None:
    (a,), (b,) = figures(one), figures(other)
    assert a.unit == b.unit
    assert not differ(a, b)


@each(
    ("one", "other"),
    [
        ("100 ms", "100 s"), ("two replicas", "3 replicas"), ("3 PM", "3 AM"), ("March 15", "March 16"),
        ("March 15, 2024", "March 15, 2025"), ("on Monday", "on Tuesday"), ("rack 3", "rack 4"),
        ("Python 3.1", "Python 3.10"), ("version 2.3.1", "version 2.3.2"), ("about 100 ms", "about 150 ms"),
    ],
)  # fmt: skip
def test_two_figures_of_one_unit_differ(one: str, other: str) -> None:
    (a,), (b,) = figures(one), figures(other)
    assert a.unit == b.unit
    assert differ(a, b)


@each(
    ("one", "other"),
    [
        ("about 100 ms", "104 ms"), ("at least 80 ms", "95 ms"), ("up to 500 messages", "320 messages"),
        ("March 15", "March 15, 2024"), ("March 2024", "March 15"), ("more than 3 days", "5 days"),
    ],
)  # fmt: skip
def test_a_figure_that_leaves_something_open_agrees_with_one_that_fits(one: str, other: str) -> None:
    (a,), (b,) = figures(one), figures(other)
    assert not differ(a, b)


@each(
    ("text", "unit"),
    [
        ("server 12 runs", "#server"), ("12 servers run", "server"), ("12 conditional probability problems", "problem"),
        ("60 calls/minute", "call/s"), ("it has reached 165", ""), ("$5 per month", "$/s"), ("a 4-week course", "time"),
    ],
)  # fmt: skip
def test_a_number_is_known_by_what_it_counts_or_names(text: str, unit: str) -> None:
    (figure,) = figures(text)
    assert figure.unit == unit


def test_what_was_before_is_told_from_what_is() -> None:
    before, after = figures("it went from 60% to 85%")
    assert (before.former, after.former) == (True, False)


def test_numbers_in_a_row_are_a_list() -> None:
    assert {figure.bound for figure in figures("with sides 7, 24 and 25")} == {"list"}


@each("text", ["I may go", "one of them", "this one", "no figures here"])
def test_words_that_only_look_like_figures_are_none(text: str) -> None:
    assert figures(text) == []


def test_a_bag_holds_what_a_text_is_about_and_not_how_it_is_said() -> None:
    assert bag("I've been really trying to use the NEW caches’ keys") == ("cach", "key")


def test_code_is_not_spoken() -> None:
    assert spoken("before ```x = 5``` after") == "before \n after"
