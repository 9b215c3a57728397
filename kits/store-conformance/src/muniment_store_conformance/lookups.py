"""What every store promises about finding revisions by what they are: the past of a sentence or a question, what is
over, what is due, who wrote what. Knows the ports and no store."""

from __future__ import annotations

import random
from collections import Counter

import msgspec

from muniment.model.card import Card, moved
from muniment.model.filter import EVERYTHING, AtLeast, Both, OneOf, Under, matches
from muniment.model.rows import Tally, ToldRow
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment_store_conformance.makers import (
    TENANT,
    Made,
    make_card,
    make_plan,
    make_standing,
    make_state,
    project,
    put_cards,
)
from muniment_store_conformance.search import random_card, random_filter

STATES = ("active", "contested", "superseded", "deprecated", "retracted", "expired", "archived", "draft", "erased")


class LookupConformance(Made):
    """Past twins and answers, many at once, the latest of each, expiry, review, what is new, what is beside, sums."""

    def test_past_twins_are_those_that_were_replaced_or_taken_back_oldest_first(self) -> None:
        mark = b"m" * 16
        cards = [make_card(rid, fingerprint=mark, status=status) for rid, status in enumerate(STATES, start=1)]
        with self.make(TENANT) as store:
            store.write(put_cards(make_card(20, fingerprint=mark, status="retracted"), *reversed(cards)))
            store.write(put_cards(make_card(30, fingerprint=b"n" * 16, status="retracted")))
            with store.read() as snapshot:
                assert [card.rid for card in snapshot.catalogue.past_twins(mark)] == [3, 4, 5, 20]
                assert snapshot.catalogue.past_twins(b"x" * 16) == ()

    def test_past_answers_come_newest_first_and_no_more_than_asked_for(self) -> None:
        cards = [make_card(rid, slot="door", status=status) for rid, status in enumerate(STATES, start=1)]
        with self.make(TENANT) as store:
            store.write(put_cards(make_card(20, slot="door", status="superseded"), *cards))
            store.write(put_cards(make_card(30, slot="Door", status="superseded"), make_card(31, status="superseded")))
            with store.read() as snapshot:
                found = {
                    n: [card.rid for card in snapshot.catalogue.past_answers("door", limit=n)] for n in (0, 1, 3, 9)
                }
                assert found == {0: [], 1: [20], 3: [20, 5, 4], 9: [20, 5, 4, 3]}
                assert snapshot.catalogue.past_answers("window", limit=9) == ()

    def test_the_pace_of_an_actor_is_when_its_nth_newest_was_written(self) -> None:
        cards = [
            make_card(rid, actor="ana" if rid % 2 else "ben", created_at=Instant(rid * 10), status=status)
            for rid, status in enumerate(STATES, start=1)
        ]
        with self.make(TENANT) as store:
            store.write(put_cards(*cards))
            with store.read() as snapshot:
                found = {nth: snapshot.catalogue.pace("ana", nth=nth) for nth in (1, 2, 5, 6)}
                assert found == {1: 90, 2: 70, 5: 10, 6: None}
                assert snapshot.catalogue.pace("ANA", nth=1) is None

    def test_what_an_actor_heard_of_low_origin_comes_last_told_first_in_any_state(self) -> None:
        cards = [make_card(rid, label=rid % 4, status=status) for rid, status in enumerate(STATES, start=1)]
        told = [ToldRow(rid=rid, actor="ana", count=1, last=Instant(100 - rid)) for rid in range(1, 9)]
        with self.make(TENANT) as store:
            store.write(put_cards(*cards))
            store.write(lambda unit: unit.tell([*told, ToldRow(rid=9, actor="ben", count=1, last=Instant(1))]))
            with store.read() as snapshot:
                found = [card.rid for card in snapshot.catalogue.heard("ana", below=2, keep=9)]
                assert found == [1, 4, 5, 8]
                assert [card.rid for card in snapshot.catalogue.heard("ana", below=2, keep=2)] == [1, 4]
                assert snapshot.catalogue.heard("Ana", below=9, keep=9) == ()

    def test_many_cards_are_fetched_at_once_and_those_that_are_not_there_are_left_out(self) -> None:
        cards = {rid: make_card(rid, status="retracted" if rid % 2 else "active") for rid in range(1, 400)}
        with self.make(TENANT) as store:
            store.write(put_cards(*cards.values()))
            with store.read() as snapshot:
                assert snapshot.catalogue.cards([7, 2, 7, 999, -1]) == {7: cards[7], 2: cards[2]}
                assert snapshot.catalogue.cards(iter(range(1, 400))) == cards
                assert snapshot.catalogue.cards(()) == {}

    def test_the_latest_revision_is_the_one_no_other_has_followed_in_whatever_state(self) -> None:
        last = {name: make_card(rid, id=name, status=name) for rid, name in enumerate(STATES, start=1)}
        followed = {"status": "superseded", "successor": "chain"}
        chain = [make_card(rid, id="chain", revision=rid - 19, **followed) for rid in (20, 21)]
        end = make_card(22, id="chain", revision=3, status="retracted")
        replaced = make_card(30, id="other", status="superseded", successor="chain")
        with self.make(TENANT) as store:
            store.write(put_cards(*last.values(), end, *chain, replaced))
            with store.read() as snapshot:
                latest = snapshot.catalogue.latest
                assert latest([*STATES, "chain", "other", "absent", "CHAIN"]) == {
                    **last,
                    "chain": end,
                    "other": replaced,
                }
                assert latest(["chain", "chain"]) == {"chain": end}
                assert latest(()) == {}

    def test_what_is_over_is_current_past_its_last_instant_and_comes_by_number(self) -> None:
        times = {1: None, 2: 10, 3: 9, 4: -5, 5: 11, 6: 9, 7: 9}
        status = {6: "retracted", 7: "contested"}
        with self.make(TENANT) as store:
            store.write(
                put_cards(*(make_card(n, expires_at=at, status=status.get(n, "active")) for n, at in times.items()))
            )
            with store.read() as snapshot:
                found = {now: [card.rid for card in snapshot.catalogue.expired(now)] for now in (-5, 9, 10, 11, 2**60)}
        assert found == {-5: [], 9: [4], 10: [3, 4, 7], 11: [2, 3, 4, 7], 2**60: [2, 3, 4, 5, 7]}

    def test_what_is_due_is_current_and_the_longest_overdue_comes_first(self) -> None:
        times = {1: None, 2: 10, 3: 9, 4: -5, 5: 11, 6: 9, 7: 9}
        status = {6: "expired", 7: "contested"}
        with self.make(TENANT) as store:
            store.write(
                put_cards(*(make_card(n, review_at=at, status=status.get(n, "active")) for n, at in times.items()))
            )
            with store.read() as snapshot:
                found = {now: [card.rid for card in snapshot.catalogue.due(now)] for now in (-6, -5, 9, 11)}
        assert found == {-6: [], -5: [4], 9: [4, 3, 7], 11: [4, 3, 7, 2, 5]}

    def test_what_was_born_or_changed_after_an_entry_comes_by_number(self) -> None:
        with self.make(TENANT) as store:
            store.write(put_cards(*(make_card(rid, seq=rid, since=rid) for rid in (3, 1, 5, 2))))
            store.write(project(make_standing(1, 6, Status.CONTESTED)))
            with store.read() as snapshot:
                found = {seq: [card.rid for card in snapshot.catalogue.since(seq)] for seq in (0, 2, 4, 5, 6)}
                changed = list(snapshot.catalogue.since(5))
        assert found == {0: [1, 2, 3, 5], 2: [1, 3, 5], 4: [1, 5], 5: [1], 6: []}
        assert changed == [make_card(1, seq=1, since=6, status="contested")]

    def test_what_stands_beside_is_of_the_same_session_and_the_nearest_comes_first(self) -> None:
        sessions = {1: "s1", 2: "s2", 3: "s1", 4: None, 5: "s1", 6: "S1", 7: "s1", 8: None, 9: ""}
        cards = {rid: make_card(rid, session_id=session) for rid, session in sessions.items()}
        retracted = make_card(4, session_id=None, status="retracted")
        with self.make(TENANT) as store:
            store.write(put_cards(*(cards | {4: retracted}).values()))
            with store.read() as snapshot:
                beside = snapshot.catalogue.beside
                assert beside([cards[5], cards[2], cards[8]], reach=1) == {5: (3, 7), 2: ()}
                assert beside([cards[5]], reach=2) == {5: (3, 7, 1)}
                assert beside([cards[1]], reach=2) == {1: (3, 5)}
                assert beside([cards[7]], reach=9) == {7: (5, 3, 1)}
                assert beside([cards[6], cards[9]], reach=1) == {6: (), 9: ()}
                assert beside([cards[5]], reach=0) == {5: ()}
                assert beside([], reach=1) == {}

    def test_what_stands_beside_is_told_in_whatever_state_it_is(self) -> None:
        cards = [make_card(rid, session_id="s", status=status) for rid, status in enumerate(STATES, start=1)]
        with self.make(TENANT) as store:
            store.write(put_cards(*cards))
            with store.read() as snapshot:
                assert snapshot.catalogue.beside([cards[2]], reach=9) == {3: (2, 4, 1, 5, 6, 7, 8, 9)}

    def test_the_newest_are_exactly_what_the_filters_let_through_now_and_in_the_past(self) -> None:
        rng = random.Random(12)
        moves = {rid: rng.randrange(62, 90) for rid in rng.sample(range(1, 61), 20)}
        with self.make(TENANT) as store:
            cards = [random_card(rng, rid) for rid in range(1, 61)]
            born = {card.rid: make_card_at(card.rid, card) for card in cards}
            store.write(put_cards(*born.values()))
            store.write(project(*(make_standing(rid, since, Status.RETRACTED) for rid, since in sorted(moves.items()))))
            for _ in range(80):
                visible, bound = random_filter(rng), random_filter(rng, 1)
                as_of, after, keep = rng.choice((20, 61, 75, 99)), rng.choice((0, 15, 70)), rng.choice((0, 3, 99))
                then = [
                    moved(card, make_state(moves[rid], Status.RETRACTED)) if moves.get(rid, 100) <= as_of else card
                    for rid, card in born.items()
                ]
                expected = [
                    card
                    for card in reversed(then)
                    if card.seq <= as_of and card.since > after and matches(visible, card) and matches(bound, card)
                ]
                plan = make_plan(visible=visible, wanted=(("bound", bound),), as_of=as_of, at_head=as_of == 99)
                with store.read() as snapshot:
                    found = snapshot.catalogue.newest(plan, keep=keep, after=after)
                assert found == tuple(expected[:keep]), (as_of, after, visible, bound)

    def test_a_survey_sums_up_what_is_current_by_actor_kind_and_place(self) -> None:
        cards = [
            make_card(1, actor="bot", effective=0.5, helpful=1.5, created_at=Instant(7)),
            make_card(2, actor="bot", effective=0.25, misleading=2.0, created_at=Instant(3), status="contested"),
            make_card(3, actor="bot", effective=1.0, status="retracted"),
            make_card(4, actor="bot", kind="fact"),
            make_card(5, actor="bot", scope_id="apollo"),
            make_card(6, actor="bot", scope="session"),
            make_card(7, actor="bot", namespace="/ci"),
            make_card(8, actor="Bot"),
        ]
        with self.make(TENANT) as store:
            store.write(put_cards(*reversed(cards)))
            with store.read() as snapshot:
                found = snapshot.catalogue.survey(EVERYTHING)
                narrowed = snapshot.catalogue.survey(
                    Both(parts=(OneOf(field="actor", words=("bot",)), AtLeast(field="effective", value=0.5)))
                )
                nothing = snapshot.catalogue.survey(Under(namespaces=()))
        assert [(t.actor, t.kind, t.scope, t.scope_id, t.namespace, t.records) for t in found] == [
            ("Bot", "observation", "project", "default", "/", 1),
            ("bot", "fact", "project", "default", "/", 1),
            ("bot", "observation", "project", "apollo", "/", 1),
            ("bot", "observation", "project", "default", "/", 2),
            ("bot", "observation", "project", "default", "/ci", 1),
            ("bot", "observation", "session", "default", "/", 1),
        ]
        both = found[3]
        assert (both.effective, both.helpful, both.misleading, both.last) == (0.75, 1.5, 2.0, 7)
        assert [(tally.records, tally.effective) for tally in narrowed if tally.scope_id == "default"] == [
            (1, 0.5),
            (1, 0.5),
            (1, 0.5),
            (1, 0.5),
        ]
        assert nothing == ()

    def test_a_survey_counts_exactly_what_the_filter_lets_through(self) -> None:
        rng = random.Random(11)
        with self.make(TENANT) as store:
            cards = [random_card(rng, rid) for rid in range(1, 61)]
            store.write(put_cards(*cards))
            for _ in range(60):
                condition = random_filter(rng)
                passing = [card for card in cards if card.status == "active" and matches(condition, card)]
                with store.read() as snapshot:
                    found: tuple[Tally, ...] = snapshot.catalogue.survey(condition)
                assert sum(tally.records for tally in found) == len(passing), condition
                with store.read() as snapshot:
                    counted = snapshot.catalogue.count(condition)
                assert counted == dict(Counter(card.status for card in cards if matches(condition, card))), condition
                groups = [(t.actor, t.kind, t.scope, t.scope_id, t.namespace) for t in found]
                expected = {(card.actor, card.kind, card.scope, card.scope_id, card.namespace) for card in passing}
                assert groups == sorted(expected)


def make_card_at(seq: int, card: Card) -> Card:
    """The same card, born in another entry."""
    return msgspec.structs.replace(card, seq=seq, since=seq)
