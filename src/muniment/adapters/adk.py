"""Google ADK: a memory service and a session service, each user of each app apart."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import cast
from urllib.parse import parse_qs, urlsplit

from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.base_session_service import BaseSessionService, GetSessionConfig, ListSessionsResponse
from google.adk.sessions.session import Session
from google.adk.sessions.state import State
from google.genai import types

from muniment.adapters.core import (
    AdapterMemory,
    ChangedMeanwhile,
    Expected,
    Given,
    Json,
    Labels,
    NotKept,
    OnDecision,
    Stored,
    without_thought,
)
from muniment.model.actor import Actor
from muniment.model.errors import Malformed, StoreBusy

_FOUND = 10
_TRIES = 10
_State = dict[str, object]


class MunimentMemoryService(BaseMemoryService):
    """`Runner(memory_service=MunimentMemoryService("./vault", actor="assistant"), …)`, or in `services.yaml` with a
    `uri` such as `muniment:./vault?actor=assistant`. A user finds what was said in their own sessions of one app."""

    def __init__(
        self,
        memory: Given | None = None,
        *,
        uri: str | None = None,
        actor: str | Actor | None = None,
        tenant: str = "default",
        key: str | None = None,
        on_decision: OnDecision | None = None,
        **_: object,
    ) -> None:
        self._memory = _opened(memory, uri, actor, tenant, key, on_decision)

    async def add_session_to_memory(self, session: Session) -> None:
        await asyncio.to_thread(self._add, session.app_name, session.user_id, session.events, session.id)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        await asyncio.to_thread(self._add, app_name, user_id, events, session_id, custom_metadata)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        def added() -> None:
            memory = self._of(user_id)
            for one in memories:
                entry = {**one.model_dump(mode="json", exclude_none=True), "custom_metadata": one.custom_metadata}
                entry["custom_metadata"] = {**entry["custom_metadata"], **(custom_metadata or {})}
                name = f"memory:{one.id or uuid.uuid4()}"
                written = memory.put(
                    _memories(app_name),
                    name,
                    without_thought(entry),
                    text=_said(one.content),
                    role=one.author or "agent",
                )
                if not written.ok:
                    raise NotKept(written)

        await asyncio.to_thread(added)

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        def deleted() -> None:
            memory = self._of(user_id)
            for one in memory.below(_memories(app_name)):
                if memory_id in (None, one.id, one.key.partition(":")[2]):
                    written = memory.retract(one)
                    if not written.ok:
                        raise NotKept(written)
                    if memory_id is not None:  # what was deleted by its id does not come back with its session
                        memory.put(("apps", app_name, "deleted"), one.key, True, text="deleted", role="system")

        await asyncio.to_thread(deleted)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        if not query.strip():
            return SearchMemoryResponse()
        found = await asyncio.to_thread(lambda: self._of(user_id).search(_memories(app_name), query, limit=_FOUND))
        return SearchMemoryResponse(memories=[_entry(one) for one in found])

    def close(self) -> None:
        self._memory.close()

    def _of(self, user: str) -> AdapterMemory:
        return self._memory.for_user(_named(user))

    def _add(
        self,
        app: str,
        user: str,
        events: Sequence[Event],
        session: str | None,
        metadata: Mapping[str, object] | None = None,
    ) -> None:
        memory = self._of(user)
        for event in events:
            said = _said(event.content)
            name = f"event:{event.id}"
            if not said or memory.get(("apps", app, "deleted"), name) is not None:
                continue
            entry: dict[str, object] = {
                "content": event.content.model_dump(mode="json", exclude_none=True),
                "author": event.author,
                "timestamp": _iso(event.timestamp),
                "custom_metadata": dict(metadata or {}),
            }
            memory.append(
                (*_memories(app), session or "unknown"),
                without_thought(cast(Json, entry)),
                text=said,
                role=_role(event),
                session=session,
                key=name,
            )


class MunimentSessionService(BaseSessionService):
    """`Runner(session_service=MunimentSessionService("./vault", actor="assistant"), …)`. State under `user:` is the
    user's, state under `app:` every user's of the app."""

    def __init__(
        self,
        memory: Given | None = None,
        *,
        uri: str | None = None,
        actor: str | Actor | None = None,
        tenant: str = "default",
        key: str | None = None,
        on_decision: OnDecision | None = None,
        **_: object,
    ) -> None:
        self._memory = _opened(memory, uri, actor, tenant, key, on_decision)

    async def create_session(
        self,
        *,
        app_name: str,
        user_id: str,
        state: dict[str, object] | None = None,
        session_id: str | None = None,
    ) -> Session:
        name = (session_id or "").strip() or str(uuid.uuid4())
        return await asyncio.to_thread(self._create, app_name, user_id, name, dict(state or {}))

    async def get_session(
        self, *, app_name: str, user_id: str, session_id: str, config: GetSessionConfig | None = None
    ) -> Session | None:
        return await asyncio.to_thread(self._get, app_name, user_id, session_id.strip(), config)

    async def list_sessions(self, *, app_name: str, user_id: str | None = None) -> ListSessionsResponse:
        """The sessions of one user. Without a user there are none: nobody lists everybody's."""
        if user_id is None:
            return ListSessionsResponse()
        found = await asyncio.to_thread(self._list, app_name, user_id)
        return ListSessionsResponse(sessions=sorted(found, key=lambda one: (one.last_update_time, one.id)))

    async def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        def deleted() -> None:
            memory = self._of(user_id)
            memory.clear(_events(app_name, session_id.strip()))
            memory.delete(_sessions(app_name), session_id.strip())

        await asyncio.to_thread(deleted)

    async def get_user_state(self, *, app_name: str, user_id: str) -> dict[str, object]:
        return await asyncio.to_thread(lambda: _state(self._of(user_id).get(("apps", app_name), "user_state")))

    async def append_event(self, session: Session, event: Event) -> Event:
        if event.partial:
            return event
        known = await asyncio.to_thread(self._append, session, event)
        if known:
            await super().append_event(session=session, event=event)
            session.last_update_time = event.timestamp
        return event

    def close(self) -> None:
        self._memory.close()

    def _of(self, user: str) -> AdapterMemory:
        return self._memory.for_user(_named(user))

    def _create(self, app: str, user: str, name: str, state: _State) -> Session:
        memory, now = self._of(user), time.time()
        own = {key: one for key, one in state.items() if not key.startswith((State.APP_PREFIX, State.USER_PREFIX))}
        own = {key: one for key, one in own.items() if not key.startswith(State.TEMP_PREFIX)}
        head = cast(Json, {"state": own, "time": now})
        try:
            written = memory.put(
                _sessions(app), name, head, role="system", session=name, detect=False, expected=Expected.NOTHING
            )
        except ChangedMeanwhile:
            raise AlreadyExistsError(f"Session with id {name} already exists.") from None
        if not written.ok:
            raise NotKept(written)
        self._change(app, user, state)
        return self._whole(app, user, name, own, [], now)

    def _get(self, app: str, user: str, name: str, config: GetSessionConfig | None) -> Session | None:
        memory = self._of(user)
        head = memory.get(_sessions(app), name)
        if head is None or not isinstance(head.value, dict):
            return None
        events = [Event.model_validate(one.value) for one in memory.below(_events(app, name))]
        last = max([cast(float, head.value["time"]), *(one.timestamp for one in events)])
        if config is not None and config.num_recent_events is not None:
            events = events[-config.num_recent_events :] if config.num_recent_events else []
        if config is not None and config.after_timestamp is not None:
            events = [one for one in events if one.timestamp >= config.after_timestamp]
        return self._whole(app, user, name, _state(head, "state"), events, last)

    def _list(self, app: str, user: str) -> list[Session]:
        memory, found = self._of(user), []
        times: dict[str, float] = {}
        for one in memory.below(("apps", app, "events")):
            said = one.value.get("timestamp") if isinstance(one.value, dict) else None
            times[one.path[3]] = max(times.get(one.path[3], 0.0), said if isinstance(said, float) else 0.0)
        for head in memory.below(_sessions(app)):
            if isinstance(head.value, dict):
                last = max(cast(float, head.value["time"]), times.get(head.key, 0.0))
                found.append(self._whole(app, user, head.key, _state(head, "state"), [], last))
        return found

    def _append(self, session: Session, event: Event) -> bool:
        """Keep an event and what it changes; False if it is kept already."""
        app, user, name = session.app_name, session.user_id, session.id
        memory = self._of(user)
        if memory.get(_sessions(app), name) is None:
            raise SessionNotFoundError(f"Session {name} not found.")
        delta = dict(event.actions.state_delta) if event.actions else {}
        lasting = {key: one for key, one in delta.items() if not key.startswith(State.TEMP_PREFIX)}
        kept = event.model_copy(update={"actions": event.actions.model_copy(update={"state_delta": lasting})})
        written = memory.append(
            _events(app, name),
            without_thought(kept.model_dump(mode="json", exclude_none=True)),
            text=_said(event.content) or f"{event.author}: an event",
            role=_role(event),
            session=name,
            key=event.id,
        )
        if written.state == "unchanged":
            return False
        self._change(app, user, lasting, name)
        return True

    def _change(self, app: str, user: str, delta: _State, session: str | None = None) -> None:
        """Apply a change of state to the session, the user and the app. Changes of others at the same time are kept."""
        for prefix, memory, path, key in (
            (State.APP_PREFIX, self._memory, ("apps", app), "app_state"),
            (State.USER_PREFIX, self._of(user), ("apps", app), "user_state"),
            ("", self._of(user), _sessions(app), session),
        ):
            said = {
                name.removeprefix(prefix): one
                for name, one in delta.items()
                if (name.startswith(prefix) if prefix else ":" not in name)
            }
            if said and key is not None:
                _merge(memory, path, key, said, within="state" if key == session else None)

    def _whole(self, app: str, user: str, name: str, own: _State, events: list[Event], last: float) -> Session:
        """A session with the state of its app and its user merged in."""
        state = dict(own)
        for prefix, memory, key in (
            (State.APP_PREFIX, self._memory, "app_state"),
            (State.USER_PREFIX, self._of(user), "user_state"),
        ):
            found = _state(memory.get(("apps", app), key))
            state |= {f"{prefix}{field}": one for field, one in found.items()}
        return Session(app_name=app, user_id=user, id=name, state=state, events=events, last_update_time=last)


def _opened(
    memory: Given | None,
    uri: str | None,
    actor: str | Actor | None,
    tenant: str,
    key: str | None,
    on_decision: OnDecision | None,
) -> AdapterMemory:
    """What is named by itself or, in `services.yaml`, by a `uri`: `muniment:./vault?actor=name&tenant=name`."""
    if memory is None:
        if uri is None:
            raise Malformed("memory", "a vault folder, an address, an open memory, or a uri such as muniment:./vault")
        parts = urlsplit(uri)
        said = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        memory = said.get("address") or f"{parts.netloc}{parts.path}"
        actor, tenant = actor or said.get("actor"), said.get("tenant", tenant)
    return AdapterMemory(
        memory, adapter="adk", actor=actor, tenant=tenant, key=key, on_decision=on_decision, private=True
    )


def _merge(memory: AdapterMemory, path: Labels, key: str, said: _State, *, within: str | None) -> None:
    for _ in range(_TRIES):
        present = memory.get(path, key)
        whole = dict(present.value) if present is not None and isinstance(present.value, dict) else {}
        if within is None:
            changed = cast(Json, {**whole, **said})
        else:
            changed = cast(Json, {**whole, within: {**_state(present, within), **said}})
        try:
            expected = Expected.NOTHING if present is None else present.revision
            written = memory.put(path, key, changed, role="system", detect=False, expected=expected)
        except ChangedMeanwhile:
            continue
        if not written.ok:
            raise NotKept(written)
        return
    raise StoreBusy(f"{key} is being changed by others")


def _state(stored: Stored | None, within: str | None = None) -> _State:
    value = stored.value if stored is not None and isinstance(stored.value, dict) else {}
    found = value if within is None else value.get(within)
    return {**found} if isinstance(found, dict) else {}


def _named(user: str) -> str:
    if not isinstance(user, str) or not user:
        raise Malformed("user_id", "a text that is not empty")
    return user


def _memories(app: str) -> Labels:
    return ("apps", app, "memory")


def _sessions(app: str) -> Labels:
    return ("apps", app, "sessions")


def _events(app: str, session: str) -> Labels:
    return ("apps", app, "events", session)


def _said(content: types.Content | None) -> str:
    parts = content.parts if content is not None and content.parts else []
    words = [part.text for part in parts if part.text and not part.thought]
    words += [str(part.function_response.response) for part in parts if part.function_response is not None]
    return "\n".join(words)


def _role(event: Event) -> str:
    parts = event.content.parts if event.content is not None and event.content.parts else []
    if any(part.function_response is not None for part in parts):
        return "tool"
    return "user" if event.author == "user" else "agent"


def _iso(timestamp: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(timestamp))


def _entry(found: Stored) -> MemoryEntry:
    value = found.value if isinstance(found.value, dict) else {}
    metadata = value.get("custom_metadata")
    return MemoryEntry(
        content=types.Content.model_validate(value.get("content") or {}),
        custom_metadata={**(metadata if isinstance(metadata, dict) else {}), "muniment": found.flags},
        id=found.id,
        author=value.get("author"),
        timestamp=value.get("timestamp"),
    )
