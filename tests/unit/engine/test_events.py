"""What a history says of each event: how the revision stood after it, in numbers that can be drawn."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.world import open_memory

from muniment import Memory
from muniment.engine import Event
from muniment.model.status import Status


def events(memory: Memory, record: str, revision: int = 1) -> tuple[Event, ...]:
    return memory.history(record).revisions[revision - 1].events


def test_each_event_tells_how_the_revision_stood_after_it(vault: Path) -> None:
    with open_memory(vault) as memory:
        ground = memory.remember("The pump was serviced in May", confidence=0.9).record_id or ""
        above = memory.remember("The pump will run until autumn", confidence=0.8, derived_from=[ground]).record_id or ""
        memory.review.outcome(ground, "misleading")
        memory.review.retract(ground, reason="the report was another pump's")

        own, theirs = events(memory, ground), events(memory, above)

        assert [one.status for one in own] == [Status.ACTIVE, Status.ACTIVE, Status.RETRACTED]
        assert (own[0].confidence, own[0].effective) == (0.9, 0.9)
        assert own[1].confidence is not None
        assert own[1].confidence < 0.9
        assert own[1].effective == own[1].confidence == own[2].confidence
        assert (theirs[0].confidence, theirs[0].effective) == (0.8, 0.8)
        assert [one.confidence for one in theirs] == [0.8] * len(theirs)
        assert theirs[-1].effective == pytest.approx(0.2)


def test_the_last_event_is_how_it_stands_now(vault: Path) -> None:
    with open_memory(vault) as memory:
        record = memory.remember("The office is in Berlin").record_id or ""
        memory.remember("The office is in Madrid", relations=[("contradicts", record)])
        memory.revise(record, "The office is in Bonn")
        for number, view in enumerate(memory.history(record).revisions, start=1):
            now, last = memory.get(record, revision=number).standing, view.events[-1]
            footing = now.footing
            assert (last.status, last.confidence, last.effective) == (now.status, footing.own, footing.effective)
