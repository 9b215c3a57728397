"""From a bundle to memories: every resource one memory, nothing of the document lost."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from muniment.contracts import codec
from muniment.contracts.finding import Severity
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.omir import texts
from muniment.contracts.omir.dialect import DIALECTS, SLOT
from muniment.contracts.omir.fields import carried_id, name_id, refs
from muniment.contracts.omir.reading import LIMITS
from muniment.contracts.omir.terms import (
    DRAFT,
    DRAFT_ENVELOPE,
    DRAFT_URL,
    ENVELOPE,
    MATURITY,
    MEMORY_URL,
    NAME_URL,
    RAW,
    RELEASE,
    Resource,
)
from muniment.contracts.omir.told import pack, told_of
from muniment.contracts.omir.validate import findings
from muniment.contracts.omir.wire import DOCUMENTS, FamiliaritySketch
from muniment.contracts.shape import flaws
from muniment.contracts.strict.reader import read_json
from muniment.contracts.strict.values import Json, JsonObject, same
from muniment.model.claim import Extension
from muniment.model.decoding import json_decoder
from muniment.model.errors import Malformed


@dataclass(frozen=True, slots=True)
class DecodedBundle:
    """The memories of a bundle, and its envelope: every field but the type, the release and the entries."""

    memories: tuple[InterchangeRecord, ...]
    envelope: JsonObject


class _Around(NamedTuple):
    """What a resource has to know of its bundle."""

    names: Mapping[str, str]
    envelope: JsonObject


class _Entries(msgspec.Struct):
    entry: list[msgspec.Raw]


class _Extended(msgspec.Struct):
    extension: msgspec.Raw | UnsetType = UNSET


_entries = json_decoder(_Entries)
_extended = json_decoder(_Extended)


def decode_bundle(data: bytes) -> DecodedBundle:
    """Read a bundle. Raises `Unreadable` for what is no JSON, and `Malformed` for the first thing that is wrong."""
    bundle = read_json(data, limits=LIMITS)
    for finding in findings(data):
        if finding.severity is Severity.ERROR:
            raise Malformed(finding.path, _expected(finding.message))
    assert isinstance(bundle, dict), "checked"
    entries = [entry for entry in _listed(bundle.get("entry")) if isinstance(entry, dict)]
    envelope = {key: value for key, value in bundle.items() if key not in ("resourceType", "omirVersion", "entry")}
    names = {str(entry["id"]): str(entry["name"]) for entry in entries if entry["resourceType"] == Resource.ENTITY}
    made = _made(entries, envelope)
    memories = [
        _memory(entry, text, _Around(names, envelope), f"/entry/{number}")
        for number, (entry, text) in enumerate(zip(entries, _texts(data, entries), strict=True))
        if not (entry["resourceType"] == Resource.ENTITY and entry["id"] in made)
    ]
    return DecodedBundle(memories=tuple(memories), envelope=envelope)


def _expected(message: str) -> str:
    """What a finding says, as the end of a sentence that begins with what was expected."""
    return message.removeprefix("expected ") if message.startswith("expected ") else f"a valid bundle: {message}"


def carry_envelope(bundle: DecodedBundle) -> tuple[InterchangeRecord, ...]:
    """The memories of a bundle, the first of them with the envelope, if it says anything."""
    if not bundle.memories or not bundle.envelope:
        return bundle.memories
    body = json.dumps({"entries": len(bundle.memories), "envelope": bundle.envelope}, ensure_ascii=False)
    first, *others = bundle.memories
    extension = Extension(name=ENVELOPE, body=body.replace("\x7f", "\\u007f"))
    return (_extended_by(first, (extension,)), *others)


def name_entity(name: str, source: Json) -> JsonObject:
    """The Entity that we make of a name that a memory of ours bears."""
    meta: JsonObject = {"omirVersion": RELEASE, "maturity": MATURITY[Resource.ENTITY]}
    if source is not None:
        meta["source"] = source
    mark: JsonObject = {"url": NAME_URL, "valueBoolean": True}
    return {
        "resourceType": Resource.ENTITY.value,
        "id": name_id(name),
        "meta": meta,
        "name": name,
        "extension": [mark],
    }


def _made(entries: Sequence[JsonObject], envelope: JsonObject) -> frozenset[str]:
    """The ids of entities that are only names of our own making: the writer makes them again."""
    own = {
        str(entry["id"])
        for entry in entries
        if "extension" in entry
        and entry["resourceType"] == Resource.ENTITY
        and same(entry, name_entity(str(entry["name"]), envelope.get("source")))
    }
    if not own:
        return frozenset()
    return frozenset(own & {ref.partition("/")[2] for entry in entries for ref in refs(entry)})


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _texts(data: bytes, entries: Sequence[JsonObject]) -> list[str | None]:
    """The text of each entry's extensions, as it stands in the document."""
    if not any("extension" in entry for entry in entries):
        return [None] * len(entries)
    found: list[str | None] = []
    for raw, entry in zip(_entries.decode(data).entry, entries, strict=True):
        part = _extended.decode(raw).extension if "extension" in entry else UNSET
        found.append(None if isinstance(part, UnsetType) else bytes(part).decode())
    return found


def _memory(entry: JsonObject, text: str | None, around: _Around, path: str) -> InterchangeRecord:
    kind = Resource(str(entry["resourceType"]))
    document, native = dict(entry), True
    if text is not None:
        del document["extension"]
        text = _put_back(document, kind, text, around.envelope)
    if text is not None:
        text, native = _open_slot(document, text)
    if not native:
        _unstamp(document, around.envelope)
    told = told_of(kind, document, around.names) if native else None
    parents = {carried_id(Resource.MEMORY, str(document["parentId"]))} if "parentId" in document else frozenset[str]()
    memory = codec.decode(DIALECTS[kind](around.names, parents, told), document, path=path)
    kept = texts.keep(RAW, text) if text is not None else ()
    return _extended_by(memory, kept if told is None else (*kept, pack(told)))


def _extended_by(memory: InterchangeRecord, extensions: tuple[Extension, ...]) -> InterchangeRecord:
    if not extensions:
        return memory
    claim = msgspec.structs.replace(memory.claim, extensions=(*memory.claim.extensions, *extensions))
    return msgspec.structs.replace(memory, claim=claim)


def _open_slot(document: JsonObject, text: str) -> tuple[str | None, bool]:
    """Take our own words out of the extensions. Says whether the memory was native here, or born elsewhere."""
    rest, value = texts.take(text, MEMORY_URL)
    if value is None:
        return text, True
    words = value.get("memory")
    if words != {}:
        document[SLOT] = words
    return rest, value.get("native") is True


def _put_back(document: JsonObject, kind: Resource, text: str, envelope: JsonObject) -> str | None:
    """Put draft fields that travelled in our extension back into their places, if they are what they should be."""
    rest, value = texts.take(text, DRAFT_URL)
    fields, sketch = (value.get("fields"), value.get(DRAFT_ENVELOPE)) if value is not None else (None, None)
    if not isinstance(fields, dict):
        return text
    back = {key: fields[key] for key in DRAFT[kind] if key in fields and key not in document}
    whole = {**document, **back}
    if len(back) != len(fields) or flaws(whole, DOCUMENTS[kind]):
        return text
    if sketch is not None and (DRAFT_ENVELOPE in envelope or flaws(sketch, FamiliaritySketch)):
        return text
    if sketch is not None:
        envelope[DRAFT_ENVELOPE] = sketch
    document.update(back)
    return rest


def _unstamp(document: JsonObject, envelope: JsonObject) -> None:
    """Take off the name of the producer where it says no more than the envelope does."""
    meta = document.get("meta")
    if isinstance(meta, dict) and "source" in meta and same(meta["source"], envelope.get("source")):
        document["meta"] = {key: value for key, value in meta.items() if key != "source"}
