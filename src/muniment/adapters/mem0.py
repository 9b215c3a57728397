"""mem0's `Memory`: change one import, and what an agent adds is governed. No model is needed."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from secrets import token_hex
from typing import TypeAlias, cast

from muniment.adapters.core import AdapterMemory, Given, Json, Labels, OnDecision, Stored, Written, address
from muniment.model.actor import Actor
from muniment.model.errors import NotFound

Found: TypeAlias = dict[str, object]
Extract: TypeAlias = Callable[[Sequence[Mapping[str, str]]], Sequence[str]]
_UNSET = object()
_IDS = ("user_id", "agent_id", "run_id")
_HERE = "./muniment-data"


class Memory:
    """`Memory()` uses the vault `./muniment-data`; `Memory("./vault", actor="helper")` any other, a database, a server
    or an open memory. `extract` may make statements of messages; without it they are kept as they were said."""

    def __init__(
        self,
        memory: Given = _HERE,
        *,
        actor: str | Actor | None = None,
        tenant: str = "default",
        key: str | None = None,
        extract: Extract | None = None,
        on_decision: OnDecision | None = None,
    ) -> None:
        self._extract = extract
        self._memory = AdapterMemory(
            memory, adapter="mem0", actor=actor, tenant=tenant, key=key, on_decision=on_decision
        )

    @classmethod
    def from_config(cls, config_dict: Mapping[str, object]) -> Memory:
        """mem0's own settings (`llm`, `embedder`, `vector_store`, …) are not needed; ours stand under `muniment`:
        `memory`, `actor`, `tenant`, `key`."""
        said = config_dict.get("muniment", {})
        return cls(**dict(cast("Mapping[str, str]", said)))  # type: ignore[arg-type]  # a wrong one is refused by name

    def add(
        self,
        messages: str | Mapping[str, str] | Sequence[Mapping[str, str]],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, object] | None = None,
        timestamp: object = None,
        expiration_date: str | date | None = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> Found:
        """Propose what was said. `event` is ADD, NONE (it is known), HELD or REFUSED; the last two with a `reason`."""
        if timestamp is not None:
            raise ValueError("timestamp is not supported")
        ids = _ids({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        memory, results = self._of(ids), list[Found]()
        for said in self._said(messages, infer=infer):
            value = {"memory": said["content"], "metadata": dict(metadata or {}), **ids, "role": said["role"]}
            value |= {"actor_id": said["name"]} if said.get("name") else {}
            written = memory.put(
                _path(ids),
                hashlib.md5(said["content"].encode()).hexdigest() if infer else token_hex(8),
                cast(Json, value),
                text=said["content"],
                role=said["role"],
                session=ids.get("run_id"),
                lasts=_lasts(expiration_date),
            )
            results.append(_added(written, said, ids))
        return {"results": results}

    def get(self, memory_id: str) -> Found | None:
        found = self._by_id(memory_id)
        return None if found is None else _item(found[1])

    def get_all(
        self, *, filters: Mapping[str, object] | None = None, top_k: int = 20, show_expired: bool = False, **ids: str
    ) -> Found:
        scope, rest = _scope(filters, ids)
        found = self._of(scope).below(_path(scope)[:2], expired=show_expired)
        return {"results": [_item(one) for one in found if _fits(one, scope, rest)][:top_k]}

    def search(
        self,
        query: str,
        *,
        top_k: int = 20,
        filters: Mapping[str, object] | None = None,
        threshold: float = 0.1,
        rerank: bool = False,
        explain: bool = False,
        reference_date: object = None,
        show_expired: bool = False,
        **ids: str,
    ) -> Found:
        """What answers the query, the best first; nothing if nothing fits. With `explain` each brings its receipt."""
        if reference_date is not None:
            raise ValueError("reference_date is not supported")
        if not query.strip():
            raise ValueError("query must not be empty")
        scope, rest = _scope(filters, ids)
        found = self._of(scope).search(_path(scope)[:2], query.strip(), limit=top_k if not rest else 200)
        chosen = [one for one in found if _fits(one, scope, rest)]
        if threshold > 0.1:
            chosen = [one for one in chosen if one.disclosure.score >= threshold]
        items = [_item(one) | {"score": one.disclosure.score} for one in chosen[:top_k]]
        if explain:
            items = [item | {"score_details": one.flags} for item, one in zip(items, chosen, strict=False)]
        return {"results": items}

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, object] | None = None,
        expiration_date: object = _UNSET,
        data: str | None = None,
    ) -> Found:
        memory, present = self._there(memory_id)
        value = dict(cast("dict[str, Json]", present.value))
        said = text if text is not None else data
        value |= {"memory": said} if said is not None else {}
        value |= {"metadata": cast(Json, dict(metadata))} if metadata is not None else {}
        lasts = present.lasts if expiration_date is _UNSET else _lasts(cast("str | date | None", expiration_date))
        written = memory.put(
            present.path,
            present.key,
            value,
            text=str(value["memory"]),
            role=str(value.get("role", "agent")),
            session=cast("str | None", value.get("run_id")),
            lasts=lasts,
        )
        return {"message": "Memory updated successfully!"} if written.ok else _undone(written)

    def delete(self, memory_id: str) -> Found:
        memory, present = self._there(memory_id)
        written = memory.retract(present)
        return {"message": "Memory deleted successfully!"} if written.ok else _undone(written)

    def delete_all(self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None) -> Found:
        ids = _ids({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        memory = self._of(ids)
        found = [one for one in memory.below(_path(ids)[:2], expired=True) if _fits(one, ids, {})]
        refused = [written for one in found if not (written := memory.retract(one)).ok]
        return _undone(refused[0]) if refused else {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[Found]:
        """What a memory said and when, the oldest first."""
        memory, record = self._named(memory_id)
        told: list[Found] = []
        try:
            revisions = list(memory.revisions(record))
        except NotFound:
            return []
        for disclosure, stored in revisions:
            value = cast("dict[str, Json]", stored.value)
            told.append(
                {
                    "id": f"{stored.id}@{stored.revision}",
                    "memory_id": memory_id,
                    "old_memory": told[-1]["new_memory"] if told else None,
                    "new_memory": value["memory"],
                    "event": "UPDATE" if told else "ADD",
                    "created_at": stored.created_at.isoformat(),
                    "updated_at": stored.updated_at.isoformat(),
                    "is_deleted": 0,
                    "actor_id": value.get("actor_id"),
                    "role": value.get("role"),
                }
            )
            if disclosure.standing.status.value == "retracted":
                gone = {"old_memory": value["memory"], "new_memory": None, "event": "DELETE", "is_deleted": 1}
                told.append({**told[-1], "id": f"{told[-1]['id']}-deleted", **gone})
        return told

    def reset(self) -> None:
        """Take back everything that the actor contributed, of all users. Needs the right to withdraw it."""
        self._memory.withdraw("reset through the mem0 adapter")

    def close(self) -> None:
        self._memory.close()

    def chat(self, query: str) -> str:
        raise NotImplementedError("Chat function not implemented yet.")

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _said(
        self, messages: str | Mapping[str, str] | Sequence[Mapping[str, str]], *, infer: bool
    ) -> Iterator[dict[str, str]]:
        """What is to be kept of the messages: what the extractor makes of them, else what was said but for the system's
        words."""
        said: Sequence[Mapping[str, str]]
        if isinstance(messages, str):
            said = [{"role": "user", "content": messages}]
        elif isinstance(messages, Mapping):
            said = [messages]
        elif isinstance(messages, (list, tuple)):
            said = messages
        else:
            raise TypeError("messages must be str, dict, or list[dict]")
        if infer and self._extract is not None:
            yield from ({"role": "assistant", "content": one} for one in self._extract(said))
            return
        for message in said:
            content, role = message.get("content"), message.get("role", "user")
            if role != "system" and isinstance(content, str) and content.strip():
                yield {"role": role, "content": content, "name": message.get("name", "")}

    def _of(self, ids: Mapping[str, str]) -> AdapterMemory:
        return self._memory.for_user(ids.get("user_id"))

    def _named(self, memory_id: str) -> tuple[AdapterMemory, str]:
        return self._memory.addressed(memory_id)

    def _by_id(self, memory_id: str) -> tuple[AdapterMemory, Stored] | None:
        memory, record = self._named(memory_id)
        try:
            found = memory.record(record)
        except NotFound:
            return None
        return None if found is None else (memory, found)

    def _there(self, memory_id: str) -> tuple[AdapterMemory, Stored]:
        found = self._by_id(memory_id)
        if found is None:
            raise ValueError(f"Memory with id {memory_id} not found")
        return found


class AsyncMemory:
    """The same, awaited."""

    def __init__(self, memory: Given = _HERE, **options: object) -> None:
        self._memory = Memory(memory, **options)  # type: ignore[arg-type]  # a wrong one is refused by name

    @classmethod
    async def from_config(cls, config_dict: Mapping[str, object]) -> AsyncMemory:
        made = cls.__new__(cls)
        made._memory = await asyncio.to_thread(Memory.from_config, config_dict)
        return made

    async def add(self, messages: str | Mapping[str, str] | Sequence[Mapping[str, str]], **options: object) -> Found:
        options.pop("llm", None)
        return await asyncio.to_thread(self._memory.add, messages, **options)  # type: ignore[arg-type]  # the same

    async def get(self, memory_id: str) -> Found | None:
        return await asyncio.to_thread(self._memory.get, memory_id)

    async def get_all(self, **options: object) -> Found:
        return await asyncio.to_thread(self._memory.get_all, **options)  # type: ignore[arg-type]  # the same

    async def search(self, query: str, **options: object) -> Found:
        return await asyncio.to_thread(self._memory.search, query, **options)  # type: ignore[arg-type]  # the same

    async def update(self, memory_id: str, text: str | None = None, **options: object) -> Found:
        return await asyncio.to_thread(self._memory.update, memory_id, text, **options)  # type: ignore[arg-type]  # the same

    async def delete(self, memory_id: str) -> Found:
        return await asyncio.to_thread(self._memory.delete, memory_id)

    async def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> Found:
        return await asyncio.to_thread(self._memory.delete_all, user_id, agent_id, run_id)

    async def history(self, memory_id: str) -> list[Found]:
        return await asyncio.to_thread(self._memory.history, memory_id)

    async def reset(self) -> None:
        await asyncio.to_thread(self._memory.reset)

    async def chat(self, query: str) -> str:
        return self._memory.chat(query)

    async def close(self) -> None:
        await asyncio.to_thread(self._memory.close)


def _ids(given: Mapping[str, object]) -> dict[str, str]:
    """The ids that were said. One at least must be: nobody asks for everybody's."""
    said: dict[str, str] = {}
    for name in _IDS:
        value = given.get(name)
        if value is None:
            continue
        if not isinstance(value, str) or not value.strip() or value.strip() == "*":
            raise ValueError(f"{name}: one id as a text that is not empty, and no pattern")
        said[name] = value.strip()
    if not said:
        raise ValueError("At least one of 'user_id', 'agent_id' or 'run_id' must be provided.")
    return said


def _scope(filters: Mapping[str, object] | None, ids: Mapping[str, object]) -> tuple[dict[str, str], dict[str, object]]:
    """Whose memories are meant, and what else is asked of them. An id counts where it stands alone or under AND."""
    unknown = set(ids) - set(_IDS)
    if unknown:
        raise TypeError(f"unexpected argument: {min(unknown)}")
    rest = dict(filters or {})
    said: dict[str, object] = dict(ids)
    for part in (rest, *(one for one in _list(rest.get("AND")) if isinstance(one, Mapping))):
        said |= {name: part[name] for name in _IDS if name in part}
    return _ids(said), rest


def _path(ids: Mapping[str, str]) -> Labels:
    """Where memories are: a user's in that user's memory; those without a user under their agent or run."""
    if "user_id" in ids:
        return ("users", "own")
    return ("agents", ids["agent_id"]) if "agent_id" in ids else ("runs", ids["run_id"])


def _fits(stored: Stored, scope: Mapping[str, str], rest: Mapping[str, object]) -> bool:
    value = cast("dict[str, Json]", stored.value)
    metadata = value.get("metadata")
    fields = {**(metadata if isinstance(metadata, dict) else {}), **{name: value.get(name) for name in _IDS}}
    return all(value.get(name) == one for name, one in scope.items()) and _matches(fields, rest)


def _matches(fields: Mapping[str, Json], wanted: Mapping[str, object]) -> bool:
    """Whether fields are as a mem0 filter asks: equality, operators, AND, OR, NOT."""
    for name, than in wanted.items():
        parts = [one for one in _list(than) if isinstance(one, Mapping)]
        match name:
            case "AND" | "$and":
                met = all(_matches(fields, one) for one in parts)
            case "OR" | "$or":
                met = any(_matches(fields, one) for one in parts)
            case "NOT" | "$not":
                met = not any(_matches(fields, one) for one in parts)
            case _:
                met = _met(fields.get(name), than)
        if not met:
            return False
    return True


def _met(value: Json, than: object) -> bool:
    if not isinstance(than, Mapping):
        return (value is not None) if than == "*" else value == than
    return all(_compares(value, str(operator), one) for operator, one in than.items())


def _compares(value: Json, operator: str, than: object) -> bool:
    match operator:
        case "eq" | "ne":
            return (value == than) is (operator == "eq")
        case "in" | "nin":
            return (value in _list(than)) is (operator == "in")
        case "contains":
            return str(than) in value if isinstance(value, str) else than in _list(value)
        case "icontains":
            return isinstance(value, str) and str(than).casefold() in value.casefold()
        case "gt" | "gte" | "lt" | "lte":
            numbers = isinstance(value, (int, float)) and isinstance(than, (int, float))
            if not numbers and not (isinstance(value, str) and isinstance(than, str)):
                return False
            order = (value > than) - (value < than)  # type: ignore[operator]  # two numbers or two texts
            return {"gt": order > 0, "gte": order >= 0, "lt": order < 0, "lte": order <= 0}[operator]
    raise ValueError(f"Unsupported filter operator: {operator}")


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, (list, tuple)) else []


def _lasts(until: str | date | None) -> timedelta | None:
    """How long something lasts that lasts through a day."""
    if until is None:
        return None
    day = until if isinstance(until, date) else date.fromisoformat(until)
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1) - datetime.now(UTC)


def _id(record: str, ids: Mapping[str, object]) -> str:
    user = ids.get("user_id")
    return address(record, user if isinstance(user, str) else None)


def _added(written: Written, said: Mapping[str, str], ids: Mapping[str, str]) -> Found:
    event = {"kept": "ADD", "unchanged": "NONE", "held": "HELD"}.get(written.state, "REFUSED")
    name = _id(written.record_id, ids) if written.ok and written.record_id is not None else written.proposal_id
    found: Found = {"id": name, "memory": said["content"], "event": event, "role": said["role"]}
    found["actor_id"] = said.get("name") or None
    return found if written.ok else {**found, "reason": written.told}


def _undone(written: Written) -> Found:
    return {"message": written.told, "event": "HELD" if written.state == "held" else "REFUSED"}


def _item(stored: Stored) -> Found:
    value = cast("dict[str, Json]", stored.value)
    text = str(value["memory"])
    item: Found = {
        "id": _id(stored.id, value),
        "memory": text,
        "hash": hashlib.md5(text.encode()).hexdigest(),
        "metadata": value.get("metadata") or None,
        "created_at": stored.created_at.isoformat(),
        "updated_at": stored.updated_at.isoformat(),
    }
    return item | {name: value[name] for name in (*_IDS, "actor_id", "role") if value.get(name) is not None}
