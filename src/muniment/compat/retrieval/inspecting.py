"""An operator's look at the seed records of a configuration: by tenant, class and number, in the order they stand."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from muniment.compat.retrieval.loader import FILE, load_memory_store
from muniment.compat.retrieval.records import MemoryRecord
from muniment.compat.retrieval.store import lookup, lookup_limit
from muniment.contracts.strict.yaml_text import read_yaml
from muniment.model.value import Value

DEFAULT_TENANT = "tenant-acme"


class InspectedRecord(Value, omit_defaults=False):
    """A record as it is shown: the nine fields of the runtime layer."""

    memory_id: str
    tenant_id: str
    memory_class: str
    kind: str
    content: str
    source: str
    confidence: float
    provenance: str
    revision: int


class Inspected(Value, omit_defaults=False):
    config_dir: str
    count: int
    memory_ids: tuple[str, ...]
    records: tuple[InspectedRecord, ...]


def inspect_memory(
    config_dir: Path | None = None,
    *,
    tenant_id: str = DEFAULT_TENANT,
    memory_class: str | None = None,
    limit: int | None = None,
) -> Inspected:
    """The seed records of a folder's `memory.yaml`, or of the bundled one. No policy is asked: they are no memories
    yet. A limit below 0, a blank tenant or class is a ValueError that names the field."""
    tenant = lookup("tenant_id", tenant_id)
    wanted = lookup("memory_class", memory_class) if memory_class is not None else None
    most = lookup_limit(limit) if limit is not None else None
    folder, text = _config(config_dir)
    records = [
        one
        for one in load_memory_store(read_yaml(text)).all()
        if one.tenant_id == tenant and wanted in (None, one.memory_class)
    ][:most]
    return Inspected(
        config_dir=folder,
        count=len(records),
        memory_ids=tuple(one.memory_id for one in records),
        records=tuple(_shown(one) for one in records),
    )


def _config(folder: Path | None) -> tuple[str, bytes]:
    if folder is not None:
        return str(folder), (folder / FILE).read_bytes()
    with as_file(files("muniment.compat.retrieval")) as bundled:
        return str(bundled), (bundled / FILE).read_bytes()


def _shown(record: MemoryRecord) -> InspectedRecord:
    return InspectedRecord(**{name: getattr(record, name) for name in InspectedRecord.__struct_fields__})
