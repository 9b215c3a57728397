"""The operations of those who answer for what a memory may keep: erase, hold, withdraw, keep apart."""

from __future__ import annotations

from muniment.model.curation import Forgotten
from muniment.model.erasure import LegalHold
from muniment.rest import answers, bodies, queries
from muniment.rest.operation import Grant, Key, Operation, Verb

GUARDING: tuple[Operation, ...] = (
    Operation(
        name="forget",
        verb=Verb.POST,
        path="/api/erasures",
        summary="Erase a record, or all of a subject, source, actor or session; or say what would go",
        grant=Grant.REVIEW,
        body=bodies.Erase,
        answer=Forgotten,
        changes=True,
        key=Key.ANSWER,
        codes=("stale", "on_hold"),
        example=bodies.Erase(subject="the person of ticket PRIV-17", reason="ticket:PRIV-17", dry_run=True),
    ),
    Operation(
        name="forget_record",
        verb=Verb.DELETE,
        path="/api/records/{record_id}",
        summary="Erase one record, or say what would go",
        grant=Grant.REVIEW,
        query=queries.Forget,
        answer=Forgotten,
        changes=True,
        key=Key.ANSWER,
        codes=("stale", "on_hold"),
    ),
    Operation(
        name="certificates",
        verb=Verb.GET,
        path="/api/erasures",
        aliases=("/api/certificates",),
        summary="List the certificates of what was erased",
        grant=Grant.AUDIT,
        query=queries.Page,
        answer=answers.Certificates,
        pages="certificates",
    ),
    Operation(
        name="hold",
        verb=Verb.POST,
        path="/api/holds",
        summary="Forbid that something is erased until the hold is lifted",
        grant=Grant.REVIEW,
        body=bodies.Hold,
        answer=LegalHold,
        changes=True,
        key=Key.ANSWER,
        example=bodies.Hold(source="mail-archive", reason="case:2026-114"),
    ),
    Operation(
        name="lift",
        verb=Verb.POST,
        path="/api/holds/{hold_id}/lifting",
        summary="Lift a hold",
        grant=Grant.REVIEW,
        body=bodies.Reason,
        answer=LegalHold,
        changes=True,
        key=Key.ANSWER,
        example=bodies.Reason(reason="the case is closed"),
    ),
    Operation(
        name="holds",
        verb=Verb.GET,
        path="/api/holds",
        summary="List the holds that stand",
        grant=Grant.REVIEW,
        query=queries.Page,
        answer=answers.Holds,
        pages="holds",
    ),
)
