"""How PostgreSQL runs what the word index asks, as the role that writes and behind row-level security."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import psycopg
import pytest
from psycopg import sql
from tests.cases import each
from tests.postgres.server import Schemas

from muniment.backends.postgres.address import DatabaseAddress
from muniment.backends.postgres.lexicon import PostgresLexicon
from muniment.backends.postgres.phrases import together
from muniment.backends.postgres.postings import Postings
from muniment.backends.postgres.ranking import PhraseParts, RankingQuery, RankingStatement, ScoredTerm, matches, scores
from muniment.backends.postgres.tenant_scope import TenantScope
from muniment.backends.postgres.transaction import Transaction, statements
from muniment.backends.postgres.vault import PostgresVault
from muniment.ports.store import Unit
from muniment_store_conformance.makers import make_card, make_plan

TEXTS = 2_000
VOCABULARY = [f"word{number}" for number in range(600)]
ASKED = ("word1", "word5", "word40", "word300", "word5", "absent")

SETTINGS = (
    ("enable_nestloop",),
    ("enable_indexscan", "enable_indexonlyscan"),
    ("enable_hashagg", "enable_hashjoin"),
    ("enable_sort", "enable_mergejoin"),
    ("enable_nestloop", "enable_hashjoin"),
    ("enable_nestloop", "enable_mergejoin", "enable_indexscan"),
    ("enable_seqscan", "enable_memoize"),
)


@pytest.fixture(scope="module")
def door(schemas: Schemas) -> Iterator[TenantScope]:
    """A tenant of many texts beside one of a few, with the planner's statistics made."""
    rng, place = random.Random(12), schemas.lend()
    vault = PostgresVault(place)
    weights = [1 / (number + 3) for number in range(len(VOCABULARY))]
    for tenant, number in (("acme", TEXTS), ("other", 50)):
        store = vault.open(tenant, create=True)
        texts = {
            rid: " ".join(rng.choices(VOCABULARY, weights, k=rng.randrange(6, 14))) for rid in range(1, number + 1)
        }
        store.write(partial(_keep, texts))
    address = DatabaseAddress.parse(place)
    with psycopg.connect(address.conninfo, autocommit=True) as owner:
        for table in ("postings", "cards"):
            owner.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(address.schema, table)))
    yield TenantScope(vault.pool, "acme")
    vault.close()
    schemas.take_back(place)


def _keep(texts: dict[int, str], unit: Unit) -> None:
    unit.project(tuple(make_card(rid) for rid in texts), texts)


class _Watched(Transaction):
    """A link that notes what it is asked last."""

    def __init__(self, link: Transaction) -> None:
        self.__dict__.update(link.__dict__)
        self.asked: tuple[str, list[object]] = ("", [])

    def ask(self, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        self.asked = (statement, list(values))
        return super().ask(statement, values)


def plan_of(link: Transaction, statement: str, values: list[object]) -> str:
    """The plan, as the role that is behind the second lock."""
    ((stands,),) = link.ask("SELECT row_security_active('postings')", [])
    assert stands, "the plan is asked for as a role that sees everything"
    return "\n".join(str(line) for (line,) in link.ask(f"EXPLAIN (COSTS OFF) {statement}", values))


def asked_of(plan: str, table: str) -> list[tuple[str, str]]:
    """How a plan gets at a table: the line of each scan, and the line of its condition."""
    lines = [line.strip() for line in plan.splitlines()]
    return [
        (line, lines[place + 1])
        for place, line in enumerate(lines)
        if f" on {table}" in line and "Bitmap Heap Scan" not in line
    ]


def assert_by_key(plan: str, table: str, *columns: str) -> None:
    found = asked_of(plan, table)
    assert found, f"{table} is not asked: {plan}"
    for scan, condition in found:
        assert f"using {table}_pkey" in scan or f"Bitmap Index Scan on {table}_pkey" in scan, plan
        assert condition.startswith("Index Cond:"), plan
        assert all(f"({column} =" in condition for column in columns), plan


@pytest.mark.parametrize("name", ["words_holding", "words_latest"])
def test_counting_and_the_latest_are_one_descent_for_each_word(door: TenantScope, name: str) -> None:
    values: list[object] = [list(ASKED)] if name == "words_holding" else [list(ASKED), 16]
    with door.reading() as link:
        plan = plan_of(link, statements()[name], [link.number, *values])
    assert_by_key(plan, "postings", "tenant_id", "term")
    assert "Scan Backward" in plan
    assert "Sort" not in plan


def test_a_search_reads_the_postings_of_its_words_and_the_cards_of_the_best(door: TenantScope) -> None:
    singles = [
        ScoredTerm(place=place, term=term, weight=1.5) for place, term in enumerate(("word30", "word40", "word50"))
    ]
    question = RankingQuery(singles=singles, parts=PhraseParts(), required=0, within=None, mean=10.0)
    with door.reading() as link:
        link.tell("SET LOCAL random_page_cost = 1.1", [])
        plan = plan_of(link, *matches(link.number, make_plan("word30"), question, 30))
    assert_by_key(plan, "postings", "tenant_id", "term")
    assert_by_key(plan, "cards", "tenant_id", "rid")


def test_scoring_a_few_reads_nothing_else_of_common_words(door: TenantScope) -> None:
    question = RankingQuery(
        singles=[ScoredTerm(place=0, term="word0", weight=1.5)],
        parts=PhraseParts(),
        required=0,
        within=[5, 6, 7],
        mean=10.0,
    )
    with door.reading() as link:
        statement = RankingStatement(link.number)
        plan = plan_of(link, scores(statement, question, None), statement.values)
    assert_by_key(plan, "postings", "tenant_id", "term", "rid")


def test_new_postings_are_numbered_by_one_descent_for_each_term(door: TenantScope) -> None:
    with door.touching() as link:
        values: list[object] = [link.number, [9_001], [1], ["word3"], [b"\0\0\0\0"]]
        plan = plan_of(link, statements()["put_postings"], values)
    assert "Index Scan Backward using postings_pkey on postings p" in plan
    assert "Seq Scan on postings" not in plan


def test_a_phrase_is_led_by_its_rarest_term(door: TenantScope) -> None:
    with door.reading() as link:
        watched = _Watched(link)
        together(watched, [("word0", "word590")], {"word0": 1_500, "word590": 3})
        plan = plan_of(link, *watched.asked)
    assert watched.asked[1] == [link.number, "word590", "word0"]
    assert re.findall(r" on postings (\w+)", plan) == ["p0", "q"]
    assert_by_key(plan, "postings", "tenant_id", "term")


@each("off", SETTINGS, ids="+".join)
def test_whichever_plan_is_chosen_the_answer_is_the_same(door: TenantScope, off: tuple[str, ...]) -> None:
    plans = (
        make_plan(*ASKED),
        make_plan("word2", phrases=(("word1", "word0"),)),
        make_plan("word7", "word8-word1", as_of=TEXTS // 2, at_head=False),
    )
    answers = []
    for switched in ((), off):
        with door.reading() as link:
            for setting in switched:
                link.tell(f"SET LOCAL {setting} = off", [])
            lexicon = PostgresLexicon(link, None, lambda: (TEXTS, 19_000))
            found = [lexicon.search(plan, keep=300) for plan in plans]
            near = lexicon.close((("word0", "word1"), ("word2", "word0")), gap=3, keep=200)
            answers.append((found, list(near.items()), Postings(link).latest(ASKED, keep=16)))
    assert answers[0] == answers[1]
    assert all(matched.hits for matched in answers[0][0])
    assert len(answers[0][1]) > 50
