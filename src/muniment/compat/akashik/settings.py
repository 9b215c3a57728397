"""How a Field is set up, who calls it, and one message as it was understood."""

from __future__ import annotations

from muniment.contracts.akashik.sessions import TypeRule
from muniment.contracts.akashik.words import FieldOperation
from muniment.contracts.strict.values import JsonObject
from muniment.engine.tenant import RESERVED, SYSTEM
from muniment.model import checks
from muniment.model.actor import Actor
from muniment.model.value import Value

HIGHEST = 3
ANYONE = "*"


class FieldSettings(Value):
    """What a Field may be told. `detection_timeout_ms`: None compares each unit inside its write, 0 always later, and
    with more a Field that was slower than that the last time compares later. `cross_session` shows what belongs to
    sessions to everybody; `commons_in_sessions` shows what belongs to none to agents inside of one; `rules` keep types
    from agents below an authority; of each agent so many answers are kept for messages that are sent twice."""

    level: int = HIGHEST
    replay_limit: int = 10_000
    detection_timeout_ms: int | None = None
    cross_session: bool = False
    commons_in_sessions: bool = False
    rules: tuple[TypeRule, ...] = ()
    answers_kept: int = 1_000

    @property
    def open_sessions(self) -> bool:
        """Whether what belongs to a session is told to everybody."""
        return self.cross_session or self.level < HIGHEST

    def __post_init__(self) -> None:
        checks.whole("level", self.level, least=0, most=HIGHEST)
        checks.whole("replay_limit", self.replay_limit, least=1, most=10_000_000)
        if self.detection_timeout_ms is not None:
            checks.whole("detection_timeout_ms", self.detection_timeout_ms, least=0, most=86_400_000)
        checks.flag("cross_session", self.cross_session)
        checks.flag("commons_in_sessions", self.commons_in_sessions)
        checks.instances("rules", self.rules, TypeRule)
        checks.whole("answers_kept", self.answers_kept, least=1, most=1_000_000)


class Credential(Value):
    """Who is calling, as the transport proved it, and for which names it may speak beside itself; `"*"` is any, but
    for those that the vault itself gives. What sort of actor a name is, only the policy knows: `Room.lends` asks it."""

    actor: Actor
    agents: tuple[str, ...] = ()

    def speaks_for(self, agent: str) -> bool:
        anyone = ANYONE in self.agents and agent not in RESERVED
        return agent != SYSTEM and (agent == self.actor.id or agent in self.agents or anyone)


class ParsedMessage(Value):
    """One message whose envelope and payload were found right."""

    id: str
    operation: FieldOperation
    agent: str
    session: str | None
    epoch: int
    payload: JsonObject
    credential: Credential
