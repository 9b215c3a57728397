"""What the attacks share: a way to tell what came of each."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.agmi.table import PROPERTY, Tell


@pytest.fixture
def tell(record_property: Callable[[str, object], None]) -> Tell:
    """Keep a verdict with the report of the test, so that it is printed whichever process ran it."""

    def keep(attack: str, point: str, verdict: str) -> None:
        record_property(PROPERTY, [attack, point, verdict])

    return keep
