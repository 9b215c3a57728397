"""What a memory should say, in a few plain dictionaries. Knows the rules of the default policy and none of the engine.

Only what can be told from the commands and their verdicts is modelled: which record has which revision, what it
says, in which state it is, who may see it, what it stands on, how far it can be believed, and which disagreements are
open. Belief is not kept but worked out anew from all ancestors whenever it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

FLOOR = 0.2
"""What a pillar that is gone still bears."""
GATE = 0.4
"""Below this nothing is told."""
PAST_MAX = 8
KIN_MAX = 16
"""How many past answers, and how many revisions with the same words, are looked at."""


@dataclass
class Revision:
    """One revision as the model sees it. `parents` are the records it says it stands on, `echoes` those it repeats."""

    content: str
    kind: str
    slot: tuple[str, str] | None
    value: str | None
    private: bool
    actor: str = "owner"
    parents: tuple[str, ...] = ()
    declared: float | None = None
    prior: float = 0.7
    echoes: tuple[str, ...] = ()
    state: str = "active"
    supersedes: str | None = None
    also: tuple[str, ...] = ()
    successor: str | None = None
    born: int = 0
    helpful: float = 0.0
    misleading: float = 0.0

    @property
    def own(self) -> float:
        sure = self.prior if self.declared is None else self.declared
        return (4 * sure + self.helpful) / (4 + self.helpful + self.misleading)

    @property
    def speaks(self) -> bool:
        return self.state in ("active", "contested")


@dataclass
class Model:
    """Records by id, each a list of revisions; open disagreements as pairs of (record, revision number)."""

    records: dict[str, list[Revision]] = field(default_factory=dict)
    disputes: set[frozenset[tuple[str, int]]] = field(default_factory=set)
    waiting: set[str] = field(default_factory=set)
    told: set[tuple[str, str, int]] = field(default_factory=set)

    def speaks(self, record: str) -> bool:
        return self.records[record][-1].speaks

    def current(self) -> dict[str, Revision]:
        return {name: revisions[-1] for name, revisions in self.records.items() if self.speaks(name)}

    def seen_by(self, actor: str, record: str) -> bool:
        return actor == "owner" or not self.records[record][-1].private

    def twin(self, new: Revision) -> str | None:
        """The oldest record that says the same already."""
        twins = [(r.born, n) for n, r in self.current().items() if _mark(r) == _mark(new)]
        return min(twins)[1] if twins else None

    def redundant(self, actor: str, new: Revision, replaces: Iterable[str]) -> bool:
        """Whether a proposal says what is there already. In the place of the old words the same ones are something new
        only if something else about them is."""
        twin = self.twin(new)
        if twin is None or not self.seen_by(actor, twin):
            return False
        return twin not in replaces or _said(self.records[twin][-1]) == _said(new)

    def rivals(self, new: Revision, *, but: Iterable[str]) -> list[str]:
        """Records that answer the same question otherwise."""
        if new.slot is None:
            return []
        return [n for n, r in self.current().items() if r.slot == new.slot and r.value != new.value and n not in but]

    # What a proposal is to the past.

    def _revisions(self) -> list[tuple[str, int, Revision]]:
        """Every revision, oldest first."""
        found = [(n, k, r) for n, revisions in self.records.items() for k, r in enumerate(revisions, start=1)]
        return sorted(found, key=lambda one: one[2].born)

    def _kin(self, new: Revision) -> list[tuple[str, int, Revision]]:
        return [one for one in reversed(self._revisions()) if one[2].content == new.content][:KIN_MAX]

    def _now(self, revision: Revision) -> str | None:
        """The record that took a revision's place and speaks."""
        name = revision.successor
        while name is not None and not self.speaks(name):
            name = self.records[name][-1].successor
        return name

    def restates(self, actor: str, new: Revision, replaces: Iterable[str]) -> bool:
        """Whether a proposal only says again what was corrected since, and neither replaces the correction nor changes
        it back."""
        return self._again(actor, new, replaces) == (True, None)

    def goes_back(self, actor: str, new: Revision, replaces: Iterable[str]) -> str | None:
        """The correction that a proposal changes back, and so takes the place of."""
        return self._again(actor, new, replaces)[1]

    def _again(self, actor: str, new: Revision, replaces: Iterable[str]) -> tuple[bool, str | None]:
        """Whether a proposal says again what was corrected, and the correction if that is changed back. What the first
        such thing is, decides."""
        if any(self._agrees(new, self.records[name][-1]) for name in replaces):
            return False, None
        over = [one for one in self._revisions() if one[2].state in ("superseded", "retracted")]
        same = [one for one in over if _mark(one[2]) == _mark(new)][-PAST_MAX:]
        answers = [one for one in over if new.slot is not None and one[2].slot == new.slot][-PAST_MAX:]
        exact = sorted([*same, *(one for one in answers if one not in same)], key=lambda one: one[2].born)
        near = [one for one in self._kin(new) if not one[2].speaks and one not in exact]
        for name, _, old in [*exact, *near]:
            now = self._now(old)
            if now is None or now in replaces:
                continue
            if self._agrees(new, self.records[now][-1]):
                continue
            if new.slot is not None and old.slot is not None and old.value != new.value:
                continue
            if not ((actor == "owner" or not old.private) and self.seen_by(actor, now)):
                return False, None
            last = self.records[now][-1]
            exactly = (name, _, old) in exact or old.content == new.content
            knows = last.actor == actor or (actor, *self._last(now)) in self.told
            heard = (actor, name, _) in self.told
            linked = {name, now} & {*new.parents, new.supersedes}
            back = exactly and old.state == "superseded" and not linked and (knows or (actor == "owner" and not heard))
            return True, now if back else None
        return False, None

    def _agrees(self, new: Revision, now: Revision) -> bool:
        same = (now.slot, now.value) == (new.slot, new.value)
        return now.content == new.content and (new.slot is None or now.slot is None or same)

    def echoed(self, actor: str, new: Revision, target: str | None = None) -> set[str]:
        """The records a proposal repeats: what the actor was told, and for an agent whatever others said already."""
        found = set()
        for name, number, old in self._kin(new):
            told = (actor, name, number) in self.told
            sounds = old.speaks or (old.state == "retracted" and told and actor != "owner")
            carried = target is not None and target in self.grounds([name])
            hidden = old.private and actor != "owner"
            own = actor == "owner" or old.actor == actor
            if sounds and (told or not own) and not carried and not hidden and name not in new.parents:
                found.add(name)
        return found

    # What stands on what.

    def grounds(self, names: Iterable[str]) -> set[str]:
        """Everything these records stand on, themselves included."""
        reached: set[str] = set()
        frontier = set(names)
        while frontier:
            reached |= frontier
            last = [self.records[name][-1] for name in frontier]
            frontier = {one for revision in last for one in (*revision.parents, *revision.echoes)} - reached
        return reached

    def worth(self, record: str) -> tuple[float, str]:
        """Effective confidence, to six digits, and support of a record's last revision, from all it stands on."""
        effective, support = self._judged(record)
        return round(effective, 6), support

    def _judged(self, record: str) -> tuple[float, str]:
        mine = self.records[record][-1]
        effective, found = mine.own, []
        for name in {*mine.parents, *mine.echoes}:
            pillar = self.records[name][-1]
            bears, support = self._judged(name)
            effective = min(effective, bears)
            if pillar.successor == record:
                found.append("standing")
            elif pillar.state == "retracted" or support == "fallen":
                effective = min(effective, FLOOR)
                found.append("fallen")
            elif pillar.state != "active" or pillar.born > mine.born or support == "flagged":
                found.append("flagged")
            else:
                found.append("standing")
        if found and set(found) == {"fallen"}:
            return effective, "fallen"
        return effective, "flagged" if set(found) - {"standing"} else "standing"

    def told_of(self, record: str) -> bool:
        """Whether a record that speaks may be told."""
        effective, support = self.worth(record)
        return effective >= GATE and support != "fallen"

    # What happens.

    def change_back(self, actor: str, new: Revision, replaces: set[str]) -> set[str]:
        """What a proposal takes the place of, the correction that it changes back included."""
        back = self.goes_back(actor, new, replaces)
        if back is None:
            return replaces
        if new.supersedes is None:
            new.supersedes = back
        else:
            new.also = (back,)
        return replaces | {back}

    def commit(self, record: str, revision: Revision, *, replaces: set[str]) -> None:
        """A revision comes to be: what it replaces ends, what it disagrees with is disputed."""
        rivals = self.rivals(revision, but=replaces)
        before = self.records.get(record, [revision])[-1]
        if before.content == revision.content:  # what was observed goes on counting while the words stay
            revision.helpful, revision.misleading = before.helpful, before.misleading
        for name in replaces:
            self.end(name, "superseded", successor=record)
        revision.born = sum(len(revisions) for revisions in self.records.values())
        self.records.setdefault(record, []).append(revision)
        for rival in rivals:
            self.disputes.add(frozenset({self._last(rival), self._last(record)}))
        self._settle()

    def end(self, record: str, state: str, *, successor: str | None = None) -> None:
        """The last revision of a record stops speaking, and with it the disagreements it was part of."""
        self.disputes = {pair for pair in self.disputes if self._last(record) not in pair}
        self.records[record][-1].state = state
        self.records[record][-1].successor = successor
        self._settle()

    def observe(self, record: str, *, helpful: bool, weight: float) -> None:
        last = self.records[record][-1]
        if helpful:
            last.helpful += weight
        else:
            last.misleading += weight

    def _last(self, record: str) -> tuple[str, int]:
        return record, len(self.records[record])

    def _settle(self) -> None:
        disputed = {side for pair in self.disputes for side in pair}
        for name in self.current():
            self.records[name][-1].state = "contested" if self._last(name) in disputed else "active"


def _said(revision: Revision) -> tuple[object, ...]:
    """Everything a proposer says."""
    return *_mark(revision), revision.parents, revision.declared, revision.supersedes, revision.also


def _mark(revision: Revision) -> tuple[object, ...]:
    """What makes two revisions say the same: one author says the same words of the same thing, on the same ground."""
    return revision.actor, revision.content, revision.kind, revision.slot, revision.value, sorted(revision.parents)
