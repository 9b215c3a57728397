"""Random histories of every command, with deaths and reopenings in the middle, against a naive model."""

from __future__ import annotations

import os
import shutil
import tempfile
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.machine.model import Model, Revision
from tests.scope import LONG
from tests.support.faults import Crash, CrashingStore
from tests.support.memory_store.store import MemoryVault
from tests.support.world import SeededIds, TickingClock, simulated_memory

from muniment.backends.sqlite.store import SqliteVault
from muniment.engine.memory import Memory
from muniment.model.claim_options import ClaimOptions
from muniment.model.curation import Verdict
from muniment.model.errors import Malformed, NotFound, Stale
from muniment.ports.store import Vault

SHRINK = os.environ.get("MUNIMENT_TEST_SHRINK") == "1"  # minutes, for a failure that is long
MODEST = settings(
    max_examples=int(os.environ.get("MUNIMENT_TEST_EXAMPLES", "60" if LONG else "20")),
    stateful_step_count=50 if LONG else 30,
    deadline=None,
    derandomize=not LONG,
    database=None,
    print_blob=True,
    phases=[Phase.generate, Phase.shrink] if SHRINK else [Phase.generate],
    suppress_health_check=list(HealthCheck),
)
WORDS = ("apple", "pear", "plum", "fig", "quince", "cherry", "lemon")
SURE = (0.3, 0.5, 0.9)
UNSTATED = {"owner": 0.7, "bot": 0.6}
COLOURS = ("red", "blue", "green")
DOORS = ("front", "back")
contents_ = st.sampled_from(WORDS)
slots = st.none() | st.tuples(st.sampled_from(DOORS), st.sampled_from(COLOURS))
deaths = st.none() | st.integers(1, 60)
picks = st.integers(0, 1_000)
below = st.lists(picks, max_size=2)


class Histories(RuleBasedStateMachine):
    """One memory over one store that may die at any touch. The owner may do anything, the agent less."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="muniment-machine-"))
        self.vault = self.place()
        self.clock, self.ids = TickingClock(), SeededIds(1)
        self.model = Model()
        self.sent: dict[str, tuple[str, str, ClaimOptions, Verdict]] = {}
        self.receipts: list[tuple[str, str, tuple[str, ...]]] = []
        self.count = 0

    def place(self) -> Vault:
        """Where the memory is kept."""
        return MemoryVault()

    @initialize(start=st.lists(st.tuples(contents_, slots, st.integers(0, 5)), min_size=2, max_size=8))
    def begin(self, start: list[tuple[str, tuple[str, str] | None, int]]) -> None:
        """A few records to begin with, some of which follow or stand on another: a history from nothing is mostly
        beginnings."""
        self.open()
        for word, slot, way in start:
            options: ClaimOptions = {"confidence": SURE[way % 3]}
            if self.model.current() and way == 0:
                options = {"supersedes": self.known(1)}
            elif self.model.records and way > 2:
                options = {**options, "derived_from": [max(self.model.records)]}
            self.propose("owner", word, slot, options, None)

    def open(self) -> None:
        self.store = CrashingStore(self.vault.open("default", create=True))
        self.owner = simulated_memory(self.store, clock=self.clock, ids=self.ids)
        self.agent = self.owner.as_actor("bot")

    def teardown(self) -> None:
        self.vault.close()
        shutil.rmtree(self.folder)

    def actor(self, name: str) -> Memory:
        return self.owner if name == "owner" else self.agent

    def known(self, pick: int) -> str:
        """One of the records, mostly one that speaks still."""
        names = sorted(self.model.current() if pick % 4 else ()) or sorted(self.model.records)
        return names[pick // 4 % len(names)]

    def borne(self, pick: int) -> str:
        """One of the records, mostly one that others stand on and that speaks still."""
        current = self.model.current()
        grounds = {parent for revision in current.values() for parent in revision.parents} & current.keys()
        return sorted(grounds)[pick // 3 % len(grounds)] if grounds and pick % 3 else self.known(pick)

    @rule(what=st.sampled_from(["reopen", "sign", "replay", "sweep"]))
    def keep_house(self, what: str) -> None:
        if what == "sign":
            self.owner.ledger.checkpoint()
        elif what == "sweep":
            assert self.owner.review.sweep().expired == ()
        elif what == "replay":
            assert self.owner.ledger.replay().identical
        else:
            self.owner.close()
            self.vault.close()
            self.open()

    @rule(word=contents_, slot=slots, private=st.booleans(), dies_at=deaths)
    def remember(self, word: str, slot: tuple[str, str] | None, private: bool, dies_at: int | None) -> None:
        self.propose("owner", word, slot, {"sensitivity": "confidential" if private else "internal"}, dies_at)

    @rule(word=contents_, slot=slots, kind=st.sampled_from(["observation", "decision", "directive"]), dies_at=deaths)
    def remember_as_agent(self, word: str, slot: tuple[str, str] | None, kind: str, dies_at: int | None) -> None:
        self.propose("bot", word, slot, {"kind": kind}, dies_at)

    @precondition(lambda self: self.model.records)
    @rule(
        parents=below,
        word=contents_,
        kind=st.sampled_from(["risk", "fact"]),
        sure=st.sampled_from(SURE),
        dies_at=deaths,
    )
    def build_upon(self, parents: list[int], word: str, kind: str, sure: float, dies_at: int | None) -> None:
        names = sorted({self.known(pick) for pick in parents}) or [max(self.model.records)]
        self.propose("owner", word, None, {"kind": kind, "confidence": sure, "derived_from": names}, dies_at)

    @precondition(lambda self: self.model.records)
    @rule(pick=picks, word=contents_, dies_at=deaths)
    def build_upon_as_agent(self, pick: int, word: str, dies_at: int | None) -> None:
        self.propose("bot", word, None, {"kind": "hypothesis", "derived_from": [self.known(pick)]}, dies_at)

    @precondition(lambda self: self.model.records)
    @rule(pick=picks, word=contents_, slot=slots, parents=below, dies_at=deaths)
    def supersede(
        self, pick: int, word: str, slot: tuple[str, str] | None, parents: list[int], dies_at: int | None
    ) -> None:
        name = self.known(pick)
        names = sorted({self.known(parent) for parent in parents})
        if not self.model.speaks(name):
            with pytest.raises(Stale):
                self.owner.remember(word, supersedes=name)
            return
        self.propose("owner", word, slot, {"supersedes": name, "derived_from": names}, dies_at)

    def propose(
        self, actor: str, word: str, slot: tuple[str, str] | None, options: ClaimOptions, dies_at: int | None
    ) -> None:
        """Send a proposal; when the store dies on the way, send it again: the same answer, once."""
        self.count += 1
        name = f"prp-{self.count}"
        if slot is not None:
            options = {**options, "subject": slot[0], "key": "colour", "value": slot[1]}
        self.store.arm(dies_at)
        try:
            verdict = self.actor(actor).remember(word, proposal_id=name, **options)
        except Crash:
            self.store.arm(None)
            verdict = self.actor(actor).remember(word, proposal_id=name, **options)
        self.store.arm(None)
        self.sent[name] = (actor, word, options, verdict)
        self.check(actor, verdict, word, slot, options)

    def check(
        self, actor: str, verdict: Verdict, word: str, slot: tuple[str, str] | None, options: ClaimOptions
    ) -> None:
        """Compare a verdict with what the rules say, and take it into the model."""
        new, replaces = _revision(actor, word, slot, options), options.get("supersedes")
        outcome = self.expected(actor, new, replaces)
        assert verdict.outcome == outcome, verdict.reason
        if outcome == "held":
            self.model.waiting.add(verdict.proposal_id)
        if outcome == "committed":
            assert verdict.record_id is not None
            over = {replaces} if replaces is not None else set()
            self.take_in(actor, verdict, new, replaces=self.model.change_back(actor, new, over))

    def take_in(self, actor: str, verdict: Verdict, new: Revision, *, replaces: set[str]) -> None:
        """Commit to the model what was committed. What it echoes follows from what stood before."""
        assert verdict.record_id is not None
        target = verdict.record_id if verdict.record_id in self.model.records else None
        assert set(verdict.echoes) == self.model.echoed(actor, new, target)
        new.echoes = verdict.echoes
        sources = [self.model.records[one][-1] for one in (*new.parents, *new.echoes)]
        new.prior = min([new.prior, *(one.prior for one in sources)])
        self.model.commit(verdict.record_id, new, replaces=replaces)

    def expected(self, actor: str, new: Revision, replaces: str | None) -> str:
        """What the default policy makes of a proposal."""
        if not all(self.model.seen_by(actor, name) for name in new.parents):
            return "refused"
        over = {replaces} if replaces is not None else set()
        if self.model.redundant(actor, new, over) or self.model.restates(actor, new, over):
            return "refused"
        if actor == "owner":
            return "committed"
        if new.kind == "directive":
            return "refused"
        rivals = [self.model.records[name][-1] for name in self.model.rivals(new, but=set())]
        out_of_reach = any(rival.private or rival.actor == "owner" for rival in rivals)
        return "held" if new.kind == "decision" or out_of_reach else "committed"

    @precondition(lambda self: self.sent)
    @rule(pick=picks)
    def send_again(self, pick: int) -> None:
        """The same id and the same words: the same answer. The same id and other words: an error."""
        name = sorted(self.sent)[pick % len(self.sent)]
        actor, word, options, verdict = self.sent[name]
        head = self.owner.ledger.head()
        assert self.actor(actor).remember(word, proposal_id=name, **options) == verdict
        with pytest.raises(Malformed):
            self.actor(actor).remember(word + " indeed", proposal_id=name, **options)
        assert self.owner.ledger.head() == head

    @precondition(lambda self: self.model.waiting)
    @rule(pick=picks, accept=st.booleans(), dies_at=deaths)
    def decide(self, pick: int, accept: bool, dies_at: int | None) -> None:
        name = sorted(self.model.waiting)[pick % len(self.model.waiting)]
        actor, word, options, _ = self.sent[name]
        slot = (options["subject"] or "", options["value"] or "") if "subject" in options else None
        new = _revision(actor, word, slot, options)
        with pytest.raises(NotFound):
            self.agent.review.decide(name, accept=accept, reason="I say so")
        self.store.arm(dies_at)
        try:
            verdict = self.owner.review.decide(name, accept=accept, reason="looked at it")
        except Crash:
            self.store.arm(None)
            verdict = self.ruled_after_all(name, accept)
        self.store.arm(None)
        self.model.waiting.discard(name)
        self.sent[name] = (actor, word, options, verdict)
        redundant = self.model.redundant("bot", new, ())
        assert verdict.outcome == ("committed" if accept and not redundant else "refused"), verdict.reason
        if verdict.record_id is not None:
            self.take_in("bot", verdict, new, replaces=set())

    def ruled_after_all(self, name: str, accept: bool) -> Verdict:
        """After a death: either it waits still, or the ruling was kept and the proposal says so."""
        try:
            return self.owner.review.decide(name, accept=accept, reason="looked at it")
        except Stale:
            actor, word, options, _ = self.sent[name]
            return self.actor(actor).remember(word, proposal_id=name, **options)

    @precondition(lambda self: self.model.records)
    @rule(pick=picks, word=st.none() | contents_, sure=st.sampled_from(SURE), also=st.none() | picks, dies_at=deaths)
    def revise(self, pick: int, word: str | None, sure: float, also: int | None, dies_at: int | None) -> None:
        """A new revision, in the same words or in others, which may take the place of another record too, a rival's for
        instance."""
        name = self.borne(pick)
        present, number = self.model.records[name][-1], len(self.model.records[name])
        other = self.known(also) if also is not None else None
        word = word or present.content
        new = replace(
            present,
            content=word,
            actor="owner",
            declared=sure,
            supersedes=other,
            state="active",
            helpful=0.0,
            misleading=0.0,
        )
        replaces = {name, *([other] if other is not None else [])}
        if not all(self.model.speaks(one) for one in replaces):
            with pytest.raises(Stale):
                self.owner.revise(name, word, expected_revision=number, confidence=sure, supersedes=other)
            return
        circle = other is not None and name in self.model.grounds([other])
        again = self.model.redundant("owner", new, replaces) or self.model.restates("owner", new, replaces)
        refused = circle or again
        self.store.arm(dies_at)
        try:
            verdict: Verdict | None = self.owner.revise(
                name, word, expected_revision=number, confidence=sure, supersedes=other
            )
        except Crash:
            self.store.arm(None)
            verdict = self.revised_after_all(name, word, number, sure, other)
        self.store.arm(None)
        assert (verdict is not None and not verdict.committed) == refused, verdict
        if refused:
            return
        replaces = self.model.change_back("owner", new, replaces)
        new.echoes = tuple(self.model.echoed("owner", new, name))
        assert set(self.owner.get(name).record.echoes) == set(new.echoes)
        self.model.commit(name, new, replaces=replaces)

    def revised_after_all(self, name: str, word: str, number: int, sure: float, other: str | None) -> Verdict | None:
        try:
            return self.owner.revise(name, word, expected_revision=number, confidence=sure, supersedes=other)
        except Stale:
            return None  # the first one was kept, its answer was lost

    @precondition(lambda self: self.model.records)
    @rule(pick=picks, helpful=st.booleans(), weight=st.sampled_from([0.25, 1.0]), dies_at=deaths)
    def tell_outcome(self, pick: int, helpful: bool, weight: float, dies_at: int | None) -> None:
        name, result = self.borne(pick), "helpful" if helpful else "misleading"
        if not self.model.speaks(name):
            with pytest.raises(Stale):
                self.owner.review.outcome(name, result)
            return
        self.count += 1
        self.store.arm(dies_at)
        try:
            self.owner.review.outcome(name, result, weight=weight, proposal_id=f"out-{self.count}")
        except Crash:
            self.store.arm(None)
        self.store.arm(None)
        assert self.owner.review.outcome(name, result, weight=weight, proposal_id=f"out-{self.count}").committed
        self.model.observe(name, helpful=helpful, weight=weight)

    @precondition(lambda self: self.model.current())
    @rule(pick=picks)
    def foresee(self, pick: int) -> None:
        """What a retraction would do to what stands on it is what the model says of a copy in which it was done."""
        names = sorted(self.model.current())
        name = names[pick % len(names)]
        after = deepcopy(self.model)
        after.end(name, "retracted")
        changed = {
            one: (after.records[one][-1].state, *after.worth(one))
            for one in self.model.records
            if one != name and name in self.model.grounds([one]) and after.worth(one) != self.model.worth(one)
        }
        falls = self.owner.insight.foresee(name).falls
        told = {fall.id: (fall.after.status, round(fall.after.effective, 6), fall.after.support) for fall in falls}
        assert told == changed

    @precondition(lambda self: self.model.records)
    @rule(pick=picks, dies_at=deaths)
    def retract(self, pick: int, dies_at: int | None) -> None:
        name = self.borne(pick)
        if not self.model.speaks(name):
            with pytest.raises(Stale):
                self.owner.review.retract(name, reason="wrong")
            return
        self.store.arm(dies_at)
        try:
            assert self.owner.review.retract(name, reason="wrong").committed
        except Crash:
            self.store.arm(None)
            if self.owner.get(name).standing.status != "retracted":
                self.owner.review.retract(name, reason="wrong")
        self.store.arm(None)
        self.model.end(name, "retracted")

    @rule(word=contents_, actor=st.sampled_from(["owner", "bot"]))
    def recall(self, word: str, actor: str) -> None:
        found = self.actor(actor).recall(word, limit=200)
        told = {one.record.id: one for one in found.records}
        seen = {n: r for n, r in self.model.current().items() if self.model.seen_by(actor, n)}
        allowed = {n: r for n, r in seen.items() if self.model.told_of(n)}
        assert told.keys() <= allowed.keys(), "nothing is told that the actor may not see or that is over"
        assert {n for n, r in allowed.items() if word in r.content.split()} <= told.keys()
        for name, one in told.items():
            assert (one.record.content, one.standing.status) == (allowed[name].content, allowed[name].state)
            self.model.told.add((actor, name, one.record.revision))
            for other in one.disputed_by:  # the other side is shown beside it, and so told
                self.model.told.add((actor, other.id, other.revision))
        self.receipts.append((actor, found.receipt_id, tuple(one.record.id for one in found.records)))

    @precondition(lambda self: self.receipts)
    @rule(pick=picks, replay=st.booleans())
    def explain(self, pick: int, replay: bool) -> None:
        actor, receipt, told = self.receipts[pick % len(self.receipts)]
        explained = self.actor(actor).explain(receipt, replay=replay)
        assert explained.same_ids
        assert explained.again == told

    @invariant()
    def the_ledger_verifies(self) -> None:
        if hasattr(self, "owner"):
            assert self.owner.ledger.verify().findings == ()

    @invariant()
    def what_stands_is_what_the_model_says(self) -> None:
        if not hasattr(self, "owner"):
            return
        with self.store.read() as snapshot:
            stored = {(card.id, card.revision): card.status for card in snapshot.catalogue.all()}
            open_ = [row for row in snapshot.desk.conflicts() if row.status != "resolved" and row.contests]
            sides = {card.rid: (card.id, card.revision) for card in snapshot.catalogue.all()}
            queue = {row.id for row in snapshot.desk.held(after=None, limit=999)}
        model = self.model.records.items()
        assert stored == {(name, n): r.state for name, revisions in model for n, r in enumerate(revisions, start=1)}
        assert {frozenset({sides[row.a], sides[row.b]}) for row in open_} == self.model.disputes
        assert queue == self.model.waiting

    @invariant()
    def what_is_believed_is_what_the_model_works_out(self) -> None:
        if not hasattr(self, "owner"):
            return
        with self.store.read() as snapshot:
            cards = snapshot.catalogue.latest(self.model.records)
            told = {(row.actor, row.rid) for row in snapshot.receipts.all_told()}
            sides = {card.rid: (card.id, card.revision) for card in snapshot.catalogue.all()}
        found = {name: (round(card.own, 6), round(card.effective, 6), card.support) for name, card in cards.items()}
        model = self.model.records
        worth = {name: (round(revisions[-1].own, 6), *self.model.worth(name)) for name, revisions in model.items()}
        assert found == worth
        assert {(actor, *sides[rid]) for actor, rid in told} == self.model.told


def _revision(actor: str, word: str, slot: tuple[str, str] | None, options: ClaimOptions) -> Revision:
    """What a proposal would become."""
    return Revision(
        content=word,
        kind=options.get("kind") or "observation",
        slot=(slot[0], "colour") if slot is not None else None,
        value=slot[1] if slot is not None else None,
        private=options.get("sensitivity") == "confidential",
        actor=actor,
        parents=tuple(options.get("derived_from") or ()),
        supersedes=options.get("supersedes"),
        declared=options.get("confidence"),
        prior=UNSTATED[actor],
    )


class SqliteHistories(Histories):
    def place(self) -> Vault:
        return SqliteVault(self.folder)


@pytest.mark.parametrize(("machine", "share"), [(Histories, 1), (SqliteHistories, 3)])
def test_any_history_agrees_with_the_model(machine: type[Histories], share: int) -> None:
    """A history on a file costs several times one in memory, so there are fewer of them."""
    run_state_machine_as_test(machine, settings=settings(MODEST, max_examples=MODEST.max_examples // share))
