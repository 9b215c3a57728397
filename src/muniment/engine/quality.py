"""How good a memory is: every current record a caller may see, scored, and all of them together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from muniment.graph.walk import height
from muniment.model.actor import Actor
from muniment.model.card import Card, standing_of
from muniment.model.filter import covers, matches
from muniment.model.query import DEFAULT_PURPOSE
from muniment.model.record import Record
from muniment.model.status import CURRENT
from muniment.model.value import Value
from muniment.model.vocabulary import STANDS_ON, ConflictStatus
from muniment.policy.decide import decide_read
from muniment.policy.narrow import narrow
from muniment.policy.rules import Policy
from muniment.ports.store import Snapshot
from muniment.trust.attribution import (
    AttributionResult,
    TraceOperation,
    TraceStep,
    attribution_integrity,
    structural_integrity,
)
from muniment.trust.quality import QualityFormula, QualityInputs, memory_quality
from muniment.write.facts import fetch

WORST_SHOWN = 10
_BANDS = ((80, "good"), (60, "fair"), (40, "weak"), (0, "poor"))


class RecordQuality(Value):
    """One record and its score, 0 to 100."""

    id: str
    content: str
    quality: int
    effective: float
    conflicts: int


class Quality(Value):
    """The quality of a store, a namespace or a session: how many records fall into which band, their mean, the worst of
    them, and whether they can be attributed (`integrity`); of a session also how it was built (`structure`)."""

    profile: QualityFormula
    records: int
    mean: float | None
    bands: dict[str, int]
    worst: tuple[RecordQuality, ...]
    integrity: AttributionResult
    structure: AttributionResult | None = None


def merits_of(record: Record, card: Card, conflicts: int) -> QualityInputs:
    """What the quality of a record depends on."""
    footing = standing_of(card).footing
    return QualityInputs(
        effective=footing.effective,
        confidence=footing.own,
        helpful=footing.helpful,
        misleading=footing.misleading,
        accesses=card.accesses,
        conflicts=conflicts,
        hedged=record.claim.belief.hedged,
        attributed=True,
        sourced=record.has_provenance,
        session=record.claim.place.session_id is not None,
        actor=record.actor,
    )


def open_conflicts(snapshot: Snapshot) -> Counter[int]:
    """How many open disputes each revision is part of."""
    found: Counter[int] = Counter()
    for row in snapshot.desk.conflicts():
        if row.contests and row.status != ConflictStatus.RESOLVED:
            found.update((row.a, row.b))
    return found


def quality_of(
    snapshot: Snapshot,
    actor: Actor,
    policy: Policy,
    *,
    namespace: str | None,
    session: str | None,
    profile: QualityFormula,
    progress: Callable[[int], None],
) -> Quality:
    disputes = open_conflicts(snapshot)
    merits: list[QualityInputs] = []
    scored: list[RecordQuality] = []
    traces: list[TraceStep] = []
    for record, card in _seen(snapshot, actor, policy, namespace, session):
        merit = merits_of(record, card, disputes[card.rid])
        merits.append(merit)
        score = memory_quality(merit, profile)
        scored.append(
            RecordQuality(
                id=card.id,
                content=record.content,
                quality=score,
                effective=merit.effective,
                conflicts=merit.conflicts,
            )
        )
        if session is not None:
            traces.append(_trace(snapshot, record, merit))
        if len(scored) % 1000 == 0:
            progress(len(scored))
    worst = sorted(scored, key=lambda one: one.quality)[:WORST_SHOWN]  # of equals the older first
    bands = Counter(next(name for least, name in _BANDS if one.quality >= least) for one in scored)
    return Quality(
        profile=profile,
        records=len(scored),
        mean=sum(one.quality for one in scored) / len(scored) if scored else None,
        bands={name: bands[name] for _, name in _BANDS},
        worst=tuple(worst),
        integrity=attribution_integrity(merits, profile=profile),
        structure=structural_integrity(traces, profile) if session is not None else None,
    )


def _trace(snapshot: Snapshot, record: Record, merit: QualityInputs) -> TraceStep:
    """What a session added, as a step of it."""
    return TraceStep(
        operation=TraceOperation.ADD,
        confidence=merit.effective,
        attributed=merit.attributed,
        hedged=merit.hedged,
        parents=sum(1 for type_, _ in record.links if type_ in STANDS_ON),
        depth=height(snapshot, record.id),
    )


def _seen(
    snapshot: Snapshot, actor: Actor, policy: Policy, namespace: str | None, session: str | None
) -> Iterator[tuple[Record, Card]]:
    visible, _ = narrow(policy, actor, DEFAULT_PURPOSE)
    for card in snapshot.catalogue.all():
        if card.status not in CURRENT or not matches(visible, card):
            continue
        if namespace is not None and not covers(namespace, card.namespace):
            continue
        if session is not None and card.session_id != session:
            continue
        record = fetch(snapshot, card).record
        if decide_read(policy, actor, DEFAULT_PURPOSE, record, standing_of(card).footing.label) is not None:
            yield record, card
