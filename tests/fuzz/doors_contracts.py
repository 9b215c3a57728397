"""The doors of documents: the strict readers, the five contracts, and files of memories on their way in."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from functools import partial

import yaml
from tests.contracts.samples import sample
from tests.fuzz.door import Door, Told
from tests.support.vectors import vectors
from tests.support.world import simulated_memory

from muniment.compat.exchange import as_json, read_in, validate
from muniment.contracts.finding import Severity, passes
from muniment.contracts.omir.cbor import read_cbor, write_cbor
from muniment.contracts.registry import ContractName, contract
from muniment.contracts.strict.reader import read_json
from muniment.contracts.strict.values import Json
from muniment.contracts.strict.yaml_text import read_yaml
from muniment.engine.memory import Memory
from muniment.model.errors import CallerError
from muniment.surfaces.http.api.lines import Intake

YAML_MARKS = tuple(
    b"&a |*a|!!python/object:os.system |!!int |!t |? |- |---\n|...\n|%YAML 1.1\n|<<: |\t|'|#|0o17|0x_|1_000|.nan|.inf|"
    b'190:20:30|2026-01-01|"\\x"|"\\U00110000"|"\\ud800"|yes|!!binary |{? : }|[,]|@|`|: |>-\n|+1|1e400'.split(b"|")
)
_NO_MEMORY = "no memor"
"""What is said of a document that is right and holds no memory: a query, a notice."""
NOTED: Json = {
    "memory": {"seed_records": [{"memory_id": "mem-001", "confidence": 0.95, "tags": ["a", "b"], "on": None}]}
}


def _parts(name: ContractName) -> tuple[Json, ...]:
    """The memories of a contract's sample, each by itself."""
    whole: Json = json.loads(sample(name))
    return tuple(whole) if isinstance(whole, list) else (whole,)


def _documents(name: ContractName) -> tuple[Json, ...]:
    """A file of two memories, each of them alone, and the vectors that pass."""
    good = (one.data for one in vectors(name) if not one.finds)
    return json.loads(sample(name)), *_parts(name), *(json.loads(text) for text in list(good)[:12])


def _checked(name: ContractName, text: bytes) -> None:
    """A check raises nothing; a document that passes is decoded, and what was decoded is encoded to what passes."""
    found = contract(name).check(text)
    errors = [one for one in found if one.severity is Severity.ERROR]
    try:
        memories = contract(name).decode(text)
    except CallerError as error:
        if not errors and _NO_MEMORY not in str(error):
            raise AssertionError(f"decode refuses what the check lets pass: {error}") from error
        raise
    assert not errors, f"decode takes what the check refuses: {errors[0].code} {errors[0].path}"
    again = contract(name).encode(memories).data
    assert passes(contract(name).check(again)), "what was encoded does not pass"


def _told(name: ContractName, text: bytes) -> None:
    """What a check tells is bounded and repeats no value; told as a refusal, so that its words are looked at."""
    for one in validate(name, text).findings[:5]:
        if one.severity is Severity.ERROR:
            raise Told(one.code, one.message)


def _imported(memory: Memory, name: ContractName, text: bytes) -> None:
    before = memory.ledger.head().seq
    try:
        for fate in read_in(memory, name, text, preview=True).fates:
            if fate.error is not None:
                raise Told("malformed", fate.error)
    finally:
        assert memory.ledger.head().seq == before, "a preview has written"


def _streamed(memory: Memory, name: ContractName, text: bytes) -> None:
    """Lines of an import, none of which is taken: what is wrong with one is told by its number."""
    before = memory.ledger.head().seq
    try:
        for line in Intake(memory, name, hold=False, preview=True, again=False).stream(io.BytesIO(text)):
            if line.what == "refused":
                assert line.code is not None, "a line is refused without a code"
                raise Told(line.code, f"{line.detail} {line.hint}")
    finally:
        assert memory.ledger.head().seq == before, "a preview has written"


def _suffixed(suffix: str) -> Callable[[bytes], bytes]:
    return lambda text: as_json(text, suffix)


def doors() -> tuple[Door, ...]:
    memory = simulated_memory()
    every = {name: _documents(name) for name in ContractName}
    mixed = tuple(found[0] for found in every.values())
    lines = {name: b"\n".join(json.dumps(one).encode() for one in _parts(name)) for name in ContractName}
    block = yaml.safe_dump(NOTED, sort_keys=False).encode()
    return (
        Door("strict json", read_json, mixed),
        Door("strict yaml", read_yaml, (NOTED,), (block,), YAML_MARKS, by_lines=True),
        Door("cbor", read_cbor, samples=tuple(write_cbor(one) for one in mixed)),
        Door("file of lines", _suffixed(".ndjson"), samples=(lines[ContractName.MEMLEDGER],), by_lines=True),
        Door("file of yaml", _suffixed(".yaml"), (NOTED,), (block,), YAML_MARKS, by_lines=True),
        *(Door(f"{name} decoded", partial(_checked, name), every[name]) for name in ContractName),
        *(Door(f"{name} checked", partial(_told, name), every[name]) for name in ContractName),
        *(Door(f"{name} imported", partial(_imported, memory, name), every[name]) for name in ContractName),
        *(
            Door(f"{name} streamed", partial(_streamed, memory, name), _parts(name), (lines[name],), by_lines=True)
            for name in ContractName
        ),
    )
