"""One record and everything about it: read from every side, walked through, doubted, ended, and left alone."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect
from tests.browser.axe import grave, violations
from tests.browser.conftest import OpenTab
from tests.browser.layout import beyond
from tests.browser.pages import NARROW, WIDE, settle
from tests.browser.tab import Console, Tab

SIDES = ("overview", "history", "times", "belief", "lineage", "receipts", "ledger", "contracts")
ACTS = ("It helped …", "It misled …", "Vouch …", "Keep apart …", "End …", "Forget …")
CONTRACTS = ("akashik", "matm", "memledger", "omir", "retrieval")
ABSENT = "rec_0000000000000000000000000"


def standing(console: Console, name: str) -> tuple[str, float]:
    """In which state a record is, and how far it is believed."""
    with console.client("owner") as client:
        told = client.get(f"/api/records/{console.ids[name]}").json()["standing"]
    return told["status"], told["footing"]["effective"]


def events(console: Console, name: str) -> list[tuple[str, str, str]]:
    """Who did what to the latest revision of a record, and why."""
    with console.client("owner") as client:
        told = client.get(f"/api/records/{console.ids[name]}/history").json()["revisions"][-1]["events"]
    return [(one["actor"], one["what"], one["reason"]) for one in told]


def shown(seat: Tab, name: str, side: str = "overview") -> Page:
    """The page of a record, opened at one of its sides."""
    return seat.go(f"#/records/{seat.console.ids[name]}?tab={side}").page


def asked(page: Page, act: str) -> Locator:
    """The dialog that one of the acts opens."""
    page.get_by_role("button", name=act).click()
    return page.get_by_role("dialog")


def box(page: Page, words: str) -> Locator:
    return page.locator(".graph-box", has_text=words)


@pytest.mark.slow
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_every_side_is_open_to_everybody_and_stays_in_its_place(
    console: Console, tab: OpenTab, size: tuple[int, int]
) -> None:
    seat = tab(console, "curator", size=size, scheme="light" if size == WIDE else "dark")
    found = {}
    for side in SIDES:
        page = shown(seat, "budget", side)
        expect(page.get_by_role("tab", selected=True)).to_have_text(side.capitalize())
        found[side] = [*beyond(page), *(grave(violations(page)) if size == NARROW else [])]
    assert {side: wrong for side, wrong in found.items() if wrong} == {}


@pytest.mark.slow
def test_each_revision_is_told_against_the_one_before(console: Console, tab: OpenTab) -> None:
    page = shown(tab(console, "curator"), "revised", "history")
    revisions = page.locator(".record-revisions > li")
    expect(revisions).to_have_count(4)
    expect(revisions.nth(0).locator(".diff del")).to_have_text("14:00")
    expect(revisions.nth(0).locator(".diff ins")).to_have_text("14:15")
    expect(revisions.nth(1).locator(".diff del")).to_have_text("11:00")
    expect(revisions.nth(1).locator(".diff ins")).to_have_text(["10:30", ", and at 08:00 on Saturdays"])
    expect(revisions.nth(2).locator(".diff")).to_contain_text("0 words out, 2 words in")
    expect(revisions.nth(3).locator(".diff")).to_have_count(0)
    expect(revisions.nth(0).locator(".record-events > li").first).to_contain_text("was misleading")
    expect(revisions.nth(0).locator(".record-events > li").first).to_contain_text("it left at 14:00 once more")


@pytest.mark.slow
def test_the_two_clocks_are_told_apart(console: Console, tab: OpenTab) -> None:
    page = shown(tab(console, "curator"), "revised", "times")
    expect(page.locator(".clock-lane").nth(0).locator(".clock-bar.so")).to_have_count(4)
    expect(page.locator(".clock-lane").nth(1).locator(".clock-bar.known")).to_have_count(4)
    expect(page.locator(".clock-lane").nth(1).locator(".clock-bar.past")).to_have_count(3)
    row = page.get_by_role("row").nth(1).get_by_role("cell")
    expect(row.nth(2)).to_have_text("2026-03-01 00:00:00 UTC")
    expect(row.nth(3)).to_have_text("open")


@pytest.mark.slow
def test_belief_is_explained_by_the_weakest_link(console: Console, tab: OpenTab) -> None:
    page = shown(tab(console, "curator"), "budget", "belief")
    why = page.locator(".record-why > li")
    expect(why.nth(0)).to_have_text("0.70 was declared by planner.")
    expect(why.nth(1)).to_contain_text("0.20 is how far it is believed now: it stands on a record that was retracted")
    expect(why.nth(1)).to_contain_text("A forum post says that the new conveyor halves the time to load")
    expect(why.nth(1).get_by_role("link")).to_have_attribute("href", f"#/records/{console.ids['post']}")
    page.get_by_text("Show as a table").click()
    rows = page.locator(".plot-table tbody tr")
    assert [rows.nth(place).locator("td").nth(1).inner_text() for place in (0, -1)] == ["0.20", "0.50"]


@pytest.mark.slow
def test_the_lineage_is_walked_by_keyboard_to_what_has_fallen(console: Console, tab: OpenTab) -> None:
    page = shown(tab(console, "curator"), "budget", "lineage")
    expect(page.locator(".graph-box")).to_have_count(5)
    expect(box(page, "The conveyor loads faster")).to_contain_text("weakest link · 0.20")
    page.get_by_role("button", name="Follow further").press("Enter")
    expect(page.locator(".graph-box")).to_have_count(7)
    fallen = box(page, "A forum post")
    expect(fallen).to_contain_text("weakest link · 0.50 · retracted")
    expect(fallen).to_have_class(re.compile(r"\btone-bad\b"))
    expect(page.locator(".graph-lines .tone-weak")).to_have_count(4)

    box(page, "Next year's budget").focus()
    for words in ("Buying the conveyor pays back", "Faster loading would save", "The conveyor loads faster"):
        page.keyboard.press("ArrowUp")
        expect(box(page, words)).to_be_focused()
    beside = page.get_by_label("The box that is open")
    page.keyboard.press("Enter")
    expect(beside.locator("blockquote")).to_have_text("The conveyor loads faster than people do")
    page.keyboard.press("ArrowUp")
    expect(fallen).to_be_focused()
    page.keyboard.press("Enter")
    expect(beside).to_contain_text("It was retracted")
    expect(fallen).to_have_attribute("aria-current", "true")
    expect(box(page, "The conveyor loads faster")).not_to_have_attribute("aria-current", "true")


@pytest.mark.slow
def test_the_lineage_can_be_read_as_a_list_and_asked_for_one_way(console: Console, tab: OpenTab) -> None:
    page = shown(tab(console, "curator"), "saves", "lineage")
    page.get_by_text("Show as a list").click()
    listed = page.locator(".graph-list > ol > li")
    expect(listed).to_have_count(page.locator(".graph-box").count())
    own = listed.filter(has_text="this one")
    expect(own).to_contain_text("Faster loading would save one shift a day")
    expect(own.locator("ul > li")).to_have_count(2)
    page.get_by_label("What stands on it").uncheck()
    settle(page)
    expect(page.locator(".graph-box")).to_have_count(5)
    expect(box(page, "Next year's budget")).to_have_count(0)


def test_a_record_ends_after_what_falls_with_it_was_shown(own_console: Console, tab: OpenTab) -> None:
    page = shown(tab(own_console, "curator"), "trial")
    dialog = asked(page, "End …")
    expect(dialog.get_by_role("row", name="The conveyor loads faster")).to_contain_text("support fallen")
    dialog.get_by_label("archived").check()
    expect(dialog.get_by_text("Nothing that you may see is judged otherwise")).to_be_visible()
    dialog.get_by_label("expired").check()
    expect(dialog.get_by_text("when it becomes expired")).to_be_visible()
    expect(dialog.get_by_role("button", name="End it")).to_be_disabled()
    assert standing(own_console, "trial") == ("active", 0.9)

    dialog.get_by_label("Reason").fill("the trial was of last year's machine")
    dialog.get_by_role("button", name="End it").click()
    expect(page.locator("#told")).to_contain_text("It has ended.")
    expect(page.locator(".record-head .badge").first).to_have_text("expired")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    assert standing(own_console, "trial")[0] == "expired"
    assert events(own_console, "trial")[-1] == ("curator", "became expired", "the trial was of last year's machine")
    expect(page.get_by_role("button", name="End …")).to_have_attribute("aria-disabled", "true")


@pytest.mark.slow
def test_a_page_that_is_out_of_date_changes_nothing_and_says_so(own_console: Console, tab: OpenTab) -> None:
    page = shown(tab(own_console, "curator"), "rival")
    dialog = asked(page, "End …")
    dialog.get_by_label("Reason").fill("nobody waits any more")
    with own_console.client("developer") as client:
        path = f"/api/records/{own_console.ids['rival']}/outcomes"
        assert client.post(path, json={"result": "misleading", "evidence": "it was 20"}).status_code == 200
    dialog.get_by_role("button", name="End it").click()
    expect(dialog.get_by_role("alert")).to_contain_text("has changed since you opened it")
    assert standing(own_console, "rival") == ("active", 0.64)

    page.keyboard.press("Escape")
    page.get_by_role("button", name="Show it as it is now").click()
    expect(page.locator(".record-head .confidence")).to_contain_text("0.64")
    expect(page.get_by_role("button", name="Show it as it is now")).to_have_count(0)


@pytest.mark.slow
def test_what_is_kept_apart_can_be_released_at_once(own_console: Console, tab: OpenTab) -> None:
    page = shown(tab(own_console, "curator"), "rival")
    dialog = asked(page, "Keep apart …")
    dialog.get_by_label("Reason").fill("who counted that?")
    dialog.get_by_role("button", name="Keep it apart").click()
    expect(page.locator(".record-head .badge").first).to_have_text("quarantined")
    assert standing(own_console, "rival")[0] == "held"

    page.get_by_role("button", name="Undo").click()
    dialog.get_by_label("Reason").fill("the gate log did")
    dialog.get_by_role("button", name="Release it").click()
    expect(page.locator(".record-head .badge").first).to_have_text("active")
    assert standing(own_console, "rival") == ("active", 0.8)


@pytest.mark.slow
def test_an_outcome_moves_belief_as_far_as_was_said_before(own_console: Console, tab: OpenTab) -> None:
    page = shown(tab(own_console, "curator"), "rival")
    dialog = asked(page, "It misled …")
    expect(dialog).to_contain_text("Its own confidence goes from 0.80 to 0.64.")
    dialog.get_by_label("What happened").fill("the lorry waited ten minutes")
    dialog.get_by_role("button", name="Say that it misled").click()
    expect(page.locator("#told")).to_contain_text("Noted that it misled.")
    assert standing(own_console, "rival") == ("active", 0.64)
    assert events(own_console, "rival")[-1][2] == "the lorry waited ten minutes"


@pytest.mark.slow
def test_a_reviewer_vouches_for_no_more_than_their_own_origin(own_console: Console, tab: OpenTab) -> None:
    page = shown(tab(own_console, "curator"), "rival")
    dialog = asked(page, "Vouch …")
    offered = dialog.get_by_label("It comes from").locator("option")
    assert [one.get_attribute("value") for one in offered.all()] == ["system", "tool", "person"]
    dialog.get_by_label("Reason").fill("I stood at the gate")
    dialog.get_by_role("button", name="Vouch for it").click()
    expect(page.locator("#told")).to_contain_text("You vouched for it.")
    with own_console.client("owner") as client:
        told = client.get(f"/api/records/{own_console.ids['rival']}").json()
    assert told["standing"]["footing"]["label"] == "person"


@pytest.mark.slow
def test_who_may_only_read_is_told_why_nothing_can_be_done(console: Console, tab: OpenTab) -> None:
    seat = tab(console, "reader")
    sent: list[str] = []
    seat.page.on("request", lambda request: sent.append(request.method))
    page = shown(seat, "revised")
    for act in ACTS:
        button = page.get_by_role("button", name=act)
        expect(button).to_have_attribute("aria-disabled", "true")
        expect(page.locator(f"#{button.get_attribute('aria-describedby')}")).to_contain_text("has no grant")
        button.click(force=True)
    expect(page.get_by_role("dialog")).to_have_count(0)
    page = shown(seat, "revised", "receipts")
    expect(page.locator(".nothing")).to_contain_text("Your credential has no grant “audit”")
    page = shown(seat, "revised", "ledger")
    expect(page.locator(".record-ledger .rows > li").last).to_contain_text("revision 1 committed as active")
    expect(page.get_by_text("Read entry")).to_have_count(0)
    assert set(sent) == {"GET"}


def test_what_is_hidden_looks_like_what_is_not_there(console: Console, tab: OpenTab) -> None:
    seat = tab(console, "developer")
    seat.forgive("status of 404")
    seen = []
    for address in (ABSENT, console.ids["quarantined"]):
        page = seat.go(f"#/records/{address}").page
        expect(page.locator(".nothing-title")).to_have_text("Not there, or not for you")
        seen.append(page.locator("main").inner_text())
    assert seen[0] == seen[1]
    page = shown(tab(console, "curator"), "quarantined")
    expect(page.locator(".record-head blockquote")).to_have_text("The gate code is changed on the first of each month")


@pytest.mark.slow
def test_the_receipts_and_entries_that_concern_it_are_those_of_the_ledger(console: Console, tab: OpenTab) -> None:
    seat = tab(console, "auditor")
    with console.client("auditor") as client:
        path = f"/api/records/{console.ids['trial']}"
        told = client.get(f"{path}/receipts").json()["receipts"]
        epochs = {
            event["epoch"]
            for revision in client.get(f"{path}/history").json()["revisions"]
            for event in revision["events"]
        }
    page = shown(seat, "trial", "receipts")
    links = page.get_by_label("Receipts by which this record was told").get_by_role("link")
    assert [link.get_attribute("href") for link in links.all()] == [f"#/receipts/{one['receipt_id']}" for one in told]
    assert told

    page = shown(seat, "trial", "ledger")
    expect(page.locator(".record-ledger .rows > li")).to_have_count(len(epochs))
    first = min(epochs)
    page.get_by_text(f"Read entry {first}", exact=True).click()
    assert json.loads(page.locator("details[open] pre").inner_text())["births"][0]["id"] == console.ids["trial"]


@pytest.mark.slow
def test_it_is_shown_as_each_contract_says_it(console: Console, tab: OpenTab) -> None:
    page = shown(tab(console, "curator"), "harm-kept", "contracts")
    with console.client("curator") as client:
        path = f"/api/records/{console.ids['harm-kept']}/forms"
        forms = {contract: client.get(f"{path}/{contract}").json() for contract in CONTRACTS}
    for contract, form in forms.items():
        page.get_by_label("Contract", exact=True).select_option(contract)
        settle(page)
        assert json.loads(page.locator(".record-form pre").inner_text()) == json.loads(form["document"])
        lost = [loss["path"] for loss in form["losses"]]
        assert sorted(page.locator(".record-form dd code").all_inner_texts()) == sorted(lost)


@pytest.mark.slow
def test_what_is_sent_after_a_refusal_is_another_request(console: Console, tab: OpenTab) -> None:
    page = tab(console, "steward").open("record").page
    keys: list[str] = []

    def refuse(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        route.fulfill(json={"outcome": "refused", "rule": "own", "reason": "not by you", "epoch": None})

    page.route("**/outcomes", refuse)
    page.get_by_role("button", name="It helped …").click()
    dialog = page.get_by_role("dialog")
    for said in ("it was right", "it was right, see ticket:9"):
        dialog.get_by_label("What happened").fill(said)
        with page.expect_response("**/outcomes"):
            dialog.get_by_role("button", name="Say that it helped").click()
        expect(dialog.get_by_role("alert")).to_contain_text("not by you")
    assert len(set(keys)) == 2
