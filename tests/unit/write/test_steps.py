"""The nine curation steps, each alone and in order. Pure: a case in, an outcome and a case out."""

from __future__ import annotations

import msgspec
import pytest

from muniment.model.actor import Actor
from muniment.model.card import card_of
from muniment.model.claim import Belief, Claim, Lineage, Nature, Place, Slot, Times
from muniment.model.curation import Redaction, StepOutcome
from muniment.model.proposal import Ruling
from muniment.model.record import Record, Standing
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment.model.vocabulary import (
    ActorType,
    Disposition,
    Kind,
    Label,
    Scope,
    Sensitivity,
    Step,
    StepResult,
    TrustLevel,
)
from muniment.policy.rules import Evidence, Policy, ReadRule, Safety, Secrets, WriteDecision, WriteRule
from muniment.write import steps
from muniment.write.facts import Facts, Held
from muniment.write.steps import STEPS, Case, curate

COMMIT = WriteRule(id="yes", decision=WriteDecision.COMMIT, reason="it may", review_days=7)
HOLD = WriteRule(id="wait", decision=WriteDecision.HOLD, reason="a person decides")
READ = ReadRule(id="see", member=False, sensitivity_max=Sensitivity.INTERNAL)
POLICY = Policy(version=1, name="test", write=(COMMIT,), read=(READ,))
NOTHING = Facts(links={}, twin=None, occupants=(), contradicted=(), seen=())
BOT = Actor(id="bot", projects=("default",))
ANA = Actor(id="ana", type=ActorType.PERSON)
CASE = Case(claim=Claim(content="x"), actor=BOT, policy=POLICY, facts=NOTHING, now=Instant(0))


def _held(claim: Claim, *, name: str = "rec_1", rid: int = 3, status: Status = Status.ACTIVE) -> Held:
    record = Record(
        id=name,
        tenant="acme",
        revision=1,
        claim=claim,
        created_at=Instant(0),
        proposal="prp_1",
        actor="ana",
        actor_type=ActorType.PERSON,
        label=Label.PERSON,
        trust=TrustLevel.HIGH,
    )
    return Held(card=card_of(record, Standing(status=status, since=3), rid=rid, pepper=b"p"), record=record)


SHOWN = _held(Claim(content="old"))
HIDDEN = _held(
    msgspec.convert({"content": "hush", "handling": {"sensitivity": "confidential"}}, Claim), name="rec_2", rid=5
)


def _case(claim: Claim | None = None, **changes: object) -> Case:
    changed = msgspec.structs.replace(CASE, **changes)
    return changed if claim is None else msgspec.structs.replace(changed, claim=claim)


def _facts(**changes: object) -> Facts:
    return msgspec.structs.replace(NOTHING, **changes)


def _result(found: tuple[StepOutcome, Case], step: Step) -> StepResult:
    outcome, _ = found
    assert outcome.step is step
    return outcome.result


def test_the_nine_steps_stand_in_the_order_of_the_vocabulary() -> None:
    assert [step for step, _ in STEPS] == list(Step)
    assert len(STEPS) == 9


def test_a_clean_case_passes_all_nine() -> None:
    case, outcomes = curate(CASE)
    assert [outcome.step for outcome in outcomes] == list(Step)
    assert {outcome.result for outcome in outcomes} == {StepResult.PASSED}
    assert (case.decision, case.disposition, case.rule) == (WriteDecision.COMMIT, Disposition.APPEND, "yes")


def test_a_deprecation_must_name_what_it_replaces() -> None:
    bare = Claim(content="x", nature=Nature(kind=Kind.DEPRECATION))
    assert _result(steps.admission(_case(bare)), Step.ADMISSION) is StepResult.REFUSED
    named = msgspec.structs.replace(bare, lineage=Lineage(supersedes="rec_1"))
    assert _result(steps.admission(_case(named)), Step.ADMISSION) is StepResult.PASSED


def test_redactions_are_accounted_for_or_end_the_case() -> None:
    redacted = _case(redactions=(Redaction(field="content", what="card number"),))
    outcome, _ = steps.safety(redacted)
    assert (outcome.result, outcome.note) == (StepResult.CHANGED, "redacted card number in content")
    strict = msgspec.structs.replace(POLICY, safety=Safety(secrets=Secrets.DISCARD))
    outcome, case = steps.safety(msgspec.structs.replace(redacted, policy=strict))
    assert (outcome.result, case.rule, case.decision) == (StepResult.REFUSED, "secrets-discard", WriteDecision.REFUSE)
    assert _result(steps.safety(_case(unsafe_ids=("scope_id",))), Step.SAFETY) is StepResult.REFUSED
    assert _result(steps.safety(CASE), Step.SAFETY) is StepResult.PASSED


@pytest.mark.parametrize("link", [None, HIDDEN], ids=["absent", "hidden"])
def test_a_link_that_is_absent_or_hidden_is_refused_in_the_same_words(link: Held | None) -> None:
    claim = Claim(content="x", lineage=Lineage(derived_from=("rec_2",)))
    outcome, case = steps.provenance(_case(claim, facts=_facts(links={"rec_2": link})))
    assert (outcome.result, outcome.note) == (StepResult.REFUSED, "no record rec_2 that the proposer may see")
    assert case.rule == "unknown-link"


@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.RETRACTED, Status.DEPRECATED])
def test_only_what_is_current_can_be_replaced_but_anything_seen_can_be_built_on(status: Status) -> None:
    past = _held(Claim(content="old"), status=status)
    facts = _facts(links={"rec_1": past})
    replacing = Claim(content="x", lineage=Lineage(supersedes="rec_1"))
    building = Claim(content="x", lineage=Lineage(derived_from=("rec_1",)))
    assert steps.provenance(_case(replacing, facts=facts))[1].rule == "not-current"
    assert steps.provenance(_case(target="rec_1", facts=facts))[1].rule == "not-current"
    assert _result(steps.provenance(_case(building, facts=facts)), Step.PROVENANCE) is StepResult.PASSED


def test_a_reviewer_may_move_and_reclassify() -> None:
    ruling = Ruling(proposal="prp_1", accept=True, reason="ok", kind=Kind.FACT, scope=Scope.SESSION, scope_id="s1")
    outcome, case = steps.scope(_case(ruling=ruling))
    assert (outcome.result, case.claim.place) == (StepResult.CHANGED, Place(scope=Scope.SESSION, scope_id="s1"))
    outcome, case = steps.kind(case)
    assert (outcome.result, case.claim.nature.kind) == (StepResult.CHANGED, Kind.FACT)
    assert _result(steps.scope(CASE), Step.SCOPE) is StepResult.PASSED
    assert _result(steps.kind(CASE), Step.KIND) is StepResult.PASSED


@pytest.mark.parametrize(
    ("otherwise", "result", "flags"),
    [
        (WriteDecision.HOLD, StepResult.FLAGGED, 1),
        (WriteDecision.COMMIT, StepResult.FLAGGED, 0),
        (WriteDecision.REFUSE, StepResult.REFUSED, 0),
    ],
)
def test_an_agent_needs_evidence_for_a_fact(otherwise: WriteDecision, result: StepResult, flags: int) -> None:
    policy = msgspec.structs.replace(POLICY, evidence=Evidence(otherwise=otherwise))
    outcome, case = steps.evidence(_case(Claim(content="x", nature=Nature(kind=Kind.FACT)), policy=policy))
    assert (outcome.result, len(case.flags)) == (result, flags)


@pytest.mark.parametrize(
    "case",
    [
        _case(Claim(content="x", nature=Nature(kind=Kind.FACT), belief=Belief(evidence=("ticket:1",)))),
        _case(Claim(content="x", nature=Nature(kind=Kind.FACT)), actor=ANA),
        _case(Claim(content="x", nature=Nature(kind=Kind.FACT)), reviewer="ana"),
        _case(Claim(content="x", nature=Nature(kind=Kind.RISK))),
    ],
    ids=["evidence", "a person", "a reviewer", "another kind"],
)
def test_evidence_a_person_a_reviewer_or_a_modest_kind_is_enough(case: Case) -> None:
    assert _result(steps.evidence(case), Step.EVIDENCE) is StepResult.PASSED


def test_a_twin_that_is_seen_is_redundant_and_one_that_is_hidden_is_not_betrayed() -> None:
    outcome, case = steps.dedupe(_case(facts=_facts(twin=SHOWN)))
    assert (outcome.result, case.duplicate_of, case.rule) == (StepResult.REFUSED, "rec_1", "redundant")
    outcome, case = steps.dedupe(_case(facts=_facts(twin=HIDDEN)))
    assert (outcome.result, outcome.note, case.duplicate_of) == (StepResult.PASSED, "", None)


@pytest.mark.parametrize(
    "case", [_case(target="rec_1"), _case(Claim(content="x", lineage=Lineage(supersedes="rec_1")))]
)
def test_what_a_proposal_replaces_is_not_its_twin(case: Case) -> None:
    facts = _facts(twin=SHOWN, links={"rec_1": SHOWN})
    assert _result(steps.dedupe(msgspec.structs.replace(case, facts=facts)), Step.DEDUPE) is StepResult.PASSED


def _answer(value: str, *, first: int | None = None, last: int | None = None) -> Claim:
    times = Times(
        valid_from=Instant(first) if first is not None else None,
        valid_until=Instant(last) if last is not None else None,
    )
    return Claim(content=value, slot=Slot(subject="db", key="region", value=value), times=times)


@pytest.mark.parametrize(
    ("ours", "theirs", "conflicts"),
    [
        (_answer("eu"), _answer("us"), True),
        (_answer("EU."), _answer("eu"), False),
        (_answer("eu", first=10), _answer("us", last=9), False),
        (_answer("eu", first=10), _answer("us", last=10), True),
        (_answer("eu", last=5), _answer("us", first=6), False),
        (_answer("eu", first=1, last=9), _answer("us", first=5, last=6), True),
        (_answer("eu"), Claim(content="no slot"), False),
    ],
)
def test_two_answers_disagree_when_they_differ_and_overlap(ours: Claim, theirs: Claim, conflicts: bool) -> None:
    rival = _held(theirs)
    outcome, case = steps.conflict(_case(ours, facts=_facts(occupants=(rival,))))
    assert (outcome.result is StepResult.FLAGGED) is conflicts
    assert case.opponents == ((rival,) if conflicts else ())
    assert steps.disagree(ours, rival.record) is steps.disagree(theirs, _held(ours).record)


def test_what_is_being_replaced_is_no_rival() -> None:
    facts = _facts(occupants=(_held(_answer("us")),))
    assert steps.conflict(_case(_answer("eu"), target="rec_1", facts=facts))[1].opponents == ()
    replacing = msgspec.structs.replace(_answer("eu"), lineage=Lineage(supersedes="rec_1"))
    assert steps.conflict(_case(replacing, facts=facts))[1].opponents == ()


def test_a_hidden_rival_makes_the_case_wait_without_being_named() -> None:
    secret = msgspec.structs.replace(HIDDEN.record.claim, slot=Slot(subject="db", key="region", value="us"))
    rival = _held(secret, name="rec_hidden")
    outcome, case = steps.conflict(_case(_answer("eu"), facts=_facts(occupants=(rival,))))
    assert (outcome.result, case.opponents, len(case.flags)) == (StepResult.FLAGGED, (), 1)
    assert "rec_hidden" not in outcome.note
    _, reviewed = steps.conflict(_case(_answer("eu"), facts=_facts(occupants=(rival,)), reviewer="ana"))
    assert reviewed.opponents == (rival,)


@pytest.mark.parametrize(
    ("claim", "target", "opponents", "expected"),
    [
        (Claim(content="x"), None, (), Disposition.APPEND),
        (Claim(content="x"), "rec_1", (), Disposition.UPDATE),
        (Claim(content="x", lineage=Lineage(supersedes="rec_1")), None, (), Disposition.UPDATE),
        (
            Claim(content="x", nature=Nature(kind=Kind.DEPRECATION), lineage=Lineage(supersedes="rec_1")),
            None,
            (),
            Disposition.DEPRECATE,
        ),
        (Claim(content="x"), None, (SHOWN,), Disposition.CONFLICT),
    ],
)
def test_the_disposition_names_the_operation(
    claim: Claim, target: str | None, opponents: tuple[Held, ...], expected: Disposition
) -> None:
    case = _case(claim, target=target, opponents=opponents, facts=_facts(links={"rec_1": SHOWN}))
    assert steps.disposition(case)[1].disposition is expected


def test_the_stricter_answer_holds_for_what_is_replaced() -> None:
    careful = WriteRule(id="decisions-wait", decision=WriteDecision.HOLD, reason="wait", kinds=(Kind.DECISION,))
    policy = msgspec.structs.replace(POLICY, write=(careful, COMMIT))
    old = _held(Claim(content="old", nature=Nature(kind=Kind.DECISION)))
    claim = Claim(content="new", lineage=Lineage(supersedes="rec_1"))
    _, case = steps.disposition(_case(claim, policy=policy, facts=_facts(links={"rec_1": old})))
    assert (case.decision, case.disposition, case.rule) == (WriteDecision.HOLD, Disposition.HOLD, "decisions-wait")


def test_a_flag_turns_a_commit_into_a_hold_and_never_a_refusal_into_one() -> None:
    _, case = steps.disposition(_case(flags=("look at it",)))
    assert (case.decision, case.disposition, case.reason) == (WriteDecision.HOLD, Disposition.HOLD, "look at it")
    closed = msgspec.structs.replace(POLICY, write=())
    outcome, case = steps.disposition(_case(flags=("look at it",), policy=closed))
    assert (outcome.result, case.decision) == (StepResult.REFUSED, WriteDecision.REFUSE)


REFUSED_AT: tuple[tuple[int, Case], ...] = (
    (0, _case(Claim(content="x", nature=Nature(kind=Kind.DEPRECATION)))),
    (1, _case(unsafe_ids=("scope_id",))),
    (2, _case(Claim(content="x", lineage=Lineage(parent="rec_9")), facts=_facts(links={"rec_9": None}))),
    (
        5,
        _case(
            Claim(content="x", nature=Nature(kind=Kind.FACT)),
            policy=msgspec.structs.replace(POLICY, evidence=Evidence(otherwise=WriteDecision.REFUSE)),
        ),
    ),
    (6, _case(facts=_facts(twin=SHOWN))),
    (8, _case(policy=msgspec.structs.replace(POLICY, write=()))),
)


@pytest.mark.parametrize(("place", "case"), REFUSED_AT)
def test_a_refusal_ends_the_walk_and_the_report_still_has_nine_outcomes(place: int, case: Case) -> None:
    ended, outcomes = curate(case)
    assert [outcome.step for outcome in outcomes] == list(Step)
    assert outcomes[place].result is StepResult.REFUSED
    assert all(outcome.result is not StepResult.REFUSED for outcome in outcomes[:place])
    assert all(outcome.result is StepResult.NOT_RUN for outcome in outcomes[place + 1 :])
    assert ended.decision is WriteDecision.REFUSE
    assert ended.reason


def test_the_steps_do_not_change_the_case_they_are_given() -> None:
    before = msgspec.structs.replace(CASE)
    curate(CASE)
    assert before == CASE


def test_hold_is_named_by_its_rule() -> None:
    case, _ = curate(_case(policy=msgspec.structs.replace(POLICY, write=(HOLD,))))
    assert (case.decision, case.disposition, case.rule) == (WriteDecision.HOLD, Disposition.HOLD, "wait")
