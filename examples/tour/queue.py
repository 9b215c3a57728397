"""What is left on the desk after the tour, so that there is something to do in the console: proposals that wait, a
disagreement nobody has settled, and a few agents at work."""

from __future__ import annotations

from pathlib import Path

from muniment.compat.akashik import Field
from muniment.engine import Memory

_WAITING = (
    ("planner", "The release train leaves every second Tuesday", "decision", "plan:9", 0.8),
    ("planner", "Customers are billed at the end of the month", "decision", "mail:billing", 0.6),
    ("tester", "Retry a failed upload three times, then give up", "decision", "ci:4802", 0.9),
    ("docs", "Version 1 of the API is switched off in June", "decision", "wiki:31", 0.7),
)
_REPLICAS = "The search service runs three replicas"
_CORRECTED = "The search service runs five replicas"


def lay(folder: Path) -> None:
    """Put it all into the tour's memory."""
    with Memory.open(folder, create=False) as owner:
        for who, words, kind, evidence, confidence in _WAITING:
            owner.as_actor(who).remember(words, kind=kind, evidence=[evidence], confidence=confidence)
        _disagree(owner)
        _meet(owner)


def _disagree(owner: Memory) -> None:
    first = owner.as_actor("tester").remember(
        _REPLICAS, subject="search service", key="replicas", value="three", evidence=["deploy:88"], confidence=0.8
    )
    owner.as_actor("planner").remember(
        _CORRECTED, subject="search service", key="replicas", value="five", evidence=["plan:12"], confidence=0.7
    )
    assert first.record_id is not None, "a tester's observation is committed"
    owner.as_actor("docs").remember(
        "Search survives the loss of two machines", confidence=0.8, derived_from=[first.record_id]
    )


def _meet(owner: Memory) -> None:
    field = Field(owner)
    planner = field.register("planner", "planner", interests=["releases"])
    field.register("tester", "tester", interests=["search", "uploads"])
    planner.coordinate("create", title="Write the notes of release 2.0")
    planner.coordinate("create", title="Measure search with five replicas")
