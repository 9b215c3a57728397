"""Say in words why each record is in an answer."""

from __future__ import annotations

import msgspec

from muniment.model.query import Disclosure
from muniment.model.receipt import Plan
from muniment.ports.lexicon import Lexicon, Places, holds

_TEXT_LOOKED_AT = 20_000
_Wanted = list[tuple[str, Places]]


def give_reasons(lexicon: Lexicon, plan: Plan, told: tuple[Disclosure, ...]) -> tuple[Disclosure, ...]:
    """Add the reasons."""
    quoted = [" ".join(phrase) for phrase in plan.terms.phrases]
    places = lexicon.places((*plan.terms.words, *quoted))
    words = [(word, places[word]) for word in plan.terms.words]
    phrases = [(f'"{phrase}"', places[phrase]) for phrase in quoted]
    return tuple(_with_reasons(lexicon, plan, words, phrases, one) for one in told)


def _with_reasons(lexicon: Lexicon, plan: Plan, words: _Wanted, phrases: _Wanted, disclosure: Disclosure) -> Disclosure:
    record = disclosure.record
    held = set(lexicon.tokens(disclosure.text[:_TEXT_LOOKED_AT]))
    matched = [word for word, one in words if any(map(held.intersection, one))]
    matched += [phrase for phrase, one in phrases if holds(held, one)]
    place = record.claim.place
    footing = disclosure.standing.footing
    reasons = (
        _found(plan, disclosure, matched),
        *_ranked(disclosure),
        f"{place.scope} {place.scope_id}",
        f"trust {record.trust}",
        f"effective confidence {footing.effective:.2f}, {disclosure.gate}",
        *disclosure.reasons,
    )
    return msgspec.structs.replace(disclosure, reasons=reasons)


def _found(plan: Plan, disclosure: Disclosure, matched: list[str]) -> str:
    if matched:
        return f"matches {', '.join(matched)}"
    if dict(disclosure.parts).get("meaning"):
        return "is near in meaning"
    return "is new or of interest" if not plan.terms.words and disclosure.parts else "comes with another record"


def _ranked(disclosure: Disclosure) -> tuple[str, ...]:
    """The score and what it is the sum of."""
    if not disclosure.parts:
        return ()
    return ("ranked by " + ", ".join(f"{name} {value:+.3f}" for name, value in disclosure.parts),)
