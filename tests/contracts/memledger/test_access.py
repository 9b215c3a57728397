"""The access rules: the same decisions on every method, on whole parts of a path and all that is below."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.cases import each
from tests.contracts.cites import cites, diverges
from tests.contracts.memledger.room import play

from muniment_memledger import (
    AccessRule,
    Memledger,
    MemoryRecord,
    NamespaceAccessDenied,
    NamespacePolicy,
    NamespaceRBAC,
    SearchResult,
    SemanticRecord,
)

SECRET = "The salaries rise in May"
HR = "/sensitive/hr"


def rules() -> NamespaceRBAC:
    """HR may read and write its own; auditors may read it; nobody else anything there."""
    found = NamespaceRBAC()
    own = AccessRule("hr-*", {"read", "write"})
    found.set_policy(NamespacePolicy(HR, [own, AccessRule("audit", {"read"})], default_permissions=set()))
    return found


async def secret(ml: Memledger) -> str:
    return await ml.add(SECRET, namespace=f"{HR}/salaries", agent_id="hr-bot", session_id="s1")


@cites("MEML-064")
def test_without_access_rules_nothing_is_checked(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        name = await secret(ml)
        record = await ml.get(name, requester_id="anybody")
        assert record is not None
        assert [found.id for found in await ml.search("salaries", requester_id="anybody")] == [name]

    play(vault, story)


@diverges("MEML-065")
def test_a_caller_without_an_agent_id_is_not_checked(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        denied = None
        try:
            await ml.add("Anybody may write this", namespace=HR)
        except NamespaceAccessDenied as error:
            denied = error
        assert denied is None

    play(vault, story, rbac=rules())


@cites("MEML-066")
def test_a_forbidden_write_raises_with_the_decision(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        with pytest.raises(NamespaceAccessDenied) as denied:
            await ml.add("Raise me too", namespace=HR, agent_id="dev-bot")

        decision = denied.value.decision
        assert (decision.allowed, decision.agent_id, decision.namespace) == (False, "dev-bot", HR)
        assert (decision.operation, decision.matched_rule) == ("write", "default")
        assert isinstance(denied.value, PermissionError)
        assert [entry.agent_id for entry in ml.audit.by_operation("rbac_denied")] == ["dev-bot"]
        assert ml.memory.insight.stats().current == 0

    play(vault, story, rbac=rules())


@cites("MEML-067")
def test_an_allowed_write_passes(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        assert await secret(ml)
        assert await ml.add("The canteen is open", namespace="/canteen", agent_id="dev-bot")

    play(vault, story, rbac=rules())


@cites("MEML-068", "MEML-069")
def test_reading_is_filtered_by_who_asks(vault: Path) -> None:
    async def story(ml: Memledger) -> dict[str, list[str]]:
        await secret(ml)
        await ml.add("The salaries page is on the intranet", namespace="/public", agent_id="dev-bot")
        found = {}
        for who in ("hr-bot", "audit", "dev-bot"):
            answer = await ml.search("salaries", requester_id=who, top_k=10)
            found[who] = sorted(record.namespace for record in answer)
        assert len(ml.audit.by_operation("rbac_filtered_read")) == 1
        return found

    both = ["/public", "/sensitive/hr/salaries"]
    assert play(vault, story, rbac=rules()) == {"hr-bot": both, "audit": both, "dev-bot": ["/public"]}


Look = Callable[[Memledger, str, str], Awaitable[object]]
LOOKS: dict[str, Look] = {
    "get": lambda ml, name, who: ml.get(name, requester_id=who),
    "get by description": lambda ml, name, who: ml.get(description=SECRET, requester_id=who),
    "search": lambda ml, name, who: _listed(ml.search("salaries", requester_id=who)),
    "search_hybrid": lambda ml, name, who: _listed(ml.search_hybrid("salaries", requester_id=who)),
    "recall_context": lambda ml, name, who: _recalled(ml, who),
    "get_by_session": lambda ml, name, who: ml.get_by_session("s1", requester_id=who),
    "get_by_timerange": lambda ml, name, who: ml.get_by_timerange("2000-01-01", "2999-01-01", requester_id=who),
    "get_stale": lambda ml, name, who: ml.get_stale(0, requester_id=who),
    "get_by_status": lambda ml, name, who: ml.get_by_status("active", requester_id=who),
    "list_namespaces": lambda ml, name, who: ml.list_namespaces(requester_id=who),
    "get_downstream": lambda ml, name, who: ml.get_downstream(name, requester_id=who),
    "stats": lambda ml, name, who: _counted(ml, who),
    "get_lineage": lambda ml, name, who: _unless_error(ml.get_lineage(name, requester_id=who)),
    "get_attribution": lambda ml, name, who: _unless_error(ml.get_attribution(name, requester_id=who)),
    "get_attribution_chain": lambda ml, name, who: _hops(ml, name, who),
    "plan_cascade": lambda ml, name, who: _planned(ml, name, who),
}


async def _listed(answer: Awaitable[SearchResult]) -> list[MemoryRecord]:
    return [*await answer]


async def _recalled(ml: Memledger, who: str) -> bool:
    return (await ml.recall_context("salaries drama", requester_id=who)).has_results


async def _counted(ml: Memledger, who: str) -> object:
    return (await ml.stats(requester_id=who))["total_count"]


async def _unless_error(answer: Awaitable[object]) -> bool:
    told = await answer
    assert isinstance(told, dict)
    return "error" not in told


async def _hops(ml: Memledger, name: str, who: str) -> object:
    return (await ml.get_attribution_chain(name, requester_id=who))["chain"]


async def _planned(ml: Memledger, name: str, who: str) -> object:
    return (await ml.plan_cascade(name, requester_id=who))["downstream_count"]


@pytest.mark.parametrize("look", LOOKS)
def test_no_way_of_looking_tells_what_the_rules_keep_from_the_caller(look: str, vault: Path) -> None:
    async def story(ml: Memledger) -> tuple[object, object, object]:
        name = await secret(ml)
        await ml.add(
            "So the drama over salaries began",
            namespace=HR,
            agent_id="hr-bot",
            derived_from=[name],
            record_type="episodic",
        )
        ask = LOOKS[look]
        return await ask(ml, name, "hr-bot"), await ask(ml, name, "dev-bot"), await ask(ml, name, "")

    insider, stranger, nobody = play(vault, story, rbac=rules())

    assert insider
    assert not stranger
    assert not nobody


Deed = Callable[[Memledger, str, str], Awaitable[object]]
DEEDS: dict[str, Deed] = {
    "update": lambda ml, name, who: ml.update(name, importance=0.9, requester_id=who),
    "delete": lambda ml, name, who: ml.delete(name, requester_id=who),
    "record_outcome": lambda ml, name, who: ml.record_outcome(name, False, requester_id=who),
    "bulk_update_status": lambda ml, name, who: ml.bulk_update_status([name], "deprecated", requester_id=who),
    "bulk_archive": lambda ml, name, who: ml.bulk_archive([name], requester_id=who),
    "supersede": lambda ml, name, who: ml.add("The salaries fall", agent_id=who, supersedes=name),
    "add_record": lambda ml, name, who: ml.add_record(SemanticRecord(content="x y", namespace=HR, agent_id=who)),
    "overwrite": lambda ml, name, who: ml.add("Nothing to see", record_id=name, agent_id=who),
    "ingest": lambda ml, name, who: ml.ingest(
        "The board always decides on pay.", agent_id=who, namespace=HR, strategy="deterministic"
    ),
    "execute_cascade": lambda ml, name, who: ml.execute_cascade(
        {"actions": [{"memory_id": name, "action": "auto_deprecate"}]}, requester_id=who
    ),
}


@each("deed", DEEDS)
def test_no_way_of_writing_gets_past_the_rules(deed: str, vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        name = await secret(ml)
        before = ml.memory.ledger.head().seq

        for who in ("audit", "dev-bot"):
            try:
                answer = await DEEDS[deed](ml, name, who)
            except NamespaceAccessDenied:
                continue
            assert answer in (False, 0, "", {"deprecated": [], "flagged": [], "skipped": [name]})

        assert ml.memory.ledger.head().seq == before
        assert await DEEDS[deed](ml, name, "hr-bot")
        assert ml.memory.ledger.head().seq > before

    play(vault, story, rbac=rules())


def test_standing_on_what_one_may_not_read_is_refused(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        name = await secret(ml)
        with pytest.raises(NamespaceAccessDenied):
            await ml.add("I heard pay rises", agent_id="dev-bot", derived_from=[name])

    play(vault, story, rbac=rules())


def test_an_identity_given_at_construction_is_who_asks(vault: Path) -> None:
    async def story(ml: Memledger) -> str:
        name = await ml.add(SECRET, namespace=HR)
        record = await ml.get(name)
        assert record is not None
        return str(record.created_by)

    assert play(vault, story, rbac=rules(), identity="hr-clerk") == "hr-clerk"


@each(
    ("namespace", "governed"),
    [(HR, True), (f"{HR}/", True), (f"{HR}/salaries", True), ("/sensitive/hrx", False), ("/sensitive", False)],
)
def test_a_policy_covers_its_path_and_what_is_below_by_whole_parts(namespace: str, governed: bool) -> None:
    assert rules().check_access("dev-bot", namespace, "read").allowed is not governed


def test_the_deepest_policy_decides_and_a_pattern_stands_for_one_part() -> None:
    found = rules()
    found.set_policy(NamespacePolicy("/sensitive/*/public", default_permissions={"read"}))

    assert found.check_access("dev-bot", f"{HR}/public/menu").allowed
    assert not found.check_access("dev-bot", f"{HR}/public/menu", "write").allowed
    assert not found.check_access("dev-bot", f"{HR}/a/public").allowed


def test_what_no_policy_covers_can_be_denied() -> None:
    assert NamespaceRBAC().check_access("ana", "/x", "write").allowed
    assert not NamespaceRBAC(deny_unmatched=True).check_access("ana", "/x", "read").allowed


def test_what_is_unsure_is_kept_from_agents_that_no_rule_names(vault: Path) -> None:
    lab = NamespaceRBAC()
    own = AccessRule("lab-*", {"read", "write"})
    lab.set_policy(NamespacePolicy("/lab", [own], min_confidence_for_cross_read=0.7))

    async def story(ml: Memledger) -> list[list[float]]:
        for sure in (0.6, 0.7):
            await ml.add(f"The sample weighs {sure} grams", namespace="/lab", agent_id="lab-bot", confidence=sure)
        asked = [await ml.search("sample weighs", requester_id=who) for who in ("lab-bot", "dev-bot")]
        return [sorted(record.confidence for record in answer) for answer in asked]

    assert play(vault, story, rbac=lab) == [[0.6, 0.7], [0.7]]


def test_a_conflict_does_not_tell_the_side_that_the_caller_may_not_read(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        pay = await ml.add("The bonus is 500 euros", namespace=HR, agent_id="hr-bot")
        said = ml.memory.remember("The bonus is 900 euros", namespace="/public", relations=[("contradicts", pay)])
        name = said.record_id

        insider, stranger = [await ml.get(name, requester_id=who) for who in ("hr-bot", "dev-bot")]

        assert insider is not None
        assert stranger is not None
        assert [ref.existing_content for ref in insider.conflicts] == ["The bonus is 500 euros"]
        assert stranger.conflicts == []

    play(vault, story, rbac=rules())


PATHS = ("/", "/a", "/a/b", "/a/x/c", "/a/x/y/c", "/a/secret", "/b/secrets/c", "/ab")


@each(
    ("pattern", "covered"),
    [
        ("*", PATHS),
        ("/*", PATHS),
        ("/", PATHS),
        ("/a", PATHS[1:6]),
        ("a//", PATHS[1:6]),
        ("/a/*/c", ("/a/x/c", "/a/x/y/c")),
        ("/*secret*", ("/a/secret", "/b/secrets/c")),
        ("/a?", ("/ab",)),
        ("/[ab]", PATHS[1:7]),
    ],
)
def test_a_policy_that_denies_covers_all_that_its_pattern_says_and_what_is_below(
    pattern: str, covered: tuple[str, ...]
) -> None:
    found = NamespaceRBAC()
    found.set_policy(NamespacePolicy(pattern, default_permissions=set()))

    assert tuple(path for path in PATHS if not found.check_access("ana", path).allowed) == covered


def test_a_pattern_across_parts_takes_away_and_never_gives() -> None:
    found = NamespaceRBAC()
    found.set_policy(NamespacePolicy("/a", default_permissions={"read"}))
    found.set_policy(NamespacePolicy("/*secret*", default_permissions=set()))
    found.set_policy(NamespacePolicy("/hr", default_permissions=set()))
    found.set_policy(NamespacePolicy("/*/open", default_permissions={"read", "write"}))

    assert found.check_access("ana", "/a/b").allowed
    assert not found.check_access("ana", "/a/my-secrets").allowed
    assert found.check_access("ana", "/hr/open").allowed
    assert not found.check_access("ana", "/hr/x/open").allowed


@pytest.mark.parametrize("odd", [f"{HR}/a\tb", f"{HR}/{'long' * 60}", f"{HR}//x/", f" {HR} /./x", f"{HR}/../x"])
def test_no_spelling_of_a_path_leads_out_of_a_policys_reach(odd: str, vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        with pytest.raises(NamespaceAccessDenied):
            await ml.add("Mine", namespace=odd, agent_id="dev-bot")
        name = await ml.add(SECRET, namespace=odd, agent_id="hr-bot")
        assert name
        assert await ml.get(name, requester_id="hr-bot") is not None
        assert await ml.get(name, requester_id="dev-bot") is None
        assert len(await ml.search("salaries", requester_id="dev-bot")) == 0
        assert await ml.add(f"{SECRET}, it is said", namespace="/talk", agent_id="dev-bot")
        (talk,) = await ml.search("salaries", requester_id="dev-bot")
        assert talk.conflicts == []

    play(vault, story, rbac=rules())
