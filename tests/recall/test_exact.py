"""Exact under every filter: whatever is written, whoever asks for whatever, what is told is what a plain reading of
the policy allows, what is near is what is nearest among that, and both stores answer alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.patience import WAIT_S
from tests.recall.world import Quarters, both, ids, policy
from tests.scope import LONG
from tests.support.world import START

from muniment import Memory
from muniment.engine.options import QueryOptions
from muniment.model.claim_options import ClaimOptions, make_claim
from muniment.model.recall import Recall
from muniment.model.receipt import Plan
from muniment.model.record import Record, RecordState
from muniment.model.times import DAY, Instant
from muniment.model.value import read_canonical
from muniment.model.vocabulary import SENSITIVITY_RANK, TRUST_RANK, Sensitivity, Support, TrustLevel
from muniment.policy.decide import decide_read
from muniment.ports.store import Snapshot

MODEST = settings(
    max_examples=20 if LONG else 8,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
RULES = policy()
WORDS = ("pump", "valve", "pressure", "Alice", "OPS-7", "leak", "north", "seal", "2026-01-05", "green")
ACTORS = ("owner", "ana", "bot", "auditor", "guest")
GATE_MIN = 0.4
"""Below this the default gate keeps a record back."""

HOUR = 3_600 * 1_000_000
places = st.sampled_from(
    [
        {"scope": "project"},
        {"scope": "project", "scope_id": "apollo"},
        {"scope": "session", "scope_id": "s1"},
        {"scope": "session", "scope_id": "s2"},
        {"scope": "agent_team", "scope_id": "red"},
        {"scope": "agent_repo", "scope_id": "bot"},
    ]
)
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)


@st.composite
def claims(draw: st.DrawFn, number: int) -> tuple[str, ClaimOptions]:
    """A text of its own, and a few of the things that a filter may ask about."""
    options: ClaimOptions = {
        "kind": draw(st.sampled_from(["observation", "risk", "hypothesis"])),
        "namespace": draw(st.sampled_from(["/", "/hr", "/hr/pay", "/hrx"])),
        "sensitivity": draw(st.sampled_from(["public", "internal", "private"])),
        "confidence": draw(st.sampled_from([0.2, 0.5, 0.9])),
        "evidence": draw(st.sampled_from([None, ["log:1"]])),
        "session_id": draw(st.sampled_from([None, "s1", "s2"])),
        "valid_until": draw(st.sampled_from([None, None, START + 5 * 1_000_000, START + DAY])),
        "expires_at": draw(st.sampled_from([None, None, START + 20 * 1_000_000, START + DAY])),
    }
    options.update(draw(places))  # type: ignore[typeddict-item]  # the places are made of the same words
    if draw(st.integers(0, 4)) == 0:
        options.update({"subject": "door", "key": "colour", "value": draw(st.sampled_from(["red", "blue"]))})
    return f"{draw(texts)} n{number}", options


@dataclass(frozen=True, slots=True)
class Step:
    """Something that is written, or happens to what was written as number `of`."""

    text: str
    options: ClaimOptions
    act: str = "propose"
    of: int = 0


@st.composite
def histories(draw: st.DrawFn, *, mark: str = "") -> list[Step]:
    """What is written, and what becomes of some of it. A `mark` ends every text."""
    steps: list[Step] = []
    for number in range(draw(st.integers(3, 8))):
        text, options = draw(claims(number))
        steps.append(Step(text + mark, options))
        act = draw(st.sampled_from(["", "", "", "", "retract", "revise"]))
        if act:
            of = draw(st.integers(0, number))
            steps.append(Step(f"{draw(texts)} r{number}{mark}", {}, act, of))
    return steps


@st.composite
def bounds(draw: st.DrawFn) -> QueryOptions:
    """Some bounds of a recall, most of them absent most of the time."""
    every: dict[str, st.SearchStrategy[object]] = {
        "purpose": st.sampled_from(["answer", "audit", "deploy"]),
        "scopes": st.sampled_from([["project"], ["session", "agent_repo"], []]),
        "scope_ids": st.sampled_from([["default"], ["apollo", "s1"]]),
        "namespace": st.sampled_from(["/hr", "/hr/pay", "/"]),
        "kinds": st.sampled_from([["risk"], ["observation", "hypothesis"]]),
        "sensitivity_max": st.sampled_from(["public", "internal"]),
        "trust_min": st.sampled_from(["medium", "high"]),
        "confidence_min": st.sampled_from([0.5, 0.9]),
        "require_provenance": st.just(True),
        "max_age_days": st.just(0.0001),
        "valid_at": st.just(START),
    }
    chosen = {name: draw(values) for name, values in every.items() if draw(st.integers(0, 5)) == 0}
    if draw(st.integers(0, 2)) == 0:
        chosen["known_at"] = START + draw(st.integers(3, 16)) * 1_000_000
    chosen["limit"] = draw(st.sampled_from([1, 3, 200]))
    chosen["floor"] = draw(st.sampled_from([None, 0.0]))
    return chosen  # type: ignore[return-value]  # the names are those of QueryOptions


def live(memory: Memory, history: list[Step]) -> None:
    """Let a memory go through a history; what was taken back is left alone from then on."""
    made: list[str] = []
    gone: set[str] = set()
    for step in history:
        target = made[step.of % len(made)] if made else ""
        if step.act == "propose":
            verdict = memory.propose(make_claim(step.text, memory.actor, step.options))
            made += [verdict.record_id] if verdict.record_id is not None else []
        elif step.act == "retract" and target and target not in gone:
            memory.review.retract(target, reason="wrong")
            gone.add(target)
        elif step.act == "revise" and target and target not in gone:
            memory.revise(target, step.text)


@pytest.fixture
def folder() -> Iterator[Path]:
    with TemporaryDirectory() as name:
        yield Path(name)


def allowed(snapshot: Snapshot, memory: Memory, plan: Plan, options: QueryOptions) -> dict[int, Record]:
    """What may be told, read from the records themselves: policy, standing and every bound, one by one."""
    found: dict[int, Record] = {}
    for card in snapshot.catalogue.all():
        standing = snapshot.catalogue.standing_at(card.rid, plan.as_of)
        document = snapshot.documents.get(card.rid)
        if standing is None or document is None:
            continue
        record = read_canonical(document.body, Record)
        purpose = options.get("purpose") or "answer"
        granted = decide_read(memory.insight.policy, memory.actor, purpose, record, standing.footing.label) is not None
        if granted and in_bounds(record, standing, plan.now, options):
            found[card.rid] = record
    return found


def in_bounds(record: Record, standing: RecordState, now: Instant, options: QueryOptions) -> bool:
    claim, footing = record.claim, standing.footing
    place, times = claim.place, claim.times
    at = options.get("valid_at") or now
    space = options.get("namespace")
    age = options.get("max_age_days")
    steering = options.get("purpose") == "deploy"
    tests = (
        standing.status in ("active", "contested"),
        footing.support in (Support.STANDING, Support.FLAGGED),
        footing.effective >= GATE_MIN,
        times.valid_until is None or int(str(at)) <= times.valid_until,
        times.expires_at is None or now <= times.expires_at,
        options.get("scopes") is None or place.scope in (options.get("scopes") or ()),
        options.get("scope_ids") is None or place.scope_id in (options.get("scope_ids") or ()),
        space in (None, "/") or (place.namespace + "/").startswith(f"{space}/"),
        options.get("kinds") is None or claim.nature.kind in (options.get("kinds") or ()),
        _ranked(claim.handling.sensitivity, options.get("sensitivity_max")),
        options.get("trust_min") is None
        or TRUST_RANK[record.trust] >= TRUST_RANK[TrustLevel(options.get("trust_min") or "")],
        footing.effective >= (options.get("confidence_min") or 0.0),
        not options.get("require_provenance") or bool(claim.belief.evidence or claim.origin.source),
        age is None or record.created_at >= int(now - age * DAY),
        not steering or record.label.value not in ("unknown", "external", "import"),
    )
    return all(tests)


def _ranked(found: Sensitivity, most: str | None) -> bool:
    return most is None or SENSITIVITY_RANK[found] <= SENSITIVITY_RANK[Sensitivity(most)]


def nearest(records: dict[int, Record], seqs: dict[int, int], vector: bytes, upto: int) -> list[tuple[float, int]]:
    """What is nearest, the slow way."""
    near = (
        (_cosine(Quarters.vector(record.content), vector), rid) for rid, record in records.items() if seqs[rid] <= upto
    )
    return sorted(near, reverse=True)


def _cosine(one: bytes, other: bytes) -> float:
    signs = zip(one[3::4], other[3::4], strict=True)  # the sign of a little-endian float is in its last byte
    return sum(1 if here == there else -1 for here, there in signs) / 16


def asked_plan(memory: Memory, answer: Recall) -> Plan:
    return memory.explain(answer.receipt_id).account.plan


def check(memory: Memory, question: str, options: QueryOptions) -> Recall:
    """Ask, and hold the answer against the plain reading."""
    answer = memory.recall(question, **options)
    plan = asked_plan(memory, answer)
    with memory._session.tenant.store.read() as snapshot:
        may = allowed(snapshot, memory, plan, options)
        seqs = {card.rid: card.seq for card in snapshot.catalogue.all()}
        found = snapshot.meanings.search(plan, Quarters.vector(question), keep=200) if plan.reach.model else ()
    told = {(one.record.id, one.record.revision) for one in answer.records}
    assert told <= {(record.id, record.revision) for record in may.values()}
    assert len(answer.records) <= max(1, options.get("limit") or 0) * 9, (
        "a dispute's other side is no record of its own"
    )
    if plan.reach.model:
        expected = nearest(may, seqs, Quarters.vector(question), plan.reach.upto)
        assert [(one.cosine, one.rid) for one in found] == expected
    return answer


def alike(one: Recall, other: Recall) -> bool:
    return (
        ids(one) == ids(other)
        and [(r.gate, r.presented, r.notices, r.conflicts, r.passage) for r in one.records]
        == [(r.gate, r.presented, r.notices, r.conflicts, r.passage) for r in other.records]
        and (one.excluded, one.considered, one.abstained) == (other.excluded, other.considered, other.abstained)
        and (one.epoch, one.notices) == (other.epoch, other.notices)
        and (one.searched.words, one.searched.names, one.searched.span, one.searched.model, one.searched.trailing)
        == (
            other.searched.words,
            other.searched.names,
            other.searched.span,
            other.searched.model,
            other.searched.trailing,
        )
    )


questions = st.lists(st.tuples(st.sampled_from(ACTORS), texts, bounds()), min_size=2, max_size=4)


@MODEST
@given(history=histories(), asked=questions)
def test_what_is_told_is_what_the_policy_allows_and_both_stores_agree(
    history: list[Step], asked: list[tuple[str, str, QueryOptions]]
) -> None:
    with TemporaryDirectory() as name, both(Path(name), Quarters, RULES) as memories:
        for memory in memories:
            live(memory, history)
            memory.flush(timeout=WAIT_S)
        for actor, question, options in asked:
            one, other = (check(memory.as_actor(actor), question, options) for memory in memories)
            assert alike(one, other), (actor, question, options)


@MODEST
@given(embedded=histories(), later=histories(mark=" later"), asked=questions)
def test_the_same_holds_while_vectors_trail(
    embedded: list[Step], later: list[Step], asked: list[tuple[str, str, QueryOptions]]
) -> None:
    """Nobody makes vectors while the second half is written and asked about, so only the first has them."""
    with TemporaryDirectory() as name, both(Path(name), Quarters, RULES) as memories, ExitStack() as stack:
        reached = 0
        for memory in memories:
            live(memory, embedded)
            reached = memory.flush(timeout=WAIT_S).upto
            permit = memory._session.tenant.indexer._working.take()
            assert permit is not None
            stack.callback(permit.give_back)
            live(memory, later)
        for actor, question, options in asked:
            one, other = (check(memory.as_actor(actor), question, options) for memory in memories)
            assert alike(one, other), (actor, question, options)
            assert one.searched.model is None or one.searched.trailing == one.epoch - reached > 0


def test_the_brute_force_reading_can_tell_right_from_wrong(folder: Path) -> None:
    """The oracle itself: of four records only one passes, each of the others for a reason of its own."""
    with both(folder, Quarters, RULES) as (memory, _):
        memory.remember("pump one", sensitivity="internal")
        memory.remember("pump two", sensitivity="private")
        memory.remember("pump three", scope="session", scope_id="s2")
        memory.remember("pump four", kind="risk")
        seen = memory.as_actor("bot")
        answer = seen.recall("pump", kinds=["observation"])
        plan = asked_plan(seen, answer)
        with memory._session.tenant.store.read() as snapshot:
            may = allowed(snapshot, seen, plan, {"kinds": ["observation"]})
        assert [record.content for record in may.values()] == ["pump one"]
