"""Many tenants with vectors in one schema, made fast and with everything known: what a search of one must find."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import psycopg
from psycopg.types.numeric import Int8Dumper
from tests.postgres.server import connect

from muniment.backends.postgres.address import DatabaseAddress
from muniment.backends.postgres.connecting import reach
from muniment.backends.postgres.pipeline import Pipeline
from muniment.backends.postgres.schema import check
from muniment.backends.postgres.server import tenant_prologue
from muniment.backends.postgres.transaction import Row, Transaction, tenant_number
from muniment.backends.postgres.vector_search import PostgresVectorSearch
from muniment.model.filter import EVERYTHING, Both, Filter, OneOf, Under
from muniment.model.receipt import Plan
from muniment.model.rows import VectorCoverage
from muniment_store_conformance.makers import make_plan

DIMENSIONS = 64
MODEL = "crowd@1"
KINDS = ("fact", "decision", "risk", "preference")
CHANGED = 1_000_000
"""In this entry every tenth revision was superseded."""
Floats = npt.NDArray[np.float32]
Passes = Callable[[int], bool]

FILTERS: dict[str, tuple[Filter, Passes]] = {
    "all": (EVERYTHING, lambda rid: True),
    "active": (OneOf(field="status", words=("active",)), lambda rid: rid % 10 != 0),
    "a kind": (
        Both(parts=(OneOf(field="kind", words=("risk",)), OneOf(field="status", words=("active",)))),
        lambda rid: rid % 4 == 2 and rid % 10 != 0,
    ),
    "a namespace": (Under(namespaces=("/team/7",)), lambda rid: rid % 50 == 7),
    "one": (OneOf(field="id", words=("r77",)), lambda rid: rid == 77),
    "none": (OneOf(field="kind", words=("question",)), lambda rid: False),
}
"""What may be asked for, and which revisions that are."""

_CARDS = """
    INSERT INTO cards (tenant_id, rid, id, revision, seq, kind, memory_class, scope, scope_id, namespace, sensitivity,
        trust, label, confidence, provenance, actor, created_at, fingerprint, importance, anchored, readers, status,
        since, own, effective, support, helpful, misleading, tier, accesses)
    SELECT %(tenant)s, g, 'r' || g, 1, g, (%(kinds)s::text[])[1 + g %% 4], 'semantic', 'project', 'p',
        '/team/' || g %% 50, 0, 0, 0, 0.8, true, 'ana', g, '\\x00', 0.5, false, '',
        CASE WHEN g %% 10 = 0 THEN 'superseded' ELSE 'active' END, CASE WHEN g %% 10 = 0 THEN %(changed)s ELSE g END,
        0.8, 0.8, 'intact', 0, 0, 'hot', 0
    FROM generate_series(1, %(count)s) AS g
"""
_STANDINGS = """
    INSERT INTO standings (tenant_id, rid, since, status, own, effective, label, support, helpful, misleading, tier,
        accesses)
    SELECT %(tenant)s, g, g, 'active', 0.8, 0.8, 0, 'intact', 0, 0, 'hot', 0 FROM generate_series(1, %(count)s) AS g
    UNION ALL
    SELECT %(tenant)s, g, %(changed)s, 'superseded', 0.8, 0.8, 0, 'intact', 0, 0, 'hot', 0
    FROM generate_series(10, %(count)s, 10) AS g
"""


@dataclass(frozen=True)
class Held:
    """The vectors of one tenant: whose each is, and what it is after being kept in 16 bits a number."""

    tenant: str
    rids: npt.NDArray[np.int64]
    vectors: Floats

    def nearest(self, asked: Floats, passes: Passes, keep: int) -> list[int]:
        """What is nearest, by looking at every one; of two as near the newer first."""
        best: dict[int, float] = {}
        for rid, cosine in zip(self.rids.tolist(), np.vecdot(self.vectors, asked).tolist(), strict=True):
            if passes(rid):
                best[rid] = max(cosine, best.get(rid, -9.0))
        return sorted(best, key=lambda rid: (-best[rid], -rid))[:keep]

    def questions(self, count: int) -> list[Floats]:
        """Vectors near to some of those held."""
        rng = np.random.default_rng(11)
        picked = self.vectors[rng.integers(len(self.vectors), size=count)]
        return list(_unit(picked + 0.1 * rng.standard_normal(picked.shape).astype(np.float32)))


def make_held(tenant: str, revisions: int, *, seed: int, passages_of_fifth: int = 1) -> Held:
    """Random vectors in clusters; every fifth revision has so many, and every ninth repeats the one before it."""
    rng = np.random.default_rng(seed)
    rids = [rid for rid in range(1, revisions + 1) for _ in range(passages_of_fifth if rid % 5 == 0 else 1)]
    centres = rng.standard_normal((60, DIMENSIONS))
    vectors = centres[rng.integers(60, size=len(rids))] + 0.8 * rng.standard_normal((len(rids), DIMENSIONS))
    vectors[8::9] = vectors[7::9][: len(vectors[8::9])]
    halves = _unit(vectors.astype(np.float32)).astype(np.float16)
    return Held(tenant, np.array(rids), halves.astype(np.float32))


def make_close(tenant: str, revisions: int, *, seed: int) -> tuple[Floats, Held]:
    """A question that loses as much as it can in 16 bits a number, and vectors that are about as near to it: what they
    lose by that decides which is nearer, and decides wrongly."""
    rng = np.random.default_rng(seed)
    nearly = 1 + rng.choice([0.98, 1.02], DIMENSIONS) / 2048  # rounded down by as much as can be, or up
    asked = rng.choice([-1.0, 1.0], DIMENSIONS) * nearly / 2 ** round(math.log2(DIMENSIONS) / 2)
    aside = rng.standard_normal((revisions, DIMENSIONS))
    aside -= np.outer(aside @ asked, asked) / (asked @ asked)
    halves = _unit((_unit(aside.astype(np.float32)) + asked).astype(np.float32)).astype(np.float16)
    return asked.astype(np.float32), Held(tenant, np.arange(1, revisions + 1), halves.astype(np.float32))


def fill(dsn: str, held: Held) -> None:
    """Put a tenant's cards and vectors into the tables, past everything that usually does it."""
    number, revisions = tenant_number(held.tenant), int(held.rids[-1])
    named = {"tenant": number, "kinds": list(KINDS), "changed": CHANGED, "count": revisions}
    with connect(dsn) as connection:
        connection.execute("INSERT INTO tenants (tenant_id, name) VALUES (%s, %s)", (number, held.tenant))
        connection.execute(_CARDS, named)
        connection.execute(_STANDINGS, named)
        connection.execute(
            "INSERT INTO entries (tenant_id, seq, body, hash) VALUES (%s, %s, '', '\\x07')", (number, revisions)
        )
        connection.execute(
            "INSERT INTO reaches (tenant_id, model, dimensions, upto, hash) VALUES (%s, %s, %s, %s, '\\x07')",
            (number, MODEL, DIMENSIONS, revisions),
        )
        _copy(connection, number, held)


def _copy(connection: psycopg.Connection[tuple[object, ...]], number: int, held: Held) -> None:
    size = 2 * DIMENSIONS
    heading = struct.Struct("!hiqiqiiiiihh")
    with connection.cursor().copy("COPY vectors (tenant_id, rid, start, stop, vector) FROM STDIN BINARY") as copy:
        copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
        for place, (rid, vector) in enumerate(zip(held.rids.tolist(), held.vectors.astype(">f2"), strict=True)):
            spots = (4, place, 4, place + 1, 4 + size, DIMENSIONS, 0)
            copy.write(heading.pack(5, 8, number, 8, rid, *spots) + vector.tobytes())
        copy.write(b"\xff\xff")


class Listening(Transaction):
    """A link that asks the server for its plan before it asks for anything else."""

    plans = ""

    def ask(self, statement: str, values: Sequence[object]) -> list[Row]:
        self.plans += "".join(f"{line}\n" for (line,) in super().ask("EXPLAIN (COSTS OFF) " + statement, values))
        return super().ask(statement, values)


@contextmanager
def listening(dsn: str, tenant: str, *settings: str) -> Iterator[Listening]:
    """One moment of a tenant, seen as a reader sees it, with every statement prepared and these settings of the
    planner's."""
    address = DatabaseAddress.parse(dsn)
    with reach(address) as connection:
        standing = check(connection, address.schema)
        connection.adapters.register_dumper(int, Int8Dumper)
        begin = (
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            *tenant_prologue(tenant_number(tenant), citus=False),
        )
        for setting in (*standing.settings(reading=True), *begin, *(f"SET LOCAL {one}" for one in settings)):
            connection.execute(setting.encode())
        with Pipeline(connection) as channel:
            yield Listening(channel, tenant)


def found(link: Transaction, plan: Plan, asked: Floats, keep: int) -> list[int]:
    near = PostgresVectorSearch(link).search(plan, asked.astype("<f4").tobytes(), keep=keep)
    return [one.rid for one in near]


def plan_of(condition: Filter, *, as_of: int | None = None) -> Plan:
    """A plan that looks for what passes, now or as it was after an entry."""
    far = VectorCoverage(model=MODEL, upto=2**62)
    if as_of is None:
        return make_plan(visible=condition, reach=far)
    return make_plan(visible=condition, reach=far, as_of=as_of, at_head=False)


def _unit(vectors: Floats) -> Floats:
    lengths: Floats = np.linalg.norm(vectors, axis=1, keepdims=True).astype(np.float32)
    return vectors / lengths
