"""Forgetting at the console: nothing goes unseen, unconfirmed or against a hold, and what is gone is gone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Download, Page, Route, expect
from tests.browser import hostile
from tests.browser.conftest import OpenTab
from tests.browser.pages import NARROW
from tests.browser.tab import Console

from muniment.model.erasure import Target, TargetKind, digest_of

SUBJECT = "customer C-2093"
DOOMED = ("subject-0", "subject-1", "subject-2", "derived")


def statuses(console: Console, *names: str) -> list[int]:
    """How the API answers for each record."""
    with console.client("steward") as client:
        return [client.get(f"/api/records/{console.ids[name]}").status_code for name in names]


def fill_in(page: Page, value: str, *, by: str = "subject", reason: str = "ticket:PRIV-21") -> None:
    """Step 1, up to the plan."""
    form = page.locator("section", has=page.locator("#step-1"))
    form.get_by_label("What", exact=True).select_option(by)
    form.get_by_label("Which").fill(value)
    form.get_by_label("Reason").fill(reason)
    form.get_by_role("button", name="Show what would go").click()


def saved(download: Download, folder: Path) -> str:
    path = folder / download.suggested_filename
    download.save_as(path)
    return path.read_text()


def test_somebody_is_found_shown_confirmed_and_forgotten_with_proof(
    own_console: Console, tab: OpenTab, tmp_path: Path
) -> None:
    page = tab(own_console, "steward").open("forget").page
    page.get_by_label("A name, or words of what was said").fill("C-2093 deliveries")
    page.keyboard.press("Enter")
    page.locator(".found").get_by_role("button", name=SUBJECT, exact=True).first.click()
    page.keyboard.type("ticket:PRIV-21")
    page.keyboard.press("Enter")

    tree = page.get_by_role("list", name="What would go")
    for name in DOOMED:
        expect(tree.locator(f'[data-node="{own_console.ids[name]}"]')).to_have_count(1)
    inner = tree.locator(f'[data-node="{own_console.ids["subject-0"]}"] [data-node="{own_console.ids["derived"]}"]')
    expect(inner).to_contain_text("One delivery on Fridays needs two people for the stairs")
    assert statuses(own_console, *DOOMED) == [200, 200, 200, 200]

    erase = page.get_by_role("button", name="Erase 4 records for good")
    expect(erase).to_be_disabled()
    page.get_by_label(f"Type {SUBJECT} to confirm").fill(SUBJECT.upper())
    expect(erase).to_be_disabled()
    page.get_by_label(f"Type {SUBJECT} to confirm").fill(SUBJECT)
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="4 · Certificate")).to_be_focused()
    assert statuses(own_console, *DOOMED) == [404, 404, 404, 404]
    assert SUBJECT not in page.locator("main").inner_text()
    expect(page.get_by_text("Nothing of it is left in the files of the store.")).to_be_visible()
    with page.expect_download() as signed:
        page.get_by_role("button", name="Save the certificate").click()
    with page.expect_download() as opening:
        page.get_by_role("button", name="Save the opening").click()
    certificate = json.loads(saved(signed.value, tmp_path))
    with own_console.client("steward") as client:
        assert certificate == client.get("/api/erasures").json()["certificates"][-1]
    told = digest_of(Target(by=TargetKind.SUBJECT, value=SUBJECT), saved(opening.value, tmp_path).strip())
    assert certificate["certificate"]["digest"] == told
    assert sorted(certificate["certificate"]["erased"]) == sorted(own_console.ids[name] for name in DOOMED)


@pytest.mark.slow
def test_who_leaves_while_it_is_erased_still_gets_what_is_told_once(
    own_console: Console, tab: OpenTab, tmp_path: Path
) -> None:
    seat = tab(own_console, "steward").open("forget")
    page, kept_back = seat.page, list[Route]()
    page.route(
        "**/api/erasures",
        lambda route: kept_back.append(route) if "expected" in (route.request.post_data or "") else route.continue_(),
    )
    downloads: list[Download] = []
    page.on("download", lambda download: downloads.append(download))
    fill_in(page, SUBJECT)
    page.get_by_label(f"Type {SUBJECT} to confirm").fill(SUBJECT)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Erasing, down to the files")).to_be_visible()
    seat.go("#/queue")
    kept_back[0].continue_()
    expect(page.locator("#told")).to_contain_text("the certificate and its opening were saved as files")
    texts = {one.suggested_filename.partition("-")[0]: saved(one, tmp_path) for one in downloads}
    digest = digest_of(Target(by=TargetKind.SUBJECT, value=SUBJECT), texts["opening"].strip())
    assert json.loads(texts["certificate"])["certificate"]["digest"] == digest


@pytest.mark.slow
def test_a_plan_that_is_no_longer_true_is_not_done_but_shown_anew(own_console: Console, tab: OpenTab) -> None:
    watched = tab(own_console, "steward", size=NARROW)
    watched.forgive("status of 409")
    page = watched.open("forget").page
    fill_in(page, SUBJECT)
    expect(page.get_by_role("button", name="Erase 4 records for good")).to_be_disabled()
    with own_console.client("researcher") as client:
        late = client.post("/api/records", json={"content": f"{SUBJECT} called again", "confidence": 0.7}).json()

    page.get_by_label(f"Type {SUBJECT} to confirm").fill(SUBJECT)
    page.keyboard.press("Enter")

    expect(page.get_by_role("alert")).to_contain_text("nothing was erased")
    expect(page.locator(f'[data-node="{late["record_id"]}"]')).to_have_count(1)
    expect(page.get_by_role("button", name="Erase 5 records for good")).to_be_disabled()
    assert statuses(own_console, *DOOMED) == [200, 200, 200, 200]
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_what_is_on_hold_stays_until_the_hold_is_lifted(own_console: Console, tab: OpenTab) -> None:
    watched = tab(own_console, "steward")
    page = watched.open("forget").page
    guarded = own_console.ids["guarded"]
    fill_in(page, guarded, by="record")

    expect(page.get_by_role("alert")).to_contain_text("case 2026-114 is open")
    expect(page.get_by_role("heading", name="3 · Confirm")).to_have_count(0)
    page.get_by_role("button", name="Show the hold").click()
    expect(page.locator("[data-hold]")).to_be_focused()
    page.get_by_role("button", name="Lift …").click()
    page.get_by_role("dialog").get_by_label("Why it may end").fill("the case is closed")
    page.get_by_role("dialog").get_by_role("button", name="Lift it").click()
    expect(page.get_by_text("Nothing is on hold")).to_be_visible()

    page.get_by_role("button", name="Show what would go").click()
    page.get_by_label("to confirm").fill(guarded)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="4 · Certificate")).to_be_visible()
    assert statuses(own_console, "guarded") == [404]


@pytest.mark.slow
def test_a_hold_that_is_placed_keeps_its_subject(own_console: Console, tab: OpenTab) -> None:
    page = tab(own_console, "steward").open("forget").page

    page.get_by_role("button", name="Place a hold …").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Which").fill(SUBJECT)
    dialog.get_by_label("Why").fill("case 2026-200")
    dialog.get_by_role("button", name="Place the hold").click()

    expect(page.locator("[data-hold]")).to_have_count(2)
    with own_console.client("owner") as client:
        answer = client.post("/api/erasures", json={"subject": SUBJECT, "reason": "ticket:PRIV-21"})
    assert answer.json()["code"] == "on_hold"
    assert statuses(own_console, *DOOMED) == [200, 200, 200, 200]


@pytest.mark.slow
def test_a_source_is_taken_back_with_its_history_kept(own_console: Console, tab: OpenTab) -> None:
    page = tab(own_console, "steward").open("forget").page
    page.get_by_role("button", name="Take it back but keep the history").click()
    milder = page.locator(".milder")
    milder.get_by_label("Which").fill("crm")
    milder.get_by_label("Reason").fill("the export was of another shop")
    milder.get_by_role("button", name="Show what would be taken back").click()
    expect(milder).to_contain_text("3 records are retracted")
    assert statuses(own_console, "subject-0") == [200]

    milder.get_by_role("button", name="Take it back …").click()
    page.get_by_role("dialog").get_by_role("button", name="Take it back").click()

    expect(milder.get_by_role("heading", name="It was taken back")).to_be_focused()
    with own_console.client("steward") as client:
        found = client.get(f"/api/records/{own_console.ids['subject-0']}/history").json()["revisions"][-1]
    assert found["standing"]["status"] == "retracted"
    assert found["record"]["claim"]["content"] == f"{SUBJECT} prefers deliveries on Fridays"


@pytest.mark.slow
def test_what_came_meanwhile_is_said_and_not_taken_back_unseen(own_console: Console, tab: OpenTab) -> None:
    watched = tab(own_console, "steward", size=NARROW)
    watched.forgive("status of 409")
    page = watched.open("forget").page
    page.get_by_role("button", name="Take it back but keep the history").click()
    milder = page.locator(".milder")
    milder.get_by_label("Which").fill("crm")
    milder.get_by_label("Reason").fill("the export was of another shop")
    milder.get_by_role("button", name="Show what would be taken back").click()
    expect(milder).to_contain_text("3 records are retracted")
    with own_console.client("researcher") as client:
        more = {"content": "The shop opens at nine", "source": "crm", "confidence": 0.7}
        client.post("/api/records", json=more).raise_for_status()

    milder.get_by_role("button", name="Take it back …").click()
    page.get_by_role("dialog").get_by_role("button", name="Take it back").click()

    expect(milder.get_by_role("alert")).to_contain_text("Nothing was taken back. Meanwhile it changed: 1 more record")
    expect(milder).to_contain_text("4 records are retracted")
    assert statuses(own_console, "subject-0") == [200]
    milder.get_by_role("button", name="Take it back …").click()
    page.get_by_role("dialog").get_by_role("button", name="Take it back").click()
    expect(milder.get_by_role("heading", name="It was taken back")).to_be_focused()


@pytest.mark.slow
def test_a_reason_that_names_the_person_is_sent_back(console: Console, tab: OpenTab) -> None:
    page = tab(console, "steward").open("forget").page

    fill_in(page, SUBJECT, reason=f"{SUBJECT} asked for it")

    expect(page.get_by_role("alert")).to_contain_text("must not name whom this is about")
    expect(page.get_by_role("heading", name="3 · Confirm")).to_have_count(0)


@pytest.mark.slow
def test_a_name_that_nobody_wants_to_type_is_confirmed_by_the_number_of_records(console: Console, tab: OpenTab) -> None:
    source = "the archive of the old shop, " * 3 + "hall 2"
    with console.client("scout") as client:
        odd = {"content": "The bell rings at night", "source": source, "confidence": 0.7}
        assert client.post("/api/records", json=odd).json()["outcome"] == "committed"
    page = tab(console, "steward").open("forget").page

    fill_in(page, source, by="source")

    expect(page.locator(".phrase")).to_have_text("1")
    page.get_by_label("Type 1 to confirm").fill("1")
    expect(page.get_by_role("button", name="Erase 1 record for good")).to_be_enabled()


@pytest.mark.slow
def test_what_nobody_ever_mentioned_cannot_be_confirmed(console: Console, tab: OpenTab) -> None:
    page = tab(console, "steward").open("forget").page

    fill_in(page, hostile.IMAGE + hostile.NAME)

    expect(page.get_by_text("Nothing here would go")).to_be_visible()
    expect(page.get_by_role("heading", name="3 · Confirm")).to_have_count(0)
    assert page.evaluate("() => window.__pwned ?? null") is None


@pytest.mark.slow
def test_a_caller_without_the_right_is_told_what_it_takes_and_sees_only_what_is_theirs(
    console: Console, tab: OpenTab
) -> None:
    page = tab(console, "auditor").open("forget").page

    expect(page.get_by_role("heading", name="Erasing is not open to you")).to_be_visible()
    expect(page.get_by_text("no grant “review”").first).to_be_visible()
    expect(page.get_by_role("button", name="Show what would go")).to_have_count(0)
    expect(page.get_by_role("button", name="Place a hold …")).to_have_attribute("aria-disabled", "true")
    expect(page.get_by_role("list", name="Certificates").get_by_role("listitem")).to_have_count(1)
    with console.client("curator") as client:
        refused = client.post("/api/erasures", json={"subject": SUBJECT, "reason": "r"}).json()
    assert refused["verdict"]["outcome"] == "refused"
    assert statuses(console, *DOOMED) == [200, 200, 200, 200]


def test_what_is_only_probable_goes_when_it_is_ticked(own_console: Console, tab: OpenTab) -> None:
    with own_console.client("steward") as client:
        said = client.post("/api/memories", json={"content": "Jose Perez called about it", "confidence": 0.9})
        record = said.json()["record_id"]
    page = tab(own_console, "steward").open("forget").page
    fill_in(page, "José Pérez")
    node = page.get_by_role("list", name="What would go").locator(f'[data-node="{record}"]')
    expect(node).to_contain_text("stays")
    expect(node).to_contain_text("probable")
    expect(page.locator("#step-3")).to_have_count(0)

    page.get_by_label("Erase too what only may be meant (1)").check()
    expect(node).to_contain_text("is erased")
    expect(page.get_by_role("button", name="Erase 1 record for good")).to_be_disabled()
