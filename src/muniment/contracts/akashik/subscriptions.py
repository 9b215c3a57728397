"""Who wants to be told what: the subscriptions of a Field as a value. Telling them is a surface's work."""

from __future__ import annotations

from msgspec import UNSET, structs

from muniment.contracts.akashik.codes import ErrorCode, error_document
from muniment.contracts.akashik.payloads import SubscribeRequest, SubscriptionInput
from muniment.contracts.akashik.words import EventName, FieldOperation, SubscribeAction
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.decoding import convert
from muniment.model.value import Value


class FieldSubscription(Value):
    """One subscription of one agent. `own` bounds it to what concerns the agent itself."""

    id: str
    agent: str
    events: tuple[EventName, ...]
    min_relevance: float | None = None
    debounce_ms: int | None = None
    own: bool = False

    @property
    def document(self) -> JsonObject:
        return {
            "id": self.id,
            "events": [one.value for one in self.events],
            "min_relevance": self.min_relevance,
            "debounce_ms": self.debounce_ms,
        }

    def wants(self, event: EventName, relevance: float) -> bool:
        """Whether an event of this relevance is to be told."""
        return event in self.events and (self.min_relevance is None or relevance >= self.min_relevance)


class SubscriptionBook(Value):
    """All subscriptions of a Field."""

    wishes: tuple[FieldSubscription, ...] = ()


def subscribe(book: SubscriptionBook, agent: str, payload: Json, *, fresh: str) -> tuple[SubscriptionBook, JsonObject]:
    """Take up a SUBSCRIBE that was found valid. `fresh` names the subscription if it is a new one."""
    asked = convert(payload, SubscribeRequest)
    wish = asked.subscription if isinstance(asked.subscription, SubscriptionInput) else SubscriptionInput()
    own = [one for one in book.wishes if one.agent == agent]
    match asked.action:
        case SubscribeAction.LIST:
            return book, {"status": "ok", "subscriptions": [one.document for one in own]}
        case SubscribeAction.SUBSCRIBE:
            made = _made(wish, agent, fresh)
            return structs.replace(book, wishes=(*book.wishes, made)), {"status": "ok", "subscription": made.document}
        case SubscribeAction.UNSUBSCRIBE:
            gone = next((one for one in own if one.id == wish.id), None)
            if gone is None:
                words = "you have no subscription of this id"
                return book, error_document(ErrorCode.SUBSCRIPTION_NOT_FOUND, FieldOperation.SUBSCRIBE, words)
            kept = tuple(one for one in book.wishes if one is not gone)
            return structs.replace(book, wishes=kept), {"status": "ok", "subscription": gone.document}


def _made(wish: SubscriptionInput, agent: str, fresh: str) -> FieldSubscription:
    return FieldSubscription(
        id=fresh,
        agent=agent,
        events=() if wish.events is UNSET else tuple(wish.events),
        min_relevance=None if wish.min_relevance is UNSET else wish.min_relevance,
        debounce_ms=None if wish.debounce_ms is UNSET else wish.debounce_ms,
    )
