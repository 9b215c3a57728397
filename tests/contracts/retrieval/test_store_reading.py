"""The same queries over the runtime layer's store: the same bounds, the same reasons, the same counts."""

from __future__ import annotations

from dataclasses import replace

from tests.cases import each
from tests.contracts.cites import cites
from tests.contracts.retrieval.room import query

from muniment.compat.retrieval import MemoryRecord, MemoryStore, ReadPolicy, bundled_store, retrieve_from
from muniment.contracts.retrieval.wire import RetrievalResult
from muniment.model.times import DAY, Instant
from muniment.model.vocabulary import TrustLevel

NOW = Instant(1_000 * DAY)


def _ids(result: RetrievalResult) -> list[str]:
    return [one.record_id for one in result.selected_records]


def test_the_bundled_records_are_read_under_the_bounds_of_a_query() -> None:
    asked = query(query="support queue tickets", filters={"trust_min": "medium"})
    result = retrieve_from(bundled_store(), asked, now=NOW)
    assert _ids(result) == ["mem-002", "mem-001"]
    assert result.exclusion_counts == {"trust": 1}
    assert result.selection_reason == ["profile_match", "tenant_match", "trust_filter_passed"]


@cites("RETR-037")
@each(("age", "kept"), [(89, True), (90, True), (91, False), (None, False)])
def test_a_record_that_is_too_old_or_has_no_date_is_kept_out(age: int | None, kept: bool) -> None:
    created = None if age is None else Instant(NOW - age * DAY)
    record = replace(bundled_store().all()[1], created_at=created)
    result = retrieve_from(MemoryStore([record]), query(filters={"max_age_days": 90}), now=NOW)
    assert _ids(result) == (["mem-002"] if kept else [])
    assert result.exclusion_counts == ({} if kept else {"age": 1})


@cites("RETR-038", "RETR-046", "RETR-047")
def test_provenance_retention_and_purpose_bind_here_too() -> None:
    first, second, third = bundled_store().all()
    store = MemoryStore([first, replace(second, provenance="unknown"), replace(third, expires_at=Instant(NOW - 1))])
    asked = query(filters={"require_provenance": True}, purpose="policy_evaluation")
    result = retrieve_from(store, asked, now=NOW)
    assert (_ids(result), result.exclusion_counts) == ([], {"class": 1, "expiry": 1, "provenance": 1})
    still = retrieve_from(store, query(query=None), now=Instant(NOW - 1))
    assert _ids(still) == ["mem-001", "mem-002", "mem-003"]


@cites("RETR-036")
def test_a_level_of_trust_that_was_said_goes_before_one_that_is_derived() -> None:
    low = replace(bundled_store().all()[1], trust_level=TrustLevel.LOW)
    assert _ids(retrieve_from(MemoryStore([low]), query(filters={"trust_min": "medium"}), now=NOW)) == []


@cites("RETR-043", "RETR-045")
def test_other_tenants_are_not_counted_and_what_is_excluded_takes_no_place() -> None:
    foreign = [MemoryRecord(f"f-{n}", "tenant-other", "profile", "k", "support queue", "s", 0.9) for n in range(4)]
    weak = [MemoryRecord(f"w-{n}", "tenant-acme", "short_term", "k", "support queue", "s", 0.9) for n in range(9)]
    store = MemoryStore([*foreign, *weak, *bundled_store().all()])
    asked = query(query="support queue", allowed_classes=["profile", "long_term"], limit=1)
    result = retrieve_from(store, asked, now=NOW)
    assert (_ids(result), result.exclusion_counts) == (["mem-002"], {"class": 10, "limit": 1})


def test_a_policy_only_ever_narrows_a_query() -> None:
    strict = ReadPolicy(records_max=1, trust_min=TrustLevel.HIGH, require_provenance=True)
    result = retrieve_from(bundled_store(), query(query=None, filters={"trust_min": "low"}), now=NOW, policy=strict)
    assert (_ids(result), result.exclusion_counts) == (["mem-001"], {"limit": 1, "trust": 1})
    assert _ids(retrieve_from(bundled_store(), query(), now=NOW, policy=ReadPolicy(classes=()))) == []
