"""How a claim becomes a decided proposal: cleaned, seen by the models there are, and written in one transaction."""

from __future__ import annotations

import msgspec

from muniment.engine.session import Session
from muniment.engine.terms import UNCONDITIONAL, WriteTerms
from muniment.model.claim import Claim
from muniment.model.curation import Verdict
from muniment.model.errors import Malformed, ModelUnavailable
from muniment.model.proposal import ImportContext, Objection, Proposal
from muniment.model.rows import VectorCoverage
from muniment.policy.decide import acting_for
from muniment.policy.rules import DetectorEffect
from muniment.ports.store import Unit
from muniment.ports.tracer import UNWATCHED, Operation
from muniment.write.admit import Admitted, admit, unheard
from muniment.write.case import hidden
from muniment.write.exposure import ALIKE_LEAST, pieces_of
from muniment.write.facts import facts_now, hearing_of
from muniment.write.pipeline import asked, propose
from muniment.write.similarity import Suggestion, comparable


def admit_claim(
    session: Session,
    claim: Claim,
    name: str | None,
    *,
    target: str | None = None,
    expected_revision: int | None = None,
    draft: bool = False,
    detect: bool = True,
) -> Admitted:
    session.screen.refuse("proposal_id", name)
    proposal = Proposal(
        id=name if name is not None else session.tenant.ids.fresh("prp"),
        tenant=session.tenant.name,
        claim=claim,
        target=target,
        expected_revision=expected_revision,
        draft=draft,
        detect=detect,
    )
    session.screen.refuse("user", claim.place.user)
    return extracted(session, admit(proposal, acting_for(session.actor, claim.place), session.policy.safety))


def submit(
    session: Session,
    admitted: Admitted,
    objections: tuple[Objection, ...] = (),
    operation: Operation = UNWATCHED,
    terms: WriteTerms = UNCONDITIONAL,
) -> Verdict:
    suggestions: tuple[Suggestion, ...] = ()
    if not objections:
        admitted, suggestions = judged(session, admitted)
    operation.lap("admit")
    bench = terms.bench(session.bench)

    def job(unit: Unit) -> Verdict:
        terms.hold(unit)
        return propose(unit, admitted, bench, suggestions, objections, operation)

    verdict = session.write(job)
    operation.lap("sync")
    operation.told(verdict)
    return verdict


def _compared(session: Session, admitted: Admitted) -> Admitted:
    """Ask the model, if there is one, what the author was told of low origin that the proposal is near to."""
    wanted = asked(admitted, session.policy)
    if not wanted.listens or not session.tenant.indexer.has_model:
        return admitted
    hearing = hearing_of(wanted.actor)
    with session.store.read() as snapshot:
        cards = snapshot.catalogue.heard(hearing.actor, below=hearing.below, keep=hearing.keep)
        reach = snapshot.meanings.reach() if cards else VectorCoverage()
        if reach.model is None:
            return admitted
        rids = [card.rid for card in cards]
        near: set[int] = set()
        for text in pieces_of(admitted.proposal.claim):
            question = session.tenant.indexer.ask(text)
            if question.vector is not None and question.model == reach.model:
                found = snapshot.meanings.measure(rids, question.vector)
                near |= {rid for rid, one in found.items() if one.cosine >= ALIKE_LEAST}
    return msgspec.structs.replace(admitted, alike=tuple(sorted(near))) if near else admitted


def judged(session: Session, admitted: Admitted) -> tuple[Admitted, tuple[Suggestion, ...]]:
    """Ask the models there are before the writer is held: what is near, and what a judge thinks. One that cannot be
    heard is noted."""
    admitted = _compared(session, admitted)
    try:
        return admitted, _suggestions(session, admitted)
    except ModelUnavailable as error:
        return unheard(admitted, error), ()


def _suggestions(session: Session, admitted: Admitted) -> tuple[Suggestion, ...]:
    judge, policy, claim = session.tenant.judge, session.policy, admitted.proposal.claim
    if judge is None or policy.disputes.judge is DetectorEffect.IGNORE:
        return ()
    with session.store.read() as snapshot:
        kin = facts_now(snapshot, asked(admitted, policy), pepper=session.bench.pepper).kin
    # A judge may be somebody else's machine: it is shown what the proposer may see and could disagree with.
    shown = [held for held in kin if comparable(claim, held) and not hidden(policy, admitted.actor, held)]
    opinions = judge.compare_all(claim.content, [held.record.content for held in shown]) if shown else []
    return tuple(
        Suggestion(rid=held.card.rid, type=opinion.type, words=session.clean(opinion.words))
        for held, opinion in zip(shown, opinions, strict=True)
        if opinion is not None
    )


def extracted(session: Session, admitted: Admitted) -> Admitted:
    """Ask the extractor, if there is one, about the text as it was cleaned. One that cannot be heard is noted."""
    extractor = session.tenant.extractor
    if extractor is None:
        return admitted
    try:
        found = extractor.extract(admitted.proposal.claim.content)
    except ModelUnavailable as error:
        return unheard(admitted, error)
    safe = tuple(one for one in found if (session.clean(one.text), session.clean(one.key)) == (one.text, one.key))
    return msgspec.structs.replace(admitted, extracted=safe)


def admit_arrival(
    session: Session, claim: Claim, name: str, arrival: ImportContext | None, *, revises: str | None = None
) -> Admitted:
    if not isinstance(claim, Claim):
        raise Malformed("claims", "a list of claims")
    proposal = Proposal(id=name, tenant=session.tenant.name, claim=claim, target=revises, arrival=arrival)
    return extracted(session, admit(proposal, session.actor, session.policy.safety))
