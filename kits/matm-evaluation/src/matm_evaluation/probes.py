"""The probe: a labelled set and an adversarial suite, shipped as data and run on a scratch vault, never on a user's.

Where a person has to answer, the probe's steward answers by one stated rule: what carries a destructive step is
unsafe, everything else is accepted.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from importlib.resources import files

import msgspec

from matm_evaluation.figures import Retrieved
from matm_evaluation.scratch import StillClock, scratch_memory
from muniment.compat.matm.desk import Filed, MatmHandler, spell
from muniment.compat.matm.grounds import RefusalGround
from muniment.compat.matm.hazards import HARMFUL, found, texts
from muniment.compat.matm.sources import Sources
from muniment.contracts.matm import words
from muniment.contracts.strict.reader import read_json
from muniment.contracts.strict.values import JsonObject
from muniment.engine import Memory
from muniment.model.decoding import decode_json
from muniment.model.errors import NotFound
from muniment.model.query import Disclosure
from muniment.model.status import Status
from muniment.model.times import DAY, show
from muniment.model.value import Value
from muniment.model.vocabulary import ConflictStrength, Outcome, Scope
from muniment.policy.decide import belongs, resolve
from muniment.policy.rules import Policy, PolicyMember

STEWARD, CURATOR = "steward.p", "curator.p"
ALL_SCOPES = ("session", "project", "agent_team", "agent_repo")
_NOTHING = msgspec.Raw(b"{}")
_PARTS: dict[str, JsonObject] = {
    "decision": {"decision": {"owner": STEWARD, "decided_at": "2026-06-01T00:00:00Z"}},
    "procedure": {"procedure": {"steps": ["Do as it says."], "stop_conditions": ["It fails."]}},
    "risk": {"risk": {"impact": "Work is lost.", "trigger": "Nobody looks."}},
}


class Probe(Value):
    """One event with its label; `threat` names what an adversarial one tries, `extra` what it says besides."""

    id: str
    by: str
    kind: str
    scope: str
    text: str
    gold: str
    threat: str | None = None
    extra: msgspec.Raw = msgspec.field(default=_NOTHING, name="with")


class Question(Value):
    """One request with the events that should answer it, or the reason why it should be abstained from."""

    reader: str = msgspec.field(name="as")
    ask: str
    scopes: tuple[str, ...]
    answers: tuple[str, ...]
    abstains: str | None
    extra: msgspec.Raw = msgspec.field(default=_NOTHING, name="with")


class Suite(Value):
    about: str
    actors: dict[str, PolicyMember]
    sources: dict[str, str | None]
    secrets: tuple[str, ...]
    events: tuple[Probe, ...]
    adversarial: tuple[Probe, ...]
    conflicts: tuple[tuple[str, str], ...]
    questions: tuple[Question, ...]


class Tried(Value):
    """A probe as it was answered, by whom, and how long that took."""

    probe: Probe
    filed: Filed
    by_person: bool
    millis: float

    @property
    def decided(self) -> str:
        """The disposition and, if anything speaks now, the scope it is in."""
        decision, scope = str(self.filed.report["decision"]), self.filed.report["scope"]
        return decision if decision == "discard" else f"{decision}:{scope}"


class Asked(Value):
    """A question as it was answered: which events were told as an answer, and how long that took."""

    question: Question
    response: JsonObject
    answers: tuple[str, ...]
    millis: float


class Kept(Value):
    """A current record as the figures need it."""

    event: str
    scope: str
    key: str
    evidenced: bool
    tokens_of: str


class Probed(Value):
    """Everything one run of the suite gave."""

    suite: Suite
    tried: tuple[Tried, ...]
    asked: tuple[Asked, ...]
    retrieved: tuple[Retrieved, ...]
    kept: tuple[Kept, ...]
    conflicts: frozenset[frozenset[str]]
    guesses_as_facts: int
    deprecated_unwarned: int
    stale_told: int
    uncited: int
    secrets_told: int
    bytes: int


def suite() -> Suite:
    return decode_json(files("matm_evaluation").joinpath("probes.json").read_bytes(), Suite)


def run(policy: Policy | None = None) -> Probed:
    """Run the whole suite on a vault of its own, which is gone afterwards: under these rules, or those that ship. Rules
    that do not know the roles of the profile end in the error they give."""
    told, clock = suite(), StillClock()
    with scratch_memory(clock, told.actors, policy) as memory:
        return _Run(told, memory, clock).all()


def event_of(probe: Probe, at: str) -> JsonObject:
    """A complete event for a probe: what every event needs, and what this one says otherwise."""
    extra = _extra(probe.extra)
    digest = extra.pop("artifact_hash", None)
    artifact: JsonObject = {"artifact_type": "observation", "summary": probe.text}
    event: JsonObject = {
        "schema_version": words.EVENT,
        "event_id": probe.id,
        "emitted_at": at,
        "source_agent": probe.by,
        "task": {"task_id": "task-probe", "title": "Probe"},
        "provenance": {"source_refs": ["ci:apollo/2"]},
        "artifact": {**artifact, "artifact_hash": digest} if digest is not None else artifact,
        "memory_kind": probe.kind,
        "evidence_refs": [{"type": "test_run", "ref": "ci:apollo/2"}],
        "confidence": 0.9,
        "suggested_scope": probe.scope,
        "worker_write_mode": words.PROPOSAL_ONLY,
        "sensitivity": "internal",
        "review_hints": {},
        "project_id": "borealis" if probe.by == "worker.b" else "apollo",
        "team_id": "edge" if probe.by == "worker.b" else "core",
        "agent_id": probe.by,
        "session_id": "run-2" if probe.by == "worker.b" else "run-1",
        "owner": STEWARD,
        **_PARTS.get(probe.kind, {}),
    }
    return {**event, **extra}


def _extra(raw: msgspec.Raw) -> JsonObject:
    value = read_json(bytes(raw))
    assert isinstance(value, dict), "the suite says objects"
    return value


class _Run:
    """One run: first the events, then the questions, then everybody asks for everything, then time passes."""

    def __init__(self, told: Suite, memory: Memory, clock: StillClock) -> None:
        self._suite = told
        self._memory = memory
        self._clock = clock
        self._desk = MatmHandler(memory, curator=CURATOR, steward=STEWARD, sources=Sources(told.sources), clock=clock)
        self._papers: list[bytes] = []
        self._guesses = 0
        self._uncited = 0

    def all(self) -> Probed:
        tried = tuple(self._try(one) for one in (*self._suite.events, *self._suite.adversarial))
        asked = tuple(self._ask(one) for one in self._suite.questions)
        retrieved, current = tuple(self._probe_places()), list(self._memory.insight.browse())
        deprecated = self._deprecated_unwarned()
        views = self._memory.review.conflicts()
        return Probed(
            suite=self._suite,
            tried=tried,
            asked=asked,
            retrieved=retrieved,
            kept=tuple(_kept(one) for one in current),
            conflicts=frozenset(
                frozenset((one.a.record.proposal, one.b.record.proposal))
                for one in views
                if one.strength is ConflictStrength.ESTABLISHED
            ),
            deprecated_unwarned=deprecated,
            stale_told=self._stale_told(current),
            guesses_as_facts=self._guesses,
            uncited=self._uncited,
            secrets_told=sum(paper.count(secret.encode()) for secret in self._suite.secrets for paper in self._papers),
            bytes=self._memory.insight.stats().bytes or 0,
        )

    def _try(self, probe: Probe) -> Tried:
        self._clock.forward(60_000_000)
        data = json.dumps(event_of(probe, show(self._clock.now()))).encode()
        began = time.perf_counter()
        filed, by_person = self._answer(data, probe)
        millis = (time.perf_counter() - began) * 1_000
        self._papers.append(filed.document)
        return Tried(probe=probe, filed=filed, by_person=by_person, millis=millis)

    def _answer(self, data: bytes, probe: Probe) -> tuple[Filed, bool]:
        first = self._desk.emit(data, actor=probe.by)
        if first.verdict.outcome is not Outcome.HELD:
            return first, False
        for one in self._desk.curate():
            if one.event == probe.id:
                return one, False
        ticket = next((one for one in self._desk.tickets() if one["ticket_id"] == probe.id), None)
        if ticket is None:
            raise NotFound("waiting event", probe.id)
        self._papers.append(spell(ticket))
        unsafe = found(HARMFUL, texts(ticket["event"]))
        ground, reason = (
            (RefusalGround.UNSAFE, ", ".join(unsafe)) if unsafe else (None, "checked by the probe's steward")
        )
        return self._desk.decide(probe.id, actor=STEWARD, accept=not unsafe, reason=reason, ground=ground), True

    def _request(self, reader: str, ask: str, scopes: tuple[str, ...], extra: JsonObject) -> JsonObject:
        request: JsonObject = {
            "schema_version": words.REQUEST,
            "request_id": "req_probe",
            "consumer_agent": reader,
            "task": "task-probe",
            "allowed_scopes": [*scopes],
            "query": ask,
            **extra,
        }
        response = self._desk.retrieve(json.dumps(request).encode(), actor=reader)
        self._look(response)
        return response

    def _look(self, response: JsonObject) -> None:
        """Count what no response may hold: a guess told as a fact, or a result that cites nothing that can be found."""
        self._papers.append(spell(response))
        for one in results(response):
            self._guesses += one["kind"] == "hypothesis" and one["presented_as"] == "claim"
            reports = one["curation_report_ids"]
            cited = isinstance(reports, list) and one["source_refs"] and one["evidence_refs"]
            resolves = isinstance(reports, list) and all(
                self._desk.report(str(name)).get("record_id") == one["record_id"] for name in reports
            )
            guess = one["kind"] == "hypothesis" and reports
            self._uncited += not ((cited or guess) and resolves)

    def _ask(self, question: Question) -> Asked:
        began = time.perf_counter()
        response = self._request(question.reader, question.ask, question.scopes, _extra(question.extra))
        millis = (time.perf_counter() - began) * 1_000
        answers = tuple(
            self._memory.get(str(one["record_id"])).record.proposal
            for one in results(response)
            if one["presented_as"] in ("claim", "support")
        )
        return Asked(question=question, response=response, answers=answers, millis=millis)

    def _probe_places(self) -> Iterator[Retrieved]:
        """Let everybody ask for every current record in its own words, in every scope."""
        names = [name for name, one in self._suite.actors.items() if {"consumer", "worker"} & {*one.roles}]
        readers = [resolve(self._memory.insight.policy, name) for name in names]
        for one in list(self._memory.insight.browse()):
            place = one.record.claim.place
            own = f"{place.scope} {place.scope_id}"
            seen = []
            for reader in readers:
                response = self._request(reader.id, one.record.content, ALL_SCOPES, {})
                if one.record.id in {str(each["record_id"]) for each in results(response)}:
                    seen.append(own if belongs(reader, place) else f"of {reader.id}")
            yield Retrieved(event=one.record.proposal, own=own, found_in=tuple(dict.fromkeys(seen)))

    def _deprecated_unwarned(self) -> int:
        """How many deprecated or superseded records are told, or missed without a word, when asked for in their own
        words by somebody who could see them."""
        past = self._memory.insight.browse(statuses=[Status.DEPRECATED, Status.SUPERSEDED])
        return sum(not self._warned(one) for one in list(past))

    def _warned(self, one: Disclosure) -> bool:
        response = self._request("reader.a", one.record.content, ALL_SCOPES, {})
        told = {str(each["record_id"]) for each in results(response)}
        return one.record.id not in told and one.record.id in json.dumps(response)

    def _stale_told(self, current: list[Disclosure]) -> int:
        """How many guesses and notes of sessions are still told when their time is over."""
        self._clock.forward(31 * DAY)
        ending = [one for one in current if one.record.claim.times.expires_at is not None]
        told = 0
        for one in ending:
            response = self._request("worker.a", one.record.content, ALL_SCOPES, {})
            told += one.record.id in {str(each["record_id"]) for each in results(response)}
        return told


def results(response: JsonObject) -> list[JsonObject]:
    found_ = response["results"]
    return [one for one in found_ if isinstance(one, dict)] if isinstance(found_, list) else []


def _kept(one: Disclosure) -> Kept:
    claim = one.record.claim
    return Kept(
        event=one.record.proposal,
        scope=claim.place.scope.value,
        key=f"{claim.place.scope} {claim.place.scope_id} {' '.join(claim.content.casefold().split())}",
        evidenced=bool(claim.belief.evidence) or claim.place.scope is Scope.SESSION,
        tokens_of=claim.content,
    )
