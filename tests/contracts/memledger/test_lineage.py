"""Where records come from, what comes of them, and the audit log."""

from __future__ import annotations

from pathlib import Path

from tests.contracts.cites import cites
from tests.contracts.memledger.room import play

from muniment.contracts.strict.values import JsonObject
from muniment_memledger import (
    JsonArrayChainStore,
    Memledger,
    build_chain,
    propagate_attribution,
    truncate_chain,
)


async def chained(ml: Memledger, *confidences: float) -> list[str]:
    """A chain of records, each derived from the one before, by different agents."""
    names: list[str] = []
    for number, sure in enumerate(confidences):
        parents = names[-1:]
        text = f"Link {chr(97 + number)} of the pump story tells of part {chr(110 + number)}"
        names.append(await ml.add(text, confidence=sure, derived_from=parents, agent_id=f"agent-{number}"))
    return names


@cites("MEML-044", "MEML-045", "MEML-046")
def test_a_lineage_lists_what_was_replaced_newest_first_and_what_was_derived(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        first = await ml.add("The cache lives in Frankfurt", agent_id="ana")
        second = await ml.add("The cache lives in Dublin now", supersedes=first)
        third = await ml.add("The cache lives in Paris these days", supersedes=second, triggered_by="ticket-7")
        child = await ml.add("Latency to Paris is what matters", derived_from=[third])

        told = await ml.get_lineage(third)

        chain, derived = told["supersedes_chain"], told["derived_records"]
        assert isinstance(chain, list)
        assert isinstance(derived, list)
        assert [one["id"] for one in chain if isinstance(one, dict)] == [second, first]
        assert [one["id"] for one in derived if isinstance(one, dict)] == [child]
        assert told["confidence"] == 0.7
        assert told["triggered_by"] == "ticket-7"
        assert await ml.get_lineage("nobody") == {"error": "Record not found", "record_id": "nobody"}

    play(vault, story)


@cites("MEML-047", "MEML-048", "MEML-049", "MEML-050")
def test_the_audit_log_tells_additions_and_searches_by_record_and_as_text(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        one = await ml.add("The pump is red", agent_id="ana")
        other = await ml.add("The door is blue", agent_id="bob")
        await ml.search("pump")
        await ml.update(other, importance=0.9)

        assert [entry.record_id for entry in ml.audit.by_operation("add")] == [one, other]
        assert len(ml.audit.by_operation("search")) == 1
        assert [entry.operation for entry in ml.audit.by_record(other)] == ["add", "update"]
        assert f"ADD {one} by ana" in ml.audit.summary()
        assert len(ml.audit) == 4

    play(vault, story)


@cites("MEML-051")
def test_a_chain_of_three_names_all_agents_and_the_weakest(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        names = await chained(ml, 0.9, 0.3, 0.8)

        chain = await ml.get_attribution_chain(names[-1])

        assert (chain["chain_depth"], chain["truncated"], chain["min_confidence"]) == (3, False, 0.3)
        assert chain["agents_involved"] == ["agent-0", "agent-1", "agent-2"]

    play(vault, story)


@cites("MEML-052")
def test_of_a_chain_of_seven_five_are_listed_and_the_weakest_of_all_is_told(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        names = await chained(ml, 0.05, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9)

        chain = await ml.get_attribution_chain(names[-1])

        hops = chain["chain"]
        assert isinstance(hops, list)
        assert [hop["hop_number"] for hop in hops if isinstance(hop, dict)] == [0, 1, 2, 3, 4]
        assert (chain["chain_depth"], chain["truncated"], chain["min_confidence"]) == (6, True, 0.05)

    play(vault, story)


@cites("MEML-053")
def test_a_chain_of_five_asked_for_with_ten_hops_is_five_deep(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        names = await chained(ml, 0.9, 0.4, 0.8, 0.7, 0.6)

        chain = await build_chain(ml, names[-1], max_hops=10)

        assert (chain.chain_depth, chain.min_confidence, chain.truncated) == (5, 0.4, False)
        assert [hop.action for hop in chain.chain] == ["origin", "derived", "derived", "derived", "derived"]
        assert len(truncate_chain(chain.chain, 2)) == 2
        assert await JsonArrayChainStore(ml).min_confidence_upstream(names[-1], max_hops=1) == 0.4

    play(vault, story)


@cites("MEML-054")
def test_handing_attribution_on_adds_the_parent_as_a_hop() -> None:
    parent: JsonObject = {"source_agent_id": "ana", "confidence": 0.8, "memory_id": "m1"}

    child = propagate_attribution({**parent}, "bob", 0.9)
    grandchild = propagate_attribution({**child, "memory_id": "m2"}, "cy", 0.5)

    hop = {"memory_id": "m1", "agent_id": "ana", "confidence": 0.8, "hop_number": 0}
    assert (child["source_agent_id"], child["confidence"], child["chain"]) == ("bob", 0.9, [hop])
    assert grandchild["chain"] == [hop, {"memory_id": "m2", "agent_id": "bob", "confidence": 0.9, "hop_number": 1}]


def test_both_directions_tell_ancestors_and_descendants_each_once(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        root = await ml.add("The pump story begins")
        left = await ml.add("On the left the valve opens", derived_from=[root])
        right = await ml.add("On the right the tank fills", derived_from=[root])
        tip = await ml.add("Both together make pressure", derived_from=[left, right])

        up, down, both = [
            await ml.get_attribution_chain(left, direction, 9) for direction in ("upstream", "downstream", "both")
        ]

        def ids(chain: object) -> set[object]:
            assert isinstance(chain, list)
            return {hop["memory_id"] for hop in chain}

        assert (ids(up["chain"]), ids(down["chain"])) == ({left, root}, {left, tip})
        assert ids(both["chain"]) == {root, left, tip}
        assert [record.id for record in await ml.get_downstream(root, max_depth=1)] == [left, right]
        assert [record.id for record in await ml.get_downstream(root)] == [left, right, tip]

    play(vault, story)


def test_a_cascade_falls_as_far_as_nothing_else_holds_and_flags_the_rest(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        root, other = await ml.add("The pump story begins"), await ml.add("The door is blue")
        alone = await ml.add("So the valve opens", derived_from=[root])
        mixed = await ml.add("So the blue valve opens", derived_from=[root, other])
        below = await ml.add("And under the blue valve it drips", derived_from=[mixed], metadata={"kept": 1})

        plan = await ml.plan_cascade(root, "new-one")

        actions = plan["actions"]
        assert isinstance(actions, list)
        wanted = {alone: "auto_deprecate", mixed: "flag_for_review", below: "flag_for_review"}
        assert {one["memory_id"]: one["action"] for one in actions if isinstance(one, dict)} == wanted
        assert (plan["source_memory_id"], plan["new_memory_id"], plan["downstream_count"]) == (root, "new-one", 3)

        done = await ml.execute_cascade(plan)

        assert {key: set(names) for key, names in done.items()} == {
            "deprecated": {alone},
            "flagged": {mixed, below},
            "skipped": set(),
        }
        fallen, flagged = await ml.get(alone), await ml.get(below)
        assert fallen is not None
        assert flagged is not None
        assert fallen.status == "deprecated"
        assert flagged.metadata == {"kept": 1, "needs_review": True, "cascade_source": root}
        assert (await ml.execute_cascade(plan))["skipped"] == [alone]

    play(vault, story)


def test_attribution_tells_the_creator_and_who_was_handed_the_record(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        name = await ml.add("The pump is red", agent_id="ana")
        for who in ("bob", "bob", "cy"):
            await ml.search("pump", requester_id=who)

        told = await ml.get_attribution(name)

        users = told["users"]
        assert isinstance(users, list)
        assert [(one["agent_id"], one["count"]) for one in users if isinstance(one, dict)] == [("bob", 2), ("cy", 1)]
        assert (told["creator"], told["total_accesses"]) == ("ana", 3)
        assert await ml.get_attribution("nobody") == {"error": "memory not found"}

    play(vault, story)
