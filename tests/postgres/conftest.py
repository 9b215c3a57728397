"""What tests of the PostgreSQL store share: a schema of their own each, on a real server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.postgres.server import Schemas


@pytest.fixture
def dsn(schemas: Schemas) -> Iterator[str]:
    """An empty schema at the newest revision, for one test."""
    place = schemas.lend()
    yield place
    schemas.take_back(place)


@pytest.fixture
def bare_dsn(schemas: Schemas) -> Iterator[str]:
    """A schema that is not there yet, and is gone after the test whoever made it."""
    with schemas.bare() as place:
        yield place
