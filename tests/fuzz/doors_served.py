"""The doors of a server: bodies and queries of each operation, headers, messages of protocols, arguments of tools."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from urllib.parse import parse_qsl, urlencode

import msgspec
from tests.contracts.akashik.field import Field
from tests.contracts.akashik.test_levels import PAYLOADS
from tests.fuzz.door import Door, Told
from tests.support.world import simulated_memory

from muniment.contracts.akashik.codes import ErrorCode
from muniment.contracts.akashik.words import FieldOperation as Word
from muniment.contracts.strict.reader import read_json
from muniment.contracts.strict.values import Json
from muniment.engine.memory import Memory
from muniment.model.errors import MunimentError
from muniment.model.value import Value
from muniment.operations.table import OPERATIONS
from muniment.operations.tags import read_match
from muniment.operations.wire import shape_of
from muniment.surfaces.http.akashik_answers import Refused
from muniment.surfaces.http.akashik_messages import AGENT, EPOCH, query_of, read_message, whole
from muniment.surfaces.http.api.asking import read_body, read_query, understood
from muniment.surfaces.http.problems import Declined
from muniment.surfaces.mcp.akashik_tools import AKASHIK
from muniment.surfaces.mcp.reading_tools import READING
from muniment.surfaces.mcp.review_tools import REVIEWING
from muniment.surfaces.mcp.session import McpSession
from muniment.surfaces.mcp.tool import McpTool
from muniment.surfaces.mcp.writing_tools import WRITING
from muniment.surfaces.reception.principal import Principal

_QUERY_MARKS = (b"&", b"=", b"%", b"%00", b"%ff", b"%ed%a0%80", b"+", b";", b"limit=", b"cursor=", b"#", b"%2f", b"[]")
_STORE_STEPS = 3_000_000
"""What may be done for one call that asks a whole store."""
_SAID: dict[str, dict[str, Json]] = {
    "remember": {
        "content": "tea",
        "kind": "fact",
        "confidence": 0.5,
        "evidence": ["a"],
        "relations": [["supports", "r"]],
    },
    "propose": {
        "claim": {"content": "tea", "slot": {"subject": "a", "key": "b", "value": "c"}},
        "expected_revision": 1,
    },
    "propose_many": {"proposals": [{"claim": {"content": "a"}, "proposal_id": "p"}, {"claim": {"content": "b"}}]},
    "imports.preview": {"claims": [{"content": "a", "times": {"valid_from": "2026-01-01T00:00:00Z"}}]},
    "review.decide": {"accept": True, "reason": "why", "kind": "fact", "scope": "project", "scope_id": "a"},
    "revise": {"content": "tea", "entities": ["tea"], "valid_until": "2026-01-01T00:00:00Z", "sensitivity": "internal"},
    "review.retire": {"becomes": "archived", "reason": "why"},
    "review.outcome": {"result": "helpful", "weight": 0.5, "evidence": "a", "proposal_id": "out-1"},
    "review.vouch": {"origin": "person", "reason": "why"},
    "review.promote": {"scope": "project", "scope_id": "a", "evidence": ["a", "b"], "owner": "ana"},
    "review.resolve": {"strategy": "synthesis", "rationale": "why", "synthesis": "both", "kind": "fact"},
    "review.resolve_all": {"strategy": "confidence_weighted", "rationale": "why", "dry_run": True},
    "attune": {"role": "cook", "interests": ["tea"], "since": 3, "count": True, "limit": 5},
    "erasure.withdraw": {"by": "source", "value": "feed-1", "reason": "why", "dry_run": True},
    "forget": {"subject": "tea", "reason": "why", "cascade": "redact", "dry_run": True},
    "recall": {"query": "tea", "limit": 3, "scopes": ["project"], "known_at": "2026-01-01T00:00:00Z", "floor": 0.0},
    "ledger.verify": {"anchor": {"tenant": "default", "seq": 1, "hash": "00" * 32, "at": "2026-01-01T00:00:00Z"}},
}
"""What some operations are asked; the others are asked with what their types say of themselves."""


def _body(kind: type[Value], text: bytes) -> object:
    sketch = read_body(text, kind)
    with understood():
        return shape_of(kind).settle(sketch)


def _query(kind: type[Value] | None, text: bytes) -> object:
    with understood():
        return read_query(text, kind)


def _sketched(kind: type[Value]) -> Json:
    """A small document of that type, made of what its fields are called."""
    words: dict[str, Json] = {"accept": True, "weight": 0.5, "timeout": 1.5, "limit": 3, "since": 0, "count": True}
    words |= {"older_than_days": 30.0, "keep_bytes": 10, "dry_run": True}
    found: dict[str, Json] = {}
    for field in msgspec.structs.fields(kind):
        found[field.name] = words.get(field.name, "project" if field.name == "scope" else "a")
    return found


def _parameters(kind: type[Value]) -> bytes:
    words = "direction=up&replay=true&becomes=retracted&limit=3&statuses=active&contract=omir&reason=why&name=tea"
    said = dict(parse_qsl(f"{words}&session=s-1&namespace=/a&bucket=day&subject=tea&key=kind"))
    known = [field.name for field in msgspec.structs.fields(kind)]
    said |= {"since": "1"} if "until" in known else {}
    return urlencode([(name, said[name]) for name in known if name in said] or [(known[0], "1")]).encode()


def _message(word: Word, text: bytes) -> object:
    """A whole envelope, or a bare payload whose envelope is in headers."""
    try:
        bare = read_message(text, {AGENT: "human", EPOCH: "7"}, word)
        return read_message(text, {}, word), bare
    except Refused as error:
        raise Told(error.answer.value, str(error)) from None


def _sent(field: Field, word: Word, text: bytes) -> object:
    """Through the field itself: an answer of the protocol, and no change if it is a refusal."""
    before = field.memory.ledger.head().seq
    answer = field.real.send(read_json(text), field.credential("human"))
    if "code" in answer:
        code, words = str(answer["code"]), json.dumps(answer)
        assert code in {one.value for one in ErrorCode} - {ErrorCode.INTERNAL_ERROR.value}, words
        assert field.memory.ledger.head().seq == before, f"refused, and written: {words}"
        raise Told(code, str(answer.get("message", "")))
    if word is Word.DEREGISTER and field.roster.member("human") is None:
        field.join("human")
    return answer


def _header(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda text: read(text.decode("latin-1"))


def _listened(text: str) -> object:
    return query_of(text, {"agent_id", "after", "ticket", "frames"}, many={"agent_id"})


class _Desk:
    """One caller's seat at one memory, for tools."""

    def __init__(self) -> None:
        self.field = Field(simulated_memory()).join("owner")
        self.memory: Memory = self.field.memory
        visitor = Principal(actor=self.memory.actor, tenant="default", agents=("*",))
        self.seat = McpSession(visitor, self.memory, lambda: self.field.real)

    def arguments(self, tool: McpTool) -> Json:
        """Arguments that a tool takes, about what is there."""
        known = tool.takes.get("properties")
        assert isinstance(known, dict)
        if "payload" in known:
            word = Word(tool.words.name.removeprefix("akashik_").upper())
            return {"agent_id": "owner", "payload": PAYLOADS[word]}
        about: dict[str, Json] = {**_ARGUMENTS, **self._names(tool.words.name)}
        left_out = () if tool.words.name == "decide" else ("proposal_id",)
        return {name: about[name] for name in known if name in about and name not in left_out}

    def _names(self, door: str) -> dict[str, Json]:
        """A record, a proposal that waits, a receipt and a conflict of their own for each tool, by their ids."""
        first = self.memory.remember(f"the {door} is red", subject=door, key="colour", value="red")
        self.memory.remember(f"the {door} is blue", subject=door, key="colour", value="blue")
        held = self.memory.as_actor("bot").remember(f"paint the {door}", kind="decision")
        receipt, conflict = self.memory.recall(door).receipt_id, self.memory.review.conflicts()[-1]
        names = {"record_id": first.record_id, "memory_unit_id": first.record_id, "receipt_id": receipt}
        return {**names, "proposal_id": held.proposal_id, "conflict_id": conflict.id, "agent_id": "owner"}

    def perform(self, tool: McpTool, text: bytes) -> object:
        """What a tool answers to arguments that a client could have sent; a failure is told as tools tell it."""
        given = read_json(text)
        if not isinstance(given, dict):
            raise Told("malformed", "arguments are an object")
        before = self.memory.ledger.head().seq
        try:
            tool.needs(given)
            told = tool.perform(self.seat, given)
            if self.field.roster.member("owner") is None:
                self.field.join("owner")
        except MunimentError as error:
            assert self.memory.ledger.head().seq == before, "refused, and written"
            told = tool.fails(error)
        msgspec.json.encode(told.document)
        if told.failed:
            document = msgspec.to_builtins(told.document)
            inner = document.get("error", document)
            assert inner["code"] not in ("internal", ErrorCode.INTERNAL_ERROR.value), told.text
            raise Told(inner["code"], f"{inner.get('message', '')} {inner.get('hint', '')}")
        return told


_ARGUMENTS: dict[str, Json] = {
    "content": "tea is hot",
    "query": "tea",
    "reason": "why",
    "rationale": "why",
    "strategy": "human_escalation",
    "result": "helpful",
    "answer": "accept",
    "limit": 3,
    "kinds": ["fact"],
    "confidence": 0.5,
    "dry_run": True,
    "valid_at": "2026-01-01T00:00:00Z",
    "since": 0,
    "interests": ["tea"],
    "depth": 2,
}


def _rest() -> list[Door]:
    turned = (Told, Declined)
    found = []
    for operation in OPERATIONS:
        if operation.body is not None:
            documents = (_SAID.get(operation.name) or _sketched(operation.body),)
            found.append(Door(f"body of {operation.name}", partial(_body, operation.body), documents, turned=turned))
    kinds = {operation.query for operation in OPERATIONS if operation.query is not None}
    for kind in sorted(kinds, key=lambda one: one.__name__):
        samples = (_parameters(kind),)
        found.append(Door(f"query {kind.__name__}", partial(_query, kind), (), samples, _QUERY_MARKS, turned=turned))
    return found


def _protocol() -> list[Door]:
    field = Field().join("human", "a", "b")
    found = []
    for word in Word:
        document = field.message(word.value, "human", PAYLOADS[word])
        bare: Json = PAYLOADS[word]
        found.append(Door(f"message {word.value}", partial(_message, word), (document, bare)))
        found.append(Door(f"field {word.value}", partial(_sent, field, word), (document,), few=_STORE_STEPS))
    return found


def doors() -> tuple[Door, ...]:
    desk = _Desk()
    tools = (*WRITING, *READING, *REVIEWING, *AKASHIK)
    heard = (b"after=7&agent_id=ana&frames=true",)
    return (
        *_rest(),
        *_protocol(),
        *(
            Door(f"tool {one.words.name}", partial(desk.perform, one), (desk.arguments(one),), few=_STORE_STEPS)
            for one in tools
        ),
        Door("if-match", _header(read_match), (), (b'"r3", "r4.abc"', b"*", b'W/"r1"'), (b'"', b",", b"W/", b"r")),
        Door("position", _header(partial(whole, "after")), (), (b"12",), (b"-", b"+", b"_", b"e9", b"\xb2", b"9" * 30)),
        Door("stream query", _header(_listened), (), heard, _QUERY_MARKS),
    )
