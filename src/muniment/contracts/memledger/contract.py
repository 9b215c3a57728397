"""The contract's door: what is wrong with memledger's records, the memories in them, and memories as such records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec
from msgspec import UnsetType

from muniment.contracts import codec
from muniment.contracts.contract import Encoded
from muniment.contracts.documents import each, piled
from muniment.contracts.finding import Finding, Severity, finding_of
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.memledger.plain import PLAIN
from muniment.contracts.memledger.wire import RECORDS, AnyRecord, MemoryRecord
from muniment.contracts.shape import flaws
from muniment.contracts.strict.instants import is_instant
from muniment.contracts.strict.pointer import ROOT, below
from muniment.contracts.strict.reader import read_json
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.decoding import json_decoder
from muniment.model.errors import CallerError, Malformed

CYCLE, TWICE = "cycle", "duplicate"
_TYPES = ", ".join(RECORDS)


class MemledgerContract:
    """memledger's governed record: one document, or a list of them."""

    name = "memledger"

    def check(self, data: bytes) -> tuple[Finding, ...]:
        try:
            value = read_json(data)
        except CallerError as error:
            return (finding_of(error),)
        return tuple(_findings(value))

    def decode(self, data: bytes) -> tuple[InterchangeRecord, ...]:
        value = read_json(data)
        for finding in () if _sound(data) else _findings(value):
            if finding.severity is Severity.ERROR:
                raise Malformed(finding.path, wish(finding.message))
        return tuple(codec.decode(PLAIN, document, path=path) for path, document in _documents(value))

    def encode(self, memories: Sequence[InterchangeRecord]) -> Encoded:
        return piled([codec.encode(PLAIN, memory) for memory in memories])


CONTRACT = MemledgerContract()
_QUICK = json_decoder(MemoryRecord | list[MemoryRecord])
_is_instant = lru_cache(1024)(is_instant)
_MOMENTS = ("created_at", "updated_at", "last_accessed_at", "event_time")


def _sound(data: bytes) -> bool:
    """Whether a readable text surely holds nothing wrong. The quick way, by the same wire types: what it does not take
    is looked at closely, and told."""
    try:
        found = _QUICK.decode(data)
    except msgspec.DecodeError:
        return False
    return all(_sound_record(record) for record in (found if isinstance(found, list) else (found,)))


def _sound_record(record: MemoryRecord) -> bool:
    moments = (getattr(record, name, None) for name in _MOMENTS)
    above = () if isinstance(record.derived_from, UnsetType) else record.derived_from
    return (
        all(_is_instant(moment) for moment in moments if isinstance(moment, str))
        and record.supersedes != record.id
        and record.id not in above
    )


def wish(message: str) -> str:
    """What was expected, of the message of a finding.

    >>> wish("expected a number"), wish("id is missing"), wish("there is no such field")
    ('a number', 'an object with id', 'nothing: there is no such field')
    """
    if message.endswith(" is missing"):
        return "an object with " + message.removesuffix(" is missing")
    return message.removeprefix("expected ") if message.startswith("expected ") else f"nothing: {message}"


def record_flaws(value: Json, path: str = ROOT) -> Iterator[Finding]:
    """Everything wrong with one record by itself."""
    if not isinstance(value, dict):
        yield _error("type", path, "expected a record, which is an object")
        return
    type_ = value.get("record_type")
    kind = RECORDS.get(type_) if isinstance(type_, str) else None
    if kind is None:
        if "record_type" not in value:
            yield _error("missing", path, "record_type is missing")
        else:
            code = "enum" if isinstance(type_, str) else "type"
            yield _error(code, below(path, "record_type"), f"expected one of {_TYPES}")
    said = value if kind is not None else {name: one for name, one in value.items() if name != "record_type"}
    for flaw in flaws(said, kind or AnyRecord, path):
        yield _error(flaw.code, flaw.path, flaw.message)
    own = value.get("id")
    if isinstance(own, str) and own in _parents(value):
        yield _error(CYCLE, path, "expected a record that does not stand on itself nor take its own place")


def _findings(value: Json) -> Iterator[Finding]:
    for path, document in each(value):
        yield from record_flaws(document, path)
    if isinstance(value, list):
        yield from _together(value)


def _together(values: list[Json]) -> Iterator[Finding]:
    """What is odd about records that are each right: two of one id, and circles of ancestors. Warnings: a file may be
    a part of something, or hold revisions, and whoever takes it in decides on each record."""
    parents: dict[str, set[str]] = {}
    for path, document in each(values):
        name = document.get("id") if isinstance(document, dict) else None
        if not isinstance(document, dict) or not isinstance(name, str):
            continue
        if name in parents:
            yield _warning(TWICE, below(path, "id"), "another record of the file has the same id")
        parents[name] = _parents(document) - {name}
    for number, name in enumerate(_circular(parents)):
        if number == 0:
            yield _warning(CYCLE, ROOT, f"record {name} stands on itself by way of others")


def _circular(parents: dict[str, set[str]]) -> list[str]:
    """What is left when every record whose ancestors are all clear has been taken away, again and again."""
    waiting = {name: {one for one in above if one in parents} for name, above in parents.items()}
    below_: dict[str, list[str]] = {}
    for name, above in waiting.items():
        for one in above:
            below_.setdefault(one, []).append(name)
    clear = [name for name, above in waiting.items() if not above]
    for name in clear:
        for child in below_.get(name, ()):
            waiting[child].discard(name)
            if not waiting[child]:
                clear.append(child)
    return sorted(set(parents) - set(clear))


def _parents(document: JsonObject) -> set[str]:
    above = document.get("derived_from")
    named = [*above] if isinstance(above, list) else []
    return {name for name in (*named, document.get("supersedes")) if isinstance(name, str)}


def _documents(value: Json) -> Iterator[tuple[str, JsonObject]]:
    for path, document in each(value):
        assert isinstance(document, dict), "checked before"
        yield path, document


def _warning(code: str, path: str, message: str) -> Finding:
    return Finding(code=code, severity=Severity.WARNING, path=path, message=message)


def _error(code: str, path: str, message: str) -> Finding:
    return Finding(code=code, severity=Severity.ERROR, path=path, message=message)
