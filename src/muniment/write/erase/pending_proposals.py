"""Proposals that wait and say what is erased: find them, and say of each that it was dismissed."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import msgspec

from muniment.model.curation import CurationReport
from muniment.model.erasure import Target, TargetKind
from muniment.model.rows import ProposalRow
from muniment.model.vocabulary import STANDS_ON, Disposition, Outcome
from muniment.ports.store import Snapshot
from muniment.write.erase.affected_records import MatchedRecords, name_of
from muniment.write.erase.texts import texts_of
from muniment.write.erase.traces import blank_report
from muniment.write.review import held_proposal

_ALL = 2**31


def held_rows(snapshot: Snapshot) -> list[ProposalRow]:
    return list(snapshot.desk.held(after=None, limit=_ALL))


def waiting_on(
    snapshot: Snapshot, target: Target, meant: MatchedRecords, reached: AbstractSet[str] = frozenset()
) -> list[ProposalRow]:
    """Proposals that wait and are meant by the target, or revise, promote or stand on a record that is meant or
    reached."""
    found: list[ProposalRow] = []
    name, records = name_of(meant), {*meant.records, *reached}
    for row in held_rows(snapshot):
        admitted = held_proposal(snapshot, row)
        if admitted is None:
            continue
        proposal, claim = admitted.proposal, admitted.proposal.claim
        pillars = {target for type_, target in claim.lineage.links if type_ in STANDS_ON}
        about = {proposal.target, proposal.promotes, *pillars} & records
        said = {
            TargetKind.RECORD: False,
            TargetKind.SUBJECT: any(name.within(text) for text in texts_of(claim)),
            TargetKind.SOURCE: claim.origin.source == target.value,
            TargetKind.ACTOR: row.actor == target.value,
            TargetKind.SESSION: claim.place.session_id == target.value,
            TargetKind.USER: claim.place.user == target.value,
        }
        if about or said[target.by]:
            found.append(row)
    return found


def dismissing(report: CurationReport, reason: str, reviewer: str) -> CurationReport:
    """The report on a proposal that waited, without its words: it was dismissed, by whom and why."""
    return msgspec.structs.replace(
        blank_report(report),
        outcome=Outcome.REFUSED,
        disposition=Disposition.DISCARD,
        reason=reason,
        reviewer=reviewer,
    )
