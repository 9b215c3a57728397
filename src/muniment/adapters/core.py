"""What every adapter stands on: one memory as one actor sees it, where values are kept under a path and a key.

All calls of the engine are here; an adapter translates between this and its framework and knows no more of either.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from pathlib import Path
from secrets import token_hex
from typing import TypeAlias

import msgspec

from muniment.client import Client
from muniment.config import AS_SET
from muniment.engine import Memory
from muniment.engine.options import QueryOptions
from muniment.model import times
from muniment.model.actor import OWNER, Actor
from muniment.model.claim import Claim, Extension
from muniment.model.claim_options import ClaimOptions, make_claim
from muniment.model.curation import Verdict
from muniment.model.errors import Malformed, NotFound, NotPermitted, Stale, StoreBusy
from muniment.model.query import Disclosure
from muniment.model.reasoning import names_thought
from muniment.model.recall import Recall
from muniment.model.times import Instant
from muniment.model.user import user_id, user_name
from muniment.model.vocabulary import Outcome
from muniment.ports.embedder import Embedder

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"
Labels: TypeAlias = tuple[str, ...]
Given: TypeAlias = "str | Path | Memory | Client | AdapterMemory"
"""A vault folder, a database address, the address of a server, or a memory that is open."""
OnDecision: TypeAlias = "Callable[[Written], None]"

LOG = logging.getLogger("muniment.adapters")
PAGE_MAX = 200
_TRIES = 10
_OF = "~"
_NAMESPACE_MAX = 480
_LABEL_MAX = 100

ORIGINS = {
    "user": "user",
    "human": "user",
    "assistant": "agent",
    "ai": "agent",
    "model": "agent",
    "agent": "agent",
    "tool": "tool",
    "toolresult": "tool",
    "function": "tool",
    "system": "system",
    "developer": "system",
    "import": "import",
}
"""Who speaks in a message, and as what sort of source it is kept. A role that is not here is of unknown origin."""


class Expected(Enum):
    """What a writer takes to be there: whatever it is, or nothing."""

    ANYTHING = "anything"
    NOTHING = "nothing"


class ChangedMeanwhile(Exception):
    """What a writer took to be there is not there any more. `present` is what is there now."""

    def __init__(self, key: str, present: Stored | None) -> None:
        super().__init__(f"{key} was changed by somebody else meanwhile")
        self.present = present


class NotKept(Exception):
    """A write that was held for a person, or refused. Its text may be shown to a model."""

    def __init__(self, written: Written) -> None:
        super().__init__(written.told)
        self.written = written


@dataclass(frozen=True, slots=True)
class Stored:
    """A value as it is kept now, and the record that keeps it."""

    path: Labels
    key: str
    value: Json
    created: Instant
    disclosure: Disclosure
    receipt: str | None = None
    lasts: timedelta | None = None
    instead: str | None = None

    @property
    def id(self) -> str:
        return self.disclosure.record.id

    @property
    def revision(self) -> int:
        return self.disclosure.record.revision

    @property
    def created_at(self) -> datetime:
        return _moment(self.created)

    @property
    def updated_at(self) -> datetime:
        return _moment(self.disclosure.record.created_at)

    @property
    def expires(self) -> Instant | None:
        return self.disclosure.record.claim.times.expires_at

    @property
    def flags(self) -> dict[str, object]:
        """What a caller may want to know beside the value."""
        return {
            "record_id": self.id,
            "revision": self.revision,
            "receipt_id": self.receipt,
            "gate": self.disclosure.gate.value,
            "presented": self.disclosure.presented.value,
            "origin": self.disclosure.standing.footing.label.value,
            "notices": list(self.disclosure.notices),
        }


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a write: `kept`, `unchanged` (it said nothing new), `held` for a person or `refused`. `changed`
    names what was taken out of it before it was kept, such as a secret."""

    path: Labels
    key: str
    state: str
    reason: str
    proposal_id: str | None
    record_id: str | None = None
    revision: int | None = None
    changed: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.state in ("kept", "unchanged")

    @property
    def told(self) -> str:
        """The decision in words, without any of the content."""
        if self.state == "held":
            return f"Not stored yet: it waits for a person to decide ({self.reason}; proposal {self.proposal_id})."
        if self.state == "refused":
            return f"Not stored: the memory's policy refused it ({self.reason})."
        return "Stored." if not self.changed else f"Stored without {', '.join(self.changed)}."


class AdapterMemory:
    """One memory as one actor sees it, for one user or for none. It closes what it opened; the rest is its owner's."""

    def __init__(
        self,
        memory: Given,
        *,
        adapter: str,
        actor: str | Actor | None = None,
        user: str | None = None,
        tenant: str = "default",
        key: str | None = None,
        embedder: str | Embedder | Callable[[list[str]], list[list[float]]] | None = AS_SET,
        on_decision: OnDecision | None = None,
        private: bool = False,
    ) -> None:
        self.adapter = adapter
        self.on_decision = on_decision
        self.private = private
        self._close: Callable[[], None] = lambda: None
        self._users: dict[str, AdapterMemory] = {}
        if isinstance(memory, AdapterMemory):
            memory = memory.memory
        self.memory: Memory | Client
        if isinstance(memory, Client):
            self.memory = _as_key(memory, actor)
        elif isinstance(memory, Memory):
            self.memory = _as_somebody(memory, actor, adapter)
        elif isinstance(memory, str) and memory.startswith(("http://", "https://")):
            client = Client(memory, key=key)
            self.memory, self._close = _as_key(client, actor), client.close
        elif isinstance(memory, (str, Path)):
            opened = Memory.open(memory, tenant=tenant, actor=adapter if actor is None else actor, embedder=embedder)
            self.memory, self._close = opened, opened.close
        else:
            raise Malformed("memory", "a vault folder, a database address, a server address, a Memory or a Client")
        if user is not None:
            self.memory = self.memory.for_user(user)
        self.user = user

    def close(self) -> None:
        self._close()

    def for_user(self, user: str | None) -> AdapterMemory:
        """The same for one user; None is this one. What is another user's is not found here, whoever asks."""
        if user is None or user == self.user:
            return self
        found = self._users.get(user)
        if found is None:
            found = AdapterMemory(
                self.memory, adapter=self.adapter, user=user, on_decision=self.on_decision, private=self.private
            )
            if len(self._users) < 1_000:
                self._users[user] = found
        return found

    # What is kept under a path and a key.

    def get(self, path: Labels, key: str) -> Stored | None:
        """The value as it stands, unless its time is over."""
        found = self._present(path, key)
        return None if found is None or _over(found) else found

    def put(
        self,
        path: Labels,
        key: str,
        value: Json,
        *,
        text: str | None = None,
        role: str | None = "agent",
        source: str | None = None,
        expected: Expected | int = Expected.ANYTHING,
        lasts: timedelta | None = None,
        session: str | None = None,
        detect: bool = True,
        proposal_id: str | None = None,
    ) -> Written:
        """Keep a value: a new record, or a new revision of the record that is there. With an `expected` revision, or
        with nothing expected, it is kept only if just that is there: else `ChangedMeanwhile`."""
        body = _encoded(path, key, value)
        said = readable(value) if text is None else text
        said = said if said.strip() else key if key.strip() else self.adapter
        for _ in range(_TRIES):
            present = self._present(path, key)
            self._check(key, expected, present)
            if present is not None and not _over(present) and lasts is None and present.lasts is None:
                slot = present.disclosure.record.claim.slot
                if (
                    slot is not None
                    and slot.value == _digest(body)
                    and present.disclosure.record.content == _visible(said)
                ):
                    return Written(path, key, "unchanged", "it says just that", None, present.id, present.revision)
            options: ClaimOptions = {
                "kind": "observation",
                "source": source,
                "source_type": None if role is None else ORIGINS.get(role, "unknown"),
                "session_id": session_name(session),
                "expires_at": None if lasts is None else _until(lasts),
                **self._place(path),
                "subject": _subject(path),
                "key": spell(key),
                "value": _digest(body),
            }
            claim = self._claim(said, options, body, present, lasts)
            try:
                verdict = self.memory.propose(
                    claim,
                    proposal_id=proposal_id,
                    target=None if present is None else present.id,
                    expected_revision=0 if present is None else present.revision,
                    detect=detect,
                )
            except Stale:
                if expected is not Expected.ANYTHING:
                    raise ChangedMeanwhile(key, self._present(path, key)) from None
                continue
            return self._told(_written(path, key, verdict, present))
        raise StoreBusy(f"{key} was changed {_TRIES} times while it was being written")

    def append(
        self,
        path: Labels,
        value: Json,
        *,
        text: str | None = None,
        role: str | None = None,
        source: str | None = None,
        session: str | None = None,
        key: str | None = None,
    ) -> Written:
        """Keep a value behind those that are there: one item of a log, such as a message. With a `key` it is kept once.
        In the place of one that is held or refused stands the same item with that said instead of its words, so that
        a call keeps its answer; once a person accepts it, it stands there itself."""
        name = key if key is not None else f"{_now():020d}-{token_hex(4)}"
        if key is not None and (present := self._present(path, key)) is not None:
            return Written(path, name, "unchanged", "it is there already", None, present.id, present.revision)
        said = readable(value) if text is None else text
        options: ClaimOptions = {
            "kind": "observation",
            "source": source,
            "source_type": None if role is None else ORIGINS.get(role, "unknown"),
            "session_id": session_name(session),
            **self._place(path),
            "subject": _subject(path),
            "key": spell(name),
        }
        written = self._appended(path, name, value, said, options)
        if not written.ok:
            self._appended(path, name, _blanked(value, f"[{written.told}]"), written.told, options, written.proposal_id)
        return self._told(written)

    def _appended(
        self, path: Labels, name: str, value: Json, said: str, options: ClaimOptions, instead: str | None = None
    ) -> Written:
        body = _encoded(path, name, value)
        options["value"] = _digest(body)
        claim = self._claim(said if said.strip() else self.adapter, options, body, None, instead=instead)
        return _written(path, name, self.memory.propose(claim, detect=False), None)

    def move(self, stored: Stored, path: Labels, key: str) -> Written:
        """Give a value another path and key. It stays the same record, with its history."""
        body = _encoded(path, key, stored.value)
        record = stored.disclosure.record
        options: ClaimOptions = {
            **self._place(path),
            "subject": _subject(path),
            "key": spell(key),
            "value": _digest(body),
        }
        there = self._claim(record.content, options, body, stored)
        claim = msgspec.structs.replace(record.claim, place=there.place, slot=there.slot, extensions=there.extensions)
        verdict = self.memory.propose(claim, target=stored.id, expected_revision=stored.revision, detect=False)
        return self._told(_written(path, key, verdict, stored))

    def renew(self, stored: Stored) -> None:
        """Let a value that lasts for a time last as long again."""
        record = stored.disclosure.record
        assert stored.lasts is not None
        until = _until(stored.lasts)
        claim = msgspec.structs.replace(
            record.claim, times=msgspec.structs.replace(record.claim.times, expires_at=until)
        )
        self.memory.propose(claim, target=record.id, detect=False)

    def settle(self) -> None:
        """Wait until what was written can be found by its meaning too."""
        self.memory.flush(timeout=30.0)

    def delete(self, path: Labels, key: str, *, expected: int | None = None) -> Written | None:
        """Take a value back: it is found no more; its history stays. None if nothing is there."""
        present = self._present(path, key)
        if present is None:
            return None
        if expected is not None and present.revision != expected:
            raise ChangedMeanwhile(key, present)
        return self.retract(present)

    def retract(self, stored: Stored) -> Written:
        """The same for a value at hand."""
        words = f"deleted through the {self.adapter} adapter"
        try:
            verdict = self.memory.review.retract(stored.id, reason=words)
        except NotPermitted:
            why = "only who wrote it, or a reviewer, may take it back"
            return self._told(Written(stored.path, stored.key, "refused", why, None, stored.id, stored.revision))
        return self._told(_written(stored.path, stored.key, verdict, None))

    def below(self, prefix: Labels = (), *, session: str | None = None, expired: bool = False) -> list[Stored]:
        """Every value below a path, in the order it was first written; with `expired` those whose time is over too."""
        found = self.memory.insight.browse(session=session_name(session), **self._bounds(prefix))
        live = sorted(
            (one for one in self._stored(found, prefix) if expired or not _over(one)), key=lambda one: one.created
        )
        return _accepted(live)

    def search(self, prefix: Labels, query: str, *, limit: int, floor: float | None = None) -> list[Stored]:
        """The values below a path that answer a question, the best first."""
        bounds = self._bounds(prefix)
        bounds["limit"], bounds["floor"] = min(limit, PAGE_MAX), floor
        told = self.memory.recall(query, **bounds)
        return [one for one in self._stored(told.records, prefix, told.receipt_id) if not _over(one)]

    def clear(self, prefix: Labels) -> int:
        """Take back everything below a path that may be taken back; return how much that was."""
        return sum(1 for one in self.below(prefix) if self.retract(one).ok)

    def addressed(self, name: str) -> tuple[AdapterMemory, str]:
        """The memory that an `address` names, and the record."""
        record, _, user = name.partition(_OF)
        return self.for_user(user_name(user) if user else None), record

    def withdraw(self, reason: str) -> None:
        """Take back everything that this actor contributed, of all users. Needs the right to withdraw it."""
        self.memory.erasure.withdraw("actor", self.memory.actor.id, reason=reason)

    # What is said and asked in plain words.

    def remember(self, content: str, *, role: str | None = "agent", **options: object) -> Written:
        """Propose a statement."""
        said: ClaimOptions = {"source_type": None if role is None else ORIGINS.get(role, "unknown")}
        said.update(options)  # type: ignore[typeddict-item]  # an unknown one is refused by name
        said.setdefault("kind", "observation")
        return self._told(_written((), "", self.memory.remember(content, **said), None))

    def recall(self, query: str, *, limit: int = 10, **options: object) -> Recall:
        """Ask; everything this actor may see is searched, by whatever way it came in."""
        return self.memory.recall(query, limit=max(0, min(limit, PAGE_MAX)), **options)  # type: ignore[arg-type]  # the same

    def record(self, record_id: str) -> Stored | None:
        """A value by the id of its record, if it was kept through this adapter and still stands."""
        found = list(self._stored([self.memory.get(record_id)], ()))
        return found[0] if found and found[0].disclosure.standing.status.value in ("active", "contested") else None

    def decided(self, proposal_id: str) -> Stored | None:
        """The value that a proposal of that id became, as it was written then; None if there is no such proposal."""
        try:
            report = self.memory.review.report(proposal_id)
            if report.record_id is None:
                return None
            disclosure = self.memory.get(report.record_id, revision=report.revision)
        except NotFound:
            return None
        return next(self._stored([disclosure], ()), None)

    def revisions(self, record_id: str) -> Iterator[tuple[Disclosure, Stored]]:
        """Every revision of a value, the oldest first."""
        for view in self.memory.history(record_id).revisions:
            disclosure = self.memory.get(record_id, revision=view.record.revision)
            for stored in self._stored([disclosure], ()):
                yield disclosure, stored

    def _present(self, path: Labels, key: str) -> Stored | None:
        place = self._place(path)
        found = self.memory.insight.lookup(
            _subject(path), spell(key), scope=place.get("scope"), scope_id=place.get("scope_id")
        )
        return next((one for one in self._stored(found, path) if one.key == key and one.path == path), None)

    def _check(self, key: str, expected: Expected | int, present: Stored | None) -> None:
        live = None if present is None or _over(present) else present
        if expected is Expected.NOTHING and live is not None:
            raise ChangedMeanwhile(key, live)
        if isinstance(expected, int) and (live is None or live.revision != expected):
            raise ChangedMeanwhile(key, live)

    def _place(self, path: Labels) -> ClaimOptions:
        """Where a value belongs: to its user, else to this actor alone, or to everybody of the project."""
        if self.user is not None or self.memory.actor.user is not None:
            return {"namespace": self._namespace(path)}
        if self.private:
            return {"namespace": self._namespace(path), "scope": "agent_repo", "scope_id": self.memory.actor.id}
        return {"namespace": self._namespace(path), "scope": "project"}

    def _bounds(self, prefix: Labels) -> QueryOptions:
        """The same as the bounds of a question: what belongs elsewhere is not even looked at."""
        place = self._place(prefix)
        scope = place.get("scope")
        bounds: QueryOptions = {"namespace": place["namespace"], "scopes": ["user" if scope is None else scope]}
        if (scope_id := place.get("scope_id")) is not None:
            bounds["scope_ids"] = [scope_id]
        return bounds

    def _namespace(self, path: Labels) -> str:
        """The path as a namespace, as deep as there is room; whatever is deeper stands in the slot."""
        found = f"/{self.adapter}"
        for label in path:
            longer = f"{found}/{spell(label)}"
            if len(longer) > _NAMESPACE_MAX:
                break
            found = longer
        return found

    def _claim(
        self,
        text: str,
        options: ClaimOptions,
        body: str,
        present: Stored | None,
        lasts: timedelta | None = None,
        instead: str | None = None,
    ) -> Claim:
        claim = make_claim(_visible(text), self.memory.actor, options)
        kept = json.loads(body)
        if present is not None and not _over(present):
            kept["created"] = present.created
        if lasts is not None:
            kept["lasts"] = _micros(lasts)
        if instead is not None:
            kept["instead"] = instead
        extension = Extension(name=self.adapter, body=json.dumps(kept, separators=(",", ":")))
        return msgspec.structs.replace(claim, extensions=(extension,))

    def _stored(self, found: Iterable[Disclosure], prefix: Labels, receipt: str | None = None) -> Iterator[Stored]:
        for disclosure in found:
            for extension in disclosure.record.claim.extensions:
                if extension.name != self.adapter:
                    continue
                kept = json.loads(extension.body)
                path = tuple(kept["path"])
                if path[: len(prefix)] == prefix:
                    created = Instant(kept.get("created", disclosure.record.created_at))
                    lasts = timedelta(microseconds=kept["lasts"]) if "lasts" in kept else None
                    yield Stored(
                        path, kept["key"], kept["value"], created, disclosure, receipt, lasts, kept.get("instead")
                    )

    def _told(self, written: Written) -> Written:
        """Say aloud what became of a write. What was not kept as it was given is never passed over in silence."""
        if not written.ok or written.changed:
            LOG.warning("%s: %s %s: %s", self.adapter, "/".join(written.path), written.key, written.told)
        if self.on_decision is not None:
            self.on_decision(written)
        return written


def spell(label: str) -> str:
    """A label in characters that stay the same however names are compared, each label in its own way.

    >>> spell("users"), spell("Ada.L")
    ('users', ':41da:2e:4c')
    """
    spelled = "".join(
        chr(byte) if chr(byte) in "abcdefghijklmnopqrstuvwxyz0123456789-_" else f":{byte:02x}"
        for byte in label.encode("utf-8", "surrogatepass")
    )
    if not spelled:
        return ".e"
    return spelled if len(spelled) <= _LABEL_MAX else f"{spelled[:60]}.{_digest(label)}"


def session_name(given: str | None) -> str | None:
    """The id of a session here: the given one where it can be one."""
    if given is None or not given:
        return None
    try:
        return user_id(given)
    except Malformed:
        return _digest(given)


def address(record: str, user: str | None) -> str:
    """A name for a record that says whose memory it is in, for frameworks that find a memory by its id alone."""
    return record if user is None else f"{record}{_OF}{user_id(user)}"


def readable(value: Json) -> str:
    """The words of a value, for search and for people.

    >>> readable({"kind": "Memory", "content": {"content": "likes tea"}})
    'kind: Memory\\ncontent: likes tea'
    >>> readable({"text": "likes tea"})
    'likes tea'
    """
    leaves = list(_leaves("", value))
    words = [(name, text) for name, text in leaves if text.strip()]
    if len(words) == 1:
        return words[0][1]
    return "\n".join(f"{name}: {text}" if name else text for name, text in words)


def without_thought(value: Json) -> Json:
    """A message without private reasoning, which no memory here may keep: blocks that hold it go whole.

    >>> without_thought([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "yes"}])
    [{'type': 'text', 'text': 'yes'}]
    """
    if isinstance(value, list):
        return [without_thought(one) for one in value if not (isinstance(one, dict) and _thinks(one))]
    if isinstance(value, dict):
        return {name: without_thought(one) for name, one in value.items() if not names_thought(name)}
    return value


def _thinks(block: dict[str, Json]) -> bool:
    return block.get("type") in ("thinking", "redacted_thinking") or any(map(names_thought, block))


def matches(value: Json, wanted: object) -> bool:
    """Whether a value is what a filter asks for: the same, or for each of the filter's keys what that asks for, by
    equality or by `$eq $ne $gt $gte $lt $lte`. What cannot be compared does not match.

    >>> matches({"a": {"b": 3}}, {"a": {"b": {"$gt": 2}}}), matches({"a": "x"}, {"a": {"$gt": 2}})
    (True, False)
    """
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compared(value, str(name), than) for name, than in wanted.items())
        return isinstance(value, dict) and all(matches(value.get(name), one) for name, one in wanted.items())
    if isinstance(wanted, (list, tuple)):
        if not isinstance(value, list) or len(value) != len(wanted):
            return False
        return all(matches(one, other) for one, other in zip(value, wanted, strict=True))
    return value == wanted


def _compared(value: Json, operator: str, than: object) -> bool:
    if operator in ("$eq", "$ne"):
        return (value == than) is (operator == "$eq")
    if operator not in ("$gt", "$gte", "$lt", "$lte"):
        raise ValueError(f"Unsupported operator: {operator}")
    try:
        one, other = float(value), float(than)  # type: ignore[arg-type]  # what is no number is caught
    except (TypeError, ValueError):
        return False
    return {"$gt": one > other, "$gte": one >= other, "$lt": one < other, "$lte": one <= other}[operator]


_WORDS = frozenset({"text", "content", "output", "thought", "result", "response", "parts", "kwargs", "data", "message"})


def _blanked(value: Json, words: str) -> Json:
    """An item with other words in it: every text of it that a model would read."""
    if isinstance(value, dict):
        return {
            name: words if isinstance(one, str) and name in _WORDS else _blanked(one, words) if name in _WORDS else one
            for name, one in value.items()
        }
    if isinstance(value, list):
        return [words if isinstance(one, str) else _blanked(one, words) for one in value]
    return value


def _accepted(found: list[Stored]) -> list[Stored]:
    """Items that a person accepted stand where they were said, in the place of what stood there for them."""
    waited = {(one.path, one.key) for one in found if one.instead is not None}
    if not waited:
        return found
    said = {(one.path, one.key): one for one in found if one.instead is None and (one.path, one.key) in waited}
    first = (one for one in found if one.instead is not None or (one.path, one.key) not in said)
    return [said.get((one.path, one.key), one) for one in first]


def _leaves(name: str, value: Json) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _leaves(str(key), one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _leaves(name, one)
    elif value is not None:
        yield name, value if isinstance(value, str) else json.dumps(value)


def _as_somebody(memory: Memory, actor: str | Actor | None, adapter: str) -> Memory:
    """An open memory as the actor that is named. If none is, it stays as it is, unless it is the owner's: no adapter
    speaks as the owner because somebody forgot to say who it is."""
    if actor is None and memory.actor.id != OWNER:
        return memory
    user = memory.actor.user
    seen = memory.as_actor(adapter if actor is None else actor)
    return seen if user is None else seen.for_user(user_name(user))


def _as_key(client: Client, actor: str | Actor | None) -> Client:
    """A served memory is seen by whoever its key belongs to."""
    wanted = actor.id if isinstance(actor, Actor) else actor
    if wanted is not None and client.actor.id != wanted:
        hint = "Leave the actor out, or make a key for it."
        raise Malformed("actor", f"{client.actor.id}, whom the key belongs to", hint=hint)
    return client


def _written(path: Labels, key: str, verdict: Verdict, present: Stored | None) -> Written:
    state = {Outcome.COMMITTED: "kept", Outcome.HELD: "held"}.get(verdict.outcome, "refused")
    if present is not None and verdict.duplicate_of == present.id:
        state = "unchanged"
    revision = verdict.revision if present is None or verdict.committed else present.revision
    record = verdict.record_id if verdict.record_id is not None else verdict.duplicate_of
    changed = tuple(dict.fromkeys(one.what for one in verdict.redactions)) if verdict.committed else ()
    return Written(path, key, state, verdict.reason, verdict.proposal_id, record, revision, changed)


def _subject(path: Labels) -> str:
    spelled = "/" + "/".join(spell(label) for label in path)
    return spelled if len(spelled) <= 400 else f"{spelled[:300]}.{_digest(spelled)}"


def _encoded(path: Labels, key: str, value: Json) -> str:
    try:
        return json.dumps({"path": path, "key": key, "value": value}, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise Malformed("value", f"something that JSON can say ({error})") from None


def _visible(text: str) -> str:
    """Text without the control characters that no content may have."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else " " for sign in text)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


def _now() -> Instant:
    return times.from_datetime(datetime.now(UTC), field="now")


def _moment(instant: Instant) -> datetime:
    return datetime.fromtimestamp(0, UTC) + timedelta(microseconds=instant)


def _until(lasts: timedelta) -> Instant:
    return Instant(min(_now() + _micros(lasts), times.MAX))


def _micros(span: timedelta) -> int:
    return int(span.total_seconds() * 1_000_000)


def _over(stored: Stored) -> bool:
    return stored.expires is not None and stored.expires <= _now()
