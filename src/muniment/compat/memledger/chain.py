"""Chains of attribution: how one is asked for, how one is cut, and how a child's is made of its parent's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from muniment.compat.memledger.confidence import MAX_ACTIVE_CHAIN_HOPS
from muniment.compat.memledger.results import AttributionChain, ChainHop
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.errors import ConfigurationError, Malformed

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


async def build_chain(
    memledger: Chained, memory_id: str, direction: str = "upstream", max_hops: int = MAX_ACTIVE_CHAIN_HOPS
) -> AttributionChain:
    """The chain of a record."""
    return await memledger.chain_of(memory_id, direction=direction, max_hops=max_hops)


def truncate_chain(chain: Sequence[ChainHop], max_hops: int = MAX_ACTIVE_CHAIN_HOPS) -> list[ChainHop]:
    """The nearest hops of a chain."""
    return sorted(chain, key=lambda hop: hop.hop_number)[: max(0, max_hops)]


def propagate_attribution(
    parent_attribution: Mapping[str, Json], child_agent_id: str, child_confidence: float
) -> JsonObject:
    """The attribution of a child: its own author and confidence, with the parent added to the parent's chain."""
    before = parent_attribution.get("full_chain", parent_attribution.get("chain"))
    if before is not None and not isinstance(before, list):
        raise Malformed("chain", "a list of hops")
    hop: JsonObject = {
        "memory_id": parent_attribution.get("memory_id", ""),
        "agent_id": parent_attribution.get("source_agent_id", ""),
        "confidence": parent_attribution.get("confidence", 0.0),
        "hop_number": len(before or []),
    }
    whole: list[Json] = [*(before or []), hop]
    return {
        "source_agent_id": child_agent_id,
        "confidence": child_confidence,
        "chain": whole[-MAX_ACTIVE_CHAIN_HOPS:],
        "full_chain": whole,
    }
