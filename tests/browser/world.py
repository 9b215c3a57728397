"""The world that the console is looked at with: a vault full of believed, doubted, waiting, fallen, forgotten and
hostile memory, and a key for everyone in it. The same moment gives the same world but for the keys."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.browser import field, story
from tests.browser.people import make_keys
from tests.browser.story import Chapter, Teller
from tests.support.world import SECOND, SeededIds, TickingClock

from muniment import Memory
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.surfaces.reception.server_context import system_now

POLICY = Path(__file__).with_name("policy.yaml")
DAY = 86_400 * SECOND

CHAPTERS: tuple[tuple[float, Chapter], ...] = (
    *((29 - 0.7 * number, partial(story.stock, number)) for number in range(len(story.GOODS))),
    (24.2, story.lineage),
    *((22.5 - 2 * step, chapter) for step, chapter in enumerate(story.LORRIES)),
    (15, story.conflicts),
    (11, story.people),
    (8, story.fall),
    *((7.9 - 0.8 * number, partial(story.recall, number)) for number in range(len(story.QUESTIONS))),
    (6, story.act),
    (5, story.deeds),
    (3, story.harm),
    (2, story.queue),
)
"""What happened how many days ago."""


class World(Value):
    """A vault that was lived in: where it is, everyone's key by name, and the ids of what tests come back to."""

    vault: str
    keys: dict[str, str]
    ids: dict[str, str]


def build(vault: Path, *, now: Instant | None = None) -> World:
    """Make the world in a folder that is not there yet, as if its last month had just passed."""
    ends = now if now is not None else system_now()
    clock = TickingClock(Instant(ends - 30 * DAY), step=20 * SECOND)
    vault.mkdir(parents=True)
    (vault / "policy.yaml").write_bytes(POLICY.read_bytes())
    with Memory.open(vault, clock=clock, ids=SeededIds(9), embedder=None) as memory:
        tell = Teller(memory)
        for days, chapter in sorted(CHAPTERS, key=lambda told: -told[0]):
            clock.set(Instant(ends - int(days * DAY)))
            chapter(tell)
        clock.set(Instant(ends - DAY))
        field.meet(memory)
        assert clock.now() < ends, "the story is longer than the month it is told in"
    return World(vault=str(vault), keys=make_keys(vault, now=ends), ids=tell.ids)
