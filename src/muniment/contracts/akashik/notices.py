"""Which notices go to whom: notifications made of what happened, within what each subscriber may see and wants.

Carrying them is a surface's work; which there are is decided here, so that every surface decides alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from muniment.contracts.akashik.events import FieldEvent
from muniment.contracts.akashik.subscriptions import FieldSubscription
from muniment.contracts.akashik.words import EventName
from muniment.contracts.strict.values import JsonObject
from muniment.model.value import Value

STANDING = "standing"
"""The subscription every agent has without asking: that its own units were superseded or a conflict over them ended."""

_ASKS_FOR_ACTION = frozenset(
    {
        EventName.MEMORY_CONTESTED,
        EventName.CONFLICT_DETECTED,
        EventName.TASK_ASSIGNED,
        EventName.HANDOFF_INCOMING,
    }
)


class SubscriberView(Value):
    """What one agent may see: units with how much each matters to it, and the sessions it is a member of."""

    units: Mapping[str, float] = {}
    sessions: frozenset[str] = frozenset()


class AddressedNotification(Value):
    """A notification and who gets it."""

    agent: str
    document: JsonObject


class LastNotified(Value):
    """When each subscription was last told of each thing, in milliseconds. What is older than any wait is let go."""

    at: Mapping[str, int] = {}


def standing(agent: str) -> FieldSubscription:
    """What an agent is told of without asking. A merge has to notify the authors of what it touches."""
    events = (EventName.MEMORY_SUPERSEDED, EventName.CONFLICT_RESOLVED)
    return FieldSubscription(id=STANDING, agent=agent, events=events, own=True)


def notices(
    wishes: Sequence[FieldSubscription],
    events: Sequence[FieldEvent],
    views: Mapping[str, SubscriberView],
    told: LastNotified,
    *,
    now_ms: int,
) -> tuple[tuple[AddressedNotification, ...], LastNotified]:
    """Every notice that is due, and the memory of having given it. Nobody is told what it did itself, what it may not
    see, what it did not ask for, what matters too little, or the same thing again too soon."""
    at = dict(told.at)
    due: list[AddressedNotification] = []
    for happened in events:
        for wish in wishes:
            relevance = relevance_of(happened, wish, views.get(wish.agent, SubscriberView()))
            if relevance is None or not wish.wants(happened.event, relevance):
                continue
            key = f"{wish.agent} {wish.id} {happened.entity}"
            if key in at and now_ms - at[key] < (wish.debounce_ms or 0):
                continue
            if wish.debounce_ms:
                at[key] = now_ms
            due.append(AddressedNotification(agent=wish.agent, document=document_of(happened, wish, relevance)))
    return tuple(due), LastNotified(at=at)


def relevance_of(happened: FieldEvent, wish: FieldSubscription, view: SubscriberView) -> float | None:
    """How much an event matters to a subscriber; None if it is not for its eyes."""
    mine = wish.agent in happened.concerns
    if happened.by == wish.agent or (happened.addressed and not mine) or (wish.own and not mine):
        return None
    if happened.session is not None and happened.session not in view.sessions:
        return None
    if not happened.units:
        return 1.0
    scores = [view.units[unit] for unit in happened.units if unit in view.units]
    return max(scores) if len(scores) == len(happened.units) else None


def document_of(happened: FieldEvent, wish: FieldSubscription, relevance: float) -> JsonObject:
    """The notification of an event under a subscription."""
    return {
        "subscription_id": wish.id,
        "event": happened.event.value,
        "epoch": happened.epoch,
        "relevance_score": round(relevance, 6),
        "summary": happened.words,
        "memory_unit_id": happened.unit,
        "conflict_id": happened.conflict,
        "requires_action": happened.event in _ASKS_FOR_ACTION and wish.agent in happened.concerns,
    }
