"""The overview: its figures and plots say what the API says, move when the memory does, are read by keys alone, and
leave out what the caller may not know; an empty memory teaches."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.conftest import OpenTab
from tests.browser.tab import Console
from tests.browser.world import World
from tests.patience import WAIT_S
from tests.surfaces.http.conftest import serving, settings_for

"""Figures are read again two seconds apart at the soonest."""


def figure(page: Page, words: str) -> Locator:
    return page.get_by_role("list", name="How much there is").get_by_role("link").filter(has_text=words).locator("b")


def test_the_figures_are_those_of_the_api_and_lead_on(console: Console, tab: OpenTab) -> None:
    page = tab(console, "auditor").page
    with console.client("auditor") as client:
        stats = client.get("/api/stats").json()
        activity = client.get("/api/activity?bucket=day&buckets=1").json()
    assert (stats["current"], stats["open_conflicts"], stats["held"]) == (74, 3, 14)
    expect(figure(page, "records hold")).to_have_text("74")
    expect(figure(page, "wait for a person")).to_have_text("14")
    expect(figure(page, "conflicts are open")).to_have_text("3")
    expect(figure(page, "recalls today")).to_have_text(str(activity["periods"][-1]["recalls"]))
    expect(figure(page, "entries in the ledger")).to_have_text(str(stats["entries"]))
    expect(page.get_by_text("the oldest since")).to_be_visible()
    page.get_by_role("link", name="wait for a person").click()
    expect(page.locator("main")).to_have_attribute("data-place", "/queue")


@pytest.mark.slow
def test_a_plot_is_read_with_the_arrow_keys_and_as_a_table(console: Console, tab: OpenTab) -> None:
    page = tab(console, "auditor").page
    with console.client("auditor") as client:
        periods = client.get("/api/activity?bucket=day&buckets=30").json()["periods"]
    plot = page.get_by_role("figure").filter(has_text="Writes")
    legend = plot.get_by_role("list")
    expect(legend).to_contain_text(f"committed {sum(one['committed'] for one in periods)}")
    ruler = page.get_by_role("slider", name="Writes")
    ruler.focus()
    back = max(range(1, 31), key=lambda place: periods[-place]["held"])
    for _ in range(back):
        ruler.press("ArrowLeft")
    chosen = periods[-back]
    figures = [chosen[name] for name in ("committed", "held", "refused")]
    assert figures[1] > 0
    said = "{}: committed {}, held {}, refused {}".format(chosen["start"][:10], *figures)
    expect(ruler).to_have_attribute("aria-valuetext", said)
    expect(legend).to_contain_text(f"held {figures[1]}")
    ruler.press("Home")
    expect(ruler).to_have_attribute("aria-valuenow", "0")
    ruler.press("Escape")
    expect(plot).to_contain_text("in all")
    plot.get_by_text("Show as a table").click()
    expect(plot.locator("tbody tr")).to_have_count(30)
    cells = plot.locator("tbody tr").nth(back - 1).get_by_role("cell")
    expect(cells).to_have_text([chosen["start"][:10], *map(str, figures)])


@pytest.mark.slow
def test_the_time_shown_can_be_chosen_and_stays_in_the_address(console: Console, tab: OpenTab) -> None:
    page = tab(console, "auditor").page
    month, day = page.get_by_role("button", name="30 days"), page.get_by_role("button", name="24 hours")
    expect(month).to_have_attribute("aria-pressed", "true")
    day.press("Enter")
    expect(day).to_have_attribute("aria-pressed", "true")
    expect(day).to_be_focused()
    expect(page.get_by_role("slider", name="Writes")).to_have_attribute("aria-valuemax", "23")
    assert page.url.endswith("#/?range=day")
    page.reload()
    expect(page.get_by_role("slider", name="Writes")).to_have_attribute("aria-valuemax", "23")


@pytest.mark.slow
def test_the_figures_move_when_the_memory_does(own_console: Console, tab: OpenTab) -> None:
    page = tab(own_console, "auditor").page
    expect(figure(page, "records hold")).to_have_text("74")
    plot = page.get_by_role("figure").filter(has_text="Writes").get_by_role("list")
    expect(plot).to_contain_text("committed 83")
    with own_console.client("planner") as client:
        client.post("/api/memories", json={"content": "The gate was oiled", "kind": "observation"}).raise_for_status()
    expect(figure(page, "records hold")).to_have_text("75")
    expect(plot).to_contain_text("committed 84")


@pytest.mark.slow
def test_the_memory_is_scored_on_request_and_the_score_is_kept_for_the_visit(console: Console, tab: OpenTab) -> None:
    seat = tab(console, "auditor")
    page = seat.page
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with console.client("auditor") as client:
        found = client.get("/api/quality").json()
    page.get_by_role("button", name="Score the memory").press("Enter")
    expect(page.locator(".quality")).to_contain_text(f"{round(found['mean'])} of 100 on average, over 74 records.")
    assert [row.split("\n")[-1] for row in page.locator(".bands li").all_inner_texts()] == [
        str(found["bands"][band]) for band in ("good", "fair", "weak", "poor")
    ]
    seat.go("#/ledger").go("#/")
    expect(page.locator(".worst > li")).to_have_count(len(found["worst"]))
    assert len([url for url in asked if "/api/quality" in url]) == 1
    page.get_by_role("link", name="Open the record").first.click()
    expect(page.locator("main")).to_have_attribute("data-place", f"/records/{found['worst'][0]['id']}")


@pytest.mark.slow
def test_the_directory_tells_who_knows_about_some_words(console: Console, tab: OpenTab) -> None:
    page = tab(console, "reader").page
    rows = page.locator(".knower")
    with console.client("reader") as client:
        found = client.get("/api/directory?about=conveyor").json()["knowers"]
    assert found
    about = page.get_by_label("About")
    about.fill("conveyor")
    about.press("Enter")
    expect(rows).to_have_count(len(found))
    expect(rows.first).to_contain_text(found[0]["actor"])
    expect(rows.first).to_contain_text(f"{found[0]['records']} record")
    about.fill("zeppelin")
    about.press("Enter")
    expect(page.get_by_text("Nobody knows of this")).to_be_visible()


@pytest.mark.slow
def test_the_field_tells_of_agents_and_of_work_without_names_that_are_for_members(
    console: Console, tab: OpenTab
) -> None:
    page = tab(console, "auditor").page
    agents = page.get_by_role("region", name="Agents, 4").locator("tbody tr")
    expect(agents.filter(has_text="night-watch")).to_contain_text("failed")
    expect(agents.filter(has_text="planner")).to_contain_text("lead")
    tasks = page.get_by_role("region", name="Tasks, 4").locator("tbody tr")
    expect(tasks.filter(has_text="blocked")).to_contain_text("researcher")
    expect(page.get_by_text("offered to scout")).to_be_visible()
    expect(page.locator("main")).not_to_contain_text("Paint new signs")
    expect(page.get_by_text("is told to its members")).to_be_visible()


@pytest.mark.slow
def test_who_may_not_audit_sees_no_more_than_the_api_tells_them(console: Console, tab: OpenTab) -> None:
    seat = tab(console, "reader")
    asked: list[str] = []
    seat.page.on("request", lambda request: asked.append(request.url))
    seat.go("#/search").go("#/")
    figures = seat.page.get_by_role("list", name="How much there is").get_by_role("listitem")
    expect(figures).to_have_count(2)
    expect(figures.first).to_contain_text("71")
    expect(seat.page.locator("main")).to_contain_text("the plots over time are left out. Your credential has no grant")
    expect(seat.page.get_by_role("figure")).to_have_count(0)
    assert [url for url in asked if "/api/activity" in url] == []


def test_an_empty_memory_teaches_and_the_first_record_turns_it_into_an_overview(tab: OpenTab, tmp_path: Path) -> None:
    with serving(settings_for(tmp_path / "vault", port=0)) as served:
        seat = tab(Console(served, World(vault=str(tmp_path / "vault"), keys={}, ids={})))
        page = seat.page
        page.goto(f"{served.url}/")
        expect(page.get_by_text("Nothing is remembered yet")).to_be_visible()
        taught = page.get_by_label("With curl").locator("xpath=self::pre").inner_text()
        address, sent = re.search(r"curl (\S+)", taught), re.search(r"-d '(.*)'", taught)
        assert address is not None
        assert sent is not None
        assert address[1] == f"{served.url}/api/memories"
        answer = httpx.post(address[1], content=sent[1], headers={"Content-Type": "application/json"}, timeout=WAIT_S)
        assert answer.json()["outcome"] == "committed"
        expect(figure(page, "records hold")).to_have_text("1")
        page.evaluate("() => (document.querySelector('h1').dataset.first = 'yes')")
        for number in ("2", "3"):
            httpx.post(
                address[1], json={"content": f"Crate {number} is blue", "evidence": ["ticket:2"]}, timeout=WAIT_S
            )
            expect(figure(page, "records hold")).to_have_text(number)
        expect(page.locator("h1[data-first]")).to_have_count(1)  # what changes later does not open the page anew
        page.goto("about:blank")


PLOTTED = """
async ([series, more]) => {
  const { plot } = await import("/console/parts/plot.js");
  document.querySelector("main").replaceChildren(plot({ label: "Drawn", series, ...more }));
}
"""


@pytest.mark.slow
def test_a_plot_stands_with_nothing_one_point_gaps_and_series_apart(console: Console, tab: OpenTab) -> None:
    page = tab(console, "auditor").page
    page.evaluate(PLOTTED, [[{"name": "none", "points": []}], {}])
    expect(page.get_by_text("Nothing in this time.")).to_be_visible()
    page.evaluate(PLOTTED, [[{"name": "one", "points": [[1000, 0.5]]}], {"yMin": 0, "yMax": 1}])
    expect(page.locator(".plot svg circle")).to_have_count(1)
    apart = [{"name": "a", "points": [[0, 1], [20, None], [40, 3]], "step": True}, {"name": "b", "points": [[10, 7]]}]
    page.evaluate(PLOTTED, [apart, {}])
    ruler = page.get_by_role("slider", name="Drawn")
    expect(ruler).to_have_attribute("aria-valuetext", "now: a 3, b –")
    ruler.focus()
    ruler.press("Home")
    ruler.press("ArrowRight")
    expect(ruler).to_have_attribute("aria-valuetext", "1970-01-01 00:00:00 UTC: a 1, b 7")
    drawn = page.locator(".plot svg").first
    before = drawn.bounding_box()
    page.set_viewport_size({"width": 500, "height": 800})
    assert before is not None
    expect(drawn).not_to_have_attribute("width", str(int(before["width"])))
