"""Valid memledger records of every type, as JSON values."""

from __future__ import annotations

from datetime import date

from hypothesis import strategies as st

from muniment.contracts.strict.values import Json, JsonObject

_words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
_names = st.from_regex(r"[A-Za-z0-9_:.-]{1,12}", fullmatch=True)
_maybe = st.none() | _words | st.just("")
_shares = st.floats(0, 1) | st.sampled_from([0, 1])
_counts = st.integers(0, 2**53)
_days = st.dates(min_value=date(1, 1, 2)).map(lambda day: day.isoformat())
_clock = st.times().map(lambda time: time.replace(microsecond=0).isoformat())
_fractions = st.sampled_from(["", ".5", ".123456", ".123456789"])
_zones = st.sampled_from(["Z", "z", "+00:00", "-07:30", "+05:45"])
_moments = st.builds("{}T{}{}{}".format, _days, _clock, _fractions, _zones)
_spaces = st.sampled_from(["/", "/ops", "/ops/pay-svc", "ops", "/a/", "//a", "/../x"]) | _words
_json: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_words, inner, max_size=3),
    max_leaves=8,
)
_conflicts: st.SearchStrategy[Json] = st.fixed_dictionaries(
    {"existing_id": _names},
    optional={
        "existing_content": st.text(st.characters(exclude_categories=["Cs"]), max_size=200),
        "similarity": st.floats(-1, 1),
        "resolution": st.sampled_from([None, "store_anyway", "supersede", "merge", "accept_both", "reject_new"]),
    },
)
_COMMON: dict[str, st.SearchStrategy[Json]] = {
    "status": st.sampled_from(["active", "deprecated", "expired", "archived"]),
    "embedding": st.none() | st.lists(st.floats(-1, 1), max_size=4),
    "namespace": _spaces,
    "agent_id": _maybe | _names,
    "user_id": _maybe | _names,
    "session_id": _maybe | _names,
    "importance": _shares,
    "metadata": st.dictionaries(_words, _json, max_size=3),
    "created_at": _moments,
    "updated_at": _moments,
    "score": st.none() | st.floats(-1, 1),
    "supersedes": st.none() | _names.map(lambda name: f"old-{name}"),
    "derived_from": st.lists(_names.map(lambda name: f"parent-{name}"), max_size=3),
    "created_by": _maybe | _names,
    "workflow_id": _maybe | _names,
    "triggered_by": _maybe,
    "accessed_by": st.lists(_json, max_size=2),
    "confidence": _shares,
    "turn_context": _maybe,
    "hedged": st.booleans(),
    "confidence_flag": st.sampled_from([None, "PASS", "FLAG", "FILTER"]),
    "conflicts": st.lists(_conflicts, max_size=2),
    "quality_score": st.none() | st.integers(0, 100),
    "access_count": _counts,
    "last_accessed_at": st.none() | _moments,
    "success_count": _counts,
    "failure_count": _counts,
}
_EXTRAS: dict[str, dict[str, st.SearchStrategy[Json]]] = {
    "semantic": {"source": _maybe},
    "episodic": {
        "event_time": st.none() | _moments,
        "duration_ms": st.none() | _counts,
        "outcome": _maybe,
        "actors": st.lists(_words | st.just(""), max_size=3),
    },
    "procedural": {name: st.lists(_words, max_size=3) for name in ("steps", "preconditions", "tools_required")},
}
_ids = _names.map(lambda name: f"own-{name}") | _words.map(lambda word: f"own {word}")


def documents() -> st.SearchStrategy[JsonObject]:
    """One valid record. No id is its own parent; nothing stands in the extension slot."""
    return st.sampled_from(sorted(_EXTRAS)).flatmap(_of_type).filter(_no_slot)


def _of_type(type_: str) -> st.SearchStrategy[JsonObject]:
    needed: dict[str, st.SearchStrategy[Json]] = {
        "id": _ids,
        "content": _words | st.just("  "),
        "record_type": st.just(type_),
    }
    return st.fixed_dictionaries(needed, optional={**_COMMON, **_EXTRAS[type_]})


def _no_slot(document: JsonObject) -> bool:
    metadata = document.get("metadata")
    return not isinstance(metadata, dict) or "muniment" not in metadata
