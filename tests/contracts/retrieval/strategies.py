"""Valid memory records, runtime configurations and files of them, as JSON values."""

from __future__ import annotations

from datetime import date

from hypothesis import strategies as st

from muniment.contracts.strict.values import Json, JsonObject

_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
_words = _texts.filter(lambda text: text.strip(" \t\r\n") != "")
_names = st.from_regex(r"[A-Za-z0-9_:.-]{1,12}", fullmatch=True) | _words
_classes = st.sampled_from(["short_term", "long_term", "profile"])
_tokens = st.sampled_from(["unknown", "user_confirmed_preference", " trusted_service "]) | _words
_days = st.dates(min_value=date(1, 1, 2)).map(lambda day: day.isoformat())
_clock = st.times().map(lambda time: time.replace(microsecond=0).isoformat())
_fractions = st.sampled_from(["", ".5", ".123456789"])
_zones = st.sampled_from(["Z", "z", "+00:00", "-07:30", "+05:45"])
_moments = st.builds("{}T{}{}{}".format, _days, _clock, _fractions, _zones) | st.just("1970-01-01T00:00:00Z")
_json: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | _texts, lambda inner: st.lists(inner, max_size=2), max_leaves=3
)
_extensions: st.SearchStrategy[Json] = st.dictionaries(
    _texts.filter(lambda text: text != "muniment"), _json, max_size=2
).map(lambda found: found)
_revisions = st.integers(1, 2**40)


_RECORD: dict[str, st.SearchStrategy[Json]] = {
    "kind": st.just("memory_record"),
    "record_id": _names,
    "tenant_id": _names,
    "memory_class": _classes,
    "key": st.sampled_from(["fact", "validated_fact", "preferred_language"]) | _words,
    "value": _texts,
    "source": _tokens,
    "provenance": _tokens,
    "revision": _revisions,
    "trust_level": st.sampled_from(["low", "medium", "high"]),
    "created_at": _moments,
    "retention": st.sampled_from(["short_term", "long_term", "profile", "permanent"]),
}
_RECORD_MAY: dict[str, st.SearchStrategy[Json]] = {"extensions": _extensions}
_SEED: dict[str, st.SearchStrategy[Json]] = {
    "tenant_id": _names,
    "memory_class": _classes | _words,
    "kind": st.sampled_from(["language_preference", "validated_fact", "working_note"]) | _words,
    "content": _words,
    "source": _tokens,
}
_SEED_MAY: dict[str, st.SearchStrategy[Json]] = {
    "memory_id": _names,
    "confidence": st.floats(0, 1) | st.sampled_from([0, 1]),
    "provenance": _tokens,
    "revision": _revisions,
}


def memory_records() -> st.SearchStrategy[JsonObject]:
    """Documents of the contract layer."""
    return st.fixed_dictionaries(_RECORD, optional=_RECORD_MAY)


def seeds() -> st.SearchStrategy[JsonObject]:
    """Records of the runtime layer."""
    return st.fixed_dictionaries(_SEED, optional=_SEED_MAY)


def configs() -> st.SearchStrategy[JsonObject]:
    """Configurations of the runtime layer that list something, each under a name of its own."""
    lists = st.lists(seeds(), min_size=1, max_size=3).filter(_distinct)
    return lists.map(lambda found: {"memory": {"seed_records": list(found)}})


def _distinct(found: list[JsonObject]) -> bool:
    names = [str(seed.get("memory_id", f"mem-{place:03}")).strip() for place, seed in enumerate(found, start=1)]
    return len({*names}) == len(names)


def documents() -> st.SearchStrategy[Json]:
    """Single documents that hold memories."""
    return st.one_of(memory_records(), configs())


def files() -> st.SearchStrategy[Json]:
    """Anything a file of this contract may hold that holds memories. A list of one is written as the one."""
    unique = st.lists(memory_records(), min_size=2, max_size=3, unique_by=lambda one: str(one["record_id"]))
    lists = unique.map(lambda found: list[Json](found))
    return st.one_of(documents(), lists)
