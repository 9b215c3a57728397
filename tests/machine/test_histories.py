"""Random histories of every command, with deaths and reopenings in the middle, against a naive model."""

from __future__ import annotations

import os
import shutil
import tempfile
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

from muniment.backends.memory.store import MemoryVault
from muniment.backends.sqlite.store import SqliteVault
from muniment.engine.memory import Memory
from muniment.model.curation import Verdict
from muniment.model.errors import Malformed, NotFound, Stale
from muniment.model.flat import ClaimOptions
from muniment.ports.store import Vault
from muniment.testing.faults import Crash, CrashingStore
from muniment.testing.world import SeededIds, TickingClock, simulated_memory

LONG = os.environ.get("MUNIMENT_TEST_LONG") == "1"
SHRINK = os.environ.get("MUNIMENT_TEST_SHRINK") == "1"  # minutes, for a failure that is long
MODEST = settings(
    max_examples=int(os.environ.get("MUNIMENT_TEST_EXAMPLES", "90")),
    stateful_step_count=50 if LONG else 30,
    deadline=None,
    derandomize=not LONG,
    database=None,
    print_blob=True,
    phases=[Phase.generate, Phase.shrink] if SHRINK else [Phase.generate],
    suppress_health_check=list(HealthCheck),
)
WORDS = ("apple", "pear", "plum", "fig")
COLOURS = ("red", "blue", "green")
DOORS = ("front", "back")
contents_ = st.sampled_from(WORDS)
slots = st.none() | st.tuples(st.sampled_from(DOORS), st.sampled_from(COLOURS))
deaths = st.none() | st.integers(1, 40)
picks = st.integers(0, 1_000)


class Histories(RuleBasedStateMachine):
    """One memory over one store that may die at any touch. The owner may do anything, the agent less."""

    sort = "memory"

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="muniment-machine-"))
        self.vault: Vault = MemoryVault() if self.sort == "memory" else SqliteVault(self.folder)
        self.clock, self.ids = TickingClock(), SeededIds(1)
        self.model = Model()
        self.sent: dict[str, tuple[str, str, ClaimOptions, Verdict]] = {}
        self.receipts: list[tuple[str, str, tuple[str, ...]]] = []
        self.count = 0

    @initialize(start=st.lists(st.tuples(contents_, slots, st.booleans()), min_size=2, max_size=6))
    def begin(self, start: list[tuple[str, tuple[str, str] | None, bool]]) -> None:
        """A few records to begin with, some of which follow another: a history from nothing is mostly beginnings."""
        self.open()
        for word, slot, follows in start:
            target = self.known(1) if follows and self.model.records else None
            self.propose("owner", word, slot, {"supersedes": target} if target is not None else {}, None)

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

    @rule(what=st.sampled_from(["reopen", "sign", "replay"]))
    def keep_house(self, what: str) -> None:
        if what == "sign":
            self.owner.ledger.checkpoint()
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
    @rule(pick=picks, word=contents_, slot=slots, dies_at=deaths)
    def supersede(self, pick: int, word: str, slot: tuple[str, str] | None, dies_at: int | None) -> None:
        self.propose("owner", word, slot, {"supersedes": self.known(pick)}, dies_at)

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
        new, replaces = _revision(word, slot, options), options.get("supersedes")
        outcome = self.expected(actor, new, replaces)
        assert verdict.outcome == outcome, verdict.reason
        if outcome == "held":
            self.model.waiting.add(verdict.proposal_id)
        if outcome == "committed":
            assert verdict.record_id is not None
            self.model.commit(verdict.record_id, new, replaces={replaces} if replaces is not None else set())

    def expected(self, actor: str, new: Revision, replaces: str | None) -> str:
        """What the default policy makes of a proposal."""
        if replaces is not None and not self.model.speaks(replaces):
            return "refused"
        twin = self.model.twin(new)
        if twin not in (None, replaces) and (actor == "owner" or not self.model.records[twin or ""][-1].private):
            return "refused"
        if actor == "owner":
            return "committed"
        if new.kind == "directive":
            return "refused"
        hidden = any(self.model.records[name][-1].private for name in self.model.rivals(new, but=set()))
        return "held" if new.kind == "decision" or hidden else "committed"

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
        new = _revision(word, slot, options)
        with pytest.raises(NotFound):
            self.agent.decide(name, accept=accept, reason="I say so")
        self.store.arm(dies_at)
        try:
            verdict = self.owner.decide(name, accept=accept, reason="looked at it")
        except Crash:
            self.store.arm(None)
            verdict = self.ruled_after_all(name, accept)
        self.store.arm(None)
        self.model.waiting.discard(name)
        self.sent[name] = (actor, word, options, verdict)
        twin = self.model.twin(new)
        redundant = twin is not None and not self.model.records[twin][-1].private
        assert verdict.outcome == ("committed" if accept and not redundant else "refused"), verdict.reason
        if verdict.record_id is not None:
            self.model.commit(verdict.record_id, new, replaces=set())

    def ruled_after_all(self, name: str, accept: bool) -> Verdict:
        """After a death: either it waits still, or the ruling was kept and the proposal says so."""
        try:
            return self.owner.decide(name, accept=accept, reason="looked at it")
        except Stale:
            actor, word, options, _ = self.sent[name]
            return self.actor(actor).remember(word, proposal_id=name, **options)

    @precondition(lambda self: self.model.records)
    @rule(pick=picks, word=contents_, also=st.none() | picks, dies_at=deaths)
    def revise(self, pick: int, word: str, also: int | None, dies_at: int | None) -> None:
        """A new revision, which may take the place of another record too, a rival's for instance."""
        name = self.known(pick)
        present, number = self.model.records[name][-1], len(self.model.records[name])
        word = word if word != present.content else f"{word} again"
        new = Revision(word, present.kind, present.slot, present.value, present.private)
        replaces = {name} if also is None else {name, self.known(also)}
        refused = self.model.twin(new) not in (None, *replaces) or not all(self.model.speaks(one) for one in replaces)
        other = self.known(also) if also is not None else None
        self.store.arm(dies_at)
        try:
            verdict: Verdict | None = self.owner.revise(name, word, expected_revision=number, supersedes=other)
        except Crash:
            self.store.arm(None)
            verdict = self.revised_after_all(name, word, number, other)
        self.store.arm(None)
        if verdict is not None:
            assert verdict.outcome == ("refused" if refused else "committed"), verdict.reason
        if not refused:
            self.model.commit(name, new, replaces=replaces)

    def revised_after_all(self, name: str, word: str, number: int, other: str | None) -> Verdict | None:
        try:
            return self.owner.revise(name, word, expected_revision=number, supersedes=other)
        except Stale:
            return None  # the first one was kept, its answer was lost

    @precondition(lambda self: self.model.records)
    @rule(pick=picks, dies_at=deaths)
    def retract(self, pick: int, dies_at: int | None) -> None:
        name = self.known(pick)
        if not self.model.speaks(name):
            with pytest.raises(Stale):
                self.owner.retract(name, reason="wrong")
            return
        self.store.arm(dies_at)
        try:
            assert self.owner.retract(name, reason="wrong").committed
        except Crash:
            self.store.arm(None)
            if self.owner.get(name).standing.status != "retracted":
                self.owner.retract(name, reason="wrong")
        self.store.arm(None)
        self.model.end(name, "retracted")

    @rule(word=contents_, actor=st.sampled_from(["owner", "bot"]))
    def recall(self, word: str, actor: str) -> None:
        found = self.actor(actor).recall(word, limit=200)
        told = {one.record.id: one for one in found.records}
        allowed = {n: r for n, r in self.model.current().items() if actor == "owner" or not r.private}
        assert told.keys() <= allowed.keys(), "nothing is told that the actor may not see or that is over"
        assert {n for n, r in allowed.items() if word in r.content.split()} <= told.keys()
        for name, one in told.items():
            assert (one.record.content, one.standing.status) == (allowed[name].content, allowed[name].state)
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
            open_ = [row for row in snapshot.desk.conflicts() if row.status != "resolved"]
            sides = {card.rid: (card.id, card.revision) for card in snapshot.catalogue.all()}
            queue = {row.id for row in snapshot.desk.held(after=None, limit=999)}
        model = self.model.records.items()
        assert stored == {(name, n): r.state for name, revisions in model for n, r in enumerate(revisions, start=1)}
        assert {frozenset({sides[row.a], sides[row.b]}) for row in open_} == self.model.disputes
        assert queue == self.model.waiting


def _revision(word: str, slot: tuple[str, str] | None, options: ClaimOptions) -> Revision:
    """What a proposal would become."""
    return Revision(
        content=word,
        kind=options.get("kind") or "observation",
        slot=(slot[0], "colour") if slot is not None else None,
        value=slot[1] if slot is not None else None,
        private=options.get("sensitivity") == "confidential",
    )


class SqliteHistories(Histories):
    sort = "sqlite"


@pytest.mark.parametrize(("machine", "share"), [(Histories, 1), (SqliteHistories, 3)])
def test_any_history_agrees_with_the_model(machine: type[Histories], share: int) -> None:
    """A history on a file costs several times one in memory, so there are fewer of them."""
    run_state_machine_as_test(machine, settings=settings(MODEST, max_examples=MODEST.max_examples // share))
