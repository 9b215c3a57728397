"""Redact a derived record: a new revision of it without what it took over, in the place of all there were."""

from __future__ import annotations

import msgspec

from muniment.model.claim import Belief, Claim, Intent, Lineage
from muniment.model.entity import Entity
from muniment.model.record import Record
from muniment.model.times import Instant
from muniment.text.identity import about
from muniment.write.erase.words import ForbiddenWords


def redacted(record: Record, revision: int, at: Instant, lost: ForbiddenWords) -> Record:
    """The next revision of a record, with every text of it trimmed."""
    claim = _claim(record.claim, lost)
    return msgspec.structs.replace(
        record,
        revision=revision,
        created_at=at,
        claim=claim,
        mentions=_mentions(record.mentions, claim),
        about=about(claim.content),
    )


def _claim(claim: Claim, lost: ForbiddenWords) -> Claim:
    slot = claim.slot
    if slot is not None and any(lost.within(text) for text in (slot.subject, slot.key, slot.value)):
        slot = None
    return msgspec.structs.replace(
        claim,
        content=lost.trimmed(claim.content),
        slot=slot,
        intent=Intent(purpose=_text(claim.intent.purpose, lost), question=_text(claim.intent.question, lost)),
        origin=msgspec.structs.replace(
            claim.origin,
            source=_text(claim.origin.source, lost),
            external_id=_text(claim.origin.external_id, lost),
            triggered_by=_text(claim.origin.triggered_by, lost),
        ),
        belief=_belief(claim.belief, lost),
        lineage=_lineage(claim.lineage, lost),
        extensions=tuple(one for one in claim.extensions if not lost.within(one.body)),
    )


def _belief(belief: Belief, lost: ForbiddenWords) -> Belief:
    return msgspec.structs.replace(
        belief,
        reasoning=_text(belief.reasoning, lost),
        evidence=tuple(lost.trimmed(text) for text in belief.evidence),
        assumptions=tuple(lost.trimmed(text) for text in belief.assumptions),
    )


def _lineage(lineage: Lineage, lost: ForbiddenWords) -> Lineage:
    return msgspec.structs.replace(
        lineage,
        relations=tuple(
            msgspec.structs.replace(one, description=_text(one.description, lost)) for one in lineage.relations
        ),
        entities=tuple(one for one in lineage.entities if not lost.within(one)),
    )


def _mentions(mentions: tuple[Entity, ...], claim: Claim) -> tuple[Entity, ...]:
    """Those that the text, or its author, still names."""
    return tuple(one for one in mentions if one.text in claim.content or one.text in claim.lineage.entities)


def _text(text: str | None, lost: ForbiddenWords) -> str | None:
    return None if text is None else lost.trimmed(text)
