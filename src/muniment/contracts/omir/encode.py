"""From memories to a bundle: the same bytes for the same memories, nothing that points at what is not there, and our
own words only under our own URLs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set

import msgspec

from muniment.contracts import codec
from muniment.contracts.contract import Encoded, Narrowing
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.omir import texts
from muniment.contracts.omir.closing import Draft, closed, name_native, named_entities, object_of
from muniment.contracts.omir.dialect import DIALECTS, SLOT
from muniment.contracts.omir.rules import HALF_LIFE_RULES
from muniment.contracts.omir.terms import (
    CONTRACT,
    DRAFT,
    DRAFT_ENVELOPE,
    DRAFT_URL,
    MATURITY,
    MEMORY_URL,
    ORDER,
    RELEASE,
    OmirVersion,
    Resource,
)
from muniment.contracts.omir.told import OmirExtras, names, restored, unpack
from muniment.contracts.omir.wire import DOCUMENTS, MetaBlock
from muniment.contracts.shape import flaws
from muniment.contracts.strict.values import JsonObject
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


def encode_bundle(
    memories: Sequence[InterchangeRecord],
    *,
    envelope: JsonObject | None = None,
    release: OmirVersion = OmirVersion.R1,
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
    kept = closed(drafts, narrowed)
    name_native(kept)
    entries = [_finished(draft, release, cover, stamp) for draft in kept]
    entries += [_ordered(Resource.ENTITY, one) for one in named_entities(kept, cover)]
    entries.sort(key=lambda entry: (str(entry["resourceType"]), str(entry["id"])))
    if release is OmirVersion.R1 and DRAFT_ENVELOPE in cover:
        _hide_sketch(entries, cover)
    for draft in drafts:
        narrowed.extend(draft.narrowed)
    return Encoded(data=_spelled(cover, entries), narrowed=tuple(narrowed))


def _latest(memories: Sequence[InterchangeRecord]) -> tuple[list[InterchangeRecord], list[Narrowing]]:
    """One revision of each: a bundle holds an id once. What is left out is told."""
    best: dict[str, InterchangeRecord] = {}
    narrowed = []
    for memory in memories:
        held = best.get(memory.id)
        if held is None or held.revision < memory.revision:
            best[memory.id] = memory
        if held is not None:
            narrowed.append(Narrowing(id=memory.id, path="/revision", kept=False))
    return list(best.values()), narrowed


def _cover(packed: Sequence[OmirExtras]) -> JsonObject:
    """The envelope that the memories came in, if they are those that came in it."""
    carriers = [one.envelope for one in packed if one.envelope is not None]
    if len(carriers) != 1:
        return {}
    found = json.loads(carriers[0])
    if not isinstance(found, dict) or found.get("entries") != len(packed):
        return {}
    envelope = object_of(found.get("envelope"))
    whole = {**envelope, "resourceType": "Bundle", "omirVersion": RELEASE, "entry": []}
    return {} if flaws(whole, DOCUMENTS["Bundle"]) else envelope


def _stamped(cover: JsonObject, stamp: Stamp) -> JsonObject:
    """The envelope of a bundle that is ours: what it is about stays, who writes it and when is said anew."""
    own: JsonObject = {**cover, "source": stamp.source}
    own.pop("generatedAt", None)
    if stamp.at is not None:
        own["generatedAt"] = times.show(stamp.at)
    return own


def _written(packed: Sequence[OmirExtras], stamp: Stamp | None) -> list[Draft]:
    made = {one.memory.id: one.memory.created_at for one in packed}
    now = stamp.at if stamp is not None else None
    memories = [_as_told(one, made.get(one.memory.successor or "") or now) for one in packed]
    pairs = list(zip(packed, memories, strict=True))
    parents = {memory.id: memory.claim.lineage.parent for one, memory in pairs if _kind(one) is Resource.MEMORY}
    circling = _circling(parents)
    taken: set[tuple[Resource, str]] = set()
    return [_draft(one, memory, set() if memory.id in circling else parents.keys(), taken) for one, memory in pairs]


def _circling(parents: Mapping[str, str | None]) -> set[str]:
    """The ids of records that are their own ancestors: they cannot name their parents."""
    found: set[str] = set()
    settled: set[str] = set()
    for start in parents:
        way: dict[str, None] = {}
        here: str | None = start
        while here is not None and here in parents and here not in way and here not in settled:
            way[here] = None
            here = parents[here]
        if here is not None and here in way:
            steps = list(way)
            found.update(steps[steps.index(here) :])
        settled.update(way)
    return found


def _as_told(one: OmirExtras, ended: Instant | None) -> InterchangeRecord:
    return one.memory if one.told is None else restored(one.memory, one.told, ended=ended)


def _kind(one: OmirExtras) -> Resource:
    return one.told.kind if one.told is not None else Resource.MEMORY


def _draft(one: OmirExtras, memory: InterchangeRecord, parents: Set[str], taken: set[tuple[Resource, str]]) -> Draft:
    """A memory as its resource. What was kept of its document goes with it only if it makes a valid one: a claim can be
    proposed with anything in its extensions."""
    kind = _kind(one)
    draft = _plain_draft(one, memory, kind, parents)
    if draft is None:
        bare = _bare(one.memory)
        kind = Resource.MEMORY
        draft = _plain_draft(OmirExtras(memory=bare), bare, kind, parents)
        assert draft is not None, "what we write by ourselves is valid"
    if (kind, draft.id) in taken:
        draft.document["id"] = one.memory.id
    taken.add((kind, draft.id))
    return draft


def _plain_draft(one: OmirExtras, memory: InterchangeRecord, kind: Resource, parents: Set[str]) -> Draft | None:
    """The resource; None if it would not be valid."""
    native = one.told is not None
    try:
        dialect = DIALECTS[kind](names(memory, one.told), parents, one.told, wary=_doubtful(one))
        document, narrowed = codec.encode(dialect, memory)
    except CallerError:
        return None
    words, text = document.pop(SLOT, None), one.text
    if text is not None and flaws({**document, "extension": json.loads(text)}, DOCUMENTS[kind]):
        return None
    if words is not None or not native:
        slot: JsonObject = {"memory": words if words is not None else {}, "rules": HALF_LIFE_RULES}
        text = texts.append(text, MEMORY_URL, {**slot, "native": True} if native else slot)
    return Draft(kind, native, memory, document, text, one.memory.created_at, list(narrowed))


def _doubtful(one: OmirExtras) -> bool:
    """Whether the document will say anything that was not checked as a field of a memory."""
    meta = one.told.said if one.told is not None else {}
    kept = any(extension.name.partition(":")[0] == CONTRACT for extension in one.memory.claim.extensions)
    return kept or bool(flaws(meta, MetaBlock))


def _bare(memory: InterchangeRecord) -> InterchangeRecord:
    """A memory without anything that is said to be of an OMIR document."""
    others = tuple(one for one in memory.claim.extensions if one.name.partition(":")[0] != CONTRACT)
    return msgspec.structs.replace(memory, claim=msgspec.structs.replace(memory.claim, extensions=others))


def _finished(draft: Draft, release: OmirVersion, cover: JsonObject, stamp: Stamp | None) -> JsonObject:
    document, text = draft.document, draft.text
    if release is OmirVersion.R1:
        fields = {key: document.pop(key) for key in DRAFT[draft.kind] if key in document}
        text = texts.append(text, DRAFT_URL, {"fields": fields}) if fields else text
    if not draft.native and "source" in cover:
        document["meta"] = {**object_of(document.get("meta")), "source": cover["source"]}
    if stamp is not None:
        document["meta"] = _meta(draft, stamp)
    if text is not None:
        document["extension"] = text
    return _ordered(draft.kind, document)


def _meta(draft: Draft, stamp: Stamp) -> JsonObject:
    """What a stamped entry says of itself. Numbers without a stamp of their own hold as of when it was made, or else as
    of when we were told."""
    found: JsonObject = {"omirVersion": RELEASE, "maturity": MATURITY[draft.kind]}
    found |= object_of(draft.document.get("meta"))
    told = draft.since if draft.since is not None else stamp.at
    made = draft.document.get("createdAt", times.show(told) if told is not None else None)
    if "lastUpdated" not in found and made is not None and not _MEASURED.isdisjoint(draft.document):
        found["lastUpdated"] = made
    return found


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
