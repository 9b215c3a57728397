"""A page walked through with the tab key alone: what it misses, and where nobody sees it. Knows no expected value."""

from __future__ import annotations

import msgspec
from playwright.sync_api import Page

from muniment.model.value import Value

STEPS_MAX = 400
_MARK = """
() => {
  const native = "a[href], button, input:not([type=hidden]), select, textarea, summary";
  const together = "ul, ol, table, [role=group], [role=tablist], [role=listbox], [role=tree], [role=toolbar]";
  const stoodFor = (one) => one.closest(together)?.querySelector(`${one.tagName}[tabindex="0"]`);
  const radios = new Set();
  let number = 0;
  for (const one of document.querySelectorAll(`${native}, [tabindex], [role=button], [role=link]`)) {
    const open = one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length > 0;
    if (!open || one.disabled || one.closest("[inert]")) continue;
    if (one.tabIndex < 0 && (stoodFor(one) || !one.matches(native))) continue;
    if (one.type === "radio") {
      if (radios.has(one.name)) continue;
      radios.add(one.name);
    }
    one.dataset.stop = one.type === "radio" ? `radio ${one.name}` : String((number += 1));
  }
  return [...document.querySelectorAll("[data-stop]")].map((one) => one.dataset.stop);
}
"""
_NAME = """
const name = (one) => {
  const words = one.getAttribute("aria-label") || one.labels?.[0]?.textContent || one.textContent || one.name || one.id;
  return `${one.tagName.toLowerCase()} ${words.trim().slice(0, 40)}`;
};
"""
_HERE = f"""
() => {{
  {_NAME}
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  const style = getComputedStyle(one);
  const box = one.getBoundingClientRect();
  return {{
    stop: one.type === "radio" ? `radio ${{one.name}}` : one.dataset.stop ?? "",
    words: name(one),
    ring: (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none",
    seen: box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
  }};
}}
"""
_WORDS = f"""
(stop) => {{
  {_NAME}
  return name(document.querySelector(`[data-stop="${{CSS.escape(stop)}}"]`));
}}
"""
_FROM_THE_TOP = """
() => {
  document.body.tabIndex = -1;
  document.body.focus();
  document.body.removeAttribute("tabindex");
}
"""


class Stop(Value):
    """Where the focus stands: what it is, whether a ring shows it, and whether it is on the screen."""

    stop: str
    words: str
    ring: bool
    seen: bool


def from_the_top(page: Page) -> None:
    """Put the focus before everything."""
    page.evaluate(_FROM_THE_TOP)


def walked(page: Page) -> tuple[list[str], list[Stop]]:
    """What there is to reach, and what the tab key reaches, from the top until it comes round."""
    wanted: list[str] = page.evaluate(_MARK)
    from_the_top(page)
    stops: list[Stop] = []
    for _ in range(STEPS_MAX):
        page.keyboard.press("Tab")
        here = page.evaluate(_HERE)
        if here is None:
            break
        stop = msgspec.convert(here, Stop)
        if stops and stop.stop == stops[0].stop:
            break
        stops.append(stop)
    return wanted, stops


def faults(page: Page) -> list[str]:
    """What is not reached, is reached without a ring, or off the screen, or in an order of its own. Of a list that
    arrow keys walk through, the tab key need reach one member only."""
    wanted, stops = walked(page)
    reached = {stop.stop for stop in stops}
    missed = [f"not reached: {page.evaluate(_WORDS, stop)}" for stop in wanted if stop not in reached]
    lit = {stop.stop for stop in stops if stop.ring}
    dark = [f"no ring: {stop.words}" for stop in stops if stop.stop not in lit]
    away = [f"off the screen: {stop.words}" for stop in stops if not stop.seen]
    odd = page.locator("[tabindex]:not([tabindex='0'], [tabindex='-1'])").count()
    return [*missed, *dark, *away, *(["an order of its own"] if odd else [])]
