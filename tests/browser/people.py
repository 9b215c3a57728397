"""Who signs in to the console's world: people of four roles, one who may only read, and the agents that propose."""

from __future__ import annotations

from pathlib import Path

from muniment.model.times import Instant
from muniment.operations import Grant
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.keys import KeyRequest

_ALL = tuple(Grant)
_LOOKING = (Grant.READ, Grant.AUDIT)
_TAKING_PART = (Grant.READ, Grant.WRITE)

WISHES = (
    KeyRequest(name="owner", actor="owner", grants=_ALL, agents=("*",)),
    KeyRequest(
        name="steward", actor="steward", grants=(Grant.READ, Grant.WRITE, Grant.REVIEW, Grant.AUDIT, Grant.ADMIN)
    ),
    KeyRequest(name="curator", actor="curator", grants=(Grant.READ, Grant.WRITE, Grant.REVIEW, Grant.AUDIT)),
    KeyRequest(name="auditor", actor="auditor", grants=_LOOKING),
    KeyRequest(name="developer", actor="developer", grants=_TAKING_PART),
    KeyRequest(name="reader", actor="developer", grants=(Grant.READ,)),
    KeyRequest(name="planner", actor="planner", grants=_TAKING_PART),
    KeyRequest(name="researcher", actor="researcher", grants=_TAKING_PART),
    KeyRequest(name="scout", actor="scout", grants=_TAKING_PART),
)


def make_keys(vault: Path, *, now: Instant) -> dict[str, str]:
    """A key for everyone, by name: what they type when they sign in."""
    made = keys.create_many(vault, WISHES, now=now)
    return {key.wish.name: secret for key, secret in made}
