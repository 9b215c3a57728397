"""The power goes: what has a name is found under it. A file's name is on the disk once its folder is synced, and
nothing that counts on the file may be on the disk before."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from tests.copies.making import furnish, opened, remembered
from tests.support.vfs import Act, Call, Do, Recorder, watched_disk, watched_files

from muniment.backends.sealing import fresh_key
from muniment.engine.copies.backup import back_up
from muniment.engine.copies.restore import RestoreRequest, restore
from muniment.engine.encryption import encrypt
from muniment.engine.signing import rotate
from muniment.engine.vault import bring_policy, default_policy_text, policy_text, put_policy

TOML = """\
version = 1
name = "ours"

[actors.owner]
type = "person"
roles = ["owner"]

[[write]]
id = "owner-commits"
roles = ["owner"]
decision = "commit"
reason = "it is the owner's"

[[read]]
id = "owner-reads"
roles = ["owner"]
"""


def watched(deed: Callable[[], object]) -> list[Call]:
    calls = Recorder()
    with watched_disk(calls):
        deed()
    return calls.calls


def synced_between(calls: list[Call], folder: Path, first: int, last: int) -> bool:
    return any(call.act is Act.SYNC and call.file == str(folder) for call in calls[first:last])


def placed(calls: list[Call], path: Path) -> int:
    """At which call a file got its name."""
    return next(at for at, call in enumerate(calls) if call.act is Act.PLACE and call.placed == str(path))


def kept(calls: list[Call], path: Path, after: int) -> int:
    """At which call a store was first made to keep something."""
    logs = (f"{path}-wal", str(path))
    return next(at for at, call in enumerate(calls) if at > after and call.act is Act.SYNC and call.file in logs)


def test_the_key_that_a_ledger_begins_with_has_its_name_before_the_ledger_is_kept(vault: Path) -> None:
    calls = watched(lambda: furnish(vault, 1))
    for file in (vault / "keys" / "signing.key", vault / "vault.toml", vault / "policy.yaml"):
        at = placed(calls, file)
        assert synced_between(calls, file.parent, at, kept(calls, vault / "default.sqlite", at)), file.name


def test_the_key_that_a_ledger_is_handed_over_to_has_its_name_before_that(vault: Path) -> None:
    furnish(vault, 1)
    calls = watched(lambda: rotate(vault, reason="yearly"))
    at = placed(calls, vault / "keys" / "signing.next")
    assert synced_between(calls, vault / "keys", at, kept(calls, vault / "default.sqlite", at))


def test_every_folder_that_is_made_for_a_vault_has_its_name_before_anything_is_kept_in_it(tmp_path: Path) -> None:
    vault = tmp_path / "new" / "deeper" / "vault"
    calls = watched(lambda: furnish(vault, 1))
    first = kept(calls, vault / "default.sqlite", 0)
    for folder in (tmp_path, tmp_path / "new", tmp_path / "new" / "deeper", vault):
        assert synced_between(calls, folder, 0, first), folder.name


def test_what_a_restore_sets_aside_has_a_name_on_the_disk_before_it_loses_its_own(vault: Path, tmp_path: Path) -> None:
    furnish(vault, 1)
    back_up(vault, tmp_path / "copy")
    calls = watched(lambda: restore(RestoreRequest(backup=tmp_path / "copy", vault=vault)))
    (aside,) = tmp_path.glob(f"{vault.name}-before-*")
    second, lost = placed(calls, aside / "default.sqlite"), placed(calls, vault / "default.sqlite")
    assert synced_between(calls, aside, second, lost)
    assert synced_between(calls, tmp_path, 0, lost)


def test_copies_for_another_key_have_a_name_on_the_disk_before_one_takes_its_place(vault: Path) -> None:
    furnish(vault, 1)
    calls = watched(lambda: encrypt(vault, key=fresh_key()))
    ready, moved = placed(calls, vault / ".sealing" / "ready"), placed(calls, vault / "default.sqlite")
    assert synced_between(calls, vault, 0, ready), "the folder of the copies"
    assert synced_between(calls, vault / ".sealing", ready, moved), "the word that they are ready"


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """A policy written otherwise than the one a vault is made with."""
    path = tmp_path / "rules.yaml"
    path.write_text(default_policy_text() + "# ours\n")
    return path


class Cut(BaseException):
    """The process ends here."""


class Ending:
    """A watcher that ends everything before call number `at`."""

    def __init__(self, at: int) -> None:
        self._left = at

    def __call__(self, call: Call, do: Do) -> None:
        if self._left == 0:
            raise Cut
        self._left -= 1
        do(call.content)


@pytest.mark.usefixtures("rules")
def test_a_vault_never_stands_without_a_policy_while_a_restore_brings_another(vault: Path, tmp_path: Path) -> None:
    """Whoever opened it then would give it the one that new vaults get."""
    furnish(vault, 1)
    (tmp_path / "ours.toml").write_text(TOML)
    put_policy(vault, tmp_path / "ours.toml")
    back_up(vault, tmp_path / "copy")
    put_policy(vault, tmp_path / "rules.yaml")
    wish = RestoreRequest(backup=tmp_path / "copy", vault=vault)
    scene = shutil.copytree(tmp_path, tmp_path.with_name(f"{tmp_path.name}-scene"))
    calls = watched(lambda: restore(wish))
    assert policy_text(vault) == ("policy.toml", TOML)
    about = [at for at, call in enumerate(calls) if Path(call.placed or call.file).name.startswith("policy.")]
    for at in range(about[0], about[-1] + 2):
        shutil.rmtree(tmp_path)
        shutil.copytree(scene, tmp_path)
        with watched_disk(Ending(at)), suppress(Cut):
            restore(wish)
        assert policy_text(vault) in {("policy.toml", TOML), ("policy.yaml", (tmp_path / "rules.yaml").read_text())}


def test_a_policy_that_was_put_is_the_only_one_on_the_disk(vault: Path, rules: Path) -> None:
    furnish(vault, 1)
    os.rename(vault / "policy.yaml", vault / "policy.toml")
    calls = Recorder()
    with watched_files(calls):
        put_policy(vault, rules)
    gone = next(at for at, call in enumerate(calls.calls) if call.act is Act.DELETE and call.file.endswith(".toml"))
    assert synced_between(calls.calls, vault, gone, len(calls.calls))


def test_a_policy_brought_to_a_new_vault_is_there_as_a_whole_or_not_at_all(vault: Path, rules: Path) -> None:
    calls = Recorder()
    with watched_files(calls):
        bring_policy(vault, rules)
    assert [call.placed for call in calls.calls if call.act is Act.PLACE] == [str(vault / "policy.yaml")]
    assert policy_text(vault) == ("policy.yaml", rules.read_text())
    with opened(vault) as memory:
        remembered(memory, "Kept under a policy of our own")
