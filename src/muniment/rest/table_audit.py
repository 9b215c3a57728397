"""The operations on the ledger and the receipts, and the two that stream memories in and out by a contract."""

from __future__ import annotations

from muniment.engine import Rebuilt, Verified
from muniment.model.entry import Head, SignedCheckpoint
from muniment.rest import answers, bodies, queries
from muniment.rest.operation import Grant, Operation, Verb

AUDITING: tuple[Operation, ...] = (
    Operation(
        name="ledger.head",
        verb=Verb.GET,
        path="/api/ledger/head",
        summary="Read where the ledger stands",
        grant=Grant.AUDIT,
        answer=Head,
    ),
    Operation(
        name="ledger.entries",
        verb=Verb.GET,
        path="/api/ledger/entries",
        aliases=("/api/ledger",),
        summary="List the entries of the ledger",
        grant=Grant.AUDIT,
        query=queries.Stretch,
        answer=answers.Entries,
        pages="entries",
    ),
    Operation(
        name="ledger.receipts",
        verb=Verb.GET,
        path="/api/receipts",
        summary="List everything that was told",
        grant=Grant.AUDIT,
        query=queries.Stretch,
        answer=answers.Receipts,
        pages="receipts",
    ),
    Operation(
        name="ledger.checkpoint",
        verb=Verb.POST,
        path="/api/ledger/checkpoints",
        summary="Sign where the ledger stands now",
        grant=Grant.AUDIT,
        answer=SignedCheckpoint,
    ),
    Operation(
        name="ledger.verify",
        verb=Verb.POST,
        path="/api/ledger/verification",
        summary="Check everything against everything",
        grant=Grant.AUDIT,
        body=bodies.Verify,
        answer=Verified,
        example=bodies.Verify(),
    ),
    Operation(
        name="ledger.replay",
        verb=Verb.POST,
        path="/api/ledger/replay",
        summary="Rebuild every projection from the ledger",
        grant=Grant.ADMIN,
        answer=Rebuilt,
        codes=("ledger_broken",),
    ),
    Operation(
        name="import",
        verb=Verb.POST,
        path="/api/import",
        summary="Propose every memory of a document or of a stream of lines",
        grant=Grant.WRITE,
        query=queries.Import,
        answer=answers.Line,
        changes=True,
    ),
    Operation(
        name="export",
        verb=Verb.GET,
        path="/api/export",
        summary="Give records out as documents of a contract, one a line",
        grant=Grant.READ,
        query=queries.Export,
        answer=answers.Line,
    ),
)
