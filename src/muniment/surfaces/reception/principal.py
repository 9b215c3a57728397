"""Who stands at the desk: an actor of one tenant, how it proved that, and what its credential is good for."""

from __future__ import annotations

from muniment.model.actor import Actor
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.operations import Grant

__all__ = ["ANYONE", "Grant", "Principal"]
ANYONE = "*"


class Principal(Value):
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
