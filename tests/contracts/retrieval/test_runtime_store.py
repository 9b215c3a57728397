"""The runtime layer's store: revisions, names that are never given twice, lookup and its ranking, compaction."""

from __future__ import annotations

from typing import cast

import pytest
from tests.cases import each
from tests.contracts.cites import cites

from muniment.compat.retrieval import MemoryCandidate, MemoryRecord, MemoryStore, bundled_store
from muniment.compat.retrieval.store import score


def _candidate(content: str, mode: str = "append", *, tenant: str = "tenant-acme") -> MemoryCandidate:
    return MemoryCandidate(tenant, "long_term", "validated_fact", content, "trusted_service", 0.9, "observed", mode)


def _record(name: str, content: str = "x", *, tenant: str = "tenant-acme", revision: int = 1) -> MemoryRecord:
    return MemoryRecord(name, tenant, "long_term", "validated_fact", content, "trusted_service", 0.9, "p", revision)


def _names(records: list[MemoryRecord]) -> list[str]:
    return [one.memory_id for one in records]


@cites("RETR-017")
def test_appending_twice_gives_two_records_of_revision_1() -> None:
    store = MemoryStore()
    first, second = store.persist(_candidate("one")), store.persist(_candidate("two"))
    assert (first.revision, second.revision) == (1, 1)
    assert store.all() == [first, second]
    assert _names(store.retrieve("two", "tenant-acme")) == ["mem-002", "mem-001"]


@cites("RETR-018")
def test_replacing_counts_on_from_the_highest_revision() -> None:
    assert MemoryStore().persist(_candidate("one", "replace")).revision == 1
    chain = MemoryStore([_record("a", revision=4), _record("b", revision=2)])
    assert chain.persist(_candidate("two", "replace")).revision == 5


@cites("RETR-019")
def test_another_tenants_chain_does_not_raise_the_number() -> None:
    store = MemoryStore([_record("a", tenant="tenant-other", revision=9)])
    assert store.persist(_candidate("one", "replace")).revision == 1


@cites("RETR-020", "RETR-021")
def test_what_was_replaced_is_kept_and_no_longer_retrieved() -> None:
    store = MemoryStore()
    for content in ("blue", "green", "red"):
        store.persist(_candidate(f"the door is {content}", "replace"))
    assert [(one.content, one.revision) for one in store.all()] == [
        ("the door is blue", 1),
        ("the door is green", 2),
        ("the door is red", 3),
    ]
    assert [one.content for one in store.retrieve("the door is blue", "tenant-acme")] == ["the door is red"]


@cites("RETR-021")
def test_what_is_appended_after_a_replacement_is_retrieved_beside_it() -> None:
    store = MemoryStore([_record("a", "old")])
    store.persist(_candidate("new", "replace"))
    store.persist(_candidate("beside it"))
    assert [one.content for one in store.current("tenant-acme")] == ["new", "beside it"]


@cites("RETR-023")
def test_blanks_around_a_mode_do_not_matter() -> None:
    store = MemoryStore([_record("a", revision=1)])
    assert store.persist(_candidate("two", " replace ")).revision == 2


@cites("RETR-025")
def test_names_are_counted_on_and_never_given_twice() -> None:
    store = bundled_store()
    assert store.persist(_candidate("one")).memory_id == "mem-004"
    assert store.persist(_candidate("one")).memory_id == "mem-005"
    assert store.compact("tenant-acme") == 1
    assert store.persist(_candidate("two")).memory_id == "mem-006"


@cites("RETR-025")
def test_a_name_that_a_seed_bears_is_not_given_again() -> None:
    store = MemoryStore([_record("mem-002")])
    assert _names([store.persist(_candidate("one")), store.persist(_candidate("two"))]) == ["mem-003", "mem-004"]


@cites("RETR-026")
@each("query", ["the vault opens at nine", "tenant-other", "mem-009", "*"])
def test_no_query_brings_out_another_tenants_record(query: str) -> None:
    store = MemoryStore([_record("mem-009", "the vault opens at nine", tenant="tenant-other"), _record("mem-001")])
    assert _names(store.retrieve(query, "tenant-acme", limit=10)) == ["mem-001"]


@cites("RETR-027")
def test_a_tenant_is_matched_exactly_but_for_blanks_around_it() -> None:
    assert _names(bundled_store().retrieve("x", "  tenant-acme ")) == ["mem-001", "mem-002", "mem-003"]
    for other in ("Tenant-Acme", "tenant-acm", "tenant-acme-2"):
        assert bundled_store().retrieve("x", other) == []


@cites("RETR-028")
def test_three_records_are_returned_unless_a_limit_says_otherwise() -> None:
    store = bundled_store()
    store.persist(_candidate("a fourth"))
    assert len(store.retrieve("x", "tenant-acme")) == 3
    assert len(store.retrieve("x", "tenant-acme", limit=4)) == 4
    assert store.retrieve("x", "tenant-acme", limit=0) == []


@cites("RETR-028")
@each(
    ("limit", "kind", "message"),
    [
        (-1, ValueError, "Memory lookup limit must be non-negative"),
        (True, TypeError, "Memory lookup limit must be an integer"),
        ("3", TypeError, "Memory lookup limit must be an integer"),
        (2.0, TypeError, "Memory lookup limit must be an integer"),
    ],
)
def test_what_is_no_limit_is_refused(limit: object, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        bundled_store().retrieve("x", "tenant-acme", limit=cast(int, limit))
    assert str(caught.value) == message


@cites("RETR-029")
@each(
    ("query", "tenant", "kind", "message"),
    [
        (" ", "tenant-acme", ValueError, "Memory lookup field is required: query"),
        ("x", "", ValueError, "Memory lookup field is required: tenant_id"),
        (7, "tenant-acme", TypeError, "Memory lookup field must be a string: query"),
        ("x", None, TypeError, "Memory lookup field must be a string: tenant_id"),
    ],
)
def test_a_lookup_names_the_field_it_lacks(query: object, tenant: object, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        bundled_store().retrieve(cast(str, query), cast(str, tenant))
    assert str(caught.value) == message


@cites("RETR-030", "RETR-031")
@each(
    ("query", "order", "scores"),
    [
        ("zebra", ["mem-001", "mem-002", "mem-003"], [1.20, 1.12, 0.75]),
        ("support queue tickets", ["mem-002", "mem-001", "mem-003"], [4.12, 1.20, 0.75]),
        ("main write capability", ["mem-003", "mem-001", "mem-002"], [2.75, 1.20, 1.12]),
    ],
)
def test_the_bundled_records_rank_as_published(query: str, order: list[str], scores: list[float]) -> None:
    found = bundled_store().retrieve(query, "tenant-acme")
    assert _names(found) == order
    assert [score(query, record) for record in found] == pytest.approx(scores)


@cites("RETR-032")
def test_records_of_equal_score_stay_in_the_order_they_came() -> None:
    store = MemoryStore([_record(name, "the same words") for name in ("c", "a", "b")])
    assert _names(store.retrieve("the same words", "tenant-acme")) == ["c", "a", "b"]


@cites("RETR-033")
def test_a_trusted_profile_comes_before_a_short_term_note_of_the_same_words() -> None:
    note = MemoryRecord("note", "t", "short_term", "working_note", "answers in English", "session_state", 0.9, "p")
    profile = MemoryRecord("profile", "t", "profile", "preference", "answers in English", "trusted_profile", 0.9, "p")
    assert _names(MemoryStore([note, profile]).retrieve("English answers", "t")) == ["profile", "note"]


@cites("RETR-063")
def test_compaction_drops_only_a_tenants_exact_duplicates() -> None:
    other_kind = MemoryRecord("k", "tenant-acme", "long_term", "working_note", "one", "s", 0.9, "p")
    other_class = MemoryRecord("c", "tenant-acme", "profile", "validated_fact", "one", "s", 0.9, "p")
    elsewhere = [_record("d", "one", tenant="tenant-other"), _record("e", "one", tenant="tenant-other")]
    store = MemoryStore(
        [_record("a", "one"), _record("b", "one"), _record("f", "One"), other_kind, other_class, *elsewhere]
    )
    assert store.compact(" tenant-acme ") == 1
    assert _names(store.all()) == ["a", "f", "k", "c", "d", "e"]
    assert store.compact("tenant-acme") == 0


def test_compaction_asks_for_its_tenant_as_a_lookup_does() -> None:
    with pytest.raises(ValueError, match=r"^Memory lookup field is required: tenant_id$"):
        bundled_store().compact(" ")
    with pytest.raises(TypeError, match=r"^Memory lookup field must be a string: tenant_id$"):
        bundled_store().compact(cast(str, 7))


@cites("RETR-065")
def test_what_is_derived_is_believed_and_trusted_no_more_than_its_least_source() -> None:
    store = bundled_store()
    from_all = MemoryCandidate(
        "tenant-acme",
        "long_term",
        "session_summary",
        "all of it",
        "trusted_service",
        0.95,
        "conversation_summary",
        derived_from=("mem-001", "mem-003"),
    )
    record = store.persist(from_all)
    assert (record.confidence, record.trust.value) == (0.7, "low")
    assert record.derived_from == ("mem-001", "mem-003")
    alone = store.persist(_candidate("stands alone"))
    assert (alone.confidence, alone.trust.value, alone.derived_from) == (0.9, "high", ())
