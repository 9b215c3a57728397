"""A memory unit and a memory of ours, each made of the other: the plain part, before any residue."""

from __future__ import annotations

from functools import lru_cache

from muniment.contracts.akashik.tables import KIND_OF, STATUS_OF, TOLD_AS, TYPE_OF
from muniment.contracts.akashik.words import LinkType, Mode, UnitStatus
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.names import safe_id, safe_text
from muniment.contracts.strict.instants import instant_of
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model import checks, times
from muniment.model.claim import Belief, Claim, Intent, Lineage, Nature, Place, Relation
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment.model.vocabulary import Kind, RelationType, Scope

NOT_STATED = "not stated"
"""Stands where the protocol demands words and the memory has none; it is read as none."""
UNKNOWN = "unknown"
NO_TIME = "1970-01-01T00:00:00Z"
DERIVED, PART = "derived from", "part of"
"""How a `depends_on` says that it is lineage: what a unit was made of, and what it belongs to."""

_PLAIN_LENGTH = checks.TEXT_BYTES_MAX // 4
_NATURES: dict[str, Nature] = {word.value: Nature(kind=kind) for word, kind in KIND_OF.items()}
_STATUSES: dict[str, Status] = {word.value: status for word, status in STATUS_OF.items()}
_LINKS: dict[str, RelationType] = {word.value: word for word in RelationType}
_TYPES: dict[Kind, str] = {kind: word.value for kind, word in TYPE_OF.items()}
_TOLD: dict[Status, str] = {status: word.value for status, word in TOLD_AS.items()}
_SUPERSEDES, _DEPENDS_ON = LinkType.SUPERSEDES.value, LinkType.DEPENDS_ON.value
_DRAFT, _COMMITTED = Mode.DRAFT.value, Mode.COMMITTED.value
_ANYWHERE, _ALONE = Place(), Lineage()
_instant = lru_cache(maxsize=4_096)(instant_of)
_spelled = lru_cache(maxsize=4_096)(times.show)


class UnitCodec:
    """The dialect of memory units. They are closed, so there is no slot for words of ours."""

    @property
    def name(self) -> str:
        return "akashik"

    def read(self, document: JsonObject) -> InterchangeRecord:
        source, epoch = _part(document, "source"), document["epoch"]
        actor, role, stamp = source["agent_id"], source["agent_role"], source["timestamp"]
        assert isinstance(epoch, (int, float)), "the shape was checked"
        assert isinstance(stamp, str), "the shape was checked"
        return InterchangeRecord(
            id=safe_id(str(document["id"])),
            claim=_claim(document, source),
            epoch=int(epoch),
            status=_STATUSES[str(document["status"])],
            actor=safe_id(str(actor)) if actor != UNKNOWN else None,
            role=_clean(str(role)) if role != NOT_STATED else None,
            created_at=_instant(stamp) if stamp != NO_TIME else None,
        )

    def write(self, memory: InterchangeRecord) -> JsonObject:
        claim = memory.claim
        document: JsonObject = {
            "id": memory.id,
            "mode": _DRAFT if _TOLD[memory.status] == UnitStatus.DRAFT else _COMMITTED,
            "type": _TYPES[claim.nature.kind],
            "content": claim.content,
            "intent": _intent(claim),
            "confidence": confidence_of(claim.belief),
            "source": {
                "agent_id": memory.actor or UNKNOWN,
                "agent_role": memory.role or NOT_STATED,
                "session_id": claim.place.session_id,
                "timestamp": _stamp(memory),
            },
            "status": _TOLD[memory.status],
            "epoch": memory.epoch,
        }
        if links := relations_of(claim.lineage):
            document["relations"] = links
        return document

    def put_slot(self, document: JsonObject, words: Json) -> JsonObject | None:
        return None

    def take_slot(self, document: JsonObject) -> tuple[JsonObject, Json]:
        return document, None


def _claim(document: JsonObject, source: JsonObject) -> Claim:
    intent = _part(document, "intent")
    session, task = _text(source, "session_id"), _text(intent, "task_id")
    purpose, question = _text(intent, "purpose"), _text(intent, "question")
    return Claim(
        content=safe_text(str(document["content"]), limit=checks.CONTENT_BYTES_MAX),
        nature=_NATURES[str(document["type"])],
        place=place_of(safe_id(session) if session is not None else None, safe_id(task) if task is not None else None),
        intent=Intent(
            purpose=_clean(purpose) if purpose is not None and purpose != NOT_STATED else None,
            question=_clean(question) if question is not None else None,
        ),
        belief=_belief(_part(document, "confidence")),
        lineage=_lineage(document.get("relations")),
    )


def place_of(session: str | None, task: str | None) -> Place:
    """What was recorded in a session is that session's; everything else is the project's."""
    if session is None:
        return Place(task_id=task) if task is not None else _ANYWHERE
    return Place(scope=Scope.SESSION, scope_id=session, session_id=session, task_id=task)


def _belief(confidence: JsonObject) -> Belief:
    score, reasoning = confidence.get("score", 0.5), _text(confidence, "reasoning")
    assert isinstance(score, (int, float)), "the shape was checked"
    return Belief(
        score=float(score),
        reasoning=_clean(reasoning) if reasoning is not None and reasoning != NOT_STATED else None,
        evidence=_texts(confidence, "evidence"),
        assumptions=_texts(confidence, "assumptions"),
    )


def _lineage(given: Json) -> Lineage:
    if not isinstance(given, list) or not given:
        return _ALONE
    derived: list[str] = []
    parent, replaced = None, None
    links: list[Relation] = []
    one = [link["type"] for link in given if isinstance(link, dict)].count(_SUPERSEDES) == 1
    for link in given:
        assert isinstance(link, dict), "the shape was checked"
        word, target, said = str(link["type"]), safe_id(str(link["target_id"])), _text(link, "description")
        if word == _DEPENDS_ON and said == DERIVED and len(derived) < checks.LIST_LENGTH_MAX:
            derived.append(target)
        elif word == _DEPENDS_ON and said == PART and parent is None:
            parent = target
        elif word == _SUPERSEDES and said is None and one:
            replaced = target
        elif len(links) < checks.LIST_LENGTH_MAX:
            described = _clean(said) if said is not None else None
            links.append(Relation(type=_LINKS[word], target=target, description=described))
    return Lineage(derived_from=tuple(derived), parent=parent, supersedes=replaced, relations=tuple(links))


def _intent(claim: Claim) -> JsonObject:
    intent: JsonObject = {"purpose": claim.intent.purpose or NOT_STATED}
    if claim.place.task_id is not None:
        intent["task_id"] = claim.place.task_id
    if claim.intent.question is not None:
        intent["question"] = claim.intent.question
    return intent


def confidence_of(belief: Belief) -> JsonObject:
    """How sure a memory is, as the protocol says it."""
    found: JsonObject = {"score": belief.score, "reasoning": belief.reasoning or NOT_STATED}
    if belief.evidence:
        found["evidence"] = list(belief.evidence)
    if belief.assumptions:
        found["assumptions"] = list(belief.assumptions)
    return found


def relations_of(lineage: Lineage) -> list[Json]:
    """Every link of a memory as a relation, those of its lineage first."""
    links: list[Json] = [_link(_DEPENDS_ON, name, DERIVED) for name in lineage.derived_from]
    if lineage.parent is not None:
        links.append(_link(_DEPENDS_ON, lineage.parent, PART))
    if lineage.supersedes is not None:
        links.append(_link(_SUPERSEDES, lineage.supersedes, None))
    links += [_link(one.type.value, one.target, one.description) for one in lineage.relations]
    return links


def _link(word: str, target: str, description: str | None) -> JsonObject:
    link: JsonObject = {"type": word, "target_id": target}
    if description is not None:
        link["description"] = description
    return link


def _stamp(memory: InterchangeRecord) -> str:
    """When it was written down; else the first time that is known of it."""
    claim = memory.claim.times
    known: tuple[Instant | None, ...] = (memory.created_at, memory.updated_at, claim.event_time, claim.valid_from)
    for instant in known:
        if instant is not None:
            return _spelled(instant)
    return NO_TIME


def _clean(text: str) -> str:
    """Text a record can hold. Most are as they are, which is quickly seen."""
    if text.isprintable() and 0 < len(text) <= _PLAIN_LENGTH and not text.isspace():
        return text
    return safe_text(text)


def _part(document: JsonObject, name: str) -> JsonObject:
    found = document.get(name)
    return found if isinstance(found, dict) else {}


def _text(document: JsonObject, name: str) -> str | None:
    found = document.get(name)
    return found if isinstance(found, str) else None


def _texts(document: JsonObject, name: str) -> tuple[str, ...]:
    found = document.get(name)
    if not isinstance(found, list):
        return ()
    return tuple(_clean(str(text)) for text in found[: checks.LIST_LENGTH_MAX])
