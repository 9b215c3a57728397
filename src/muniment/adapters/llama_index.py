"""LlamaIndex: a memory block that tells what fits the last words of a user, as fenced data, and keeps what was said."""

from __future__ import annotations

import asyncio

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemoryBlock
from pydantic import Field, PrivateAttr

from muniment.adapters.core import AdapterMemory, without_thought


class MunimentMemoryBlock(BaseMemoryBlock[str]):
    """`Memory.from_defaults(memory_blocks=[MunimentMemoryBlock(name="muniment", memory="./vault", user="ada")],
    insert_method="user")`. Insert it as the user's words: what is recalled has no authority of the system."""

    name: str = "muniment"
    memory: object = Field(exclude=True, repr=False)
    actor: object = Field(default=None, exclude=True)
    user: str | None = None
    tenant: str = "default"
    key: str | None = Field(default=None, exclude=True, repr=False)
    limit: int = 5
    _opened: AdapterMemory = PrivateAttr()

    def model_post_init(self, context: object, /) -> None:
        super().model_post_init(context)
        self._opened = AdapterMemory(
            self.memory,  # type: ignore[arg-type]  # what is no memory is refused by name
            adapter="llama_index",
            actor=self.actor,  # type: ignore[arg-type]  # the same
            user=self.user,
            tenant=self.tenant,
            key=self.key,
            private=True,
        )

    async def _aget(self, messages: list[ChatMessage] | None = None, **_: object) -> str:
        asked = next((one.content for one in reversed(messages or []) if one.role == MessageRole.USER), None)
        if not asked or not asked.strip():
            return ""
        told = await asyncio.to_thread(lambda: self._opened.recall(asked, limit=self.limit))
        return told.render().text if told.records else ""

    async def _aput(self, messages: list[ChatMessage]) -> None:
        await asyncio.to_thread(self._put, messages)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """A block that is too long is left out whole: half a fence is none."""
        return None

    def close(self) -> None:
        self._opened.close()

    def _put(self, messages: list[ChatMessage]) -> None:
        for message in messages:
            session = message.additional_kwargs.get("session_id")
            self._opened.append(
                ("messages",) if session is None else ("messages", str(session)),
                without_thought(message.model_dump(mode="json")),
                text=message.content or message.role.value,
                role=message.role.value,
                session=None if session is None else str(session),
            )
