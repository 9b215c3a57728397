"""The keywords of `recall` as a typed query."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TypedDict, TypeVar, get_type_hints

from muniment.model import checks
from muniment.model.claim_options import When, read_instant, refuse_unknown
from muniment.model.errors import Malformed
from muniment.model.query import DEFAULT_PURPOSE, LIMIT_DEFAULT, Attunement, Listing, Query
from muniment.model.vocabulary import Contested, Kind, MemoryClass, Scope, Sensitivity, TrustLevel

_E = TypeVar("_E", bound=StrEnum)


class QueryOptions(TypedDict, total=False):
    """The bounds of a recall. All optional; None means "no bound", an empty list means "nothing". With `user` it is a
    recall in that user's memory, and in no other."""

    user: str | None
    purpose: str | None
    scopes: Sequence[str] | None
    scope_ids: Sequence[str] | None
    namespace: str | None
    classes: Sequence[str] | None
    kinds: Sequence[str] | None
    authors: Sequence[str] | None
    places: Sequence[str] | None
    trust_min: str | None
    sensitivity_max: str | None
    max_age_days: float | None
    require_provenance: bool | None
    confidence_min: float | None
    gate_min: float | None
    gate_flag: float | None
    valid_at: When | None
    known_at: When | None
    limit: int | None
    budget_tokens: int | None
    asked_at: When | None
    floor: float | None
    min_fit: float | None
    precise: bool | None
    contested: str | None


OPTIONS = frozenset(get_type_hints(QueryOptions))


def make_query(
    text: str, options: QueryOptions, attuned: Attunement | None = None, *, listing: Listing | None = None
) -> Query:
    """Build a query. An unknown or wrong option is refused by name."""
    refuse_unknown(options, OPTIONS, "a question")
    trust, sensitivity, limit = options.get("trust_min"), options.get("sensitivity_max"), options.get("limit")
    authors, places = options.get("authors"), options.get("places")
    scope_ids, purpose, sourced = options.get("scope_ids"), options.get("purpose"), options.get("require_provenance")
    precise, contested = options.get("precise"), options.get("contested")
    return Query(
        text=text,
        purpose=DEFAULT_PURPOSE if purpose is None else purpose,
        scopes=_words("scopes", options.get("scopes"), Scope),
        scope_ids=None if scope_ids is None else _list("scope_ids", scope_ids),
        namespace=options.get("namespace"),
        classes=_words("classes", options.get("classes"), MemoryClass),
        kinds=_words("kinds", options.get("kinds"), Kind),
        authors=None if authors is None else _list("authors", authors),
        places=None if places is None else _list("places", places),
        trust_min=None if trust is None else checks.read_word("trust_min", trust, TrustLevel),
        sensitivity_max=None if sensitivity is None else checks.read_word("sensitivity_max", sensitivity, Sensitivity),
        max_age_days=options.get("max_age_days"),
        require_provenance=False if sourced is None else sourced,
        confidence_min=options.get("confidence_min"),
        gate_min=options.get("gate_min"),
        gate_flag=options.get("gate_flag"),
        valid_at=read_instant("valid_at", options.get("valid_at")),
        known_at=read_instant("known_at", options.get("known_at")),
        limit=LIMIT_DEFAULT if limit is None else limit,
        budget_tokens=options.get("budget_tokens"),
        asked_at=read_instant("asked_at", options.get("asked_at")),
        floor=options.get("floor"),
        min_fit=options.get("min_fit"),
        precise=False if precise is None else precise,
        contested=None if contested is None else checks.read_word("contested", contested, Contested),
        attuned=attuned,
        listing=listing,
    )


def _list(name: str, values: Sequence[str]) -> tuple[str, ...]:
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise Malformed(name, "a list of texts")
    return tuple(values)


def _words(name: str, values: Sequence[str] | None, vocabulary: type[_E]) -> tuple[_E, ...] | None:
    if values is None:
        return None
    return tuple(
        checks.read_word(f"{name}[{number}]", word, vocabulary) for number, word in enumerate(_list(name, values))
    )
