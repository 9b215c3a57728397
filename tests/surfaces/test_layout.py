"""The tree as lines: each name once, siblings in order, guides that stop growing, and lines that fit the paper."""

from __future__ import annotations

import io

from rich.console import Console
from rich.text import Text
from tests.cases import each

from muniment.surfaces.cli.layout import DEEPEST_GUIDE, SHORT, Hanging, grow, short


def _drawn(children: dict[str, list[str]]) -> list[str]:
    return [branch.drawn + branch.name + (" again" if branch.again else "") for branch in grow("top", children)]


def test_a_diamond_is_drawn_once_and_marked_where_it_comes_back() -> None:
    assert _drawn({"top": ["a", "b"], "a": ["c"], "b": ["c"], "c": ["d"]}) == [
        "├─ a",
        "│  └─ c",
        "│     └─ d",
        "└─ b",
        "   └─ c again",
    ]


def test_a_circle_ends_where_it_began() -> None:
    assert _drawn({"top": ["a"], "a": ["b"], "b": ["top", "a"]}) == [
        "└─ a",
        "   └─ b",
        "      ├─ top again",
        "      └─ a again",
    ]


def test_a_chain_of_any_length_is_drawn_without_recursion_and_without_end_of_paper() -> None:
    names = [f"n{number}" for number in range(5_000)]
    chain = dict(zip(["top", *names], ([name] for name in names), strict=False))
    branches = list(grow("top", chain))
    assert [branch.name for branch in branches] == names
    assert branches[-1].drawn == "   " * (DEEPEST_GUIDE - 1) + "└─ (5000) "
    assert max(len(branch.drawn) for branch in branches) < 40


@each("width", [30, 40, 80])
def test_what_does_not_fit_goes_on_beside_the_guides(width: int) -> None:
    paper = io.StringIO()
    words = "one two three four five six seven eight nine ten"
    Console(file=paper, width=width).print(Hanging("├─ ", "│  ", Text(words)))
    lines = paper.getvalue().splitlines()
    assert lines[0].startswith("├─ one")
    assert all(line.startswith("│  ") for line in lines[1:])
    assert " ".join(line[3:].strip() for line in lines) == words
    assert max(len(line) for line in lines) <= width


def test_a_long_text_is_cut_and_says_so() -> None:
    assert short("x" * SHORT) == "x" * SHORT
    assert short("x" * (SHORT + 1)) == "x" * (SHORT - 3) + "..."
    assert short(" a \n b\t c ") == "a b c"
