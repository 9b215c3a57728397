"""What a policy makes of the reasons to doubt a proposal's words: wait for a person, refuse, note, or nothing."""

from __future__ import annotations

import msgspec

from muniment.model.card import standing_of
from muniment.model.curation import StepOutcome
from muniment.model.status import Status
from muniment.model.vocabulary import Label, Step, StepResult, Suspicion
from muniment.policy.decide import decide_read, decide_review
from muniment.policy.rules import Action, DoubtPolicy
from muniment.text.features import text_features
from muniment.text.similarity import echoes, quotes
from muniment.write.case import CURATION_PURPOSE, Case, Finding, flagged, hidden, refused
from muniment.write.facts import Held
from muniment.write.plan import BORN_LABEL, origin_label
from muniment.write.poison import PoisonSignal

_SECOND = 1_000_000
_SUSPECT = "it may be meant to steer its reader: "
_COMPARE = "a curator must look at it before it counts"
_BURST = PoisonSignal(family=Suspicion.BURST, code="burst", note="comes with very many others of the same actor")


def doubt(outcome: StepOutcome, case: Case) -> Finding:
    """The outcome of the safety step once the words were weighed. What a reviewer answers for, and a draft, which
    nobody else reads, are only noted."""
    signals = (*case.signals, *([_BURST] if _bursts(case) else []))
    repeats = _repeats_suspect(case)
    if not signals and not repeats:
        return outcome, case
    label = origin_label(case if case.reviewer is not None else _seen(case))
    trusted = _answers_for_itself(case, label)
    answers = {signal: case.policy.safety.poison.answer(signal.family, label, trusted=trusted) for signal in signals}
    noted = [signal for signal, answer in answers.items() if answer is not DoubtPolicy.IGNORE]
    words = _SUSPECT + ", ".join(dict.fromkeys(signal.note for signal in noted))
    settled = case.draft or case.reviewer is not None
    if DoubtPolicy.REFUSE in answers.values() and not settled:
        return refused(Step.SAFETY, case, "poison", words)
    waits = repeats and not trusted and label is not Label.PERSON
    if (DoubtPolicy.HOLD in answers.values() or waits) and not settled:
        found, case = flagged(Step.SAFETY, case, words if noted else _COMPARE)
        return _beside(outcome, found.note), case
    return (_beside(outcome, words) if noted else outcome), case


def _seen(case: Case) -> Case:
    """The case without what its proposer may not see: the next step refuses that, and nobody is to learn of it here."""
    links = {name: held for name, held in case.facts.links.items() if held is not None}
    unseen = {name: None for name, held in links.items() if hidden(case.policy, case.actor, held)}
    if not unseen:
        return case
    return msgspec.structs.replace(
        case, facts=msgspec.structs.replace(case.facts, links={**case.facts.links, **unseen})
    )


def _beside(outcome: StepOutcome, words: str) -> StepOutcome:
    note = f"{outcome.note}; {words}" if outcome.note else words
    return StepOutcome(step=Step.SAFETY, result=StepResult.FLAGGED, note=note)


def _answers_for_itself(case: Case, label: Label) -> bool:
    """Whether the words are the actor's own, and the actor may take in what others propose here."""
    own = label is BORN_LABEL[case.actor.type]
    place = case.claim.place
    return own and decide_review(case.policy, case.actor, Action.ACCEPT, place, case.actor.id) is not None


def _bursts(case: Case) -> bool:
    pace = case.facts.pace
    return pace is not None and case.now - pace <= case.policy.safety.poison.burst_seconds * _SECOND


def _repeats_suspect(case: Case) -> bool:
    """Whether it says what is in quarantine: who proposes it again would else undo what a curator did. Only what the
    actor could see if it were not: nobody finds out in this way what others keep apart in places of their own."""
    suspects = [held for held in case.facts.kin if held.card.status == Status.HELD and _within_sight(case, held)]
    said = text_features(case.claim.content) if suspects else None
    if said is None:
        return False
    texts = [text_features(held.record.content) for held in suspects]
    return any(echoes(said, text) or quotes(said, text) for text in texts)


def _within_sight(case: Case, held: Held) -> bool:
    label = standing_of(held.card).footing.label
    return decide_read(case.policy, case.actor, CURATION_PURPOSE, held.record, label) is not None
