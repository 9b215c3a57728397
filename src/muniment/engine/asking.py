"""How anything is told: from one moment of the store, with a receipt that is durable before the answer leaves."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from muniment.engine.seat import Seat
from muniment.ledger.receipts import seal
from muniment.model.errors import StoreUnavailable
from muniment.model.query import Query
from muniment.model.receipt import Account
from muniment.ports.store import Snapshot
from muniment.read.pipeline import Answer, Reading, answer
from muniment.read.question import texts_of
from muniment.write.commit import log_receipt

_READS = 3


def _name(query: Query) -> str:
    if query.listing is not None:
        return "browse"
    return "recall" if query.attuned is None else "attune"


class Asking(Seat):
    """The one way from a query to an answer."""

    def _ask(self, query: Query) -> Answer:
        for field, name in (("purpose", query.purpose), ("namespace", query.namespace)):
            self._screen.refuse(field, name)
        for name in query.scope_ids or ():
            self._screen.refuse("scope_ids", name)
        with self._watch(_name(query), query) as operation:
            reading = Reading(actor=self.actor, policy=self.policy, policy_doc=self._tenant.bench.policy_doc)
            now, receipt_id = self._tenant.clock.now(), self._tenant.ids.fresh("rcp")
            ask = self._tenant.indexer.asking(texts_of(query))

            def look(snapshot: Snapshot) -> Answer:
                return answer(snapshot, query, reading, ask, now=now, receipt_id=receipt_id, operation=operation)

            found = self._read(look)
            self._log(found.account, receipt_id, found.recall.epoch)
            operation.lap("receipt")
            operation.told(found.recall)
            return found

    def _read(self, job: Callable[[Snapshot], Answer]) -> Answer:
        """Read from one moment; from a later one if the store was lost on the way. It waits by itself for a server to
        come back before it gives a moment, so that one which gives none is not asked again."""
        left = _READS
        while True:
            left, begun = left - 1, False
            try:
                with self._tenant.store.read() as snapshot:
                    begun = True
                    return job(snapshot)
            except StoreUnavailable:
                if not (begun and left):
                    raise

    def _log(self, account: Account, receipt_id: str, epoch: int) -> None:
        tenant = self._tenant
        at, salt = tenant.clock.now(), tenant.ids.salt()

        sealed = seal(account, tenant=self.tenant, receipt=receipt_id, at=at, epoch=epoch, salt=salt)
        tenant.store.write(partial(log_receipt, sealed=sealed))
        tenant.logged()
