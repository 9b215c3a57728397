"""Files on the command line: exit codes, the shapes of the answer, what cannot be read, binary documents, folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.contracts.cites import cites
from tests.contracts.omir.bundles import bundle, edge, entity, record

from muniment.contracts.omir.cbor import write_cbor
from muniment.contracts.strict.values import JsonObject
from muniment.surfaces.cli import run

GOOD = bundle(record())
BAD = bundle(record(tier="x"))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a good, a bad and an unreadable bundle, and a good one in binary."""
    monkeypatch.chdir(tmp_path)
    for name, data in (("good.omir", GOOD), ("bad.omir", BAD), ("none.omir", b"{"), ("bom.omir", b"\xef\xbb\xbf{}")):
        (tmp_path / name).write_bytes(data)
    (tmp_path / "good.omirb").write_bytes(write_cbor(json.loads(GOOD)))
    (tmp_path / "bad.omirb").write_bytes(write_cbor(json.loads(BAD)))
    (tmp_path / "cut.omirb").write_bytes(write_cbor(json.loads(GOOD))[:-3])
    return tmp_path


def _said(capture: pytest.CaptureFixture[bytes], *words: str) -> tuple[int, str, str]:
    capture.readouterr()
    code = run(["omir", "validate", *words])
    out, err = capture.readouterr()
    return code, out.decode(), err.decode()


PARITY = ("--verdict", "parity")


@cites("OMIR-002", "OMIR-045")
def test_exit_codes_are_0_1_2_and_the_worst_counts(files: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for verdict in (PARITY, ("--verdict", "spec")):
        for named, code in (
            (["good.omir"], 0),
            (["bad.omir"], 1),
            (["none.omir"], 2),
            (["bom.omir"], 2),
            (["absent.omir"], 2),
            (["good.omir", "bad.omir"], 1),
            (["none.omir", "bad.omir", "good.omir"], 2),
        ):
            assert _said(capfdbinary, *verdict, *named)[0] == code


@cites("OMIR-002")
def test_what_cannot_be_read_has_no_report_and_is_named_on_standard_error(
    files: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    code, out, err = _said(capfdbinary, *PARITY, "--json", "none.omir")
    assert (code, json.loads(out)) == (2, [])
    assert err.startswith("error (E000): none.omir: ")
    code, out, err = _said(capfdbinary, *PARITY, "--json", "none.omir", "good.omir")
    assert (code, [one["target"] for one in json.loads(out)]) == (2, ["good.omir"])


@cites("OMIR-046")
def test_as_the_reference_writes_it_one_file_is_an_object_and_several_a_list(
    files: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    shape = (*PARITY, "--format", "json")
    assert json.loads(_said(capfdbinary, *shape, "bad.omir")[1])["result"] == "fail"
    many = json.loads(_said(capfdbinary, *shape, "bad.omir", "good.omir")[1])
    assert [one["result"] for one in many] == ["fail", "pass"]
    assert json.loads(_said(capfdbinary, *shape, "none.omir")[1]) == []


def test_with_json_the_answer_is_always_a_list(files: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for named in (["bad.omir"], ["bad.omir", "good.omir"]):
        found = json.loads(_said(capfdbinary, "--json", *named)[1])
        assert [one["target"] for one in found] == named
        (finding,) = found[0]["findings"]
        assert [finding[key] for key in ("code", "severity", "path")] == ["E120", "error", "/entry/0/tier"]
        assert finding["message"] == "MemoryRecord: expected one of archive, longterm, session, working"


@cites("OMIR-047")
def test_what_cannot_be_read_appears_in_the_report_of_our_verdict(
    files: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    code, out, _ = _said(capfdbinary, "--format", "json", "none.omir", "absent.omir", "good.omir")
    reports = json.loads(out)
    assert (code, [one["result"] for one in reports]) == (2, ["unreadable", "unreadable", "pass"])
    assert [[finding["code"] for finding in one["findings"]] for one in reports] == [["E000"], ["E000"], []]
    assert (reports[0]["coreConformant"], reports[0]["findings"][0]["path"]) == (False, "/")
    human = _said(capfdbinary, "none.omir")[1]
    assert "unreadable: none.omir" in human
    assert "E000" in human


@cites("OMIR-048")
def test_binary_documents_are_read_by_our_verdict_and_refused_by_the_references(
    files: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    code, out, _ = _said(capfdbinary, "--json", "good.omirb", "bad.omirb")
    assert (code, [one["result"] for one in json.loads(out)]) == (1, ["pass", "fail"])
    assert _said(capfdbinary, "cut.omirb")[0] == 2
    code, out, err = _said(capfdbinary, *PARITY, "--json", "good.omirb")
    assert (code, json.loads(out)) == (2, [])
    assert ".omirb" in err


@cites("OMIR-048")
def test_reports_go_to_a_file_or_each_to_one_in_a_folder(
    files: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (files / "out").mkdir()
    code, out, _ = _said(capfdbinary, "-o", "out", "good.omir", "bad.omir", "none.omir")
    assert (code, out) == (2, "")
    written = {path.name: json.loads(path.read_bytes())["result"] for path in (files / "out").iterdir()}
    assert written == {
        "good.omir.report.json": "pass",
        "bad.omir.report.json": "fail",
        "none.omir.report.json": "unreadable",
    }
    assert _said(capfdbinary, "-o", "one.json", "bad.omir")[0] == 1
    assert json.loads((files / "one.json").read_bytes())["result"] == "fail"
    assert _said(capfdbinary, "--json", "-o", "one.json", "bad.omir")[0] == 1
    assert [one["result"] for one in json.loads((files / "one.json").read_bytes())] == ["fail"]


def test_the_two_verdicts_and_the_levels_are_asked_by_name(
    files: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    twice: JsonObject = entity()
    (files / "twice.omir").write_bytes(bundle(twice, twice, edge()))
    assert _said(capfdbinary, *PARITY, "twice.omir")[0] == 0
    assert _said(capfdbinary, *PARITY, "--level", "strict", "twice.omir")[0] == 1
    assert _said(capfdbinary, "twice.omir")[0] == 1
    assert _said(capfdbinary, "--level", "profile", "good.omir")[0] == 0
    assert _said(capfdbinary, *PARITY, "--level", "profile", "good.omir")[2].startswith("profiles are not looked into")
