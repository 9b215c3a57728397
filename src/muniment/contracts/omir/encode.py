"""From memories to a bundle: the same bytes for the same memories, nothing that points at what is not there, and our
own words only under our own URLs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field

import msgspec

from muniment.contracts import codec
from muniment.contracts.carried import Carried
from muniment.contracts.door import Encoded, Narrowing
from muniment.contracts.omir import texts
from muniment.contracts.omir.decode import name_entity
from muniment.contracts.omir.dialect import DIALECTS, SLOT, name_id, refs
from muniment.contracts.omir.rules import HALF_LIFE
from muniment.contracts.omir.terms import (
    CONTRACT,
    DRAFT,
    DRAFT_ENVELOPE,
    DRAFT_URL,
    MATURITY,
    MEMORY_URL,
    ORDER,
    RELEASE,
    Release,
    Resource,
)
from muniment.contracts.omir.told import Luggage, names, restored, unpack
from muniment.contracts.omir.wire import DOCUMENTS
from muniment.contracts.shape import flaws
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model import times
from muniment.model.errors import CallerError
from muniment.model.times import Instant
from muniment.model.value import Value

_ENVELOPE_ORDER = ("@context", "resourceType", "omirVersion", "id", "generatedAt", "source", DRAFT_ENVELOPE)
_MEASURED = frozenset({"importance", "confidence", "decay", "salience", "mentionCount", "strength"})


class Stamp(Value):
    """Who writes a bundle, such as `muniment/1.0`, and when. A stamped bundle passes the strict level: every entry says
    which release it is of, and its numbers as of when they hold."""

    source: str
    at: Instant | None = None


@dataclass(slots=True)
class _Draft:
    """A resource while it is being written."""

    kind: Resource
    native: bool
    memory: Carried
    document: JsonObject
    text: str | None
    since: Instant | None
    narrowed: list[Narrowing] = field(default_factory=list)

    @property
    def id(self) -> str:
        return str(self.document["id"])


def encode_bundle(
    memories: Sequence[Carried],
    *,
    envelope: JsonObject | None = None,
    release: Release = Release.R1,
    stamp: Stamp | None = None,
) -> Encoded:
    """Write memories as one bundle. Without an envelope it is the one they came in, if these are all that came in it.

    With `Release.R1` the fields of the draft travel in an extension of ours, and are back in their places when we read
    the bundle or write it as `Release.R1X`.
    """
    latest, narrowed = _latest(memories)
    packed = [unpack(memory) for memory in latest]
    cover = dict(envelope) if envelope is not None else _cover(packed)
    if stamp is not None:
        cover = _stamped(cover, stamp)
    drafts = _written(packed, stamp)
    kept = _closed(drafts, narrowed)
    _name_native(kept)
    entries = [_finished(draft, release, cover, stamp) for draft in kept]
    entries += [_ordered(Resource.ENTITY, one) for one in _names(kept, cover)]
    entries.sort(key=lambda entry: (str(entry["resourceType"]), str(entry["id"])))
    if release is Release.R1 and DRAFT_ENVELOPE in cover:
        _hide_sketch(entries, cover)
    for draft in drafts:
        narrowed.extend(draft.narrowed)
    return Encoded(data=_spelled(cover, entries), narrowed=tuple(narrowed))


def _latest(memories: Sequence[Carried]) -> tuple[list[Carried], list[Narrowing]]:
    """One revision of each: a bundle holds an id once. What is left out is told."""
    best: dict[str, Carried] = {}
    narrowed = []
    for memory in memories:
        held = best.get(memory.id)
        if held is None or held.revision < memory.revision:
            best[memory.id] = memory
        if held is not None:
            narrowed.append(Narrowing(id=memory.id, path="/revision", kept=False))
    return list(best.values()), narrowed


def _cover(packed: Sequence[Luggage]) -> JsonObject:
    """The envelope that the memories came in, if they are those that came in it."""
    carriers = [one.envelope for one in packed if one.envelope is not None]
    if len(carriers) != 1:
        return {}
    found = json.loads(carriers[0])
    if not isinstance(found, dict) or found.get("entries") != len(packed):
        return {}
    envelope = found.get("envelope")
    return envelope if isinstance(envelope, dict) else {}


def _stamped(cover: JsonObject, stamp: Stamp) -> JsonObject:
    """The envelope of a bundle that is ours: what it is about stays, who writes it and when is said anew."""
    own: JsonObject = {**cover, "source": stamp.source}
    own.pop("generatedAt", None)
    if stamp.at is not None:
        own["generatedAt"] = times.show(stamp.at)
    return own


def _written(packed: Sequence[Luggage], stamp: Stamp | None) -> list[_Draft]:
    made = {one.memory.id: one.memory.created_at for one in packed}
    now = stamp.at if stamp is not None else None
    memories = [_as_told(one, made.get(one.memory.successor or "") or now) for one in packed]
    records = frozenset(
        memory.id for one, memory in zip(packed, memories, strict=True) if _kind(one) is Resource.MEMORY
    )
    taken: set[tuple[Resource, str]] = set()
    return [_draft(one, memory, records, taken) for one, memory in zip(packed, memories, strict=True)]


def _as_told(one: Luggage, ended: Instant | None) -> Carried:
    return one.memory if one.told is None else restored(one.memory, one.told, ended=ended)


def _kind(one: Luggage) -> Resource:
    return one.told.kind if one.told is not None else Resource.MEMORY


def _draft(one: Luggage, memory: Carried, records: Set[str], taken: set[tuple[Resource, str]]) -> _Draft:
    """A memory as its resource. What was kept of its document goes with it only if it makes a valid one: a claim can be
    proposed with anything in its extensions."""
    kind = _kind(one)
    draft = _plain_draft(one, memory, kind, records)
    if draft is None:
        bare = _bare(one.memory)
        kind = Resource.MEMORY
        draft = _plain_draft(Luggage(memory=bare), bare, kind, records)
        assert draft is not None, "what we write by ourselves is valid"
    if (kind, draft.id) in taken:
        draft.document["id"] = one.memory.id
    taken.add((kind, draft.id))
    return draft


def _plain_draft(one: Luggage, memory: Carried, kind: Resource, records: Set[str]) -> _Draft | None:
    """The resource; None if it would not be valid."""
    native = one.told is not None
    try:
        document, narrowed = codec.encode(DIALECTS[kind](names(memory, one.told), records, one.told), memory)
    except CallerError:
        return None
    words, text = document.pop(SLOT, None), one.text
    listed = {} if text is None else {"extension": json.loads(text)}
    if flaws({**document, **listed}, DOCUMENTS[kind]):
        return None
    if words is not None or not native:
        slot: JsonObject = {"memory": words if words is not None else {}, "rules": HALF_LIFE.id}
        text = texts.append(text, MEMORY_URL, {**slot, "native": True} if native else slot)
    return _Draft(kind, native, memory, document, text, one.memory.created_at, list(narrowed))


def _bare(memory: Carried) -> Carried:
    """A memory without anything that is said to be of an OMIR document."""
    others = tuple(one for one in memory.claim.extensions if one.name.partition(":")[0] != CONTRACT)
    return msgspec.structs.replace(memory, claim=msgspec.structs.replace(memory.claim, extensions=others))


def _closed(drafts: Sequence[_Draft], narrowed: list[Narrowing]) -> list[_Draft]:
    """The resources that can stand, each without references to what is not there. A name is always there: we make an
    entity of it."""
    there = {f"{draft.kind}/{draft.id}" for draft in drafts}
    kept = []
    for draft in drafts:
        known = there | {f"{Resource.ENTITY}/{name_id(name)}" for name in draft.memory.claim.lineage.entities}
        if draft.kind is Resource.RELATIONSHIP and not known.issuperset(refs(draft.document)):
            narrowed.append(Narrowing(id=draft.memory.id, path="/", kept=False))
            continue
        _prune(draft, known)
        kept.append(draft)
    return kept


def _prune(draft: _Draft, known: set[str]) -> None:
    document = draft.document
    parent, episode = document.get("parentId"), document.get("sourceEpisode")
    if parent is not None and f"{Resource.MEMORY}/{parent}" not in known:
        _drop(draft, "parentId", "/claim/lineage/parent")
    if isinstance(episode, dict) and episode["ref"] not in known:
        _drop(draft, "sourceEpisode", "/claim/extensions")
    if isinstance(document.get("entityRefs"), list):
        document["entityRefs"] = _known(draft, document["entityRefs"], known, "/claim/lineage/entities")
    interference = document.get("interference")
    if isinstance(interference, dict) and isinstance(interference.get("competesWith"), list):
        rivals = _known(draft, interference["competesWith"], known, "/claim/extensions")
        document["interference"] = {**interference, "competesWith": rivals}


def _drop(draft: _Draft, name: str, path: str) -> None:
    del draft.document[name]
    draft.narrowed.append(Narrowing(id=draft.memory.id, path=path, kept=False))


def _known(draft: _Draft, given: Json, known: set[str], path: str) -> list[Json]:
    """The references of a list that meet something."""
    assert isinstance(given, list), "asked for a list"
    left: list[Json] = [one for one in given if isinstance(one, dict) and one["ref"] in known]
    if len(left) != len(given):
        draft.narrowed.append(Narrowing(id=draft.memory.id, path=path, kept=False))
    return left


def _name_native(drafts: Iterable[_Draft]) -> None:
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


def _names(drafts: Sequence[_Draft], cover: JsonObject) -> list[JsonObject]:
    """An entity for each name that is referred to and that no entity of the bundle bears."""
    there = {draft.id for draft in drafts if draft.kind is Resource.ENTITY}
    wanted = {ref.partition("/")[2] for draft in drafts for ref in refs(draft.document)} - there
    if not wanted:
        return []
    known = {name_id(name): name for draft in drafts for name in draft.memory.claim.lineage.entities}
    return [name_entity(known[id_], cover.get("source")) for id_ in sorted(wanted)]


def _finished(draft: _Draft, release: Release, cover: JsonObject, stamp: Stamp | None) -> JsonObject:
    document, text = draft.document, draft.text
    if release is Release.R1:
        fields = {key: document.pop(key) for key in DRAFT[draft.kind] if key in document}
        text = texts.append(text, DRAFT_URL, {"fields": fields}) if fields else text
    if not draft.native and "source" in cover:
        document["meta"] = {**_object(document.get("meta")), "source": cover["source"]}
    if stamp is not None:
        document["meta"] = _meta(draft, stamp)
    if text is not None:
        document["extension"] = text
    return _ordered(draft.kind, document)


def _meta(draft: _Draft, stamp: Stamp) -> JsonObject:
    """What a stamped entry says of itself. Numbers without a stamp of their own hold as of when it was made, or else as
    of when we were told."""
    found: JsonObject = {"omirVersion": RELEASE, "maturity": MATURITY[draft.kind]}
    found |= _object(draft.document.get("meta"))
    told = draft.since if draft.since is not None else stamp.at
    made = draft.document.get("createdAt", times.show(told) if told is not None else None)
    if "lastUpdated" not in found and made is not None and not _MEASURED.isdisjoint(draft.document):
        found["lastUpdated"] = made
    return found


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _ordered(kind: Resource, document: JsonObject) -> JsonObject:
    return {key: document[key] for key in ORDER[kind] if key in document}


def _hide_sketch(entries: list[JsonObject], cover: JsonObject) -> None:
    """Let the sketch of the envelope, a field of the draft, travel with the first entry."""
    sketch = cover.pop(DRAFT_ENVELOPE)
    if not entries:
        return
    first = entries[0]
    given = first.get("extension")
    text = given if isinstance(given, str) else json.dumps(given) if given is not None else None
    text, value = texts.take(text, DRAFT_URL) if text is not None else (None, None)
    fields = value["fields"] if value is not None else {}
    first["extension"] = texts.append(text, DRAFT_URL, {"fields": fields, DRAFT_ENVELOPE: sketch})


def _spelled(cover: JsonObject, entries: Sequence[JsonObject]) -> bytes:
    """The text of the bundle, with the text of every list of extensions as it was kept."""
    head: JsonObject = {**cover, "resourceType": "Bundle", "omirVersion": RELEASE}
    spelled: dict[str, object] = {key: head[key] for key in _ENVELOPE_ORDER if key in head}
    spelled["entry"] = [
        {**entry, "extension": msgspec.Raw(given.encode())}
        if isinstance(given := entry.get("extension"), str)
        else entry
        for entry in entries
    ]
    return msgspec.json.encode(spelled)
