"""inspect-memory and retrieve on the command line: their flags, what they print, what they say of a bad file."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.surfaces.shell import Shell

import muniment.surfaces.cli.inspect  # noqa: F401  # declares the command
from muniment.compat.retrieval import read_events, rebuild_result

SEED = "{tenant_id: t, memory_class: profile, kind: k, content: hello, source: s}"


def _config(folder: Path, text: str) -> str:
    (folder / "memory.yaml").write_text(text)
    return str(folder)


def test_the_bundled_records_are_shown_without_a_vault(shell: Shell) -> None:
    said = shell.bare("inspect-memory")
    assert (said.code, said.err) == (0, "")
    assert said.json["memory_ids"] == ["mem-001", "mem-002", "mem-003"]
    assert said.json["records"][2]["content"] == "Recent runtime demo used create_ticket as the main write capability."
    assert not shell.vault.exists()


def test_flags_choose_folder_tenant_class_and_number(shell: Shell, tmp_path: Path) -> None:
    folder = _config(tmp_path, f"memory: {{seed_records: [{SEED}, {SEED}]}}")
    said = shell.bare("inspect-memory", "--config-dir", folder, "--tenant-id", "t", "--limit", "1")
    assert (said.code, said.json["config_dir"], said.json["count"]) == (0, folder, 1)
    assert said.json["records"][0] == {
        "memory_id": "mem-001",
        "tenant_id": "t",
        "memory_class": "profile",
        "kind": "k",
        "content": "hello",
        "source": "s",
        "confidence": 0.5,
        "provenance": "unknown",
        "revision": 1,
    }
    other = shell.bare("inspect-memory", "--config-dir", folder)
    assert (other.json["count"], other.json["records"]) == (0, [])


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("memory: []", "configuration_error", "memory.yaml: 'memory' must be a mapping"),
        (
            f"memory: {{seed_records: [{SEED}, {{tenant_id: t}}]}}",
            "configuration_error",
            "memory.yaml: Memory record #2 field is required: memory_class",
        ),
    ],
)
def test_a_bad_file_gets_its_published_message(
    shell: Shell, tmp_path: Path, text: str, code: str, message: str
) -> None:
    said = shell.bare("inspect-memory", "--config-dir", _config(tmp_path, text), "--json")
    assert (said.code, said.out) == (2, "")
    assert (said.error["code"], said.error["message"]) == (code, message)


def test_a_file_that_is_no_yaml_is_refused_with_its_place(shell: Shell, tmp_path: Path) -> None:
    said = shell.bare("inspect-memory", "--config-dir", _config(tmp_path, "memory: [1"), "--json")
    assert (said.code, said.error["code"]) == (2, "unreadable")
    assert "line" in said.error["message"]


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (("--limit", "-1"), "limit"),
        (("--limit", "many"), "limit"),
        (("--tenant-id", " "), "tenant_id"),
        (("--memory-class", ""), "memory_class"),
    ],
)
def test_a_wrong_flag_is_refused_by_its_name(shell: Shell, words: tuple[str, str], field: str) -> None:
    said = shell.bare("inspect-memory", *words, "--json")
    assert (said.code, said.out, said.error["field"]) == (2, "", field)


def test_a_folder_without_the_file_is_a_wrong_call(shell: Shell, tmp_path: Path) -> None:
    said = shell.bare("inspect-memory", "--config-dir", str(tmp_path / "nowhere"), "--json")
    assert (said.code, said.error["field"]) == (2, "config_dir")
    assert said.error["message"] == "config_dir: there is no memory.yaml in that folder"


QUERY = """\
kind: retrieval_query
trace_id: trace-001
session_id: session-001
tenant_id: tenant-acme
principal_id: user-42
purpose: answer_generation
allowed_classes:
  - profile
  - long_term
filters:
  trust_min: medium
  max_age_days: 90
  require_provenance: true
limit: 5
"""


def _query(folder: Path, *changes: tuple[str, str]) -> str:
    text = QUERY
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    path = folder / "query.yaml"
    path.write_text(text)
    return str(path)


@pytest.fixture
def acme(shell: Shell) -> tuple[str, str]:
    """Two memories of one tenant: one somebody stands for, one without provenance."""
    ids = []
    for text, source in (("Tickets go to the support queue", "validated_service_rule"), ("Lunch is at noon", None)):
        words = ("--source", source) if source is not None else ()
        ids.append(shell.remember(text, *words, "--tenant", "tenant-acme"))
    return ids[0], ids[1]


def test_a_query_in_a_file_is_answered_with_a_result_that_explains_itself(
    shell: Shell, tmp_path: Path, acme: tuple[str, str]
) -> None:
    said = shell("retrieve", _query(tmp_path), "--tenant", "tenant-acme")
    assert (said.code, said.err) == (0, "")
    document = {name: value for name, value in said.json.items() if name != "receipt_id"}
    assert document == {
        "kind": "retrieval_result",
        "trace_id": "trace-001",
        "session_id": "session-001",
        "selected_records": [
            {
                "record_id": acme[0],
                "memory_class": "long_term",
                "trust_level": "high",
                "provenance": "validated_service_rule",
                "revision": 1,
                "reasons": [
                    "tenant_match",
                    "trust_filter_passed",
                    "class_allowed",
                    "age_filter_passed",
                    "provenance_present",
                ],
            }
        ],
        "selection_reason": ["tenant_match", "trust_filter_passed"],
        "excluded_records": 1,
        "exclusion_counts": {"provenance": 1},
    }
    assert shell("explain", said.json["receipt_id"], "--tenant", "tenant-acme", "--json").code == 0
    path = tmp_path / "result.json"
    path.write_text(said.out)
    assert shell("validate", "--contract", "retrieval", str(path)).code == 0


def test_the_trace_of_a_retrieval_is_added_to_a_file_and_gives_the_result_back(
    shell: Shell, tmp_path: Path, acme: tuple[str, str]
) -> None:
    trace, told = tmp_path / "trace.jsonl", []
    for name in ("trace-001", "trace-002"):
        file = _query(tmp_path, ("trace-001", name))
        said = shell("retrieve", file, "--tenant", "tenant-acme", "--trace", str(trace))
        told.append(said.json)
    events = read_events(trace.read_text())
    assert [one.trace_id for one in events] == ["trace-001", "trace-002"]
    rebuilt = [msgspec.to_builtins(rebuild_result(events, trace_id=one.trace_id)) for one in events]
    assert rebuilt == told
    assert [one["record_id"] for one in rebuilt[1]["selected_records"]] == [acme[0]]


def test_a_query_from_standard_input_with_words_finds_the_best_match(shell: Shell, acme: tuple[str, str]) -> None:
    query = {
        "kind": "retrieval_query",
        "trace_id": "t",
        "session_id": "s",
        "tenant_id": "tenant-acme",
        "principal_id": "user-42",
        "purpose": "answer_generation",
        "allowed_classes": ["long_term"],
        "limit": 1,
        "query": "when is lunch?",
    }
    said = shell("retrieve", "-", "--tenant", "tenant-acme", stdin=msgspec.json.encode(query))
    assert [one["record_id"] for one in said.json["selected_records"]] == [acme[1]]


@pytest.mark.parametrize(
    ("changes", "words", "field"),
    [
        ([("limit: 5", "limit: -1")], (), "/limit"),
        ([("limit: 5\n", "")], (), "/"),
        ([("tenant_id: tenant-acme", "tenant_id: tenant-other")], (), "/tenant_id"),
        ([], ("--as", "somebody"), "/principal_id"),
        ([("kind: retrieval_query", "kind: retrieval_result")], (), "/kind"),
    ],
)
def test_a_query_that_may_not_be_asked_is_a_wrong_call(
    shell: Shell,
    tmp_path: Path,
    acme: tuple[str, str],
    changes: list[tuple[str, str]],
    words: tuple[str, ...],
    field: str,
) -> None:
    assert acme
    said = shell("retrieve", _query(tmp_path, *changes), "--tenant", "tenant-acme", *words, "--json")
    assert (said.code, said.out, said.error["field"]) == (2, "", field)


def test_retrieve_makes_no_vault(shell: Shell, tmp_path: Path) -> None:
    said = shell("retrieve", _query(tmp_path), "--tenant", "tenant-acme", "--json")
    assert (said.code, said.error["field"]) == (2, "vault")
    assert not shell.vault.exists()
