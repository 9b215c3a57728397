"""A tab of the browser that takes note of everything that should not happen in one. Knows no expected value."""

from __future__ import annotations

import re
from typing import Literal

import httpx
from playwright.sync_api import BrowserContext, ConsoleMessage, Dialog, Page, Request
from tests.browser import pages
from tests.browser.world import World
from tests.surfaces.http.conftest import Served

Scheme = Literal["light", "dark"]
_LEFT = "net::ERR_ABORTED"
"""A page that is left ends what it asked for."""
_TELL_VIOLATIONS = """
addEventListener("securitypolicyviolation", (seen) =>
  console.error(`policy: ${seen.effectiveDirective} forbids ${seen.blockedURI}`));
"""


class Console:
    """A server over a seeded world: its address, everyone's key, the ids of what is there."""

    def __init__(self, served: Served, world: World) -> None:
        self.served = served
        self.url = served.url
        self.keys = world.keys
        self.ids = world.ids

    def client(self, name: str) -> httpx.Client:
        """The HTTP API as somebody calls it who is not at the console. Close it."""
        return self.served.client(self.keys[name])


class Tab:
    """A page with somebody at it. What it complains of fails the test, unless the test forgave it."""

    def __init__(self, page: Page, console: Console) -> None:
        self.page = page
        self.console = console
        self._complaints: list[str] = []
        self._forgiven: list[str] = []
        page.on("console", self._said)
        page.on("pageerror", lambda error: self._complaints.append(f"error: {error.message}"))
        page.on("dialog", self._dialog)
        page.on("request", self._asked)
        page.on("requestfailed", self._failed)

    def sign_in(self, name: str) -> Tab:
        """Open the console and type somebody's key."""
        pages.sign_in(self.page, self.console.url, self.console.keys[name])
        return self

    def go(self, route: str) -> Tab:
        """Open a place, such as `#/queue`, and wait until it has loaded."""
        pages.go(self.page, route)
        return self

    def open(self, name: str) -> Tab:
        """Open a page by its name in `pages.routes` or `pages.sides`."""
        return self.go({**pages.routes(self.console.ids), **pages.sides(self.console.ids)}[name])

    def forgive(self, pattern: str) -> None:
        """Expect complaints that match, such as `status of 409` when a test provokes one."""
        self._forgiven.append(pattern)

    @property
    def complaints(self) -> list[str]:
        """What was not forgiven."""
        return [said for said in self._complaints if not any(re.search(one, said) for one in self._forgiven)]

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._complaints.append(f"{message.type}: {message.text} [{message.location['url']}]")

    def _dialog(self, dialog: Dialog) -> None:
        self._complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((f"{self.console.url}/", "blob:")):
            self._complaints.append(f"elsewhere: {request.url}")

    def _failed(self, request: Request) -> None:
        if request.failure != _LEFT:
            self._complaints.append(f"failed: {request.method} {request.url} {request.failure}")


def opened(context: BrowserContext, console: Console) -> Tab:
    """A new tab that is watched."""
    context.add_init_script(_TELL_VIOLATIONS)
    return Tab(context.new_page(), console)
