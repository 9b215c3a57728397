"""A day of a memory: people, what is said of them in several languages, and what becomes of it, with an account of all
that was written beside the memory. Expected values of the tests of this folder come from the account alone.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field
from pathlib import Path

from tests.scope import LONG
from tests.support.world import START, TickingClock

from muniment import Memory
from muniment.model.claim import Belief, Claim, Lineage, Origin, Place, Slot, Times
from muniment.model.times import Instant

COUNT = int(os.environ.get("MUNIMENT_TEST_RECORDS", "10000" if LONG else "300"))
A_PERSON = 20
"""So many records are about one person."""
HOUR = 3_600_000_000
"""In microseconds."""

TEMPLATES = (
    "{who} asked to have parcel {number} sent to dock {other} before noon",
    "{who} hat Lieferung {number} am Tor {other} abgelehnt, weil die Palette brach",
    "{who} a réservé la salle {number} pour {other} personnes, côté jardin",
    "{who} pidió cambiar la factura {number} por la del contrato {other}",
    "{who} zamówiła {number} śrub do maszyny {other}, lecz bez nakrętek",
    "{who} ha firmato il verbale {number} davanti al giudice {other}",
    "{who} は倉庫 {number} の鍵を {other} 番の棚に戻した",
    "{who} нашла ошибку {number} в отчёте за квартал {other}",
    "{who} noted that sensor {number} drifts by {other} hundredths each week; the supplier was told on the phone",
    "Der Vertrag {number} von {who} läuft {other} Tage länger als der Rest, siehe Anlage",
)
_FIRST = ("Quillon", "Zsófia", "Þórunn", "Ngozika", "Wojciecha", "Xiomara", "Brynhild", "Ümmühan", "Yevhenia", "Oisín")
_LAST = ("Vantag", "Krzyżan", "Ouedra", "Haggerst", "Mbekwel", "Szentgy", "Pfeilstück", "Guðmund", "Tchaiko", "Zubiaur")
_ENDS = ("iotto", "owska", "ogoman", "ensson", "eridze", "örgyi", "mannelli", "sdottirin", "vskayan", "rrundia")


@dataclass(frozen=True)
class Line:
    """A revision as the account has it: what it says and from when to when it was known and valid."""

    record: str
    revision: int
    content: str
    since: Instant
    until: Instant | None = None
    valid: tuple[Instant | None, Instant | None] = (None, None)

    def known(self, at: Instant) -> bool:
        return self.since <= at and (self.until is None or at < self.until)

    def holds(self, at: Instant) -> bool:
        """Whether it is true in the world. The last instant still counts."""
        begins, ends = self.valid
        return (begins is None or begins <= at) and (ends is None or at <= ends)


@dataclass
class Day:
    """A vault, the account of what was written to it, the moments between the writes, and receipts of the way."""

    vault: Path
    people: list[str]
    lines: list[Line] = field(default_factory=list)
    moments: list[Instant] = field(default_factory=list)
    receipts: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def expected(self, known: Instant, valid: Instant | None = None) -> dict[str, int]:
        """Record to revision: what was known at an instant, of what held at another if one is given."""
        known_then = [one for one in self.lines if one.known(known)]
        return {one.record: one.revision for one in known_then if valid is None or one.holds(valid)}

    def said(self) -> set[str]:
        """Every sentence that is still told at the end of the day."""
        return {one.content for one in self.lines if one.until is None}


def people(count: int) -> list[str]:
    """Names that nobody else has, each a find wherever one of its words turns up."""
    found = []
    for n in range(count):
        ones, tens, hundreds = n % 10, n // 10 % 10, n // 100 % 10
        first, last = f"{_FIRST[ones]}{'abcdefghij'[hundreds]}", f"{_LAST[tens]}{_ENDS[ones]}{'klmnprstvz'[hundreds]}"
        found.append(f"{first} {last}")
    return found


def sentences(who: str, rng: random.Random) -> list[str]:
    """What is said of a person: no two alike, no two that a detector takes for rivals."""
    numbers = rng.sample(range(10_000, 99_999), A_PERSON)
    return [
        TEMPLATES[n % len(TEMPLATES)].format(who=who, number=number, other=number % 89 + 7)
        for n, number in enumerate(numbers)
    ]


def claims(number: int, who: str, rng: random.Random, at: Instant) -> list[Claim]:
    """A batch: every fifth holds for a while only, every seventh stands on the one before it."""
    made = []
    for n, sentence in enumerate(sentences(who, rng)):
        begins, ends = Instant(at - HOUR * rng.randrange(1, 40)), Instant(at + HOUR * rng.randrange(-20, 40))
        window = Times(valid_from=begins, valid_until=max(begins, ends)) if n % 5 == 3 else Times()
        made.append(
            Claim(
                content=sentence,
                slot=Slot(subject=who, key=f"note-{n}", value=str(n)),
                belief=Belief(score=0.9, evidence=(f"ticket:{number}-{n}",)),
                origin=Origin(source=f"crm:{number}"),
                place=Place(session_id=f"call-{number}"),
                times=window,
                lineage=Lineage(entities=(who,)),
            )
        )
    return made


def live(vault: Path, count: int = COUNT, seed: int = 20260101) -> Day:
    """Build the day: people one after the other, changes of what was said of them, and questions between."""
    rng, clock = random.Random(seed), TickingClock(step=1_000)
    day = Day(vault=vault, people=people(max(1, count // A_PERSON)))
    with Memory.open(vault, embedder=None, clock=clock) as memory:
        for number, who in enumerate(day.people):
            at = Instant(START + number * HOUR)
            day.moments.append(Instant(at - HOUR // 2))
            clock.set(at)
            _say(memory.as_actor(f"agent-{number % 7}", session=f"call-{number}"), day, number, who, rng, at)
            clock.set(Instant(at + HOUR // 4))
            _change(memory, day, rng, Instant(at + HOUR // 4))
            if number % 5 == 4:
                clock.set(Instant(at + HOUR // 3))
                asked = memory.recall(f"What did {rng.choice(day.people[: number + 1])} ask for?")
                day.receipts.append((asked.receipt_id, tuple(one.record.id for one in asked.records)))
        day.moments.append(Instant(START + len(day.people) * HOUR))
    return day


def _say(memory: Memory, day: Day, number: int, who: str, rng: random.Random, at: Instant) -> None:
    batch = claims(number, who, rng, at)
    for claim, verdict in zip(batch, memory.propose(batch), strict=True):
        assert verdict.committed, verdict
        assert verdict.record_id is not None
        valid = (claim.times.valid_from, claim.times.valid_until)
        day.lines.append(Line(verdict.record_id, 1, claim.content, at, valid=valid))


def _change(memory: Memory, day: Day, rng: random.Random, at: Instant) -> None:
    """Revise one, take one back, replace one: all among what is still believed."""
    current = [place for place, one in enumerate(day.lines) if one.until is None]
    for what, place in zip(("revise", "retract", "replace"), rng.sample(current, 3), strict=True):
        old = day.lines[place]
        day.lines[place] = Line(old.record, old.revision, old.content, old.since, at, old.valid)
        content = f"{old.content} ({what}d)"
        if what == "retract":
            memory.review.retract(old.record, reason="it was a mistake")
        elif what == "revise":
            done = memory.revise(old.record, content)
            assert done.revision == old.revision + 1, done
            day.lines.append(Line(old.record, old.revision + 1, content, at, valid=old.valid))
        else:
            done = memory.remember(content, supersedes=old.record)
            assert done.committed, done
            assert done.record_id is not None
            day.lines.append(Line(done.record_id, 1, content, at))
