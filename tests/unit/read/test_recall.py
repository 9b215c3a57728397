"""The way out: bounds before rank, counts that sum up, abstentions with their reason, and nothing that is not the
caller's to see."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.world import DAY, SetClock, open_memory

from muniment import Memory
from muniment.model.curation import Verdict
from muniment.model.query import Abstention, Presented
from muniment.model.recall import Recall
from muniment.model.times import Instant
from muniment.read.select import DISPUTE_CHARACTERS_MAX


@pytest.fixture
def clock() -> SetClock:
    return SetClock("2026-06-01T00:00:00Z")


@pytest.fixture
def timed(vault: Path, clock: SetClock) -> Iterator[Memory]:
    with open_memory(vault, clock=clock) as memory:
        yield memory


def _kept(verdict: Verdict) -> str:
    assert verdict.record_id is not None, verdict.reason
    return verdict.record_id


def _told(answer: Recall) -> set[str]:
    return {one.record.content for one in answer.records}


def _sums(answer: Recall) -> bool:
    """`considered` is what was told on its own merit and everything that was left out."""
    brought = [
        one
        for one in answer.records
        if "comes with another record" in one.reasons[0] or any("took the place" in notice for notice in one.notices)
    ]
    return answer.considered == len(answer.records) - len(brought) + sum(answer.excluded.values())


BOUNDS: tuple[tuple[str, dict[str, object], dict[str, object], str], ...] = (
    ("scope", {"scope": "session", "scope_id": "s1"}, {"scopes": ["project"]}, "scope"),
    ("scope id", {"scope_id": "apollo"}, {"scope_ids": ["default"]}, "scope_id"),
    ("namespace", {"namespace": "/hr"}, {"namespace": "/ci"}, "namespace"),
    ("class", {"memory_class": "profile"}, {"classes": ["long_term"]}, "class"),
    ("kind", {"kind": "risk"}, {"kinds": ["observation"]}, "kind"),
    ("sensitivity", {"sensitivity": "secret"}, {"sensitivity_max": "internal"}, "sensitivity"),
    ("provenance", {}, {"require_provenance": True}, "provenance"),
    ("confidence", {"confidence": 0.2}, {"confidence_min": 0.5}, "confidence"),
    ("validity", {"valid_until": "2025-01-01"}, {}, "validity"),
    ("not yet valid", {"valid_from": "2027-01-01"}, {}, "validity"),
    ("expiry", {"expires_at": "2025-01-01"}, {}, "expiry"),
)


@pytest.mark.parametrize(("said", "bound", "rule"), [case[1:] for case in BOUNDS], ids=[case[0] for case in BOUNDS])
def test_each_bound_alone_leaves_out_and_counts(
    timed: Memory, said: dict[str, object], bound: dict[str, object], rule: str
) -> None:
    inside = {"namespace": "/ci", "evidence": ["log:1"], "confidence": 0.9}
    timed.remember("alpha inside", **inside)  # type: ignore[arg-type]
    timed.remember("alpha outside", **said)  # type: ignore[arg-type]
    answer = timed.recall("alpha", **bound)  # type: ignore[arg-type]
    assert _told(answer) == {"alpha inside"}
    assert answer.excluded == {rule: 1}
    assert answer.considered == 2
    assert _sums(answer)


def test_trust_and_age_alone_leave_out_and_count(timed: Memory, clock: SetClock) -> None:
    timed.as_actor("worker").remember("alpha by an agent")
    clock.forward(10 * DAY)
    timed.remember("alpha by a person")
    trusted, recent = timed.recall("alpha", trust_min="high"), timed.recall("alpha", max_age_days=5)
    assert (_told(trusted), trusted.excluded) == ({"alpha by a person"}, {"trust": 1})
    assert (_told(recent), recent.excluded) == ({"alpha by a person"}, {"age": 1})
    assert _told(timed.recall("alpha", max_age_days=10)) == {"alpha by a person", "alpha by an agent"}
    assert _told(timed.recall("alpha", max_age_days=0)) == {"alpha by a person"}


def test_several_bounds_count_each_record_once_under_the_first_it_fails(timed: Memory) -> None:
    timed.remember("alpha one", kind="risk", confidence=0.1)
    timed.remember("alpha two", confidence=0.1)
    timed.remember("alpha three", kind="risk")
    timed.review.retract(_kept(timed.remember("alpha four")), reason="no")
    answer = timed.recall("alpha", kinds=["observation"], confidence_min=0.5)
    assert answer.excluded == {"retracted": 1, "kind": 2, "confidence": 1}
    assert (answer.considered, answer.records, answer.abstained) == (4, (), Abstention.NOTHING_ELIGIBLE)


@pytest.mark.parametrize("bound", ["scopes", "scope_ids", "classes", "kinds"])
def test_an_empty_list_asks_for_nothing(memory: Memory, bound: str) -> None:
    memory.remember("alpha")
    answer = memory.recall("alpha", **{bound: []})  # type: ignore[arg-type]
    assert (answer.records, answer.abstained) == ((), Abstention.NOTHING_ELIGIBLE)
    assert sum(answer.excluded.values()) == answer.considered == 1


# Abstention.

NO_GRANT = """\
version: 1
name: test
actors: {owner: {type: person, roles: [owner]}}
write: [{id: all, decision: commit, reason: may}]
read: [{id: for-audit, member: false, purposes: [audit]}]
review: [{id: all-review, actions: [audit]}]
"""


def test_each_abstention_has_its_reason(vault: Path) -> None:
    with open_memory(vault, policy=NO_GRANT) as memory:
        memory.remember("alpha")
        assert memory.recall("alpha").abstained is Abstention.NOT_AUTHORIZED
        assert (memory.recall("alpha").considered, memory.recall("alpha").excluded) == (0, {})
        assert memory.recall("omega", purpose="audit").abstained is Abstention.NO_MATCH
        assert memory.recall("???", purpose="audit").abstained is Abstention.NO_SEARCHABLE_WORDS
        assert memory.recall("alpha", purpose="audit", kinds=["risk"]).abstained is Abstention.NOTHING_ELIGIBLE
        assert memory.recall("alpha", purpose="audit", limit=0).abstained is Abstention.NOTHING_FITS
        assert memory.recall("alpha", purpose="audit", budget_tokens=0).abstained is Abstention.NOTHING_FITS
        assert memory.recall("alpha", purpose="audit").abstained is None


def test_an_abstention_leaves_a_receipt_too(memory: Memory) -> None:
    answer = memory.recall("nothing here")
    explained = memory.explain(answer.receipt_id)
    assert (explained.again, explained.same_ids, explained.account.abstained) == ((), True, Abstention.NO_MATCH)


# Bounds of size.


@pytest.mark.parametrize("limit", [0, 1, 2, 5, 6, 7, 200])
def test_a_limit_is_kept_and_what_is_beyond_it_is_counted(memory: Memory, limit: int) -> None:
    for number in range(6):
        memory.remember(f"alpha {number}")
    answer = memory.recall("alpha", limit=limit)
    assert len(answer.records) == min(limit, 6)
    assert answer.excluded == ({"limit": 6 - limit} if limit < 6 else {})
    assert answer.considered == 6


def test_many_more_matches_than_the_limit_still_sum_up(memory: Memory) -> None:
    for number in range(60):
        memory.remember(f"alpha number {number}")
    answer = memory.recall("alpha", limit=3)
    assert (len(answer.records), answer.excluded, answer.considered) == (3, {"limit": 57}, 60)


def test_a_token_budget_is_kept_and_a_smaller_record_may_still_fit(memory: Memory) -> None:
    memory.remember("alpha alpha alpha " + "x" * 400)
    memory.remember("alpha short")
    answer = memory.recall("alpha", budget_tokens=10)
    assert (_told(answer), answer.excluded, answer.considered) == ({"alpha short"}, {"budget": 1}, 2)
    assert _told(memory.recall("alpha", budget_tokens=2)) == set()
    assert _told(memory.recall("alpha", budget_tokens=3)) == {"alpha short"}


# What a record may be told as.


@pytest.mark.parametrize(
    ("kind", "presented"),
    [
        ("hypothesis", Presented.HYPOTHESIS),
        ("assumption", Presented.HYPOTHESIS),
        ("question", Presented.HYPOTHESIS),
        ("intention", Presented.HYPOTHESIS),
        ("evidence", Presented.SUPPORT),
        ("fact", Presented.CLAIM),
        ("decision", Presented.CLAIM),
    ],
)
def test_a_guess_is_never_told_as_a_claim(memory: Memory, kind: str, presented: Presented) -> None:
    kept = _kept(memory.remember("alpha", kind=kind, confidence=1.0, evidence=["log:1"]))
    assert [one.presented for one in memory.recall("alpha", kinds=[kind]).records] == [presented]
    assert memory.get(kept).presented is presented


@pytest.mark.parametrize("kind", ["observation", "deprecation"])
def test_what_was_replaced_leads_to_what_replaced_it_with_a_notice(memory: Memory, kind: str) -> None:
    old = _kept(memory.remember("The dashboard is at port alpha"))
    new = _kept(memory.remember("It moved to port beta", supersedes=old, kind=kind))
    answer = memory.recall("dashboard")
    assert [one.record.id for one in answer.records] == [new]
    assert old in answer.records[0].notices[0]
    assert answer.excluded == {"deprecated" if kind == "deprecation" else "superseded": 1}
    assert _sums(answer)


def test_a_chain_of_replacements_leads_to_its_end(memory: Memory) -> None:
    name = _kept(memory.remember("alpha the first"))
    for number in range(12):
        name = _kept(memory.remember(f"step {number}", supersedes=name))
    assert [one.record.id for one in memory.recall("alpha").records] == [name]


def test_a_revision_leads_to_the_present_one(memory: Memory) -> None:
    kept = _kept(memory.remember("alpha the first"))
    memory.revise(kept, "beta the second")
    answer = memory.recall("alpha")
    assert [(one.record.id, one.record.revision) for one in answer.records] == [(kept, 2)]


def test_what_replaced_a_record_and_was_retracted_is_not_led_to(memory: Memory) -> None:
    old = _kept(memory.remember("alpha the first"))
    new = _kept(memory.remember("beta the second", supersedes=old))
    memory.review.retract(new, reason="no")
    answer = memory.recall("alpha")
    assert (answer.records, answer.abstained) == ((), Abstention.NOTHING_ELIGIBLE)


def test_a_replacement_the_caller_may_not_see_is_not_led_to_or_betrayed(memory: Memory) -> None:
    old = _kept(memory.remember("alpha the first"))
    new = _kept(memory.remember("beta the second", supersedes=old, sensitivity="secret"))
    agent = memory.as_actor("worker")
    answer = agent.recall("alpha")
    assert (answer.records, answer.excluded) == ((), {"superseded": 1})
    assert new not in repr(answer)
    assert new not in repr(agent.explain(answer.receipt_id))
    assert agent.history(old).replaced_by == ()


SLOT = {"subject": "db", "key": "region"}


def _sides(answer: Recall) -> list[list[str]]:
    """What is told inside each record as disputing it."""
    return [[side.content for side in one.disputed_by] for one in answer.records]


def test_the_other_side_of_a_conflict_is_told_inside_the_record_and_neither_is_asserted(memory: Memory) -> None:
    memory.remember("It is in Dublin", **SLOT, value="eu")  # type: ignore[arg-type]
    verdict = memory.remember("Boston hosts it", **SLOT, value="us")  # type: ignore[arg-type]
    conflict = verdict.conflict_ids[0]
    answer = memory.recall("Dublin")
    (one,) = answer.records
    (side,) = one.disputed_by
    assert (one.record.content, one.presented, one.conflicts) == ("It is in Dublin", Presented.CONTESTED, (conflict,))
    assert (side.conflict, side.id, side.content) == (conflict, verdict.record_id, "Boston hosts it")
    assert (side.revision, side.whole) == (1, True)
    assert conflict in one.notices[0]
    assert answer.notices == (f"conflict {conflict} is open",)
    assert (answer.considered, answer.excluded) == (1, {})
    assert memory.explain(answer.receipt_id).same_ids
    assert memory.explain(answer.receipt_id, replay=True).same_ids


def test_a_side_that_matches_by_itself_has_a_place_of_its_own(memory: Memory) -> None:
    memory.remember("It is in Dublin", **SLOT, value="eu")  # type: ignore[arg-type]
    memory.remember("It is in Boston, not in Dublin", **SLOT, value="us")  # type: ignore[arg-type]
    answer = memory.recall("Dublin")
    assert _told(answer) == {"It is in Dublin", "It is in Boston, not in Dublin"}
    assert [len(sides) for sides in _sides(answer)] == [1, 1]
    one = memory.recall("Dublin", limit=1)
    assert len(one.records) == 1
    assert _sides(one) in ([["It is in Boston, not in Dublin"]], [["It is in Dublin"]])


def test_a_record_names_few_of_those_that_dispute_it_the_latest_first_and_no_more_records_than_asked_for(
    memory: Memory,
) -> None:
    memory.remember("It is in Dublin", **SLOT, value="eu")  # type: ignore[arg-type]
    for place in range(6):
        memory.remember(f"Site {place} hosts it", **SLOT, value=f"site {place}")  # type: ignore[arg-type]
    answer = memory.recall("Dublin", limit=3)
    assert _told(answer) == {"It is in Dublin"}
    assert _sides(answer) == [[f"Site {place} hosts it" for place in (5, 4, 3)]]


def test_of_two_that_a_suspected_conflict_joins_the_newer_comes_first_and_neither_is_told_as_disputed(
    memory: Memory,
) -> None:
    older = _kept(memory.remember("The upload limit is 5 GB"))
    newer = memory.remember("The upload limit is now 10 GB")
    assert [one.strength for one in memory.review.conflicts()] == ["suspected"]
    answer = memory.recall("upload limit 5 GB")
    assert [one.record.id for one in answer.records] == [newer.record_id, older]
    assert _sides(answer) == [[], []]
    assert {one.presented for one in answer.records} == {Presented.CLAIM}
    exact = memory.recall("The upload limit is 5 GB")
    assert exact.records[0].record.id == older, "the very text of a record comes first"


def test_the_beginning_of_a_long_side_is_told(memory: Memory) -> None:
    memory.remember("It is in Dublin", **SLOT, value="eu")  # type: ignore[arg-type]
    memory.remember("Boston hosts it. " + "It is known. " * 400, **SLOT, value="us")  # type: ignore[arg-type]
    (side,) = memory.recall("Dublin").records[0].disputed_by
    assert side.content.startswith("Boston hosts it. It is known.")
    assert (len(side.content), side.whole) == (DISPUTE_CHARACTERS_MAX, False)


def test_what_is_told_inside_another_record_counts_as_told(memory: Memory) -> None:
    memory.remember("It is in Dublin", **SLOT, value="eu")  # type: ignore[arg-type]
    other = _kept(memory.remember("Boston hosts it", **SLOT, value="us"))  # type: ignore[arg-type]
    receipt = memory.recall("Dublin").receipt_id
    assert [(one.receipt_id, one.rank) for one in memory.insight.receipts_of(other).receipts] == [(receipt, None)]


def test_a_side_does_not_fit_a_budget_without_the_other(memory: Memory) -> None:
    memory.remember("It is in Dublin", **SLOT, value="eu")  # type: ignore[arg-type]
    memory.remember("Boston " + "x" * 400, **SLOT, value="us")  # type: ignore[arg-type]
    assert memory.recall("Dublin", budget_tokens=90).records
    assert memory.recall("Dublin", budget_tokens=20).abstained is Abstention.NOTHING_FITS


@pytest.fixture
def quarrel(memory: Memory) -> tuple[str, str, str]:
    """What an agent sees, what is hidden from it, and the conflict between the two."""
    seen = _kept(memory.remember("It is in Dublin", **SLOT, value="eu"))  # type: ignore[arg-type]
    hidden = memory.remember("It is in Boston", sensitivity="secret", **SLOT, value="us")  # type: ignore[arg-type]
    return seen, _kept(hidden), hidden.conflict_ids[0]


def test_a_hidden_other_side_is_not_leaked(memory: Memory, quarrel: tuple[str, str, str]) -> None:
    seen, hidden, conflict = quarrel
    agent = memory.as_actor("worker")
    answer = agent.recall("Dublin")
    assert [one.record.id for one in answer.records] == [seen]
    assert answer.records[0].presented is Presented.CONTESTED
    told = f"{answer!r} {agent.review.conflicts()!r} {agent.insight.stats()!r} {agent.history(seen)!r}"
    assert hidden not in told
    assert conflict not in told
    assert "Boston" not in told


def test_a_hidden_other_side_is_not_leaked_by_getting_the_record(memory: Memory, quarrel: tuple[str, str, str]) -> None:
    seen, _, conflict = quarrel
    assert conflict not in repr(memory.as_actor("worker").get(seen))


def test_a_hidden_other_side_is_not_leaked_by_the_receipt(memory: Memory, quarrel: tuple[str, str, str]) -> None:
    _, hidden, conflict = quarrel
    agent = memory.as_actor("worker")
    explained = repr(agent.explain(agent.recall("Dublin").receipt_id))
    assert hidden not in explained
    assert conflict not in explained


# Whose records are counted.


def test_only_the_own_tenant_is_counted(vault: Path) -> None:
    with Memory.open(vault, tenant="acme") as acme, Memory.open(vault, tenant="other") as other:
        acme.remember("alpha of acme")
        for number in range(5):
            other.remember(f"alpha {number} of the other")
        answer = acme.recall("alpha", kinds=["risk"])
        assert (answer.considered, answer.excluded) == (1, {"kind": 1})
        assert _told(acme.recall("alpha")) == {"alpha of acme"}
        assert (acme.insight.stats().current, other.insight.stats().current) == (1, 5)


def test_only_what_the_caller_may_see_is_counted(memory: Memory) -> None:
    memory.remember("alpha for all")
    memory.remember("alpha in secret", sensitivity="secret")
    memory.remember("alpha elsewhere", scope_id="apollo")
    memory.review.retract(_kept(memory.remember("alpha once, in secret", sensitivity="secret")), reason="no")
    agent = memory.as_actor("worker")
    answer = agent.recall("alpha")
    assert (_told(answer), answer.considered, answer.excluded) == ({"alpha for all"}, 1, {})
    assert agent.recall("secret").abstained is Abstention.NO_MATCH
    assert agent.insight.stats().revisions == {"active": 1}
    assert memory.recall("alpha").considered == 4


# Two clocks.


def test_validity_and_expiry_hold_to_their_last_instant(timed: Memory, clock: SetClock) -> None:
    timed.remember("alpha", valid_from="2026-06-02", valid_until="2026-06-03", expires_at="2026-06-03")
    seen = []
    for text in (
        "2026-06-01T23:59:59.999999Z",
        "2026-06-02T00:00:00Z",
        "2026-06-03T00:00:00Z",
        "2026-06-03T00:00:00.000001Z",
    ):
        clock.set(text)
        seen.append(len(timed.recall("alpha").records))
    assert seen == [0, 1, 1, 0]


def test_what_was_true_then_as_known_then(timed: Memory, clock: SetClock) -> None:
    """A manager is told of in January for the first half of the year, corrected in March for all of it."""
    first = _kept(timed.remember("Ana leads alpha", valid_from="2026-01-01", valid_until="2026-06-30"))
    told = clock.now()
    clock.forward(60 * DAY)
    timed.revise(first, "Bo leads alpha", valid_from="2026-01-01", valid_until="2026-12-31")
    corrected = clock.now()
    clock.forward(60 * DAY)

    def known(valid_at: str, known_at: Instant | None) -> set[str]:
        return _told(timed.recall("alpha", valid_at=valid_at, known_at=known_at))

    assert known("2026-03-01", Instant(told - 1)) == set()
    assert known("2026-03-01", told) == {"Ana leads alpha"}
    assert known("2026-09-01", told) == set()
    assert known("2026-03-01", Instant(corrected - 1)) == {"Ana leads alpha"}
    assert known("2026-03-01", corrected) == {"Bo leads alpha"}
    assert known("2026-09-01", corrected) == {"Bo leads alpha"}
    assert known("2025-12-31", corrected) == set()
    assert known("2027-01-01", None) == set()
    assert known("2026-03-01", None) == {"Bo leads alpha"}


def test_a_retraction_is_unknown_before_it_was_made(timed: Memory, clock: SetClock) -> None:
    kept = _kept(timed.remember("alpha"))
    told = clock.now()
    clock.forward(DAY)
    timed.review.retract(kept, reason="no")
    assert _told(timed.recall("alpha")) == set()
    assert _told(timed.recall("alpha", known_at=told)) == {"alpha"}
    assert timed.recall("alpha", known_at=clock.now()).excluded == {"retracted": 1}


def test_a_conflict_is_unknown_before_it_was_found_and_open_until_it_was_settled(
    timed: Memory, clock: SetClock
) -> None:
    timed.remember("Dublin alpha", **SLOT, value="eu")  # type: ignore[arg-type]
    alone = clock.now()
    clock.forward(DAY)
    rival = _kept(timed.remember("Boston alpha", **SLOT, value="us"))  # type: ignore[arg-type]
    disputed = clock.now()
    clock.forward(DAY)
    timed.review.retract(rival, reason="no")
    presented = [
        {one.presented for one in timed.recall("dublin", known_at=when).records} for when in (alone, disputed, None)
    ]
    assert presented == [{Presented.CLAIM}, {Presented.CONTESTED}, {Presented.CLAIM}]
    assert _sides(timed.recall("dublin", known_at=disputed)) == [["Boston alpha"]]
    assert _sides(timed.recall("dublin")) == [[]]


def test_a_later_policy_does_not_bring_back_what_the_past_knew(timed: Memory, clock: SetClock) -> None:
    timed.remember("alpha in secret", sensitivity="secret")
    assert _told(timed.as_actor("worker").recall("alpha", known_at=clock.now())) == set()


@pytest.mark.parametrize("when", ["0001-01-01", "9999-12-31T23:59:59Z"])
def test_the_ends_of_time_may_be_asked_about(timed: Memory, when: str) -> None:
    timed.remember("alpha")
    assert _told(timed.recall("alpha", known_at=when)) == (set() if when.startswith("0001") else {"alpha"})
    assert _told(timed.recall("alpha", valid_at=when)) == {"alpha"}
