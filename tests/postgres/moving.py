"""Vaults that have lived, in any place, and everything they hold as one value. Knows no expected value."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from muniment import Memory
from muniment.config import AS_SET
from muniment.engine.moving.endpoints import MoveEndpoint
from muniment.engine.moving.follow_ledger import Told
from muniment.engine.moving.move import MoveResult, VaultMove
from muniment.engine.place import place_of
from muniment.engine.vault import look_into
from muniment.model.erasure import SignedCertificate
from muniment.model.rows import TombstoneRow
from muniment_store_conformance.contents import Contents, contents_of

SECRET = "Quillon Vantaggio keeps zebrafish in Ouagadougou"
"""Words that occur nowhere else, so that a single one of them at the target is a find."""
TRACE = ("quillon", "vantaggio", "zebrafish", "ouagadougou")
Everything = tuple[Contents, tuple[SignedCertificate, ...], tuple[TombstoneRow, ...]]
Where = str | Path


@contextmanager
def opened(place: Where, tenant: str = "default", *, create: bool = True) -> Iterator[Memory]:
    with Memory.open(place, tenant=tenant, embedder=None, create=create) as memory:
        yield memory


def remembered(memory: Memory, content: str) -> str:
    """Remember something that must be committed; its id."""
    name = memory.remember(content).record_id
    assert name is not None
    return name


def furnish(place: Where, count: int = 40, tenant: str = "default") -> list[str]:
    """A tenant in which everything has happened that leaves something to be carried."""
    with opened(place, tenant) as memory:
        names = [remembered(memory, f"Shelf {number} holds box {number * 7}") for number in range(count)]
        memory.recall("which box is on shelf 3?")
        memory.revise(names[0], "Shelf 0 holds box 700")
        memory.review.retract(names[1], reason="it burned")
        memory.review.alias("the long shelf", "Shelf 2")
        above = memory.remember("Boxes are counted in spring", confidence=0.9, derived_from=[names[2]]).record_id
        assert above is not None
        memory.forget(remembered(memory, "Nobody shall know of the green parrot"), reason="asked to")
        memory.erasure.hold(above, reason="asked for by the auditor")
        memory.ledger.checkpoint()
        memory.recall("which box is on shelf 4?")
    return names


def speak_of_the_secret(place: Where) -> None:
    """Let a secret be remembered, named, asked for and told: each leaves words of it."""
    with opened(place) as memory:
        first = remembered(memory, SECRET)
        memory.revise(first, f"{SECRET} and in Bobo")
        memory.review.alias("the fish man", "Quillon Vantaggio")
        memory.recall("what does Quillon Vantaggio keep in Ouagadougou?")
        memory.remember("The aquarium is paid for", derived_from=[first], reasoning="Quillon Vantaggio said so")
        memory.erasure.hold(remembered(memory, "The lease ends in May"), reason="Quillon Vantaggio wants it kept")


def forget_the_secret(place: Where) -> None:
    with opened(place) as memory:
        done = memory.forget(subject="Quillon Vantaggio", reason="he asked for it")
        assert done.verdict is not None
        assert done.verdict.committed


def everything(place: Where, tenant: str = "default") -> Everything:
    stores, _ = look_into(place)
    try:
        with stores.open(tenant, create=False).read() as snapshot:
            stones = tuple(snapshot.catalogue.tombstones())
            return contents_of(snapshot), tuple(snapshot.ledger.certificates()), stones
    finally:
        stores.close()


def move(
    source: Where,
    target: Where,
    *,
    tenant: str | None = None,
    standby: bool = False,
    from_keys: str | None = AS_SET,
    to_keys: str | None = AS_SET,
    progress: Told = lambda what, done, whole: None,
) -> MoveResult:
    wish = VaultMove(
        source=MoveEndpoint(place=place_of(source), content_keys=from_keys),
        target=MoveEndpoint(place=place_of(target), content_keys=to_keys),
        tenant=tenant,
        standby=standby,
    )
    return wish.run(progress=progress)
