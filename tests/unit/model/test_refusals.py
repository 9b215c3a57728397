"""Every value refuses every wrong field by its name, and no refusal repeats what it was given. No store here."""

from __future__ import annotations

import math
from collections.abc import Callable

import msgspec
import pytest
from tests.cases import each

from muniment.model.actor import Actor
from muniment.model.claim import (
    Belief,
    Charter,
    Claim,
    Extension,
    Handling,
    Intent,
    Lineage,
    Nature,
    Origin,
    Place,
    Relation,
    Slot,
    Strength,
    Times,
)
from muniment.model.erasure import DerivedPolicy, ErasureRequest, Target, TargetKind
from muniment.model.errors import CallerError, LimitExceeded, Malformed, Unauthenticated
from muniment.model.gate import Thresholds
from muniment.model.note import NoteDraft
from muniment.model.proposal import (
    ConflictSearch,
    ImportContext,
    Objection,
    OutcomeReport,
    Proposal,
    QuarantineRequest,
    ReleaseRequest,
    ResolveRequest,
    RetractRequest,
    ReviewDecision,
    RollbackRequest,
    VouchRequest,
    WithdrawRequest,
)
from muniment.model.query import Listing, Query
from muniment.model.record import Record, RecordState, TrustState, UsageState
from muniment.model.status import Status
from muniment.model.times import MAX, MIN, Instant
from muniment.model.value import Value
from muniment.model.vocabulary import ActorType, Label, RelationType, Step, Strategy, TrustLevel

Make = Callable[..., Value]

CLAIM = Claim(content="the build is green")
FOOTING = TrustState(own=0.5, effective=0.5, label=Label.AGENT)
NEEDED: dict[Make, dict[str, object]] = {
    Slot: {"subject": "db", "key": "region", "value": "eu"},
    Relation: {"type": RelationType.SUPPORTS, "target": "rec_1"},
    Extension: {"name": "omir", "body": "{}"},
    Claim: {"content": "the build is green"},
    Actor: {"id": "ana"},
    Proposal: {"id": "prp_1", "tenant": "acme", "claim": CLAIM},
    ReviewDecision: {"proposal": "prp_1", "accept": True, "reason": "checked"},
    RetractRequest: {"record": "rec_1", "reason": "wrong"},
    ImportContext: {"contract": "omir"},
    Objection: {"step": Step.SAFETY, "rule": "unsafe", "reason": "it asks to be obeyed"},
    Target: {"by": TargetKind.RECORD, "value": "rec_1"},
    ErasureRequest: {"target": Target(by=TargetKind.RECORD, value="rec_1"), "reason": "asked to"},
    QuarantineRequest: {"record": "rec_1", "reason": "looks odd"},
    ReleaseRequest: {"record": "rec_1", "reason": "looked at"},
    WithdrawRequest: {"target": Target(by=TargetKind.ACTOR, value="scout"), "reason": "it was taken over"},
    ConflictSearch: {"record": "rec_1"},
    NoteDraft: {"topic": "agents", "key": "scout"},
    RollbackRequest: {"batch": "batch-1", "reason": "the wrong file"},
    Query: {"text": "build"},
    OutcomeReport: {"record": "rec_1", "helpful": True},
    VouchRequest: {"record": "rec_1", "label": Label.PERSON, "reason": "I was there"},
    ResolveRequest: {"conflict": "cfl_1", "strategy": Strategy.AUTHORITY, "rationale": "they know"},
    Thresholds: {"min": 0.4, "flag": 0.6},
    TrustState: {"own": 0.5, "effective": 0.5, "label": Label.AGENT},
    RecordState: {"status": Status.ACTIVE, "since": 1, "footing": FOOTING},
    Record: {
        "id": "rec_1",
        "tenant": "acme",
        "revision": 1,
        "claim": CLAIM,
        "created_at": Instant(0),
        "proposal": "prp_1",
        "actor": "ana",
        "actor_type": ActorType.AGENT,
        "label": Label.AGENT,
        "trust": TrustLevel.LOW,
    },
}

HUGE = "x" * 10_000_000
BAD_TEXT: tuple[object, ...] = (
    5,
    True,
    b"bytes",
    ["list"],
    "",
    "  \n",
    "nul \x00",
    "escape \x1b[2J",
    "bell \x07",
    "delete \x7f",
    "\ud800 half a pair",
    "\udfff",
    HUGE,
)
BAD_IDENTIFIER: tuple[object, ...] = (
    5,
    False,
    b"id",
    "",
    " ",
    "../x",
    "a/b",
    "a\\b",
    "a b",
    "a\n",
    "a\x00",
    "x" * 129,
    "раypal",  # Cyrillic letters that look Latin
    "ａｂ",
    "é",
    "a‮b",
    "\ud800",
    "%2e%2e",
    "*",
    HUGE,
)
BAD_SHARE: tuple[object, ...] = (True, False, "0.5", None, math.nan, math.inf, -math.inf, -0.01, 1.01, 10**400, [])
BAD_POSITIVE: tuple[object, ...] = (True, "1", math.nan, math.inf, -math.inf, 0, 0.0, -1, 10**400, -(10**400))
BAD_SUM: tuple[object, ...] = (True, "1", None, math.nan, math.inf, -math.inf, -0.5, 10**400, [])
BAD_FLAG: tuple[object, ...] = (0, 1, "true", None, 0.0)
BAD_WORD: tuple[object, ...] = ("nonsense", "", 5, True, "FACT", b"fact")
BAD_INSTANT: tuple[object, ...] = (True, "2026-01-01", 1.5, math.nan, MIN - 1, MAX + 1, 10**400)
BAD_LIST: tuple[object, ...] = ("text", ["a list is not a tuple"], 5, None, {"a": 1})
BAD_NAMESPACE: tuple[object, ...] = (
    5,
    "",
    "a",
    "a/b",
    "/a/",
    "//",
    "/a//b",
    "/a/../b",
    "/..",
    "/.",
    "/ a",
    "/a\x00",
    "/\ud800",
    "/a\tb",
    "/" + "x" * 129,
    "/x" * 300,
    HUGE,
)
BAD_PURPOSE = BAD_IDENTIFIER


def _whole(least: int, most: int) -> tuple[object, ...]:
    return (True, "1", 1.0, math.nan, least - 1, most + 1, 10**400)


Field = tuple[Make, str, tuple[object, ...], str]
FIELDS: tuple[Field, ...] = (
    (Slot, "subject", BAD_TEXT, "subject"),
    (Slot, "key", BAD_TEXT, "key"),
    (Slot, "value", BAD_TEXT, "value"),
    (Nature, "kind", BAD_WORD, "kind"),
    (Nature, "memory_type", BAD_WORD, "memory_type"),
    (Nature, "memory_class", BAD_WORD, "memory_class"),
    (Nature, "experience", BAD_TEXT, "experience"),
    (Nature, "lifecycle", BAD_TEXT, "lifecycle"),
    (Place, "scope", BAD_WORD, "scope"),
    (Place, "scope_id", BAD_IDENTIFIER, "scope_id"),
    (Place, "namespace", BAD_NAMESPACE, "namespace"),
    (Place, "session_id", BAD_IDENTIFIER, "session_id"),
    (Place, "workflow_id", BAD_IDENTIFIER, "workflow_id"),
    (Place, "task_id", BAD_IDENTIFIER, "task_id"),
    (Intent, "purpose", BAD_TEXT, "purpose"),
    (Intent, "question", BAD_TEXT, "question"),
    (Origin, "source", BAD_TEXT, "source"),
    (Origin, "source_type", BAD_TEXT, "source_type"),
    (Origin, "credibility", tuple(bad for bad in BAD_SHARE if bad is not None), "credibility"),
    (Origin, "external_id", BAD_TEXT, "external_id"),
    (Origin, "triggered_by", BAD_TEXT, "triggered_by"),
    (Belief, "score", BAD_SHARE, "confidence"),
    (Belief, "reasoning", BAD_TEXT, "reasoning"),
    (Belief, "evidence", BAD_LIST, "evidence"),
    (Belief, "assumptions", BAD_LIST, "assumptions"),
    (Belief, "alpha", BAD_POSITIVE, "alpha"),
    (Belief, "beta", BAD_POSITIVE, "beta"),
    (Belief, "hedged", BAD_FLAG, "hedged"),
    (Belief, "unstated", BAD_FLAG, "unstated"),
    (Times, "event_time", BAD_INSTANT, "event_time"),
    (Times, "valid_from", BAD_INSTANT, "valid_from"),
    (Times, "valid_until", BAD_INSTANT, "valid_until"),
    (Times, "expires_at", BAD_INSTANT, "expires_at"),
    (Relation, "type", BAD_WORD, "relation.type"),
    (Relation, "target", BAD_IDENTIFIER, "relation.target"),
    (Relation, "description", BAD_TEXT, "relation.description"),
    (Lineage, "derived_from", BAD_LIST, "derived_from"),
    (Lineage, "supersedes", BAD_IDENTIFIER, "supersedes"),
    (Lineage, "parent", BAD_IDENTIFIER, "parent"),
    (Lineage, "relations", BAD_LIST, "relations"),
    (Lineage, "entities", BAD_LIST, "entities"),
    (Handling, "sensitivity", BAD_WORD, "sensitivity"),
    (Handling, "owner", BAD_IDENTIFIER, "owner"),
    (Handling, "next_review_at", BAD_INSTANT, "next_review_at"),
    (Strength, "importance", BAD_SHARE, "importance"),
    (Strength, "tier", BAD_WORD, "tier"),
    (Strength, "half_life_hours", BAD_POSITIVE, "half_life_hours"),
    (Strength, "anchored", BAD_FLAG, "anchored"),
    (Extension, "name", BAD_TEXT, "extension.name"),
    (
        Extension,
        "body",
        (5, "", "{", "{'a': 1}", "nul \x00", '"\ud800"', "NaN", "[" * 30_000 + "]" * 30_000, HUGE),
        "extension.body",
    ),
    (Claim, "content", BAD_TEXT, "content"),
    (Claim, "slot", ("text", 5), "slot"),
    (Claim, "nature", ("text", 5, None), "nature"),
    (Claim, "place", ("text", 5, None), "place"),
    (Claim, "intent", ("text", 5, None), "intent"),
    (Claim, "origin", ("text", 5, None), "origin"),
    (Claim, "belief", ("text", 5, None), "belief"),
    (Claim, "times", ("text", 5, None), "times"),
    (Claim, "lineage", ("text", 5, None), "lineage"),
    (Claim, "handling", ("text", 5, None), "handling"),
    (Claim, "strength", ("text", 5, None), "strength"),
    (Claim, "charter", ("text", 5), "charter"),
    (Claim, "extensions", BAD_LIST, "extensions"),
    (Charter, "lawful_basis", BAD_TEXT, "lawful_basis"),
    (Charter, "access", BAD_LIST, "access"),
    (Charter, "erasure", BAD_TEXT, "erasure"),
    (Charter, "retention_days", _whole(1, 36_500), "retention_days"),
    (Charter, "source_quality", BAD_TEXT, "source_quality"),
    (Charter, "reviewer", BAD_IDENTIFIER, "reviewer"),
    (Charter, "barred", BAD_LIST, "barred"),
    (Actor, "id", tuple(bad for bad in BAD_IDENTIFIER if bad != ""), "actor"),
    (Actor, "type", BAD_WORD, "actor.type"),
    (Actor, "roles", BAD_LIST, "actor.roles"),
    (Actor, "teams", BAD_LIST, "actor.teams"),
    (Actor, "projects", BAD_LIST, "actor.projects"),
    (Actor, "sessions", BAD_LIST, "actor.sessions"),
    (Actor, "authority", _whole(0, 10), "actor.authority"),
    (Actor, "user", tuple(bad for bad in BAD_IDENTIFIER if bad is not None), "actor.user"),
    (Proposal, "id", BAD_IDENTIFIER, "proposal_id"),
    (Proposal, "tenant", BAD_IDENTIFIER, "tenant"),
    (Proposal, "claim", ("text", None, 5), "claim"),
    (Proposal, "target", BAD_IDENTIFIER, "target"),
    (Proposal, "expected_revision", _whole(1, 2**31), "expected_revision"),
    (Proposal, "promotes", BAD_IDENTIFIER, "promotes"),
    (Proposal, "draft", BAD_FLAG, "draft"),
    (Proposal, "announces", BAD_IDENTIFIER, "announces"),
    (Proposal, "detect", BAD_FLAG, "detect"),
    (Proposal, "arrival", ("omir", 5, {"contract": "omir"}), "arrival"),
    (ImportContext, "contract", BAD_IDENTIFIER, "contract"),
    (ImportContext, "record", BAD_IDENTIFIER, "record_id"),
    (ImportContext, "status", (*BAD_WORD, Status.HELD, Status.ERASED, Status.CONTESTED), "status"),
    (ImportContext, "hold", ("yes", 1, None), "hold"),
    (ImportContext, "among", BAD_LIST, "among"),
    (ImportContext, "batch", BAD_IDENTIFIER, "batch"),
    (Objection, "step", BAD_WORD, "step"),
    (Objection, "rule", BAD_IDENTIFIER, "rule"),
    (Objection, "reason", BAD_TEXT, "reason"),
    (Objection, "duplicate_of", BAD_IDENTIFIER, "duplicate_of"),
    (Target, "by", BAD_WORD, "by"),
    (Target, "value", BAD_IDENTIFIER, "id"),
    (ErasureRequest, "target", (None, "rec_1", DerivedPolicy.ERASE), "target"),
    (ErasureRequest, "derived", ("everything", 5), "cascade"),
    (ErasureRequest, "expected", ("", 5), "expected"),
    (ErasureRequest, "probable", ("yes", None, 1), "include_probable"),
    (QuarantineRequest, "record", BAD_IDENTIFIER, "id"),
    (QuarantineRequest, "reason", BAD_TEXT, "reason"),
    (QuarantineRequest, "expected_revision", _whole(1, 2**31), "expected_revision"),
    (ReleaseRequest, "record", BAD_IDENTIFIER, "id"),
    (ReleaseRequest, "reason", BAD_TEXT, "reason"),
    (ReleaseRequest, "expected_revision", _whole(1, 2**31), "expected_revision"),
    (WithdrawRequest, "target", (None, Target(by=TargetKind.RECORD, value="rec_1")), "by"),
    (WithdrawRequest, "reason", BAD_TEXT, "reason"),
    (ErasureRequest, "reason", BAD_TEXT, "reason"),
    (ErasureRequest, "probe", ("no", True, 5), "probe"),
    (ConflictSearch, "record", BAD_IDENTIFIER, "id"),
    (NoteDraft, "topic", BAD_IDENTIFIER, "topic"),
    (NoteDraft, "key", BAD_TEXT, "key"),
    (NoteDraft, "body", ("", " ", 5), "body"),
    (RollbackRequest, "batch", BAD_IDENTIFIER, "batch"),
    (RollbackRequest, "reason", BAD_TEXT, "reason"),
    (ReviewDecision, "proposal", BAD_IDENTIFIER, "proposal_id"),
    (ReviewDecision, "accept", BAD_FLAG, "accept"),
    (ReviewDecision, "reason", BAD_TEXT, "reason"),
    (ReviewDecision, "kind", BAD_WORD, "kind"),
    (ReviewDecision, "scope", BAD_WORD, "scope"),
    (ReviewDecision, "scope_id", BAD_IDENTIFIER, "scope_id"),
    (ReviewDecision, "contradicts", BAD_LIST, "contradicts"),
    (RetractRequest, "record", BAD_IDENTIFIER, "id"),
    (RetractRequest, "reason", BAD_TEXT, "reason"),
    (RetractRequest, "expected_revision", _whole(1, 2**31), "expected_revision"),
    (RetractRequest, "becomes", (*BAD_WORD, Status.ACTIVE, Status.ERASED), "becomes"),
    (OutcomeReport, "record", BAD_IDENTIFIER, "id"),
    (OutcomeReport, "helpful", BAD_FLAG, "helpful"),
    (OutcomeReport, "weight", (*BAD_POSITIVE, 1.01), "weight"),
    (OutcomeReport, "evidence", BAD_TEXT, "evidence"),
    (OutcomeReport, "expected_revision", _whole(1, 2**31), "expected_revision"),
    (VouchRequest, "record", BAD_IDENTIFIER, "id"),
    (VouchRequest, "label", BAD_WORD, "origin"),
    (VouchRequest, "reason", BAD_TEXT, "reason"),
    (VouchRequest, "expected_revision", _whole(1, 2**31), "expected_revision"),
    (ResolveRequest, "conflict", BAD_IDENTIFIER, "conflict"),
    (ResolveRequest, "strategy", BAD_WORD, "strategy"),
    (ResolveRequest, "rationale", BAD_TEXT, "rationale"),
    (ResolveRequest, "winner", BAD_IDENTIFIER, "winner"),
    (ResolveRequest, "synthesis", ("text", 5), "synthesis"),
    (Thresholds, "min", BAD_SHARE, "gate_min"),
    (Thresholds, "flag", BAD_SHARE, "gate_flag"),
    (Query, "text", BAD_TEXT, "query"),
    (Query, "purpose", BAD_PURPOSE, "purpose"),
    (Query, "contested", BAD_WORD, "contested"),
    (Query, "scopes", tuple(bad for bad in BAD_LIST if bad is not None), "scopes"),
    (Query, "scope_ids", tuple(bad for bad in BAD_LIST if bad is not None), "scope_ids"),
    (Query, "namespace", BAD_NAMESPACE, "namespace"),
    (Query, "classes", tuple(bad for bad in BAD_LIST if bad is not None), "classes"),
    (Query, "kinds", tuple(bad for bad in BAD_LIST if bad is not None), "kinds"),
    (Query, "trust_min", BAD_WORD, "trust_min"),
    (Query, "sensitivity_max", BAD_WORD, "sensitivity_max"),
    (Query, "max_age_days", (True, "1", math.nan, math.inf, -1, -0.1, 4_000_001, 10**400), "max_age_days"),
    (Query, "require_provenance", BAD_FLAG, "require_provenance"),
    (Query, "confidence_min", tuple(bad for bad in BAD_SHARE if bad is not None), "confidence_min"),
    (Query, "gate_min", tuple(bad for bad in BAD_SHARE if bad is not None), "gate_min"),
    (Query, "gate_flag", tuple(bad for bad in BAD_SHARE if bad is not None), "gate_flag"),
    (Query, "valid_at", BAD_INSTANT, "valid_at"),
    (Query, "known_at", BAD_INSTANT, "known_at"),
    (Query, "asked_at", BAD_INSTANT, "asked_at"),
    (Query, "floor", tuple(bad for bad in BAD_SHARE if bad is not None), "floor"),
    (Query, "min_fit", tuple(bad for bad in BAD_SHARE if bad is not None), "min_fit"),
    (Query, "precise", BAD_FLAG, "precise"),
    (Query, "attuned", ("text", 5, ("task",), {"task": "x"}), "attuned"),
    (Query, "listing", ("text", 5, (0,), {"after": 1}), "listing"),
    (Query, "places", tuple(bad for bad in BAD_LIST if bad is not None), "places"),
    (Query, "authors", tuple(bad for bad in BAD_LIST if bad is not None), "authors"),
    (Listing, "after", _whole(0, 2**62), "after"),
    (Listing, "statuses", BAD_LIST, "statuses"),
    (Listing, "session", BAD_IDENTIFIER, "session"),
    (Listing, "changed_after", _whole(0, 2**62), "changed_after"),
    (Query, "limit", _whole(0, 200), "limit"),
    (Query, "budget_tokens", _whole(0, 10_000_000), "budget_tokens"),
    (TrustState, "own", BAD_SHARE, "own"),
    (TrustState, "effective", BAD_SHARE, "effective"),
    (TrustState, "label", BAD_WORD, "label"),
    (TrustState, "support", BAD_WORD, "support"),
    (TrustState, "helpful", BAD_SUM, "helpful"),
    (TrustState, "misleading", BAD_SUM, "misleading"),
    (UsageState, "tier", BAD_WORD, "tier"),
    (UsageState, "accesses", _whole(0, 2**53), "accesses"),
    (UsageState, "last_access", BAD_INSTANT, "last_access"),
    (RecordState, "status", BAD_WORD, "status"),
    (RecordState, "since", ("1", True, None, 1.5), "since"),
    (RecordState, "footing", ("text", None, 5), "footing"),
    (RecordState, "successor", BAD_IDENTIFIER, "successor"),
    (RecordState, "vigour", ("text", None, 5), "vigour"),
    (Record, "id", BAD_IDENTIFIER, "id"),
    (Record, "tenant", BAD_IDENTIFIER, "tenant"),
    (Record, "revision", _whole(1, 2**31), "revision"),
    (Record, "claim", ("text", None, 5), "claim"),
    (Record, "created_at", (*BAD_INSTANT, None), "created_at"),
    (Record, "proposal", BAD_IDENTIFIER, "proposal"),
    (Record, "actor", BAD_IDENTIFIER, "actor"),
    (Record, "actor_type", BAD_WORD, "actor_type"),
    (Record, "label", BAD_WORD, "label"),
    (Record, "trust", BAD_WORD, "trust"),
    (Record, "reviewer", BAD_IDENTIFIER, "reviewer"),
    (Record, "next_review_at", BAD_INSTANT, "next_review_at"),
    (Record, "echoes", BAD_LIST, "echoes"),
    (Record, "same_as", BAD_LIST, "same_as"),
    (Record, "exposed_to", BAD_LIST, "exposed_to"),
    (Record, "about", tuple(one for one in BAD_LIST if one is not None), "about"),
    (Record, "barred", BAD_LIST, "barred"),
    (Record, "mentions", BAD_LIST, "mentions"),
    (Record, "authority", _whole(0, 10), "authority"),
    (Record, "relay", ("agents", 5, ()), "relay"),
)


def _name(make: Make) -> str:
    return getattr(make, "__name__", "value")


def refusal(make: Make, field: str, value: object) -> CallerError | None:
    """What a value says to this field, or None if it takes it."""
    try:
        make(**{**NEEDED.get(make, {}), field: value})
    except CallerError as refused:
        return refused
    return None


@each("make", list(dict.fromkeys(row[0] for row in FIELDS)), ids=_name)
def test_a_wrong_field_is_refused_by_its_name(make: Make) -> None:
    wrong = [(field, bad, name) for made, field, values, name in FIELDS if made is make for bad in values]
    found = []
    for field, bad, name in wrong:
        said = refusal(make, field, bad)
        told = isinstance(said, Malformed | LimitExceeded) and getattr(said, "field", None) == name
        if not told or len(str(said)) >= 400:
            found.append((field, repr(bad)[:80], repr(said)[:400]))
    assert found == []


def test_every_field_of_every_value_that_callers_make_is_in_the_table() -> None:
    covered = {(make, field) for make, field, _, _ in FIELDS}
    makers = {make for make, _, _, _ in FIELDS}
    expected = {(make, field) for make in makers for field in getattr(make, "__struct_fields__", ())}
    assert expected - covered == set()


@each(
    ("make", "field", "name"),
    [
        (Belief, "evidence", "evidence[1]"),
        (Belief, "assumptions", "assumptions[1]"),
        (Lineage, "entities", "entities[1]"),
        (Actor, "teams", "actor.teams[1]"),
    ],
)
@each("bad", BAD_TEXT)
def test_a_wrong_text_in_a_list_is_named_by_its_place(make: Make, field: str, name: str, bad: object) -> None:
    with pytest.raises((Malformed, LimitExceeded)) as refused:
        make(**{**NEEDED.get(make, {}), field: ("fine", bad)})
    assert getattr(refused.value, "field", None) == name


@each(
    ("make", "field", "name"),
    [
        (Lineage, "derived_from", "derived_from[1]"),
        (Actor, "roles", "actor.roles[1]"),
        (Query, "scope_ids", "scope_ids[1]"),
    ],
)
@each("bad", BAD_IDENTIFIER)
def test_a_wrong_id_in_a_list_is_named_by_its_place(make: Make, field: str, name: str, bad: object) -> None:
    with pytest.raises(Malformed) as refused:
        make(**{**NEEDED.get(make, {}), field: ("fine", bad)})
    assert refused.value.field == name


@each(("make", "field"), [(Belief, "evidence"), (Lineage, "derived_from"), (Lineage, "entities"), (Actor, "teams")])
def test_a_list_of_257_is_refused_and_one_of_256_is_not(make: Make, field: str) -> None:
    needed = NEEDED.get(make, {})
    assert len(getattr(make(**needed, **{field: ("a",) * 256}), field)) == 256
    with pytest.raises(LimitExceeded) as refused:
        make(**needed, **{field: ("a",) * 257})
    assert (refused.value.limit, refused.value.sent, refused.value.unit) == (256, 257, "items")


@pytest.mark.parametrize("nobody", ["", None])
def test_an_actor_without_a_name_is_nobody(nobody: str | None) -> None:
    with pytest.raises(Unauthenticated) as refused:
        Actor(id=nobody)  # type: ignore[arg-type]  # the wrong type is the point
    assert refused.value.code == "unauthenticated"


def test_a_gate_must_not_flag_below_what_it_lets_by() -> None:
    assert Thresholds(min=0.5, flag=0.5).flag == 0.5
    for make in (lambda: Thresholds(min=0.5, flag=0.49), lambda: Query(text="x", gate_min=0.5, gate_flag=0.49)):
        with pytest.raises(Malformed) as refused:
            make()
        assert refused.value.field == "gate_flag"


def test_validity_must_not_end_before_it_begins() -> None:
    assert Times(valid_from=Instant(5), valid_until=Instant(5)).valid_until == 5
    with pytest.raises(Malformed) as refused:
        Times(valid_from=Instant(5), valid_until=Instant(4))
    assert refused.value.field == "valid_until"


@each("text", ["a\tb\nc\r\nd", "naïve 東京 🏳️‍🌈", "‮right to left", "\u0085 \u2028 \ufeff x", "ﬁ Ⅷ ½"])
def test_unusual_text_is_kept_exactly(text: str) -> None:
    assert Claim(content=text).content == text


@each("name", ["a", "x" * 128, "..", ".", "a:b", "-", "A.b_c:d-e", "CON", "nul"])
def test_an_id_within_the_alphabet_is_kept_exactly(name: str) -> None:
    assert Place(scope_id=name).scope_id == name


@each("space", ["/", "/a", "/a/b", "/naïve/東京", "/a b/c", "/%/_", "/..a", "/a."])
def test_a_namespace_of_whole_parts_is_kept_exactly(space: str) -> None:
    assert Place(namespace=space).namespace == space


def test_content_may_be_a_mebibyte_and_not_a_byte_more() -> None:
    assert len(Claim(content="é" * 524_288).content) == 524_288
    with pytest.raises(LimitExceeded) as refused:
        Claim(content="é" * 524_288 + "x")
    assert (refused.value.limit, refused.value.sent) == (1_048_576, 1_048_577)


def test_a_text_may_be_4096_bytes_and_not_a_byte_more() -> None:
    assert Intent(purpose="x" * 4_096).purpose == "x" * 4_096
    with pytest.raises(LimitExceeded):
        Intent(purpose="x" * 4_094 + "東")


SECRET = "AKIAIOSFODNN7EXAMPLE"


@each("value", [SECRET + "\x00", (SECRET + "\x00",), [SECRET], {SECRET: SECRET}], ids=repr)
def test_no_refusal_repeats_the_value_it_refuses(value: object) -> None:
    found = []
    for make, field, _, _ in FIELDS:
        if (make, field) == (Extension, "body"):
            continue
        said = refusal(make, field, value)
        if said is None or SECRET in f"{said} {said!r} {said.hint} {said.__cause__}":
            found.append(f"{_name(make)}.{field}: {'taken' if said is None else 'repeated'}")
    assert found == []


def test_a_body_that_is_no_json_is_not_repeated() -> None:
    with pytest.raises(Malformed) as refused:
        Extension(name="omir", body=f'{{"a": {SECRET}')
    assert SECRET not in f"{refused.value!r} {refused.value.hint} {refused.value.__context__}"


@each("make", list(NEEDED), ids=_name)
def test_a_value_cannot_be_changed(make: Make) -> None:
    value = make(**NEEDED[make])
    field = value.__struct_fields__[0]
    with pytest.raises(AttributeError):
        setattr(value, field, getattr(value, field))
    with pytest.raises(AttributeError):
        delattr(value, field)
    with pytest.raises(AttributeError):
        value.unheard_of = 1  # type: ignore[attr-defined]  # a new attribute is the point


@each("make", list(NEEDED), ids=_name)
def test_a_value_has_no_positional_and_no_unknown_fields(make: Make) -> None:
    with pytest.raises(TypeError):
        make("positional")
    with pytest.raises(TypeError):
        make(**NEEDED[make], colour="blue")


def test_a_changed_copy_is_checked_again() -> None:
    with pytest.raises(Malformed):
        msgspec.structs.replace(CLAIM, content="\x00")
