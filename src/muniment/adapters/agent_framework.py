"""Microsoft Agent Framework: a context provider that recalls before a run and keeps what was said after it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from agent_framework import AgentSession, ContextProvider, Message, SessionContext, SupportsAgentRun

from muniment.adapters.core import AdapterMemory, Given, OnDecision, without_thought
from muniment.model.actor import Actor


class MunimentContextProvider(ContextProvider):
    """`Agent(client, context_providers=[MunimentContextProvider("./vault", actor="helper", user="ada")])`.

    What is recalled is added as a message of the user's side, fenced as data, never to the instructions. `user` is a
    name, or says by the session whose memory it is.
    """

    def __init__(
        self,
        memory: Given,
        *,
        source_id: str = "muniment",
        actor: str | Actor | None = None,
        user: str | Callable[[AgentSession], str | None] | None = None,
        tenant: str = "default",
        key: str | None = None,
        limit: int = 5,
        keep: bool = True,
        on_decision: OnDecision | None = None,
    ) -> None:
        super().__init__(source_id)
        self.limit = limit
        self.keep = keep
        self._user = user if callable(user) else None
        self._memory = AdapterMemory(
            memory,
            adapter="agent_framework",
            actor=actor,
            user=user if isinstance(user, str) else None,
            tenant=tenant,
            key=key,
            on_decision=on_decision,
            private=True,
        )

    async def before_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, object]
    ) -> None:
        asked = "\n".join(one.text for one in context.input_messages if one.role == "user" and one.text)
        if not asked.strip():
            return
        memory = self._of(session)
        told = await asyncio.to_thread(lambda: memory.recall(asked, limit=self.limit))
        if told.records:
            state["receipt_id"] = told.receipt_id
            context.extend_messages(self, [Message(role="user", contents=[told.render().text])])

    async def after_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, object]
    ) -> None:
        if self.keep:
            answered = list(context.response.messages) if context.response is not None else []
            await asyncio.to_thread(self._keep, session, [*context.input_messages, *answered])

    def close(self) -> None:
        self._memory.close()

    def _of(self, session: AgentSession) -> AdapterMemory:
        return self._memory if self._user is None else self._memory.for_user(self._user(session))

    def _keep(self, session: AgentSession, messages: Sequence[Message]) -> None:
        memory = self._of(session)
        for message in messages:
            if message.text:
                memory.append(
                    ("sessions", session.session_id),
                    without_thought({"role": message.role, "text": message.text, "author_name": message.author_name}),
                    text=message.text,
                    role=message.role,
                    session=session.session_id,
                )
