"""One store held against another: random cards, texts, queries and filters must give the same hits and scores.

A module that has a fixture `stores` with the two of them inherits the tests.
"""

from __future__ import annotations

import math
import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.scope import LONG

from muniment.model.card import Card
from muniment.model.filter import (
    AtLeast,
    AtMost,
    Believed,
    Both,
    Chartered,
    Either,
    Filter,
    LiveAt,
    OneOf,
    Sourced,
    Under,
    ValidAt,
    matches,
)
from muniment.model.receipt import Plan, Terms
from muniment.model.record import TrustState
from muniment.model.rows import Row
from muniment.model.status import Status
from muniment.model.vocabulary import Label, Support
from muniment.ports.hits import Matches, Neighbour
from muniment.ports.store import TenantStore, Unit
from muniment.read.words import read_terms
from muniment_store_conformance.makers import make_card, make_document, make_plan, make_standing
from muniment_store_conformance.search import NUMBERS, READERS, SPACES, WORDS

MODEST = settings(
    max_examples=120 if LONG else 20,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)

_TYPED = "red green build builds Building the CAFÉ cafe\u0301 東京 foo_bar x-y naïve don't e.g. a b ß ﬁne 1.5 İ 👍 שלום"
VOCABULARY = _TYPED.split()
texts = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=12).map(" ".join)
instants = st.integers(-6, 6)
words = st.sampled_from(list(WORDS)).flatmap(
    lambda field: st.builds(OneOf, field=st.just(field), words=st.lists(st.sampled_from(WORDS[field])).map(tuple))
)
numbers = st.sampled_from(list(NUMBERS)).flatmap(
    lambda field: st.builds(
        lambda kind, bound: kind(field=field, value=bound),
        st.sampled_from([AtLeast, AtMost]),
        st.sampled_from(NUMBERS[field]) | st.floats(-20, 20),
    )
)
leaves: st.SearchStrategy[Filter] = st.one_of(
    words,
    numbers,
    st.builds(Under, namespaces=st.lists(st.sampled_from(SPACES)).map(tuple)),
    st.just(Sourced()),
    st.builds(
        Believed,
        least=st.sampled_from(NUMBERS["effective"]),
        namespaces=st.lists(
            st.tuples(st.sampled_from(SPACES), st.sampled_from(NUMBERS["effective"])), unique_by=lambda rule: rule[0]
        ).map(tuple),
    ),
    st.builds(Chartered, names=st.lists(st.sampled_from(["ana", "bot", "BOT", "b", ""]), max_size=2).map(tuple)),
    st.builds(ValidAt, instant=instants),
    st.builds(LiveAt, instant=instants),
)
filters: st.SearchStrategy[Filter] = st.recursive(
    leaves,
    lambda inner: st.builds(
        lambda kind, parts: kind(parts=parts), st.sampled_from([Both, Either]), st.lists(inner, max_size=3).map(tuple)
    ),
    max_leaves=8,
)
bounds = st.lists(
    st.tuples(st.sampled_from(["superseded", "deprecated", "validity", "age"]), filters),
    max_size=3,
    unique_by=lambda bound: bound[0],
)


footings = st.builds(
    TrustState,
    own=st.sampled_from(NUMBERS["effective"]),
    effective=st.sampled_from(NUMBERS["effective"]),
    label=st.sampled_from(Label),
    support=st.sampled_from(Support),
)


@st.composite
def cards(draw: st.DrawFn) -> list[Card]:
    """A few cards of different records, so that any mix of standings is legal."""
    made = []
    for rid in range(1, draw(st.integers(2, 9))):
        seq = draw(st.integers(1, 9))
        fields: dict[str, object] = {
            field: draw(st.sampled_from(values)) for field, values in WORDS.items() if field != "id"
        }
        fields.update({field: draw(st.sampled_from(values)) for field, values in NUMBERS.items()})
        fields.update({name: draw(st.none() | instants) for name in ("valid_from", "valid_until", "expires_at")})
        fields.update(seq=seq, since=seq, namespace=draw(st.sampled_from(SPACES)), provenance=draw(st.booleans()))
        fields.update(session_id=draw(st.sampled_from([None, "s1", "s2"])), readers=draw(st.sampled_from(READERS)))
        made.append(make_card(rid, **fields))
    return made


@st.composite
def histories(draw: st.DrawFn, born: list[Card]) -> tuple[Row, ...]:
    """What became of some of the cards later."""
    rows: list[Row] = []
    for card in born:
        changes = draw(st.lists(st.integers(card.seq + 1, 15), max_size=2, unique=True))
        after = st.sampled_from([Status.CONTESTED, Status.SUPERSEDED])
        rows += [make_standing(card.rid, since, draw(after), footing=draw(footings)) for since in sorted(changes)]
    return tuple(rows)


def fill(store: TenantStore, rows: tuple[Row, ...], contents: dict[int, str]) -> None:
    store.write(lambda unit: unit.clear_projections())
    store.write(lambda unit: unit.project(rows, contents))


def search(store: TenantStore, plan: Plan, keep: int) -> Matches:
    with store.read() as snapshot:
        return snapshot.lexicon.search(plan, keep=keep)


def assert_agree(one: Matches, other: Matches) -> None:
    """The same cards in the same order for the same reasons, and scores equal but for the last bits."""
    assert (one.passed, one.counts) == (other.passed, other.counts)
    assert [(hit.rid, hit.failed) for hit in one.hits] == [(hit.rid, hit.failed) for hit in other.hits]
    for ours, theirs in zip(one.hits, other.hits, strict=True):
        assert math.isclose(ours.score, theirs.score, rel_tol=1e-9)


def put_kept(store: TenantStore, indexed: dict[int, str]) -> None:
    """Give a store these texts and no others, each with its record."""

    def job(unit: Unit) -> None:
        unit.clear_projections()
        for document in list(unit.documents.all()):
            unit.drop(document.doc)
        for rid, text in indexed.items():
            unit.keep(make_document(rid, text))
            unit.project((make_card(rid),), {rid: text})

    store.write(job)


def near(store: TenantStore, words: tuple[str, ...], keep: int) -> tuple[Neighbour, ...]:
    with store.read() as snapshot:
        return snapshot.lexicon.near(words, keep=keep)


typed = st.lists(st.sampled_from(VOCABULARY), max_size=14).map(tuple)


class SearchAgreement:
    """What two stores agree on."""

    @MODEST
    @given(st.data())
    def test_any_filter_on_any_cards_lets_through_what_it_means(
        self, stores: tuple[TenantStore, TenantStore], data: st.DataObject
    ) -> None:
        made = data.draw(cards())
        visible, wanted = data.draw(filters), tuple(data.draw(bounds))
        expected = [card for card in made if matches(visible, card)]
        passing = sorted(card.rid for card in expected if all(matches(condition, card) for _, condition in wanted))
        for store in stores:
            fill(store, tuple(made), dict.fromkeys(range(1, len(made) + 1), "build"))
            found = search(store, make_plan("build", visible=visible, wanted=wanted), 99)
            assert sorted(hit.rid for hit in found.hits if hit.failed is None) == passing
            assert found.passed + sum(found.counts.values()) == len(expected)

    @MODEST
    @given(st.data())
    def test_both_stores_give_the_same_answer_now_and_in_the_past(
        self, stores: tuple[TenantStore, TenantStore], data: st.DataObject
    ) -> None:
        made = data.draw(cards())
        rows: tuple[Row, ...] = (*made, *data.draw(histories(made)))
        indexed = {card.rid: data.draw(texts) for card in made}
        as_of, at_head = data.draw(st.sampled_from([(2**62, True), (3, False), (8, False), (14, False)]))
        plan = make_plan(
            *data.draw(st.lists(st.sampled_from(VOCABULARY), max_size=4)),
            phrases=tuple(data.draw(st.lists(texts.map(lambda text: tuple(text.split()[:3])), max_size=2))),
            visible=data.draw(filters),
            wanted=tuple(data.draw(bounds)),
            as_of=as_of,
            at_head=at_head,
        )
        keep = data.draw(st.integers(0, 5))
        for store in stores:
            fill(store, rows, indexed)
        assert_agree(search(stores[0], plan, keep), search(stores[1], plan, keep))

    @MODEST
    @given(st.dictionaries(st.integers(1, 30), texts, min_size=1, max_size=20), st.lists(texts, min_size=1, max_size=5))
    def test_both_stores_rank_alike_whatever_is_typed(
        self, stores: tuple[TenantStore, TenantStore], indexed: dict[int, str], queries: list[str]
    ) -> None:
        for store in stores:
            fill(store, tuple(make_card(rid) for rid in indexed), indexed)
        for query in queries:
            for text in (query, f'"{query}" build', f'"{query[: len(query) // 2]}"'):
                terms: Terms = read_terms(text)
                plan = make_plan(*terms.words, phrases=terms.phrases)
                assert_agree(search(stores[0], plan, 30), search(stores[1], plan, 30))

    @MODEST
    @given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=60))
    def test_both_stores_take_a_text_apart_alike_and_find_it_again(
        self, stores: tuple[TenantStore, TenantStore], text: str
    ) -> None:
        for store in stores:
            fill(store, (make_card(1), make_card(2)), {1: text, 2: "filler"})
        with stores[0].read() as one, stores[1].read() as other:
            assert one.lexicon.tokens(text) == other.lexicon.tokens(text)
        terms = read_terms(text) if text.strip() else Terms()
        plan = make_plan(*terms.words, phrases=terms.phrases)
        assert_agree(search(stores[0], plan, 5), search(stores[1], plan, 5))

    @MODEST
    @given(
        st.dictionaries(st.integers(1, 60), texts, min_size=1, max_size=45),
        st.lists(typed, max_size=4),
        st.integers(0, 30),
    )
    def test_both_stores_find_the_same_neighbours_in_the_same_order(
        self, stores: tuple[TenantStore, TenantStore], indexed: dict[int, str], asked: list[tuple[str, ...]], keep: int
    ) -> None:
        for store in stores:
            put_kept(store, indexed)
        for words in asked:
            assert near(stores[0], words, keep) == near(stores[1], words, keep)

    def test_both_stores_find_the_same_neighbours_among_many_and_in_long_texts(
        self,
        stores: tuple[TenantStore, TenantStore],
    ) -> None:
        """Past every bound on the work: more holders than count, more words than are held, more than are asked for."""
        rng = random.Random(5)
        vocabulary = [f"word{number}" for number in range(120)]
        indexed = {rid: " ".join(rng.choices(vocabulary, k=rng.randrange(1, 200))) for rid in range(1, 150)}
        for store in stores:
            put_kept(store, indexed)
        for _ in range(60 if LONG else 15):
            words = tuple(rng.sample(vocabulary, rng.randrange(1, 14)))
            one, other = (near(store, words, 30) for store in stores)
            assert one == other
            assert one
