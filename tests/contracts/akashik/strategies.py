"""Valid documents of the protocol, as JSON values."""

from __future__ import annotations

from datetime import date

from hypothesis import strategies as st

from muniment.contracts.akashik.nouns import EPOCH_MAX
from muniment.contracts.akashik.words import LinkType, Mode, UnitStatus, UnitType
from muniment.contracts.strict.values import Json, JsonObject

_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
_names = st.from_regex(r"[A-Za-z0-9._:-]{1,12}", fullmatch=True) | _texts.filter(bool)
_said = _texts.filter(lambda text: bool(text.strip().strip("\ufeff").strip())) | st.just("not stated")
_maybe = st.none() | _texts
_days = st.dates(min_value=date(1, 1, 2)).map(lambda day: day.isoformat())
_clock = st.times().map(lambda time: time.replace(microsecond=0).isoformat())
_fractions = st.sampled_from(["", ".5", ".123456", ".123456789"])
_zones = st.sampled_from(["Z", "z", "+00:00", "-07:30", "+05:45"])
_moments = st.builds("{}T{}{}{}".format, _days, _clock, _fractions, _zones) | st.sampled_from(
    ["1970-01-01T00:00:00Z", "2016-12-31T23:59:60Z"]
)


def _words(vocabulary: type[Mode | UnitType | UnitStatus | LinkType]) -> st.SearchStrategy[str]:
    return st.sampled_from([word.value for word in vocabulary])


_relations: st.SearchStrategy[Json] = st.fixed_dictionaries(
    {"type": _words(LinkType), "target_id": _names},
    optional={"description": _maybe | st.sampled_from(["derived from", "part of"])},
)
_confidence: st.SearchStrategy[Json] = st.fixed_dictionaries(
    {},
    optional={
        "score": st.floats(0, 1) | st.sampled_from([0, 1]),
        "reasoning": _said,
        "evidence": st.lists(_texts, max_size=3),
        "assumptions": st.lists(_texts, max_size=3),
    },
)
_required: dict[str, st.SearchStrategy[Json]] = {
    "id": _names,
    "mode": _words(Mode),
    "type": _words(UnitType),
    "content": _said,
    "intent": st.fixed_dictionaries({"purpose": _said}, optional={"task_id": _maybe, "question": _maybe}),
    "source": st.fixed_dictionaries(
        {"agent_id": _names | st.just("unknown"), "agent_role": _names, "timestamp": _moments},
        optional={"session_id": _maybe},
    ),
    "status": _words(UnitStatus),
    "epoch": st.integers(0, EPOCH_MAX) | st.just(3.0),
}
_optional: dict[str, st.SearchStrategy[Json]] = {
    "confidence": _confidence,
    "relations": st.lists(_relations, max_size=4),
}


def documents() -> st.SearchStrategy[JsonObject]:
    """Memory units with everything that may be in one, and without."""
    return st.fixed_dictionaries(_required, optional=_optional)
