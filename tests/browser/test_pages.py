"""Every page for everybody: axe finds nothing serious, nothing sticks out, the tab key reaches all, none move."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page
from tests.browser import keyboard
from tests.browser.axe import grave, violations
from tests.browser.conftest import OpenTab
from tests.browser.layout import beyond, moving
from tests.browser.pages import NARROW, WIDE, routes, sides
from tests.browser.tab import Console, Scheme

WALKED = {
    WIDE: {"overview", "queue", "search", "record", "conflicts", "conflict", "receipts", "receipt", "ledger", "forget"},
    NARROW: {"queue", "search", "conflict"},
}
"""Where the tab key is tried: each page once, and again where a narrow screen lays things out otherwise."""
_APPEND = """
([kind, words, styles]) => {
  const one = document.createElement(kind);
  one.textContent = words;
  for (const [name, value] of Object.entries(styles)) one.style.setProperty(name, value, "important");
  document.querySelector("main").append(one);
}
"""


def append(page: Page, kind: str, words: str = "", **styles: str) -> None:
    """Put something wrong on a page, to see whether it is noticed."""
    page.evaluate(_APPEND, [kind, words, {name.replace("_", "-"): value for name, value in styles.items()}])


SIZES = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
LOOKS = pytest.mark.parametrize(
    ("size", "scheme"), [(WIDE, "light"), (NARROW, "dark")], ids=["wide-light", "narrow-dark"]
)
"""Both widths and both lights: what a page is made of depends on one, its colours on the other."""


@pytest.mark.sampled(1)
@LOOKS
def test_no_page_keeps_anybody_out(console: Console, tab: OpenTab, size: tuple[int, int], scheme: Scheme) -> None:
    seat = tab(console, size=size, scheme=scheme)
    seat.page.goto(f"{console.url}/")
    seat.page.locator("input[type=password]").wait_for()
    found = {"sign-in": [*grave(violations(seat.page)), *beyond(seat.page)]}
    seat.sign_in("steward")
    for name, route in routes(console.ids).items():
        seat.go(route)
        found[name] = [*grave(violations(seat.page)), *beyond(seat.page)]
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


@pytest.mark.slow
@LOOKS
def test_no_side_of_a_page_keeps_anybody_out(
    console: Console, tab: OpenTab, size: tuple[int, int], scheme: Scheme
) -> None:
    seat = tab(console, "steward", size=size, scheme=scheme)
    found = {}
    for name, route in sides(console.ids).items():
        seat.go(route)
        found[name] = [*grave(violations(seat.page)), *beyond(seat.page)]
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


@pytest.mark.slow
@SIZES
def test_the_tab_key_reaches_everything_and_shows_where_it_is(
    console: Console, tab: OpenTab, size: tuple[int, int]
) -> None:
    seat = tab(console, "steward", size=size)
    found = {name: keyboard.faults(seat.open(name).page) for name in sorted(WALKED[size])}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


@pytest.mark.slow
def test_with_a_role_that_may_do_little_pages_are_as_open_and_nothing_moves(console: Console, tab: OpenTab) -> None:
    seat = tab(console, "reader", still=True)
    seat.forgive(r"status of 40[34]")
    found = {}
    for name, route in routes(console.ids).items():
        seat.go(route)
        found[name] = [*grave(violations(seat.page)), *moving(seat.page)]
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_axe_speaks_of_the_newest_guidelines_and_notices_what_is_wrong(console: Console, tab: OpenTab) -> None:
    page = tab(console, "curator").page
    append(page, "button")
    append(page, "p", "can you read this?", color="#ccc", background="#fff")

    rules = {broken.split(":")[0] for broken in grave(violations(page))}

    assert rules == {"button-name", "color-contrast"}
    assert page.evaluate("axe.getRules(['wcag22aa']).map((rule) => rule.ruleId)") == ["target-size"]


@pytest.mark.slow
def test_what_sticks_out_and_what_moves_is_noticed(console: Console, tab: OpenTab) -> None:
    page = tab(console, "steward", size=NARROW, still=True).page
    append(page, "hr", position="absolute", left="0", width="500px", height="1px")
    append(page, "b", transition="opacity 200ms")
    append(page, "i", animation="spin 2s infinite")
    assert beyond(page) == ["sideways: hr.null 500"]
    assert moving(page) == ["moves: b.null", "moves: i.null"]


@pytest.mark.slow
def test_what_cannot_be_reached_or_shows_no_ring_is_noticed(console: Console, tab: OpenTab) -> None:
    page = tab(console, "steward").page
    append(page, "button", "faint", outline="none", box_shadow="none")
    append(page, "button", "far")
    append(page, "button", "away", position="fixed", left="-500px")
    page.get_by_role("button", name="far").evaluate("(one) => { one.tabIndex = -1 }")
    assert keyboard.faults(page) == ["not reached: button far", "no ring: button faint", "off the screen: button away"]


@pytest.mark.slow
def test_the_first_stop_leads_past_the_places_to_the_content(console: Console, tab: OpenTab) -> None:
    page = tab(console, "steward").go("#/queue").page
    keyboard.from_the_top(page)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('main').contains(document.activeElement)")
    assert page.evaluate("document.querySelector('main').dataset.place") == "/queue"


@pytest.mark.slow
def test_the_light_is_that_of_whoever_looks(console: Console, tab: OpenTab) -> None:
    schemes: tuple[Scheme, ...] = ("light", "dark")
    pages = [tab(console, "steward", scheme=scheme).page for scheme in schemes]
    grounds = [page.evaluate("getComputedStyle(document.documentElement).backgroundColor") for page in pages]
    assert len(set(grounds)) == 2
