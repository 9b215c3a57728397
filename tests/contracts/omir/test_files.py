"""The commands that turn OMIR files into other forms of themselves."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import pytest
import typer
from tests.contracts.cites import cites
from tests.contracts.omir.example import DATA, document, sorted_entries

from muniment.contracts.omir.report import Level
from muniment.contracts.omir.terms import CONTEXT_URL
from muniment.contracts.omir.validate import validate
from muniment.contracts.strict.values import equal
from muniment.model.errors import Malformed
from muniment.surfaces.cli import omir_files
from muniment.surfaces.cli.omir import omir

DECLARED_IN = omir_files.__name__
"""Importing it declares the commands."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kiln.omir").write_bytes(DATA)
    return tmp_path


def run(*words: str) -> None:
    assert typer.main.get_command(omir).main(args=list(words), standalone_mode=False) == 0


@cites("OMIR-062")
def test_a_packed_file_unpacks_to_the_same_document(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("pack", "kiln.omir", "-o", "kiln.omirb")
    assert (folder / "kiln.omirb").read_bytes()[:4].hex() == "d9d9f7a6"
    assert (folder / "kiln.omirb").stat().st_size < len(json.dumps(document(), separators=(",", ":")))
    run("unpack", "kiln.omirb")
    assert equal(json.loads(capsys.readouterr().out), document())


def test_a_linked_file_is_the_same_document_with_a_context(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("link", "kiln.omir", "--base", "https://kiln.example/")
    found = json.loads(capsys.readouterr().out)
    context = found.pop("@context")
    assert equal(found, document())
    assert context["@import"] == CONTEXT_URL
    assert context["Entity"]["@context"] == {"@base": "https://kiln.example/Entity/"}


def test_a_rewritten_file_is_sorted_and_a_stamped_one_is_ours(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("rewrite", "kiln.omir")
    assert equal(json.loads(capsys.readouterr().out), sorted_entries(document()))
    (folder / "clean.omir").write_bytes(DATA.replace(b'ext/bare"', b'ext/bare","valueBoolean":true'))
    run("rewrite", "clean.omir", "--stamp", "-o", "ours.omir")
    ours = (folder / "ours.omir").read_bytes()
    assert validate(ours, level=Level.STRICT).result == "pass"
    assert json.loads(ours)["source"] == f"muniment/{version('muniment')}"
    assert [one.name for one in sorted(folder.iterdir())] == ["clean.omir", "kiln.omir", "ours.omir"]


def test_draft_fields_stay_in_place_if_the_draft_is_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drafted = DATA.replace(b'"source": "observation",', b'"source": "observation", "boundaryReason": "unloading",')
    (folder / "draft.omir").write_bytes(drafted)
    run("rewrite", "draft.omir", "--release", "R1.x")
    episode = json.loads(capsys.readouterr().out)["entry"][2]
    assert episode["boundaryReason"] == "unloading"
    run("rewrite", "draft.omir")
    episode = json.loads(capsys.readouterr().out)["entry"][2]
    assert "boundaryReason" not in episode
    assert episode["extension"][0]["valueJson"] == {"fields": {"boundaryReason": "unloading"}}


@cites("OMIR-088")
def test_the_statement_is_that_of_this_installation(folder: Path) -> None:
    run("statement", "-o", "statement.json")
    found = json.loads((folder / "statement.json").read_bytes())
    assert found["implementation"] == f"muniment/{version('muniment')}"
    assert found["profiles"] == [
        "https://omir.io/spec/R1/profile/omir-coding-agent",
        "https://omir.io/spec/R1/profile/omir-personal-assistant",
        "https://omir.io/spec/R1/profile/omir-robotics",
    ]
    assert (found["roles"], found["level"], found["release"]) == (["producer", "consumer"], "strict", "R1")


def test_a_damaged_file_is_refused_and_nothing_is_written(folder: Path) -> None:
    (folder / "torn.omirb").write_bytes(b"\xa1\x61a")
    for words in (("unpack", "torn.omirb", "-o", "out.omir"), ("pack", "torn.omirb", "-o", "out.omir")):
        with pytest.raises(Malformed, match="byte"):
            run(*words)
    assert not (folder / "out.omir").exists()
