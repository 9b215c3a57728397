"""Take a proposal in: refuse what may not be asked, take out what may not be kept. Pure; nothing is stored yet.

Runs in the caller's thread, before anything is looked up, so that a secret never gets as far as a transaction.
"""

from __future__ import annotations

import hashlib
from collections import Counter

import msgspec

from muniment.model.actor import Actor
from muniment.model.claim import Claim, Extension
from muniment.model.curation import Redaction
from muniment.model.entity import Entity
from muniment.model.errors import Malformed, MindUnavailable
from muniment.model.proposal import Proposal
from muniment.model.reasoning import flags_thought, names_thought
from muniment.model.value import Value, canonical
from muniment.write.poison import Signal, inspect_claim
from muniment.write.secrets import redact, suspicious

Plain = str | int | float | bool | None | list["Plain"] | dict[str, "Plain"]


class Admitted(Value):
    """A proposal that may be curated: cleaned, with who proposed it, what was taken out, and a digest to know it by.
    `extracted` is what an extractor found in it; it is not part of the proposal. `unheard` says which advice was
    asked for and not given, and why; `signals` are the reasons to doubt its words."""

    proposal: Proposal
    actor: Actor
    redactions: tuple[Redaction, ...]
    unsafe_ids: tuple[str, ...]
    digest: str
    extracted: tuple[Entity, ...] = ()
    unheard: tuple[str, ...] = ()
    signals: tuple[Signal, ...] = ()


def unheard(admitted: Admitted, error: MindUnavailable) -> Admitted:
    """A proposal on which advice was asked for in vain."""
    return msgspec.structs.replace(admitted, unheard=(*admitted.unheard, str(error)))


def admit(proposal: Proposal, actor: Actor) -> Admitted:
    for extension in proposal.claim.extensions:
        _refuse_hidden_reasoning(msgspec.json.decode(extension.body), f"extensions.{extension.name}")
    body, cleaned = canonical(proposal), proposal
    redactions: tuple[Redaction, ...] = ()
    unsafe: tuple[str, ...] = ()
    if proposal.claim.extensions or suspicious(body.decode()):
        claim, redactions, unsafe = clean(proposal.claim)
        cleaned = msgspec.structs.replace(proposal, claim=claim) if redactions else proposal
        body = canonical(cleaned)
    digest = hashlib.sha256(body).hexdigest()
    return Admitted(
        proposal=cleaned,
        actor=actor,
        redactions=redactions,
        unsafe_ids=unsafe,
        digest=digest,
        signals=inspect_claim(proposal.claim),
    )


def _refuse_hidden_reasoning(value: Plain, path: str) -> None:
    """Private thought is refused by its names, however spelled, at any depth; a public `reasoning` is welcome."""
    if isinstance(value, list):
        for number, part in enumerate(value):
            _refuse_hidden_reasoning(part, f"{path}[{number}]")
    elif isinstance(value, dict):
        for key, part in value.items():
            if names_thought(key) or (flags_thought(key) and _says_yes(part)):
                spot = redact(f"{path}.{key}")[0]
                raise Malformed(spot, "no private reasoning; give a short public rationale as `reasoning` instead")
            _refuse_hidden_reasoning(part, f"{path}.{key}")


def _says_yes(value: Plain) -> bool:
    """Whether a flag is set, also where it is kept as what stood somewhere and what stands there now."""
    return value is True or (isinstance(value, list) and any(_says_yes(part) for part in value))


def clean(claim: Claim) -> tuple[Claim, tuple[Redaction, ...], tuple[str, ...]]:
    """Take secrets out of every text of a claim.

    Names (ids, namespaces) cannot be redacted without becoming other names; those that hold a secret are returned
    as the third part, and such a proposal is discarded.
    """
    if not claim.extensions and not suspicious(canonical(claim).decode()):
        return claim, (), ()
    found: Counter[tuple[str, str]] = Counter()
    unsafe: list[str] = []
    result = _clean_fields(claim, found, unsafe)
    assert isinstance(result, Claim)
    redactions = tuple(Redaction(field=field, what=what, count=count) for (field, what), count in found.items())
    return result, redactions, tuple(unsafe)


_NAMES = frozenset(
    {
        "scope_id",
        "namespace",
        "session_id",
        "workflow_id",
        "task_id",
        "derived_from",
        "supersedes",
        "parent",
        "target",
        "owner",
        "access",
        "reviewer",
    }
)


def _clean_value(value: object, field: str, found: Counter[tuple[str, str]], unsafe: list[str]) -> object:
    if type(value) is str:
        text, sorts = redact(value)
        if sorts and field in _NAMES:
            unsafe.append(field)
            return value
        found.update((field, sort) for sort in sorts)
        return text
    if isinstance(value, Extension):
        return _clean_extension(value, found, unsafe)
    if isinstance(value, tuple):
        return tuple(_clean_value(part, field, found, unsafe) for part in value)
    if isinstance(value, Value) and suspicious(canonical(value).decode()):
        return _clean_fields(value, found, unsafe)
    return value


def _clean_fields(value: Value, found: Counter[tuple[str, str]], unsafe: list[str]) -> Value:
    changed: dict[str, object] = {}
    for name in value.__struct_fields__:
        given = getattr(value, name)
        cleaned = _clean_value(given, name, found, unsafe)
        if cleaned is not given and cleaned != given:
            changed[name] = cleaned
    return msgspec.structs.replace(value, **changed) if changed else value


def _clean_extension(extension: Extension, found: Counter[tuple[str, str]], unsafe: list[str]) -> Extension:
    """An extension is JSON: its texts, keys and whole numbers are looked at as they read, not as they are escaped."""
    sorts: list[str] = []
    if redact(extension.name)[1]:
        unsafe.append("extension.name")
    cleaned = _clean_json(msgspec.json.decode(extension.body), sorts)
    if not sorts:
        return extension
    found.update((f"extensions.{redact(extension.name)[0]}", sort) for sort in sorts)
    return Extension(name=extension.name, body=msgspec.json.encode(cleaned).decode())


def _clean_json(value: Plain, sorts: list[str]) -> Plain:
    match value:
        case bool() | None:
            return value
        case float() if not value.is_integer():
            return value
        case int() | float() | str():
            text, taken = redact(str(int(value)) if isinstance(value, float) else str(value))
            sorts += taken
            return text if taken else value
        case list():
            return [_clean_json(part, sorts) for part in value]
        case dict():
            return {str(_clean_json(key, sorts)): _clean_json(part, sorts) for key, part in value.items()}
