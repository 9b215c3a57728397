"""The seed records of a configuration, `memory: {seed_records: […]}`, read strictly and told by their number."""

from __future__ import annotations

from collections.abc import Mapping

from muniment.compat.retrieval import checks, messages
from muniment.compat.retrieval.records import MemoryRecord
from muniment.contracts.retrieval.seeds import CONFIDENCE, seed_name
from muniment.contracts.retrieval.words import UNKNOWN


def read_seeds(config: object) -> list[MemoryRecord]:
    """The seed records of a configuration. Where it lists none there are none."""
    if not isinstance(config, Mapping):
        raise TypeError(messages.CONFIG_MAPPING)
    memory = config.get("memory", {})
    if not isinstance(memory, Mapping):
        raise TypeError(messages.MEMORY_MAPPING)
    seeds = memory.get("seed_records", [])
    if not isinstance(seeds, list):
        raise TypeError(messages.SEEDS_LIST)
    return [_seed(seed, idx) for idx, seed in enumerate(seeds, start=1)]


def _seed(seed: object, idx: int) -> MemoryRecord:
    """One record. Of several faults the first in the order of its fields is told."""
    if not isinstance(seed, Mapping):
        raise TypeError(messages.SEED_MAPPING.format(idx=idx))
    return MemoryRecord(
        memory_id=_text(seed, "memory_id", idx, otherwise=seed_name(idx)),
        tenant_id=_text(seed, "tenant_id", idx),
        memory_class=_text(seed, "memory_class", idx),
        kind=_text(seed, "kind", idx),
        content=_text(seed, "content", idx),
        source=_text(seed, "source", idx),
        confidence=checks.fraction(
            seed.get("confidence", CONFIDENCE),
            must=messages.SEED_NUMBER.format(idx=idx),
            within=messages.SEED_RANGE.format(idx=idx),
        ),
        provenance=_provenance(seed.get("provenance", UNKNOWN), idx),
        revision=checks.whole(
            seed.get("revision", 1),
            least=1,
            must=messages.SEED_INTEGER.format(idx=idx),
            within=messages.SEED_POSITIVE.format(idx=idx),
        ),
    )


def _text(seed: Mapping[str, object], name: str, idx: int, *, otherwise: str = "") -> str:
    """A field that must say something; where it is not there, `otherwise`."""
    needed = messages.SEED_REQUIRED.format(idx=idx, field=name)
    return checks.text(seed.get(name, otherwise), must=messages.SEED_TEXT.format(idx=idx, field=name), needed=needed)


def _provenance(value: object, idx: int) -> str:
    """A provenance. That it says something is asked by the record itself, which knows no number."""
    if not isinstance(value, str):
        raise TypeError(messages.SEED_TEXT.format(idx=idx, field="provenance"))
    return value
