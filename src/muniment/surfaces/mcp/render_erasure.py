"""What was erased, withdrawn, kept apart or held, in words for a model to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from muniment.model.curation import ErasureResult, RewindResult, Verdict, WithdrawalResult
from muniment.model.erasure import Certainty, ErasureOutcome, ErasurePlan, LegalHold, SignedCertificate
from muniment.model.query import Disclosure
from muniment.model.times import show
from muniment.surfaces.mcp.render import QUOTED, line, quoted, verdict

_FATES = {
    ErasureOutcome.ERASED: "erased for good",
    ErasureOutcome.REDACTED: "stripped of what they took over",
    ErasureOutcome.REVIEWED: "kept back until somebody has looked at them",
    ErasureOutcome.KEPT: "kept",
}
_NAMED_MAX = 50


def would_forget(plan: ErasurePlan, *, then: str) -> str:
    """The plan; `then` is what to call `forget` with, besides its digest, to do it."""
    return "\n".join(
        [
            f"Nothing was changed. The plan, by {plan.by}:",
            *_fates(plan),
            *_traces(plan),
            *_probable(plan),
            *_on_hold(plan, then),
        ]
    )


def _probable(plan: ErasurePlan) -> Iterator[str]:
    """What only may speak of a subject, and how to have it erased too."""
    names = [
        node.id for node in plan.nodes if node.certainty is Certainty.PROBABLE and node.fate is ErasureOutcome.KEPT
    ]
    if names or plan.traces.probable:
        shown = f" ({len(names)}): {_named(names)}" if names else ""
        yield (
            f"Only probably about the subject, and kept{shown}. Read them to the person; if they are meant, ask for "
            "the plan again with include_probable true."
        )


def _on_hold(plan: ErasurePlan, then: str) -> Iterator[str]:
    """Which holds stand against the plan; the way to do it, if none does."""
    for one in plan.holds:
        kept = (*one.records, *one.proposals)
        yield f"ON HOLD {one.hold} ({len(kept)}): {_named(kept)}. Why: {line(one.reason)}."
    if plan.holds:
        yield "Nothing of the plan can be done until these holds are lifted."
    else:
        yield f'To do it, call forget again with the same arguments, {then}plan "{plan.digest}".'


def _fates(plan: ErasurePlan) -> Iterator[str]:
    """What becomes of the records, fate by fate. Those of one kind are named up to a bound; the document has all."""
    if not plan.nodes:
        yield "No record is reached."
    for fate, words in _FATES.items():
        names = plan.of(fate)
        if names:
            yield f"{words.capitalize()} ({len(names)}): {_named(names)}."
    for why in dict.fromkeys(f"{node.fate}: {node.why}" for node in plan.nodes):
        yield f"Why {line(why)}."


def _traces(plan: ErasurePlan) -> Iterator[str]:
    traces = plan.traces
    counts = (
        (traces.proposals, "waiting proposals"),
        (traces.reports, "reports"),
        (traces.receipts, "receipts"),
        (traces.notes, "notes"),
        (traces.names, "given names"),
    )
    told = ", ".join(f"{count} {name}" for count, name in counts if count)
    if told:
        yield f"Beside records, words go from: {told}."
    if traces.probable:
        yield f"Waiting proposals that only may be meant, and stay: {traces.probable}."


def forgotten(done: ErasureResult) -> str:
    assert done.verdict is not None, "what was asked for in earnest has a verdict"
    if done.certificate is None:
        return verdict(done.verdict)
    told = done.certificate.certificate
    return "\n".join(
        [
            f"Erased: {told.counts.records} records, {told.counts.revisions} revisions. Their content is gone.",
            f"Certificate {told.id}, ledger entry {told.seq}, signed by {told.key}.",
            "The opening in this answer is kept nowhere else: hand it to the person who asked for the erasure.",
        ]
    )


def withdrawn(told: WithdrawalResult) -> str:
    head = "Nothing was changed. It would be so:" if told.verdict is None else verdict(told.verdict)
    parts = (
        ("Taken back", told.records),
        ("Judged anew, since they stand on it", told.judged),
        ("Made of it by others since; somebody should look at them", told.followed),
        ("It had taken their place, and they are not put back", told.replaced),
        ("Proposals that no longer wait", told.dismissed),
        ("Receipts by which it was told", tuple(used.receipt for used in told.receipts)),
    )
    lines = [f"{words} ({len(names)}): {_named(names)}." for words, names in parts if names]
    again = f'To do it, call withdraw again with dry_run false and plan "{told.digest}".'
    after = [again] if told.verdict is None else []
    return "\n".join([head, *(lines or ["Nothing of it is in force."]), *after])


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED_MAX} more" if len(names) > _NAMED_MAX else ""
    return f"{', '.join(names[:_NAMED_MAX])}{more}"


def set_apart(told: Verdict) -> str:
    after = "\nNobody recalls it until a reviewer releases it." if told.committed else ""
    return verdict(told) + after


def quarantined(found: Sequence[Disclosure]) -> str:
    if not found:
        return "No record is kept apart that you may review."
    return "\n".join([QUOTED, *(part for one in found for part in quoted(one))])


def held(hold: LegalHold) -> str:
    return f"Held: {hold.id}, by {hold.target.by}. What it covers cannot be erased until somebody lifts it."


def holds(found: Sequence[LegalHold]) -> str:
    if not found:
        return "No hold stands."
    return "\n".join(
        f"{one.id}: by {one.target.by}: {line(one.target.value)}, since {show(one.at)}, by {one.actor}. "
        f"Why: {line(one.reason)}"
        for one in found
    )


def certificates(found: Sequence[SignedCertificate]) -> str:
    if not found:
        return "Nothing was erased."
    return "\n".join(
        f"{told.id}: {told.counts.records} records by {told.by}, {show(told.at)}, by {told.actor}, entry {told.seq}. "
        f"Why: {line(told.reason)}"
        for told in (one.certificate for one in found)
    )


def rewound(done: RewindResult, dry_run: bool) -> str:
    """What turning back came to, or would."""
    verb = "Would be turned back" if dry_run else "Turned back"
    lines = [f"{verb} to entry {done.to}: {done.changed} revisions change."]
    for what, names in (("Speak again", done.restored), ("No longer speak", done.withdrawn), ("Kept", done.kept)):
        if names:
            lines.append(f"{what}: {', '.join(names)}.")
    lines += [f"{done.erased} revisions were erased since and stay so."] if done.erased else []
    lines += [f"Told meanwhile: receipt {one.receipt} to {one.actor}." for one in done.receipts]
    return "\n".join(lines)
