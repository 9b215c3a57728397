"""Secrets and private thought in any field of any file: nothing of them is kept, told or given out."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cases import each
from tests.contracts.samples import sample

from muniment import Memory
from muniment.compat.exchange import as_file, as_json, read_in, write_out
from muniment.contracts.finding import passes
from muniment.contracts.registry import ContractName, contract
from muniment.contracts.strict.values import Json
from muniment.model.errors import MunimentError
from muniment.model.status import Status

CARD, KEY, TOKEN = "4111111111111111", "AKIAIOSFODNN7EXAMPLE", "ghp_" + "a1B2" * 9
Step = str | int
EVERY_STATUS = [one.value for one in Status if one is not Status.ERASED]


def places(value: Json, way: tuple[Step, ...] = ()) -> Iterator[tuple[Step, ...]]:
    """The way to everything in a value that is no list and no object."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from places(part, (*way, key))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from places(part, (*way, number))
    else:
        yield way


def put(value: Json, way: tuple[Step, ...], what: Json, *, key: bool = False) -> Json:
    """The value with something else at a place, or under another key there."""
    whole = copy.deepcopy(value)
    here = whole
    for step in way[:-1]:
        assert isinstance(here, (dict, list))
        here = here[step]  # type: ignore[index]  # the way is of this value
    if isinstance(here, dict) and key:
        here[str(what)] = here.pop(str(way[-1]))
    else:
        assert isinstance(here, (dict, list))
        here[way[-1]] = what  # type: ignore[index]  # the way is of this value
    return whole


def variants(name: ContractName) -> Iterator[tuple[Json, str]]:
    """The sample of a contract with a secret in every place it can be."""
    whole: Json = json.loads(sample(name))
    for number, way in enumerate(places(whole)):
        secret = (CARD, KEY, TOKEN)[number % 3]
        yield put(whole, way, secret), secret
        yield put(whole, way, f"see {secret} there"), secret
        yield put(whole, way, int(CARD)), CARD
        yield put(whole, way, float(CARD)), CARD
        yield put(whole, way, secret, key=True), secret
        yield put(whole, way, {"x": [secret, {secret: 1}]}), secret


def escaped(data: bytes, secret: str) -> bytes:
    """The same JSON, with the secret spelled in escapes."""
    return data.replace(secret.encode(), "".join(f"\\u{ord(one):04x}" for one in secret).encode())


@pytest.mark.slow
@pytest.mark.parametrize("name", list(ContractName))
def test_a_secret_in_any_field_is_nowhere_afterwards(tmp_path: Path, name: ContractName) -> None:
    taken = 0
    for number, (value, secret) in enumerate(variants(name)):
        data = json.dumps(value).encode()
        if not passes(contract(name).check(data)):
            continue
        taken += 1
        vault = tmp_path / str(number)
        with Memory.open(vault) as memory:
            try:
                told = repr(read_in(memory, name, escaped(data, secret) if number % 2 else data))
            except MunimentError as error:
                told = str(error)
            reports = repr([memory.review.report(row.proposal.id) for row in memory.review.queue()])
            given = write_out(memory, name, statuses=EVERY_STATUS).data
            assert passes(contract(name).check(given)), value
        kept = b"".join(file.read_bytes() for file in vault.rglob("*") if file.is_file())
        assert not [word for word in (told, reports, given.decode()) if secret in word], value
        assert secret.encode() not in kept, value
    assert taken > 10


def test_a_secret_in_yaml_and_in_the_binary_form_is_nowhere_afterwards(tmp_path: Path) -> None:
    note = f"""id: mem-9
record_type: semantic
content: "use \\x41KIAIOSFODNN7EXAMPLE"
metadata: {{"card {CARD}": {TOKEN}}}
"""
    bundle: dict[str, Json] = json.loads(sample(ContractName.OMIR))
    binary = as_file(json.dumps(put(bundle, ("entry", 0, "provenance", "source"), KEY)).encode(), ".omirb")
    with Memory.open(tmp_path / "v") as memory:
        read_in(memory, ContractName.MEMLEDGER, as_json(note.encode(), ".yaml"))
        read_in(memory, ContractName.OMIR, as_json(binary, ".omirb"))
        assert len(list(memory.insight.browse())) == 3
    kept = b"".join(file.read_bytes() for file in (tmp_path / "v").rglob("*") if file.is_file())
    assert [secret for secret in (KEY, TOKEN, CARD) if secret.encode() in kept] == []


def test_a_record_whose_reviewers_name_was_a_secret_can_still_be_given_out(memory: Memory) -> None:
    whole: Json = json.loads(sample(ContractName.MATM))
    read_in(memory, ContractName.MATM, json.dumps(put(whole, (0, "reviewer"), KEY)).encode())
    found = json.loads(write_out(memory, ContractName.MATM).data)
    assert [(one["record_id"], one["curation_report_ids"][0]) for one in found] == [
        ("mem-1", "rep-1"),
        ("mem-2", "rep-2"),
    ]
    assert KEY not in json.dumps(found)


@each("name", list(ContractName))
@each("word", ["chain_of_thought", "Chain-Of-Thought", "scratchpad"])
def test_private_thought_is_refused_wherever_it_stands(tmp_path: Path, name: ContractName, word: str) -> None:
    whole: Json = json.loads(sample(name))
    if name is ContractName.OMIR:
        whole = put(whole, ("entry", 0, "extension"), [{"url": "urn:example:notes", "valueJson": {"n": 1}}])
    secret, tried = "first I considered the tide", 0
    with Memory.open(tmp_path / "v") as memory:
        for way in places(whole):
            values = [put(whole, way, {word: secret}), put(whole, way, [{"a": [{word: secret}]}])]
            if isinstance(way[-1], str):
                values.append(put(put(whole, way, secret), way, word, key=True))
            for value in values:
                data = json.dumps(value).encode()
                if not passes(contract(name).check(data)):
                    continue
                tried += 1
                fates = read_in(memory, name, data).fates
                assert any(one.error is not None for one in fates), (way, value)
        given = write_out(memory, name, statuses=EVERY_STATUS).data.decode()
        assert secret not in given
    kept = b"".join(file.read_bytes() for file in (tmp_path / "v").rglob("*") if file.is_file())
    assert secret.encode() not in kept
    assert (tried > 0) == (name in OPEN)


OPEN = (ContractName.OMIR, ContractName.MEMLEDGER)
"""Contracts whose own check lets any object stand somewhere. Those of the others refuse it in the document already."""
