"""Read the runtime layer's configuration: `memory: {seed_records: […]}`, as values or as the bundled file."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from muniment.compat.retrieval import checks, messages
from muniment.compat.retrieval.records import MemoryRecord
from muniment.compat.retrieval.store import MemoryStore
from muniment.contracts.retrieval.seeds import CONFIDENCE, seed_name
from muniment.contracts.retrieval.words import UNKNOWN
from muniment.contracts.strict.yaml_text import read_yaml

FILE = "memory.yaml"


def load_memory_store(config: object) -> MemoryStore:
    """A store with the seed records of a configuration. Where it lists none, the store is empty."""
    if not isinstance(config, Mapping):
        raise TypeError(messages.CONFIG_MAPPING)
    memory = config.get("memory", {})
    if not isinstance(memory, Mapping):
        raise TypeError(messages.MEMORY_MAPPING)
    seeds = memory.get("seed_records", [])
    if not isinstance(seeds, list):
        raise TypeError(messages.SEEDS_LIST)
    return MemoryStore([_seed(seed, idx) for idx, seed in enumerate(seeds, start=1)])


def bundled_store() -> MemoryStore:
    """A store with the three records that come with the package."""
    return load_memory_store(read_yaml(files("muniment.compat.retrieval").joinpath(FILE).read_bytes()))


def _seed(seed: object, idx: int) -> MemoryRecord:
    if not isinstance(seed, Mapping):
        raise TypeError(messages.SEED_MAPPING.format(idx=idx))
    provenance = seed.get("provenance", UNKNOWN)
    if not isinstance(provenance, str):
        raise TypeError(messages.SEED_TEXT.format(idx=idx, field="provenance"))
    return MemoryRecord(
        memory_id=_text(seed, "memory_id", idx) if "memory_id" in seed else seed_name(idx),
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
        provenance=provenance,
        revision=checks.whole(
            seed.get("revision", 1),
            least=1,
            must=messages.SEED_INTEGER.format(idx=idx),
            within=messages.SEED_POSITIVE.format(idx=idx),
        ),
    )


def _text(seed: Mapping[str, object], name: str, idx: int) -> str:
    """A field that must be there and say something."""
    needed = messages.SEED_REQUIRED.format(idx=idx, field=name)
    return checks.text(seed.get(name, ""), must=messages.SEED_TEXT.format(idx=idx, field=name), needed=needed)
