"""Keys as the owner of a vault makes and ends them: every making and ending is in the ledger, without the secret."""

from __future__ import annotations

from muniment.engine import Memory
from muniment.engine.notebook import Notebook, Pages
from muniment.engine.place import Said
from muniment.model.actor import OWNER
from muniment.model.errors import NotPermitted
from muniment.model.note import NoteDraft
from muniment.model.times import Instant
from muniment.model.value import Value, canonical
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.keys import ApiKey, KeyRequest

TOPIC = "keys"


class ApiKeyNote(Value):
    """What the ledger keeps of a key."""

    id: str
    wish: KeyRequest
    created_at: Instant
    revoked_at: Instant | None = None


def issue(memory: Memory, vault: Said, wish: KeyRequest, *, now: Instant) -> tuple[ApiKey, str]:
    """Make a key for the memory's tenant. Only the vault's owner does; the ledger knows of it before anyone can use it.

    Whoever may run this on the vault's files could write the file of keys by hand as well: there is nobody above the
    owner to ask, so a key may give any authority, the owner's own included.
    """
    _owners_alone(memory, "make keys")
    sort = wish.type if wish.type is not None else memory.as_actor(wish.actor).actor.type
    drafted, token = keys.draft(wish, now=now, sort=sort)
    _note(memory, drafted)
    keys.keep(vault, drafted)
    return drafted, token


def end(memory: Memory, vault: Said, key_id: str, *, now: Instant) -> ApiKey:
    """End a key. It is ended first and told of then: nothing may hold that up."""
    _owners_alone(memory, "revoke keys")
    ended = keys.revoke(vault, key_id, now=now)
    _note(memory, ended)
    return ended


def kept(memory: Memory, vault: Said) -> tuple[ApiKey, ...]:
    """Every key there is or was, oldest first."""
    _owners_alone(memory, "list keys")
    return keys.listed(vault)


def _owners_alone(memory: Memory, operation: str) -> None:
    if memory.actor.id != OWNER:
        raise NotPermitted(memory.actor.id, operation)


def _note(memory: Memory, key: ApiKey) -> None:
    told = ApiKeyNote(id=key.id, wish=key.wish, created_at=key.created_at, revoked_at=key.revoked_at)
    jot = NoteDraft(topic=TOPIC, key=key.id, body=canonical(told).decode())

    def job(_: Pages) -> tuple[list[NoteDraft], None]:
        return [jot], None

    Notebook.of(memory).turn(OWNER, job)
