"""Names that may stand nowhere in a document: private thought, credentials, and the claim to have written."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from muniment.contracts.finding import Finding, Severity
from muniment.contracts.matm import wire, words
from muniment.contracts.strict.pointer import below
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.reasoning import HIDDEN_REASONING, HIDDEN_REASONING_FLAG, plain_name

HIDDEN, WRITE, CREDENTIAL = "hidden_reasoning", "direct_write", "credential"
_MESSAGES = {
    HIDDEN: "private reasoning is not taken; give a short public rationale instead",
    WRITE: "a worker proposes; it neither writes nor may claim that it may",
    CREDENTIAL: "a field of this name would hold a credential; leave it out",
}
_FLAGS = frozenset({HIDDEN_REASONING_FLAG, *words.DIRECT_WRITE})
_OPEN = tuple(
    (name, frozenset(kind.__struct_fields__))
    for name, kind in (
        ("source_agent", wire.Agent),
        ("task", wire.Task),
        ("provenance", wire.Provenance),
        ("review_hints", wire.ReviewHints),
    )
)


@lru_cache(maxsize=4_096)
def _suspect(key: str) -> str | None:
    """What may be wrong with a field of this name. The same few hundred names come again and again."""
    name = plain_name(key)
    if name in HIDDEN_REASONING or name == HIDDEN_REASONING_FLAG:
        return HIDDEN
    if name in words.DIRECT_WRITE:
        return WRITE
    return CREDENTIAL if words.names_a_credential(name) else None


def says_no_more(document: JsonObject) -> bool:
    """Whether a document that has the shape of its schema has no name in it but those of the schema. Most have none,
    and then nothing in it can stand under a forbidden name."""
    for name, known in _OPEN:
        part = document.get(name)
        if isinstance(part, dict) and not part.keys() <= known:
            return False
    return not any(key.startswith("x_") for key in document)


def forbidden(value: Json, path: str) -> Iterator[Finding]:
    """Everything at any depth that stands under a name it may not stand under."""
    for place, code in _found(value, path):
        yield Finding(code=code, severity=Severity.ERROR, path=place, message=_MESSAGES[code])


def _found(value: Json, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for number, part in enumerate(value):
            if isinstance(part, (dict, list)):
                yield from _found(part, below(path, number))
    elif isinstance(value, dict):
        yield from _in_object(value, path)


def _in_object(value: JsonObject, path: str) -> Iterator[tuple[str, str]]:
    for key, part in value.items():
        code = _suspect(key)
        if code is not None and not _harmless(key, part):
            yield below(path, key), code
        elif isinstance(part, (dict, list)):
            yield from _found(part, below(path, key))


def _harmless(key: str, value: Json) -> bool:
    """The two flags that say "no" are welcome."""
    return value is not True and (key in _FLAGS or plain_name(key) in _FLAGS)
