"""What push and polling carry: what happened after an epoch, for one agent, the same whenever it is asked for again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from muniment.compat.akashik.context import FieldContext
from muniment.compat.akashik.gated_view import GatedView, gated_view
from muniment.compat.akashik.operation_log import logged_in
from muniment.compat.akashik.settings import HIGHEST, Credential
from muniment.compat.akashik.state import FieldState
from muniment.compat.akashik.visibility import listening
from muniment.contracts.akashik.authority import permitted
from muniment.contracts.akashik.events import FieldEvent, events_of
from muniment.contracts.akashik.notices import LastNotified, SubscriberView, document_of, relevance_of, standing
from muniment.contracts.akashik.relevance import lasting
from muniment.contracts.akashik.roster import RegisteredAgent
from muniment.contracts.akashik.subscriptions import FieldSubscription
from muniment.contracts.akashik.words import FieldOperation
from muniment.contracts.strict.values import JsonObject
from muniment.model.entry import Entry, EntryKind
from muniment.model.errors import NotFound, NotPermitted, Unauthenticated
from muniment.model.status import Status
from muniment.model.value import Value, read_canonical
from muniment.ports.store import Snapshot

POSITIONS = 256
"""So many ledger positions are looked at for one answer, unless something else is said."""
REMEMBERED = 4_096
"""Of so many positions it is remembered what happened there."""


class NotificationPage(Value):
    """Notifications in the order of their epochs, all there are up to `epoch` and of no epoch only some. `waits` says
    of each subscription how long the same thing must not be told again, where it said so."""

    documents: tuple[JsonObject, ...]
    epoch: int
    waits: Mapping[str, int] = {}


class NotificationFeed:
    """Reads what happened out of the ledger, once for all agents, and says what of it goes to one."""

    def __init__(self, room: FieldContext) -> None:
        self._room = room
        self._read: OrderedDict[int, tuple[FieldEvent, ...]] = OrderedDict()
        self._reading = threading.Lock()

    def notices(self, agent: str, credential: Credential, after: int, limit: int) -> NotificationPage:
        """What an agent is to be told of the next positions after an epoch, so many of them at most."""
        state = self._room.state()
        member = self._member(state, agent, credential)
        clock, first = state.epochs, state.epochs.first(after + 1)
        last = min(state.position, first + max(1, limit) - 1)
        if last < first:
            return NotificationPage(documents=(), epoch=max(after, clock.at(state.position)))
        sight = listening(member, state.sessions, self._room.settings)
        seat = self._room.seat(credential, member, tuple(one for one in sight.sessions if one is not None))
        wishes = _wishes(state, agent)
        with gated_view(seat, sight) as look:
            events = [(seq, one) for seq in range(first, last + 1) for one in self._happened(look.snapshot, seq)]
            documents = tuple(_due(look, wishes, member, events, state))
        waits = {wish.id: wish.debounce_ms for wish, _ in wishes if wish.debounce_ms}
        return NotificationPage(documents=documents, epoch=clock.at(last), waits=waits)

    def _member(self, state: FieldState, agent: str, credential: Credential) -> RegisteredAgent:
        if not self._room.lends(credential, agent):
            raise Unauthenticated("agent_id")
        member = state.member(agent)
        if member is None:
            raise NotFound("agent", agent)
        authority = min(member.authority, credential.actor.authority)
        if self._room.settings.level == HIGHEST and not permitted(authority, FieldOperation.SUBSCRIBE):
            raise NotPermitted(agent, "be told what happens: that takes more authority")
        return msgspec.structs.replace(member, authority=authority)

    def _happened(self, snapshot: Snapshot, seq: int) -> tuple[FieldEvent, ...]:
        known = self._read.get(seq)
        if known is None:
            known = tuple(_read(snapshot, seq))
            with self._reading:
                self._read[seq] = known
                while len(self._read) > REMEMBERED:
                    self._read.popitem(last=False)
        return known


class _Cards:
    """What the catalogue knows of revisions."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._catalogue = snapshot.catalogue

    def name(self, rid: int) -> str | None:
        card = self._catalogue.card(rid)
        return card.id if card is not None else None

    def author(self, rid: int) -> str | None:
        card = self._catalogue.card(rid)
        return card.actor if card is not None else None

    def before(self, rid: int, seq: int) -> Status | None:
        standing_ = self._catalogue.standing_at(rid, seq - 1)
        return standing_.status if standing_ is not None else None


def _read(snapshot: Snapshot, seq: int) -> Iterator[FieldEvent]:
    """What one entry tells, with positions for epochs where the ledger itself tells it."""
    stored = snapshot.ledger.entry(seq)
    if stored is None:
        return
    entry = read_canonical(stored.body, Entry)
    if entry.kind is not EntryKind.NOTED:
        yield from events_of(entry, _Cards(snapshot))
        return
    for line in logged_in(snapshot, entry):
        yield from line.events


def _wishes(state: FieldState, agent: str) -> list[tuple[FieldSubscription, int]]:
    """What an agent wants to be told, each since which position; the standing one since ever."""
    own = [(one.wish, one.since) for one in state.wishes.values() if one.wish.agent == agent]
    return [*own, (standing(agent), 0)]


def _due(
    look: GatedView,
    wishes: Sequence[tuple[FieldSubscription, int]],
    member: RegisteredAgent,
    events: Sequence[tuple[int, FieldEvent]],
    state: FieldState,
) -> Iterator[JsonObject]:
    topics = (*member.interests, member.role)
    scores: dict[str, float | None] = {}
    sessions = frozenset(one for one in look.sight.sessions if one is not None)
    for seq, one in events:
        wanted = [wish for wish, since in wishes if since < seq and one.event in wish.events]
        if not wanted:
            continue
        for unit in one.units:
            if unit not in scores:
                found = look.unit(unit)
                scores[unit] = lasting(found.record.claim, topics) if found is not None else None
        seen = {unit: score for unit in one.units if (score := scores[unit]) is not None}
        told = msgspec.structs.replace(one, epoch=state.epochs.at(seq))
        for wish in wanted:
            relevance = relevance_of(told, wish, SubscriberView(units=seen, sessions=sessions))
            if relevance is not None and wish.wants(told.event, relevance):
                yield document_of(told, wish, relevance)


def debounced(
    documents: Sequence[JsonObject], waits: Mapping[str, int], told: LastNotified, now_ms: int
) -> tuple[tuple[JsonObject, ...], LastNotified]:
    """Those of the notifications that are not the same thing again too soon, and the memory of having told them. One
    `told` belongs to one stream."""
    at = {key: when for key, when in told.at.items() if now_ms - when < max(waits.values(), default=0)}
    due = []
    for document in documents:
        wait = waits.get(str(document["subscription_id"]), 0)
        key = f"{document['subscription_id']} {_entity(document)}"
        if wait and key in at and now_ms - at[key] < wait:
            continue
        if wait:
            at[key] = now_ms
        due.append(document)
    return tuple(due), LastNotified(at=at)


def _entity(document: JsonObject) -> str:
    """What a notification is about. One of a task, a session or an agent names it first in its words."""
    for name in ("memory_unit_id", "conflict_id"):
        if isinstance(document[name], str):
            return f"{name} {document[name]}"
    return str(document["summary"]).partition(" ")[0]
