"""The parts that an event and a record share, read into our values and written out of them."""

from __future__ import annotations

import re
from functools import lru_cache

from muniment.contracts.matm.words import CONFIDENCE
from muniment.contracts.names import safe_id, safe_text
from muniment.contracts.strict.instants import instant_of
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model import checks, times
from muniment.model.claim import Belief, Charter, Claim, Lineage, Place, Relation, Slot, Times
from muniment.model.times import Instant
from muniment.model.vocabulary import EXTENSION_SCOPES, RelationType, Scope

_EVIDENCE = re.compile(r"([a-z][a-z0-9_]*): (\S.*?)(?: \[([^\[\]\s]+)\])?", re.ASCII | re.DOTALL)
_NO_BELIEF, _NO_TIMES, _NO_LINEAGE = Belief(), Times(), Lineage()
_UNIT_PLACES = {Scope.PROJECT: "project_id", Scope.AGENT_TEAM: "team_id", Scope.AGENT_REPO: "agent_id"}
_LIST = checks.LIST_LENGTH_MAX


def kept_text(text: str, *, limit: int = checks.TEXT_BYTES_MAX) -> str:
    """The text as our record can hold it. Printable text of a usual length is taken as it is."""
    if text.isprintable() and 0 < len(text) * 4 <= limit and not text.isspace():
        return text
    return safe_text(text, limit=limit)


def text_of(document: JsonObject, name: str) -> str | None:
    """A text, safe to keep; None where there is none."""
    value = document.get(name)
    return kept_text(value) if isinstance(value, str) else None


def id_of(document: JsonObject, name: str) -> str | None:
    value = document.get(name)
    return safe_id(value) if isinstance(value, str) else None


def ids_of(document: JsonObject, name: str) -> tuple[str, ...]:
    value = document.get(name)
    if not isinstance(value, list):
        return ()
    return tuple(dict.fromkeys(safe_id(str(one)) for one in value))[:_LIST]


def agent_name(agent: JsonObject) -> str | None:
    """What an agent is called, under whichever of three names it is said; white space is no name."""
    found = (agent.get(name) for name in ("agent_id", "id", "name"))
    return next((one for one in found if isinstance(one, str) and one.strip()), None)


def instant_in(document: JsonObject, name: str) -> Instant | None:
    value = document.get(name)
    return _instant(value) if isinstance(value, str) else None


@lru_cache(maxsize=256)
def _instant(text: str) -> Instant:
    """Each time of a document is looked at several times on its way in and out."""
    return instant_of(text)


def object_in(document: JsonObject, name: str) -> JsonObject:
    """The object under a name; empty where something shorter stands there, or nothing."""
    value = document.get(name)
    return value if isinstance(value, dict) else {}


def put(document: JsonObject, **fields: Json) -> None:
    """Add what says something: neither None nor an empty list or object."""
    for name, value in fields.items():
        if value is not None and value != [] and value != {}:
            document[name] = value


def shown(instant: Instant | None) -> str | None:
    return times.show(instant) if instant is not None else None


def evidence_text(ref: Json) -> str:
    """A reference to evidence as one text: what sort of thing, where, and its hash.

    >>> evidence_text({"type": "test_run", "ref": "runs/118", "hash": "sha256:ab"}), evidence_text("runs/118")
    ('test_run: runs/118 [sha256:ab]', 'runs/118')
    """
    if not isinstance(ref, dict):
        return kept_text(str(ref))
    mark = f" [{ref['hash']}]" if "hash" in ref else ""
    return kept_text(f"{ref['type']}: {ref['ref']}{mark}")


def evidence_ref(text: str) -> Json:
    """What `evidence_text` was made of; a text that is no such thing stays text.

    >>> evidence_ref("test_run: runs/118 [sha256:ab]"), evidence_ref("it was seen")
    ({'type': 'test_run', 'ref': 'runs/118', 'hash': 'sha256:ab'}, 'it was seen')
    """
    found = _EVIDENCE.fullmatch(text)
    if found is None:
        return text
    type_, ref, mark = found.groups()
    return {"type": type_, "ref": ref} if mark is None else {"type": type_, "ref": ref, "hash": mark}


def belief_of(document: JsonObject) -> Belief:
    given, refs = document.get("confidence"), document.get("evidence_refs")
    said: JsonObject = given if isinstance(given, dict) else {"score": given}
    evidence = tuple(evidence_text(ref) for ref in refs[:_LIST]) if isinstance(refs, list) else ()
    assumptions = said.get("assumptions")
    return Belief(
        score=_score(next((said[name] for name in ("score", "value", "level") if name in said), None)),
        reasoning=text_of(said, "reasoning"),
        evidence=evidence,
        assumptions=tuple(safe_text(str(one)) for one in assumptions[:_LIST]) if isinstance(assumptions, list) else (),
    )


def _score(given: Json) -> float:
    if isinstance(given, str):
        return CONFIDENCE[given]
    return float(given) if isinstance(given, (int, float)) else _NO_BELIEF.score


def confidence_of(belief: Belief) -> Json:
    """A number, or the number with its public rationale."""
    if belief.reasoning is None and not belief.assumptions:
        return belief.score
    said: JsonObject = {"score": belief.score}
    put(said, reasoning=belief.reasoning, assumptions=list(belief.assumptions))
    return said


def slot_of(document: JsonObject) -> Slot | None:
    claim = object_in(document, "claim")
    if "subject" not in claim:
        return None
    return Slot(
        subject=kept_text(str(claim["subject"])), key=kept_text(str(claim["key"])), value=kept_text(str(claim["value"]))
    )


def claim_part(claim: Claim) -> JsonObject:
    slot = claim.slot
    return {} if slot is None else {"subject": slot.subject, "key": slot.key, "value": slot.value}


def times_of(document: JsonObject, *, event_time: Instant | None) -> Times:
    first, last, end = (instant_in(document, name) for name in ("effective_from", "effective_to", "expires_at"))
    if event_time is first is last is end is None:
        return _NO_TIMES
    return Times(event_time=event_time, valid_from=first, valid_until=last, expires_at=end)


def lineage_of(document: JsonObject, *, contradicts: tuple[str, ...] = ()) -> Lineage:
    replaced, derived = ids_of(document, "supersedes"), ids_of(document, "derived_from")
    if not (replaced or derived or contradicts):
        return _NO_LINEAGE
    relations = [Relation(type=RelationType.SUPERSEDES, target=name) for name in replaced[1:]]
    relations += [Relation(type=RelationType.CONTRADICTS, target=name) for name in contradicts]
    return Lineage(
        derived_from=derived, supersedes=replaced[0] if replaced else None, relations=tuple(relations[:_LIST])
    )


def contradicted(claim: Claim) -> list[str]:
    return [one.target for one in claim.lineage.relations if one.type is RelationType.CONTRADICTS]


def charter_of(document: JsonObject) -> Charter | None:
    said = document.get("charter")
    if not isinstance(said, dict):
        return None
    days, barred = said.get("retention_days"), said.get("barred_scopes")
    basis = text_of(said, "lawful_basis") or (safe_text(f"consent: {said['consent']}") if "consent" in said else None)
    return Charter(
        lawful_basis=basis,
        access=ids_of(said, "access"),
        erasure=text_of(said, "erasure"),
        retention_days=int(days) if isinstance(days, (int, float)) else None,
        source_quality=text_of(said, "source_quality"),
        reviewer=id_of(said, "reviewer"),
        barred=tuple(Scope(str(one)) for one in barred[:_LIST]) if isinstance(barred, list) else (),
    )


def charter_part(claim: Claim) -> JsonObject:
    charter = claim.charter
    if charter is None:
        return {}
    said: JsonObject = {}
    put(
        said,
        owner=claim.handling.owner,
        lawful_basis=charter.lawful_basis,
        access=list(charter.access),
        erasure=charter.erasure,
        retention_days=charter.retention_days,
        source_quality=charter.source_quality,
        reviewer=charter.reviewer,
        barred_scopes=[scope_word(scope) for scope in charter.barred],
    )
    return said


def boundary(place: Place) -> JsonObject:
    """The field that says whose scope it is, where the scope has one."""
    name = _UNIT_PLACES.get(place.scope)
    return {name: place.scope_id} if name is not None else {}


def whose(scope: Scope, *places: JsonObject) -> str | None:
    """Whose scope it is, as the first of several places says."""
    name = _UNIT_PLACES.get(scope) or ("session_id" if scope is Scope.SESSION else None)
    if name is None:
        return None
    return next((found for place in places if (found := id_of(place, name)) is not None), None)


def scope_word(scope: Scope) -> str:
    """How a scope is named in a document. What is kept for a user of a program is no core scope there: it goes by the
    one that speaks of people, and waits until a charter says what that asks for."""
    return (Scope.X_USER_IDENTITY if scope is Scope.USER else scope).value


def is_extension(scope: Scope) -> bool:
    return scope in EXTENSION_SCOPES
