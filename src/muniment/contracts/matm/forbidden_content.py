"""What may stand nowhere in a document: private thought, credentials, and the claim to have written. Names are compared
however they are spelled; nothing that is found is repeated."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from muniment.contracts.finding import Finding, Severity
from muniment.contracts.matm import nouns, words
from muniment.contracts.strict.pointer import Step, below
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.reasoning import HIDDEN_REASONING, HIDDEN_REASONING_FLAG, plain_name, squeezed

HIDDEN, WRITE, CREDENTIAL = "hidden_reasoning", "direct_write", "credential"
_MODE = "worker_write_mode"
_MESSAGES = {
    HIDDEN: "expected no private reasoning; a short public rationale is welcome instead",
    WRITE: "expected a proposal: a worker neither writes nor may claim that it may",
    CREDENTIAL: "expected no field of this name, which would hold a credential",
}
_OPEN = tuple(
    (name, frozenset(kind.__struct_fields__))
    for name, kind in (
        ("source_agent", nouns.MatmAgent),
        ("task", nouns.MatmTask),
        ("provenance", nouns.MatmProvenance),
        ("review_hints", nouns.ReviewHints),
    )
)


_THOUGHT = frozenset(
    squeezed(name) + rest
    for name in (*HIDDEN_REASONING, *words.PRIVATE_THOUGHT)
    for rest in ("", "s", "text", "texts", "trace", "log", "notes", "content", "raw", "steps", "tokens")
)
_WRITES = frozenset(squeezed(name) for name in words.DIRECT_WRITE)
_THOUGHT_FLAG, _WRITE_MODE = squeezed(HIDDEN_REASONING_FLAG), squeezed(_MODE)


@lru_cache(maxsize=4_096)
def _suspect(key: str) -> str | None:
    """What may be wrong with a field of this name. The same few hundred names come again and again."""
    name = squeezed(key)
    if name in _THOUGHT or name == _THOUGHT_FLAG:
        return HIDDEN
    if name in _WRITES or name == _WRITE_MODE:
        return WRITE
    plain = plain_name(unicodedata.normalize("NFKC", key).strip())
    return CREDENTIAL if words.names_a_credential(plain) else None


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
    found: list[tuple[tuple[Step, ...], str]] = []
    _look(value, (), found)
    for steps, code in found:
        yield Finding(code=code, severity=Severity.ERROR, path=below(path, *steps), message=_MESSAGES[code])


def _look(value: Json, steps: tuple[Step, ...], found: list[tuple[tuple[Step, ...], str]]) -> None:
    """Where such names stand. A path is spelled only when there is something to tell."""
    if isinstance(value, list):
        for number, part in enumerate(value):
            if isinstance(part, (dict, list)):
                _look(part, (*steps, number), found)
    elif isinstance(value, dict):
        for key, part in value.items():
            code = _suspect(key)
            if code is not None and not _harmless(key, part):
                found.append(((*steps, key), code))
            elif isinstance(part, (dict, list)):
                _look(part, (*steps, key), found)


def _harmless(key: str, value: Json) -> bool:
    """The flags that say "no" are welcome, wherever they stand; so is the one write mode there is."""
    name = squeezed(key)
    if name == _THOUGHT_FLAG:
        return value is False or value is None
    if name == _WRITE_MODE:
        return value == words.PROPOSAL_ONLY
    if name not in _WRITES:
        return False
    return not value or isinstance(value, (dict, list)) or str(value).casefold() in words.SAYS_NO


def credentials(value: Json, path: str) -> Iterator[Finding]:
    """Every text that is shaped like a credential. It is no error here: the engine takes what it knows out of texts."""
    match value:
        case str():
            sort = words.credential_in(value)
            if sort is not None:
                message = f"this looks like a credential ({sort}); leave it out"
                yield Finding(code=CREDENTIAL, severity=Severity.WARNING, path=path, message=message)
        case list():
            for number, part in enumerate(value):
                yield from credentials(part, below(path, number))
        case dict():
            for key, part in value.items():
                yield from credentials(part, below(path, key))
