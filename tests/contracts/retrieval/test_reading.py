"""Retrieval queries over a governed memory: every filter is real, every result explains itself."""

from __future__ import annotations

from typing import cast

import msgspec
import pytest
from tests.contracts.cites import cites
from tests.contracts.retrieval.room import READER, TENANT, WORDS, Room, query
from tests.support.world import START

from muniment.compat.exchange import read_in
from muniment.compat.retrieval import ReadPolicy, read_query, retrieve
from muniment.contracts.finding import passes
from muniment.contracts.registry import ContractName
from muniment.contracts.retrieval import CONTRACT
from muniment.contracts.retrieval.wire import RetrievalResult
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model import times
from muniment.model.errors import CallerError, Malformed
from muniment.model.times import DAY, Instant
from muniment.model.vocabulary import MemoryClass


@pytest.fixture
def room() -> Room:
    return Room()


def _ids(result: RetrievalResult) -> list[str]:
    return [one.record_id for one in result.selected_records]


@cites("RETR-034")
@pytest.mark.parametrize("field", ["tenant_id", "principal_id", "purpose", "allowed_classes", "limit"])
def test_a_query_that_lacks_what_bounds_it_is_refused(room: Room, field: str) -> None:
    room.keep(WORDS)
    with pytest.raises(Malformed) as caught:
        retrieve(room.reader, query(**{field: None}))
    assert (caught.value.field, caught.value.expected) == ("/", f"an object with {field}")


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"tenant_id": "tenant-other"}, "/tenant_id"), ({"principal_id": "owner"}, "/principal_id")],
)
def test_a_query_for_another_tenant_or_reader_opens_no_door(room: Room, changes: JsonObject, field: str) -> None:
    room.keep(WORDS)
    with pytest.raises(Malformed) as caught:
        retrieve(room.reader, query(**changes))
    assert caught.value.field == field


@cites("RETR-035")
def test_a_class_that_is_not_allowed_is_never_selected(room: Room) -> None:
    room.keep(WORDS, memory_class="profile")
    fits_less = room.keep("tickets are taken by somebody in the support queue", memory_class="long_term")
    result = retrieve(room.reader, query(allowed_classes=["long_term"]))
    assert _ids(result) == [fits_less]
    assert result.exclusion_counts == {"class": 1}
    assert _ids(retrieve(room.reader, query(allowed_classes=[]))) == []


@cites("RETR-036")
def test_a_least_level_of_trust_keeps_out_what_is_below_it_and_nothing_else(room: Room) -> None:
    high = room.keep(f"{WORDS} one")
    medium = room.keep(f"{WORDS} two", by="agent-7", evidence=("ticket:1",))
    low = room.keep(f"{WORDS} three", by="agent-7", confidence=0.6)
    levels = {"high": {high}, "medium": {high, medium}, "low": {high, medium, low}}
    for level, expected in levels.items():
        result = retrieve(room.reader, query(filters={"trust_min": level}))
        assert set(_ids(result)) == expected
        assert result.exclusion_counts == ({"trust": 3 - len(expected)} if len(expected) < 3 else {})


@cites("RETR-037")
@pytest.mark.parametrize(("age", "kept"), [(89.0, True), (90.0, True), (90.00001, False), (91.0, False)])
def test_a_greatest_age_is_kept_by_the_day(room: Room, age: float, kept: bool) -> None:
    record = room.keep(WORDS)
    room.later(age)
    result = retrieve(room.reader, query(filters={"max_age_days": 90}))
    assert _ids(result) == ([record] if kept else [])
    assert result.exclusion_counts == ({} if kept else {"age": 1})
    assert _ids(retrieve(room.reader, query())) == [record], "without the filter age does not matter"


def _import(room: Room, *ages: float, **changes: Json) -> None:
    """Take in a record for each age, in days, named by it."""
    documents: list[Json] = [
        {
            "kind": "memory_record",
            "record_id": f"age-{age}",
            "tenant_id": TENANT,
            "memory_class": "long_term",
            "key": "observation",
            "value": f"{WORDS} after {age} days",
            "source": "trusted_service",
            "provenance": "validated_service_rule",
            "revision": 1,
            "trust_level": "high",
            "created_at": times.show(Instant(int(START - age * DAY))),
            "retention": "permanent",
            **changes,
        }
        for age in ages
    ]
    imported = read_in(room.memory, ContractName.RETRIEVAL, msgspec.json.encode(documents))
    assert imported.count("committed") == len(ages)


@cites("RETR-037")
@pytest.mark.parametrize("text", [WORDS, None])
def test_an_import_makes_nothing_younger_than_it_was_elsewhere(room: Room, text: str | None) -> None:
    _import(room, 89, 90, 90.00001, 91, 4000)
    result = retrieve(room.reader, query(query=text, limit=9, filters={"max_age_days": 90}))
    assert set(_ids(result)) == {"age-89", "age-90"}
    assert result.exclusion_counts == {"age": 3}
    room.later(1)
    later = retrieve(room.reader, query(query=text, limit=9, filters={"max_age_days": 90}))
    assert (_ids(later), later.exclusion_counts) == (["age-89"], {"age": 4})
    assert len(_ids(retrieve(room.reader, query(query=text, limit=9)))) == 5


def test_a_date_of_elsewhere_that_lies_ahead_keeps_nothing_young(room: Room) -> None:
    _import(room, -365)
    room.later(91)
    assert _ids(retrieve(room.reader, query(filters={"max_age_days": 90}))) == []


@cites("RETR-045")
@pytest.mark.parametrize("text", [WORDS, None])
def test_what_was_too_old_elsewhere_takes_up_no_place(room: Room, text: str | None) -> None:
    _import(room, 10)
    _import(room, *range(100, 130))
    result = retrieve(room.reader, query(query=text, limit=1, filters={"max_age_days": 90}))
    assert _ids(result) == ["age-10"]


@cites("RETR-037")
def test_what_was_revised_here_is_as_old_as_its_revision(room: Room) -> None:
    _import(room, 100)
    room.memory.revise("age-100", f"{WORDS} on Mondays")
    assert _ids(retrieve(room.reader, query(filters={"max_age_days": 90}))) == ["age-100"]


@cites("RETR-038")
def test_where_provenance_is_required_none_and_unknown_are_kept_out(room: Room) -> None:
    sourced = room.keep(f"{WORDS} one")
    bare = room.keep(f"{WORDS} two", source=None)
    unknown = room.keep(f"{WORDS} three", source="unknown")
    result = retrieve(room.reader, query(filters={"require_provenance": True}))
    assert _ids(result) == [sourced]
    assert result.exclusion_counts == {"provenance": 2}
    assert set(_ids(retrieve(room.reader, query()))) == {sourced, bare, unknown}


@cites("RETR-039", "RETR-043")
@pytest.mark.parametrize("limit", [0, 1, 2, 7])
@pytest.mark.parametrize("text", [WORDS, None])
def test_no_more_are_selected_than_the_limit_and_the_rest_is_counted(room: Room, limit: int, text: str | None) -> None:
    for number in range(7):
        room.keep(f"{WORDS} {number}")
    result = retrieve(room.reader, query(limit=limit, query=text))
    assert len(result.selected_records) == limit
    assert result.excluded_records == 7 - limit
    assert result.exclusion_counts == ({"limit": 7 - limit} if limit < 7 else {})


@cites("RETR-039")
def test_the_two_sides_of_a_dispute_do_not_go_past_the_limit(room: Room) -> None:
    first = room.keep("The nightly build takes 40 minutes", by="a", evidence=("ci:1",))
    second = room.keep("The nightly build takes 55 minutes", by="b", evidence=("ci:2",))
    both = retrieve(room.reader, query(query="nightly build", limit=2))
    assert set(_ids(both)) == {first, second}
    one = retrieve(room.reader, query(query="nightly build", limit=1))
    assert len(one.selected_records) == 1
    assert one.exclusion_counts is not msgspec.UNSET
    assert one.exclusion_counts["limit"] >= 1


@cites("RETR-040", "RETR-041", "RETR-042")
def test_a_result_echoes_its_query_shows_each_record_and_gives_its_reasons(room: Room) -> None:
    profile = room.keep(f"{WORDS} one", memory_class="profile", source="user_confirmed_preference")
    fact = room.keep(f"{WORDS} two")
    filters: JsonObject = {"trust_min": "medium", "max_age_days": 90, "require_provenance": True}
    result = retrieve(room.reader, query(trace_id="trace-9", session_id="session-9", filters=filters))
    document = msgspec.to_builtins(result)
    assert (document["trace_id"], document["session_id"]) == ("trace-9", "session-9")
    by_id = {one["record_id"]: one for one in document["selected_records"]}
    passed = ["tenant_match", "trust_filter_passed", "class_allowed", "age_filter_passed", "provenance_present"]
    assert by_id == {
        profile: {
            "record_id": profile,
            "memory_class": "profile",
            "trust_level": "high",
            "provenance": "user_confirmed_preference",
            "revision": 1,
            "reasons": ["profile_match", *passed],
        },
        fact: {
            "record_id": fact,
            "memory_class": "long_term",
            "trust_level": "high",
            "provenance": "validated_service_rule",
            "revision": 1,
            "reasons": passed,
        },
    }
    assert document["selection_reason"] == ["profile_match", "tenant_match", "trust_filter_passed"]
    assert passes(CONTRACT.check(msgspec.json.encode(result)))


@cites("RETR-042")
def test_a_reason_is_given_only_where_it_applies(room: Room) -> None:
    assert retrieve(room.reader, query(filters={"trust_min": "low"})).selection_reason == []
    room.keep(WORDS)
    assert retrieve(room.reader, query()).selection_reason == ["tenant_match"]
    trusted = retrieve(room.reader, query(filters={"trust_min": "low"}))
    assert trusted.selection_reason == ["tenant_match", "trust_filter_passed"]


@cites("RETR-043")
@pytest.mark.parametrize("text", [WORDS, None])
def test_selected_and_excluded_make_up_what_was_considered_in_this_tenant(room: Room, text: str | None) -> None:
    other = Room("tenant-other")
    for number in range(3):
        other.keep(f"{WORDS} elsewhere {number}")
    room.keep(f"{WORDS} one")
    room.keep(f"{WORDS} two", memory_class="short_term")
    room.keep(f"{WORDS} three", by="agent-7", confidence=0.6)
    room.keep(f"{WORDS} four", source=None)
    room.keep(f"{WORDS} five")
    asked = query(
        query=text,
        allowed_classes=["long_term"],
        filters={"trust_min": "medium", "require_provenance": True},
        limit=1,
    )
    result = retrieve(room.reader, asked)
    assert result.exclusion_counts == {"class": 1, "limit": 1, "provenance": 1, "trust": 1}
    assert (len(result.selected_records), result.excluded_records) == (1, 4)


@cites("RETR-044")
@pytest.mark.parametrize("text", [WORDS, None])
def test_nothing_eligible_is_an_empty_result_with_its_count(room: Room, text: str | None) -> None:
    empty = retrieve(room.reader, query(query=text))
    assert (empty.selected_records, empty.excluded_records, empty.exclusion_counts) == ([], 0, {})
    room.keep(WORDS, by="agent-7", confidence=0.6)
    none = retrieve(room.reader, query(query=text, filters={"trust_min": "high"}))
    assert (none.selected_records, none.excluded_records, none.exclusion_counts) == ([], 1, {"trust": 1})


@cites("RETR-045")
@pytest.mark.parametrize("text", [WORDS, None])
def test_what_is_filtered_out_takes_up_no_place(room: Room, text: str | None) -> None:
    last = room.keep("somebody in the support queue takes tickets")
    for number in range(30):
        room.keep(f"{WORDS} {number}", memory_class="short_term")
    result = retrieve(room.reader, query(query=text, allowed_classes=["long_term"], limit=1))
    assert _ids(result) == [last]
    assert result.exclusion_counts == {"class": 30}


@cites("RETR-046")
@pytest.mark.parametrize("text", [WORDS, None])
def test_what_is_past_its_retention_is_kept_out_without_being_asked(room: Room, text: str | None) -> None:
    document = {
        "kind": "memory_record",
        "record_id": "mem-1",
        "tenant_id": TENANT,
        "memory_class": "long_term",
        "key": "observation",
        "value": WORDS,
        "source": "trusted_service",
        "provenance": "validated_service_rule",
        "revision": 1,
        "trust_level": "high",
        "created_at": "2026-01-01T00:00:00Z",
        "retention": "long_term",
    }
    (carried,) = CONTRACT.decode(msgspec.json.encode(document))
    verdict = room.memory.propose(carried.claim)
    room.later(90)
    assert _ids(retrieve(room.reader, query(query=text))) == [verdict.record_id]
    room.later(90.001)
    result = retrieve(room.reader, query(query=text))
    assert (_ids(result), result.exclusion_counts) == ([], {"expiry": 1})


@cites("RETR-047")
def test_a_profile_is_read_only_for_the_purposes_named_for_it(room: Room) -> None:
    profile = room.keep(f"{WORDS} one", memory_class="profile")
    fact = room.keep(f"{WORDS} two")
    assert set(_ids(retrieve(room.reader, query()))) == {profile, fact}
    refused = retrieve(room.reader, query(purpose="policy_evaluation"))
    assert (_ids(refused), refused.exclusion_counts) == ([fact], {"class": 1})
    named = ReadPolicy(profile_purposes=("policy_evaluation",))
    assert set(_ids(retrieve(room.reader, query(purpose="policy_evaluation"), policy=named))) == {profile, fact}
    assert _ids(retrieve(room.reader, query(), policy=named)) == [fact]


def test_only_the_current_revision_is_told(room: Room) -> None:
    first = room.keep(f"{WORDS} on weekdays")
    room.memory.revise(first, f"{WORDS} on Mondays")
    result = retrieve(room.reader, query())
    assert [(one.record_id, one.revision) for one in result.selected_records] == [(first, 2)]
    assert result.exclusion_counts == {"superseded": 1}


def test_what_the_reader_may_not_see_is_neither_told_nor_counted(room: Room) -> None:
    room.memory.remember(WORDS, sensitivity="secret")
    result = retrieve(room.reader, query())
    assert (result.selected_records, result.excluded_records) == ([], 0)


def test_every_retrieval_leaves_a_receipt_that_explains_it(room: Room) -> None:
    record = room.keep(WORDS)
    result = retrieve(room.reader, query())
    assert isinstance(result.receipt_id, str)
    explained = room.memory.explain(result.receipt_id)
    assert (explained.account.actor.id, explained.again) == (READER, (record,))


@pytest.mark.parametrize("text", ["  ", ""])
def test_a_query_of_blanks_is_refused(room: Room, text: str) -> None:
    with pytest.raises(Malformed) as caught:
        retrieve(room.reader, query(query=text))
    assert caught.value.field == "/query"


def test_a_query_is_read_strictly_from_text_too() -> None:
    with pytest.raises(CallerError):
        read_query(b'{"kind": "retrieval_query", "kind": "retrieval_query"}')
    assert read_query(msgspec.json.encode(query())).limit == 5


def test_a_document_that_is_no_query_is_refused_by_its_kind() -> None:
    with pytest.raises(Malformed) as caught:
        read_query({"kind": "retrieval_result", "trace_id": "t"})
    assert (caught.value.field, caught.value.expected) == ("/kind", "retrieval_query")


def test_a_query_made_in_python_may_use_our_own_words() -> None:
    asked = read_query(cast(JsonObject, {**query(), "allowed_classes": (MemoryClass.PROFILE, "long_term")}))
    assert asked.allowed_classes == [MemoryClass.PROFILE, MemoryClass.LONG_TERM]
    assert read_query(asked) == asked
