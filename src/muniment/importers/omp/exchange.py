"""Judge an exchange: which of its objects and events can be taken, with what changes, and which cannot, and why.

Pure: what is here already is asked through one function.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from muniment.contracts.names import safe_id
from muniment.contracts.strict.values import Json, JsonObject
from muniment.importers.foreign import ForeignLink, ForeignRecord, extras, fits, list_of, object_of, text_of, time_of
from muniment.importers.omp import FORMAT
from muniment.model.errors import SourceUnreadable
from muniment.model.value import Value
from muniment.model.vocabulary import Kind
from muniment.policy.rules import CredentialsPolicy
from muniment.write.secrets import DEFAULT, words


class ReceiptWord(StrEnum):
    """What became of an object or event of an exchange."""

    ACCEPTED = "accepted"
    TRANSFORMED = "transformed"
    OMITTED = "omitted"
    UNRESOLVED = "unresolved"
    REJECTED = "rejected"


class ExchangeMode(StrEnum):
    """Whether objects keep their identity, or become new ones that name what they were made from."""

    PRESERVE = "preserve"
    RE_DERIVE = "re-derive"


class ReceiptEntry(Value):
    """The answer on one object or event. `record` is the id it has here."""

    target: str
    kind: str
    status: ReceiptWord
    record: str | None = None
    reason: str | None = None
    transformations: tuple[str, ...] = ()


class Judged(Value):
    """An entry of a receipt, and what is to be proposed for it, if anything."""

    entry: ReceiptEntry
    proposed: ForeignRecord | None = None


_ACTIONS = frozenset({"read", "write", "derive", "export", "delete", "*"})
_ROLES = {"source_artifact": Kind.EVIDENCE, "transcript": Kind.EVIDENCE}
_ENDS = frozenset({"tombstone", "delete"})
_EVENTS = frozenset({"supersede", "retract", "invalidate", "expire", *_ENDS})
_KNOWN = frozenset(
    """ref revision_id predecessor role text media scope policy derivation recorded_at applies_from applies_until
    expires_at extensions""".split()  # noqa: SIM905  # a list of names
)
_CREDENTIALS = frozenset(words(name) for name in CredentialsPolicy.__struct_fields__)


def judge(
    document: Json,
    principals: dict[str, str],
    *,
    mode: ExchangeMode = ExchangeMode.PRESERVE,
    gone: Callable[[str], bool] = lambda _: False,
    here: Callable[[str], bool] = lambda _: False,
) -> list[Judged]:
    """One answer for each object and event, in their order. `principals` maps names there to users here; `gone` says
    whether an id was deleted here before, `here` whether it is known."""
    objects, events = list_of(document, "objects"), list_of(document, "events")
    if not isinstance(document, dict) or not isinstance(document.get("manifest"), dict):
        raise SourceUnreadable("exchange", "an exchange with a manifest, objects and events")
    barred = _barred(object_of(document, "manifest"))
    if barred is not None:
        return [_answer(text_of(one, "revision_id") or "?", ReceiptWord.REJECTED, barred) for one in objects]
    stones = {text_of(one, "target") or "" for one in events if text_of(one, "kind") in _ENDS}
    ended = {text_of(one, "target") or "": one for one in events if text_of(one, "kind") in _EVENTS - _ENDS}
    known = {text_of(one, "revision_id") or "" for one in objects}
    judged = [
        _object(one, number, principals, mode, known, ended, lambda own: own in stones or gone(own))
        for number, one in enumerate(objects, start=1)
    ]
    for number, event in enumerate(events, start=1):
        judged.append(_event(event, number, lambda own: own in known or here(own)))
    return judged


def _barred(manifest: JsonObject) -> str | None:
    """Why nothing of an exchange can be taken: what it requires to be understood, and is not."""
    version = text_of(manifest, "format_version") or ""
    if version.rpartition("-")[2].split(".")[0] != FORMAT.rpartition("-")[2].split(".")[0]:
        return f"the format is not {FORMAT}"
    if list_of(manifest, "required_extensions"):
        return "it requires extensions that are not known here"
    required = [one for one in list_of(manifest, "profiles") if isinstance(one, dict) and one.get("required") is True]
    return "it requires profiles that are not known here" if required else None


def _answer(
    target: str,
    status: ReceiptWord,
    reason: str | None = None,
    *,
    kind: str = "object",
    proposed: ForeignRecord | None = None,
) -> Judged:
    entry = ReceiptEntry(target=target[:256], kind=kind, status=status, reason=reason)
    return Judged(entry=entry, proposed=proposed)


def _object(
    one: Json,
    number: int,
    principals: dict[str, str],
    mode: ExchangeMode,
    known: set[str],
    ended: dict[str, Json],
    gone: Callable[[str], bool],
) -> Judged:
    own = text_of(one, "revision_id")
    if own is None or not isinstance(one, dict):
        return _answer(f"object {number}", ReceiptWord.REJECTED, "an object without a revision_id")
    text = text_of(one, "text")
    if gone(own) or gone(text_of(one, "predecessor") or ""):
        return _answer(own, ReceiptWord.REJECTED, "it was deleted; a tombstone keeps it from coming back")
    if text is None:
        return _answer(own, ReceiptWord.OMITTED, "it has no text; other media are not kept here")
    if not fits(text):
        return _answer(own, ReceiptWord.REJECTED, "a text of over a million characters")
    if _CREDENTIALS.intersection(DEFAULT.redact(text)[1]):
        return _answer(own, ReceiptWord.REJECTED, "credentials are outside memory exchange")
    user, unresolved, changes = _audience(one, principals)
    if unresolved is not None:
        return _answer(own, ReceiptWord.UNRESOLVED, unresolved)
    derivation, scope = object_of(one, "derivation"), object_of(one, "scope")
    used = [said for said in list_of(derivation, "used") if isinstance(said, str)]
    if text_of(one, "role") == "machine_derived":
        changes += [] if derivation else ["its provenance is unknown"]
        missing = sum(1 for said in used if said not in known)
        changes += [f"{missing} of its grounds are not in the exchange"] if missing else []
    changes += [f"extension {name[:64]} is kept and not understood" for name in object_of(one, "extensions")]
    if mode is ExchangeMode.RE_DERIVE:
        changes.append("re-derived: a new identity here")
        used = []
    ref, end = object_of(one, "ref"), ended.get(own)
    start, until = time_of(one, "applies_from"), time_of(one, "applies_until")
    said_of = {
        "revision": own,
        "reference": "/".join(text_of(ref, name) or "" for name in ("authority", "namespace", "local_id")),
        "role": text_of(one, "role") or "",
        "subject": text_of(scope, "subject") or "",
        "owner": text_of(scope, "owner") or "",
        "predecessor": text_of(one, "predecessor") or "",
    }
    kept = extras(object_of(one, "extensions"), frozenset())
    record = ForeignRecord(
        id=f"derived:{safe_id(own)}" if mode is ExchangeMode.RE_DERIVE else own,
        text=text,
        place=f"object {number}",
        author=text_of(scope, "author") or text_of(scope, "agent") or text_of(derivation, "agent"),
        created=time_of(one, "recorded_at"),
        user=user,
        namespace=text_of(ref, "namespace"),
        session=text_of(object_of(scope, "context"), "session", "run"),
        source=text_of(scope, "origin_system"),
        kind=_ROLES.get(text_of(one, "role") or ""),
        by_person=text_of(one, "role") == "human_assertion",
        archived=end is not None,
        valid_from=start,
        valid_until=until if start is None or until is None or start <= until else None,
        expires=time_of(one, "expires_at"),
        links=tuple(ForeignLink(type="derived_from", target=name) for name in used if mode is ExchangeMode.PRESERVE)[
            :64
        ],
        metadata=(*((name, said) for name, said in said_of.items() if said), *kept),
    )
    status = ReceiptWord.TRANSFORMED if changes else ReceiptWord.ACCEPTED
    entry = ReceiptEntry(
        target=own[:256], kind="object", status=status, record=safe_id(record.id), transformations=tuple(changes)
    )
    return Judged(entry=entry, proposed=record)


def _audience(one: JsonObject, principals: dict[str, str]) -> tuple[str | None, str | None, list[str]]:
    """Whose memory an object becomes, why that cannot be said, and what of its policy is dropped. A memory here is one
    user's or everybody's; a rule that names others would widen or narrow who reads it, so it waits to be resolved."""
    context = text_of(object_of(object_of(one, "scope"), "context"), "user")
    user = principals.get(context, context) if context is not None else None
    policy = object_of(one, "policy")
    required = policy.get("required") is not False
    changes: list[str] = []
    readers: set[str] = set()
    for rule in list_of(policy, "rules"):
        named = [said for said in list_of(rule, "principals") if isinstance(said, str)]
        unmapped = [said for said in named if said != "*" and said not in principals]
        unknown = [said for said in list_of(rule, "actions") if said not in _ACTIONS]
        if unmapped or unknown or object_of(rule, "constraints"):
            if required:
                why = "principals without a user here" if unmapped else "a rule that cannot be kept here"
                return None, why, []
            changes.append("a rule of its policy is dropped, which it does not require")
            continue
        readers.update("*" if said == "*" else principals[said] for said in named)
    if len(readers) > 1 and required:
        return None, "several readers: a memory here is one user's or everybody's", []
    if len(readers) == 1 and readers != {"*"}:
        (user,) = readers
    return user, None, changes


def _event(event: Json, number: int, known: Callable[[str], bool]) -> Judged:
    own, target, kind = text_of(event, "event_id"), text_of(event, "target"), text_of(event, "kind")
    name = own or f"event {number}"
    if target is None or kind not in _EVENTS:
        return _answer(name, ReceiptWord.REJECTED, "an event without a target, or of an unknown kind", kind="event")
    if kind not in _ENDS:
        if not known(target):
            return _answer(name, ReceiptWord.UNRESOLVED, "what it is about is not here", kind="event")
        return _answer(name, ReceiptWord.ACCEPTED, kind="event")
    stone = ForeignRecord(
        id=target,
        text=f"deleted: {target}",
        place=f"event {number}",
        author=text_of(event, "actor"),
        created=time_of(event, "effective_at"),
        deleted=True,
    )
    return _answer(name, ReceiptWord.ACCEPTED, kind="event", proposed=stone)


def judge_alone(document: Json) -> list[Judged]:
    """The same for somebody who only looks: every principal is taken as it is named, and nothing is here yet."""
    rules = [rule for one in list_of(document, "objects") for rule in list_of(object_of(one, "policy"), "rules")]
    named = [said for rule in rules for said in list_of(rule, "principals") if isinstance(said, str)]
    return judge(document, {said: said for said in named})
