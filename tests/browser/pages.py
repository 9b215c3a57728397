"""The pages of the console, and how to come to one. Knows no expected value."""

from __future__ import annotations

from collections.abc import Mapping

from playwright.sync_api import Page

SIGN_IN = "sign-in"
WIDE, NARROW = (1440, 900), (360, 800)
_FOLLOW = """
(route) => location.hash === route ? null : new Promise((done) => {
  addEventListener("hashchange", () => done(null), { once: true });
  location.hash = route;
})
"""


def routes(ids: Mapping[str, str]) -> dict[str, str]:
    """Every page by name, with the ids of a world where one is needed."""
    return {
        "overview": "#/",
        "queue": "#/queue",
        "search": "#/search",
        "record": f"#/records/{ids['revised']}",
        "record-hostile": f"#/records/{ids['harm-kept']}",
        "conflicts": "#/conflicts",
        "conflict": f"#/conflicts/{ids['contradiction']}",
        "receipts": "#/receipts",
        "receipt": f"#/receipts/{ids['receipt-0']}",
        "receipt-abstained": f"#/receipts/{ids['receipt-6']}",
        "ledger": "#/ledger",
        "forget": "#/forget",
    }


def sides(ids: Mapping[str, str]) -> dict[str, str]:
    """What else pages show, behind their tabs and once they were asked something."""
    record, hostile = ids["revised"], ids["harm-kept"]
    tabs = ("history", "times", "belief", "receipts", "ledger", "contracts")
    return {
        "search-answers": "#/search?text=when+do+lorries+leave%3F",
        "search-nothing": "#/search?text=who+won+the+chess+tournament%3F",
        "record-lineage": f"#/records/{ids['budget']}?tab=lineage",
        **{f"record-{tab}": f"#/records/{record}?tab={tab}" for tab in tabs},
        **{f"record-hostile-{tab}": f"#/records/{hostile}?tab={tab}" for tab in ("history", "contracts")},
        **{f"ledger-{tab}": f"#/ledger?tab={tab}" for tab in ("checkpoints", "verify", "keys", "denied")},
        "conflict-settled": f"#/conflicts/{ids['settled']}",
        "forget-asked": "#/forget?by=subject&value=customer+C-2093",
    }


def sign_in(page: Page, url: str, key: str) -> None:
    """Open the console and type a key, as a person would."""
    page.goto(f"{url}/")
    field = page.locator("input[type=password]")
    field.fill(key)
    field.press("Enter")
    field.wait_for(state="detached")
    settle(page)


def go(page: Page, route: str) -> None:
    """Follow a route of the console, and wait until it has loaded what it shows."""
    follow(page, route)
    page.locator(f'main[data-place="{route[1:].partition("?")[0]}"]').wait_for()
    settle(page)


def follow(page: Page, route: str) -> None:
    """Change the address, and wait until the console has heard of it."""
    page.evaluate(_FOLLOW, route)


def settle(page: Page) -> None:
    """Wait until nothing on the page says that it is still loading."""
    page.wait_for_function(
        "() => document.querySelector('main') && !document.querySelector('[aria-busy=true], main .waiting')"
    )
