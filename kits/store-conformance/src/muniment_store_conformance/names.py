"""What every store promises about names: what a revision speaks of, and which names are one thing's. Knows the ports
and no store."""

from __future__ import annotations

from muniment.model.errors import IntegrityError
from muniment.model.rows import AliasRow
from muniment.ports.store import TenantStore, Unit
from muniment_store_conformance.makers import TENANT, Made, make_alias, make_card, make_mention, project, raises

Groups = dict[str, tuple[str, ...]]


class NameConformance(Made):
    """Mentions by revision and by entity, and the groups that aliases make, now and at any entry."""

    def test_mentions_come_by_revision_and_entity_however_they_went_in(self) -> None:
        rows = [make_mention(2, "b"), make_mention(1, "é"), make_mention(2, "B", "id"), make_mention(1, "a")]
        with self.make(TENANT) as store:
            store.write(project(*rows))
            with store.read() as snapshot:
                found = list(snapshot.names.all_mentions())
                of_two = snapshot.names.mentions([2, 9])
        assert [(row.rid, row.entity, row.kind) for row in found] == [
            (1, "a", "name"),
            (1, "é", "name"),
            (2, "B", "id"),
            (2, "b", "name"),
        ]
        assert of_two == (make_mention(2, "B", "id"), make_mention(2, "b"))

    def test_mentions_of_nothing_are_none_and_asking_twice_tells_once(self) -> None:
        with self.make(TENANT) as store:
            store.write(project(make_mention(1, "a")))
            with store.read() as snapshot:
                assert snapshot.names.mentions([]) == ()
                assert snapshot.names.mentions([7]) == ()
                assert snapshot.names.mentions(iter([1, 1])) == (make_mention(1, "a"),)

    def test_the_latest_that_speak_of_a_thing_come_newest_first_and_within_bounds(self) -> None:
        with self.make(TENANT) as store:
            store.write(project(*(make_mention(rid, "pump") for rid in (3, 9, 1, 7)), make_mention(8, "Pump")))
            with store.read() as snapshot:

                def rids(upto: int, keep: int) -> list[int]:
                    return [row.rid for row in snapshot.names.latest("pump", upto=upto, keep=keep)]

                assert rids(99, 99) == [9, 7, 3, 1]
                assert rids(7, 2) == [7, 3]
                assert rids(2, 9) == [1]
                assert rids(99, 0) == []
                assert snapshot.names.latest("pum", upto=99, keep=9) == ()

    def test_the_holders_of_several_things_are_the_latest_of_each(self) -> None:
        with self.make(TENANT) as store:
            store.write(project(*(make_mention(rid, "pump") for rid in (3, 9, 1)), make_mention(2, "tap")))
            with store.read() as snapshot:
                holders = snapshot.names.holders
                assert holders(("tap", "pump", "pum"), upto=99, keep=2) == {"tap": (2,), "pump": (9, 3), "pum": ()}
                assert holders(iter(("pump",)), upto=8, keep=9) == {"pump": (3, 1)}
                assert holders((), upto=99, keep=9) == {}

    def test_a_revision_speaks_of_a_thing_once(self) -> None:
        with self.make(TENANT) as store:
            store.write(project(make_mention(1, "a", "name")))
            with raises(IntegrityError):
                store.write(project(make_mention(1, "a", "id")))
            with store.read() as snapshot:
                assert list(snapshot.names.all_mentions()) == [make_mention(1, "a", "name")]

    def test_names_come_in_the_order_they_were_given_in(self) -> None:
        rows = [make_alias("c", "x", 4, doc=9), make_alias("a", "x", 4, doc=8), make_alias("b", "x", 2)]
        with self.make(TENANT) as store:
            store.write(project(*rows))
            with store.read() as snapshot:
                assert list(snapshot.names.all_aliases()) == [rows[2], rows[1], rows[0]]

    def test_an_entry_gives_a_name_once(self) -> None:
        with self.make(TENANT) as store:
            store.write(project(make_alias("a", "x", 4)))
            with raises(IntegrityError):
                store.write(project(make_alias("a", "y", 4, doc=5)))
            assert _groups(store, "a") == {"a": ("x", "a")}

    def test_all_names_of_a_thing_are_one_group_with_the_chief_first(self) -> None:
        with self.make(TENANT) as store:
            store.write(project(make_alias("pg", "postgresql", 1), make_alias("elephant", "postgresql", 2)))
            store.write(project(make_alias("zoo", "menagerie", 3)))
            group = ("postgresql", "elephant", "pg")
            assert _groups(store, "pg", "postgresql", "zoo", "unheard") == {
                "pg": group,
                "postgresql": group,
                "zoo": ("menagerie", "zoo"),
            }
            assert _groups(store, "elephant") == {"elephant": group}
            assert _groups(store, "PG", "postgres") == {}
            assert _groups(store) == {}

    def test_a_name_that_stands_alone_again_has_no_group_and_leaves_the_others_theirs(self) -> None:
        with self.make(TENANT) as store:
            store.write(project(make_alias("pg", "postgresql", 1), make_alias("elephant", "postgresql", 2)))
            store.write(project(make_alias("pg", "pg", 3)))
            assert _groups(store, "pg") == {}
            assert _groups(store, "postgresql") == {"postgresql": ("postgresql", "elephant")}

    def test_a_name_that_means_something_else_now_has_left_its_group(self) -> None:
        with self.make(TENANT) as store:
            store.write(project(make_alias("mercury", "planet", 1), make_alias("sun", "planet", 1, doc=2)))
            store.write(project(make_alias("mercury", "metal", 5)))
            assert _groups(store, "mercury", "planet", "metal") == {
                "mercury": ("metal", "mercury"),
                "planet": ("planet", "sun"),
                "metal": ("metal", "mercury"),
            }

    def test_groups_are_those_of_the_moment_asked_about(self) -> None:
        rows = (make_alias("pg", "postgresql", 3), make_alias("pg", "pg", 5), make_alias("pg", "page", 8))
        expected: dict[int, Groups] = {
            2: {},
            3: {"pg": ("postgresql", "pg"), "postgresql": ("postgresql", "pg")},
            4: {"pg": ("postgresql", "pg"), "postgresql": ("postgresql", "pg")},
            5: {},
            8: {"pg": ("page", "pg")},
        }
        with self.make(TENANT) as store:
            store.write(project(*rows))
            for as_of, groups in expected.items():
                assert _groups(store, "pg", "postgresql", as_of=as_of) == groups, as_of

    def test_a_question_of_many_thousand_names_is_answered(self) -> None:
        with self.make(TENANT) as store:
            store.write(project(make_alias("n777", "lucky", 1)))
            assert _groups(store, *(f"n{number}" for number in range(20_000))) == {"n777": ("lucky", "n777")}

    def test_no_name_is_ever_syntax(self) -> None:
        odd = ("'; DROP TABLE aliases; --", '"', "%", "_", "a\tb", "\u202e", "👩‍👩‍👧", "[1]", "null")
        with self.make(TENANT) as store:
            store.write(project(*(make_alias(name, "thing", number) for number, name in enumerate(odd, start=1))))
            store.write(project(*(make_mention(1, name) for name in odd)))
            for name in odd:
                assert _groups(store, name)[name][0] == "thing"
                with store.read() as snapshot:
                    assert [row.rid for row in snapshot.names.latest(name, upto=9, keep=9)] == [1]

    def test_names_go_with_the_projections_and_with_a_job_that_raises(self) -> None:
        def job(unit: Unit) -> None:
            unit.project((make_mention(1, "a"), make_alias("a", "b", 1)), {})
            raise ValueError

        with self.make(TENANT) as store:
            with raises(ValueError):
                store.write(job)
            assert _all(store) == (0, 0)
            store.write(project(make_card(1), make_mention(1, "a"), make_alias("a", "b", 1), texts={1: "a"}))
            assert _all(store) == (1, 1)
            store.write(lambda unit: unit.clear_projections())
            assert _all(store) == (0, 0)
            assert _groups(store, "a") == {}

    def test_a_unit_sees_the_names_it_has_just_given(self) -> None:
        row: AliasRow = make_alias("pg", "postgresql", 1)

        def job(unit: Unit) -> Groups:
            unit.project((row, make_mention(1, "pg")), {})
            assert unit.names.mentions([1]) == (make_mention(1, "pg"),)
            return unit.names.groups(["pg"], as_of=1)

        with self.make(TENANT) as store:
            assert store.write(job) == {"pg": ("postgresql", "pg")}


def _groups(store: TenantStore, *keys: str, as_of: int = 2**62) -> Groups:
    with store.read() as snapshot:
        return snapshot.names.groups(keys, as_of=as_of)


def _all(store: TenantStore) -> tuple[int, int]:
    with store.read() as snapshot:
        return len(list(snapshot.names.all_mentions())), len(list(snapshot.names.all_aliases()))
