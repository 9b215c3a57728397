"""Where records come from: attribution, chains, effective confidence."""

from muniment_memledger.provenance.chain import build_chain, propagate_attribution, truncate_chain
from muniment_memledger.provenance.models import AttributionChain, AttributionRecord, ChainHop

__all__ = [
    "AttributionChain",
    "AttributionRecord",
    "ChainHop",
    "build_chain",
    "propagate_attribution",
    "truncate_chain",
]
