"""The Field: one message in, one answer out; three views; what happened since an epoch; and handles for agents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from secrets import token_hex

import msgspec
from msgspec import UNSET

from muniment.compat.akashik import board, views
from muniment.compat.akashik.agent import FieldAgentHandle
from muniment.compat.akashik.attunement import attune
from muniment.compat.akashik.compact import compact
from muniment.compat.akashik.conflicts import detect, merge
from muniment.compat.akashik.context import FieldContext, MessageContext, refused_in, seated
from muniment.compat.akashik.coordinate import meet, pass_on, work
from muniment.compat.akashik.feed import POSITIONS, NotificationFeed, NotificationPage
from muniment.compat.akashik.open_conflicts import OpenConflicts
from muniment.compat.akashik.record import Recorder, retract
from muniment.compat.akashik.registration import FAIL, give_up, let_go, listen, take_in
from muniment.compat.akashik.replay import replay
from muniment.compat.akashik.settings import HIGHEST, Credential, FieldSettings, ParsedMessage
from muniment.compat.akashik.state import FieldState
from muniment.compat.akashik.terms import Closed
from muniment.contracts.akashik.codes import ErrorCode, error_document, error_of
from muniment.contracts.akashik.normalize import meant
from muniment.contracts.akashik.roster import RegisteredAgent, Roster, unsupported
from muniment.contracts.akashik.sessions import FieldSessions
from muniment.contracts.akashik.validation import check_outside, check_payload
from muniment.contracts.akashik.words import FieldOperation
from muniment.contracts.strict.values import Json, JsonObject
from muniment.engine.memory import Memory
from muniment.model import checks
from muniment.model.errors import CallerError, OperationalError

_ANSWERED_WHOLE = frozenset(
    {
        FieldOperation.DEREGISTER,
        FieldOperation.SUBSCRIBE,
        FieldOperation.COORDINATE,
        FieldOperation.SESSION,
        FieldOperation.COMPACT,
    }
)
"""Operations whose answers are kept as they were given: they hold no words of units."""
OBSERVER = "observer"
"""The role of a caller that looks without being registered."""


class Field:
    """One Field over one tenant's memory, which is to be its owner's. Many threads may use it at once."""

    def __init__(self, memory: Memory, settings: FieldSettings | None = None, *, level: int | None = None) -> None:
        chosen = settings if settings is not None else FieldSettings()
        self.settings = chosen if level is None else FieldSettings(level=level)
        self._room = FieldContext(memory, self.settings)
        self._recorder = Recorder(self._room)
        self._feed = NotificationFeed(self._room)
        self._quarrels = OpenConflicts()
        self._operations: dict[FieldOperation, Callable[[MessageContext], JsonObject]] = {
            FieldOperation.REGISTER: lambda desk: take_in(self._room, desk),
            FieldOperation.DEREGISTER: lambda desk: let_go(self._room, desk),
            FieldOperation.RECORD: self._recorder.record,
            FieldOperation.ATTUNE: self._attune,
            FieldOperation.DETECT: lambda desk: detect(self._room, self._recorder, desk),
            FieldOperation.MERGE: lambda desk: merge(self._room, desk),
            FieldOperation.SUBSCRIBE: lambda desk: listen(self._room, desk),
            FieldOperation.REPLAY: lambda desk: replay(self._room, desk),
            FieldOperation.COMPACT: lambda desk: compact(self._room, desk),
            FieldOperation.COORDINATE: lambda desk: work(self._room, desk),
            FieldOperation.HANDOFF: lambda desk: pass_on(self._room, desk),
            FieldOperation.SESSION: lambda desk: meet(self._room, desk),
        }

    @property
    def memory(self) -> Memory:
        return self._room.memory

    def send(self, message: Json, credential: Credential) -> JsonObject:
        """Answer one message: the payload of a response, or an error document. What the world did wrong is told in an
        error document too; only what contradicts itself is raised."""
        operation = str(message.get("operation", "")) if isinstance(message, dict) else ""
        if wrong := check_outside(message):
            return views.refused_for(wrong[0], operation)
        assert isinstance(message, dict), "the shape was checked"
        letter = _opened(message, credential)
        if (unknown := unsupported(Roster(level=self.settings.level), letter.operation)) is not None:
            return unknown
        try:
            letter = self._filled(letter)
            wrong_inside = check_payload(letter.operation, letter.payload, self.settings.level, "/payload")
            if worst := views.errors_in(wrong_inside):
                return views.refused_for(worst[0], operation)
            return self._answer(letter)
        except Closed as closed:
            return closed.answer
        except (CallerError, OperationalError) as error:
            return error_of(error, operation)
        except (msgspec.ValidationError, UnicodeEncodeError):
            words = "/payload: expected numbers that fit and text that can be written"
            return error_document(ErrorCode.INVALID_PAYLOAD, operation, words)

    def _filled(self, letter: ParsedMessage) -> ParsedMessage:
        """A MERGE that names no strategy goes by that of its session, if it acts in one that has one."""
        if letter.operation is not FieldOperation.MERGE or letter.session is None or "strategy" in letter.payload:
            return letter
        session = self._room.state().sessions.get(letter.session)
        usual = session.policies.default_strategy if session is not None else UNSET
        if session is None or usual is UNSET or letter.agent not in {one.agent_id for one in session.members}:
            return letter
        return msgspec.structs.replace(letter, payload={**letter.payload, "strategy": usual.value})

    def _answer(self, letter: ParsedMessage) -> JsonObject:
        if not self._room.lends(letter.credential, letter.agent):
            words = "this credential does not speak for that agent"
            return error_document(ErrorCode.UNAUTHENTICATED, letter.operation, words)
        state = self._room.state()
        if (refused := refused_in(state, letter, self.settings)) is not None:
            return self._before(letter, state) or refused
        return self._operations[letter.operation](self._desk(letter, state))

    def _before(self, letter: ParsedMessage, state: FieldState) -> JsonObject | None:
        """The answer that a message got when it was sent before, though it would be refused by now: its agent has left,
        or its session has ended. What tells of units is not told again to who may no longer see them."""
        if letter.operation in _ANSWERED_WHOLE:
            return self._desk(letter, state).answered(self._room.notebook)
        if letter.operation is FieldOperation.RECORD and letter.agent in state.agents and self._recorder.knows(letter):
            return self._recorder.record(self._desk(letter, state))
        return None

    def _desk(self, letter: ParsedMessage, state: FieldState) -> MessageContext:
        member = state.member(letter.agent)
        if member is None:
            checks.identifier("agent_id", letter.agent)
            member = RegisteredAgent(id=letter.agent, role=OBSERVER, authority=letter.credential.actor.authority)
        return seated(self._room, letter, state, member)

    def _attune(self, desk: MessageContext) -> JsonObject:
        if (refused := self._room.barred(desk.member, FieldOperation.ATTUNE)) is not None:
            return refused
        if desk.state.deferred:
            self._recorder.sweep(desk.state)
        return attune(self._room, desk, self._quarrels)

    def epoch(self) -> int:
        """The present epoch."""
        state = self._room.state()
        return state.epochs.at(state.position)

    def sweep(self) -> int:
        """Compare every unit that was not compared when it was written; how many conflicts that found."""
        return self._recorder.sweep(self._room.state(), most=None)

    def notices(self, agent: str, credential: Credential, after_epoch: int, limit: int = POSITIONS) -> NotificationPage:
        """What happened after an epoch that an agent is to be told, of so many ledger positions at most. Asked again
        it is the same again; the epoch of one answer is where to go on. Raises if the credential does not speak for
        the agent, if it is not registered, or has too little authority."""
        checks.whole("after_epoch", after_epoch, least=0, most=2**62)
        checks.whole("limit", limit, least=1, most=100_000)
        return self._feed.notices(agent, credential, after_epoch, limit)

    def status(self, credential: Credential, agent: str | None = None, session: str | None = None) -> JsonObject:
        """How the Field stands, as far as an agent of this credential, or the caller itself, may see."""
        return self._view(views.STATUS, credential, agent, session, lambda desk: views.status(self._room, desk))

    def agents(self, credential: Credential, agent: str | None = None, session: str | None = None) -> JsonObject:
        """Who is registered."""
        return self._view(views.AGENTS, credential, agent, session, lambda desk: views.agents(self._room, desk))

    def conflicts(
        self,
        credential: Credential,
        agent: str | None = None,
        session: str | None = None,
        filter: JsonObject | None = None,
    ) -> JsonObject:
        """What is in dispute; `filter` is that of a DETECT."""
        return self._view(
            views.CONFLICTS, credential, agent, session, lambda desk: views.conflicts(self._room, desk, filter)
        )

    def work(self, credential: Credential, agent: str | None = None, session: str | None = None) -> JsonObject:
        """What is being worked on: sessions and tasks. A view of our extension."""
        return self._view(board.WORK, credential, agent, session, lambda desk: board.work(self._room, desk))

    def lends(self, credential: Credential, agent: str) -> bool:
        """Whether a credential may act under a name, as the policy stands now."""
        return self._room.lends(credential, agent)

    def retract(
        self, credential: Credential, agent: str, unit_id: str, reason: str, session: str | None = None
    ) -> JsonObject:
        """Take back what an agent recorded, or discard its draft: an operation of our extension."""
        letter = ParsedMessage(
            id="retract",
            operation=FieldOperation.RECORD,
            agent=agent,
            session=session,
            epoch=0,
            payload={},
            credential=credential,
        )
        try:
            if not self._room.lends(credential, agent):
                return error_document(
                    ErrorCode.UNAUTHENTICATED, "RETRACT", "this credential does not speak for that agent"
                )
            state = self._room.state()
            if (refused := refused_in(state, letter, self.settings)) is not None:
                return {**refused, "operation": "RETRACT"}
            return retract(self._desk(letter, state), unit_id, reason)
        except (CallerError, OperationalError) as error:
            return error_of(error, "RETRACT")

    def fail(
        self, credential: Credential, agent: str, reason: str, *, failed: str | None = None, session: str | None = None
    ) -> JsonObject:
        """Report that an agent failed: itself, or, with the authority to let others go, another. An operation of our
        extension; the agent comes back by a REGISTER."""
        letter = ParsedMessage(
            id=f"fail {token_hex(12)}",
            operation=FieldOperation.DEREGISTER,
            agent=agent,
            session=session,
            epoch=0,
            payload={},
            credential=credential,
        )
        try:
            checks.text("reason", reason)
            if not self._room.lends(credential, agent):
                return error_document(ErrorCode.UNAUTHENTICATED, FAIL, "this credential does not speak for that agent")
            state = self._room.state()
            if (refused := refused_in(state, letter, self.settings)) is not None:
                return {**refused, "operation": FAIL}
            answer = give_up(self._room, self._desk(letter, state), failed if failed is not None else agent, reason)
            return {**answer, "operation": FAIL} if "code" in answer else answer
        except (CallerError, OperationalError) as error:
            return error_of(error, FAIL)

    def register(
        self,
        id: str,
        role: str,
        *,
        credential: Credential | None = None,
        interests: Sequence[str] = (),
        authority_level: int | None = None,
    ) -> FieldAgentHandle:
        """Register an agent and return a handle to it. Without a credential the memory's own actor answers for it."""
        owner = credential if credential is not None else Credential(actor=self.memory.actor, agents=("*",))
        return FieldAgentHandle.registered(
            self, owner, id=id, role=role, interests=tuple(interests), authority_level=authority_level
        )

    def _view(
        self,
        name: str,
        credential: Credential,
        agent: str | None,
        session: str | None,
        look: Callable[[MessageContext], JsonObject],
    ) -> JsonObject:
        who = agent if agent is not None else credential.actor.id
        letter = ParsedMessage(
            id=name,
            operation=FieldOperation.REPLAY,
            agent=who,
            session=session,
            epoch=0,
            payload={},
            credential=credential,
        )
        if not self._room.lends(credential, who):
            return error_document(ErrorCode.UNAUTHENTICATED, name, "this credential does not speak for that agent")
        try:
            state = self._room.state()
            if (refused := self._unseen(state, letter, agent)) is not None:
                return {**refused, "operation": name}
            return look(self._desk(letter, state))
        except (CallerError, OperationalError) as error:
            return error_of(error, name)

    def _unseen(self, state: FieldState, letter: ParsedMessage, agent: str | None) -> JsonObject | None:
        """Why somebody may not look: an agent that is named has to be registered, a session has to be its own."""
        if agent is not None and state.member(agent) is None:
            return error_document(ErrorCode.AGENT_NOT_REGISTERED, "", "there is no registered agent of this id")
        if letter.session is None or self.settings.level < HIGHEST:
            return None
        if letter.session in FieldSessions(all=tuple(state.sessions.values())).of(letter.agent):
            return None
        return error_document(ErrorCode.SESSION_NOT_FOUND, "", "there is no session of this id that you take part in")


def _opened(message: JsonObject, credential: Credential) -> ParsedMessage:
    session, epoch, payload = message["session_id"], message["epoch"], message["payload"]
    assert isinstance(epoch, (int, float)), "the shape was checked"
    assert isinstance(payload, dict), "the shape was checked"
    operation = FieldOperation(str(message["operation"]))
    place = session if isinstance(session, str) and session else None
    return ParsedMessage(
        id=str(message["id"]),
        operation=operation,
        agent=str(message["agent_id"]),
        session=place,
        epoch=int(epoch),
        payload=meant(operation, payload, place),
        credential=credential,
    )
