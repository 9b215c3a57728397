"""The command: what it prints, what it exits with, and that what cannot be seen never counts as shown."""

from __future__ import annotations

import importlib.util
from importlib.metadata import entry_points
from pathlib import Path

import msgspec
import pytest
from tests.conformance.conftest import LAUNCH
from tests.surfaces.http.conftest import serving, settings_for
from tests.surfaces.shell import Said, Shell

from akashik_conformance import binding, registering
from muniment import Memory
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.server_context import system_now


@pytest.fixture
def shell(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path / "vault", capfdbinary, monkeypatch)


def examine(shell: Shell, *words: str) -> Said:
    return shell.bare("conformance", "akashik", *words)


def test_what_holds_is_counted_and_the_exit_code_is_0(shell: Shell, address: str) -> None:
    chosen = ("--only", "AKAS-001", "--only", "AKAS-043", "--only", "AKAS-081")
    said = examine(shell, "--url", f"{address}/v1/", "--launcher", LAUNCH, *chosen, "--json")
    assert said.code == 0
    assert said.json["passed"] == said.json["total"] == 3
    assert (said.json["failed"], said.json["failures"]) == ([], [])
    assert (said.json["contract"], said.json["binding"], said.json["level"]) == ("akashik", "http", 3)
    assert said.json["launcher"] == LAUNCH
    assert [one["theme"] for one in said.json["themes"]] == ["registering", "conflicts", "transport"]


def test_a_server_of_ours_is_recognized_and_its_memory_is_not_written_to(shell: Shell, tmp_path: Path) -> None:
    if not entry_points(group="akashik_conformance.launchers", name="muniment"):
        pytest.skip("this environment was set up before there were launchers")
    with serving(settings_for(tmp_path / "mine")) as served:
        before = served.memory.ledger.head()
        said = examine(shell, "--url", served.url, "--only", "AKAS-019", "--json")
        assert served.memory.ledger.head() == before
    assert (said.code, said.json["launcher"]) == (0, "muniment")
    assert "tried on servers of their own" in said.err


def test_the_result_is_printed_as_a_table_over_mcp_too(shell: Shell, address: str) -> None:
    words = ("--url", address, "--launcher", LAUNCH, "--only", "AKAS-003", "--binding", "mcp")
    said = examine(shell, *words)
    assert said.code == 0
    assert "registering  1 of 1" in said.out
    assert f"over mcp, {address}: 1 of 1" in said.out


def test_a_lower_level_counts_its_own_assertions_alone(shell: Shell) -> None:
    said = examine(shell, "--launcher", LAUNCH, "--level", "0", "--only", "AKAS-049", "--json")
    assert (said.code, said.error["field"]) == (2, "only")
    said = examine(shell, "--launcher", LAUNCH, "--level", "1", "--only", "AKAS-049", "--json")
    assert (said.code, said.json["level"], said.json["passed"]) == (0, 1, 1)


def test_what_fails_is_told_with_its_reason_and_the_exit_code_is_1(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registering.STRATEGIES, 3, 8)
    words = ("--launcher", LAUNCH, "--only", "AKAS-049", "--only", "AKAS-001")
    said = examine(shell, *words, "--json")
    assert (said.code, said.json["passed"], said.json["total"]) == (1, 1, 2)
    assert said.json["failed"] == ["AKAS-049"]
    assert said.json["failures"][0]["reason"] == "level 3 names 7 strategies"
    told = examine(shell, *words)
    assert "failed: level 3 names 7 strategies" in told.out
    assert "AKAS-049 failed" in told.err


def test_with_tokens_the_server_itself_is_examined_and_what_cannot_be_seen_counts_as_failed(
    shell: Shell, tmp_path: Path
) -> None:
    vault = tmp_path / "served"
    Memory.open(vault, embedder=None).close()
    tokens = {
        str(authority): keys.create(
            vault, KeyRequest.everything(f"a-{authority}", authority=authority), now=system_now()
        )[1]
        for authority in (4, 8)
    }
    file = tmp_path / "keys.json"
    file.write_bytes(msgspec.json.encode(tokens))
    asked = ["--only", "AKAS-001", "--only", "AKAS-019", "--only", "AKAS-033", "--only", "AKAS-096"]
    with serving(settings_for(vault)) as served:
        words = ("--url", served.url, "--keys", str(file), *asked, "--json")
        said = examine(shell, *words)
        before = served.memory.ledger.head().seq
        launched = examine(shell, *words, "--launcher", LAUNCH)
        assert served.memory.ledger.head().seq > before, "the server itself was examined"
    assert said.code == 1
    assert said.json["failed"] == ["AKAS-033", "AKAS-096"]
    reasons = [one["reason"] for one in said.json["failures"]]
    assert reasons[0] == "could not be observed: it takes a Field with other settings, and no launcher was given"
    assert reasons[1] == "could not be observed: no token of authority 6 was given"
    assert launched.json["failed"] == ["AKAS-096"]


def test_a_server_that_asks_nobody_for_a_credential_is_examined_without_one(shell: Shell, tmp_path: Path) -> None:
    with serving(settings_for(tmp_path / "open")) as served:
        words = ("--url", served.url, "--launcher", "none", "--only", "AKAS-001", "--only", "AKAS-007")
        said = examine(shell, *words, "--json")
    assert (said.code, said.json["failed"], said.json["launcher"]) == (0, [], None)


def test_a_key_that_is_missing_or_wrong_is_told_at_once(shell: Shell, tmp_path: Path) -> None:
    vault = tmp_path / "served"
    Memory.open(vault, embedder=None).close()
    keys.create(vault, KeyRequest(name="plain", tenant="default", actor="plain"), now=system_now())
    words = ("--launcher", "none", "--only", "AKAS-001", "--json")
    with serving(settings_for(vault)) as served:
        without = examine(shell, "--url", served.url, *words)
        wrong = examine(shell, "--url", served.url, *words, "--key", "mnk_aaaaaaaaaaaa_" + "A" * 43)
    assert (without.code, without.error["message"]) == (2, "key: the server asks for one")
    assert (wrong.code, wrong.error["message"]) == (2, "key: the server does not take it")


def test_without_the_kit_the_command_says_how_to_install_it(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("muniment.kits.find_spec", lambda name: None)
    said = examine(shell, "--url", "http://127.0.0.1:9", "--json")
    assert (said.code, said.error["field"]) == (2, "conformance")
    assert "pip install" in said.error["hint"]


def test_nothing_is_waited_for_without_end() -> None:
    assert 0 < binding.WAIT_S <= 60
    assert importlib.util.find_spec("akashik_conformance") is not None
