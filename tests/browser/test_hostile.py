"""Whatever a memory says, it is text: script, markup, addresses that run and pleas to the curator do nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page
from tests.browser import hostile
from tests.browser.conftest import OpenTab
from tests.browser.layout import beyond
from tests.browser.pages import NARROW, follow, routes, settle, sides
from tests.browser.tab import Console, Tab

_FOREIGN = """
() => {
  const found = [];
  const unseen = /[\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069]/;
  const texts = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  for (let one = texts.nextNode(); one; one = texts.nextNode()) {
    const tag = one.parentElement.tagName;
    if (unseen.test(one.data) && tag !== "TEXTAREA") found.push(`text bare in ${tag}`);
  }
  if (unseen.test(document.title)) found.push("the title of the page");
  if (window.__pwned !== undefined) found.push(`ran: ${window.__pwned}`);
  for (const one of document.querySelectorAll("*")) {
    const tag = one.tagName.toLowerCase();
    for (const { name, value } of one.attributes) {
      const told = /^(title|placeholder|alt|label|aria-.*)$/.test(name);
      if (told && unseen.test(value)) found.push(`${tag} has ${name} bare`);
      if (name.startsWith("on")) found.push(`${tag} has ${name}`);
      if (/^\\s*(javascript|data|vbscript):/i.test(value)) found.push(`${tag} has ${name} ${value.slice(0, 30)}`);
    }
    if (["iframe", "object", "embed", "base", "form[action]"].includes(tag)) found.push(tag);
    if (tag === "script" && !new URL(one.src, location.href).pathname.startsWith("/console/")) found.push("a script");
    if ((tag === "style" || tag === "link") && !document.head.contains(one)) found.push(tag);
    if (tag === "img" && !one.getAttribute("src").startsWith("/console/")) found.push("an image");
    if (tag === "a" && !/^(#|blob:|\\/(?!\\/)|$)/.test(one.getAttribute("href") ?? "")) found.push("a link");
  }
  if (document.querySelectorAll("main").length !== 1) found.push("another main");
  if (getComputedStyle(document.body).display === "none") found.push("the page is hidden");
  return found;
}
"""
SCRIPT_PLACES = ("#/search?text=", "#/records/", "#/conflicts/", "#/receipts/", "#/forget?subject=", "#/")
DEEDS = (
    "document.body.innerHTML = '<b>x</b>'",
    "document.body.insertAdjacentHTML('beforeend', '<b>x</b>')",
    "document.write('x')",
    "new DOMParser().parseFromString('<b>x</b>', 'text/html')",
    "document.createElement('script').src = '/console/main.js'",
    "document.body.setAttribute('onclick', 'x()')",
)
ADDRESSES = [f"{place}{text}" for place in SCRIPT_PLACES for text in (hostile.NAME, "javascript:alert(1)")]


def foreign(page: Page) -> list[str]:
    """What is on a page that only text could have brought there."""
    found: list[str] = page.evaluate(_FOREIGN)
    return found


def shows(page: Page, text: str) -> bool:
    """Whether a page shows text as it was written, signs that cannot be seen apart."""
    return text in page.locator("main").inner_text()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["steward", "developer"])
def test_no_page_lets_a_memory_become_markup_or_script(console: Console, tab: OpenTab, name: str) -> None:
    seat = tab(console, name)
    seat.forgive(r"status of 40[34]")
    harmful = [who for who, found in console.ids.items() if who.startswith("harm") and found.startswith("rec_")]
    records = {who: f"#/records/{console.ids[who]}" for who in harmful}
    more = {**sides(console.ids), **records} if name == "steward" else {}
    found = {}
    for place, route in {**routes(console.ids), **more}.items():
        seat.go(route)
        found[place] = foreign(seat.page)
    assert {place: strange for place, strange in found.items() if strange} == {}


@pytest.mark.slow
def test_an_address_that_means_harm_leads_nowhere(console: Console, tab: OpenTab) -> None:
    seat = tab(console, "steward")
    seat.forgive(r"status of 4\d\d")
    found = {}
    for route in ADDRESSES:
        follow(seat.page, route)
        settle(seat.page)
        found[route] = foreign(seat.page)
    assert {route: strange for route, strange in found.items() if strange} == {}


@pytest.mark.slow
def test_a_record_of_script_is_shown_as_it_was_written(console: Console, tab: OpenTab) -> None:
    page = tab(console, "steward").open("record-hostile").page
    assert shows(page, hostile.IMAGE)


@pytest.mark.slow
def test_the_queue_shows_the_plea_as_the_proposers_words(console: Console, tab: OpenTab) -> None:
    seat = tab(console, "curator").go("#/queue")
    before = seat.page.request.get(f"{console.url}/api/stats", headers=_key(console)).json()["held"]
    plea = seat.page.get_by_text("please click Accept on this proposal").first
    plea.click()
    assert seat.page.locator("bdi", has_text="please click Accept on this proposal").count() >= 1
    assert foreign(seat.page) == []
    after = seat.page.request.get(f"{console.url}/api/stats", headers=_key(console)).json()["held"]
    assert (before, after) == (14, 14)


@pytest.mark.slow
def test_a_search_for_script_shows_the_question_and_its_answers_as_text(console: Console, tab: OpenTab) -> None:
    page = _searched(tab(console, "steward"), hostile.SCRIPT)
    assert shows(page, hostile.IMAGE) or shows(page, hostile.SCRIPT)
    assert foreign(page) == []


@pytest.mark.slow
def test_signs_that_turn_the_writing_are_spelled_out(console: Console, tab: OpenTab) -> None:
    page = tab(console, "curator").go("#/queue").page
    page.get_by_text("was paid").first.click()
    text = page.locator("main").inner_text()
    assert "U+202E" in text
    assert "\u202e" not in text


@pytest.mark.slow
def test_an_endless_word_does_not_widen_a_narrow_page(console: Console, tab: OpenTab) -> None:
    seat = tab(console, "steward", size=NARROW).go(f"#/records/{console.ids['harm-10']}")
    assert shows(seat.page, hostile.LONG)
    assert beyond(seat.page) == []


@pytest.mark.slow
def test_not_even_our_own_mistake_could_make_markup_of_text(console: Console, tab: OpenTab) -> None:
    seat = tab(console, "steward")
    seat.forgive("Trusted|trusted-types|require-trusted-types-for")
    tried = "(deed) => { try { deed(); return null } catch (error) { return error.name } }"
    names = {deed: seat.page.evaluate(f"() => ({tried})(() => {{ {deed} }})") for deed in DEEDS}
    assert names == dict.fromkeys(DEEDS, "TypeError")


@pytest.mark.slow
def test_what_text_could_have_brought_is_noticed(console: Console, tab: OpenTab) -> None:
    seat = tab(console, "steward")
    seat.forgive("inline style|style-src-elem")
    page = seat.page
    page.evaluate(
        "() => { const link = document.createElement('a'); link.href = 'javascript:void 0';"
        " const frame = document.createElement('iframe'); window.__pwned = 'test';"
        " link.title = 'gpj\\u202eexe'; frame.setAttribute('aria-label', '\\u200b');"
        " document.querySelector('main').append(link, frame, document.createElement('style'), '\\u2066') }"
    )
    bare = ["a has title bare", "a link", "iframe has aria-label bare"]
    known = ["text bare in MAIN", "ran: test", "a has href javascript:void 0", *bare, "iframe", "style"]
    assert foreign(page) == known


def _key(console: Console) -> dict[str, str]:
    return {"Authorization": f"Bearer {console.keys['curator']}"}


def _searched(seat: Tab, text: str) -> Page:
    """Ask as a person would: type the question and press Enter."""
    page = seat.go("#/search").page
    question = page.locator("main").get_by_role("textbox").or_(page.get_by_role("searchbox")).first
    question.fill(text)
    question.press("Enter")
    settle(page)
    return page
