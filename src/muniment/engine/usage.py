"""The auditor's part of the face beside the ledger: what a record was told for, how the memory is used."""

from __future__ import annotations

from muniment.engine.activity import PERIODS_MAX, Activity, Bucket
from muniment.engine.disclosures import Tellings, receipts_of_record
from muniment.engine.seat import Seat
from muniment.engine.watched import watched
from muniment.model import checks
from muniment.model.arguments import checked
from muniment.model.errors import NotPermitted
from muniment.policy.decide import decide_review
from muniment.policy.rules import Action


@checked
class Usage(Seat):
    """How the memory is used. Needs the right to audit."""

    @watched("receipts_of")
    def receipts_of(self, record_id: str, *, before: int | None = None, limit: int = 50) -> Tellings:
        """The receipts by which a record was told, the newest first. Looks through a bounded stretch of the log at a
        time, and says how far it came; `before` goes on from there."""
        self._permit_audit("read the receipts")
        checks.whole("limit", limit, least=1, most=500)
        if before is not None:
            checks.whole("before", before, least=1, most=2**62)
        with self._tenant.store.read() as snapshot:
            return receipts_of_record(snapshot, record_id, before=before, limit=limit)

    @watched("activity")
    def activity(self, *, bucket: str = Bucket.DAY.value, buckets: int = 30) -> Activity:
        """How the memory was used in the last `buckets` hours or days, and what is open now. A call sums up a bounded
        number of entries and receipts: until it is `complete`, ask again."""
        self._permit_audit("read how the memory is used")
        length = checks.read_word("bucket", bucket, Bucket)
        checks.whole("buckets", buckets, least=1, most=PERIODS_MAX)
        tenant = self._tenant
        return tenant.diary.activity(tenant.store, length, buckets, now=tenant.clock.now())

    def _permit_audit(self, what: str) -> None:
        if decide_review(self.policy, self.actor, Action.AUDIT, None, None) is None:
            raise NotPermitted(self.actor.id, what)
