"""Values on their way: whole, in words everybody reads, and the same when they arrive."""

from __future__ import annotations

import msgspec
import pytest
from tests.cases import each

from muniment import Memory
from muniment.engine import ConflictView, History, LineageView, Quality, QueueItem, Stats, VerificationResult
from muniment.model.claim import Belief, Claim, Times
from muniment.model.curation import StepOutcome, Verdict
from muniment.model.entry import Entry, EntryKind, LedgerHead
from muniment.model.errors import Malformed
from muniment.model.query import Disclosure
from muniment.model.recall import Recall
from muniment.model.receipt import Explanation
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import Step, StepResult
from muniment.operations import OPERATIONS
from muniment.operations.wire import misshapen, shape_of, twin


def plain(value: Value) -> dict[str, object]:
    found: dict[str, object] = msgspec.json.decode(shape_of(type(value)).write(value))
    return found


def test_instants_travel_as_rfc_3339_text() -> None:
    assert plain(Times(event_time=Instant(1_772_357_400_000_000))) == {
        "event_time": "2026-03-01T09:30:00Z",
        "valid_from": None,
        "valid_until": None,
        "expires_at": None,
    }


def test_bytes_travel_as_hexadecimal_digits() -> None:
    head = LedgerHead(tenant="default", seq=7, hash=b"\x00\xff", at=Instant(0))

    assert plain(head)["hash"] == "00ff"
    assert shape_of(LedgerHead).read(shape_of(LedgerHead).write(head)) == head


def test_what_says_the_usual_is_not_left_out() -> None:
    told = plain(Claim(content="Tea is at four"))

    assert told["nature"] == {
        "kind": "observation",
        "memory_type": "semantic",
        "memory_class": "long_term",
        "experience": None,
        "lifecycle": None,
    }
    assert told["slot"] is None
    assert told["extensions"] == []


def test_a_step_travels_with_the_names_of_its_parts() -> None:
    step = StepOutcome(step=Step.SAFETY, result=StepResult.PASSED, note="nothing found")

    assert plain(step) == {"step": "safety_redaction", "result": "passed", "note": "nothing found"}
    assert shape_of(StepOutcome).read(shape_of(StepOutcome).write(step)) == step


def test_every_answer_of_a_memory_arrives_as_it_left(memory: Memory) -> None:
    verdict = memory.remember("The staging database moved to eu-west-2", kind="fact", evidence=["ticket:OPS-7"])
    memory.remember(
        "The staging database did not move to eu-west-2", kind="fact", relations=[("contradicts", _id(verdict))]
    )
    memory.as_actor("planner").remember("Always deploy on Monday", kind="preference")
    told = memory.recall("where is the staging database?")

    assert told.records
    assert memory.review.conflicts()
    assert memory.review.queue()
    _same(verdict, Verdict)
    _same(told, Recall)
    _same(memory.get(_id(verdict)), Disclosure)
    _same(memory.history(_id(verdict)), History)
    _same(memory.insight.lineage(_id(verdict)), LineageView)
    _same(memory.review.conflicts()[0], ConflictView)
    _same(memory.review.queue()[0], QueueItem)
    _same(memory.insight.stats(), Stats)
    _same(memory.insight.quality(), Quality)
    _same(memory.ledger.verify(), VerificationResult)


def _id(verdict: Verdict) -> str:
    assert verdict.record_id is not None
    return verdict.record_id


def _same(value: Value, kind: type[Value]) -> None:
    assert type(value) is kind
    assert shape_of(kind).read(shape_of(kind).write(value)) == value


def test_the_numbers_of_documents_stay_inside(memory: Memory) -> None:
    memory.remember("The staging database moved to eu-west-2", kind="fact", evidence=["ticket:OPS-7"])
    told = memory.recall("where is the staging database?")
    explained = memory.explain(told.receipt_id)

    body = shape_of(Explanation).write(explained)
    arrived = shape_of(Explanation).read(body)

    assert b'"rid"' not in body
    assert explained.account.candidates[0].rid != 0
    assert arrived.account.candidates[0].rid == 0
    assert arrived.account.candidates[0].id == explained.account.candidates[0].id
    assert (arrived.account.policy, arrived.account.opponents) == (0, ())


def test_the_pepper_of_a_ledger_stays_inside() -> None:
    genesis = Entry(
        v=1, tenant="default", seq=1, at=Instant(0), kind=EntryKind.GENESIS, actor="system", pepper="c0ffee", key="k"
    )

    body = shape_of(Entry).write(genesis)

    assert b"c0ffee" not in body
    assert b"pepper" not in body
    assert shape_of(Entry).read(body).pepper is None


def test_every_type_of_the_table_has_a_shape() -> None:
    kinds = {kind for one in OPERATIONS for kind in (one.answer, one.query, one.body) if kind is not None}

    assert len(kinds) > 30
    for kind in kinds:
        assert twin(kind).__struct_config__.forbid_unknown_fields


@each(
    ("body", "field", "words"),
    [
        (b'{"content": 7}', "content", "content: expected text"),
        (b'{"content": "x", "tenant": "other"}', "tenant", "tenant: expected nothing: there is no such field here"),
        (b"{}", "content", "content: expected a value: it is required"),
        (
            b'{"content": "x", "nature": {"kind": "sk-1234567890"}}',
            "nature.kind",
            "nature.kind: expected one of its words",
        ),
        (b'{"content": "x", "times": {"event_time": 7}}', "times.event_time", None),
        (b'{"content": "x", "times": {"event_time": "2026-02-30T00:00:00Z"}}', "times.event_time", None),
        (b'{"content": "x"', "body", "body: expected one JSON value in UTF-8"),
        (b'{"content": "\xff"}', "body", "body: expected one JSON value in UTF-8"),
    ],
)
def test_what_has_another_shape_is_refused_by_the_name_of_its_field(body: bytes, field: str, words: str | None) -> None:
    with pytest.raises(Malformed) as caught:
        shape_of(Claim).read(body)

    assert caught.value.field == field
    assert words is None or str(caught.value) == words


def test_what_has_the_shape_and_cannot_be_is_refused_by_the_value_itself() -> None:
    shape = shape_of(Belief)
    sketch = shape.sketch(b'{"score": 7.5}')

    with pytest.raises(Malformed) as caught:
        shape.settle(sketch)

    assert caught.value.field == "confidence"


def test_a_refusal_never_repeats_what_was_sent() -> None:
    told = misshapen("Invalid enum value 'sk-live-secret' - at `$.kind`")
    odd = misshapen("Object contains unknown field `sk-live secret\n`")

    assert "secret" not in f"{told} {told.field} {odd} {odd.field}"
    assert (told.field, odd.field) == ("kind", "body")
