"""How the account of a receipt is stored: once each, by column, without what the policy and the query give again.

An account as a reader works with it repeats in every receipt what a policy makes of an actor, and spells out the parts
of every score. Stored, it keeps a digest of those rules instead. The words stay plain text: whoever looks for the words
of something that was erased must be able to find them."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping

import msgspec

from muniment.model.actor import Actor
from muniment.model.errors import Malformed
from muniment.model.query import DEFAULT_PURPOSE, Abstention, Listing, Query, Searched, Withdrawn
from muniment.model.receipt import Account, Candidate, Plan, Terms
from muniment.model.rows import VectorCoverage
from muniment.model.times import Instant
from muniment.model.value import Value, canonical, read_canonical

VERSION = 2
_PACKED = f'"v":{VERSION}}}'.encode()
DROPPED = "[dropped]"
"""What stands in the place of a question whose receipt was trimmed."""


def _agree(so: bool) -> None:
    if not so:
        raise Malformed("account", "one whose columns agree")


class PackedScores(Value):
    """The parts of the scores of those candidates whose scores are made of the same `names`. What is the same for all
    of them is said once."""

    names: tuple[str, ...]
    places: tuple[int, ...]
    values: tuple[float | tuple[float, ...], ...]

    def __post_init__(self) -> None:
        columns = [one for one in self.values if isinstance(one, tuple)]
        _agree(len(self.values) == len(self.names) and all(len(one) == len(self.places) for one in columns))

    @classmethod
    def of(cls, names: tuple[str, ...], candidates: Mapping[int, Candidate]) -> PackedScores:
        columns = [[one.parts[number][1] for one in candidates.values()] for number in range(len(names))]
        values = tuple(column[0] if len(set(column)) == 1 else tuple(column) for column in columns)
        return cls(names=names, places=tuple(candidates), values=values)

    def by_place(self) -> Iterator[tuple[int, tuple[tuple[str, float], ...]]]:
        for number, place in enumerate(self.places):
            values = [one[number] if isinstance(one, tuple) else one for one in self.values]
            yield place, tuple(zip(self.names, values, strict=True))


class PackedCandidates(Value):
    """Candidates by column. A revision that all of them have is said once; `excluded`, `via`, `passages`, `inside` and
    `parts` name candidates by their place."""

    ids: tuple[str, ...] = ()
    rids: tuple[int, ...] = ()
    revisions: int | tuple[int, ...] = 1
    scores: tuple[float, ...] = ()
    parts: tuple[PackedScores, ...] = ()
    excluded: dict[str, tuple[int, ...]] = msgspec.field(default_factory=dict)
    via: dict[str, tuple[int, ...]] = msgspec.field(default_factory=dict)
    passages: tuple[tuple[int, int, int], ...] = ()
    inside: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        count = len(self.rids)
        _agree(len(self.ids) == count and len(self.scores) in (0, count))
        _agree(isinstance(self.revisions, int) or len(self.revisions) == count)
        groups = (*self.excluded.values(), *self.via.values(), *(one.places for one in self.parts))
        named = [*(place for group in groups for place in group), *(place for place, _, _ in self.passages)]
        _agree(all(0 <= place < count for place in named))

    @classmethod
    def of(cls, candidates: tuple[Candidate, ...]) -> PackedCandidates:
        shapes = defaultdict[tuple[str, ...], dict[int, Candidate]](dict)
        excluded, via = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
        for place, one in enumerate(candidates):
            if one.parts:
                shapes[tuple(name for name, _ in one.parts)][place] = one
            if one.excluded is not None:
                excluded[one.excluded].append(place)
            if one.via is not None:
                via[one.via].append(place)
        revisions = tuple(one.revision for one in candidates)
        return cls(
            ids=tuple(one.id for one in candidates),
            rids=tuple(one.rid for one in candidates),
            revisions=revisions[0] if len(set(revisions)) == 1 else revisions,
            scores=tuple(one.score for one in candidates) if any(one.score for one in candidates) else (),
            parts=tuple(PackedScores.of(names, found) for names, found in shapes.items()),
            excluded={rule: tuple(places) for rule, places in excluded.items()},
            via={words: tuple(places) for words, places in via.items()},
            passages=tuple((place, *one.passage) for place, one in enumerate(candidates) if one.passage is not None),
            inside=tuple(place for place, one in enumerate(candidates) if one.inside),
        )

    def candidates(self) -> tuple[Candidate, ...]:
        excluded = {place: rule for rule, places in self.excluded.items() for place in places}
        via = {place: words for words, places in self.via.items() for place in places}
        passages = {place: (start, end) for place, start, end in self.passages}
        parts = {place: found for one in self.parts for place, found in one.by_place()}
        return tuple(
            Candidate(
                rid=rid,
                id=self.ids[place],
                revision=self.revisions if isinstance(self.revisions, int) else self.revisions[place],
                score=self.scores[place] if self.scores else 0.0,
                via=via.get(place),
                excluded=excluded.get(place),
                parts=parts.get(place, ()),
                passage=passages.get(place),
                inside=place in self.inside,
            )
            for place, rid in enumerate(self.rids)
        )


class PackedPlan(Value):
    """What of a plan the policy and the query do not give again. `rules` is a digest of all of it but the terms, so
    that it is noticed if they give another."""

    terms: Terms
    now: Instant
    as_of: int
    at_head: bool
    rules: str
    reach: VectorCoverage = VectorCoverage()
    span: tuple[Instant, Instant] | None = None


class PackedAccount(Value):
    """An account as it is stored. `selected` are the places of the candidates that were told, in their order. Without a
    `plan` it was trimmed, in the entry `trimmed_by`: who was told what, and the counts, are all that is left."""

    v: int
    actor: Actor
    query: Query
    policy: int
    plan: PackedPlan | None
    candidates: PackedCandidates
    considered: int
    selected: tuple[int, ...] = ()
    opponents: tuple[tuple[str, int, int], ...] = ()
    excluded: dict[str, int] = msgspec.field(default_factory=dict)
    abstained: Abstention | None = None
    searched: Searched = Searched()
    ended: tuple[Withdrawn, ...] = ()
    notified: tuple[int, ...] = ()
    trimmed_by: int = 0

    def __post_init__(self) -> None:
        _agree(all(0 <= place < len(self.candidates.rids) for place in self.selected))


def pack(account: Account) -> PackedAccount:
    """An account as it is stored. The model that was searched with is the one whose vectors the plan could use."""
    return PackedAccount(
        v=VERSION,
        actor=account.actor,
        query=account.query,
        policy=account.policy,
        plan=PackedPlan(
            terms=account.plan.terms,
            now=account.plan.now,
            as_of=account.plan.as_of,
            at_head=account.plan.at_head,
            rules=digest_of_rules(account.plan),
            reach=account.plan.reach,
            span=account.plan.span,
        ),
        candidates=PackedCandidates.of(account.candidates),
        considered=account.considered,
        selected=_places(account),
        opponents=account.opponents,
        excluded=account.excluded,
        abstained=account.abstained,
        searched=msgspec.structs.replace(account.searched, model=None),
        ended=account.withdrawn,
        notified=account.notified,
    )


def _places(account: Account) -> tuple[int, ...]:
    """Where those that were told stand among the candidates. A listing may tell several revisions of one record."""
    places = defaultdict[str, list[int]](list)
    for place, one in enumerate(account.candidates):
        if one.excluded is None:
            places[one.id].append(place)
    return tuple(places[name].pop(0) for name in account.selected)


def digest_of_rules(plan: Plan) -> str:
    rules = msgspec.structs.replace(plan, terms=Terms())
    return hashlib.sha256(canonical(rules)).hexdigest()[:32]


def without_details(account: PackedAccount | Account, *, by: int) -> PackedAccount:
    """What retention leaves of an account: who was told what and when, for which purpose, and the counts."""
    packed = account if isinstance(account, PackedAccount) else pack(account)
    told = tuple(one for one in packed.candidates.candidates() if one.disclosed)
    place = {one.rid: number for number, one in enumerate(told)}
    listing = Listing() if packed.query.listing is not None else None
    return PackedAccount(
        v=VERSION,
        actor=packed.actor,
        query=Query(text=DROPPED, purpose=packed.query.purpose, listing=listing),
        policy=packed.policy,
        plan=None,
        candidates=PackedCandidates.of(
            tuple(
                Candidate(
                    rid=one.rid, id=one.id, revision=one.revision, score=0.0, excluded=one.excluded, inside=one.inside
                )
                for one in told
            )
        ),
        considered=packed.considered,
        selected=tuple(place[packed.candidates.rids[number]] for number in packed.selected),
        excluded=packed.excluded,
        abstained=packed.abstained,
        ended=packed.ended,
        notified=packed.notified,
        trimmed_by=by,
    )


def read_account(stored: bytes) -> PackedAccount | Account:
    """A stored account, as it was spelled when it was written: packed, or in full as earlier releases did."""
    if stored.endswith(_PACKED):
        return read_canonical(stored, PackedAccount)
    return read_canonical(stored, Account)


class _Asked(Value, forbid_unknown_fields=False):
    purpose: str = DEFAULT_PURPOSE
    listing: Listing | None = None


class ReceiptSummary(Value, forbid_unknown_fields=False):
    """The parts of a stored account, in either spelling, that say what was told to whom. Reading only these keeps a
    long look over the log fast."""

    actor: Actor
    query: _Asked
    candidates: PackedCandidates | tuple[Candidate, ...]
    selected: tuple[int | str, ...] = ()
    excluded: dict[str, int] = msgspec.field(default_factory=dict)
    abstained: Abstention | None = None
    notified: tuple[int, ...] = ()

    def all(self) -> tuple[Candidate, ...]:
        return self.candidates.candidates() if isinstance(self.candidates, PackedCandidates) else self.candidates

    def told(self) -> tuple[Candidate, ...]:
        """What was told, on its own or as the other side of a dispute."""
        return tuple(one for one in self.all() if one.disclosed)

    def rank(self, record: str) -> int | None:
        """At which place of the answer a record was told, from 1."""
        names = dict(enumerate(self.candidates.ids)) if isinstance(self.candidates, PackedCandidates) else {}
        told = [names.get(one) if isinstance(one, int) else one for one in self.selected]
        return told.index(record) + 1 if record in told else None


def receipt_summary(stored: bytes) -> ReceiptSummary:
    return read_canonical(stored, ReceiptSummary)
