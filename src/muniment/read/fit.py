"""Know when not to answer: how likely each record that was found answers the question, and how likely any does.

A logistic model of few signs, fitted on questions with and without an answer in the store (see bench/tune). It
was fitted on the vectors of one model, so it says nothing about those of another.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from muniment.model.receipt import Plan
from muniment.model.record import Record
from muniment.model.value import Value
from muniment.ports.lexicon import holds
from muniment.ports.store import Snapshot
from muniment.read.exact import coverage
from muniment.read.fetch import record_of
from muniment.read.find import Findings
from muniment.read.named import without
from muniment.text.asked import Asked, asked_for, holds_asked

_LONG_NUMBER = re.compile(r"(?<!\d)(?!(?:19|20)\d\d(?!\d))\d{4,}(?!\d)")
_SEPARATOR = re.compile(r"(?<=\d)[.,\s'’](?=\d{3}(?!\d))")
"""What stands between the thousands of a number."""

FITTED_FOR = "all-MiniLM-L6-v2@"
_READ_MAX = 5_000
SIGNS = {
    "cosine": 1.55,
    "coverage": 3.2,
    "ahead": 6.48,
    "unread": 2.91,
    "unread_coverage": 1.26,
    "no_number": -2.88,
    "no_time": -1.96,
    "no_name": -3.72,
    "unmet": -2.09,
}
BIAS = -5.31


class Signs(Value):
    """What is known about how well one record answers: its cosine and how far that is above the mean of the nearest,
    and how much of the question's telling words it holds. One without a vector is `unread`: it has no cosine, and its
    words count for more. The rest is 1 if it lacks what the question asks for, a number or a time, or what it names:
    `no_name` where another record holds the name, `unmet` where none does.

    How many records there are is not among them: it would tell of those that the reader may not see."""

    cosine: float
    coverage: float
    ahead: float
    unread: float
    unread_coverage: float
    no_number: float
    no_time: float
    no_name: float
    unmet: float

    @property
    def logit(self) -> float:
        return BIAS + math.fsum(weight * getattr(self, name) for name, weight in SIGNS.items())


def can_tell(plan: Plan) -> bool:
    model = plan.reach.model
    return not plan.terms.phrases and (model is None or model.startswith(FITTED_FOR))


def signs_of(
    snapshot: Snapshot,
    plan: Plan,
    text: str,
    findings: Findings,
    names: Sequence[tuple[str, ...]],
    rids: Sequence[int],
) -> dict[int, Signs]:
    """The signs of each of these records."""
    records = {rid: record_of(document.body) for rid, document in snapshot.documents.many(rids).items()}
    held = dict(zip(records, _held(snapshot, records, tuple(findings.rarity)), strict=True))
    shares = {rid: coverage(findings.rarity, words) for rid, words in held.items()}
    nearest = math.fsum(max(0.0, cosine) for cosine in findings.nearest) / max(1, len(findings.nearest))
    lacking = without(text, names, records)
    unmet = len(lacking) == len(records)
    asked = asked_for(text)
    signs: dict[int, Signs] = {}
    for rid, record in records.items():
        one = findings.found[rid]
        unread = plan.reach.model is None or not one.has_vector
        # in a conversation a name is said once and then understood, and when it was is seen from when it was said
        alone = one.card.session_id is None
        missed = asked if alone and asked is not None and not _answers(record, asked) else None
        signs[rid] = Signs(
            cosine=0.0 if unread else one.meaning,
            coverage=shares[rid],
            ahead=0.0 if unread else one.meaning - nearest,
            unread=float(unread),
            unread_coverage=shares[rid] if unread else 0.0,
            no_number=float(missed is Asked.NUMBER),
            no_time=float(missed is Asked.TIME),
            no_name=float(rid in lacking and alone and not unmet),
            unmet=float(rid in lacking and unmet),
        )
    return signs


def fits_of(
    snapshot: Snapshot,
    plan: Plan,
    text: str,
    findings: Findings,
    names: Sequence[tuple[str, ...]],
    rids: Sequence[int],
) -> dict[int, float]:
    """How likely each of these answers the question, by itself; empty if that cannot be told. What has neither a word
    of the question nor a vector does not, and nothing does if the question is about a number that nothing here has."""
    if not can_tell(plan):
        return {}
    signs = signs_of(snapshot, plan, text, findings, names, rids)
    if _unknown_number(snapshot, text, findings, rids):
        return dict.fromkeys(signs, 0.0)
    return {rid: chance(one.logit) if one.coverage or not one.unread else 0.0 for rid, one in signs.items()}


def _unknown_number(snapshot: Snapshot, text: str, findings: Findings, rids: Sequence[int]) -> bool:
    """Whether a question speaks of a number as long as those things are told apart by, and none of these records, of
    which none was said in a conversation, has it."""
    numbers = _LONG_NUMBER.findall(_SEPARATOR.sub("", text))
    if not numbers or any(findings.found[rid].card.session_id is not None for rid in rids):
        return False
    said = [_SEPARATOR.sub("", record_of(one.body).content) for one in snapshot.documents.many(rids).values()]
    return not any(number in content for number in numbers for content in said)


def foretell_fits(snapshot: Snapshot, plan: Plan, rids: Sequence[int]) -> None:
    """Tell the store whose words `fits_of` will read."""
    if rids and can_tell(plan):
        snapshot.ahead(partial(snapshot.documents.many, rids))


def coverages(snapshot: Snapshot, findings: Findings, rids: Sequence[int]) -> dict[int, float]:
    """How much of what the question's words tell each of these tells."""
    records = {rid: record_of(document.body) for rid, document in snapshot.documents.many(rids).items()}
    held = _held(snapshot, records, tuple(findings.rarity))
    return {rid: coverage(findings.rarity, words) for rid, words in zip(records, held, strict=True)}


def _answers(record: Record, asked: Asked) -> bool:
    """Whether a record holds what is asked for; a time also by saying when it happened."""
    told = asked is Asked.TIME and record.claim.times.event_time is not None
    return told or holds_asked(record.content, asked)


def chance(logit: float) -> float:
    return round(1 / (1 + math.exp(-max(-60.0, min(60.0, logit)))), 4)


def odds(chance: float) -> float:
    return chance / (1 - min(chance, 0.9999))


def _held(snapshot: Snapshot, records: Mapping[int, Record], words: tuple[str, ...]) -> Iterator[Iterable[str]]:
    """The words each of these records holds: a short one is read, a long one is looked up in the index."""
    lexicon = snapshot.lexicon
    sought = [(word, places) for word, places in lexicon.places(words).items() if places]
    for rid, record in records.items():
        if len(record.content) > _READ_MAX:
            yield lexicon.held(rid, words)
        else:
            held = set(lexicon.tokens(record.content))
            yield [word for word, places in sought if holds(held, places)]
