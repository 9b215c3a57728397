"""The facts of a proposal put together from a store's own small questions, for stores that have no shorter way."""

from __future__ import annotations

from muniment.ports.facts import FactsAsked, FactsFound
from muniment.ports.store import Snapshot

EVER = 2**63 - 1


def compose(snapshot: Snapshot, asked: FactsAsked) -> FactsFound:
    """The facts of one proposal, as they are now."""
    catalogue, slot, hearing = snapshot.catalogue, asked.slot, asked.hearing
    about = (snapshot.names.latest(one, upto=EVER, keep=asked.subjects_max) for one in asked.subjects)
    return FactsFound(
        filed=snapshot.desk.proposal(asked.proposal) if asked.proposal is not None else None,
        twin=catalogue.twin(asked.fingerprint),
        past_twins=catalogue.past_twins(asked.fingerprint),
        occupants=catalogue.occupants(slot) if slot is not None else (),
        past_answers=catalogue.past_answers(slot, limit=asked.answers_max) if slot is not None else (),
        revisions={name: catalogue.revisions(name) for name in asked.records},
        buried=frozenset(name for name in asked.records if catalogue.buried(name)),
        near=snapshot.lexicon.near(asked.words, keep=asked.near_max) if asked.words else (),
        about=tuple(row.rid for rows in about for row in rows),
        pace=catalogue.pace(asked.actor, nth=asked.burst) if asked.burst is not None else None,
        heard=catalogue.heard(hearing.actor, below=hearing.below, keep=hearing.keep) if hearing is not None else (),
    )
