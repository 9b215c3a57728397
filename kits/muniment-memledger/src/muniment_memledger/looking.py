"""The looking half of memledger's face: one record, listings, counts, lineage and chains. Changes nothing."""

from __future__ import annotations

from datetime import datetime

from muniment.contracts.strict.values import JsonObject
from muniment.model.errors import Malformed
from muniment_memledger.desk import Desk
from muniment_memledger.finding import Finding
from muniment_memledger.lineage import Lineage
from muniment_memledger.listing import Listing, statuses_of
from muniment_memledger.provenance.models import AttributionChain
from muniment_memledger.records import MemoryRecord, MemoryStatus, read_status
from muniment_memledger.writing import Writing


class Looking:
    """Looking without searching. Every method asks the access rules."""

    def __init__(self, desk: Desk, backend: str) -> None:
        self._desk = desk
        self._writing = Writing(desk)
        self._finding = Finding(desk, backend)
        self._listing = Listing(desk)
        self._lineage = Lineage(desk, self._writing)

    async def get(
        self,
        record_id: str | None = None,
        *,
        description: str | None = None,
        namespace: str | None = None,
        requester_id: str | None = None,
    ) -> MemoryRecord | None:
        """A record by its id, in whatever state; or the one a description means, if one is like enough."""
        return await self._meant(record_id, description, namespace, requester_id)

    async def _meant(
        self, record_id: str | None, description: str | None, namespace: str | None, who: str | None
    ) -> MemoryRecord | None:
        if record_id is not None:
            return await self._desk.find(record_id, who)
        if description is None:
            raise Malformed("record_id", "given, or else a description")
        return await self._finding.nearest(description, namespace, who)

    async def list_namespaces(self, *, requester_id: str | None = None) -> list[str]:
        return sorted({record.namespace for record in await self._listing.records(requester_id)})

    async def stats(self, namespace: str | None = None, *, requester_id: str | None = None) -> JsonObject:
        return await self._listing.stats(requester_id, namespace)

    async def get_by_session(self, session_id: str, *, requester_id: str | None = None) -> list[MemoryRecord]:
        return await self._listing.records(requester_id, session_id=session_id)

    async def get_by_timerange(
        self,
        start: datetime | str,
        end: datetime | str,
        namespace: str | None = None,
        *,
        requester_id: str | None = None,
    ) -> list[MemoryRecord]:
        return await self._listing.between(requester_id, start, end, namespace)

    async def get_stale(
        self, days: float = 30, min_access: int = 0, namespace: str | None = None, *, requester_id: str | None = None
    ) -> list[MemoryRecord]:
        return await self._listing.stale(requester_id, days, min_access, namespace)

    async def get_by_status(
        self, status: MemoryStatus | str, namespace: str | None = None, *, requester_id: str | None = None
    ) -> list[MemoryRecord]:
        words = statuses_of(read_status(status))
        return await self._listing.records(requester_id, statuses=words, namespace=namespace)

    async def get_lineage(
        self,
        record_id: str | None = None,
        *,
        description: str | None = None,
        namespace: str | None = None,
        depth: int = 5,
        requester_id: str | None = None,
    ) -> JsonObject:
        record = await self._meant(record_id, description, namespace, requester_id)
        if record is None:
            return {"error": "Record not found", "record_id": record_id}
        return await self._lineage.tell(record, depth, requester_id)

    async def get_attribution(self, memory_id: str, *, requester_id: str | None = None) -> JsonObject:
        record = await self._desk.find(memory_id, requester_id)
        return await self._lineage.attribution(record) if record is not None else {"error": "memory not found"}

    async def get_attribution_chain(
        self,
        memory_id: str,
        direction: str = "upstream",
        max_hops: int = 5,
        *,
        requester_id: str | None = None,
    ) -> JsonObject:
        return (await self._lineage.chain(memory_id, direction, max_hops, requester_id)).to_dict()

    async def chain_of(
        self, memory_id: str, *, direction: str, max_hops: int, requester_id: str | None = None
    ) -> AttributionChain:
        """The chain of a record as a value: what a chain store asks for."""
        return await self._lineage.chain(memory_id, direction, max_hops, requester_id)

    async def weakest_of(self, memory_id: str, *, requester_id: str | None = None) -> float:
        """The lowest confidence of a record and all it stands on; 0 for one the caller may not know of."""
        return await self._lineage.weakest(memory_id, requester_id)

    async def get_downstream(
        self, memory_id: str, max_depth: int = 5, *, requester_id: str | None = None
    ) -> list[MemoryRecord]:
        return await self._lineage.downstream(memory_id, max_depth, requester_id)

    async def plan_cascade(
        self, memory_id: str, new_memory_id: str | None = None, *, requester_id: str | None = None
    ) -> JsonObject:
        return await self._lineage.plan(memory_id, new_memory_id, requester_id)
