"""API keys: who is let in by one, who is not, what is kept of it, and how it ends."""

from __future__ import annotations

import multiprocessing
import os
import stat
from pathlib import Path

import pytest
from tests.cases import each
from tests.patience import WAIT_S

from muniment import Memory
from muniment.model.errors import IntegrityError, Malformed, MunimentError, NotFound, NotPermitted
from muniment.model.times import Instant
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.key_issuing import end, issue, kept
from muniment.surfaces.reception.keys import KEYS_FILE, KeyRequest, KeyRing
from muniment.surfaces.reception.principal import Grant

NOON = Instant(1_780_000_000_000_000)
LATER = Instant(NOON + 60_000_000)
WISH = KeyRequest(name="planner of the night", actor="planner")


@pytest.fixture
def folder(vault: Path) -> Path:
    with Memory.open(vault):
        return vault


def test_a_key_is_matched_by_what_its_holder_was_shown(folder: Path) -> None:
    key, token = keys.create(folder, WISH, now=NOON)
    found = KeyRing(folder).match(token, now=LATER)
    assert found == key
    assert found.wish.grants == (Grant.READ, Grant.WRITE)


@each(
    "change",
    [
        lambda token: token[:-1] + ("A" if token[-1] != "A" else "B"),
        lambda token: token[:-1],
        lambda token: token + "A",
        lambda token: token.upper(),
        lambda token: token.replace("mnk_", "mnk-"),
        lambda token: f"{token}\n",
        lambda token: "mnk_" + "a" * 12 + token[16:],
        lambda token: "mnk__",
        lambda token: "",
        lambda token: token.replace("_", "ⓥ"),
    ],
)
def test_what_is_not_the_key_to_the_letter_is_no_key(folder: Path, change: object) -> None:
    assert callable(change)
    _, token = keys.create(folder, WISH, now=NOON)
    assert KeyRing(folder).match(change(token), now=LATER) is None


def test_the_secret_of_one_key_does_not_fit_the_id_of_another(folder: Path) -> None:
    _, first = keys.create(folder, WISH, now=NOON)
    _, second = keys.create(folder, WISH, now=NOON)
    crossed = first[:17] + second[17:]
    assert KeyRing(folder).match(crossed, now=LATER) is None


def test_a_key_holds_until_the_very_moment_it_expires(folder: Path) -> None:
    wish = KeyRequest(name="short", actor="planner", expires_at=LATER)
    _, token = keys.create(folder, wish, now=NOON)
    ring = KeyRing(folder)
    assert ring.match(token, now=Instant(LATER - 1)) is not None
    assert ring.match(token, now=LATER) is None


def test_a_key_that_is_revoked_elsewhere_ends_with_the_next_question(folder: Path) -> None:
    key, token = keys.create(folder, WISH, now=NOON)
    ring = KeyRing(folder)
    assert ring.match(token, now=LATER) is not None
    keys.revoke(folder, key.id, now=LATER)
    assert ring.match(token, now=LATER) is None
    assert ring.of(key.id, now=LATER) is None


def test_a_key_that_is_made_elsewhere_counts_with_the_next_question(folder: Path) -> None:
    ring = KeyRing(folder)
    assert not ring.any
    _, token = keys.create(folder, WISH, now=NOON)
    assert ring.match(token, now=LATER) is not None
    assert ring.any


def test_revoking_the_last_key_or_losing_the_file_does_not_make_it_as_if_there_had_been_none(folder: Path) -> None:
    key, token = keys.create(folder, WISH, now=NOON)
    ring = KeyRing(folder)
    keys.revoke(folder, key.id, now=LATER)
    ring.refresh()
    assert ring.any
    (folder / KEYS_FILE).unlink()
    assert ring.match(token, now=LATER) is None
    assert ring.any


def test_a_damaged_file_lets_nobody_in_and_says_so(folder: Path) -> None:
    _, token = keys.create(folder, WISH, now=NOON)
    ring = KeyRing(folder)
    (folder / KEYS_FILE).write_bytes(b'{"keys":[{}]}')
    with pytest.raises(IntegrityError):
        ring.match(token, now=LATER)
    with pytest.raises(IntegrityError):
        ring.match(token, now=LATER)
    with pytest.raises(IntegrityError):
        KeyRing(folder)


def test_a_file_that_others_may_write_is_not_believed(folder: Path) -> None:
    keys.create(folder, WISH, now=NOON)
    (folder / KEYS_FILE).chmod(0o666)
    with pytest.raises(IntegrityError, match="others"):
        KeyRing(folder)


def test_no_file_of_the_vault_holds_the_secret(folder: Path) -> None:
    with Memory.open(folder) as memory:
        key, token = issue(memory, folder, WISH, now=NOON)
        end(memory, folder, key.id, now=LATER)
    secret = token[17:].encode()
    read = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert "api-keys.json" in read
    assert key.id.encode() in read["api-keys.json"]
    assert [name for name, body in read.items() if secret in body] == []


def test_the_file_is_its_owners_alone(folder: Path) -> None:
    keys.create(folder, WISH, now=NOON)
    assert stat.S_IMODE(os.stat(folder / KEYS_FILE).st_mode) == 0o600


def test_the_ledger_knows_of_every_key_that_was_made_or_ended(folder: Path) -> None:
    with Memory.open(folder) as memory:
        before = memory.ledger.head().seq
        key, _ = issue(memory, folder, WISH, now=NOON)
        end(memory, folder, key.id, now=LATER)
        entries = memory.ledger.entries(before + 1)
        assert [(entry.kind, entry.actor) for entry in entries] == [("noted", "owner"), ("noted", "owner")]
        assert memory.ledger.verify().ok


def test_only_the_owner_makes_lists_and_ends_keys(folder: Path) -> None:
    with Memory.open(folder) as memory:
        planner = memory.as_actor("planner")
        key, _ = issue(memory, folder, WISH, now=NOON)
        with pytest.raises(NotPermitted):
            issue(planner, folder, WISH, now=NOON)
        with pytest.raises(NotPermitted):
            end(planner, folder, key.id, now=NOON)
        with pytest.raises(NotPermitted):
            kept(planner, folder)
        assert kept(memory, folder) == (key,)


def test_a_key_that_is_not_there_cannot_be_ended(folder: Path) -> None:
    with pytest.raises(NotFound):
        keys.revoke(folder, "aaaaaaaaaaaa", now=NOON)


def test_ending_a_key_twice_keeps_the_first_moment(folder: Path) -> None:
    key, _ = keys.create(folder, WISH, now=NOON)
    keys.revoke(folder, key.id, now=LATER)
    assert keys.revoke(folder, key.id, now=Instant(LATER + 1)).revoked_at == LATER


@each(
    ("said", "field"),
    [
        ({"actor": "with space"}, "actor"),
        ({"actor": "muniment"}, "actor"),
        ({"tenant": "../etc"}, "tenant"),
        ({"authority": 11}, "authority"),
        ({"authority": -1}, "authority"),
        ({"roles": ("",)}, "role[0]"),
        ({"agents": ("a b",)}, "agent[0]"),
        ({"name": ""}, "name"),
        ({"name": "a\x1bb"}, "name"),
    ],
)
def test_a_wish_that_cannot_be_granted_names_its_field(said: dict[str, object], field: str) -> None:
    with pytest.raises(Malformed) as refused:
        KeyRequest(**{"name": "n", "actor": "planner", **said})  # type: ignore[arg-type]  # what is wrong is the point
    assert refused.value.field == field


def _make_keys(folder: Path, many: int) -> None:
    for _ in range(many):
        keys.create(folder, WISH, now=NOON)


def test_two_processes_that_make_keys_at_once_lose_none(folder: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_make_keys, args=(folder, 10)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=WAIT_S)
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert len({key.id for key in keys.listed(folder)}) == 20


def test_a_folder_that_is_no_vault_takes_no_key(tmp_path: Path) -> None:
    with pytest.raises(MunimentError) as refused:
        keys.create(tmp_path / "nowhere", WISH, now=NOON)
    assert refused.value.code == "store_unavailable"
