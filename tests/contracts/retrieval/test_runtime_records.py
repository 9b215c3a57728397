"""The runtime layer's records, candidates and loader: the published messages, to the letter, and what each is for."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import cast

import pytest
from tests.cases import each
from tests.contracts.cites import cites

from muniment.compat.retrieval import (
    MemoryCandidate,
    MemoryRecord,
    MemoryStore,
    bundled_store,
    load_memory_store,
)

SEED: dict[str, object] = {
    "memory_id": "mem-001",
    "tenant_id": "tenant-acme",
    "memory_class": "profile",
    "kind": "language_preference",
    "content": "English, please.",
    "source": "trusted_profile",
    "confidence": 0.95,
    "provenance": "user_confirmed_preference",
    "revision": 1,
}


def _config(*seeds: object) -> object:
    return {"memory": {"seed_records": list(seeds)}}


def _without(name: str) -> dict[str, object]:
    return {key: value for key, value in SEED.items() if key != name}


def _record(**changes: object) -> MemoryRecord:
    return MemoryRecord(**{**SEED, **changes})  # type: ignore[arg-type]  # what is wrong on purpose has no type


def _candidate(**changes: object) -> MemoryCandidate:
    said = {key: value for key, value in SEED.items() if key not in ("memory_id", "revision")}
    return MemoryCandidate(**{**said, **changes})  # type: ignore[arg-type]  # what is wrong on purpose has no type


LOADER = [
    ([], TypeError, "Memory store config must be a mapping"),
    (None, TypeError, "Memory store config must be a mapping"),
    ({"memory": []}, TypeError, "'memory' must be a mapping"),
    ({"memory": {"seed_records": {}}}, TypeError, "'seed_records' must be a list"),
    (_config("mem-001"), TypeError, "Memory record #1 must be a mapping"),
    (_config({**SEED, "kind": 7}), TypeError, "Memory record #1 field must be a string: kind"),
    (_config({**SEED, "tenant_id": None}), TypeError, "Memory record #1 field must be a string: tenant_id"),
    (_config({**SEED, "memory_id": 1}), TypeError, "Memory record #1 field must be a string: memory_id"),
    (_config({**SEED, "provenance": []}), TypeError, "Memory record #1 field must be a string: provenance"),
    (_config(_without("content")), ValueError, "Memory record #1 field is required: content"),
    (_config({**SEED, "source": "  "}), ValueError, "Memory record #1 field is required: source"),
    (_config({**SEED, "memory_class": ""}), ValueError, "Memory record #1 field is required: memory_class"),
    (_config({**SEED, "memory_id": " "}), ValueError, "Memory record #1 field is required: memory_id"),
    (_config({**SEED, "confidence": "0.9"}), TypeError, "Memory record #1 confidence must be a number"),
    (_config({**SEED, "confidence": 1.5}), ValueError, "Memory record #1 confidence must be between 0 and 1"),
    (_config({**SEED, "revision": "1"}), TypeError, "Memory record #1 revision must be an integer"),
    (_config({**SEED, "revision": 0}), ValueError, "Memory record #1 revision must be positive"),
]


@cites("RETR-001", "RETR-002", "RETR-015")
@each(("config", "kind", "message"), LOADER, ids=[case[2] for case in LOADER])
def test_a_faulty_configuration_gets_its_published_message(config: object, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        load_memory_store(config)
    assert (type(caught.value), str(caught.value)) == (kind, message)


RECORD = [
    *[({name: 7}, TypeError, f"Memory record field must be a string: {name}") for name in list(SEED)[:6]],
    *[({name: " "}, ValueError, f"Memory record field is required: {name}") for name in list(SEED)[:6]],
    ({"provenance": None}, TypeError, "Memory record field must be a string: provenance"),
    ({"confidence": None}, TypeError, "Memory record confidence must be a number"),
    ({"confidence": -1}, ValueError, "Memory record confidence must be between 0 and 1"),
    ({"revision": 1.0}, TypeError, "Memory record revision must be an integer"),
    ({"revision": -1}, ValueError, "Memory record revision must be positive"),
]


@cites("RETR-001", "RETR-002")
@each(("changes", "kind", "message"), RECORD, ids=[case[2] for case in RECORD])
def test_a_faulty_record_gets_its_published_message(
    changes: dict[str, object], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind) as caught:
        _record(**changes)
    assert (type(caught.value), str(caught.value)) == (kind, message)


CANDIDATE = [
    ({"revision_mode": ["replace"]}, TypeError, "Memory candidate revision mode must be a string"),
    ({"revision_mode": " merge "}, ValueError, "Memory candidate revision mode is not supported: merge"),
    ({"confidence": True}, TypeError, "Memory candidate confidence must be a number"),
    ({"confidence": 2}, ValueError, "Memory candidate confidence must be between 0 and 1"),
    ({"kind": 7}, TypeError, "Memory candidate field must be a string: kind"),
    ({"provenance": " "}, ValueError, "Memory candidate field is required: provenance"),
]


@cites("RETR-001", "RETR-002", "RETR-022", "RETR-024")
@each(("changes", "kind", "message"), CANDIDATE, ids=[case[2] for case in CANDIDATE])
def test_a_faulty_candidate_gets_its_published_message_and_leaves_nothing(
    changes: dict[str, object], kind: type[Exception], message: str
) -> None:
    store = MemoryStore([_record()])
    with pytest.raises(kind) as caught:
        store.persist(_candidate(**changes))
    assert (type(caught.value), str(caught.value)) == (kind, message)
    assert store.all() == [_record()]
    assert store.persist(_candidate()).memory_id == "mem-002", "a refusal uses up no name"


def test_of_several_faults_of_a_candidate_the_first_in_the_published_order_is_told() -> None:
    order = ["tenant_id", "memory_class", "kind", "content", "source", "provenance"]
    faults: dict[str, object] = dict.fromkeys(order, " ") | {"revision_mode": "merge", "confidence": 2}
    for name in order:
        with pytest.raises(ValueError) as caught:
            MemoryStore().persist(_candidate(**faults))
        assert str(caught.value) == f"Memory candidate field is required: {name}"
        del faults[name]
    with pytest.raises(ValueError) as caught:
        MemoryStore().persist(_candidate(**faults))
    assert str(caught.value) == "Memory candidate revision mode is not supported: merge"


@cites("RETR-003")
def test_a_fault_in_the_second_seed_is_told_of_number_2() -> None:
    with pytest.raises(TypeError) as caught:
        load_memory_store(_config(SEED, {**SEED, "confidence": None}))
    assert str(caught.value) == "Memory record #2 confidence must be a number"


@cites("RETR-004")
def test_the_seventh_seed_without_a_name_is_called_mem_007() -> None:
    store = load_memory_store(_config(*[SEED] * 6, _without("memory_id")))
    assert [record.memory_id for record in store.all()] == ["mem-001"] * 6 + ["mem-007"]


@cites("RETR-005")
def test_a_seed_that_says_nothing_of_them_gets_the_published_defaults() -> None:
    said = {key: SEED[key] for key in ("tenant_id", "memory_class", "kind", "content", "source")}
    (record,) = load_memory_store(_config(said)).all()
    assert (record.confidence, record.provenance, record.revision) == (0.5, "unknown", 1)


@cites("RETR-006")
def test_a_blank_provenance_is_refused_by_the_record_without_a_number() -> None:
    with pytest.raises(ValueError) as caught:
        load_memory_store(_config(SEED, {**SEED, "provenance": "  "}))
    assert str(caught.value) == "Memory record field is required: provenance"


@cites("RETR-007")
def test_blanks_around_every_text_are_taken_away_on_both_ways_in() -> None:
    padded = {key: f"  {value}\t" if isinstance(value, str) else value for key, value in SEED.items()}
    (loaded,) = load_memory_store(_config(padded)).all()
    assert loaded == _record() == _record(**padded)
    assert (loaded.memory_id, loaded.content, loaded.provenance) == (
        "mem-001",
        "English, please.",
        "user_confirmed_preference",
    )


@cites("RETR-008")
def test_true_is_neither_a_confidence_nor_a_revision() -> None:
    with pytest.raises(TypeError, match=r"^Memory record confidence must be a number$"):
        _record(confidence=True)
    with pytest.raises(TypeError, match=r"^Memory record revision must be an integer$"):
        _record(revision=True)
    with pytest.raises(TypeError, match=r"^Memory record #1 confidence must be a number$"):
        load_memory_store(_config({**SEED, "confidence": True}))
    with pytest.raises(TypeError, match=r"^Memory record #1 revision must be an integer$"):
        load_memory_store(_config({**SEED, "revision": True}))


@cites("RETR-009")
@each("confidence", [math.nan, math.inf, -math.inf, -0.01, 1.01])
def test_a_confidence_outside_0_and_1_is_refused_by_range(confidence: float) -> None:
    with pytest.raises(ValueError, match=r"^Memory record confidence must be between 0 and 1$"):
        _record(confidence=confidence)
    with pytest.raises(ValueError, match=r"^Memory record #1 confidence must be between 0 and 1$"):
        load_memory_store(_config({**SEED, "confidence": confidence}))


@cites("RETR-009")
@pytest.mark.parametrize("confidence", [0, 1])
def test_0_and_1_are_confidences_and_become_fractions(confidence: int) -> None:
    record = _record(confidence=confidence)
    assert record.confidence == confidence
    assert type(record.confidence) is float


@cites("RETR-010")
@pytest.mark.parametrize("revision", [0, -1])
def test_a_revision_below_1_is_not_positive(revision: int) -> None:
    with pytest.raises(ValueError, match=r"^Memory record revision must be positive$"):
        _record(revision=revision)


@cites("RETR-010")
def test_a_fraction_is_no_revision() -> None:
    with pytest.raises(TypeError, match=r"^Memory record revision must be an integer$"):
        _record(revision=1.0)


@cites("RETR-011")
def test_a_record_cannot_be_changed() -> None:
    record = _record()
    with pytest.raises(FrozenInstanceError):
        record.content = "something else"  # type: ignore[misc]  # that is the point
    assert record.content == "English, please."


@cites("RETR-012")
def test_the_bundled_configuration_is_the_three_published_records() -> None:
    found = [
        (one.memory_id, one.memory_class, one.kind, one.source, one.confidence, one.provenance, one.revision)
        for one in bundled_store().all()
    ]
    assert found == [
        ("mem-001", "profile", "language_preference", "trusted_profile", 0.95, "user_confirmed_preference", 1),
        ("mem-002", "long_term", "validated_fact", "trusted_service", 0.92, "validated_service_rule", 1),
        ("mem-003", "short_term", "working_note", "session_state", 0.7, "ephemeral_session_note", 1),
    ]
    assert {one.tenant_id for one in bundled_store().all()} == {"tenant-acme"}
    assert [one.content for one in bundled_store().all()][1:] == [
        "Support tickets must use the support queue and include requester_id.",
        "Recent runtime demo used create_ticket as the main write capability.",
    ]


@cites("RETR-013")
def test_a_store_takes_no_mapping_for_a_record() -> None:
    with pytest.raises(TypeError) as caught:
        MemoryStore([cast(MemoryRecord, dict(SEED))])
    assert str(caught.value) == "Memory store records must be MemoryRecord"


@cites("RETR-014")
def test_a_store_takes_no_mapping_for_a_candidate_and_keeps_nothing_of_it() -> None:
    store = MemoryStore()
    with pytest.raises(TypeError) as caught:
        store.persist(cast(MemoryCandidate, dict(SEED)))
    assert str(caught.value) == "Memory store candidate must be MemoryCandidate"
    assert store.all() == []


@cites("RETR-016")
@each("config", [{}, {"memory": {}}, {"memory": {"seed_records": []}}])
def test_a_store_without_records_stays_empty(config: object) -> None:
    assert load_memory_store(config).all() == []
    assert MemoryStore([]).all() == MemoryStore().all() == []
    assert load_memory_store(config).retrieve("anything", "tenant-acme") == []


def test_a_configuration_is_loaded_from_a_mapping_or_the_path_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "memory.yaml"
    path.write_text("memory: {seed_records: [{tenant_id: t, memory_class: profile, kind: k, content: c, source: s}]}")
    (record,) = load_memory_store(path).all()
    assert record == MemoryRecord("mem-001", "t", "profile", "k", "c", "s", 0.5)
    assert MemoryStore.from_dict(_config(SEED)).all() == load_memory_store(_config(SEED)).all() == [_record()]


def test_records_may_come_from_anything_that_gives_records() -> None:
    assert MemoryStore(one for one in [_record()]).all() == MemoryStore((_record(),)).all() == [_record()]
