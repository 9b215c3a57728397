"""`forget` and the certificates of it: the plan as a tree, the deed, the proof, and every way it can be refused."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.surfaces.shell import Shell, outside
from tests.surfaces.test_cli_terminal import at_terminal

WHO = "Ottoline Quillfeather"
WORDS = "Ottoline Quillfeather moved to Marmalade Lane"


@pytest.fixture
def family(shell: Shell) -> tuple[str, str, str]:
    """A record about somebody, one derived from it, and one that is only related."""
    first = shell.remember(WORDS)
    shell("revise", first, f"{WORDS} in March")
    derived = shell.remember("Deliveries go to Marmalade Lane", "--derived-from", first)
    related = shell.remember("The parcel service is slow", "--relation", f"supports:{derived}")
    return first, derived, related


def forget(shell: Shell, *words: str) -> Any:
    said = shell("forget", *words, "--reason", "ticket:PRIV-17", "--yes", "--json")
    assert said.code == 0, said.err
    return said.json


def test_a_dry_run_tells_the_plan_and_changes_nothing(shell: Shell, family: tuple[str, str, str]) -> None:
    first, derived, related = family
    before = shell("ledger", "head").out

    plan = shell("forget", "--subject", WHO, "--reason", "t:1", "--dry-run", "--json").json

    assert (plan["by"], plan["derived"]) == ("subject", "erase")
    assert (plan["erased"], plan["redacted"], plan["reviewed"], plan["kept"]) == (2, 0, 0, 1)
    assert [(one["id"], one["revisions"], one["fate"], one["under"]) for one in plan["records"]] == [
        (first, 2, "erased", []),
        (derived, 1, "erased", [first]),
        (related, 1, "kept", [derived]),
    ]
    assert all(one["why"] for one in plan["records"])
    assert shell("ledger", "head").out == before


def test_the_plan_is_a_tree_for_a_person(shell: Shell, family: tuple[str, str, str]) -> None:
    first, derived, related = family
    shell("recall", "where is Marmalade Lane?")

    said = shell("forget", first, "--reason", "t:1", "--cascade", "review", "--dry-run")

    assert said.code == 0
    assert said.out == (
        "erase  by record; what was derived: review\n"
        f"  └─ {first}  is erased  2 revisions  it was named\n"
        f"     └─ {derived}  waits for a look  it was derived from what is erased, and is kept back\n"
        "        until somebody has looked at it\n"
        f"        └─ {related}  stays  it is related, and was not derived\n"
        "  1 erased, 1 to be looked at; 1 kept\n"
        "  receipts: 1 receipt loses its words\n"
        "  reports: 2 reports lose their words\n"
        "  this is a plan: nothing was changed\n"
    )


def test_the_answer_is_the_certificate_and_what_it_names_is_gone(shell: Shell, family: tuple[str, str, str]) -> None:
    first, derived, related = family

    signed = forget(shell, "--subject", WHO)

    told = signed["certificate"]
    assert set(signed) == {"certificate", "signature", "opening"}
    assert (told["by"], told["actor"], told["reason"]) == ("subject", "owner", "ticket:PRIV-17")
    assert (sorted(told["erased"]), told["redacted"]) == (sorted((first, derived)), [])
    assert (told["counts"]["records"], told["counts"]["revisions"]) == (2, 3)
    assert WHO not in msgspec.json.encode(signed).decode()
    assert [shell("get", one, "--json").error["code"] for one in (first, derived)] == ["not_found"] * 2
    assert shell("get", related, "--json").json["status"] == "active"
    assert shell("ledger", "verify", "--json").json["ok"] is True


def test_a_person_is_told_shortly_and_hands_the_opening_on(shell: Shell, family: tuple[str, str, str]) -> None:
    said = shell("forget", family[0], "--reason", "ticket:PRIV-17", "--cascade", "review", "--yes")

    assert said.code == 0
    assert said.out.startswith("erased  1 record, 2 revisions  entry ")
    assert f"  to be looked at: {family[1]}\n" in said.out
    assert "  next: muniment certificate show crt_" in said.out
    assert said.err.startswith("opening: ")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--source", "forum.example"), ("--source", "forum.example")),
        (("--actor", "scout"), ("--as", "scout")),
        (("--session", "s-1"), ("--session", "s-1", "--scope", "session", "--scope-id", "s-1")),
    ],
)
def test_everything_of_one_origin_goes(shell: Shell, flags: tuple[str, str], words: tuple[str, ...]) -> None:
    kept = shell.remember("The build is green")
    gone = [shell.remember(text, *words) for text in ("The cache is warm", "The door is open")]

    told = forget(shell, *flags)["certificate"]

    assert (told["by"], sorted(told["erased"])) == (flags[0].removeprefix("--"), sorted(gone))
    assert shell("get", kept).code == 0


def test_only_the_plan_that_was_seen_is_done(shell: Shell, family: tuple[str, str, str]) -> None:
    wish = ("forget", family[0], "--reason", "t:1")
    digest = shell(*wish, "--dry-run", "--json").json["digest"]
    shell.remember("Marmalade Lane is long", "--derived-from", family[0])

    stale = shell(*wish, "--plan", digest, "--yes", "--json")
    anew = shell(*wish, "--dry-run", "--json").json["digest"]

    assert (stale.code, stale.out, stale.error["code"]) == (2, "", "stale")
    assert shell("get", family[0]).code == 0
    assert shell(*wish, "--plan", anew, "--yes", "--json").code == 0


def test_without_a_terminal_nothing_is_erased_unasked(shell: Shell, family: tuple[str, str, str]) -> None:
    said = shell("forget", family[0], "--reason", "t:1", "--json")

    assert (said.code, said.out, said.error["field"]) == (2, "", "yes")
    assert said.error["hint"] == "Add --yes to erase without asking."
    assert shell("get", family[0]).code == 0


@pytest.mark.parametrize(("answer", "gone"), [(b"y\n", True), (b"\n", False)])
def test_at_a_terminal_the_plan_is_shown_and_a_person_asked(
    shell: Shell, family: tuple[str, str, str], tmp_path: Path, answer: bytes, gone: bool
) -> None:
    code, out, shown = at_terminal(
        "forget", family[0], "--reason", "t:1", "--vault", "vault", "--json", cwd=tmp_path, answer=answer
    )

    assert (code, bool(out)) == (0, gone)
    assert "is erased" in shown
    assert "Erase it for good? [y/N]" in shown
    assert ("nothing was changed" in shown) is not gone
    assert (shell("get", family[0]).code == 2) is gone


def test_what_is_on_hold_stays_and_the_reason_is_told(shell: Shell, family: tuple[str, str, str]) -> None:
    shell("hold", "add", family[1], "--reason", "case 2026-114")

    said = shell("forget", "--subject", WHO, "--reason", "t:1", "--yes", "--json")

    assert (said.code, said.out, said.error["code"]) == (2, "", "on_hold")
    assert "case 2026-114" in said.error["message"]
    assert shell("get", family[0]).code == 0


def test_a_refusal_is_a_verdict_and_no_certificate(shell: Shell, family: tuple[str, str, str]) -> None:
    said = shell("forget", family[0], "--reason", "t:1", "--yes", "--as", "scout", "--json")

    assert (said.code, said.json["outcome"]) == (0, "refused")
    assert shell("certificate", "list", "--json").json == {"certificates": []}
    assert shell("forget", family[0], "--reason", "t:1", "--dry-run", "--as", "scout", "--json").code == 2


def test_what_is_not_there_is_not_found(shell: Shell) -> None:
    shell("init")
    said = shell("forget", "rec_none", "--reason", "t:1", "--yes", "--json")
    assert (said.code, said.error["code"]) == (2, "not_found")


@pytest.fixture
def kept(shell: Shell, family: tuple[str, str, str], tmp_path: Path) -> Path:
    """A certificate in a file, as `forget --json` printed it."""
    said = shell("forget", "--subject", WHO, "--reason", "ticket:PRIV-17", "--yes", "--json")
    (tmp_path / "kept.json").write_text(said.out)
    return tmp_path / "kept.json"


def checks(shell: Shell, *words: str) -> tuple[int, list[bool | None]]:
    said = shell("certificate", "verify", *words, "--json")
    assert said.json["genuine"] is (said.code == 0)
    return said.code, [one["holds"] for one in said.json["checks"]]


def test_certificates_are_listed_and_shown(shell: Shell, kept: Path) -> None:
    (listed,) = shell("certificate", "list", "--json").json["certificates"]
    name = listed["certificate"]["id"]
    shown = shell("certificate", "show", name, "--json").json

    assert shown == listed
    assert shown == {key: value for key, value in msgspec.json.decode(kept.read_bytes()).items() if key != "opening"}
    assert name in shell("certificate", "list").out
    assert "asked for        by subject, as committed to by" in shell("certificate", "show", name).out
    assert shell("certificate", "show", "crt_none", "--json").error["code"] == "not_found"


def test_a_certificate_is_checked_by_its_vault(shell: Shell, kept: Path) -> None:
    said = shell("certificate", "verify", str(kept))

    assert said.code == 0
    assert said.out.startswith("genuine  crt_")
    assert "  yes  its signature is by a key of this vault\n" in said.out
    assert "  yes  what it names is gone\n" in said.out
    assert checks(shell, str(kept)) == (0, [True] * 5)


def test_a_certificate_is_checked_by_the_public_key_alone(shell: Shell, kept: Path, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    public = (shell.vault / "keys" / "signing.pub").read_text()
    (away / "signing.pub").write_text(public)
    (away / "kept.json").write_bytes(kept.read_bytes())

    by_file = outside("certificate", "verify", "kept.json", "--key", "signing.pub", cwd=away)
    by_itself = outside("certificate", "verify", "kept.json", "--json", cwd=away)

    assert (by_file.returncode, by_file.stderr) == (0, b"")
    assert b"yes  its signature is by the given key" in by_file.stdout
    assert b"not looked at  its ledger says so" in by_file.stdout
    found = msgspec.json.decode(by_itself.stdout)
    assert (by_itself.returncode, found["genuine"]) == (0, True)
    assert [one["holds"] for one in found["checks"]] == [True, None, None]
    assert found["checks"][0]["note"] == public.strip()
    assert not (away / "muniment-data").exists()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ticket:PRIV-17", "ticket:PRIV-18"),
        ('"records": 2', '"records": 3'),
        ('"actor": "owner"', '"actor": "scout"'),
        ('"by": "subject"', '"by": "source"'),
    ],
)
def test_a_certificate_that_was_altered_is_not_genuine(shell: Shell, kept: Path, old: str, new: str) -> None:
    text = kept.read_text()
    assert text.count(old) == 1
    kept.write_text(text.replace(old, new))
    key = (shell.vault / "keys" / "signing.pub").read_text().strip()

    assert checks(shell, str(kept), "--key", key) == (1, [False, None])
    assert checks(shell, str(kept))[0] == 1
    assert shell("certificate", "verify", str(kept)).out.startswith("NOT GENUINE  crt_")


def test_a_certificate_of_another_key_is_not_genuine(shell: Shell, kept: Path) -> None:
    assert checks(shell, str(kept), "--key", "0" * 64) == (1, [False, None])


def test_a_vault_in_which_the_records_are_back_is_found_out(
    shell: Shell, family: tuple[str, str, str], tmp_path: Path
) -> None:
    """As when a copy from before the erasure is put in the place of the vault."""
    shutil.copytree(shell.vault, tmp_path / "older")
    signed = forget(shell, "--subject", WHO)
    (tmp_path / "kept.json").write_bytes(msgspec.json.encode(signed))

    said = shell("certificate", "verify", "kept.json", "--vault", "older", "--json")

    found = {one["what"]: (one["holds"], one["note"]) for one in said.json["checks"]}
    assert (said.code, said.json["genuine"]) == (1, False)
    assert found["its signature is by a key of this vault"] == (True, "")
    assert found["the vault keeps the same certificate"] == (False, "")
    holds, note = found["what it names is gone"]
    assert (holds, sorted(note.split(", "))) == (False, sorted(family[:2]))
    assert found[f"the ledger is whole and holds its entry {signed['certificate']['seq']}"][0] is False


def test_an_opening_shows_what_a_certificate_is_about(shell: Shell, kept: Path) -> None:
    signed = msgspec.json.decode(kept.read_bytes())
    key = (shell.vault / "keys" / "signing.pub").read_text().strip()
    bare = kept.with_name("bare.json")
    bare.write_bytes(msgspec.json.encode({name: signed[name] for name in ("certificate", "signature")}))

    assert checks(shell, str(kept), "--key", key, "--subject", WHO) == (0, [True, True, None])
    assert checks(shell, str(bare), "--key", key, "--subject", WHO, "--opening", signed["opening"])[0] == 0
    assert checks(shell, str(bare), "--key", key, "--subject", "Somebody", "--opening", signed["opening"])[0] == 1
    assert checks(shell, str(bare), "--key", key, "--source", WHO, "--opening", signed["opening"])[0] == 1
    unopened = shell("certificate", "verify", str(bare), "--key", key, "--subject", WHO, "--json")
    assert (unopened.code, unopened.error["field"]) == (2, "opening")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b"\xff",
        b'{"certificate": {}, "signature": ""}',
        b'{"certificate": 1, "signature": "", "more": 2}',
    ],
)
def test_a_file_that_is_no_certificate_is_a_wrong_call(shell: Shell, tmp_path: Path, body: bytes) -> None:
    (tmp_path / "file.json").write_bytes(body)
    said = shell("certificate", "verify", "file.json", "--key", "0" * 64, "--json")
    assert (said.code, said.out, said.error["field"]) == (2, "", "file")


@pytest.mark.parametrize(
    ("old", "new"), [('"v": 2', '"v": 3'), ('"entry": "', '"entry": "zz'), ('"seq": ', '"seq": -')]
)
def test_a_certificate_that_cannot_be_one_is_a_wrong_call(shell: Shell, kept: Path, old: str, new: str) -> None:
    kept.write_text(kept.read_text().replace(old, new))
    said = shell("certificate", "verify", str(kept), "--json")
    assert (said.code, said.out, said.error["field"]) == (2, "", "file")


def test_a_key_that_is_none_is_a_wrong_call(shell: Shell, kept: Path) -> None:
    said = shell("certificate", "verify", str(kept), "--key", str(kept), "--json")
    assert (said.code, said.out, said.error["field"]) == (2, "", "key")


def test_what_is_only_probable_is_told_stays_and_goes_on_demand(shell: Shell) -> None:
    record = shell.remember("Jose Perez called about the invoice")
    words = ("forget", "--subject", "José Pérez", "--reason", "t:1")

    plan = shell(*words, "--dry-run", "--json").json
    assert [(one["id"], one["fate"], one["certainty"]) for one in plan["nodes"]] == [(record, "kept", "probable")]
    refused = shell(*words, "--yes", "--json")
    assert (refused.code, refused.error["code"]) == (2, "not_found")
    assert shell("recall", "invoice").code == 0

    wide = shell(*words, "--include-probable", "--dry-run", "--json").json
    assert [(one["id"], one["fate"], one["certainty"]) for one in wide["nodes"]] == [(record, "erased", "probable")]
    done = forget(shell, "--subject", "José Pérez", "--include-probable", "--plan", wide["digest"])
    assert done["certificate"]["erased"] == [record]
