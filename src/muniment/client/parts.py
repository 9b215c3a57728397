"""The parts of a client, made as the client itself is."""

from __future__ import annotations

from collections.abc import Mapping

from muniment import engine
from muniment.client.methods import AsyncConnected, Connected, operations_of
from muniment.engine.audit import LedgerFace

PARTS: Mapping[str, type] = {
    "review": engine.Review,
    "erasure": engine.Erasure,
    "imports": engine.Imports,
    "insight": engine.Insight,
    "ledger": LedgerFace,
}


class Part:
    """A part of a client: it sends what the client sends."""

    def __init__(self, client: Connected) -> None:
        self._call = client._call


class AsyncPart:
    """A part of an async client."""

    def __init__(self, client: AsyncConnected) -> None:
        self._call = client._call


SYNC = {name: operations_of(name, source)(type(source.__name__, (Part,), {})) for name, source in PARTS.items()}
ASYNC = {
    name: operations_of(name, source, awaited=True)(type(f"Async{source.__name__}", (AsyncPart,), {}))
    for name, source in PARTS.items()
}
