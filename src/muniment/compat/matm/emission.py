"""An event on its way to the queue: the claim it makes, and every ground there is against it, each at its step.

Nothing is written here. What is wrong with an event is told in our words; nothing of it is quoted.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

import msgspec

from muniment.compat.matm.hazards import steering, texts
from muniment.compat.matm.sources import Sources, references
from muniment.contracts.finding import Finding, Severity, finding_of
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.matm.admission import inspect, sort_of
from muniment.contracts.matm.contract import read_document
from muniment.contracts.strict.reader import read_json
from muniment.contracts.strict.values import Json, JsonObject
from muniment.engine.session import clean
from muniment.model.actor import Actor
from muniment.model.claim import Claim, Lineage, Nature
from muniment.model.errors import CallerError
from muniment.model.proposal import Objection
from muniment.model.times import DAY, Instant
from muniment.model.value import Value
from muniment.model.vocabulary import Kind, Scope, Step
from muniment.policy.rules import Policy

MALFORMED = ".malformed."
SESSION_DAYS, HYPOTHESIS_DAYS = 7, 30
"""How long a session's note and a hypothesis are kept if nobody says."""
_ID = re.compile(r"[A-Za-z0-9._:-]{1,100}", re.ASCII)
_PLAIN_PATH = re.compile(r"[A-Za-z0-9_/.-]{1,120}", re.ASCII)
_NO_REFERENCE: Json = "none:given"


class Emission(Value):
    """What the desk proposes for an event: under which name, which claim, and against which objections."""

    event: str
    proposal: str
    claim: Claim
    objections: tuple[Objection, ...] = ()


class EventCounter(Value):
    """The desk an event is handed in at: its policy and tenant, whether it knows who hands it in, what it can look up,
    and what time it is."""

    known: bool
    policy: Policy
    tenant: str
    sources: Sources
    steward: str
    now: Instant
    record_of: Callable[[str], str]
    marks_of: Callable[[str], tuple[str, ...]]
    holder_of: Callable[[str], str | None]


def event_of(proposal: str) -> str:
    """The id of the event behind a proposal of the desk."""
    return proposal.split(MALFORMED)[0]


def prepare(data: bytes, actor: Actor, counter: EventCounter) -> Emission:
    """Read an event. One that cannot be read or is no event is still something to be decided on, and refused."""
    try:
        document = read_json(data)
    except CallerError as error:
        return _malformed(data, None, (finding_of(error),))
    errors = (*_named_by_a_secret(document), *(one for one in inspect(document, "/") if one.severity is Severity.ERROR))
    if not isinstance(document, dict) or sort_of(document) != "MemoryEvent":
        return _malformed(data, document, errors)
    if not errors:
        return _prepared(document, read_document(document), actor, counter, ())
    if any(one.code != "evidence" for one in errors):
        return _malformed(data, document, errors)
    return _unsupported(document, actor, counter)


def _named_by_a_secret(document: Json) -> tuple[Finding, ...]:
    """What is wrong with the event's own name, under which everything about it would be kept."""
    name = document.get("event_id") if isinstance(document, dict) else None
    if not isinstance(name, str) or clean(name) == name:
        return ()
    message = "a name with no secret in it"
    return (Finding(code="credential", severity=Severity.ERROR, path="/event_id", message=message),)


def _unsupported(document: JsonObject, actor: Actor, counter: EventCounter) -> Emission:
    """An event that is sound but for its missing evidence goes as far as the step that asks for it."""
    read = read_document({**document, "evidence_refs": [_NO_REFERENCE]})
    bare = msgspec.structs.replace(read.claim.belief, evidence=())
    memory = msgspec.structs.replace(read, claim=msgspec.structs.replace(read.claim, belief=bare))
    reason = f"unsupported: a {read.claim.nature.kind} needs evidence and none is given"
    objection = Objection(step=Step.EVIDENCE, rule="unsupported", reason=reason)
    return _prepared(document, memory, actor, counter, (objection,))


def _malformed(data: bytes, document: Json, errors: tuple[Finding, ...]) -> Emission:
    given = document.get("event_id") if isinstance(document, dict) else None
    usable = isinstance(given, str) and _ID.fullmatch(given) is not None and clean(given) == given
    event = given if isinstance(given, str) and usable else "unreadable"
    told = "; ".join(f"{one.code} at {_path(one)}" for one in errors[:8]) or "it is no memory event"
    reason = f"malformed: {told}"
    return Emission(
        event=event,
        proposal=f"{event}{MALFORMED}{hashlib.sha256(data).hexdigest()[:16]}",
        claim=Claim(content="(refused)", nature=Nature(kind=Kind.HYPOTHESIS)),
        objections=(Objection(step=Step.ADMISSION, rule=errors[0].code if errors else "type", reason=reason),),
    )


def _path(finding: Finding) -> str:
    """Where it is; a path that could carry words of the event is not told."""
    return finding.path if _PLAIN_PATH.fullmatch(finding.path) else "a field of its own"


def _prepared(
    document: JsonObject, memory: InterchangeRecord, actor: Actor, counter: EventCounter, known: tuple[Objection, ...]
) -> Emission:
    claim = fitted(memory.claim, counter)
    return Emission(
        event=memory.id,
        proposal=memory.id,
        claim=claim,
        objections=(*_objections(document, memory, claim, actor, counter), *known),
    )


def fitted(claim: Claim, counter: EventCounter) -> Claim:
    """The claim as it is kept here: links by the names of records, an end for what is not meant to last, an owner."""
    handling = claim.handling
    if handling.owner is None:
        handling = msgspec.structs.replace(handling, owner=counter.steward)
    return msgspec.structs.replace(
        claim,
        lineage=_linked(claim.lineage, counter, claim.origin.external_id),
        times=msgspec.structs.replace(claim.times, expires_at=claim.times.expires_at or _end(claim, counter)),
        handling=handling,
    )


def _linked(lineage: Lineage, counter: EventCounter, mark: str | None) -> Lineage:
    """A producer knows events, not records. What an artifact is known by is kept as a name, so that it is found, and
    goes over to what takes its place."""
    record_of = counter.record_of
    linked = Lineage(
        derived_from=tuple(dict.fromkeys(record_of(name) for name in lineage.derived_from)),
        supersedes=record_of(lineage.supersedes) if lineage.supersedes is not None else None,
        parent=record_of(lineage.parent) if lineage.parent is not None else None,
        relations=tuple(msgspec.structs.replace(one, target=record_of(one.target)) for one in lineage.relations),
    )
    inherited = [name for record in linked.replaced for name in counter.marks_of(record)]
    marks = (*lineage.entities, *([mark] if mark is not None else []), *inherited)
    return msgspec.structs.replace(linked, entities=tuple(dict.fromkeys(marks)))


def _end(claim: Claim, counter: EventCounter) -> Instant | None:
    """When it ends of itself: what lives in a session, or can live nowhere else, and what is only supposed."""
    rules = counter.policy.evidence
    bare = claim.nature.kind in rules.required_for and not claim.belief.evidence
    doubted = rules.session_below is not None and claim.belief.score < rules.session_below
    if claim.place.scope is Scope.SESSION or bare or doubted:
        return Instant(counter.now + SESSION_DAYS * DAY)
    return Instant(counter.now + HYPOTHESIS_DAYS * DAY) if claim.nature.kind is Kind.HYPOTHESIS else None


def _objections(
    document: JsonObject, memory: InterchangeRecord, claim: Claim, actor: Actor, counter: EventCounter
) -> tuple[Objection, ...]:
    """Every ground against a readable event, in the order of the steps."""
    grounds = (
        _steering(document),
        _producer(memory, actor, counter),
        _unreachable(document, counter),
        _elsewhere(document, memory, counter),
        _twin(claim, counter),
    )
    return tuple(one for one in grounds if one is not None)


def _steering(document: JsonObject) -> Objection | None:
    names = steering(texts(document))
    if not names:
        return None
    reason = f"unsafe: its words give orders to the reader ({', '.join(names)})"
    return Objection(step=Step.SAFETY, rule="injected-instruction", reason=reason)


def _producer(memory: InterchangeRecord, actor: Actor, counter: EventCounter) -> Objection | None:
    """Who emits is known, and is who the event says."""
    if not counter.known:
        reason = "unauthorized: the policy knows no such producer"
        return Objection(step=Step.PROVENANCE, rule="unknown-producer", reason=reason)
    if memory.actor != actor.id:
        reason = "unauthorized: the event names another producer than the one who emits it"
        return Objection(step=Step.PROVENANCE, rule="other-producer", reason=reason)
    return None


def _unreachable(document: JsonObject, counter: EventCounter) -> Objection | None:
    missing = counter.sources.unresolved(one for one in references(document) if one.ref != _NO_REFERENCE)
    if not missing:
        return None
    count = len(missing)
    reason = f"unsupported: {count} of its references lead nowhere, or to something else than they say"
    return Objection(step=Step.PROVENANCE, rule="unresolved-source", reason=reason)


def _elsewhere(document: JsonObject, memory: InterchangeRecord, counter: EventCounter) -> Objection | None:
    if document.get("suggested_scope") == "discard":
        reason = "outside every scope: its producer suggests to discard it"
        return Objection(step=Step.SCOPE, rule="outside-every-scope", reason=reason)
    if memory.claim.place.scope is Scope.SESSION and document.get("suggested_scope") != Scope.SESSION:
        reason = "outside every scope: the extension scope it suggests is not kept here"
        return Objection(step=Step.SCOPE, rule="outside-every-scope", reason=reason)
    if memory.tenant is not None and memory.tenant != counter.tenant:
        reason = "outside every scope: it belongs to another tenant"
        return Objection(step=Step.SCOPE, rule="other-tenant", reason=reason)
    return None


def _twin(claim: Claim, counter: EventCounter) -> Objection | None:
    """The same artifact told again, in whatever words, is nothing new, unless it takes the first one's place."""
    mark = claim.origin.external_id
    holder = counter.holder_of(mark) if mark is not None else None
    if holder is None or holder in claim.lineage.replaced:
        return None
    reason = f"redundant: the same artifact is remembered as {holder}"
    return Objection(step=Step.DEDUPE, rule="same-artifact", reason=reason, duplicate_of=holder)
