"""The commands about copies of a vault, as they are typed: what they say, and what they refuse."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.patience import WAIT_S
from tests.surfaces.shell import Shell
from tests.surfaces.traces import traces

SECRET = "Quillon Vantaggio keeps zebrafish in Ouagadougou"


def test_a_vault_is_backed_up_and_put_back_with_the_later_erasure_done_again(shell: Shell, tmp_path: Path) -> None:
    shell.remember("The north gate sticks in winter")
    name = shell.remember(SECRET)
    made = shell("backup", "copy", "--json")
    assert (made.code, made.err) == (0, "")
    assert [(one["tenant"], one["seq"]) for one in made.json["tenants"]] == [("default", 4)]
    shell("forget", name, "--reason", "asked to", "--yes")
    shell.remember("The south gate was painted")
    done = shell("restore", "copy")
    assert done.code == 0
    assert "default: the ledger went back from 6 to 4; 1 erasure was done again (1 record)" in done.out
    assert traces([SECRET], tmp_path / "vault") == []
    assert shell("ledger", "verify", "--json").json["ok"] is True
    assert shell("recall", "which gate sticks?", "--json").json["records"][0]["content"].startswith("The north gate")


def test_a_restore_says_in_json_what_it_did(shell: Shell, tmp_path: Path) -> None:
    shell.remember("The north gate sticks in winter")
    shell("backup", "copy")
    shell.remember("The south gate was painted")
    told = shell("restore", "copy", "--yes", "--json").json
    assert Path(told["aside"]).parent == tmp_path
    (one,) = told["tenants"]
    assert (one["tenant"], one["was"], one["backup"], one["seq"]) == ("default", 4, 3, 4)
    assert (one["ahead"], one["erasures"], one["records"], one["holds"]) == (True, [], 0, [])


def test_a_certificate_in_a_file_keeps_what_it_names_from_coming_back(shell: Shell, tmp_path: Path) -> None:
    name = shell.remember(SECRET)
    shell("backup", "copy")
    (tmp_path / "certificate.json").write_text(shell("forget", name, "--reason", "asked to", "--yes", "--json").out)
    words = ("restore", "copy", "--vault", "new", "--erasures", "certificate.json", "--yes")
    done = shell.bare(*words)
    assert "default: put back with 3 entries; 1 erasure was done again (1 record)" in done.out
    assert traces([SECRET], tmp_path / "new") == []
    (tmp_path / "certificate.json").write_text("{}")
    assert shell.bare(*words, "--json").error["code"] == "malformed"


def test_without_a_terminal_nobody_is_asked_since_nothing_is_deleted(shell: Shell) -> None:
    shell.remember("The north gate sticks in winter")
    shell("backup", "copy")
    shell.remember("The south gate was painted")
    told = shell("restore", "copy", "--json").json
    assert (Path(told["aside"]) / "default.sqlite").exists()
    assert told["tenants"][0]["backup"] == 3


@pytest.mark.parametrize(("answer", "asked_back"), [("n\n", False), ("\n", False), ("y\n", True)])
def test_at_a_terminal_a_person_is_asked_before_a_vault_is_replaced(
    shell: Shell, tmp_path: Path, answer: str, asked_back: bool
) -> None:
    shell.remember("The north gate sticks in winter")
    shell("backup", "copy")
    shell.remember("The south gate was painted")
    shown = typed(tmp_path, answer, "restore", "copy", "--vault", "vault")
    assert "Put this backup in the place of what the vault holds? [y/N]" in shown
    entries = [entry["kind"] for entry in shell("ledger", "show", "--json").json["entries"]]
    assert ("noted" in entries) is asked_back


def typed(folder: Path, answer: str, *words: str) -> str:
    """Run a command in a process of its own at a terminal, type an answer, and return what was shown."""
    ours, theirs = os.openpty()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MUNIMENT_")}
    child = subprocess.Popen(
        [sys.executable, "-m", "muniment", *words],
        cwd=folder,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
    )
    os.close(theirs)
    os.write(ours, answer.encode())
    shown, _ = child.communicate(timeout=WAIT_S)
    os.close(ours)
    assert child.returncode == 0
    return shown.decode()


def test_a_backup_says_whether_keys_are_in_it(shell: Shell) -> None:
    shell.remember("The north gate sticks in winter")
    assert "private keys: in it; keep it as safe as the vault" in shell("backup", "with").out
    assert "private keys: not in it" in shell("backup", "without", "--without-keys").out


@pytest.mark.parametrize(
    "words",
    [
        ("backup", "copy"),
        ("restore", "copy", "--yes"),
        ("archive", "export", "a.ndjson"),
        ("archive", "import", "a.ndjson"),
    ],
    ids=lambda words: " ".join(words),
)
def test_copies_are_for_the_owner_alone(shell: Shell, tmp_path: Path, words: tuple[str, ...]) -> None:
    shell.remember("The north gate sticks in winter")
    before = sorted(file.name for file in tmp_path.iterdir())
    refused = shell(*words, "--as", "ana", "--json")
    assert (refused.code, refused.error["code"]) == (2, "not_permitted")
    assert sorted(file.name for file in tmp_path.iterdir()) == before


def test_what_cannot_be_backed_up_or_put_back_is_said_with_a_code(shell: Shell, tmp_path: Path) -> None:
    nowhere = shell("backup", "copy", "--json")
    assert (nowhere.code, nowhere.error["code"]) == (2, "configuration_error")
    shell.remember("The north gate sticks in winter")
    shell("backup", "copy")
    assert shell("backup", "copy", "--json").error["code"] == "malformed"
    assert shell("backup", "other", "--tenant", "acme", "--json").error["code"] == "not_found"
    assert shell("backup", "", "--json").error["field"] == "path"
    store = tmp_path / "copy" / "vault" / "default.sqlite"
    store.write_bytes(store.read_bytes()[:-1])
    damaged = shell("restore", "copy", "--yes", "--json")
    assert (damaged.code, damaged.error["code"]) == (1, "integrity_error")
    assert "Nothing was changed" in damaged.error["hint"]


def test_a_tenant_travels_as_an_archive(shell: Shell, tmp_path: Path) -> None:
    shell.remember("The north gate sticks in winter")
    made = shell("archive", "export", "a.ndjson", "--json").json
    head = shell("ledger", "head").json["hash"]
    assert (made["tenant"], made["entries"], made["hash"]) == ("default", 3, head)
    checked = shell.bare("archive", "check", "a.ndjson", "--json").json
    assert checked == made
    refused = shell.bare("archive", "import", "a.ndjson", "--vault", "new", "--json")
    assert (refused.code, refused.error["field"]) == (2, "signing_key")
    key = str(tmp_path / "vault" / "keys" / "signing.key")
    taken = shell.bare("archive", "import", "a.ndjson", "--vault", "new", "--signing-key", key, "--json").json
    assert (taken["tenant"], taken["seq"], taken["hash"], taken["handed_over"]) == ("default", 3, head, False)
    assert shell.bare("ledger", "head", "--vault", "new").json["hash"] == head
    again = shell.bare("archive", "import", "a.ndjson", "--vault", "new", "--signing-key", key, "--json")
    assert (again.code, again.error["field"]) == (2, "tenant")


def test_people_are_told_what_an_archive_holds(shell: Shell) -> None:
    shell.remember("The north gate sticks in winter")
    said = shell("archive", "export", "a.ndjson")
    assert said.out.startswith("archive a.ndjson of tenant default\n  entries: 3\n")
    (Path("a.ndjson")).write_text("{}\n")
    refused = shell.bare("archive", "check", "a.ndjson", "--json")
    assert (refused.code, refused.error["code"]) == (2, "malformed")
