"""What a memory was in the OMIR document it was read from, kept in its claim, so that it goes out again as that."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.names import safe_text
from muniment.contracts.omir.fields import carried_id, instant_at, name_id, refs
from muniment.contracts.omir.terms import CONTRACT, ENVELOPE, RAW, TOLD, Resource
from muniment.contracts.omir.texts import kept
from muniment.contracts.strict.values import JsonObject
from muniment.model import checks
from muniment.model.claim import Extension
from muniment.model.decoding import json_decoder
from muniment.model.errors import CallerError
from muniment.model.status import CURRENT
from muniment.model.times import Instant
from muniment.model.value import Value

_OURS = f"{CONTRACT}."


class OmirNotice(Value):
    """The resource that a native memory was, beside what its fields say: its type and id, the ids and names of the
    entities it referred to, in order, what it said of itself, when it had last been used, and whether it did not say
    when it was made."""

    kind: Resource
    id: str
    refs: tuple[tuple[str, str], ...] = ()
    meta: dict[str, str | int | float | list[str]] | None = None
    last_access: Instant | None = None
    undated: bool = False

    def __post_init__(self) -> None:
        checks.identifier("id", self.id)
        for id_, _ in self.refs:
            checks.identifier("refs", id_)
        checks.instant("last_access", self.last_access)

    @property
    def said(self) -> JsonObject:
        """What the resource said of itself."""
        meta = self.meta if self.meta is not None else {}
        return {key: [*value] if isinstance(value, list) else value for key, value in meta.items()}


class OmirExtras(Value):
    """A memory without what only OMIR has to do with, and that: what was told, the text of its extensions, and the
    envelope, if it is the one that carries it."""

    memory: InterchangeRecord
    told: OmirNotice | None = None
    text: str | None = None
    envelope: str | None = None


def told_of(kind: Resource, document: JsonObject, names: Mapping[str, str]) -> OmirNotice:
    """What a resource was, beside what its fields say of the memory it becomes."""
    ids = [ref.partition("/")[2] for ref in refs(document)][: checks.LIST_LENGTH_MAX]
    meta = document.get("meta")
    return OmirNotice(
        kind=kind,
        id=str(document["id"]),
        refs=tuple((id_, safe_text(names.get(id_, id_))) for id_ in ids),
        meta=_without_stamp(meta) if isinstance(meta, dict) else None,
        last_access=instant_at(document.get("decay"), "lastAccess"),
        undated="createdAt" not in document,
    )


def _without_stamp(meta: JsonObject) -> dict[str, str | int | float | list[str]]:
    return {
        key: [str(one) for one in value] if isinstance(value, list) else value
        for key, value in meta.items()
        if key != "lastUpdated" and value is not None and not isinstance(value, dict)
    }


_told = json_decoder(OmirNotice)


def pack(told: OmirNotice) -> Extension:
    """What a memory was, as an extension of its claim."""
    body = msgspec.json.encode(told).decode()
    return Extension(name=TOLD, body=body.replace("\x7f", "\\u007f") if "\x7f" in body else body)


def names(memory: InterchangeRecord, told: OmirNotice | None) -> dict[str, str]:
    """The names of the entities that a memory refers to, by the ids they have or will be given."""
    entities = memory.claim.lineage.entities
    found = {name_id(name): name for name in entities}
    if told is not None:
        found.update(told.refs)
    return found


def unpack(memory: InterchangeRecord) -> OmirExtras:
    """A memory and its luggage apart."""
    extensions = memory.claim.extensions
    if not any(one.name.startswith(_OURS) for one in extensions):
        return OmirExtras(memory=memory)
    found = {one.name: one.body for one in extensions}
    rest = tuple(one for one in extensions if not one.name.startswith(_OURS))
    claim = msgspec.structs.replace(memory.claim, extensions=rest)
    return OmirExtras(
        memory=msgspec.structs.replace(memory, claim=claim),
        told=_read(found.get(TOLD)),
        text=kept(RAW, extensions),
        envelope=found.get(ENVELOPE),
    )


def _read(body: str | None) -> OmirNotice | None:
    """What was told; None if somebody else wrote under that name."""
    if body is None:
        return None
    try:
        return _told.decode(body)
    except (msgspec.ValidationError, CallerError):
        return None


def restored(memory: InterchangeRecord, told: OmirNotice, *, ended: Instant | None) -> InterchangeRecord:
    """A memory that was in a store of ours as its document tells it. What only the store knows, who took it in and how
    far it is trusted there, is not for the document. `ended` is when it no longer held, if that is known."""
    if memory.tenant is None:
        return memory
    return msgspec.structs.replace(
        memory,
        id=carried_id(told.kind, told.id),
        tenant=None,
        epoch=0,
        actor=None,
        role=None,
        label=None,
        trust=None,
        reviewer=None,
        reviewed_at=None,
        next_review_at=None,
        effective=None,
        reports=(),
        created_at=None if told.undated else memory.created_at,
        updated_at=_updated(memory, told, ended),
    )


def _updated(memory: InterchangeRecord, told: OmirNotice, ended: Instant | None) -> Instant | None:
    """When anything that the document says was last changed."""
    used = memory.last_access if memory.last_access != told.last_access else None
    over = ended if memory.status not in CURRENT else None
    return max((one for one in (memory.updated_at, used, over) if one is not None), default=None)
