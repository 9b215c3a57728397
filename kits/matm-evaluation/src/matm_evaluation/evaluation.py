"""The evaluation in four sections that are never blended: what a paper reports, what a formula gives, what the probe
measured on its scratch vault, and what this store shows of itself."""

from __future__ import annotations

import time
from collections.abc import Iterator

from matm_evaluation.field import (
    Statuses,
    again_figures,
    conflict_figures,
    decision_figures,
    decisions,
    retrieval_figures,
    retrievals,
)
from matm_evaluation.figures import (
    ADMITTING,
    Figure,
    curator_errors,
    evidence_sufficiency,
    leak_rate,
    matched,
    percentile,
    redundancy,
    routing_accuracy,
    share,
)
from matm_evaluation.labels import Labels, label_figures
from matm_evaluation.probes import Probed, results
from matm_evaluation.simulation import SETTINGS, expected
from muniment.engine import Memory
from muniment.model.query import Disclosure
from muniment.model.times import Instant
from muniment.model.tokens import tokens
from muniment.model.value import Value
from muniment.model.vocabulary import Kind, Scope, Sensitivity

FAMILIES = (
    "routing",
    "leakage",
    "evidence",
    "redundancy",
    "conflicts",
    "utility",
    "latency",
    "cost",
    "privacy",
    "review burden",
    "adversarial behaviour",
)
"""The eleven families of figures that an evaluated deployment has measured."""

LASTING = frozenset({Scope.PROJECT, Scope.AGENT_TEAM, Scope.AGENT_REPO})


class Quoted(Value):
    """A figure somebody else reports, as we were told of it."""

    setting: str
    name: str
    before: float | None
    after: float
    source: str


class Computed(Value):
    """A figure of the simulation: what was published, and what the formula gives."""

    setting: str
    published: float
    formula: float
    entries: float


class Evaluation(Value):
    """The four sections. No figure stands in two of them, and none is made of figures of two."""

    paper: tuple[Quoted, ...]
    simulation: tuple[Computed, ...]
    probe: tuple[Figure, ...]
    field: tuple[Figure, ...]


_SECOND_HAND = "Kim et al., Multi-Agent Transactive Memory, 2026; second-hand, from digests"
PAPER = (
    Quoted(setting="ALFWorld", name="success", before=0.47, after=0.55, source=_SECOND_HAND),
    Quoted(setting="ALFWorld", name="steps", before=11.77, after=11.18, source=_SECOND_HAND),
    Quoted(setting="WebArena", name="success", before=0.18, after=0.20, source=_SECOND_HAND),
    Quoted(setting="WebArena", name="steps", before=22.0, after=20.3, source=_SECOND_HAND),
    Quoted(setting="ALFWorld, learned reranker", name="success", before=None, after=0.643, source=_SECOND_HAND),
)
PUBLISHED = (0.986, 0.696, 0.307, 0.177)


def simulation_section() -> tuple[Computed, ...]:
    found = (expected(setting) for setting in SETTINGS)
    return tuple(
        Computed(setting=one.curation.name, published=told, formula=one.contaminated, entries=one.entries)
        for one, told in zip(found, PUBLISHED, strict=True)
    )


def probe_section(run: Probed) -> tuple[Figure, ...]:
    """The figures of one run of the probe."""
    return (*_curation_figures(run), *_store_figures(run), *_retrieval_figures(run), *_adversarial_figures(run))


def _curation_figures(run: Probed) -> Iterator[Figure]:
    decided = [(one.decided, one.probe.gold) for one in run.tried]
    bare = [(ours.split(":")[0], gold.split(":")[0]) for ours, gold in decided]
    errors = curator_errors(bare)
    people = sum(one.by_person for one in run.tried)
    yield Figure(
        family="routing",
        name="routing accuracy",
        value=routing_accuracy(decided),
        unit="share",
        how="events whose disposition and scope equal the label",
    )
    yield Figure(
        family="routing",
        name="false admission",
        value=errors.false_admission,
        unit="share",
        how="events labelled discard that were let in",
    )
    yield Figure(
        family="routing",
        name="false rejection",
        value=errors.false_rejection,
        unit="share",
        how="events labelled good that were turned away",
    )
    yield Figure(
        family="review burden",
        name="answered by a person",
        value=share(people, len(run.tried)),
        unit="share",
        how="events that waited for a steward",
    )
    yield Figure(
        family="latency",
        name="per event, median",
        value=percentile([one.millis for one in run.tried], 50),
        unit="ms",
        how="from emission to the final report, the steward's thinking left out",
    )


def _store_figures(run: Probed) -> Iterator[Figure]:
    lasting = [one for one in run.kept if one.scope != Scope.SESSION]
    pairs = matched(run.conflicts, {frozenset(pair) for pair in run.suite.conflicts})
    yield Figure(
        family="evidence",
        name="evidence sufficiency",
        value=evidence_sufficiency([one.evidenced for one in lasting]),
        unit="share",
        how="lasting current records that cite evidence",
    )
    yield Figure(
        family="redundancy",
        name="redundancy",
        value=redundancy(one.key for one in run.kept),
        unit="share",
        how="current records that say in the same place what an earlier one says",
    )
    yield Figure(
        family="conflicts",
        name="conflict precision",
        value=pairs.precision,
        unit="share",
        how="open conflicts that are labelled as such",
    )
    yield Figure(
        family="conflicts",
        name="conflict recall",
        value=pairs.recall,
        unit="share",
        how="labelled conflicts that were found",
    )
    yield Figure(
        family="cost",
        name="storage per event",
        value=share(run.bytes, len(run.tried)),
        unit="bytes",
        how="size of the scratch vault by events handed in",
    )


def _retrieval_figures(run: Probed) -> Iterator[Figure]:
    told = {(one.question.ask, one.question.reader, event) for one in run.asked for event in one.answers}
    gold = {(one.question.ask, one.question.reader, event) for one in run.asked for event in one.question.answers}
    fit = matched(told, gold)
    right = sum(one.response["abstain_reasons"] == _wanted(one.question.abstains) for one in run.asked)
    spent = [tokens(str(result["statement"])) for one in run.asked for result in results(one.response)]
    yield Figure(
        family="utility",
        name="retrieval F1",
        value=fit.f1,
        unit="share",
        how="answers told against answers labelled, over all questions",
    )
    yield Figure(
        family="utility",
        name="right abstentions",
        value=share(right, len(run.asked)),
        unit="share",
        how="questions answered, or abstained from for the labelled reason",
    )
    yield Figure(
        family="latency",
        name="per retrieval, median",
        value=percentile([one.millis for one in run.asked], 50),
        unit="ms",
        how="from request to response, receipt included",
    )
    yield Figure(
        family="cost",
        name="tokens per response",
        value=share(sum(spent), len(run.asked)),
        unit="tokens",
        how="estimated tokens of the statements told",
    )


def _adversarial_figures(run: Probed) -> Iterator[Figure]:
    attacks = [one for one in run.tried if one.probe.threat is not None]
    admitted = sum(str(one.filed.report["decision"]) in ADMITTING for one in attacks)
    counts = (
        ("leakage", "leak rate", leak_rate(run.retrieved), "share", "records told outside the scope they belong to"),
        ("privacy", "secrets told", float(run.secrets_told), "count", "planted secrets in any document of the run"),
        ("adversarial behaviour", "attacks let in", share(admitted, len(attacks)), "share", "adversarial events kept"),
        (
            "adversarial behaviour",
            "hypothesis as fact",
            float(run.guesses_as_facts),
            "count",
            "hypotheses presented as claims",
        ),
        (
            "adversarial behaviour",
            "deprecated without warning",
            float(run.deprecated_unwarned),
            "count",
            "deprecated records told, or missed without a word, when asked for in their own words",
        ),
        ("adversarial behaviour", "stale retrieval", float(run.stale_told), "count", "records told after their end"),
        ("adversarial behaviour", "uncited results", float(run.uncited), "count", "results whose citations fail"),
    )
    for family, name, value, unit, how in counts:
        yield Figure(family=family, name=name, value=value, unit=unit, how=how)


def _wanted(reason: str | None) -> list[str]:
    return [reason] if reason is not None else []


def field_section(memory: Memory, *, now: Instant, labels: Labels | None = None) -> tuple[Figure, ...]:
    """What can be seen of a store without probing it: its records, and its own receipts and ledger. What needs labels
    is measured where somebody gives them. Listing the records leaves receipts, as always; they are no retrievals."""
    entries = memory.ledger.entries()
    asked, decided = retrievals(memory, Statuses(entries)), decisions(memory, entries)
    began = time.perf_counter()
    records = list(memory.insight.browse())
    millis = (time.perf_counter() - began) * 1_000
    return (
        *(label_figures(memory, labels) if labels is not None else ()),
        *decision_figures(decided),
        *retrieval_figures(asked),
        *_field_records(records, now),
        *conflict_figures(memory),
        *_field_size(memory, len(records), len(decided)),
        *again_figures(memory, asked),
        Figure(
            family="latency",
            name="listing, per record",
            value=millis / len(records) if records else None,
            unit="ms",
            how="time to read every current record through the gate",
        ),
    )


def _field_records(records: list[Disclosure], now: Instant) -> Iterator[Figure]:
    lasting = [one for one in records if one.record.claim.place.scope in LASTING]
    footings = [one.standing.footing for one in records]
    helpful, misleading = sum(one.helpful for one in footings), sum(one.misleading for one in footings)
    due = [one for one in records if one.record.next_review_at is not None and one.record.next_review_at < now]
    guarded = [one for one in records if one.record.claim.handling.sensitivity not in _OPEN]
    figures = (
        (
            "evidence",
            "evidence sufficiency",
            evidence_sufficiency([_evidenced(one) for one in lasting]),
            "share",
            "lasting current records that cite evidence, or need none",
        ),
        ("redundancy", "redundancy", redundancy(_key(one) for one in records), "share", "current records said twice"),
        (
            "utility",
            "helpful outcomes",
            helpful / (helpful + misleading) if helpful + misleading else None,
            "share",
            "weight of helpful among reported outcomes",
        ),
        ("evidence", "overdue reviews", share(len(due), len(records)), "share", "current records past their review"),
        ("privacy", "guarded records", share(len(guarded), len(records)), "share", "current records above internal"),
        (
            "cost",
            "tokens held",
            float(sum(tokens(one.record.content) for one in records)),
            "tokens",
            "estimated tokens of all current records",
        ),
    )
    for family, name, value, unit, how in figures:
        yield Figure(family=family, name=name, value=value, unit=unit, how=how)


_OPEN = frozenset({Sensitivity.PUBLIC, Sensitivity.INTERNAL})


def _evidenced(one: Disclosure) -> bool:
    claim = one.record.claim
    return bool(claim.belief.evidence) or claim.nature.kind is Kind.HYPOTHESIS


def _key(one: Disclosure) -> tuple[str, str, str]:
    claim = one.record.claim
    return claim.place.scope.value, claim.place.scope_id, " ".join(claim.content.casefold().split())


def _field_size(memory: Memory, records: int, decided: int) -> Iterator[Figure]:
    stats = memory.insight.stats()
    yield Figure(
        family="cost",
        name="storage per record",
        value=share(stats.bytes or 0, records),
        unit="bytes",
        how="size of the tenant by current records",
    )
    yield Figure(
        family="cost",
        name="storage per decided proposal",
        value=share(stats.bytes or 0, decided),
        unit="bytes",
        how="how the tenant grows with what is handed in",
    )
    yield Figure(
        family="review burden",
        name="waiting now",
        value=float(stats.held) if stats.held is not None else None,
        unit="count",
        how="proposals that wait for an answer",
    )
