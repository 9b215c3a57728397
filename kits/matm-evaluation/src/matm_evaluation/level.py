"""Which level of the profile a store may claim, with the evidence for each thing a level asks for. Levels build on each
other: one is claimed only if everything below it holds too. Nothing here certifies anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

from matm_evaluation import probes
from matm_evaluation.evaluation import (
    FAMILIES,
    LASTING,
    PAPER,
    Evaluation,
    field_section,
    probe_section,
    simulation_section,
)
from matm_evaluation.figures import Figure
from matm_evaluation.labels import Labels
from matm_evaluation.probes import Probed
from muniment.compat.matm.retrieval import is_usable
from muniment.contracts.matm.wire import DOCUMENTS
from muniment.engine import Memory
from muniment.model.errors import CallerError, ConfigurationError
from muniment.model.query import Disclosure
from muniment.model.times import Instant, show
from muniment.model.value import Value
from muniment.model.vocabulary import CORE_SCOPES, ActorType, Kind
from muniment.policy.decide import resolve
from muniment.policy.rules import ANYONE, Action, Policy, WriteDecision, WriteRule

NON_CLAIMS = (
    "no certification, no conformance claim and no production approval",
    "no live endpoint: a library and a command line over your own vault",
    "level H5 is unknown to us and never claimed",
)
ATTACKS = "adversarial behaviour"
"""The one family that is measured by the probe: nobody attacks the store of a user to see what happens."""
NEEDS_EVIDENCE = frozenset({Kind.FACT, Kind.DECISION, Kind.PROCEDURE})
TRIGGERS = frozenset(
    {
        "missing_authorization",
        "weak_evidence",
        "only_hypotheses",
        "stale_or_deprecated_only",
        "unresolved_conflict",
        "cross_scope_risk",
    }
)


class Level(StrEnum):
    NONE = "none"
    H1 = "MATM-H1"
    H2 = "MATM-H2"
    H3 = "MATM-H3"
    H4 = "MATM-H4"


class Check(Value):
    """One thing a level asks for, whether it is there, and what shows it."""

    name: str
    met: bool
    evidence: str


class Graded(Value):
    """One level: what it is called, what may be said once it is reached, and its checks."""

    level: Level
    title: str
    permits: str
    met: bool
    checks: tuple[Check, ...]


class LevelReport(Value):
    """The whole report: the level reached, every level with its checks, what the next one lacks, and the figures."""

    report: str
    generated_at: str
    tenant: str
    level: Level
    levels: tuple[Graded, ...]
    missing: tuple[str, ...]
    evaluation: Evaluation
    non_claims: tuple[str, ...]


_TITLES = {
    Level.H1: ("Handbook-ready", "governed multi-agent memory is designed"),
    Level.H2: ("Proposal-and-curation-ready", "workers can emit proposals"),
    Level.H3: ("Retrieval-ready", "consumers can retrieve reviewed memory within their scopes"),
    Level.H4: ("Evaluated deployment", "behaviour was measured under its own assumptions"),
}
REQUIRED: dict[Level, tuple[str, ...]] = {
    Level.H1: ("roles", "boundaries", "taxonomy", "scopes", "source policy", "no-runtime boundary"),
    Level.H2: ("event schema", "quarantine", "curation reports", "audit trail", "direct-write ban"),
    Level.H3: ("reviewed records", "citations", "abstention"),
    Level.H4: ("field activity", *FAMILIES),
}
"""What each level asks for, by name. A check that is not there counts as not met."""


def level_report(
    memory: Memory, *, now: Instant, probe: Callable[[Policy], Probed] = probes.run, labels: Labels | None = None
) -> LevelReport:
    """Look at a store, run the probe beside it under the same policy, and say what may be claimed."""
    run = _probed(memory.insight.policy, probe)
    evaluation = Evaluation(
        paper=PAPER,
        simulation=simulation_section(),
        probe=probe_section(run) if isinstance(run, Probed) else (),
        field=field_section(memory, now=now, labels=labels),
    )
    checks = (
        *_designed(memory.insight.policy),
        *_curated(memory, run),
        *_retrieved(memory, run),
        *_measured(memory, evaluation),
    )
    levels = grade(checks)
    reached = level_of(levels)
    return LevelReport(
        report="muniment.matm.level-report.v1",
        generated_at=show(now),
        tenant=memory.tenant,
        level=reached,
        levels=levels,
        missing=missing_for_next(levels, reached),
        evaluation=evaluation,
        non_claims=NON_CLAIMS,
    )


def _probed(policy: Policy, probe: Callable[[Policy], Probed]) -> Probed | str:
    """A run of the probe under these rules, or why there can be none. What was not probed counts as not shown."""
    try:
        return probe(policy)
    except (CallerError, ConfigurationError) as error:
        return f"the probe cannot be run under this policy: {error}"


def grade(checks: Sequence[Check]) -> tuple[Graded, ...]:
    """Put the checks under their levels; a level holds if all of its checks do and the level below holds."""
    by_name = {one.name: one for one in checks}
    found: list[Graded] = []
    below = True
    for level, names in REQUIRED.items():
        own = tuple(by_name.get(name, Check(name=name, met=False, evidence="not looked at")) for name in names)
        below = below and all(one.met for one in own)
        title, permits = _TITLES[level]
        found.append(Graded(level=level, title=title, permits=permits, met=below, checks=own))
    return tuple(found)


def level_of(levels: Sequence[Graded]) -> Level:
    """The highest level that holds."""
    return next((one.level for one in reversed(levels) if one.met), Level.NONE)


def missing_for_next(levels: Sequence[Graded], reached: Level) -> tuple[str, ...]:
    """What the next level lacks; nothing if there is none."""
    following = next((one for one in levels if not one.met), None)
    if following is None:
        return ()
    return tuple(f"{one.name}: {one.evidence}" for one in following.checks if not one.met)


def _designed(policy: Policy) -> tuple[Check, ...]:
    """What the policy in force, and this program, say of roles, places and sources."""
    curators = [rule.id for rule in policy.review if Action.ACCEPT in rule.actions]
    people = [name for name, one in policy.actors.items() if one.type is ActorType.PERSON]
    named = [name for name in policy.actors if name != ANYONE]
    asked = {*policy.evidence.required_for} >= NEEDS_EVIDENCE
    return (
        Check(
            name="roles",
            met=bool(curators and people and len(named) > 1),
            evidence=f"{len(named)} named actors, {len(people)} of them people; {len(curators)} review rules accept",
        ),
        Check(name="boundaries", met=bool(policy.read), evidence=f"{len(policy.read)} read rules; the rest is refused"),
        Check(name="taxonomy", met=True, evidence="nine kinds, each with its rule of reading"),
        Check(
            name="scopes",
            met=True,
            evidence=f"{', '.join(CORE_SCOPES)}; discard is a sink; x_ scopes only under a charter",
        ),
        Check(
            name="source policy",
            met=asked,
            evidence="evidence is required for " + (", ".join(sorted(policy.evidence.required_for)) or "nothing"),
        ),
        Check(name="no-runtime boundary", met=True, evidence=NON_CLAIMS[1]),
    )


def _curated(memory: Memory, run: Probed | str) -> tuple[Check, ...]:
    direct = committing(memory.insight.policy)
    holding = [one for one in memory.insight.policy.write if one.decision is WriteDecision.HOLD]
    reports = [one.filed.report for one in run.tried] if isinstance(run, Probed) else []
    nine = all(isinstance(one["steps"], list) and len(one["steps"]) == 9 for one in reports)
    verified = memory.ledger.verify()
    return (
        Check(name="event schema", met="MemoryEvent" in DOCUMENTS, evidence="MemoryEvent, published with the package"),
        Check(
            name="quarantine",
            met=bool(holding),
            evidence=f"{len(holding)} write rules hold",
        ),
        Check(
            name="curation reports",
            met=nine and bool(reports),
            evidence=run if isinstance(run, str) else f"the probe filed {len(reports)} reports of nine steps each",
        ),
        Check(
            name="audit trail",
            met=verified.ok,
            evidence=f"{verified.entries} ledger entries and {verified.receipts} receipts verified"
            if verified.ok
            else f"{len(verified.findings)} findings in the ledger",
        ),
        Check(
            name="direct-write ban",
            met=not direct,
            evidence="no write rule commits for an agent, tool or service"
            if not direct
            else f"rules that commit without review: {', '.join(direct)}",
        ),
    )


def committing(policy: Policy) -> tuple[str, ...]:
    """The write rules under which something other than a person writes without anybody's answer."""
    return tuple(rule.id for rule in policy.write if rule.decision is WriteDecision.COMMIT and _machines(policy, rule))


def _machines(policy: Policy, rule: WriteRule) -> bool:
    """Whether any actor that is no person can fit a rule, as far as its roles, names and types say."""
    names = {*policy.actors, *(rule.actors or ())}
    cast = [resolve(policy, name if name != ANYONE else "anyone") for name in names]
    return any(
        one.type is not ActorType.PERSON
        and (rule.types is None or one.type in rule.types)
        and (rule.roles is None or any(role in rule.roles for role in one.roles))
        and (rule.actors is None or one.id in rule.actors)
        for one in cast
    )


def _retrieved(memory: Memory, run: Probed | str) -> tuple[Check, ...]:
    lasting = [one for one in memory.insight.browse() if one.record.claim.place.scope in LASTING]
    usable = [one for one in lasting if is_usable(one)]
    cited = sum(cites_its_grounds(memory, one) for one in usable)
    reviewed = Check(
        name="reviewed records",
        met=bool(usable),
        evidence=f"{len(usable)} of {len(lasting)} lasting current records are reviewed and complete",
    )
    if isinstance(run, str):
        return (reviewed, *(Check(name=name, met=False, evidence=run) for name in ("citations", "abstention")))
    reasons = {reason for one in run.asked for reason in _reasons(one)}
    results = sum(len(probes.results(one.response)) for one in run.asked)
    return (
        reviewed,
        Check(
            name="citations",
            met=run.uncited == 0 and results > 0 and cited == len(usable),
            evidence=f"{cited} of {len(usable)} usable records here, and all but {run.uncited} of {results} results of "
            "the probe, have sources, evidence and a report that resolves",
        ),
        Check(
            name="abstention",
            met=reasons >= TRIGGERS,
            evidence=f"the probe met {len(reasons & TRIGGERS)} of {len(TRIGGERS)} triggers, each with its reason",
        ),
    )


def cites_its_grounds(memory: Memory, one: Disclosure) -> bool:
    """Whether a record names where it comes from and the report it stands on leads back to it."""
    claim, record = one.record.claim, one.record
    grounds = bool(claim.belief.evidence) or claim.nature.kind is Kind.HYPOTHESIS
    return grounds and memory.review.report(record.proposal).record_id == record.id


def _reasons(asked: probes.Asked) -> list[str]:
    """The reasons of an abstention, if it was the one that was expected."""
    found = asked.response["abstain_reasons"]
    told = [str(one) for one in found] if isinstance(found, list) else []
    return told if told == [asked.question.abstains] else []


def _measured(memory: Memory, evaluation: Evaluation) -> tuple[Check, ...]:
    """Every family counts if it was measured on this store. Attacks are tried on the scratch vault alone."""
    stats = memory.insight.stats()
    asked = sum(account.query.listing is None for _, account in memory.ledger.receipts())
    decided = sum(one.filing is not None for one in memory.ledger.entries())
    families = tuple(family_check(evaluation, family) for family in FAMILIES)
    activity = Check(
        name="field activity",
        met=bool(decided and asked and stats.current),
        evidence=f"{decided} decisions, {stats.current} current records, {asked} retrievals (listings are none)",
    )
    return (activity, *families)


def family_check(evaluation: Evaluation, family: str) -> Check:
    field, probe = _values((("field", evaluation.field),), family), _values((("probe", evaluation.probe),), family)
    met = bool(probe if family == ATTACKS else field)
    return Check(name=family, met=met, evidence="; ".join((*field, *probe)) or "not measured")


def _values(sections: tuple[tuple[str, tuple[Figure, ...]], ...], family: str) -> list[str]:
    return [
        f"{name}: {one.name} {one.value:.3g} {one.unit}"
        for name, figures in sections
        for one in figures
        if one.family == family and one.value is not None
    ]
