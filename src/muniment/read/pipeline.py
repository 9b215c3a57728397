"""The way out: plan, search, gate, select, explain, and a receipt that is durable before the answer leaves."""

from __future__ import annotations

import msgspec

from muniment.model.actor import Actor
from muniment.model.card import standing_of
from muniment.model.errors import IntegrityError
from muniment.model.query import Abstention, Disclosure, Query, Recall
from muniment.model.receipt import Account, Candidate, Plan, Terms
from muniment.model.record import Record, Standing
from muniment.model.times import Instant
from muniment.model.value import Value, read_canonical
from muniment.policy.rules import Policy
from muniment.ports.store import Lexicon, Snapshot
from muniment.read.gate import POLICY, pass_gate
from muniment.read.plan import make_plan
from muniment.read.search import Gathered, gather
from muniment.read.select import BUDGET, LIMIT, Selection, select
from muniment.read.words import read_terms

_TEXT_LOOKED_AT = 20_000


class Reading(Value):
    """Who reads, under which policy, and which document that policy is."""

    actor: Actor
    policy: Policy
    policy_doc: int


class Answer(Value):
    """A recall and the account of it, before the receipt is written."""

    recall: Recall
    account: Account


def answer(snapshot: Snapshot, query: Query, reading: Reading, *, now: Instant, receipt_id: str) -> Answer:
    """Answer a query from one moment of the store."""
    head = snapshot.ledger.head()
    latest = head.seq if head is not None else 0
    as_of, moment = latest, now
    if query.known_at is not None and query.known_at < now:
        as_of, moment = snapshot.ledger.position_at(query.known_at), query.known_at
    terms = snapshot.lexicon.prune(read_terms(query.text))
    plan = make_plan(reading.policy, reading.actor, query, terms, now=moment, as_of=as_of, at_head=as_of == latest)
    return _run(snapshot, plan, query, reading, receipt_id=receipt_id, epoch=latest)


def _run(snapshot: Snapshot, plan: Plan, query: Query, reading: Reading, *, receipt_id: str, epoch: int) -> Answer:
    nothing = Gathered(candidates=(), opponents=(), passed=0, counts={})
    gathered = gather(snapshot, plan) if plan.grants else nothing
    chosen = choose(snapshot, plan, query, reading, gathered.candidates, gathered.opponents)
    excluded = _exclusions(gathered, chosen)
    abstained = None if chosen.told else _abstention(plan, gathered, chosen)
    told = _give_reasons(snapshot.lexicon, plan.terms, chosen.told)
    account = Account(
        actor=reading.actor,
        query=query,
        policy=reading.policy_doc,
        plan=plan,
        candidates=chosen.candidates,
        opponents=gathered.opponents,
        excluded=excluded,
        considered=gathered.passed + sum(gathered.counts.values()),
        selected=tuple(one.record.id for one in told),
        abstained=abstained,
    )
    recall = Recall(
        records=told,
        excluded=excluded,
        considered=account.considered,
        abstained=abstained,
        receipt_id=receipt_id,
        epoch=epoch,
        notices=_notices(told),
    )
    return Answer(recall=recall, account=account)


def choose(
    snapshot: Snapshot,
    plan: Plan,
    query: Query,
    reading: Reading,
    candidates: tuple[Candidate, ...],
    opponents: tuple[tuple[str, int, int], ...],
) -> Selection:
    """Gate and select candidates as of the plan's position. Used for the answer, and again to explain it."""

    def gate(candidate: Candidate) -> Disclosure | str:
        found = _record_at(snapshot, candidate.rid, plan.as_of)
        if found is None:
            return "erased"
        record, standing = found
        return pass_gate(
            record,
            standing,
            policy=reading.policy,
            actor=reading.actor,
            purpose=query.purpose,
            gates=plan.gates,
            wanted=plan.wanted,
        )

    return select(plan, candidates, opponents, gate)


def _record_at(snapshot: Snapshot, rid: int, as_of: int) -> tuple[Record, Standing] | None:
    card, document = snapshot.catalogue.card(rid), snapshot.documents.get(rid)
    if card is None or document is None:
        return None
    standing = standing_of(card) if card.since <= as_of else snapshot.catalogue.standing_at(rid, as_of)
    if standing is None:
        return None
    record = read_canonical(document.body, Record)
    if card.id != record.id or card.revision != record.revision:
        raise IntegrityError(f"the card {rid} does not belong to the record of that number")
    return record, standing


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


def _abstention(plan: Plan, gathered: Gathered, chosen: Selection) -> Abstention:
    if not plan.grants:
        return Abstention.NOT_AUTHORIZED
    if not plan.terms.words and not plan.terms.phrases:
        return Abstention.NO_SEARCHABLE_WORDS
    if gathered.passed and {LIMIT, BUDGET} & set(chosen.excluded):
        return Abstention.NOTHING_FITS
    return Abstention.NOTHING_ELIGIBLE if gathered.counts or gathered.passed else Abstention.NO_MATCH


def _give_reasons(lexicon: Lexicon, terms: Terms, told: tuple[Disclosure, ...]) -> tuple[Disclosure, ...]:
    """Say in words why each record is here."""
    wanted = [(word, set(lexicon.tokens(word))) for word in terms.words]
    phrases = [(f'"{" ".join(phrase)}"', set(lexicon.tokens(" ".join(phrase)))) for phrase in terms.phrases]
    return tuple(_with_reasons(lexicon, wanted, phrases, one) for one in told)


Sought = list[tuple[str, set[str]]]


def _with_reasons(lexicon: Lexicon, words: Sought, phrases: Sought, disclosure: Disclosure) -> Disclosure:
    record = disclosure.record
    held = set(lexicon.tokens(record.content[:_TEXT_LOOKED_AT]))
    matched = [word for word, terms in words if terms & held] + [phrase for phrase, terms in phrases if terms <= held]
    place = record.claim.place
    found = f"matches {', '.join(matched)}" if matched else "comes with another record"
    footing = disclosure.standing.footing
    believed = f"effective confidence {footing.effective:.2f}, {disclosure.gate}"
    reasons = (found, f"{place.scope} {place.scope_id}", f"trust {record.trust}", believed, *disclosure.reasons)
    return msgspec.structs.replace(disclosure, reasons=reasons)


def _notices(told: tuple[Disclosure, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"conflict {name} is open" for one in told for name in one.conflicts))
