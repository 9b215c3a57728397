"""Where records come from: attribution, chains, effective confidence."""

from muniment.compat.memledger.provenance.chain import build_chain, propagate_attribution, truncate_chain
from muniment.compat.memledger.provenance.models import AttributionChain, AttributionRecord, ChainHop

__all__ = [
    "AttributionChain",
    "AttributionRecord",
    "ChainHop",
    "build_chain",
    "propagate_attribution",
    "truncate_chain",
]
