"""One world for the tests of a module: what they say in it may stay, since nothing of it may reach the other side."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.walls.world import World, opened


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with opened(tmp_path_factory.mktemp("walls")) as found:
        yield found
