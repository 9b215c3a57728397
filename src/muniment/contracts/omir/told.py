"""What a memory was in the OMIR document it was read from, kept in its claim, so that it goes out again as that."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from muniment.contracts.carried import Carried
from muniment.contracts.omir.dialect import carried_id, name_id
from muniment.contracts.omir.terms import CONTRACT, ENVELOPE, RAW, TOLD, Resource
from muniment.contracts.omir.texts import kept
from muniment.contracts.strict.values import JsonObject
from muniment.model.claim import Extension
from muniment.model.errors import CallerError
from muniment.model.status import CURRENT
from muniment.model.times import Instant
from muniment.model.value import Value

_OURS = f"{CONTRACT}."


class Told(Value):
    """The resource that a memory was: its type and id, the ids of the entities it referred to, in order, when it had
    last been used, and whether it did not say when it was made."""

    kind: Resource
    id: str
    refs: tuple[str, ...] = ()
    last_access: Instant | None = None
    undated: bool = False


class Luggage(Value):
    """A memory without what only OMIR has to do with, and that: what was told, the text of its extensions, and the
    envelope, if it is the one that carries it."""

    memory: Carried
    told: Told | None = None
    text: str | None = None
    envelope: str | None = None


_told = msgspec.json.Decoder(Told)


def pack(memory: Carried, kind: Resource, document: JsonObject) -> Extension:
    """What was told of a memory, as an extension of its claim."""
    ids = tuple(ref.partition("/")[2] for ref in refs(document))
    told = Told(
        kind=kind, id=str(document["id"]), refs=ids, last_access=memory.last_access, undated=memory.created_at is None
    )
    return Extension(name=TOLD, body=msgspec.json.encode(told).decode())


def refs(entry: JsonObject) -> Iterator[str]:
    """Every reference to an entity in a resource."""
    listed = entry.get("entityRefs")
    for holder in (entry.get("from"), entry.get("to"), *(listed if isinstance(listed, list) else ())):
        if isinstance(holder, dict):
            yield str(holder["ref"])


def names(memory: Carried, told: Told | None) -> dict[str, str]:
    """The names of the entities that a memory refers to, by the ids they have or will be given."""
    entities = memory.claim.lineage.entities
    found = {name_id(name): name for name in entities}
    if told is not None:
        found.update(zip(told.refs, entities, strict=False))
    return found


def unpack(memory: Carried) -> Luggage:
    """A memory and its luggage apart."""
    extensions = memory.claim.extensions
    if not any(one.name.startswith(_OURS) for one in extensions):
        return Luggage(memory=memory)
    found = {one.name: one.body for one in extensions}
    rest = tuple(one for one in extensions if not one.name.startswith(_OURS))
    claim = msgspec.structs.replace(memory.claim, extensions=rest)
    return Luggage(
        memory=msgspec.structs.replace(memory, claim=claim),
        told=_read(found.get(TOLD)),
        text=kept(RAW, extensions),
        envelope=found.get(ENVELOPE),
    )


def _read(body: str | None) -> Told | None:
    """What was told; None if somebody else wrote under that name."""
    if body is None:
        return None
    try:
        return _told.decode(body)
    except (msgspec.ValidationError, CallerError):
        return None


def restored(memory: Carried, told: Told, *, ended: Instant | None) -> Carried:
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


def _updated(memory: Carried, told: Told, ended: Instant | None) -> Instant | None:
    """When anything that the document says was last changed."""
    used = memory.last_access if memory.last_access != told.last_access else None
    over = ended if memory.status not in CURRENT else None
    return max((one for one in (memory.updated_at, used, over) if one is not None), default=None)
