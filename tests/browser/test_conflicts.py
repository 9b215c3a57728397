"""Disagreements at the console: both sides, what each way of settling would do, and what the memory says afterwards."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, Route, expect
from tests.browser import hostile
from tests.browser.conftest import OpenTab
from tests.browser.pages import NARROW
from tests.browser.tab import Console

RATE_EARLIER = "The API rate limit is 100 requests per minute"
RATE_LATER = "The API rate limit is 200 requests per minute"
IMAGE = "<img src=x onerror=\"window.__pwned='side'\"> the dock closes at six"
FRAME = "<iframe srcdoc=\"<script>parent.__pwned='side'</script>\"></iframe> the dock closes at nine"

NOT_AS_THINGS_STAND = r"status of 409 .*/resolution\]"
"""What a browser says of a rule that cannot tell."""


def told(console: Console, name: str, who: str = "curator") -> dict[str, object]:
    """A conflict as the API tells it."""
    with console.client(who) as client:
        answer = client.get(f"/api/conflicts/{console.ids[name]}")
    assert answer.status_code == 200, answer.text
    found: dict[str, object] = answer.json()
    return found


def status_of(console: Console, record: str) -> str:
    with console.client("curator") as client:
        return str(client.get(f"/api/records/{record}").json()["standing"]["status"])


def sides(console: Console, name: str) -> tuple[str, str]:
    """The ids of both sides, the earlier first."""
    with console.client("curator") as client:
        found = client.get(f"/api/conflicts/{console.ids[name]}").json()
    return found["a"]["record"]["id"], found["b"]["record"]["id"]


def way(page: Page, name: str) -> Locator:
    return page.locator(f'[data-way="{name}"]')


@pytest.mark.slow
def test_the_list_shows_what_is_open_and_leads_on_by_keys_alone(console: Console, tab: OpenTab) -> None:
    page = tab(console, "curator").open("conflicts").page
    with console.client("curator") as client:
        known = [one["status"] for one in client.get("/api/conflicts").json()["conflicts"]]
    rows = page.locator(".conflicts .conflict")
    expect(rows).to_have_count(len(known) - known.count("resolved"))
    expect(rows.first).to_contain_text(RATE_EARLIER)
    expect(rows.first).to_contain_text(RATE_LATER)

    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("Enter")

    expect(page.locator("h1")).to_have_text("Contradiction: they give different numbers")
    assert page.url.endswith(console.ids["contradiction"])


@pytest.mark.slow
def test_the_list_of_one_state_shows_no_other(console: Console, tab: OpenTab) -> None:
    page = tab(console, "curator").go("#/conflicts?status=resolved").page

    expect(page.locator(".conflicts .conflict")).to_have_count(1)
    expect(page.locator(".conflicts")).to_contain_text("The default branch is called trunk")
    page.get_by_role("link", name="Escalated").click()
    expect(page.get_by_text("Nothing was escalated")).to_be_visible()


@pytest.mark.slow
def test_both_sides_are_shown_with_what_differs_marked(console: Console, tab: OpenTab) -> None:
    page = tab(console, "curator", size=NARROW).open("conflict").page

    assert page.locator(".side mark").all_inner_texts() == ["100", "200"]
    later = page.get_by_role("article", name="Later side")
    expect(later).to_contain_text("planner")
    expect(later).to_contain_text("docs:limits")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.slow
def test_looking_at_every_way_changes_nothing(console: Console, tab: OpenTab) -> None:
    before = told(console, "contradiction")
    page = tab(console, "curator").open("conflict").page

    for name in ("last_write_wins", "confidence_weighted", "authority", "evidence_count"):
        expect(way(page, name)).to_contain_text("The later side stays; the earlier side is superseded.")
    expect(way(page, "human_escalation")).to_contain_text("It would wait for a person of authority 10.")
    assert told(console, "contradiction") == before


@pytest.mark.slow
def test_a_rule_that_cannot_tell_says_so_and_cannot_be_chosen(console: Console, tab: OpenTab) -> None:
    watched = tab(console, "curator")
    watched.forgive(NOT_AS_THINGS_STAND)
    page = watched.go(f"#/conflicts/{console.ids['duplicate']}").page

    line = way(page, "confidence_weighted")
    expect(line).to_contain_text("It cannot tell: both sides are equal.")
    expect(line.get_by_role("button")).to_have_attribute("aria-disabled", "true")
    expect(way(page, "last_write_wins").get_by_role("button")).not_to_have_attribute("aria-disabled", "true")


def test_a_conflict_is_settled_with_the_keyboard_alone(own_console: Console, tab: OpenTab) -> None:
    earlier, later = sides(own_console, "contradiction")
    page = tab(own_console, "curator").open("conflict").page

    page.keyboard.press("4")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("The later side stays; the earlier side is superseded.")
    expect(dialog.get_by_role("button", name="Settle it")).to_be_disabled()
    page.keyboard.press("Tab")
    dialog.get_by_label("Why").focus()
    page.keyboard.type("the documents say so")
    expect(dialog.get_by_role("button", name="Settle it")).to_be_enabled()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="How it was settled")).to_be_focused()
    found = told(own_console, "contradiction")
    assert (found["status"], found["strategy"], found["winner"]) == ("resolved", "evidence_count", later)
    assert (found["rationale"], found["resolved_by"]) == ("the documents say so", "curator")
    assert (status_of(own_console, earlier), status_of(own_console, later)) == ("superseded", "active")


@pytest.mark.slow
def test_a_suspected_update_is_settled_with_one_click_in_the_list(own_console: Console, tab: OpenTab) -> None:
    with own_console.client("curator") as client:
        older, newer = (
            str(client.post("/api/memories", json={"content": text}).json()["record_id"])
            for text in ("I use Neovim for all my notes", "I switched from Neovim to Zed for my notes")
        )
    page = tab(own_console, "curator").open("conflicts").page
    line = page.locator(".conflicts .conflict", has_text="I switched from Neovim")

    line.get_by_role("button", name="The newer stays").click()

    expect(page.locator("#told")).to_contain_text("The newer record took the place of the older one.")
    expect(line).to_have_count(0)
    assert (status_of(own_console, older), status_of(own_console, newer)) == ("superseded", "active")


@pytest.mark.slow
def test_a_settlement_whose_answer_was_lost_is_sent_again_and_counts_once(own_console: Console, tab: OpenTab) -> None:
    watched = tab(own_console, "curator")
    watched.forgive(f"{NOT_AS_THINGS_STAND}|ERR_FAILED")
    page = watched.go(f"#/conflicts/{own_console.ids['contradiction']}").page
    way(page, "evidence_count").get_by_role("button").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Why").fill("the documents say so")
    keys: list[str] = []

    def lose(route: Route) -> None:
        if "dry_run" in (route.request.post_data or ""):
            return route.continue_()
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) > 1:
            return route.continue_()
        route.fetch()
        return route.abort()

    page.route("**/resolution", lose)
    dialog.get_by_role("button", name="Settle it").click()
    expect(dialog.get_by_role("alert")).to_contain_text("The server cannot be reached.")
    assert told(own_console, "contradiction")["status"] == "resolved"
    dialog.get_by_role("button", name="Settle it").click()
    expect(page.get_by_role("heading", name="How it was settled")).to_be_visible()
    assert len(keys) == 2
    assert keys[0] == keys[1]


@pytest.mark.slow
def test_a_synthesis_takes_the_place_of_both(own_console: Console, tab: OpenTab) -> None:
    watched = tab(own_console, "curator")
    watched.forgive(NOT_AS_THINGS_STAND)
    page = watched.go(f"#/conflicts/{own_console.ids['update']}").page

    way(page, "synthesis").get_by_role("button").click()
    dialog = page.get_by_role("dialog")
    text = dialog.get_by_label("What shall stand here")
    expect(text).to_have_value("The returns desk is in hall 2\nThe returns desk moved to hall 5")
    text.fill("The returns desk is in hall 5 since the move; before that it was in hall 2")
    dialog.get_by_label("Why").fill("both were right at their time")
    dialog.get_by_role("button", name="Settle it so").click()

    expect(page.get_by_role("heading", name="How it was settled")).to_be_visible()
    found = told(own_console, "update")
    assert found["strategy"] == "synthesis"
    with own_console.client("curator") as client:
        record = client.get(f"/api/records/{found['winner']}").json()["record"]
    assert record["claim"]["content"].startswith("The returns desk is in hall 5 since the move")
    assert record["claim"]["belief"]["evidence"] == ["sign at the door"]
    assert {status_of(own_console, one) for one in sides(own_console, "update")} == {"superseded"}


@pytest.mark.slow
def test_a_vote_counts_the_ballot_and_an_escalation_leaves_it_to_authority_ten(
    own_console: Console, tab: OpenTab
) -> None:
    earlier, _ = sides(own_console, "contradiction")
    page = tab(own_console, "curator").open("conflict").page

    way(page, "vote").get_by_role("button").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("radio").first.check()
    dialog.get_by_label("Why").fill("I have seen the sign")
    dialog.get_by_role("button", name="Cast the ballot").click()
    expect(page.get_by_role("heading", name="A vote is under way")).to_be_visible()
    assert told(own_console, "contradiction")["ballots"] == [{"actor": "curator", "winner": earlier}]

    way(page, "human_escalation").get_by_role("button").click()
    dialog.get_by_label("Why").fill("it needs somebody who knows")
    dialog.get_by_role("button", name="Escalate").click()

    expect(page.get_by_role("heading", name="It was escalated")).to_be_visible()
    assert told(own_console, "contradiction")["status"] == "escalated"
    expect(way(page, "last_write_wins")).to_contain_text("settling it takes authority 10, and you have 8")
    expect(way(page, "last_write_wins").get_by_role("button")).to_have_attribute("aria-disabled", "true")


@pytest.mark.slow
def test_what_was_settled_elsewhere_meanwhile_is_said_and_not_settled_twice(own_console: Console, tab: OpenTab) -> None:
    watched = tab(own_console, "curator")
    watched.forgive(NOT_AS_THINGS_STAND)
    page = watched.open("conflict").page
    page.keyboard.press("1")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Why").fill("mine is better")
    expect(dialog.get_by_role("button", name="Settle it")).to_be_enabled()

    with own_console.client("steward") as client:
        body = {"strategy": "authority", "rationale": "I know", "winner": sides(own_console, "contradiction")[0]}
        client.post(f"/api/conflicts/{own_console.ids['contradiction']}/resolution", json=body).raise_for_status()

    expect(page.locator("main").get_by_text("Meanwhile it was settled by steward.")).to_have_count(1)
    dialog.get_by_role("button", name="Settle it").click()
    expect(dialog.get_by_role("alert")).to_contain_text("stale")
    found = told(own_console, "contradiction")
    assert (found["resolved_by"], found["rationale"]) == ("steward", "I know")


@pytest.mark.slow
def test_a_ballot_is_not_cast_once_it_would_come_to_something_else_than_was_shown(
    own_console: Console, tab: OpenTab
) -> None:
    earlier, later = sides(own_console, "contradiction")
    watched = tab(own_console, "curator")
    watched.forgive(NOT_AS_THINGS_STAND)
    page = watched.open("conflict").page
    way(page, "vote").get_by_role("button").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("radio").first.check()
    dialog.get_by_label("Why").fill("I have seen the sign")
    cast = dialog.get_by_role("button", name="Cast the ballot")
    expect(cast).to_be_enabled()

    with own_console.client("planner") as client:
        body = {"strategy": "vote", "rationale": "I wrote it", "winner": later}
        client.post(f"/api/conflicts/{own_console.ids['contradiction']}/resolution", json=body).raise_for_status()
    cast.click()

    expect(dialog.get_by_role("alert")).to_contain_text("Nothing was done. By now planner voted.")
    assert told(own_console, "contradiction")["ballots"] == [{"actor": "planner", "winner": later}]
    cast.click()
    expect(dialog).to_have_count(0)
    ballots = [{"actor": "curator", "winner": earlier}, {"actor": "planner", "winner": later}]
    assert told(own_console, "contradiction")["ballots"] == ballots


@pytest.mark.slow
def test_a_caller_who_may_not_settle_sees_why_and_can_still_vote(console: Console, tab: OpenTab) -> None:
    page = tab(console, "planner").open("conflict").page

    line = way(page, "evidence_count")
    expect(line).to_contain_text("The policy does not let planner settle conflicts")
    line.get_by_role("button").click(force=True)
    page.keyboard.press("4")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(way(page, "vote").get_by_role("button")).not_to_have_attribute("aria-disabled", "true")


@pytest.mark.slow
def test_a_credential_that_only_reads_sees_both_sides_and_no_way_open(console: Console, tab: OpenTab) -> None:
    page = tab(console, "reader").open("conflict").page

    expect(page.locator(".side")).to_have_count(2)
    expect(page.locator(".way button:not([aria-disabled])")).to_have_count(0)
    expect(way(page, "vote")).to_contain_text("no grant “write”")


def test_hostile_sides_are_text(console: Console, tab: OpenTab) -> None:
    with console.client("planner") as client:
        slot = {"subject": "dock", "key": hostile.NAME, "confidence": 0.7}
        client.post("/api/records", json=slot | {"content": IMAGE, "value": "six"}).raise_for_status()
        later = slot | {"content": FRAME, "value": hostile.SVG, "evidence": [hostile.EVIDENCE]}
        answer = client.post("/api/records", json=later).json()
    watched = tab(console, "curator")
    watched.forgive(NOT_AS_THINGS_STAND)
    page = watched.go(f"#/conflicts/{answer['conflict_ids'][0]}").page

    expect(page.get_by_role("article", name="Earlier side")).to_contain_text(IMAGE)
    expect(page.get_by_role("article", name="Later side")).to_contain_text(FRAME)
    assert page.evaluate("() => window.__pwned ?? null") is None
    assert page.locator("main img, main script, main iframe").count() == 0
