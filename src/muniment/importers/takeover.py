"""Take the memories of another system over: the stream of a reader becomes one batch of proposals that can be undone.

Everything that touches the engine is in `_Vault`. What a source holds is first read to its end, so that a source that
breaks off changes nothing; then it is proposed in parts, each durable when the next begins, and a run that was
interrupted goes on where it ended.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from muniment.compat.exchange.luggage import packed
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.names import safe_id, safe_namespace, safe_text
from muniment.engine import Memory
from muniment.engine.importing import BATCH_MAX, Newcomer, batch_name
from muniment.importers.foreign import ForeignRecord, Mapping, Prompt, Residue, Unread, Unsaid
from muniment.importers.kinds import SourceKind, read_source
from muniment.importers.spill import SeenIds, Spill
from muniment.model import checks
from muniment.model.claim import Belief, Claim, Extension, Lineage, Nature, Origin, Place, Times
from muniment.model.curation import Verdict
from muniment.model.decoding import decode_json
from muniment.model.errors import CallerError, LimitExceeded, NotFound, SourceIncomplete
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment.model.user import user_id
from muniment.model.value import Value, canonical
from muniment.model.vocabulary import Kind, Outcome, Scope

Progress = Callable[[int], None]
Answered = Callable[[str, str, str], None]
PART = 1_000
"""So many proposals are written at once."""
RECORDS_MAX = 5_000_000
_PLACES = 3
_LISTED = 100


class Loss(Value):
    """What of a source has no place here, how often, and where first."""

    what: str
    count: int
    places: tuple[str, ...] = ()


class Refusal(Value):
    """A memory that was not taken in: where it stands, and why."""

    place: str
    id: str
    why: str


class MovedIn(Value):
    """What became of a source. `taken` memories count here now, `held` ones wait for a person, `refused` ones are not
    kept, `already` is what was here before. `mapping` says how many memories had what, and where that is kept."""

    kind: str
    batch: str
    preview: bool
    taken: int
    held: int
    refused: int
    already: int
    revisions: int
    tombstones: int
    unread: int
    lost: tuple[Loss, ...]
    lacks: tuple[Loss, ...]
    mapping: tuple[Loss, ...]
    refusals: tuple[Refusal, ...] = ()
    waiting: tuple[Refusal, ...] = ()
    unread_entries: tuple[Unread, ...] = ()


@contextmanager
def planned(
    kind: SourceKind, source: Path | str, mapping: Mapping, *, skip_bad: bool = False, preview: bool = False
) -> Iterator[Plan]:
    """Everything a source holds, read to its end. One that cannot be read whole is refused, unless it is only to be
    looked at, or the rest of it is wanted."""
    plan = Plan(kind)
    try:
        for item in read_source(kind, source, mapping):
            plan.take(item)
        if plan.unread and not (skip_bad or preview):
            raise SourceIncomplete(plan.unread, plan.bad[0].place, plan.bad[0].message)
        yield plan
    finally:
        plan.close()


def move_in(
    memory: Memory,
    plan: Plan,
    *,
    preview: bool = False,
    hold: bool = False,
    again: bool = False,
    progress: Progress = lambda _: None,
    answered: Answered = lambda _, __, ___: None,
) -> MovedIn:
    """Take in every memory of a source. The same source again changes nothing; one that was rolled back is refused
    unless `again` is given; one that has grown or changed brings what is new. `answered` is told what became of each
    memory: its id here, a word and the reason."""
    return _Moving(memory, plan, preview=preview, hold=hold, again=again, progress=progress, answered=answered).run()


class Plan:
    """Everything a source holds, read to its end and kept aside: between two readings it could change."""

    def __init__(self, kind: SourceKind, *, salt: str = "") -> None:
        self.kind = kind
        self.count = self.live = self.unread = 0
        self.bad: list[Unread] = []
        self.losses: dict[str, list[str]] = {}
        self.lost: Counter[str] = Counter()
        self.had: Counter[str] = Counter()
        self.lacking: Counter[str] = Counter()
        self._digest = hashlib.sha256(f"{kind}{salt}".encode())
        self._spill = Spill("CREATE TABLE record (number INTEGER PRIMARY KEY, body BLOB)")

    def close(self) -> None:
        self._spill.close()

    @property
    def digest(self) -> str:
        return self._digest.hexdigest()

    def take(self, item: object) -> None:
        match item:
            case ForeignRecord():
                body = canonical(item)
                self._digest.update(len(body).to_bytes(8, "big") + body)
                self.count += 1
                if self.count > RECORDS_MAX:
                    raise LimitExceeded("source", limit=RECORDS_MAX, unit="memories", sent=self.count)
                self._spill.execute("INSERT INTO record VALUES (?, ?)", (self.count, body))
                self._tally(item)
            case Unread():
                self.unread += 1
                if len(self.bad) < _LISTED:
                    self.bad.append(item)
            case Unsaid():
                self.lose(item.what, item.place)
            case Residue() | Prompt() | _:
                return

    def lose(self, what: str, place: str) -> None:
        self.lost[what] += 1
        places = self.losses.setdefault(what, [])
        if len(places) < _PLACES:
            places.append(place)

    def records(self) -> Iterator[ForeignRecord]:
        for _, body in self._spill.execute("SELECT number, body FROM record ORDER BY number"):
            assert isinstance(body, bytes)
            yield decode_json(body, ForeignRecord)

    def _tally(self, record: ForeignRecord) -> None:
        if record.deleted:
            return
        self.live += 1
        for name in KEPT:
            if getattr(record, name) not in (None, (), False):
                self.had[name] += 1
        missing = {
            "author": record.author is None,
            "time": record.created is None and record.updated is None,
            "source": record.source is None and not record.links,
        }
        self.lacking.update(name for name, is_missing in missing.items() if is_missing)


KEPT: dict[str, str] = {
    "text": "content",
    "id": "id, origin.external_id",
    "author": "who wrote it there, as claimed",
    "created": "when it was written there, as claimed; event_time",
    "updated": "when it was changed there, as claimed",
    "user": "the memory of that user",
    "namespace": "namespace",
    "session": "session_id",
    "source": "origin.source, evidence",
    "kind": "kind",
    "confidence": "confidence",
    "previous": "earlier revisions",
    "tags": "extension",
    "entities": "entities",
    "links": "derived_from",
    "subject": "entities",
    "valid_from": "valid_from",
    "valid_until": "valid_until",
    "expires": "expires_at",
    "archived": "status archived",
    "metadata": "extension",
}
"""What a foreign memory can say, and where that is kept here."""


class _Step(Value):
    """One proposal: of which memory, and what it is to it."""

    record: str
    place: str
    newcomer: Newcomer
    sort: str = "memory"


class _Moving:
    """One run over one plan."""

    def __init__(
        self,
        memory: Memory,
        plan: Plan,
        *,
        preview: bool,
        hold: bool,
        again: bool,
        progress: Progress,
        answered: Answered,
    ) -> None:
        self._answered = answered
        self._plan, self._preview, self._hold, self._progress = plan, preview, hold, progress
        self._vault = _Vault(memory, plan.kind)
        own = hashlib.sha256(f"{plan.digest} {memory.actor.id} {hold}".encode()).hexdigest()
        self._batch = batch_name(memory, f"{plan.kind}-{own[:24]}", again=again)
        self._counts: Counter[str] = Counter()
        self._refusals: list[Refusal] = []
        self._waiting: list[Refusal] = []

    def run(self) -> MovedIn:
        plan = self._plan
        done = self._vault.done(self._batch)
        number = 0
        size = BATCH_MAX if self._preview else PART
        part: list[_Step] = []
        for step in self._steps():
            number += 1
            if number <= done:
                if step.sort == "memory":
                    self._counts["already"] += 1
                continue
            part.append(step)
            if len(part) == size:
                self._write(part, number - len(part) + 1)
                part = []
        if part:
            self._write(part, number - len(part) + 1)
        return MovedIn(
            kind=plan.kind.value,
            batch=self._batch,
            preview=self._preview,
            taken=self._counts["taken"],
            held=self._counts["held"],
            refused=self._counts["refused"],
            already=self._counts["already"],
            revisions=self._counts["revisions"],
            tombstones=self._counts["tombstones"],
            unread=plan.unread,
            lost=tuple(
                Loss(what=what, count=count, places=tuple(plan.losses[what]))
                for what, count in plan.lost.most_common(_LISTED)
            ),
            lacks=tuple(Loss(what=f"no {name}", count=count) for name, count in plan.lacking.most_common()),
            mapping=tuple(
                Loss(what=name, count=plan.had[name], places=(KEPT[name],)) for name in KEPT if plan.had[name]
            ),
            refusals=tuple(self._refusals),
            waiting=tuple(self._waiting),
            unread_entries=tuple(plan.bad),
        )

    def _write(self, part: Sequence[_Step], first: int) -> None:
        verdicts = self._vault.propose(self._batch, part, first=first, hold=self._hold, preview=self._preview)
        for step, verdict in zip(part, verdicts, strict=True):
            self._count(step, verdict)
        self._progress(first + len(part) - 1)

    def _count(self, step: _Step, verdict: Verdict) -> None:
        if step.sort != "memory":
            if verdict.outcome is Outcome.COMMITTED:
                self._counts[step.sort] += 1
            return
        told = Refusal(place=step.place, id=step.record, why=verdict.reason)
        if verdict.outcome is Outcome.COMMITTED:
            self._counts["taken"] += 1
            self._answered(step.record, "taken", verdict.reason)
        elif verdict.outcome is Outcome.HELD:
            self._counts["held"] += 1
            self._answered(step.record, "held", verdict.reason)
            if len(self._waiting) < _LISTED:
                self._waiting.append(told)
        elif verdict.duplicate_of is not None:
            self._counts["already"] += 1
        else:
            self._counts["refused"] += 1
            self._answered(step.record, "refused", verdict.reason)
            if len(self._refusals) < _LISTED:
                self._refusals.append(told)

    def _steps(self) -> Iterator[_Step]:
        """The proposals of a plan. They depend on what was here before this batch and on nothing it brought, so that
        an interrupted run makes the same ones again."""
        seen = SeenIds()
        now = Instant(time.time_ns() // 1_000)
        try:
            for record in self._plan.records():
                name = safe_id(record.id)
                if not seen.first(name):
                    name = safe_id(f"{record.id} at {record.place}")
                    self._plan.lose("an id that several memories have; the later ones get another", record.place)
                try:
                    yield from self._of(record, name, seen, now)
                except CallerError as error:
                    self._counts["refused"] += 1
                    self._answered(name, "refused", str(error))
                    if len(self._refusals) < _LISTED:
                        self._refusals.append(Refusal(place=record.place, id=name, why=str(error)))
        finally:
            seen.close()

    def _of(self, record: ForeignRecord, name: str, seen: SeenIds, now: Instant) -> Iterator[_Step]:
        found = self._vault.latest(name, besides=self._batch)
        # What was taken back here does not speak: the engine says whether its id may be taken up again.
        before = found[0] if found is not None and found[1] is not Status.RETRACTED else None
        if record.deleted:
            yield from self._gone(record, name, speaks=before is not None, known=found is not None)
            return
        links = tuple(one.target for one in record.links if safe_id(one.target) in seen)
        for one in record.links:
            if safe_id(one.target) not in seen:
                self._plan.lose("a link to what is not in the source before it", record.place)
        claim = _claim(self._plan.kind, record, name, tuple(safe_id(one) for one in links), self._plan)
        if before == claim.content:
            self._counts["already"] += 1
            return
        status = _status(record, now)
        waits = self._plan.kind is SourceKind.CLAUDE_CODE and not record.by_person
        earlier = record.previous if before is None else ()
        for at, version in enumerate(earlier):
            old = msgspec.structs.replace(claim, content=safe_text(version.text, limit=checks.CONTENT_BYTES_MAX))
            own = Newcomer(
                claim=old, record=name if at == 0 else None, revises=name if at else None, hold=waits, along=True
            )
            yield _Step(record=name, place=record.place, newcomer=own, sort="revisions")
        revises = name if before is not None or earlier else None
        own = Newcomer(
            claim=claim,
            record=None if revises else name,
            revises=revises,
            status=Status.ACTIVE if revises else status,
            hold=waits,
            along=True,
        )
        yield _Step(record=name, place=record.place, newcomer=own)

    def _gone(self, record: ForeignRecord, name: str, *, speaks: bool, known: bool) -> Iterator[_Step]:
        """What was deleted there: its id is taken by a record that says so, or what is here of it is deprecated."""
        stone = _tombstone(self._plan.kind, record, name)
        note = safe_id(f"gone:{name}")
        if speaks and self._vault.latest(note, besides=self._batch) is None:
            ended = msgspec.structs.replace(
                stone, nature=Nature(kind=Kind.DEPRECATION), lineage=Lineage(supersedes=name)
            )
            yield _Step(record=name, place=record.place, newcomer=Newcomer(claim=ended, record=note), sort="tombstones")
        elif not known:
            own = Newcomer(claim=stone, record=name, status=Status.RETRACTED)
            yield _Step(record=name, place=record.place, newcomer=own, sort="tombstones")


def _status(record: ForeignRecord, now: Instant) -> Status:
    if record.archived:
        return Status.ARCHIVED
    return Status.EXPIRED if record.expires is not None and record.expires < now else Status.ACTIVE


def _tombstone(kind: SourceKind, record: ForeignRecord, name: str) -> Claim:
    """A record that says that one was deleted, and nothing of what it said."""
    return Claim(
        content=f"Deleted in {kind} as {name}. What it said was not taken over.",
        place=_place(record),
        origin=Origin(external_id=name),
    )


def _place(record: ForeignRecord) -> Place:
    namespace = safe_namespace(record.namespace) if record.namespace else "/"
    session = safe_id(record.session) if record.session else None
    if record.user is None:
        return Place(namespace=namespace, session_id=session)
    return Place(scope=Scope.USER, scope_id=user_id(record.user), namespace=namespace, session_id=session)


def _claim(kind: SourceKind, record: ForeignRecord, name: str, links: tuple[str, ...], plan: Plan) -> Claim:
    content = safe_text(record.text, limit=checks.CONTENT_BYTES_MAX)
    if content != record.text:
        plan.lose("control characters, or what is beyond a megabyte of text", record.place)
    source = safe_text(record.source) if record.source else None
    names = dict.fromkeys(safe_text(one) for one in (*record.entities, *((record.subject,) if record.subject else ())))
    said = {
        "id": record.id,
        "place": record.place,
        "tags": list(record.tags),
        "metadata": dict(record.metadata),
    }
    claim = Claim(
        content=content,
        nature=Nature(kind=record.kind or Kind.OBSERVATION),
        place=_place(record),
        origin=Origin(source=source, external_id=safe_text(record.id)),
        belief=(
            Belief(evidence=(source,) if source else (), unstated=True)
            if record.confidence is None
            else Belief(score=record.confidence, evidence=(source,) if source else ())
        ),
        times=Times(
            event_time=record.created,
            valid_from=record.valid_from,
            valid_until=record.valid_until,
            expires_at=record.expires,
        ),
        lineage=Lineage(derived_from=links, entities=tuple(names)[: checks.LIST_LENGTH_MAX]),
        extensions=(Extension(name=f"import.{kind}", body=json.dumps(said, ensure_ascii=False)),),
    )
    carried = InterchangeRecord(
        id=name,
        claim=claim,
        actor=safe_id(record.author) if record.author else None,
        role=safe_text(record.role) if record.role else None,
        revision=len(record.previous) + 1,
        created_at=record.created,
        updated_at=record.updated,
    )
    return packed(carried, claim.lineage)


class _Vault:
    """What the engine is asked."""

    def __init__(self, memory: Memory, kind: SourceKind) -> None:
        self._memory, self._kind = memory, kind

    def latest(self, name: str, *, besides: str) -> tuple[str, Status] | None:
        """What the record of this id said last before a batch, and whether it still speaks, if there is one."""
        try:
            found = self._memory.history(name)
        except NotFound:
            return None
        said = [one for one in found.revisions if one.record.proposal.rpartition(".")[0] != besides]
        if not said:
            return None
        last = max(said, key=lambda one: one.record.revision)
        return last.record.claim.content, last.standing.status

    def done(self, batch: str) -> int:
        """How many proposals of a batch were answered already: they are counted from 1 without a gap."""
        low, high = 0, 1
        while self._answered(batch, high):
            low, high = high, high * 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._answered(batch, middle) else (low, middle)
        return low

    def _answered(self, batch: str, number: int) -> bool:
        try:
            self._memory.review.report(f"{batch}.{number}")
        except NotFound:
            return False
        return True

    def propose(
        self, batch: str, steps: Sequence[_Step], *, first: int, hold: bool, preview: bool
    ) -> tuple[Verdict, ...]:
        newcomers = [step.newcomer for step in steps]
        return self._memory.imports.take_in(
            batch, newcomers, contract=f"import:{self._kind}", hold=hold, preview=preview, first=first
        )
