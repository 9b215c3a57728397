"""Three functions an agent framework can offer its model: remember, recall, forget."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from muniment.compat.memledger.face import Memledger
from muniment.compat.memledger.results import NOTHING

Tool = Callable[..., Awaitable[str]]


def create_memory_tools(
    memledger: Memledger, default_namespace: str = "/", default_agent_id: str | None = None
) -> list[Tool]:
    """The tools as plain async functions with their names and docstrings, for any framework to wrap. What they write
    has the given agent as its author, and what they read is read in its name."""

    async def remember(
        content: str,
        namespace: str = default_namespace,
        record_type: str = "semantic",
        metadata: Mapping[str, object] | None = None,
    ) -> str:
        """Keep something in memory."""
        name = await memledger.add(
            content,
            namespace=namespace,
            record_type=record_type,
            metadata=metadata,
            agent_id=default_agent_id,
            created_by=default_agent_id,
        )
        return f"Stored as {name}" if name else "Not stored"

    async def recall(
        query: str, namespace: str | None = default_namespace, record_type: str | None = None, top_k: int = 5
    ) -> str:
        """Find what memory holds about something."""
        found = await memledger.search(
            query, namespace=namespace, record_type=record_type, top_k=top_k, requester_id=default_agent_id
        )
        lines = [f"{number}. ({record.id}) {record.content}" for number, record in enumerate(found, start=1)]
        return "\n".join(lines) or NOTHING

    async def forget(record_id: str) -> str:
        """Archive a memory by its id."""
        done = await memledger.delete(record_id, requester_id=default_agent_id)
        return f"Archived {record_id}" if done else f"There is no memory {record_id}"

    return [remember, recall, forget]
