"""What one agent may see of a Field: session membership first, then the rules for its role, then its authority."""

from __future__ import annotations

from collections.abc import Mapping

from muniment.compat.akashik.settings import HIGHEST, FieldSettings
from muniment.contracts.akashik.coordination import FieldSession
from muniment.contracts.akashik.decode import NAMESPACE
from muniment.contracts.akashik.roster import RegisteredAgent
from muniment.contracts.akashik.sessions import FieldSessions
from muniment.contracts.akashik.tables import TYPE_OF
from muniment.model.card import Card
from muniment.model.query import Disclosure
from muniment.model.record import Record
from muniment.model.rows import Tally
from muniment.model.status import Status
from muniment.model.value import Value
from muniment.model.vocabulary import Kind, Scope

LEADING = 8
"""With this much authority one sees, from inside a session, what belongs to none."""
_PRIVATE = frozenset({Status.DRAFT.value, Status.DISCARDED.value})


class Visibility(Value):
    """One agent's view: acting in `sessions` (None among them stands for what belongs to no session). Whoever may see
    a unit at all is the policy's to say first; a sight only ever takes away."""

    member: RegisteredAgent
    sessions: frozenset[str | None]
    known: Mapping[str, FieldSession]
    settings: FieldSettings

    def card(self, card: Card) -> bool:
        """Whether a revision is shown, by its card. A draft is its author's alone, and so is what became of it; what is
        in quarantine is nobody's."""
        if card.status == Status.HELD or (card.status in _PRIVATE and card.actor != self.member.id):
            return False
        session = session_of(card.scope, card.scope_id, card.session_id)
        return self._of_field(card.scope, card.namespace, session) and self._shows(card.actor, Kind(card.kind), session)

    def record(self, record: Record) -> bool:
        place = record.claim.place
        session = session_of(place.scope, place.scope_id, place.session_id)
        shown = self._of_field(place.scope, place.namespace, session)
        return shown and self._shows(record.actor, record.claim.nature.kind, session)

    def unit(self, found: Disclosure) -> bool:
        status = found.standing.status
        private = status.value in _PRIVATE and found.record.actor != self.member.id
        return not private and status is not Status.HELD and self.record(found.record)

    def tally(self, tally: Tally) -> bool:
        session = session_of(tally.scope, tally.scope_id, None)
        shown = self._of_field(tally.scope, tally.namespace, session)
        return shown and self._shows(tally.actor, Kind(tally.kind), session)

    def session(self, session: str | None) -> bool:
        """Whether what belongs to a session, or to none, is for this agent's eyes at all. Below level 3 there are no
        sessions that anybody could be kept out of."""
        return self.settings.open_sessions or session in self.sessions

    def _of_field(self, scope: str, namespace: str, session: str | None) -> bool:
        """Whether something is the Field's to show. What others keep in a session is, to who acts in a session that the
        Field itself made: a name alone opens nobody's."""
        if scope != Scope.SESSION or namespace == NAMESPACE:
            return True
        return self.settings.level == HIGHEST and session in self.sessions and session in self.known

    @property
    def plain(self) -> bool:
        """Whether nothing is kept from this agent that the policy shows it and that belongs where it acts."""
        acting_in = (self.known[one] for one in self.sessions if one is not None and one in self.known)
        ruled = any(one.policies.visibility_rules for one in acting_in)
        return None in self.sessions and not self.settings.rules and not ruled

    def _shows(self, author: str, kind: Kind, session: str | None) -> bool:
        if not self.session(session):
            return False
        if self.settings.level < HIGHEST or author == self.member.id:
            return True
        here = (self.known[session],) if session is not None and session in self.known else ()
        return FieldSessions(all=here, rules=self.settings.rules).shows(self.member, TYPE_OF[kind], session)


def session_of(scope: str, scope_id: str, session: str | None) -> str | None:
    """The session that something belongs to, if it does to one."""
    return scope_id if scope == Scope.SESSION and session is None else session


def acting(
    member: RegisteredAgent, session: str | None, known: Mapping[str, FieldSession], settings: FieldSettings
) -> Visibility:
    """The view of an agent that acts in one session, or in none."""
    outside = session is None or settings.level < HIGHEST or settings.commons_in_sessions or member.authority >= LEADING
    sessions: frozenset[str | None] = frozenset({session, None} if outside else {session})
    return Visibility(member=member, sessions=sessions, known=known, settings=settings)


def listening(member: RegisteredAgent, known: Mapping[str, FieldSession], settings: FieldSettings) -> Visibility:
    """The view of an agent that is told what happens: in all its sessions, and outside of any."""
    mine = FieldSessions(all=tuple(known.values())).of(member.id)
    return Visibility(member=member, sessions=frozenset({*mine, None}), known=known, settings=settings)
