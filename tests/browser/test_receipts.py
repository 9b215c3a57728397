"""Receipts: what was told can be looked up, decided again and compared, by those who may."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.conftest import OpenTab
from tests.browser.tab import Console


def rows(page: Page) -> Locator:
    return page.get_by_role("list", name="Receipts, the newest first").locator("article")


def addresses(links: Locator) -> list[str]:
    found: list[str] = links.evaluate_all("links => links.map((link) => link.getAttribute('href'))")
    return found


def part(page: Page, title: str) -> Locator:
    return page.locator("section").filter(has=page.get_by_role("heading", name=title, exact=True, level=2))


def explained(console: Console, name: str, *, replay: bool = False) -> tuple[list[str], list[str], bool]:
    """What was told, what would be told again, and whether that is the same."""
    with console.client("auditor") as client:
        said = client.get(f"/api/receipts/{console.ids[name]}", params={"replay": replay}).json()
    return said["account"]["selected"], said["again"], said["same_ids"]


@pytest.mark.slow
def test_an_auditor_reads_the_list_newest_first_and_opens_a_receipt_by_keyboard(console: Console, tab: OpenTab) -> None:
    with console.client("auditor") as client:
        told = client.get("/api/receipts?newest=true&limit=20").json()["receipts"]
    page = tab(console, "auditor").go("#/receipts").page
    expect(rows(page)).to_have_count(len(told))
    assert addresses(rows(page).get_by_role("link")) == [f"#/receipts/{one['entry']['id']}" for one in told]

    rows(page).filter(has_text="does the conveyor pay?").get_by_role("link").press("Enter")

    expect(page.get_by_role("heading", name="Receipt", exact=True)).to_be_visible()
    expect(page.get_by_text(console.ids["receipt-3"], exact=True)).to_be_visible()
    expect(page.locator(".receipt-question")).to_contain_text("planner")
    expect(part(page, "What was told").locator("article")).to_have_count(1)
    expect(part(page, "Kept back").get_by_role("listitem")).to_have_count(2)
    expect(part(page, "Kept back")).to_contain_text("its effective confidence is below the gate")


@pytest.mark.slow
def test_a_filter_says_how_far_it_looked_and_shows_no_others(console: Console, tab: OpenTab) -> None:
    page = tab(console, "auditor").go("#/receipts").page
    expect(rows(page).first).to_be_visible()
    with console.client("auditor") as client:
        told = client.get("/api/receipts?newest=true&limit=500").json()["receipts"]
    wanted = [one for one in told if one["account"]["actor"]["id"] == "scout" and one["account"]["query"]["text"]]

    page.get_by_label("Asked by").fill("scout")
    page.get_by_label("Asked by").press("Enter")
    page.get_by_label("What was asked").select_option("question")

    expect(rows(page)).to_have_count(len(wanted))
    assert len(wanted) == 4
    expect(page.get_by_text(f"Looked through {len(told)} receipts")).to_be_visible()
    assert page.evaluate("location.hash") == "#/receipts?actor=scout&what=question"


def test_searching_again_as_it_was_tells_the_same_records_in_the_same_order(console: Console, tab: OpenTab) -> None:
    page = tab(console, "auditor").go(f"#/receipts/{console.ids['receipt-2']}").page
    again = part(page, "Decided again")
    expect(again).to_contain_text("The recorded candidates were taken through the rules once more")
    expect(again.get_by_text("the same", exact=True)).to_be_visible()

    page.get_by_role("button", name="Search again as it was").press("Enter")

    expect(again).to_contain_text("A store was rebuilt from the ledger up to entry")
    expect(again.get_by_text("the same", exact=True)).to_be_visible()
    told, found, same = explained(console, "receipt-2", replay=True)
    assert same
    assert found == told
    for column in again.locator(".receipt-sides > div").all():
        assert addresses(column.get_by_role("link")) == [f"#/records/{name}" for name in told]


@pytest.mark.slow
def test_what_became_of_a_told_record_is_shown_and_the_old_answer_still_explains_itself(
    own_console: Console, tab: OpenTab
) -> None:
    told, _, _ = explained(own_console, "receipt-1")
    with own_console.client("curator") as client:
        sent = client.post(
            f"/api/records/{told[0]}/retirement", json={"becomes": "retracted", "reason": "counted in the wrong hall"}
        )
        assert sent.status_code == 200, sent.text
    page = tab(own_console, "auditor").go(f"#/receipts/{own_console.ids['receipt-1']}").page
    first = part(page, "What was told").locator("article").first
    expect(first).to_contain_text("It was taken back.")
    first.get_by_text("What changed since?").click()
    expect(first).to_contain_text("counted in the wrong hall")
    expect(part(page, "Decided again").get_by_text("the same", exact=True)).to_be_visible()

    page.get_by_role("button", name="Ask the same now").click()

    again = part(page, "Decided again")
    expect(again.get_by_text("not the same", exact=True)).to_be_visible()
    expect(again.locator(".receipt-sides > div").first.get_by_text("not told again")).to_have_count(1)
    with own_console.client("auditor") as client:
        newest = client.get("/api/receipts?newest=true&limit=1").json()["receipts"][0]
    assert newest["account"]["actor"]["id"] == "auditor"
    assert newest["account"]["query"]["text"] == "how many pallets of tea are there?"
    assert told[0] not in newest["account"]["selected"]
    assert explained(own_console, "receipt-1") == (told, told, True)


@pytest.mark.slow
def test_who_may_not_audit_is_told_why_and_still_reads_their_own_receipts_but_no_others(
    console: Console, tab: OpenTab
) -> None:
    opened = tab(console, "developer")
    opened.forgive("status of 404")
    page = opened.go("#/receipts").page
    expect(page.get_by_text("The list of receipts is not open to you")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("no grant “audit”")
    expect(rows(page)).to_have_count(0)

    page.get_by_label("A receipt by its id").fill(console.ids["receipt-4"])
    page.get_by_label("A receipt by its id").press("Enter")
    expect(page.locator(".receipt-question")).to_contain_text("where is the returns desk?")
    expect(part(page, "What was told").locator("article")).to_have_count(2)

    for foreign in (console.ids["receipt-2"], "rcp_that.is.not.there"):
        opened.go(f"#/receipts/{foreign}")
        expect(page.get_by_text("There is no such receipt that you may read")).to_be_visible()
        expect(page.get_by_text("API rate limit")).to_have_count(0)


@pytest.mark.slow
def test_a_receipt_that_told_nothing_says_so_and_why(console: Console, tab: OpenTab) -> None:
    page = tab(console, "auditor").go(f"#/receipts/{console.ids['receipt-6']}").page
    expect(page.locator(".receipt-question")).to_contain_text("Nothing was told. Nothing here holds any of these words")
    expect(part(page, "What was told")).to_contain_text("nothing entered the prompt")
    assert explained(console, "receipt-6") == ([], [], True)


@pytest.mark.slow
def test_the_words_of_a_question_that_were_erased_stay_erased_and_cannot_be_asked_again(
    console: Console, tab: OpenTab
) -> None:
    page = tab(console, "auditor").go(f"#/receipts/{console.ids['receipt-0']}").page
    expect(page.locator(".receipt-question")).to_contain_text("a question whose words were erased")
    again = page.get_by_role("button", name="Search again as it was")
    expect(again).to_have_attribute("aria-disabled", "true")
    expect(again).to_have_accessible_description(
        "The words of the question were erased, so it cannot be searched for again."
    )
    expect(part(page, "What was told").locator("article")).to_have_count(2)
