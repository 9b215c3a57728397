"""Everybody saying things in both tenants: claims, drafts, batches, revisions, and what people answer for."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule
from tests.machine.lives import AGENTS, OUTSIDER, OWNERS, Said, word, words_in
from tests.machine.stage import TENANTS, Stage

from muniment.model.claim_options import ClaimOptions, make_claim
from muniment.model.curation import Verdict
from muniment.model.errors import Malformed, NotFound

SUBJECTS = ("Nokeltra", "Nobarvin")
SOURCES, SESSIONS = ("feed-1", "feed-2"), ("s-1", "s-2")
COLOURS = ("red", "blue", "green")
tenants, picks = st.sampled_from(TENANTS), st.integers(0, 1_000)
deaths = st.none() | st.none() | st.integers(1, 80)
callers = st.sampled_from((*OWNERS, *AGENTS))
askers = st.sampled_from((*OWNERS, *AGENTS, OUTSIDER))


class Speakers(Stage):
    """Everybody's words. The model believes the verdicts: it knows nothing of the policy."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.proposals: list[tuple[str, str, str]] = []

    @initialize(ways=st.lists(st.tuples(callers, st.integers(0, 63), picks), min_size=4, max_size=10))
    def begin(self, ways: list[tuple[str, int, int]]) -> None:
        """A few records in the first tenant, so that there is something to forget."""
        self.open()
        for actor, way, pick in ways:
            self.say(TENANTS[0], actor, way, pick, None)

    def fresh(self) -> str:
        """A word that nobody has said yet."""
        self.count += 1
        return word(self.count)

    def text(self, tenant: str, way: int, parents: tuple[str, ...] = ()) -> str:
        """A new text: its own word, perhaps a subject, and what it takes over from what it stands on."""
        lives = self.model[tenant].lives
        named = f" {SUBJECTS[way % 2]}" if way & 4 else ""
        quotes = "".join(f" {max(words_in(lives[one].last.text))} was told." for one in parents)
        text = f"{self.fresh()} came up{named}.{quotes}"
        self.model[tenant].say(text)
        return text

    def known(self, tenant: str, pick: int, *, speaking: bool = True) -> str | None:
        model = self.model[tenant]
        names = sorted(model.speaking() if speaking and pick % 5 else model.there())
        return names[pick % len(names)] if names else None

    def say(self, tenant: str, actor: str, way: int, pick: int, dies_at: int | None) -> None:
        """One proposal, its nature told by the bits of `way`."""
        model, name = self.model[tenant], self.known(tenant, pick)
        parents = (name,) if name is not None and way & 8 and model.sees(actor, name) else ()
        said = Said(
            text=self.text(tenant, way, parents),
            actor=actor,
            source=SOURCES[way % 2] if way & 16 else None,
            session=SESSIONS[way % 2] if way & 32 else None,
            parents=parents,
            private=actor in OWNERS and way % 3 == 0,
        )
        options: ClaimOptions = {"derived_from": list(parents), "confidence": 0.9}
        if said.source is not None:
            options["source"] = said.source
        if said.session is not None:
            options["session_id"] = said.session
        options["sensitivity"] = "confidential" if said.private else "internal"
        if way % 7 == 1:
            options |= {"subject": "door", "key": "colour", "value": COLOURS[way % 3]}
        if way % 7 == 2:
            options["kind"] = "decision"
        self.count += 1
        proposal, draft = f"prp-{self.count}", way % 11 == 5 and actor in OWNERS
        self.attempt(
            tenant,
            dies_at,
            lambda: self.face(tenant, actor).remember(said.text, proposal_id=proposal, draft=draft, **options),
        )
        verdict = self.face(tenant, actor).remember(said.text, proposal_id=proposal, draft=draft, **options)
        self.proposals.append((tenant, actor, proposal))
        self.take(tenant, verdict, said, draft=draft, shaky="value" in options)

    def take(self, tenant: str, verdict: Verdict, said: Said, *, draft: bool = False, shaky: bool = False) -> None:
        """Believe the verdict: what is acknowledged is there, what waits is kept, what is refused is not."""
        model = self.model[tenant]
        if verdict.committed:
            assert verdict.record_id is not None
            model.keep(verdict.record_id, said, draft=draft, shaky=shaky)
        elif verdict.outcome == "held":
            model.waiting[verdict.proposal_id] = said

    @rule(tenant=tenants, actor=callers, way=st.integers(0, 2_000), pick=picks, dies_at=deaths)
    def remember(self, tenant: str, actor: str, way: int, pick: int, dies_at: int | None) -> None:
        self.say(tenant, actor, way, pick, dies_at)

    @rule(tenant=tenants, way=st.integers(0, 63))
    def an_outsider_is_kept_waiting(self, tenant: str, way: int) -> None:
        said = Said(text=self.text(tenant, way), actor=OUTSIDER)
        verdict = self.face(tenant, OUTSIDER).remember(said.text, scope_id="default")
        assert not verdict.committed
        self.take(tenant, verdict, said)

    @rule(tenant=tenants, actor=callers, ways=st.lists(st.integers(0, 63), min_size=1, max_size=3), dies_at=deaths)
    def say_many(self, tenant: str, actor: str, ways: list[int], dies_at: int | None) -> None:
        """All or none."""
        said = [Said(text=self.text(tenant, way), actor=actor) for way in ways]
        self.count += 1
        claims = [
            (f"prp-{self.count}-{number}", make_claim(one.text, self.face(tenant, actor).actor, {}))
            for number, one in enumerate(said)
        ]
        preview = self.face(tenant, actor).imports.preview([claim for _, claim in claims])
        self.attempt(tenant, dies_at, lambda: self.face(tenant, actor).propose(claims))
        verdicts = self.face(tenant, actor).propose(claims)
        assert [one.outcome for one in verdicts] == [one.outcome for one in preview]
        for verdict, one in zip(verdicts, said, strict=True):
            self.take(tenant, verdict, one)

    @rule(tenant=tenants, actor=callers, way=st.integers(0, 63), pick=picks, dies_at=deaths)
    def revise(self, tenant: str, actor: str, way: int, pick: int, dies_at: int | None) -> None:
        model, name = self.model[tenant], self.known(tenant, pick)
        if name is None or not model.sees(actor, name) or model.lives[name].over or model.lives[name].draft:
            return
        before = model.lives[name].last
        text = self.text(tenant, way)
        self.count += 1
        proposal = f"prp-{self.count}"
        self.attempt(tenant, dies_at, lambda: self.face(tenant, actor).revise(name, text, proposal_id=proposal))
        verdict = self.model_sees_revision(tenant, actor, name, text, proposal)
        if verdict is not None:
            said = Said(text, actor, before.source, before.session, before.parents, before.private)
            self.take(tenant, verdict, said)

    def model_sees_revision(self, tenant: str, actor: str, name: str, text: str, proposal: str) -> Verdict | None:
        """What came of a revision. One that was kept before the store died is told again under its id."""
        try:
            return self.face(tenant, actor).revise(name, text, proposal_id=proposal)
        except Malformed as error:
            if error.field != "proposal_id":  # which is another proposal now, for the present revision is another
                raise
            report = self.face(tenant, actor).review.report(proposal)
            assert report.record_id == name
            said = self.model[tenant].lives[name].last
            self.model[tenant].keep(name, Said(text, actor, said.source, said.session, said.parents, said.private))
            return None

    @precondition(lambda self: any(model.waiting for model in self.model.values()))
    @rule(pick=picks, actor=st.sampled_from(OWNERS), accept=st.booleans(), dies_at=deaths)
    def decide(self, pick: int, actor: str, accept: bool, dies_at: int | None) -> None:
        waiting = sorted((tenant, name) for tenant in TENANTS for name in self.model[tenant].waiting)
        tenant, name = waiting[pick % len(waiting)]
        said = self.model[tenant].waiting[name]
        with pytest.raises(NotFound):
            self.face(tenant, "bot" if said.actor != "bot" else "fox").review.decide(
                name, accept=accept, reason="I say so"
            )
        reason = f"about {min(words_in(said.text))}" if accept else "not needed"
        verdict = self.attempt(
            tenant, dies_at, lambda: self.face(tenant, actor).review.decide(name, accept=accept, reason=reason)
        )
        del self.model[tenant].waiting[name]
        record = verdict.record_id if verdict is not None else self.face(tenant, "owner").review.report(name).record_id
        assert (record is not None) <= accept
        if record is not None:
            self.model[tenant].keep(record, said)
