"""The contract's door: what is wrong with MATM documents, the memories in them, and memories as such documents."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from muniment.contracts import codec
from muniment.contracts.contract import Encoded, Narrowing
from muniment.contracts.documents import each, piled
from muniment.contracts.finding import Finding, Severity, finding_of, passes
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.matm.admission import expectation, inspect, sort_of
from muniment.contracts.matm.event import EVENTS, as_emitted
from muniment.contracts.matm.forbidden_content import credentials
from muniment.contracts.matm.record import RECORDS
from muniment.contracts.strict.pointer import ROOT, below
from muniment.contracts.strict.reader import read_json
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.claim import Extension
from muniment.model.errors import CallerError, Malformed
from muniment.model.status import Status


class MatmContract:
    """The governed MATM profile: one document, or a list of them. Events and records hold memories; a memory that is
    only proposed and was born as an event is written as one, every other as a record."""

    name = "matm"

    def check(self, data: bytes) -> tuple[Finding, ...]:
        try:
            value = read_json(data)
        except CallerError as error:
            return (finding_of(error),)
        return tuple(
            finding
            for path, document in each(value)
            for finding in (*inspect(document, path), *credentials(document, path))
        )

    def decode(self, data: bytes) -> tuple[InterchangeRecord, ...]:
        return tuple(read_document(document, path) for path, document in each(read_json(data)))

    def encode(self, memories: Sequence[InterchangeRecord]) -> Encoded:
        return piled([write_document(memory) for memory in memories])


def read_document(document: Json, path: str = ROOT) -> InterchangeRecord:
    """The memory in one event, in the event of a ticket, or in one record."""
    for finding in inspect(document, path):
        if finding.severity is Severity.ERROR:
            raise Malformed(finding.path, expectation(finding))
    assert isinstance(document, dict), "inspected"
    sort = sort_of(document)
    if sort == "MemoryTicket":
        return read_document(document["event"], below(path, "event"))
    if sort == "MemoryEvent":
        return _born(codec.decode(EVENTS, document, path=path))
    if sort == "MemoryRecord":
        return codec.decode(RECORDS, document, path=path)
    raise Malformed(path, f"a memory event or a memory record; a {sort} holds no memory")


def _born(memory: InterchangeRecord) -> InterchangeRecord:
    """Marked as an event even where nothing had to be kept of it."""
    if _is_event(memory):
        return memory
    marked = (*memory.claim.extensions, Extension(name=EVENTS.name, body="{}"))
    return msgspec.structs.replace(memory, claim=msgspec.structs.replace(memory.claim, extensions=marked))


def write_document(memory: InterchangeRecord) -> tuple[JsonObject, tuple[Narrowing, ...]]:
    """One memory as an event if it is one still, else as a record; and what that could not hold. What was kept of an
    earlier document is left out if it would make this one invalid: somebody else wrote it."""
    if memory.status is Status.PROPOSED and _is_event(memory):
        document, told = codec.encode(EVENTS, as_emitted(memory))
    else:
        document, told = codec.encode(RECORDS, memory)
    if any(_is_ours(one) for one in memory.claim.extensions) and not passes(inspect(document, ROOT)):
        others = tuple(one for one in memory.claim.extensions if not _is_ours(one))
        claim = msgspec.structs.replace(memory.claim, extensions=others)
        return codec.encode(RECORDS, msgspec.structs.replace(memory, claim=claim))
    return document, told


def _is_event(memory: InterchangeRecord) -> bool:
    return any(one.name == EVENTS.name for one in memory.claim.extensions)


def _is_ours(extension: Extension) -> bool:
    return extension.name.partition(":")[0] in (EVENTS.name, RECORDS.name)


CONTRACT = MatmContract()
