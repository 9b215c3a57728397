"""memledger's six tools as a server object offers them: listed with their schemas, called by name, answering in text.

No transport: whatever speaks the protocol lists the tools and hands the calls on. Beyond memledger's arguments a caller
can say who asks, how sure it is and on what, and the access rules are asked for every call.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated

import msgspec

from muniment.contracts.strict.values import JsonObject
from muniment.model.decoding import convert
from muniment.model.errors import Malformed
from muniment_memledger.memledger import Memledger
from muniment_memledger.policies.confidence_policy import ConfidencePolicy
from muniment_memledger.records import MemoryRecord, RecordType
from muniment_memledger.strategies.retrieval import NOTHING


class Arguments(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What every tool can be told: who asks."""

    agent_id: str | None = None


class Store(Arguments):
    """Keep something in memory."""

    content: str
    namespace: str = "/"
    record_type: RecordType = RecordType.SEMANTIC
    metadata: dict[str, Annotated[object, msgspec.Meta(extra_json_schema={"description": "any value"})]] = (
        msgspec.field(default_factory=dict)
    )
    session_id: str | None = None
    confidence: float = 0.5
    hedged: bool = False
    derived_from: list[str] = msgspec.field(default_factory=list)
    supersedes: str | None = None


class Search(Arguments):
    """Find what memory holds about something."""

    query: str
    namespace: str | None = None
    top_k: int = 5
    min_threshold: float | None = None
    flag_threshold: float | None = None


class Recall(Arguments):
    """Find episodes like a situation, procedures that may help, and what failed before."""

    query: str
    namespace: str | None = None
    top_k: int = 5


class Delete(Arguments):
    """Archive a memory by its id."""

    record_id: str


class Stats(Arguments):
    """Count what memory holds."""

    namespace: str | None = None


class Namespaces(Arguments):
    """List the namespaces that hold something."""


class MemledgerMCPServer:
    """The tools over one Memledger. `identity` is who asks where a call does not say."""

    def __init__(self, memledger: Memledger, *, identity: str | None = None) -> None:
        self.memledger = memledger
        self._identity = identity
        self._tools: dict[str, tuple[type[Arguments], Callable[..., Awaitable[str]]]] = {
            "memory_store": (Store, self._store),
            "memory_search": (Search, self._search),
            "memory_recall": (Recall, self._recall),
            "memory_delete": (Delete, self._delete),
            "memory_stats": (Stats, self._stats),
            "memory_namespaces": (Namespaces, self._namespaces),
        }

    def list_tools(self) -> list[JsonObject]:
        """Each tool with what it does and the JSON Schema of its arguments."""
        return [
            {"name": name, "description": (kind.__doc__ or "").strip(), "inputSchema": _schema(kind)}
            for name, (kind, _) in self._tools.items()
        ]

    async def call_tool(self, name: str, arguments: Mapping[str, object] | None = None) -> str:
        """Call a tool. Arguments it does not know, or that are not what they must be, are refused."""
        if name not in self._tools:
            raise Malformed("tool", "one of " + ", ".join(self._tools))
        kind, tool = self._tools[name]
        try:
            given = convert(dict(arguments or {}), kind)
        except msgspec.ValidationError as error:
            raise Malformed("arguments", f"what {name} takes ({error})") from None
        given.agent_id = given.agent_id or self._identity
        return await tool(given)

    async def _store(self, given: Store) -> str:
        name = await self.memledger.add(
            given.content,
            namespace=given.namespace,
            record_type=given.record_type,
            metadata=given.metadata,
            agent_id=given.agent_id,
            session_id=given.session_id,
            confidence=given.confidence,
            hedged=given.hedged,
            derived_from=given.derived_from,
            supersedes=given.supersedes,
        )
        return f"Stored as {name}" if name else "Not stored"

    async def _search(self, given: Search) -> str:
        said = {"min_threshold": given.min_threshold, "flag_threshold": given.flag_threshold}
        limits: ConfidencePolicy | dict[str, object] | None = {k: v for k, v in said.items() if v is not None} or None
        found = await self.memledger.search(
            given.query,
            namespace=given.namespace,
            top_k=given.top_k,
            requester_id=given.agent_id,
            confidence_policy=limits,
        )
        return "\n".join(_line(number, record) for number, record in enumerate(found, start=1)) or NOTHING

    async def _recall(self, given: Recall) -> str:
        found = await self.memledger.recall_context(
            given.query, namespace=given.namespace, top_k=given.top_k, requester_id=given.agent_id
        )
        return found.summary()

    async def _delete(self, given: Delete) -> str:
        done = await self.memledger.delete(given.record_id, requester_id=given.agent_id)
        return f"Memory {given.record_id} deleted." if done else f"Memory {given.record_id} not found."

    async def _stats(self, given: Stats) -> str:
        counts = await self.memledger.stats(given.namespace, requester_id=given.agent_id)
        types = counts["by_record_type"]
        assert isinstance(types, dict), "counted by type"
        shown = ", ".join(f"{count} {name}" for name, count in types.items())
        return f"{counts['total_count']} memories" + (f": {shown}" if shown else "")

    async def _namespaces(self, given: Namespaces) -> str:
        return "\n".join(await self.memledger.list_namespaces(requester_id=given.agent_id)) or "There are none."


def _schema(kind: type[Arguments]) -> JsonObject:
    """The schema of a tool's arguments, in one piece."""
    (_,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    own: JsonObject = parts.pop(kind.__name__)
    return {**own, "$defs": {**parts}} if parts else own


def _line(number: int, record: MemoryRecord) -> str:
    flagged = " [low confidence]" if record.confidence_flag == "FLAG" else ""
    return f"{number}. ({record.id}) {record.content}{flagged}"
