"""Take a proposal in: refuse what may not be asked, take out what may not be kept. Pure; nothing is stored yet.

Runs in the caller's thread, before anything is looked up, so that a secret never gets as far as a transaction.
"""

from __future__ import annotations

import hashlib
from collections import Counter

import msgspec

from muniment.model.actor import Actor
from muniment.model.claim import Claim, Extension, Slot
from muniment.model.curation import Redaction
from muniment.model.entity import Entity
from muniment.model.errors import LimitExceeded, Malformed, ModelUnavailable
from muniment.model.proposal import Proposal
from muniment.model.reasoning import flags_thought, names_thought
from muniment.model.value import Value, canonical
from muniment.policy.rules import SafetyPolicy
from muniment.write.poison import PoisonSignal, inspect_claim
from muniment.write.poison.hidden_characters import shows
from muniment.write.secrets import DEFAULT, Screen, screen_of

Plain = str | int | float | bool | None | list["Plain"] | dict[str, "Plain"]


class Admitted(Value):
    """A proposal that may be curated: cleaned, with who proposed it, what was taken out, and a digest to know it by.
    `extracted` is what an extractor found in it; it is not part of the proposal. `unheard` says which advice was
    asked for and not given, and why; `signals` are the reasons to doubt its words; `noticed` is the personal data
    that a person decides on; `alike` is what its author was told that a model finds near to it in meaning."""

    proposal: Proposal
    actor: Actor
    redactions: tuple[Redaction, ...]
    unsafe_ids: tuple[str, ...]
    digest: str
    extracted: tuple[Entity, ...] = ()
    unheard: tuple[str, ...] = ()
    signals: tuple[PoisonSignal, ...] = ()
    noticed: tuple[Redaction, ...] = ()
    alike: tuple[int, ...] = ()


def unheard(admitted: Admitted, error: ModelUnavailable) -> Admitted:
    """A proposal on which advice was asked for in vain."""
    return msgspec.structs.replace(admitted, unheard=(*admitted.unheard, str(error)))


PROPOSAL_BYTES_MAX = 2_097_152
"""How long all that one proposal says may be together: what is read so closely must be bounded as a whole."""


def admit(proposal: Proposal, actor: Actor, safety: SafetyPolicy) -> Admitted:
    body = canonical(proposal)
    if len(body) > PROPOSAL_BYTES_MAX:
        raise LimitExceeded("proposal", limit=PROPOSAL_BYTES_MAX, unit="bytes", sent=len(body))
    screen = screen_of(safety)
    screen.refuse("target", proposal.target)
    screen.refuse("promotes", proposal.promotes)
    _refuse_blank(proposal.claim)
    for extension in proposal.claim.extensions:
        _refuse_hidden_reasoning(msgspec.json.decode(extension.body), ("extensions", extension.name), screen)
    cleaned = clean(proposal.claim, screen)
    safe = msgspec.structs.replace(proposal, claim=cleaned.claim) if cleaned.redactions else proposal
    return Admitted(
        proposal=safe,
        actor=actor,
        redactions=cleaned.redactions,
        unsafe_ids=cleaned.unsafe,
        digest=hashlib.sha256(body if safe is proposal else canonical(safe)).hexdigest(),
        signals=inspect_claim(proposal.claim, safety.poison.marks),
        noticed=cleaned.noticed,
    )


def _refuse_blank(claim: Claim) -> None:
    """A text of characters that nobody sees says nothing: it is no content, and no reason for anything."""
    slot, intent = claim.slot, claim.intent
    said = [("content", claim.content), ("purpose", intent.purpose), ("question", intent.question)]
    said += [("reasoning", claim.belief.reasoning), ("source", claim.origin.source)]
    if slot is not None:
        said += [("slot.subject", slot.subject), ("slot.key", slot.key), ("slot.value", slot.value)]
    for field, text in said:
        if text is not None and not shows(text):
            raise Malformed(field, "text that can be seen", hint=f"Say something, or leave {field} out.")


def _refuse_hidden_reasoning(value: Plain, path: tuple[str, ...], screen: Screen) -> None:
    """Private thought is refused by its names, however spelled, at any depth; a public `reasoning` is welcome."""
    if isinstance(value, list):
        for number, part in enumerate(value):
            _refuse_hidden_reasoning(part, (*path, str(number)), screen)
    elif isinstance(value, dict):
        for key, part in value.items():
            if names_thought(key) or (flags_thought(key) and _says_yes(part)):
                spot = ".".join(screen.clean(name) for name in (*path, key))
                raise Malformed(spot, "no private reasoning; give a short public rationale as `reasoning` instead")
            _refuse_hidden_reasoning(part, (*path, key), screen)


def _says_yes(value: Plain) -> bool:
    """Whether a flag is set, also where it is kept as what stood somewhere and what stands there now."""
    return value is True or (isinstance(value, list) and any(_says_yes(part) for part in value))


class ScreenedClaim(Value):
    """A claim without what may not be kept: what was taken out of which field, what a person must decide on, and which
    names hold something that cannot be taken out of them."""

    claim: Claim
    redactions: tuple[Redaction, ...] = ()
    noticed: tuple[Redaction, ...] = ()
    unsafe: tuple[str, ...] = ()


def clean(claim: Claim, screen: Screen = DEFAULT) -> ScreenedClaim:
    """Take secrets and personal data out of every text of a claim, as the policy says.

    Names (ids, namespaces) cannot be redacted without becoming other names; a proposal with a secret in one is
    discarded.
    """
    slot = claim.slot
    named = slot is not None and screen.suspicious(f"{slot.key}: {slot.value}")
    if not claim.extensions and not named and not screen.suspicious(canonical(claim).decode()):
        return ScreenedClaim(claim=claim)
    broom = _Broom(screen)
    result = broom.fields(claim)
    assert isinstance(result, Claim)
    return ScreenedClaim(
        claim=result,
        redactions=_counted(broom.found),
        noticed=_counted(broom.noticed),
        unsafe=tuple(broom.unsafe),
    )


def _counted(found: Counter[tuple[str, str]]) -> tuple[Redaction, ...]:
    return tuple(Redaction(field=field, what=what, count=count) for (field, what), count in found.items())


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


class _Broom:
    """One walk through a claim, and what it met."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self.found: Counter[tuple[str, str]] = Counter()
        self.noticed: Counter[tuple[str, str]] = Counter()
        self.unsafe: list[str] = []

    def fields(self, value: Value) -> Value:
        changed: dict[str, object] = {}
        for name in value.__struct_fields__:
            given = getattr(value, name)
            under = value.key if isinstance(value, Slot) and name == "value" else ""
            cleaned = self._value(given, name, under)
            if cleaned is not given and cleaned != given:
                changed[name] = cleaned
        return msgspec.structs.replace(value, **changed) if changed else value

    def _value(self, value: object, field: str, under: str = "") -> object:
        if type(value) is str:
            return self._text(value, field, under)
        if isinstance(value, Extension):
            return self._extension(value)
        if isinstance(value, tuple):
            return tuple(self._value(part, field) for part in value)
        if isinstance(value, Slot) or (isinstance(value, Value) and self._screen.suspicious(canonical(value).decode())):
            return self.fields(value)
        return value

    def _text(self, value: str, field: str, under: str) -> str:
        text, sorts = self._screen.redact(value, under=under)
        kept = self._screen.notice(text, under=under)
        if field in _NAMES and (sorts or kept):
            self.unsafe.append(field)
            return value
        self.found.update((field, sort) for sort in sorts)
        self.noticed.update((field, sort) for sort in kept)
        return text

    def _extension(self, extension: Extension) -> Extension:
        """Its body is JSON: texts, keys and whole numbers are looked at as they read, not as they are spelled."""
        name = self._screen.clean(extension.name)
        if name != extension.name:
            self.unsafe.append("extension.name")
        field, before = f"extensions.{name}", self.found.total()
        cleaned = self._json(msgspec.json.decode(extension.body), field, "")
        if self.found.total() == before:
            return extension
        return Extension(name=extension.name, body=msgspec.json.encode(cleaned).decode())

    def _json(self, value: Plain, field: str, under: str) -> Plain:
        """A value is looked at together with the key it stands under."""
        match value:
            case bool() | None:
                return value
            case float() if not value.is_integer():
                return value
            case int() | float() | str():
                given = str(int(value)) if isinstance(value, float) else str(value)
                text = self._text(given, field, under)
                return text if text != given else value
            case list():
                return [self._json(part, field, under) for part in value]
            case dict():
                return {self._text(key, field, ""): self._json(part, field, key) for key, part in value.items()}
