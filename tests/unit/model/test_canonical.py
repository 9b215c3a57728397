"""Canonical bytes: one spelling per value, read back exactly, and nothing unknown let in."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.unit import strategies as make

from muniment.model.claim import Belief, Claim, Place, Strength
from muniment.model.entry import Entry, EntryKind
from muniment.model.errors import IntegrityError
from muniment.model.filter import Filter
from muniment.model.gate import Gates, Thresholds
from muniment.model.proposal import Proposal
from muniment.model.receipt import Plan, Terms
from muniment.model.record import Record
from muniment.model.times import Instant
from muniment.model.value import Value, canonical, read_canonical
from muniment.model.vocabulary import ActorType, Label, TrustLevel
from muniment.policy.rules import Policy

CLAIM = Claim(content="the build is green")


@given(
    st.one_of(
        make.claims,
        make.records,
        make.standings,
        make.proposals,
        make.rulings,
        make.retractions,
        make.outcomes,
        make.vouchings,
        make.resolutions,
        make.queries,
        make.actors,
        make.entries,
        make.policies,
    )
)
def test_what_was_written_is_read_back_as_it_was(value: Value) -> None:
    body = canonical(value)
    again = read_canonical(body, type(value))
    assert again == value
    assert canonical(again) == body


@given(make.filters)
def test_a_condition_survives_the_receipt_it_is_kept_in(condition: Filter) -> None:
    plan = Plan(
        terms=Terms(words=("a",)),
        visible=condition,
        wanted=(("kind", condition),),
        grants=("g",),
        now=Instant(0),
        as_of=1,
        at_head=True,
        limit=1,
        budget_tokens=None,
        gates=Gates(namespaces=(("/hr", Thresholds(min=0.7, flag=0.9)),)),
    )
    assert read_canonical(canonical(plan), Plan) == plan


@given(make.claims)
def test_keys_are_sorted_and_no_white_space_is_added(claim: Claim) -> None:
    body = canonical(claim).decode()
    spelled = json.dumps(json.loads(body, parse_float=str), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    read = json.loads(body, parse_float=str, object_pairs_hook=lambda pairs: dict(sorted(pairs)))
    assert json.dumps(read, separators=(",", ":"), ensure_ascii=False) == spelled
    assert len(body) == len(spelled) - 2 * len(_fractions(json.loads(body)))


def _fractions(value: object) -> list[float]:
    """Every fraction in a decoded text; each was spelled with two quotation marks more above."""
    if isinstance(value, float):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [found for part in parts for found in _fractions(part)]


def test_the_spelling_is_pinned() -> None:
    entry = Entry(v=1, tenant="acme", seq=3, at=Instant(5), kind=EntryKind.CURATED, actor="ana", last_doc=2)
    assert canonical(entry) == b'{"actor":"ana","at":5,"kind":"curated","last_doc":2,"seq":3,"tenant":"acme","v":1}'
    assert canonical(CLAIM) == b'{"content":"the build is green"}'


@each(
    ("one", "other"),
    [
        (Belief(), Belief(score=float("0.5"))),
        (Belief(score=1), Belief(score=1.0)),
        (Belief(score=0.0), Belief(score=-0.0)),
        (Belief(alpha=1), Belief()),
        (Strength(importance=0.25), Strength(importance=1 / 4)),
        (Place(), Place(scope_id="".join(["def", "ault"]), namespace="".join(["/"]))),
        (Claim(content="x"), Claim(content="x", belief=Belief(score=float("0.5")), place=Place())),
    ],
)
def test_equal_values_have_equal_bytes(one: Value, other: Value) -> None:
    assert one == other
    assert canonical(one) == canonical(other)


@each("count", [10**19, 2**64, 2**70])
def test_a_large_whole_number_is_kept_or_refused_but_never_breaks_the_spelling(count: int) -> None:
    belief = Belief(alpha=count)
    assert read_canonical(canonical(belief), Belief).alpha == count


RECORD_BODY = json.loads(
    canonical(
        Record(
            id="rec_1",
            tenant="acme",
            revision=1,
            claim=CLAIM,
            created_at=Instant(0),
            proposal="prp_1",
            actor="ana",
            actor_type=ActorType.AGENT,
            label=Label.AGENT,
            trust=TrustLevel.LOW,
        )
    )
)


@each(
    "change",
    [
        {"colour": "blue"},
        {"claim": {"content": "x", "colour": "blue"}},
        {"claim": {"content": "x", "belief": {"score": 0.5, "mood": 1}}},
        {"claim": {"content": "x", "nature": {"kind": "gossip"}}},
        {"claim": {"content": ""}},
        {"claim": {"content": "x", "place": {"scope_id": "../x"}}},
        {"claim": {}},
        {"revision": 0},
        {"revision": "1"},
        {"revision": True},
        {"created_at": "2026-01-01"},
        {"tenant": None},
    ],
    ids=repr,
)
def test_a_stored_record_that_is_not_one_is_damage(change: dict[str, object]) -> None:
    body = json.dumps({**RECORD_BODY, **change}).encode()
    with pytest.raises(IntegrityError) as damage:
        read_canonical(body, Record)
    assert damage.value.code == "integrity_error"


@each(
    "body",
    [b"", b"{", b"null", b"[]", b"\xff\xfe", b'{"content":"\xff"}', b'{"content":"\\ud800"}', b"[" * 100_000, b"NaN"],
    ids=lambda body: repr(body[:20]),
)
def test_bytes_that_are_no_value_are_damage(body: bytes) -> None:
    with pytest.raises(IntegrityError):
        read_canonical(body, Claim)


@given(st.binary(max_size=60))
def test_no_bytes_whatever_raise_anything_else(body: bytes) -> None:
    for kind in (Claim, Record, Proposal, Entry, Policy):
        try:
            read_canonical(body, kind)
        except IntegrityError:
            continue


@given(make.claims, st.data())
def test_a_flipped_byte_is_either_damage_or_a_readable_claim(claim: Claim, data: st.DataObject) -> None:
    body = bytearray(canonical(claim))
    position = data.draw(st.integers(0, len(body) - 1))
    body[position] ^= data.draw(st.integers(1, 255))
    try:
        read = read_canonical(bytes(body), Claim)
    except IntegrityError:
        return
    assert isinstance(read, Claim)


def test_a_duplicated_key_does_not_hide_a_field() -> None:
    body = b'{"content":"first","content":"second"}'
    try:
        read = read_canonical(body, Claim)
    except IntegrityError:
        return
    assert canonical(read) != body


def test_a_value_can_be_used_as_a_key() -> None:
    assert len({CLAIM, msgspec.structs.replace(CLAIM, content="the build is green"), Claim(content="other")}) == 2


class Fresh(Value):
    """A kind that nothing has read before."""

    number: int


def test_threads_that_read_a_kind_for_the_first_time_describe_it_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    inside, most, made = 0, 0, 0
    real = msgspec.json.Decoder

    def slow(kind: type[Value]) -> object:
        nonlocal inside, most, made
        inside, made = inside + 1, made + 1
        most = max(most, inside)
        time.sleep(0.02)
        inside -= 1
        return real(kind)

    monkeypatch.setattr(msgspec.json, "Decoder", slow)
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: read_canonical(b'{"number":7}', Fresh), range(8)))
    assert found == [Fresh(number=7)] * 8
    assert (most, made) == (1, 1)
