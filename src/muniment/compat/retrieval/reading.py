"""The contract's read path over the engine, and the same over the runtime layer's store.

Both narrow the query by the read policy first, filter before they rank, and say what was kept out and why.
"""

from __future__ import annotations

from collections import Counter

from msgspec import UNSET

from muniment.compat.exchange.luggage import unpacked
from muniment.compat.retrieval.policies import ReadPolicy
from muniment.compat.retrieval.records import MemoryRecord
from muniment.compat.retrieval.results import AGE, LIMIT, filters_of, make_result, read_query, reasons
from muniment.compat.retrieval.store import MemoryStore, score
from muniment.contracts.retrieval.record import provenance_of
from muniment.contracts.retrieval.wire import RetrievalQuery, RetrievalResult, SelectedRecord
from muniment.contracts.retrieval.words import UNKNOWN
from muniment.contracts.strict.values import JsonObject
from muniment.engine import Memory
from muniment.engine.options import QueryOptions
from muniment.model.errors import Malformed
from muniment.model.query import LIMIT_MAX, Disclosure
from muniment.model.recall import Recall
from muniment.model.times import DAY, Instant
from muniment.model.vocabulary import TRUST_RANK, MemoryClass

USUAL = ReadPolicy()
_PURPOSES = {"answer_generation": "answer"}
"""The contract's purposes for which we have a word of our own."""


def retrieve(
    memory: Memory, query: RetrievalQuery | JsonObject | bytes, *, policy: ReadPolicy = USUAL
) -> RetrievalResult:
    """Answer a retrieval query from a governed memory.

    The tenant must be the memory's, and the reader the actor the memory is seen by: a document opens no door. With
    `query` the best matches are told, without it what the reader should know now.
    """
    asked = policy.narrow(_admitted(memory, read_query(query)))
    recall, aged = _young(memory, asked)
    young = [one for one in recall.records if one.record.id not in aged]
    told = young[: asked.limit]
    counts = Counter(recall.excluded)
    counts[AGE] += len(aged)
    counts[LIMIT] += len(young) - len(told)
    selected = [_selected(asked, one) for one in told]
    return make_result(asked, selected, counts, receipt=recall.receipt_id)


def _young(memory: Memory, query: RetrievalQuery) -> tuple[Recall, set[str]]:
    """What is found, and what of it was already too old when it came here from elsewhere. What is too old takes no
    place: more is asked for until there is enough, or no more."""
    size = query.limit
    while True:
        recall = _ask(memory, query, size)
        aged = _aged(memory, query, recall)
        short = query.limit - (len(recall.records) - len(aged))
        if not aged or short <= 0 or LIMIT not in recall.excluded or size == LIMIT_MAX:
            return recall, aged
        size = min(2 * (size + short), LIMIT_MAX)


def _ask(memory: Memory, query: RetrievalQuery, size: int) -> Recall:
    options = _bounds(query, size)
    return memory.attune(count=True, **options) if query.query is UNSET else memory.recall(query.query, **options)


def _aged(memory: Memory, query: RetrievalQuery, recall: Recall) -> set[str]:
    """The records that were made too long ago where they came from: an import makes nothing young. What a record says
    of its own age is taken for being older only."""
    days = filters_of(query).max_age_days
    if days is UNSET:
        return set()
    made = {one.record.id: at for one in recall.records if (at := _made(one)) < one.record.created_at}
    oldest = memory.explain(recall.receipt_id).account.plan.now - days * DAY if made else 0
    return {name for name, at in made.items() if at < oldest}


def _made(found: Disclosure) -> Instant:
    """When a record was made, here or where it came from; a revision was made here."""
    came = unpacked(found, ()).created_at if found.record.revision == 1 else None
    return came if came is not None else found.record.created_at


def _admitted(memory: Memory, query: RetrievalQuery) -> RetrievalQuery:
    if query.tenant_id != memory.tenant:
        raise Malformed("/tenant_id", "the tenant of this memory")
    if query.principal_id != memory.actor.id:
        raise Malformed("/principal_id", "the actor this memory is seen by")
    return query


def _bounds(query: RetrievalQuery, size: int) -> QueryOptions:
    filters = filters_of(query)
    return QueryOptions(
        purpose=_PURPOSES.get(query.purpose, query.purpose),
        classes=query.allowed_classes,
        trust_min=None if filters.trust_min is UNSET else filters.trust_min,
        max_age_days=None if filters.max_age_days is UNSET else filters.max_age_days,
        require_provenance=filters.require_provenance is True,
        limit=size,
        floor=0.0 if query.query is UNSET else None,
    )


def _selected(query: RetrievalQuery, found: Disclosure) -> SelectedRecord:
    record = found.record
    memory_class = record.claim.nature.memory_class
    return SelectedRecord(
        record_id=record.id,
        memory_class=memory_class,
        trust_level=record.trust,
        provenance=provenance_of(record.claim),
        revision=record.revision,
        reasons=reasons(query, memory_class),
    )


def retrieve_from(
    store: MemoryStore, query: RetrievalQuery | JsonObject | bytes, *, now: Instant, policy: ReadPolicy = USUAL
) -> RetrievalResult:
    """Answer a retrieval query from the runtime layer's store, by the same bounds and with the same result."""
    asked = policy.narrow(read_query(query))
    passed: list[MemoryRecord] = []
    counts: Counter[str] = Counter()
    for record in store.current(asked.tenant_id):
        rule = _kept_out(record, asked, now)
        if rule is None:
            passed.append(record)
        else:
            counts[rule] += 1
    words = "" if asked.query is UNSET else asked.query
    ranked = sorted(passed, key=lambda record: -score(words, record))
    counts[LIMIT] += max(0, len(ranked) - asked.limit)
    return make_result(asked, [_entry(asked, record) for record in ranked[: asked.limit]], counts)


def _kept_out(record: MemoryRecord, query: RetrievalQuery, now: Instant) -> str | None:
    """The first bound a record does not meet. What has no date is too old for any bound on age."""
    filters = filters_of(query)
    oldest = None if filters.max_age_days is UNSET else now - filters.max_age_days * DAY
    bounds = (
        ("expiry", record.expires_at is None or now <= record.expires_at),
        ("class", record.memory_class in query.allowed_classes),
        ("trust", filters.trust_min is UNSET or TRUST_RANK[record.trust] >= TRUST_RANK[filters.trust_min]),
        (AGE, oldest is None or (record.created_at is not None and record.created_at >= oldest)),
        ("provenance", filters.require_provenance is not True or record.provenance != UNKNOWN),
    )
    return next((name for name, holds in bounds if not holds), None)


def _entry(query: RetrievalQuery, record: MemoryRecord) -> SelectedRecord:
    memory_class = MemoryClass(record.memory_class)
    return SelectedRecord(
        record_id=record.memory_id,
        memory_class=memory_class,
        trust_level=record.trust,
        provenance=record.provenance,
        revision=record.revision,
        reasons=reasons(query, memory_class),
    )
