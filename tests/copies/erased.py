"""A tenant that says things of somebody in every way there is, and what is left of them after an erasure.

Each sort of material says words that nothing else says, in several languages, so that one of them in a file is a find.
"""

from __future__ import annotations

from pathlib import Path

from tests.unit.engine.erasing import left

from muniment import Memory
from muniment.engine.notebook import Notebook
from muniment.model.curation import ErasureResult
from muniment.model.note import NoteDraft
from muniment.model.value import Value

SUBJECT = "Quillon Vantaggio"
SOURCE, ACTOR, SESSION = "letter:Pfauenhof", "scout", "ses-Kaltwasser"
SAID = {
    "record": f"{SUBJECT} keeps zebrafish in Ouagadougou",
    "derived": "Therefore Tirolerfutter is ordered every Wednesday",
    "quarantined": f"{SUBJECT} hat angeblich Schwarzpulver im Kellergewölbe",
    "waiting": f"{SUBJECT} souhaite déménager à Châteauroux",
    "revising": "Keeps axolotls there since Michaelmas instead",
    "accepted": f"{SUBJECT} は ウスベニタテハ を飼っている near Hakodate",
    "discarded": f"{SUBJECT} once borrowed a Stradivarius",
}
"""What is said, by the sort of the material. `accepted` and `discarded` waited when the copy was made."""
WORDS = {
    "record": ("zebrafish", "Ouagadougou"),
    "derived": ("Tirolerfutter",),
    "quarantined": ("Schwarzpulver", "Kellergewölbe"),
    "waiting": ("Châteauroux",),
    "revising": ("axolotls", "Michaelmas"),
    "accepted": ("ウスベニタテハ", "Hakodate"),
    "discarded": ("Stradivarius",),
}
"""The words of each that nothing else says. Reports, receipts and notes quote those of the record."""
HANDLES = ("record", "subject", "source", "actor", "session")
KNOWN_BY_ALL = ("record", "derived", "revising")
"""What an erasure of the record alone reaches. All other handles reach everything."""


class Told(Value):
    record: str
    accepted: str
    discarded: str


def say(memory: Memory) -> Told:
    """Say everything. What an agent claims without evidence waits; what it only saw is committed."""
    scout = memory.as_actor(ACTOR)
    options = {"source": SOURCE, "session_id": SESSION}
    record = scout.remember(SAID["record"], kind="observation", confidence=0.9, **options).record_id  # type: ignore[arg-type]
    assert record is not None
    derived = memory.remember(SAID["derived"], confidence=0.9, derived_from=[record]).record_id
    assert derived is not None
    suspect = scout.remember(SAID["quarantined"], kind="observation", **options).record_id  # type: ignore[arg-type]
    assert suspect is not None
    memory.review.quarantine(suspect, reason="it sounds made up")
    held = {
        sort: scout.remember(SAID[sort], kind="fact", **options)  # type: ignore[arg-type]
        for sort in ("waiting", "accepted", "discarded")
    }
    revising = scout.remember(SAID["revising"], kind="fact", derived_from=[record], **options)  # type: ignore[arg-type]
    assert {verdict.outcome for verdict in (*held.values(), revising)} == {"held"}
    other = memory.remember("The aquarium shop opens at nine", confidence=0.9).record_id
    assert other is not None
    memory.review.retract(other, reason="the keeper of zebrafish says it opens at ten")
    memory.recall("who has zebrafish?")
    note = '{"title": "ask about the zebrafish"}'
    Notebook.of(memory).turn("owner", lambda _: ([NoteDraft(topic="calls", key="one", body=note)], None))
    memory.remember("Shelf 3 holds box 21", confidence=0.9)
    return Told(record=record, accepted=held["accepted"].proposal_id, discarded=held["discarded"].proposal_id)


def decide(memory: Memory, told: Told) -> None:
    """Answer for two of those that wait, after a copy was made."""
    memory.review.decide(told.accepted, accept=True, reason="looked up")
    memory.review.decide(told.discarded, accept=False, reason="nobody knows")


def forget(memory: Memory, handle: str, told: Told) -> ErasureResult:
    targets = {"subject": SUBJECT, "source": SOURCE, "actor": ACTOR, "session": SESSION}
    named = {"record_id": told.record} if handle == "record" else {handle: targets[handle]}
    done = memory.forget(**named, reason="ticket:77", cascade="erase")  # type: ignore[arg-type]
    assert done.certificate is not None
    assert done.scrubbed
    return done


def traces_of(handle: str, folder: Path, *, but: tuple[str, ...] = ()) -> list[tuple[str, str, bytes]]:
    """Where anything that the erasure by a handle reaches is left in the files of a folder."""
    sorts = KNOWN_BY_ALL if handle == "record" else tuple(WORDS)
    return left(folder, tuple(word for sort in sorts if sort not in but for word in WORDS[sort]))


def still_there(memory: Memory) -> None:
    """What nobody erased is there, and the ledger says the same as the tables."""
    assert memory.recall("which box is on shelf 3?").records[0].record.content == "Shelf 3 holds box 21"
    assert memory.ledger.verify().findings == ()
    assert memory.ledger.replay().identical
