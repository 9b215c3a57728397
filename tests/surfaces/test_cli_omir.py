"""omir validate, as a person meets it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.contracts.omir.bundles import bundle, entity, record
from tests.surfaces.shell import Shell, outside

from muniment.contracts.strict.values import JsonObject

CODING = "https://omir.io/spec/R1/profile/omir-coding-agent"


def _file(shell: Shell, name: str, data: bytes) -> str:
    path = shell.vault.parent / name
    path.write_bytes(data)
    return name


def test_a_good_bundle_in_words(shell: Shell) -> None:
    name = _file(shell, "good.omir", bundle(entity(), record(entityRefs=[{"ref": "Entity/a"}])))
    said = shell.bare("omir", "validate", name)
    assert (said.code, said.err) == (0, "")
    assert said.out == (
        "pass: good.omir\n"
        "  verdict: spec, level core\n"
        "  entries: 2 (1 Entity, 1 MemoryRecord)\n"
        "  core conformant: yes\n"
        "  found: nothing\n"
    )


def test_a_bad_bundle_in_words_says_where_what_and_what_to_do(shell: Shell) -> None:
    name = _file(shell, "bad.omir", bundle(entity("alice"), record(entityRefs=[{"ref": "Entity/alise"}])))
    said = shell.bare("omir", "validate", "--verdict", "parity", name)
    assert said.code == 1
    for words in (
        "fail: bad.omir\n",
        "verdict: parity, level core",
        "core conformant: no",
        "found: 1 error, 0 warnings, 0 for information",
        "error     E200  /entry/1/entityRefs/0/ref  nothing in the bundle",
        '"Entity/alice"?',
        "what to do about E200: Add what it names, or leave the reference out.",
    ):
        assert words in said.out


def test_many_findings_are_cut_for_a_person_and_not_for_a_program(shell: Shell) -> None:
    name = _file(shell, "bad.omir", bundle(*(record(f"m{number}", tier="x") for number in range(150))))
    assert "... and 50 more; --json tells all" in shell.bare("omir", "validate", name).out
    (report,) = shell.bare("omir", "validate", name, "--json").json
    assert len(report["findings"]) == 150


def test_standard_input_is_read(shell: Shell) -> None:
    said = shell.bare("omir", "validate", "-", "--json", stdin=bundle())
    assert (said.code, said.json[0]["target"], said.json[0]["result"]) == (0, "-", "pass")


def test_the_shared_options_may_stand_before_the_command(shell: Shell) -> None:
    assert shell.bare("--json", "omir", "validate", "-", stdin=bundle()).json[0]["result"] == "pass"
    assert shell.bare("omir", "--json", "validate", "-", stdin=bundle()).json[0]["result"] == "pass"


def test_profiles_are_named_by_url_or_by_file(shell: Shell) -> None:
    name = _file(shell, "plain.omir", bundle(record()))
    required = shell.bare("omir", "validate", name, "--require-profile", CODING, "--json")
    assert (required.code, [one["code"] for one in required.json[0]["findings"]]) == (0, ["W402"])
    rule = {"on": "MemoryRecord", "level": "must", "require": "tier", "says": "the tier is said"}
    mine = {"url": "https://example.org/p", "title": "Mine", "base": ["MemoryRecord"], "rules": [rule]}
    definition = _file(shell, "mine.json", json.dumps(mine).encode())
    meta: JsonObject = {"omirVersion": "R1", "profile": ["https://example.org/p"]}
    claiming = _file(shell, "claiming.omir", bundle(record(meta=meta)))
    found = shell.bare("omir", "validate", claiming, "--profile", definition, "--json")
    assert (found.code, [one["code"] for one in found.json[0]["findings"]]) == (1, ["E400"])
    assert shell.bare("omir", "validate", name, "--profile", CODING, "--level", "profile").code == 0


def test_a_profile_that_cannot_be_used_is_a_wrong_call(shell: Shell) -> None:
    name = _file(shell, "plain.omir", bundle(record()))
    relaxing = _file(shell, "relaxing.json", b'{"url": "x:y", "title": "", "base": ["Agent"], "rules": []}')
    for words in (
        ["--profile", "absent.json"],
        ["--profile", relaxing],
        ["--require-profile", "https://example.org/p"],
    ):
        said = shell.bare("omir", "validate", name, *words, "--json")
        assert (said.code, said.out, said.error["code"]) == (2, "", "malformed")


def test_draft_fields_are_not_told_to_those_who_speak_r1x(shell: Shell) -> None:
    name = _file(shell, "draft.omir", bundle(record(replayPriority=0.5)))
    assert [one["code"] for one in shell.bare("omir", "validate", name, "--json").json[0]["findings"]] == ["I510"]
    assert shell.bare("omir", "validate", name, "--release", "R1.x", "--json").json[0]["findings"] == []


def test_a_process_of_its_own_says_it_by_its_exit_code(tmp_path: Path) -> None:
    (tmp_path / "good.omir").write_bytes(bundle())
    (tmp_path / "none.omir").write_bytes(b"no JSON")
    done = outside("omir", "validate", "--json", "good.omir", "none.omir", cwd=tmp_path)
    assert done.returncode == 2
    assert [one["target"] for one in json.loads(done.stdout)] == ["good.omir"]
    assert done.stderr.decode().startswith("error (E000): none.omir: /, line 1, column 1: expected a JSON value")
