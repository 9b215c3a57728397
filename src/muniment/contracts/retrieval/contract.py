"""The contract at its door: check any of its documents, take memories out of them, put memories into them.

A file holds one document, a list of documents, or a runtime configuration. Memories that all came from a
configuration go back into one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from muniment.contracts import codec
from muniment.contracts.contract import Encoded, Narrowing
from muniment.contracts.finding import Finding, Severity, finding_of
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.retrieval.record import RetrievalRecordCodec
from muniment.contracts.retrieval.seeds import PLACE, SeedRecordCodec, name_of, seeds_of
from muniment.contracts.retrieval.wire import (
    DOCUMENTS,
    MemoryConfig,
    RetrievalResult,
    TraceEvent,
)
from muniment.contracts.shape import Flaw, flaws
from muniment.contracts.strict.pointer import ROOT, below
from muniment.contracts.strict.reader import read_json
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.errors import CallerError, Malformed

_RECORD, _SEED = RetrievalRecordCodec(), SeedRecordCodec()
_MEMORY = "memory_record"
_KINDS = (_MEMORY, "retrieval_query", "retrieval_result")


class RetrievalContract:
    """The memory and retrieval contract."""

    name = "retrieval"

    def check(self, data: bytes) -> tuple[Finding, ...]:
        try:
            value = read_json(data)
        except CallerError as error:
            return (finding_of(error),)
        return tuple(
            Finding(code=flaw.code, severity=Severity.ERROR, path=flaw.path, message=flaw.message)
            for flaw in _flaws(value)
        )

    def decode(self, data: bytes) -> tuple[InterchangeRecord, ...]:
        value = read_json(data)
        for flaw in _flaws(value):
            raise refusal(flaw)
        if isinstance(value, list):
            return tuple(_memory(one, below(ROOT, number)) for number, one in _each(value))
        assert isinstance(value, dict), "checked above"
        return _seeds(value) if "memory" in value else (_memory(value, ROOT),)

    def encode(self, memories: Sequence[InterchangeRecord]) -> Encoded:
        if memories and all(_is_seed(one) for one in memories):
            return _as_config(memories)
        written = [codec.encode(_RECORD, one) for one in memories]
        documents: list[Json] = [document for document, _ in written]
        told = tuple(one for _, narrowed in written for one in narrowed)
        return Encoded(data=_spelled(documents[0] if len(documents) == 1 else documents), narrowed=told)


CONTRACT = RetrievalContract()


def refusal(flaw: Flaw) -> Malformed:
    """A flaw as the error of whoever cannot go on with it."""
    if flaw.code == "missing":
        return Malformed(flaw.path, "an object with " + flaw.message.removesuffix(" is missing"))
    return Malformed(flaw.path, flaw.message.removeprefix("expected "))


def _memory(document: JsonObject, path: str) -> InterchangeRecord:
    if document.get("kind") != _MEMORY:
        raise Malformed(below(path, "kind"), "memory_record; a query, a result and a trace hold no memories")
    return codec.decode(_RECORD, document, path=path)


def _seeds(config: JsonObject) -> tuple[InterchangeRecord, ...]:
    return tuple(
        codec.decode(_SEED, {PLACE: number + 1, **seed}, path=below(ROOT, "memory", "seed_records", number))
        for number, seed in _each(seeds_of(config))
    )


def _is_seed(memory: InterchangeRecord) -> bool:
    return any(one.name == _SEED.name for one in memory.claim.extensions)


def _as_config(memories: Sequence[InterchangeRecord]) -> Encoded:
    told: list[Narrowing] = []
    seeds: list[Json] = []
    for place, memory in enumerate(memories, start=1):
        document, narrowed = codec.encode(_SEED, memory)
        seeds.append(_named(document, memory, place))
        told += narrowed
    return Encoded(data=_spelled({"memory": {"seed_records": seeds}}), narrowed=tuple(told))


def _named(document: JsonObject, memory: InterchangeRecord, place: int) -> JsonObject:
    """The seed without its place. One that was named by a place it no longer has says its name."""
    seed = {name: value for name, value in document.items() if name != PLACE}
    return seed if "memory_id" in seed or document.get(PLACE) == place else {"memory_id": memory.id, **seed}


def _spelled(value: Json) -> bytes:
    return msgspec.json.encode(value)


def _flaws(value: Json) -> tuple[Flaw, ...]:
    """Everything wrong with a file. What stands in a list is judged one by one."""
    if not isinstance(value, list):
        return _of_config(value) if isinstance(value, dict) and "memory" in value else _of_document(value, ROOT)
    found = tuple(flaw for number, one in enumerate(value) for flaw in _of_document(one, below(ROOT, number)))
    return found or _repeated(
        [
            ((one["tenant_id"], one["record_id"], one["revision"]), f"/{number}/record_id")
            for number, one in _each(value)
            if one.get("kind") == _MEMORY
        ]
    )


def _of_config(value: JsonObject) -> tuple[Flaw, ...]:
    return flaws(value, MemoryConfig, ROOT) or _repeated(
        [(name_of(seed, number + 1), f"/memory/seed_records/{number}") for number, seed in _each(seeds_of(value))]
    )


def _of_document(value: Json, path: str) -> tuple[Flaw, ...]:
    if not isinstance(value, dict):
        what = "an object or a list of them" if path == ROOT else "an object"
        return (Flaw(code="type", path=path, message=f"expected {what}"),)
    if "event_type" in value:
        return _of_kind(value, TraceEvent, path)
    kind = value.get("kind")
    if isinstance(kind, str) and kind in _KINDS:
        return _of_kind(value, DOCUMENTS[kind], path)
    if "kind" not in value:
        return (Flaw(code="missing", path=path, message="kind is missing"),)
    return (Flaw(code="enum", path=below(path, "kind"), message="expected one of " + ", ".join(_KINDS)),)


def _of_kind(value: Json, kind: type, path: str) -> tuple[Flaw, ...]:
    found = flaws(value, kind, path)
    if found or not isinstance(value, dict):
        return found
    if kind is RetrievalResult:
        return _sums(value, path)
    return _hidden(value, path) if kind is TraceEvent else ()


def _each(values: list[Json]) -> Iterator[tuple[int, JsonObject]]:
    """The objects of a list that was found to hold nothing else, each with its place."""
    return ((number, one) for number, one in enumerate(values) if isinstance(one, dict))


def _repeated(names: list[tuple[object, str]]) -> tuple[Flaw, ...]:
    """A flaw for everything that bears a name another bore before it."""
    seen: set[object] = set()
    found: list[Flaw] = []
    for name, path in names:
        if name in seen:
            found.append(
                Flaw(code="duplicate", path=path, message="expected an id that nothing before it in the file has")
            )
        seen.add(name)
    return tuple(found)


def _sums(result: JsonObject, path: str) -> tuple[Flaw, ...]:
    counts, whole = result.get("exclusion_counts"), result["excluded_records"]
    if not isinstance(counts, dict):
        return ()
    if sum(count for count in counts.values() if isinstance(count, (int, float))) == whole:
        return ()
    where = below(path, "exclusion_counts")
    return (Flaw(code="together", path=where, message="expected counts that add up to excluded_records"),)


def _hidden(event: JsonObject, path: str) -> tuple[Flaw, ...]:
    payload, names = event["payload"], event["redacted_fields"]
    assert isinstance(payload, dict), "checked before"
    assert isinstance(names, list), "checked before"
    return tuple(
        Flaw(code="together", path=below(path, "redacted_fields", number), message="expected a field of the payload")
        for number, name in enumerate(names)
        if name not in payload
    )
