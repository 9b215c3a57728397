"""Random histories and lifetimes on PostgreSQL: the machines of the other stores, unchanged."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test
from tests.machine import test_histories as histories
from tests.machine import test_lifetimes as lifetimes
from tests.postgres.server import Schemas

from muniment.backends.postgres.vault import PostgresVault
from muniment.ports.store import Vault

SHARE = 6
"""A history on a server costs several times one in memory, so there are fewer of them."""


class Borrowed:
    """Where the machines below get their schemas from. Each gives its own back when it has ended."""

    schemas: Schemas
    lent: str

    def place(self) -> Vault:
        self.lent = self.schemas.lend()
        return PostgresVault(self.lent)


class PostgresHistories(Borrowed, histories.Histories):
    def teardown(self) -> None:
        super().teardown()
        self.schemas.take_back(self.lent)


class PostgresLifetimes(Borrowed, lifetimes.Lifetimes):
    def teardown(self) -> None:
        super().teardown()
        self.schemas.take_back(self.lent)


@pytest.fixture(autouse=True)
def borrow(schemas: Schemas) -> None:
    Borrowed.schemas = schemas


def test_any_history_agrees_with_the_model() -> None:
    usual = histories.MODEST
    run_state_machine_as_test(PostgresHistories, settings=settings(usual, max_examples=usual.max_examples // SHARE))


def test_no_lifetime_tells_too_much_or_keeps_what_is_gone() -> None:
    usual = lifetimes.MODEST
    run_state_machine_as_test(PostgresLifetimes, settings=settings(usual, max_examples=usual.max_examples // SHARE))
