"""Every operation of the table, every text it takes: a token that stands in it is neither kept nor told again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from msgspec import inspect
from tests.operations.desk import Caller, Desk, opened
from tests.unit.world import all_bytes

from muniment.operations import OPERATIONS, OperationSpec, Verb
from muniment.operations.wire import shape_of

POLICY = """\
version: 1
name: test
actors: {owner: {type: person, roles: [owner], authority: 10}}
write:
  - {id: decisions, kinds: [decision], decision: hold, reason: a person decides}
  - {id: all, decision: commit, reason: may}
read: [{id: all-read, member: false}]
review:
  - id: all-review
    actions: [accept, discard, retract, queue, audit, forget, hold, observe, vouch, name, import, sweep, archive]
"""
TOKEN = "gh" + "p_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"
DEPTH_MAX = 4
Step = str | int
Steps = tuple[Step, ...]


def texts_of(kind: inspect.Type, here: Steps = ()) -> Iterator[Steps]:
    """Where a body or a query of this type takes a text of the caller's own words."""
    if len(here) > DEPTH_MAX:
        return
    match kind:
        case inspect.StrType():
            yield here
        case inspect.Metadata():
            yield from texts_of(kind.type, here)
        case inspect.UnionType():
            for one in kind.types:
                yield from texts_of(one, here)
        case inspect.ListType() | inspect.VarTupleType() | inspect.SetType() | inspect.FrozenSetType():
            yield from texts_of(kind.item_type, (*here, 0))
        case inspect.StructType():
            for field in kind.fields:
                yield from texts_of(field.type, (*here, field.encode_name))


def planted(example: object, steps: Steps) -> object:
    """The example with the token at a place, and all that must be there to reach it."""
    if not steps:
        return TOKEN
    head, *rest = steps
    if isinstance(head, int):
        before = example if isinstance(example, list) else []
        return [planted(before[0] if before else None, tuple(rest)), *before[1:]]
    whole = dict(example) if isinstance(example, dict) else {}
    return {**whole, head: planted(whole.get(head), tuple(rest))}


def place_of(operation: OperationSpec, known: dict[str, str]) -> str:
    path = operation.path
    for name, value in known.items():
        path = path.replace(f"{{{name}}}", value)
    return path.replace("{", "").replace("}", "")


def example_of(operation: OperationSpec) -> object:
    example = getattr(operation, "example", None)
    if example is None or operation.body is None:
        return None
    return msgspec.json.decode(shape_of(operation.body).write(example))


def begin(caller: Caller) -> dict[str, str]:
    """A record, one that waits, and a hold, for the operations that ask for one."""
    kept = caller.post("/api/memories", json={"content": "The build is green", "source": "ci"}).json()
    waits = caller.post("/api/memories", json={"content": "We ship on Monday", "kind": "decision"}).json()
    hold = caller.post("/api/holds", json={"subject": "Ana", "reason": "a case"}).json()
    return {"record_id": kept["record_id"], "proposal_id": waits["proposal_id"], "hold_id": hold["id"]}


def asked(caller: Caller, operation: OperationSpec, known: dict[str, str]) -> Iterator[tuple[str, int, str]]:
    """Each text that an operation takes, asked with the token in it: what it was, the status and the answer."""
    path, example = place_of(operation, known), example_of(operation)
    if operation.body is not None:
        for steps in dict.fromkeys(texts_of(inspect.type_info(operation.body))):
            answer = caller.request(operation.verb.value, path, json=planted(example, steps))
            yield f"{operation.name} {steps}", answer.status_code, answer.text
    if operation.query is not None:
        for steps in dict.fromkeys(texts_of(inspect.type_info(operation.query))):
            answer = caller.request(operation.verb.value, path, params={str(steps[0]): TOKEN}, json=example)
            yield f"{operation.name} ?{steps}", answer.status_code, answer.text


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    (tmp_path / "policy.yaml").write_text(POLICY)
    with opened(tmp_path / "vault", policy=str(tmp_path / "policy.yaml")) as made:
        yield made


def test_a_token_in_any_text_of_any_operation_is_neither_kept_nor_told(desk: Desk, tmp_path: Path) -> None:
    caller = desk.caller()
    known = begin(caller)
    told, done, count = list[str](), set[str](), 0
    for operation in sorted(
        OPERATIONS, key=lambda one: (one.verb is Verb.DELETE, one.name in ("forget", "erasure.withdraw"))
    ):
        for what, status, answer in asked(caller, operation, known):
            count += 1
            assert status < 500, (what, answer)
            if TOKEN in answer:
                told.append(f"{what}: {answer[:600]}")
            if status < 300:
                done.add(operation.name)
    assert told == []
    assert count > 200
    assert done >= {
        "remember",
        "propose",
        "revise",
        "review.decide",
        "review.promote",
        "recall",
        "attune",
        "review.retract",
        "erasure.hold",
        "erasure.lift",
    }
    desk.reception.close()
    assert TOKEN.encode() not in all_bytes(tmp_path / "vault")
