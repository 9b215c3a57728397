"""Which references of an event lead somewhere: an allow list, with the digest each source has if that is known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.value import Value

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:\S+", re.IGNORECASE)


class SourceReference(Value):
    """One source an event names, and the digest it says the source has."""

    ref: str
    digest: str | None = None


class Sources:
    """What an installation can look up. Without a list every reference that names its scheme counts as reachable; with
    one, only what is on it, and where a digest is known an event must not claim another."""

    def __init__(self, known: Iterable[str] | Mapping[str, str | None] | None = None) -> None:
        self._known: dict[str, str | None] | None = None
        if known is not None:
            self._known = dict(known) if isinstance(known, Mapping) else dict.fromkeys(known)

    def unresolved(self, references: Iterable[SourceReference]) -> tuple[str, ...]:
        """The references that lead nowhere, or to something else than they say; each once, in order.

        >>> Sources(["ci:7"]).unresolved([SourceReference(ref="ci:7"), SourceReference(ref="ci:8")])
        ('ci:8',)
        >>> Sources({"ci:7": "sha256:aa"}).unresolved([SourceReference(ref="ci:7", digest="sha256:bb")])
        ('ci:7',)
        """
        return tuple(dict.fromkeys(one.ref for one in references if not self._leads(one)))

    def _leads(self, reference: SourceReference) -> bool:
        if self._known is None:
            return _SCHEME.fullmatch(reference.ref) is not None
        if reference.ref not in self._known:
            return False
        digest = self._known[reference.ref]
        return digest is None or reference.digest is None or digest == reference.digest


def references(event: JsonObject) -> tuple[SourceReference, ...]:
    """Everything a valid event names as evidence or source."""
    listed = event.get("evidence_refs")
    found = [_reference(one) for one in listed] if isinstance(listed, list) else []
    provenance = event.get("provenance")
    refs = provenance.get("source_refs") if isinstance(provenance, dict) else None
    found += [SourceReference(ref=one) for one in refs if isinstance(one, str)] if isinstance(refs, list) else []
    return tuple(one for one in found if one is not None)


def _reference(one: Json) -> SourceReference | None:
    if isinstance(one, str):
        return SourceReference(ref=one)
    if not isinstance(one, dict):
        return None
    ref, digest = one.get("ref"), one.get("hash")
    if not isinstance(ref, str):
        return None
    return SourceReference(ref=ref, digest=digest if isinstance(digest, str) else None)
