"""`memory.insight`: lists, lineage, entities, quality, counts and use of a memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Unpack

from muniment.engine.activity import PERIODS_MAX, Activity, Bucket
from muniment.engine.directory import Directory, directory_of
from muniment.engine.disclosures import Tellings, receipts_of_record
from muniment.engine.entities import EntityView, entity_of
from muniment.engine.impact import LINK_TYPES, Foreseen, LineageView, foresee, lineage_of
from muniment.engine.listing import browse
from muniment.engine.metrics import condition_of
from muniment.engine.options import QueryOptions
from muniment.engine.quality import Quality, quality_of
from muniment.engine.session import Session
from muniment.engine.stats import Stats, stats_of
from muniment.engine.views import Event, disclose, history_of, occupants_of, record_of
from muniment.engine.watched import watched
from muniment.graph.walk import Direction
from muniment.model import checks
from muniment.model.arguments import checked
from muniment.model.card import slot_key
from muniment.model.claim_options import ClaimOptions, When, make_claim, read_instant
from muniment.model.errors import Malformed, NotFound, NotPermitted
from muniment.model.query import DEFAULT_PURPOSE, Disclosure, Searched
from muniment.model.status import CURRENT, Status
from muniment.model.value import Json, Value
from muniment.model.vocabulary import Kind, Label, Support
from muniment.policy.decide import decide_review
from muniment.policy.narrow import narrow
from muniment.policy.rules import Action, Policy
from muniment.ports.store import Snapshot
from muniment.trust.quality import QualityFormula
from muniment.write.facts import fetch

DEPTH_MAX = 1_000_000
NODES_MAX = 1_000


@checked
class Insight:
    """Look at a memory without searching it. Each look asks the policy first."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def policy(self) -> Policy:
        """The policy in force."""
        return self._session.policy

    def browse(
        self,
        *,
        statuses: Sequence[str] | None = None,
        session: str | None = None,
        after: str | None = None,
        changed_after: int | None = None,
        **options: Unpack[QueryOptions],
    ) -> Iterator[Disclosure]:
        """Every record the caller may see, in the order it was written, as it stands: what speaks for now, or what is
        in these `statuses`. Bounds as for `recall`, except that nothing is kept back for being weak or over. Each page
        leaves a receipt before it is told. With `known_at` it is what was known then, each record as it stood then.
        With `after`, the id and revision of a record that was told (`rec-1@2`), it goes on behind that one; with
        `changed_after`, what was written or changed after that ledger position, in the order of the last change, of
        which as much as one page holds."""
        return browse(
            self._session,
            statuses=statuses,
            session=session,
            after=after,
            changed_after=changed_after,
            **options,
        )

    @watched("lookup")
    def lookup(
        self, subject: str, key: str, *, scope: str | None = None, scope_id: str | None = None
    ) -> tuple[Disclosure, ...]:
        """The records that fill one slot now, the oldest first: what is known as `key` of `subject`, within one scope
        (the one `remember` would use, unless another is named). Exact, without a search; those the caller may not see
        are left out."""
        named: ClaimOptions = {"subject": subject, "key": key, "value": key, "scope": scope, "scope_id": scope_id}
        slot = slot_key(make_claim(key, self._session.actor, named))
        assert slot is not None
        with self._session.store.read() as snapshot:
            return occupants_of(snapshot, self._session.actor, self._session.policy, slot)

    @watched("lineage")
    def lineage(
        self,
        record_id: str,
        *,
        direction: str = Direction.BOTH.value,
        depth: int | None = None,
        types: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> LineageView:
        """What a record stands on (`up`), what stands on it (`down`), or `both`, at any depth unless one is given;
        by all links, or only those of some `types`. With a `limit` of nodes, the record itself counted, the nearest are
        told, of those that are equally far the oldest revisions."""
        checks.identifier("id", record_id)
        if depth is not None:
            checks.whole("depth", depth, least=0, most=DEPTH_MAX)
        if limit is not None:
            checks.whole("limit", limit, least=1, most=NODES_MAX)
        if isinstance(types, str) or any(type_ not in LINK_TYPES for type_ in types or ()):
            raise Malformed("types", "a list of link types: " + ", ".join(LINK_TYPES))
        towards = checks.read_word("direction", direction, Direction)
        with self._session.store.read() as snapshot:
            return lineage_of(
                snapshot,
                self._session.actor,
                self._session.policy,
                record_id,
                direction=towards,
                depth=depth,
                types=types,
                limit=limit,
            )

    @watched("directory")
    def directory(self, about: str | None = None, *, limit: int = 50) -> Directory:
        """Who knows what, of what the caller may see; with `about`, who knows about these words."""
        checks.whole("limit", limit, least=1, most=10_000)
        if about is not None:
            checks.text("about", about)
        with self._session.store.read() as snapshot:
            now = self._session.tenant.clock.now()
            words = self._session.clean(about) if about is not None else None
            return directory_of(
                snapshot,
                self._session.actor,
                self._session.policy,
                sums=self._session.tenant.tallies,
                about=words,
                now=now,
                limit=limit,
            )

    @watched("entity")
    def entity(self, name: str, *, limit: int = 20) -> EntityView:
        """What is known of a thing by name: its names, the records that mention it, and what is mentioned with it."""
        checks.text("name", name)
        checks.whole("limit", limit, least=1, most=1_000)
        with self._session.store.read() as snapshot:
            return entity_of(
                snapshot, self._session.actor, self._session.policy, self._session.clean(name), limit=limit
            )

    @watched("quality")
    def quality(
        self,
        *,
        namespace: str | None = None,
        session: str | None = None,
        profile: str = QualityFormula.MUNIMENT.value,
        progress: Callable[[int], None] = lambda _: None,
    ) -> Quality:
        """How good the memory is, or one namespace or session of it, by our formulas or by memledger's."""
        if namespace is not None:
            checks.namespace("namespace", namespace)
        checks.optional_identifier("session", session)
        chosen = checks.read_word("profile", profile, QualityFormula)
        with self._session.store.read() as snapshot:
            return quality_of(
                snapshot,
                self._session.actor,
                self._session.policy,
                namespace=namespace,
                session=session,
                profile=chosen,
                progress=progress,
            )

    @watched("diff")
    def diff(self, since: When | int, until: When | int | None = None, *, limit: int = 500) -> MemoryDiff:
        """What changed between two moments, record by record: what each said, its state and how far it could be
        believed, before and after, and what happened in between. A moment is a position of the ledger (`epoch` of an
        answer) or an instant; without `until` it is now. What was erased is told by its certificate alone."""
        checks.whole("limit", limit, least=1, most=10_000)
        with self._session.store.read() as snapshot:
            first = position_of(snapshot, "since", since)
            last = position_of(snapshot, "until", 2**62 if until is None else until)
            if last < first:
                raise Malformed("until", "a moment that is not before the first")
            return diff_of(snapshot, self._session, first, last, limit=limit)

    @watched("namespaces")
    def namespaces(self) -> tuple[str, ...]:
        """Every namespace that holds a current record the caller may see."""
        with self._session.store.read() as snapshot:
            visible, _ = narrow(self._session.policy, self._session.actor, DEFAULT_PURPOSE)
            return tuple(sorted({tally.namespace for tally in self._session.tenant.tallies.survey(snapshot, visible)}))

    @watched("stats")
    def stats(self) -> Stats:
        """How much there is, of what the caller may see."""
        condition = condition_of(self._session.tenant)
        with self._session.store.read() as snapshot:
            return stats_of(
                snapshot,
                self._session.actor,
                self._session.policy,
                sums=self._session.tenant.tallies,
                condition=condition,
            )

    @watched("foresee")
    def foresee(self, record_id: str, *, becomes: str = Status.RETRACTED.value) -> Foreseen:
        """What would follow if a record ended in this way: every record that stands on it, before and after. Changes
        nothing."""
        checks.identifier("id", record_id)
        status = checks.read_word("becomes", becomes, Status)
        with self._session.store.read() as snapshot:
            return foresee(snapshot, self._session.actor, self._session.policy, record_id, status)

    def searching(self) -> Searched:
        """How a recall would be sought now: with which model, how far its vectors trail, or why without one."""
        return self._session.tenant.indexer.state()

    @watched("receipts_of")
    def receipts_of(self, record_id: str, *, before: int | None = None, limit: int = 50) -> Tellings:
        """The receipts by which a record was told, the newest first. Looks through a bounded stretch of the log at a
        time, and says how far it came; `before` goes on from there."""
        self._permit_audit("read the receipts")
        checks.whole("limit", limit, least=1, most=500)
        if before is not None:
            checks.whole("before", before, least=1, most=2**62)
        with self._session.store.read() as snapshot:
            return receipts_of_record(snapshot, record_id, before=before, limit=limit)

    @watched("activity")
    def activity(self, *, bucket: str = Bucket.DAY.value, buckets: int = 30) -> Activity:
        """How the memory was used in the last `buckets` hours or days, and what is open now. A call sums up a bounded
        number of entries and receipts: until it is `complete`, ask again."""
        self._permit_audit("read how the memory is used")
        length = checks.read_word("bucket", bucket, Bucket)
        checks.whole("buckets", buckets, least=1, most=PERIODS_MAX)
        tenant = self._session.tenant
        return tenant.diary.activity(tenant.store, length, buckets, now=tenant.clock.now())

    def _permit_audit(self, what: str) -> None:
        if decide_review(self._session.policy, self._session.actor, Action.AUDIT, None, None) is None:
            raise NotPermitted(self._session.actor.id, what)


class RevisionState(Value):
    """A record as it stood at one moment: what it said, its state and how far it could be believed."""

    revision: int
    content: str
    status: Status
    confidence: float
    effective_confidence: float
    support: Support
    origin: Label


class ChangeKind(StrEnum):
    """What became of a record: it is new, says something else, speaks no more, speaks again, or stands otherwise."""

    ADDED = "added"
    REVISED = "revised"
    ENDED = "ended"
    RETURNED = "returned"
    CHANGED = "changed"


class RecordChange(Value):
    """What became of one record between two moments. Without a `before` it was not there, or not for this caller."""

    id: str
    change: ChangeKind
    content: str
    kind: Kind
    actor: str
    before: RevisionState | None
    after: RevisionState
    events: tuple[Event, ...] = ()


class MemoryDiff(Value):
    """What changed between two positions of the ledger, record by record, those that changed first first. `more` says
    that there are further ones: go on with a `since` that is nearer, or a larger limit."""

    since: int
    until: int
    records: tuple[RecordChange, ...]
    counts: dict[str, int]
    more: bool = False

    def to_dict(self) -> dict[str, Json]:
        return {
            "from": self.since,
            "to": self.until,
            "records": [one.to_dict() for one in self.records],
            "counts": {**self.counts},
            "more": self.more,
        }


def position_of(snapshot: Snapshot, field: str, moment: When | int) -> int:
    """A moment as a position of the ledger: the position itself, as a number or a text of digits, or an instant."""
    head = snapshot.ledger.head()
    last = head.seq if head is not None else 0
    if isinstance(moment, str) and moment.isascii() and moment.isdigit() and len(moment) <= 19:
        moment = int(moment)
    if isinstance(moment, int):
        checks.whole(field, moment, least=0, most=2**62)
        return min(moment, last)
    instant = read_instant(field, moment)
    if instant is None:
        raise Malformed(field, "a position of the ledger or an instant")
    return min(snapshot.ledger.position_at(instant), last)


def diff_of(snapshot: Snapshot, session: Session, since: int, until: int, *, limit: int) -> MemoryDiff:
    """Compare two moments. A record is told only to those who may see it now, and each side of it only if they may see
    it as it stood then."""
    names: dict[str, None] = {}
    for card in snapshot.catalogue.changed(since):
        names.setdefault(card.id)
    found: list[RecordChange] = []
    for name in names:
        change = _change_of(snapshot, session, name, since, until)
        if change is not None:
            found.append(change)
            if len(found) > limit:
                break
    told = found[:limit]
    counts = Counter(one.change.value for one in told)
    return MemoryDiff(
        since=since, until=until, records=tuple(told), counts=dict(sorted(counts.items())), more=len(found) > limit
    )


def _change_of(snapshot: Snapshot, session: Session, name: str, since: int, until: int) -> RecordChange | None:
    """What became of one record, or None if nothing did that the caller may know of."""
    try:
        record_of(snapshot, session.actor, session.policy, name, None)
    except NotFound:
        return None
    before, after = (_told_at(snapshot, session, name, position) for position in (since, until))
    if after is None:
        return None
    old, new = (None if one is None else _state(one) for one in (before, after))
    assert new is not None, "there is an after"
    if old == new:
        return None
    events = [
        event
        for view in history_of(snapshot, session.actor, session.policy, name).revisions
        for event in view.events
        if since < event.epoch <= until
    ]
    claim = after.record.claim
    return RecordChange(
        id=name,
        change=_kind_of(old, new),
        content=new.content,
        kind=claim.nature.kind,
        actor=after.record.actor,
        before=old,
        after=new,
        events=tuple(sorted(events, key=lambda event: event.epoch)),
    )


def _told_at(snapshot: Snapshot, session: Session, name: str, position: int) -> Disclosure | None:
    """The latest revision that there was at a position, as it stood then, if the caller may see it."""
    for card in reversed(snapshot.catalogue.revisions(name)):
        standing = snapshot.catalogue.standing_at(card.rid, position)
        if standing is not None:
            return disclose(snapshot, fetch(snapshot, card).record, standing, session.actor, session.policy)
    return None


def _state(told: Disclosure) -> RevisionState:
    footing = told.standing.footing
    return RevisionState(
        revision=told.record.revision,
        content=told.record.content,
        status=told.standing.status,
        confidence=footing.own,
        effective_confidence=footing.effective,
        support=footing.support,
        origin=footing.label,
    )


def _kind_of(before: RevisionState | None, after: RevisionState) -> ChangeKind:
    if before is None:
        return ChangeKind.ADDED
    if before.revision != after.revision:
        return ChangeKind.REVISED
    if (before.status in CURRENT) != (after.status in CURRENT):
        return ChangeKind.RETURNED if after.status in CURRENT else ChangeKind.ENDED
    return ChangeKind.CHANGED
