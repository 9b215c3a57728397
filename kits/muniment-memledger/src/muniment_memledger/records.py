"""memledger's record as its programs hold it: the three types, their words, and what a store counts.

Mutable, unlike our own values, because programs written for memledger fill records in before they add them. What no
record can be (a confidence of 7.5, no text) is refused when it is made.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Literal, Self
from uuid import uuid4

import msgspec

from muniment.contracts.strict.values import JsonObject
from muniment.model import checks
from muniment.model.decoding import convert
from muniment.model.errors import Malformed


class RecordType(StrEnum):
    SEMANTIC = "semantic"
    EPISODIC = "episodic"
    PROCEDURAL = "procedural"


class MemoryStatus(StrEnum):
    ACTIVE = "active"
    DEPRECATED = "deprecated"
    EXPIRED = "expired"
    ARCHIVED = "archived"


class Model(msgspec.Struct, kw_only=True):
    """What the models share: they can be told as plain values, read from them, and copied."""

    def model_dump(
        self,
        *,
        mode: Literal["python", "json"] = "python",
        include: Collection[str] | None = None,
        exclude: Collection[str] = (),
        exclude_none: bool = False,
    ) -> dict[str, object]:
        """The fields by name; with `json` also times and words are plain."""
        whole = {**self.to_dict()} if mode == "json" else self._fields()
        return {
            name: value
            for name, value in whole.items()
            if (include is None or name in include) and name not in exclude and not (exclude_none and value is None)
        }

    def _fields(self) -> dict[str, object]:
        return {name: _plain(getattr(self, name)) for name in self.__struct_fields__}

    def to_dict(self) -> JsonObject:
        """The fields as JSON has them."""
        found: JsonObject = msgspec.to_builtins(self)
        return found

    def model_dump_json(self) -> str:
        """The fields as JSON text."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def model_validate(cls, given: Mapping[str, object]) -> Self:
        """One from its fields by name."""
        try:
            return convert(msgspec.to_builtins(dict(given)), cls)
        except msgspec.ValidationError as error:
            raise Malformed(cls.__name__, str(error)) from None

    def model_copy(self, *, update: Mapping[str, object] | None = None) -> Self:
        """The same with some fields otherwise."""
        return msgspec.structs.replace(self, **dict(update or {}))


def _plain(value: object) -> object:
    if isinstance(value, Model):
        return value.model_dump()
    return [_plain(one) for one in value] if isinstance(value, list) else value


class ConflictRef(Model):
    """A record that disagrees with another, or was found too near to it."""

    existing_id: str
    existing_content: str
    similarity: float
    resolution: Literal["store_anyway", "supersede", "merge", "accept_both", "reject_new"] | None = None


def _now() -> datetime:
    return datetime.now(UTC)


class MemoryRecord(Model):
    """A governed record. What its fields mean is in the page of the contract."""

    content: str
    id: str = msgspec.field(default_factory=lambda: str(uuid4()))
    record_type: RecordType = RecordType.SEMANTIC
    status: MemoryStatus = MemoryStatus.ACTIVE
    embedding: list[float] | None = None
    namespace: str = "/"
    agent_id: str | None = None
    user_id: str | None = None
    session_id: str | None = None
    importance: float = 0.5
    metadata: dict[str, object] = msgspec.field(default_factory=dict)
    created_at: datetime = msgspec.field(default_factory=_now)
    updated_at: datetime = msgspec.field(default_factory=_now)
    score: float | None = None
    supersedes: str | None = None
    derived_from: list[str] = msgspec.field(default_factory=list)
    created_by: str | None = None
    workflow_id: str | None = None
    triggered_by: str | None = None
    accessed_by: list[object] = msgspec.field(default_factory=list)
    confidence: float = 0.5
    turn_context: str | None = None
    hedged: bool = False
    confidence_flag: Literal["PASS", "FLAG", "FILTER"] | None = None
    conflicts: list[ConflictRef] = msgspec.field(default_factory=list)
    quality_score: int | None = None
    access_count: int = 0
    last_accessed_at: datetime | None = None
    success_count: int = 0
    failure_count: int = 0

    def __post_init__(self) -> None:
        self.record_type = read_type(self.record_type)
        self.status = read_status(self.status)
        checks.unit_interval("confidence", self.confidence)
        checks.unit_interval("importance", self.importance)
        for name in ("content", "namespace", "id"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value or value.isspace():
                raise Malformed(name, "text that is not empty")


class SemanticRecord(MemoryRecord):
    record_type: RecordType = RecordType.SEMANTIC
    source: str | None = None


class EpisodicRecord(MemoryRecord):
    record_type: RecordType = RecordType.EPISODIC
    event_time: datetime | None = None
    duration_ms: int | None = None
    outcome: str | None = None
    actors: list[str] = msgspec.field(default_factory=list)


class ProceduralRecord(MemoryRecord):
    record_type: RecordType = RecordType.PROCEDURAL
    steps: list[str] = msgspec.field(default_factory=list)
    preconditions: list[str] = msgspec.field(default_factory=list)
    tools_required: list[str] = msgspec.field(default_factory=list)


def read_type(given: RecordType | str) -> RecordType:
    """The type that is named."""
    try:
        return RecordType(given)
    except ValueError:
        raise Malformed("record_type", "one of " + ", ".join(RecordType)) from None


def read_status(given: object) -> MemoryStatus:
    """The state that is named."""
    try:
        return MemoryStatus(str(getattr(given, "value", given)))
    except ValueError:
        raise Malformed("status", "one of " + ", ".join(MemoryStatus)) from None


KINDS: dict[str, type[MemoryRecord]] = {
    "semantic": SemanticRecord,
    "episodic": EpisodicRecord,
    "procedural": ProceduralRecord,
}


def record_from_dict(data: Mapping[str, object]) -> MemoryRecord:
    """The record of the type that is named; what names no type we know is semantic.

    >>> type(record_from_dict({"content": "x", "record_type": "episodic"})).__name__
    'EpisodicRecord'
    """
    word = data.get("record_type", "semantic")
    name = word.value if isinstance(word, RecordType) else str(word)
    kind = KINDS.get(name, SemanticRecord)
    known = name if name in KINDS else "semantic"
    try:
        return convert(msgspec.to_builtins({**data, "record_type": known}), kind)
    except msgspec.ValidationError as error:
        place = _PLACE.search(str(error))
        field = place.group(1).lstrip(".") if place is not None else "record"
        raise Malformed(field or "record", f"what a record has there ({_PLACE.sub('', str(error))})") from None
    except TypeError as error:
        raise Malformed("record", f"values that JSON has ({error})") from None


_PLACE = re.compile(r" - at `\$([^`]*)`")


class MemoryStats(Model):
    """What a store holds, counted."""

    total_count: int = 0
    namespaces: list[str] = msgspec.field(default_factory=list)
    by_record_type: dict[str, int] = msgspec.field(default_factory=dict)
    by_namespace: dict[str, int] = msgspec.field(default_factory=dict)
    avg_success_rate: float | None = None
    most_accessed: list[str] = msgspec.field(default_factory=list)
    oldest_memory: datetime | None = None
    newest_memory: datetime | None = None


class SearchResult(Model):
    """What a search found. Can be walked over and counted like a list of its records."""

    records: list[MemoryRecord] = msgspec.field(default_factory=list)
    query: str = ""
    backend: str = ""
    search_time_ms: float = 0.0
    metadata: dict[str, object] = msgspec.field(default_factory=dict)

    def __iter__(self) -> Iterator[MemoryRecord]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)
