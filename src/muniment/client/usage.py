"""The part of a client that tells of the memory as a whole: how it is used, how much there is, how good it is."""

from __future__ import annotations

from collections.abc import Callable

from muniment.client.guardian import Asks
from muniment.engine import Activity, Quality, Stats, Tellings
from muniment.model.arguments import checked
from muniment.rest import answers


@checked
class Usage:
    """How a served memory is used, how much there is of it, and how good it is."""

    def quality(
        self: Asks,
        *,
        namespace: str | None = None,
        session: str | None = None,
        profile: str = "muniment",
        progress: Callable[[int], None] = lambda _: None,
    ) -> Quality:
        return self._ask(Quality, "quality", namespace=namespace, session=session, profile=profile)

    def stats(self: Asks) -> Stats:
        return self._ask(Stats, "stats")

    def receipts_of(self: Asks, record_id: str, *, before: int | None = None, limit: int = 50) -> Tellings:
        return tellings_of(
            self._ask(answers.ReceiptsOf, "receipts_of", record_id=record_id, before=before, limit=limit)
        )

    def activity(self: Asks, *, bucket: str = "day", buckets: int = 30) -> Activity:
        return self._ask(Activity, "activity", bucket=bucket, buckets=buckets)


def tellings_of(found: answers.ReceiptsOf) -> Tellings:
    """A page as the embedded memory gives it."""
    return Tellings(receipts=found.receipts, looked=found.looked, of=found.of, before=found.before)
