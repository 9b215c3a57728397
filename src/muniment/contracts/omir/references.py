"""Whether every reference of a bundle names a resource that is in it, and of the type it must be."""

from __future__ import annotations

from collections.abc import Iterator

from muniment.contracts.finding import Severity
from muniment.contracts.omir.hints import NameHints
from muniment.contracts.omir.quoting import quoted
from muniment.contracts.omir.report import ReportCheck, ReportNotice
from muniment.contracts.omir.scan import Link, Scan


class References:
    """The resources of a bundle, as references name them."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self.known = {kind: {f"{kind}/{id_}" for id_ in ids} for kind, ids in scan.ids.items()}
        self._names: dict[str, NameHints] = {}
        self._questions = 1

    def unresolved(self, links: list[Link]) -> Iterator[ReportNotice]:
        """What is wrong with references, in their order."""
        known = self.known
        lost = [link for link in links if link[2] not in known[link[3]]]
        self._questions = len(lost)
        yield from map(self._told, lost)

    def _told(self, link: Link) -> ReportNotice:
        index, where, ref, target = link
        kind, _, id_ = ref.partition("/")
        value = id_ if where == "parentId" else ref
        there = kind in self.known and ref in self.known[kind]
        meant = None if there else self.meant(target, id_)
        return ReportNotice(
            code="E201" if there else "E200",
            severity=Severity.ERROR,
            check=ReportCheck.REFERENCES,
            entry=self._scan.holder(index),
            path=f"/entry/{index}/{where}",
            value=value,
            message=_wrong_type(kind, target) if there else _dangling(meant),
        )

    def meant(self, target: str, id_: str) -> str | None:
        """The id of a resource of that type that was probably meant."""
        if target not in self._names:
            self._names[target] = NameHints(self._scan.ids[target], questions=self._questions)
        found = self._names[target].nearest(id_)
        return None if found is None else f"{target}/{found}"


def _wrong_type(kind: str, target: str) -> str:
    return f"the reference names a {kind}, and must name a {target}"


def _dangling(meant: str | None) -> str:
    said = "nothing in the bundle is called that"
    return said if meant is None else f"{said}; did you mean {quoted(meant)}?"
