"""Who acts: an agent, a person or a service, and where they belong."""

from __future__ import annotations

from muniment.model import checks
from muniment.model.value import Value
from muniment.model.vocabulary import ActorType

OWNER = "owner"


class Actor(Value):
    """A named caller. Memberships decide which scopes are their own; `"*"` stands for all of them. One who acts for a
    `user` sees and writes what is kept for that user, and nothing else."""

    id: str
    type: ActorType = ActorType.AGENT
    roles: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    authority: int = 4
    user: str | None = None

    def __post_init__(self) -> None:
        checks.caller(self.id)
        checks.identifier("actor", self.id)
        checks.word("actor.type", self.type, ActorType)
        checks.identifiers("actor.roles", self.roles)
        checks.texts("actor.teams", self.teams)
        checks.texts("actor.projects", self.projects)
        checks.texts("actor.sessions", self.sessions)
        checks.whole("actor.authority", self.authority, least=0, most=10)
        checks.optional_identifier("actor.user", self.user)
