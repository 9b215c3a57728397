"""The operations that tell something. Each of them asks the policy what the caller may know."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from muniment.engine import ConflictView, Curated, EntityView, History, LineageView, Quality, Stats
from muniment.engine.insight import MemoryDiff
from muniment.model.query import Disclosure, Searched
from muniment.model.recall import Recall
from muniment.model.receipt import Explanation
from muniment.model.rows import VectorCoverage
from muniment.model.value import Value
from muniment.operations import answers, bodies, queries
from muniment.operations.kinds import Short
from muniment.operations.operation import Grant, OperationSpec, Verb


class Between(Value):
    """Two moments, each a position of the ledger or an instant, and how many records at most."""

    since: Annotated[Short, Meta(description="The first moment: a ledger position, or an RFC 3339 instant.")]
    until: Annotated[Short, Meta(description="The second moment; now if it is left out.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=10_000, description="At most so many records.")] | None = None


READING: tuple[OperationSpec, ...] = (
    OperationSpec(
        name="insight.diff",
        verb=Verb.GET,
        path="/api/diff",
        summary="Say what changed between two moments",
        help=(
            "What changed in this memory between two moments, record by record: what each said, its state and how far "
            "it could be believed, before and after. A moment is a position of the ledger or an instant."
        ),
        grant=Grant.READ,
        query=Between,
        answer=MemoryDiff,
        tool=True,
    ),
    OperationSpec(
        name="caller",
        verb=Verb.GET,
        path="/api/caller",
        summary="Say who is calling and what the credential is good for",
        grant=Grant.READ,
        answer=answers.Caller,
    ),
    OperationSpec(
        name="recall",
        verb=Verb.POST,
        path="/api/recall",
        summary="Ask a question",
        grant=Grant.READ,
        body=bodies.Ask,
        answer=Recall,
        example=bodies.Ask(query="where is the staging database?", limit=5),
    ),
    OperationSpec(
        name="attune",
        verb=Verb.POST,
        path="/api/attune",
        summary="Ask for what the caller should know",
        grant=Grant.READ,
        body=bodies.Attune,
        answer=Recall,
        example=bodies.Attune(role="platform engineer", interests=("databases",)),
    ),
    OperationSpec(
        name="insight.browse",
        verb=Verb.GET,
        path="/api/records",
        summary="List records in the order they were written",
        grant=Grant.READ,
        query=queries.Browse,
        answer=answers.Records,
        pages="records",
    ),
    OperationSpec(
        name="get",
        verb=Verb.GET,
        path="/api/records/{record_id}",
        summary="Read a record as it stands",
        grant=Grant.READ,
        query=queries.Get,
        answer=Disclosure,
        tagged=True,
    ),
    OperationSpec(
        name="insight.lookup",
        verb=Verb.GET,
        path="/api/slots",
        summary="Read the records that fill a slot",
        grant=Grant.READ,
        query=queries.Slot,
        answer=answers.Occupants,
        gives="records",
    ),
    OperationSpec(
        name="history",
        verb=Verb.GET,
        path="/api/records/{record_id}/history",
        aliases=("/api/history/{record_id}",),
        summary="Read every revision of a record and what became of each",
        grant=Grant.READ,
        answer=History,
    ),
    OperationSpec(
        name="insight.lineage",
        verb=Verb.GET,
        path="/api/records/{record_id}/lineage",
        aliases=("/api/lineage/{record_id}",),
        summary="Read what a record stands on and what stands on it",
        grant=Grant.READ,
        query=queries.LineageQuery,
        answer=LineageView,
    ),
    OperationSpec(
        name="form",
        verb=Verb.GET,
        path="/api/records/{record_id}/forms/{contract}",
        summary="Read a record as a document of a contract",
        grant=Grant.READ,
        answer=answers.Form,
    ),
    OperationSpec(
        name="review.queue",
        verb=Verb.GET,
        path="/api/proposals",
        aliases=("/api/queue",),
        summary="List the proposals that wait for a person",
        grant=Grant.READ,
        query=queries.PageQuery,
        answer=answers.Queue,
        pages="proposals",
    ),
    OperationSpec(
        name="review.report",
        verb=Verb.GET,
        path="/api/proposals/{proposal_id}",
        summary="Read what was decided on a proposal and why",
        grant=Grant.READ,
        answer=Curated,
    ),
    OperationSpec(
        name="review.conflicts",
        verb=Verb.GET,
        path="/api/conflicts",
        summary="List disagreements, both sides each",
        grant=Grant.READ,
        query=queries.ConflictsQuery,
        answer=answers.Conflicts,
        pages="conflicts",
    ),
    OperationSpec(
        name="review.conflict",
        verb=Verb.GET,
        path="/api/conflicts/{conflict_id}",
        summary="Read a disagreement, both sides of it",
        grant=Grant.READ,
        answer=ConflictView,
    ),
    OperationSpec(
        name="explain",
        verb=Verb.GET,
        path="/api/receipts/{receipt_id}",
        aliases=("/api/explain/{receipt_id}",),
        summary="Read a receipt back and decide it again",
        grant=Grant.READ,
        query=queries.Explain,
        answer=Explanation,
    ),
    OperationSpec(
        name="insight.directory",
        verb=Verb.GET,
        path="/api/directory",
        summary="List who knows what",
        grant=Grant.READ,
        query=queries.Knowing,
        answer=answers.DirectoryPage,
        pages="knowers",
    ),
    OperationSpec(
        name="insight.entity",
        verb=Verb.GET,
        path="/api/entities",
        summary="Read what is known of a thing by name",
        grant=Grant.READ,
        query=queries.Named,
        answer=EntityView,
    ),
    OperationSpec(
        name="insight.quality",
        verb=Verb.GET,
        path="/api/quality",
        summary="Read how good the memory is",
        grant=Grant.READ,
        query=queries.Worth,
        answer=Quality,
    ),
    OperationSpec(
        name="insight.namespaces",
        verb=Verb.GET,
        path="/api/namespaces",
        summary="List the namespaces in use",
        grant=Grant.READ,
        answer=answers.Namespaces,
        gives="namespaces",
    ),
    OperationSpec(
        name="insight.stats",
        verb=Verb.GET,
        path="/api/stats",
        summary="Read how much there is",
        grant=Grant.READ,
        answer=Stats,
    ),
    OperationSpec(
        name="changes",
        verb=Verb.GET,
        path="/api/changes",
        summary="Listen for the ledger to move",
        grant=Grant.READ,
        answer=answers.Changed,
    ),
    OperationSpec(
        name="insight.searching",
        verb=Verb.GET,
        path="/api/searching",
        summary="Read how a question would be sought now",
        grant=Grant.READ,
        answer=Searched,
    ),
    OperationSpec(
        name="flush",
        verb=Verb.POST,
        path="/api/searching/flush",
        summary="Wait until everything written can be found by its meaning",
        grant=Grant.WRITE,
        body=bodies.Flush,
        answer=VectorCoverage,
        codes=("store_busy", "mind_unavailable"),
        example=bodies.Flush(timeout=5.0),
    ),
)
