"""Gather candidates: what fits, what has taken its place since, and what disputes it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial

import msgspec

from muniment.model.card import Card
from muniment.model.filter import matches
from muniment.model.receipt import Candidate, Plan
from muniment.model.rows import ConflictRow
from muniment.model.status import CURRENT, Status
from muniment.model.value import Value
from muniment.model.vocabulary import ConflictStatus, ConflictType
from muniment.ports.store import Snapshot
from muniment.ports.tracer import UNWATCHED, Operation
from muniment.read.carry import carry_over, take_in_kin
from muniment.read.exact import TELLING, Match, rarest, same_text
from muniment.read.fetch import record_of
from muniment.read.find import FAIR_WORDS, Findings, FoundRevision, admitted, cards_at, find
from muniment.read.fit import coverages, fits_of, foretell_fits, odds
from muniment.read.named import holding, names_of
from muniment.read.past_cards import cards_then
from muniment.read.rank import (
    Parts,
    by_place,
    diverse,
    fitting,
    happened,
    in_stead,
    raised,
    ranked,
    reordered,
    score_of,
)
from muniment.read.select import DISPUTES_MAX, OPPONENT, WEAK
from muniment.read.withdrawn import foretell_withdrawn

CHAIN_MAX = 100
SPARE = 10
"""So many more than can be told are kept as candidates: the gate may keep some back."""


LOOKED_AT = 64
"""So many of the latest disputes of a record are looked at."""

READ_MAX = 24
SAME_MEANING = 0.9
"""So many of the best matches are compared with the question word by word, if they hold half of what the best holds or
are as near as this."""


LESS_LIKELY = 4.5
"""Odds of answering that are so many times smaller than those of the best are too weak to be told beside it."""

WEAK_SHARE = 0.5
POOR_WORDS, POOR_MEANING = 0.25, 0.35
"""In a conversation, what fits less than this share of what fits best is too weak if it is poor by itself, too: holds
less than that of what the question's words could add up to, and is less near than that."""


SAME_TOPIC, AS_FIT = 0.75, 0.9
"""Two records answer the same question if they are so much alike, and the later fits it so well beside the older."""

NAMED_AMONG = 32
"""So many of the best are looked through for what the question names."""


class Gathered(Value):
    """Candidates in the order they are told in. `opponents` tells which conflict joins which two of them; `fit` is how
    likely anything among them answers the question."""

    candidates: tuple[Candidate, ...]
    opponents: tuple[tuple[str, int, int], ...]
    passed: int
    counts: dict[str, int]
    fit: float | None = None


NOTHING = Gathered(candidates=(), opponents=(), passed=0, counts={})


def gather(
    snapshot: Snapshot,
    plan: Plan,
    text: str,
    vector: bytes | None,
    operation: Operation = UNWATCHED,
    *,
    order: Sequence[str] = (),
) -> Gathered:
    """Candidates for a question. What a reranker has put in `order` is taken in that order."""
    findings = find(snapshot, plan, vector)
    scores = findings.evidence()
    close = closest(findings)
    names = () if plan.terms.phrases else names_of(text, plan)  # quoted phrases must occur, and say what is meant
    among = sorted(scores, key=lambda rid: (-scores[rid], -rid))[:NAMED_AMONG] if names else []
    snapshot.ahead(partial(snapshot.documents.many, [*dict.fromkeys([*close, *among, *_by_a_word(findings)])]))
    keep = max(plan.limit, len(order)) + SPARE
    foretell_fits(snapshot, plan, sorted(scores, key=lambda rid: (-scores[rid], -rid))[:keep])
    _foretell_told(snapshot, plan, findings, scores)
    foretell_withdrawn(snapshot, plan)
    beside = take_in_kin(snapshot, plan, findings.found, scores, vector)
    for rid, share in coverages(snapshot, findings, _by_a_word(findings)).items():
        if share < TELLING:
            findings.found[rid].exact = Match.NONE
    mark_same_text(snapshot, text, findings, close)
    held = named_among(snapshot, names, findings, among) if names else None
    carry_over(findings.found, findings.evidence(), beside)
    operation.lap("search")
    parts = ranked(plan, findings, keep=keep)
    fits = {rid: fitting(sums) for rid, sums in parts.items()}
    chances = fits_of(snapshot, plan, text, findings, names, list(parts))
    fit = max(chances.values(), default=None)
    if order:
        places = {name: place for place, name in enumerate(order)}
        judged = [rid for rid in parts if findings.found[rid].card.id in places]
        judged.sort(key=lambda rid: places[findings.found[rid].card.id])
        parts, fits = reordered(parts, judged), fits | by_place(fits, judged)
        chances |= by_place(chances, judged) if chances else {}
    weak = _unfit(plan, findings.found, chances, held)
    if plan.floor > 0:
        weak |= _noise(plan, findings.found, fits, chances)
    return arrange(snapshot, plan, findings, parts, fits, fit=fit, weak=weak)


def _foretell_told(snapshot: Snapshot, plan: Plan, findings: Findings, scores: Mapping[int, float]) -> None:
    """Tell the store whose disputes and entries are read when the best are put in order and told."""
    best = sorted(scores, key=lambda rid: (-scores[rid], -rid))[: plan.limit + SPARE]
    snapshot.ahead(
        partial(snapshot.desk.conflicts_about, best),
        *(partial(snapshot.ledger.entry, findings.found[rid].card.seq) for rid in best[:1]),
    )


def arrange(
    snapshot: Snapshot,
    plan: Plan,
    findings: Findings,
    parts: Mapping[int, Parts],
    fits: Mapping[int, float],
    *,
    fit: float | None,
    weak: AbstractSet[int] = frozenset(),
) -> Gathered:
    """Make candidates of the best, take in what speaks in the stead of what is past, and put all in order. `parts` are
    what the scores of the best are the sums of, from the best down; `fits` is how much of it says that they fit, and
    what is `weak` is not told."""
    found = findings.found
    scores = {rid: score_of(sums) for rid, sums in parts.items()}
    poor = fit is not None and fit < plan.floor
    candidates = {
        rid: msgspec.structs.replace(
            _candidate(found[rid].card, scores[rid], found[rid].via),
            parts=parts[rid],
            passage=found[rid].passage,
            excluded=WEAK if rid in weak else None,
        )
        for rid in parts
    }
    cards = {rid: found[rid].card for rid in parts if rid not in weak}
    cards |= _add_successors(snapshot, plan, candidates, findings, least=FAIR_WORDS if poor else 0.0)
    conflicts = _open_conflicts(snapshot, plan, cards)
    cards |= _add_newer(snapshot, plan, candidates, cards, conflicts)
    _raise_exact(candidates, found)
    _put_newer_first(candidates, cards, conflicts, found)
    opponents = _add_opponents(snapshot, plan, candidates, cards, conflicts)
    order = sorted(candidates, key=lambda rid: (-candidates[rid].score, -rid))
    own = [rid for rid in order if candidates[rid].excluded != OPPONENT]
    if plan.reach.model is not None and len(own) > 1:
        alike = snapshot.meanings.alike(own)
        _put_later_first(candidates, found, fits, own, alike)
        scores = {rid: candidates[rid].score for rid in own}
        placed = {rid: place for place, rid in enumerate(own)}
        own.sort(key=lambda rid: (-scores[rid], -rid))
        alike = tuple(tuple(alike[placed[one]][placed[other]] for other in own) for one in own)
        own = diverse(own, scores, alike) if len(own) > 2 else own
    beside = [rid for rid in order if candidates[rid].excluded == OPPONENT]
    return Gathered(
        candidates=tuple(candidates[rid] for rid in (*own, *beside)),
        opponents=opponents,
        passed=findings.passed,
        counts=findings.counts,
        fit=fit,
    )


def _noise(
    plan: Plan, found: Mapping[int, FoundRevision], fits: Mapping[int, float], chances: Mapping[int, float]
) -> set[int]:
    """What is too unlikely to answer: everything if nothing is likely enough, else what is so beside the best. In a
    conversation, where an answer may take several turns, or where nobody can tell how likely one is, it is what fits
    much less than the best and is poor by itself. What holds a code of the question, or is its very text, is meant."""
    if chances and (best := max(chances.values())) < plan.floor:
        return {rid for rid in chances if found[rid].exact < Match.CODE}
    least = WEAK_SHARE * max(fits.values(), default=0.0)
    weak: set[int] = set()
    for rid, fit in fits.items():
        one = found[rid]
        if chances and one.card.session_id is None:
            noise = odds(chances[rid]) * LESS_LIKELY < odds(best) and one.exact < Match.CODE
        else:
            noise = fit < least and not one.exact and one.words < POOR_WORDS and one.meaning < POOR_MEANING
        weak |= {rid} if noise else set()
    return weak


def _by_a_word(findings: Findings) -> list[int]:
    """What the question points at by a word that it alone holds."""
    return [rid for rid, one in findings.found.items() if one.exact is Match.WORD]


def closest(findings: Findings) -> list[int]:
    """What may be the very text of the question. Such a record holds all words of it, so that only those that match
    well are read."""
    found = findings.found
    most = max((one.words for one in found.values()), default=0.0)
    close = [rid for rid, one in found.items() if one.words >= most / 2 or one.meaning >= SAME_MEANING]
    return sorted(close, key=lambda rid: (-found[rid].words - found[rid].meaning, -rid))[:READ_MAX]


def mark_same_text(snapshot: Snapshot, text: str, findings: Findings, close: Iterable[int]) -> None:
    """Mark what is the very text of the question, among what is close to it."""
    found = findings.found
    for rid, document in snapshot.documents.many(close).items():
        found[rid].exact = max(found[rid].exact, same_text(text, record_of(document.body).content))


def named_among(
    snapshot: Snapshot, names: tuple[tuple[str, ...], ...], findings: Findings, best: Sequence[int]
) -> set[int] | None:
    """What holds a name that the question is bound by, among the best; None if it is bound by none. It comes first,
    unless it was said in a conversation, where a name is said once and then understood."""
    found = findings.found
    records = {rid: record_of(document.body) for rid, document in snapshot.documents.many(best).items()}
    held = holding(names, records)
    if held is not None and not held and _known(snapshot, names, findings):
        return None  # it is spoken of somewhere, if not here
    for rid in held or ():
        if found[rid].card.session_id is None:
            found[rid].exact = max(found[rid].exact, Match.NAME)
    return held


def _known(snapshot: Snapshot, names: Iterable[tuple[str, ...]], findings: Findings) -> bool:
    """Whether any record holds a word of these names."""
    unheard = rarest(snapshot.lexicon.count())
    return any(findings.rarity.get(word, unheard) < unheard for name in names for word in name)


def _unfit(
    plan: Plan, found: Mapping[int, FoundRevision], chances: Mapping[int, float], held: AbstractSet[int] | None
) -> set[int]:
    """What the caller does not want: what is less likely to answer than they ask, and, if they ask to be precise, what
    neither holds the name that the question is bound by nor was said in a session with what does."""
    unfit: set[int] = set()
    if plan.precise and held is not None:
        sessions = {found[rid].card.session_id for rid in held} - {None}
        unfit = {rid for rid, one in found.items() if rid not in held and one.card.session_id not in sessions}
    if plan.min_fit is not None:
        unfit |= {rid for rid, one in chances.items() if one < plan.min_fit and found[rid].exact < Match.CODE}
    return unfit


def _raise_exact(candidates: dict[int, Candidate], found: Mapping[int, FoundRevision]) -> None:
    scores = {rid: one.score for rid, one in candidates.items() if one.excluded is None}
    for rid, added in raised(scores, found).items():
        if added:
            one = candidates[rid]
            parts = (*one.parts, ("exact", added))
            candidates[rid] = msgspec.structs.replace(one, score=score_of(parts), parts=parts)


def _candidate(card: Card, score: float, via: str | None = None) -> Candidate:
    return Candidate(rid=card.rid, id=card.id, revision=card.revision, score=score, via=via)


def _add_successors(
    snapshot: Snapshot, plan: Plan, candidates: dict[int, Candidate], findings: Findings, *, least: float
) -> dict[int, Card]:
    """Bring in what speaks today for a match that speaks no longer, in its stead, if the words matched at least so
    well: when nothing that speaks today fits, a poor match that no longer speaks does not either."""
    added: dict[int, Card] = {}
    for card, words in findings.past:
        if words < least:
            continue
        successor = _successor(snapshot, plan, card)
        if successor is not None and successor.rid not in candidates and matches(plan.visible, successor):
            via = f"it took the place of {card.id} revision {card.revision}, which matches"
            score = in_stead(plan, findings, words)
            candidates[successor.rid] = _candidate(successor, score, via)
            added[successor.rid] = successor
    return added


def _successor(snapshot: Snapshot, plan: Plan, card: Card) -> Card | None:
    """The revision that speaks today for one that no longer does, as known at the plan's position."""
    for _ in range(CHAIN_MAX):
        if card.successor is None:
            return None
        following = tuple(cards_then(snapshot, plan, snapshot.catalogue.revisions(card.successor)))
        for revision in reversed(following):
            if revision.status in CURRENT:
                return revision
        if not following or following[-1].rid == card.rid:
            return None
        card = following[-1]
    return None


def _open_conflicts(snapshot: Snapshot, plan: Plan, cards: Mapping[int, Card]) -> dict[int, list[ConflictRow]]:
    """The conflicts of each record that were open at the plan's position, the latest first."""
    found: dict[int, list[ConflictRow]] = {}
    for rid, rows in snapshot.desk.conflicts_about(cards).items():
        open_ = [
            row
            for row in rows
            if row.opened <= plan.as_of and not (row.status == ConflictStatus.RESOLVED and row.changed <= plan.as_of)
        ]
        found[rid] = sorted(open_, key=lambda row: (-row.opened, row.id))
    return found


def _add_newer(
    snapshot: Snapshot,
    plan: Plan,
    candidates: dict[int, Candidate],
    cards: Mapping[int, Card],
    conflicts: dict[int, list[ConflictRow]],
) -> dict[int, Card]:
    """Bring in what may have taken the place of a match since, in other words: "I moved to Bremen" for "I live in
    Hamburg". It is told beside the match, which is in doubt and no more."""
    rows = {
        max(row.a, row.b): row
        for rid, found in conflicts.items()
        for row in found
        if row.type == ConflictType.UPDATE and not row.contests and min(row.a, row.b) == rid
    }
    newer = {
        rid: card for rid, card in cards_at(snapshot, plan, rows.keys() - cards.keys()).items() if admitted(plan, card)
    }
    for rid, card in newer.items():
        via = f"it may have taken the place of {cards[min(rows[rid].a, rows[rid].b)].id}, which matches"
        candidates[rid] = _candidate(card, 0.0, via)
        conflicts[rid] = []
    return newer


def _put_newer_first(
    candidates: dict[int, Candidate],
    cards: Mapping[int, Card],
    conflicts: Mapping[int, list[ConflictRow]],
    found: Mapping[int, FoundRevision],
) -> None:
    """Of two that answer the question, and of which one may have taken the place of the other, the newer comes first:
    whether that is established or only suspected. Not so if the question is the text or has the code of the older."""
    pairs = {
        (min(row.a, row.b), max(row.a, row.b))
        for rows in conflicts.values()
        for row in rows
        if row.a in cards and row.b in cards and _may_update(row)
    }
    exact = {rid: found[rid].exact if rid in found else Match.NONE for pair in pairs for rid in pair}
    for older, newer in sorted(pairs, key=lambda pair: (pair[1], -pair[0])):
        behind, ahead = candidates[older], candidates[newer]
        if ahead.score <= behind.score and exact[older] <= max(Match.WORD, exact[newer]):
            lifted = math.nextafter(behind.score, math.inf)
            candidates[newer] = msgspec.structs.replace(ahead, score=lifted)


def _put_later_first(
    candidates: dict[int, Candidate],
    found: Mapping[int, FoundRevision],
    fits: Mapping[int, float],
    own: Sequence[int],
    alike: Sequence[Sequence[float]],
) -> None:
    """Of two that say much the same, and fit the question alike, the later comes first: they answer the same question,
    and the later knows better. In a conversation what is alike is said of one thing after the other, in its order."""
    told = [
        rid for rid in own if rid in fits and candidates[rid].excluded is None and found[rid].card.session_id is None
    ]
    place = {rid: number for number, rid in enumerate(own)}
    for older in sorted(told, key=lambda rid: (happened(found[rid]), rid)):
        for later in told:
            if (happened(found[later]), later) <= (happened(found[older]), older):
                continue
            same = alike[place[older]][place[later]] >= SAME_TOPIC and found[older].exact == found[later].exact
            behind, ahead = candidates[older], candidates[later]
            if same and fits[later] >= AS_FIT * fits[older] and ahead.score <= behind.score:
                candidates[later] = msgspec.structs.replace(ahead, score=math.nextafter(behind.score, math.inf))


def _may_update(row: ConflictRow) -> bool:
    return row.type == ConflictType.UPDATE or (not row.contests and row.type != ConflictType.DUPLICATE)


def _add_opponents(
    snapshot: Snapshot,
    plan: Plan,
    candidates: dict[int, Candidate],
    cards: Mapping[int, Card],
    conflicts: Mapping[int, list[ConflictRow]],
) -> tuple[tuple[str, int, int], ...]:
    """Who disputes what, and the other sides that did not match by themselves: they take no place of their own. Who may
    not see the other side is not told that there is one."""
    rows = {
        rid: [row for row in conflicts[rid] if row.contests][:LOOKED_AT]
        for rid, card in cards.items()
        if card.status == Status.CONTESTED
    }
    sides = {side for open_ in rows.values() for row in open_ for side in (row.a, row.b)}
    others = {rid: card for rid, card in cards_at(snapshot, plan, sides).items() if admitted(plan, card)}
    pairs: list[tuple[str, int, int]] = []
    for rid, open_ in rows.items():
        seen = [row for row in open_ if (row.b if row.a == rid else row.a) in others][:DISPUTES_MAX]
        pairs += [(row.id, min(row.a, row.b), max(row.a, row.b)) for row in seen]
        for row in seen:
            other = row.b if row.a == rid else row.a
            if other not in candidates:
                via = f"it is the other side of conflict {row.id}"
                candidates[other] = msgspec.structs.replace(_candidate(others[other], 0.0, via), excluded=OPPONENT)
    return tuple(dict.fromkeys(pairs))
