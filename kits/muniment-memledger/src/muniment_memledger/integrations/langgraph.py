"""Three tools an agent framework offers its model: remember, recall, forget."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from muniment_memledger.memledger import Memledger
from muniment_memledger.strategies.retrieval import NOTHING

Tool = Any
"""A StructuredTool of LangChain, or a plain async function where LangChain is not installed."""


def create_memory_tools(
    memledger: Memledger, default_namespace: str = "/", default_agent_id: str | None = None
) -> list[Tool]:
    """LangChain's tools where langchain-core is installed, else the same as plain async functions. What they write has
    the given agent as its author, and what they read is read in its name."""

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
        """Delete a memory by its id. It is archived: its history stays, and it answers no more."""
        done = await memledger.delete(record_id, requester_id=default_agent_id)
        return f"Memory {record_id} deleted." if done else f"Memory {record_id} not found."

    return [_as_tool(function) for function in (remember, recall, forget)]


def _as_tool(function: Callable[..., Awaitable[str]]) -> Tool:
    if find_spec("langchain_core") is None:
        return function
    tools = import_module("langchain_core.tools")
    return tools.StructuredTool.from_function(coroutine=function)
