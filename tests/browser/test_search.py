"""Search: a question is asked with its bounds, the answer accounts for itself, and its receipt says what was asked."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.conftest import OpenTab
from tests.browser.tab import Console

SHOWN_AT_ONCE = 20
"""How many records are listed before one asks for more."""

EVERY_BOUND: dict[str, str | float | list[str]] = {
    "purpose": "research",
    "scopes": ["project", "agent_team"],
    "scope_ids": ["default", "warehouse"],
    "namespace": "/warehouse",
    "classes": ["long_term"],
    "kinds": ["fact", "risk"],
    "authors": ["scout", "planner"],
    "places": ["/warehouse/north", "/warehouse/a, b"],
    "trust_min": "low",
    "sensitivity_max": "internal",
    "max_age_days": 300.0,
    "require_provenance": True,
    "confidence_min": 0.25,
    "gate_min": 0.3,
    "gate_flag": 0.5,
    "valid_at": "2026-06-01T12:30:15Z",
    "known_at": "2026-06-02T00:00:00Z",
    "asked_at": "2026-06-03T08:00:00Z",
    "limit": 7,
    "budget_tokens": 900,
    "floor": 0.1,
}


def ask(console: Console, tab: OpenTab, who: str, **said: str) -> Page:
    """The page with a question and bounds in its address."""
    address = "&".join(f"{name}={quote(value)}" for name, value in said.items())
    return tab(console, who).go(f"#/search?{address}").page


def spelled(name: str) -> str:
    """A bound as an address spells it."""
    value = EVERY_BOUND[name]
    if isinstance(value, list):
        return ("\n" if name == "places" else ",").join(value)
    return str(value).lower()


def results(page: Page) -> Locator:
    return page.get_by_role("list", name="What is told").locator("article")


def records_of(articles: Locator) -> list[str]:
    """The ids of the records that articles lead to."""
    links = articles.get_by_role("link", name="Open the record")
    addresses: list[str] = links.evaluate_all("links => links.map((link) => link.getAttribute('href'))")
    return [address.removeprefix("#/records/") for address in addresses]


def receipt_of(console: Console, page: Page) -> dict[str, object]:
    """The account of the answer on the page, as an auditor reads it: what was asked and which records were told."""
    link = page.get_by_role("complementary", name="How this answer came about").locator("a[href^='#/receipts/']")
    with console.client("auditor") as client:
        account = client.get(f"/api/receipts/{link.get_attribute('title')}").json()["account"]
    return {**account["query"], "selected": account["selected"], "abstained": account["abstained"]}


def test_a_question_is_asked_by_keyboard_alone_and_only_when_enter_is_pressed(console: Console, tab: OpenTab) -> None:
    page = tab(console, "steward").go("#/search").page
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/api/recall") else None)
    page.keyboard.press("/")
    page.keyboard.type("what is the API rate limit?")
    expect(page.get_by_role("searchbox", name="Question")).to_have_value("what is the API rate limit?")
    assert asked == []

    page.keyboard.press("Enter")
    expect(results(page)).to_have_count(2)
    assert len(asked) == 1
    expect(results(page).first).to_contain_text("The API rate limit is 200 requests per minute")
    expect(results(page).first.get_by_role("link", name=re.compile("See conflict"))).to_have_attribute(
        "href", f"#/conflicts/{console.ids['contradiction']}"
    )
    receipt = receipt_of(console, page)
    assert receipt["text"] == "what is the API rate limit?"
    assert receipt["selected"] == records_of(results(page))


@pytest.mark.slow
def test_every_bound_of_a_question_goes_from_the_address_through_the_form_to_the_memory(
    console: Console, tab: OpenTab
) -> None:
    page = ask(console, tab, "steward", text="pallets", **{name: spelled(name) for name in EVERY_BOUND})
    expect(page.get_by_role("list", name="Filters in force").get_by_role("button")).to_have_count(len(EVERY_BOUND))

    receipt = receipt_of(console, page)

    assert {name: receipt[name] for name in EVERY_BOUND} == EVERY_BOUND


@pytest.mark.slow
def test_when_nothing_is_told_the_page_says_why_and_one_press_asks_in_another_way(
    console: Console, tab: OpenTab
) -> None:
    page = ask(console, tab, "steward", text="pallets of tea", kinds="decision")
    expect(page.get_by_role("heading", name="Nothing is told")).to_be_visible()
    expect(results(page)).to_have_count(0)
    expect(page.locator(".search-nothing")).to_contain_text("every rule and filter together leave nothing of it")
    expect(page.locator(".search-kept li")).to_have_text([re.compile(r"42kindof another kind than was asked for")])
    assert receipt_of(console, page)["abstained"] == "nothing_eligible"

    page.get_by_role("button", name="Ask for any kind").press("Enter")

    expect(results(page)).to_have_count(4)
    expect(page.get_by_role("heading", name="4 records told")).to_be_focused()
    assert page.evaluate("location.hash") == "#/search?text=pallets+of+tea"
    assert receipt_of(console, page)["kinds"] is None


@pytest.mark.slow
def test_a_filter_in_force_is_taken_away_by_its_chip(console: Console, tab: OpenTab) -> None:
    page = ask(console, tab, "steward", text="pallets", namespace="/warehouse/cold", limit="3")
    expect(results(page)).to_have_count(3)
    assert receipt_of(console, page)["namespace"] == "/warehouse/cold"

    page.get_by_role("button", name="Remove the filter Namespace").press("Enter")

    expect(page.get_by_role("list", name="Filters in force").get_by_role("button")).to_have_count(1)
    expect(page.get_by_role("searchbox", name="Question")).to_be_focused()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    assert receipt_of(console, page)["namespace"] is None


@pytest.mark.slow
def test_what_stands_on_something_fallen_is_told_only_on_request_with_what_was_declared_and_what_is_left(
    console: Console, tab: OpenTab
) -> None:
    page = ask(console, tab, "steward", text="does the conveyor pay back?")
    expect(page.get_by_text("Buying the conveyor pays back within a year")).to_have_count(0)

    page.get_by_role("button", name="Ask for what is believed little, too").click()

    plan = results(page).filter(has_text="Buying the conveyor pays back within a year")
    expect(plan.get_by_role("img", name="declared 0.95, effective 0.20")).to_be_visible()
    expect(plan).to_contain_text("Told with a warning")
    plan.get_by_text("Why this?").click()
    expect(plan.get_by_role("table")).to_contain_text("how many of the words it holds")
    assert receipt_of(console, page)["gate_min"] == 0.0


@pytest.mark.slow
def test_the_slider_shows_what_was_known_on_an_earlier_day_and_now_leads_back(console: Console, tab: OpenTab) -> None:
    record = console.ids["revised"]
    with console.client("auditor") as client:
        first, second = client.get(f"/api/records/{record}/history").json()["revisions"][:2]
    page = ask(console, tab, "steward", text="lorries leave the north gate")
    now = page.get_by_text("at 06:00, 10:30 and 14:15 on working days")
    expect(now).to_be_visible()
    expect(page.get_by_text("You are looking at the past.")).to_be_hidden()

    page.get_by_label("Date and time (UTC)").fill(second["record"]["created_at"][:19])
    page.get_by_label("Date and time (UTC)").press("Tab")
    expect(page.get_by_text("You are looking at the past.")).to_be_visible()
    expect(results(page).filter(has_text=first["record"]["claim"]["content"])).to_have_count(1)
    expect(now).to_have_count(0)
    known_at = receipt_of(console, page)["known_at"]
    assert known_at == f"{second['record']['created_at'][:19]}Z"

    page.get_by_role("slider", name="As known").press("Home")
    expect(page.get_by_role("heading", name="Nothing is told")).to_be_visible()
    page.get_by_role("button", name="Now", exact=True).click()
    expect(now).to_be_visible()
    assert receipt_of(console, page)["known_at"] is None


@pytest.mark.slow
def test_without_a_question_every_record_is_listed_once_the_last_changed_first(console: Console, tab: OpenTab) -> None:
    with console.client("steward") as client:
        records = client.get("/api/records?limit=500").json()["records"]
    since = {one["record"]["id"]: one["standing"]["since"] for one in records}
    page = tab(console, "steward").go("#/search").page
    rows = page.get_by_role("list", name="Records, the last changed first").locator("article")
    expect(rows).to_have_count(SHOWN_AT_ONCE)
    for shown in (40, 60, len(since)):
        page.get_by_role("button", name="Show more").click()
        expect(rows).to_have_count(min(shown, len(since)))
    expect(page.get_by_role("button", name="Show more")).to_have_count(0)

    listed = records_of(rows)

    assert sorted(listed) == sorted(since)
    order = [since[name] for name in listed]
    assert order == sorted(order, reverse=True)


def test_who_may_not_see_a_record_is_neither_told_it_nor_that_it_was_kept_back(console: Console, tab: OpenTab) -> None:
    secret = "Supplier prices are agreed until December"
    seeing = ask(console, tab, "steward", text="supplier prices agreed until December")
    expect(results(seeing).filter(has_text=secret)).to_have_count(1)

    page = ask(console, tab, "reader", text="supplier prices agreed until December")

    expect(page.get_by_role("complementary", name="How this answer came about")).to_be_visible()
    expect(page.get_by_text(secret)).to_have_count(0)
    expect(page.get_by_role("main")).not_to_contain_text("policy")
    with console.client("reader") as client:
        assert client.get("/api/records?sensitivity_max=secret&limit=500").text.count(secret) == 0


@pytest.mark.slow
def test_a_bound_that_cannot_be_is_refused_in_words_at_its_field_and_nothing_is_asked(
    console: Console, tab: OpenTab
) -> None:
    opened = tab(console, "steward")
    opened.forgive("status of 400")
    with console.client("auditor") as client:
        before = client.get("/api/stats").json()["receipts"]

    page = opened.go("#/search?text=pallets&confidence_min=1.5").page

    expect(page.get_by_role("alert")).to_contain_text("“Effective confidence at least” must be a number from 0 to 1.")
    expect(page.get_by_role("spinbutton", name="Effective confidence at least")).to_be_focused()
    with console.client("auditor") as client:
        after = client.get("/api/receipts?newest=true&limit=1").json()["receipts"][0]
    assert after["entry"]["seq"] <= before + 1
    assert after["account"]["query"]["text"] != "pallets"
