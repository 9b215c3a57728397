"""The defects found in memledger, one test each, with us on the right side. The number is that of the analysis.

Where a defect concerns something we do not have, the nearest thing we have is held to the same promise.
"""

from __future__ import annotations

import threading
from itertools import permutations
from pathlib import Path

import pytest
from tests.cases import each
from tests.patience import WAIT_S
from tests.support.world import simulated_memory
from tests.trust.world import (
    SetClock,
    contents,
    footing,
    kept,
    open_vault,
    sentence,
    standing,
    team_policy,
    together,
    told,
    word,
)

from muniment import Memory
from muniment.model.claim import Claim
from muniment.model.claim_options import ClaimOptions
from muniment.model.errors import CallerError, Malformed, MunimentError, NotFound
from muniment.model.query import Presented
from muniment.model.status import Status
from muniment.model.vocabulary import GateFlag, Outcome, Support


def test_a_confidence_of_nothing_is_kept_as_nothing_and_filtered(vault: Path) -> None:
    """Defect 1: confidence 0.0 came back as 0.5, so that it was flagged and not filtered."""
    with open_vault(vault) as memory:
        name = kept(memory.remember("alpha", confidence=0.0))
    with open_vault(vault) as memory:
        found = memory.get(name)
        assert (found.record.claim.belief.score, found.standing.footing.effective, found.gate) == (0.0, 0.0, "FILTER")
        assert memory.recall("alpha").excluded == {"gate": 1}
        assert memory.insight.quality().worst[0].quality == 0
        assert memory.insight.quality(profile="memledger").worst[0].effective == 0.0


def test_a_weak_root_is_felt_at_every_distance(team: Memory) -> None:
    """Defect 2: a weak ancestor six or more hops away was invisible."""
    names = [kept(team.remember(sentence(0), confidence=0.05))]
    for number in range(1, 10):
        names.append(kept(team.remember(sentence(number), confidence=0.95, derived_from=names[-1:])))
    assert [footing(team, name).effective for name in names] == [0.05] * 10
    assert {team.get(name).gate for name in names} == {GateFlag.FILTER}


def test_the_order_of_parents_does_not_matter(team: Memory) -> None:
    """Defect 3: a weak ancestor two hops away was missed or found depending on the order of derived_from."""
    weak = kept(team.remember(sentence(0), confidence=0.05))
    between = kept(team.remember(sentence(1), confidence=0.9, derived_from=[weak]))
    shared = kept(team.remember(sentence(2), confidence=0.9, derived_from=[between]))
    found = [
        footing(team, kept(team.remember(sentence(10 + at), confidence=0.9, derived_from=list(order)))).effective
        for at, order in enumerate(permutations([shared, between, kept(team.remember(sentence(3), confidence=0.9))]))
    ]
    assert found == [0.05] * 6


MALFORMED: dict[str, tuple[str, dict[str, object], str]] = {
    "confidence 7.5": ("alpha", {"confidence": 7.5}, "confidence"),
    "confidence that is no number": ("alpha", {"confidence": float("nan")}, "confidence"),
    "confidence below nothing": ("alpha", {"confidence": -0.1}, "confidence"),
    "empty text": ("", {}, "content"),
    "blank text": ("  \n", {}, "content"),
    "empty namespace": ("alpha", {"namespace": ""}, "namespace"),
    "parent that is no id": ("alpha", {"derived_from": ["no such thing"]}, "derived_from[0]"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_what_makes_no_sense_is_refused_by_its_field_and_search_goes_on(team: Memory, name: str) -> None:
    """Defect 4: impossible values were accepted, and some then made every search fail."""
    content, options, field = MALFORMED[name]
    team.remember("alpha beta")
    head = team.ledger.head()
    with pytest.raises(Malformed) as refused:
        team.remember(content, **options)  # type: ignore[arg-type]  # the wrong value is the point
    assert refused.value.field == field
    assert team.ledger.head() == head
    assert contents(team.recall("alpha")) == {"alpha beta"}


def test_dangling_parents_and_circles_are_refused(team: Memory) -> None:
    """Defect 4: dangling parent ids, cycles and self-loops were accepted."""
    assert team.remember(sentence(0), derived_from=["rec_absent"]).rule == "unknown-link"
    first = kept(team.remember(sentence(1)))
    second = kept(team.remember(sentence(2), derived_from=[first]))
    for parents in ([first], [second], [second, first]):
        assert team.revise(first, sentence(3), derived_from=parents).rule == "cycle"
    assert (team.get(first).record.revision, footing(team, second).support) == (1, Support.STANDING)


FULL: ClaimOptions = {
    "confidence": 0.2,
    "hedged": True,
    "kind": "procedure",
    "reasoning": "seen twice",
    "evidence": ["log:1"],
    "assumptions": ["the host is up"],
    "entities": ["deploy", "host"],
    "importance": 0.9,
    "namespace": "/ops",
    "half_life_hours": 24.0,
}


def test_to_change_one_thing_leaves_all_others(team: Memory, clock: SetClock) -> None:
    """Defect 5: an update of metadata, a cascade's flag or a promotion erased confidence, hedge and typed fields."""
    root = kept(team.remember(sentence(0)))
    name = kept(team.remember("First stop the host, then deploy", **together(FULL, derived_from=[root])))
    before = team.get(name).record.claim
    team.review.retract(root, reason="wrong")
    clock.forward(3_600_000_000)
    team.review.sweep()
    team.review.outcome(name, "helpful")
    assert team.get(name).record.claim == before
    team.revise(name, "First stop the host, then deploy", namespace="/ops/deploy")
    after = team.get(name).record.claim
    assert (after.belief, after.nature, after.lineage, after.strength) == (
        before.belief,
        before.nature,
        before.lineage,
        before.strength,
    )
    assert (after.belief.score, after.belief.hedged) == (0.2, True)


def test_trust_can_be_lowered_and_what_says_it_did_so_did(team: Memory) -> None:
    """Defect 6: an update of confidence said yes and did nothing; no call could lower trust."""
    name = kept(team.remember("alpha", confidence=0.9))
    child = kept(team.remember("beta", confidence=0.9, derived_from=[name]))
    assert team.revise(name, "alpha", confidence=0.3).revision == 2
    assert (footing(team, name).effective, footing(team, child).effective) == (0.3, 0.3)
    assert team.recall("alpha").excluded == {"gate": 1, "superseded": 1}
    team.review.outcome(name, "misleading")
    assert footing(team, child).effective == footing(team, name).own == pytest.approx(0.24)


def test_a_conflict_is_there_wherever_one_looks(team: Memory) -> None:
    """Defect 7: a hook saw the conflict; getting and searching showed none."""
    first = kept(team.remember("The office is in Berlin"))
    verdict = team.remember("The office is in Madrid")
    conflict = verdict.conflict_ids[0]
    for name in (first, kept(verdict)):
        assert team.get(name).conflicts == (conflict,)
        assert standing(team, name).status is Status.CONTESTED
    assert {one.conflicts for one in team.recall("office").records} == {(conflict,)}
    assert [view.id for view in team.review.conflicts()] == [conflict]


def test_distinct_facts_of_one_shape_do_not_conflict(team: Memory) -> None:
    """Defect 8: 178 of 200 distinct templated facts were flagged as conflicts."""
    shapes = (
        "Service {} listens on port {}",
        "The owner of {} answers within {} minutes",
        "Host {} has {} disks",
        "The timeout of {} is {} seconds",
        "{} was deployed {} times in March",
    )
    claims = [Claim(content=shapes[at % 5].format(word(100 + at).capitalize(), 1_000 + 7 * at)) for at in range(200)]
    verdicts = team.propose(claims)
    assert [verdict.outcome for verdict in verdicts] == [Outcome.COMMITTED] * 200
    assert [verdict.conflict_ids for verdict in verdicts if verdict.conflict_ids] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The checkout cluster runs fifty replicas", "The checkout cluster is running one hundred replicas"),
        ("The API rate limit is 100 requests per minute", "The rate limit of the API is 250 requests/minute"),
        ("The importer is maintained by the platform team", "The importer is not maintained by the platform team"),
    ],
)
def test_a_reworded_contradiction_is_found_among_many_neighbours(team: Memory, old: str, new: str) -> None:
    """Defect 8: a reworded contradiction was not flagged, and only one neighbour was looked at."""
    first = kept(team.remember(old))
    for number in range(6):
        team.remember(f"The checkout importer of the API cluster has a note {word(number)} from the platform team")
    verdict = team.remember(new)
    assert first in {view.a.record.id for view in team.review.conflicts() if view.id in verdict.conflict_ids}


def at_once(jobs: list[threading.Thread]) -> None:
    for job in jobs:
        job.start()
    for job in jobs:
        job.join(timeout=WAIT_S)
    assert not any(job.is_alive() for job in jobs)


def test_the_same_said_eight_times_at_once_is_remembered_once(team: Memory) -> None:
    """Defect 8: eight concurrent identical adds made eight records and no conflict."""
    results: list[str] = []
    start = threading.Barrier(8)

    def say() -> None:
        start.wait(timeout=WAIT_S)
        results.append(team.as_actor("worker").remember(sentence(0)).outcome)

    at_once([threading.Thread(target=say) for _ in range(8)])
    assert sorted(results) == ["committed", *["refused"] * 7]
    assert team.insight.stats().current == 1


def test_newer_rows_do_not_hide_descendants(team: Memory) -> None:
    """Defect 9: cascade and lineage lost descendants once a thousand newer rows existed."""
    root = kept(team.remember(sentence(0), confidence=0.9))
    below = [kept(team.remember(sentence(at), confidence=0.9, derived_from=[root])) for at in (1, 2, 3)]
    team.propose([Claim(content=f"{sentence(1_000 + at)} in row {at}") for at in range(1_100)])
    assert {node.id for node in team.insight.lineage(root, direction="down").nodes} == {root, *below}
    team.review.retract(root, reason="wrong")
    assert {footing(team, name).support for name in below} == {Support.FALLEN}


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"kind": "gossip"}, "kind"),
        ({"memory_type": "vague"}, "memory_type"),
        ({"memory_class": "forever"}, "memory_class"),
        ({"scope": "everywhere"}, "scope"),
        ({"sensitivity": "hush"}, "sensitivity"),
        ({"relations": [("likes", "rec_1")]}, "relations[0]"),
        ({"status": "archived"}, "status"),
    ],
)
def test_a_word_that_is_none_is_never_stored(team: Memory, options: dict[str, object], field: str) -> None:
    """Defect 10: an invalid status was stored; afterwards getting the record failed, and so did its descendants."""
    root = kept(team.remember("alpha"))
    child = kept(team.remember("beta", derived_from=[root]))
    with pytest.raises(Malformed) as refused:
        team.revise(root, "gamma", **options)  # type: ignore[arg-type]  # the wrong word is the point
    assert refused.value.field == field
    with pytest.raises(Malformed):
        team.insight.foresee(root, becomes="wrong")
    assert team.get(root).standing.status is Status.ACTIVE
    assert told(team.recall("beta")) == [child]


def test_weak_and_forbidden_hits_hide_no_good_one_and_get_no_credit(team: Memory, clock: SetClock) -> None:
    """Defect 11: five weak hits hid a good sixth, and filtered rows still got access credit."""
    weak = [kept(team.remember(f"alpha alpha {word(at)}", confidence=0.1)) for at in range(5)]
    hidden = [kept(team.remember(f"alpha alpha {word(50 + at)}", sensitivity="secret")) for at in range(5)]
    good = kept(team.remember("alpha, and a good many other words that make it match less well", confidence=0.9))
    assert told(team.as_actor("worker").recall("alpha", limit=1)) == [good]
    clock.forward(1)
    team.review.sweep()
    assert standing(team, good).vigour.accesses == 1
    assert {standing(team, name).vigour.accesses for name in (*weak, *hidden)} == {0}


def test_what_is_popular_does_not_outrank_what_is_asked_for(team: Memory, clock: SetClock) -> None:
    """Defect 12: thirty recorded successes put an off-topic record above the exact answer."""
    exact = kept(team.remember("The invoice printer jams on thick paper", confidence=0.5))
    popular = kept(team.remember("The printer room has a kettle for all who wait", confidence=0.5))
    for _ in range(30):
        team.as_actor("runner").recall("kettle")
        team.review.outcome(popular, "helpful")
    clock.forward(1)
    team.review.sweep()
    assert standing(team, popular).vigour.accesses == 30
    assert told(team.recall("why does the invoice printer jam?", floor=0.0)) == [exact, popular]


def test_searches_with_the_same_hits_do_not_stand_in_each_others_way(team: Memory, clock: SetClock) -> None:
    """Defect 13: concurrent searches with overlapping hits ended in deadlock."""
    names = {kept(team.remember(f"alpha {word(at)}")) for at in range(5)}
    results: list[set[str] | MunimentError] = []
    start = threading.Barrier(40)

    def search(actor: str) -> None:
        view = team.as_actor(actor)
        start.wait(timeout=WAIT_S)
        for _ in range(3):
            try:
                results.append(set(told(view.recall("alpha"))))
            except MunimentError as error:
                results.append(error)

    at_once([threading.Thread(target=search, args=(f"agent{number}",)) for number in range(40)])
    assert results == [names] * 120
    clock.forward(1)
    team.review.sweep()
    assert {standing(team, name).vigour.accesses for name in names} == {120}
    assert team.ledger.verify().ok


HOSTILE = (
    "' OR '1'='1",
    "alpha' OR 1=1 --",
    'alpha" OR "1"="1',
    "alpha) OR (1=1",
    "alpha; DROP TABLE cards;",
    "alpha* OR secret",
    "alpha NEAR secret NOT public",
    "content:alpha",
    "{alpha} : secret",
    "^alpha secret$",
    "%' ESCAPE '%",
    "/**/UNION/**/SELECT/**/",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_words_reach_beyond_the_namespace_and_the_rights_of_the_caller(team: Memory, text: str) -> None:
    """Defect 14: filter keys were pasted into SQL and returned rows outside the namespace."""
    inside = kept(team.remember("alpha secret or union select content", namespace="/in"))
    team.remember("alpha secret or union select content drop table cards", namespace="/inner")
    team.remember("alpha secret or union select content near", namespace="/in", sensitivity="secret")
    team.remember("alpha secret or union select content apollo", namespace="/in", scope_id="apollo")
    answer = team.as_actor("worker").recall(text, namespace="/in")
    assert set(told(answer)) <= {inside}
    assert team.insight.stats().current == 4


@each("namespace", ["/in' OR '1'='1", "/in%", "/in_", "/in*", "/in' --", '/in" OR 1=1', "/IN", "/in?", "/[a-z]n"])
def test_a_hostile_namespace_is_another_namespace_and_nothing_more(team: Memory, namespace: str) -> None:
    """Defect 14: what is pasted into a pattern or a statement finds what it should not."""
    team.remember("alpha", namespace="/in")
    team.remember("alpha beta", namespace="/inner")
    assert team.recall("alpha", namespace=namespace).records == ()
    own = kept(team.remember("alpha gamma", namespace=namespace))
    assert told(team.recall("alpha", namespace=namespace)) == [own]
    assert contents(team.recall("alpha", namespace="/in")) == {"alpha"}


@pytest.mark.parametrize("key", ["tags", "1=1) OR (namespace", "scope_id'; --", "metadata.x"])
def test_a_bound_that_does_not_exist_is_refused_by_name(team: Memory, key: str) -> None:
    """Defect 14: any key was taken for a filter."""
    team.remember("alpha")
    with pytest.raises(CallerError) as refused:
        team.recall("alpha", **{key: "x"})  # type: ignore[arg-type]  # the wrong word is the point
    assert getattr(refused.value, "field", None) == key
    answer = team.recall("alpha", scope_ids=["default"])
    assert contents(answer) == {"alpha"}
    for hostile in ("default' OR '1'='1", "*", "default,other"):
        with pytest.raises(Malformed):
            team.recall("alpha", scope_ids=[hostile])


def test_a_question_leaves_what_it_was_asked_with_alone(team: Memory) -> None:
    """Defect 15: searching changed the caller's own filters."""
    team.remember("alpha")
    kinds, scope_ids, scopes = ["observation"], ["default"], ["project"]
    options = {"kinds": kinds, "scope_ids": scope_ids, "scopes": scopes, "limit": 3}
    team.recall("alpha", **options)  # type: ignore[arg-type]  # a plain dictionary is the point
    assert (kinds, scope_ids, scopes) == (["observation"], ["default"], ["project"])
    assert options == {"kinds": kinds, "scope_ids": scope_ids, "scopes": scopes, "limit": 3}


def test_nothing_is_taken_back_by_likeness(team: Memory) -> None:
    """Defect 15: to delete by description archived the nearest neighbour, whatever its distance."""
    name = kept(team.remember("alpha"))
    with pytest.raises(Malformed):
        team.review.retract("alpha beta gamma", reason="wrong")
    with pytest.raises(NotFound):
        team.review.retract("alpha", reason="wrong")
    with pytest.raises(NotFound):
        team.review.retract(name[:-1], reason="wrong")
    assert standing(team, name).status is Status.ACTIVE


def test_every_telling_is_counted_to_a_named_reader_and_what_was_told_can_be_said_again(
    team: Memory, clock: SetClock
) -> None:
    """Defect 16: readers were counted as NULL, and to add again what was just searched raised."""
    name = kept(team.remember("alpha"))
    for actor in ("worker", "runner", "worker", "tester", "worker"):
        team.as_actor(actor).recall("alpha")
    verdict = team.as_actor("worker").remember("alpha")
    assert (verdict.outcome, verdict.same_as) == (Outcome.COMMITTED, (name,))
    clock.forward(1)
    team.review.sweep()
    assert standing(team, name).vigour.accesses == 5
    with team._session.tenant.store.read() as snapshot:
        counted = {row.actor: row.count for row in snapshot.receipts.all_told()}
    assert counted == {"worker": 3, "runner": 1, "tester": 1}


def test_a_threshold_means_the_same_on_every_store(vault: Path) -> None:
    """Defect 17: 0.7 at a threshold of 0.7 was flagged on one store and passed on the other."""
    with open_vault(vault) as on_disk:
        for memory in (on_disk, simulated_memory(policy=team_policy())):
            root = kept(memory.remember("omega", confidence=0.7))
            memory.remember("alpha", confidence=0.9, derived_from=[root])
            (found,) = memory.recall("alpha", gate_min=0.7, gate_flag=0.7).records
            assert (found.gate, found.standing.footing.effective) == (GateFlag.PASS, 0.7)


def test_what_failed_before_is_found(team: Memory) -> None:
    """Defect 18: known failures were stored under one key and looked for under another, so there were never any."""
    name = kept(team.remember("Restart the importer by hand", kind="procedure"))
    team.review.outcome(name, "misleading", evidence="run:4 failed")
    (found,) = team.recall("restart importer").records
    assert found.standing.footing.misleading == 1.0
    assert [event.reason for event in team.history(name).revisions[0].events][1:] == ["run:4 failed"]
    (knower,) = team.insight.directory("importer").knowers
    assert knower.misleading == 1.0


def test_a_session_can_be_asked_within_and_a_word_that_is_none_is_named(team: Memory) -> None:
    """Defect 19: a search with a session raised a TypeError although the wrapper read that argument."""
    worker = team.as_actor("worker", session="s1")
    name = kept(worker.remember("alpha", scope="session"))
    assert told(worker.recall("alpha", scopes=["session"], scope_ids=["s1"])) == [name]
    assert team.as_actor("worker", session="s2").recall("alpha").records == ()
    with pytest.raises(Malformed) as refused:
        worker.recall("alpha", session_id="s1")  # type: ignore[call-arg]  # the unknown word is the point
    assert refused.value.field == "session_id"


def test_the_first_lines_work_as_they_stand(tmp_path: Path) -> None:
    """Defect 20: the quickstart failed on its first add, and its sample iterated what is no list."""
    memory = Memory.open(tmp_path / "muniment-data")
    memory.remember("The staging database moved to eu-west-2", kind="fact", evidence=["ticket:OPS-7"], confidence=0.9)
    answer = memory.recall("where is the staging database?", gate_min=0.4, gate_flag=0.6)
    assert [one.record.content for one in answer.records] == ["The staging database moved to eu-west-2"]
    assert [(one.gate, one.presented) for one in answer.records] == [(GateFlag.PASS, Presented.CLAIM)]
    memory.close()


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Log in with eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2Q. Then go on.", "eyJzdWIiOiIxMjM0"),
        ("The mirror is at https://robot:hunter.2.x@mirror.example.org. It is slow.", "hunter.2.x"),
        ("Pay with 4111 1111 1111 1111. It is the test card.", "4111 1111 1111 1111"),
        ("Set password=3four!one.two. Then restart.", "3four!one.two"),
    ],
)
def test_a_dot_does_not_save_a_secret(team: Memory, vault: Path, text: str, secret: str) -> None:
    """Defect 21: texts were split at dots before they were looked at, so that the rule for e-mails could not fire."""
    verdict = team.remember(text)
    assert verdict.redactions
    assert secret not in team.get(kept(verdict)).record.content
    assert all(secret.encode() not in path.read_bytes() for path in vault.rglob("*") if path.is_file())


def test_memory_about_people_is_not_kept_without_leave(team: Memory) -> None:
    """Defect 21: phones and names were stored as they came."""
    verdict = team.remember("Reachable at desk 12 in the morning", scope="x_user_identity", scope_id="subject-1")
    assert (verdict.outcome, verdict.rule) == (Outcome.REFUSED, "charter-incomplete")
