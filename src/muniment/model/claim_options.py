"""Make a claim from flat words: the keywords of `remember`, the flags of the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import TypedDict, get_type_hints

import msgspec

from muniment.model import checks, times
from muniment.model.actor import Actor
from muniment.model.claim import (
    DEFAULT_SCOPE_ID,
    Belief,
    Charter,
    Claim,
    Handling,
    Intent,
    Lineage,
    Nature,
    Origin,
    Place,
    Relation,
    Slot,
    Strength,
    Times,
)
from muniment.model.errors import Malformed
from muniment.model.source import read_source_type
from muniment.model.times import Instant
from muniment.model.user import user_id
from muniment.model.value import Value
from muniment.model.vocabulary import Kind, MemoryClass, MemoryType, RelationType, Scope, Sensitivity

When = str | datetime | int
_ANY = "*"
"""In the place of a session: all of them."""


class ClaimOptions(TypedDict, total=False):
    """Everything that can be said about a memory besides its content. All optional; None means "not said"."""

    user: str | None
    kind: str | None
    memory_type: str | None
    memory_class: str | None
    scope: str | None
    scope_id: str | None
    namespace: str | None
    session_id: str | None
    workflow_id: str | None
    task_id: str | None
    purpose: str | None
    question: str | None
    source: str | None
    source_type: str | None
    external_id: str | None
    triggered_by: str | None
    confidence: float | None
    reasoning: str | None
    evidence: Sequence[str] | None
    assumptions: Sequence[str] | None
    hedged: bool | None
    event_time: When | None
    valid_from: When | None
    valid_until: When | None
    expires_at: When | None
    derived_from: Sequence[str] | None
    supersedes: str | None
    parent: str | None
    relations: Sequence[tuple[str, str]] | None
    entities: Sequence[str] | None
    sensitivity: str | None
    owner: str | None
    next_review_at: When | None
    importance: float | None
    half_life_hours: float | None
    anchored: bool | None
    lawful_basis: str | None
    access: Sequence[str] | None
    erasure: str | None
    retention_days: int | None
    source_quality: str | None
    reviewer: str | None
    barred_scopes: Sequence[str] | None
    subject: str | None
    key: str | None
    value: str | None


OPTIONS = frozenset(get_type_hints(ClaimOptions))
UNSTATED = Belief(unstated=True)


def make_claim(content: str, actor: Actor, options: ClaimOptions) -> Claim:
    """Build a claim, filling in what the actor and the scope imply. An unknown or wrong option is refused by name."""
    refuse_unknown(options, OPTIONS, "a memory")
    said = {name: value for name, value in options.items() if value is not None}
    given = _Given(said)
    parts = {name: make(given) for name, (words, make) in _MAKERS.items() if not words.isdisjoint(said)}
    parts.setdefault("belief", UNSTATED)
    place, slot, charter = _place(given, actor), _slot(given), _charter(given)
    return Claim(content=content, slot=slot, place=place, charter=charter, **parts)  # type: ignore[arg-type]  # each checks its own


MEANT = {
    "user_id": "user",
    "username": "user",
    "agent_id": "actor, when the memory is opened",
    "run_id": "session_id",
    "app_id": "namespace",
    "metadata": "source, external_id, namespace or entities",
    "meta": "source, external_id, namespace or entities",
    "tags": "entities, or namespace for a heading",
    "tag": "entities, or namespace for a heading",
    "labels": "entities, or namespace for a heading",
    "category": "kind, or namespace for a heading",
    "categories": "kinds, or namespace for a heading",
    "type": "kind",
    "score": "confidence",
    "ttl": "expires_at",
    "expiration_date": "expires_at",
    "created_at": "event_time",
    "timestamp": "event_time",
    "top_k": "limit",
    "k": "limit",
    "n": "limit",
    "threshold": "min_fit",
    "min_score": "min_fit",
    "filters": "scopes, kinds, namespace or authors",
}
"""What others call what we have another word for, and where it goes here."""


def refuse_unknown(options: Mapping[str, object], known: frozenset[str], what: str) -> None:
    """Refuse a keyword that is not one of `known`: say what is meant by it here, or which one is nearest."""
    unknown = sorted(options.keys() - known)
    if not unknown:
        return
    name = unknown[0]
    near = get_close_matches(name, sorted(known), n=1, cutoff=0.7)
    meant = MEANT.get(name) or (near[0] if near else None)
    first = f"Say {meant}." if meant is not None else "There is nothing near to it."
    raise Malformed(name, f"a field of {what}, and there is none of that name", hint=f"{first} {listed(known)}")


def listed(known: frozenset[str]) -> str:
    return f"The fields are: {', '.join(sorted(known))}."


def _nature(given: _Given) -> Nature:
    return Nature(
        kind=given.word("kind", Kind, Kind.OBSERVATION),
        memory_type=given.word("memory_type", MemoryType, MemoryType.SEMANTIC),
        memory_class=given.word("memory_class", MemoryClass, MemoryClass.LONG_TERM),
    )


def _intent(given: _Given) -> Intent:
    return Intent(purpose=given.text("purpose"), question=given.text("question"))


def _origin(given: _Given) -> Origin:
    sort = given.text("source_type")
    return Origin(
        source=given.text("source"),
        source_type=None if sort is None else read_source_type("source_type", sort),
        external_id=given.text("external_id"),
        triggered_by=given.text("triggered_by"),
    )


def _belief(given: _Given) -> Belief:
    return Belief(
        score=given.number("confidence", 0.5),
        unstated=not given.has("confidence"),
        reasoning=given.text("reasoning"),
        evidence=given.texts("evidence"),
        assumptions=given.texts("assumptions"),
        hedged=given.flag("hedged"),
    )


def _times(given: _Given) -> Times:
    return Times(
        event_time=given.instant("event_time"),
        valid_from=given.instant("valid_from"),
        valid_until=given.instant("valid_until"),
        expires_at=given.instant("expires_at"),
    )


def _lineage(given: _Given) -> Lineage:
    return Lineage(
        derived_from=given.texts("derived_from"),
        supersedes=given.text("supersedes"),
        parent=given.text("parent"),
        relations=_relations(given.raw("relations")),
        entities=given.texts("entities"),
    )


def _handling(given: _Given) -> Handling:
    sensitivity = given.word("sensitivity", Sensitivity, Sensitivity.INTERNAL)
    return Handling(sensitivity=sensitivity, owner=given.text("owner"), next_review_at=given.instant("next_review_at"))


def _strength(given: _Given) -> Strength:
    half_life = given.number("half_life_hours", 0.0) if given.has("half_life_hours") else None
    return Strength(
        importance=given.number("importance", 0.5), half_life_hours=half_life, anchored=given.flag("anchored")
    )


_CHARTER = frozenset(
    {"lawful_basis", "access", "erasure", "retention_days", "source_quality", "reviewer", "barred_scopes"}
)


def _charter(given: _Given) -> Charter | None:
    if not any(given.has(name) for name in _CHARTER):
        return None
    days = given.raw("retention_days")
    if days is not None and (isinstance(days, bool) or not isinstance(days, int)):
        raise Malformed("retention_days", "a whole number of days")
    return Charter(
        lawful_basis=given.text("lawful_basis"),
        access=given.texts("access"),
        erasure=given.text("erasure"),
        retention_days=days,
        source_quality=given.text("source_quality"),
        reviewer=given.text("reviewer"),
        barred=tuple(
            checks.read_word(f"barred_scopes[{number}]", word, Scope)
            for number, word in enumerate(given.texts("barred_scopes"))
        ),
    )


class _Given:
    """What was said, read one field at a time; a field of the wrong shape is refused by its name."""

    def __init__(self, said: dict[str, object]) -> None:
        self._said = said

    def has(self, name: str) -> bool:
        return name in self._said

    def raw(self, name: str) -> object:
        return self._said.get(name)

    def text(self, name: str) -> str | None:
        value = self._said.get(name)
        if value is not None and not isinstance(value, str):
            raise Malformed(name, "text")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        value = self._said.get(name, ())
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise Malformed(name, "a list of texts")
        return tuple(value)

    def number(self, name: str, default: float) -> float:
        value = self._said.get(name, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise Malformed(name, "a number")
        return value

    def flag(self, name: str) -> bool:
        value = self._said.get(name, False)
        if not isinstance(value, bool):
            raise Malformed(name, "true or false")
        return value

    def word(self, name: str, vocabulary: type[checks._E], default: checks._E) -> checks._E:
        text = self.text(name)
        return default if text is None else checks.read_word(name, text, vocabulary)

    def instant(self, name: str) -> Instant | None:
        return read_instant(name, self._said.get(name))


_MAKERS: dict[str, tuple[frozenset[str], Callable[[_Given], Value]]] = {
    "nature": (frozenset({"kind", "memory_type", "memory_class"}), _nature),
    "intent": (frozenset({"purpose", "question"}), _intent),
    "origin": (frozenset({"source", "source_type", "external_id", "triggered_by"}), _origin),
    "belief": (frozenset({"confidence", "reasoning", "evidence", "assumptions", "hedged"}), _belief),
    "times": (frozenset({"event_time", "valid_from", "valid_until", "expires_at"}), _times),
    "lineage": (frozenset({"derived_from", "supersedes", "parent", "relations", "entities"}), _lineage),
    "handling": (frozenset({"sensitivity", "owner", "next_review_at"}), _handling),
    "strength": (frozenset({"importance", "half_life_hours", "anchored"}), _strength),
}
"""Which words make which part of a claim; a part of which nothing is said is the default one."""


def read_instant(name: str, value: object) -> Instant | None:
    """Read a time given as ISO text, as a datetime that knows its zone, or as microseconds of UTC."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        checks.instant(name, value)
        return None if value is None else Instant(value)
    if isinstance(value, datetime):
        return times.from_datetime(value, field=name)
    if isinstance(value, str):
        return times.parse(value, field=name)
    raise Malformed(name, "an instant as ISO text or a datetime")


def _place(given: _Given, actor: Actor) -> Place:
    user = _user(given, actor)
    scope = given.word("scope", Scope, Scope.PROJECT if user is None else Scope.USER)
    if user is not None and (scope is not Scope.USER or given.text("scope_id") not in (None, user)):
        hint = "Leave out scope and scope_id, or write as somebody who acts for no user."
        raise Malformed("scope", "nothing else where a user is named: it is that user's memory", hint=hint)
    session = given.text("session_id")
    if session is None:
        session = next((one for one in actor.sessions if one != _ANY), None)
    implied = {
        Scope.PROJECT: DEFAULT_SCOPE_ID,
        Scope.SESSION: session,
        Scope.AGENT_REPO: actor.id,
        Scope.AGENT_TEAM: actor.teams[0] if len(actor.teams) == 1 else None,
        Scope.USER: user,
    }.get(scope)
    scope_id, namespace = given.text("scope_id"), given.text("namespace")
    if scope_id is None:
        scope_id = implied
    if scope_id is None:
        raise Malformed("scope_id", f"the id of the {scope} it belongs to")
    return Place(
        scope=scope,
        scope_id=scope_id,
        namespace="/" if namespace is None else namespace,
        session_id=session,
        workflow_id=given.text("workflow_id"),
        task_id=given.text("task_id"),
    )


def _user(given: _Given, actor: Actor) -> str | None:
    """The id of the user it is kept for: the one who is named, else the one the actor acts for."""
    name = given.text("user")
    named = None if name is None else user_id(name)
    if named is not None and actor.user not in (None, named):
        raise Malformed("user", "the user the memory was opened for", hint="Ask `for_user` for another user's memory.")
    return actor.user if named is None else named


def _slot(given: _Given) -> Slot | None:
    names = [name for name in ("subject", "key", "value") if given.has(name)]
    if not names:
        return None
    missing = {"subject", "key", "value"} - set(names)
    if missing:
        raise Malformed(min(missing), "given together with the others of subject, key and value")
    return Slot(subject=given.text("subject") or "", key=given.text("key") or "", value=given.text("value") or "")


def _relations(value: object) -> tuple[Relation, ...]:
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise Malformed("relations", "a list of (type, record id) pairs")
    found = []
    for number, pair in enumerate(value):
        shaped = not isinstance(pair, str) and isinstance(pair, Sequence) and len(pair) == 2
        if not shaped or not all(isinstance(part, str) for part in pair):
            raise Malformed(f"relations[{number}]", "a pair of a relation type and a record id")
        found.append(Relation(type=checks.read_word(f"relations[{number}]", pair[0], RelationType), target=pair[1]))
    return tuple(found)


_PARTS = ("nature", "place", "intent", "origin", "belief", "times", "lineage", "handling", "strength")
_SPOKEN = {"score": "confidence", "unstated": "confidence"}


def revise_claim(present: Claim, content: str, actor: Actor, options: ClaimOptions) -> Claim:
    """The present claim with new content and whatever else is said; what is not said is taken over.

    Not taken over: what the old revision superseded, which is done with, and the date of its next review, which the
    policy sets anew. Of a slot one part may be said; a new scope without its id gets the id it implies.
    """
    said = make_claim(content, actor, _whole_slot(options, present.slot))
    names = {name for name, value in options.items() if value is not None}
    if names & {"scope", "user"}:
        names |= {"scope", "scope_id"}
    parts: dict[str, Value] = {}
    for part in _PARTS:
        new, old = getattr(said, part), getattr(present, part)
        fields = {name: getattr(new, name) for name in new.__struct_fields__ if _SPOKEN.get(name, name) in names}
        parts[part] = msgspec.structs.replace(old, **fields)
    lineage = msgspec.structs.replace(parts["lineage"], supersedes=said.lineage.supersedes)
    handling = msgspec.structs.replace(parts["handling"], next_review_at=said.handling.next_review_at)
    kept = {**parts, "lineage": lineage, "handling": handling}
    return msgspec.structs.replace(
        present, content=content, slot=said.slot or present.slot, charter=said.charter or present.charter, **kept
    )


def _whole_slot(options: ClaimOptions, slot: Slot | None) -> ClaimOptions:
    """The options with what is not said of the slot filled in from the present one."""
    spoken = [name for name in ("subject", "key", "value") if options.get(name) is not None]
    if slot is None or not spoken:
        return options
    filled: ClaimOptions = {"subject": slot.subject, "key": slot.key, "value": slot.value}
    return {**filled, **{name: value for name, value in options.items() if value is not None}}  # type: ignore[typeddict-item]  # names are those of the options
