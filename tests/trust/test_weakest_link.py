"""The weakest link: a record is worth no more than the weakest thing it stands on, at any depth, at every moment."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.world import simulated_memory
from tests.trust.world import entries_since, footing, kept, open_vault, sentence, standing

from muniment import Memory
from muniment.model.claim_options import ClaimOptions
from muniment.model.value import Value

SCORES = st.sampled_from([0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.7, 0.75, 0.9, 0.95, 1.0])
CARRIERS = ("derived_from", "parent", "depends_on")


class Drawn(Value):
    """A small graph: for each record its confidence, and its parents by number with the link that leads to each."""

    scores: tuple[float, ...]
    parents: tuple[tuple[tuple[int, str], ...], ...]

    def ancestors(self, number: int) -> set[int]:
        """Everything above a record, itself included, by the plain walk."""
        return {number}.union(*(self.ancestors(parent) for parent, _ in self.parents[number]))


@st.composite
def graphs(draw: st.DrawFn) -> Drawn:
    size = draw(st.integers(2, 7))
    scores = tuple(draw(SCORES) for _ in range(size))
    parents: list[tuple[tuple[int, str], ...]] = []
    for number in range(size):
        above = draw(st.lists(st.sampled_from(range(number)), unique=True, max_size=3)) if number else []
        links = [(parent, draw(st.sampled_from(CARRIERS))) for parent in above]
        only_one = [link for link in links if link[1] == "parent"][1:]
        parents.append(tuple((p, "derived_from") if (p, t) in only_one else (p, t) for p, t in links))
    return Drawn(scores=scores, parents=tuple(parents))


def build(memory: Memory, drawn: Drawn) -> list[str]:
    names: list[str] = []
    for number, links in enumerate(drawn.parents):
        options: ClaimOptions = {
            "confidence": drawn.scores[number],
            "derived_from": [names[at] for at, type_ in links if type_ == "derived_from"],
            "parent": next((names[at] for at, type_ in links if type_ == "parent"), None),
            "relations": [("depends_on", names[at]) for at, type_ in links if type_ == "depends_on"],
        }
        names.append(kept(memory.remember(sentence(number), **options)))
    return names


def worth(memory: Memory, names: list[str]) -> list[float]:
    return [footing(memory, name).effective for name in names]


def naive(drawn: Drawn, own: list[float]) -> list[float]:
    return [min(own[one] for one in drawn.ancestors(number)) for number in range(len(own))]


@given(graphs())
def test_a_record_is_worth_the_lowest_of_itself_and_all_its_ancestors(drawn: Drawn) -> None:
    memory = simulated_memory()
    names = build(memory, drawn)
    assert worth(memory, names) == naive(drawn, list(drawn.scores))


@given(graphs(), st.data())
def test_a_revision_anywhere_moves_all_that_stands_on_it_in_the_same_entry(drawn: Drawn, data: st.DataObject) -> None:
    memory = simulated_memory()
    names = build(memory, drawn)
    own = list(drawn.scores)
    for turn in range(data.draw(st.integers(1, 3))):
        number = data.draw(st.integers(0, len(names) - 1))
        own[number] = data.draw(SCORES)
        head = memory.ledger.head().seq
        memory.revise(names[number], sentence(100 + 10 * turn + number), confidence=own[number])
        assert worth(memory, names) == naive(drawn, own)
        assert len(entries_since(memory, head)) == 1
    assert memory.ledger.verify().ok


@given(graphs(), st.data())
def test_an_outcome_anywhere_moves_all_that_stands_on_it_in_the_same_entry(drawn: Drawn, data: st.DataObject) -> None:
    memory = simulated_memory()
    names = build(memory, drawn)
    helpful, misleading = [0.0] * len(names), [0.0] * len(names)
    for _ in range(data.draw(st.integers(1, 4))):
        number, good = data.draw(st.integers(0, len(names) - 1)), data.draw(st.booleans())
        weight = data.draw(st.sampled_from([0.25, 0.5, 1.0]))
        (helpful if good else misleading)[number] += weight
        head = memory.ledger.head().seq
        memory.review.outcome(names[number], "helpful" if good else "misleading", weight=weight)
        own = [
            (4 * score + good_ones) / (4 + good_ones + bad_ones)
            for score, good_ones, bad_ones in zip(drawn.scores, helpful, misleading, strict=True)
        ]
        assert worth(memory, names) == pytest.approx(naive(drawn, own), abs=1e-8)
        assert len(entries_since(memory, head)) == 1
    assert memory.ledger.verify().ok


def test_sixty_hops_do_not_wash_a_weak_root(team: Memory) -> None:
    name = kept(team.remember(sentence(0), confidence=0.05))
    for number in range(1, 61):
        name = kept(team.remember(sentence(number), confidence=0.95, derived_from=[name]))
        assert footing(team, name).effective == 0.05
    assert team.recall(sentence(60)).records == ()
    assert team.get(name).gate == "FILTER"


def test_nothing_stays_nothing(team: Memory) -> None:
    none = kept(team.remember(sentence(0), confidence=0.0))
    on_it = kept(team.remember(sentence(1), confidence=1.0, derived_from=[none]))
    for name in (none, on_it):
        assert footing(team, name).effective == 0.0
        assert team.get(name).gate == "FILTER"
    assert footing(team, none).own == 0.0
    assert team.recall(sentence(0)).excluded == {"gate": 2}
    assert team.recall(sentence(0), gate_min=0.0, gate_flag=0.0).records[0].record.claim.belief.score == 0.0


@pytest.fixture
def line(team: Memory) -> list[str]:
    """A chain of twenty-five, all at 0.9."""
    names: list[str] = []
    for number in range(25):
        names.append(kept(team.remember(sentence(number), confidence=0.9, derived_from=names[-1:])))
    return names


def test_lowering_the_root_lowers_the_whole_chain_in_one_entry_and_raising_it_gives_it_back(
    team: Memory, line: list[str]
) -> None:
    for turn, score in enumerate((0.3, 0.9, 0.0, 0.95)):
        head = team.ledger.head().seq
        team.revise(line[0], sentence(100 + turn), confidence=score)
        assert worth(team, line) == [score, *[min(score, 0.9)] * 24]
        (entry,) = entries_since(team, head)
        changed = {change.rid for change in entry.changes}
        assert len(changed) == 25  # the old revision of the root, and the twenty-four that stand on it


def test_bad_outcomes_of_the_root_reach_the_end_of_the_chain_and_good_ones_bring_it_back(
    team: Memory, line: list[str]
) -> None:
    for _ in range(4):
        team.review.outcome(line[0], "misleading")
    assert worth(team, line) == pytest.approx([0.45] * 25)
    head = team.ledger.head().seq
    team.review.outcome(line[0], "helpful")
    assert worth(team, line) == pytest.approx([(3.6 + 1) / 9] * 25)
    (entry,) = entries_since(team, head)
    assert len(entry.changes) == 25


def test_the_middle_moves_only_what_is_below_it(team: Memory, line: list[str]) -> None:
    team.revise(line[12], sentence(100), confidence=0.35)
    assert worth(team, line) == [0.9] * 12 + [0.35] * 13


def test_replay_and_a_restart_give_the_same_worth(vault: Path) -> None:
    with open_vault(vault) as memory:
        names: list[str] = []
        for number in range(12):
            above = [names[at] for at in sorted({number // 2, number - 1}) if 0 <= at < number]
            names.append(kept(memory.remember(sentence(number), confidence=0.9 - number / 100, derived_from=above)))
        memory.revise(names[1], sentence(100), confidence=0.5)
        memory.review.outcome(names[2], "misleading", weight=0.5)
        memory.review.retract(names[5], reason="wrong")
        before = [standing(memory, name) for name in names]
        rebuilt = memory.ledger.replay()
        assert rebuilt.identical
        assert [standing(memory, name) for name in names] == before
    with open_vault(vault) as memory:
        assert [standing(memory, name) for name in names] == before
        assert memory.ledger.verify().ok
