"""The way in through the engine's face: idempotency, duplicates, conflicts, rights, and decisions made again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import pytest
from tests.unit.world import SetClock, open_memory

from muniment import Memory
from muniment.model.claim import Claim
from muniment.model.curation import Verdict
from muniment.model.entry import LedgerHead
from muniment.model.errors import Malformed, NotFound, Stale, StoreBusy
from muniment.model.proposal import Proposal
from muniment.model.status import Status
from muniment.model.vocabulary import Disposition, Outcome, Step, StepResult
from muniment.ports.facts import FactsAsked, FactsFound
from muniment.ports.store import Unit
from muniment.write.admit import admit
from muniment.write.pipeline import TRIES, propose


def _entries(memory: Memory) -> int:
    return memory.ledger.head().seq


def _kept(verdict: Verdict) -> str:
    assert verdict.outcome is Outcome.COMMITTED, verdict.reason
    assert verdict.record_id is not None
    return verdict.record_id


def test_the_same_proposal_again_gets_the_same_answer_and_changes_nothing(memory: Memory) -> None:
    first = memory.remember("The build is green", proposal_id="prp_1")
    before = _entries(memory)
    again = memory.remember("The build is green", proposal_id="prp_1")
    assert again == first
    assert _entries(memory) == before
    assert memory.insight.stats().current == 1


@pytest.mark.parametrize("one", ["held", "refused", "conflict", "redundant"])
def test_every_sort_of_answer_is_given_again(memory: Memory, one: str) -> None:
    agent = memory.as_actor("worker")
    slot = {"subject": "db", "key": "region"}
    memory.remember("It is in Dublin", **slot, value="eu")  # type: ignore[arg-type]

    def ask() -> Verdict:
        match one:
            case "held":
                return agent.remember("We deploy on Tuesdays", kind="decision", proposal_id="p")
            case "refused":
                return agent.remember("Speak French", kind="directive", proposal_id="p")
            case "redundant":
                return memory.remember("it is in DUBLIN.", **slot, value="eu", proposal_id="p")  # type: ignore[arg-type]
            case _:
                return memory.remember("It is in Boston", **slot, value="us", proposal_id="p")  # type: ignore[arg-type]

    first, before = ask(), _entries(memory)
    assert ask() == first
    assert _entries(memory) == before


@pytest.mark.parametrize(
    "other", [{"content": "The build is red"}, {"confidence": 0.9}, {"kind": "risk"}, {"namespace": "/ci"}], ids=repr
)
def test_the_same_id_for_something_else_is_refused(memory: Memory, other: dict[str, str]) -> None:
    memory.remember("The build is green", proposal_id="prp_1")
    before = _entries(memory)
    with pytest.raises(Malformed) as refused:
        memory.remember(**{"content": "The build is green", "proposal_id": "prp_1", **other})  # type: ignore[arg-type]
    assert refused.value.field == "proposal_id"
    assert _entries(memory) == before


@pytest.mark.parametrize("options", [{"kind": "observation"}, {"scope_id": "default"}], ids=repr)
def test_saying_a_default_aloud_is_not_something_else(memory: Memory, options: dict[str, str]) -> None:
    first = memory.remember("The build is green", proposal_id="prp_1")
    spoken = {name: "".join(list(value)) for name, value in options.items()}
    assert memory.remember("The build is green", proposal_id="prp_1", **spoken) == first  # type: ignore[arg-type]


def test_another_actor_cannot_read_an_answer_by_guessing_its_proposal_id(memory: Memory) -> None:
    memory.remember("Salaries rise in May", proposal_id="prp_1", sensitivity="confidential")
    stranger = memory.as_actor("stranger")
    with pytest.raises(Malformed) as refused:
        stranger.remember("Salaries rise in May", proposal_id="prp_1", sensitivity="confidential")
    assert refused.value.field == "proposal_id"


@pytest.mark.parametrize("again", ["The build is green", "  The build is green\n"])
def test_a_duplicate_is_refused_and_points_at_what_is_there(memory: Memory, again: str) -> None:
    kept = _kept(memory.remember("The build is green"))
    verdict = memory.remember(again)
    assert (verdict.outcome, verdict.decision) == (Outcome.REFUSED, Disposition.DISCARD)
    assert (verdict.duplicate_of, verdict.rule, verdict.record_id) == (kept, "redundant", None)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("5 mW", "5 MW"),
        ("abc123", "ABC123"),
        ("x²", "x2"),
        ("ask US", "ask us"),
        ("Done", "Done."),
        ("-5", "5"),
        ("> 3 bar", "< 3 bar"),
    ],
)
def test_case_signs_units_and_punctuation_make_another_text(memory: Memory, one: str, other: str) -> None:
    first, second = memory.remember(one), memory.remember(other)
    assert second.committed
    assert second.record_id != first.record_id
    assert second.same_as == ()


def test_what_is_composed_otherwise_is_the_same_text(memory: Memory) -> None:
    kept = _kept(memory.remember("Caf\u00e9 opens"))
    assert memory.remember("Cafe\u0301 opens").duplicate_of == kept


@pytest.mark.parametrize(
    "other",
    [{"task_id": "t2"}, {"question": "Why?"}, {"session_id": "s2"}, {"namespace": "/ci"}],
    ids=repr,
)
def test_the_same_words_of_another_occasion_are_a_record_of_their_own(memory: Memory, other: dict[str, str]) -> None:
    first = memory.remember("Prefers tea")
    second = memory.remember("Prefers tea", **other)  # type: ignore[arg-type]
    assert second.committed
    assert second.record_id != first.record_id
    assert second.same_as == (first.record_id,)


@pytest.mark.parametrize("other", [{"confidence": 0.9}, {"evidence": ["log:2"]}], ids=repr)
def test_an_author_who_repeats_a_claim_with_other_grounds_is_told_of_the_record(
    memory: Memory, other: dict[str, str]
) -> None:
    first = memory.remember("Prefers tea")
    assert memory.remember("Prefers tea", **other).duplicate_of == first.record_id  # type: ignore[arg-type]


def test_no_two_authors_share_a_record_and_each_reads_its_own_back(memory: Memory) -> None:
    written = {}
    for number, name in enumerate(("ana", "ben", "cleo", "dan")):
        actor = memory.as_actor(name)
        for text in ("No", "NO", "Prefers tea", "5 mW"):
            said = {"confidence": 0.3 + number / 10, "evidence": [f"log:{number}"], "question": f"q{number}"}
            verdict = actor.remember(text, **said)  # type: ignore[arg-type]
            if not verdict.committed:
                verdict = memory.review.decide(verdict.proposal_id, accept=True, reason="fine")
            assert verdict.committed
            written[verdict.record_id] = (name, text, said)
    assert len(written) == 16
    for record, (name, text, said) in written.items():
        found = memory.as_actor(name).get(record or "").record
        assert (found.actor, found.content, found.claim.belief.score) == (name, text, said["confidence"])
        assert (list(found.claim.belief.evidence), found.claim.intent.question) == (said["evidence"], said["question"])


@pytest.mark.parametrize("elsewhere", [{"namespace": "/ci"}, {"kind": "risk"}, {"scope_id": "apollo"}], ids=repr)
def test_the_same_words_elsewhere_are_no_duplicate(memory: Memory, elsewhere: dict[str, str]) -> None:
    memory.remember("The build is green")
    assert memory.remember("The build is green", **elsewhere).committed  # type: ignore[arg-type]


def test_a_retracted_sentence_may_be_said_again(memory: Memory) -> None:
    memory.review.retract(_kept(memory.remember("The build is green")), reason="too early")
    assert memory.remember("The build is green").committed


def test_a_sentence_whose_time_has_passed_may_be_said_again_for_another_time(vault: Path) -> None:
    clock = SetClock()
    with open_memory(vault, clock=clock) as memory:
        memory.remember("Ana leads the team", valid_from="2024-01-01", valid_until="2024-12-31")
        assert memory.remember("Ana leads the team", valid_from="2026-01-01").committed


def test_an_expired_sentence_may_be_said_again(vault: Path) -> None:
    clock = SetClock()
    with open_memory(vault, clock=clock) as memory:
        memory.remember("The build is green", expires_at="2026-01-02")
        clock.set("2026-02-01T00:00:00Z")
        assert memory.remember("The build is green").committed
        assert len(memory.recall("build").records) == 1


def test_a_refusal_keeps_no_record_but_leaves_a_report_and_an_entry(memory: Memory) -> None:
    agent = memory.as_actor("worker")
    before = _entries(memory)
    verdict = agent.remember("Always answer in French", kind="directive")
    assert (verdict.outcome, verdict.rule, verdict.record_id) == (Outcome.REFUSED, "people-direct", None)
    assert verdict.epoch == before + 1 == _entries(memory)
    assert [outcome.step for outcome in verdict.steps] == list(Step)
    assert verdict.steps[-1].result is StepResult.REFUSED
    assert memory.insight.stats().revisions == {}


def test_a_conflict_contests_both_sides_and_ending_one_settles_it(memory: Memory) -> None:
    slot = {"subject": "db", "key": "region"}
    one = memory.remember("It is in Dublin", **slot, value="eu")  # type: ignore[arg-type]
    other = memory.remember("It is in Boston", **slot, value="us")  # type: ignore[arg-type]
    assert (other.decision, len(other.conflict_ids)) == (Disposition.CONFLICT, 1)
    sides = [memory.get(_kept(one)), memory.get(_kept(other))]
    assert [side.standing.status for side in sides] == [Status.CONTESTED, Status.CONTESTED]
    assert [side.conflicts for side in sides] == [other.conflict_ids, other.conflict_ids]
    memory.review.retract(_kept(one), reason="moved")
    assert memory.get(_kept(other)).standing.status is Status.ACTIVE
    assert memory.get(_kept(other)).conflicts == ()
    assert [view.status for view in memory.review.conflicts()] == ["resolved"]


def test_three_answers_stay_contested_until_one_is_left(memory: Memory) -> None:
    slot = {"subject": "db", "key": "region"}
    names = [_kept(memory.remember(f"It is in {value}", **slot, value=value)) for value in ("eu", "us", "ap")]  # type: ignore[arg-type]
    assert memory.insight.stats().open_conflicts == 3
    memory.review.retract(names[0], reason="no")
    assert {memory.get(name).standing.status for name in names[1:]} == {Status.CONTESTED}
    memory.review.retract(names[1], reason="no")
    assert memory.get(names[2]).standing.status is Status.ACTIVE
    assert memory.ledger.verify().ok


def test_a_stated_contradiction_is_a_conflict(memory: Memory) -> None:
    kept = _kept(memory.remember("The build is green"))
    verdict = memory.remember("The build is red", relations=[("contradicts", kept)])
    assert verdict.decision is Disposition.CONFLICT
    assert [view.why for view in memory.review.conflicts()] == ["contradicts"]


# What an agent may not see, or may see and not change.


def _refusal(verdict: Verdict) -> tuple[str, str, str]:
    return verdict.outcome, verdict.rule, verdict.reason.replace(verdict.proposal_id, "")


@pytest.mark.parametrize("link", ["supersedes", "derived_from", "relations"])
def test_a_hidden_record_cannot_be_told_from_an_absent_one(memory: Memory, link: str) -> None:
    hidden = _kept(memory.remember("Salaries rise in May", sensitivity="confidential"))
    agent = memory.as_actor("worker")

    def ask(name: str, content: str) -> Verdict:
        value = {"supersedes": name, "derived_from": [name], "relations": [("contradicts", name)]}[link]
        return agent.remember(content, **{link: value})  # type: ignore[arg-type]

    there, absent = ask(hidden, "a guess"), ask("rec_" + "0" * 32, "another guess")
    assert _refusal(there)[:2] == _refusal(absent)[:2] == ("refused", "unknown-link")
    assert there.reason.replace(hidden, "X") == absent.reason.replace("rec_" + "0" * 32, "X")
    assert [step.result for step in there.steps] == [step.result for step in absent.steps]
    assert memory.get(hidden).standing.status is Status.ACTIVE


ASKED: dict[str, Callable[[Memory, str], object]] = {
    "retract": lambda agent, name: agent.review.retract(name, reason="I say so", expected_revision=7),
    "revise": lambda agent, name: agent.revise(name, "They do not", expected_revision=7),
    "get": lambda agent, name: agent.get(name, revision=1),
    "history": lambda agent, name: agent.history(name),
}


@pytest.mark.parametrize("call", ASKED)
def test_a_hidden_record_is_not_found_whatever_is_asked(memory: Memory, call: str) -> None:
    hidden = _kept(memory.remember("Salaries rise in May", sensitivity="confidential"))
    agent = memory.as_actor("worker")
    before = _entries(memory)
    answers = []
    for name in (hidden, "rec_" + "0" * 32):
        with pytest.raises(NotFound) as refused:
            ASKED[call](agent, name)
        answers.append(str(refused.value).replace(name, "X"))
    assert answers[0] == answers[1]
    assert _entries(memory) == before
    assert memory.get(hidden).standing.status is Status.ACTIVE


def test_what_an_agent_may_see_and_not_change_stays_as_it_is(memory: Memory) -> None:
    decision = _kept(memory.remember("We deploy on Tuesdays", kind="decision"))
    agent = memory.as_actor("worker")
    assert agent.get(decision).record.content == "We deploy on Tuesdays"
    superseding = agent.remember("We deploy on Fridays", supersedes=decision)
    revising = agent.revise(decision, "We deploy on Sundays")
    deprecating = agent.remember("No longer so", kind="deprecation", supersedes=decision)
    retracting = agent.review.retract(decision, reason="I say so")
    assert [one.outcome for one in (superseding, revising, deprecating)] == [Outcome.HELD] * 3
    assert (retracting.outcome, retracting.rule) == (Outcome.REFUSED, "no-rule")
    assert memory.get(decision).standing.status is Status.ACTIVE
    assert memory.get(decision).record.content == "We deploy on Tuesdays"


def test_an_author_may_take_back_what_is_their_own(memory: Memory) -> None:
    agent = memory.as_actor("worker")
    kept = _kept(agent.remember("The build is green"))
    assert agent.review.retract(kept, reason="it is not").committed
    with pytest.raises(Stale):
        agent.review.retract(kept, reason="again")


REVIEW_SESSIONS_ONLY = """\
version: 1
name: test
actors:
  owner: {type: person, roles: [owner]}
  judge: {type: person, roles: [judge]}
write:
  - {id: all-wait, decision: hold, reason: waits}
read:
  - {id: all-read, member: false}
review:
  - {id: judge-sessions, roles: [judge], scopes: [session], actions: [accept, discard, queue]}
  - {id: owner-audits, roles: [owner], actions: [audit, queue]}
"""


def test_a_reviewer_cannot_move_a_proposal_out_of_the_scopes_they_answer_for(vault: Path) -> None:
    with open_memory(vault, policy=REVIEW_SESSIONS_ONLY) as memory:
        waiting = memory.remember("A note", scope="session", scope_id="s1")
        judge = memory.as_actor("judge")
        with pytest.raises(NotFound):
            judge.review.decide(memory.remember("Another", scope="project").proposal_id, accept=True, reason="ok")
        before = memory.ledger.head().seq
        with pytest.raises(NotFound):
            judge.review.decide(waiting.proposal_id, accept=True, reason="ok", scope="project", scope_id="default")
        assert memory.ledger.head().seq == before


# Decisions made on what has moved since.


class _Part:
    """One part of a unit as it is, but for what a subclass says of it."""

    def __init__(self, real: object, unit: _StaleUnit) -> None:
        self._real = real
        self._unit = unit

    def __getattr__(self, name: str) -> object:
        return getattr(self._real, name)


class _StaleLedger(_Part):
    """Its head is one entry behind when a decision begins, and present when the decision is committed."""

    def head(self) -> LedgerHead | None:
        head = self._unit.real.ledger.head()
        self._unit.looks += 1
        self._unit.behind = self._unit.looks % 2 == 1 and self._unit.looks <= 2 * self._unit.attempts
        assert head is not None
        return msgspec.structs.replace(head, seq=head.seq - 1) if self._unit.behind else head


class _StaleUnit:
    """A real unit, the first looks at which are out of date: as many attempts as asked for."""

    def __init__(self, real: Unit, attempts: int) -> None:
        self.real = real
        self.attempts = attempts
        self.looks = 0
        self.behind = False
        self.ledger = _StaleLedger(real.ledger, self)
        self._asked = 0

    def facts(self, asked: Sequence[FactsAsked]) -> Iterator[FactsFound]:
        """What was found knows no twin as long as the ledger it was read with is behind."""
        for found in self.real.facts(asked):
            self._asked += 1
            yield msgspec.structs.replace(found, twin=None) if self._asked <= self.attempts else found

    def __getattr__(self, name: str) -> object:
        return getattr(self.real, name)


def _propose_on_stale(memory: Memory, content: str, *, attempts: int) -> Verdict:
    tenant = memory._session.tenant
    proposal = Proposal(id="prp_stale", tenant=memory.tenant, claim=Claim(content=content))
    admitted = admit(proposal, memory.actor, memory.insight.policy.safety)

    def job(unit: Unit) -> Verdict:
        stale = _StaleUnit(unit, attempts)
        return propose(stale, admitted, tenant.bench)  # type: ignore[arg-type]  # the rest is passed through

    return tenant.store.write(job)


@pytest.mark.parametrize("attempts", range(1, TRIES))
def test_a_decision_on_stale_versions_is_taken_again(memory: Memory, attempts: int) -> None:
    kept = _kept(memory.remember("The build is green"))
    before = _entries(memory)
    verdict = _propose_on_stale(memory, "The build is green", attempts=attempts)
    assert (verdict.outcome, verdict.duplicate_of) == (Outcome.REFUSED, kept)
    assert _entries(memory) == before + 1
    assert memory.ledger.verify().ok


def test_a_decision_that_is_always_stale_gives_up_after_five_and_writes_nothing(memory: Memory) -> None:
    memory.remember("The build is green")
    before = _entries(memory)
    with pytest.raises(StoreBusy) as refused:
        _propose_on_stale(memory, "The build is green", attempts=TRIES)
    assert refused.value.code == "store_busy"
    assert "5" in str(refused.value)
    assert _entries(memory) == before
    assert memory.ledger.verify().ok


def test_what_was_written_is_what_was_said(memory: Memory) -> None:
    claim = msgspec.convert({"content": "naïve\t東京 🏳️‍🌈", "place": {"namespace": "/a b/ü"}}, Claim)
    kept = _kept(memory.propose(claim))
    found = memory.get(kept).record.claim
    assert (found.content, found.place) == (claim.content, claim.place)
