"""The nine curation steps, each alone and in order. Pure: a case in, an outcome and a case out."""

from __future__ import annotations

import msgspec
import pytest
from tests.cases import each

from muniment.model.actor import Actor
from muniment.model.card import card_of
from muniment.model.claim import Belief, Charter, Claim, Handling, Lineage, Nature, Place, Relation, Slot, Times
from muniment.model.curation import Redaction, StepOutcome
from muniment.model.proposal import ReviewDecision
from muniment.model.record import Record, RecordState, TrustState
from muniment.model.status import Status
from muniment.model.times import DAY, Instant
from muniment.model.vocabulary import (
    ActorType,
    ConflictType,
    Disposition,
    Kind,
    Label,
    RelationType,
    Scope,
    Sensitivity,
    Step,
    StepResult,
    TrustLevel,
)
from muniment.policy.rules import (
    DetectorEffect,
    DisputePolicy,
    EvidencePolicy,
    Policy,
    ReadRule,
    SafetyPolicy,
    SecretsPolicy,
    WriteDecision,
    WriteRule,
)
from muniment.write import steps
from muniment.write.case import Case
from muniment.write.facts import Facts, Held, PastFacts
from muniment.write.similarity import Rival, disagree
from muniment.write.steps import STEPS, curate

COMMIT = WriteRule(id="yes", decision=WriteDecision.COMMIT, reason="it may", review_days=7)
HOLD = WriteRule(id="wait", decision=WriteDecision.HOLD, reason="a person decides")
READ = ReadRule(id="see", member=False, sensitivity_max=Sensitivity.INTERNAL)
POLICY = Policy(version=1, name="test", write=(COMMIT,), read=(READ,))
NOTHING = Facts(links={}, twin=None, occupants=(), contradicted=(), seen=())
BOT = Actor(id="bot", projects=("default",))
ANA = Actor(id="ana", type=ActorType.PERSON)
CASE = Case(claim=Claim(content="x"), actor=BOT, policy=POLICY, facts=NOTHING, now=Instant(0))


def _held(
    claim: Claim,
    *,
    name: str = "rec_1",
    rid: int = 3,
    status: Status = Status.ACTIVE,
    barred: tuple[Scope, ...] = (),
) -> Held:
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
        barred=barred,
    )
    footing = TrustState(own=0.5, effective=0.5, label=Label.PERSON)
    standing = RecordState(status=status, since=3, footing=footing)
    return Held(card=card_of(record, standing, rid=rid, pepper=b"p"), record=record)


SHOWN = _held(Claim(content="old"))
RIVAL = Rival(held=SHOWN, type=ConflictType.CONTRADICTION, why="slot")
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
    redacted = _case(redactions=(Redaction(field="content", what="chat token"),))
    outcome, _ = steps.safety(redacted)
    assert (outcome.result, outcome.note) == (StepResult.CHANGED, "redacted chat token in content")
    strict = msgspec.structs.replace(POLICY, safety=SafetyPolicy(secrets=SecretsPolicy.DISCARD))
    outcome, case = steps.safety(msgspec.structs.replace(redacted, policy=strict))
    assert (outcome.result, case.rule, case.decision) == (StepResult.REFUSED, "secrets-discard", WriteDecision.REFUSE)
    assert _result(steps.safety(_case(unsafe_ids=("scope_id",))), Step.SAFETY) is StepResult.REFUSED
    assert _result(steps.safety(CASE), Step.SAFETY) is StepResult.PASSED


@pytest.mark.parametrize("link", [None, HIDDEN], ids=["absent", "hidden"])
def test_a_link_that_is_absent_or_hidden_is_refused_in_the_same_words(link: Held | None) -> None:
    claim = Claim(content="x", lineage=Lineage(derived_from=("rec_2",)))
    outcome, case = steps.provenance(_case(claim, facts=_facts(links={"rec_2": link})))
    told = "derived_from rec_2: there is no such record that the proposer may see"
    assert (outcome.result, outcome.note) == (StepResult.REFUSED, told)
    assert case.rule == "unknown-link"


@each("status", [Status.SUPERSEDED, Status.RETRACTED, Status.DEPRECATED])
def test_anything_seen_can_be_built_on(status: Status) -> None:
    facts = _facts(links={"rec_1": _held(Claim(content="old"), status=status)})
    building = Claim(content="x", lineage=Lineage(derived_from=("rec_1",)))
    assert _result(steps.provenance(_case(building, facts=facts)), Step.PROVENANCE) is StepResult.PASSED


def test_a_link_that_leads_back_to_what_is_revised_is_refused() -> None:
    claim = Claim(content="x", lineage=Lineage(derived_from=("rec_1",)))
    facts = _facts(links={"rec_1": SHOWN, "rec_0": SHOWN}, loops=(("derived_from", "rec_1"),))
    outcome, case = steps.provenance(_case(claim, target="rec_0", facts=facts))
    assert (outcome.result, case.rule) == (StepResult.REFUSED, "cycle")


def test_memory_under_a_charter_does_not_flow_into_a_scope_it_bars() -> None:
    facts = _facts(links={"rec_1": _held(Claim(content="old"), barred=(Scope.AGENT_TEAM,))})
    for scope, result in ((Scope.AGENT_TEAM, StepResult.REFUSED), (Scope.PROJECT, StepResult.PASSED)):
        claim = Claim(content="x", place=Place(scope=scope), lineage=Lineage(derived_from=("rec_1",)))
        assert _result(steps.provenance(_case(claim, facts=facts)), Step.PROVENANCE) is result
    mentioned = (Relation(type=RelationType.INFORMS, target="rec_1"),)
    claim = Claim(content="x", place=Place(scope=Scope.AGENT_TEAM), lineage=Lineage(relations=mentioned))
    assert _result(steps.provenance(_case(claim, facts=facts)), Step.PROVENANCE) is StepResult.PASSED


def test_its_own_charter_bars_a_record_too_wherever_a_reviewer_moves_it() -> None:
    claim = Claim(content="x", charter=Charter(barred=(Scope.AGENT_TEAM,)))
    assert _result(steps.scope(_case(claim)), Step.SCOPE) is StepResult.PASSED
    ruling = ReviewDecision(proposal="prp_1", accept=True, reason="ok", scope=Scope.AGENT_TEAM, scope_id="north")
    assert steps.scope(_case(claim, ruling=ruling))[1].rule == "barred-scope"


def test_a_time_to_end_cannot_outlast_retention() -> None:
    charter = Charter(retention_days=30)
    for said, kept in ((None, 30 * DAY), (5 * DAY, 5 * DAY), (90 * DAY, 30 * DAY)):
        times = Times(expires_at=Instant(said) if said is not None else None)
        _, case = steps.scope(_case(Claim(content="x", charter=charter, times=times)))
        assert case.claim.times.expires_at == kept


WHOLE_CHARTER = Charter(
    lawful_basis="consent",
    access=("ana",),
    erasure="on request",
    retention_days=30,
    source_quality="first hand",
    reviewer="ana",
    barred=(Scope.AGENT_TEAM,),
)


@each("missing", [None, "owner", *WHOLE_CHARTER.__struct_fields__])
def test_a_scope_about_people_needs_an_owner_and_a_whole_charter(missing: str | None) -> None:
    default = () if missing in ("access", "barred") else None
    charter = WHOLE_CHARTER
    if missing not in (None, "owner"):
        charter = msgspec.structs.replace(WHOLE_CHARTER, **{str(missing): default})
    claim = Claim(
        content="x",
        place=Place(scope=Scope.X_USER_IDENTITY, scope_id="ana"),
        handling=Handling(owner=None if missing == "owner" else "dan"),
        charter=charter,
    )
    outcome, case = steps.scope(_case(claim))
    if missing is None:
        assert (outcome.result, case.claim.times.expires_at) == (StepResult.PASSED, 30 * DAY)
    else:
        assert (outcome.result, case.rule) == (StepResult.REFUSED, "charter-incomplete")
        assert missing in outcome.note


@each(
    ("status", "claim", "rule"),
    [
        (Status.ACTIVE, {}, None),
        (Status.RETRACTED, {}, "not-current"),
        (Status.ACTIVE, {"place": Place(scope=Scope.SESSION)}, "promotion-route"),
        (Status.ACTIVE, {"belief": Belief()}, "promotion-grounds"),
        (Status.ACTIVE, {"handling": Handling()}, "promotion-grounds"),
    ],
    ids=["sound", "taken back", "downwards", "no evidence", "no owner"],
)
def test_a_promotion_goes_upwards_with_evidence_and_an_owner(
    status: Status, claim: dict[str, object], rule: str | None
) -> None:
    asked: dict[str, object] = {
        "place": Place(scope=Scope.AGENT_TEAM, scope_id="north"),
        "belief": Belief(evidence=("ticket:1",)),
        "handling": Handling(owner="ana"),
        **claim,
    }
    promoted = msgspec.structs.replace(Claim(content="x"), **asked)
    facts = _facts(links={"rec_1": _held(Claim(content="x"), status=status)})
    outcome, case = steps.scope(_case(promoted, promotes="rec_1", facts=facts))
    assert (outcome.result is StepResult.REFUSED, case.rule) == (rule is not None, rule or "")


def test_a_promotion_waits_for_a_person_whoever_proposes_it() -> None:
    _, case = steps.disposition(_case(promotes="rec_1", actor=ANA))
    assert (case.decision, case.rule) == (WriteDecision.HOLD, "promotion")


def test_a_reviewer_may_move_and_reclassify() -> None:
    ruling = ReviewDecision(
        proposal="prp_1", accept=True, reason="ok", kind=Kind.FACT, scope=Scope.SESSION, scope_id="s1"
    )
    outcome, case = steps.scope(_case(ruling=ruling))
    assert (outcome.result, case.claim.place) == (StepResult.CHANGED, Place(scope=Scope.SESSION, scope_id="s1"))
    outcome, case = steps.kind(case)
    assert (outcome.result, case.claim.nature.kind) == (StepResult.CHANGED, Kind.FACT)
    assert _result(steps.scope(CASE), Step.SCOPE) is StepResult.PASSED
    assert _result(steps.kind(CASE), Step.KIND) is StepResult.PASSED


@each(
    ("otherwise", "result", "flags"),
    [
        (WriteDecision.HOLD, StepResult.FLAGGED, 1),
        (WriteDecision.COMMIT, StepResult.FLAGGED, 0),
        (WriteDecision.REFUSE, StepResult.REFUSED, 0),
    ],
)
def test_an_agent_needs_evidence_for_a_fact(otherwise: WriteDecision, result: StepResult, flags: int) -> None:
    policy = msgspec.structs.replace(POLICY, evidence=EvidencePolicy(otherwise=otherwise))
    outcome, case = steps.evidence(_case(Claim(content="x", nature=Nature(kind=Kind.FACT)), policy=policy))
    assert (outcome.result, len(case.flags)) == (result, flags)


@each(
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


def test_what_changes_nothing_of_what_it_replaces_is_redundant() -> None:
    case = _case(SHOWN.record.claim, target="rec_1", facts=_facts(twin=SHOWN, links={"rec_1": SHOWN}))
    assert steps.dedupe(case)[1].rule == "redundant"


OLD = _held(Claim(content="the north gate opens at nine"), status=Status.SUPERSEDED)
NOW = _held(Claim(content="the north gate opens at seven"), name="rec_7", rid=9)
BEFORE = PastFacts(held=OLD, now=NOW, near=False)


def test_what_was_corrected_since_is_not_said_again_unless_it_names_the_correction_or_a_later_time() -> None:
    words = OLD.record.content
    facts = _facts(past=(BEFORE,))
    told = msgspec.structs.replace(facts, told=frozenset({OLD.card.rid}))
    outcome, case = steps.dedupe(_case(Claim(content=words), facts=told))
    assert (outcome.result, case.rule) == (StepResult.REFUSED, "restated")
    assert "rec_7" in outcome.note
    back = Claim(content=words, lineage=Lineage(supersedes="rec_7"))
    later = Claim(content=words, times=Times(valid_from=Instant(5)))
    for claim in (back, later):
        linked = _facts(past=(BEFORE,), links={"rec_7": NOW})
        assert _result(steps.dedupe(_case(claim, facts=linked)), Step.DEDUPE) is StepResult.PASSED
    assert (
        _result(steps.dedupe(_case(Claim(content=words), facts=facts, reviewer="ana")), Step.DEDUPE)
        is StepResult.PASSED
    )


def test_a_hidden_correction_is_not_betrayed() -> None:
    secret = msgspec.structs.replace(BEFORE, now=HIDDEN)
    outcome, _ = steps.dedupe(_case(Claim(content=OLD.record.content), facts=_facts(past=(secret,))))
    assert (outcome.result, outcome.note) == (StepResult.PASSED, "")


def _echo(
    actor: Actor, *, told: bool, evidence: tuple[str, ...] = (), status: Status = Status.ACTIVE
) -> tuple[str, ...]:
    """The records that a claim in the words of another counts as an echo of."""
    heard = _held(Claim(content="the north gate opens at nine in the morning"), status=status)
    claim = Claim(content="the north gate opens at nine in the morning!", belief=Belief(evidence=evidence))
    facts = _facts(kin=(heard,), told=frozenset({heard.card.rid} if told else ()))
    _, case = steps.dedupe(_case(claim, actor=actor, facts=facts))
    return tuple(held.card.id for held in case.echoes)


def test_what_was_told_and_comes_back_is_an_echo_whoever_says_it() -> None:
    assert _echo(BOT, told=True) == _echo(ANA, told=True) == ("rec_1",)
    assert _echo(BOT, told=True, evidence=("log:1",)) == ("rec_1",)


def test_an_agent_cannot_show_that_it_was_not_told_where_a_person_speaks_for_themselves() -> None:
    """Evidence does not change that: an agent can make it up."""
    assert _echo(BOT, told=False) == ("rec_1",)
    assert _echo(BOT, told=False, evidence=("log:1",)) == ("rec_1",)
    assert _echo(ANA, told=False) == ()


def test_what_a_charter_bars_from_a_scope_is_not_said_again_there() -> None:
    heard = _held(Claim(content="the north gate opens at nine"), barred=(Scope.PROJECT,))
    claim = Claim(content="the north gate opens at nine!")
    _, case = steps.dedupe(_case(claim, facts=_facts(kin=(heard,))))
    assert case.rule == "barred-scope"


def test_the_same_words_in_the_place_of_the_old_ones_are_an_echo_of_them() -> None:
    claim = Claim(content="old", belief=Belief(score=0.9), lineage=Lineage(supersedes="rec_1"))
    facts = _facts(twin=SHOWN, kin=(SHOWN,), links={"rec_1": SHOWN})
    _, case = steps.dedupe(_case(claim, facts=facts))
    assert [held.card.id for held in case.echoes] == ["rec_1"]


def test_what_was_taken_back_is_echoed_by_an_agent_that_was_told_and_by_no_person() -> None:
    assert _echo(BOT, told=True, status=Status.RETRACTED) == ("rec_1",)
    assert _echo(BOT, told=False, status=Status.RETRACTED) == ()
    assert _echo(ANA, told=True, status=Status.RETRACTED) == ()


def _answer(value: str, *, first: int | None = None, last: int | None = None) -> Claim:
    times = Times(
        valid_from=Instant(first) if first is not None else None,
        valid_until=Instant(last) if last is not None else None,
    )
    return Claim(content=value, slot=Slot(subject="db", key="region", value=value), times=times)


@each(
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
    assert [found.held for found in case.rivals] == ([rival] if conflicts else [])
    assert disagree(ours, rival.record) is disagree(theirs, _held(ours).record)


def test_what_is_being_replaced_is_no_rival() -> None:
    facts = _facts(occupants=(_held(_answer("us")),))
    assert steps.conflict(_case(_answer("eu"), target="rec_1", facts=facts))[1].rivals == ()
    replacing = msgspec.structs.replace(_answer("eu"), lineage=Lineage(supersedes="rec_1"))
    assert steps.conflict(_case(replacing, facts=facts))[1].rivals == ()


def test_a_hidden_rival_makes_the_case_wait_without_being_named() -> None:
    secret = msgspec.structs.replace(HIDDEN.record.claim, slot=Slot(subject="db", key="region", value="us"))
    rival = _held(secret, name="rec_hidden")
    outcome, case = steps.conflict(_case(_answer("eu"), facts=_facts(occupants=(rival,))))
    assert (outcome.result, case.rivals, len(case.flags)) == (StepResult.FLAGGED, (), 1)
    assert "rec_hidden" not in outcome.note
    _, reviewed = steps.conflict(_case(_answer("eu"), facts=_facts(occupants=(rival,)), reviewer="ana"))
    assert [found.held for found in reviewed.rivals] == [rival]


def test_a_rival_that_is_hidden_and_found_by_its_words_alone_is_passed_over_in_silence() -> None:
    secret = msgspec.structs.replace(HIDDEN.record.claim, content="The gate is open")
    facts = _facts(kin=(_held(secret, name="rec_hidden"),))
    outcome, case = steps.conflict(_case(Claim(content="The gate is not open"), facts=facts))
    assert (outcome.result, outcome.note, case.rivals) == (StepResult.PASSED, "", ())


@each(
    ("detector", "found", "contests"),
    [(DetectorEffect.CONTEST, 1, True), (DetectorEffect.NOTE, 1, False), (DetectorEffect.IGNORE, 0, None)],
)
def test_policy_says_what_a_contradiction_in_words_is_worth(
    detector: DetectorEffect, found: int, contests: bool | None
) -> None:
    policy = msgspec.structs.replace(POLICY, disputes=DisputePolicy(detector=detector))
    facts = _facts(kin=(_held(Claim(content="The gate is open")),))
    _, case = steps.conflict(_case(Claim(content="The gate is not open"), facts=facts, policy=policy))
    assert [rival.contests for rival in case.rivals] == [contests] * found
    assert steps.disposition(case)[1].disposition is (Disposition.CONFLICT if contests else Disposition.APPEND)


@each(
    ("claim", "target", "rivals", "expected"),
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
        (Claim(content="x"), None, (RIVAL,), Disposition.CONFLICT),
        (Claim(content="x"), None, (msgspec.structs.replace(RIVAL, contests=False),), Disposition.APPEND),
    ],
)
def test_the_disposition_names_the_operation(
    claim: Claim, target: str | None, rivals: tuple[Rival, ...], expected: Disposition
) -> None:
    case = _case(claim, target=target, rivals=rivals, facts=_facts(links={"rec_1": SHOWN}))
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
            policy=msgspec.structs.replace(POLICY, evidence=EvidencePolicy(otherwise=WriteDecision.REFUSE)),
        ),
    ),
    (6, _case(facts=_facts(twin=SHOWN))),
    (8, _case(policy=msgspec.structs.replace(POLICY, write=()))),
)


@each(("place", "case"), REFUSED_AT)
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
