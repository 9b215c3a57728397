"""What every store promises about looking for neighbours by their words. Knows the ports and no store."""

from __future__ import annotations

from muniment.ports.store import Snapshot, TenantStore, Unit
from muniment_store_conformance.makers import TENANT, Job, Made, make_card, make_document, raises
from muniment_store_conformance.search import CORPUS

STATES = ("active", "contested", "superseded", "deprecated", "retracted", "expired", "archived", "draft")


class NearConformance(Made):
    """Neighbours share telling words, whatever became of them, and the work has a bound."""

    def test_neighbours_share_words_and_the_most_alike_comes_first(self) -> None:
        with self.make(TENANT) as store:
            store.write(put_kept(CORPUS))
            assert _near(store, "staging") == [7, 6], "the shorter text is more about it"
            assert _near(store, "staging", "moved", "database") == [7, 6]
            assert _near(store, "backup", "database") == [6, 7], "a rare word counts for more"
            assert sorted(_near(store, "release", "disk")) == [1, 3, 4, 5]
            assert _near(store, "absent") == []
            assert _near(store) == []

    def test_a_neighbour_comes_with_its_own_text(self) -> None:
        with self.make(TENANT) as store:
            store.write(put_kept(CORPUS))
            with store.read() as snapshot:
                found = snapshot.lexicon.near(("staging",), keep=9)
        assert [(one.rid, one.text) for one in found] == [(7, CORPUS[7]), (6, CORPUS[6])]

    def test_where_many_words_are_asked_for_one_in_common_is_not_enough_unless_it_is_rare(self) -> None:
        common = {number: f"the lantern of gate {number} was lit" for number in range(20, 30)}
        with self.make(TENANT) as store:
            store.write(put_kept(CORPUS | common))
            assert len(_near(store, "lantern", "osprey", "heron", keep=99)) == 10
            assert _near(store, "lantern", "osprey", "heron", "weir") == []
            assert len(_near(store, "lantern", "gate", "heron", "weir", keep=99)) == 10
            assert _near(store, "staging", "lantern", "heron", "weir") == [7, 6]

    def test_no_more_neighbours_than_asked_for_and_those_are_the_best(self) -> None:
        with self.make(TENANT) as store:
            store.write(put_kept(CORPUS))
            everything = _near(store, "deploy", "disk", "full")
            assert len(everything) == 4
            assert [_near(store, "deploy", "disk", "full", keep=n) for n in (0, 1, 2)] == [
                [],
                everything[:1],
                everything[:2],
            ]

    def test_equally_near_ones_are_told_newest_first(self) -> None:
        with self.make(TENANT) as store:
            store.write(put_kept(dict.fromkeys((4, 1, 9, 2), "a lantern")))
            assert _near(store, "lantern", keep=3) == [9, 4, 2]

    def test_neighbours_are_found_in_any_state(self) -> None:
        def job(unit: Unit) -> None:
            for rid, status in enumerate(STATES, start=1):
                unit.keep(make_document(rid, "a lantern"))
                unit.project((make_card(rid, status=status),), {rid: "a lantern"})

        with self.make(TENANT) as store:
            store.write(job)
            assert sorted(_near(store, "lantern", keep=99)) == list(range(1, len(STATES) + 1))

    def test_a_word_is_found_in_any_of_its_forms(self) -> None:
        with self.make(TENANT) as store:
            store.write(put_kept(CORPUS))
            assert sorted(_near(store, "Deploying")) == [1, 2, 3]
            assert _near(store, "deploys", "deploying", "DEPLOYED", "deploy") == _near(store, "deploy")

    def test_what_is_several_words_or_none_is_passed_over(self) -> None:
        with self.make(TENANT) as store:
            store.write(put_kept(CORPUS))
            for odd in ("staging database", "staging-database", "…", "", '"', "a OR b", "'; --", "NEAR(a b)"):
                assert _near(store, odd) == [], odd
                assert _near(store, odd, "tuesday") == [4], odd

    def test_of_a_word_that_many_hold_only_the_latest_holders_count(self) -> None:
        """The oldest of many is not found by what all of them hold, and still by what it alone holds."""
        texts = {number: f"lamp {number}" for number in range(1, 101)} | {1: "lamp and lantern"}
        with self.make(TENANT) as store:
            store.write(put_kept(texts))
            found = _near(store, "lamp", keep=999)
            assert 0 < len(found) < 50
            assert min(found) > 50
            assert _near(store, "lamp", "lantern", keep=999)[0] == 1

    def test_a_unit_finds_what_it_has_just_written_and_ranks_it_as_everybody_else_will(self) -> None:
        asked = ("backup", "database", "release")

        def job(unit: Unit) -> list[int]:
            put_kept(CORPUS)(unit)
            return _rids(unit, *asked)

        with self.make(TENANT) as store:
            during = store.write(job)
            assert during == _near(store, *asked)
            assert len(during) == 4

    def test_a_job_that_raises_leaves_no_neighbour(self) -> None:
        def job(unit: Unit) -> None:
            put_kept(CORPUS)(unit)
            raise ValueError

        with self.make(TENANT) as store:
            with raises(ValueError):
                store.write(job)
            assert _near(store, "staging") == []
            store.write(put_kept(CORPUS))
            store.write(lambda unit: unit.clear_projections())
            assert _near(store, "staging") == []


def put_kept(texts: dict[int, str]) -> Job:
    """A job that puts one plain card in for each text, with its record."""

    def job(unit: Unit) -> None:
        for rid, text in texts.items():
            unit.keep(make_document(rid, text))
            unit.project((make_card(rid),), {rid: text})

    return job


def _rids(snapshot: Snapshot, *words: str, keep: int = 10) -> list[int]:
    return [found.rid for found in snapshot.lexicon.near(words, keep=keep)]


def _near(store: TenantStore, *words: str, keep: int = 10) -> list[int]:
    with store.read() as snapshot:
        return _rids(snapshot, *words, keep=keep)
