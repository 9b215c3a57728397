"""A store filled from a configuration: one that is given, a `memory.yaml`, or the bundled one."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from muniment.compat.retrieval.store import MemoryStore
from muniment.contracts.strict.yaml_text import read_yaml

FILE = "memory.yaml"


def load_memory_store(config: object) -> MemoryStore:
    """A store with the seed records of a configuration: a mapping, or the path of a YAML file that holds one. Where it
    lists none, the store is empty."""
    return MemoryStore.from_dict(read_yaml(config.read_bytes()) if isinstance(config, Path) else config)


def bundled_store() -> MemoryStore:
    """A store with the three records that come with the package."""
    return MemoryStore.from_dict(read_yaml(files("muniment.compat.retrieval").joinpath(FILE).read_bytes()))
