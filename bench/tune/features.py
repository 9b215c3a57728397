"""Collect once for every question what recall ranks by: asked of the product's own functions, never worked out here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import msgspec
import numpy as np
from numpy.typing import NDArray

from bench.corpora import POLICY, Ask, Corpus, remember
from bench.recall import DEPTH
from muniment import Memory
from muniment.engine.options import make_query
from muniment.engine.session import clean
from muniment.model.receipt import Plan
from muniment.model.weights import Weights
from muniment.ports.embedder import Embedder
from muniment.ports.store import Snapshot
from muniment.read import carry, find, rank
from muniment.read.pipeline import usable
from muniment.read.plan import make_plan
from muniment.read.question import read_question, seek
from muniment.read.search import SPARE, Gathered, gather

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Truths = NDArray[np.bool_]

WIDEST = 1_000
WIDE = {"WORDS_KEPT": 300, "MEANING_KEPT": 200, "KEPT": WIDEST}
KIN = {"NEIGHBOURS_OF": WIDEST, "STRANGERS_OF": WIDEST}
"""The widest pools that are looked at; narrower ones are cut from these."""

ABSENT = 1_000_000
DECLARED = ("subject", "time", "future", "recency", "confidence", "importance", "origin", "kind")
"""Parts of a score that no weight changes but their own."""

_UNIT = Weights(**dict.fromkeys(Weights.__struct_fields__, 1.0))


@dataclass(frozen=True, slots=True)
class Store:
    """A corpus in a memory, and which turn each record is."""

    dataset: str
    corpus: Corpus
    memory: Memory
    turn_of: dict[str, str]


@dataclass(frozen=True, slots=True)
class Pool:
    """Everything that recall could rank for one question, one place in each array for one record.

    `words` is the match of words alone and `close` what words standing close add to it; `word_rank` and `near_rank` are
    the places in the two searches. `beside` holds pairs of neighbours, the first of which was found by its own merit.
    `told` is what the product itself made of it, in its order; `best` the same by score alone, with how near they are
    to each other."""

    ask: Ask
    turns: tuple[str, ...]
    rids: Numbers
    words: Floats
    close: Floats
    word_rank: Numbers
    meaning: Floats
    near_rank: Numbers
    linked: Floats
    session: Numbers
    beside: Numbers
    declared: Floats
    told: tuple[tuple[int, float], ...]
    best: tuple[int, ...]
    alike: tuple[tuple[float, ...], ...]


@contextmanager
def constants(module: ModuleType, values: Mapping[str, float]) -> Iterator[None]:
    """Run with other values of a module's constants. One that the module does not have is an error."""
    usual = {name: getattr(module, name) for name in values}
    try:
        for name, value in values.items():
            setattr(module, name, value)
        yield
    finally:
        for name, value in usual.items():
            setattr(module, name, value)


def open_store(folder: Path, dataset: str, corpus: Corpus, embedder: Embedder | None) -> Store:
    """Put a corpus into a memory below `folder`, or open the one an earlier run left there."""
    place = folder / f"{dataset}-{corpus.name}"
    place.mkdir(parents=True, exist_ok=True)
    policy, turns = place / "conversations.yaml", place / "turns.json"
    policy.write_text(POLICY)
    memory = Memory.open(place / "vault", policy=policy, embedder=embedder)
    if not turns.exists():
        turns.write_text(json.dumps(remember(memory, corpus)[0]))
    memory.flush()
    return Store(dataset=dataset, corpus=corpus, memory=memory, turn_of=json.loads(turns.read_text()))


@contextmanager
def asked(store: Store, ask: Ask) -> Iterator[tuple[Snapshot, Plan, bytes | None]]:
    """A question read and planned as `recall` does it, over one moment of the store."""
    memory = store.memory.as_actor(ask.asker)
    tenant = memory._session.tenant
    query = make_query(clean(ask.text), {"limit": DEPTH, "asked_at": ask.at, "floor": 0.0})
    with tenant.store.read() as snapshot:
        head = snapshot.ledger.head()
        latest = head.seq if head is not None else 0
        sought = seek(snapshot, query, tenant.indexer.ask, as_of=latest)
        reach = usable(snapshot.meanings.reach(), sought)
        now = tenant.clock.now()
        plan = make_plan(
            memory.insight.policy, memory.actor, query, sought.terms, now=now, as_of=latest, at_head=True, reach=reach
        )
        yield snapshot, plan, sought.vectors[0] if sought.vectors else None


def reads(store: Store, ask: Ask) -> str:
    """A question as the model is to read it."""
    with store.memory._session.tenant.store.read() as snapshot:
        head = snapshot.ledger.head()
        return read_question(snapshot, clean(ask.text), as_of=head.seq if head is not None else 0)[1]


def collect(store: Store, ask: Ask) -> Pool:
    """What recall could rank for a question, and how it does."""
    with asked(store, ask) as (snapshot, plan, vector):
        hits = snapshot.lexicon.search(plan, keep=WIDE["WORDS_KEPT"]).hits
        near = _nearest(snapshot, plan, vector) if vector is not None else []
        plain, paired = (_by_words(snapshot, plan, close) for close in (0.0, 1.0))
        usual, wider = find.find(snapshot, plan, vector), _with_kin(plan)
        carry.take_in_kin(snapshot, wider, usual.found, usual.evidence(), vector)
        with constants(find, WIDE), constants(carry, KIN):
            findings = find.find(snapshot, plan, vector)
            beside = carry.take_in_kin(snapshot, wider, findings.found, findings.evidence(), vector)
        findings.found.update((rid, one) for rid, one in usual.found.items() if rid not in findings.found)
        told = gather(snapshot, plan, ask.text, vector)
        best = tuple(one.rid for one in sorted(told.candidates, key=lambda one: (-one.score, -one.rid)))
        alike = snapshot.meanings.alike(best) if plan.reach.model is not None else ()
    found = findings.found
    spot = {rid: number for number, rid in enumerate(found)}
    places = {hit.rid: place for place, hit in enumerate(hits)}
    nearest = {rid: place for place, rid in enumerate(near)}
    pairs = [(spot[rid], spot[other]) for rid, others in beside.items() for other in others if other in spot]
    belongs = [one.card.session_id or f"alone: {rid}" for rid, one in found.items()]
    sessions = {name: number for number, name in enumerate(dict.fromkeys(belongs))}
    return Pool(
        ask=ask,
        turns=tuple(store.turn_of[one.card.id] for one in found.values()),
        rids=np.array(list(found), dtype=np.int64),
        words=_column(plain.get(rid, 0.0) for rid in found),
        close=_column(paired.get(rid, 0.0) - plain.get(rid, 0.0) for rid in found),
        word_rank=np.array([places.get(rid, ABSENT) for rid in found], dtype=np.int64),
        meaning=_column(one.meaning for one in found.values()),
        near_rank=np.array([nearest.get(rid, ABSENT) for rid in found], dtype=np.int64),
        linked=_column(usual.found[rid].linked if rid in usual.found else 0.0 for rid in found),
        session=np.array([sessions[name] for name in belongs], dtype=np.int64),
        beside=np.array(pairs, dtype=np.int64).reshape(-1, 2),
        declared=_declared(plan, findings),
        told=_told(told, spot),
        best=tuple(spot[rid] for rid in best),
        alike=alike,
    )


def _with_kin(plan: Plan) -> Plan:
    """A plan that asks for neighbours and links whether or not they count for anything as shipped."""
    return msgspec.structs.replace(plan, weights=msgspec.structs.replace(plan.weights, nearby=1.0, linked=1.0))


def _by_words(snapshot: Snapshot, plan: Plan, close: float) -> dict[int, float]:
    """The match of words of each record, with what standing close is worth set to `close`."""
    with constants(find, {**WIDE, "CLOSE": close}):
        return {rid: one.words for rid, one in find.find(snapshot, plan, None).found.items()}


def _nearest(snapshot: Snapshot, plan: Plan, vector: bytes) -> list[int]:
    """What the search by meaning comes upon, the nearest first."""
    if plan.terms.phrases or plan.reach.model is None:
        return []
    near = snapshot.meanings.search(plan, vector, keep=WIDE["MEANING_KEPT"])
    return [one.rid for one in near if one.cosine >= find.COSINE_LEAST]


def _column(values: Iterator[float]) -> Floats:
    return np.fromiter(values, dtype=np.float64)


def _declared(plan: Plan, findings: find.Findings) -> Floats:
    """What each record has of the parts that depend on nothing but itself and the question: their share of a score in
    which every weight is 1."""
    found = findings.found
    parts = rank.ranked(msgspec.structs.replace(plan, weights=_UNIT), findings, keep=len(found))
    values = {rid: dict(named) for rid, named in parts.items()}
    if any("faded" in named for named in values.values()):
        raise SystemExit("records fade in this store: a score is not a sum of its parts, and cannot be tuned as one")
    return np.array([[values[rid].get(name, 0.0) for name in DECLARED] for rid in found], dtype=np.float64)


def _told(told: Gathered, spot: Mapping[int, int]) -> tuple[tuple[int, float], ...]:
    strangers = [one.id for one in told.candidates if one.rid not in spot]
    if strangers:
        raise SystemExit(f"recall tells {strangers[0]}, which its own steps do not find: the collection has drifted")
    assert len(told.candidates) <= DEPTH + SPARE, "there is nothing in dispute or replaced in a conversation"
    return tuple((spot[one.rid], one.score) for one in told.candidates)
