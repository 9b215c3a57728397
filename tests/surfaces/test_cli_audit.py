"""ledger show, head, checkpoint, verify, replay; policy check, show; and what damage looks like from outside."""

from __future__ import annotations

import random
from pathlib import Path

import apsw
import msgspec
import pytest
from tests.cases import each
from tests.surfaces.shell import Shell, outside

from muniment import Memory
from muniment.model.value import canonical


@pytest.fixture
def store(shell: Shell) -> Path:
    """The file of a small store: a record, its revision, and a receipt."""
    record = shell.remember("The build is green")
    shell("revise", record, "The build is red")
    shell("recall", "build")
    return shell.vault / "default.sqlite"


def _change(store: Path, statement: str, *values: str) -> None:
    """Change the store behind its back."""
    connection = apsw.Connection(str(store))
    connection.execute(statement, values)
    connection.close()


def test_ledger_show_lists_entries_oldest_first(shell: Shell, store: Path) -> None:
    found = shell("ledger", "show", "--json").json["entries"]
    assert [(one["seq"], one["kind"]) for one in found] == [
        (1, "genesis"),
        (2, "policy"),
        (3, "curated"),
        (4, "curated"),
    ]
    assert (found[3]["disposition"], found[3]["revision"], found[3]["actor"]) == ("update", 2, "owner")
    assert found[0]["at"].endswith("Z")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--limit", "2"), [3, 4]),
        (("--first", "2"), [2, 3, 4]),
        (("--first", "2", "--limit", "1"), [2]),
        (("--last", "3"), [1, 2, 3]),
        (("--last", "3", "--limit", "2"), [2, 3]),
        (("--first", "2", "--last", "3"), [2, 3]),
        (("--first", "9"), []),
    ],
)
def test_ledger_show_takes_its_bounds(shell: Shell, store: Path, words: tuple[str, ...], expected: list[int]) -> None:
    said = shell("ledger", "show", *words, "--json")
    assert (said.code, [one["seq"] for one in said.json["entries"]]) == (0, expected)


def test_ledger_show_keeps_the_pepper_to_itself(shell: Shell, store: Path) -> None:
    with Memory.open(shell.vault) as memory:
        pepper = memory.ledger.entries()[0].pepper
    assert pepper
    said = shell("ledger", "show", "--json")
    assert pepper not in said.out
    assert "genesis" in shell("ledger", "show").out


@pytest.mark.parametrize("words", [("--first", "0"), ("--last", "-1"), ("--limit", "0"), ("--first", str(10**30))])
def test_ledger_show_refuses_positions_there_cannot_be(shell: Shell, store: Path, words: tuple[str, ...]) -> None:
    said = shell("ledger", "show", *words, "--json")
    assert (said.code, said.out, said.error["field"]) == (2, "", words[0].strip("-"))


def test_an_agent_may_not_read_the_ledger(shell: Shell, store: Path) -> None:
    for command in ("show", "head", "checkpoint", "verify", "replay"):
        said = shell("ledger", command, "--as", "docs", "--json")
        assert (said.code, said.out, said.error["code"]) == (2, "", "not_permitted")


def test_a_checkpoint_is_signed_and_told(shell: Shell, store: Path) -> None:
    said = shell("ledger", "checkpoint", "--json").json
    assert (said["tenant"], said["seq"], said["receipts"]) == ("default", 4, 1)
    assert len(said["signature"]) == 128
    assert (shell.vault / "keys" / "signing.pub").read_text().strip() == said["key"]
    assert said["root"] in shell("ledger", "checkpoint").out


def test_a_sound_store_verifies(shell: Shell, store: Path) -> None:
    said = shell("ledger", "verify", "--json")
    assert said.code == 0
    assert (said.json["ok"], said.json["entries"], said.json["receipts"], said.json["findings"]) == (True, 4, 1, [])
    assert (said.json["head"]["tenant"], said.json["head"]["seq"]) == ("default", 4)
    assert shell("ledger", "verify").out == "nothing is wrong: 4 entries and 1 receipt checked\n"


def test_the_head_can_be_kept_elsewhere_and_read_back(shell: Shell, store: Path, tmp_path: Path) -> None:
    head = shell("ledger", "head")
    assert set(head.json) == {"tenant", "seq", "hash", "at", "receipts", "receipts_head", "checkpoint"}
    anchor = tmp_path / "head.json"
    anchor.write_text(head.out)
    shell.remember("something later")
    assert shell("ledger", "verify", "--anchor", str(anchor), "--json").code == 0


def test_a_store_that_was_rolled_back_is_betrayed_by_the_anchor(shell: Shell, store: Path, tmp_path: Path) -> None:
    before = store.read_bytes()
    shell.remember("something later")
    anchor = tmp_path / "head.json"
    anchor.write_text(shell("ledger", "head").out)
    store.write_bytes(before)
    assert shell("ledger", "verify", "--json").code == 0
    said = shell("ledger", "verify", "--anchor", str(anchor), "--json")
    assert (said.code, [one["code"] for one in said.json["findings"]]) == (1, ["ledger_rolled_back"])


@each(
    "content",
    [
        b"",
        b"not json",
        b"\xff",
        b"[]",
        b'{"tenant":"default","seq":1,"hash":"00","at":"2026-01-01T00:00:00Z"}',
        b'{"tenant":"default","seq":0,"hash":"' + b"0" * 64 + b'","at":"2026-01-01T00:00:00Z"}',
        b'{"tenant":"default","seq":1,"hash":"' + b"0" * 64 + b'","at":"yesterday"}',
        b'{"tenant":"other","seq":1,"hash":"' + b"0" * 64 + b'","at":"2026-01-01T00:00:00Z"}',
        b'{"tenant":"default","seq":1,"hash":"' + b"0" * 64 + b'","at":"2026-01-01T00:00:00Z","more":1}',
        b"[" * 60_000,
    ],
)
def test_a_malformed_anchor_is_a_wrong_call(shell: Shell, store: Path, tmp_path: Path, content: bytes) -> None:
    anchor = tmp_path / "head.json"
    anchor.write_bytes(content)
    said = shell("ledger", "verify", "--anchor", str(anchor), "--json")
    assert (said.code, said.out) == (2, "")
    assert said.error["field"].split(".")[0] == "anchor"


def test_an_anchor_that_is_not_there_is_a_wrong_call(shell: Shell, store: Path, tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path):
        said = shell("ledger", "verify", "--anchor", str(path), "--json")
        assert (said.code, said.error["field"]) == (2, "anchor")


def test_a_flipped_bit_in_an_entry_is_named(shell: Shell, store: Path) -> None:
    with Memory.open(shell.vault) as memory:
        body = canonical(memory.ledger.entries(3, 3)[0])
    content = bytearray(store.read_bytes())
    assert content.count(body) == 1
    content[content.index(body) + body.index(b'"owner"') + 1] ^= 1
    store.write_bytes(content)
    said = shell("ledger", "verify", "--json")
    assert (said.code, said.json["ok"], said.err) == (1, False, "")
    assert ("entry_altered", 3) in [(one["code"], one["seq"]) for one in said.json["findings"]]
    assert set(said.json["findings"][0]) == {"code", "message", "seq", "record"}
    human = shell("ledger", "verify")
    assert human.code == 1
    assert human.out.startswith("DAMAGED: 4 entries and 1 receipt checked")
    assert "entry 3 does not match its hash" in human.out


def test_a_projection_that_was_changed_is_named_and_replay_mends_it(shell: Shell, store: Path) -> None:
    _change(store, "UPDATE cards SET kind = 'fact' WHERE revision = 2")
    said = shell("ledger", "verify", "--json")
    assert (said.code, [one["code"] for one in said.json["findings"]]) == (1, ["card_differs"])
    assert shell("ledger", "replay", "--json").json == {"entries": 4, "identical": False}
    assert shell("ledger", "verify", "--json").code == 0
    assert "they were already what the ledger says" in shell("ledger", "replay").out


def test_a_broken_ledger_is_not_replayed(shell: Shell, store: Path) -> None:
    _change(store, "UPDATE entries SET hash = zeroblob(32) WHERE seq = 3")
    said = shell("ledger", "replay", "--json")
    assert (said.code, said.out, said.error["code"]) == (1, "", "ledger_broken")


def test_an_explanation_of_an_altered_receipt_has_exit_code_1(shell: Shell, store: Path) -> None:
    said = shell("recall", "build", "--json").json
    _change(
        store,
        "UPDATE receipts SET account = CAST(replace(CAST(account AS TEXT), ?, ?) AS BLOB) WHERE id = ?",
        '"selected":[0]',
        '"selected":[]',
        said["receipt_id"],
    )
    told = shell("explain", said["receipt_id"], "--json")
    assert (told.code, told.json["same_ids"], told.json["state"], told.json["selected"]) == (1, False, "altered", [])
    out = shell("explain", said["receipt_id"]).out
    assert "ALTERED" in out
    assert "NOT the same records" in out


def test_an_altered_receipt_that_contradicts_itself_is_damage(shell: Shell, store: Path) -> None:
    said = shell("recall", "build", "--json").json
    _change(
        store,
        "UPDATE receipts SET account = CAST(replace(CAST(account AS TEXT), ?, ?) AS BLOB) WHERE id = ?",
        '"selected":[0]',
        '"selected":[7]',
        said["receipt_id"],
    )
    told = shell("explain", said["receipt_id"], "--json")
    assert (told.code, told.error["code"]) == (1, "integrity_error")


def test_an_explanation_of_what_was_erased_says_so_and_has_a_code_of_its_own(shell: Shell, store: Path) -> None:
    said = shell("recall", "build", "--json").json
    assert shell("explain", said["receipt_id"]).code == 0
    record = said["records"][0]["id"]
    erased = shell("forget", record, "--reason", "asked for", "--yes", "--json")
    assert erased.code == 0, erased.err
    told = shell("explain", said["receipt_id"], "--json")
    assert (told.code, told.json["state"], told.json["consistent"], told.json["lost"]) == (7, "erased", True, [record])
    assert told.json["by"][0] in erased.out
    out = shell("explain", said["receipt_id"]).out
    assert "erased" in out
    assert told.json["by"][0] in out
    assert "NOT" not in out


def test_an_explanation_of_what_retention_dropped_says_so_and_has_a_code_of_its_own(shell: Shell, store: Path) -> None:
    said = shell("recall", "build", "--json").json
    assert shell("ledger", "trim", "--json").code == 2
    assert shell("ledger", "trim", "--older-than", "0", "--dry-run", "--json").json["receipts"] == 2
    done = shell("ledger", "trim", "--older-than", "0", "--json").json
    assert done["receipts"] == 2
    assert done["saved_bytes"] > 0
    told = shell("explain", said["receipt_id"], "--json")
    assert (told.code, told.json["state"], told.json["by"]) == (7, "dropped", ["entry 5"])
    assert told.json["selected"] == [one["id"] for one in said["records"]]
    assert "dropped by retention" in shell("explain", said["receipt_id"]).out
    assert shell("ledger", "verify").code == 0


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\x00", b"this is a letter, not a database" * 300])
def test_a_file_that_is_no_store_is_damage_to_verify_and_an_error_elsewhere(
    shell: Shell, store: Path, content: bytes
) -> None:
    store.write_bytes(content)
    said = shell("ledger", "verify", "--json")
    assert (said.code, said.json["ok"], said.json["entries"], said.json["head"]) == (1, False, 0, None)
    assert [one["code"] for one in said.json["findings"]] == ["store_damaged"]
    assert shell("ledger", "verify").code == 1
    elsewhere = shell("recall", "build", "--json")
    assert (elsewhere.code, elsewhere.out, elsewhere.error["code"]) == (1, "", "integrity_error")


def test_a_store_of_a_later_schema_is_not_touched(shell: Shell, store: Path) -> None:
    _change(store, "PRAGMA user_version = 999")
    said = shell("ledger", "verify", "--json")
    assert (said.code, said.out, said.error["code"]) == (6, "", "schema_mismatch")
    assert "newer release" in said.error["hint"]
    assert shell("get", "rec_1", "--json").error["code"] == "schema_mismatch"


def test_a_ledger_that_a_restore_put_back_is_told_from_one_that_was_changed(shell: Shell, tmp_path: Path) -> None:
    """The same head is held against a vault that was restored, and against one that somebody rolled back by hand."""
    shell.remember("Der Kessel steht im Hof")
    shell("backup", "copy")
    older = (shell.vault / "default.sqlite").read_bytes()
    name = shell.remember("Le seau est bleu")
    (tmp_path / "head.json").write_text(shell("ledger", "head").out)
    (tmp_path / "certificate.json").write_text(shell("forget", name, "--reason", "x", "--yes", "--json").out)
    newer = (shell.vault / "default.sqlite").read_bytes()
    (shell.vault / "default.sqlite").write_bytes(older)
    rolled = shell("ledger", "verify", "--anchor", "head.json", "--json")
    assert (rolled.code, rolled.json["state"]) == (1, "damaged")
    assert shell("certificate", "verify", "certificate.json", "--json").code == 1
    (shell.vault / "default.sqlite").write_bytes(newer)
    assert shell("restore", "copy", "--yes").code == 0
    said = shell("ledger", "verify", "--anchor", "head.json", "--json")
    assert (said.code, said.json["ok"], said.json["state"]) == (5, False, "restored")
    assert [one["code"] for one in said.json["findings"]] == ["ledger_restored"]
    told = shell("certificate", "verify", "certificate.json", "--json")
    assert (told.code, told.json["genuine"], told.json["state"]) == (5, True, "restored")
    text = (tmp_path / "certificate.json").read_text()
    (tmp_path / "certificate.json").write_text(text.replace('"reason": "x"', '"reason": "y"'))
    told = shell("certificate", "verify", "certificate.json", "--json")
    assert (told.code, told.json["genuine"], told.json["state"]) == (1, False, "not_genuine")


def _damage(content: bytes, chance: random.Random) -> bytes:
    damaged = bytearray(content)
    position = chance.randrange(len(damaged))
    match chance.choice(("bit", "zeros", "noise", "cut")):
        case "bit":
            damaged[position] ^= 1 << chance.randrange(8)
        case "zeros":
            damaged[position : position + 64] = bytes(len(damaged[position : position + 64]))
        case "noise":
            damaged[position : position + 16] = chance.randbytes(len(damaged[position : position + 16]))
        case "cut":
            del damaged[position:]
    return bytes(damaged)


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_damaged_verify_reports_and_does_not_fall_over(shell: Shell, store: Path, seed: int) -> None:
    """Some damage hits space that nothing is kept in; then there is nothing to report."""
    chance, sound, fallen = random.Random(seed), store.read_bytes(), []
    for number in range(12):
        for rest in shell.vault.glob("default.sqlite-*"):
            rest.unlink()
        store.write_bytes(_damage(sound, chance))
        said = shell("ledger", "verify", "--json")
        assert said.code in (0, 1), f"seed {seed}, damage {number}: {said.err}"
        assert said.json["ok"] == (said.code == 0)
        fallen += [(number, one["message"]) for one in said.json["findings"] if one["code"] == "check_failed"]
    assert fallen == []


def test_verify_of_damage_in_a_process_of_its_own(shell: Shell, store: Path, tmp_path: Path) -> None:
    sound = outside("ledger", "verify", "--vault", "vault", "--json", cwd=tmp_path)
    assert (sound.returncode, sound.stderr) == (0, b"")
    store.write_bytes(store.read_bytes()[:5000])
    damaged = outside("ledger", "verify", "--vault", "vault", "--json", cwd=tmp_path)
    assert (damaged.returncode, damaged.stderr) == (1, b"")
    assert msgspec.json.decode(damaged.stdout)["ok"] is False


def test_policy_check_knows_good_from_bad(shell: Shell, tmp_path: Path) -> None:
    good = tmp_path / "good.yaml"
    good.write_text("version: 1\nname: mine\nread:\n  - id: all\n    member: false\n")
    said = shell("policy", "check", str(good), "--json")
    assert (said.code, said.json) == (
        0,
        {"ok": True, "file": str(good), "name": "mine", "write": 0, "read": 1, "review": 0},
    )
    assert "is a policy: mine" in shell("policy", "check", str(good)).out


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("p.yaml", "version: 1\nname: x\nread:\n  - id: a\n    kinds: [fish]\n", "line 5"),
        ("p.yaml", "version: 1\nname: x\nunknown: 1\n", "line 3"),
        ("p.yaml", "version: 1\n  name: [\n", "line 2"),
        ("p.toml", "version = 1\nname = 3\n", "line 2"),
        ("p.yaml", "", "line 1"),
    ],
)
def test_a_bad_policy_is_told_with_its_line(shell: Shell, tmp_path: Path, name: str, text: str, line: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    said = shell("policy", "check", str(file), "--json")
    assert (said.code, said.out, said.error["code"]) == (2, "", "policy_invalid")
    assert line in said.error["message"]


def test_a_policy_that_cannot_be_read_is_a_wrong_call(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_bytes(b"\xff\xff")
    for name in ("p.yaml", "absent.yaml", "."):
        said = shell("policy", "check", name, "--json")
        assert (said.code, said.out, said.error["code"]) == (2, "", "configuration_error")


def test_policy_show_prints_the_default_without_a_vault(shell: Shell) -> None:
    said = shell("policy", "show")
    assert (said.code, said.out.startswith("# Muniment's default policy.")) == (0, True)
    found = shell("policy", "show", "--json").json
    assert (found["source"], found["policy"]["name"]) == ("default", "default")


def test_policy_show_prints_the_vaults_own_exactly(shell: Shell) -> None:
    shell("init")
    (shell.vault / "policy.yaml").write_text("# mine, äöü [bold]\nversion: 1\nname: mine\n")
    assert shell("policy", "show").out == "# mine, äöü [bold]\nversion: 1\nname: mine\n"
    assert shell("policy", "show", "--json").json["source"] == str(shell.vault / "policy.yaml")


def test_policy_show_prints_a_named_file(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text('version = 1\nname = "other"\n')
    assert shell("policy", "show", "other.toml").out == 'version = 1\nname = "other"\n'
    assert shell("policy", "show", "--policy", "other.toml", "--json").json["policy"]["name"] == "other"
