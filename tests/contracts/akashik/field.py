"""A Field in one process: messages in, answers out, over a real memory, through our decoding and encoding alone."""

from __future__ import annotations

from collections.abc import Callable

from muniment.contracts.akashik.authority import ESCALATED, OTHERS, OWN, permitted
from muniment.contracts.akashik.codes import Code, error_document, error_of
from muniment.contracts.akashik.commands import AttuneCommand, Caller, CompactCommand
from muniment.contracts.akashik.compact import compact_response, summaries
from muniment.contracts.akashik.decode import (
    decode_attune,
    decode_compact,
    decode_detect,
    decode_merge,
    decode_record,
    decode_replay,
    proposal_name,
)
from muniment.contracts.akashik.encode import (
    attune_response,
    conflict_document,
    detect_response,
    merge_response,
    record_response,
    unit_document,
)
from muniment.contracts.akashik.handoffs import Floor, Offer, hand_over
from muniment.contracts.akashik.happenings import Happened, happened, joined
from muniment.contracts.akashik.levels import check_envelope
from muniment.contracts.akashik.notices import Told, View, notices, standing
from muniment.contracts.akashik.relevance import weigh
from muniment.contracts.akashik.replay import EVENTS_MAX, Place, replay_response
from muniment.contracts.akashik.roster import Member, Roster, deregister, refusal, register, unsettled
from muniment.contracts.akashik.sessions import Sessions, TypeRule, closed, convene
from muniment.contracts.akashik.subscriptions import Book, subscribe
from muniment.contracts.akashik.tables import TYPE_OF
from muniment.contracts.akashik.tasks import Tasks, busied, coordinate, left
from muniment.contracts.akashik.words import CompactStrategy, DetectMode, MergeStrategy, Mode, Operation
from muniment.contracts.finding import Severity
from muniment.contracts.strict.values import Json, JsonObject
from muniment.engine.intake import Newcomer
from muniment.engine.look import ConflictView
from muniment.engine.memory import Memory
from muniment.model.curation import Verdict
from muniment.model.errors import CallerError, MindUnavailable, NotFound
from muniment.model.query import LIMIT_MAX, Disclosure
from muniment.model.status import Status
from muniment.policy.parse import parse_policy
from muniment.policy.rules import Policy
from muniment.testing.world import simulated_memory

POLICY_TEXT = """
version: 1
name: field
actors:
  owner: {type: person, roles: [owner], authority: 10, projects: [default], sessions: ["*"]}
  human: {type: person, roles: [operator], authority: 10, projects: [default], sessions: ["*"]}
  chief: {roles: [agent], projects: [default], authority: 8}
  senior: {roles: [agent], projects: [default], authority: 6}
  observer: {roles: [agent], projects: [default], authority: 2}
  "*": {roles: [agent], projects: [default], authority: 4}
write:
  - {id: members-commit, scopes: [session, project], member: true, decision: commit, reason: members record}
read:
  - {id: members-read, scopes: [session, project], member: true}
review:
  - {id: owner, roles: [owner], actions: [accept, discard, retract, queue, audit, resolve, vote, import, sweep]}
  - {id: seniors, authority_min: 6, actions: [resolve]}
  - {id: voters, authority_min: 4, actions: [vote, import]}
  - {id: drafters, authority_min: 2, actions: [import]}
  - {id: authors, own: true, actions: [retract]}
evidence: {required_for: [], otherwise: commit}
trust: {gate: {min: 0.0, flag: 0.0}}
disputes: {detector: contest, judge: note, quorum: 3}
"""

WAIT_S = 60.0
ALL = [status.value for status in Status if status not in (Status.PROPOSED, Status.HELD, Status.DISCARDED)]


def field_policy() -> Policy:
    return parse_policy(POLICY_TEXT, place="field.yaml")


class Field:
    """One Field. `send` takes a message; the other methods make messages of bare payloads."""

    def __init__(
        self,
        memory: Memory | None = None,
        *,
        level: int = 3,
        replay_limit: int = EVENTS_MAX,
        prefix: str = "msg",
        rules: tuple[TypeRule, ...] = (),
    ) -> None:
        self.memory = memory if memory is not None else simulated_memory(policy=field_policy())
        self.roster = Roster(level=level)
        self.book = Book()
        self.tasks, self.sessions = Tasks(), Sessions(rules=rules)
        self.offers: tuple[Offer, ...] = ()
        self.now_ms = 0
        self._mail: dict[str, list[JsonObject]] = {}
        self._events: list[Happened] = []
        self._told = Told()
        self._announced = self.memory.ledger.head().seq
        self._replay_limit = replay_limit
        self._prefix = prefix
        self._count = 0

    def join(self, *agents: str, role: str = "researcher") -> Field:
        """Register agents, each with the authority that the policy gives it."""
        for agent in agents:
            assert self.send(self.message("REGISTER", agent, {"id": agent, "role": role}))["status"] == "registered"
        return self

    def meet(self, session: str, leader: str, *members: str) -> Field:
        """A session under this id, led by one agent and joined by others."""
        made = convene(
            self.sessions, {"action": "create", "goal": "find out"}, self._member(leader), epoch=0, fresh=session
        )
        self.sessions = made.sessions
        for agent in members:
            answer = self.ask("SESSION", agent, {"action": "join", "session_id": session})
            assert answer["status"] == "ok"
        return self

    def mail(self, agent: str) -> list[JsonObject]:
        """The notices an agent got since it last looked."""
        return self._mail.pop(agent, [])

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
            "session_id": session,
            "epoch": epoch,
            "payload": payload,
        }

    def ask(self, operation: str, agent: str, payload: Json, *, session: str | None = None) -> JsonObject:
        return self.send(self.message(operation, agent, payload, session=session))

    def send(self, message: Json) -> JsonObject:
        """Answer one message: a response, or an error document."""
        wrong = [one for one in check_envelope(message, self.roster.level) if one.severity is Severity.ERROR]
        operation = str(message.get("operation", "")) if isinstance(message, dict) else ""
        if wrong:
            return error_document(Code(wrong[0].code), operation, wrong[0].message)
        assert isinstance(message, dict)
        known, agent = Operation(operation), str(message["agent_id"])
        if (refused := refusal(self.roster, known, agent) or self._shut(known, message)) is not None:
            return refused
        try:
            answer = self._operations[known](message)
        except CallerError as error:
            return error_of(error, operation)
        self._deliver()
        return answer

    def _shut(self, operation: Operation, message: JsonObject) -> JsonObject | None:
        """Why a session is closed to this; below level 3 there are no sessions that could be."""
        session = message["session_id"]
        if self.roster.level < 3 or operation is Operation.SESSION or not isinstance(session, str):
            return None
        return closed(self.sessions, operation, str(message["agent_id"]), session)

    @property
    def _operations(self) -> dict[Operation, Callable[[JsonObject], JsonObject]]:
        return {
            Operation.REGISTER: self._register,
            Operation.DEREGISTER: self._deregister,
            Operation.RECORD: self._record,
            Operation.ATTUNE: self._attune,
            Operation.DETECT: self._detect,
            Operation.MERGE: self._merge,
            Operation.SUBSCRIBE: self._subscribe,
            Operation.REPLAY: self._replay,
            Operation.COMPACT: self._compact,
            Operation.COORDINATE: self._coordinate,
            Operation.HANDOFF: self._handoff,
            Operation.SESSION: self._session,
        }

    def seat(self, caller: Caller) -> Memory:
        return self.memory.as_actor(caller.id, session=caller.session)

    @property
    def roles(self) -> dict[str, str]:
        return {member.id: member.role for member in self.roster.members}

    def caller(self, message: JsonObject) -> Caller:
        agent, session = str(message["agent_id"]), message["session_id"]
        return Caller(id=agent, role=self.roles[agent], session=session if isinstance(session, str) else None)

    def unit(self, name: str, *, seen_by: str = "owner") -> JsonObject:
        """A unit as the owner sees it, in whatever state, or as somebody else does."""
        return unit_document(self.memory.as_actor(seen_by).get(name), self.roles)

    def _barred(self, agent: str, operation: Operation, detail: str = "") -> JsonObject | None:
        member = self.roster.member(agent)
        assert member is not None
        if self.roster.level < 3 or permitted(member.authority, operation, detail):
            return None
        return error_document(Code.INSUFFICIENT_AUTHORITY, operation, "this takes more authority")

    def _register(self, message: JsonObject) -> JsonObject:
        payload = message["payload"]
        assert isinstance(payload, dict)
        credential = self.memory.as_actor(str(payload["id"])).actor.authority
        self.roster, answer = register(self.roster, payload, authority=credential)
        if answer.get("status") == "registered":
            self._events.append(joined(str(payload["id"]), epoch=self.epoch))
        return answer

    def _deregister(self, message: JsonObject) -> JsonObject:
        payload, agent = message["payload"], str(message["agent_id"])
        assert isinstance(payload, dict)
        gone = str(payload["agent_id"])
        if (refused := self._barred(agent, Operation.DEREGISTER, OWN if gone == agent else OTHERS)) is not None:
            return refused
        units = len(list(self.memory.browse(authors=[gone])))
        self.tasks, orphans = left(self.tasks, gone)
        self.roster, answer = deregister(self.roster, gone, units=units, tasks=orphans)
        return answer

    def _record(self, message: JsonObject) -> JsonObject:
        caller = self.caller(message)
        command = decode_record(message["payload"], caller, message=str(message["id"]))
        detail = Mode.DRAFT if command.draft else Mode.COMMITTED
        if (refused := self._barred(caller.id, Operation.RECORD, detail)) is not None:
            return refused
        seat = self.seat(caller)
        if not command.draft:
            verdict = seat.propose(command.claim, proposal_id=command.proposal)
            return record_response(verdict, enriched=self._enriched())
        newcomer = Newcomer(claim=command.claim, status=Status.DRAFT)
        batch = proposal_name(caller.id, str(message["id"]))
        (verdict,) = seat.take_in(batch, [newcomer], contract="akashik")
        return record_response(verdict)

    def _enriched(self) -> bool:
        """Whether everything written has its vector, after having been given the time for it."""
        try:
            self.memory.flush(timeout=WAIT_S)
        except MindUnavailable:
            return False
        return True

    def _attune(self, message: JsonObject) -> JsonObject:
        caller = self.caller(message)
        if (refused := self._barred(caller.id, Operation.ATTUNE)) is not None:
            return refused
        return self._attuned(message["payload"], caller)

    def _attuned(self, payload: Json, caller: Caller) -> JsonObject:
        command, seat, epoch = decode_attune(payload, caller), self.seat(caller), self.epoch
        found, searching = self._found(seat, command), self.memory.searching()
        reached = epoch - searching.trailing if searching.model is not None else None
        shown = [one for one in found if self._shows(caller.id, one)]
        disputes = self._disputes(caller)
        return attune_response(shown, disputes, command, caller, epoch=epoch, roles=self.roles, reached=reached)

    def _shows(self, agent: str, one: Disclosure) -> bool:
        """Whether the rules of its session and of the Field let an agent see a unit; its own it always may."""
        kind, session = TYPE_OF[one.record.claim.nature.kind], one.record.claim.place.session_id
        return one.record.actor == agent or self.sessions.shows(self._member(agent), kind, session)

    def _disputes(self, caller: Caller) -> list[ConflictView]:
        views = self.seat(caller).conflicts()
        return [view for view in views if self._shows(caller.id, view.a) and self._shows(caller.id, view.b)]

    def _found(self, seat: Memory, command: AttuneCommand) -> list[Disclosure]:
        about = command.about
        recall = seat.attune(role=about.role, interests=about.interests, since=about.since, limit=LIMIT_MAX, floor=0.0)
        archived = seat.browse(statuses=["archived"]) if command.archived else ()
        drafts = seat.browse(statuses=["draft"]) if command.own else ()
        return [*recall.records, *archived, *drafts]

    def _detect(self, message: JsonObject) -> JsonObject:
        caller = self.caller(message)
        if (refused := self._barred(caller.id, Operation.DETECT)) is not None:
            return refused
        command, seat = decode_detect(message["payload"]), self.seat(caller)
        target = command.target if command.mode is DetectMode.CHECK else None
        if target is not None and not self._shows(caller.id, seat.get(target)):
            raise NotFound("record", target)
        return detect_response(self._disputes(caller), command, scanned=len(list(seat.browse())))

    def _merge(self, message: JsonObject) -> JsonObject:
        caller = self.caller(message)
        request, seat = decode_merge(message["payload"], caller), self.seat(caller)
        if (refused := unsettled(self.roster, MergeStrategy(request.strategy.value))) is not None:
            return refused
        view = self._conflict(seat, request.conflict)
        if view is not None and request.strategy.value != "vote":
            detail = ESCALATED if view.status.value == "escalated" else ""
            if (refused := self._barred(caller.id, Operation.MERGE, detail)) is not None:
                return refused
        synthesis = request.synthesis
        settled = seat.resolve(
            request.conflict,
            strategy=request.strategy.value,
            rationale=request.rationale,
            winner=request.winner,
            synthesis=synthesis.content if synthesis is not None else None,
        )
        after = self._conflict(seat, request.conflict)
        assert after is not None
        return merge_response(settled, after)

    def _conflict(self, seat: Memory, name: str) -> ConflictView | None:
        return next((view for view in seat.conflicts() if view.id == name), None)

    def conflict(self, name: str) -> JsonObject:
        view = self._conflict(self.memory, name)
        assert view is not None
        return conflict_document(view)

    def _subscribe(self, message: JsonObject) -> JsonObject:
        agent = str(message["agent_id"])
        if (refused := self._barred(agent, Operation.SUBSCRIBE)) is not None:
            return refused
        self.book, answer = subscribe(self.book, agent, message["payload"], fresh=f"sub-{self._count}")
        return answer

    def _replay(self, message: JsonObject) -> JsonObject:
        caller = self.caller(message)
        places = {
            one.record.id: Place(task=one.record.claim.place.task_id, session=one.record.claim.place.session_id)
            for one in self.seat(caller).browse(statuses=ALL)
            if self._shows(caller.id, one)
        }
        command = decode_replay(message["payload"])
        return replay_response(self.memory.ledger.entries(), command, places, limit=self._replay_limit)

    def _compact(self, message: JsonObject) -> JsonObject:
        caller, command = self.caller(message), decode_compact(message["payload"])
        if (refused := self._barred(caller.id, Operation.COMPACT, command.strategy)) is not None:
            return refused
        if command.strategy is CompactStrategy.PURGE:
            return error_document(Code.UNSUPPORTED_STRATEGY, Operation.COMPACT, "nothing can be purged here yet")
        chosen = self._chosen(command)
        made: list[Verdict] = []
        if command.strategy is CompactStrategy.SUMMARIZE and chosen:
            made += self.memory.propose_many(summaries(chosen))
        for one in chosen:
            self.memory.retire(one.record.id, becomes="archived", reason="COMPACT")
        return compact_response(affected=len(chosen), created=sum(verdict.committed for verdict in made))

    def _coordinate(self, message: JsonObject) -> JsonObject:
        caller = self.caller(message)
        turn = coordinate(
            self.tasks,
            message["payload"],
            self._member(caller.id),
            epoch=self.epoch,
            fresh=f"task-{self._count}",
            session=caller.session,
        )
        self.tasks, self.roster = turn.tasks, busied(self.roster, turn.tasks)
        self._events += turn.events
        return turn.answer

    def _handoff(self, message: JsonObject) -> JsonObject:
        caller, payload = self.caller(message), message["payload"]
        assert isinstance(payload, dict)
        receiver = self.roster.member(str(payload.get("to_agent"))) or self._member(caller.id)
        scope: JsonObject = {"role": receiver.role, "max_units": 100, "include_own": True}
        scope["active_task_id"] = payload["task_id"]
        floor = Floor(
            tasks=self.tasks,
            offers=self.offers,
            roster=self.roster,
            member=self._member(caller.id),
            told=self._attuned({"scope": scope}, Caller(id=receiver.id, role=receiver.role, session=caller.session)),
            epoch=self.epoch,
            session=caller.session,
        )
        passed = hand_over(floor, payload)
        self.tasks, self.offers, self.roster = passed.tasks, passed.offers, busied(self.roster, passed.tasks)
        self._events += passed.events
        return passed.answer

    def _session(self, message: JsonObject) -> JsonObject:
        member = self._member(str(message["agent_id"]))
        sitting = convene(self.sessions, message["payload"], member, epoch=self.epoch, fresh=f"session-{self._count}")
        self.sessions = sitting.sessions
        self._events += sitting.events
        return sitting.answer

    @property
    def epoch(self) -> int:
        return self.memory.ledger.head().seq

    def _member(self, agent: str) -> Member:
        member = self.roster.member(agent)
        assert member is not None
        return member

    def _deliver(self) -> None:
        """Put what happened since into the mail of those who are to be told."""
        head = self.epoch
        log = self.memory.ledger.entries() if head > self._announced else []
        events, self._events = [*happened(log, after=self._announced), *self._events], []
        self._announced = head
        wishes = [*self.book.wishes, *(standing(member.id) for member in self.roster.members)]
        names = {one.event for one in events}
        wanted = [wish for wish in wishes if names & set(wish.events) and self.roster.member(wish.agent) is not None]
        views = {agent: self._view(agent) for agent in {wish.agent for wish in wanted}}
        due, self._told = notices(wanted, events, views, self._told, now_ms=self.now_ms)
        for notice in due:
            self._mail.setdefault(notice.agent, []).append(notice.document)

    def _view(self, agent: str) -> View:
        """What an agent may see, in all its sessions, and how much each unit matters to it."""
        member, mine = self._member(agent), self.sessions.of(agent)
        scope: JsonObject = {"role": member.role, "interests": list[Json](member.interests), "max_units": 1}
        scores: dict[str, float] = {}
        for session in (None, *mine):
            caller = Caller(id=agent, role=member.role, session=session)
            command, seat = decode_attune({"scope": scope}, caller), self.seat(caller)
            every = {one.record.id: one for one in (*seat.browse(statuses=ALL), *self._found(seat, command))}
            shown = [one for one in every.values() if self._shows(agent, one)]
            scores |= {one.found.record.id: one.score for one in weigh(shown, command)}
        return View(units=scores, sessions=mine)

    def _chosen(self, command: CompactCommand) -> list[Disclosure]:
        epoch = self.memory.ledger.head().seq
        return [one for one in self.memory.browse() if command.selects(unit_document(one, self.roles), epoch=epoch)]


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
