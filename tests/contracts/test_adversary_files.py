"""Files made to hurt: endless, bottomless, or slow to look at. Each is answered, and what is refused names its place.

A pattern that goes over a text again and again would not end before the time a test has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cases import each

from muniment import Memory
from muniment.compat.exchange import as_json, convert, read_in, validate, write_out
from muniment.contracts.names import safe_id, safe_namespace, safe_text
from muniment.contracts.registry import ContractName
from muniment.contracts.strict.instants import is_instant
from muniment.contracts.strict.uris import is_uri
from muniment.contracts.strict.yaml_text import YAML_BYTES_MAX, read_yaml
from muniment.engine.importing import BATCH_MAX
from muniment.model.claim import Claim, Extension
from muniment.model.errors import CallerError, LimitExceeded, Malformed, Unreadable

LONG = 200_000


@each(
    ("text", "holds"),
    [
        ("a://" + "a:" * LONG + "@ ", False),
        ("a://" + "a" * LONG + ":" * LONG, False),
        ("a://" + "a@" * LONG, False),
        ("a://" + "%aa" * LONG + "@@", False),
        ("a://[" + ":" * LONG, False),
        ("a:" + "/" * LONG + "#" + "?" * LONG + "\\", False),
        ("a" * LONG, False),
        ("a://b@c:80/" + "d/" * LONG + "?e#f", True),
        ("a://" + "b" * LONG, True),
    ],
    ids=["user", "port", "users", "escapes", "address", "path", "scheme", "long path", "long host"],
)
def test_a_uri_of_any_make_is_judged_in_one_pass(text: str, holds: bool) -> None:
    assert is_uri(text) is holds


def test_names_and_times_of_any_length_are_judged_in_one_pass() -> None:
    assert not is_instant("2026-01-01T00:00:00." + "1" * LONG + "Q")
    assert len(safe_id("a" * 10_000_000)) == 34
    assert len(safe_text("é" * 1_000_000).encode()) <= 65_536
    assert safe_namespace("/a" * LONG).startswith("/x:")
    assert safe_namespace("//" * LONG) == "/"


DEEP = {
    "lists": b"[" * LONG,
    "lists that end": b"[" * LONG + b"]" * LONG,
    "objects": b'{"a":' * LONG,
    "in a field": b'{"id":"a","record_type":"semantic","content":"x","metadata":' + b'{"a":' * 200 + b"1" + b"}" * 201,
}


@each("name", list(ContractName))
@each("data", DEEP.values(), ids=DEEP.keys())
def test_a_bottomless_document_is_unreadable_and_says_where(name: ContractName, data: bytes) -> None:
    checked = validate(name, data)
    assert checked.result == "unreadable"
    assert checked.findings[0].path.startswith("/")
    with pytest.raises(Unreadable):
        convert(name, ContractName.MEMLEDGER, data)


@each(
    "data",
    [
        b"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
        b"[" * 10_000,
        b"- " * 10_000,
        b"{a: " * 10_000,
        b"a: !!python/object/apply:os.system [ls]\n",
        b"<<: {a: 1}\n<<: {b: 2}\n",
    ],
    ids=["aliases", "lists", "dashes", "objects", "a tag", "merges"],
)
def test_yaml_made_to_hurt_is_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable):
        read_yaml(data)


def test_more_yaml_than_can_be_read_in_good_time_is_refused_at_once() -> None:
    with pytest.raises(LimitExceeded, match="16777216"):
        as_json(b"a" * (YAML_BYTES_MAX + 1), ".yaml")


@each(
    "data",
    [
        b"\x9b" + b"\xff" * 8,
        b"\x7b" + b"\x7f" * 8,
        b"\xbb\x00\x00\x00\xff" + b"\xff" * 4,
        b"\x81" * LONG,
        b"\xa1\x61a" * LONG,
        b"\x9f" * LONG,
        b"\xc2\x5a\x00\x40\x00\x00" + b"\xff" * 0x400000,
    ],
    ids=["a list of everything", "a text of everything", "a map of everything", "lists", "maps", "endless", "a number"],
)
def test_a_binary_document_promises_no_more_than_it_holds(data: bytes) -> None:
    with pytest.raises((Malformed, Unreadable, LimitExceeded)):
        as_json(data, ".omirb")


@pytest.mark.parametrize("name", [ContractName.MEMLEDGER, ContractName.OMIR])
def test_more_memories_than_a_batch_holds_are_refused_before_they_are_looked_at(
    memory: Memory, name: ContractName
) -> None:
    many = b"[" + b"{}," * BATCH_MAX + b"{}]"
    data = many if name is ContractName.MEMLEDGER else b'{"resourceType":"Bundle","entry":' + many + b"}"
    with pytest.raises(LimitExceeded, match="100001"):
        read_in(memory, name, data)


@pytest.mark.parametrize("name", list(ContractName))
def test_a_name_of_ten_megabytes_is_taken_or_refused_and_never_told_whole(memory: Memory, name: ContractName) -> None:
    huge = "n" * 10_000_000
    fields = {
        ContractName.MATM: "record_id",
        ContractName.OMIR: "id",
        ContractName.RETRIEVAL: "record_id",
        ContractName.MEMLEDGER: "id",
        ContractName.AKASHIK: "id",
    }
    sample: dict[str, str] = {"content": "x", "record_type": "semantic", fields[name]: huge}
    data = json.dumps(sample).encode()
    try:
        told = repr(read_in(memory, name, data))
    except CallerError as error:
        told = str(error)
    assert len(told) < 100_000


@pytest.mark.parametrize("opening", ["[", '{"a":'], ids=["lists", "objects"])
@pytest.mark.parametrize("name", [*ContractName, "carried", "omir.told", "omir.raw", "memledger:slot"])
def test_an_extension_however_deep_is_refused_or_goes_out_again(memory: Memory, name: str, opening: str) -> None:
    closing = {"[": "]", '{"a":': "}"}[opening]
    for depth in (50, 120, 400, 990, 5_000):
        body = opening * depth + "1" + closing * depth
        try:
            memory.propose(Claim(content=f"Depth {depth}", extensions=(Extension(name=name, body=body),)))
        except Malformed:
            continue
    assert [one.record.content for one in memory.insight.browse()][:1] == ["Depth 50"]
    for target in ContractName:
        assert validate(target, write_out(memory, target).data).result == "pass"


def test_lines_of_json_are_read_as_a_list_and_each_line_is_one_value() -> None:
    assert json.loads(as_json(b'{"a": 1}\n\n{"b": 2}\n', ".jsonl")) == [{"a": 1}, {"b": 2}]
    with pytest.raises(Unreadable):
        as_json(b'{"a": 1},{"b": 2}\n', ".ndjson")


def test_a_file_that_was_refused_leaves_nothing_in_the_vault(tmp_path: Path) -> None:
    word = "unmistakable-words-of-a-refused-file"
    with Memory.open(tmp_path / "v") as memory:
        before = memory.insight.stats()
        for data in (b'[{"id":"a","content":"' + word.encode() + b'","record_type":"odd"}]', word.encode()):
            with pytest.raises(CallerError):
                read_in(memory, ContractName.MEMLEDGER, data)
        assert memory.insight.stats().entries == before.entries
    kept = b"".join(file.read_bytes() for file in (tmp_path / "v").rglob("*") if file.is_file())
    assert word.encode() not in kept
