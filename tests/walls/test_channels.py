"""What leaks without being said: counts, pages, tags, keys and names that are taken, with and without another side."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.cases import each
from tests.walls.asking import heard, other_id, plain, row
from tests.walls.canaries import spoken, word
from tests.walls.cells import Property, told
from tests.walls.rows import ROWS
from tests.walls.served import ServedWorld, served_world
from tests.walls.world import ANA, POLICY, TEAM, World

from muniment import Memory

_UNNAMED = (
    "attune",
    "insight.browse",
    "review.conflicts",
    "insight.directory",
    "insight.entity",
    "insight.namespaces",
    "insight.quality",
    "review.queue",
    "recall",
    "insight.stats",
)
SAID = ("the pump leaks oil", "a valve was stuck", "every tank rusts", "old gauges tell lies")
_MORE = (
    "review.quarantined",
    "insight.searching",
    "imports.preview",
    "erasure.holds",
    "erasure.certificates",
    "review.sweep",
    "erasure.withdraw",
    "review.alias",
)


@pytest.fixture(scope="module")
def around(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedWorld]:
    with served_world(tmp_path_factory.mktemp("channels")) as found:
        yield found


def _quiet(folder: Path, *, loud: bool) -> list[str]:
    """Everything that Bob is told without naming anything: where he is alone, or where another team does all it can."""
    folder.mkdir()
    Memory.open(folder, tenant="acme", embedder=None).close()
    (folder / "policy.yaml").write_text(POLICY)
    with Memory.open(folder, tenant="acme", embedder=None) as owner:
        world = World(folder, owner, owner)
        bob = owner.as_actor("bob")
        for said in SAID:
            bob.remember(said, scope="project", scope_id="shared", confidence=0.8)
            if loud:
                _make_noise(owner, said)
        waiting = bob.remember("let us buy a pump", kind="decision", scope="project", scope_id="shared")
        assert waiting.outcome == "held"
        told = [heard(world, "bob", method, row(method)).text for method in (*_UNNAMED, *_MORE)]
        return [plain(one) for one in told]


def _make_noise(owner: Memory, same: str) -> None:
    """The same words as Bob's, in records, drafts, proposals, disputes, names, holds and erasures of others."""
    ana = owner.as_actor(ANA)
    said = {"scope": "agent_team", "scope_id": TEAM, "confidence": 0.8}
    kept = ana.remember(f"{same} as we know", **said).record_id  # type: ignore[arg-type]
    ana.remember(f"{same} badly", draft=True, **said)  # type: ignore[arg-type]
    ana.remember(f"{same} and must go", kind="decision", **said)  # type: ignore[arg-type]
    for value in ("red", "blue"):
        ana.remember(f"{same} {value}", subject=same, key="colour", value=value, **said)  # type: ignore[arg-type]
    gone = ana.remember(f"{same} in vain", **said).record_id  # type: ignore[arg-type]
    assert kept is not None
    assert gone is not None
    ana.recall("pump", limit=50)
    owner.erasure.hold(kept, reason="case")
    owner.forget(gone, reason="asked")
    owner.review.quarantine(kept, reason="odd")
    owner.review.alias(f"machine {len(same)}", f"engine {len(same)}")


def test_what_an_outsider_is_told_is_the_same_whether_or_not_there_is_another_side(
    tmp_path: Path, record_property: Property
) -> None:
    """Answers, orders, scores, counts, totals and quality. Only positions and moments may differ: whoever shares a
    ledger can see that it grows."""
    alone, beside = _quiet(tmp_path / "alone", loud=False), _quiet(tmp_path / "beside", loud=True)
    methods = (*_UNNAMED, *_MORE)
    differ = [
        f"{name}: {one[:300]} is not {other[:300]}"
        for name, one, other in zip(methods, alone, beside, strict=True)
        if one != other
    ]
    told(record_property, "channels, with and without", len(methods), differ)
    assert set(methods) <= ROWS.keys()


def test_a_cursor_of_one_caller_tells_nothing_to_another(around: ServedWorld) -> None:
    ana, bob = around.clients[ANA], around.clients["bob"]
    first = ana.get("/api/records", params={"limit": 2})
    cursor = first.json()["next"]
    assert cursor is not None
    for caller in ("bob", "nat", "eve"):
        answer = around.clients[caller].get("/api/records", params={"limit": 50, "cursor": cursor})
        assert [one for one in around.world.canaries.found_in(answer.text) if one != "id of plain"] == []
    assert bob.get("/api/records").status_code == 200


def test_a_tag_tells_nothing_of_a_hidden_record(around: ServedWorld) -> None:
    name = around.world.canaries.ids["record"]["plain"]
    tag = around.clients[ANA].get(f"/api/records/{name}").headers["etag"]
    for head in ({"If-None-Match": tag}, {"If-None-Match": "*"}, {"If-Match": tag}):
        told = [
            (answer.status_code, answer.text.replace(asked, "ID"), answer.headers.get("etag"))
            for asked in (name, other_id(name))
            for answer in (around.clients["bob"].get(f"/api/records/{asked}", headers=head),)
        ]
        assert told[0] == told[1]
        assert told[0][0] == 404


def test_an_idempotency_key_is_its_callers_own(around: ServedWorld) -> None:
    """The same key in another's hand neither repeats an answer nor is refused as taken."""
    head = {"Idempotency-Key": "monday-1"}
    for content, caller in (("the tank is full", ANA), ("the tank is empty", "bob"), ("the tank is gone", "eve")):
        body = {"content": content, "scope": "project", "scope_id": "shared"}
        answer = around.clients[caller].post("/api/memories", json=body, headers=head)
        assert answer.status_code in (200, 201, 202), answer.text
        assert "Idempotency-Replayed" not in answer.headers
    for caller in (ANA, "bob"):
        answer = around.clients[caller].post("/api/records/none/retraction", json={"reason": caller}, headers=head)
        assert answer.json()["code"] == "not_found"


def test_denied_calls_are_counted_alike(around: ServedWorld) -> None:
    """Heads that say how much is left move by one for each request, whatever it asked for."""
    name = around.world.canaries.ids["record"]["draft"]
    left = [_left(around.clients["nat"].get(f"/api/records/{one}")) for one in (name, other_id(name))]
    assert left[0].keys() == left[1].keys()


def _left(answer: httpx.Response) -> dict[str, str]:
    return {head: value for head, value in answer.headers.items() if "limit" in head or "retry" in head}


@each("method", ["remember", "revise", "review.promote", "propose", "review.outcome"])
def test_that_a_name_for_a_proposal_is_taken_is_all_that_it_tells(world: World, method: str) -> None:
    """Known and said in SECURITY.md: names for proposals are shared by a tenant, so one that is taken is refused. Not
    by whom, when, for what, or what became of it: every one of them gets the same words."""
    told = set()
    for name in world.canaries.ids["proposal"].values():
        one = heard(world, "bob", method, row(method, proposal_id=name))
        assert world.canaries.found_in(one.text, asked=[name]) == []
        told.add((one.code, plain(one.text, name)))
    assert [code for code, _ in told] == ["malformed"]


def test_the_search_would_find_what_it_looks_for(world: World) -> None:
    """Whoever may see everything is told words and ids by the hundred."""
    records = list(
        world.ours.insight.browse(statuses=["active", "draft", "held", "contested", "superseded", "retracted"])
    )
    found = world.canaries.found_in(spoken([records, world.ours.erasure.holds(), world.ours.erasure.certificates()]))
    assert {"plain/second", "id of plain", "hold/reason", "certificate/reason", "quarantined/content"} <= set(found)
    assert len(found) > 200
    assert word("plain/content") not in world.canaries.ids


def test_what_others_keep_apart_cannot_be_found_out_by_proposing_it(world: World) -> None:
    """A text that is in quarantine elsewhere is taken like any other."""
    secret = world.ours.get(world.canaries.ids["record"]["quarantined"]).record.content
    told = []
    for text in (secret, f"the pump of {word('nothing')} leaks"):
        one = heard(world, "bob", "remember", row("remember", content=text, scope="project", scope_id="shared"))
        told.append(plain(one.text))
    assert told[0] == told[1]


def test_how_rare_a_word_is_in_the_tenant_is_all_that_scores_tell_of_others(tmp_path: Path) -> None:
    """Known and said in SECURITY.md: words are weighed by how rare they are in the whole tenant. Nobody of another
    tenant can feel it, and no answer, order by itself, count or reason differs by it."""
    felt = []
    for number, place in enumerate(("alone", "beside", "elsewhere")):
        folder = tmp_path / place
        Memory.open(folder, tenant="acme", embedder=None).close()
        (folder / "policy.yaml").write_text(POLICY)
        with (
            Memory.open(folder, tenant="acme", embedder=None) as owner,
            Memory.open(folder, tenant="rival", embedder=None) as rival,
        ):
            bob, others = owner.as_actor("bob"), (None, owner.as_actor(ANA), rival)[number]
            for line in range(30):
                bob.remember(f"line {line} of sheet{line}", scope="project", scope_id="shared")
                if others is not None:
                    others.remember(f"merger {line} of firm{line}", scope="agent_team", scope_id=TEAM)
            for said in ("merger of teapots", "teapots are blue and round"):
                bob.remember(said, scope="project", scope_id="shared")
            found = bob.recall("merger teapots", floor=0.0)
            told = [(one.record.content, one.reasons[0]) for one in found.records]
            felt.append((told, found.considered, found.excluded, [one.parts for one in found.records]))
    alone, beside, elsewhere = felt
    assert elsewhere == alone
    assert beside[:3] == alone[:3]
