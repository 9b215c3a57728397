"""The pictures of the design are drawn from the code, and still show it."""

from __future__ import annotations

import re

from scripts.walks import PICTURES, imports, rooms_picture, walks

MAY_DIFFER = 3
"""What one call enters and the next does not: a background thread may take a step in between."""


def test_the_pictures_of_the_walks_show_the_files_that_are_run_through() -> None:
    for name, steps in walks().items():
        drawn = set(re.findall(r">([a-z_/]+\.py) <", (PICTURES / f"walk-{name}.svg").read_text()))
        entered = {file for file, _ in steps}
        assert len(drawn) > 10
        assert len(drawn ^ entered) <= MAY_DIFFER, f"{name}: run `make docs`; {sorted(drawn ^ entered)}"


def test_the_picture_of_the_rooms_shows_what_they_import() -> None:
    assert (PICTURES / "rooms.svg").read_text() == rooms_picture(imports()), "run `make docs`"
