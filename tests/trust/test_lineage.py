"""Lineage: everything a record stands on and everything that stands on it, once each, and nothing that is hidden."""

from __future__ import annotations

from itertools import permutations

import pytest
from tests.trust.world import entries_since, kept, sentence

from muniment import Memory
from muniment.engine.impact import LineageView
from muniment.graph.walk import Direction, walk
from muniment.model.card import Card
from muniment.model.claim import Claim, Lineage
from muniment.model.claim_options import ClaimOptions
from muniment.model.errors import Malformed, NotFound
from muniment.model.vocabulary import Outcome, RelationType

LINKS = ("derived_from", "parent", "depends_on")


def linked(type_: str, target: str) -> ClaimOptions:
    """The options that make one link of a type."""
    if type_ == "derived_from":
        return {"derived_from": [target]}
    if type_ == "parent":
        return {"parent": target}
    if type_ == "supersedes":
        return {"supersedes": target}
    return {"relations": [(type_, target)]}


def chain(memory: Memory, length: int) -> list[str]:
    """Records that each stand on the one before."""
    names: list[str] = []
    for number in range(length):
        names.append(kept(memory.remember(sentence(number), derived_from=names[-1:])))
    return names


def diamond(memory: Memory) -> tuple[str, str, str, str]:
    """One root, two that stand on it, and one that stands on both."""
    root = kept(memory.remember(sentence(0)))
    left = kept(memory.remember(sentence(1), derived_from=[root]))
    right = kept(memory.remember(sentence(2), derived_from=[root]))
    tip = kept(memory.remember(sentence(3), derived_from=[left, right]))
    return root, left, right, tip


def names(view: LineageView) -> list[str]:
    return [node.id for node in view.nodes]


def edges(view: LineageView) -> set[tuple[str, str, str]]:
    return {(edge.source, edge.type, edge.target) for edge in view.edges}


# What is found.


def test_up_and_down_reach_any_depth_and_each_depth_is_told(team: Memory) -> None:
    line = chain(team, 40)
    up, down = team.insight.lineage(line[-1], direction="up"), team.insight.lineage(line[0], direction="down")
    assert [(node.id, node.depth) for node in up.nodes] == [(name, at - 39) for at, name in enumerate(line)]
    assert [(node.id, node.depth) for node in down.nodes] == [(name, at) for at, name in enumerate(line)]
    assert len(up.edges) == len(down.edges) == 39


@pytest.mark.parametrize("depth", [0, 1, 2, 5, 100])
def test_a_depth_that_is_asked_for_is_kept(team: Memory, depth: int) -> None:
    line = chain(team, 6)
    assert names(team.insight.lineage(line[-1], direction="up", depth=depth)) == line[max(0, 5 - depth) :]
    assert names(team.insight.lineage(line[0], direction="down", depth=depth)) == line[: depth + 1]


def test_both_is_the_union_of_up_and_down(team: Memory) -> None:
    line = chain(team, 7)
    beside = kept(team.remember(sentence(20), derived_from=[line[3], line[1]]))
    up, down, both = (team.insight.lineage(line[3], direction=direction) for direction in ("up", "down", "both"))
    assert set(names(both)) == set(names(up)) | set(names(down)) == {*line, beside}
    assert edges(both) == edges(up) | edges(down)
    assert len(names(both)) == len(set(names(both)))
    assert team.insight.lineage(line[3]) == both


def test_a_diamond_is_met_once_with_all_its_edges(team: Memory) -> None:
    root, left, right, tip = diamond(team)
    view = team.insight.lineage(tip, direction="up")
    assert [(node.id, node.depth) for node in view.nodes] == [(root, -2), (left, -1), (right, -1), (tip, 0)]
    assert edges(view) == {
        (left, "derived_from", root),
        (right, "derived_from", root),
        (tip, "derived_from", left),
        (tip, "derived_from", right),
    }
    assert names(team.insight.lineage(root, direction="down")) == [root, left, right, tip]


def test_the_order_of_parents_changes_neither_lineage_nor_worth(team: Memory) -> None:
    weak = kept(team.remember(sentence(0), confidence=0.05))
    middle = kept(team.remember(sentence(1), confidence=0.9, derived_from=[weak]))
    strong = kept(team.remember(sentence(2), confidence=0.9))
    found = []
    for number, order in enumerate(permutations([weak, middle, strong])):
        tip = kept(team.remember(sentence(10 + number), confidence=0.9, derived_from=list(order)))
        view = team.insight.lineage(tip, direction="up")
        found.append([(node.id, node.depth, node.effective) for node in view.nodes if node.id != tip])
        assert team.get(tip).standing.footing.effective == 0.05
    assert found == [found[0]] * 6


def test_a_node_tells_what_its_record_says_and_is_worth(team: Memory) -> None:
    weak = kept(team.remember(sentence(0), confidence=0.3, source_type="web"))
    tip = kept(team.remember(sentence(1), confidence=0.8, kind="risk", derived_from=[weak]))
    node = team.insight.lineage(tip, direction="up").nodes[-1]
    assert (node.id, node.content, node.kind, node.actor) == (tip, sentence(1), "risk", "owner")
    assert (node.confidence, node.effective, node.origin, node.gate) == (0.8, 0.3, "external", "FILTER")


def test_a_record_alone_is_its_own_lineage(team: Memory) -> None:
    alone = kept(team.remember(sentence(0)))
    assert (names(team.insight.lineage(alone)), team.insight.lineage(alone).edges) == ([alone], ())


def test_what_was_retracted_stays_in_the_lineage(team: Memory) -> None:
    line = chain(team, 3)
    team.review.retract(line[1], reason="wrong")
    view = team.insight.lineage(line[2], direction="up")
    assert [(node.id, node.status) for node in view.nodes] == [
        (line[0], "active"),
        (line[1], "retracted"),
        (line[2], "active"),
    ]


def test_a_revision_that_stands_on_something_else_leaves_the_old_lineage(team: Memory) -> None:
    line = chain(team, 3)
    other = kept(team.remember(sentence(10)))
    team.revise(line[2], sentence(11), derived_from=[other])
    assert names(team.insight.lineage(line[2], direction="up")) == [other, line[2]]


# Typed relations.


@pytest.mark.parametrize("type_", [type_.value for type_ in RelationType])
def test_every_relation_is_an_edge_of_its_type(team: Memory, type_: str) -> None:
    target = kept(team.remember(sentence(0)))
    source = kept(team.remember(sentence(1), relations=[(type_, target)]))
    for start in (source, target):
        assert edges(team.insight.lineage(start)) == {(source, type_, target)}
        assert edges(team.insight.lineage(start, types=[type_])) == {(source, type_, target)}
        assert edges(team.insight.lineage(start, types=["derived_from"])) == set()


def test_only_the_types_asked_for_are_followed(team: Memory) -> None:
    far = kept(team.remember(sentence(0)))
    near = kept(team.remember(sentence(1), relations=[("informs", far)]))
    tip = kept(team.remember(sentence(2), derived_from=[near], parent=far))
    assert names(team.insight.lineage(tip, direction="up", types=["derived_from"])) == [near, tip]
    assert names(team.insight.lineage(tip, direction="up", types=["parent"])) == [far, tip]
    assert edges(team.insight.lineage(tip, direction="up", types=["derived_from", "informs"])) == {
        (tip, "derived_from", near),
        (near, "informs", far),
    }


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"direction": "sideways"}, "direction"),
        ({"depth": -1}, "depth"),
        ({"depth": True}, "depth"),
        ({"types": ["gossip"]}, "types"),
        ({"types": "parent"}, "types"),
        ({"limit": 0}, "limit"),
        ({"limit": 1_001}, "limit"),
        ({"limit": True}, "limit"),
    ],
)
def test_a_wrong_question_is_refused_by_its_field(team: Memory, options: dict[str, object], field: str) -> None:
    alone = kept(team.remember(sentence(0)))
    with pytest.raises(Malformed) as refused:
        team.insight.lineage(alone, **options)  # type: ignore[arg-type]  # the wrong type is the point
    assert refused.value.field == field


# Parents that are not there, or not the proposer's to see.


@pytest.mark.parametrize("type_", [*LINKS, "supersedes", "supports", "contradicts", "caused_by"])
def test_an_unknown_and_a_forbidden_parent_are_refused_in_the_same_words(team: Memory, type_: str) -> None:
    hidden = kept(team.remember(sentence(0), sensitivity="secret"))
    worker = team.as_actor("worker")
    verdicts = [worker.remember(sentence(1), **linked(type_, name)) for name in (hidden, "rec_absent")]
    for verdict, name in zip(verdicts, (hidden, "rec_absent"), strict=True):
        assert (verdict.outcome, verdict.rule) == (Outcome.REFUSED, "unknown-link")
        assert f"{type_} {name}" in verdict.reason
    assert verdicts[0].reason.replace(hidden, "…") == verdicts[1].reason.replace("rec_absent", "…")
    assert verdicts[0].steps == tuple(
        type(step)(step=step.step, result=step.result, note=step.note.replace("rec_absent", hidden))
        for step in verdicts[1].steps
    )


def test_a_forbidden_parent_that_has_moved_on_is_still_only_unknown(team: Memory) -> None:
    hidden = kept(team.remember(sentence(0), sensitivity="secret"))
    team.review.retract(hidden, reason="wrong")
    verdict = team.as_actor("worker").remember(sentence(1), supersedes=hidden)
    assert (verdict.outcome, verdict.rule) == (Outcome.REFUSED, "unknown-link")


def test_one_unknown_parent_among_known_ones_is_named(team: Memory) -> None:
    known = kept(team.remember(sentence(0)))
    verdict = team.remember(sentence(1), derived_from=[known, "rec_absent"])
    assert (verdict.outcome, verdict.rule) == (Outcome.REFUSED, "unknown-link")
    assert "derived_from rec_absent" in verdict.reason
    assert known not in verdict.reason


# Circles.


@pytest.mark.parametrize("type_", LINKS)
@pytest.mark.parametrize("hops", [1, 2, 3])
def test_a_revision_that_would_stand_on_itself_is_refused_and_changes_nothing(
    team: Memory, type_: str, hops: int
) -> None:
    line = chain(team, hops)
    before = team.insight.lineage(line[0])
    verdict = team.revise(line[0], sentence(50), **linked(type_, line[-1]))
    assert (verdict.outcome, verdict.rule) == (Outcome.REFUSED, "cycle")
    assert f"{type_} {line[-1]}" in verdict.reason
    assert team.insight.lineage(line[0]) == before
    assert team.get(line[0]).record.revision == 1
    assert team.ledger.verify().ok


def test_a_circle_through_links_of_different_types_is_refused(team: Memory) -> None:
    first = kept(team.remember(sentence(0)))
    second = kept(team.remember(sentence(1), parent=first))
    third = kept(team.remember(sentence(2), relations=[("depends_on", second)]))
    verdict = team.revise(first, sentence(3), derived_from=[third])
    assert (verdict.outcome, verdict.rule) == (Outcome.REFUSED, "cycle")
    assert f"derived_from {third}" in verdict.reason


@pytest.mark.parametrize("hops", [1, 3])
def test_a_revision_that_echoes_what_stands_on_it_closes_no_circle(team: Memory, hops: int) -> None:
    """An echo is a link too: it is found by the engine, so it has to be looked at like one that was said."""
    worker = team.as_actor("worker")
    root = kept(worker.remember("The archive in hall seven holds paper ledgers"))
    above = root
    for number in range(hops - 1):
        above = kept(worker.remember(sentence(number), derived_from=[above]))
    child = kept(worker.remember("Visitors to the reading room must book two days ahead", derived_from=[above]))
    worker.recall("reading room visitors")
    worker.revise(root, "Note that visitors to the reading room must book two days ahead.")
    up = {node.id for node in team.insight.lineage(root, direction="up").nodes} - {root}
    assert child not in up
    team.review.retract(root, reason="wrong")
    assert team.ledger.verify().ok


def test_a_link_that_closes_no_circle_is_kept(team: Memory) -> None:
    line = chain(team, 3)
    other = kept(team.remember(sentence(10)))
    assert team.revise(line[2], sentence(11), derived_from=[line[1], other]).revision == 2


# No more than so many.


@pytest.mark.parametrize(("limit", "first", "last"), [(1, 3, 3), (2, 2, 3), (3, 2, 4), (4, 1, 4), (6, 0, 5)])
def test_with_a_limit_the_nearest_are_told_and_that_there_are_more(
    team: Memory, limit: int, first: int, last: int
) -> None:
    line = chain(team, 7)
    view = team.insight.lineage(line[3], limit=limit)
    assert names(view) == line[first : last + 1]
    assert [node.depth for node in view.nodes] == list(range(first - 3, last - 2))
    assert edges(view) == {(line[place + 1], "derived_from", line[place]) for place in range(first, last)}
    assert view.more == 1


@pytest.mark.parametrize("limit", [7, 1_000])
def test_a_limit_that_is_not_reached_changes_nothing(team: Memory, limit: int) -> None:
    line = chain(team, 7)
    assert team.insight.lineage(line[3], limit=limit) == team.insight.lineage(line[3])
    assert team.insight.lineage(line[3], depth=1, limit=3) == team.insight.lineage(line[3], depth=1)


def test_of_those_that_are_equally_far_the_oldest_are_told(team: Memory) -> None:
    ground = [kept(team.remember(sentence(number))) for number in range(3)]
    tip = kept(team.remember(sentence(3), derived_from=[ground[2], ground[0], ground[1]]))
    below = [kept(team.remember(sentence(number), derived_from=[tip])) for number in (4, 5)]
    assert names(team.insight.lineage(tip, limit=3)) == [*ground[:2], tip]
    assert names(team.insight.lineage(tip, limit=5)) == [*ground, tip, below[0]]
    assert names(team.insight.lineage(tip, direction="down", limit=2)) == [tip, below[0]]


def test_what_is_hidden_takes_no_place_and_is_not_more(team: Memory) -> None:
    root = kept(team.remember(sentence(0)))
    for number in (1, 2, 3):
        team.remember(sentence(number), derived_from=[root], sensitivity="secret")
    seen = [kept(team.remember(sentence(number), derived_from=[root])) for number in (4, 5)]
    worker = team.as_actor("worker")
    whole, part = worker.insight.lineage(root, limit=3), worker.insight.lineage(root, limit=2)
    assert (names(whole), whole.more) == ([root, *seen], 0)
    assert (names(part), part.more) == ([root, seen[0]], 1)


def test_a_walk_looks_at_no_more_of_two_thousand_than_it_may_tell(team: Memory) -> None:
    root = kept(team.remember("The archive in hall seven holds paper ledgers"))
    claims = (Claim(content=sentence(number), lineage=Lineage(derived_from=(root,))) for number in range(2_000))
    children = [kept(verdict) for verdict in team.propose(claims)]
    looked: list[str] = []

    def seen(card: Card) -> bool:
        looked.append(card.id)
        return True

    with team._session.tenant.store.read() as snapshot:
        web = walk(snapshot, root, direction=Direction.BOTH, seen=seen, limit=300)

    assert [node.card.id for node in web.nodes] == [root, *children[:299]]
    assert looked == [root, *children[:300]]
    assert (len(web.edges), web.more) == (299, 1)


# What is hidden.


def test_what_is_hidden_is_neither_shown_nor_bridged(team: Memory) -> None:
    root = kept(team.remember(sentence(0)))
    hidden = kept(team.remember(sentence(1), derived_from=[root], sensitivity="secret"))
    tip = kept(team.remember(sentence(2), derived_from=[hidden]))
    worker = team.as_actor("worker")
    for start in (root, tip):
        view = worker.insight.lineage(start)
        assert names(view) == [start]
        assert view.edges == ()
        assert hidden not in repr(view)
    assert names(team.insight.lineage(tip, direction="up")) == [root, hidden, tip]


def test_a_way_through_what_is_hidden_makes_nothing_an_ancestor(team: Memory) -> None:
    """`far` is above `tip` only through a hidden record; that both stand on `ground` does not make it so."""
    ground = kept(team.remember(sentence(0)))
    far = kept(team.remember(sentence(1), derived_from=[ground]))
    hidden = kept(team.remember(sentence(2), derived_from=[far], sensitivity="secret"))
    tip = kept(team.remember(sentence(3), derived_from=[hidden, ground]))
    worker = team.as_actor("worker")
    assert names(worker.insight.lineage(tip, direction="up")) == [ground, tip]
    assert set(names(team.insight.lineage(tip, direction="up"))) == {ground, far, hidden, tip}


def test_a_shorter_way_through_what_is_hidden_is_not_betrayed_by_the_depth(team: Memory) -> None:
    root = kept(team.remember(sentence(0)))
    first = kept(team.remember(sentence(1), derived_from=[root]))
    second = kept(team.remember(sentence(2), derived_from=[first]))
    hidden = kept(team.remember(sentence(3), derived_from=[root], sensitivity="secret"))
    tip = kept(team.remember(sentence(4), derived_from=[second, hidden]))
    depths = {node.id: node.depth for node in team.as_actor("worker").insight.lineage(tip, direction="up").nodes}
    assert depths == {tip: 0, second: -1, first: -2, root: -3}


def test_the_lineage_of_what_is_hidden_is_that_of_nothing(team: Memory) -> None:
    hidden = kept(team.remember(sentence(0), sensitivity="secret"))
    words = []
    for name in (hidden, "rec_absent"):
        with pytest.raises(NotFound) as refused:
            team.as_actor("worker").insight.lineage(name)
        words.append(str(refused.value))
    assert words[0] == words[1]


def test_lineage_asks_and_writes_nothing(team: Memory) -> None:
    line = chain(team, 3)
    head = team.ledger.head()
    team.insight.lineage(line[1])
    assert team.ledger.head() == head
    assert entries_since(team, head.seq) == ()
