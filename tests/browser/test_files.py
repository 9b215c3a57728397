"""The files of the console keep the house rules: small, no text that becomes markup, nothing from anywhere else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.browser.javascript import code, functions
from tests.cases import each

import muniment.surfaces.console

STATIC = Path(muniment.surfaces.console.__file__).parent / "static"
FILES = sorted(path for path in STATIC.rglob("*") if path.is_file())
SCRIPTS = [path for path in FILES if path.suffix == ".js"]
NAMESPACES = {"http://www.w3.org/2000/svg"}
MODULE_LINES, FUNCTION_LINES = 400, 60
FORBIDDEN = re.compile(
    r"\b(innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|setHTMLUnsafe|parseHTMLUnsafe|DOMParser|srcdoc"
    r"|trustedTypes|document\s*\.\s*write(ln)?|eval|new\s+Function|Function\s*\(|importScripts|createPolicy)\b"
)
ATTRIBUTES = re.compile(r"""setAttribute\(\s*["'`](on|style|srcdoc)|\bstyle=["']|\.style\s*=[^=]|\.cssText\b""")


def name_of(path: Path) -> str:
    return str(path.relative_to(STATIC))


def long_functions(text: str) -> list[int]:
    return [one.line for one in functions(text) if one.lines > FUNCTION_LINES]


def test_there_are_files_to_look_at() -> None:
    assert {name_of(path) for path in FILES} >= {"index.html", "main.js", "frame.js", "style/tokens.css"}
    assert {path.suffix for path in FILES} <= {".html", ".css", ".js", ".svg"}


def told(paths: list[Path], faults: Callable[[str], Iterable[object]]) -> dict[str, list[object]]:
    """What is wrong in each of the files."""
    return {name_of(path): found for path in paths if (found := list(faults(path.read_text())))}


def hosts(text: str) -> list[str]:
    named = set(re.findall(r"(?:https?|wss?|ftp):/+[^\s\"'`)<]*", text)) - NAMESPACES
    return [*named, *re.findall(r"""(?:url\(|from|import|src=|href=|fetch\()\s*["'(`]?\s*//""", text)]


def test_a_file_names_no_host_but_that_of_a_namespace() -> None:
    assert told(FILES, hosts) == {}


def test_a_module_is_small_and_so_are_its_functions() -> None:
    assert told(SCRIPTS, lambda text: text.splitlines()[MODULE_LINES:]) == {}
    assert told(SCRIPTS, long_functions) == {}


def test_a_module_has_no_way_to_turn_text_into_markup_or_code() -> None:
    assert told(SCRIPTS, lambda text: FORBIDDEN.findall(code(text))) == {}
    assert told(SCRIPTS, ATTRIBUTES.findall) == {}


def test_a_module_begins_with_one_sentence_that_says_what_it_is() -> None:
    assert [name_of(path) for path in SCRIPTS if not re.match(r"// [A-Z].+[.…]", path.read_text())] == []


def test_the_page_has_no_script_and_no_style_of_its_own() -> None:
    text = (STATIC / "index.html").read_text()
    assert re.findall(r"<script(?![^>]*\bsrc=)", text) == []
    assert re.findall(r"<style|\sstyle=|\son\w+=", text) == []
    named = re.findall(r'(?:src|href)="(/[^"]*)"', text)
    assert named
    assert [name for name in named if not (STATIC / name.removeprefix("/console/")).is_file()] == []


def test_what_a_module_imports_is_there() -> None:
    wanted = re.compile(r"""(?:from|import\()\s*"([./][^"]*)\"""")
    named = [(path, name) for path in SCRIPTS for name in wanted.findall(path.read_text())]
    assert [f"{name_of(path)}: {name}" for path, name in named if not (path.parent / name).is_file()] == []


def spare_exports(texts: dict[str, str]) -> list[str]:
    """What a module hands out and no other takes."""
    found = []
    for path, text in texts.items():
        others = [other for name, other in texts.items() if name != path]
        names = re.findall(r"^export (?:async )?(?:function|const|class|let) (\w+)", text, re.MULTILINE)
        spare = [name for name in names if not any(re.search(rf"\b{name}\b", other) for other in others)]
        found += [f"{path}: {name}" for name in spare]
    return found


def spare_classes(sheet: str, scripts: str) -> list[str]:
    """Classes that are painted and that nothing wears. `score-${group}` wears all that begin so."""
    selectors = re.sub(r"/\*.*?\*/|\{[^{}]*\}", " ", sheet, flags=re.DOTALL)
    names = sorted(set(re.findall(r"\.([a-zA-Z][\w-]*)", selectors)))
    beginnings = tuple(re.findall(r"([a-zA-Z][\w-]*-)\$\{", scripts))
    spoken = set(re.findall(r"(?<=[.\"'` ])[a-zA-Z][\w-]*", "".join(re.findall(r"[\"`][^\"`\n]*[\"`]", scripts))))
    return [name for name in names if name not in spoken and not name.startswith(beginnings)]


def test_what_a_module_hands_out_is_taken() -> None:
    assert spare_exports({name_of(path): path.read_text() for path in SCRIPTS}) == []


@each("path", [path for path in FILES if path.suffix == ".css"], ids=name_of)
def test_every_class_that_is_painted_is_worn(path: Path) -> None:
    worn = "\n".join(one.read_text() for one in FILES if one.suffix in (".js", ".html"))
    assert spare_classes(path.read_text(), worn) == []


def test_what_nobody_takes_or_wears_is_found() -> None:
    texts = {"a.js": "export const one = 1;\nexport function two() {}", "b.js": 'import { two } from "./a.js";'}
    assert spare_exports(texts) == ["a.js: one"]
    sheet = ".worn > .tone-3 { color: red } .spare:hover, .word { margin: 1.5rem }"
    assert spare_classes(sheet, 'h("p.worn"); h(`b.tone-${n}`); const word = 1;') == ["spare", "word"]


BODY = "\n".join(["  go();"] * 59)


@each("head", ["function f(a) {", "const f = async (a) => {", "class A { f() {", "call((a) => {"])
def test_a_function_that_is_too_long_is_found_however_it_is_written(head: str) -> None:
    closing = "}" * head.count("{")
    assert long_functions(f"\n{head}\n{BODY}\n  go();{closing}") == [2]
    assert long_functions(f"\n{head}\n{BODY}{closing}") == []


def test_braces_in_text_comments_patterns_and_branches_are_no_functions() -> None:
    text = 'if (a) {\n}\nfor (const b of c) {}\nd = "(e) => {"; // (f) {\ng = /[)] {/;\nh = `) { ${i}`;'
    assert list(functions(text)) == []


@each("text", ["a.innerHTML = b", "`${eval(b)}`", "document.write(b)", "new Function(b)", "a . outerHTML = 1"])
def test_a_way_to_make_markup_is_found(text: str) -> None:
    assert FORBIDDEN.search(code(text)) is not None


@each("text", ['a.setAttribute("onclick", b)', "a.setAttribute('style', b)", 'b = "<p style=\\"c"'])
def test_an_attribute_that_runs_or_paints_is_found(text: str) -> None:
    assert ATTRIBUTES.search(text.replace('\\"', '"')) is not None
