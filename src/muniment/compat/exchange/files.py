"""Memories in and out by any of the five contracts: check a document, turn it into another, take it in, give it out.

Whatever is read becomes proposals of foreign origin; whatever is written passed the gate and left a receipt.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from typing import Unpack

import msgspec

from muniment.compat.exchange.links import Loose, Roads, renamed, without
from muniment.compat.exchange.luggage import given_out, packed
from muniment.compat.exchange.order import in_order, placed_later
from muniment.contracts.contract import Encoded, Narrowing
from muniment.contracts.finding import Finding, finding_of, passes
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.omir.cbor import read_cbor, write_cbor
from muniment.contracts.registry import ContractName, contract
from muniment.contracts.strict.reader import read_json
from muniment.contracts.strict.values import Json
from muniment.contracts.strict.yaml_text import read_yaml
from muniment.engine import Memory
from muniment.engine.importing import BATCH_MAX, Newcomer, batch_name
from muniment.engine.options import QueryOptions
from muniment.engine.session import clean
from muniment.model.claim import Claim
from muniment.model.claim_options import When, read_instant
from muniment.model.curation import Verdict
from muniment.model.errors import LimitExceeded, Malformed, Unreadable
from muniment.model.query import Disclosure
from muniment.model.status import ARRIVED, Status
from muniment.model.value import Value, canonical
from muniment.model.vocabulary import ConflictStatus, Outcome, Sensitivity

Progress = Callable[[int], None]
DELICATE = frozenset({Sensitivity.PRIVATE, Sensitivity.CONFIDENTIAL, Sensitivity.SECRET})
"""More sensitive than what stays inside by default."""


class DocumentResult(StrEnum):
    """What a check comes to."""

    PASS = "pass"
    FAIL = "fail"
    UNREADABLE = "unreadable"


class CheckedDocument(Value):
    """What was found in a document."""

    contract: ContractName
    result: DocumentResult
    findings: tuple[Finding, ...]


class Fate(Value):
    """What became of one memory of a file. `number` is its place there, counted from 1; `error` says why it could not
    even be proposed."""

    number: int
    id: str
    verdict: Verdict | None = None
    error: str | None = None
    loose: tuple[Loose, ...] = ()

    @property
    def outcome(self) -> str:
        return self.verdict.outcome.value if self.verdict is not None else "error"


class Imported(Value):
    """What became of a file: one fate for each memory in it, in its order. `batch` names it for `Memory.apply` and
    `Memory.roll_back`; `tenants` are the other tenants that memories of the file say they are of."""

    batch: str
    contract: ContractName
    preview: bool
    fates: tuple[Fate, ...]
    tenants: tuple[str, ...] = ()

    def count(self, outcome: str) -> int:
        return sum(1 for fate in self.fates if fate.outcome == outcome)


class Exported(Encoded):
    """A document that was given out. `delicate` counts the records in it that are more sensitive than internal;
    `foreign` those that were taken in from elsewhere, so that who wrote and reviewed them is their files' word."""

    delicate: int = 0
    foreign: int = 0


def as_json(data: bytes, suffix: str) -> bytes:
    """The text of a file as JSON: YAML is read as strictly as JSON is, OMIR's binary form becomes its text, and
    lines of JSON a list."""
    match suffix.lower():
        case ".jsonl" | ".ndjson":
            return _text([read_json(line) for line in data.splitlines() if line.strip()])
        case ".yaml" | ".yml":
            return _text(read_yaml(data))
        case ".omirb":
            return _text(read_cbor(data))
        case _:
            return data


def as_file(data: bytes, suffix: str) -> bytes:
    """A document as a file of that name holds it: `.omirb` is binary, everything else JSON."""
    return write_cbor(read_json(data)) if suffix.lower() == ".omirb" else data


def _text(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def validate(name: ContractName, data: bytes) -> CheckedDocument:
    """Everything that is wrong with a document."""
    try:
        read_json(data)
    except (Unreadable, LimitExceeded) as error:
        return CheckedDocument(contract=name, result=DocumentResult.UNREADABLE, findings=(finding_of(error),))
    found = contract(name).check(data)
    return CheckedDocument(
        contract=name, result=DocumentResult.PASS if passes(found) else DocumentResult.FAIL, findings=found
    )


def convert(source: ContractName, target: ContractName, data: bytes) -> Encoded:
    """The memories of a document of one contract as a document of another."""
    carried = contract(source).decode(data)
    return encoded_as(target, [carried[number] for number in _as_written(source, carried)])


def _as_written(name: ContractName, carried: Sequence[InterchangeRecord]) -> list[int]:
    """The numbers of the memories in the order they were written in. A bundle of OMIR gives them by id: there the order
    of entries has no meaning, so the instants tell it. What has none comes last, as it stands."""
    if name is not ContractName.OMIR:
        return list(range(len(carried)))
    made = [one.created_at for one in carried]
    return sorted(range(len(carried)), key=lambda number: (made[number] is None, made[number] or 0))


def read_in(
    memory: Memory,
    name: ContractName,
    data: bytes,
    *,
    preview: bool = False,
    hold: bool = False,
    again: bool = False,
    progress: Progress = lambda _: None,
) -> Imported:
    """Propose every memory of a document. With `preview` nothing is changed; with `hold` all wait for a person.

    The same document again gets the same answers and changes nothing. One that was rolled back is refused
    (`RolledBack`); with `again` it is taken in once more, as a batch of its own. What a memory refers
    to is kept if it is in the document or here already, else told as loose.
    """
    _refuse_many(data)
    carried = contract(name).decode(data)
    plan = _plan(memory, name, carried)
    batch = batch_name(memory, _batch(memory, name, data, plan, hold=hold), again=again)
    told = _take_in(memory, batch, name, plan, preview=preview, hold=hold, progress=progress)
    fates: list[Fate | None] = [None] * len(carried)
    for step, (verdict, error) in zip(plan, told, strict=True):
        wanted, loose = clean(carried[step.number].id), tuple(_told_link(one) for one in step.loose)
        fates[step.number] = Fate(number=step.number + 1, id=wanted, verdict=verdict, error=error, loose=loose)
    elsewhere = {clean(one.tenant) for one in carried if one.tenant not in (None, memory.tenant)}
    return Imported(
        batch=batch,
        contract=name,
        preview=preview,
        fates=tuple(fate for fate in fates if fate is not None),
        tenants=tuple(sorted(elsewhere)),
    )


def write_out(
    memory: Memory,
    name: ContractName,
    *,
    statuses: Sequence[str] | None = None,
    session: str | None = None,
    since: When | None = None,
    **options: Unpack[QueryOptions],
) -> Exported:
    """Every record the caller may see, within these bounds, as one document. `since` bounds when it was recorded."""
    start = read_instant("since", since) if since is not None else None
    browsed = memory.insight.browse(statuses=statuses, session=session, **options)
    told = [one for one in browsed if start is None or one.record.created_at >= start]
    rivals = rivals_of(memory, told)
    given = [given_out(memory, one, rivals.get(one.record.id, ())) for one in told]
    encoded = encoded_as(name, [carried for carried, _ in given])
    return Exported(
        data=encoded.data,
        narrowed=encoded.narrowed,
        delicate=sum(1 for one in told if one.record.claim.handling.sensitivity in DELICATE),
        foreign=sum(1 for _, foreign in given if foreign),
    )


def encoded_as(name: ContractName, memories: Sequence[InterchangeRecord]) -> Encoded:
    """The document, and always one that passes. What was kept of another document of this contract, and would make this
    one wrong, is left out and told: a claim can be proposed with anything in its extensions, and a secret that was
    taken out of a field may have left what that field cannot hold."""
    door = contract(name)
    encoded = door.encode(memories)
    if passes(door.check(encoded.data)):
        return encoded
    kept = [one if passes(door.check(door.encode([one]).data)) else _without_residue(one, name) for one in memories]
    again = door.encode(kept)
    if not passes(door.check(again.data)):
        kept = [_without_residue(one, name) for one in memories]
        again = door.encode(kept)
    assert passes(door.check(again.data)), "what we write by ourselves is valid"
    lost = (before.id for before, after in zip(memories, kept, strict=True) if before.claim != after.claim)
    told = tuple(Narrowing(id=one, path=f"/claim/extensions/{name}", kept=False) for one in lost)
    return Encoded(data=again.data, narrowed=(*again.narrowed, *told))


def _without_residue(memory: InterchangeRecord, name: ContractName) -> InterchangeRecord:
    """The memory without anything that is said to be of a document of that contract."""
    others = tuple(one for one in memory.claim.extensions if re.split(r"[.:]", one.name)[0] != name)
    return msgspec.structs.replace(memory, claim=msgspec.structs.replace(memory.claim, extensions=others))


def _refuse_many(data: bytes) -> None:
    """Refuse more memories than can be taken in before each of them is read closely, which takes long."""
    if data.count(b"{") <= BATCH_MAX:
        return
    value = read_json(data)
    listed = value.get("entry") if isinstance(value, dict) else value
    if isinstance(listed, list) and len(listed) > BATCH_MAX:
        raise LimitExceeded("memories", limit=BATCH_MAX, unit="memories", sent=len(listed))


def _told_link(link: Loose) -> Loose:
    """A link as it is told: a name that holds a secret is told without it."""
    return msgspec.structs.replace(link, target=clean(link.target))


class _Step(Value):
    """One memory about to be proposed: its place in the file, what is proposed, what had to be left."""

    number: int
    newcomer: Newcomer
    loose: tuple[Loose, ...] = ()


def _plan(memory: Memory, name: ContractName, carried: Sequence[InterchangeRecord]) -> list[_Step]:
    turns = _newest_first(carried, _as_written(name, carried))
    ids, links = [carried[turn].id for turn in turns], [carried[turn].claim.lineage.links for turn in turns]
    order = in_order(ids, links)
    ranks = placed_later(ids, order)
    roads = Roads(memory, [carried[turn] for turn in turns], ranks)
    known = {target for own in links for _, target in own} & ranks.keys()
    parents = [turns[place] for place in order if ids[place] in known]
    twins = _twins(memory, name, [_step(number, carried[number], roads, len(order), {}) for number in parents])
    return [_step(turns[place], carried[turns[place]], roads, rank, twins) for rank, place in enumerate(order)]


def _newest_first(carried: Sequence[InterchangeRecord], turns: Sequence[int]) -> list[int]:
    """The numbers of the memories in this order, but of several with one id the newest revision first: it is the one
    that gets the id."""
    first = {carried[number].id: place for place, number in reversed(list(enumerate(turns)))}
    return sorted(turns, key=lambda number: (first[carried[number].id], -carried[number].revision))


def _step(number: int, memory: InterchangeRecord, roads: Roads, rank: int, twins: dict[str, str]) -> _Step:
    loose = roads.loose(memory, rank)
    named = renamed(memory.claim.lineage, twins)
    lineage = without(named, {(one.type, twins.get(one.target, one.target)) for one in loose})
    full = msgspec.structs.replace(memory, claim=msgspec.structs.replace(memory.claim, lineage=named))
    claim = packed(full, lineage)
    return _Step(number=number, newcomer=_newcomer(memory, claim), loose=loose)


def _twins(memory: Memory, name: ContractName, parents: Sequence[_Step]) -> dict[str, str]:
    """Ids of the file whose memory is here already under another id, and that id: links to them lead there."""
    if not parents:
        return {}
    told = _take_in(memory, "probe", name, parents, preview=True, hold=False, progress=lambda _: None)
    found = {
        step.newcomer.record: verdict.duplicate_of
        for step, (verdict, _) in zip(parents, told, strict=True)
        if verdict is not None and verdict.outcome is Outcome.REFUSED
    }
    return {own: other for own, other in found.items() if own is not None and other is not None and own != other}


def _take_in(
    memory: Memory,
    batch: str,
    name: ContractName,
    plan: Sequence[_Step],
    *,
    preview: bool,
    hold: bool,
    progress: Progress,
) -> list[tuple[Verdict | None, str | None]]:
    """The verdict on each, or why it cannot be proposed at all. All that can be are proposed together or not at all."""

    def propose(steps: Sequence[_Step], preview: bool = preview) -> tuple[Verdict, ...]:
        newcomers = [step.newcomer for step in steps]
        return memory.imports.take_in(batch, newcomers, contract=name, hold=hold, preview=preview, progress=progress)

    try:
        return [(verdict, None) for verdict in propose(plan)]
    except Malformed:
        errors = {step.number: _error(partial(propose, [step], True)) for step in plan}
    good = [step for step in plan if errors[step.number] is None]
    verdicts = dict(zip((step.number for step in good), propose(good), strict=True))
    return [(verdicts.get(step.number), errors[step.number]) for step in plan]


def _error(attempt: Callable[[], object]) -> str | None:
    try:
        attempt()
    except Malformed as error:
        return str(error)
    return None


def _batch(memory: Memory, name: ContractName, data: bytes, plan: Sequence[_Step], *, hold: bool) -> str:
    """A name for this document, taken in by this actor, with these links: the same again is the same batch."""
    digest = hashlib.sha256(data)
    digest.update(f"{memory.actor.id} {hold}".encode())
    for step in plan:
        digest.update(canonical(step.newcomer.claim.lineage))
    return f"{name}-{digest.hexdigest()[:24]}"


def _newcomer(memory: InterchangeRecord, claim: Claim) -> Newcomer:
    """What is proposed of a memory. What was only proposed where it comes from is proposed here, what waited there for
    a person waits here, and what was thrown away does not speak."""
    if memory.status in ARRIVED:
        return Newcomer(claim=claim, record=memory.id, status=memory.status)
    undecided = memory.status in (Status.CONTESTED, Status.PROPOSED, Status.HELD)
    status = Status.ACTIVE if undecided else Status.ARCHIVED
    return Newcomer(claim=claim, record=memory.id, status=status, hold=memory.status is Status.HELD)


def rivals_of(memory: Memory, told: Sequence[Disclosure]) -> dict[str, tuple[str, ...]]:
    """The records each of these disagrees with, as far as the caller may see them."""
    contested = (one.record.id for one in told if one.standing.status is Status.CONTESTED)
    return {name: _rivals(memory, name) for name in contested}


def _rivals(memory: Memory, name: str) -> tuple[str, ...]:
    views = (view for view in memory.review.conflicts(record_id=name) if view.status is not ConflictStatus.RESOLVED)
    sides = ((view.a.record.id, view.b.record.id) for view in views)
    return tuple(b if a == name else a for a, b in sides)
