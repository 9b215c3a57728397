"""What is left out on PostgreSQL is named by tests that are there."""

from __future__ import annotations

from pathlib import Path

from tests.cases import each
from tests.postgres.left_out import FILES, LONG, ONLY_FILES

ROOT = Path(__file__).parent.parent.parent


@each(("path", "names"), [*ONLY_FILES.items(), *LONG.items()])
def test_every_test_that_is_left_out_exists(path: str, names: tuple[str, ...]) -> None:
    text = (ROOT / path).read_text()
    assert [name for name in names if f"def {name}(" not in text] == []


@each("path", FILES)
def test_every_file_that_is_left_out_exists(path: str) -> None:
    assert list((ROOT / path).parent.glob((ROOT / path).name + "*"))
