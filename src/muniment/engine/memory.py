"""The face of the engine: open a memory, put things forward, ask for them, and ask why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Unpack, overload

import msgspec

from muniment.backends.clock_and_ids import RandomIds, SystemClock
from muniment.backends.embedders.choose import choose
from muniment.backends.embedders.wrapped import EmbedTexts
from muniment.config import AS_SET, read_environment
from muniment.engine.asking import answer_query
from muniment.engine.audit import LedgerFace
from muniment.engine.erasure import Erasure, forget
from muniment.engine.external_receipts import external_receipts
from muniment.engine.importing import Imports
from muniment.engine.insight import Insight
from muniment.engine.marker import KeyGiven
from muniment.engine.model_timeout import MIND_WAIT_S
from muniment.engine.options import QueryOptions, make_query
from muniment.engine.place import place_of
from muniment.engine.proposing import admit_claim, judged, submit
from muniment.engine.review import Review
from muniment.engine.session import Session
from muniment.engine.tenant import Tenant
from muniment.engine.vault import OpenVault, open_vault
from muniment.engine.vector_indexer import Progress
from muniment.engine.views import History, explain, history_of, record_of
from muniment.engine.watched import watched
from muniment.engine.witness import witness_of
from muniment.model import checks
from muniment.model.actor import OWNER, Actor
from muniment.model.arguments import checked
from muniment.model.claim import Claim
from muniment.model.claim_options import ClaimOptions, make_claim, revise_claim
from muniment.model.curation import ErasureResult, Verdict
from muniment.model.erasure import one_target
from muniment.model.errors import LimitExceeded, Malformed
from muniment.model.proposal import Objection
from muniment.model.query import Attunement, Disclosure
from muniment.model.recall import Recall
from muniment.model.receipt import Explanation
from muniment.model.rows import VectorCoverage
from muniment.policy.decide import resolve
from muniment.policy.rules import Policy
from muniment.ports.clock_and_ids import Clock, Ids
from muniment.ports.embedder import Embedder
from muniment.ports.extractor import Extractor
from muniment.ports.judge import Judge
from muniment.ports.reranker import Reranker
from muniment.ports.tracer import UNWATCHED, Tracer
from muniment.write.pipeline import propose_each
from muniment.write.secrets import DEFAULT

BATCH_MAX = 10_000


@checked
class Memory:
    """A governed memory: one tenant of one vault, seen by one actor.

    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> with Memory.open(folder.name) as memory:
    ...     verdict = memory.remember("The staging database moved to eu-west-2", evidence=["ticket:OPS-7"])
    ...     [found.record.content for found in memory.recall("where is the staging database?").records]
    ['The staging database moved to eu-west-2']
    >>> folder.cleanup()
    """

    review: Review
    """What waits for a decision, what is in conflict, and what is to be thought of a record."""
    erasure: Erasure
    """Legal holds, withdrawals and certificates."""
    imports: Imports
    """Batches of memories from elsewhere."""
    insight: Insight
    """Lists, lineage, quality, counts and use."""
    ledger: LedgerFace
    """The ledger: head, entries, receipts, verification."""

    def __init__(self, session: Session, *, vault: OpenVault | None = None) -> None:
        self._session = session
        self._vault = vault
        self.review = Review(session)
        self.erasure = Erasure(session)
        self.imports = Imports(session)
        self.insight = Insight(session)
        self.ledger = LedgerFace(session)

    @property
    def actor(self) -> Actor:
        """Who is asking."""
        return self._session.actor

    @property
    def tenant(self) -> str:
        """The tenant's name."""
        return self._session.tenant.name

    @classmethod
    def open(
        cls,
        vault: str | Path = "./muniment-data",
        *,
        tenant: str = "default",
        actor: str | Actor = OWNER,
        policy: str | Path | None = None,
        create: bool = True,
        clock: Clock | None = None,
        ids: Ids | None = None,
        judge: Judge | None = None,
        embedder: str | Embedder | EmbedTexts | None = AS_SET,
        extractor: Extractor | None = None,
        reranker: Reranker | None = None,
        capacity: int | None = None,
        witness: str | Path | None = AS_SET,
        encryption_key: KeyGiven = AS_SET,
        content_keys: str | Path | None = AS_SET,
        receipts_folder: str | Path | None = AS_SET,
        tracer: Tracer = UNWATCHED,
        mind_wait: float = MIND_WAIT_S,
    ) -> Memory:
        """Open a tenant of a vault, making both if they are not there (unless `create` is false).

        A vault is a folder, or a database that many processes share: `postgresql://user@host/name`, with several hosts
        and libpq's parameters if need be, and `schema=` for another schema than `muniment`.

        Whoever opens an embedded vault without naming an actor is its owner. A `judge` is asked about a new claim and
        the records nearest to it; it only suggests. An `embedder` makes vectors, so that recall finds what is said in
        other words: "auto" takes the installed model if there is one, None does without, and if nothing is said the
        environment decides; an `extractor` adds names to those that are found by rule; a `reranker` puts what was found
        for a question in order. None of the four is waited for longer than `mind_wait` seconds: a question goes on by
        words or in our own order, a write without advice, and both say so. A
        `witness` is a folder outside the vault that remembers where the ledger stood: an older copy is then refused.

        Some are for one kind of place alone. For a folder: with `capacity` a tenant's store takes so many bytes and no
        more; an `encryption_key` of 32 bytes (as bytes, in hexadecimal or base64, or the path of the file that holds
        it) makes a new vault an encrypted one, and opens it again. For a database: `content_keys` is a folder outside
        it with a key for each tenant, without which nobody reads what the database and its copies hold.

        A folder in a place that cannot be written to is opened for reading, and nothing is made in it. What is told
        from there leaves its receipts in the `receipts_folder`; without one, no question is answered.
        """
        checks.identifier("tenant", tenant)
        DEFAULT.refuse("tenant", tenant)
        _check_actor(actor)
        if capacity is not None:
            checks.whole("capacity", capacity, least=1, most=2**62)
        checks.positive("mind_wait", mind_wait)
        policy_file = Path(policy) if policy is not None else None
        place = place_of(vault)
        found = open_vault(
            place,
            create=create,
            policy=policy_file,
            capacity=capacity,
            key=encryption_key,
            content_keys=content_keys,
        )
        with found.let_go_if_it_fails():
            opened = Tenant(
                found.stores.open(tenant, create=create),
                found.policy,
                signer=found.signer,
                keys=found.keys,
                witness=witness_of(place, tenant, witness),
                aside=external_receipts(tenant, receipts_folder),
                clock=clock or SystemClock(),
                ids=ids or RandomIds(),
                judge=judge,
                embedder=embedder_meant(embedder),
                extractor=extractor,
                reranker=reranker,
                tracer=tracer,
                mind_wait=mind_wait,
            )
            return cls(Session(opened, _actor(found.policy, actor)), vault=found)

    def as_actor(self, actor: str | Actor, *, session: str | None = None) -> Memory:
        """The same memory seen by another actor; a name is looked up in the policy. Close the original only."""
        return Memory(Session(self._session.tenant, _actor(self._session.policy, actor, session=session)))

    def for_user(self, user: str) -> Memory:
        """The memory of one user: what is remembered here is kept for them, and nothing else is found here, whoever
        asks. A user is any text that a program knows somebody by. Close the original only."""
        return Memory(self._session.for_user(user))

    def remember(
        self, content: str, *, proposal_id: str | None = None, draft: bool = False, **options: Unpack[ClaimOptions]
    ) -> Verdict:
        """Propose a memory with the caller's own rights. The policy decides; the verdict says what and why. A `draft`
        is kept for its author alone until a claim of theirs takes its place. With `user` it is kept for one user of
        the program, and found by whoever asks with the same `user`."""
        claim = make_claim(content, self._session.actor, options)
        return self.propose(claim, proposal_id=proposal_id, draft=draft)

    @overload
    def propose(
        self,
        claim: Claim,
        *,
        proposal_id: str | None = None,
        target: str | None = None,
        expected_revision: int | None = None,
        objections: Sequence[Objection] = (),
        draft: bool = False,
        detect: bool = True,
    ) -> Verdict: ...

    @overload
    def propose(self, claim: Iterable[Claim | tuple[str, Claim]]) -> tuple[Verdict, ...]: ...

    def propose(
        self,
        claim: Claim | Iterable[Claim | tuple[str, Claim]],
        *,
        proposal_id: str | None = None,
        target: str | None = None,
        expected_revision: int | None = None,
        objections: Sequence[Objection] = (),
        draft: bool = False,
        detect: bool = True,
    ) -> Verdict | tuple[Verdict, ...]:
        """Put a claim forward, as a new record or as a new revision of `target`. The same `proposal_id` again gets the
        same answer and changes nothing. Whoever has grounds of their own to refuse it hands them in as `objections`:
        they are kept with the decision. An `expected_revision` of 0 without a target says that nothing fills the
        claim's slot yet: `Stale` if something does by now. A `draft` is its author's alone; one that supersedes or
        revises it
        commits it. Without `detect` conflicts are looked for later, by `review.detect`.

        Many claims are put forward in one transaction, all or none: a list of claims, or of pairs of a proposal id and
        a claim. What else can be said is for one claim alone."""
        if isinstance(claim, str):
            raise Malformed("claim", "a claim, or a list of claims; `remember` takes a text")
        if not isinstance(claim, Claim):
            if proposal_id or target or expected_revision or objections or draft or not detect:
                raise Malformed("claim", "one claim: the other arguments are not for a list")
            return self._propose_many(claim)
        with self._session.watch("propose", claim) as operation:
            admitted = admit_claim(
                self._session,
                claim,
                proposal_id,
                target=target,
                expected_revision=expected_revision,
                draft=draft,
                detect=detect,
            )
            return submit(self._session, admitted, self._session.grounds(objections), operation)

    @watched("propose_many")
    def _propose_many(self, claims: Iterable[Claim | tuple[str, Claim]]) -> tuple[Verdict, ...]:
        session = self._session
        admitted = [admit_claim(session, claim, name) for name, claim in _named(claims)]
        if not admitted:
            return ()
        seen = [judged(session, one) for one in admitted]
        verdicts = session.store.write(lambda unit: tuple(propose_each(unit, seen, session.bench)))
        session.tenant.wrote(verdicts[-1].epoch)
        return verdicts

    def revise(
        self,
        record_id: str,
        content: str,
        *,
        expected_revision: int | None = None,
        proposal_id: str | None = None,
        **options: Unpack[ClaimOptions],
    ) -> Verdict:
        """Propose a new revision. What is not said is taken over from the present one; the old one is kept. The same
        `proposal_id` again gets the same answer and changes nothing."""
        user = options.pop("user", None)
        if user is not None:
            return self.for_user(user).revise(
                record_id, content, expected_revision=expected_revision, proposal_id=proposal_id, **options
            )
        present = self.get(record_id).record
        claim = revise_claim(present.claim, content, self._session.actor, options)
        with self._session.watch("revise", claim) as operation:
            admitted = admit_claim(
                self._session, claim, proposal_id, target=record_id, expected_revision=expected_revision
            )
            return submit(self._session, admitted, operation=operation)

    def recall(self, query: str, **options: Unpack[QueryOptions]) -> Recall:
        """Ask. What is returned passed the gate; why, and what did not, is in the answer and its receipt."""
        user = options.pop("user", None)
        if user is not None:
            return self.for_user(user).recall(query, **options)
        return answer_query(self._session, make_query(self._session.clean(query), options)).recall

    def attune(
        self,
        *,
        role: str | None = None,
        task: str | None = None,
        interests: Sequence[str] = (),
        since: int = 0,
        count: bool = False,
        others: bool = False,
        **options: Unpack[QueryOptions],
    ) -> Recall:
        """Recall without a question: what the caller should know, given its role, its task and what it cares for, or
        what was written or changed `since` a ledger position it knows of. Bounds as for `recall`; with `count` it is
        said how much each of them keeps out, which takes a look at everything; with `others` nothing of the caller's
        own is told."""
        user = options.pop("user", None)
        if user is not None:
            return self.for_user(user).attune(
                role=role, task=task, interests=interests, since=since, count=count, others=others, **options
            )
        if isinstance(interests, str):
            raise Malformed("interests", "a list of texts")
        about = Attunement(
            role=self._session.clean(role) if role is not None else None,
            task=self._session.clean(task) if task is not None else None,
            interests=tuple(self._session.clean(interest) for interest in interests),
            since=since,
            count=count,
            others=others,
        )
        return answer_query(self._session, make_query("", options, about)).recall

    @watched("get")
    def get(self, record_id: str, *, revision: int | None = None) -> Disclosure:
        """A record as it stands, in any state, if the caller may see it."""
        with self._session.tenant.store.read() as snapshot:
            return record_of(snapshot, self._session.actor, self._session.policy, record_id, revision)

    @watched("history")
    def history(self, record_id: str) -> History:
        """Every revision of a record and what became of each, with who decided and why."""
        with self._session.tenant.store.read() as snapshot:
            return history_of(snapshot, self._session.actor, self._session.policy, record_id)

    @watched("forget")
    def forget(
        self,
        record_id: str | None = None,
        *,
        subject: str | None = None,
        source: str | None = None,
        actor: str | None = None,
        session: str | None = None,
        user: str | None = None,
        reason: str | None = None,
        cascade: str | None = None,
        expected: str | None = None,
        include_probable: bool = False,
        dry_run: bool = False,
        probe: bool = False,
    ) -> ErasureResult:
        """Erase one record, or everything of a subject, source, actor, session or user: the content of all revisions,
        their words in the index, their vectors, what reports, receipts and notes quote of them, and what was derived
        from them as `cascade` says (`erase`, `redact` or `review`; the policy's choice if it is not given). The ledger
        keeps that it was there and who erased it, and the answer brings a signed certificate. With `dry_run` nothing is
        changed, and the answer says what would be; its `plan.digest` as `expected` sees to it that just that is done.
        A subject is found by the letters of its name, inflected as languages do; records in which these stand in a
        longer word or without their accents are only probable, and go if `include_probable` says so.
        What is on hold stays: `OnHold`. A `reason` is asked for unless all of a `user` goes. With `probe` recall is
        asked for it as if it were gone, and the certificate says to how many questions anything of it came back."""
        target = one_target(record_id, subject=subject, source=source, actor=actor, session=session, user=user)
        return forget(
            self._session,
            target,
            reason=reason,
            cascade=cascade,
            expected=expected,
            include_probable=include_probable,
            dry_run=dry_run,
            probed=probe,
        )

    def flush(self, *, timeout: float | None = None, progress: Progress = lambda done, all_: None) -> VectorCoverage:
        """Wait until everything written so far can be found by its meaning too. Says how far vectors reach."""
        return self._session.tenant.indexer.flush(timeout=timeout, progress=progress)

    @watched("explain")
    def explain(
        self, receipt_id: str, *, replay: bool = False, progress: Callable[[int], None] | None = None
    ) -> Explanation:
        """Read a receipt back and decide it again; with `replay`, search a store rebuilt to that moment."""
        return explain(self._session.tenant, self._session.actor, receipt_id, replay=replay, progress=progress)

    def close(self) -> None:
        """Sign a last checkpoint if anything was written, and let go of the files."""
        try:
            self._session.tenant.close()
        finally:
            if self._vault is not None:
                self._vault.stores.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def embedder_meant(wanted: str | Embedder | EmbedTexts | None = AS_SET) -> Embedder | None:
    """What makes vectors: what the caller gives, else what the environment names, else the installed model."""
    config = read_environment()
    chosen = config.embedder if wanted == AS_SET else wanted
    return choose(chosen, models=config.models_folder, key=config.embedder_key)


def _check_actor(actor: str | Actor) -> None:
    """Refuse nobody, and what cannot be a name, before anything is opened."""
    if isinstance(actor, Actor):
        DEFAULT.refuse("actor", actor.id)
        return
    checks.caller(actor)
    checks.identifier("actor", actor)
    DEFAULT.refuse("actor", actor)


def _actor(policy: Policy, actor: str | Actor, *, session: str | None = None) -> Actor:
    """Who a caller is. A name gets what the policy gives it."""
    _check_actor(actor)
    checks.optional_identifier("session_id", session)
    if not isinstance(actor, Actor):
        return resolve(policy, actor, session=session)
    return actor if session is None else msgspec.structs.replace(actor, sessions=(session, *actor.sessions))


def _named(claims: Iterable[Claim | tuple[str, Claim]]) -> list[tuple[str | None, Claim]]:
    """The claims of a batch, each with the proposal id it was given, if any."""
    if not isinstance(claims, Iterable):
        raise Malformed("claims", "a list of claims, or of pairs of a proposal id and a claim")
    pairs: list[tuple[str | None, Claim]] = []
    for number, given in enumerate(claims):
        name, claim = given if isinstance(given, tuple) and len(given) == 2 else (None, given)
        if not isinstance(claim, Claim):
            raise Malformed(f"claims[{number}]", "a claim, or a pair of a proposal id and a claim")
        pairs.append((name, claim))
        if len(pairs) > BATCH_MAX:
            raise LimitExceeded("claims", limit=BATCH_MAX, unit="claims", sent=len(pairs))
    return pairs
