"""Rows of a store's tables as values, and back: the columns are the same in every store that speaks SQL."""

from __future__ import annotations

from typing import Any

import msgspec

from muniment.model.card import Card
from muniment.model.decoding import json_decoder
from muniment.model.entry import LedgerHead, ReceiptBinding, Vote
from muniment.model.errors import CallerError, IntegrityError
from muniment.model.note import Note
from muniment.model.receipt import StoredReceipt
from muniment.model.record import RecordState, TrustState, UsageState
from muniment.model.rows import AliasRow, ConflictRow, EdgeRow, MentionRow, ProposalRow, StandingRow, Tally, ToldRow
from muniment.model.status import read_status
from muniment.model.times import Instant
from muniment.model.value import Value, read_canonical
from muniment.model.vocabulary import LABEL_RANK, Label, Support, Tier

_CARD = Card.__struct_fields__
_LABELS = tuple(Label)
_ballots = json_decoder(tuple[Vote, ...])


def card_from(row: tuple[Any, ...]) -> Card:  # a row of `cards`, whose columns are the fields of Card in order
    fields = dict(zip(_CARD, row, strict=True))
    fields["provenance"], fields["anchored"] = fields["provenance"] == 1, fields["anchored"] == 1
    return Card(**fields)


def standing_from(row: tuple[Any, ...]) -> StandingRow:  # a row of `standings`
    rid, since, status, successor, own, effective, label, support, helpful, misleading, tier, accesses, last = row
    try:
        standing = RecordState(
            status=read_status(status),
            since=since,
            successor=successor,
            footing=TrustState(
                own=own,
                effective=effective,
                label=_LABELS[label],
                support=Support(support),
                helpful=helpful,
                misleading=misleading,
            ),
            vigour=UsageState(tier=Tier(tier), accesses=accesses, last_access=last),
        )
    except (CallerError, IndexError, ValueError) as error:
        raise IntegrityError(f"a stored standing cannot be read: {error}") from None
    return StandingRow(rid=rid, standing=standing)


def standing_columns(standing: RecordState) -> tuple[object, ...]:
    """A standing in the order of its columns, without the number of its revision."""
    footing, vigour = standing.footing, standing.vigour
    return (
        standing.since,
        standing.status.value,
        standing.successor,
        footing.own,
        footing.effective,
        LABEL_RANK[footing.label],
        footing.support.value,
        footing.helpful,
        footing.misleading,
        vigour.tier.value,
        vigour.accesses,
        vigour.last_access,
    )


def tally_from(row: tuple[Any, ...]) -> Tally:
    actor, kind, scope, scope_id, namespace, records, effective, helpful, misleading, last = row
    return Tally(
        actor=actor,
        kind=kind,
        scope=scope,
        scope_id=scope_id,
        namespace=namespace,
        records=records,
        effective=effective,
        helpful=helpful,
        misleading=misleading,
        last=last,
    )


_UNBOUND = ReceiptBinding()


class _Tip(Value, forbid_unknown_fields=False):
    """What a head repeats of its entry."""

    at: Instant
    last_doc: int = 0
    policy: int = 0
    bound: ReceiptBinding = _UNBOUND


def head_of(tenant: str, seq: int, body: bytes, hash_: bytes, checkpoint: int = 0) -> LedgerHead:
    """The head that an entry is, and the last checkpoint, if more is known of it than the entry binds."""
    tip = read_canonical(body, _Tip)
    return LedgerHead(
        tenant=tenant,
        seq=seq,
        hash=hash_,
        at=tip.at,
        last_doc=tip.last_doc,
        policy=tip.policy,
        checkpoint=max(checkpoint, tip.bound.checkpoint),
    )


def proposal_from(row: tuple[Any, ...]) -> ProposalRow:
    seq, id_, at, actor, outcome, disposition, digest, report, held, record, revision = row
    return ProposalRow(
        id=id_,
        seq=seq,
        at=at,
        actor=actor,
        outcome=outcome,
        disposition=disposition,
        digest=digest,
        report=report,
        held=held,
        record=record,
        revision=revision,
    )


def conflict_from(row: tuple[Any, ...]) -> ConflictRow:
    id_, type_, status, a, b, why, contests, opened, changed, strategy, winner, ballots = row
    return ConflictRow(
        id=id_,
        type=type_,
        status=status,
        a=a,
        b=b,
        why=why,
        contests=contests == 1,
        opened=opened,
        changed=changed,
        strategy=strategy,
        winner=winner,
        ballots=read_ballots(ballots),
    )


def read_ballots(text: str) -> tuple[Vote, ...]:
    try:
        return _ballots.decode(text)
    except (msgspec.DecodeError, CallerError) as error:
        raise IntegrityError(f"stored ballots cannot be read: {error}") from None


def edge_from(row: tuple[Any, ...]) -> EdgeRow:
    return EdgeRow(rid=row[0], type=row[1], target=row[2])


def note_from(row: tuple[Any, ...]) -> Note:
    topic, key, seq, doc, at, actor, body = row
    return Note(topic=topic, key=key, seq=seq, doc=doc, at=at, actor=actor, body=body)


def told_from(row: tuple[Any, ...]) -> ToldRow:
    return ToldRow(rid=row[0], actor=row[1], count=row[2], last=row[3])


def receipt_from(row: tuple[Any, ...]) -> StoredReceipt:
    seq, id_, body, hash_, salt, account = row
    return StoredReceipt(seq=seq, id=id_, body=body, hash=hash_, salt=salt, account=account)


def mention_from(row: tuple[Any, ...]) -> MentionRow:
    return MentionRow(rid=row[0], entity=row[1], kind=row[2])


def alias_from(row: tuple[Any, ...]) -> AliasRow:
    return AliasRow(alias=row[0], entity=row[1], seq=row[2], doc=row[3])
