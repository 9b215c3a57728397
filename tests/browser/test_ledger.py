"""The ledger for auditors: read, signed, verified by the server and again in the browser, spoiled in a copy, and taken
along; and what the memory says afterwards."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Download, Page, Route, expect
from tests.browser.conftest import OpenTab
from tests.browser.tab import Console
from tests.surfaces.shell import outside

SPOILED = {
    "alter": "Found: the chain breaks at entry 130.",
    "remove": "Found: the chain breaks at entry 131.",
    "swap": "Found: the chain breaks at entry 131.",
    "forge": "Found: the chain breaks at entry 131.",
    "rewrite": "Found: the links agree with each other, but they lead to another head.",
}


class Link(msgspec.Struct):
    seq: int
    body: str | None
    hash: str


class Chain(msgspec.Struct):
    previous: str
    links: list[Link]
    next: str | None


def head(console: Console) -> int:
    with console.client("auditor") as client:
        return int(client.get("/api/ledger/head").json()["seq"])


def ledger(console: Console, tab: OpenTab, part: str, who: str = "auditor") -> Page:
    seat = tab(console, who)
    seat.go(f"#/ledger?tab={part}")
    return seat.page


def check(page: Page) -> None:
    page.get_by_role("button", name="Check in this browser").click()


@pytest.mark.slow
def test_entries_are_shown_newest_first_from_any_position_and_page_by_page(console: Console, tab: OpenTab) -> None:
    page = ledger(console, tab, "entries")
    rows = page.locator("li.entry")
    last = head(console)
    expect(rows).to_have_count(50)
    assert [rows.nth(place).get_attribute("data-seq") for place in (0, 49)] == [str(last), str(last - 49)]
    page.get_by_role("button", name="Show earlier entries").click()
    expect(rows).to_have_count(100)
    position = page.get_by_label("Position")
    position.fill("61")
    position.press("Enter")
    expect(rows).to_have_count(50)
    expect(rows.first).to_have_attribute("data-seq", "61")
    with console.client("auditor") as client:
        entry = client.get("/api/ledger/entries?first=61&last=61").json()["entries"][0]
    expect(rows.first.get_by_role("link").first).to_have_attribute("title", entry["filing"]["record"])
    expect(rows.first).to_contain_text("Conflict")
    rows.first.get_by_role("button", name="JSON of entry 61").press("Enter")
    assert msgspec.json.decode(rows.first.locator("pre").inner_text()) == entry


@pytest.mark.slow
def test_a_filter_says_that_it_looks_at_this_page_alone(console: Console, tab: OpenTab) -> None:
    page = tab(console, "auditor").go("#/ledger?at=61").page
    page.get_by_label("Show only").select_option("policy")
    expect(page.get_by_text("0 of the 50 entries on this page.")).to_be_visible()
    page.get_by_role("button", name="Show earlier entries").click()
    expect(page.get_by_text("1 of the 61 entries on this page.")).to_be_visible()
    expect(page.locator("li.entry:visible")).to_have_count(1)
    expect(page.locator("li.entry:visible")).to_have_attribute("data-seq", "2")


@pytest.mark.slow
def test_entries_written_meanwhile_are_announced_and_shown_on_request(own_console: Console, tab: OpenTab) -> None:
    page = ledger(own_console, tab, "entries", "auditor")
    before = head(own_console)
    with own_console.client("planner") as client:
        client.post("/api/memories", json={"content": "The gate was oiled", "kind": "observation"}).raise_for_status()
    page.get_by_role("button", name="1 new entry: show").click()
    expect(page.locator("li.entry").first).to_have_attribute("data-seq", str(before + 1))
    expect(page.locator("li.entry").first).to_contain_text("committed")
    expect(page.locator("li.entry").first).to_contain_text("planner")


@pytest.mark.slow
def test_a_checkpoint_is_signed_after_a_preview_and_not_without(own_console: Console, tab: OpenTab) -> None:
    page = ledger(own_console, tab, "checkpoints")
    rows = page.locator("li.checkpoint")
    expect(rows).to_have_count(1)
    with own_console.client("planner") as client:
        client.post("/api/memories", json={"content": "The gate was oiled", "kind": "observation"}).raise_for_status()
    last = head(own_console)
    signing = page.get_by_role("button", name="Sign one now")
    signing.press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text(f"entry {last}")
    page.keyboard.press("Escape")
    with own_console.client("auditor") as client:
        assert len(client.get("/api/ledger/checkpoints").json()["checkpoints"]) == 1
        signing.press("Enter")
        page.get_by_role("button", name="Sign", exact=True).press("Enter")
        expect(rows).to_have_count(2)
        found = client.get("/api/ledger/checkpoints").json()["checkpoints"]
    assert [one["checkpoint"]["seq"] for one in found] == [last, 132]
    expect(rows.first).to_contain_text(found[0]["checkpoint"]["head"])


@pytest.mark.slow
def test_the_server_verifies_and_a_head_of_another_history_is_noticed(console: Console, tab: OpenTab) -> None:
    page = ledger(console, tab, "verify")
    verify = page.get_by_role("button", name="Verify the ledger")
    verify.press("Enter")
    verdict = page.locator("section", has=verify).locator(".verdict")
    expect(verdict).to_contain_text(f"Sound: {head(console)} entries and 13 receipts checked, nothing wrong.")
    page.get_by_text("Compare with a head that was kept elsewhere").click()
    kept = page.get_by_label("The head, as it was downloaded")
    kept.fill("not a head")
    verify.click()
    expect(page.get_by_role("alert")).to_contain_text("The head that was kept elsewhere cannot be read.")
    kept.fill(f'{{"tenant": "default", "seq": 60, "hash": "{"ab" * 32}", "at": "2026-01-01T00:00:00Z"}}')
    verify.click()
    expect(verdict).to_contain_text("Not sound: 1 finding.")
    expect(verdict.get_by_role("link", name="entry 60")).to_be_visible()
    check(page)
    expect(page.get_by_text("The head that was kept elsewhere, entry 60, has another hash here")).to_be_visible()


def test_the_browser_hashes_every_entry_again_and_checks_the_signature(console: Console, tab: OpenTab) -> None:
    page = ledger(console, tab, "verify")
    check(page)
    verdict = page.locator(".verdict")
    expect(verdict).to_contain_text(f"The chain holds: {head(console)} entries hashed here, every hash as written.")
    expect(verdict).to_contain_text("The last checkpoint, at entry 132, names the hash found here and carries a good")


def test_what_a_server_alters_on_the_way_is_found_by_the_browser(console: Console, tab: OpenTab) -> None:
    page = ledger(console, tab, "verify")

    def lie(route: Route) -> None:
        answer = route.fetch()
        chain = msgspec.json.decode(answer.body(), type=Chain)
        link = next(one for one in chain.links if one.seq == 60)
        link.body = str(link.body).replace('"actor":"scout"', '"actor":"scour"')
        route.fulfill(response=answer, body=msgspec.json.encode(chain))

    page.route("**/api/ledger/chain*", lie)
    check(page)
    verdict = page.locator(".verdict")
    expect(verdict).to_contain_text("The chain does not hold.")
    expect(verdict.locator(".rows > li")).to_have_count(1)
    expect(verdict).to_contain_text("Entry 60 does not fit")


@pytest.mark.slow
def test_a_checkpoint_that_nobody_signed_is_found_by_the_browser(console: Console, tab: OpenTab) -> None:
    page = ledger(console, tab, "verify")

    def lie(route: Route) -> None:
        answer = route.fetch()
        found = answer.json()
        found["checkpoints"][0]["checkpoint"]["receipts"] += 1
        route.fulfill(response=answer, json=found)

    page.route("**/api/ledger/checkpoints*", lie)
    check(page)
    expect(page.locator(".verdict")).to_contain_text("The chain does not hold.")
    expect(page.locator(".verdict")).to_contain_text("is not signed by the key it names")


@pytest.mark.slow
def test_a_checkpoint_with_a_key_that_is_none_is_found_by_the_browser(console: Console, tab: OpenTab) -> None:
    page = ledger(console, tab, "verify")

    def lie(route: Route) -> None:
        answer = route.fetch()
        found = answer.json()
        found["checkpoints"][0]["checkpoint"]["key"] = "ab"
        route.fulfill(response=answer, json=found)

    page.route("**/api/ledger/checkpoints*", lie)
    check(page)
    expect(page.locator(".verdict")).to_contain_text("names a key that was not the ledger's then")


@pytest.mark.slow
def test_a_key_that_is_none_and_that_the_server_vouches_for_signs_nothing(console: Console, tab: OpenTab) -> None:
    page = ledger(console, tab, "verify")

    def lie(route: Route) -> None:
        answer = route.fetch()
        found = answer.json()
        for one in found.get("checkpoints", ()):
            one["checkpoint"]["key"] = "ab"
        for one in found.get("keys", ()):
            one["key"] = "ab"
        route.fulfill(response=answer, json=found)

    page.route("**/api/ledger/checkpoints*", lie)
    page.route("**/api/ledger/keys*", lie)
    check(page)
    expect(page.locator(".verdict")).to_contain_text("is not signed by the key it names")


@pytest.mark.slow
def test_a_ledger_that_ends_before_its_last_checkpoint_was_cut_off(console: Console, tab: OpenTab) -> None:
    page = ledger(console, tab, "verify")
    with console.client("auditor") as client:
        (link,) = client.get("/api/ledger/chain", params={"first": 120, "last": 120}).json()["links"]

    def lie(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "seq": 120, "hash": link["hash"]})

    page.route("**/api/ledger/head", lie)
    check(page)
    expect(page.locator(".verdict")).to_contain_text("The chain does not hold.")
    expect(page.locator(".verdict")).to_contain_text("at entry 132, lies beyond the end of this ledger")


@pytest.mark.slow
def test_a_copy_can_be_spoiled_in_every_way_and_nothing_of_it_leaves_the_tab(console: Console, tab: OpenTab) -> None:
    page = ledger(console, tab, "verify")
    page.get_by_role("button", name="Take a copy of the last entries").click()
    page.get_by_label("Entry", exact=True).select_option("130")
    before = head(console)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(f"{request.method} {request.url} {request.post_data}"))
    for way, words in SPOILED.items():
        page.get_by_label("What is done to it").select_option(way)
        page.get_by_role("button", name="Spoil the copy").press("Enter")
        expect(page.locator(".verdict > p").first).to_have_text(words)
        expect(page.locator(".chain-joint.broken").first).to_have_text("✕ broken")
    page.get_by_role("button", name="Put it right again").click()
    expect(page.get_by_text("entries in the copy, untouched.")).to_be_visible()
    looked = f"GET {console.url}/api/stats None"  # the frame counts anew when somebody else writes
    assert [one for one in sent if one != looked] == []
    assert head(console) == before


def taken(page: Page, name: str, folder: Path) -> str:
    """Download something; the name of the file in the folder."""
    with page.expect_download() as found:
        page.get_by_role("button", name=name).click()
    download: Download = found.value
    download.save_as(folder / download.suggested_filename)
    return download.suggested_filename


@pytest.mark.slow
def test_what_is_downloaded_is_what_the_command_line_checks_with(
    own_console: Console, tab: OpenTab, tmp_path: Path
) -> None:
    vault = str(own_console.served.reception.settings.folder)
    turned = outside("signing", "rotate", "--reason", "routine", "--yes", "--vault", vault, cwd=tmp_path)
    assert turned.returncode == 0, turned.stderr
    page = ledger(own_console, tab, "keys")
    kept, keys = taken(page, "Download the head", tmp_path), taken(page, "Download the keys", tmp_path)
    page.get_by_role("tab", name="Checkpoints").click()
    page.get_by_text("As a file that can be checked without the vault").first.click()
    signed = taken(page, "Save as a file", tmp_path)

    checked = outside("checkpoint", "verify", signed, "--key", keys, "--vault", "nowhere", cwd=tmp_path)
    assert checked.stdout.startswith(b"genuine: tenant default, up to entry"), checked
    compared = outside("ledger", "verify", "--anchor", kept, "--vault", vault, "--json", cwd=tmp_path)
    assert msgspec.json.decode(compared.stdout)["ok"] is True


@pytest.mark.slow
@pytest.mark.parametrize("name", ["reader", "developer"])
def test_who_may_not_audit_is_told_why_and_nothing_else(console: Console, tab: OpenTab, name: str) -> None:
    seat = tab(console, name)
    asked: list[str] = []
    seat.page.on("request", lambda request: asked.append(request.url))
    seat.go("#/ledger")
    expect(seat.page.get_by_text("The ledger is for those who audit")).to_be_visible()
    expect(seat.page.locator("main")).to_contain_text("no grant “audit”")
    expect(seat.page.get_by_role("tab")).to_have_count(0)
    assert [url for url in asked if "/api/ledger" in url] == []


@pytest.mark.slow
def test_who_was_turned_away_is_listed_for_auditors(own_console: Console, tab: OpenTab) -> None:
    with own_console.client("reader") as client:
        assert client.get("/api/ledger/head").status_code == 403
    page = ledger(own_console, tab, "denied")
    row = page.get_by_role("listitem").filter(has_text="developer")
    expect(row.first).to_contain_text("not permitted")


@pytest.mark.slow
def test_denied_calls_are_not_shown_to_those_who_may_not_audit(console: Console, tab: OpenTab) -> None:
    page = ledger(console, tab, "denied", "planner")
    expect(page.get_by_text("The ledger is for those who audit")).to_be_visible()
    expect(page.get_by_role("tab")).to_have_count(0)
