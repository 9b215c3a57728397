"""axe-core, put to a page: what keeps people who see, hear or move otherwise from using it. Knows no expected value."""

from __future__ import annotations

from functools import cache
from importlib import resources

import msgspec
from playwright.sync_api import Page

from muniment.model.value import Value

TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
_RUN = """
async (tags) => {
  const runOnly = { type: "tag", values: tags };
  const found = await axe.run(document, { runOnly, resultTypes: ["violations"], preload: false, iframes: false });
  return found.violations.map((rule) => ({
    rule: rule.id, impact: rule.impact, help: rule.help,
    places: rule.nodes.map((node) => `${node.target.join(" ")} (${node.failureSummary.replaceAll(/\\s+/g, " ")})`),
  }));
}
"""


class Violation(Value):
    """A rule that a page breaks, how bad that is, and where."""

    rule: str
    impact: str
    help: str
    places: tuple[str, ...]


@cache
def source() -> str:
    """The program itself, from the wheel that carries it."""
    return (resources.files("axe_playwright_python") / "axe.min.js").read_text()


def violations(page: Page) -> tuple[Violation, ...]:
    """Everything axe finds on a page as it stands. It is put there from outside, past the page's own policy."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(source())
    return msgspec.convert(page.evaluate(_RUN, list(TAGS)), tuple[Violation, ...])


def grave(found: tuple[Violation, ...]) -> list[str]:
    """Those that keep somebody out, in words."""
    return [f"{one.rule}: {one.help}: {place}" for one in found if one.impact in _GRAVE for place in one.places]


_GRAVE = ("serious", "critical")
