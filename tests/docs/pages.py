"""Read our own pages: which there are, their fenced samples, their links. Knows Markdown, not Muniment."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"
ROOT_PAGES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")

_FENCE = re.compile(
    r"^(?P<marks>`{3,})(?P<language>[\w-]*)[ \t]*\n(?P<body>.*?)^(?P=marks)[ \t]*$", re.MULTILINE | re.DOTALL
)
_NOT_RUN = re.compile(r"<!-- not run: (?P<reason>[^>]+?) -->\s*\Z")
_LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_IMAGE = re.compile(r"""<img[^>]*\bsrc="(?P<target>[^"]+)\"""")
_HEADING = re.compile(r"^#{1,6}[ \t]+(?P<text>.+?)[ \t]*$", re.MULTILINE)
_INLINE_CODE = re.compile(r"`[^`\n]*`")


@dataclass(frozen=True, slots=True)
class Sample:
    """One fenced block. `not_run` is the reason given for not running it, if one is."""

    page: Path
    line: int
    language: str
    body: str
    not_run: str | None

    @property
    def name(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def pages() -> list[Path]:
    """Every page we publish, the generated ones included."""
    return [*(ROOT / name for name in ROOT_PAGES), *sorted((ROOT / "docs").rglob("*.md"))]


def written_pages() -> list[Path]:
    """The pages people write; the reference is generated and shows no samples of its own."""
    return [page for page in pages() if REFERENCE not in page.parents]


def samples(page: Path) -> list[Sample]:
    text = page.read_text()
    found = []
    for fence in _FENCE.finditer(text):
        before = text[: fence.start()]
        excuse = _NOT_RUN.search(before)
        found.append(
            Sample(
                page=page,
                line=before.count("\n") + 1,
                language=fence["language"],
                body=fence["body"],
                not_run=excuse["reason"] if excuse else None,
            )
        )
    return found


def prose(text: str) -> str:
    """A page without its fenced blocks and inline code."""
    return _INLINE_CODE.sub("", _FENCE.sub("", text))


def links(page: Path) -> list[str]:
    """The targets of links and pictures that stay within the repository."""
    text = prose(page.read_text())
    targets = [found["target"] for pattern in (_LINK, _IMAGE) for found in pattern.finditer(text)]
    return [target for target in targets if not re.match(r"[a-z]+:", target)]


def anchors(page: Path) -> set[str]:
    """The headings of a page, spelled as a link spells them."""
    text = _FENCE.sub("", page.read_text())
    return {anchor(found["text"]) for found in _HEADING.finditer(text)}


def anchor(heading: str) -> str:
    """The spelling a heading has in a link: lower case, spaces to hyphens, other signs dropped.

    >>> anchor("The `ledger`, and why")
    'the-ledger-and-why'
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
