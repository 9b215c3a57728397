"""Random lifetimes of two tenants, by every command there is, with deaths in the middle: who sees what, what is gone.

The model says which words there must be, who may come across them, and which may be nowhere: not in an answer, not in
the store, not in the bytes of its files.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from functools import partial
from typing import TypedDict

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule, run_state_machine_as_test
from tests.machine.lives import AGENTS, OUTSIDER, OWNERS, Said, own_word, words_in
from tests.machine.speaking import (
    SESSIONS,
    SOURCES,
    SUBJECTS,
    Speakers,
    askers,
    callers,
    deaths,
    picks,
    tenants,
)
from tests.machine.stage import TENANTS, kept_bytes
from tests.scope import LONG

from muniment.backends.sqlite.store import SqliteVault
from muniment.compat.exchange import read_in, write_out
from muniment.contracts.registry import ContractName
from muniment.engine.notebook import Notebook
from muniment.model.curation import ErasureResult, Verdict
from muniment.model.erasure import ErasureOutcome
from muniment.model.errors import CallerError, MunimentError, NotFound, NotPermitted, OnHold, Stale
from muniment.model.note import NoteDraft
from muniment.model.status import CURRENT
from muniment.ports.store import Vault

SHRINK = os.environ.get("MUNIMENT_TEST_SHRINK") == "1"
MODEST = settings(
    max_examples=int(os.environ.get("MUNIMENT_TEST_EXAMPLES", "36" if LONG else "12")),
    stateful_step_count=50 if LONG else 30,
    deadline=None,
    derandomize=not LONG,
    database=None,
    print_blob=True,
    phases=[Phase.generate, Phase.shrink] if SHRINK else [Phase.generate],
    suppress_health_check=list(HealthCheck),
)
CASCADES = ("erase", "redact", "review")


class Aim(TypedDict, total=False):
    """The keyword by which something is meant."""

    record_id: str
    subject: str
    source: str
    actor: str
    session: str


def aimed(by: str, value: str) -> Aim:
    aims: dict[str, Aim] = {
        "record": {"record_id": value},
        "subject": {"subject": value},
        "source": {"source": value},
        "actor": {"actor": value},
        "session": {"session": value},
    }
    return aims[by]


class Lifetimes(Speakers):
    """What was said is looked at, brought and carried out, ended and forgotten."""

    def __init__(self) -> None:
        super().__init__()
        self.receipts: list[tuple[str, str, str]] = []
        self.batches: list[tuple[str, str]] = []

    # Ending things.

    @rule(tenant=tenants, how=st.sampled_from(["retract", "retire", "quarantine"]), pick=picks, dies_at=deaths)
    def end(self, tenant: str, how: str, pick: int, dies_at: int | None) -> None:
        model, name = self.model[tenant], self.known(tenant, pick)
        if name is None or model.lives[name].draft or model.lives[name].over:
            return
        reason = f"{min(words_in(model.lives[name].last.text))} is wrong"

        def call() -> Verdict:
            owner = self.face(tenant, "owner")
            if how == "retire":
                return owner.review.retire(name, becomes="archived", reason=reason)
            return (
                owner.review.retract(name, reason=reason)
                if how == "retract"
                else owner.review.quarantine(name, reason=reason)
            )

        verdict = self.attempt(tenant, dies_at, call)
        assert verdict is None or verdict.committed
        model.end(name)
        model.lives[name].kept_back = how == "quarantine"
        self.quarantine_is(tenant)

    def quarantine_is(self, tenant: str) -> None:
        kept_back = {name for name, life in self.model[tenant].there().items() if life.kept_back}
        assert {one.record.id for one in self.face(tenant, "kim").review.quarantined()} == kept_back

    @rule(tenant=tenants, pick=picks, actor=callers, dies_at=deaths)
    def release(self, tenant: str, pick: int, actor: str, dies_at: int | None) -> None:
        held = [one.record.id for one in self.face(tenant, "owner").review.quarantined()]
        if not held:
            return
        name = held[pick % len(held)]
        if actor not in OWNERS:
            with suppress(CallerError):
                assert not self.face(tenant, actor).review.release(name, reason="let it go").committed
            return
        self.attempt(tenant, dies_at, lambda: self.face(tenant, actor).review.release(name, reason="looked at it"))
        life = self.model[tenant].lives[name]
        life.over, life.kept_back, life.shaky = False, False, True
        self.model[tenant].unsettle(name)
        self.quarantine_is(tenant)

    @rule(
        tenant=tenants,
        by=st.sampled_from(["actor", "source", "session"]),
        pick=picks,
        dry=st.booleans(),
        dies_at=deaths,
    )
    def withdraw(self, tenant: str, by: str, pick: int, dry: bool, dies_at: int | None) -> None:
        model, value = self.model[tenant], self.origin(by, pick)
        with pytest.raises(NotPermitted):
            self.face(tenant, "bot" if value != "bot" else "fox").erasure.withdraw(
                by, value, reason="poison", dry_run=True
            )
        told = self.face(tenant, "owner").erasure.withdraw(by, value, reason="poison", dry_run=True)
        latest = {name for name, life in model.there().items() if life.last.of(by, value)}
        assert set(told.records) <= latest
        assert {name for name in latest if name in model.speaking()} <= set(told.records)
        self.clean(tenant, "owner", told)
        if dry:
            return
        self.attempt(tenant, dies_at, lambda: self.face(tenant, "owner").erasure.withdraw(by, value, reason="poison"))
        for name in latest:
            model.end(name)
            model.lives[name].kept_back = False
        for proposal in [name for name, one in model.waiting.items() if one.of(by, value)]:
            del model.waiting[proposal]

    def origin(self, by: str, pick: int) -> str:
        pool = {"actor": ("bot", "fox", "kim"), "source": SOURCES, "session": SESSIONS, "subject": SUBJECTS}[by]
        return pool[pick % len(pool)]

    # Forgetting.

    @rule(
        tenant=tenants,
        by=st.sampled_from(["record", "record", "record", "subject", "source", "actor", "session"]),
        pick=picks,
        cascade=st.sampled_from(CASCADES),
        dry=st.booleans(),
        dies_at=deaths,
    )
    def forget(self, tenant: str, by: str, pick: int, cascade: str, dry: bool, dies_at: int | None) -> None:
        model = self.model[tenant]
        value = self.known(tenant, pick, speaking=False) if by == "record" else self.origin(by, pick)
        if value is None or (by == "record" and not model.sees("owner", value)):
            return
        erased, below, waiting = self.predicted(tenant, by, value, cascade)
        quoted = max((own_word(one.text) for name in erased for one in model.lives[name].said), default="it")
        reason = f"asked for, with {quoted}" if pick % 3 == 0 else "asked for"
        if model.held() & (erased | (below if cascade == "redact" else set())):
            asked = partial(self.face(tenant, "owner").forget, **aimed(by, value), reason=reason, cascade=cascade)
            assert asked(dry_run=True).plan.holds, "the plan says what is against it"
            with pytest.raises(OnHold):
                asked()
            return
        if not erased and not waiting:
            return
        before = kept_bytes(self.owners[tenant])
        plan = self.face(tenant, "owner").forget(**aimed(by, value), reason=reason, cascade=cascade, dry_run=True).plan
        assert set(plan.of(ErasureOutcome.ERASED)) == erased
        assert {*plan.of(ErasureOutcome.REDACTED), *plan.of(ErasureOutcome.REVIEWED)} == (
            below if cascade != "erase" else set()
        )
        assert kept_bytes(self.owners[tenant]) == before, "a dry run changes nothing"
        if dry:
            return
        done = self.attempt(
            tenant,
            dies_at,
            lambda: self.face(tenant, "owner").forget(
                **aimed(by, value), reason=reason, cascade=cascade, expected=plan.digest if pick % 2 else None
            ),
        )
        self.forgotten(tenant, done, erased, below if cascade == "redact" else set(), waiting)

    def predicted(self, tenant: str, by: str, value: str, cascade: str) -> tuple[set[str], set[str], set[str]]:
        """Which records go, which are derived from them, and which proposals no longer wait."""
        model = self.model[tenant]
        meant = model.meant(by, value)
        below = model.below(meant)
        erased = meant | below if cascade == "erase" else meant
        return erased, below, model.meant_waiting(by, value, erased)

    def forgotten(
        self, tenant: str, done: ErasureResult | None, erased: set[str], cut: set[str], waiting: set[str]
    ) -> None:
        model, owner = self.model[tenant], self.face(tenant, "owner")
        lost = {own_word(one.text) for name in erased for one in model.lives[name].said}
        model.erase(erased, waiting)
        kept = [one.text for name, life in model.there().items() if name not in cut for one in life.said]
        kept += (one.text for one in model.waiting.values())
        lost -= {one for text in kept for one in words_in(text)}
        for name in cut:
            text = owner.get(name).record.content
            assert not words_in(text) & lost, "redacted, and still there"
            assert own_word(model.lives[name].last.text) in {*words_in(text), *lost, ""}, "more is gone than was to go"
            model.redact(name, text)
        if done is not None:
            assert done.certificate is not None
            assert done.certificate in owner.erasure.certificates()
            self.clean(tenant, "owner", done)
        for name in erased:
            with suppress(NotFound):
                self.clean(tenant, "owner", (owner.history(name), owner.get(name)))

    @rule(
        tenant=tenants, actor=st.sampled_from(("kim", *AGENTS, OUTSIDER)), pick=picks, cascade=st.sampled_from(CASCADES)
    )
    def nobody_else_forgets(self, tenant: str, actor: str, pick: int, cascade: str) -> None:
        name = self.known(tenant, pick, speaking=False)
        if name is None:
            return
        with suppress(NotFound):
            done = self.face(tenant, actor).forget(name, reason="I want to", cascade=cascade)
            assert done.verdict is not None
            assert not done.verdict.committed
        with pytest.raises((NotPermitted, NotFound)):
            self.face(tenant, actor).forget(subject=SUBJECTS[0], reason="I want to", dry_run=True)

    @rule(
        tenant=tenants,
        by=st.sampled_from(["record", "subject", "source", "actor", "session"]),
        pick=picks,
        dies_at=deaths,
    )
    def hold(self, tenant: str, by: str, pick: int, dies_at: int | None) -> None:
        value = self.known(tenant, pick) if by == "record" else self.origin(by, pick)
        if value is None or len(self.model[tenant].holds) > 1:
            return
        self.attempt(
            tenant,
            dies_at,
            lambda: self.face(tenant, "owner").erasure.hold(**aimed(by, value), reason="a case is open"),
        )
        (new,) = [one for one in self.face(tenant, "owner").erasure.holds() if one.id not in self.model[tenant].holds]
        assert (new.target.by, new.target.value) == (by, value)
        self.model[tenant].holds[new.id] = (by, value)
        self.model[tenant].say(value)

    @precondition(lambda self: any(model.holds for model in self.model.values()))
    @rule(pick=picks, dies_at=deaths)
    def lift(self, pick: int, dies_at: int | None) -> None:
        placed = sorted((tenant, name) for tenant in TENANTS for name in self.model[tenant].holds)
        tenant, name = placed[pick % len(placed)]
        with pytest.raises(NotPermitted):
            self.face(tenant, "kim").erasure.lift(name, reason="I want to")
        self.attempt(tenant, dies_at, lambda: self.face(tenant, "owner").erasure.lift(name, reason="the case is over"))
        del self.model[tenant].holds[name]
        assert {one.id for one in self.face(tenant, "owner").erasure.holds()} == self.model[tenant].holds.keys()

    # Looking.

    def clean(self, tenant: str, actor: str, answer: object, asked: str = "") -> None:
        """No answer holds a word that is gone, or that is not for the one who asked."""
        found = words_in(repr(answer)) - words_in(asked)
        assert not found & self.model[tenant].closed_to(actor), "an answer tells what it may not"

    @rule(tenant=tenants, actor=askers, pick=picks, way=st.integers(0, 5))
    def recall(self, tenant: str, actor: str, pick: int, way: int) -> None:
        model, memory = self.model[tenant], self.face(tenant, actor)
        may_ask = sorted(model.open_to(actor))
        asked = may_ask[pick % len(may_ask)] if may_ask else "anything"
        found = memory.attune(interests=[asked], limit=100) if way == 0 else memory.recall(asked, limit=100)
        told = {one.record.id for one in found.records}
        assert told <= {name for name in model.speaking() if model.sees(actor, name)}
        firm = {n for n, life in model.speaking().items() if not life.shaky and asked in words_in(life.last.text)}
        assert way == 0 or actor == OUTSIDER or {name for name in firm if model.sees(actor, name)} <= told
        self.clean(tenant, actor, found, asked)
        self.receipts.append((tenant, actor, found.receipt_id))

    @precondition(lambda self: self.receipts)
    @rule(pick=picks, replay=st.booleans())
    def explain(self, pick: int, replay: bool) -> None:
        tenant, actor, receipt = self.receipts[pick % len(self.receipts)]
        explained = self.face(tenant, actor).explain(receipt, replay=replay)
        assert not words_in(repr(explained)) & self.model[tenant].gone
        other = next(one for one in AGENTS if one != actor)
        with pytest.raises(NotFound):
            self.face(tenant, other).explain(receipt)
        with pytest.raises(NotFound):
            self.face(TENANTS[TENANTS.index(tenant) - 1], "owner").explain(receipt)

    @rule(tenant=tenants, actor=askers, pick=picks)
    def look_at_one(self, tenant: str, actor: str, pick: int) -> None:
        model, memory = self.model[tenant], self.face(tenant, actor)
        names = sorted(model.lives)
        if not names:
            return
        name = names[pick % len(names)]
        elsewhere = self.face(TENANTS[TENANTS.index(tenant) - 1], "owner")
        with pytest.raises(NotFound):
            elsewhere.get(name)
        if not model.sees(actor, name):
            for look in (memory.get, memory.history, memory.insight.lineage, memory.insight.foresee):
                with suppress(MunimentError):
                    self.clean(tenant, actor, look(name))
            if not model.lives[name].erased:
                with pytest.raises(NotFound):
                    memory.get(name)
            return
        assert memory.get(name).record.content == model.lives[name].last.text
        history = memory.history(name)
        assert [one.record.content for one in history.revisions if one.record is not None][-1] == model.lives[
            name
        ].last.text
        self.clean(tenant, actor, (history, memory.insight.lineage(name)))

    @rule(tenant=tenants, actor=askers)
    def look_around(self, tenant: str, actor: str) -> None:
        model, memory = self.model[tenant], self.face(tenant, actor)
        browsed = list(memory.insight.browse())
        assert {one.record.id for one in browsed} == {n for n in model.speaking() if model.sees(actor, n)}
        self.clean(
            tenant,
            actor,
            (
                browsed,
                memory.review.conflicts(),
                memory.insight.directory(),
                memory.insight.quality(),
                memory.insight.stats(),
            ),
        )
        self.clean(
            tenant,
            actor,
            (memory.review.queue(), memory.insight.namespaces(), memory.insight.searching(), memory.flush()),
        )
        self.clean(tenant, actor, [memory.insight.entity(name) for name in SUBJECTS], " ".join(SUBJECTS))

    @precondition(lambda self: self.proposals)
    @rule(pick=picks, actor=askers)
    def look_at_a_decision(self, pick: int, actor: str) -> None:
        tenant, author, proposal = self.proposals[pick % len(self.proposals)]
        with suppress(NotFound):
            self.clean(tenant, actor, self.face(tenant, actor).review.report(proposal))
        assert self.face(tenant, author).review.report(proposal).actor == author

    # Everything else.

    @rule(tenant=tenants, what=st.sampled_from(["outcome", "vouch", "detect", "promote"]), pick=picks, dies_at=deaths)
    def tend(self, tenant: str, what: str, pick: int, dies_at: int | None) -> None:
        model, name = self.model[tenant], self.known(tenant, pick)
        if name is None or model.lives[name].over or model.lives[name].draft:
            return
        owner = self.face(tenant, "owner")
        self.count += 1
        proposal = f"prp-{self.count}"
        if what == "outcome":
            self.attempt(
                tenant,
                dies_at,
                lambda: self.face(tenant, "owner").review.outcome(name, "misleading", proposal_id=proposal),
            )
        elif what == "vouch":
            with suppress(CallerError):
                owner.review.vouch(name, origin="person", reason="I was there")
        elif what == "detect":
            owner.review.detect(name)
        else:
            self.promote(tenant, name, proposal, dies_at)
        model.lives[name].shaky = True
        model.unsettle(name)

    def promote(self, tenant: str, name: str, proposal: str, dies_at: int | None) -> None:
        said = self.model[tenant].lives[name].last

        def call() -> Verdict:
            return self.face(tenant, "bot").review.promote(
                name, scope="agent_team", scope_id="t-1", evidence=["ci:1"], owner="kim", proposal_id=proposal
            )

        if not self.model[tenant].sees("bot", name):
            with pytest.raises(NotFound):
                call()
            return
        self.attempt(tenant, dies_at, call)
        self.take(tenant, call(), Said(said.text, "bot", said.source, None, (name,), private=True))

    @rule(tenant=tenants, pick=picks, strategy=st.sampled_from(["synthesis", "authority", "human_escalation"]))
    def resolve(self, tenant: str, pick: int, strategy: str) -> None:
        owner = self.face(tenant, "owner")
        disputes = [one for one in owner.review.conflicts() if one.status != "resolved"]
        if not disputes:
            return
        dispute = disputes[pick % len(disputes)]
        sides = {dispute.a.record.id, dispute.b.record.id}
        text = self.text(tenant, 0, tuple(sorted(sides))) if strategy == "synthesis" else None
        with suppress(CallerError):
            settled = owner.review.resolve(dispute.id, strategy=strategy, rationale="looked at both", synthesis=text)
            if text is not None and settled.synthesis is not None:
                self.model[tenant].keep(settled.synthesis, Said(text, "owner", parents=tuple(sorted(sides))))
        for name in self.model[tenant].there():
            self.model[tenant].lives[name].shaky = True
        self.follow_states(tenant)

    def follow_states(self, tenant: str) -> None:
        """What a resolution ended is told by the store: which side wins is not for this model."""
        with self.stores[tenant].read() as snapshot:
            cards = snapshot.catalogue.latest(self.model[tenant].there())
        for name, card in cards.items():
            self.model[tenant].lives[name].over = card.status not in CURRENT and card.status != "draft"

    @rule(tenant=tenants, key=st.sampled_from(["a", "b"]), pick=picks, dies_at=deaths)
    def note(self, tenant: str, key: str, pick: int, dies_at: int | None) -> None:
        """What others keep in the notebook may repeat what a record says."""
        model = self.model[tenant]
        there = sorted(model.words())
        body = json.dumps({"summary": f"on {there[pick % len(there)]}" if there else "nothing"})
        jot = NoteDraft(topic="diary", key=key, body=body)
        self.attempt(
            tenant, dies_at, lambda: Notebook.of(self.face(tenant, "owner")).turn("owner", lambda _: ((jot,), None))
        )
        found = Notebook.of(self.face(tenant, "owner")).get("diary", key)
        assert found is not None
        assert found.body == body

    @rule(tenant=tenants, ways=st.lists(st.integers(0, 7), min_size=1, max_size=3), hold=st.booleans(), dies_at=deaths)
    def bring(self, tenant: str, ways: list[int], hold: bool, dies_at: int | None) -> None:
        """A file of memories from elsewhere."""
        said = [Said(text=self.text(tenant, way), actor="owner") for way in ways]
        self.count += 1
        document = json.dumps(
            [
                {"id": f"mem-{self.count}-{n}", "content": one.text, "record_type": "semantic", "confidence": 0.9}
                for n, one in enumerate(said)
            ]
        ).encode()
        with pytest.raises(NotPermitted):
            read_in(self.face(tenant, "bot"), ContractName.MEMLEDGER, document)
        self.attempt(
            tenant, dies_at, lambda: read_in(self.face(tenant, "owner"), ContractName.MEMLEDGER, document, hold=hold)
        )
        brought = read_in(self.face(tenant, "owner"), ContractName.MEMLEDGER, document, hold=hold)
        for fate, one in zip(brought.fates, said, strict=True):
            assert fate.verdict is not None
            assert fate.verdict.outcome == "held" or not hold
            self.take(tenant, fate.verdict, one, shaky=True)
        self.batches.append((tenant, brought.batch))

    @precondition(lambda self: self.batches)
    @rule(pick=picks, undo=st.booleans())
    def answer_for_a_batch(self, pick: int, undo: bool) -> None:
        tenant, batch = self.batches[pick % len(self.batches)]
        model, owner = self.model[tenant], self.face(tenant, "owner")
        before = dict(model.waiting)
        with suppress(Stale, NotFound):
            if undo:
                undone = owner.imports.roll_back(batch, reason="not ours")
                for proposal in undone.dismissed:
                    model.waiting.pop(proposal)
            else:
                for verdict in owner.imports.apply(batch, reason="looked at it"):
                    model.waiting.pop(verdict.proposal_id)
                    self.take(tenant, verdict, before[verdict.proposal_id], shaky=True)
        self.follow_states(tenant)

    @rule(tenant=tenants, actor=askers, name=st.sampled_from(list(ContractName)))
    def carry_out(self, tenant: str, actor: str, name: ContractName) -> None:
        """A file for elsewhere holds what the one who asks for it may see, and no more."""
        told = write_out(self.face(tenant, actor), name).data
        self.clean(tenant, actor, told)
        seen = [
            life.last.text for n, life in self.model[tenant].speaking().items() if self.model[tenant].sees(actor, n)
        ]
        assert {min(words_in(text)) for text in seen} <= words_in(told.decode())

    @rule(tenant=tenants, what=st.sampled_from(["reopen", "die", "sign", "replay", "sweep", "alias"]))
    def keep_house(self, tenant: str, what: str) -> None:
        owner = self.face(tenant, "owner")
        match what:
            case "sign":
                owner.ledger.checkpoint()
            case "replay":
                assert owner.ledger.replay().identical
            case "sweep":
                assert owner.review.sweep().expired == ()
            case "alias":
                owner.review.alias("the door", "the gate")
            case _:
                self.touched |= set(TENANTS)
                self.reopen(tidily=what == "reopen")

    # What holds after every step.

    @invariant()
    def all_is_as_it_should_be(self) -> None:
        """In every tenant that was touched since."""
        touched, self.touched = self.touched & self.owners.keys(), set()
        for tenant in sorted(touched):
            assert self.owners[tenant].ledger.verify().findings == ()
            self.what_was_acknowledged_is_there_and_what_is_gone_is_nowhere(tenant)
            self.one_revision_speaks_for_a_record(tenant)

    def what_was_acknowledged_is_there_and_what_is_gone_is_nowhere(self, tenant: str) -> None:
        model, kept = self.model[tenant], words_in(kept_bytes(self.owners[tenant]).decode(errors="replace"))
        assert model.words() <= kept
        assert kept & model.gone == set(), "erased, and still kept"
        others = {one for other in TENANTS if other != tenant for one in self.model[other].spoken}
        assert kept & (others - model.spoken) == set(), "the words of another tenant"

    def one_revision_speaks_for_a_record(self, tenant: str) -> None:
        with self.stores[tenant].read() as snapshot:
            current = [card.id for card in snapshot.catalogue.all() if card.status in CURRENT]
            waiting = {row.id for row in snapshot.desk.held(after=None, limit=999)}
        assert len(current) == len(set(current))
        assert set(current) == self.model[tenant].speaking().keys()
        assert waiting == self.model[tenant].waiting.keys()


class SqliteLifetimes(Lifetimes):
    def place(self) -> Vault:
        return SqliteVault(self.folder)


@pytest.mark.parametrize(("machine", "share"), [(Lifetimes, 1), (SqliteLifetimes, 3)])
def test_no_lifetime_tells_too_much_or_keeps_what_is_gone(machine: type[Lifetimes], share: int) -> None:
    """A lifetime on files costs several times one in memory, so there are fewer of them."""
    run_state_machine_as_test(machine, settings=settings(MODEST, max_examples=MODEST.max_examples // share))
