"""`muniment mcp --install` writes one entry into a client's own file, and leaves everything else there as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.surfaces.shell import Shell

FILES = {
    "claude": (".config/Claude/claude_desktop_config.json", "mcpServers"),
    "claude-code": ("project/.mcp.json", "mcpServers"),
    "cursor": (".cursor/mcp.json", "mcpServers"),
    "vscode": ("project/.vscode/mcp.json", "servers"),
}


@pytest.fixture
def home(tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "project").mkdir()
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path


@pytest.mark.parametrize("client", FILES)
def test_an_entry_is_written_beside_what_is_there_and_the_old_file_is_kept(
    client: str, home: Path, shell: Shell
) -> None:
    name, key = FILES[client]
    file = home / name
    file.parent.mkdir(parents=True, exist_ok=True)
    before = json.dumps({"theme": "dünkel", key: {"other": {"command": "other"}}})
    file.write_text(before)

    said = shell("mcp", "--install", client, "--as", "planner", "--user", "ana", "--json")

    assert said.code == 0, said.err
    after = json.loads(file.read_text())
    assert (after["theme"], after[key]["other"]) == ("dünkel", {"command": "other"})
    entry = after[key]["muniment"]
    assert entry["args"][-7:] == ["mcp", "--vault", str(shell.vault), "--as", "planner", "--user", "ana"]
    assert Path(entry["command"]).is_absolute()
    assert Path(said.json["backup"]).read_text() == before
    again = shell("mcp", "--install", client, "--as", "planner", "--user", "ana", "--json").json
    assert (again["changed"], again["backup"]) == (False, None)


@pytest.mark.parametrize("client", FILES)
def test_print_writes_nothing(client: str, home: Path, shell: Shell) -> None:
    said = shell("mcp", "--install", client, "--print")
    assert said.code == 0
    assert '"muniment"' in said.out
    assert not (home / FILES[client][0]).exists()
    assert not shell.vault.exists()


@pytest.mark.parametrize("text", ['{"mcpServers": {} // mine\n}', "[]", '{"mcpServers": []}'])
def test_a_file_that_cannot_be_read_is_left_alone(text: str, home: Path, shell: Shell) -> None:
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text(text)
    said = shell("mcp", "--install", "cursor", "--json")
    assert said.code != 0
    assert "--print" in said.error["hint"]
    assert (file.read_text(), len(list(file.parent.iterdir()))) == (text, 1)


def test_a_new_file_is_made_and_an_empty_one_filled(home: Path, shell: Shell) -> None:
    assert shell("mcp", "--install", "cursor").code == 0
    file = home / ".cursor" / "mcp.json"
    first = json.loads(file.read_text())
    file.write_text("")
    assert shell("mcp", "--install", "cursor").code == 0
    assert json.loads(file.read_text()) == first


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (("--install", "emacs"), "install"),
        (("--print",), "print"),
        (("--url", "http://127.0.0.1:1", "--user", "ana"), "user"),
        (("--tools", "sme"), "tools"),
        (("--user", ""), "user"),
    ],
)
def test_a_wrong_word_is_told_with_what_to_say(words: tuple[str, ...], field: str, home: Path, shell: Shell) -> None:
    said = shell("mcp", *words, "--json")
    assert (said.code, said.error["field"]) == (2, field)
    assert said.error["hint"]


def test_no_password_gets_into_a_clients_file(home: Path, shell: Shell) -> None:
    address = "postgresql://ana:geheim@127.0.0.1/memory"
    assert shell.bare("--vault", address, "mcp", "--install", "cursor").code == 0
    written = (home / ".cursor" / "mcp.json").read_text()
    assert "geheim" not in written
    assert "postgresql://ana@127.0.0.1/memory" in written
