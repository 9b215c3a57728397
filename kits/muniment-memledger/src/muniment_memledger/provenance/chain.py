"""Chains of attribution: how one is built, cut, and extended for a derived record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.errors import Malformed
from muniment_memledger.provenance.chain_store import Chained
from muniment_memledger.provenance.models import MAX_ACTIVE_CHAIN_HOPS, AttributionChain, ChainHop


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
