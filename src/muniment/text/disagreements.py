"""The ways in which two clauses can disagree: each a function from two clauses to what it found, or nothing.

The order of the clauses is new, then old. None of these knows which texts the clauses are from.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import msgspec

from muniment.model.value import Value
from muniment.text.clauses import Clause, ClauseDenial
from muniment.text.quantities import DATE, Quantity, differ
from muniment.text.same_topic import first_person, focus, labels_differ, same_subject
from muniment.text.stems import stem
from muniment.text.word_tables import (
    ALIKE,
    CHANGES,
    DOING,
    FUNCTIONAL,
    MEASURES,
    OPPOSED,
    OPPOSITES,
    SINGLE,
    STOP,
    TIMED,
)

NEGATION = "negation"
NUMBER = "number"
WHEN = "date"
ANTONYM = "antonym"
EXCLUSIVE = "exclusive"

_COVERED = 0.75
_COVERED_EVER = 0.6
_OPTIONS = 1.5
_WITHOUT_VERB = 0.85
_OTHER_SUBJECT = 0.8
_CROWDED = 0.85
"""Among several clauses it is less sure what a figure is a figure of."""
_FORMER = 1.2
_SLOT_MAX = 4
_HEAD_MIN = 2
_LONG = 10
_REACH = 7
_DROPPED = frozenset(
    ("", "the", "a", "an", "has", "have", "had", "will", "would", "now", "currently", "our", "my", "'ve")
)
_MOVED = frozenset(map(stem, ("moved", "relocated", "switched", "changed", "migrated", "transferred")))
_CHANGED = frozenset(map(stem, CHANGES))
_PAST_BE = frozenset(("was", "were"))
_JOINED = frozenset(("and", "or", "both", "also", "not"))


class Disagreement(Value):
    """A disagreement: in what, how sure, and the two pieces that differ."""

    why: str
    score: float
    new: str
    old: str


def disagreements(new: Clause, old: Clause) -> Iterator[Disagreement]:
    """Every way in which two clauses disagree. A question states nothing, so it cannot."""
    if new.asking or old.asking:
        return
    yield from _denied(new, old)
    yield from _figures(new, old)
    if len(new.denials) % 2 == len(old.denials) % 2 and not _measured_apart(new, old):
        yield from _opposed(new, old)
        yield from _exclusive(new, old)


def _denied(new: Clause, old: Clause) -> Iterator[Disagreement]:
    """One denies what the other states."""
    if len(new.denials) % 2 == len(old.denials) % 2:
        return
    denying, stating = (new, old) if len(new.denials) % 2 else (old, new)
    if new.supposing or old.supposing or labels_differ(new, old):
        return
    for denial in denying.denials:
        score = max(_denies(denying, stating, denial), _never(denying, stating, denial))
        if score > 0:
            yield Disagreement(why=NEGATION, score=min(score, 1.0), new=new.shown, old=old.shown)


def _denies(denying: Clause, stating: Clause, denial: ClauseDenial) -> float:
    """The same statement with and without a "not": all that is denied must be stated, of the same subject."""
    covered = len(denial.scope & stating.words) / len(denial.scope)
    if covered < _COVERED or denying.doubting or stating.doubting or not same_subject(denying, stating):
        return 0.0
    if min(denying.verb_at, stating.verb_at) < 0 and len(denying.words & stating.words) < 2:
        return 0.0
    return focus(denying, stating) * covered


def _never(denying: Clause, stating: Clause, denial: ClauseDenial) -> float:
    """It never was, and yet it was: one occasion is enough to disprove a "never", whatever else is said of it.

    The deed must be reported, and be the same deed; only of a verb as wide as "use" any deed is one.
    """
    if not denial.ever or not stating.done:
        return 0.0
    if not (first_person(denying) and first_person(stating)) and not same_subject(denying, stating):
        return 0.0
    same_deed = bool((ALIKE.get(denial.verb, frozenset()) | {denial.verb}) & stating.done)
    things = denial.scope - {denial.verb}
    found = things & (stating.words | stating.around)
    if not found & stating.words or len(found) + same_deed < 2 or not (same_deed or denial.verb in DOING):
        return 0.0
    covered = min(1.0, len(found) / len(things) * (_OPTIONS if denial.options else 1.0))
    return covered * (1.0 if same_deed else _WITHOUT_VERB) if covered >= _COVERED_EVER else 0.0


def _figures(new: Clause, old: Clause) -> Iterator[Disagreement]:
    """Two figures for one thing. A clause with several of one unit does not say which of them is meant."""
    if new.supposing or old.supposing:
        return
    for a, b in product(new.single, old.single):
        if not _comparable(new, a, old, b) or not differ(a, b):
            continue
        score = _same_time(new, old, a, b) * focus(_close(new, a), _close(old, b))
        if not same_subject(new, old):
            score *= _OTHER_SUBJECT
        if new.around or old.around:
            score *= _CROWDED
        if any(c.former and c.unit == a.unit and not differ(c, b) for c in new.figures):
            score *= _FORMER
        if score > 0:
            yield Disagreement(why=WHEN if a.timed else NUMBER, score=min(score, 1.0), new=a.shown, old=b.shown)


def _close(clause: Clause, figure: Quantity) -> Clause:
    """A long clause cut to the neighbourhood of one of its figures; the rest of it becomes what is around."""
    if len(clause.words) <= _LONG:
        return clause
    place = _place(clause, figure)
    near = clause.words & frozenset(clause.frame[max(place - _REACH, 0) : place + _REACH])
    return msgspec.structs.replace(clause, words=near, around=clause.around | (clause.words - near))


def _measured_apart(new: Clause, old: Clause) -> bool:
    """Whether the figures differ: then another word beside them is most likely the reason, and not a contradiction."""
    pairs = [(a, b) for a, b in product(new.figures, old.figures) if _comparable(new, a, old, b)]
    return bool(pairs) and all(differ(a, b) for a, b in pairs)


def _place(clause: Clause, figure: Quantity) -> int:
    """Where a figure stands in the frame."""
    return [at for at, word in enumerate(clause.frame) if word.startswith("=")][clause.figures.index(figure)]


def _comparable(new: Clause, a: Quantity, old: Clause, b: Quantity) -> bool:
    """Whether two figures measure the same: one unit and one kind, or a bare number for what the other counts."""
    if a.label or b.label or a.timed != b.timed:
        return False
    if a.unit and b.unit:
        return a.unit == b.unit and (not a.kind or not b.kind or not a.kind.isdisjoint(b.kind))
    if not (a.unit or _is_value(new, a)) or not (b.unit or _is_value(old, b)):
        return False
    counted = a.unit or b.unit
    return not counted or (
        counted not in MEASURES and counted in new.words | new.around and counted in old.words | old.around
    )


def _is_value(clause: Clause, figure: Quantity) -> bool:
    """Whether a bare number is what a clause says of its subject: it is 165, it has reached 165, it went to 165."""
    place = _place(clause, figure)
    before = clause.frame[place - 1] if place else ""
    return before in ("be", "to") or stem(before) in _CHANGED


def _same_time(new: Clause, old: Clause, a: Quantity, b: Quantity) -> float:
    """1 if the figures speak of one occasion, else 0.

    A date is a figure of its own only for what has one date; an occasion that has passed may have had many. A number
    of another date is another number, unless the new one says what is so by now.
    """
    if a.timed:
        return 1.0 if new.words & old.words & TIMED else 0.0
    dates = [(c, d) for c in new.figures for d in old.figures if c.unit == d.unit and c.timed]
    if not dates or any(not differ(c, d) for c, d in dates):
        return 1.0
    later = all(c.value > d.value for c, d in dates if c.unit == DATE)
    return 1.0 if later and new.changing else 0.0


def _opposed(new: Clause, old: Clause) -> Iterator[Disagreement]:
    """Two words that cannot hold together, in the part of the clause that says something of its subject."""
    if new.supposing or old.supposing:
        return
    for word in sorted((new.forms - old.forms) & OPPOSED):
        for other in sorted(OPPOSITES[word] & (old.forms - new.forms)):
            if not _says(new, word) or not _says(old, other) or not same_subject(new, old):
                continue
            score = focus(new, old, frozenset((word, other)))
            if score > 0:
                yield Disagreement(why=ANTONYM, score=score, new=_as_shown(new, word), old=_as_shown(old, other))


def _says(clause: Clause, word: str) -> bool:
    return clause.verb_at >= 0 and clause.frame.index(word) >= clause.verb_at


def _as_shown(clause: Clause, root: str) -> str:
    """The word as it stood, for a person to read."""
    return next((word for word in clause.shown.split() if stem(word.lower()) == root or word.lower() == root), root)


def _exclusive(new: Clause, old: Clause) -> Iterator[Disagreement]:
    """The same sentence with another value in the one place that can hold only one."""
    if new.supposing or old.supposing:
        return
    a, b = _skeleton(new), _skeleton(old)
    if a[:_HEAD_MIN] != b[:_HEAD_MIN] or (_of_the_past(new) and not new.changing) or _of_the_past(old):
        return  # without a common beginning there is no place that both fill
    start = _alike(a, b)
    end = _alike(a[start:][::-1], b[start:][::-1])
    slots = a[start : len(a) - end], b[start : len(b) - end]
    if not all(1 <= len(slot) <= _SLOT_MAX and not _JOINED & set(slot) for slot in slots):
        yield from _relabelled(new, old, a, b)
        return
    head = a[:start]
    if any(word.startswith("=") for slot in slots for word in slot) or labels_differ(new, old):
        return
    if _takes_one(head) and _values(new, old, head, slots):
        known = sum(1 for word in (*head, *a[len(a) - end :]) if word not in STOP and word != "be")
        score = min(1.0, 0.6 + 0.1 * known)
        yield Disagreement(why=EXCLUSIVE, score=score, new=_slot(new, slots[0]), old=_slot(old, slots[1]))


def _of_the_past(clause: Clause) -> bool:
    """Whether a clause tells what was: somebody can have been in two places."""
    return not _PAST_BE.isdisjoint(clause.shown.split())


def _skeleton(clause: Clause) -> list[str]:
    """The frame without articles and auxiliaries; what moved to a place is in it."""
    kept = [word for word in clause.frame if word not in _DROPPED]
    for at, word in enumerate(kept[:-1]):
        if word in _MOVED and kept[at + 1] in ("to", "into"):
            return [*kept[:at], *(() if at and kept[at - 1] == "be" else ("be",)), "in", *kept[at + 2 :]]
    return [word for word in kept if word not in _CHANGED]


def _alike(one: list[str], other: list[str]) -> int:
    """How many words two runs begin with alike."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _takes_one(head: list[str]) -> bool:
    """Whether a clause begun like this can be finished in one way only, and has a subject."""
    if len(head) < _HEAD_MIN:
        return False
    verb = head[-1] if head[-1] in SINGLE else f"{head[-2]}@{head[-1]}"
    subject = head[:-1] if "@" not in verb else head[:-2]
    return verb in SINGLE and any(word not in STOP and word != "be" for word in subject)


def _values(new: Clause, old: Clause, head: list[str], slots: tuple[list[str], list[str]]) -> bool:
    """Whether both slots hold a value: names, or any noun where the subject is of the kind that has one value."""
    if any(word in STOP for slot in slots for word in slot):
        return False
    if "be" not in head[-2:] or FUNCTIONAL & set(head):
        return True
    return slots[0][0] in new.names and slots[1][0] in old.names


def _slot(clause: Clause, slot: list[str]) -> str:
    return " ".join(_as_shown(clause, word) for word in slot)


def _relabelled(new: Clause, old: Clause, a: list[str], b: list[str]) -> Iterator[Disagreement]:
    """The same sentence with another number in one name: rack 3, then rack 4. A version is one at a time anywhere."""
    if a != b:
        return
    changed = [
        (c, d) for c, d in zip(new.figures, old.figures, strict=False) if c.label and c.unit == d.unit and differ(c, d)
    ]
    if len(changed) != 1 or len(new.figures) != len(old.figures):
        return
    one, other = changed[0]
    place = a.index(f"={one.unit}")
    head = a[: place - 1] if place and a[place - 1] == one.unit[1:] else a[:place]
    if _takes_one(head) or "." in one.shown:
        noun = a[place - 1]
        yield Disagreement(why=EXCLUSIVE, score=0.8, new=f"{noun} {one.shown}", old=f"{noun} {other.shown}")
