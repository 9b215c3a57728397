"""Claude Agent SDK: a `SessionStore` that mirrors transcripts into a memory, entry by entry."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import cast

from claude_agent_sdk import (
    SessionKey,
    SessionListSubkeysKey,
    SessionStore,
    SessionStoreEntry,
    SessionStoreListEntry,
    SessionSummaryEntry,
    fold_session_summary,
)

from muniment.adapters.core import AdapterMemory, Given, Json, Labels, OnDecision, Stored, readable, without_thought
from muniment.model.actor import Actor

_ENTRIES, _SUBPATHS = "entries", "subpaths"


class MunimentSessionStore(SessionStore):
    """`ClaudeAgentOptions(session_store=MunimentSessionStore("./vault", actor="claude", user="ada"))`.

    Entries with a `uuid` are kept once. Private reasoning (`thinking` blocks) is left out.
    """

    def __init__(
        self,
        memory: Given,
        *,
        actor: str | Actor | None = None,
        user: str | None = None,
        tenant: str = "default",
        key: str | None = None,
        on_decision: OnDecision | None = None,
    ) -> None:
        self._memory = AdapterMemory(
            memory,
            adapter="claude_agent",
            actor=actor,
            user=user,
            tenant=tenant,
            key=key,
            on_decision=on_decision,
            private=True,
        )

    async def append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> None:
        await asyncio.to_thread(self._append, key, entries)

    async def load(self, key: SessionKey) -> list[SessionStoreEntry] | None:
        found = await asyncio.to_thread(self._memory.below, _path(key))
        entries = [cast(SessionStoreEntry, one.value) for one in found if one.path == _path(key)]
        return entries or None

    async def list_sessions(self, project_key: str) -> list[SessionStoreListEntry]:
        found = await asyncio.to_thread(self._sessions, project_key)
        return [{"session_id": name, "mtime": _mtime(entries)} for name, entries in found.items()]

    async def list_session_summaries(self, project_key: str) -> list[SessionSummaryEntry]:
        """Folded from the entries, so that there is nothing that could be older than they are."""
        found = await asyncio.to_thread(self._sessions, project_key)
        return [_summary(project_key, name, entries) for name, entries in found.items()]

    async def delete(self, key: SessionKey) -> None:
        await asyncio.to_thread(self._memory.clear, _path(key) if key.get("subpath") else _session(key))

    async def list_subkeys(self, key: SessionListSubkeysKey) -> list[str]:
        found = await asyncio.to_thread(self._memory.below, (*_session(key), _SUBPATHS))
        return list(dict.fromkeys(one.path[-1] for one in found))

    def close(self) -> None:
        self._memory.close()

    def _append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> None:
        for entry in entries:
            value = cast(Json, entry)
            uuid = entry.get("uuid")
            message = entry.get("message")
            said = readable(message.get("content")) if isinstance(message, dict) else readable(value)
            self._memory.append(
                _path(key),
                without_thought(value),
                text=said,
                role=_role(entry),
                session=key["session_id"],
                key=f"uuid:{uuid}" if isinstance(uuid, str) and uuid else None,
            )

    def _sessions(self, project: str) -> dict[str, list[Stored]]:
        found: dict[str, list[Stored]] = defaultdict(list)
        for one in self._memory.below(("projects", project)):
            if one.path[3] == _ENTRIES:
                found[one.path[2]].append(one)
        return dict(found)


def _session(key: SessionKey | SessionListSubkeysKey) -> Labels:
    return ("projects", key["project_key"], key["session_id"])


def _path(key: SessionKey) -> Labels:
    subpath = key.get("subpath")
    return (*_session(key), _SUBPATHS, subpath) if subpath else (*_session(key), _ENTRIES)


def _mtime(entries: list[Stored]) -> int:
    return max(int(one.updated_at.timestamp() * 1_000) for one in entries)


def _summary(project: str, session: str, entries: list[Stored]) -> SessionSummaryEntry:
    key: SessionKey = {"project_key": project, "session_id": session}
    folded = fold_session_summary(None, key, [cast(SessionStoreEntry, one.value) for one in entries])
    return {**folded, "mtime": _mtime(entries)}


def _role(entry: SessionStoreEntry) -> str:
    """Who speaks: what a tool returned comes as a user's entry, and is no user's word."""
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list) and any(isinstance(one, dict) and one.get("type") == "tool_result" for one in content):
        return "tool"
    kind = entry.get("type")
    return kind if kind in ("user", "assistant", "system") else "agent"
