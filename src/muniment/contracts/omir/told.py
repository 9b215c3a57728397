"""What a memory was in the OMIR document it was read from, kept in its claim, so that it goes out again as that."""

from __future__ import annotations

import msgspec

from muniment.contracts.carried import Carried
from muniment.contracts.omir.dialect import Told, carried_id, name_id
from muniment.contracts.omir.terms import CONTRACT, ENVELOPE, RAW, TOLD
from muniment.contracts.omir.texts import kept
from muniment.model.claim import Extension
from muniment.model.errors import CallerError
from muniment.model.status import CURRENT
from muniment.model.times import Instant
from muniment.model.value import Value

_OURS = f"{CONTRACT}."


class Luggage(Value):
    """A memory without what only OMIR has to do with, and that: what was told, the text of its extensions, and the
    envelope, if it is the one that carries it."""

    memory: Carried
    told: Told | None = None
    text: str | None = None
    envelope: str | None = None


_told = msgspec.json.Decoder(Told)


def pack(told: Told) -> Extension:
    """What a memory was, as an extension of its claim."""
    body = msgspec.json.encode(told).decode()
    return Extension(name=TOLD, body=body.replace("\x7f", "\\u007f") if "\x7f" in body else body)


def names(memory: Carried, told: Told | None) -> dict[str, str]:
    """The names of the entities that a memory refers to, by the ids they have or will be given."""
    entities = memory.claim.lineage.entities
    found = {name_id(name): name for name in entities}
    if told is not None:
        found.update(told.refs)
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
