"""What tests in a browser share: one browser, servers over seeded worlds, and tabs that fail the test for what goes
wrong in them.

`console` is a server that the tests of a module share: look, or change only what is yours. `own_console` is one test's
alone. `tab(console, "curator")` signs somebody in.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Protocol

import pytest
from playwright.sync_api import Browser, expect
from tests.browser.chromium import MISSING, WAIT_MS, installed, launched
from tests.browser.pages import WIDE
from tests.browser.serve import served_world
from tests.browser.tab import Console, Scheme, Tab, opened

expect.set_options(timeout=WAIT_MS)


class OpenTab(Protocol):
    """Opens a tab, signed in if somebody is named."""

    def __call__(
        self,
        console: Console,
        name: str | None = None,
        *,
        size: tuple[int, int] = WIDE,
        scheme: Scheme = "light",
        still: bool = False,
    ) -> Tab: ...


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser for all tests of this folder. Without one they are skipped, and fail where CI is set."""
    path = installed()
    if path is None:
        if os.environ.get("CI"):
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    with launched(path) as found:
        yield found


@pytest.fixture(scope="module")
def console() -> Iterator[Console]:
    """A server over a world that the tests of a module share."""
    with served_world() as (served, world):
        yield Console(served, world)


@pytest.fixture
def own_console() -> Iterator[Console]:
    """A server over a world of this test's own."""
    with served_world() as (served, world):
        yield Console(served, world)


@pytest.fixture
def tab(browser: Browser) -> Iterator[OpenTab]:
    """Open tabs: `tab(console, "curator", size=NARROW, scheme="dark")`, `still` for who wants nothing to move. Each has
    cookies and storage of its own. What any of them complained of fails the test when it ends."""
    tabs: list[Tab] = []
    with ExitStack() as stack:

        def open_tab(
            console: Console,
            name: str | None = None,
            *,
            size: tuple[int, int] = WIDE,
            scheme: Scheme = "light",
            still: bool = False,
        ) -> Tab:
            context = browser.new_context(
                viewport={"width": size[0], "height": size[1]},
                color_scheme=scheme,
                reduced_motion="reduce" if still else "no-preference",
            )
            stack.callback(context.close)
            context.set_default_timeout(WAIT_MS)
            tabs.append(opened(context, console))
            return tabs[-1].sign_in(name) if name is not None else tabs[-1]

        yield open_tab
    assert [said for one in tabs for said in one.complaints] == []
