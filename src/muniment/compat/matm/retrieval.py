"""A retrieval request answered over the engine's recall: hard limits first, then what may be told as what, or why not.

Every word of a record in the response was told by one recall, so its receipt accounts for it. Open conflicts near the
question are named beside, by their ids alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import Enum, auto

import msgspec

from muniment.contracts.finding import Severity
from muniment.contracts.interchange import carry
from muniment.contracts.matm import words
from muniment.contracts.matm.admission import expectation, inspect, sort_of
from muniment.contracts.matm.contract import write_document
from muniment.contracts.matm.documents import query_of, response_document
from muniment.contracts.matm.parts import agent_name
from muniment.contracts.matm.usability import IN_USE
from muniment.contracts.names import safe_id
from muniment.contracts.strict.reader import read_json
from muniment.contracts.strict.values import JsonObject
from muniment.engine import Memory
from muniment.model.actor import Actor
from muniment.model.errors import Malformed
from muniment.model.query import Abstention, Disclosure, Presented
from muniment.model.recall import Recall
from muniment.model.receipt import Account
from muniment.model.times import Instant, show
from muniment.model.value import Value
from muniment.model.vocabulary import CORE_SCOPES, ConflictStatus, ConflictStrength, GateFlag, Kind, Label, Scope
from muniment.policy.decide import grants
from muniment.policy.rules import ANYONE, Policy, ReadRule

STALE = frozenset({"superseded", "deprecated", "retracted", "expired", "archived", "expiry", "validity"})
WEAK = frozenset({"gate", "confidence", "support", "provenance", "trust", "origin"})
_WORD = re.compile(r"[^\W\d_]{5,}")
FIT = 0.5
"""What is authoritative goes before what is newer and less evidenced if it fits at least this well."""


def read_request(data: bytes) -> JsonObject:
    """The request in a document; the first thing wrong with it is told with its place."""
    document = read_json(data)
    if not isinstance(document, dict) or sort_of(document) != "RetrievalRequest":
        raise Malformed("/", "a retrieval request")
    for finding in inspect(document, "/"):
        if finding.severity is Severity.ERROR:
            raise Malformed(finding.path, expectation(finding))
    return document


def consumer_of(request: JsonObject) -> str:
    agent = request["consumer_agent"]
    return str(agent_name(agent) if isinstance(agent, dict) else agent)


def retrieve(memory: Memory, request: JsonObject, *, known: bool, now: Instant) -> JsonObject:
    """Answer a request for the actor this memory is seen by."""
    barred = _barred(memory, request, known)
    answer = _recall(memory, request, closed=barred is not None)
    if answer.abstained is Abstention.NOT_AUTHORIZED:
        barred = barred or "missing_authorization"
    if barred is not None:
        silent = msgspec.structs.replace(answer, records=(), excluded={})
        return response_document(request, silent, abstain_reasons=(barred,))
    return _answered(request, answer, _near(memory, request), now)


def _near(memory: Memory, request: JsonObject) -> dict[str, JsonObject]:
    """Notices of the open conflicts that share a word with the question, both sides in the places it may look at."""
    query, places = query_of(request), _scope_ids(memory.actor, request)
    asked = _stems(query.text)
    found: dict[str, JsonObject] = {}
    for view in memory.review.conflicts():
        sides = (view.a.record, view.b.record)
        inside = all(
            one.claim.place.scope in (query.scopes or ()) and (places is None or one.claim.place.scope_id in places)
            for one in sides
        )
        open_ = view.strength is ConflictStrength.ESTABLISHED and view.status is not ConflictStatus.RESOLVED
        if open_ and inside and asked & (_stems(sides[0].content) | _stems(sides[1].content)):
            first, second = sorted(one.id for one in sides)
            message = f"conflict {view.id} is open between {first} and {second}: neither side is asserted"
            found[view.id] = {"kind": "conflict", "message": message, "record_ids": [first, second]}
    return found


def _stems(text: str) -> frozenset[str]:
    """The beginnings of the longer words: enough to see whether two texts speak of the same thing at all."""
    return frozenset(word[:5] for word in _WORD.findall(text.casefold()))


def _barred(memory: Memory, request: JsonObject, known: bool) -> words.AbstainReason | None:
    """Why nothing may be looked at: the caller is not who it says, or reaches for what is not its own."""
    actor = memory.actor
    if not known or consumer_of(request) != actor.id:
        return "missing_authorization"
    if request.get("tenant_id", memory.tenant) != memory.tenant:
        return "cross_scope_risk"
    return "cross_scope_risk" if _reaches_out(memory.insight.policy, actor, request) else None


def _reaches_out(policy: Policy, actor: Actor, request: JsonObject) -> bool:
    """Whether a request names a place that is not the caller's, or leaves open which of several projects is meant."""
    purpose = query_of(request).purpose
    if any(grants(rule, actor, purpose) and opens_all(rule) for rule in policy.read):
        return False
    if any(name in request and str(request[name]) not in mine and ANYONE not in mine for name, mine in _own(actor)):
        return True
    several = len(actor.projects) > 1 or ANYONE in actor.projects
    return several and "project_id" not in request and Scope.PROJECT in (query_of(request).scopes or ())


def opens_all(rule: ReadRule) -> bool:
    """Whether a grant goes beyond the reader's own places. Scopes under a charter have their own readers."""
    return not rule.member and (rule.scopes is None or any(scope in CORE_SCOPES for scope in rule.scopes))


def _own(actor: Actor) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Which places are the caller's own, by the field that names one."""
    return (
        ("project_id", actor.projects),
        ("team_id", actor.teams),
        ("agent_id", (actor.id, *actor.roles)),
        ("session_id", actor.sessions),
    )


def _recall(memory: Memory, request: JsonObject, *, closed: bool) -> Recall:
    """One recall under the request's hard limits. A closed one looks at nothing and still leaves its receipt."""
    query = query_of(request)
    scopes = query.scopes or ()
    return memory.recall(
        query.text,
        purpose=query.purpose,
        scopes=[] if closed else list(scopes),
        scope_ids=_scope_ids(memory.actor, request),
        kinds=query.kinds,
        sensitivity_max=query.sensitivity_max,
        require_provenance=query.require_provenance,
        trust_min="high",
        gate_min=None if Scope.SESSION in scopes else memory.insight.policy.trust.gate.flag,
        limit=query.limit,
    )


def _scope_ids(actor: Actor, request: JsonObject) -> list[str] | None:
    """The places meant, where the request names its project: those it names, and the caller's own of other sorts."""
    if "project_id" not in request:
        return None
    found: list[str] = []
    for name, mine in _own(actor):
        found += [str(request[name])] if name in request else [one for one in mine if one != ANYONE]
    return [safe_id(name) for name in found]


class Sorted(Value):
    """What a recall told, by what it may be used as. `answers` are in the order they are to be shown; with
    `led_by_dispute` what fits best is disputed, and nothing that fits less is the answer instead."""

    led_by_dispute: bool
    answers: tuple[Disclosure, ...]
    disputed: tuple[Disclosure, ...]
    guesses: tuple[Disclosure, ...]
    ended: tuple[Disclosure, ...]
    weak: tuple[Disclosure, ...]
    unusable: tuple[Disclosure, ...]


def sort_out(records: Iterable[Disclosure], *, need_evidence: bool) -> Sorted:
    """Put each record where it belongs; the first that fits holds."""
    found = [(_pile(one, need_evidence=need_evidence), one) for one in records]

    def pile(name: _Pile) -> tuple[Disclosure, ...]:
        return tuple(one for where, one in found if where is name)

    speaking = [where for where, _ in found if where in (_Pile.ANSWERS, _Pile.DISPUTED)]
    return Sorted(
        led_by_dispute=bool(speaking) and speaking[0] is _Pile.DISPUTED,
        answers=_authoritative_first(pile(_Pile.ANSWERS)),
        disputed=pile(_Pile.DISPUTED),
        guesses=pile(_Pile.GUESSES),
        ended=pile(_Pile.ENDED),
        weak=pile(_Pile.WEAK),
        unusable=pile(_Pile.UNUSABLE),
    )


class _Pile(Enum):
    ANSWERS = auto()
    DISPUTED = auto()
    GUESSES = auto()
    ENDED = auto()
    WEAK = auto()
    UNUSABLE = auto()


def _pile(one: Disclosure, *, need_evidence: bool) -> _Pile:
    if not is_usable(one):
        return _Pile.UNUSABLE
    if one.record.claim.nature.kind is Kind.DEPRECATION:
        return _Pile.ENDED
    if one.presented is Presented.CONTESTED:
        return _Pile.DISPUTED
    if one.presented is Presented.HYPOTHESIS:
        return _Pile.GUESSES
    bare = need_evidence and not one.record.claim.belief.evidence
    weak = one.presented is Presented.CLAIM and (bare or one.gate is GateFlag.FLAG)
    return _Pile.WEAK if weak else _Pile.ANSWERS


def is_usable(one: Disclosure) -> bool:
    """Whether somebody reviewed a record and it has everything that the profile asks of a usable one."""
    document, _ = write_document(carry(one.record, one.standing))
    return one.record.reviewer is not None and document["status"] in IN_USE


def _answered(request: JsonObject, answer: Recall, near: dict[str, JsonObject], now: Instant) -> JsonObject:
    told = sort_out(answer.records, need_evidence=request.get("require_evidence") is True)
    reasons = () if told.answers and not told.led_by_dispute else _reasons(answer, told)
    shown = (*told.answers, *told.disputed, *told.guesses)
    open_ = tuple(str(one["message"]) for one in near.values())
    warnings = {one.record.id: _warnings(one, now, open_ if one in told.answers else ()) for one in shown}
    shown_sides = {name for one in told.disputed for name in one.conflicts}  # they have a notice of their own
    beside = [notice for name, notice in near.items() if name not in shown_sides]
    return response_document(
        request,
        msgspec.structs.replace(answer, records=shown),
        abstain_reasons=reasons,
        warnings=warnings,
        notices=(*beside, *_notices(told, abstains=bool(reasons))),
    )


def _reasons(answer: Recall, told: Sorted) -> tuple[words.AbstainReason, ...]:
    """Why there is no answer: by what was told and is none, else by what was kept back."""
    found: tuple[tuple[words.AbstainReason, bool], ...] = (
        ("unresolved_conflict", bool(told.disputed)),
        ("weak_evidence", bool(told.weak or told.unusable)),
        ("only_hypotheses", bool(told.guesses)),
        ("stale_or_deprecated_only", bool(told.ended)),
    )
    kept_back: tuple[tuple[words.AbstainReason, bool], ...] = (
        ("weak_evidence", bool(WEAK & answer.excluded.keys())),
        ("stale_or_deprecated_only", bool(STALE & answer.excluded.keys())),
    )
    return (
        tuple(name for name, holds in found if holds)
        or tuple(name for name, holds in kept_back if holds)
        or ("nothing_found",)
    )


def _notices(told: Sorted, *, abstains: bool) -> tuple[JsonObject, ...]:
    """What was found and is no answer, by its ids."""
    notices: list[JsonObject] = [
        {
            "kind": "deprecation",
            "message": f"{', '.join(one.record.claim.lineage.replaced)} is deprecated: {one.record.content}",
            "record_ids": [one.record.id],
        }
        for one in told.ended
    ]
    lists = (
        ("evidence", "evidence is too weak to answer with", told.weak),
        ("other", "not reviewed, or without what a usable record needs", told.unusable),
        ("other", "only supposed, not known", told.guesses if abstains else ()),
        ("other", "fits less than what is disputed", told.answers if abstains else ()),
    )
    notices += (
        {"kind": kind, "message": message, "record_ids": [one.record.id for one in found]}
        for kind, message, found in lists
        if found
    )
    return tuple(notices)


def _authoritative_first(answers: Sequence[Disclosure]) -> tuple[Disclosure, ...]:
    """The order of the recall, but what is marked authoritative goes before what is newer and less evidenced."""
    ordered = list(answers)
    for one in [one for one in answers if _is_authoritative(one)]:
        behind = [other for other in ordered[: ordered.index(one)] if _gives_way(other, one)]
        for other in behind:
            ordered.remove(other)
        at = ordered.index(one) + 1
        ordered[at:at] = behind
    return tuple(ordered)


def _is_authoritative(one: Disclosure) -> bool:
    """Whether a reviewed record fits and a person stands behind where it comes from: by writing or vouching for it."""
    return one.standing.footing.label is Label.PERSON and one.record.reviewer is not None and one.score >= FIT


def _gives_way(other: Disclosure, authority: Disclosure) -> bool:
    newer = other.record.created_at > authority.record.created_at
    less = len(other.record.claim.belief.evidence) < len(authority.record.claim.belief.evidence)
    return newer and less and not _is_authoritative(other)


def _warnings(one: Disclosure, now: Instant, general: Sequence[str]) -> tuple[str, ...]:
    record = one.record
    warnings = [f"it took the place of {name}" for name in record.claim.lineage.replaced]
    warnings += general
    if one.gate is GateFlag.FLAG:
        warnings.append("believed little, or something it stands on is in doubt")
    if record.next_review_at is not None and record.next_review_at < now:
        warnings.append(f"its review was due at {show(record.next_review_at)}")
    if record.claim.place.scope is Scope.SESSION:
        warnings.append("a note of a session, not reviewed for wider use")
    return tuple(warnings)


def audit(memory: Memory, receipt_id: str) -> JsonObject:
    """What the receipt of a retrieval proves: who asked, within which limits, what was told, and why nothing was."""
    seen = memory.explain(receipt_id)
    account = seen.account
    query = account.query
    abstained = account.abstained.value if account.abstained is not None else _withheld(memory, account)
    return {
        "receipt_id": seen.receipt_id,
        "at": show(seen.at),
        "consumer": account.actor.id,
        "purpose": query.purpose,
        "query": query.text,
        "allowed_scopes": [scope.value for scope in query.scopes or ()],
        "allowed_kinds": [kind.value for kind in query.kinds] if query.kinds is not None else None,
        "max_sensitivity": query.sensitivity_max.value if query.sensitivity_max is not None else None,
        "limit": query.limit,
        "told": list(account.selected),
        "abstained": abstained,
        "same_again": seen.same_ids,
    }


def _withheld(memory: Memory, account: Account) -> str | None:
    """Why what was told was no answer: only sides of disputes, only guesses, or only what says that something ended."""
    shown = [one for one in account.candidates if one.id in account.selected and one.excluded is None]
    sides = {rid for _, a, b in account.opponents for rid in (a, b)}
    kinds = {memory.get(one.id, revision=one.revision).record.claim.nature.kind for one in shown}
    if shown and shown[0].rid in sides:
        return "unresolved_conflict"
    if kinds == {Kind.HYPOTHESIS}:
        return "only_hypotheses"
    return "stale_or_deprecated_only" if kinds == {Kind.DEPRECATION} else None
