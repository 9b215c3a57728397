"""The doors of what is kept: values read back from a store, the files of a vault, and what a model is made of."""

from __future__ import annotations

import json
import struct
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

import msgspec
from tests.fuzz.door import Door
from tests.support.world import simulated_memory

from muniment.backends.embedders.weights import read_tensors
from muniment.backends.embedders.wordpiece import WordPiece
from muniment.backends.vectors import columns_file
from muniment.backends.vectors.columns import CardColumns
from muniment.backends.vectors.index_head import IndexHead as VectorHead
from muniment.backends.vectors.index_head import IndexHeadFile
from muniment.config import read_environment, read_server
from muniment.contracts.strict.values import Json
from muniment.engine.memory import Memory
from muniment.ledger.project import Conclusion
from muniment.model.alias import Alias
from muniment.model.curation import CurationReport
from muniment.model.entry import DocumentRole, Entry, SignedCheckpoint
from muniment.model.note import NoteDraft
from muniment.model.packed_receipt import PackedAccount
from muniment.model.receipt import ReceiptEntry
from muniment.model.record import Record
from muniment.model.times import Instant
from muniment.model.value import Value, canonical, read_canonical
from muniment.operations.cursor import seal, unseal
from muniment.operations.queries import PageQuery
from muniment.policy.parse import parse_policy
from muniment.policy.rules import Policy
from muniment.surfaces.reception.keys import KEYS_FILE, KeyRequest, KeyRing, create
from muniment.write.plan import HeldProposal
from muniment_store_conformance.contents import contents

POLICY_MARKS = (
    *b"&a |*a|!!float |!!int |!!bool |!!python/name:os |? |- |---\n|%YAML 9.9\n|<<: |1:0:0:0.5|0x_|0b|.inf|.NaN".split(
        b"|"
    ),
    *b"2026-01-01|\x85|\x07|1_0|~|yes|=|!!set {a}|!!pairs [a: b]|{a: {a: {a: {a: {a: {a: 1}}}}}}".split(b"|"),
    *(b'"\\ud800"', b'"\\UFFFFFFFF"', b"7" * 5_000, b"1" + b":0" * 200 + b".5"),
)
TOML_MARKS = (
    *b"[a]\n|[[write]]\n|[write]\n|= 1|\"\"\"|'''|\\u0000|\\ud800|1979-05-27T07:32:00Z|07:32:00|inf|nan".split(b"|"),
    *b"0xff|1_000|a.b.c = 1\n|[a.b]\n|{a=1}|{|[|\r|\t".split(b"|"),
    b"7" * 5_000,
    b"[" * 3_000,
)
SMALL_POLICY = """\
version: 1
name: small
actors:
  owner: {type: person, roles: [owner], authority: 10}
  "*": {roles: [agent], projects: [default]}
write:
  - {id: members, scopes: [session, project], member: true, decision: commit, reason: they may, confidence_min: 0.5}
read:
  - id: members-read
    scopes: [project]
    namespaces: [/a/b]
review:
  - {id: owner, roles: [owner], actions: [accept, discard, audit]}
evidence: {required_for: [fact], otherwise: hold}
trust:
  gate: {min: 0.25, flag: 0.5}
  namespaces: {/a: {min: 0.5, flag: 0.75}}
disputes: {quorum: 3}
"""
_ROLES: dict[DocumentRole, type[Value]] = {
    DocumentRole.RECORD: Record,
    DocumentRole.REPORT: CurationReport,
    DocumentRole.HELD: HeldProposal,
    DocumentRole.POLICY: Policy,
    DocumentRole.ALIAS: Alias,
    DocumentRole.NOTE: NoteDraft,
}


def _lived() -> Memory:
    """A memory in which a little of everything has happened."""
    memory = simulated_memory()
    first = memory.remember("The staging database moved to eu-west-2", kind="fact", evidence=["ticket:OPS-7"])
    memory.remember("the door is red", subject="door", key="colour", value="red", derived_from=[first.record_id or ""])
    memory.remember("the door is blue", subject="door", key="colour", value="blue", half_life_hours=3.5)
    memory.as_actor("bot").remember("Deploy on Mondays", kind="decision")
    memory.review.outcome(first.record_id or "", "helpful", weight=0.25)
    memory.review.alias("Staging", "the staging database")
    memory.recall("staging database")
    memory.recall("nothing of the kind")
    memory.ledger.checkpoint()
    return memory


def _stored() -> dict[type[Value], list[bytes]]:
    """Values as a store holds them, by their type."""
    kept = contents(_lived()._session.tenant.store)
    found: dict[type[Value], list[bytes]] = {Entry: [one.body for one in kept.entries]}
    bodies = {one.doc: one.body for one in kept.documents}
    for entry in (read_canonical(one.body, Entry) for one in kept.entries):
        for ref in entry.documents:
            found.setdefault(_ROLES[ref.role], []).append(bodies[ref.doc])
    found[Conclusion] = found[CurationReport]
    found[ReceiptEntry] = [one.body for one in kept.receipts]
    found[PackedAccount] = [one.account for one in kept.receipts]
    found[SignedCheckpoint] = [canonical(one) for one in kept.checkpoints]
    return found


def _reader(kind: type[Value]) -> Callable[[bytes], object]:
    return lambda text: read_canonical(text, kind)


def _policy(place: str) -> Callable[[bytes], object]:
    return lambda text: parse_policy(text.decode(errors="surrogateescape"), place=place)


def _toml(value: Json) -> str:
    """One value of TOML, objects in line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)} = {_toml(part)}" for name, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(part) for part in value) + "]"
    return json.dumps(value)


def _policy_as_toml() -> bytes:
    plain: Json = msgspec.json.decode(canonical(parse_policy(SMALL_POLICY, place="policy.yaml")))
    assert isinstance(plain, dict)
    return "\n".join(f"{name} = {_toml(part)}" for name, part in plain.items()).encode()


def _settings(folder: Path) -> Callable[[bytes], object]:
    path = folder / "muniment.toml"

    def read(text: bytes) -> object:
        path.write_bytes(text)
        return read_server({}, file=str(path)), read_environment({"MUNIMENT_CONFIG": str(path)})

    return read


def _environment(text: bytes) -> object:
    """Lines of names and values, as a shell would hand them over."""
    pairs = (line.partition("=") for line in text.decode(errors="surrogateescape").split("\n"))
    said = {name: value for name, _, value in pairs if name.startswith("MUNIMENT_")}
    return read_environment(said), read_server(said)


def _keys(folder: Path) -> tuple[Callable[[bytes], object], bytes]:
    (folder / "keys").mkdir(parents=True)
    _, token = create(folder, KeyRequest.everything("ana"), now=Instant(0))
    path = folder / KEYS_FILE
    path.chmod(0o600)

    def read(text: bytes) -> object:
        path.write_bytes(text)
        return KeyRing(folder).match(token, now=Instant(1))

    return read, path.read_bytes()


def _tokens(folder: Path) -> tuple[Callable[[bytes], object], bytes]:
    (folder / "keys").mkdir(parents=True)
    _, token = create(folder, KeyRequest.everything("eve"), now=Instant(0))
    ring = KeyRing(folder)

    def read(text: bytes) -> object:
        shown = text.decode("latin-1")
        found = ring.match(shown, now=Instant(1))
        assert (found is not None) == (shown == token), "the token that was given out opens the door, and no other"
        return found

    return read, token.encode()


def _cursor(text: bytes) -> object:
    position = unseal("queue", PageQuery(), text.decode("latin-1"))
    assert seal("queue", PageQuery(), position) == text.decode("latin-1"), "two cursors for one position"
    return position


def _vector_head(folder: Path) -> tuple[Callable[[bytes], object], bytes]:
    path = folder / "head"
    IndexHeadFile(path).write(VectorHead(model="m", dimensions=8, epoch=1, turn=1, count=3, upto=7))

    def read(text: bytes) -> object:
        path.write_bytes(text)
        return IndexHeadFile(path).read()

    return read, path.read_bytes()


def _columns(folder: Path) -> tuple[Callable[[bytes], object], bytes]:
    path = folder / "columns"
    columns_file.save(CardColumns(), path, bytes(32))

    def read(text: bytes) -> object:
        path.write_bytes(text)
        return columns_file.load(path)

    return read, path.read_bytes()


def _vocabulary(text: bytes) -> object:
    pieces = WordPiece(text.decode(errors="replace"))
    ids = pieces.encode("Cafés are open: 24/7 \0 中 unaffable" + text[:40].decode("latin-1"), window=16)
    assert 2 <= len(ids) <= 16, "a window is kept"
    return ids


def _weights() -> bytes:
    header = json.dumps({"a": {"dtype": "F32", "shape": [2, 1], "data_offsets": [0, 8]}, "__metadata__": {}}).encode()
    return struct.pack("<Q", len(header)) + header + struct.pack("<ff", 1.0, 2.0)


def doors(folder: Path | None = None) -> tuple[Door, ...]:
    place = folder if folder is not None else Path(tempfile.mkdtemp(prefix="muniment-fuzz-"))
    kept = _stored()
    keys, keys_sample = _keys(place)
    tokens, token = _tokens(place / "other")
    head, head_sample = _vector_head(place)
    columns, columns_sample = _columns(place)
    yaml_sample, toml_sample = SMALL_POLICY.encode(), _policy_as_toml()
    settings: Json = {"port": 8765, "hosts": ["a"], "level": 2, "body_seconds": 2.5, "vault": "v", "tenant": "t"}
    assert isinstance(settings, dict)
    written = "\n".join(f"{name} = {_toml(value)}" for name, value in settings.items()).encode()
    spoken = b"MUNIMENT_PORT=0\nMUNIMENT_HOSTS=a, b\nMUNIMENT_VAULT=v\nMUNIMENT_LEVEL=2\nMUNIMENT_EMBEDDER=none"
    assert tomllib.loads(written.decode()) == settings
    return (
        *(
            Door(f"stored {kind.__name__}", _reader(kind), tuple(json.loads(body) for body in bodies))
            for kind, bodies in kept.items()
        ),
        Door("policy yaml", _policy("policy.yaml"), (), (yaml_sample,), POLICY_MARKS, by_lines=True),
        Door("policy toml", _policy("policy.toml"), (), (toml_sample,), TOML_MARKS, by_lines=True),
        Door("settings file", _settings(place), (), (written,), TOML_MARKS, by_lines=True),
        Door("settings environment", _environment, (), (spoken,), (b"MUNIMENT_", b"=", b",", b"\n"), by_lines=True),
        Door("keys file", keys, (json.loads(keys_sample),), (keys_sample,)),
        Door("key shown", tokens, (), (token, b"mnk_"), (b"mnk_", b"_", b"=")),
        Door("cursor", _cursor, (), (seal("queue", PageQuery(), "prp-7").encode(),), (b"=", b"-", b"_", b"+")),
        Door("vector head", head, (), (head_sample, head_sample[:4_200])),
        Door("vector columns", columns, (), (columns_sample,)),
        Door(
            "vocabulary",
            _vocabulary,
            (),
            (b"[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n##ff\nun\n##able\n24\n/\n7\n:\n",),
            by_lines=True,
        ),
        Door("weights", read_tensors, (), (_weights(),), (b'"F32"', b"[0,8]", b"-1", b"[]", b"9" * 25)),
    )
