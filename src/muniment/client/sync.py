"""`muniment.Client`: a memory that is served, with the methods of the embedded one."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar, Unpack

from muniment.client.calls import proposed
from muniment.client.guardian import Guardian
from muniment.client.ledger import ClientLedger
from muniment.client.sending import TIMEOUT_S, Sender
from muniment.client.usage import Usage
from muniment.engine import (
    ConflictView,
    Curated,
    Directory,
    EntityView,
    Foreseen,
    History,
    LineageView,
    QueueItem,
)
from muniment.engine.options import QueryOptions
from muniment.engine.vector_indexer import Progress
from muniment.model.actor import Actor
from muniment.model.arguments import checked
from muniment.model.claim import Claim
from muniment.model.claim_options import ClaimOptions
from muniment.model.curation import ConflictResult, MaintenanceResult, RollbackResult, Verdict
from muniment.model.errors import Malformed
from muniment.model.proposal import Objection
from muniment.model.query import Disclosure, Searched
from muniment.model.recall import Recall
from muniment.model.receipt import Explanation
from muniment.model.rows import VectorCoverage
from muniment.model.user import user_id
from muniment.model.value import Value
from muniment.rest import answers
from muniment.rest.kinds import PAGE_MAX

_V = TypeVar("_V", bound=Value)


@checked
class Client(Guardian, Usage):
    """A governed memory behind a server, seen by whoever the key belongs to.

    `Client("http://127.0.0.1:8765", key="mnk_…")` has the methods of `muniment.Memory`, with the same arguments,
    answers and errors. Without an address or a key the settings MUNIMENT_URL and MUNIMENT_KEY are taken. May be used
    by many threads at once.
    """

    def __init__(self, url: str | None = None, *, key: str | None = None, timeout: float = TIMEOUT_S) -> None:
        self._sender = Sender(url, key, timeout)
        self.ledger = ClientLedger(self._sender)
        self._caller: answers.Caller | None = None
        self._user: str | None = None

    def __repr__(self) -> str:
        return f"Client({self._sender.address.url!r})"

    def _ask(self, kind: type[_V], name: str, /, **arguments: object) -> _V:
        found = self._sender.call(name, arguments, user=self._user)
        assert isinstance(found, kind), "the table says so"
        return found

    def caller(self) -> answers.Caller:
        """Who the server takes us for, and what the key is good for."""
        if self._caller is None:
            self._caller = self._ask(answers.Caller, "caller")
        return self._caller

    def for_user(self, user: str) -> Client:
        """The memory of one user, over the same connections. Close the original only."""
        named = user_id(user)
        if self._user is not None and user_id(self._user) != named:
            raise Malformed("user", "the user the client was made for", hint="Ask the client it was made from instead.")
        seen = copy.copy(self)
        seen._user = user
        return seen

    @property
    def actor(self) -> Actor:
        return self.caller().actor

    @property
    def tenant(self) -> str:
        return self.caller().tenant

    def remember(
        self, content: str, *, proposal_id: str | None = None, draft: bool = False, **options: Unpack[ClaimOptions]
    ) -> Verdict:
        return self._ask(Verdict, "remember", content=content, proposal_id=proposal_id, draft=draft or None, **options)

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
    ) -> Verdict:
        return self._ask(
            Verdict,
            "propose",
            claim=claim,
            proposal_id=proposal_id,
            target=target,
            expected_revision=expected_revision,
            objections=tuple(objections),
            draft=draft,
            detect=detect,
        )

    def propose_many(self, claims: Iterable[Claim | tuple[str, Claim]]) -> tuple[Verdict, ...]:
        proposals = [proposed(one) for one in claims]
        if not proposals:
            return ()
        return self._ask(answers.Verdicts, "propose_many", proposals=proposals).verdicts

    def preview(self, claims: Iterable[Claim]) -> tuple[Verdict, ...]:
        put = tuple(claims)
        return self._ask(answers.Verdicts, "preview", claims=put).verdicts if put else ()

    def revise(
        self,
        record_id: str,
        content: str,
        *,
        expected_revision: int | None = None,
        proposal_id: str | None = None,
        **options: Unpack[ClaimOptions],
    ) -> Verdict:
        return self._ask(
            Verdict,
            "revise",
            record_id=record_id,
            content=content,
            expected_revision=expected_revision,
            proposal_id=proposal_id,
            **options,
        )

    def recall(self, text: str, **options: Unpack[QueryOptions]) -> Recall:
        return self._ask(Recall, "recall", text=text, **options)

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
        return self._ask(
            Recall,
            "attune",
            role=role,
            task=task,
            interests=interests or None,
            since=since,
            count=count,
            others=others or None,
            **options,
        )

    def flush(self, *, timeout: float | None = None, progress: Progress = lambda done, all_: None) -> VectorCoverage:
        return self._ask(VectorCoverage, "flush", timeout=timeout)

    def searching(self) -> Searched:
        return self._ask(Searched, "searching")

    def explain(
        self, receipt_id: str, *, replay: bool = False, progress: Callable[[int], None] | None = None
    ) -> Explanation:
        return self._ask(Explanation, "explain", receipt_id=receipt_id, replay=replay)

    def get(self, record_id: str, *, revision: int | None = None) -> Disclosure:
        return self._ask(Disclosure, "get", record_id=record_id, revision=revision)

    def history(self, record_id: str) -> History:
        return self._ask(History, "history", record_id=record_id)

    def lineage(
        self,
        record_id: str,
        *,
        direction: str = "both",
        depth: int | None = None,
        types: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> LineageView:
        return self._ask(
            LineageView, "lineage", record_id=record_id, direction=direction, depth=depth, types=types, limit=limit
        )

    def report(self, proposal_id: str) -> Curated:
        return self._ask(Curated, "report", proposal_id=proposal_id)

    def queue(self, *, after: str | None = None, limit: int = 50) -> tuple[QueueItem, ...]:
        found: list[QueueItem] = []
        cursor: str | None = None
        while True:
            page = self._ask(answers.Queue, "queue", cursor=cursor, limit=PAGE_MAX)
            found += (one for one in page.proposals if after is None or one.proposal.id > after)
            cursor = page.next
            if cursor is None or len(found) >= limit:
                return tuple(found[:limit])

    def conflicts(
        self, *, record_id: str | None = None, status: str | None = None, limit: int | None = None
    ) -> tuple[ConflictView, ...]:
        found: list[ConflictView] = []
        cursor: str | None = None
        while True:
            size = PAGE_MAX if limit is None else min(PAGE_MAX, limit - len(found))
            page = self._ask(
                answers.Conflicts, "conflicts", record_id=record_id, status=status, cursor=cursor, limit=size
            )
            found += page.conflicts
            cursor = page.next
            if cursor is None or (limit is not None and len(found) >= limit):
                return tuple(found)

    def conflict(self, conflict_id: str) -> ConflictView:
        return self._ask(ConflictView, "conflict", conflict_id=conflict_id)

    def directory(self, about: str | None = None, *, limit: int = 50) -> Directory:
        page = self._ask(answers.DirectoryPage, "directory", about=about, limit=min(limit, PAGE_MAX))
        knowers, cursor = list(page.knowers), page.next
        while cursor is not None and len(knowers) < limit:
            more = self._ask(answers.DirectoryPage, "directory", about=about, cursor=cursor, limit=PAGE_MAX)
            knowers, cursor = [*knowers, *more.knowers], more.next
        return Directory(about=page.about, knowers=tuple(knowers[:limit]), teams=page.teams)

    def entity(self, name: str, *, limit: int = 20) -> EntityView:
        return self._ask(EntityView, "entity", name=name, limit=limit)

    def namespaces(self) -> tuple[str, ...]:
        return self._ask(answers.Namespaces, "namespaces").namespaces

    def browse(
        self, *, statuses: Sequence[str] | None = None, session: str | None = None, **options: Unpack[QueryOptions]
    ) -> Iterator[Disclosure]:
        limit = options.get("limit")
        bounds: Mapping[str, object] = {name: value for name, value in options.items() if name != "limit"}
        cursor, left = None, limit
        while left is None or left > 0:
            size = PAGE_MAX if left is None else min(PAGE_MAX, left)
            page = self._ask(
                answers.Records, "browse", statuses=statuses, session=session, cursor=cursor, limit=size, **bounds
            )
            yield from page.records
            cursor, left = page.next, None if left is None else left - len(page.records)
            if cursor is None:
                return

    def decide(
        self,
        proposal_id: str,
        *,
        accept: bool,
        reason: str,
        kind: str | None = None,
        scope: str | None = None,
        scope_id: str | None = None,
        objections: Sequence[Objection] = (),
        contradicts: Sequence[str] = (),
        dry_run: bool = False,
    ) -> Verdict:
        return self._ask(
            Verdict,
            "decide",
            proposal_id=proposal_id,
            accept=accept,
            reason=reason,
            kind=kind,
            scope=scope,
            scope_id=scope_id,
            objections=tuple(objections),
            contradicts=tuple(contradicts),
            dry_run=dry_run or None,
        )

    def retract(self, record_id: str, *, reason: str, expected_revision: int | None = None) -> Verdict:
        return self._ask(Verdict, "retract", record_id=record_id, reason=reason, expected_revision=expected_revision)

    def retire(self, record_id: str, *, becomes: str, reason: str, expected_revision: int | None = None) -> Verdict:
        return self._ask(
            Verdict, "retire", record_id=record_id, becomes=becomes, reason=reason, expected_revision=expected_revision
        )

    def detect(self, record_id: str) -> tuple[str, ...]:
        return self._ask(answers.Found, "detect", record_id=record_id).conflict_ids

    def foresee(self, record_id: str, *, becomes: str = "retracted") -> Foreseen:
        return self._ask(Foreseen, "foresee", record_id=record_id, becomes=becomes)

    def outcome(
        self,
        record_id: str,
        result: str,
        *,
        weight: float = 1.0,
        evidence: str | None = None,
        expected_revision: int | None = None,
        proposal_id: str | None = None,
    ) -> Verdict:
        return self._ask(
            Verdict,
            "outcome",
            record_id=record_id,
            result=result,
            weight=weight,
            evidence=evidence,
            expected_revision=expected_revision,
            proposal_id=proposal_id,
        )

    def vouch(self, record_id: str, *, origin: str, reason: str, expected_revision: int | None = None) -> Verdict:
        return self._ask(
            Verdict, "vouch", record_id=record_id, origin=origin, reason=reason, expected_revision=expected_revision
        )

    def resolve(
        self,
        conflict_id: str,
        *,
        strategy: str,
        rationale: str,
        winner: str | None = None,
        synthesis: str | None = None,
        expected: str | None = None,
        dry_run: bool = False,
        **options: Unpack[ClaimOptions],
    ) -> ConflictResult:
        return self._ask(
            ConflictResult,
            "resolve",
            conflict_id=conflict_id,
            strategy=strategy,
            rationale=rationale,
            winner=winner,
            synthesis=synthesis,
            expected=expected,
            dry_run=dry_run or None,
            **options,
        )

    def promote(
        self,
        record_id: str,
        *,
        scope: str,
        scope_id: str,
        evidence: Sequence[str],
        owner: str | None = None,
        reason: str | None = None,
        proposal_id: str | None = None,
    ) -> Verdict:
        return self._ask(
            Verdict,
            "promote",
            record_id=record_id,
            scope=scope,
            scope_id=scope_id,
            evidence=evidence,
            owner=owner,
            reason=reason,
            proposal_id=proposal_id,
        )

    def alias(self, name: str, means: str) -> tuple[str, ...]:
        return self._ask(answers.Names, "alias", name=name, means=means).names

    def sweep(self) -> MaintenanceResult:
        return self._ask(MaintenanceResult, "sweep")

    def apply(self, batch: str, *, reason: str) -> tuple[Verdict, ...]:
        return self._ask(answers.Verdicts, "apply", batch=batch, reason=reason).verdicts

    def roll_back(self, batch: str, *, reason: str) -> RollbackResult:
        return self._ask(RollbackResult, "roll_back", batch=batch, reason=reason)

    def close(self) -> None:
        """Let go of the connections."""
        self._sender.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
