"""Where chains of ancestors come from."""

from __future__ import annotations

from typing import Literal, Protocol

from muniment.model.errors import ConfigurationError
from muniment_memledger.provenance.models import MAX_ACTIVE_CHAIN_HOPS, AttributionChain

Direction = Literal["upstream", "downstream", "both"]


class Chained(Protocol):
    """What a chain store asks of a Memledger."""

    async def chain_of(self, memory_id: str, *, direction: str, max_hops: int) -> AttributionChain: ...

    async def weakest_of(self, memory_id: str) -> float: ...


class ChainStore(Protocol):
    """Where chains come from."""

    async def min_confidence_upstream(self, memory_id: str, *, max_hops: int = MAX_ACTIVE_CHAIN_HOPS) -> float: ...

    async def build_chain(
        self, memory_id: str, *, direction: Direction = "upstream", max_hops: int = MAX_ACTIVE_CHAIN_HOPS
    ) -> AttributionChain: ...


class JsonArrayChainStore:
    """Chains of the records' own links, as the engine keeps them. The minimum is over all ancestors: how many hops one
    would walk for it does not matter."""

    def __init__(self, memledger: Chained) -> None:
        self._memledger = memledger

    async def min_confidence_upstream(self, memory_id: str, *, max_hops: int = MAX_ACTIVE_CHAIN_HOPS) -> float:
        return await self._memledger.weakest_of(memory_id)

    async def build_chain(
        self, memory_id: str, *, direction: Direction = "upstream", max_hops: int = MAX_ACTIVE_CHAIN_HOPS
    ) -> AttributionChain:
        return await self._memledger.chain_of(memory_id, direction=direction, max_hops=max_hops)


class Neo4jChainStore:
    """The name of memledger's second chain store. There is no client for that database here, so none can be made:
    links are kept with the records and walked to any depth by `JsonArrayChainStore`."""

    def __init__(self, *_: object, **__: object) -> None:
        raise ConfigurationError(
            "chain_store", "Neo4j is not served here; leave it out, and the engine walks the links"
        )
