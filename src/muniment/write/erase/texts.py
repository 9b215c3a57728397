"""The texts of a claim: everything in it that somebody wrote, and none of the names by which others refer to it."""

from __future__ import annotations

from collections.abc import Iterator

from muniment.model.claim import Claim
from muniment.model.record import Record
from muniment.model.user import user_name
from muniment.model.vocabulary import Scope


def texts_of(claim: Claim) -> Iterator[str]:
    yield claim.content
    if claim.slot is not None:
        yield from (claim.slot.subject, claim.slot.key, claim.slot.value)
    if claim.place.scope is Scope.X_USER_IDENTITY:
        yield claim.place.scope_id  # whom memory about a person is about
    if claim.place.user is not None:
        yield user_name(claim.place.user)
    origin, belief = claim.origin, claim.belief
    said = (claim.intent.purpose, claim.intent.question, origin.source, origin.external_id, origin.triggered_by)
    yield from (text for text in (*said, belief.reasoning) if text is not None)
    yield from (*belief.evidence, *belief.assumptions, *claim.lineage.entities)
    yield from (one.description for one in claim.lineage.relations if one.description is not None)
    yield from (one.body for one in claim.extensions)
    if claim.charter is not None:
        charter = claim.charter
        yield from (
            text for text in (charter.lawful_basis, charter.erasure, charter.source_quality) if text is not None
        )


def texts_of_record(record: Record) -> Iterator[str]:
    yield from texts_of(record.claim)
    yield from (one.text for one in record.mentions)
