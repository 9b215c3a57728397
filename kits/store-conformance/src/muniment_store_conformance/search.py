"""What every store promises about search: a filter's meaning, ranking, counts. Knows the ports and no store."""

from __future__ import annotations

import math
import random
from collections import Counter

from muniment.model.card import Card, reader_mark
from muniment.model.filter import (
    EVERYTHING,
    AtLeast,
    AtMost,
    Believed,
    Both,
    Chartered,
    Either,
    Filter,
    LiveAt,
    NumberField,
    OneOf,
    Sourced,
    Under,
    ValidAt,
    WordField,
    matches,
)
from muniment.model.receipt import Terms
from muniment.model.record import TrustState
from muniment.model.status import Status
from muniment.model.vocabulary import LABEL_RANK, Label, Support
from muniment.ports.hits import Matches
from muniment.ports.store import TenantStore
from muniment_store_conformance.makers import (
    TENANT,
    Made,
    make_card,
    make_plan,
    make_standing,
    project,
    put_cards,
    put_texts,
)

CORPUS = {
    1: "the deploy failed because the disk was full",
    2: "deploy deploy deploy",
    3: "disks fill up when logs are kept; the deploy then fails",
    4: "the release train leaves on tuesday",
    5: "release notes are written after the release",
    6: "full backup of the staging database, full stop",
    7: "staging database moved",
    8: "nothing to see",
}
WORDS: dict[WordField, tuple[str, ...]] = {
    "kind": ("fact", "risk"),
    "memory_class": ("long_term", "profile"),
    "scope": ("project", "session"),
    "scope_id": ("a", "A", "b"),
    "namespace": ("/", "/a", "/a/b"),
    "session_id": ("s1", "s2"),
    "status": ("active", "superseded", "retracted"),
    "actor": ("ana", "bot"),
    "id": ("rec-1", "rec-2", "rec-3"),
    "support": ("standing", "flagged", "fallen"),
}
NUMBERS: dict[NumberField, tuple[float, ...]] = {
    "sensitivity": (0, 2, 4),
    "trust": (0, 1, 2),
    "label": (0, 3, 6),
    "confidence": (0.0, 0.3, 0.30000000000000004, 1.0),
    "effective": (0.0, 0.3, 0.30000000000000004, 0.7, 1.0),
    "created_at": (-10, 0, 10),
    "seq": (1, 5, 9),
}
READERS = ("", *("".join((reader_mark("ana"), reader_mark(other))) for other in ("bot", "Bot", "bo")))
"""Who may read what is kept under a charter, as cards tell it; mostly nobody is kept out."""
SPACES = ("/", "/a", "/a/b", "/ab", "/a_")


def random_card(rng: random.Random, rid: int) -> Card:
    """A card whose every field a filter asks about is one of a few values, so that filters hit and miss."""
    chosen = {field: words for field, words in WORDS.items() if field not in ("id", "namespace")}
    fields: dict[str, object] = {str(field): rng.choice(words) for field, words in chosen.items()}
    fields.update({str(field): rng.choice(values) for field, values in NUMBERS.items()})
    fields.update({field: rng.choice((None, -5, 0, 5)) for field in ("valid_from", "valid_until", "expires_at")})
    fields["session_id"] = rng.choice((None, "s1", "s2"))
    fields["readers"] = rng.choice(READERS)
    return make_card(rid, **fields, provenance=rng.random() < 0.5, namespace=rng.choice(SPACES))


def random_filter(rng: random.Random, depth: int = 2) -> Filter:
    """A filter of any sort, nested up to `depth`."""
    sort = rng.randrange(11 if depth else 9)
    match sort:
        case 0:
            field = rng.choice(list(WORDS))
            return OneOf(field=field, words=tuple(rng.sample(WORDS[field], rng.randrange(len(WORDS[field]) + 1))))
        case 1 | 2:
            number = rng.choice(list(NUMBERS))
            bound = rng.choice(NUMBERS[number])
            return AtLeast(field=number, value=bound) if sort == 1 else AtMost(field=number, value=bound)
        case 3:
            return Under(namespaces=tuple(rng.sample(SPACES, rng.randrange(3))))
        case 4:
            return Sourced()
        case 5:
            return ValidAt(instant=rng.choice((-6, -5, 0, 5, 6)))
        case 6:
            return LiveAt(instant=rng.choice((-6, -5, 0, 5, 6)))
        case 7:
            spaces = rng.sample(SPACES, rng.randrange(len(SPACES)))
            bounds = tuple((space, rng.choice(NUMBERS["effective"])) for space in spaces)
            return Believed(least=rng.choice(NUMBERS["effective"]), namespaces=bounds)
        case 8:
            return Chartered(names=tuple(rng.sample(("ana", "bot", "BOT", "b", ""), rng.randrange(3))))
        case _:
            parts = tuple(random_filter(rng, depth - 1) for _ in range(rng.randrange(4)))
            return Both(parts=parts) if sort == 9 else Either(parts=parts)


class SearchConformance(Made):
    """A store's answer is what `matches` says, ranked by BM25, counted in full."""

    def test_a_search_finds_exactly_what_the_filter_lets_through(self) -> None:
        rng = random.Random(20260101)
        with self.make(TENANT) as store:
            cards = [random_card(rng, rid) for rid in range(1, 61)]
            store.write(put_cards(*cards))
            for _ in range(200):
                condition = random_filter(rng)
                expected = [card.rid for card in cards if matches(condition, card)]
                assert _rids(store, "build", visible=condition) == expected, condition

    def test_what_fails_a_bound_is_counted_under_the_first_it_fails(self) -> None:
        rng = random.Random(7)
        with self.make(TENANT) as store:
            cards = [random_card(rng, rid) for rid in range(1, 61)]
            store.write(put_cards(*cards))
            for _ in range(60):
                wanted = tuple((f"bound-{number}", random_filter(rng, 1)) for number in range(rng.randrange(4)))
                visible = random_filter(rng, 1)
                seen = [card for card in cards if matches(visible, card)]
                failed = [next((name for name, cond in wanted if not matches(cond, card)), None) for card in seen]
                found = _search(store, "build", visible=visible, wanted=wanted)
                assert found.counts == dict(Counter(name for name in failed if name is not None))
                assert found.passed == failed.count(None)
                assert len(found.hits) == found.passed

    def test_what_was_superseded_is_kept_beside_what_passes(self) -> None:
        current = OneOf(field="status", words=("active",))
        cards = [make_card(rid, status="superseded" if rid > 3 else "active") for rid in range(1, 9)]
        with self.make(TENANT) as store:
            store.write(put_cards(*cards))
            with store.read() as snapshot:
                plan = make_plan("build", wanted=(("superseded", current),))
                found = snapshot.lexicon.search(plan, keep=2)
                other = snapshot.lexicon.search(make_plan("build", wanted=(("expired", current),)), keep=2)
        told = [(hit.rid, hit.failed) for hit in found.hits]
        assert told == [(3, None), (2, None), (8, "superseded"), (7, "superseded")]
        assert (found.passed, found.counts) == (3, {"superseded": 5})
        assert ([hit.rid for hit in other.hits], other.counts) == ([3, 2], {"expired": 5})

    def test_a_search_of_the_past_sees_cards_as_they_stood(self) -> None:
        active = OneOf(field="status", words=("active",))
        expected = {2: [], 3: [1], 4: [1, 2], 5: [2], 7: [2, 3], 8: [1, 3]}
        with self.make(TENANT) as store:
            store.write(put_cards(*(make_card(n, seq=seq, since=seq) for n, seq in ((1, 3), (2, 4), (3, 7)))))
            store.write(project(make_standing(1, 5, Status.CONTESTED)))
            store.write(project(make_standing(1, 8, Status.ACTIVE), make_standing(2, 8, Status.SUPERSEDED, "rec-3")))
            for seq, rids in expected.items():
                assert _rids(store, "build", visible=active, as_of=seq, at_head=False) == rids, seq
            past = _search(store, "build", as_of=6, at_head=False).hits
        assert {hit.rid: hit.failed for hit in past} == {1: None, 2: None}

    def test_a_search_of_the_past_believes_cards_as_they_were_believed(self) -> None:
        """Each bound on belief is asked of the standing at that position."""
        high = TrustState(own=0.9, effective=0.9, label=Label.EXTERNAL)
        low = TrustState(own=0.9, effective=0.2, label=Label.PERSON, support=Support.FALLEN)
        expected: dict[Filter, dict[int, list[int]]] = {
            Believed(least=0.6): {3: [], 5: [1], 8: [], 9: []},
            Believed(least=0.6, namespaces=(("/", 0.2),)): {3: [1], 5: [1], 8: [1], 9: [1]},
            AtLeast(field="effective", value=0.5): {3: [1], 5: [1], 8: [], 9: []},
            AtMost(field="label", value=LABEL_RANK[Label.EXTERNAL]): {3: [], 5: [1], 8: [], 9: []},
            OneOf(field="support", words=("standing",)): {3: [1], 5: [1], 8: [], 9: []},
            AtLeast(field="confidence", value=0.5): {3: [1], 5: [1], 8: [1], 9: [1]},
        }
        with self.make(TENANT) as store:
            store.write(put_cards(make_card(1, seq=3, since=3)))
            store.write(project(make_standing(1, 5, Status.ACTIVE, footing=high)))
            store.write(project(make_standing(1, 8, Status.ACTIVE, footing=low)))
            for condition, found in expected.items():
                for seq, rids in found.items():
                    assert _rids(store, "build", visible=condition, as_of=seq, at_head=False) == rids, (condition, seq)
                assert _rids(store, "build", visible=condition) == found[9], condition

    def test_how_deep_a_search_looks_never_depends_on_what_is_hidden(self) -> None:
        """The same ranking, alone and among as many hidden ones: hits and counts are the same, however many are kept
        and however many fail a bound."""
        mine, current = OneOf(field="actor", words=("ana",)), ("status", OneOf(field="status", words=("active",)))
        nobody = ("id", OneOf(field="id", words=()))
        seen = [make_card(rid, status="active" if rid % 7 else "retracted") for rid in range(1, 1201, 2)]
        hidden = [make_card(rid, actor="bot") for rid in range(2, 1201, 2)]
        found: list[list[tuple[list[int], int, dict[str, int]]]] = []
        keeps = (0, 1, 200, 300, 999)
        for cards in (seen, sorted([*seen, *hidden], key=lambda card: card.rid)):
            with self.make(TENANT) as store:
                store.write(put_cards(*cards))
                with store.read() as snapshot:
                    plan = make_plan("build", visible=mine, wanted=(current,))
                    narrow = make_plan("build", visible=mine, wanted=(current, nobody))
                    answers = [snapshot.lexicon.search(plan, keep=keep) for keep in keeps]
                    answers.append(snapshot.lexicon.search(narrow, keep=5))
            found.append([([hit.rid for hit in one.hits], one.passed, one.counts) for one in answers])
        assert found[0] == found[1]
        kept = [card.rid for card in reversed(seen) if card.status == "active"]
        for keep, (rids, passed, _) in zip(keeps, found[0], strict=False):
            assert rids == kept[: len(rids)], "what passes comes in the order of the ranking, nothing left out"
            assert min(keep, 50) <= len(rids) <= min(keep, passed)
        assert found[0][-1] == ([], 0, {"retracted": 600 - len(kept), "id": len(kept)}), "where nothing passes, all"

    def test_equal_scores_are_told_newest_first(self) -> None:
        with self.make(TENANT) as store:
            store.write(put_texts(dict.fromkeys((4, 1, 9, 2), "same words")))
            with store.read() as snapshot:
                hits = snapshot.lexicon.search(make_plan("words"), keep=3).hits
        assert [hit.rid for hit in hits] == [9, 4, 2]

    def test_the_score_is_bm25(self) -> None:
        """By hand: 8 texts of 49 terms in all; `staging` is in two of them, once in 8 terms and once in 3."""
        idf = math.log((8 - 2 + 0.5) / (2 + 0.5))
        short = idf * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 3 / (49 / 8)))
        long = idf * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 8 / (49 / 8)))
        with self.make(TENANT) as store:
            store.write(put_texts(CORPUS))
            hits = _search(store, "staging").hits
        assert [hit.rid for hit in hits] == [7, 6]
        assert math.isclose(hits[0].score, short, rel_tol=1e-9)
        assert math.isclose(hits[1].score, long, rel_tol=1e-9)

    def test_a_word_that_most_texts_hold_still_counts_a_little(self) -> None:
        with self.make(TENANT) as store:
            store.write(put_texts({1: "common", 2: "common", 3: "common rare"}))
            hits = _search(store, "common", "rare").hits
        assert [hit.rid for hit in hits] == [3, 2, 1]
        assert 0 < hits[2].score < 1e-5

    def test_words_are_found_in_any_of_their_forms_and_any_of_them_is_enough(self) -> None:
        with self.make(TENANT) as store:
            store.write(put_texts(CORPUS))
            assert _rids(store, "deploys") == [1, 2, 3]
            assert _rids(store, "Disk", "NOTES") == [1, 3, 5]
            assert _rids(store, "absent") == []

    def test_a_phrase_must_occur_and_words_beside_it_only_rank(self) -> None:
        with self.make(TENANT) as store:
            store.write(put_texts(CORPUS))
            assert _rids(store, phrases=(("staging", "database"),)) == [6, 7]
            assert _rids(store, phrases=(("database", "staging"),)) == []
            assert _rids(store, "moved", "release", phrases=(("staging", "database"),)) == [6, 7]
            assert _rids(store, phrases=(("staging", "database"), ("full",))) == [6]
            best = _search(store, "full", phrases=(("staging", "database"),)).hits[0]
        assert best.rid == 6

    def test_nothing_to_search_for_finds_nothing(self) -> None:
        with self.make(TENANT) as store:
            store.write(put_texts(CORPUS))
            for words, phrases in (((), ()), (("…", "!"), ()), ((), (("?",),))):
                found = _search(store, *words, phrases=phrases)
                assert found == Matches(hits=(), passed=0, counts={})

    def test_no_input_is_ever_syntax(self) -> None:
        hostile = ('"', '""', "a OR b", "NEAR(a b)", "col:x", "a*", "^a", "-a", "(", ")", "' OR 1=1 --", "a\tb\nc", "+")
        with self.make(TENANT) as store:
            store.write(put_texts(CORPUS))
            for text in hostile:
                assert _rids(store, text, phrases=((text, "deploy"),)) == _rids(store, phrases=((text, "deploy"),))
            assert _rids(store, 'deploy"', "*") == [1, 2, 3]

    def test_words_that_too_many_records_hold_are_left_out_once_there_are_many(self) -> None:
        texts = {
            n: f"unit {n}" + (" tenth" if n % 10 == 0 else "") + (" half" if n % 2 == 0 else "") for n in range(1, 1000)
        }
        asked = Terms(words=("units", "half", "tenth", "absent", "unit_1"), common=("the",))
        with self.make(TENANT) as store:
            store.write(put_texts(texts))
            with store.read() as snapshot:
                assert snapshot.lexicon.prune(asked) == asked, "999 records are few"
            store.write(put_texts({1000: "unit 1000 tenth half"}))
            with store.read() as snapshot:
                prune = snapshot.lexicon.prune
                kept = Terms(words=("tenth", "absent", "unit_1"), common=("the", "units", "half"))
                assert prune(asked) == kept
                assert prune(Terms(words=("unit", "half"))) == Terms(words=("half",), common=("unit",))
                phrase = (("any", "phrase"),)
                assert prune(Terms(words=("unit",), phrases=phrase)) == Terms(phrases=phrase, common=("unit",))
                assert prune(Terms()) == Terms()

    def test_the_last_word_stays_unless_it_need_not_and_very_many_hold_it(self) -> None:
        texts = {number: f"unit {number}" + (" half" if number % 2 else "") for number in range(1, 6_002)}
        with self.make(TENANT) as store:
            store.write(put_texts(texts))
            with store.read() as snapshot:
                prune = snapshot.lexicon.prune
                assert prune(Terms(words=("unit",))) == Terms(words=("unit",))
                assert prune(Terms(words=("unit",)), spare=False) == Terms(common=("unit",))
                half = Terms(words=("half",), common=("unit",))
                assert prune(Terms(words=("unit", "half")), spare=False) == half


def _search(
    store: TenantStore,
    *words: str,
    phrases: tuple[tuple[str, ...], ...] = (),
    visible: Filter = EVERYTHING,
    wanted: tuple[tuple[str, Filter], ...] = (),
    as_of: int = 2**62,
    at_head: bool = True,
) -> Matches:
    plan = make_plan(*words, phrases=phrases, visible=visible, wanted=wanted, as_of=as_of, at_head=at_head)
    with store.read() as snapshot:
        return snapshot.lexicon.search(plan, keep=999)


def _rids(
    store: TenantStore,
    *words: str,
    phrases: tuple[tuple[str, ...], ...] = (),
    visible: Filter = EVERYTHING,
    as_of: int = 2**62,
    at_head: bool = True,
) -> list[int]:
    found = _search(store, *words, phrases=phrases, visible=visible, as_of=as_of, at_head=at_head)
    return sorted(hit.rid for hit in found.hits)
