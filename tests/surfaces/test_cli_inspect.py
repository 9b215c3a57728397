"""inspect-memory on the command line: its flags, what it says of a bad file, and that it needs no vault."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.surfaces.shell import Shell

import muniment.surfaces.cli.inspect  # noqa: F401  # declares the command

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
