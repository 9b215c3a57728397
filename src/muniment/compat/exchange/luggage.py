"""What a memory brings along besides its claim: who wrote it, when, how often it was used. It is kept in the claim as
an extension, is told again when the memory leaves, and is never taken on trust.

A claim can be proposed with anything in its extensions. What speaks of a record over its author's head is told again
only if it came with a file that was taken in; of a record that was proposed here we say ourselves who wrote it."""

from __future__ import annotations

import json

import msgspec

from muniment.compat.exchange.links import without
from muniment.contracts.interchange import InterchangeRecord, carry
from muniment.contracts.json_diff import Rest, spell, unspell
from muniment.contracts.names import safe_id
from muniment.contracts.registry import ContractName
from muniment.contracts.strict.values import JsonObject
from muniment.engine import Memory
from muniment.model.claim import Claim, Extension, Lineage
from muniment.model.decoding import convert
from muniment.model.errors import CallerError, NotFound
from muniment.model.query import Disclosure
from muniment.model.record import Record
from muniment.model.times import Instant
from muniment.model.value import Value

NAME = "carried"
"""The name of the extension."""
_OF_A_FILE = frozenset({NAME, "omir"})
"""Extensions that only a file that was taken in can bring, by what stands before the first dot or colon. The residues
of the other contracts also come with what is proposed through their own faces."""
_JUDGED: dict[str, frozenset[str]] = {
    ContractName.MEMLEDGER: frozenset({"accessed_by", "confidence_flag", "quality_score", "score"}),
}
"""Fields of a contract that are a verdict on the record or an account of its use: not for its author to say."""


class ImportBatch(Value):
    """What was said of a memory where it came from. `lineage` is everything it referred to there, if some of that could
    not be kept here."""

    actor: str | None = None
    role: str | None = None
    revision: int = 1
    created_at: Instant | None = None
    updated_at: Instant | None = None
    reviewer: str | None = None
    reviewed_at: Instant | None = None
    next_review_at: Instant | None = None
    accesses: int = 0
    last_access: Instant | None = None
    helpful: float = 0.0
    misleading: float = 0.0
    conflicts: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    lineage: Lineage | None = None


_TAKEN = tuple(name for name in ImportBatch.__struct_fields__ if name != "lineage")
_ANY = Claim(content=NAME)


def packed(memory: InterchangeRecord, lineage: Lineage) -> Claim:
    """The claim of a memory, with the links it can keep here and its luggage."""
    said = {name: getattr(memory, name) for name in _TAKEN}
    lost = memory.claim.lineage if lineage != memory.claim.lineage else None
    luggage = ImportBatch(**said, lineage=lost)
    others = tuple(one for one in memory.claim.extensions if one.name != NAME)
    own = Extension(name=NAME, body=_spelled(luggage))
    return msgspec.structs.replace(memory.claim, lineage=lineage, extensions=(*others, own))


def given_out(memory: Memory, told: Disclosure, conflicts: tuple[str, ...]) -> tuple[InterchangeRecord, bool]:
    """A record of ours on its way out, as the caller may know it: with the papers it came with, if it came with any,
    and without the name of a successor the caller may not see. Says whether it came with papers."""
    successor = told.standing.successor
    if successor not in (None, told.record.id) and not _may_see(memory, successor):
        told = msgspec.structs.replace(told, standing=msgspec.structs.replace(told.standing, successor=None))
    claim, luggage = _opened(_as_brought(memory, told.record))
    if luggage is None:
        return _carried(told, claim, None, conflicts), False
    links = _still_loose(memory, told.record, luggage)
    return _carried(told, claim, msgspec.structs.replace(luggage, lineage=links), conflicts), True


def _still_loose(memory: Memory, record: Record, luggage: ImportBatch) -> Lineage | None:
    """Everything the record referred to where it came from, but what leads to a record here that is not the one it
    meant: that has the same id by chance, or is not the importer's to link to. What came in the same file is meant."""
    if luggage.lineage is None:
        return None
    loose = set(luggage.lineage.links) - set(record.claim.lineage.links)
    return without(luggage.lineage, {link for link in loose if _is_another(memory, record, link[1])})


def _is_another(memory: Memory, record: Record, name: str) -> bool:
    try:
        target = memory.get(name).record
    except NotFound:
        return False
    return target.proposal.rpartition(".")[0] != record.proposal.rpartition(".")[0]


def _may_see(memory: Memory, name: str | None) -> bool:
    try:
        return name is not None and memory.get(name) is not None
    except NotFound:
        return False


def _as_brought(memory: Memory, record: Record) -> Claim:
    """The claim with the papers its record came in with and no others. A revision brings none of its own."""
    claim = record.claim
    if not any(_is_paper(one) for one in claim.extensions):
        return claim
    brought = _brought(memory, record)
    if brought is claim.extensions:
        return claim
    others = (kept for one in claim.extensions if (kept := _without_papers(one, brought)) is not None)
    papers = (one for one in brought if _is_paper(one) and one.name not in _JUDGED)
    return msgspec.structs.replace(claim, extensions=(*others, *papers))


def _brought(memory: Memory, record: Record) -> tuple[Extension, ...]:
    """The extensions a record had when it was read from a file; none if it was not."""
    try:
        first = record if record.revision == 1 else memory.get(record.id, revision=1).record
        arrived = memory.review.report(first.proposal).report.read_from is not None
    except NotFound:
        return ()
    return first.claim.extensions if arrived else ()


def _is_paper(extension: Extension) -> bool:
    """Whether an extension says what is not for the author of a claim to say."""
    group = extension.name.partition(":")[0].partition(".")[0]
    return group in _OF_A_FILE or extension.name.endswith(":slot") or extension.name in _JUDGED


def _without_papers(extension: Extension, brought: tuple[Extension, ...]) -> Extension | None:
    """What an extension says that its author may say, and what it said when the record was read from a file."""
    if not _is_paper(extension):
        return extension
    judged = _JUDGED.get(extension.name)
    if judged is None:
        return None
    own = [rest for rest in _rests(extension) if rest.path[0] not in judged]
    known = [rest for one in brought if one.name == extension.name for rest in _rests(one) if rest.path[0] in judged]
    return Extension(name=extension.name, body=spell((*own, *known))) if own or known else None


def _rests(extension: Extension) -> tuple[Rest, ...]:
    return unspell(json.loads(extension.body))


def unpacked(told: Disclosure, conflicts: tuple[str, ...]) -> InterchangeRecord:
    """A record of ours on its way out, with what was said of it where it came from. What happened to it here is ours to
    say: its state, its origin, how far it is believed."""
    return _carried(told, *_opened(told.record.claim), conflicts)


def _carried(
    told: Disclosure, claim: Claim, luggage: ImportBatch | None, conflicts: tuple[str, ...]
) -> InterchangeRecord:
    memory = msgspec.structs.replace(carry(told.record, told.standing, conflicts=conflicts), claim=claim)
    if luggage is None:
        return memory
    revised = told.record.revision > 1
    lineage = claim.lineage if revised or luggage.lineage is None else luggage.lineage
    return msgspec.structs.replace(
        memory,
        claim=msgspec.structs.replace(claim, lineage=lineage),
        actor=luggage.actor,
        role=luggage.role,
        revision=min(luggage.revision + memory.revision - 1, 2**31),
        created_at=luggage.created_at or memory.created_at,
        updated_at=memory.created_at if revised else luggage.updated_at,
        reviewer=memory.reviewer or luggage.reviewer,
        reviewed_at=luggage.reviewed_at,
        next_review_at=memory.next_review_at or luggage.next_review_at,
        accesses=min(memory.accesses + luggage.accesses, 2**53),
        last_access=max((one for one in (memory.last_access, luggage.last_access) if one is not None), default=None),
        helpful=memory.helpful + luggage.helpful,
        misleading=memory.misleading + luggage.misleading,
        conflicts=tuple(dict.fromkeys((*conflicts, *luggage.conflicts))),
        reports=tuple(dict.fromkeys((*luggage.reports, *memory.reports))),
    )


def _spelled(luggage: ImportBatch) -> str:
    return json.dumps(msgspec.to_builtins(luggage), ensure_ascii=False, separators=(",", ":"))


def _opened(claim: Claim) -> tuple[Claim, ImportBatch | None]:
    """The claim without its luggage, and the luggage. What somebody else put there under that name is left alone."""
    body = next((one.body for one in claim.extensions if one.name == NAME), None)
    if body is None:
        return claim, None
    try:
        said: JsonObject = json.loads(body)
        luggage = _sound(convert(said, ImportBatch))
    except (msgspec.ValidationError, CallerError):
        return claim, None
    others = tuple(one for one in claim.extensions if one.name != NAME)
    return msgspec.structs.replace(claim, extensions=others), luggage


def _sound(luggage: ImportBatch) -> ImportBatch:
    """The luggage without names out of which a secret was taken, so that they are none any more. Raises for what could
    never have been said of a memory."""
    named = msgspec.structs.replace(
        luggage,
        actor=_name(luggage.actor),
        reviewer=_name(luggage.reviewer),
        conflicts=tuple(one for one in luggage.conflicts if _name(one) is not None),
        reports=tuple(one for one in luggage.reports if _name(one) is not None),
    )
    InterchangeRecord(id=NAME, claim=_ANY, **{name: getattr(named, name) for name in _TAKEN})
    return named


def _name(text: str | None) -> str | None:
    return text if text is not None and safe_id(text) == text else None
