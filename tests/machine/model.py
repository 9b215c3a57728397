"""What a memory should say, in a few plain dictionaries. Knows the rules of the default policy and none of the engine.

Only what can be told from the commands and their verdicts is modelled: which record has which revision, what it
says, in which state it is, who may see it, and which disagreements are open.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Revision:
    """One revision as the model sees it."""

    content: str
    kind: str
    slot: tuple[str, str] | None
    value: str | None
    private: bool
    state: str = "active"
    born: int = 0


@dataclass
class Model:
    """Records by id, each a list of revisions; open disagreements as pairs of (record, revision number)."""

    records: dict[str, list[Revision]] = field(default_factory=dict)
    disputes: set[frozenset[tuple[str, int]]] = field(default_factory=set)
    waiting: set[str] = field(default_factory=set)

    def speaks(self, record: str) -> bool:
        return self.records[record][-1].state in ("active", "contested")

    def current(self) -> dict[str, Revision]:
        return {name: revisions[-1] for name, revisions in self.records.items() if self.speaks(name)}

    def twin(self, new: Revision) -> str | None:
        """The oldest record that says the same already."""
        same = (new.content, new.kind, new.slot, new.value)
        twins = [(r.born, n) for n, r in self.current().items() if (r.content, r.kind, r.slot, r.value) == same]
        return min(twins)[1] if twins else None

    def rivals(self, new: Revision, *, but: set[str]) -> list[str]:
        """Records that answer the same question otherwise."""
        if new.slot is None:
            return []
        return [n for n, r in self.current().items() if r.slot == new.slot and r.value != new.value and n not in but]

    def commit(self, record: str, revision: Revision, *, replaces: set[str]) -> None:
        """A revision comes to be: what it replaces ends, what it disagrees with is disputed."""
        rivals = self.rivals(revision, but=replaces)
        for name in replaces:
            self.end(name, "superseded")
        revision.born = sum(len(revisions) for revisions in self.records.values())
        self.records.setdefault(record, []).append(revision)
        for rival in rivals:
            self.disputes.add(frozenset({self._last(rival), self._last(record)}))
        self._settle()

    def end(self, record: str, state: str) -> None:
        """The last revision of a record stops speaking, and with it the disagreements it was part of."""
        self.disputes = {pair for pair in self.disputes if self._last(record) not in pair}
        self.records[record][-1].state = state
        self._settle()

    def _last(self, record: str) -> tuple[str, int]:
        return record, len(self.records[record])

    def _settle(self) -> None:
        disputed = {side for pair in self.disputes for side in pair}
        for name in self.current():
            self.records[name][-1].state = "contested" if self._last(name) in disputed else "active"
