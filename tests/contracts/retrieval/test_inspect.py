"""inspect-memory: an operator's look at seed records, as a function and as a command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest
from tests.cases import each
from tests.contracts.cites import cites

import muniment.surfaces.cli.inspect  # noqa: F401  # declares the command
from muniment.compat.retrieval import inspect_memory
from muniment.surfaces.cli import run

FIELDS = [
    "memory_id",
    "tenant_id",
    "memory_class",
    "kind",
    "content",
    "source",
    "confidence",
    "provenance",
    "revision",
]


@cites("RETR-068")
def test_inspect_memory_by_class_prints_one_object_with_that_class_only(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    assert run(["inspect-memory", "--memory-class", "profile"]) == 0
    shown = json.loads(capfdbinary.readouterr().out)
    assert list(shown) == ["config_dir", "count", "memory_ids", "records"]
    assert (shown["count"], shown["memory_ids"]) == (1, ["mem-001"])
    assert [list(record) for record in shown["records"]] == [FIELDS]
    assert {record["memory_class"] for record in shown["records"]} == {"profile"}


@cites("RETR-069")
def test_a_negative_limit_is_a_value_error_that_names_the_field_and_0_shows_nothing() -> None:
    with pytest.raises(ValueError) as caught:
        inspect_memory(limit=-1)
    assert str(caught.value) == "Memory lookup limit must be non-negative"
    none = inspect_memory(limit=0)
    assert (none.count, none.records) == (0, ())


@cites("RETR-069")
def test_the_command_refuses_a_negative_limit_by_name_and_shows_an_empty_list_for_0(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    assert run(["inspect-memory", "--limit", "-1", "--json"]) == 2
    out, err = capfdbinary.readouterr()
    assert out == b""
    assert json.loads(err)["error"]["field"] == "limit"
    assert json.loads(err)["error"]["message"] == "limit: Memory lookup limit must be non-negative"
    assert run(["inspect-memory", "--limit", "0"]) == 0
    assert json.loads(capfdbinary.readouterr().out)["records"] == []


def test_tenant_then_class_then_limit_in_the_order_of_the_file(tmp_path: Path) -> None:
    seeds = [
        {"tenant_id": tenant, "memory_class": "profile", "kind": "k", "content": f"{number}", "source": "s"}
        for number, tenant in enumerate(["a", "b", "a", "a"], start=1)
    ]
    (tmp_path / "memory.yaml").write_text(json.dumps({"memory": {"seed_records": seeds}}))
    found = inspect_memory(tmp_path, tenant_id=" a ", memory_class=" profile ", limit=2)
    assert (found.config_dir, found.memory_ids) == (str(tmp_path), ("mem-001", "mem-003"))
    assert found.records[0].confidence == 0.5


@each(
    ("field", "value", "kind", "message"),
    [
        ("tenant_id", " ", ValueError, "Memory lookup field is required: tenant_id"),
        ("memory_class", "", ValueError, "Memory lookup field is required: memory_class"),
        ("tenant_id", 7, TypeError, "Memory lookup field must be a string: tenant_id"),
        ("limit", "3", TypeError, "Memory lookup limit must be an integer"),
    ],
)
def test_what_is_no_lookup_is_refused(field: str, value: object, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        inspect_memory(**{field: cast(str, value)})  # type: ignore[arg-type]  # what is wrong on purpose has no type
    assert str(caught.value) == message
