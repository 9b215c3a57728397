"""What a claim is to the records nearest to it: the same again, an echo, something long corrected, or a rival.

Pure: it is handed the records and compares words. It never looks further than the proposer may see.
"""

from __future__ import annotations

from muniment.model.actor import Actor
from muniment.model.card import normalise, same_text, slot_key
from muniment.model.claim import Claim, Times
from muniment.model.record import Record
from muniment.model.status import CURRENT, Status
from muniment.model.value import Value
from muniment.model.vocabulary import LABEL_RANK, STANDS_ON, ActorType, ConflictType, Kind, Label, MemoryType
from muniment.policy.rules import DetectorEffect, DisputePolicy
from muniment.text.compare import CHANGED, ComparisonResult, compare
from muniment.text.differences import changed
from muniment.text.features import text_features
from muniment.text.identity import about, about_speaker, meet
from muniment.text.similarity import echoes, has_words_of_its_own, holds, quotes, similarity
from muniment.write.facts import Facts, Held, PastFacts, is_long

_OPEN = frozenset({Kind.QUESTION, Kind.HYPOTHESIS, Kind.ASSUMPTION, Kind.INTENTION, Kind.EVIDENCE, Kind.CONFLICT})
"""Kinds that assert nothing, so that nothing can contradict them by its words."""


SUCCESSOR = "successor"
"""Why two records dispute each other of which each was to take the place of a third."""


class Suggestion(Value):
    """What a judge thinks of a pair. It only suggests: the policy says what may follow."""

    rid: int
    type: ConflictType
    words: str


class Rival(Value):
    """A record that a claim cannot stand beside in peace: how, found by what, and whether both become contested."""

    held: Held
    type: ConflictType
    why: str
    note: str = ""
    contests: bool = True


def restated(claim: Claim, facts: Facts, replaced: set[str]) -> PastFacts | None:
    """The corrected record that a claim says again, if it is one.

    A claim that replaces or contradicts what now speaks is no restatement, nor is one that agrees with it or with what
    it replaces, or that names a time after the correction.
    """
    standing = [held for name in replaced if (held := facts.links.get(name)) is not None]
    if any(_agree(claim, held.record.claim) for held in standing):
        return None
    disputed = {held.card.id for held in facts.contradicted}
    for past in facts.past:
        if past.now.card.id in replaced | disputed or _later(claim.times, past.now.record):
            continue
        if not _same_occasion(claim, past.held.record.claim):
            continue
        if _agree(claim, past.now.record.claim) or (past.near and not _says_again(claim, past)):
            continue
        slot, old = claim.slot, past.held.record.claim.slot
        if not past.near and slot is not None and old is not None and normalise(slot.value) != normalise(old.value):
            continue
        return past
    return None


def goes_back(past: PastFacts, claim: Claim, facts: Facts, actor: Actor) -> bool:
    """Whether a claim that says again what was corrected is a change back, and no echo of what is out of date.

    A change back is said in the same words or as the same answer, of no time before the correction, and links to
    neither record. Who was told the old record must know of the correction too: else it is only repeated. An agent or
    a tool could have been told whatever it may see, so it must know of the correction in any case.
    """
    if past.near or past.held.card.status != Status.SUPERSEDED:
        return False
    if claim.times.valid_from is not None or claim.times.event_time is not None:
        return False
    if {past.held.card.id, past.now.card.id} & {name for _, name in claim.lineage.links}:
        return False
    if past.now.record.actor == actor.id or past.now.card.rid in facts.told:
        return True
    return actor.type is ActorType.PERSON and past.held.card.rid not in facts.told


def _agree(claim: Claim, other: Claim) -> bool:
    """Whether two claims say the same words, and give no two answers."""
    if not same_text(claim.content, other.content):
        return False
    mine, theirs = claim.slot, other.slot
    if mine is None or theirs is None:
        return True
    return slot_key(claim) == slot_key(other) and normalise(mine.value) == normalise(theirs.value)


def _says_again(claim: Claim, past: PastFacts) -> bool:
    """Whether a claim says what was corrected: in the same words, or in others that agree with the old and contradict
    what speaks now. One that tells of a change is news."""
    new, old, now = (text_features(text) for text in (claim.content, past.held.record.content, past.now.record.content))
    if echoes(new, old):
        return not echoes(new, now)
    against = compare(new, now)
    if (
        against is None
        or against.type is not ConflictType.CONTRADICTION
        or similarity(new, old) <= similarity(new, now)
    ):
        return False
    beside = compare(new, old)
    return beside is None or beside.type is ConflictType.DUPLICATE


def _later(times: Times, record: Record) -> bool:
    said = (times.valid_from, times.event_time)
    return any(instant is not None and instant > record.created_at for instant in said)


def echoed(claim: Claim, facts: Facts, actor: Actor) -> tuple[Held, ...]:
    """The records a claim only says again.

    What was told to the proposer and comes back is never new evidence. Nor is what an agent or a tool repeats that it
    could have been told: whether it was, in one way or another, cannot be seen from here, and evidence it names may be
    made up. A person who was not told speaks for themselves. Only a link that carries trust makes it unnecessary to
    look: to name what one repeats is not to stand on it.
    """
    linked = {name for type_, name in claim.lineage.links if type_ in STANDS_ON} | facts.carried
    found = []
    for held in _once((*facts.kin, *(facts.heard if is_long(claim) else ()))):
        if held.card.id in linked or not _may_be_echoed(held, facts, actor.type):
            continue
        told = held.card.rid in facts.told
        if not told and (actor.type is ActorType.PERSON or _own(held, actor) or _elsewhere(claim, held.record)):
            continue
        if _same_words(claim, held.record) or (actor.type is not ActorType.PERSON and _quoted(claim, held)):
            found.append(held)
    return tuple(found)


def _own(held: Held, actor: Actor) -> bool:
    """Whether it is what the actor said on its own account. Who repeats that says nothing of somebody else's."""
    return held.record.actor == actor.id and held.card.label >= LABEL_RANK[Label.AGENT]


def _elsewhere(claim: Claim, record: Record) -> bool:
    """Whether few words answer another question than the same words do elsewhere: "no" is nobody's."""
    mine, theirs = claim.intent.question, record.claim.intent.question
    return mine != theirs and not has_words_of_its_own(text_features(claim.content))


def _once(found: tuple[Held, ...]) -> tuple[Held, ...]:
    return tuple({held.card.rid: held for held in found}.values())


def _quoted(claim: Claim, held: Held) -> bool:
    """Whether a claim has another record in its words, whole or, if that came from outside, in part. A frame around it
    or a sentence beside it does not make it the author's own. People answer for what they quote."""
    said, source = text_features(claim.content), text_features(held.record.content)
    if held.card.label < LABEL_RANK[Label.AGENT] and quotes(said, source):
        return True
    return holds(said, source)


def _may_be_echoed(held: Held, facts: Facts, actor: ActorType) -> bool:
    """What speaks can be echoed; and what was taken back, by those who were told it and are no person."""
    if held.card.status in CURRENT:
        return True
    return held.card.status == Status.RETRACTED and held.card.rid in facts.told and actor is not ActorType.PERSON


def _same_words(claim: Claim, record: Record) -> bool:
    return same_text(claim.content, record.content) or echoes(
        text_features(claim.content), text_features(record.content)
    )


def rivals(
    claim: Claim,
    facts: Facts,
    replaced: set[str],
    disputes: DisputePolicy,
    suggestions: tuple[Suggestion, ...],
    actor: str,
) -> tuple[Rival, ...]:
    """Everything a claim disagrees with, or repeats, each once: what says so first, then what a reviewer says, then
    what the slot says, then what the words say, then what a judge suggests."""
    found: dict[int, Rival] = {}
    successors = tuple(held for held in facts.successors if not _one_answer(claim, held, replaced))
    for why, said in (("contradicts", facts.contradicted), ("reviewer", facts.marked), (SUCCESSOR, successors)):
        for held in said:
            if held.card.status in CURRENT:
                found.setdefault(held.card.rid, Rival(held=held, type=ConflictType.CONTRADICTION, why=why))
    for held in facts.occupants:
        if held.card.id not in replaced and disagree(claim, held.record):
            kind = ConflictType.UPDATE if _later(claim.times, held.record) else ConflictType.CONTRADICTION
            found.setdefault(held.card.rid, Rival(held=held, type=kind, why="slot"))
    judged = {suggestion.rid: suggestion for suggestion in suggestions}
    linked = {name for _, name in claim.lineage.links} | replaced
    subject = about(claim.content)
    for held in facts.kin:
        if held.card.rid in found or held.card.id in linked or not comparable(claim, held):
            continue
        meets = meet(subject, held.record.about) or changed(claim.content, held.record.content)
        words = meets and not same_text(claim.content, held.record.content)
        rival = (_by_words(claim, held, disputes.detector, actor) if words else None) or _by_judge(
            held, judged, disputes.judge
        )
        if rival is not None:
            found[held.card.rid] = rival
    return tuple(found[rid] for rid in sorted(found))


def _one_answer(claim: Claim, held: Held, replaced: set[str]) -> bool:
    """Whether two successors of one record are none beside each other: the one takes the other's place too, stands on
    it, or says the same."""
    linked = {name for type_, name in claim.lineage.links if type_ in STANDS_ON}
    return held.card.id in replaced | linked or _agree(claim, held.record.claim)


def comparable(claim: Claim, held: Held) -> bool:
    """Whether two statements can be held against each other: of one place and one occasion, both asserting, at the
    same time, and not answers to two different questions."""
    place, other = claim.place, held.record.claim
    return (
        held.card.status in CURRENT
        and (held.card.scope, held.card.scope_id, held.card.namespace) == (place.scope, place.scope_id, place.namespace)
        and claim.nature.kind not in _OPEN
        and other.nature.kind not in _OPEN
        and (claim.slot is None or other.slot is None)
        and _same_occasion(claim, other)
        and overlap(claim.times, other.times)
    )


def _same_occasion(claim: Claim, other: Claim) -> bool:
    """Whether two claims are not said of two tasks, workflows or questions, nor told of two sessions."""
    mine, theirs = claim.place, other.place
    pairs = [(mine.task_id, theirs.task_id), (mine.workflow_id, theirs.workflow_id)]
    if claim.nature.memory_type is other.nature.memory_type is MemoryType.EPISODIC:
        pairs.append((mine.session_id, theirs.session_id))
    if any(one is not None and two is not None and one != two for one, two in pairs):
        return False
    asked, answered = claim.intent.question, other.intent.question
    return asked is None or answered is None or normalise(asked) == normalise(answered)


def _by_words(claim: Claim, held: Held, detector: DetectorEffect, actor: str) -> Rival | None:
    if detector is DetectorEffect.IGNORE:
        return None
    finding: ComparisonResult | None = compare(text_features(claim.content), text_features(held.record.content))
    if finding is not None and actor != held.record.actor and (finding.why == CHANGED or about_speaker(claim.content)):
        return None  # what somebody says of themselves is about nobody else
    if finding is None:
        return None
    if finding.type == ConflictType.DUPLICATE and claim.nature.kind is not held.record.claim.nature.kind:
        return None
    contests = detector is DetectorEffect.CONTEST and finding.proven
    return Rival(held=held, type=ConflictType(finding.type), why=finding.why, note=finding.note, contests=contests)


def _by_judge(held: Held, judged: dict[int, Suggestion], judge: DetectorEffect) -> Rival | None:
    suggestion = judged.get(held.card.rid)
    if suggestion is None or judge is DetectorEffect.IGNORE:
        return None
    contests = judge is DetectorEffect.CONTEST and suggestion.type is not ConflictType.DUPLICATE
    return Rival(held=held, type=suggestion.type, why="judge", note=suggestion.words, contests=contests)


def disagree(claim: Claim, standing: Record) -> bool:
    """Whether two answers to the same question cannot both hold.

    Likeness of wording is not asked. A claim whose time has passed cannot be contradicted, only followed.
    """
    ours, theirs = claim.slot, standing.claim.slot
    if ours is None or theirs is None or normalise(ours.value) == normalise(theirs.value):
        return False
    return overlap(claim.times, standing.claim.times)


def overlap(one: Times, other: Times) -> bool:
    """Whether two spans of validity share an instant; an open end reaches for ever."""
    starts_in_time = one.valid_from is None or other.valid_until is None or one.valid_from <= other.valid_until
    return starts_in_time and (
        other.valid_from is None or one.valid_until is None or other.valid_from <= one.valid_until
    )
