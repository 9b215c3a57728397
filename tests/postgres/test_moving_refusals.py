"""Moving house: what is not whole is closed, two ledgers are never mixed, and a wrong call changes nothing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import apsw
import msgspec
import pytest
from tests.cases import each
from tests.copies.making import state
from tests.postgres.moving import Where, everything, furnish, move, opened, remembered
from tests.postgres.server import connect, database_of, schema_of
from tests.support.world import START
from tests.surfaces.shell import Shell

from muniment import Memory
from muniment.engine.copies.backup import back_up
from muniment.engine.moving.endpoints import MoveEndpoint
from muniment.engine.moving.move import VaultMove
from muniment.engine.moving.store_comparison import alike, check_alike
from muniment.engine.moving.unfinished_moves import MARK
from muniment.engine.place import place_of
from muniment.engine.signing import rotate
from muniment.engine.tenant import policy_of
from muniment.engine.vault import look_into, there_is
from muniment.model.actor import OWNER
from muniment.model.errors import IntegrityError, Malformed, MunimentError, NotFound, Stale, StoreUnavailable
from muniment.policy.decide import resolve
from muniment.read.pipeline import ReadContext


@pytest.fixture
def lived(vault: Path) -> Path:
    furnish(vault, 6)
    return vault


@pytest.fixture(params=["folder", "database"])
def target(request: pytest.FixtureRequest, tmp_path: Path, dsn: str) -> Where:
    """An empty place of either sort."""
    return tmp_path / "new" if request.param == "folder" else dsn


@pytest.fixture
def shell(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Shell:
    for name in [name for name in os.environ if name.startswith("MUNIMENT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("MUNIMENT_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path / "vault", capfdbinary, monkeypatch)


def test_a_vault_that_is_not_whole_is_closed_to_everybody(lived: Path, target: Where) -> None:
    done = move(lived, target, standby=True)

    assert (done.open, done.unfinished, done.brought) == (False, ("default",), ())
    for tenant in ("default", "another"):
        for create in (True, False):
            with pytest.raises(StoreUnavailable):
                Memory.open(target, tenant=tenant, create=create)
    assert not there_is(target)
    with pytest.raises(StoreUnavailable):
        move(target, lived.parent / "third")
    assert not (lived.parent / "third").exists()
    assert move(lived, target).open
    assert everything(target) == everything(lived)


def test_a_tenant_that_is_not_whole_is_closed_and_the_others_are_not(lived: Path, target: Where) -> None:
    move(lived, target)
    furnish(lived, 4, tenant="acme")

    done = move(lived, target, tenant="acme", standby=True)

    assert (done.open, done.unfinished) == (True, ("acme",))
    with pytest.raises(StoreUnavailable, match="is being moved here") as refused:
        Memory.open(target, tenant="acme")
    assert "migrate-store" in refused.value.hint
    with pytest.raises(StoreUnavailable, match="is being moved here"):
        rotate(target, reason="time has come")
    with opened(target) as memory:
        remembered(memory, "The others go on")
    move(lived, target, tenant="acme")
    assert everything(target, "acme") == everything(lived, "acme")


def test_a_backup_is_not_made_of_a_vault_with_a_tenant_that_is_not_whole(lived: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    move(lived, new)
    furnish(lived, 4, tenant="acme")
    move(lived, new, tenant="acme", standby=True)

    with pytest.raises(StoreUnavailable, match="not whole"):
        back_up(new, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_move_that_was_begun_from_one_source_is_not_gone_on_with_from_another(lived: Path, target: Where) -> None:
    other = lived.parent / "other"
    furnish(other, 3)
    move(lived, target, standby=True)

    for tenant in (None, "default"):
        with pytest.raises(Malformed) as refused:
            move(other, target, tenant=tenant)
        assert refused.value.field == "from"
    furnish(other, 3, tenant="acme")
    with pytest.raises(Malformed):
        move(other, target, tenant="acme")
    assert move(lived, target).open
    assert everything(target) == everything(lived)


def test_a_target_with_another_ledger_of_that_name_is_refused_and_left_alone(lived: Path, target: Where) -> None:
    """Also when it has the same signing key, as a copy of a vault that was begun anew would have."""
    furnish(target, 3)
    before = everything(target)
    with pytest.raises(Malformed) as refused:
        move(lived, target)
    assert refused.value.field == "to"

    twin = lived.parent / "twin"
    shutil.copytree(lived, twin, ignore=shutil.ignore_patterns("*.sqlite*"))
    furnish(twin, 3)
    move(twin, twin.parent / "moved")
    with pytest.raises(Malformed) as other:
        move(lived, twin.parent / "moved")
    assert (other.value.field, everything(target)) == ("to", before)
    assert everything(twin.parent / "moved") == everything(twin)
    with opened(target) as memory:
        assert memory.ledger.verify().ok


def test_a_target_that_has_gone_on_on_its_own_is_refused_and_stays_open(lived: Path, target: Where) -> None:
    move(lived, target)
    with opened(target) as memory:
        remembered(memory, "The movers were paid")
    with opened(lived) as memory:
        remembered(memory, "The movers were not paid")
    before, source = everything(target), everything(lived)

    with pytest.raises(Stale):
        move(lived, target)

    assert (everything(target), everything(lived)) == (before, source)
    with opened(target, create=False) as memory:
        assert memory.ledger.verify().ok


def test_a_target_that_was_only_asked_is_refused_too_for_its_receipts(lived: Path, target: Where) -> None:
    move(lived, target)
    with opened(target) as memory:
        memory.recall("which box is on shelf 3?")
    with opened(lived) as memory:
        memory.recall("which box is on shelf 2?")

    with pytest.raises(Stale):
        move(lived, target)


def test_a_folder_with_something_else_in_it_is_refused(lived: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for name in ("full", "file"):
        with pytest.raises(Malformed) as refused:
            move(lived, tmp_path / name)
        assert refused.value.field == "to"
    assert state(tmp_path / "full").keys() == {"notes.txt"}


@pytest.mark.parametrize("other", [".", "../vault", "inside", ".."])
def test_a_vault_is_not_moved_to_itself_nor_into_itself(lived: Path, other: str) -> None:
    before = state(lived)
    with pytest.raises(Malformed) as refused:
        move(lived, lived / other)
    assert (refused.value.field, state(lived)) == ("to", before)


def test_one_database_under_two_names_is_found_out(dsn: str) -> None:
    furnish(dsn, 3)
    other = dsn.replace("application_name=", "connect_timeout=7&application_name=")
    alias = dsn.replace("?", f"?dbname={database_of(dsn)}&", 1)
    before = everything(dsn)
    for name in (dsn, other, alias):
        with pytest.raises(Malformed) as refused:
            move(dsn, name)
        assert refused.value.field == "to"
    assert everything(dsn) == before
    with opened(dsn, create=False) as memory:
        assert memory.ledger.verify().ok


def test_a_source_or_a_tenant_that_is_not_there_makes_nothing(lived: Path, bare_dsn: str, tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="there is no vault"):
        move(tmp_path / "nowhere", bare_dsn)
    with pytest.raises(NotFound):
        move(lived, bare_dsn, tenant="nobody")
    with pytest.raises(Malformed):
        move(lived, bare_dsn, tenant="no such\nname")
    with connect(bare_dsn) as connection:
        found = connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [schema_of(bare_dsn)]).fetchone()
    assert (found, (tmp_path / "nowhere").exists()) == (None, False)


def test_a_plan_makes_nothing_and_says_how_far_it_is(lived: Path, bare_dsn: str) -> None:
    wish = VaultMove(source=MoveEndpoint(place=place_of(lived)), target=MoveEndpoint(place=place_of(bare_dsn)))
    plan = wish.plan()
    with connect(bare_dsn) as connection:
        found = connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [schema_of(bare_dsn)]).fetchone()
    assert (found, plan.new) == (None, True)
    assert [(one.tenant, one.entries, one.there, one.state) for one in plan.tenants] == [("default", 15, 0, "new")]
    move(lived, bare_dsn, standby=True)
    assert [(one.there, one.state) for one in wish.plan().tenants] == [(15, "begun")]
    move(lived, bare_dsn)
    assert [(one.there, one.state) for one in wish.plan().tenants] == [(15, "there")]


def test_a_server_that_is_not_there_is_told_without_the_password(lived: Path) -> None:
    with pytest.raises(MunimentError) as refused:
        move(lived, "postgresql://ana:hunter2@127.0.0.1:1/memory?connect_timeout=2&patience=0")
    assert isinstance(refused.value, StoreUnavailable)
    assert "hunter2" not in str(refused.value) + refused.value.hint


def test_a_row_that_differs_keeps_the_target_closed(lived: Path, dsn: str, tmp_path: Path) -> None:
    """What verify cannot see, because tables follow from the ledger and it compares them: a count that was altered."""
    new = tmp_path / "new"
    move(lived, new, standby=True)
    file = apsw.Connection(str(new / "default.sqlite"))
    file.execute("UPDATE told SET count = count + 1")
    file.close()
    with pytest.raises(IntegrityError, match="tenant default at the target"):
        move(lived, new)
    with pytest.raises(StoreUnavailable):
        Memory.open(new)

    move(lived, dsn, standby=True)
    with connect(dsn) as connection:
        assert connection.execute("DELETE FROM mentions").rowcount > 0
    with pytest.raises(IntegrityError, match="tenant default at the target"):
        move(lived, dsn)
    with pytest.raises(StoreUnavailable):
        Memory.open(dsn)


def test_a_damaged_source_is_not_carried_on(lived: Path, target: Where) -> None:
    file = apsw.Connection(str(lived / "default.sqlite"))
    file.execute("UPDATE documents SET body = replace(body, 'box', 'fox')")
    file.close()

    with pytest.raises(IntegrityError, match="not what was committed"):
        move(lived, target)
    with pytest.raises(StoreUnavailable):
        Memory.open(target)


def test_a_key_that_is_just_being_changed_is_waited_out(lived: Path, target: Where) -> None:
    (lived / "keys" / "signing.next").write_text("ab" * 32)
    with pytest.raises(MunimentError) as refused:
        move(lived, target)
    assert (refused.value.code, "signing rotate" in refused.value.hint) == ("store_busy", True)
    assert not there_is(target)


def test_a_key_that_was_changed_between_two_runs_is_the_one_that_arrives(lived: Path, target: Where) -> None:
    move(lived, target, standby=True)
    rotate(lived, reason="time has come")
    assert move(lived, target).open
    assert everything(target) == everything(lived)
    with opened(target, create=False) as memory:
        memory.ledger.checkpoint()
        assert memory.ledger.verify().ok


def test_the_command_plans_moves_and_says_what_it_did(shell: Shell, lived: Path, dsn: str) -> None:
    told = shell.bare("migrate-store", "--from", "vault", "--to", dsn, "--plan")
    assert (told.code, "to be moved" in told.out, "with the keys and the policy" in told.out) == (0, True, True)

    done = shell.bare("migrate-store", "--to", dsn, "--vault", "vault", "--json")
    assert (done.code, done.json["open"], done.json["new"]) == (0, True, True)
    assert [(one["tenant"], one["seq"], one["questions"]) for one in done.json["moved"]] == [("default", 15, 8)]
    again = shell.bare("migrate-store", "--from", "vault", "--to", dsn)
    assert (again.code, "the same; 8 questions answered alike" in again.out) == (0, True)


@each(
    ("words", "code", "field"),
    [
        (("--to", ""), "malformed", "to"),
        (("--to", "vault"), "malformed", "to"),
        (("--to", "mysql://db/x"), "malformed", "to"),
        (("--to", "postgresql://db/x?schema=Bad%20Name"), "malformed", "to"),
        (("--from", "\0", "--to", "new"), "malformed", "from"),
        (("--to", "new", "--to-content-keys", "keys"), "malformed", "to_content_keys"),
        (("--to", "new", "--from-content-keys", "keys"), "malformed", "from_content_keys"),
        (("--to", "new", "--tenant", "nobody"), "not_found", None),
        (("--as", "somebody", "--to", "new"), "not_permitted", None),
    ],
)
def test_a_wrong_call_is_told_as_one(
    shell: Shell, lived: Path, words: tuple[str, ...], code: str, field: str | None
) -> None:
    before = state(lived.parent)
    said = shell.bare("migrate-store", "--vault", "vault", *words, "--json")

    assert (said.error["code"], said.error.get("field")) == (code, field)
    assert (said.code != 0, state(lived.parent)) == (True, before)


def test_the_mark_of_a_move_that_is_done_is_gone(lived: Path, tmp_path: Path) -> None:
    move(lived, tmp_path / "new")
    assert (MARK in state(tmp_path / "new"), "vault.toml" in state(tmp_path / "new")) == (False, True)


def test_what_verifies_on_its_own_and_is_not_the_same_is_told_by_its_table(lived: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    move(lived, new)
    with opened(new) as memory:
        memory.ledger.checkpoint()
    (there, keys), (here, _) = look_into(lived), look_into(new)
    try:
        with there.open("default", create=False).read() as moment:
            head = moment.ledger.head()
            assert head is not None
            policy = policy_of(moment, head.policy)
            reading = ReadContext(actor=resolve(policy, OWNER), policy=policy, policy_doc=head.policy)
            signers = frozenset(one.key_id for one in keys.here())
            with pytest.raises(IntegrityError, match=r"its checkpoints differ from the \d+\. on"):
                check_alike(moment, here.open("default", create=False), reading, signers, START)
            assert check_alike(moment, there.open("default", create=False), reading, signers, START) == 8
    finally:
        there.close()
        here.close()


def test_answers_are_alike_only_with_the_same_records_in_the_same_order_and_scores(lived: Path) -> None:
    with opened(lived) as memory:
        told = memory.recall("which box is on which shelf?")
        none = memory.recall("zebrafish")
    assert len(told.records) > 1
    first, *others = told.records
    nearly = msgspec.structs.replace(first, score=first.score + 1e-10)
    otherwise = msgspec.structs.replace(first, score=first.score + 1e-8)
    revised = msgspec.structs.replace(first, record=msgspec.structs.replace(first.record, revision=9))

    assert alike(told, msgspec.structs.replace(told, records=(nearly, *others)), within=1e-9)
    for records in ((otherwise, *others), (revised, *others), (*others, first), tuple(others), ()):
        assert not alike(told, msgspec.structs.replace(told, records=records), within=1e-9)
    assert alike(none, none, within=1e-9)
    assert not alike(none, msgspec.structs.replace(none, abstained=None), within=1e-9)
