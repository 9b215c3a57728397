"""The ground the other tests stand on holds: the world is as told, a tab notices what goes wrong in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.browser.conftest import OpenTab
from tests.browser.pages import NARROW
from tests.browser.tab import Console
from tests.browser.world import build

from muniment import Memory
from muniment.model import times

EXPECTED = (
    "error: seen",
    "dialog: stop",
    "error: policy: connect-src forbids http://elsewhere.invalid/",
    "status of 404",
    "error: policy: style-src-attr forbids inline",
    "error: policy: require-trusted-types-for forbids trusted-types-sink",
    "This document requires 'TrustedHTML' assignment",
)


@pytest.mark.slow
def test_a_tab_takes_note_of_errors_dialogs_broken_rules_and_calls_elsewhere(console: Console, tab: OpenTab) -> None:
    watched = tab(console)
    page = watched.page
    page.goto(f"{console.url}/")

    page.evaluate("console.error('seen')")
    page.evaluate("alert('stop')")
    page.evaluate("fetch('http://elsewhere.invalid/').catch(() => null)")
    page.evaluate("fetch('/api/nowhere').then((answer) => answer.text())")
    page.evaluate("document.body.setAttribute('style', 'display: none')")
    with page.expect_console_message(lambda said: "require-trusted-types-for forbids" in said.text):
        page.evaluate("setTimeout(() => { document.body.innerHTML = '<b>markup</b>' })")

    complaints = watched.complaints
    watched.forgive("")
    for expected in EXPECTED:
        assert any(expected in said for said in complaints), (expected, complaints)


@pytest.mark.slow
def test_somebody_signs_in_and_sees_the_frame(console: Console, tab: OpenTab) -> None:
    page = tab(console, "curator", size=NARROW, scheme="dark").page

    assert page.locator("main").count() == 1
    assert page.get_by_text("curator").count() >= 1
    assert page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") is True
    assert page.viewport_size == {"width": 360, "height": 800}


def test_the_world_has_of_everything_that_the_console_shows(console: Console) -> None:
    ids = console.ids
    with console.client("steward") as client:
        types = {one["id"]: one["type"] for one in client.get("/api/conflicts").json()["conflicts"]}
        stats = client.get("/api/stats").json()
        history = client.get(f"/api/records/{ids['revised']}/history").json()
        footing = client.get(f"/api/records/{ids['budget']}").json()["standing"]["footing"]
        certificates = client.get("/api/certificates").json()["certificates"]
        holds = client.get("/api/holds").json()["holds"]
        verified = client.post("/api/ledger/verification", json={}).json()["ok"]
    assert {name: types[ids[name]] for name in ("contradiction", "duplicate", "update")} == {
        name: name for name in ("contradiction", "duplicate", "update")
    }
    assert (stats["current"], stats["held"], stats["open_conflicts"], stats["receipts"] >= 11) == (74, 14, 3, True)
    assert [len(one["events"]) > 0 for one in history["revisions"]] == [True] * 4
    assert (footing["effective"], footing["support"]) == (0.2, "flagged")
    assert (len(certificates), len(holds), verified) == (1, 1, True)


def test_the_same_moment_makes_the_same_world(tmp_path: Path) -> None:
    now = times.parse("2026-11-01", field="now")
    heads = []
    for name in ("one", "other"):
        world = build(tmp_path / name, now=now)
        with Memory.open(world.vault, embedder=None) as memory:
            heads.append((memory.insight.stats().entries, memory.insight.stats().current, world.ids))
    assert heads[0] == heads[1]
