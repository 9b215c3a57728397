"""Writing through the face. Every write is a proposal; the access rules, the strategies and the policy decide first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from uuid import uuid4

import msgspec

from muniment.contracts.names import safe_id
from muniment.engine.importing import Newcomer
from muniment.model.claim import Claim
from muniment.model.curation import Verdict
from muniment.model.errors import Malformed, Stale
from muniment_memledger.convert import changed, claim_of
from muniment_memledger.desk import Desk
from muniment_memledger.policies.conflict_resolution import word_likeness
from muniment_memledger.policies.namespace_rbac import READ, WRITE
from muniment_memledger.records import (
    KINDS,
    MemoryRecord,
    MemoryStatus,
    RecordType,
    read_status,
    read_type,
    record_from_dict,
)
from muniment_memledger.strategies.policies import HookOnly

NOT_STORED = ""
"""What `add` returns for a record that was not kept. Why stands in the audit log and, for good, in the ledger."""

BATCH = "memledger"
_NEAR_WANTED = 5
_REPEATED = ("confidence", "hedged", "importance", "metadata")
"""What may differ when an author says the same again."""


class Writing:
    """How records come in and change, over one desk."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def add(self, record: MemoryRecord, *, chosen_id: bool) -> str:
        """Decide on a new record and propose it. Nothing is touched before every question is answered."""
        desk, who = self._desk, record.agent_id or record.created_by
        desk.demand_embedder()
        desk.require(who, record.namespace, WRITE)
        await self._require_links(record, who, chosen_id=chosen_id)
        record.importance = await desk.strategies.importance.score(record)
        wanted = await desk.strategies.write_policy.should_store(record)
        if not wanted.should_store:
            desk.audit.log("write_skipped", agent_id=who, namespace=record.namespace, reason=wanted.reason)
            return NOT_STORED
        if wanted.importance_hint is not None:
            record.importance = wanted.importance_hint
        known = await self._resolved(record, who)
        if known is not None:
            return known
        verdict = await desk.run(self._propose, record, chosen_id)
        return await self._answered(record, verdict, who)

    async def _require_links(
        self, record: MemoryRecord, who: str | None, *, chosen_id: bool = False, known: Collection[str] = ()
    ) -> None:
        """What a record stands on must be the caller's to read, and what it replaces or revises theirs to write. Links
        that are `known` were there before."""
        if self._desk.rbac is None:
            return
        links = [(name, READ) for name in record.derived_from if name not in known]
        links += [(record.supersedes, WRITE)] if record.supersedes and record.supersedes not in known else []
        links += [(record.id, WRITE)] if chosen_id else []
        for name, operation in links:
            target = await self._desk.run(self._desk.own_look, name)
            if target is not None:
                self._desk.require_of(who, target, operation)

    async def _resolved(self, record: MemoryRecord, who: str | None) -> str | None:
        """Ask the resolver about the nearest record that is too near, if somebody wants to know. Returns the id to
        answer with when the new one is not to be kept."""
        desk = self._desk
        if isinstance(desk.strategies.conflict_resolver, HookOnly) and not desk.hooks.on_conflict:
            return None
        near = await desk.run(self._nearest, record, who)
        if near is None:
            return None
        existing, alike = near
        answer = await desk.strategies.conflict_resolver.resolve(record, existing, alike)
        desk.audit.log("conflict_detected", record_id=existing.id, agent_id=who, similarity=alike, action=answer.action)
        await desk.tell(desk.hooks.on_conflict, record, existing, alike)
        match answer.action:
            case "reject_new":
                return existing.id
            case "supersede":
                desk.require(who, existing.namespace, WRITE)
                record.supersedes = existing.id
            case "merge" if answer.merged_content:
                record.content = answer.merged_content
                record.derived_from = [*dict.fromkeys([*record.derived_from, existing.id])]
        if answer.action != "store_anyway":
            desk.audit.log("conflict_resolved", record_id=existing.id, agent_id=who, action=answer.action)
        return None

    def _nearest(self, record: MemoryRecord, who: str | None) -> tuple[MemoryRecord, float] | None:
        """The record most alike in words among the nearest of the same namespace, if it is too near."""
        seat = self._desk.seat(who)
        claim, _ = claim_of(record)
        options = {"namespace": claim.place.namespace, "limit": _NEAR_WANTED}
        found = seat.recall(record.content, floor=0.0, gate_min=0.0, gate_flag=0.0, **options)  # type: ignore[arg-type]  # both are bounds of recall
        near = [(word_likeness(record.content, one.record.content), one) for one in found.records]
        alike, best = max(near, key=lambda pair: (pair[0], pair[1].record.id), default=(0.0, None))
        if best is None or alike <= self._desk.config.conflict_threshold:
            return None
        shown = self._desk.shown(best, self._desk.disputes(who))
        return (shown, alike) if self._desk.may_read(who, shown) else None

    def _propose(self, record: MemoryRecord, chosen_id: bool) -> Verdict:
        claim, author = claim_of(record)
        seat = self._desk.seat(author)
        if not chosen_id:
            return seat.propose(claim)
        wanted = safe_id(record.id)
        if self._desk.own_look(wanted) is not None:
            return seat.propose(claim, target=wanted)
        return seat.imports.take_in(f"{BATCH}.{uuid4().hex}", [Newcomer(claim=claim, record=wanted)], contract=BATCH)[0]

    async def _answered(self, record: MemoryRecord, verdict: Verdict, who: str | None) -> str:
        desk = self._desk
        if not verdict.committed or verdict.record_id is None:
            what = "conflict_detected" if verdict.duplicate_of else "write_skipped"
            desk.audit.log(
                what, record_id=verdict.duplicate_of, agent_id=who, namespace=record.namespace, reason=verdict.reason
            )
            if verdict.duplicate_of is not None:
                await self._said_otherwise(verdict.duplicate_of, record, who)
            return verdict.duplicate_of or NOT_STORED
        desk.audit.log(
            "add",
            record_id=verdict.record_id,
            agent_id=who or desk.identity,
            namespace=record.namespace,
            record_type=record.record_type.value,
            has_supersedes=record.supersedes is not None,
        )
        kept = await desk.run(desk.look, verdict.record_id, who) or await desk.run(desk.own_look, verdict.record_id)
        assert kept is not None, "the owner sees what was just committed"
        for ref in kept.conflicts:
            desk.audit.log("conflict_detected", record_id=kept.id, existing_id=ref.existing_id)
        await desk.tell(desk.hooks.on_add, kept)
        return kept.id

    async def _said_otherwise(self, name: str, record: MemoryRecord, who: str | None) -> None:
        """An author who says the same again with another confidence or other metadata revises the record."""
        kept = await self._desk.find(name, who)
        if kept is None:
            return
        said = {field: getattr(record, field) for field in _REPEATED if getattr(record, field) != getattr(kept, field)}
        if said:
            await self.update(kept, who, said)

    async def update(self, record: MemoryRecord, who: str | None, fields: dict[str, object]) -> bool:
        """Propose a new revision with some fields otherwise; `status` ends the record."""
        desk = self._desk
        desk.require(who, record.namespace, WRITE)
        status = fields.pop("status", None)
        if status is not None:
            read_status(status)
        done = True
        if fields:
            wanted = changed(record, fields)
            desk.require(who, wanted.namespace, WRITE)
            await self._require_links(wanted, who, known=(*record.derived_from, record.supersedes or ""))
            done = await desk.run(self._revise, record.id, wanted, who)
            what = "update" if done else "update_refused"
            desk.audit.log(what, record_id=record.id, agent_id=who or desk.identity, fields=[*sorted(fields)])
            if done:
                await desk.tell(desk.hooks.on_update, wanted)
        if status is not None:
            done = await self.end(record, who, read_status(status)) and done
        return done

    def _revise(self, record_id: str, wanted: MemoryRecord, who: str | None) -> bool:
        """Propose a revision. Whether it is so now; what has ended is not changed any more."""
        claim, _ = claim_of(wanted)
        seat, name = self._desk.seat(who), safe_id(record_id)
        present = seat.get(name).record.claim
        whole = msgspec.structs.replace(
            claim,
            nature=msgspec.structs.replace(present.nature, memory_type=claim.nature.memory_type),
            extensions=_with_others(claim, present),
            lineage=msgspec.structs.replace(claim.lineage, supersedes=None),
        )
        try:
            verdict = seat.propose(whole, target=name)
        except Stale:
            return False
        return verdict.committed or verdict.duplicate_of == name  # it says so already

    async def end(self, record: MemoryRecord, who: str | None, status: MemoryStatus) -> bool:
        """Bring a record into one of the states in which it no longer speaks. What is there already counts as done;
        no record comes back to life."""
        desk = self._desk
        if record.status is status:
            return True
        if status is MemoryStatus.ACTIVE:
            return False
        done = await desk.run(self._retire, record.id, who, status)
        if done:
            desk.audit.log("update", record_id=record.id, agent_id=who or desk.identity, status=status.value)
            await desk.tell(desk.hooks.on_status_change, record.id, record.status, status)
        return done

    def _retire(self, record_id: str, who: str | None, status: MemoryStatus) -> bool:
        seat = self._desk.seat(who)
        try:
            return seat.review.retire(
                safe_id(record_id), becomes=status.value, reason=f"{status.value} by its program"
            ).committed
        except Stale:
            return False

    async def outcome(self, record: MemoryRecord, who: str | None, success: bool) -> bool:
        """Tell the engine how a record turned out; after enough successes an episode becomes a procedure."""
        desk = self._desk
        desk.require(who, record.namespace, WRITE)
        if not await desk.run(self._observe, record.id, who, success):
            return False
        desk.audit.log("outcome", record_id=record.id, agent_id=who or desk.identity, success=success)
        await desk.tell(desk.hooks.on_outcome, record.id, success)
        return True

    def _observe(self, record_id: str, who: str | None, success: bool) -> bool:
        """Take note of an outcome; there is none of what has ended."""
        seat, word = self._desk.seat(who), "helpful" if success else "misleading"
        try:
            return seat.review.outcome(safe_id(record_id), word).committed
        except Stale:
            return False


def _with_others(claim: Claim, present: Claim) -> tuple[object, ...]:
    """The extensions of a new revision: ours of this contract anew, those of others as they were."""
    own = {one.name for one in claim.extensions}
    return (*claim.extensions, *(one for one in present.extensions if one.name not in own | {"memledger"}))


def build_record(
    content: str, record_type: RecordType | str, fields: Mapping[str, object], typed: Mapping[str, object]
) -> MemoryRecord:
    """A record from what `add` was given. A field that this type of record does not have is refused."""
    type_ = read_type(record_type)
    kind = KINDS[type_.value]
    extras = set(kind.__struct_fields__) - set(MemoryRecord.__struct_fields__)
    if unknown := sorted(typed.keys() - extras):
        raise Malformed(unknown[0], f"a field of a {type_.value} record: " + ", ".join(sorted(extras)))
    said = {name: value for name, value in {**fields, **typed}.items() if value is not None}
    return record_from_dict({**said, "content": content, "record_type": type_.value})


def require_list(name: str, values: Iterable[str] | None) -> None:
    """Refuse one text where a list of them is meant."""
    if isinstance(values, str):
        raise Malformed(name, "a list of ids")
