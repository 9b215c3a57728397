"""Search by meaning finds the nearest, whichever way the server goes about it: in a small tenant among many, and in a
large one that has an index of its own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from tests.postgres.crowd import (
    CHANGED,
    FILTERS,
    Held,
    Listening,
    fill,
    found,
    listening,
    make_close,
    make_held,
    plan_of,
)
from tests.postgres.server import Schemas, connect, schema_of

from muniment.backends.postgres.partitions import OWN_PARTITION_FROM, partition_of
from muniment.backends.postgres.schema import apply
from muniment.backends.postgres.transaction import tenant_number
from muniment.model.filter import EVERYTHING

KEEP = 20
SCANS = ("seqscan", "indexscan", "bitmapscan")
JOINS = ("hashjoin", "mergejoin", "nestloop")
MODES = ("force_generic_plan", "force_custom_plan")
SMALL = make_held("acme", 600, seed=1, passages_of_fifth=3)
LARGE = make_held("globex", OWN_PARTITION_FROM + 1, seed=2)
ROUNDED, CLOSE = make_close("initech", 400, seed=4)
OTHERS = [make_held(f"other-{number}", 300, seed=number % 3 + 1) for number in range(20)]
"""Other tenants hold vectors of the same clusters, and some of them the very same."""


def only(scan: str, join: str) -> tuple[str, ...]:
    """Settings under which the planner goes this way wherever it can."""
    off = [one for one in (*SCANS, *JOINS) if one not in (scan, join)]
    return tuple(f"enable_{one} = off" for one in off)


WAYS = [*product(SCANS, JOINS)]


@pytest.fixture(scope="module")
def crowd(schemas: Schemas) -> Iterator[str]:
    """A schema with a small tenant among many, and a large one that was given its own partition and index."""
    place = schemas.lend()
    for held in (SMALL, LARGE, CLOSE, *OTHERS):
        fill(place, held)
    with connect(place) as connection:
        apply(connection, schema_of(place))
        connection.execute("ANALYZE")
    yield place
    schemas.take_back(place)


def checked(link: Listening, held: Held, *, filters: tuple[str, ...], questions: int = 2) -> None:
    """Every question under every filter gives exactly what looking at every vector gives."""
    for name, asked in product(filters, held.questions(questions)):
        condition, passes = FILTERS[name]
        assert found(link, plan_of(condition), asked, KEEP) == held.nearest(asked, passes, KEEP), name


@pytest.mark.sampled(4)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("scan", "join"), WAYS)
def test_every_plan_finds_exactly_the_nearest_of_a_small_tenant(crowd: str, scan: str, join: str, mode: str) -> None:
    with listening(crowd, SMALL.tenant, *only(scan, join), f"plan_cache_mode = {mode}") as link:
        checked(link, SMALL, filters=tuple(FILTERS))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("scan", "join"), [way for way in WAYS if way[0] != "seqscan"])  # those take minutes
def test_every_plan_judges_the_past_by_what_counted_then(crowd: str, scan: str, join: str) -> None:
    active = FILTERS["active"][0]
    with listening(crowd, SMALL.tenant, *only(scan, join)) as link:
        for asked in SMALL.questions(2):
            before, after = plan_of(active, as_of=CHANGED - 1), plan_of(active, as_of=CHANGED)
            early = plan_of(active, as_of=100)
            assert found(link, before, asked, KEEP) == SMALL.nearest(asked, lambda rid: True, KEEP)
            assert found(link, after, asked, KEEP) == SMALL.nearest(asked, lambda rid: rid % 10 != 0, KEEP)
            assert found(link, early, asked, KEEP) == SMALL.nearest(asked, lambda rid: rid <= 100, KEEP)


def test_the_planner_left_free_finds_exactly_the_nearest_of_every_small_tenant(crowd: str) -> None:
    for held in OTHERS[:5]:
        with listening(crowd, held.tenant) as link:
            checked(link, held, filters=tuple(FILTERS), questions=1)


def test_what_numbers_of_16_bits_cannot_tell_apart_is_told_apart(crowd: str) -> None:
    with listening(crowd, CLOSE.tenant) as link:
        assert found(link, plan_of(EVERYTHING), ROUNDED, KEEP) == CLOSE.nearest(ROUNDED, lambda rid: True, KEEP)


def test_all_kinds_of_plan_were_among_those_tried(crowd: str) -> None:
    seen = ""
    for scan, join in WAYS:
        with listening(crowd, SMALL.tenant, *only(scan, join)) as link:
            checked(link, SMALL, filters=("active", "a namespace"), questions=1)
            seen += link.plans
    kinds = (
        "Hash Join",
        "Merge Join",
        "Nested Loop",
        "Seq Scan on vectors_",
        "Index Scan using vectors_",
        "Bitmap Heap",
    )
    assert [kind for kind in kinds if kind not in seen] == []


def test_a_plan_for_every_tenant_was_among_those_tried(crowd: str) -> None:
    sums = ", ".join(f"coalesce(sum({kind}_plans), 0)::bigint" for kind in ("generic", "custom"))
    counts = f"SELECT {sums} FROM pg_prepared_statements"
    for mode, place in zip(MODES, (0, 1), strict=True):
        with listening(crowd, SMALL.tenant, f"plan_cache_mode = {mode}") as link:
            before = link.ask(counts, ())[0]
            checked(link, SMALL, filters=("active",), questions=3)
            after = link.ask(counts, ())[0]
        assert after[place] - before[place] >= 3


def test_a_tenant_without_its_setting_finds_nothing(crowd: str) -> None:
    with listening(crowd, SMALL.tenant, "muniment.tenant = ''") as link:
        assert found(link, plan_of(FILTERS["all"][0]), SMALL.questions(1)[0], KEEP) == []


def test_a_large_tenant_is_found_in_by_its_own_index(crowd: str) -> None:
    with listening(crowd, LARGE.tenant) as link:
        shares = recalls(link, "active", keep=100)
    assert f"Index Scan using {partition_of(tenant_number(LARGE.tenant))}_near_64" in link.plans
    assert "<#>" in link.plans
    assert "vectors_shared" not in link.plans
    assert np.mean(shares) >= 0.95


@pytest.mark.sampled(5)
@pytest.mark.parametrize("filtered", ["all", "active", "a kind"])
@pytest.mark.parametrize(("scan", "join"), WAYS)
def test_every_plan_finds_nearly_all_of_the_nearest_of_a_large_tenant(
    crowd: str, scan: str, join: str, filtered: str
) -> None:
    questions = 1 if scan == "seqscan" else 4  # each takes a second there, and uses no index that could miss something
    with listening(crowd, LARGE.tenant, *only(scan, join)) as link:
        assert np.mean(recalls(link, filtered, keep=KEEP, questions=questions)) >= 0.95


def recalls(link: Listening, filtered: str, *, keep: int, questions: int = 20) -> list[float]:
    """Which share of the true nearest each question finds."""
    condition, passes = FILTERS[filtered]
    shares = []
    for asked in LARGE.questions(questions):
        true = LARGE.nearest(asked, passes, keep)
        near = found(link, plan_of(condition), asked, keep)
        assert len(near) == keep
        shares.append(len(set(true) & set(near)) / keep)
    return shares


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("scan", "join"), WAYS)
def test_under_a_narrow_filter_a_large_tenant_is_searched_exactly(crowd: str, scan: str, join: str) -> None:
    with listening(crowd, LARGE.tenant, *only(scan, join)) as link:
        checked(
            link, LARGE, filters=("a namespace",) if scan == "seqscan" else ("a namespace", "one", "none"), questions=1
        )


def test_asking_for_more_than_the_index_can_give_is_exact(crowd: str) -> None:
    asked = LARGE.questions(1)[0]
    with listening(crowd, LARGE.tenant) as link:
        near = found(link, plan_of(FILTERS["active"][0]), asked, 900)
    assert near == LARGE.nearest(asked, FILTERS["active"][1], 900)


def test_a_large_tenant_of_the_past_is_judged_by_what_counted_then(crowd: str) -> None:
    asked = LARGE.questions(1)[0]
    with listening(crowd, LARGE.tenant) as link:
        before = found(link, plan_of(FILTERS["active"][0], as_of=CHANGED - 1), asked, KEEP)
        after = found(link, plan_of(FILTERS["active"][0], as_of=CHANGED), asked, KEEP)
    assert set(before) & set(range(10, 30_000, 10))
    assert before[0] == LARGE.nearest(asked, lambda rid: True, 1)[0]
    assert after[0] == LARGE.nearest(asked, FILTERS["active"][1], 1)[0]
    assert not set(after) & set(range(10, 30_000, 10))


def test_no_index_is_over_the_vectors_of_more_than_one_tenant(crowd: str) -> None:
    with connect(crowd) as connection:
        rows = connection.execute(
            "SELECT c.relname, a.amname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid "
            "JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_am a ON a.oid = x.relam "
            "WHERE c.relnamespace = current_schema()::regnamespace AND c.relname LIKE 'vectors%'"
        ).fetchall()
    own = partition_of(tenant_number(LARGE.tenant))
    assert sorted(rows) == sorted([("vectors", "btree"), ("vectors_shared", "btree"), (own, "btree"), (own, "hnsw")])
