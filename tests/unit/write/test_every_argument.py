"""Every method of a memory, every text it takes: a token that stands in it is in no file and in no error."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

from tests.operations.test_screened import POLICY, TOKEN
from tests.unit.world import all_bytes, open_memory
from tests.unit.write.test_secrets_nowhere import told_by

from muniment import Memory
from muniment.client.parts import PARTS
from muniment.model.claim import Claim
from muniment.model.errors import MunimentError

ELSEWHERE = frozenset({"open", "new", "as_actor", "for_user", "close", "trace", "export", "backup", "restore"})
"""These open something, or name a place outside: what they are given is no word of a memory."""
USUAL: dict[str, object] = {
    "content": "The build is green",
    "query": "Is the build green?",
    "claim": Claim(content="The build is green"),
    "claims": (Claim(content="The build is green"),),
    "reason": "fine",
    "rationale": "fine",
    "accept": True,
    "result": "helpful",
    "by": "actor",
    "value": "worker",
    "name": "Ana",
    "other": "Ben",
}


def arguments(memory: Memory) -> Iterator[tuple[str, str]]:
    """Each method that can be called, and each of its arguments that a text may be given for."""
    for part, kind in {"": Memory, **PARTS}.items():
        for own, method in inspect.getmembers(kind, lambda one: inspect.isfunction(inspect.unwrap(one))):
            if own.startswith("_") or own in ELSEWHERE:
                continue
            for parameter in inspect.signature(method).parameters.values():
                if "str" in str(parameter.annotation) or parameter.kind is parameter.VAR_KEYWORD:
                    yield f"{part}.{own}".lstrip("."), parameter.name


def call(memory: Memory, name: str, planted: str, known: dict[str, object]) -> str:
    """What an error says, if there is one."""
    method = attrgetter(name)(memory)
    needed = [one for one in inspect.signature(method).parameters.values() if one.default is one.empty]
    given = {one.name: known[one.name] for one in needed if one.name in known}
    many = any(word in str(inspect.signature(method).parameters[planted].annotation) for word in ("Sequence", "tuple"))
    try:
        said = method(**{**given, planted: (TOKEN,) if many else TOKEN})
        if inspect.isgenerator(said):
            list(said)
    except (MunimentError, TypeError) as error:
        return told_by(error) if isinstance(error, MunimentError) else ""
    return ""


def test_a_token_in_any_argument_of_any_method_is_neither_kept_nor_told(vault: Path) -> None:
    with open_memory(vault, policy=POLICY) as memory:
        kept = memory.remember("The build is green", source="ci").record_id
        waits = memory.remember("We ship on Monday", kind="decision").proposal_id
        hold = memory.erasure.hold(subject="Ana", reason="a case").id
        known = {**USUAL, "record_id": kept, "proposal_id": waits, "hold_id": hold}
        asked = [*arguments(memory)]
        told = [(name, text) for name, text in asked if TOKEN in call(memory, name, text, known)]
    assert len(asked) > 100
    assert told == []
    assert TOKEN.encode() not in all_bytes(vault)
