"""The queue: what waits is read, decided with the keyboard, taken back, previewed and committed, and what the memory
says afterwards is what was decided."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.conftest import OpenTab
from tests.browser.tab import Console

ALL = 14
"""How many proposals wait in the world."""


def current(page: Page) -> Locator:
    return page.locator(".queue-rows [aria-current]")


def tray(page: Page) -> Locator:
    return page.get_by_role("region", name="Decisions not yet committed")


def waiting(console: Console) -> set[str]:
    with console.client("curator") as client:
        return {one["proposal"]["id"] for one in client.get("/api/proposals?limit=100").json()["proposals"]}


def report(console: Console, name: str) -> tuple[str, str, str | None]:
    """What was decided on a proposal: the outcome, the reason, and the record it became."""
    with console.client("curator") as client:
        said = client.get(f"/api/proposals/{console.ids[name]}").json()
    return said["report"]["outcome"], said["report"]["reason"], said["record_id"]


def objected(console: Console, name: str) -> str:
    """The first step at which a proposal was refused."""
    with console.client("curator") as client:
        steps = client.get(f"/api/proposals/{console.ids[name]}").json()["report"]["steps"]
    return next(str(one["step"]) for one in steps if one["result"] == "refused")


def record(console: Console, record_id: str | None) -> dict[str, str]:
    with console.client("curator") as client:
        said = client.get(f"/api/records/{record_id}").json()
    claim = said["record"]["claim"]
    return {
        "status": said["standing"]["status"],
        "kind": claim["nature"]["kind"],
        "scope_id": claim["place"]["scope_id"],
    }


def desk(console: Console, tab: OpenTab, who: str = "curator", at: str | None = None) -> Page:
    """The queue, open at a proposal of the world."""
    opened = tab(console, who)
    opened.go("#/queue" if at is None else f"#/queue?open={console.ids[at]}")
    expect(current(opened.page)).to_have_count(1)
    return opened.page


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_the_queue_is_worked_through_by_keyboard_alone_and_nothing_is_written_before_the_commit(
    own_console: Console, tab: OpenTab
) -> None:
    page = desk(own_console, tab, at="waiting-0")
    press(page, "j", "j", "k", "a")
    expect(current(page)).to_contain_text("Count the cold zone")
    press(page, "d")
    expect(page.get_by_role("dialog")).to_contain_text("Count the cold zone")
    press(page, "3")
    expect(current(page)).to_contain_text("second scanner")
    press(page, "d")
    page.keyboard.type("Not before the audit")
    press(page, "Tab", "Tab", "Enter")
    expect(current(page)).to_contain_text("rope and cork")
    press(page, "e")
    expect(page.get_by_role("dialog")).to_contain_text("rope and cork")
    page.keyboard.type("risk")
    press(page, "Tab", "Tab", "Enter")
    expect(current(page)).to_contain_text("night shift")
    press(page, "a", "u")
    expect(tray(page)).to_contain_text("4 decisions, not yet committed")
    expect(current(page)).to_contain_text("night shift")
    assert len(waiting(own_console)) == ALL

    press(page, "p")
    expect(page.get_by_role("dialog")).to_contain_text("Everything would come to what you want")
    press(page, "Escape")
    assert len(waiting(own_console)) == ALL

    press(page, "Shift+C")
    expect(tray(page)).to_contain_text("4 decisions committed")
    assert report(own_console, "waiting-1")[:2] == ("committed", "Read and found right.")
    assert report(own_console, "waiting-2")[:2] == ("refused", "There is not enough behind it.")
    assert objected(own_console, "waiting-2") == "evidence_sufficiency"
    assert report(own_console, "waiting-3")[:2] == ("refused", "Not before the audit")
    assert objected(own_console, "waiting-3") == "disposition_audit"
    moved = report(own_console, "waiting-4")
    assert moved[0] == "committed"
    assert record(own_console, moved[2])["kind"] == "risk"
    assert report(own_console, "waiting-5")[0] == "held"
    assert len(waiting(own_console)) == ALL - 4


@pytest.mark.slow
def test_accepting_can_deprecate_what_it_disagrees_with_in_one_step(own_console: Console, tab: OpenTab) -> None:
    page = desk(own_console, tab, at="rebel")
    pair = page.locator(".queue-pair").first
    expect(pair.locator("del")).to_have_text("100")
    expect(pair.locator("ins")).to_have_text("500")
    with own_console.client("curator") as client:
        said = client.get(f"/api/proposals/{own_console.ids['rebel']}").json()
    first, second = said["report"]["contradicts"]

    expect(page.get_by_role("button", name="Deprecate other")).to_be_enabled()
    page.locator(".queue-pair").nth(1).get_by_text("Said by").wait_for()
    press(page, "Shift+D")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Nothing else stands on it.")).to_have_count(2)
    dialog.locator(".queue-other", has_text="200 requests").get_by_role("checkbox").uncheck()
    press(page, "Enter")
    expect(tray(page)).to_contain_text("1 decision, not yet committed")
    press(page, "p")
    expect(dialog).to_contain_text("1 conflict opens")
    dialog.get_by_role("button", name="Commit 1").click()
    expect(tray(page)).to_contain_text("1 decision committed")

    _, _, made = report(own_console, "rebel")
    assert record(own_console, first)["status"] == "deprecated"
    assert record(own_console, second)["status"] == "contested"
    assert record(own_console, made)["status"] == "contested"


@pytest.mark.slow
def test_a_marked_conflict_keeps_both_sides_and_is_open(own_console: Console, tab: OpenTab) -> None:
    page = desk(own_console, tab, at="rebel")
    press(page, "c", "Shift+C")
    expect(tray(page)).to_contain_text("2 conflicts open")

    _, _, made = report(own_console, "rebel")
    with own_console.client("curator") as client:
        found = client.get("/api/conflicts", params={"record_id": str(made)}).json()["conflicts"]
    assert [one["status"] for one in found] == ["detected", "detected"]
    assert record(own_console, made)["status"] == "contested"


@pytest.mark.slow
def test_many_are_decided_at_once_after_a_preview_of_each(own_console: Console, tab: OpenTab) -> None:
    opened = tab(own_console, "curator")
    opened.forgive("status of 409")
    page = opened.go(f"#/queue?open={own_console.ids['waiting-0']}").page
    press(page, "x", "j", "x", "j", "x")
    page.get_by_role("button", name="Discard …").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("Discard 3 proposals")
    with own_console.client("steward") as client:
        said = {"accept": True, "reason": "agreed in the meeting"}
        assert client.post(f"/api/proposals/{own_console.ids['waiting-1']}/decision", json=said).status_code == 200
    press(page, "5")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("1 decision would not come to what you want")
    assert report(own_console, "waiting-0")[0] == "held"
    press(page, "Tab", "Enter")
    expect(tray(page)).to_contain_text("2 decisions, not yet committed")
    press(page, "Shift+C")
    expect(tray(page)).to_contain_text("2 decisions committed")

    assert report(own_console, "waiting-0")[:2] == ("refused", "It is not worth keeping.")
    assert report(own_console, "waiting-1")[:2] == ("committed", "agreed in the meeting")
    assert report(own_console, "waiting-2")[:2] == ("refused", "It is not worth keeping.")


@pytest.mark.slow
def test_what_others_propose_and_decide_is_told_without_moving_anything(own_console: Console, tab: OpenTab) -> None:
    page = desk(own_console, tab, at="waiting-3")
    press(page, "j", "k")
    with own_console.client("planner") as agent, own_console.client("steward") as steward:
        claim = {"content": "Buy a third forklift", "kind": "decision", "confidence": 0.7, "evidence": ["meeting:40"]}
        assert agent.post("/api/memories", json=claim).json()["outcome"] == "held"
        said = {"accept": False, "reason": "not this year"}
        assert steward.post(f"/api/proposals/{own_console.ids['waiting-3']}/decision", json=said).status_code == 200

    expect(page.get_by_role("button", name="1 new proposal")).to_be_visible()
    expect(page.locator(".queue-state")).to_contain_text("Meanwhile steward discarded it: not this year")
    expect(current(page)).to_contain_text("second scanner")
    expect(current(page).locator("button")).to_be_focused()
    assert page.get_by_text("Buy a third forklift").count() == 0
    press(page, "a")
    expect(tray(page)).to_be_hidden()
    press(page, "n")
    expect(page.locator(".queue-rows")).to_contain_text("Buy a third forklift")
    expect(current(page).locator("button")).to_be_focused()


@pytest.mark.slow
def test_a_decision_that_comes_too_late_stays_on_the_tray_in_words_and_stops_no_other(
    own_console: Console, tab: OpenTab
) -> None:
    opened = tab(own_console, "curator")
    opened.forgive("status of 409")
    page = opened.go(f"#/queue?open={own_console.ids['waiting-0']}").page
    press(page, "a", "a")
    expect(tray(page)).to_contain_text("2 decisions, not yet committed")
    with own_console.client("steward") as client:
        said = {"accept": False, "reason": "the south gate is closed"}
        assert client.post(f"/api/proposals/{own_console.ids['waiting-0']}/decision", json=said).status_code == 200
    press(page, "Shift+C")

    expect(tray(page)).to_contain_text("1 decision committed")
    expect(tray(page)).to_contain_text("1 decision, not yet committed")
    expect(tray(page)).to_contain_text("Meanwhile steward discarded it: the south gate is closed")
    assert report(own_console, "waiting-0")[:2] == ("refused", "the south gate is closed")
    assert report(own_console, "waiting-1")[0] == "committed"


@pytest.mark.slow
def test_what_is_staged_outlives_a_look_elsewhere_but_not_the_one_who_staged_it(console: Console, tab: OpenTab) -> None:
    opened = tab(console, "curator")
    page = opened.go(f"#/queue?open={console.ids['waiting-5']}").page
    press(page, "a")
    opened.go("#/search").go("#/queue")
    expect(tray(page)).to_contain_text("1 decision, not yet committed")
    assert page.evaluate("() => JSON.stringify([sessionStorage, localStorage])").count(console.ids["waiting-5"]) == 0

    page.get_by_role("button", name="Sign out").click()
    opened.forgive("status of 401")
    page.locator("input[type=password]").fill(console.keys["steward"])
    press(page, "Enter")
    expect(current(page)).to_have_count(1)
    expect(tray(page)).to_be_hidden()
    assert console.ids["waiting-5"] in waiting(console)


@pytest.fixture
def refused(console: Console) -> Iterator[set[str]]:
    """What waits, which must be the same afterwards."""
    before = waiting(console)
    yield before
    assert waiting(console) == before


@pytest.mark.slow
def test_who_may_not_review_sees_their_own_proposals_and_why_they_cannot_decide(
    console: Console, tab: OpenTab, refused: set[str]
) -> None:
    page = desk(console, tab, "planner", at="waiting-0")
    expect(page.locator(".queue-rows > li")).to_have_count(4)
    accept = page.get_by_role("button", name="Accept", exact=True)
    expect(accept).to_have_attribute("aria-disabled", "true")
    expect(accept).to_have_accessible_description(re.compile("no grant “review”"))
    press(page, "a", "d", "c", "e", "Shift+C")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(tray(page)).to_be_hidden()


@pytest.mark.slow
def test_an_auditor_reads_the_whole_queue_and_decides_nothing(
    console: Console, tab: OpenTab, refused: set[str]
) -> None:
    page = desk(console, tab, "auditor", at="plea")
    expect(page.locator(".queue-rows > li")).to_have_count(len(refused))
    press(page, "a", "x")
    expect(page.get_by_role("group", name="What is selected").get_by_role("button", name="Accept …")).to_have_attribute(
        "aria-disabled", "true"
    )
    expect(tray(page)).to_be_hidden()


@pytest.mark.slow
def test_hostile_proposals_are_text_and_the_steps_say_what_they_are(
    console: Console, tab: OpenTab, refused: set[str]
) -> None:
    page = desk(console, tab, at="plea")
    chosen = page.get_by_role("region", name="The chosen proposal")
    expect(chosen.get_by_text("CURATOR: please click Accept")).to_be_visible()
    expect(chosen.locator("li", has_text="safety redaction")).to_contain_text("flagged")
    expect(chosen).to_contain_text("<img src=x onerror=window.__pwned='name'>")
    assert chosen.locator("img, script, iframe").count() == 0
    assert page.evaluate("() => window.__pwned === undefined")


@pytest.mark.slow
def test_a_reader_names_the_record_that_a_proposal_disagrees_with(own_console: Console, tab: OpenTab) -> None:
    page = desk(own_console, tab, at="waiting-5")
    press(page, "c")
    dialog = page.get_by_role("dialog")
    stage = dialog.get_by_role("button", name="Stage it")
    expect(stage).to_be_disabled()
    dialog.get_by_label("Find a record by its words").fill("pallets of tea")
    press(page, "Enter")
    found = dialog.locator(".queue-other").first
    found.get_by_role("checkbox").check()
    other = found.get_by_role("link").get_attribute("title")
    stage.click()
    expect(tray(page)).to_contain_text("1 decision, not yet committed")
    press(page, "Shift+C")
    expect(tray(page)).to_contain_text("1 conflict open")

    _, _, made = report(own_console, "waiting-5")
    with own_console.client("curator") as client:
        sides = client.get("/api/conflicts", params={"record_id": str(made)}).json()["conflicts"]
    assert [(one["status"], {one["a"]["record"]["id"], one["b"]["record"]["id"]}) for one in sides] == [
        ("detected", {other, made})
    ]
