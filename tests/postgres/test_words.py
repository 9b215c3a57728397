"""The word index on PostgreSQL against FTS5's, and what must hold of its postings whatever is written or taken away."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment.backends.latest import Latest
from muniment.backends.nearness import NEAR_POSTINGS_MAX
from muniment.backends.postgres.lexicon import PostgresLexicon
from muniment.backends.postgres.postings import Postings, PostingsChange
from muniment.backends.postgres.tenant_scope import TenantScope
from muniment.backends.postgres.vault import PostgresVault
from muniment.backends.sqlite.store import SqliteTenant
from muniment.model.receipt import Terms
from muniment.ports.store import TenantStore, Unit
from muniment_store_conformance.makers import make_card, make_document, make_plan

_TYPED = (
    "red green build builds building x-y y-x don't café CAFE e.g. a b 1.5 東京 foo_bar the of 👍 東京タワー 京 "
    "重启watchdog parseFile Müller Mueller Rechnung Rechnungen und ist "
    "김철수는 김철수 Иванова Иванов والكتاب كتاب לירושלים किताब สำรองข้อมูล"
)
"""Said and asked for in every script, so that a word is one place or several, and one term or several at a place."""
WORDS = _TYPED.split()


@pytest.fixture
def vault(dsn: str) -> Iterator[PostgresVault]:
    made = PostgresVault(dsn)
    made.open("acme", create=True)
    yield made
    made.close()


@pytest.fixture
def door(vault: PostgresVault) -> TenantScope:
    return TenantScope(vault.pool, "acme")


@pytest.fixture
def stores(vault: PostgresVault, tmp_path: Path) -> Iterator[tuple[TenantStore, TenantStore]]:
    sqlite = SqliteTenant(tmp_path / "acme.sqlite", "acme", create=True)
    yield vault.open("acme", create=False), sqlite
    sqlite.close()


def keep(stores: tuple[TenantStore, ...], texts: dict[int, str]) -> None:
    def job(unit: Unit) -> None:
        for rid, text in texts.items():
            unit.keep(make_document(rid, text))
        unit.project(tuple(make_card(rid) for rid in texts), texts)

    for store in stores:
        store.write(job)


def said(rng: random.Random, longest: int = 14) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randrange(1, longest)))


def typed(rng: random.Random) -> Terms:
    """Words, among them some that are several terms and some that are the same, and sometimes phrases."""
    words = tuple(rng.choices(WORDS, k=rng.randrange(0, 5)))
    phrases = tuple(tuple(rng.choices(WORDS, k=rng.randrange(1, 4))) for _ in range(rng.choice((0, 0, 1, 2))))
    return Terms(words=words, phrases=phrases)


def assert_same(ours: dict[int, float], theirs: dict[int, float]) -> None:
    """The same revisions in the same order, with the same scores to the last bit."""
    assert list(ours.items()) == list(theirs.items())


def test_every_look_at_the_index_tells_what_fts5_tells(stores: tuple[TenantStore, TenantStore]) -> None:
    rng = random.Random(8)
    keep(stores, {rid: said(rng) for rid in range(1, 90)})
    answered = 0
    with stores[0].read() as ours, stores[1].read() as theirs:
        for _ in range(170):
            terms, some = typed(rng), rng.sample(range(1, 100), 30)
            pairs = tuple((rng.choice(WORDS), rng.choice(WORDS)) for _ in range(3))
            gap, kept = rng.randrange(0, 4), rng.randrange(1, 40)
            assert ours.lexicon.count() == theirs.lexicon.count() == 89
            assert ours.lexicon.weights(terms.words) == theirs.lexicon.weights(terms.words)
            assert ours.lexicon.prune(terms) == theirs.lexicon.prune(terms)
            assert_same(ours.lexicon.score(terms, some), theirs.lexicon.score(terms, some))
            near, near_theirs = (side.lexicon.close(pairs, gap=gap, keep=kept) for side in (ours, theirs))
            assert_same(near, near_theirs)
            for rid in some[:5]:
                assert ours.lexicon.held(rid, terms.words) == theirs.lexicon.held(rid, terms.words)
            plan = make_plan(*terms.words, phrases=terms.phrases)
            found, other = (side.lexicon.search(plan, keep=kept) for side in (ours, theirs))
            assert [hit.rid for hit in found.hits] == [hit.rid for hit in other.hits]
            answered += len(found.hits) + len(near)
    assert answered > 2_000


def test_terms_are_counted_alike_however_long_they_are(stores: tuple[TenantStore, TenantStore]) -> None:
    long = "x" * 150 + "é" * 40
    keep(stores, {1: f"{long} {long}y red", 2: f"{long} red", 3: "null NULL \\ red"})
    terms = [long.replace("é", "e"), "null", "red", "absent"]
    for store in stores:
        with store.read() as snapshot:
            assert snapshot.lexicon.holding(terms) == {terms[0]: 2, "null": 1, "red": 3}
            assert [hit.rid for hit in snapshot.lexicon.search(make_plan(long), keep=9).hits] == [2, 1]


def test_of_equal_texts_the_latest_comes_first_whatever_order_its_words_are_found_in(
    stores: tuple[TenantStore, TenantStore],
) -> None:
    words = [f"w{number}" for number in range(12)]
    keep(stores, {rid: " ".join(words) for rid in range(1, 40)})
    keep(stores, {rid: " ".join(words[rid % 12 :]) for rid in range(40, 80)})
    plan = make_plan(*words)
    for store in stores:
        with store.read() as snapshot:
            hits = snapshot.lexicon.search(plan, keep=99).hits
        same = [hit for hit in hits if hit.rid < 40 or hit.rid % 12 == 0]
        assert [hit.rid for hit in same] == [72, 60, 48, *range(39, 0, -1)]
        assert len({hit.score for hit in same}) == 1


def misnumbered(door: TenantScope) -> list[tuple[str, int, int]]:
    """The terms whose last posting is not numbered by how many there are."""
    counted = (
        "SELECT p.term, count(*), (SELECT q.nth FROM postings q WHERE q.tenant_id = $1 AND q.term = p.term "
        "ORDER BY q.rid DESC LIMIT 1) AS nth FROM postings p WHERE p.tenant_id = $1 GROUP BY p.term"
    )
    with door.reading() as link:
        return [(term, count, nth) for term, count, nth in link.ask(counted, [link.number]) if count != nth]


def left(door: TenantScope) -> int:
    with door.reading() as link:
        ((number,),) = link.ask("SELECT count(*) FROM postings WHERE tenant_id = $1", [link.number])
    return int(number)


def test_the_last_posting_of_a_term_tells_how_many_there_are_after_any_writing_and_taking_away(
    door: TenantScope,
) -> None:
    rng = random.Random(4)
    kept: dict[int, str] = {}
    last = 0
    for _ in range(60):
        fresh = rng.sample([rid for rid in range(1, 400) if rid not in kept], rng.randrange(0, 6))
        texts = {rid: said(rng) for rid in fresh}
        gone = {rid: kept.pop(rid) for rid in rng.sample(sorted(kept), min(len(kept), rng.randrange(0, 4)))}
        with door.touching() as link:
            put = Postings(link).put(texts, last=last)
            taken = Postings(link).take_away(gone)
        assert put.texts == len(texts)
        assert taken.texts == len(gone)
        last, kept = max(last, put.last), kept | texts
        assert misnumbered(door) == []
    with door.touching() as link:
        assert Postings(link).take_away(kept).texts == len(kept) > 40
    assert left(door) == 0


def test_what_was_indexed_is_taken_away_even_if_it_is_said_to_say_something_else(door: TenantScope) -> None:
    with door.touching() as link:
        postings = Postings(link)
        assert postings.put({1: "red green", 2: "red build build", 3: "red"}, last=0) == PostingsChange(
            texts=3, terms=6, last=3
        )
        assert postings.take_away({2: "red house", 3: "nothing of it"}) == PostingsChange(texts=2, terms=4)
        assert postings.holding(["red", "green", "build"]) == {"red": 1, "green": 1}
    assert misnumbered(door) == []


def test_a_text_without_any_term_counts_as_a_text_and_can_be_taken_away(door: TenantScope) -> None:
    with door.touching() as link:
        postings = Postings(link)
        assert postings.put({1: "👍", 2: "red"}, last=0) == PostingsChange(texts=2, terms=1, last=2)
        assert postings.take_away({1: "👍", 9: "👍"}) == PostingsChange(texts=1, terms=0)
        assert postings.put({}, last=2) == PostingsChange()
    assert left(door) == 1


def test_a_writer_finds_what_it_just_wrote_and_no_longer_what_it_took_away(door: TenantScope) -> None:
    texts = {1: "red lantern", 2: "green lantern"}
    latest = Latest(keep=NEAR_POSTINGS_MAX)
    with door.touching() as link:
        lexicon = PostgresLexicon(link, latest, lambda: (2, 4))
        for rid, text in texts.items():
            link.put("documents", (rid, b"salt", make_document(rid, text).body))
        assert lexicon.near(("lantern",), keep=9) == ()
        lexicon.put_many(texts, last=0)
        assert [found.text for found in lexicon.near(("lantern",), keep=9)] == ["red lantern", "green lantern"]
        assert lexicon.holding(["lantern"]) == {"lantern": 2}
        lexicon.take_away({2: "green lantern"})
        assert [found.rid for found in lexicon.near(("lantern",), keep=9)] == [1]
        assert lexicon.holding(["lantern"]) == {"lantern": 1}
