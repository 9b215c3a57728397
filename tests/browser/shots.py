"""Pictures of the console: `python -m tests.browser.shots FOLDER [--only NAME] [--key curator]`.

Each page at 1440 and 360 pixels, light and dark, of a world that is made and served for the occasion. What the browser
complains of on the way is printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page
from playwright.sync_api import Error as BrowserError
from tests.browser.chromium import MISSING, installed, launched
from tests.browser.pages import NARROW, SIGN_IN, WIDE, go, routes, sides, sign_in
from tests.browser.serve import served_world

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
WAIT_MS = 5_000


@contextmanager
def page_of(browser: Browser, size: tuple[int, int], scheme: Literal["light", "dark"]) -> Iterator[Page]:
    """A page that prints what goes wrong on it."""
    width, height = size
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    page.on("console", lambda said: print(f"  {said.type}: {said.text}") if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: print(f"  error: {error.message}"))
    try:
        yield page
    finally:
        context.close()


def take(browser: Browser, folder: Path, url: str, key: str, wanted: dict[str, str]) -> None:
    """Every wanted page at both widths, light and dark."""
    for size in (WIDE, NARROW):
        for scheme in SCHEMES:
            with page_of(browser, size, scheme) as page:
                ending = f"{size[0]}-{scheme}.png"
                if SIGN_IN in wanted:
                    page.goto(f"{url}/")
                    page.locator("input[type=password]").wait_for()
                    _shoot(page, folder / f"{SIGN_IN}-{ending}")
                sign_in(page, url, key)
                for name, route in wanted.items():
                    if name != SIGN_IN:
                        _visit(page, route, folder / f"{name}-{ending}")


def _visit(page: Page, route: str, file: Path) -> None:
    try:
        go(page, route)
    except BrowserError as error:
        print(f"  {file.stem}: {error.message.splitlines()[0]}")
    _shoot(page, file)


def _shoot(page: Page, file: Path) -> None:
    page.screenshot(path=file, full_page=True)
    print(file, flush=True)


def run() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("folder", type=Path)
    asked.add_argument("--only", help="the beginning of the names of pages", default="")
    asked.add_argument("--key", help="who looks, by name", default="steward")
    said = asked.parse_args()
    said.folder.mkdir(parents=True, exist_ok=True)
    path = installed()
    if path is None:
        raise SystemExit(MISSING)
    with served_world() as (served, world), launched(path) as browser:
        pages = {SIGN_IN: "", **routes(world.ids), **sides(world.ids)}
        wanted = {name: route for name, route in pages.items() if name.startswith(said.only)}
        take(browser, said.folder, served.url, world.keys[said.key], wanted)


if __name__ == "__main__":
    run()
