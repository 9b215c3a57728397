"""One server for the assertions that need one, for as long as the tests of this folder run. Knows no expected value."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from muniment.testing.akashik.examined import Started


@pytest.fixture(scope="package")
def address() -> Iterator[str]:
    """The address of a server on an empty vault, which opens fields for examination."""
    server = Started()
    try:
        yield server.url
    finally:
        server.close()
