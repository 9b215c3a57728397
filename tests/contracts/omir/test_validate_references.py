"""References between the entries of a bundle, and what was probably meant by one that names nothing."""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable
from types import FrameType

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.contracts.cites import cites
from tests.contracts.omir.bundles import bundle, edge, entity, episode, of, parity, record, spec, told, without

from muniment.contracts.finding import Severity
from muniment.contracts.omir.hints import NameHints, distance
from muniment.contracts.omir.report import Level, ReportStatus, ReportVerdict
from muniment.contracts.omir.validate import validate
from muniment.contracts.strict.values import Json, JsonObject

BOTH = each("verdict", list(ReportVerdict))
GHOST: Json = {"ref": "Entity/ghost-x"}
PLACES: dict[str, tuple[JsonObject, str, str]] = {
    "entityRefs of a record": (record(entityRefs=[{"ref": "Entity/a"}, GHOST]), "entityRefs/1/ref", "Entity/ghost-x"),
    "parentId": (record(parentId="ghost-x"), "parentId", "ghost-x"),
    "entityRefs of an episode": (episode("e2", entityRefs=[GHOST]), "entityRefs/0/ref", "Entity/ghost-x"),
    "from": (edge("r1", "ghost-x"), "from/ref", "Entity/ghost-x"),
    "to": (edge("r1", "a", "ghost-x"), "to/ref", "Entity/ghost-x"),
    "sourceEpisode": (edge(sourceEpisode={"ref": "Episode/ghost-x"}), "sourceEpisode/ref", "Episode/ghost-x"),
}


def _lost(report_of: ReportVerdict, *entries: Json) -> list[tuple[str, str]]:
    return of(validate(bundle(*entries), verdict=report_of), "E200", "E201")


@BOTH
@each(("one", "where", "value"), PLACES.values(), ids=PLACES.keys())
@cites("OMIR-034")
def test_a_reference_to_nothing_is_told_with_path_and_value(
    one: JsonObject, where: str, value: str, verdict: ReportVerdict
) -> None:
    found = validate(bundle(entity(), one), verdict=verdict)
    (lost,) = [told for told in found.findings if told.code == "E200"]
    assert (lost.path, lost.value, found.result) == (f"/entry/1/{where}", value, ReportStatus.FAIL)
    assert found.core_conformant is False


@BOTH
@cites("OMIR-035")
def test_a_reference_to_another_type_is_e201_and_e200_if_there_is_none(verdict: ReportVerdict) -> None:
    assert _lost(verdict, entity(), episode(), record(entityRefs=[{"ref": "Episode/e1"}])) == [
        ("E201", "/entry/2/entityRefs/0/ref")
    ]
    assert _lost(verdict, entity(), record(entityRefs=[{"ref": "Episode/a"}])) == [
        ("E200", "/entry/1/entityRefs/0/ref")
    ]
    assert _lost(verdict, entity(), edge(sourceEpisode={"ref": "Entity/a"})) == [("E201", "/entry/1/sourceEpisode/ref")]
    assert _lost(verdict, entity("m1"), record(parentId="a")) == [("E200", "/entry/1/parentId")]


@BOTH
@cites("OMIR-036")
def test_references_may_point_forward(verdict: ReportVerdict) -> None:
    entries: list[Json] = [
        edge(sourceEpisode={"ref": "Episode/e1"}),
        record("m1", parentId="m2", entityRefs=[{"ref": "Entity/a"}]),
        episode(),
        record("m2"),
        entity(),
    ]
    assert _lost(verdict, *entries) == []


@BOTH
@cites("OMIR-036")
def test_the_order_of_entries_changes_no_verdict(verdict: ReportVerdict) -> None:
    entries: list[JsonObject] = [
        *(one for one, _, _ in PLACES.values()),
        entity(),
        entity(),
        record("m7", parentId="m8"),
        record("m8", parentId="m7"),
        record("m9", importance=2),
    ]
    entries = [
        {**one, "id": f"{one['id']}-{number}"} if one["id"] != "a" else one for number, one in enumerate(entries)
    ]
    verdicts = set()
    for seed in range(10):
        random.Random(seed).shuffle(entries)
        found = validate(bundle(*entries), verdict=verdict)
        errors = tuple(sorted((one.code, re.sub("[0-9]+", "", one.path)) for one in found.findings))
        verdicts.add((found.result, found.core_conformant, found.summary.errors, errors))
    assert len(verdicts) == 1


def _hint(wanted: str, *ids: str) -> str:
    """What the message adds to a reference that names nothing."""
    found = parity(bundle(*(entity(id_) for id_ in ids), record(entityRefs=[{"ref": f"Entity/{wanted}"}])))
    (lost,) = [one for one in found.findings if one.code == "E200"]
    return lost.message.partition("did you mean ")[2]


@cites("OMIR-037")
def test_the_nearest_name_at_one_or_two_edits_is_suggested() -> None:
    assert _hint("omr", "omir") == '"Entity/omir"?'
    assert _hint("alxxe", "alice") == '"Entity/alice"?'
    assert _hint("alice", "bob", "allise", "alise") == '"Entity/alise"?'
    assert _hint("alice", "alise", "alive") == '"Entity/alise"?'
    assert _hint("alice", "axxxe") == ""
    assert _hint("ab", "cd") == ""
    assert _hint("a", "b") == ""
    assert _hint("ab", "b") == '"Entity/b"?'


@cites("OMIR-037")
def test_the_nearest_of_long_names_is_suggested_wherever_it_stands() -> None:
    name = "abcdefghijklmnopqrstuvwxyz-0123456789-ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    two, one, other = name.replace("m", "").replace("M", ""), name.replace("m", ""), name.replace("5", "6")
    assert NameHints([two, one, other, "z" + two]).nearest(name) == one
    assert NameHints([two, "z" + name + "z"]).nearest(name) == two
    assert NameHints(["zz" + two, two + "zz"]).nearest(name) is None


def _plain_distance(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, 1):
        last = row
        row = [number]
        for at, wanted in enumerate(other, 1):
            row.append(min(last[at] + 1, row[-1] + 1, last[at - 1] + (letter != wanted)))
    return row[-1]


def _plain_nearest(names: list[str], wanted: str) -> str | None:
    ranked = [(_plain_distance(name, wanted), number) for number, name in enumerate(names)]
    near = [
        (edits, number) for edits, number in ranked if 0 < edits <= 2 and edits < max(len(names[number]), len(wanted))
    ]
    return names[min(near)[1]] if near else None


WORDS = st.text("ab1", max_size=9)


@given(WORDS, WORDS)
def test_the_distance_is_that_of_the_textbook_up_to_two(one: str, other: str) -> None:
    assert distance(one, other) == min(3, _plain_distance(one, other))


@given(st.lists(WORDS.filter(bool), min_size=1, max_size=40), st.sampled_from(["", "ent-", "0123456789abcdef"]), WORDS)
@cites("OMIR-037")
def test_the_suggestion_is_that_of_comparing_with_every_name(names: list[str], begin: str, rest: str) -> None:
    known = [begin + name for name in names]
    for wanted in (begin + rest, rest, begin[1:] + rest):
        assert NameHints(known).nearest(wanted) == _plain_nearest(known, wanted)


def _calls(work: Callable[[], object]) -> int:
    """How many functions are called while something is done."""
    count = 0

    def called(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@cites("OMIR-038")
def test_suggestions_for_many_lost_references_cost_no_more_per_reference_in_a_larger_bundle() -> None:
    def work(size: int) -> Callable[[], object]:
        ids = [f"ent-{number:06}" for number in range(size)]
        wanted = [f"ent-{number:06}x" for number in range(size, size + size // 10)]

        def ask() -> None:
            names = NameHints(ids, questions=len(wanted))
            for one in wanted:
                names.nearest(one)

        return ask

    small, large = _calls(work(2_000)), _calls(work(20_000))
    assert large < 12 * small


@cites("OMIR-037", "OMIR-038")
def test_of_very_many_lost_references_each_is_still_told_a_name_at_one_edit() -> None:
    ids = [f"ent-{number:06}" for number in range(4_000)]
    names = NameHints(ids, questions=2_000)
    lost = [f"ent-{number:06}x" for number in range(2_000)]
    assert [names.nearest(one) for one in lost] == ids[:2_000]
    assert NameHints(ids, questions=2_000).nearest("ent-00x99") == "ent-000099"


@cites("OMIR-039")
def test_competitors_are_followed() -> None:
    def competing(ref: str) -> bytes:
        return bundle(entity(), record("m1", interference={"competesWith": [{"ref": ref}]}), record("m2"))

    where = "/entry/1/interference/competesWith/0/ref"
    assert of(spec(competing("MemoryRecord/m2")), "E200", "E201", "W205") == []
    assert of(spec(competing("MemoryRecord/m3")), "E200", "E201", "W205") == [("E200", where)]
    assert of(spec(competing("Entity/a")), "E200", "E201", "W205") == [("E201", where)]
    assert of(spec(competing("MemoryRecord/m1")), "E200", "E201", "W205") == [("W205", where)]
    for ref in ("MemoryRecord/m3", "Entity/a", "MemoryRecord/m1"):
        assert parity(competing(ref)).result is ReportStatus.PASS
    assert spec(competing("MemoryRecord/m3")).result is ReportStatus.FAIL


@cites("OMIR-040")
def test_a_record_that_is_its_own_ancestor_is_told() -> None:
    alone = bundle(record("m1", parentId="m1"), record("m2", parentId="m1"))
    assert of(spec(alone), "E203") == [("E203", "/entry/0/parentId")]
    circle = bundle(record("m0", parentId="m1"), *(record(f"m{n}", parentId=f"m{n % 3 + 1}") for n in (1, 2, 3)))
    assert of(spec(circle), "E203") == [("E203", f"/entry/{number}/parentId") for number in (1, 2, 3)]
    for data, sub in ((alone, "self"), (circle, "cycle")):
        assert (spec(data).result, parity(data).result) == (ReportStatus.FAIL, ReportStatus.PASS)
        assert {one.sub for one in spec(data).findings if one.code == "E203"} == {sub}


@cites("OMIR-040")
def test_a_record_without_an_id_is_nobodys_ancestor() -> None:
    nameless = without(record(parentId=""), "id")
    for data in (bundle(nameless), bundle({**nameless, "id": 5}), bundle(nameless, record("m1", parentId="m1"))):
        assert ("E200", "/entry/0/parentId") in told(spec(data))
    assert of(spec(bundle(nameless, record("m1", parentId="m1"))), "E203") == [("E203", "/entry/1/parentId")]
    twice = bundle(record("m1", parentId="m2"), record("m2"), record("m2", parentId="m1"))
    assert of(spec(twice), "E203", "W202") == [("W202", "/entry/2/id")]


@cites("OMIR-040")
def test_more_than_a_hundred_ancestors_warn_and_a_tree_does_not() -> None:
    line = [record("m0"), *(record(f"m{number}", parentId=f"m{number - 1}") for number in range(1, 151))]
    assert of(spec(bundle(*line[:101])), "W204", "E203") == []
    assert of(spec(bundle(*line)), "W204", "E203") == [("W204", "/entry/101/parentId")]
    assert of(spec(bundle(*reversed(line))), "W204", "E203") == [("W204", "/entry/49/parentId")]


@BOTH
@cites("OMIR-041")
def test_what_looks_like_a_reference_elsewhere_is_none(verdict: ReportVerdict) -> None:
    ghost: Json = {"ref": "Entity/ghost"}
    data = bundle(
        entity("a", attributes={"ref": "Entity/ghost"}, extension=[{"url": "x:y", "valueJson": ghost}]),
        episode("e1", metadata={"ref": "Entity/ghost"}),
        record(extension=[{"url": "x:y", "valueJson": {"entityRefs": [ghost], "parentId": "ghost"}}]),
    )
    assert validate(data, verdict=verdict).result is ReportStatus.PASS


@cites("OMIR-042")
def test_what_nothing_refers_to_is_told_as_information() -> None:
    data = bundle(
        entity("a"),
        entity("b"),
        episode("e1"),
        episode("e2"),
        edge("r1", "a", "a", sourceEpisode={"ref": "Episode/e1"}),
    )
    assert told(spec(data)) == [("I206", "/entry/1"), ("I207", "/entry/3")]
    assert {one.severity for one in spec(data).findings} == {Severity.INFO}
    assert spec(data, Level.STRICT).result is ReportStatus.PASS
    assert told(spec(bundle(entity("a", salience=2)))) == [("E120", "/entry/0/salience")]


@cites("OMIR-017")
def test_two_resources_of_one_type_and_id_warn_at_core_and_fail_at_strict() -> None:
    data = bundle(entity("a"), record(entityRefs=[{"ref": "Entity/a"}]), entity("a"), entity("a"))
    core, strict = parity(data), parity(data, Level.STRICT)
    assert told(core) == told(strict) == [("W202", "/entry/2/id"), ("W202", "/entry/3/id")]
    assert (core.result, core.core_conformant, core.findings[0].severity) == (ReportStatus.PASS, True, Severity.WARNING)
    assert (strict.result, strict.core_conformant, strict.findings[0].severity) == (
        ReportStatus.FAIL,
        True,
        Severity.ERROR,
    )


@cites("OMIR-017")
def test_the_text_fails_two_resources_of_one_type_and_id() -> None:
    found = spec(bundle(record("m1"), record("m1")))
    assert (found.result, found.core_conformant) == (ReportStatus.FAIL, False)
    assert told(found) == [("W202", "/entry/1/id")]
