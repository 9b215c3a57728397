"""The record of denied calls: who asked for what and why it was denied, in the ledger, never what it said.

While denials are rare each is written at once. When they flood, those of a second are summed up and written together;
those of callers nobody knows, where that goes on, only now and then, so that whoever is turned away cannot fill the
disk. However many strangers call, a caller who is known is told of by name.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from muniment.engine import Memory
from muniment.engine.notebook import Notebook, Pages
from muniment.engine.tenant import SYSTEM
from muniment.model.errors import CallerError, MunimentError
from muniment.model.note import Note, NoteDraft
from muniment.model.times import Instant
from muniment.model.value import Value, canonical, read_canonical
from muniment.surfaces.reception.limits import Clock, RateLimit

TOPIC = "denied"
SUM_EVERY_S = 1.0
SUMS_MAX = 16
NAMES_MAX = 64
FLOOD_EVERY_S = 30.0
FLOOD_AFTER = 60
KEPT_MAX = 2_000
_WITHHELD = "withheld"
_MANY = "many"
_STRANGERS = "strangers"
_LOG = logging.getLogger("muniment.denials")


class Denial(Value):
    """A denied call, or several alike: `count` of them between `first` and `last`. Who is None: nobody known."""

    what: str
    code: str
    peer: str
    first: Instant
    last: Instant
    count: int = 1
    who: str | None = None
    credential: str | None = None


class _Alike(NamedTuple):
    tenant: str
    who: str | None
    credential: str | None
    what: str
    code: str
    peer: str


class DenialLog:
    """Takes denials from any thread and writes them from one of its own."""

    def __init__(self, memory: Callable[[str], Memory], *, clock: Clock = time.monotonic) -> None:
        self._memory = memory
        self._often = RateLimit(1 / FLOOD_EVERY_S, FLOOD_AFTER, clock=clock)
        self._changed = threading.Condition()
        self._sums: dict[_Alike, Denial] = {}
        self._closing = False
        self._writer = threading.Thread(target=self._write_all, name="muniment-denials", daemon=True)
        self._writer.start()

    def add(self, tenant: str, denial: Denial) -> None:
        """Take one in. Never waits for the disk."""
        with self._changed:
            alike = _alike(tenant, denial)
            if alike not in self._sums and not self._room_for(denial):
                denial = msgspec.structs.replace(denial, credential=None, what=_MANY, peer=_MANY)
                alike = _alike(tenant, denial)
            self._sums[alike] = _sum(self._sums.get(alike), denial)
            self._changed.notify()

    def _room_for(self, denial: Denial) -> bool:
        """Whether one more may be told of by itself. Strangers do not take the room of those who are known."""
        alike = sum(1 for one in self._sums if (one.who is None) == (denial.who is None))
        return alike < (SUMS_MAX if denial.who is None else NAMES_MAX)

    def close(self) -> None:
        """Write what is left and stop."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._writer.join()

    def _write_all(self) -> None:
        written = time.monotonic() - SUM_EVERY_S
        closing = False
        while not closing:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._sums) or self._closing)
                self._changed.wait_for(lambda: self._closing, written + SUM_EVERY_S - time.monotonic())
                closing = self._closing
                sums = self._due(everything=closing)
            written = time.monotonic()
            for tenant in {alike.tenant for alike in sums}:
                self._write(tenant, [sums[alike] for alike in sums if alike.tenant == tenant], last=closing)

    def _due(self, *, everything: bool) -> dict[_Alike, Denial]:
        """Take what is to be written now."""
        strangers = any(one.who is None for one in self._sums)
        waits = strangers and not everything and self._often.take(_STRANGERS) > 0
        due = {one: denial for one, denial in self._sums.items() if not waits or one.who is not None}
        self._sums = {one: denial for one, denial in self._sums.items() if one not in due}
        return due

    def _write(self, tenant: str, denials: list[Denial], *, last: bool) -> None:
        """Write those of one tenant. What the store does not take now is kept for the next time."""
        try:
            _noted(self._memory(tenant), denials)
        except MunimentError as error:
            _LOG.error("denials could not be written", extra={"code": error.code, "count": len(denials)})
            if not last:
                for denial in denials:
                    self.add(tenant, denial)


def _alike(tenant: str, denial: Denial) -> _Alike:
    return _Alike(tenant, denial.who, denial.credential, denial.what, denial.code, denial.peer)


def _sum(before: Denial | None, denial: Denial) -> Denial:
    if before is None:
        return denial
    return msgspec.structs.replace(denial, first=before.first, count=before.count + denial.count)


def _noted(memory: Memory, denials: list[Denial]) -> None:
    """Note denials; if a name in them may not be noted, for it looks like a secret, note them without names."""
    try:
        note(memory, denials)
    except CallerError:
        note(memory, [msgspec.structs.replace(one, who=None, credential=None, what=_WITHHELD) for one in denials])


def note(memory: Memory, denials: list[Denial]) -> None:
    """Put denials into the ledger, in one entry, and let the oldest go from the list; the ledger keeps those too."""

    def job(pages: Pages) -> tuple[list[NoteDraft], None]:
        held = [one.key for one in pages.read(TOPIC)]
        surplus = max(0, len(held) + len(denials) - KEPT_MAX)
        position = pages.head
        jots = [_jot(f"{position:016d}.{number:04d}", denial) for number, denial in enumerate(denials)]
        return [*jots, *(NoteDraft(topic=TOPIC, key=key) for key in held[:surplus])], None

    Notebook.of(memory).turn(SYSTEM, job)


def _jot(key: str, denial: Denial) -> NoteDraft:
    return NoteDraft(topic=TOPIC, key=key, body=canonical(denial).decode())


def denied_calls(memory: Memory) -> tuple[Denial, ...]:
    """The denied calls of a tenant, oldest first, for those who may audit it."""
    memory.ledger.head()  # raises unless the actor may read the ledger
    return tuple(_read(one) for one in Notebook.of(memory).read(TOPIC))


def denied_before(memory: Memory, before: str | None, limit: int) -> tuple[tuple[Denial, ...], str | None]:
    """So many denied calls, the newest first, behind the place where the page before ended, and where this one ends if
    there are more. What is denied meanwhile moves no page. For those who may audit."""
    memory.ledger.head()  # raises unless the actor may read the ledger
    notes = [one for one in Notebook.of(memory).read(TOPIC) if before is None or one.key < before]
    found = notes[: -limit - 1 : -1]
    return tuple(_read(one) for one in found), found[-1].key if len(notes) > limit else None


def _read(found: Note) -> Denial:
    return read_canonical((found.body or "").encode(), Denial)
