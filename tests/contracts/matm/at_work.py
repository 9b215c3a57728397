"""The desk as the tests use it: a memory in a simulated world, the cast of the example, outsiders, and plain events."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tests.support.world import simulated_memory

from matm_evaluation.scratch import StillClock
from muniment import Memory
from muniment.compat.matm.desk import Filed, MatmHandler, matm_policy
from muniment.compat.matm.sources import Sources
from muniment.contracts.matm import CONTRACT
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.actor import Actor
from muniment.model.times import parse, show
from muniment.model.vocabulary import ActorType

TESTER, DOCS, CONSUMER = "producer.tester", "producer.docs", "consumer.demo"
CURATOR, STEWARD = "curator.demo", "steward.checkout"
NOON = "2026-06-24T12:00:00Z"
FOREIGN_WORKER = Actor(id="producer.billing", roles=("worker",), projects=("billing",), teams=("billing-crew",))
FOREIGN_READER = Actor(id="consumer.billing", roles=("consumer",), projects=("billing",), teams=("billing-crew",))
TEAMLESS = Actor(id="consumer.teamless", roles=("consumer",), projects=("checkout",), teams=("another-crew",))
MACHINE = Actor(id="curator.other", type=ActorType.SERVICE, roles=("steward",))
_KIND_PARTS: dict[str, JsonObject] = {
    "decision": {"decision": {"owner": "steward.checkout", "decided_at": "2026-06-01T00:00:00Z"}},
    "procedure": {"procedure": {"steps": ["Do it."], "stop_conditions": ["It fails."], "trigger": "It is needed."}},
    "risk": {"risk": {"impact": "Orders are lost.", "trigger": "The queue is full."}},
}


class World:
    """One desk over one memory, at a clock that is set by hand."""

    def __init__(self, sources: Sources | None = None, memory: Memory | None = None) -> None:
        self.clock = StillClock(parse(NOON, field="start"))
        self.memory = memory if memory is not None else simulated_memory(policy=matm_policy(), clock=self.clock)
        curator = CURATOR if memory is None else memory.actor
        self.desk = MatmHandler(self.memory, curator=curator, steward=STEWARD, sources=sources, clock=self.clock)
        self._numbers = 0

    def event(self, text: str, **fields: Json) -> JsonObject:
        """A complete event of the tester for its project; `fields` replace what stands there, None takes it out."""
        self._numbers += 1
        kind = fields.get("memory_kind", "fact")
        event: JsonObject = {
            "schema_version": "llmwikis.matm.memory-event.v1",
            "event_id": f"evt_{self._numbers:04}",
            "emitted_at": NOON,
            "source_agent": {"agent_id": TESTER, "role": "tester"},
            "task": {"task_id": "task-1", "title": "Look after checkout"},
            "provenance": {"source_refs": ["ci:run/1"]},
            "artifact": {"artifact_type": "observation", "summary": text},
            "memory_kind": kind,
            "evidence_refs": [{"type": "test_run", "ref": "ci:run/1"}],
            "confidence": 0.9,
            "suggested_scope": "project",
            "worker_write_mode": "proposal_only",
            "sensitivity": "internal",
            "review_hints": {},
            "project_id": "checkout",
            "team_id": "checkout-repair",
            "session_id": "session-retry-repair",
            "owner": STEWARD,
            **_KIND_PARTS.get(str(kind), {}),
        }
        event.update(fields)
        return {name: value for name, value in event.items() if value is not None}

    def emit(self, event: JsonObject, actor: str | Actor = TESTER) -> Filed:
        return self.desk.emit(json.dumps(event).encode(), actor=actor)

    def accept(self, event: JsonObject, actor: str | Actor = TESTER) -> Filed:
        """Emit an event and let a steward accept it."""
        first = self.emit(event, actor)
        assert first.report["decision"] == "hold", first.report
        return self.desk.decide(first.event, actor=STEWARD, accept=True, reason="checked")

    def keep(self, text: str, actor: str | Actor = TESTER, **fields: Json) -> str:
        """The id of a record made of an accepted event."""
        done = self.accept(self.event(text, **fields), actor)
        assert done.verdict.record_id is not None, done.report
        return done.verdict.record_id

    def ask(
        self,
        text: str,
        *,
        actor: str | Actor = CONSUMER,
        scopes: Sequence[str] = ("project", "agent_team"),
        session: str | None = None,
        **fields: Json,
    ) -> JsonObject:
        """The response to a request; it must be a valid document."""
        name = actor if isinstance(actor, str) else actor.id
        request: JsonObject = {
            "schema_version": "llmwikis.matm.retrieval-request.v1",
            "request_id": "req_1",
            "consumer_agent": name,
            "task": "task-1",
            "allowed_scopes": [*scopes],
            "query": text,
            **fields,
        }
        response = self.desk.retrieve(json.dumps(request).encode(), actor=actor, session=session)
        assert CONTRACT.check(json.dumps(response).encode()) == ()
        return response

    def records(self) -> int:
        """How many revisions there are, in whatever state."""
        return sum(self.memory.insight.stats().revisions.values())

    def now(self) -> str:
        return show(self.clock.now())


def outcomes(report: JsonObject) -> list[str]:
    """The nine step outcomes of a report, in their order."""
    steps = report["steps"]
    assert isinstance(steps, list)
    return [str(step["outcome"]) for step in steps if isinstance(step, dict)]


def told(response: JsonObject, presented: str | None = None) -> list[str]:
    """The ids of the results, all or those presented in one way."""
    results = response["results"]
    assert isinstance(results, list)
    found = [one for one in results if isinstance(one, dict)]
    return [str(one["record_id"]) for one in found if presented in (None, one["presented_as"])]


def result(response: JsonObject, record: str) -> JsonObject:
    results = response["results"]
    assert isinstance(results, list)
    return next(one for one in results if isinstance(one, dict) and one["record_id"] == record)


def warnings(response: JsonObject, record: str) -> list[str]:
    found = result(response, record)["warnings"]
    assert isinstance(found, list)
    return [str(one) for one in found]


def named(notice: JsonObject) -> list[str]:
    """The records a notice names, in order."""
    found = notice["record_ids"]
    assert isinstance(found, list)
    return sorted(str(one) for one in found)


def notices(response: JsonObject, kind: str) -> list[JsonObject]:
    found = response["notices"]
    assert isinstance(found, list)
    return [one for one in found if isinstance(one, dict) and one["kind"] == kind]
