"""The pictures of the console in the documentation: `python -m tests.browser.pictures docs/pictures`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from playwright.sync_api import Browser, Page
from tests.browser.chromium import MISSING, installed, launched
from tests.browser.pages import go, settle, sign_in
from tests.browser.serve import served_world

WAIT_MS = 20_000


class Picture(NamedTuple):
    """One picture: its name, the place it shows, how large and in which light."""

    name: str
    place: str
    size: tuple[int, int] = (1280, 800)
    scheme: Literal["light", "dark"] = "light"


def pictures(ids: Mapping[str, str]) -> list[Picture]:
    asked = "#/search?text=where+do+lorries+load"
    return [
        Picture("queue", f"#/queue?open={ids['rebel']}", size=(1440, 900)),
        Picture("overview", "#/"),
        Picture("lineage", f"#/records/{ids['budget']}?tab=lineage", scheme="dark"),
        Picture("conflict", f"#/conflicts/{ids['contradiction']}"),
        Picture("search", asked),
        Picture("narrow", f"#/records/{ids['revised']}?tab=history", size=(360, 740), scheme="dark"),
    ]


def run() -> None:
    path = installed()
    if path is None:
        sys.exit(MISSING)
    folder = Path(sys.argv[1])
    with served_world() as (served, world), launched(path) as browser:
        for one in pictures(world.ids):
            with_page(browser, served.url, world.keys["curator"], one, folder / f"console-{one.name}.png")


def with_page(browser: Browser, url: str, key: str, one: Picture, file: Path) -> None:
    width, height = one.size
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=one.scheme)
    context.set_default_timeout(WAIT_MS)
    page: Page = context.new_page()
    sign_in(page, url, key)
    go(page, one.place)
    settle(page)
    page.screenshot(path=file)
    print(file, file.stat().st_size, flush=True)
    context.close()


if __name__ == "__main__":
    run()
