"""Debian's chromium, driven by Playwright: where it is, and how it is started. It never calls anywhere by itself."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright
from tests.patience import WAIT_S

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WAIT_MS = WAIT_S * 1_000
MISSING = "there is no browser here; on Debian: apt-get install chromium fonts-dejavu-core"


def installed() -> str | None:
    """The path of a browser, if there is one."""
    return next((found for name in NAMES if (found := shutil.which(name)) is not None), None)


@contextmanager
def launched(path: str) -> Iterator[Browser]:
    """A browser with an empty profile, for as long as the block lasts."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, headless=True, args=list(FLAGS), timeout=WAIT_MS)
        try:
            yield browser
        finally:
            browser.close()
