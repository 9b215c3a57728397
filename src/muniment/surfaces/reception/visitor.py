"""Who stands at the desk: an actor of one tenant, how it proved that, and what its credential is good for."""

from __future__ import annotations

from enum import StrEnum

from muniment.engine.tenant import SYSTEM
from muniment.model.actor import OWNER, Actor
from muniment.model.times import Instant
from muniment.model.value import Value

ANYONE = "*"
RESERVED = frozenset({OWNER, SYSTEM})
"""Names that the vault gives: leave to speak for anybody is no leave to speak for these."""


class Grant(StrEnum):
    """What a credential may be used for. A grant opens a door; what lies behind it is the policy's to decide."""

    READ = "read"
    WRITE = "write"
    REVIEW = "review"
    AUDIT = "audit"
    ADMIN = "admin"


class Visitor(Value):
    """A caller who was let in. `credential` names the key or token, never its secret; `agents` are the names it may
    speak for beside its own, `"*"` for any."""

    actor: Actor
    tenant: str
    credential: str | None = None
    grants: tuple[Grant, ...] = tuple(Grant)
    agents: tuple[str, ...] = ()
    expires_at: Instant | None = None

    @property
    def anonymous(self) -> bool:
        """Whether nobody asked for a credential: on this machine alone, and said so at the start."""
        return self.credential is None

    def speaks_for(self, agent: str) -> bool:
        anyone = ANYONE in self.agents and agent not in RESERVED
        return agent == self.actor.id or agent in self.agents or anyone
