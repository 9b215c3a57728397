"""Labels of an installation's own: what should have become of its events. With them the figures that need a judge are
measured on its own store."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from matm_evaluation.figures import ADMITTING, Figure, curator_errors, matched, routing_accuracy
from muniment.contracts.strict.reader import read_json
from muniment.engine import Memory
from muniment.model.decoding import convert
from muniment.model.errors import Malformed, NotFound
from muniment.model.value import Value
from muniment.model.vocabulary import ConflictStrength, Outcome, Scope

_DISPOSITIONS = ADMITTING | {"discard"}


class Labels(Value):
    """`decisions`: for an event its disposition, alone or with the scope it belongs in (`append:project`); `conflicts`:
    pairs of events that contradict each other, all of them."""

    decisions: dict[str, str]
    conflicts: tuple[tuple[str, str], ...] | None = None


def read_labels(data: bytes) -> Labels:
    """The labels in a JSON document; the first thing wrong with it is told with its place."""
    try:
        labels = convert(read_json(data), Labels)
    except msgspec.ValidationError as error:
        raise Malformed("labels", f"decisions by event, and conflicts as pairs of events: {error}") from None
    for event, gold in labels.decisions.items():
        disposition, _, scope = gold.partition(":")
        if disposition not in _DISPOSITIONS or (scope and scope not in {*Scope}):
            raise Malformed(f"labels.decisions.{event}", "a disposition, alone or with a scope: append:project")
    return labels


def label_figures(memory: Memory, labels: Labels) -> Iterator[Figure]:
    """Routing, false admission, false rejection and conflicts on this store, against its own labels."""
    decided = [(ours, gold) for event, gold in labels.decisions.items() if (ours := _ours(memory, event, gold))]
    errors = curator_errors([(ours.partition(":")[0], gold.partition(":")[0]) for ours, gold in decided])
    counted = f"of {len(decided)} labelled events that were decided here"
    figures = [
        ("routing", "routing accuracy", routing_accuracy(decided), f"decided as labelled, {counted}"),
        ("routing", "false admission", errors.false_admission, f"labelled discard and let in, {counted}"),
        ("routing", "false rejection", errors.false_rejection, f"labelled good and turned away, {counted}"),
    ]
    if labels.conflicts is not None:
        found = {
            frozenset((one.a.record.proposal, one.b.record.proposal))
            for one in memory.review.conflicts()
            if one.strength is ConflictStrength.ESTABLISHED
        }
        fit = matched(found, {frozenset(pair) for pair in labels.conflicts})
        figures += [
            ("conflicts", "conflict precision", fit.precision, "conflicts ever opened that are labelled as such"),
            ("conflicts", "conflict recall", fit.recall, "labelled conflicts that were opened"),
        ]
    for family, name, value, how in figures:
        yield Figure(family=family, name=name, value=value, unit="share", how=how)


def _ours(memory: Memory, event: str, gold: str) -> str | None:
    """What became of a labelled event, said as exactly as its label; nothing if it is unknown here, or still waits."""
    try:
        curated = memory.review.report(event)
    except NotFound:
        return None
    report = curated.report
    if report.outcome is Outcome.HELD:
        return None
    if ":" not in gold or curated.record_id is None:
        return report.disposition.value
    try:
        scope = memory.get(curated.record_id, revision=curated.revision).record.claim.place.scope
    except NotFound:
        return report.disposition.value
    return f"{report.disposition.value}:{scope.value}"
