"""Somebody is forgotten by each handle, with what waits, what was derived, is on hold or was asked.

No word of it is in any file, neither then nor after a backup from before was put back.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import pytest
from tests.flows.day import Day
from tests.unit.engine.erasing import left

from muniment import Memory
from muniment.engine.copies.backup import back_up
from muniment.engine.copies.restore import RestoreRequest, restore
from muniment.model.erasure import TargetKind
from muniment.model.errors import NotFound, OnHold


class Handle(TypedDict, total=False):
    record_id: str
    subject: str
    source: str
    actor: str
    session: str


@dataclass(frozen=True)
class Material:
    """What was left behind by one who is to be forgotten: by which handle, the words of it that occur nowhere else,
    and the records."""

    handle: Handle
    words: tuple[str, ...]
    records: tuple[str, ...]
    held: str


def word(number: int, what: str) -> str:
    """A word that nobody else says.

    >>> word(3, "first")
    'Flarnokkfirstdra'
    """
    return f"Flarnokk{what}{('bra', 'gre', 'kli', 'dra', 'spu')[number % 5]}"


def leave_behind(memory: Memory, day: Day, by: TargetKind, number: int) -> Material:
    """Something in every place where words are kept: records, a queue, links, quotations, questions, a name, a hold."""
    who, names = f"Ruprandtl{number} Ysvenkaa{number}", [f"Ruprandtl{number}", f"Ysvenkaa{number}"]
    author, source, session = f"clerk-{number}", f"desk:{number}", f"visit-{number}"
    clerk, other = memory.as_actor(author, session=session), memory.as_actor(f"colleague-{number}")
    said = {what: word(number, what) for what in ("first", "waits", "leans", "stands", "hold")}

    def kept(seat: Memory, content: str, **options: object) -> str:
        done = seat.remember(content, evidence=[f"ticket:{number}"], **options)  # type: ignore[arg-type]  # the test's own
        assert done.committed, done
        assert done.record_id is not None
        return done.record_id

    def waits(seat: Memory, content: str, **options: object) -> None:
        done = seat.remember(content, kind="decision", **options)  # type: ignore[arg-type]  # the test's own
        assert done.outcome == "held", done

    about = {"source": source, "session_id": session, "entities": [who], "confidence": 0.9}
    first = kept(clerk, f"{who} keeps {said['first']} in the cellar", **about)
    waits(clerk, f"{who} shall be given {said['waits']} on Fridays", **about)
    waits(other, f"From now on {said['leans']} is ordered twice", derived_from=[first])
    above = kept(other, f"So the cellar needs more {said['stands']} by June", derived_from=[first], confidence=0.8)
    held = kept(clerk, f"{who} signed for {said['hold']} at the gate", **about)
    memory.recall(f"What does {who} keep with {said['first']}?")
    memory.review.alias(f"The cellar man {number}", who)
    handles: dict[TargetKind, Handle] = {
        TargetKind.RECORD: {"record_id": first},
        TargetKind.SUBJECT: {"subject": who},
        TargetKind.SOURCE: {"source": source},
        TargetKind.ACTOR: {"actor": author},
        TargetKind.SESSION: {"session": session},
    }
    reached = {TargetKind.RECORD: ("first", "leans", "stands")}.get(by, tuple(said))
    gone = [first, above] if by is TargetKind.RECORD else [first, above, held]
    words = [said[what] for what in reached] + (names if by is TargetKind.SUBJECT else [])
    return Material(handles[by], tuple(words), tuple(gone), held if by is not TargetKind.RECORD else first)


def still_there(memory: Memory, material: Material) -> list[str]:
    """Where a memory still tells of it."""
    found = [f"get {name}" for name in material.records if _is_told(memory, name)]
    texts = [(f"queue {one.proposal.id}", one.proposal.claim.content) for one in memory.review.queue(limit=200)]
    for said in material.words:
        answer = memory.recall(said, floor=0.0, limit=50)
        texts += [(f"recall {said}", one.record.content) for one in answer.records]
    texts += [(f"browse {one.record.id}", one.record.content) for one in memory.insight.browse()]
    found += [f"{place}: {text}" for place, text in texts if any(said in text for said in material.words)]
    return found


def _is_told(memory: Memory, name: str) -> bool:
    try:
        memory.get(name)
    except NotFound:
        return False
    return True


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "by", [TargetKind.RECORD, TargetKind.SUBJECT, TargetKind.SOURCE, TargetKind.ACTOR, TargetKind.SESSION], ids=str
)
def test_who_is_forgotten_stays_forgotten_when_a_backup_from_before_is_put_back(
    day: Day, tmp_path: Path, by: TargetKind
) -> None:
    number = list(TargetKind).index(by)
    backup = tmp_path / "backup"
    with Memory.open(day.vault, embedder=None) as memory:
        material = leave_behind(memory, day, by, number)
        assert {said for _, said, _ in left(day.vault, material.words)} == set(material.words), "the search finds them"
        hold = memory.erasure.hold(material.held, reason="a lawyer asked")
        back_up(day.vault, backup)
        with pytest.raises(OnHold):
            memory.forget(**material.handle, reason="asked to", cascade="erase")
        memory.erasure.lift(hold.id, reason="it is over")
        done = memory.forget(**material.handle, reason="asked to", cascade="erase")
        assert done.verdict is not None
        assert done.verdict.committed
        assert done.scrubbed
        assert left(day.vault, material.words) == [], "not even while it is open"
        before = memory.insight.stats().current
    assert left(day.vault, material.words) == []
    with Memory.open(day.vault, embedder=None) as memory:
        assert still_there(memory, material) == []

    restore(RestoreRequest(backup=backup, vault=day.vault))

    assert left(day.vault, material.words) == []
    with Memory.open(day.vault, embedder=None) as memory:
        assert still_there(memory, material) == []
        assert memory.insight.stats().current == before
        assert memory.ledger.verify().findings == ()
        assert memory.ledger.replay().identical
        assert len(memory.erasure.certificates()) == 1


def test_an_agent_who_wrote_much_is_forgotten_with_all_of_it(day: Day, tmp_path: Path) -> None:
    with Memory.open(day.vault, embedder=None) as memory:
        wrote = [one for one in memory.insight.browse() if one.record.actor == "agent-3"]
        assert len(wrote) > len(day.lines) / 12
        back_up(day.vault, tmp_path / "backup")
        done = memory.forget(actor="agent-3", reason="asked to", cascade="erase")
        assert done.scrubbed
        assert [one.record.id for one in memory.insight.browse() if one.record.actor == "agent-3"] == []
    texts = [one.record.content for one in wrote]
    assert sentences_in(day.vault, texts) == []

    restore(RestoreRequest(backup=tmp_path / "backup", vault=day.vault))

    assert sentences_in(day.vault, texts) == []
    with Memory.open(day.vault, embedder=None) as memory:
        assert [one.record.id for one in memory.insight.browse() if one.record.actor == "agent-3"] == []
        assert memory.ledger.verify().findings == ()


def sentences_in(folder: Path, texts: list[str]) -> list[str]:
    bodies = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
    return [text for text in texts if any(text.encode() in body for body in bodies)]
