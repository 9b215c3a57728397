"""What a store shows of its own use: every retrieval on record and every decision in the ledger, looked at again.

The gate decided when something was told; here it is asked afterwards, from the receipts and the ledger, whether it was
told to a reader whose place it is, while it was in force, and within what was asked. It takes the right to audit.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence

from matm_evaluation.figures import Figure, percentile, share
from muniment.compat.matm.retrieval import opens_all
from muniment.engine import Memory
from muniment.model.actor import Actor
from muniment.model.curation import CurationReport
from muniment.model.entry import Entry, EntryKind
from muniment.model.errors import NotFound
from muniment.model.query import Query
from muniment.model.receipt import Account, ReceiptEntry
from muniment.model.record import Record
from muniment.model.status import CURRENT, Status
from muniment.model.times import Instant
from muniment.model.tokens import tokens
from muniment.model.value import Value
from muniment.model.vocabulary import (
    EXTENSION_SCOPES,
    SENSITIVITY_RANK,
    ActorType,
    ConflictStatus,
    ConflictStrength,
    Outcome,
)
from muniment.policy.decide import belongs, chartered, grants, resolve
from muniment.policy.rules import Policy

AGAIN = 20
"""How many of the latest retrievals are decided again, to see that they come out the same and how long it takes."""
HOUR = 3_600_000_000


class Told(Value):
    """One record that one reader was told. `bounded`: the reader sees its own places only; `outside`: it was told
    beyond them or beyond what was asked; `over`: its time had ended; `above`: it is more sensitive than was asked for;
    `status`: what it counted for then."""

    record: str
    bounded: bool
    outside: bool
    over: bool
    above: bool
    status: Status
    tokens: int


class Retrieval(Value):
    """One receipt of a retrieval. `unseen` were told and are not open to whoever looks; `past`: it asked for another
    time than the present, so that what was over then is no fault."""

    receipt: str
    reader: str
    abstained: bool
    past: bool
    told: tuple[Told, ...]
    unseen: int = 0


def is_bounded(policy: Policy, actor: Actor, purpose: str) -> bool:
    return not any(grants(rule, actor, purpose) and opens_all(rule) for rule in policy.read)


def _moves(entry: Entry) -> Iterator[tuple[int, Status]]:
    """Which revisions an entry puts into which state."""
    yield from ((one.rid, one.status) for one in entry.births)
    yield from ((one.rid, one.status) for one in entry.changes)


class Statuses:
    """What every revision counted for at any position of the ledger."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._moves: dict[int, list[tuple[int, Status]]] = defaultdict(list)
        for entry in entries:
            for rid, status in _moves(entry):
                self._moves[rid].append((entry.seq, status))

    def at(self, rid: int, seq: int) -> Status:
        return next((status for when, status in reversed(self._moves[rid]) if when <= seq), Status.DISCARDED)


def retrievals(memory: Memory, statuses: Statuses) -> tuple[Retrieval, ...]:
    """Everything that was asked, oldest first. Listings and exports are no retrievals."""
    seen: dict[tuple[str, int], Record | None] = {}
    found = memory.ledger.receipts()
    return tuple(
        _retrieval(memory, entry, account, statuses, seen) for entry, account in found if account.query.listing is None
    )


def _retrieval(
    memory: Memory,
    entry: ReceiptEntry,
    account: Account,
    statuses: Statuses,
    seen: dict[tuple[str, int], Record | None],
) -> Retrieval:
    told, unseen = [], 0
    for one in account.candidates:
        if one.excluded is not None or one.id not in account.selected:
            continue
        key = (one.id, one.revision)
        if key not in seen:
            seen[key] = _record(memory, *key)
        record = seen[key]
        if record is None:
            unseen += 1
        else:
            told.append(_told(memory.insight.policy, account, record, entry.at, statuses.at(one.rid, entry.epoch)))
    past = not account.plan.at_head or account.query.valid_at is not None
    return Retrieval(
        receipt=entry.id,
        reader=account.actor.id,
        abstained=not account.selected,
        past=past,
        told=tuple(told),
        unseen=unseen,
    )


def _record(memory: Memory, name: str, revision: int) -> Record | None:
    try:
        return memory.get(name, revision=revision).record
    except NotFound:
        return None


def _told(policy: Policy, account: Account, record: Record, at: Instant, status: Status) -> Told:
    times, query = record.claim.times, account.query
    bounded = is_bounded(policy, account.actor, query.purpose)
    ends = [end for end in (times.expires_at, times.valid_until) if end is not None]
    highest = query.sensitivity_max
    return Told(
        record=record.id,
        bounded=bounded,
        outside=is_outside(account.actor, query, record, bounded=bounded),
        over=any(end <= at for end in ends),
        above=highest is not None and SENSITIVITY_RANK[record.claim.handling.sensitivity] > SENSITIVITY_RANK[highest],
        status=status,
        tokens=tokens(record.content),
    )


def is_outside(actor: Actor, query: Query, record: Record, *, bounded: bool) -> bool:
    """Whether a record was told where it does not belong: outside what was asked for, to a reader whose place it is
    not, or to one its charter does not name."""
    place = record.claim.place
    if query.scopes is not None and place.scope not in query.scopes:
        return True
    if query.scope_ids is not None and place.scope_id not in query.scope_ids:
        return True
    if place.scope in EXTENSION_SCOPES:
        return not chartered(record, actor)
    return bounded and not belongs(actor, place)


def retrieval_figures(found: Sequence[Retrieval]) -> Iterator[Figure]:
    """The figures of what was asked and told."""
    for family, name, value, unit, how in (*_harm(found), *_use(found)):
        yield Figure(family=family, name=name, value=value, unit=unit, how=how)


_Row = tuple[str, str, float | None, str, str]


def _harm(found: Sequence[Retrieval]) -> tuple[_Row, ...]:
    """What should not have been told, or not so."""
    told = [one for each in found for one in each.told]
    watched = [one for one in told if one.bounded or one.outside]
    present = [one for each in found if not each.past for one in each.told]
    leaks, stale = sum(one.outside for one in watched), sum(one.over for one in present)
    ended = sum(one.status not in CURRENT for one in present)
    unseen, above = sum(one.unseen for one in found), sum(one.above for one in told)
    return (
        (
            "leakage",
            "leak rate",
            share(leaks, len(watched)),
            "share",
            "records told, by the receipts, outside their scope or what was asked; readers of every place left out",
        ),
        (
            "leakage",
            "told and not open to this auditor",
            float(unseen) if found else None,
            "count",
            "records in receipts that could not be looked at, and are in no other figure",
        ),
        (
            "adversarial behaviour",
            "stale retrieval",
            share(stale, len(present)),
            "share",
            "records told after their end; questions about the past left out",
        ),
        (
            "adversarial behaviour",
            "deprecated retrieval",
            share(ended, len(present)),
            "share",
            "records told that were out of force at that position of the ledger",
        ),
        (
            "privacy",
            "told above what was asked",
            share(above, len(told)),
            "share",
            "records told above the sensitivity the request allowed",
        ),
    )


def _use(found: Sequence[Retrieval]) -> tuple[_Row, ...]:
    """What it was good for, and what it cost."""
    spent = sum(one.tokens for each in found for one in each.told)
    return (
        (
            "utility",
            "retrievals with an answer",
            share(sum(bool(one.told or one.unseen) for one in found), len(found)),
            "share",
            "retrievals, by the receipts, that told anything",
        ),
        (
            "cost",
            "tokens per retrieval",
            share(spent, len(found)),
            "tokens",
            "estimated tokens of the records told",
        ),
    )


def again_figures(memory: Memory, found: Sequence[Retrieval]) -> Iterator[Figure]:
    """The latest retrievals decided again as of their own position. This asks nothing new and leaves no receipt."""
    latest = found[-AGAIN:]
    millis, same = [], 0
    for one in latest:
        began = time.perf_counter()
        same += memory.explain(one.receipt).same_ids
        millis.append((time.perf_counter() - began) * 1_000)
    yield Figure(
        family="latency",
        name="per retrieval decided again, median",
        value=percentile(millis, 50),
        unit="ms",
        how=f"gate and choice of the latest retrievals, at most {AGAIN}, from their receipts; the search is left out",
    )
    yield Figure(
        family="adversarial behaviour",
        name="decided again the same",
        value=share(same, len(latest)),
        unit="share",
        how=f"of the latest retrievals, at most {AGAIN}, those that come out with the same records",
    )


class Decided(Value):
    """One proposal that has its answer: the last entry about it, who answered, how long it waited, and its report."""

    proposal: str
    outcome: Outcome
    by_person: bool
    waited_hours: float | None
    report: CurationReport
    record: str | None
    taken_back: bool


def decisions(memory: Memory, entries: Sequence[Entry]) -> tuple[Decided, ...]:
    """Every proposal that was answered for, in the order of the answers."""
    held: dict[str, Instant] = {}
    born: dict[str, int] = {}
    last: dict[int, Status] = {}
    answers: dict[str, Entry] = {}
    for entry in entries:
        last.update(_moves(entry))
        if entry.filing is None or entry.kind not in (EntryKind.CURATED, EntryKind.RULED):
            continue
        name = entry.filing.proposal
        if entry.filing.outcome is Outcome.HELD:
            held[name] = entry.at
            continue
        answers[name] = entry
        born.update((name, one.rid) for one in entry.births if one.id == entry.filing.record)
    return tuple(
        _decided(memory, entry, held.get(name), last.get(born.get(name, -1))) for name, entry in answers.items()
    )


def _decided(memory: Memory, entry: Entry, since: Instant | None, status: Status | None) -> Decided:
    assert entry.filing is not None, "only what was filed is an answer"
    ruled = entry.kind is EntryKind.RULED
    return Decided(
        proposal=entry.filing.proposal,
        outcome=entry.filing.outcome,
        by_person=ruled and resolve(memory.insight.policy, entry.actor).type is ActorType.PERSON,
        waited_hours=(entry.at - since) / HOUR if since is not None else None,
        report=memory.review.report(entry.filing.proposal).report,
        record=entry.filing.record,
        taken_back=status is Status.RETRACTED,
    )


def decision_figures(found: Sequence[Decided]) -> Iterator[Figure]:
    """The figures of what was decided. Whether it was right needs labels."""
    kept = [one for one in found if one.outcome is Outcome.COMMITTED]
    refused = [one for one in found if one.outcome is Outcome.REFUSED]
    waits = [one.waited_hours for one in found if one.waited_hours is not None]
    redacted = sum(part.count for one in found for part in one.report.redactions)
    figures = (
        (
            "routing",
            "refused",
            share(len(refused), len(found)),
            "share",
            "decided proposals that were refused; whether rightly needs labels",
        ),
        (
            "routing",
            "suggestion kept",
            share(sum(one.report.suggested is None for one in kept), len(kept)),
            "share",
            "proposals let in with the scope and the kind their producer suggested",
        ),
        (
            "routing",
            "taken back",
            share(sum(one.taken_back for one in kept), len(kept)),
            "share",
            "proposals let in whose record was retracted or rolled back since",
        ),
        (
            "redundancy",
            "refused as redundant",
            share(sum(one.report.duplicate_of is not None for one in refused), len(found)),
            "share",
            "decided proposals that said again what is remembered",
        ),
        (
            "privacy",
            "secrets taken out",
            float(redacted) if found else None,
            "count",
            "credentials removed from decided proposals before anything was stored",
        ),
        (
            "review burden",
            "answered by a person",
            share(sum(one.by_person for one in found), len(found)),
            "share",
            "decided proposals that a person answered for",
        ),
        (
            "review burden",
            "wait for an answer, median",
            percentile(waits, 50),
            "hours",
            "from the proposal to the answer, of those that waited",
        ),
    )
    for family, name, value, unit, how in figures:
        yield Figure(family=family, name=name, value=value, unit=unit, how=how)


def conflict_figures(memory: Memory) -> Iterator[Figure]:
    """Whether a conflict was one, and whether one was missed, needs labels; how many there are does not."""
    views = [one for one in memory.review.conflicts() if one.strength is ConflictStrength.ESTABLISHED]
    open_ = [one for one in views if one.status is not ConflictStatus.RESOLVED]
    figures = (
        ("conflicts ever opened", float(len(views)), "count", "disagreements that made both sides contested"),
        ("open conflicts", share(len(open_), len(views)), "share", "conflicts ever opened that are not settled"),
    )
    for name, value, unit, how in figures:
        yield Figure(family="conflicts", name=name, value=value, unit=unit, how=how)
