"""Whether a page fits where it is looked at: what sticks out to the side, and what moves. Knows no expected value."""

from __future__ import annotations

from playwright.sync_api import Page

_BEYOND = """
() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  const scrolls = (one) => getComputedStyle(one).overflowX !== "visible";
  const inside = (one) => one !== document.body && (scrolls(one) || inside(one.parentElement));
  const right = (one) => Math.round(one.getBoundingClientRect().right);
  return [...document.querySelectorAll("body *")]
    .filter((one) => one.checkVisibility() && right(one) > width + 1 && !inside(one.parentElement))
    .map((one) => `${one.tagName.toLowerCase()}.${one.getAttribute("class")} ${right(one)}`)
    .slice(0, 12);
}
"""
_MOVING = """
() => [...document.querySelectorAll("*")].filter((one) => {
  const style = getComputedStyle(one);
  const lasts = (said) => said.split(",").some((part) => parseFloat(part) > 0.011);
  return lasts(style.transitionDuration) || (style.animationName !== "none" && lasts(style.animationDuration));
}).map((one) => `${one.tagName.toLowerCase()}.${one.getAttribute("class")}`).slice(0, 12)
"""


def beyond(page: Page) -> list[str]:
    """What sticks out to the right, if the page can be scrolled there."""
    found: list[str] = page.evaluate(_BEYOND)
    return [f"sideways: {one}" for one in found]


def moving(page: Page) -> list[str]:
    """What takes its time to change."""
    found: list[str] = page.evaluate(_MOVING)
    return [f"moves: {one}" for one in found]
