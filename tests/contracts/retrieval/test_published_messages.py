"""Every message the contract prints, as it prints it, with what must raise it: text and class, to the letter."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.cases import each
from tests.contracts.cites import cites

from muniment.compat.retrieval import MemoryCandidate, MemoryRecord, MemoryStore, load_memory_store

Trigger = Callable[[], object]
Case = tuple[str, dict[str, object], type[Exception], Trigger]
TEXTS = ("tenant_id", "memory_class", "kind", "content", "source")
GOOD: dict[str, object] = {
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
NOT_TEXT: tuple[object, ...] = (7, None, True, ["x"], b"x")
BLANK = ("", " ", "\t\n")
NOT_NUMBERS: tuple[object, ...] = (True, False, "0.9", None, [0.5], 1j)
NOT_FRACTIONS: tuple[object, ...] = (-0.01, 1.01, 2, -1, float("nan"), float("inf"), float("-inf"), 10**400)
NOT_WHOLE: tuple[object, ...] = (True, 1.0, "1", None)


def _seeds(idx: int, seed: object) -> Trigger:
    return lambda: load_memory_store({"memory": {"seed_records": [GOOD] * (idx - 1) + [seed]}})


def _record(**changes: object) -> Trigger:
    return lambda: MemoryRecord(**{**GOOD, **changes})  # type: ignore[arg-type]  # what is wrong on purpose has no type


def _persist(**changes: object) -> Trigger:
    said = {name: value for name, value in GOOD.items() if name not in ("memory_id", "revision")}
    return lambda: MemoryStore().persist(MemoryCandidate(**{**said, **changes}))  # type: ignore[arg-type]  # likewise


def _retrieve(**changes: object) -> Trigger:
    said: dict[str, object] = {"query": "x", "tenant_id": "t", "limit": 3, **changes}
    return lambda: MemoryStore().retrieve(**said)  # type: ignore[arg-type]  # likewise


def _loader() -> list[Case]:
    cases: list[Case] = [
        ("Memory store config must be a mapping", {}, TypeError, lambda: load_memory_store([])),
        ("Memory store config must be a mapping", {}, TypeError, lambda: load_memory_store("memory.yaml")),
        ("Memory store config must be a mapping", {}, TypeError, lambda: MemoryStore.from_dict(None)),
        ("'memory' must be a mapping", {}, TypeError, lambda: load_memory_store({"memory": None})),
        ("'memory' must be a mapping", {}, TypeError, lambda: load_memory_store({"memory": []})),
        ("'seed_records' must be a list", {}, TypeError, lambda: load_memory_store({"memory": {"seed_records": None}})),
        ("'seed_records' must be a list", {}, TypeError, lambda: load_memory_store({"memory": {"seed_records": {}}})),
        ("'seed_records' must be a list", {}, TypeError, lambda: load_memory_store({"memory": {"seed_records": ()}})),
    ]
    for idx in (1, 2, 12):
        cases += _of_seed(idx)
    return cases


def _of_seed(idx: int) -> list[Case]:
    n: dict[str, object] = {"idx": idx}
    cases: list[Case] = [("Memory record #{idx} must be a mapping", n, TypeError, _seeds(idx, [GOOD]))]
    for key in TEXTS:
        said = {"idx": idx, "key": key}
        absent = {name: value for name, value in GOOD.items() if name != key}
        cases += [
            ("Memory record #{idx} field must be a string: {key}", said, TypeError, _seeds(idx, {**GOOD, key: value}))
            for value in NOT_TEXT
        ]
        cases += [
            ("Memory record #{idx} field is required: {key}", said, ValueError, _seeds(idx, seed))
            for seed in (absent, *({**GOOD, key: blank} for blank in BLANK))
        ]
    for value in NOT_TEXT:
        bad = _seeds(idx, {**GOOD, "memory_id": value})
        cases.append(("Memory record #{idx} field must be a string: memory_id", n, TypeError, bad))
        bad = _seeds(idx, {**GOOD, "provenance": value})
        cases.append(("Memory record #{idx} field must be a string: provenance", n, TypeError, bad))
    for blank in BLANK:
        bad = _seeds(idx, {**GOOD, "memory_id": blank})
        cases.append(("Memory record #{idx} field is required: memory_id", n, ValueError, bad))
        bad = _seeds(idx, {**GOOD, "provenance": blank})
        cases.append(("Memory record field is required: {field}", {"field": "provenance"}, ValueError, bad))
    for name, values, message, kind in (
        ("confidence", NOT_NUMBERS, "Memory record #{idx} confidence must be a number", TypeError),
        ("confidence", NOT_FRACTIONS, "Memory record #{idx} confidence must be between 0 and 1", ValueError),
        ("revision", NOT_WHOLE, "Memory record #{idx} revision must be an integer", TypeError),
        ("revision", (0, -1), "Memory record #{idx} revision must be positive", ValueError),
    ):
        cases += [(message, n, kind, _seeds(idx, {**GOOD, name: value})) for value in values]
    return cases


def _records() -> list[Case]:
    cases: list[Case] = [
        ("Memory store records must be MemoryRecord", {}, TypeError, lambda bad=bad: MemoryStore(bad))  # type: ignore[misc]  # likewise
        for bad in ([GOOD], [None], "mem-001", "", {}, {"a": 1}, 0, 7, MemoryRecord(**GOOD))  # type: ignore[arg-type]  # likewise
    ]
    for field in ("memory_id", *TEXTS, "provenance"):
        said: dict[str, object] = {"field": field}
        text, blank = "Memory record field must be a string: {field}", "Memory record field is required: {field}"
        cases += [(text, said, TypeError, _record(**{field: value})) for value in NOT_TEXT]
        cases += [(blank, said, ValueError, _record(**{field: value})) for value in BLANK]
    for name, values, message, kind in (
        ("confidence", NOT_NUMBERS, "Memory record confidence must be a number", TypeError),
        ("confidence", NOT_FRACTIONS, "Memory record confidence must be between 0 and 1", ValueError),
        ("revision", NOT_WHOLE, "Memory record revision must be an integer", TypeError),
        ("revision", (0, -1), "Memory record revision must be positive", ValueError),
    ):
        cases += [(message, {}, kind, _record(**{name: value})) for value in values]
    return cases


def _candidates() -> list[Case]:
    no_candidate = "Memory store candidate must be MemoryCandidate"
    cases: list[Case] = [
        (no_candidate, {}, TypeError, lambda bad=bad: MemoryStore().persist(bad))  # type: ignore[misc]  # likewise
        for bad in (GOOD, None, "x", MemoryRecord(**GOOD))  # type: ignore[arg-type]  # likewise
    ]
    for field in (*TEXTS, "provenance"):
        said: dict[str, object] = {"field": field}
        text, blank = "Memory candidate field must be a string: {field}", "Memory candidate field is required: {field}"
        cases += [(text, said, TypeError, _persist(**{field: value})) for value in NOT_TEXT]
        cases += [(blank, said, ValueError, _persist(**{field: value})) for value in BLANK]
    mode = "Memory candidate revision mode is not supported: {revision_mode}"
    for value in (["replace"], None, 1):
        bad = _persist(revision_mode=value)
        cases.append(("Memory candidate revision mode must be a string", {}, TypeError, bad))
    for given, told in (
        ("merge", "merge"),
        (" Replace ", "Replace"),
        ("append_revision", "append_revision"),
        (" ", ""),
    ):
        cases.append((mode, {"revision_mode": told}, ValueError, _persist(revision_mode=given)))
    for values, message, kind in (
        (NOT_NUMBERS, "Memory candidate confidence must be a number", TypeError),
        (NOT_FRACTIONS, "Memory candidate confidence must be between 0 and 1", ValueError),
    ):
        cases += [(message, {}, kind, _persist(confidence=value)) for value in values]
    return cases


def _lookups() -> list[Case]:
    cases: list[Case] = []
    for field in ("query", "tenant_id"):
        said: dict[str, object] = {"field": field}
        text, blank = "Memory lookup field must be a string: {field}", "Memory lookup field is required: {field}"
        cases += [(text, said, TypeError, _retrieve(**{field: value})) for value in NOT_TEXT]
        cases += [(blank, said, ValueError, _retrieve(**{field: value})) for value in BLANK]
    cases += [
        ("Memory lookup limit must be an integer", {}, TypeError, _retrieve(limit=value))
        for value in (*NOT_WHOLE, False, 2.5)
    ]
    return [
        *cases,
        ("Memory lookup limit must be non-negative", {}, ValueError, _retrieve(limit=-1)),
        (
            "Memory lookup field is required: {field}",
            {"field": "tenant_id"},
            ValueError,
            lambda: MemoryStore().compact(" "),
        ),
    ]


CASES = [*_loader(), *_records(), *_candidates(), *_lookups()]


@cites("RETR-001", "RETR-002", "RETR-003")
@each("message", sorted({case[0] for case in CASES}))
def test_a_fault_gets_the_message_printed_for_it_and_no_other(message: str) -> None:
    for _, said, kind, trigger in (case for case in CASES if case[0] == message):
        with pytest.raises(Exception) as caught:
            trigger()
        assert (type(caught.value), str(caught.value)) == (kind, message.format(**said))


def test_every_printed_message_has_a_fault_that_gets_it() -> None:
    assert len({case[0] for case in CASES}) == 31


ORDER = ["memory_id", *TEXTS, "confidence", "provenance", "revision"]


def test_of_several_faults_of_a_seed_the_first_in_the_order_of_its_fields_is_told() -> None:
    faults: dict[str, object] = dict.fromkeys(ORDER, b"")
    for name in ORDER:
        with pytest.raises(TypeError) as caught:
            load_memory_store({"memory": {"seed_records": [faults]}})
        assert name in str(caught.value)
        faults[name] = GOOD[name]
    assert len(load_memory_store({"memory": {"seed_records": [faults]}}).all()) == 1


def test_of_several_faults_of_a_record_the_texts_come_first() -> None:
    order = ["memory_id", *TEXTS, "provenance", "confidence", "revision"]
    faults: dict[str, object] = dict.fromkeys(order, b"")
    for name in order:
        with pytest.raises(TypeError) as caught:
            _record(**faults)()
        assert name in str(caught.value)
        faults[name] = GOOD[name]


def test_a_refused_lookup_tells_of_the_query_then_the_tenant_then_the_limit() -> None:
    for changes, message in (
        ({"query": " ", "tenant_id": 7, "limit": -1}, "Memory lookup field is required: query"),
        ({"tenant_id": 7, "limit": -1}, "Memory lookup field must be a string: tenant_id"),
        ({"limit": -1}, "Memory lookup limit must be non-negative"),
    ):
        with pytest.raises((TypeError, ValueError)) as caught:
            _retrieve(**changes)()
        assert str(caught.value) == message
