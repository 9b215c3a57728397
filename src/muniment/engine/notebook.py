"""The notebook of a tenant: coordination state that lives in the ledger beside the records.

It knows no gate: whoever holds a notebook reads and writes all of it. Surfaces never hand it out; those who keep
state in it decide who is told what.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TypeVar

from muniment.engine.session import Sessioned
from muniment.engine.tenant import Tenant
from muniment.model import checks
from muniment.model.note import Note, NoteDraft
from muniment.ports.store import Snapshot, Unit
from muniment.write.notes import jot_down
from muniment.write.secrets import screen_of

T = TypeVar("T")


class Pages:
    """The notes as one transaction sees them, and where the ledger stands."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    @property
    def head(self) -> int:
        head = self._snapshot.ledger.head()
        return head.seq if head is not None else 0

    @property
    def erased(self) -> int:
        """Where words were last taken from notes, if they were: what was read before is to be read again."""
        return self._snapshot.ledger.last_erasure()

    def get(self, topic: str, key: str) -> Note | None:
        """The note that stands under a key."""
        return self._snapshot.notes.get(topic, key)

    def read(self, topic: str) -> tuple[Note, ...]:
        """Every note of a topic that stands, in the order their keys first came up."""
        return self._snapshot.notes.present(topic)

    def since(self, seq: int) -> tuple[Note, ...]:
        """Every note made after a ledger position, those that no longer stand and removals included."""
        return self._snapshot.notes.since(seq)


class Notebook:
    """Reading notes, and taking turns at changing them."""

    def __init__(self, tenant: Tenant) -> None:
        self._tenant = tenant

    @classmethod
    def of(cls, memory: Sessioned) -> Notebook:
        """The notebook of the tenant that a memory is of."""
        return cls(memory._session.tenant)

    def read(self, topic: str) -> tuple[Note, ...]:
        with self._tenant.store.read() as snapshot:
            return Pages(snapshot).read(topic)

    def get(self, topic: str, key: str) -> Note | None:
        with self._tenant.store.read() as snapshot:
            return Pages(snapshot).get(topic, key)

    def marks(self) -> tuple[int, int, int]:
        """Where the ledger stands, where the last note is, and where words were last taken from notes. Asks for next to
        nothing, so it can be asked often."""
        return self._tenant.store.marks()

    def watching(self, wake: Callable[[], None]) -> AbstractContextManager[Callable[[], bool]]:
        """Have `wake` called, from any thread, when the marks may have changed. Says whether what other processes write
        is heard of at present; where it is not, whoever waits asks for the marks now and then."""
        return self._tenant.store.watching(wake)

    def since(self, seq: int) -> tuple[tuple[Note, ...], int]:
        """Every note made after a ledger position, and the position they were read at."""
        with self._tenant.store.read() as snapshot:
            pages = Pages(snapshot)
            return pages.since(seq), pages.head

    def turn(self, actor: str, job: Callable[[Pages], tuple[Sequence[NoteDraft], T]]) -> tuple[T, int]:
        """Decide on what stands and change it, in one transaction and one entry: `job` looks at the pages and returns
        what to note and its result. Without anything to note no entry is made. Returns the result and the ledger's
        position. A job may be run more than once before one of its runs is kept."""
        checks.identifier("actor", actor)
        screen = screen_of(self._tenant.bench.policy.safety)

        def write(unit: Unit) -> tuple[T, int]:
            jots, result = job(Pages(unit))
            for jot in jots:
                screen.refuse("key", jot.key)
                screen.refuse("body", jot.body)
            return result, jot_down(unit, jots, actor, self._tenant.bench)

        result, position = self._tenant.store.write(write)
        self._tenant.wrote(position)
        return result, position
