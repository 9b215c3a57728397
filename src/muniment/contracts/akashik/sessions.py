"""The sessions of a Field as a value: who takes part, who leads, what may be written, what a role is shown."""

from __future__ import annotations

from msgspec import UNSET, UnsetType, structs, to_builtins

from muniment.contracts.akashik.authority import LEAD, TAKE_PART, permitted
from muniment.contracts.akashik.codes import ErrorCode, error_document
from muniment.contracts.akashik.coordination import FieldSession, Membership, SessionPolicies, SessionRequest
from muniment.contracts.akashik.events import FieldEvent
from muniment.contracts.akashik.roster import RegisteredAgent
from muniment.contracts.akashik.states import SESSION, may_become
from muniment.contracts.akashik.words import EventName, FieldOperation, SessionAction, SessionStatus, UnitType
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.decoding import convert
from muniment.model.value import Value

STEPS: dict[SessionAction, SessionStatus] = {
    SessionAction.PAUSE: SessionStatus.PAUSED,
    SessionAction.RESUME: SessionStatus.ACTIVE,
    SessionAction.END: SessionStatus.ENDED,
}
_ANNOUNCED = {SessionStatus.PAUSED: EventName.SESSION_PAUSED, SessionStatus.ENDED: EventName.SESSION_ENDED}
_WRITES = frozenset(
    {
        FieldOperation.RECORD,
        FieldOperation.COORDINATE,
        FieldOperation.HANDOFF,
        FieldOperation.MERGE,
        FieldOperation.COMPACT,
    }
)


class TypeRule(Value):
    """Types that a Field keeps from agents below an authority."""

    types: frozenset[UnitType]
    least: int


class FieldSessions(Value):
    """All sessions of a Field, and the types it keeps from the lowly."""

    all: tuple[FieldSession, ...] = ()
    rules: tuple[TypeRule, ...] = ()

    def find(self, name: str) -> FieldSession | None:
        return next((one for one in self.all if one.id == name), None)

    def of(self, agent: str) -> frozenset[str]:
        """The sessions an agent is a member of."""
        return frozenset(one.id for one in self.all if _takes_part(one, agent))

    def put(self, session: FieldSession) -> FieldSessions:
        known = self.find(session.id) is not None
        every = tuple(session if one.id == session.id else one for one in self.all)
        return structs.replace(self, all=every if known else (*every, session))

    def shows(self, member: RegisteredAgent, kind: UnitType, session: str | None) -> bool:
        """Whether a member is shown a unit of a type from a session, after membership was seen to: by the rules that
        its creator set for the member's role, and by what the Field keeps from those of little authority."""
        lowly = any(kind in rule.types and member.authority < rule.least for rule in self.rules)
        found = self.find(session) if session is not None else None
        return not lowly and (found is None or _shown(found, member, kind))


class SessionResult(Value):
    """What became of the sessions, what is answered, and what is announced."""

    sessions: FieldSessions
    answer: JsonObject
    events: tuple[FieldEvent, ...] = ()


def closed(sessions: FieldSessions, operation: FieldOperation, agent: str, session: str | None) -> JsonObject | None:
    """Why nothing is done in a session: it is not there, it is not the agent's, or it is not open for this. What has
    ended can only be replayed."""
    if session is None:
        return None
    found = sessions.find(session)
    if found is None:
        return error_document(ErrorCode.SESSION_NOT_FOUND, operation, "there is no session of this id")
    if not _takes_part(found, agent):
        return error_document(ErrorCode.INSUFFICIENT_AUTHORITY, operation, "only members act in a session")
    ended = found.status is SessionStatus.ENDED and operation is not FieldOperation.REPLAY
    if ended or (found.status is SessionStatus.PAUSED and operation in _WRITES):
        return error_document(ErrorCode.INVALID_TRANSITION, operation, f"the session is {found.status}")
    return None


def decide_session(
    sessions: FieldSessions, payload: Json, member: RegisteredAgent, *, epoch: int, fresh: str
) -> SessionResult:
    """Take up a SESSION that was found valid. `fresh` names a session that is made."""
    asked = convert(payload, SessionRequest)
    if asked.action is SessionAction.LIST:
        mine = [to_builtins(one) for one in sessions.all if _takes_part(one, member.id)]
        return SessionResult(sessions=sessions, answer={"status": "ok", "sessions": mine})
    if asked.action is SessionAction.CREATE:
        return _create(sessions, asked, member, epoch, fresh)
    found = sessions.find(asked.session_id or "") if isinstance(asked.session_id, str) else None
    if found is None:
        return _refused(sessions, ErrorCode.SESSION_NOT_FOUND, "there is no session of this id")
    if not _may(found, asked.action, member):
        return _refused(sessions, ErrorCode.INSUFFICIENT_AUTHORITY, f"{asked.action} is not for this agent")
    if asked.action is SessionAction.GET:
        return _answered(sessions, found)
    if found.status is SessionStatus.ENDED:
        return _refused(sessions, ErrorCode.INVALID_TRANSITION, "the session has ended")
    return _stepped(sessions, found, asked, member, epoch)


def _create(
    sessions: FieldSessions, asked: SessionRequest, member: RegisteredAgent, epoch: int, fresh: str
) -> SessionResult:
    if not permitted(member.authority, FieldOperation.SESSION, LEAD):
        return _refused(sessions, ErrorCode.INSUFFICIENT_AUTHORITY, "to lead a session takes more authority")
    session = FieldSession(
        id=fresh,
        goal=str(asked.goal),
        status=SessionStatus.ACTIVE,
        creator=member.id,
        members=[Membership(agent_id=member.id, role=member.role)],
        policies=SessionPolicies() if asked.policies is UNSET else asked.policies,
        epoch_started=epoch,
        epoch_ended=None,
    )
    return _answered(sessions.put(session), session)


def _stepped(
    sessions: FieldSessions, found: FieldSession, asked: SessionRequest, member: RegisteredAgent, epoch: int
) -> SessionResult:
    if (after := STEPS.get(asked.action)) is not None:
        return _moved(sessions, found, after, member, epoch)
    others = [one for one in found.members if one.agent_id != member.id]
    if asked.action is SessionAction.JOIN:
        changed = structs.replace(found, members=[*others, Membership(agent_id=member.id, role=member.role)])
    elif asked.action is SessionAction.LEAVE:
        changed = structs.replace(found, members=others)
    else:
        policies = SessionPolicies() if isinstance(asked.policies, UnsetType) else asked.policies
        changed = structs.replace(found, policies=policies)
    return _answered(sessions.put(changed), changed)


def _moved(
    sessions: FieldSessions, found: FieldSession, after: SessionStatus, member: RegisteredAgent, epoch: int
) -> SessionResult:
    if not may_become(SESSION, found.status, after):
        return _refused(
            sessions, ErrorCode.INVALID_TRANSITION, f"a session that is {found.status} cannot become {after}"
        )
    ended = epoch if after is SessionStatus.ENDED else None
    changed = structs.replace(found, status=after, epoch_ended=ended)
    events: tuple[FieldEvent, ...] = ()
    if (name := _ANNOUNCED.get(after)) is not None:
        words = f"{found.id} is {after}"
        events = (FieldEvent(event=name, epoch=epoch, by=member.id, words=words, session=found.id),)
    return _answered(sessions.put(changed), changed, events)


def _may(session: FieldSession, action: SessionAction, member: RegisteredAgent) -> bool:
    """Whether this is for the member: rules for its creator alone, its life for the creator and for those who may lead,
    the rest for whoever may take part, and to look at it for members."""
    creator = session.creator == member.id
    match action:
        case SessionAction.SET_POLICY:
            return creator
        case SessionAction.PAUSE | SessionAction.RESUME | SessionAction.END:
            return creator or permitted(member.authority, FieldOperation.SESSION, LEAD)
        case SessionAction.GET | SessionAction.LEAVE:
            return _takes_part(session, member.id)
        case _:
            return permitted(member.authority, FieldOperation.SESSION, TAKE_PART)


def _takes_part(session: FieldSession, agent: str) -> bool:
    return any(one.agent_id == agent for one in session.members)


def _shown(session: FieldSession, member: RegisteredAgent, kind: UnitType) -> bool:
    rules = session.policies.visibility_rules
    mine = [] if rules is UNSET else [rule for rule in rules if rule.role == member.role]
    shown = [rule for rule in mine if rule.effect != "hide"]
    hidden = any(kind in rule.types for rule in mine if rule.effect == "hide")
    return not hidden and (not shown or any(kind in rule.types for rule in shown))


def _answered(sessions: FieldSessions, session: FieldSession, events: tuple[FieldEvent, ...] = ()) -> SessionResult:
    return SessionResult(sessions=sessions, answer={"status": "ok", "session": to_builtins(session)}, events=events)


def _refused(sessions: FieldSessions, code: ErrorCode, words: str) -> SessionResult:
    return SessionResult(sessions=sessions, answer=error_document(code, FieldOperation.SESSION, words))
