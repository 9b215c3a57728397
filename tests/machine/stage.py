"""Two tenants of one vault on a stage where the store may die at any touch, and what every machine on it does alike."""

from __future__ import annotations

import base64
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from hypothesis.stateful import RuleBasedStateMachine
from tests.machine.lives import Lives
from tests.support.faults import Crash, CrashingStore
from tests.support.memory_store.store import MemoryVault
from tests.support.world import SeededIds, TickingClock, simulated_memory

from muniment.engine.memory import Memory
from muniment.engine.vault import default_policy_text
from muniment.model.value import canonical
from muniment.policy.parse import parse_policy
from muniment.ports.store import Vault
from muniment_store_conformance.contents import contents

TENANTS = ("acme", "globex")
PEOPLE = """\
actors:
  kim: {type: person, roles: [curator], authority: 8}
  sly: {type: agent, roles: [agent], projects: [elsewhere]}
"""
POLICY = parse_policy(default_policy_text().replace("actors:\n", PEOPLE), place="policy.yaml")
T = TypeVar("T")


class Stage(RuleBasedStateMachine):
    """A vault in memory or elsewhere, opened again after each death from what was left behind."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="muniment-lifetimes-"))
        self.vault = self.place()
        self.clock = TickingClock()
        self.ids = {tenant: SeededIds(number) for number, tenant in enumerate(TENANTS)}
        self.stores: dict[str, CrashingStore] = {}
        self.owners: dict[str, Memory] = {}
        self.model = {tenant: Lives() for tenant in TENANTS}
        self.touched: set[str] = set(TENANTS)

    def place(self) -> Vault:
        """Where the memories are kept."""
        return MemoryVault()

    def open(self) -> None:
        for tenant in TENANTS:
            store = self.stores[tenant] = CrashingStore(self.vault.open(tenant, create=True))
            self.owners[tenant] = simulated_memory(store, clock=self.clock, ids=self.ids[tenant], policy=POLICY)

    def reopen(self, *, tidily: bool) -> None:
        """Open everything anew. A death signs nothing and says goodbye to nobody."""
        if tidily:
            for owner in self.owners.values():
                owner.close()
        self.vault.close()
        self.open()

    def face(self, tenant: str, actor: str) -> Memory:
        self.touched.add(tenant)
        return self.owners[tenant] if actor == "owner" else self.owners[tenant].as_actor(actor)

    def head(self, tenant: str) -> int:
        return self.owners[tenant].ledger.head().seq

    def attempt(self, tenant: str, dies_at: int | None, call: Callable[[], T]) -> T | None:
        """Do something while the store may die. What was not kept is done again; None: it was kept, its answer lost."""
        before = self.head(tenant)
        self.stores[tenant].arm(dies_at)
        try:
            return call()
        except Crash:
            self.reopen(tidily=False)
            return call() if self.head(tenant) == before else None
        finally:
            self.stores[tenant].arm(None)

    def teardown(self) -> None:
        """What is gone is gone from the files as well, and a rebuilt store is the same store. Where a step went wrong,
        that is what is told."""
        try:
            if sys.exc_info()[0] is not None:
                self.vault.close()
                return
            for owner in self.owners.values():
                assert owner.ledger.replay().identical
                owner.close()
            self.vault.close()
            for tenant in TENANTS:
                self.assert_bytes_gone(tenant)
        finally:
            shutil.rmtree(self.folder)

    def assert_bytes_gone(self, tenant: str) -> None:
        """A word that is gone is in no file of its tenant, nor in one that is everybody's."""
        others = {one for name, model in self.model.items() if name != tenant for one in model.spoken}
        for path in sorted(path for path in self.folder.rglob("*") if path.is_file()):
            own = tenant in path.relative_to(self.folder).as_posix()
            gone, raw = self.model[tenant].gone - (set() if own else others), path.read_bytes().lower()
            left = {one for one in gone for spelling in spellings(one) if spelling in raw}
            assert left == set(), f"erased, and still in {path.name}: {left}"


def spellings(word: str) -> Iterator[bytes]:
    """A word as it may stand in a file, in lower case."""
    yield word.encode()
    yield word.encode("utf-16-le")
    for lead in ("", "a", "aa"):
        coded = base64.b64encode((lead + word).encode())
        yield coded[4 if lead else 0 : -4].lower()


def kept_bytes(owner: Memory) -> bytes:
    """Everything a store holds that was said, asked or decided, as it is kept."""
    kept = contents(owner._session.tenant.store)
    parts = [*(one.body for one in kept.entries), *(one.body for one in kept.documents)]
    parts += (part for one in kept.receipts for part in (one.body, one.account))
    parts += (canonical(one) for one in (*kept.notes, *kept.aliases, *kept.mentions, *kept.proposals, *kept.conflicts))
    parts += (canonical(one) for one in owner.erasure.certificates())
    return b"\n".join(parts).lower()
