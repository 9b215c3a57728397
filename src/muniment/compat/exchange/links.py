"""Where the links of a file lead, and links put right: to other names, or left out and told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from muniment.compat.exchange.order import Link
from muniment.contracts.interchange import InterchangeRecord
from muniment.engine import Memory
from muniment.engine.governing import has_tombstone
from muniment.model.claim import Lineage, Relation
from muniment.model.errors import NotFound
from muniment.model.query import Disclosure
from muniment.model.value import Value


class Loose(Value):
    """A link that could not be kept: what sort it is, what it points to, and why. It is told again on the way out."""

    type: str
    target: str
    why: str


class Roads:
    """Where the links of a file lead: to an earlier memory of it, to a record that is here, or nowhere."""

    def __init__(self, memory: Memory, carried: Sequence[InterchangeRecord], ranks: Mapping[str, int]) -> None:
        self._memory = memory
        self._ranks = ranks
        self._contents = {one.id: one.claim.content for one in reversed(carried)}
        self._here: dict[str, Disclosure | None] = {}

    def loose(self, memory: InterchangeRecord, rank: int) -> tuple[Loose, ...]:
        links = memory.claim.lineage.links
        whys = ((link, self._why(link, memory.id, rank)) for link in links)
        return tuple(Loose(type=type_, target=target, why=why) for (type_, target), why in whys if why is not None)

    def _why(self, link: Link, own: str, rank: int) -> str | None:
        target = link[1]
        if target == own:
            return "it points to itself"
        here = self._found(target)
        if target not in self._ranks:
            return (
                None
                if here is not None or has_tombstone(self._memory, target)
                else "there is no such record here or in the file"
            )
        if here is not None:
            same = here.record.claim.content == self._contents[target]
            return None if same else "another record here has that id"
        return None if self._ranks[target] < rank else "it would close a circle"

    def _found(self, name: str) -> Disclosure | None:
        if name not in self._here:
            try:
                self._here[name] = self._memory.get(name)
            except NotFound:
                self._here[name] = None
        return self._here[name]


def renamed(lineage: Lineage, names: Mapping[str, str]) -> Lineage:
    """The same links, to other ids where these have other names."""
    if not names:
        return lineage
    return Lineage(
        derived_from=tuple(names.get(one, one) for one in lineage.derived_from),
        supersedes=None if lineage.supersedes is None else names.get(lineage.supersedes, lineage.supersedes),
        parent=None if lineage.parent is None else names.get(lineage.parent, lineage.parent),
        relations=tuple(
            Relation(type=one.type, target=names.get(one.target, one.target), description=one.description)
            for one in lineage.relations
        ),
        entities=lineage.entities,
    )


def without(lineage: Lineage, gone: Set[Link]) -> Lineage:
    """The links but these."""
    if not gone:
        return lineage
    return Lineage(
        derived_from=tuple(one for one in lineage.derived_from if ("derived_from", one) not in gone),
        supersedes=None if ("supersedes", lineage.supersedes) in gone else lineage.supersedes,
        parent=None if ("parent", lineage.parent) in gone else lineage.parent,
        relations=tuple(one for one in lineage.relations if (one.type.value, one.target) not in gone),
        entities=lineage.entities,
    )
