"""The way out: plan, search, gate, select, explain, and a receipt that is durable before the answer leaves."""

from __future__ import annotations

from functools import partial
from itertools import islice

import msgspec

from muniment.model.actor import Actor
from muniment.model.query import Abstention, Disclosure, Query, Searched
from muniment.model.recall import Recall
from muniment.model.receipt import Account, Candidate, Plan
from muniment.model.rows import VectorCoverage
from muniment.model.status import PRIVATE, Status
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.policy.decide import authority_of
from muniment.policy.rules import Policy
from muniment.ports.store import Snapshot
from muniment.ports.tracer import UNWATCHED, Operation
from muniment.read.attune import gather_attuned
from muniment.read.excerpt import excerpt
from muniment.read.fetch import RevisionCache
from muniment.read.gate import POLICY, pass_gate
from muniment.read.listing import gather_listed
from muniment.read.plan import make_plan
from muniment.read.question import Ask, SearchTerms, seek
from muniment.read.reasons import give_reasons
from muniment.read.redact import redacted_answer, tellable
from muniment.read.search import NOTHING, Gathered, gather
from muniment.read.select import BUDGET, LIMIT, WEAK, Selection, select
from muniment.read.withdrawn import withdrawn_for
from muniment.text.passages import SIZE

_UNTOLD = frozenset(status.value for status in (*PRIVATE, Status.HELD))


class ReadContext(Value):
    """Who reads, under which policy, and which document that policy is; in which order a reranker put the records that
    were found, or why it was not heard."""

    actor: Actor
    policy: Policy
    policy_doc: int
    order: tuple[str, ...] = ()
    unheard: str | None = None


class RecallAccount(Value):
    """A recall and the account of it, before the receipt is written."""

    recall: Recall
    account: Account


def answer(
    snapshot: Snapshot,
    query: Query,
    reading: ReadContext,
    ask: Ask,
    *,
    now: Instant,
    receipt_id: str,
    operation: Operation = UNWATCHED,
) -> RecallAccount:
    """Answer a query from one moment of the store."""
    head = snapshot.ledger.head()
    latest = head.seq if head is not None else 0
    as_of, moment = latest, now
    if query.known_at is not None and query.known_at < now:
        as_of, moment = snapshot.ledger.position_at(query.known_at), query.known_at
    sought = seek(snapshot, query, ask, as_of=as_of)
    operation.lap("question")
    plan = make_plan(
        reading.policy,
        reading.actor,
        query,
        sought.terms,
        now=moment,
        as_of=as_of,
        at_head=as_of == latest,
        reach=usable(snapshot.meanings.reach(), sought),
    )
    operation.lap("plan")
    gathered = look(snapshot, plan, query, sought, operation, order=reading.order) if plan.grants else NOTHING
    searched = _searched(plan, sought, gathered, latest)
    if reading.unheard is not None:
        both = reading.unheard if searched.why is None else f"{searched.why}; {reading.unheard}"
        searched = msgspec.structs.replace(searched, why=both)
    return _answer(snapshot, plan, query, reading, gathered, searched, sought.bynames, receipt_id, operation)


def usable(reach: VectorCoverage, sought: SearchTerms) -> VectorCoverage:
    """The vectors a question can be compared with: those of the model that read it."""
    return reach if sought.model is not None and reach.model == sought.model else VectorCoverage()


def look(
    snapshot: Snapshot,
    plan: Plan,
    query: Query,
    sought: SearchTerms,
    operation: Operation = UNWATCHED,
    *,
    order: tuple[str, ...] = (),
) -> Gathered:
    """Find candidates: for a question, for what an agent is about, or all in order."""
    if query.listing is not None:
        return gather_listed(snapshot, plan, query.listing)
    if query.attuned is not None:
        return gather_attuned(snapshot, plan, query.attuned, sought)
    return gather(snapshot, plan, query.text, sought.vectors[0] if sought.vectors else None, operation, order=order)


def _searched(plan: Plan, sought: SearchTerms, gathered: Gathered, latest: int) -> Searched:
    """How the answer was sought, for whoever wonders why something is not in it."""
    why = sought.why
    if why is None and sought.vectors and plan.reach.model is None:
        why = "vectors are still being made with this model"
    return Searched(
        words=plan.terms.words,
        left_out=plan.terms.common,
        names=plan.terms.names,
        span=plan.span,
        model=plan.reach.model,
        trailing=max(0, latest - plan.reach.upto) if sought.model is not None else 0,
        fit=gathered.fit,
        why=why,
    )


def _answer(
    snapshot: Snapshot,
    plan: Plan,
    query: Query,
    reading: ReadContext,
    gathered: Gathered,
    searched: Searched,
    bynames: tuple[str, ...],
    receipt_id: str,
    operation: Operation,
) -> RecallAccount:
    operation.lap("rank")
    gathered = msgspec.structs.replace(gathered, counts=_open_counts(gathered.counts))
    chosen = choose(snapshot, plan, query, reading, gathered.candidates, gathered.opponents)
    operation.lap("gate")
    excluded = _exclusions(gathered, chosen)
    abstained = None if chosen.told else _abstention(plan, gathered, chosen, attuned=query.attuned is not None)
    told = give_reasons(snapshot.lexicon, plan, chosen.told)
    searched = tellable(searched, bynames, query, told, reading.actor, reading.policy)
    operation.lap("reasons")
    head = snapshot.ledger.head()
    account = Account(
        actor=reading.actor,
        query=query,
        policy=reading.policy_doc,
        plan=plan,
        candidates=chosen.candidates,
        opponents=chosen.opponents,
        excluded=excluded,
        considered=gathered.passed + sum(gathered.counts.values()),
        selected=tuple(one.record.id for one in told),
        abstained=abstained,
        searched=searched,
    )
    news = withdrawn_for(snapshot, plan, query, reading.actor, reading.policy)
    account = msgspec.structs.replace(
        account, withdrawn=tuple(one.told for one in news), notified=tuple(one.rid for one in news)
    )
    recall = Recall(
        records=told,
        excluded=excluded,
        considered=account.considered,
        abstained=abstained,
        receipt_id=receipt_id,
        epoch=head.seq if head is not None else 0,
        notices=_notices(told),
        searched=searched,
        withdrawn=account.withdrawn,
    )
    return RecallAccount(recall=recall, account=account)


def choose(
    snapshot: Snapshot,
    plan: Plan,
    query: Query,
    reading: ReadContext,
    candidates: tuple[Candidate, ...],
    opponents: tuple[tuple[str, int, int], ...],
) -> Selection:
    """Gate and select candidates as of the plan's position. Used for the answer, and again to explain it."""
    shelf = RevisionCache(snapshot, plan.as_of)
    shelf.bring(islice((one.rid for one in candidates if one.excluded != WEAK), plan.limit))

    def gate(candidate: Candidate) -> Disclosure | str:
        found = shelf.get(candidate.rid)
        if found is None:
            return "erased"
        record, standing = found
        passed = pass_gate(
            record,
            standing,
            policy=reading.policy,
            actor=reading.actor,
            purpose=query.purpose,
            gates=plan.gates,
            wanted=plan.wanted,
        )
        if isinstance(passed, str):
            return passed
        shelf.check(candidate.rid)
        if standing.successor is not None:
            known = redacted_answer(
                snapshot, record.id, standing, policy=reading.policy, actor=reading.actor, purpose=query.purpose
            )
            passed = msgspec.structs.replace(passed, standing=known)
        if len(record.content) <= SIZE:
            return passed
        passage = candidate.passage or excerpt(snapshot.lexicon, plan.terms, record.content)
        return msgspec.structs.replace(passed, passage=passage)

    return select(plan, candidates, opponents, gate, partial(authority_of, reading.policy))


def _open_counts(counts: dict[str, int]) -> dict[str, int]:
    """The counts without what is in a state that is not for everybody's eyes: whoever may count it can guess its
    words one by one."""
    return {rule: number for rule, number in counts.items() if rule not in _UNTOLD}


def _exclusions(gathered: Gathered, chosen: Selection) -> dict[str, int]:
    """How many matches each rule kept out. Sums up: matches = told on their own merit + exclusions."""
    counts = dict(gathered.counts)
    for rule, number in chosen.excluded.items():
        counts[rule] = counts.get(rule, 0) + number
    kept = sum(1 for candidate in chosen.candidates if candidate.via is None)
    hidden = sum(1 for candidate in chosen.candidates if candidate.via is None and candidate.excluded == POLICY)
    if beyond := gathered.passed - kept + hidden:
        counts[LIMIT] = counts.get(LIMIT, 0) + beyond
    return counts


def _abstention(plan: Plan, gathered: Gathered, chosen: Selection, *, attuned: bool) -> Abstention:
    if not plan.grants:
        return Abstention.NOT_AUTHORIZED
    if attuned and not gathered.passed:
        return Abstention.NOTHING_ELIGIBLE
    if not plan.terms.words and not plan.terms.phrases and not gathered.passed:
        return Abstention.NO_SEARCHABLE_WORDS
    if gathered.passed and {LIMIT, BUDGET} & set(chosen.excluded):
        return Abstention.NOTHING_FITS
    if WEAK in chosen.excluded:
        return Abstention.NOTHING_RELEVANT
    return Abstention.NOTHING_ELIGIBLE if gathered.counts or gathered.passed else Abstention.NO_MATCH


def _notices(told: tuple[Disclosure, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"conflict {name} is open" for one in told for name in one.conflicts))
