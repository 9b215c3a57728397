"""Undo a batch: take back what it brought, and put everything it changed back to what it was. The ledger keeps both."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from muniment.model.actor import Actor
from muniment.model.card import Card
from muniment.model.change import DependencyKey, SeenVersion
from muniment.model.curation import RollbackResult, Verdict
from muniment.model.entry import ConflictChange, Entry, EntryKind, StateChange
from muniment.model.errors import IntegrityError, NotFound, NotPermitted, RolledBack, Stale
from muniment.model.proposal import ReviewDecision, RollbackRequest
from muniment.model.rows import ProposalRow
from muniment.model.status import CURRENT, Status
from muniment.model.value import canonical, read_canonical
from muniment.model.vocabulary import ConflictStatus, Disposition, Outcome
from muniment.policy.decide import decide_review
from muniment.policy.rules import Action
from muniment.ports.store import Snapshot, Unit
from muniment.write.cascade import become
from muniment.write.case import hidden
from muniment.write.facts import fetch, look_up, undone
from muniment.write.pipeline import Bench, WriteAction, act_report, enact, report_of
from muniment.write.review import rule


def name_in(batch: str, number: int) -> str:
    """The name of one proposal of a batch, counted from 1."""
    return f"{batch}.{number}"


def batch_rows(snapshot: Snapshot, batch: str) -> Iterator[ProposalRow]:
    """The proposals of a batch, in the order they came. A batch is of one sort, that of its first proposal: what was
    proposed here cannot join what was read from elsewhere, nor the other way round."""
    number, sort = 1, None
    while (row := snapshot.desk.proposal(name_in(batch, number))) is not None:
        came = report_of(snapshot, row).read_from is not None
        sort = came if sort is None else sort
        if row.outcome == Outcome.REFUSED or came == sort:
            yield row
        number += 1


def rolled_back(snapshot: Snapshot, batch: str) -> bool:
    """Whether a batch was taken in and undone since."""
    rows = list(batch_rows(snapshot, batch))
    brought = [row for row in rows if row.outcome == Outcome.COMMITTED and row.record is not None]
    for row in brought:
        card = next(
            (one for one in snapshot.catalogue.revisions(row.record or "") if one.revision == row.revision), None
        )
        if card is not None and undone(snapshot, card):
            return True
    dismissed = [row.seq for row in rows if row.outcome == Outcome.REFUSED]
    return not brought and bool(dismissed) and _undoes(snapshot, max(dismissed) + 1, batch)


def _undoes(snapshot: Snapshot, seq: int, batch: str) -> bool:
    """Whether an entry undid this batch: its report commits to what was asked for."""
    stored = snapshot.ledger.entry(seq)
    entry = read_canonical(stored.body, Entry) if stored is not None else None
    if entry is None or entry.kind is not EntryKind.UNDONE or entry.filing is None:
        return False
    filed = snapshot.desk.proposal(entry.filing.proposal)
    if filed is None:
        return False
    asked = RollbackRequest(batch=batch, reason=report_of(snapshot, filed).reason)
    return filed.digest == hashlib.sha256(canonical(asked)).hexdigest()


def batch_to_take(snapshot: Snapshot, batch: str, *, again: bool) -> str:
    """Under which name a batch is taken in now: its own, unless it was rolled back. Then it is refused, or with `again`
    taken in as the next of its name."""
    name, number = batch, 1
    while rolled_back(snapshot, name):
        number += 1
        following = f"{batch}-{number}"
        if not again and snapshot.desk.proposal(name_in(following, 1)) is None:
            raise RolledBack(name)
        name = following
    return name


def roll_back(unit: Unit, request: RollbackRequest, actor: Actor, bench: Bench) -> RollbackResult:
    """Undo a batch in one entry. If anything it touched has moved since, nothing is undone and the caller is told."""
    if decide_review(bench.policy, actor, Action.IMPORT, None, None) is None:
        raise NotPermitted(actor.id, "roll a batch back")
    rows = list(batch_rows(unit, request.batch))
    if not rows or not all(_may_undo(unit, row, actor, bench) for row in rows):
        raise NotFound("batch", request.batch)
    dismissed = tuple(_dismissed(unit, row, request, actor, bench) for row in rows if row.outcome == Outcome.HELD)
    entries = [_entry(unit, row.seq) for row in rows if row.outcome == Outcome.COMMITTED]
    born = _born(unit, entries, actor, bench)
    if not born and not dismissed:
        raise Stale(f"batch {request.batch}", yours="taken in", present="without anything left to undo")
    restored = _restored(unit, entries, actor, bench)
    report = act_report(
        request,
        actor.id,
        "import",
        proposal=bench.ids.fresh("prp"),
        what=f"batch {request.batch} rolled back",
        reason=request.reason,
        disposition=Disposition.DEPRECATE,
    )
    seen = tuple(SeenVersion(key=DependencyKey.RECORD, name=card.id, version=card.since) for card in (*born, *restored))
    act = WriteAction(
        kind=EntryKind.UNDONE,
        actor=actor.id,
        report=report,
        decided_on=seen,
        changes=(*(become(card, Status.RETRACTED) for card in born), *restored.values()),
        conflicts=_reopened(unit, entries),
    )
    verdict: Verdict = enact(unit, act, bench)
    return RollbackResult(
        batch=request.batch,
        epoch=verdict.epoch,
        retracted=tuple(card.id for card in born),
        restored=tuple(card.id for card in restored if not hidden(bench.policy, actor, fetch(unit, card))),
        dismissed=dismissed,
    )


def _may_undo(unit: Unit, row: ProposalRow, actor: Actor, bench: Bench) -> bool:
    """Whoever brought something in may take it back. What others brought, only those who may see and retract it."""
    if row.actor == actor.id or row.outcome != Outcome.COMMITTED or row.record is None:
        return True
    held = look_up(unit, row.record)
    if held is None or hidden(bench.policy, actor, held):
        return False
    return decide_review(bench.policy, actor, Action.RETRACT, held.record.claim.place, row.actor) is not None


def _dismissed(unit: Unit, row: ProposalRow, request: RollbackRequest, actor: Actor, bench: Bench) -> str:
    rule(unit, ReviewDecision(proposal=row.id, accept=False, reason=request.reason), actor, bench)
    return row.id


def _entry(snapshot: Snapshot, seq: int) -> Entry:
    stored = snapshot.ledger.entry(seq)
    if stored is None:
        raise IntegrityError(f"entry {seq} is missing")
    return read_canonical(stored.body, Entry)


def _born(snapshot: Snapshot, entries: list[Entry], actor: Actor, bench: Bench) -> list[Card]:
    """The revisions the batch brought that still speak. One whose place was taken since has gone on into something
    else, which undoing the batch would not undo."""
    cards = snapshot.catalogue.cards([birth.rid for entry in entries for birth in entry.births])
    batch = {entry.seq for entry in entries}
    for _, card in sorted(cards.items()):
        if card.status == Status.SUPERSEDED and card.since not in batch:
            raise _stale(snapshot, card, actor, bench)
    return [card for _, card in sorted(cards.items()) if card.status in CURRENT]


def _stale(snapshot: Snapshot, card: Card, actor: Actor, bench: Bench) -> Stale:
    unseen = hidden(bench.policy, actor, fetch(snapshot, card))
    what = "something the batch touched" if unseen else f"record {card.id}"
    return Stale(what, yours="as the batch left it", present=f"changed by entry {card.since}")


def _restored(snapshot: Snapshot, entries: list[Entry], actor: Actor, bench: Bench) -> dict[Card, StateChange]:
    """What the batch changed of others, and the standing each had before. What has moved since is named to those who
    may see it."""
    own = {birth.rid for entry in entries for birth in entry.births}
    first: dict[int, int] = {}
    for entry in entries:
        for change in entry.changes:
            if change.rid not in own:
                first.setdefault(change.rid, entry.seq)
    batch = {entry.seq for entry in entries}
    found: dict[Card, StateChange] = {}
    for rid, card in sorted(snapshot.catalogue.cards(first).items()):
        if card.since not in batch:
            raise _stale(snapshot, card, actor, bench)
        before = snapshot.catalogue.standing_at(rid, first[rid] - 1)
        assert before is not None, "it was there before the batch changed it"
        found[card] = StateChange(
            rid=rid,
            status=before.status,
            footing=before.footing,
            successor=before.successor,
            vigour=before.vigour,
        )
    return found


def _reopened(snapshot: Snapshot, entries: list[Entry]) -> tuple[ConflictChange, ...]:
    """Conflicts that the batch ended between records that were there before it, as they were."""
    own = {birth.rid for entry in entries for birth in entry.births}
    ended = {
        change.id: change.opened
        for entry in entries
        for change in entry.conflicts
        if change.status is ConflictStatus.RESOLVED and change.opened and not {change.a, change.b} & own
    }
    start = entries[0].seq - 1 if entries else 0
    return tuple(last_state(snapshot, name, opened, start) for name, opened in sorted(ended.items()))


def last_state(snapshot: Snapshot, name: str, first: int, last: int) -> ConflictChange:
    """How a conflict stood after an entry, by the entries from the one that opened it."""
    states = [
        change
        for stored in snapshot.ledger.entries(first, last)
        for change in read_canonical(stored.body, Entry).conflicts
        if change.id == name
    ]
    if not states:
        raise IntegrityError(f"conflict {name} was ended and never opened")
    state = states[-1]
    return ConflictChange(
        id=state.id,
        status=state.status,
        a=state.a,
        b=state.b,
        why=state.why,
        type=state.type,
        contests=state.contests,
        opened=state.opened or first,
        strategy=state.strategy,
        winner=state.winner,
        ballots=state.ballots,
    )
