"""What a record must have before it counts as usable: seven things for every kind, and more for some."""

from __future__ import annotations

from collections.abc import Iterator

from muniment.contracts.strict.values import Json, JsonObject

IN_USE = frozenset({"reviewed", "current", "hypothesis", "conflicted"})
"""States in which a record claims that it may be told."""

CHARTER_PARTS = (
    "owner",
    "lawful_basis",
    "access",
    "erasure",
    "retention_days",
    "source_quality",
    "reviewer",
    "barred_scopes",
)


def missing_for_use(record: JsonObject) -> tuple[str, ...]:
    """The names of what a record document lacks to be usable, as one reads them in the profile.

    >>> missing_for_use({"kind": "fact", "status": "current", "scope": "project", "owner": "ana"})
    ('source', 'sensitivity', 'evidence', 'review')
    """
    return (*_lacking(record), *missing_for_kind(record))


def _lacking(record: JsonObject) -> Iterator[str]:
    if not _told(record.get("source_refs")):
        yield "source"
    for name in ("status", "scope", "sensitivity", "owner"):
        if not _told(record.get(name)):
            yield name
    if not record.get("evidence_refs") and record.get("kind") != "hypothesis":
        yield "evidence"
    if not record.get("reviewer") and not record.get("curation_report_ids"):
        yield "review"


def missing_for_kind(document: JsonObject) -> tuple[str, ...]:
    """The part a kind asks for and a document lacks: who decided and when, steps and where to stop, impact and trigger,
    an end to a guess."""
    kind = document.get("kind", document.get("memory_kind"))
    if kind in ("decision", "procedure", "risk") and kind not in document:
        return (str(kind),)
    if kind == "hypothesis" and not any(name in document for name in ("expires_at", "effective_to", "next_review_at")):
        return ("expiry",)
    return ()


def missing_in_charter(document: JsonObject) -> tuple[str, ...]:
    """What memory about people, or across a border, lacks before it may be kept."""
    charter = document.get("charter")
    said = charter if isinstance(charter, dict) else {}
    return tuple(name for name in CHARTER_PARTS if not _says(document, said, name))


def _says(document: JsonObject, charter: JsonObject, name: str) -> bool:
    if name == "owner":
        return _told(charter.get("owner")) or _told(document.get("owner"))
    if name == "lawful_basis":
        return _told(charter.get("lawful_basis")) or _told(charter.get("consent"))
    return _told(charter.get(name))


def _told(value: Json) -> bool:
    """Whether anything is said; white space says nothing."""
    if isinstance(value, list):
        return any(_told(one) for one in value)
    return bool(value.strip()) if isinstance(value, str) else bool(value)
