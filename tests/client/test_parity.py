"""The clients have the methods of the embedded memory, with the same parameters, but for what a wire cannot carry."""

from __future__ import annotations

import inspect

from muniment import AsyncClient, Client, Memory
from muniment.client.methods import carried
from muniment.client.parts import ASYNC, PARTS, SYNC
from muniment.operations import OPERATIONS

AT_HOME = {"open", "as_actor"}
"""What needs the store itself: opening it, acting for another, its rules, and values that never were a file."""
LOCAL = {"insight.policy", "imports.take_in"}
SURFACE = {"changes", "denied", "import", "export", "forget_record", "form", "caller", "propose_many"}
"""Rows of the table that are no method of a memory."""


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def test_a_client_has_every_method_of_the_memory_and_of_its_parts() -> None:
    for client, parts in ((Client, SYNC), (AsyncClient, ASYNC)):
        assert public(Memory) - AT_HOME <= public(client), client.__name__
        for part, source in PARTS.items():
            missing = {f"{part}.{name}" for name in public(source) - public(parts[part])}
            assert missing <= LOCAL, client.__name__


def test_a_method_of_a_client_takes_what_its_request_carries() -> None:
    for row in OPERATIONS:
        part, _, name = row.name.rpartition(".")
        if row.name not in SURFACE:
            source = PARTS.get(part, Memory)
            wanted = [one.name for one in carried(row, getattr(source, name))]
            for made in (SYNC.get(part, Client), ASYNC.get(part, AsyncClient)):
                assert list(inspect.signature(getattr(made, name)).parameters) == wanted, row.name


def test_every_operation_of_the_table_has_a_method() -> None:
    for row in OPERATIONS:
        part, _, name = row.name.rpartition(".")
        assert row.name in SURFACE or hasattr(SYNC.get(part, Client), name), row.name
