"""Haystack: a memory store of chat messages, each user's apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from haystack import Document, default_from_dict, default_to_dict
from haystack.dataclasses import ChatMessage
from haystack.utils.filters import document_matches_filter

from muniment.adapters.core import (
    PAGE_MAX,
    AdapterMemory,
    Given,
    Json,
    NotKept,
    OnDecision,
    Stored,
    address,
    without_thought,
)
from muniment.model.errors import Malformed, NotFound

_PATH = ("messages",)


class MunimentMemoryStore:
    """`MunimentMemoryStore("./vault", actor="helper")`. Messages without a `user_id` are the actor's own. A message
    that the policy holds or refuses is `NotKept`; those before it are kept."""

    def __init__(
        self,
        memory: Given,
        *,
        actor: str | None = None,
        tenant: str = "default",
        key: str | None = None,
        on_decision: OnDecision | None = None,
    ) -> None:
        self._said = {"memory": memory, "actor": actor, "tenant": tenant}
        self._memory = AdapterMemory(
            memory, adapter="haystack", actor=actor, tenant=tenant, key=key, on_decision=on_decision, private=True
        )

    def to_dict(self) -> dict[str, object]:
        """How to open it again, without its key. An open memory cannot be written down."""
        if not isinstance(self._said["memory"], str):
            raise Malformed("memory", "a folder or an address as text, to be written down")
        return default_to_dict(self, **self._said)

    @classmethod
    def from_dict(cls, data: dict[str, object]) -> MunimentMemoryStore:
        return default_from_dict(cls, data)

    def add_memories(self, *, messages: Sequence[ChatMessage], user_id: str | None = None, **options: object) -> None:
        memory = self._memory.for_user(user_id)
        for message in messages:
            value = without_thought(cast(Json, message.to_dict()))
            written = memory.put(
                _PATH,
                f"{len(_words(message))}:{_words(message)}"[:400],
                value,
                text=_words(message),
                role=message.role.value,
                session=cast("str | None", message.meta.get("session_id")),
            )
            if not written.ok:
                raise NotKept(written)

    def search_memories(
        self,
        *,
        query: str | None = None,
        filters: Mapping[str, object] | None = None,
        top_k: int = 5,
        user_id: str | None = None,
        **options: object,
    ) -> list[ChatMessage]:
        """The messages that answer a query, the best first; without one the latest. Each has `memory_id`, `score` and
        `receipt_id` in its meta."""
        memory = self._memory.for_user(user_id)
        if query is None or not query.strip():
            found = list(reversed(memory.below(_PATH)))
        else:
            found = memory.search(_PATH, query, limit=top_k if filters is None else PAGE_MAX)
        told = [_message(memory, one, scored=bool(query)) for one in found]
        return [one for one in told if filters is None or _fits(one, filters)][:top_k]

    def delete_all_memories(self, *, user_id: str | None = None, **options: object) -> None:
        memory = self._memory.for_user(user_id)
        for one in memory.below(_PATH):
            written = memory.retract(one)
            if not written.ok:
                raise NotKept(written)

    def delete_memory(self, memory_id: str, **options: object) -> None:
        memory, record = self._memory.addressed(memory_id)
        found = memory.record(record)
        if found is None:
            raise NotFound("record", record)
        written = memory.retract(found)
        if not written.ok:
            raise NotKept(written)

    def close(self) -> None:
        self._memory.close()


def _words(message: ChatMessage) -> str:
    results = [str(one.result) for one in message.tool_call_results]
    return "\n".join([*message.texts, *results]) or message.role.value


def _message(memory: AdapterMemory, stored: Stored, *, scored: bool) -> ChatMessage:
    message = ChatMessage.from_dict(cast("dict[str, Json]", stored.value))
    beside = {"memory_id": address(stored.id, memory.user)}
    message.meta.update(beside | ({"score": stored.disclosure.score, "receipt_id": stored.receipt} if scored else {}))
    return message


def _fits(message: ChatMessage, filters: Mapping[str, object]) -> bool:
    document = Document(content=message.text, meta={**message.meta, "role": message.role.value})
    return document_matches_filter(dict(filters), document)
