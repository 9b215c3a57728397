"""validate, convert, import, export."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from tests.contracts.samples import FIRST, SECOND, sample
from tests.surfaces.shell import Shell, outside

from muniment.contracts.registry import ContractName

GOOD = sample(ContractName.MEMLEDGER)
BAD = b'[{"id": "a", "content": "x", "record_type": "semantic", "confidence": 2, "more": 1}]'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "notes.json"
    path.write_bytes(GOOD)
    return path


@pytest.mark.parametrize("name", list(ContractName))
def test_a_good_file_passes(shell: Shell, tmp_path: Path, name: ContractName) -> None:
    (tmp_path / "good.json").write_bytes(sample(name))
    said = shell("validate", "--contract", name, "good.json", "--json")
    assert (said.code, said.err) == (0, "")
    assert said.json == [{"file": "good.json", "contract": name.value, "result": "pass", "findings": []}]
    assert shell("validate", "--contract", name, "good.json").out == "pass: good.json\n"


def test_a_bad_file_fails_with_everything_that_is_wrong(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_bytes(BAD)
    said = shell("validate", "--contract", "memledger", "bad.json", "--json")
    assert said.code == 1
    (report,) = said.json
    assert report["result"] == "fail"
    assert sorted((one["code"], one["severity"], one["path"]) for one in report["findings"]) == [
        ("range", "error", "/0/confidence"),
        ("unknown", "error", "/0/more"),
    ]
    assert all(one["message"] for one in report["findings"])
    human = shell("validate", "--contract", "memledger", "bad.json")
    assert human.code == 1
    assert human.out.startswith("fail: bad.json, 2 findings\n")
    assert "/0/confidence  expected a number from 0 to 1" in human.out


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b'{"a": 1, "a": 2}', "/a, line 1, column 10"),
        (b"\xef\xbb\xbf{}", "/, line 1, column 1"),
        (b'{"a": NaN}', "/a, line 1, column 7"),
        (b"", "/, line 1, column 1"),
    ],
    ids=["a key twice", "a mark", "NaN", "nothing"],
)
def test_what_cannot_be_read_is_told_with_its_place(shell: Shell, tmp_path: Path, data: bytes, where: str) -> None:
    (tmp_path / "odd.json").write_bytes(data)
    said = shell("validate", "--contract", "omir", "odd.json", "--json")
    assert said.code == 2
    (report,) = said.json
    assert (report["result"], report["findings"][0]["code"]) == ("unreadable", "unreadable")
    assert report["findings"][0]["message"].startswith(where)


def test_the_worst_of_several_files_is_the_answer_and_each_is_told(shell: Shell, tmp_path: Path, file: Path) -> None:
    (tmp_path / "bad.json").write_bytes(BAD)
    said = shell("validate", "--contract", "memledger", "nowhere.json", "notes.json", "bad.json", "--json")
    assert said.code == 2
    assert [(one["file"], one["result"]) for one in said.json] == [
        ("nowhere.json", "unreadable"),
        ("notes.json", "pass"),
        ("bad.json", "fail"),
    ]
    assert said.json[0]["findings"][0]["message"] == "the file cannot be read: No such file or directory"
    assert shell("validate", "--contract", "memledger", "notes.json", "bad.json").code == 1


def test_yaml_by_its_name_and_standard_input_are_read(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("id: a\nrecord_type: semantic\ncontent: yes\nhedged: no\n")
    said = shell("validate", "--contract", "memledger", "one.yaml", "--json")
    assert [(one["code"], one["path"]) for one in said.json[0]["findings"]] == [("type", "/hedged")]
    (tmp_path / "tag.yml").write_text("id: !!python/name:os.system a\n")
    assert shell("validate", "--contract", "memledger", "tag.yml").code == 2
    piped = shell("validate", "--contract", "memledger", "-", "--json", stdin=GOOD)
    assert (piped.code, piped.json[0]["file"]) == (0, "-")


def test_a_binary_file_that_is_cut_short_and_a_folder_cannot_be_read(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "cut.omirb").write_bytes(b"\x81")
    said = shell("validate", "--contract", "omir", "cut.omirb", ".", "--json")
    assert (said.code, said.err) == (2, "")
    assert [one["result"] for one in said.json] == ["unreadable", "unreadable"]
    assert said.json[0]["findings"][0]["path"] == "/byte/1"


def test_a_document_without_memories_takes_nothing_in(shell: Shell) -> None:
    shell("init")
    said = shell("import", "--contract", "memledger", "-", stdin=b"[]")
    assert said.code == 0
    assert said.out.startswith("nothing\n")


def test_validate_needs_no_vault_and_makes_none(shell: Shell, file: Path) -> None:
    assert shell("validate", "--contract", "memledger", str(file)).code == 0
    assert not shell.vault.exists()


def test_a_contract_there_is_not_is_a_wrong_call(shell: Shell, file: Path) -> None:
    said = shell("validate", "--contract", "xyz", str(file), "--json")
    assert (said.code, said.out, said.error["code"]) == (2, "", "usage")


def test_convert_prints_the_document_and_nothing_else(shell: Shell, file: Path) -> None:
    said = shell("convert", "--from", "memledger", "--to", "akashik", str(file))
    assert said.code == 0
    assert [one["content"] for one in json.loads(said.out)] == [FIRST, SECOND]
    assert "akashik has no field for place of 2 memories: left out\n" in said.err
    assert shell("validate", "--contract", "akashik", "-", stdin=said.out.encode()).code == 0


def test_convert_there_and_back_gives_the_same_document(shell: Shell, file: Path) -> None:
    there = shell("convert", "--from", "memledger", "--to", "matm", str(file))
    assert "kept in the document's extension\n" in there.err
    back = shell("convert", "--from", "matm", "--to", "memledger", "-", stdin=there.out.encode())
    assert json.loads(back.out) == json.loads(GOOD)


def test_convert_as_json_wraps_the_document_and_what_was_narrowed(shell: Shell, file: Path) -> None:
    said = shell("convert", "--from", "memledger", "--to", "akashik", str(file), "--json")
    assert (said.code, said.err) == (0, "")
    assert list(said.json) == ["document", "narrowed"]
    assert said.json["document"][0]["id"] == "mem-1"
    assert {"id": "mem-1", "path": "/claim/place", "kept": False} in said.json["narrowed"]


def test_convert_into_a_file_and_into_the_binary_form(shell: Shell, tmp_path: Path, file: Path) -> None:
    said = shell("convert", "--from", "memledger", "--to", "omir", str(file), "-o", "out.omir")
    assert (said.code, said.out) == (0, "")
    assert said.err.startswith("wrote out.omir\n")
    shell("convert", "--from", "memledger", "--to", "omir", str(file), "-o", "out.omirb")
    again = shell("convert", "--from", "omir", "--to", "omir", "out.omirb")
    assert json.loads(again.out) == json.loads((tmp_path / "out.omir").read_bytes())
    assert len((tmp_path / "out.omirb").read_bytes()) < len((tmp_path / "out.omir").read_bytes())
    wrapped = shell("convert", "--from", "omir", "--to", "memledger", "out.omirb", "-o", "back.json", "--json")
    assert (wrapped.json["file"], wrapped.json["narrowed"]) == ("back.json", [])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["back.json", "notes.json", "out.omir", "out.omirb"]


def test_convert_of_a_bad_document_says_where_and_prints_nothing(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_bytes(BAD)
    said = shell("convert", "--from", "memledger", "--to", "omir", "bad.json", "-o", "out.json", "--json")
    assert (said.code, said.out, said.error["code"], said.error["field"]) == (2, "", "malformed", "/0/confidence")
    assert not (tmp_path / "out.json").exists()


def test_import_takes_a_file_in_and_export_gives_it_out_again(shell: Shell, file: Path) -> None:
    said = shell("import", "--contract", "memledger", str(file), "--json")
    assert said.code == 0
    counts = ["committed", "held", "refused", "errors"]
    assert list(said.json) == ["batch", "contract", "preview", *counts, "tenants", "memories"]
    assert (said.json["committed"], said.json["preview"]) == (2, False)
    assert [(one["number"], one["id"], one["record_id"], one["outcome"]) for one in said.json["memories"]] == [
        (1, "mem-1", "mem-1", "committed"),
        (2, "mem-2", "mem-2", "committed"),
    ]
    given_out = shell("export", "--contract", "memledger")
    assert [one["content"] for one in json.loads(given_out.out)] == [FIRST, SECOND]
    again = shell("import", "--contract", "memledger", str(file), "--json")
    assert again.json == said.json


def test_import_in_words_tells_what_was_not_taken_or_not_kept(shell: Shell, tmp_path: Path, file: Path) -> None:
    assert shell("import", "--contract", "memledger", str(file)).out.startswith("2 committed\n")
    more = [
        {"id": "mem-1", "content": "cats sleep all day", "record_type": "semantic"},
        {"id": "mem-9", "content": "rain in the harbour", "record_type": "semantic", "derived_from": ["gone"]},
    ]
    (tmp_path / "more.json").write_text(json.dumps(more))
    said = shell("import", "--contract", "memledger", "more.json")
    assert said.code == 0
    assert said.out.startswith("1 committed, 1 refused\n")
    assert "mem-1 is not free to be the id of" in said.out
    assert "left out derived_from gone: there is no such record here or in the file" in said.out
    assert "  batch: memledger-" in said.out


def test_a_preview_changes_nothing(shell: Shell, file: Path) -> None:
    shell("init")
    before = shell("stats", "--json").json
    said = shell("import", "--contract", "memledger", str(file), "--preview")
    assert said.out.startswith("nothing was changed; this would come of it: 2 committed\n")
    assert shell("import", "--contract", "memledger", str(file), "--preview", "--json").json["preview"] is True
    assert shell("stats", "--json").json == before


def test_what_is_held_waits_in_the_queue_and_is_applied_by_its_batch(shell: Shell, file: Path) -> None:
    held = shell("import", "--contract", "memledger", str(file), "--hold", "--json").json
    assert (held["held"], held["committed"]) == (2, 0)
    assert len(shell("queue", "--json").json["proposals"]) == 2
    assert shell("apply", held["batch"], "--reason", "seen").code == 0
    assert shell("get", "mem-2", "--json").json["derived_from"] == ["mem-1"]


@pytest.mark.parametrize("data", [BAD, b'{"a": 1,}', b"\xff"], ids=["wrong", "no JSON", "no text"])
def test_bad_input_changes_nothing_and_makes_no_vault(shell: Shell, data: bytes) -> None:
    said = shell("import", "--contract", "memledger", "-", "--json", stdin=data)
    assert (said.code, said.out) == (2, "")
    assert said.error["code"] in ("malformed", "unreadable")
    assert not shell.vault.exists()


def test_an_agent_may_not_import(shell: Shell, file: Path) -> None:
    shell("init")
    said = shell("import", "--contract", "memledger", str(file), "--as", "scout", "--json")
    assert (said.code, said.out, said.error["code"]) == (2, "", "not_permitted")


def test_a_file_that_is_not_there_is_the_worlds_fault(shell: Shell) -> None:
    said = shell("import", "--contract", "memledger", "nowhere.json", "--json")
    assert (said.code, said.out, said.error["code"]) == (3, "", "system_error")


def test_export_is_bounded_by_its_filters(shell: Shell) -> None:
    shell.remember("build is green", "--kind", "fact", "--namespace", "/ci")
    shell.remember("ship on friday", "--kind", "decision", "--namespace", "/plan")
    gone = shell.remember("lunch is at noon", "--kind", "decision")
    assert shell("retire", gone, "--becomes", "archived", "--reason", "no longer").code == 0

    def contents(*words: str) -> list[str]:
        said = shell("export", "--contract", "memledger", "--json", *words)
        assert said.code == 0
        document = said.json["document"]
        return [one["content"] for one in (document if isinstance(document, list) else [document])]

    assert contents() == ["build is green", "ship on friday"]
    assert contents("--kind", "fact") == ["build is green"]
    assert contents("--namespace", "/plan", "--scope", "project") == ["ship on friday"]
    assert contents("--status", "archived") == ["lunch is at noon"]
    assert contents("--since", "2999-01-01") == []
    assert contents("--limit", "1") == ["build is green"]
    assert contents("--session", "s-9") == []


def test_export_into_a_file(shell: Shell, tmp_path: Path) -> None:
    shell.remember("build is green")
    said = shell("export", "--contract", "omir", "-o", "all.omir")
    assert (said.code, said.out) == (0, "")
    assert shell("validate", "--contract", "omir", "all.omir").code == 0
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["all.omir"]


def test_a_wrong_filter_is_told_by_its_flag(shell: Shell) -> None:
    shell("init")
    said = shell("export", "--contract", "omir", "--since", "yesterday", "--json")
    assert (said.code, said.out, said.error["field"]) == (2, "", "since")
    assert "--since" in said.error["hint"]


def test_a_pipe_of_its_own_process_carries_a_document(shell: Shell, tmp_path: Path, file: Path) -> None:
    shell("import", "--contract", "memledger", str(file))
    said = outside("export", "--contract", "akashik", "--vault", str(shell.vault), cwd=tmp_path)
    assert said.returncode == 0
    assert [one["id"] for one in json.loads(said.stdout)] == ["mem-1", "mem-2"]
    piped = outside("convert", "--from", "akashik", "--to", "retrieval", "-", cwd=tmp_path, stdin=said.stdout)
    assert [one["value"] for one in json.loads(piped.stdout)] == [FIRST, SECOND]


def test_a_preview_where_there_is_no_vault_is_tried_on_an_empty_one_and_leaves_nothing(
    shell: Shell, tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    said = shell("import", "--contract", "memledger", str(file), "--preview", "--json")
    assert (said.code, said.json["committed"], said.json["preview"]) == (0, 2, True)
    assert said.err == "there is no vault yet; this is what an empty one would make of it\n"
    assert not shell.vault.exists()
    assert list(scratch.iterdir()) == []
    refused = shell("import", "--contract", "memledger", str(file), "--preview", "--as", "scout", "--json")
    assert (refused.code, refused.out) == (2, "")
    assert not shell.vault.exists()
    assert list(scratch.iterdir()) == []


def test_an_export_says_how_much_of_it_is_delicate_and_how_to_leave_it_out(shell: Shell, tmp_path: Path) -> None:
    shell.remember("build is green")
    shell.remember("the merger is on friday", "--sensitivity", "secret")
    shell.remember("maria is on leave", "--sensitivity", "private")
    words = "2 records in it are more sensitive than internal; --sensitivity-max internal leaves them out\n"
    assert words in shell("export", "--contract", "memledger").err
    assert words in shell("export", "--contract", "memledger", "-o", "out.json").err
    wrapped = shell("export", "--contract", "memledger", "--json")
    assert (len(wrapped.json["document"]), wrapped.err) == (3, words)
    bounded = shell("export", "--contract", "memledger", "--sensitivity-max", "internal")
    assert json.loads(bounded.out)["content"] == "build is green"
    assert "sensitive" not in bounded.err


def test_an_export_says_how_much_of_it_is_told_by_the_word_of_a_file(shell: Shell, file: Path) -> None:
    shell.remember("build is green")
    assert "elsewhere" not in shell("export", "--contract", "memledger").err
    shell("import", "--contract", "memledger", str(file))
    said = shell("export", "--contract", "memledger")
    assert "2 records in it came from elsewhere: who wrote and reviewed them" in said.err
    assert "elsewhere" not in said.out


def test_an_import_prints_no_secret_that_a_file_has_for_an_id(shell: Shell) -> None:
    key = "AKIAIOSFODNN7EXAMPLE"
    notes = [
        {"id": key, "content": "x", "record_type": "semantic"},
        {"id": "mem-2", "content": "y", "record_type": "semantic", "derived_from": [f"{key}-2", key]},
    ]
    for words in ((), ("--json",), ("--preview",)):
        said = shell("import", "--contract", "memledger", "-", *words, stdin=json.dumps(notes).encode())
        assert said.code == 0
        assert key not in said.out + said.err


def test_memories_of_another_tenant_are_taken_in_here_and_it_is_said(shell: Shell, tmp_path: Path) -> None:
    record = {
        "kind": "memory_record",
        "record_id": "mem-1",
        "tenant_id": "tenant-acme",
        "memory_class": "profile",
        "key": "preferred_language",
        "value": "English",
        "source": "user",
        "provenance": "user_confirmed",
        "revision": 1,
        "trust_level": "high",
        "created_at": "2026-04-07T12:00:00Z",
        "retention": "long_term",
    }
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record))
    seen = shell("import", "--contract", "retrieval", str(file), "--preview", "--json").json
    assert (seen["tenants"], seen["committed"]) == (["tenant-acme"], 1)
    assert "the file says they are of tenant-acme; here they are this tenant's" in (
        shell("import", "--contract", "retrieval", str(file)).out
    )
