"""Signing in: with a key, with a token, with nothing on one's own machine; and what a role sees, may do and is told."""

from __future__ import annotations

import re
import time
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import expect
from tests.browser.conftest import OpenTab
from tests.browser.tab import Console
from tests.browser.world import World, build
from tests.surfaces.http.conftest import serving, settings_for
from tests.surfaces.reception import issuer

from muniment import Memory
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.server_context import system_now

TURNED_AWAY = r"status of 401"


def test_a_wrong_key_is_turned_away_in_words_and_a_right_one_opens(console: Console, tab: OpenTab) -> None:
    seat = tab(console)
    seat.forgive(TURNED_AWAY)
    seat.page.goto(f"{console.url}/")
    field = seat.page.get_by_label("Key or token")
    expect(field).to_be_focused()
    field.press("Enter")
    expect(seat.page.get_by_role("alert")).to_contain_text("Type or paste a key or token first.")
    field.fill("mnk_nothing_of_ours")
    field.press("Enter")
    expect(seat.page.get_by_role("alert")).to_contain_text("unauthenticated")
    field.fill(console.keys["curator"])
    field.press("Enter")
    expect(seat.page.get_by_role("navigation").get_by_role("link", name="Queue")).to_be_visible()
    expect(seat.page.locator(".present")).to_contain_text("curator")


@pytest.mark.slow
def test_looking_at_the_door_is_no_denied_call(own_console: Console, tab: OpenTab) -> None:
    before = own_console.served.memory.ledger.head().seq
    seat = tab(own_console)
    seat.page.goto(f"{own_console.url}/")
    expect(seat.page.get_by_label("Key or token")).to_be_visible()
    own_console.served.reception.close()  # whatever was denied is written by now
    with Memory.open(own_console.served.reception.settings.folder, embedder=None) as memory:
        assert memory.ledger.head().seq == before


def test_the_key_stays_in_the_tab_and_goes_with_signing_out(console: Console, tab: OpenTab) -> None:
    seat = tab(console, "auditor")
    seat.page.reload()
    expect(seat.page.locator(".present")).to_contain_text("auditor")
    assert seat.page.context.cookies() == []
    assert console.keys["auditor"] not in str(seat.page.evaluate("JSON.stringify(localStorage)"))
    seat.page.get_by_role("button", name="Sign out").click()
    expect(seat.page.get_by_label("Key or token")).to_be_visible()
    assert seat.page.evaluate("sessionStorage.length") == 0
    other = seat.page.context.new_page()
    other.goto(f"{console.url}/")
    expect(other.get_by_label("Key or token")).to_be_visible()


@pytest.mark.slow
def test_who_is_revoked_meanwhile_is_back_at_the_door_and_told_why(own_console: Console, tab: OpenTab) -> None:
    seat = tab(own_console, "developer")
    folder = own_console.served.reception.settings.folder
    keys.revoke(folder, own_console.keys["developer"].split("_")[1], now=system_now())
    seat.forgive(TURNED_AWAY)
    seat.page.evaluate("() => (location.hash = '#/search')")  # whether or not the line of changes was faster
    expect(seat.page.get_by_label("Key or token")).to_be_visible()
    expect(seat.page.get_by_role("alert")).to_contain_text("unauthenticated")
    assert seat.page.evaluate("sessionStorage.length") == 0


@pytest.mark.slow
def test_a_question_goes_with_the_page_that_asked_it_and_with_who_was_asked(own_console: Console, tab: OpenTab) -> None:
    seat = tab(own_console, "steward").open("record")
    seat.page.get_by_role("button", name="It helped …").click()
    expect(seat.page.get_by_role("dialog")).to_be_visible()
    seat.go("#/search")
    expect(seat.page.get_by_role("dialog")).to_have_count(0)
    seat.open("record").page.get_by_role("button", name="It misled …").click()
    expect(seat.page.get_by_role("dialog")).to_be_visible()
    folder = own_console.served.reception.settings.folder
    keys.revoke(folder, own_console.keys["steward"].split("_")[1], now=system_now())
    seat.forgive(TURNED_AWAY)
    with own_console.client("planner") as client:
        client.post("/api/memories", json={"content": "The crane is out of order"})
    expect(seat.page.get_by_label("Key or token")).to_be_visible()
    expect(seat.page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.slow
def test_what_a_role_may_not_do_is_dimmed_with_the_reason(console: Console, tab: OpenTab) -> None:
    reading = tab(console, "reader").page.get_by_role("navigation")
    for name, grant in (("Receipts", "audit"), ("Ledger", "audit"), ("Forget", "review")):
        expect(reading.get_by_role("link", name=name)).to_have_attribute("title", re.compile(f"no grant “{grant}”"))
    expect(reading.get_by_role("link", name="Search")).not_to_have_attribute("title", re.compile("."))
    auditing = tab(console, "auditor").page.get_by_role("navigation")
    expect(auditing.get_by_role("link", name="Ledger")).not_to_have_attribute("title", re.compile("."))
    expect(auditing.get_by_role("link", name="Forget")).to_have_attribute("title", re.compile("no grant “review”"))


@pytest.mark.slow
def test_on_ones_own_machine_without_keys_there_is_no_door(tab: OpenTab, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "vault", embedder=None) as memory:
        memory.remember("The kettle is blue", evidence=("photo:1",))
    with serving(settings_for(tmp_path / "vault", port=0)) as served:
        seat = tab(Console(served, World(vault=str(tmp_path / "vault"), keys={}, ids={})))
        seat.page.goto(f"{served.url}/")
        expect(seat.page.locator(".present")).to_contain_text("owner")
        expect(seat.page.get_by_label("Key or token")).to_have_count(0)
        seat.page.goto("about:blank")  # whoever is gone no longer listens


@pytest.mark.slow
def test_a_token_of_an_issuer_opens_with_the_role_it_names(tab: OpenTab, tmp_path: Path) -> None:
    world = build(tmp_path / "vault")
    (tmp_path / "jwks.json").write_bytes(issuer.jwks("EdDSA"))
    settings = msgspec.structs.replace(
        settings_for(tmp_path / "vault", port=0),
        jwt_issuer=issuer.ISSUER,
        jwt_audience=issuer.AUDIENCE,
        jwt_jwks=str(tmp_path / "jwks.json"),
    )
    claims: issuer.Claims = {
        "iss": issuer.ISSUER,
        "aud": issuer.AUDIENCE,
        "exp": int(time.time()) + 600,
        "sub": "maintainer",
        "tenant": "default",
        "roles": ["auditor"],
        "scope": "muniment:read muniment:audit",
    }
    with serving(settings) as served:
        seat = tab(
            Console(served, World(vault=world.vault, keys={"token": issuer.token(claims)}, ids=world.ids)), "token"
        )
        expect(seat.page.locator(".present")).to_contain_text("maintainer")
        expect(seat.page.locator(".present")).to_contain_text("auditor")
        ledger = seat.page.get_by_role("navigation").get_by_role("link", name="Ledger")
        expect(ledger).not_to_have_attribute("title", re.compile("."))
        seat.page.goto("about:blank")


@pytest.mark.slow
def test_the_menu_opens_and_closes_on_a_narrow_screen_by_keys_alone(console: Console, tab: OpenTab) -> None:
    seat = tab(console, "curator", size=(360, 800))
    menu = seat.page.get_by_role("button", name="Menu")
    menu.focus()
    menu.press("Enter")
    link = seat.page.get_by_role("navigation").get_by_role("link", name="Conflicts")
    expect(link).to_be_visible()
    link.press("Enter")
    expect(seat.page.locator("main")).to_have_attribute("data-place", "/conflicts")
    expect(link).to_be_hidden()


@pytest.mark.slow
def test_an_address_that_leads_nowhere_says_so(console: Console, tab: OpenTab) -> None:
    seat = tab(console, "curator")
    seat.page.goto(f"{console.url}/#/nowhere/at/all")
    expect(seat.page.get_by_text("There is no such page")).to_be_visible()
