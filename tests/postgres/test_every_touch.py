"""Die at touches of a PostgreSQL store, in every kind of write: the same tests as on the other stores."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.crash.conftest import Places
from tests.crash.test_every_touch import (
    test_a_death_at_any_touch_leaves_all_or_nothing,
    test_a_death_at_any_touch_of_the_beginning_leaves_a_store_that_can_begin,
    test_a_death_in_one_store_is_no_death_of_another,
    test_the_commands_above_reach_as_far_as_they_should,
    test_the_ledger_never_runs_backwards_when_the_clock_does,
)
from tests.postgres.places import PostgresPlaces
from tests.postgres.server import Schemas

__all__ = [
    "test_a_death_at_any_touch_leaves_all_or_nothing",
    "test_a_death_at_any_touch_of_the_beginning_leaves_a_store_that_can_begin",
    "test_a_death_in_one_store_is_no_death_of_another",
    "test_the_commands_above_reach_as_far_as_they_should",
    "test_the_ledger_never_runs_backwards_when_the_clock_does",
]


@pytest.fixture
def places(schemas: Schemas) -> Iterator[Places]:
    made = PostgresPlaces(schemas)
    yield made
    made.done()
