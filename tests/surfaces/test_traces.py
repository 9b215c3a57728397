"""The search for words in files finds them in every disguise; else its silence would prove nothing."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from tests.surfaces.traces import terms, traces

WORDS = "Ottoline Quillfeather lives in Åsgårdstrand"


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (b"..Ottoline Quillfeather lives in \xc3\x85sg\xc3\xa5rdstrand..", "as it is, utf-8"),
        (f"..{WORDS.lower()}..".encode(), "lower case, utf-8"),
        (WORDS.upper().encode(), "upper case, utf-8"),
        (WORDS.encode("utf-16-le"), "as it is, utf-16-le"),
        (b"\0" + WORDS.encode("utf-16-be"), "as it is, utf-16-be"),
        (b"0quillfeath", "quillfeath: as it is, utf-8"),
        (b"\x0casgardstrand\x01", "asgardstrand: as it is, utf-8"),
        (b"\\u00c5sg\\u00e5rdstrand lies by the sea, says nobody", "Åsgårdstrand: escaped, utf-8"),
        (b"said OTTOLIN", "ottolin: upper case, utf-8"),
        (base64.b64encode(WORDS.encode()), "shifted by 0"),
        (base64.b64encode(b"x" + WORDS.encode() + b"yz"), "shifted by 1"),
        (base64.b64encode(b"xy" + WORDS.encode() + b"z"), "shifted by 2"),
        (base64.urlsafe_b64encode(b"\xff\xfe\xfd" + WORDS.encode()), "shifted by 0"),
        (WORDS.encode().hex().encode(), "hex"),
    ],
)
def test_words_are_found_in_every_disguise(tmp_path: Path, body: bytes, what: str) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "file").write_bytes(b"\x00\x01 before " + body + b" after")

    found = traces([WORDS], tmp_path)

    assert any(what in one for one in found), found
    assert all(one.startswith("deep/file (within): ") for one in found)


def test_words_are_found_in_the_names_of_files(tmp_path: Path) -> None:
    (tmp_path / "quillfeather.tmp").write_bytes(b"")

    assert traces([WORDS], tmp_path) == ["quillfeather.tmp (its name): Quillfeather: lower case, utf-8"]


def test_other_words_are_not_found(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"Nobody of that name was ever here; she moved to the coast" * 99)

    assert traces([WORDS], tmp_path) == []


def test_the_terms_are_those_of_a_word_index() -> None:
    assert terms("Hyperthyroidism, Åsgårdstrand!") == {"hyperthyroid", "asgardstrand"}
