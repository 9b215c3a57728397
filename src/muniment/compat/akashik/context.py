"""Where operations take place: the memory of a Field, its notebook, its state as it stands, and the seats of agents."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

import msgspec

from muniment.compat.akashik.epochs import Epochs, beyond, push
from muniment.compat.akashik.gated_view import GatedView, gated_view
from muniment.compat.akashik.settings import HIGHEST, Credential, FieldSettings, ParsedMessage
from muniment.compat.akashik.state import ANSWERS, CLOCK, FOLDED, FieldState, folded, jot
from muniment.compat.akashik.visibility import Visibility, acting
from muniment.contracts.akashik.authority import permitted
from muniment.contracts.akashik.codes import ErrorCode, error_document
from muniment.contracts.akashik.commands import FieldCaller
from muniment.contracts.akashik.decode import proposal_name
from muniment.contracts.akashik.roster import RegisteredAgent, Roster, refusal
from muniment.contracts.akashik.sessions import FieldSessions, closed
from muniment.contracts.akashik.words import FieldOperation
from muniment.contracts.names import safe_id
from muniment.contracts.strict.reader import read_json
from muniment.contracts.strict.values import JsonObject
from muniment.engine.memory import Memory
from muniment.engine.notebook import Notebook, Pages
from muniment.engine.session import window
from muniment.model.actor import OWNER
from muniment.model.decoding import decode_json
from muniment.model.note import NoteDraft
from muniment.model.value import Value
from muniment.model.vocabulary import ActorType
from muniment.policy.decide import answers_for_others, resolve

_ANYWHERE = frozenset({FieldOperation.SESSION, FieldOperation.REGISTER, FieldOperation.DEREGISTER})
"""Operations that are the same in any session: who comes or goes does so in all of the Field."""
_ELEVATED = frozenset({OWNER, "curator", "auditor"})
"""Roles that nobody gets by the name of an agent alone."""


class StoredAnswer(Value):
    """The first answer to a message, for when the same message comes again."""

    digest: str
    answer: msgspec.Raw


class Effect(Value):
    """What a turn came to: the answer, what is noted, and whether the same message again shall get the same answer."""

    answer: JsonObject
    jots: tuple[NoteDraft, ...] = ()
    keep: bool = True


Step = Callable[[FieldState, int], Effect]
"""A decision on the state as it stands, given the epoch that the entry it makes will have."""


class FieldContext:
    """One Field's memory with everything that is folded of it. Many threads use one; many processes may have one."""

    def __init__(self, memory: Memory, settings: FieldSettings) -> None:
        self.memory = memory
        self.settings = settings
        self.notebook = Notebook.of(memory)
        self._folding = threading.Lock()
        self._state: FieldState | None = None

    def state(self) -> FieldState:
        """The state as of now."""
        known = self._state
        head, noted, erased = self.notebook.marks()
        if known is None or erased > known.position:
            whole, _ = self.notebook.turn(self.memory.actor.id, lambda pages: ((), _whole(pages)))
            return self._took(whole)
        if noted <= known.position:
            return known if head == known.position else self._took(replace(known, position=head))
        notes, position = self.notebook.since(known.position)
        return self._took(folded(known, notes, position))

    def _took(self, state: FieldState) -> FieldState:
        with self._folding:
            if self._state is None or self._state.position < state.position:
                self._state = state
        return state

    def seen(self, pages: Pages) -> FieldState:
        """The state as a transaction sees it."""
        known = self._state
        if known is None or pages.erased > known.position:
            return _whole(pages)
        return folded(known, pages.since(known.position), pages.head)

    def head(self) -> int:
        with window(self.memory) as snapshot:
            head = snapshot.ledger.head()
        return head.seq if head is not None else 0

    def reach(self) -> int:
        """Up to which position units have their vectors."""
        with window(self.memory) as snapshot:
            return snapshot.meanings.reach().upto

    def lends(self, credential: Credential, agent: str) -> bool:
        """Whether a credential may act under a name, as the policy stands now. One that the policy makes a person, a
        service or a tool is lent only to a credential of the same sort that names it; `"*"` reaches agents alone, and
        none that answers for others."""
        if agent == credential.actor.id or not credential.speaks_for(agent):
            return credential.speaks_for(agent)
        policy = self.memory.insight.policy
        named = resolve(policy, agent)
        if agent in credential.agents:
            return named.type in (ActorType.AGENT, credential.actor.type)
        return named.type is ActorType.AGENT and not answers_for_others(policy, named)

    def seat(self, credential: Credential, member: RegisteredAgent, sessions: Sequence[str]) -> Memory:
        """The memory as an agent sees it: with the authority it registered with, and never more than its caller has."""
        if member.id == credential.actor.id:
            actor = credential.actor
        else:
            named = resolve(self.memory.insight.policy, member.id)
            kept = tuple(role for role in named.roles if role not in _ELEVATED or role in credential.actor.roles)
            actor = msgspec.structs.replace(named, roles=kept)
        authority = min(member.authority, credential.actor.authority)
        everywhere = ("*",) if self.settings.open_sessions else tuple(sessions)
        return self.memory.as_actor(msgspec.structs.replace(actor, sessions=everywhere, authority=authority))

    def looking(self, desk: MessageContext, *, everything: bool = False) -> AbstractContextManager[GatedView]:
        """One moment of the store as an agent sees it, or, where it is about the agent alone, all of it."""
        if not everything:
            return gated_view(desk.seat, desk.sight)
        whole = msgspec.structs.replace(self.settings, cross_session=True, rules=())
        return gated_view(self.memory, msgspec.structs.replace(desk.sight, settings=whole, known={}))

    def turn(self, desk: MessageContext, step: Step) -> JsonObject:
        """Decide on the present state and change it, in one entry. The same message again gets its first answer."""
        letter = desk.letter

        def job(pages: Pages) -> tuple[tuple[NoteDraft, ...], JsonObject]:
            state = self.seen(pages)
            if (found := desk.answered(pages)) is not None:
                return (), found
            if (refused := refused_in(state, letter, self.settings)) is not None:
                return (), refused
            pushed = push(state.epochs, pages.head, letter.epoch, writes=True)
            clock = state.epochs if pushed is None else state.epochs.pushed(pushed)
            deed = step(state, clock.at(pages.head + 1))
            if not deed.jots:
                return (), deed.answer
            extra = [jot(CLOCK, str(pushed.first), pushed)] if pushed is not None else []
            return (*extra, *deed.jots, *(desk.kept(state, deed.answer) if deed.keep else ())), deed.answer

        answer, _ = self.notebook.turn(letter.agent, job)
        return answer

    def keep_up(self, letter: ParsedMessage, state: FieldState) -> Epochs:
        """Take the clock to a message's epoch if it is behind, and return it."""
        if letter.epoch <= state.epochs.at(state.position):
            return state.epochs

        def job(pages: Pages) -> tuple[tuple[NoteDraft, ...], Epochs]:
            clock = self.seen(pages).epochs
            pushed = push(clock, pages.head, letter.epoch, writes=False)
            if pushed is None:
                return (), clock
            return (jot(CLOCK, str(pushed.first), pushed),), clock.pushed(pushed)

        clock, _ = self.notebook.turn(letter.agent, job)
        return clock

    def barred(self, member: RegisteredAgent, operation: FieldOperation, detail: str = "") -> JsonObject | None:
        """Why an operation takes more authority than there is; below level 3 it takes none."""
        if self.settings.level < HIGHEST or permitted(member.authority, operation, detail):
            return None
        return error_document(ErrorCode.INSUFFICIENT_AUTHORITY, operation, "this takes more authority")


class MessageContext(Value):
    """One message on the table: who sent it, as which member, with which seat and which sight."""

    letter: ParsedMessage
    member: RegisteredAgent
    seat: Memory
    sight: Visibility
    state: FieldState
    settings: FieldSettings

    @property
    def caller(self) -> FieldCaller:
        return FieldCaller(id=self.member.id, role=self.member.role, session=self.letter.session)

    @property
    def key(self) -> str:
        return f"{self.letter.agent} {proposal_name(self.letter.agent, self.letter.id)}"

    @property
    def digest(self) -> str:
        """What the message says, in short: the same for the same."""
        said = (self.letter.operation.value, self.letter.session, self.letter.payload)
        return hashlib.sha256(msgspec.json.encode(said, order="sorted")).hexdigest()

    def answered(self, pages: Pages | Notebook) -> JsonObject | None:
        """The answer this message got before, if it came before."""
        note = pages.get(ANSWERS, self.key)
        if note is None or note.body is None:
            return None
        found = decode_json(note.body, StoredAnswer)
        if found.digest != self.digest:
            words = "a message of this id said something else before"
            return error_document(ErrorCode.INVALID_ENVELOPE, self.letter.operation, words)
        answer = read_json(bytes(found.answer))
        assert isinstance(answer, dict), "it was kept as an object"
        return answer

    def kept(self, state: FieldState, answer: JsonObject) -> tuple[NoteDraft, ...]:
        """The note that keeps an answer, and those that let the oldest go."""
        mine = state.answers.get(self.letter.agent, ())
        gone = mine[: max(0, len(mine) + 1 - self.settings.answers_kept)]
        note = jot(ANSWERS, self.key, StoredAnswer(digest=self.digest, answer=msgspec.Raw(msgspec.json.encode(answer))))
        return (note, *(NoteDraft(topic=ANSWERS, key=key) for key in gone))


def _whole(pages: Pages) -> FieldState:
    notes = [note for topic in FOLDED for note in pages.read(topic)]
    return folded(FieldState(), notes, pages.head)


def refused_in(state: FieldState, letter: ParsedMessage, settings: FieldSettings) -> JsonObject | None:
    """Why a message is not taken up in a state: the operation, the agent, the clock or the session is not right."""
    operation, agent = letter.operation, letter.agent
    seated = state.agents.get(agent)
    roster = Roster(level=settings.level, members=(seated.member,) if seated is not None else ())
    if (refused := refusal(roster, operation, agent)) is not None:
        return refused
    if beyond(state.epochs, state.position, letter.epoch):
        words = "the epoch is further ahead than any message may push the clock"
        return error_document(ErrorCode.EPOCH_OVERFLOW, operation, words)
    if settings.level < HIGHEST or operation in _ANYWHERE or letter.session is None:
        return None
    found = state.sessions.get(letter.session)
    return closed(FieldSessions(all=(found,) if found is not None else ()), operation, agent, letter.session)


def seated(room: FieldContext, letter: ParsedMessage, state: FieldState, member: RegisteredAgent) -> MessageContext:
    """A message of a member on the table."""
    capped = msgspec.structs.replace(member, authority=min(member.authority, letter.credential.actor.authority))
    session = safe_id(letter.session) if letter.session else None
    return MessageContext(
        letter=letter,
        member=capped,
        seat=room.seat(letter.credential, capped, (session,) if session is not None else ()),
        sight=acting(capped, session, state.sessions, room.settings),
        state=state,
        settings=room.settings,
    )
