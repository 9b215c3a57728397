"""Who stands at the desk: an actor of one tenant, how it proved that, and what its credential is good for."""

from __future__ import annotations

from enum import StrEnum

from muniment.model.actor import Actor
from muniment.model.times import Instant
from muniment.model.value import Value

ANYONE = "*"


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
        return agent == self.actor.id or ANYONE in self.agents or agent in self.agents
