"""A Field over a real memory with agents whose rights a policy gives: bare payloads in, answers out, mail kept."""

from __future__ import annotations

from tests.support.world import simulated_memory

from muniment.compat.akashik import Credential, FieldSettings, debounced
from muniment.compat.akashik import Field as RealField
from muniment.contracts.akashik.encode import unit_document
from muniment.contracts.akashik.notices import LastNotified
from muniment.contracts.akashik.replay import EVENTS_MAX
from muniment.contracts.akashik.roster import RegisteredAgent, Roster
from muniment.contracts.akashik.sessions import TypeRule
from muniment.contracts.akashik.tasks import FieldTasks, busied
from muniment.contracts.strict.values import Json, JsonObject
from muniment.engine.memory import Memory
from muniment.model.errors import NotFound
from muniment.policy.decide import resolve
from muniment.policy.parse import parse_policy
from muniment.policy.rules import Policy

POLICY_TEXT = """
version: 1
name: field
actors:
  owner: {type: person, roles: [owner], authority: 10, projects: [default], sessions: ["*"]}
  human: {type: person, roles: [operator], authority: 10, projects: [default]}
  chief: {roles: [agent], projects: [default], authority: 8}
  senior: {roles: [agent], projects: [default], authority: 6}
  observer: {roles: [agent], projects: [default], authority: 2}
  "*": {roles: [agent], projects: [default], authority: 4}
write:
  - {id: members-commit, scopes: [session, project], member: true, decision: commit, reason: members record}
read:
  - {id: members-read, scopes: [session, project], member: true}
review:
  - id: owner
    roles: [owner]
    actions: [accept, discard, retract, queue, audit, observe, resolve, vote, import, sweep, forget, archive]
  - {id: seniors, authority_min: 6, actions: [resolve, archive]}
  - {id: operators, authority_min: 10, actions: [forget]}
  - {id: voters, authority_min: 4, actions: [vote]}
  - {id: authors, own: true, actions: [retract]}
evidence: {required_for: [], otherwise: commit}
trust: {gate: {min: 0.0, flag: 0.0}}
disputes: {detector: contest, judge: note, quorum: 3}
"""


def field_policy() -> Policy:
    return parse_policy(POLICY_TEXT, place="field.yaml")


class Field:
    """One Field. Every agent calls for itself, with what the policy says of it; the other methods make messages of bare
    payloads."""

    def __init__(
        self,
        memory: Memory | None = None,
        *,
        level: int = 3,
        replay_limit: int = EVENTS_MAX,
        prefix: str = "msg",
        rules: tuple[TypeRule, ...] = (),
        settings: FieldSettings | None = None,
    ) -> None:
        self.memory = memory if memory is not None else simulated_memory(policy=field_policy())
        chosen = settings or FieldSettings(level=level, replay_limit=replay_limit, rules=rules)
        self.real = RealField(self.memory, chosen)
        self.names: dict[str, str] = {}
        self.now_ms = 0
        self._heard: dict[str, int] = {}
        self._told: dict[str, LastNotified] = {}
        self._prefix = prefix
        self._count = 0

    def join(self, *agents: str, role: str = "researcher") -> Field:
        """Register agents, each with the authority that the policy gives it."""
        for agent in agents:
            assert self.send(self.message("REGISTER", agent, {"id": agent, "role": role}))["status"] == "registered"
        return self

    def meet(self, nickname: str, leader: str, *members: str) -> Field:
        """A session led by one agent and joined by others. Messages made here may call it by a nickname."""
        made = self.ask("SESSION", leader, {"action": "create", "goal": "find out"})
        self.names[nickname] = str(an_object(made["session"])["id"])
        for agent in members:
            answer = self.ask("SESSION", agent, {"action": "join", "session_id": nickname})
            assert answer["status"] == "ok"
        return self

    def credential(self, agent: str) -> Credential:
        return Credential(actor=resolve(self.memory.insight.policy, agent))

    def mail(self, agent: str) -> list[JsonObject]:
        """The notices an agent got since it last looked."""
        try:
            found = self.real.notices(agent, self.credential(agent), self._heard.get(agent, 0), 10_000)
        except NotFound:
            return []
        due, self._told[agent] = debounced(
            found.documents, found.waits, self._told.get(agent, LastNotified()), self.now_ms
        )
        self._heard[agent] = found.epoch
        return list(due)

    def message(
        self, operation: str, agent: str, payload: Json, *, session: str | None = None, epoch: int = 0
    ) -> JsonObject:
        self._count += 1
        return {
            "protocol": "akashik",
            "version": "0.1.0",
            "id": f"{self._prefix}-{self._count}",
            "operation": operation,
            "agent_id": agent,
            "session_id": self.names.get(session, session) if session is not None else None,
            "epoch": epoch,
            "payload": self._named(payload),
        }

    def _named(self, value: Json) -> Json:
        """A payload with the ids of sessions in the place of their nicknames."""
        if isinstance(value, dict):
            return {key: self._named(part) for key, part in value.items()}
        return self.names.get(value, value) if isinstance(value, str) else value

    def ask(self, operation: str, agent: str, payload: Json, *, session: str | None = None) -> JsonObject:
        return self.send(self.message(operation, agent, payload, session=session))

    def send(self, message: JsonObject, credential: Credential | None = None) -> JsonObject:
        """Answer one message: a response, or an error document."""
        caller = credential or self.credential(str(message.get("agent_id") or "nobody"))
        return self.real.send(message, caller)

    def unit(self, name: str, *, seen_by: str = "owner") -> JsonObject:
        """A unit as the owner sees it, in whatever state, or as somebody else does."""
        clock = self.real._room.state().epochs.at
        return unit_document(self.memory.as_actor(seen_by).get(name), {}, clock=clock)

    def conflict(self, name: str) -> JsonObject:
        owner = Credential(actor=self.memory.actor)
        return next(
            found for one in a_list(self.real.conflicts(owner)["conflicts"]) if (found := an_object(one))["id"] == name
        )

    @property
    def roster(self) -> Roster:
        state = self.real._room.state()
        members = tuple(one.member for one in state.agents.values())
        return busied(Roster(level=self.real.settings.level, members=members), self.tasks)

    @property
    def tasks(self) -> FieldTasks:
        held = self.real._room.state().tasks.values()
        flagged = frozenset(one.task.id for one in held if one.flagged)
        return FieldTasks(all=tuple(one.task for one in held), flagged=flagged)

    def member(self, agent: str) -> RegisteredAgent:
        found = self.roster.member(agent)
        assert found is not None
        return found

    @property
    def epoch(self) -> int:
        return self.real.epoch()


def finding(content: str, **more: Json) -> JsonObject:
    """The payload of a RECORD that any level takes, with whatever is said of it beside."""
    return {
        "type": "finding",
        "content": content,
        "intent": {"purpose": "to be told"},
        "confidence": {"score": 0.8, "reasoning": "seen"},
        **more,
    }


def attune(max_units: int = 50, /, **more: Json) -> JsonObject:
    """The payload of an ATTUNE with a scope."""
    top: JsonObject = {name: more.pop(name) for name in ("format", "context_hint") if name in more}
    return {"scope": {"role": "researcher", "max_units": max_units, **more}, **top}


def an_object(value: Json) -> JsonObject:
    assert isinstance(value, dict)
    return value


def a_list(value: Json) -> list[Json]:
    assert isinstance(value, list)
    return value


def told(answer: JsonObject) -> list[JsonObject]:
    """The scoped units of an answer."""
    return [an_object(one) for one in a_list(answer["record"])]


def contents(answer: JsonObject) -> list[str]:
    """The contents of an answer, in its order."""
    return [str(an_object(one["memory_unit"])["content"]) for one in told(answer)]
