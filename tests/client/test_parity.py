"""The clients have the methods of the embedded memory, with the same parameters, but for what a wire cannot carry."""

from __future__ import annotations

import inspect

from muniment import AsyncClient, Client, Memory
from muniment.client.asynchronous_ledger import AsyncClientLedger
from muniment.client.ledger import ClientLedger
from muniment.engine.audit import LedgerFace
from muniment.rest import OPERATIONS

AT_HOME = {"open", "as_actor", "policy", "take_in"}
"""What needs the store itself: opening it, sitting in another's place, its rules, and values that never were a file."""
ABROAD = {"caller"}
"""What only makes sense where somebody asks who we are."""
POSITIONAL = {"browse": {"after", "changed_after"}, "conflicts": {"after"}}
"""Where a list goes on is a cursor's business over a wire."""


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def parameters(method: object) -> list[str]:
    assert callable(method)
    return list(inspect.signature(method).parameters)


def test_a_client_has_every_method_of_the_memory_with_the_same_parameters() -> None:
    for client in (Client, AsyncClient):
        assert public(client) - ABROAD == public(Memory) - AT_HOME - {"actor", "ledger"} | (
            {"actor"} & public(client)
        ), client.__name__
        for name in public(Memory) & public(client):
            ours, theirs = getattr(Memory, name), getattr(client, name)
            if callable(ours):
                left = [one for one in parameters(ours) if one not in POSITIONAL.get(name, set())]
                assert parameters(theirs) == left, f"{client.__name__}.{name}"


def test_a_ledger_has_every_method_with_the_same_parameters() -> None:
    for client in (ClientLedger, AsyncClientLedger):
        assert public(client) == public(LedgerFace)
        for name in public(LedgerFace):
            assert parameters(getattr(client, name)) == parameters(getattr(LedgerFace, name)), name


def test_every_operation_of_the_table_has_a_method() -> None:
    told = {row.name for row in OPERATIONS} - {"changes", "denied", "import", "export", "forget_record", "form"}
    plain = {name for name in told if not name.startswith("ledger.")}
    assert plain - public(Client) == set()
    assert {name.removeprefix("ledger.") for name in told - plain} == public(ClientLedger)
