"""Open one tenant for work: its genesis, the policy in force, and the tools every decision uses."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from muniment.engine.activity import CachedActivity
from muniment.engine.cached_counts import Tallies
from muniment.engine.external_receipts import ExternalReceipts
from muniment.engine.model_timeout import MIND_WAIT_S, PatientExtractor, PatientJudge, PatientReranker
from muniment.engine.signing import VaultKeys, holder
from muniment.engine.vector_indexer import VectorIndexer
from muniment.engine.witness import Witness
from muniment.model.actor import OWNER
from muniment.model.change import ChangeSet, NewDocument
from muniment.model.entry import DocumentRole, Entry, EntryKind, SignedCheckpoint
from muniment.model.errors import IntegrityError, LedgerBroken
from muniment.model.times import Instant
from muniment.model.value import read_canonical
from muniment.policy.rules import Policy
from muniment.ports.clock_and_ids import Clock, Ids, Signer
from muniment.ports.embedder import Embedder
from muniment.ports.extractor import Extractor
from muniment.ports.judge import Judge
from muniment.ports.reranker import Reranker
from muniment.ports.store import Snapshot, TenantStore, Unit
from muniment.ports.tracer import UNWATCHED, Tracer
from muniment.write.commit import commit, sign_checkpoint
from muniment.write.key_changes import key_in_force
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
        keys: VaultKeys | None = None,
        witness: Witness | None = None,
        aside: ExternalReceipts | None = None,
        clock: Clock,
        ids: Ids,
        judge: Judge | None = None,
        embedder: Embedder | None = None,
        extractor: Extractor | None = None,
        reranker: Reranker | None = None,
        tracer: Tracer = UNWATCHED,
        mind_wait: float = MIND_WAIT_S,
    ) -> None:
        self.store = store
        self.diary = CachedActivity()
        self.tallies = Tallies()
        self.indexer = VectorIndexer(store, embedder, mind_wait=mind_wait)
        self.extractor = None if extractor is None else PatientExtractor(extractor, mind_wait)
        self.reranker = None if reranker is None else PatientReranker(reranker, mind_wait)
        self.tracer = tracer
        self.judge = None if judge is None else PatientJudge(judge, mind_wait)
        self.signer = signer
        self.witness = witness
        self.aside = aside
        self._keys = keys
        self.clock = clock
        self.ids = ids
        with store.read() as snapshot:
            ready = _in_force(snapshot, policy)
        if ready is None:
            ready = store.write(lambda unit: _prepare(unit, store.tenant, policy, self))
        with store.read() as snapshot:
            self.signing(snapshot)  # a ledger whose key is not here is not gone on with
        if witness is not None:
            witness.admit(store, clock.now())
        pepper, policy_doc = ready
        self.bench = Bench(
            tenant=store.tenant, policy=policy, policy_doc=policy_doc, pepper=pepper, clock=clock, ids=ids
        )
        self._signed = 0
        self._dirty = False
        self.indexer.stir()

    @property
    def name(self) -> str:
        return self.store.tenant

    def wrote(self, epoch: int) -> None:
        """Take note of a write, and sign a checkpoint when one is due."""
        self._dirty = True
        self.indexer.stir()
        if epoch - self._signed >= CHECKPOINT_EVERY:
            if self._signed:
                self.sign()
            self._signed = epoch
        if self.witness is not None:
            self.witness.saw(self.store, self.clock.now())

    def logged(self) -> None:
        """Take note of a receipt."""
        self._dirty = True

    def signing(self, snapshot: Snapshot) -> Signer:
        """Who signs what this ledger says next: the holder of the key in force at that moment."""
        return holder(key_in_force(snapshot), self.signer, self._keys)

    def keys_here(self) -> frozenset[str]:
        """The public halves of the keys that may sign here."""
        return frozenset(one.key_id for one in (self._keys.here() if self._keys is not None else (self.signer,)))

    def beginning(self) -> Signer:
        """Who signs for a ledger that begins now."""
        return self._keys.coming() if self._keys is not None else self.signer

    def sign(self) -> SignedCheckpoint:
        signed = self.store.write(lambda unit: sign_checkpoint(unit, at=self.clock.now(), signer=self.signing(unit)))
        self._signed, self._dirty = signed.checkpoint.seq, False
        if self.witness is not None:
            self.witness.saw(self.store, self.clock.now(), at_once=True)
        return signed

    def close(self) -> None:
        self.indexer.close()
        if self._dirty:
            self.sign()
        if self.witness is not None:
            self.witness.settled()


def policy_of(snapshot: Snapshot, doc: int) -> Policy:
    """A policy the ledger has kept."""
    document = snapshot.documents.get(doc)
    if document is None:
        raise IntegrityError(f"the policy document {doc} is missing")
    return read_canonical(document.body, Policy)


def policies_of(snapshot: Snapshot) -> Callable[[int], Policy]:
    """The policies the ledger has kept, each read once."""
    return cache(partial(policy_of, snapshot))


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
            key=tools.beginning().key_id,
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
        drafts=(NewDocument(doc=doc, role=DocumentRole.POLICY, value=policy),),
        policy=doc,
    )
    pepper = bytes.fromhex(genesis_of(unit, tenant).pepper or "")
    commit(unit, change, tenant=tenant, pepper=pepper, ids=tools.ids)
    return pepper, doc
