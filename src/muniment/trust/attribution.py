"""Whether what an answer rested on can be traced and believed: a score over all of it, its band, and what was found.

Two instruments. `attribution_integrity` weighs the records an answer used. `structural_integrity` ticks off five
checks over the trace of a session. Each by our formula or by memledger's. Knows no store: the caller gathers.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import assert_never

from muniment.model import checks
from muniment.model.value import Value
from muniment.trust.quality import QualityFormula, QualityInputs

PASS_MIN = 0.7
PARTIAL_MIN = 0.4
WEAK_BELOW = 0.4
FIRM_MIN = 0.6
HEDGE_CREDIT = 0.25
DEPTH_MAX = 5

UNATTRIBUTED_SHARE = 0.4
CONTESTED_SHARE = 0.2
UNSOURCED_SHARE = 0.1
NO_SESSION_SHARE = 0.05
TRUNCATED_COST = 0.05


class AttributionBand(StrEnum):
    """How an answer stands. `nothing` is an answer that used no record, which is not the same as a bad one."""

    WELL = "well"
    PARTIAL = "partial"
    UNATTRIBUTED = "unattributed"
    NOTHING = "nothing"


class AttributionFinding(Value):
    """One reason the score is not full: a stable word, and how many records it is true of."""

    what: str
    count: int


class AttributionResult(Value):
    """The verdict. `passed` is a score of 0.7 or more; an answer that used nothing has not passed."""

    score: float
    band: AttributionBand
    passed: bool
    findings: tuple[AttributionFinding, ...] = ()


class AncestorChain(Value):
    """What is known of the ancestors: the weakest of them, and whether the walk was cut short."""

    min_effective: float
    truncated: bool = False

    def __post_init__(self) -> None:
        checks.unit_interval("min_effective", self.min_effective)
        checks.flag("truncated", self.truncated)


class TraceOperation(StrEnum):
    ADD = "add"
    SEARCH = "search"
    RECALL = "recall"
    OTHER = "other"


class TraceStep(Value):
    """One step of a session as it was traced. `parents` are direct; `depth` is the longest way to an origin."""

    operation: TraceOperation
    confidence: float | None = None
    attributed: bool = True
    hedged: bool = False
    parents: int = 0
    depth: int = 0

    def __post_init__(self) -> None:
        checks.word("operation", self.operation, TraceOperation)
        checks.optional_unit_interval("confidence", self.confidence)
        checks.flag("attributed", self.attributed)
        checks.flag("hedged", self.hedged)
        checks.whole("parents", self.parents, least=0, most=2**63 - 1)
        checks.whole("depth", self.depth, least=0, most=2**63 - 1)


def attribution_integrity(
    used: Sequence[QualityInputs], chain: AncestorChain | None = None, profile: QualityFormula = QualityFormula.MUNIMENT
) -> AttributionResult:
    """How well the records an answer used are attributed and believed, taken together.

    >>> junk = QualityInputs(effective=0.05, confidence=0.05, hedged=True, actor="a")
    >>> attribution_integrity([junk]).band.value
    'unattributed'
    >>> attribution_integrity([junk], profile=QualityFormula.MEMLEDGER).band.value
    'well'
    """
    match profile:
        case QualityFormula.MUNIMENT:
            return _ours(used, chain)
        case QualityFormula.MEMLEDGER:
            return _theirs(used, chain)
        case _:
            assert_never(profile)


def _ours(used: Sequence[QualityInputs], chain: AncestorChain | None) -> AttributionResult:
    """The mean of what each record is worth, less what is wrong with the chain as a whole.

    A mean is proportional: four weak records among a hundred cost four times as much as one, and not the whole. The
    chain costs by degrees, 0.5 · (0.4 − weakest) below 0.4, so that there is no edge to stand just above; a walk cut
    short costs 0.05, because what was not looked at is not known to be sound. A second author adds nothing: two who
    say it are not an origin. An answer that used no record is given a band of its own and does not pass.
    """
    if not used:
        return AttributionResult(score=0.0, band=AttributionBand.NOTHING, passed=False)
    score = sum(_worth(one) for one in used) / len(used)
    if chain is not None:
        score -= 0.5 * max(0.0, WEAK_BELOW - chain.min_effective) + (TRUNCATED_COST if chain.truncated else 0.0)
    return _verdict(score, _findings(used, chain, [one.effective for one in used]))


def _worth(one: QualityInputs) -> float:
    """What one record brings: how firmly it is believed, times how much of its origin is known.

    Firmness is the effective confidence over 0.6, at most 1, so that less belief is never worth more. A hedge earns
    back a quarter of what is missing: to have warned is better than not, and does not make a weak record a sound one.
    The two are multiplied, because a good origin does not make up for a claim nobody believes, nor the reverse.
    """
    firm = min(1.0, one.effective / FIRM_MIN)
    if one.hedged:
        firm += HEDGE_CREDIT * (1.0 - firm)
    known = 1.0
    known -= 0.0 if one.attributed else UNATTRIBUTED_SHARE
    known -= CONTESTED_SHARE if one.conflicts else 0.0
    known -= 0.0 if one.sourced else UNSOURCED_SHARE
    known -= 0.0 if one.session else NO_SESSION_SHARE
    return firm * known


def _theirs(used: Sequence[QualityInputs], chain: AncestorChain | None) -> AttributionResult:
    """Their first tier as published: what is taken from 1 is named line by line below, and is not proportional.

    Reads the declared confidence, as they do. Differs from their code in one thing: confidence 0 is 0 and not 0.5, so
    a single unhedged record of confidence 0 scores 0.45 by the formula where their code gives 0.85.
    """
    if not used:
        return AttributionResult(score=0.0, band=AttributionBand.UNATTRIBUTED, passed=False)
    total = len(used)
    unhedged = [one.confidence for one in used if not one.hedged]
    mean = sum(one.confidence for one in used) / total
    with_session = sum(one.session for one in used) / total
    score = 1.0 - 0.4 * sum(not one.attributed for one in used) / total
    score -= 0.25 * sum(one < WEAK_BELOW for one in unhedged)
    score -= 0.10 * sum(WEAK_BELOW <= one < FIRM_MIN for one in unhedged)
    score -= 0.5 * max(0.0, FIRM_MIN - mean)
    score -= 0.15 * (1.0 - with_session) if with_session < 0.5 else 0.0
    if chain is not None:
        score -= 0.20 if chain.min_effective < WEAK_BELOW else 0.0
        score -= 0.05 if chain.truncated else 0.0
    score += 0.05 if len({one.actor for one in used if one.attributed and one.actor}) >= 2 else 0.0
    return _verdict(score, _findings(used, chain, [one.confidence for one in used]))


def _findings(
    used: Sequence[QualityInputs], chain: AncestorChain | None, confidences: Sequence[float]
) -> tuple[AttributionFinding, ...]:
    pairs = tuple(zip(used, confidences, strict=True))
    counts = (
        ("unattributed", sum(not one.attributed for one in used)),
        ("weak", sum(sure < WEAK_BELOW and not one.hedged for one, sure in pairs)),
        ("weak_hedged", sum(sure < WEAK_BELOW and one.hedged for one, sure in pairs)),
        ("unsure", sum(WEAK_BELOW <= sure < FIRM_MIN and not one.hedged for one, sure in pairs)),
        ("contested", sum(one.conflicts > 0 for one in used)),
        ("unsourced", sum(not one.sourced for one in used)),
        ("no_session", sum(not one.session for one in used)),
        ("weak_ancestor", int(chain is not None and chain.min_effective < WEAK_BELOW)),
        ("chain_truncated", int(chain is not None and chain.truncated)),
    )
    return tuple(AttributionFinding(what=what, count=count) for what, count in counts if count)


def _verdict(score: float, findings: tuple[AttributionFinding, ...]) -> AttributionResult:
    """Band and pass. Rounded first to nine places, so that the order of a sum does not decide a verdict."""
    held = round(min(1.0, max(0.0, score)), 9)
    band = (
        AttributionBand.WELL
        if held >= PASS_MIN
        else AttributionBand.PARTIAL
        if held >= PARTIAL_MIN
        else AttributionBand.UNATTRIBUTED
    )
    return AttributionResult(score=held, band=band, passed=held >= PASS_MIN, findings=findings)


def structural_integrity(
    session: Sequence[TraceStep], profile: QualityFormula = QualityFormula.MUNIMENT
) -> AttributionResult:
    """Five weighted checks over a session's trace; the score is the weight that passed, and findings name the rest.

    | check | weight | passes when |
    |---|---|---|
    | `confidence_told` | 2 | nine tenths of the steps carry a confidence |
    | `confidence_firm` | 2 | seven tenths of the adds, searches and recalls have 0.6 or more; none told counts as 0.5 |
    | `attributed` | 2 | nine tenths name who acted |
    | `shallow` | 1 | no step stands more than five deep |
    | `no_weak_recall` | 3 | nothing searched or recalled is below 0.4 without a hedge |

    memledger counts direct parents for depth, so its fourth check asks something else, and takes a recall without a
    confidence as a sound one. In our profile depth is depth; a recall that tells no confidence is not known to be
    sound and fails the fifth check; and a check with nothing to look at is left out of both sides of the score, since
    what was not examined was not passed. A finding counts the steps at fault.
    """
    ours = profile is QualityFormula.MUNIMENT
    if not session:
        return AttributionResult(
            score=0.0, band=AttributionBand.NOTHING if ours else AttributionBand.UNATTRIBUTED, passed=False
        )
    acts = [one for one in session if one.operation is not TraceOperation.OTHER]
    recalls = [one for one in session if one.operation in (TraceOperation.SEARCH, TraceOperation.RECALL)]
    untold = 0.0 if ours else 1.0
    rows: tuple[tuple[str, int, int, Sequence[bool]], ...] = (
        ("confidence_told", 2, 9, [one.confidence is not None for one in session]),
        ("confidence_firm", 2, 7, [_told(one, 0.5) >= FIRM_MIN for one in acts]),
        ("attributed", 2, 9, [one.attributed for one in session]),
        ("shallow", 1, 10, [(one.depth if ours else one.parents) <= DEPTH_MAX for one in session]),
        ("no_weak_recall", 3, 10, [one.hedged or _told(one, untold) >= WEAK_BELOW for one in recalls]),
    )
    examined = sum(weight for _, weight, _, marks in rows if marks or not ours)
    failed = [(what, weight, marks) for what, weight, tenths, marks in rows if 10 * sum(marks) < tenths * len(marks)]
    score = 1.0 - sum(weight for _, weight, _ in failed) / examined
    return _verdict(score, tuple(AttributionFinding(what=what, count=marks.count(False)) for what, _, marks in failed))


def _told(one: TraceStep, untold: float) -> float:
    return untold if one.confidence is None else one.confidence
