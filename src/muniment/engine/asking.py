"""How anything is told: from one moment of the store, with a receipt that is durable before the answer leaves."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec

from muniment.engine.external_receipts import ExternalReceipts
from muniment.engine.session import Session
from muniment.ledger.receipts import seal
from muniment.model.errors import ModelUnavailable, StoreUnavailable
from muniment.model.query import Attunement, Query
from muniment.model.receipt import Account
from muniment.model.times import Instant
from muniment.ports.store import Snapshot
from muniment.read.pipeline import ReadContext, RecallAccount, answer
from muniment.read.question import Ask, texts_of
from muniment.text.profile import asks_for_profile
from muniment.write.commit import log_receipt

_READS = 3
RERANKED_MAX, RERANKED_CHARS = 50, 4_000
"""So many of the best are put in order by a reranker, which reads so much of each."""


def _no_receipt() -> StoreUnavailable:
    error = StoreUnavailable("the vault lies in a read-only place, and what is told must leave a receipt")
    error.hint = "Name a folder for the receipts that can be written to: MUNIMENT_RECEIPTS_FOLDER or `receipts_folder`."
    return error


def _name(query: Query) -> str:
    if query.listing is not None:
        return "browse"
    return "recall" if query.attuned is None else "attune"


def _aside(session: Session) -> ExternalReceipts:
    """Where the receipts of a vault go that cannot be written to. Nothing is told without one."""
    if session.tenant.aside is None:
        raise _no_receipt()
    return session.tenant.aside


def answer_query(session: Session, query: Query) -> RecallAccount:
    """Answer a query from one moment of the store. Its receipt is durable before this returns."""
    if session.store.read_only:
        _aside(session)
    for field in ("purpose", "namespace", "scope_ids", "authors", "places"):
        given = getattr(query, field)
        for name in given if isinstance(given, tuple) else (given,):
            session.screen.refuse(field, name)
    if query.listing is not None:
        session.screen.refuse("session", query.listing.session)
    if query.attuned is None and query.listing is None and asks_for_profile(query.text):
        query = msgspec.structs.replace(query, attuned=Attunement())
    with session.watch(_name(query), query) as operation:
        reading = ReadContext(actor=session.actor, policy=session.policy, policy_doc=session.bench.policy_doc)
        now, receipt_id = session.tenant.clock.now(), session.tenant.ids.fresh("rcp")
        ask = session.tenant.indexer.asking(texts_of(query))
        reading = _in_order(session, query, reading, ask, now)

        def look(snapshot: Snapshot) -> RecallAccount:
            return answer(snapshot, query, reading, ask, now=now, receipt_id=receipt_id, operation=operation)

        found = _read(session, look)
        _log(session, found.account, receipt_id, found.recall.epoch)
        operation.lap("receipt")
        operation.told(found.recall)
        return found


def _in_order(session: Session, query: Query, reading: ReadContext, ask: Ask, now: Instant) -> ReadContext:
    """Ask the reranker, if there is one, about the best of what the asker may be told, while nothing is held. Then
    it is asked for once more, in that order. One that cannot be heard is noted."""
    reranker = session.tenant.reranker
    if reranker is None or query.listing is not None or query.attuned is not None or not query.limit:
        return reading
    wide = msgspec.structs.replace(
        query, limit=max(query.limit, RERANKED_MAX), budget_tokens=None, floor=0.0, min_fit=None, precise=False
    )
    found = _read(session, lambda snapshot: answer(snapshot, wide, reading, ask, now=now, receipt_id=""))
    records = [told.record for told in found.recall.records]
    if len(records) < 2:
        return reading
    try:
        places = reranker.order(query.text, [record.content[:RERANKED_CHARS] for record in records])
    except ModelUnavailable as error:
        return msgspec.structs.replace(reading, unheard=str(error))
    return msgspec.structs.replace(reading, order=tuple(records[place].id for place in places))


def _read(session: Session, job: Callable[[Snapshot], RecallAccount]) -> RecallAccount:
    """Read from one moment; from a later one if the store was lost on the way. It waits by itself for a server to
    come back before it gives a moment, so that one which gives none is not asked again."""
    left = _READS
    while True:
        left, begun = left - 1, False
        try:
            with session.store.read() as snapshot:
                begun = True
                return job(snapshot)
        except StoreUnavailable:
            if not (begun and left):
                raise


def _log(session: Session, account: Account, receipt_id: str, epoch: int) -> None:
    tenant = session.tenant
    at, salt = tenant.clock.now(), tenant.ids.salt()

    sealed = seal(account, tenant=session.tenant.name, receipt=receipt_id, at=at, epoch=epoch, salt=salt)
    if tenant.store.read_only:
        _aside(session).append(sealed)
        return
    tenant.store.write(partial(log_receipt, sealed=sealed))
    tenant.logged()
