"""A bundle closed in itself: references only to what is in it, and an entity for every name that is referred to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field

from muniment.contracts.contract import Narrowing
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.omir.decode import name_entity
from muniment.contracts.omir.fields import name_id, refs
from muniment.contracts.omir.terms import Resource
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.times import Instant


@dataclass(slots=True)
class Draft:
    """A resource while it is being written."""

    kind: Resource
    native: bool
    memory: InterchangeRecord
    document: JsonObject
    text: str | None
    since: Instant | None
    narrowed: list[Narrowing] = field(default_factory=list)

    @property
    def id(self) -> str:
        return str(self.document["id"])

    def pointers(self) -> Iterator[str]:
        """Everything that the resource refers to."""
        yield from refs(self.document)
        if "parentId" in self.document:
            yield f"{Resource.MEMORY}/{self.document['parentId']}"
        rivals = object_of(self.document.get("interference")).get("competesWith")
        for holder in (self.document.get("sourceEpisode"), *(rivals if isinstance(rivals, list) else ())):
            if isinstance(holder, dict):
                yield str(holder["ref"])


def closed(drafts: Sequence[Draft], narrowed: list[Narrowing]) -> list[Draft]:
    """The resources that can stand, each without references to what is not there. A name is always there: we make an
    entity of it."""
    there = {f"{draft.kind}/{draft.id}" for draft in drafts}
    kept = []
    for draft in drafts:
        loose = [ref for ref in draft.pointers() if ref not in there]
        if loose:
            there_too = {f"{Resource.ENTITY}/{name_id(name)}" for name in draft.memory.claim.lineage.entities}
            gone = {ref for ref in loose if ref not in there_too}
            if draft.kind is Resource.RELATIONSHIP and not gone.isdisjoint(refs(draft.document)):
                narrowed.append(Narrowing(id=draft.memory.id, path="/", kept=False))
                continue
            _prune(draft, gone)
        kept.append(draft)
    return kept


def _prune(draft: Draft, gone: Set[str]) -> None:
    """Take out references to what is not there."""
    document = draft.document
    parent, episode = document.get("parentId"), object_of(document.get("sourceEpisode"))
    if f"{Resource.MEMORY}/{parent}" in gone:
        _drop(draft, "parentId", "/claim/lineage/parent")
    if episode.get("ref") in gone:
        _drop(draft, "sourceEpisode", "/claim/extensions")
    if isinstance(document.get("entityRefs"), list):
        document["entityRefs"] = _left(draft, document["entityRefs"], gone, "/claim/lineage/entities")
    interference = object_of(document.get("interference"))
    if isinstance(interference.get("competesWith"), list):
        rivals = _left(draft, interference["competesWith"], gone, "/claim/extensions")
        document["interference"] = {**interference, "competesWith": rivals}


def _drop(draft: Draft, name: str, path: str) -> None:
    del draft.document[name]
    draft.narrowed.append(Narrowing(id=draft.memory.id, path=path, kept=False))


def _left(draft: Draft, given: Json, gone: Set[str], path: str) -> list[Json]:
    """The references of a list that meet something."""
    assert isinstance(given, list), "asked for a list"
    left: list[Json] = [one for one in given if object_of(one).get("ref") not in gone]
    if len(left) != len(given):
        draft.narrowed.append(Narrowing(id=draft.memory.id, path=path, kept=False))
    return left


def name_native(drafts: Iterable[Draft]) -> None:
    """Let the names of our own memories point at the entities of the bundle that bear them."""
    bearers: dict[str, str] = {}
    for draft in drafts:
        if draft.kind is Resource.ENTITY and draft.memory.claim.lineage.entities:
            name = draft.memory.claim.lineage.entities[0]
            bearers[name] = min(draft.id, bearers.get(name, draft.id))
    if not bearers:
        return
    moved: JsonObject = {
        f"{Resource.ENTITY}/{name_id(name)}": f"{Resource.ENTITY}/{id_}" for name, id_ in bearers.items()
    }
    for draft in drafts:
        given = draft.document.get("entityRefs")
        if not draft.native and isinstance(given, list):
            draft.document["entityRefs"] = [
                {"ref": moved.get(str(one["ref"]), one["ref"])} for one in given if isinstance(one, dict)
            ]


def named_entities(drafts: Sequence[Draft], cover: JsonObject) -> list[JsonObject]:
    """An entity for each name that is referred to and that no entity of the bundle bears."""
    there = {draft.id for draft in drafts if draft.kind is Resource.ENTITY}
    wanted = {ref.partition("/")[2] for draft in drafts for ref in refs(draft.document)} - there
    if not wanted:
        return []
    known = {name_id(name): name for draft in drafts for name in draft.memory.claim.lineage.entities}
    return [name_entity(known[id_], cover.get("source")) for id_ in sorted(wanted)]


def object_of(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}
