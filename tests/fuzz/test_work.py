"""A text twice as long takes twice the work to read, not four times, whatever it says. Counted in steps."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tests.cases import each
from tests.fuzz.doors_kept import SMALL_POLICY
from tests.fuzz.steps import counted

from muniment.backends.embedders.wordpiece import WordPiece
from muniment.compat.exchange import as_json
from muniment.contracts.omir.cbor import read_cbor
from muniment.contracts.registry import ContractName, contract
from muniment.contracts.strict.reader import read_json
from muniment.contracts.strict.yaml_text import read_yaml
from muniment.model.errors import MunimentError
from muniment.operations.queries import Browse
from muniment.policy.parse import parse_policy
from muniment.surfaces.http.api.asking import read_query

FIRST, TIMES = 250, 4
SLACK = 1.5
STEPS_MAX = 5_000_000
Make = Callable[[int], bytes]

JSON_SHAPES: dict[str, Make] = {
    "a wide list": lambda n: b"[" + b",".join([b"1"] * n) + b"]",
    "many keys": lambda n: b"{" + b",".join(b'"k%d":%d' % (i, i) for i in range(n)) + b"}",
    "many records": lambda n: b"[" + b",".join([b'{"id":"a","content":"b"}'] * n) + b"]",
    "deep lists": lambda n: b"[" * n + b"]" * n,
    "open lists": lambda n: b"[" * n,
    "open objects": lambda n: b'{"a":' * n,
    "a long text": lambda n: b'"' + b"a" * n + b'"',
    "an open text": lambda n: b'"' + b"\\u0041" * n,
    "escapes": lambda n: b'"' + b"\\ud83d\\ude00" * n + b'"',
    "halves": lambda n: b'["' + b"\\ud83d" * n + b'"]',
    "digits": lambda n: b"[" + b"9" * n + b"]",
    "a key twice, late": lambda n: b"{" + b",".join(b'"k%d":1' % i for i in range(n)) + b',"k0":1}',
    "a long key": lambda n: b'{"' + b"k" * n + b'":1,}',
    "white space": lambda n: b" " * n + b"x",
    "bad bytes, late": lambda n: b'["' + b"a" * n + b"\xff",
}
YAML_SHAPES: dict[str, Make] = {
    "a list of lines": lambda n: b"- a\n" * n,
    "many keys": lambda n: b"".join(b"k%d: %d\n" % (i, i) for i in range(n)),
    "deep flow": lambda n: b"[" * n,
    "deep blocks": lambda n: b"".join(b" " * i + b"a:\n" for i in range(min(n, 400))),
    "dashes": lambda n: b"- " * n,
    "question marks": lambda n: b"? " * n,
    "aliases": lambda n: b"a: &a [1]\n" + b"b: [" + b"*a," * n + b"]",
    "a folded text": lambda n: b"a: >\n" + b"  word\n" * n,
    "quotes": lambda n: b'"' + b"\\n" * n + b'"',
    "comments": lambda n: b"# a\n" * n,
    "documents": lambda n: b"---\n" * n,
}


def steps(read: Callable[[bytes], object], text: bytes) -> int:
    """How many steps a reader takes, whether it reads or refuses."""

    def tried() -> None:
        try:
            read(text)
        except MunimentError:
            return

    return counted(tried, most=STEPS_MAX)[1]


def grows(read: Callable[[bytes], object], make: Make) -> tuple[int, int]:
    """The work for a text, and the most that one so many times as long may take."""
    small, large = make(FIRST), make(FIRST * TIMES)
    steps(read, make(FIRST // 2))  # what is made once is made now
    allowed = (steps(read, small) + 200) * max(1.0, len(large) / len(small)) * SLACK
    return steps(read, large), int(allowed)


@each("shape", JSON_SHAPES)
@each("reader", ["json", "lines", *(name.value for name in ContractName)])
def test_json_is_read_in_proportion(reader: str, shape: str) -> None:
    readers: dict[str, Callable[[bytes], object]] = {"json": read_json, "lines": lambda text: as_json(text, ".jsonl")}
    read = readers[reader] if reader in readers else contract(ContractName(reader)).check
    found, allowed = grows(read, JSON_SHAPES[shape])
    assert found <= allowed


@each("shape", YAML_SHAPES)
def test_yaml_is_read_in_proportion(shape: str) -> None:
    found, allowed = grows(read_yaml, YAML_SHAPES[shape])
    assert found <= allowed


@each("shape", YAML_SHAPES)
def test_a_policy_is_read_in_proportion(shape: str) -> None:
    found, allowed = grows(lambda text: parse_policy(text.decode(), place="policy.yaml"), YAML_SHAPES[shape])
    assert found <= allowed


def test_a_policy_of_many_rules_is_read_in_proportion() -> None:
    def make(count: int) -> bytes:
        rules = "".join(f"  - {{id: r{n}, decision: commit, reason: why}}\n" for n in range(count // 4))
        return SMALL_POLICY.replace("write:\n", f"write:\n{rules}").encode()

    found, allowed = grows(lambda text: parse_policy(text.decode(), place="policy.yaml"), make)
    assert found <= allowed


@each("start", [b"\x81", b"\xa1\x61a", b"\xd9\xd9\xf7\x81", b"\x61a", b"\xf6"])
def test_cbor_is_read_in_proportion(start: bytes) -> None:
    found, allowed = grows(read_cbor, lambda count: start * count)
    assert found <= allowed


@each("part", [b"kinds=fact&", b"&", b"=", b"%41", b"a=b&"])
def test_a_query_is_read_in_proportion(part: bytes) -> None:
    found, allowed = grows(lambda text: read_query(text, Browse), lambda count: part * count)
    assert found <= allowed


@each("part", ["unaffable ", "x", "中", "\u0301", "!", " \0"])
def test_words_are_cut_in_proportion(part: str) -> None:
    """No matter how long a text is, no more of it is read than the window takes."""
    pieces = WordPiece("[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\nx\n##x")
    read = partial(pieces.encode, window=256)
    found, allowed = grows(lambda text: read(text.decode()), lambda count: (part * count).encode())
    assert found <= allowed


def test_the_count_sees_work_that_grows_faster_than_its_text() -> None:
    """So that the tests above can fail."""

    def slow(text: bytes) -> None:
        for end in range(len(text)):
            for byte in text[:end]:
                byte.bit_length()

    found, allowed = grows(slow, lambda count: b"a" * count)
    assert found > allowed
