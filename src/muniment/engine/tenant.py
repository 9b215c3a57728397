"""Open one tenant for work: its genesis, the policy in force, and the tools every decision uses."""

from __future__ import annotations

from muniment.engine.trail import Trail
from muniment.model.actor import OWNER
from muniment.model.change import ChangeSet, Draft
from muniment.model.entry import Entry, EntryKind, Role, SignedCheckpoint
from muniment.model.errors import IntegrityError, LedgerBroken
from muniment.model.times import Instant
from muniment.model.value import read_canonical
from muniment.policy.rules import Policy
from muniment.ports.embedder import Embedder
from muniment.ports.extractor import Extractor
from muniment.ports.judge import Judge
from muniment.ports.store import Snapshot, TenantStore, Unit
from muniment.ports.tracer import UNWATCHED, Tracer
from muniment.ports.world import Clock, Ids, Signer
from muniment.write.commit import commit, sign_checkpoint
from muniment.write.pipeline import Bench

SYSTEM = "muniment"
RESERVED = frozenset({OWNER, SYSTEM})
"""Names that the vault itself gives: no key or token stands for them, and no agent takes one."""
CHECKPOINT_EVERY = 1024


class Tenant:
    """One tenant, ready for work. Knows when the next checkpoint is due."""

    def __init__(
        self,
        store: TenantStore,
        policy: Policy,
        *,
        signer: Signer,
        clock: Clock,
        ids: Ids,
        judge: Judge | None = None,
        embedder: Embedder | None = None,
        extractor: Extractor | None = None,
        tracer: Tracer = UNWATCHED,
    ) -> None:
        self.store = store
        self.trail = Trail(store, embedder)
        self.extractor = extractor
        self.tracer = tracer
        self.judge = judge
        self.signer = signer
        self.clock = clock
        self.ids = ids
        with store.read() as snapshot:
            ready = _in_force(snapshot, policy)
        if ready is None:
            ready = store.write(lambda unit: _prepare(unit, store.tenant, policy, self))
        pepper, policy_doc = ready
        self.bench = Bench(
            tenant=store.tenant, policy=policy, policy_doc=policy_doc, pepper=pepper, clock=clock, ids=ids
        )
        self._signed = 0
        self._dirty = False
        self.trail.stir()

    def wrote(self, epoch: int) -> None:
        """Take note of a write, and sign a checkpoint when one is due."""
        self._dirty = True
        self.trail.stir()
        if epoch - self._signed >= CHECKPOINT_EVERY:
            if self._signed:
                self.sign()
            self._signed = epoch

    def logged(self) -> None:
        """Take note of a receipt."""
        self._dirty = True

    def sign(self) -> SignedCheckpoint:
        signed = self.store.write(lambda unit: sign_checkpoint(unit, at=self.clock.now(), signer=self.signer))
        self._signed, self._dirty = signed.checkpoint.seq, False
        return signed

    def close(self) -> None:
        self.trail.close()
        if self._dirty:
            self.sign()


def policy_of(snapshot: Snapshot, doc: int) -> Policy:
    """A policy the ledger has kept."""
    document = snapshot.documents.get(doc)
    if document is None:
        raise IntegrityError(f"the policy document {doc} is missing")
    return read_canonical(document.body, Policy)


def genesis_of(snapshot: Snapshot, tenant: str) -> Entry:
    stored = snapshot.ledger.entry(1)
    if stored is None:
        raise LedgerBroken("the ledger has no first entry", seq=1)
    entry = read_canonical(stored.body, Entry)
    if entry.kind is not EntryKind.GENESIS or entry.tenant != tenant or entry.pepper is None:
        raise LedgerBroken(f"the first entry is not the genesis of tenant {tenant}", seq=1)
    return entry


def _in_force(snapshot: Snapshot, policy: Policy) -> tuple[bytes, int] | None:
    """Pepper and policy document, if the ledger has both and the policy is this one."""
    head = snapshot.ledger.head()
    if head is None or not head.policy:
        return None
    genesis = genesis_of(snapshot, head.tenant)
    same = policy_of(snapshot, head.policy) == policy
    return (bytes.fromhex(genesis.pepper or ""), head.policy) if same else None


def _prepare(unit: Unit, tenant: str, policy: Policy, tools: Tenant) -> tuple[bytes, int]:
    """Begin the ledger if it has not begun, and record the policy if it is not the one in force."""
    ready = _in_force(unit, policy)
    if ready is not None:
        return ready
    now = tools.clock.now()
    if unit.ledger.head() is None:
        pepper = tools.ids.salt()
        begin = ChangeSet(
            kind=EntryKind.GENESIS,
            actor=SYSTEM,
            at=now,
            position=0,
            decided_on=(),
            pepper=pepper.hex(),
            key=tools.signer.key_id,
        )
        commit(unit, begin, tenant=tenant, pepper=pepper, ids=tools.ids)
    head = unit.ledger.head()
    assert head is not None
    doc = head.last_doc + 1
    change = ChangeSet(
        kind=EntryKind.POLICY,
        actor=SYSTEM,
        at=Instant(max(now, head.at)),
        position=head.seq,
        decided_on=(),
        drafts=(Draft(doc=doc, role=Role.POLICY, value=policy),),
        policy=doc,
    )
    pepper = bytes.fromhex(genesis_of(unit, tenant).pepper or "")
    commit(unit, change, tenant=tenant, pepper=pepper, ids=tools.ids)
    return pepper, doc
