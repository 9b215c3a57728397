"""The rooms of the console know only their neighbours: core nothing, parts the core, a page both and its own folder."""

from __future__ import annotations

import posixpath
import re

from tests.browser.test_files import SCRIPTS, STATIC, name_of

MAIN = "main.js"
"""Knows where every page is."""
ABOVE = {"parts": {"core"}, "frame.js": {"core", "parts"}}
BESIDE = {"receipt": {"search"}}
"""A receipt is a search that was."""
ONE_ROOM = {"conflicts": "conflict", "receipts": "receipt"}
"""The list of a thing and its page share a folder."""


def room(name: str) -> str:
    first, _, rest = name.partition("/")
    if first != "pages":
        return first
    page = rest.partition("/")[0].removesuffix(".js")
    return ONE_ROOM.get(page, page)


def allowed(name: str) -> set[str]:
    here = room(name)
    if name.startswith("pages/"):
        return {"core", "parts", here} | BESIDE.get(here, set())
    return {here} | ABOVE.get(here, set())


def imported(name: str, text: str) -> set[str]:
    found = re.findall(r"""(?:from\s+|import\()["'](\.[^"']+)["']""", text)
    return {posixpath.normpath(posixpath.join(posixpath.dirname(name), one)) for one in found}


def test_a_module_imports_from_its_neighbours_alone() -> None:
    names = [name_of(path) for path in SCRIPTS if name_of(path) != MAIN]
    found = [(name, one) for name in names for one in imported(name, (STATIC / name).read_text())]
    assert [(name, one) for name, one in found if room(one) not in allowed(name)] == []
    assert [(name, one) for name, one in found if not (STATIC / one).is_file()] == []


def test_every_module_is_reached_from_the_first() -> None:
    reached, ahead = set[str](), [MAIN]
    while ahead:
        name = ahead.pop()
        if name not in reached:
            reached.add(name)
            ahead += imported(name, (STATIC / name).read_text())
    assert {name_of(path) for path in SCRIPTS} - reached == set()


def test_every_sheet_and_every_preload_of_the_page_is_there() -> None:
    page = (STATIC / "index.html").read_text()
    named = set(re.findall(r'(?:href|src)="/console/([^"]+)"', page))
    assert {one for one in named if not (STATIC / one).is_file()} == set()
    sheets = {path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.css")}
    assert sheets <= named
