"""On which terms a Field writes into its memory: only while the message may still be taken up, and, inside a session,
by what the session says of disputes."""

from __future__ import annotations

from msgspec import UNSET, structs

from muniment.compat.akashik.context import FieldContext, MessageContext, refused_in
from muniment.compat.akashik.state import FieldState
from muniment.contracts.akashik.coordination import SessionPolicies
from muniment.contracts.strict.values import JsonObject
from muniment.engine.notebook import Pages
from muniment.engine.terms import WriteTerms
from muniment.policy.rules import DetectorEffect, DisputePolicy
from muniment.ports.store import Unit

CONTESTS = 0.5
"""From this sensitivity on what disagrees is contested, below it is put on record alone, and at 0 nobody looks."""
_STRENGTH = {DetectorEffect.IGNORE: 0, DetectorEffect.NOTE: 1, DetectorEffect.CONTEST: 2}


class Closed(Exception):
    """Carries the refusal of a message out of the transaction that was to write it."""

    def __init__(self, answer: JsonObject) -> None:
        super().__init__()
        self.answer = answer


def terms_of(room: FieldContext, desk: MessageContext, session: str | None) -> WriteTerms:
    """The terms of one message, about something that belongs to a session or to none."""

    def hold(unit: Unit) -> None:
        pages = Pages(unit)
        if not pages.since(desk.state.position):
            return
        if (refused := refused_in(room.seen(pages), desk.letter, room.settings)) is not None:
            raise Closed(refused)

    return WriteTerms(hold=hold, disputes=disputes_in(room, desk.state, session))


def disputes_in(room: FieldContext, state: FieldState, session: str | None) -> DisputePolicy | None:
    """What a session says of disputes, as far as the policy goes; None where it says nothing."""
    found = state.sessions.get(session) if session is not None else None
    return _ruled(room.memory.insight.policy.disputes, found.policies) if found is not None else None


def _ruled(policy: DisputePolicy, said: SessionPolicies) -> DisputePolicy | None:
    quorum = policy.quorum if said.vote_quorum is UNSET else max(1, said.vote_quorum)
    most = DetectorEffect.CONTEST
    if said.detection_sensitivity is not UNSET and said.detection_sensitivity < CONTESTS:
        most = DetectorEffect.NOTE if said.detection_sensitivity > 0 else DetectorEffect.IGNORE
    ruled = structs.replace(
        policy, quorum=quorum, detector=_lesser(policy.detector, most), judge=_lesser(policy.judge, most)
    )
    return ruled if ruled != policy else None


def _lesser(one: DetectorEffect, other: DetectorEffect) -> DetectorEffect:
    return min(one, other, key=lambda word: _STRENGTH[word])
