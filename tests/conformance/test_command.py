"""The command: what it prints, what it exits with, and that what cannot be seen never counts as shown."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.surfaces.http.conftest import serving, settings_for
from tests.surfaces.shell import Shell

from muniment import Memory
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.keys import KeyWish
from muniment.surfaces.reception.reception import system_now
from muniment.testing.akashik import binding, registering


@pytest.fixture
def shell(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path / "vault", capfdbinary, monkeypatch)


def examine(shell: Shell, *words: str) -> list[str]:
    return ["conformance", "akashik", *words]


def test_what_holds_is_counted_and_the_exit_code_is_0(shell: Shell, address: str) -> None:
    said = shell.bare(*examine(shell, "--url", address, "--only", "AKAS-001", "--only", "AKAS-043", "--json"))
    assert said.code == 0
    assert said.json["passed"] == said.json["total"] == 2
    assert (said.json["failed"], said.json["failures"]) == ([], [])
    assert (said.json["contract"], said.json["binding"], said.json["level"]) == ("akashik", "http", 3)
    assert [one["theme"] for one in said.json["themes"]] == ["registering", "conflicts"]


def test_it_is_told_in_words_too_and_over_mcp(shell: Shell, address: str) -> None:
    said = shell.bare(*examine(shell, "--url", address, "--only", "AKAS-003", "--binding", "mcp"))
    assert said.code == 0
    assert "registering  1 of 1" in said.out
    assert f"over mcp, {address}: 1 of 1" in said.out


def test_a_lower_level_counts_its_own_assertions_alone(shell: Shell, address: str) -> None:
    said = shell.bare(*examine(shell, "--url", address, "--level", "0", "--only", "AKAS-049", "--json"))
    assert (said.code, said.error["field"]) == (2, "only")
    said = shell.bare(*examine(shell, "--url", address, "--level", "1", "--only", "AKAS-049", "--json"))
    assert (said.code, said.json["level"], said.json["passed"]) == (0, 1, 1)


def test_what_fails_is_told_with_its_reason_and_the_exit_code_is_1(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registering.STRATEGIES, 3, 8)
    words = examine(shell, "--binding", "native", "--only", "AKAS-049", "--only", "AKAS-001")
    said = shell.bare(*words, "--json")
    assert (said.code, said.json["passed"], said.json["total"]) == (1, 1, 2)
    assert said.json["failed"] == ["AKAS-049"]
    assert said.json["failures"][0]["reason"] == "level 3 names 7 strategies"
    told = shell.bare(*words)
    assert "failed: level 3 names 7 strategies" in told.out
    assert "AKAS-049 failed" in told.err


def test_without_the_extension_what_cannot_be_seen_counts_as_failed(shell: Shell, tmp_path: Path) -> None:
    vault = tmp_path / "served"
    Memory.open(vault, embedder=None).close()
    tokens = {
        str(authority): keys.create(vault, KeyWish.everything(f"a-{authority}", authority=authority), now=system_now())[
            1
        ]
        for authority in (4, 8)
    }
    file = tmp_path / "keys.json"
    file.write_bytes(msgspec.json.encode(tokens))
    with serving(settings_for(vault, examination=False)) as served:
        asked = ["--only", "AKAS-001", "--only", "AKAS-019", "--only", "AKAS-033", "--only", "AKAS-096"]
        said = shell.bare(*examine(shell, "--url", served.url, "--keys", str(file), *asked, "--json"))
    assert said.code == 1
    assert said.json["failed"] == ["AKAS-033", "AKAS-096"]
    reasons = [one["reason"] for one in said.json["failures"]]
    assert reasons[0].startswith("could not be observed: the server opens no field with other settings")
    assert reasons[1] == "could not be observed: no token of authority 6 was given"


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ([], "url"),
        (["--url", "localhost"], "url"),
        (["--url", "http://127.0.0.1:9"], "url"),
        (["--url", "http://127.0.0.1:9", "--binding", "native"], "url"),
        (["--binding", "pigeon"], "binding"),
        (["--binding", "native", "--level", "4"], "level"),
        (["--binding", "native", "--only", "AKAS-999"], "only"),
        (["--url", "http://127.0.0.1:9", "--keys", "nowhere.json"], "keys"),
    ],
)
def test_a_call_that_makes_no_sense_is_refused(shell: Shell, words: list[str], field: str) -> None:
    said = shell.bare(*examine(shell, *words, "--json"))
    assert (said.code, said.error["field"]) == (2, field)


def test_nothing_is_waited_for_without_end() -> None:
    assert 0 < binding.WAIT_S <= 60
