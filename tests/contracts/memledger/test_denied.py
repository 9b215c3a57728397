"""Whoever the access rules give nothing gets nothing: every public method is called in their name, and of what is not
theirs no word comes back, no count moves and nothing changes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
import pytest
from tests.contracts.memledger.room import play

from muniment.model.errors import MunimentError
from muniment_memledger import (
    AccessRule,
    EpisodicRecord,
    Memledger,
    MemoryRecord,
    NamespaceAccessDenied,
    NamespacePolicy,
    NamespaceRBAC,
    SemanticRecord,
)

SECRET, STEPS = "The zeppelin fund pays out in May", "After the zeppelin fund paid out all was well"
WORDS = re.compile(r"zeppelin|vault-of-hr|hr-bot|quokka", re.IGNORECASE)
"""Words that only the forbidden records, their place, their author and their metadata hold."""
HR, EVE = "/vault-of-hr", "eve"


def rules() -> NamespaceRBAC:
    found = NamespaceRBAC()
    found.set_policy(NamespacePolicy(HR, [AccessRule("hr-*", {"read", "write"})], default_permissions=set()))
    return found


class Scene(msgspec.Struct):
    """What is there: a forbidden fact, a forbidden episode that stands on it, and a public note that does too."""

    fact: str
    episode: str
    note: str


async def scene(ml: Memledger) -> Scene:
    own = {"quokka": 1}
    fact = await ml.add(SECRET, namespace=f"{HR}/pay", confidence=0.3, agent_id="hr-bot", session_id="s1", metadata=own)
    episode = await ml.add(
        STEPS, namespace=HR, record_type="episodic", outcome="failure", derived_from=[fact], agent_id="hr-bot"
    )
    note = await ml.add("The fund pays something in May", namespace="/news", agent_id="press", session_id="s1")
    return Scene(fact, episode, note)


Call = Callable[[Memledger, str], Awaitable[object]]
NOW = ("2000-01-01", "2999-01-01")
CALLS: dict[str, tuple[Call, ...]] = {
    "add": (
        lambda ml, name: ml.add("mine", namespace=HR, agent_id=EVE),
        lambda ml, name: ml.add("mine", namespace=f"{HR}/pay/../pay/", agent_id=EVE),
        lambda ml, name: ml.add("mine", namespace=f"{HR}/a\tb", agent_id=EVE),
        lambda ml, name: ml.add("mine", agent_id=EVE, supersedes=name),
        lambda ml, name: ml.add("mine", agent_id=EVE, derived_from=[name]),
        lambda ml, name: ml.add("mine", agent_id=EVE, record_id=name),
        lambda ml, name: ml.add(SECRET, agent_id=EVE),
        lambda ml, name: ml.add(f"{SECRET}, they say", namespace="/news", agent_id=EVE),
        lambda ml, name: ml.add("mine", namespace=HR),
    ),
    "add_record": (
        lambda ml, name: ml.add_record(SemanticRecord(content="mine", namespace=HR, agent_id=EVE)),
        lambda ml, name: ml.add_record(SemanticRecord(content="mine", id=name, agent_id=EVE)),
        lambda ml, name: ml.add_record(EpisodicRecord(content="mine", agent_id=EVE, derived_from=[name])),
        lambda ml, name: ml.add_record(SemanticRecord(content="mine", namespace=HR)),
    ),
    "search": (
        lambda ml, name: ml.search("fund pays May", requester_id=EVE, top_k=100),
        lambda ml, name: ml.search("zeppelin fund", requester_id=EVE, confidence_policy={}),
        lambda ml, name: ml.search("fund", namespace=HR, requester_id=EVE, confidence_policy={"min_threshold": 0.9}),
        lambda ml, name: ml.search("fund", requester_id=EVE, filters={"namespace": HR}, session_id="s1"),
        lambda ml, name: ml.search("fund", requester_id=EVE, agent_id="hr-bot"),
        lambda ml, name: ml.search("fund", requester_id=""),
    ),
    "search_hybrid": (lambda ml, name: ml.search_hybrid("fund", requester_id=EVE, confidence_policy={}),),
    "recall_context": (lambda ml, name: ml.recall_context("fund paid", requester_id=EVE),),
    "record_outcome": (
        lambda ml, name: ml.record_outcome(name, True, requester_id=EVE),
        lambda ml, name: ml.record_outcome(description=SECRET, success=False, requester_id=EVE),
    ),
    "update": (
        lambda ml, name: ml.update(name, metadata={"k": 1}, requester_id=EVE),
        lambda ml, name: ml.update(name, namespace="/news", requester_id=EVE),
        lambda ml, name: ml.update(description=SECRET, status="archived", requester_id=EVE),
    ),
    "delete": (
        lambda ml, name: ml.delete(name, requester_id=EVE),
        lambda ml, name: ml.delete(description=SECRET, requester_id=EVE),
    ),
    "get": (
        lambda ml, name: ml.get(name, requester_id=EVE),
        lambda ml, name: ml.get(name),
        lambda ml, name: ml.get(description=SECRET, namespace=HR, requester_id=EVE),
    ),
    "health": (lambda ml, name: ml.health(),),
    "list_namespaces": (lambda ml, name: ml.list_namespaces(requester_id=EVE),),
    "stats": (
        lambda ml, name: ml.stats(requester_id=EVE),
        lambda ml, name: ml.stats(HR, requester_id=EVE),
    ),
    "get_by_session": (lambda ml, name: ml.get_by_session("s1", requester_id=EVE),),
    "get_by_timerange": (lambda ml, name: ml.get_by_timerange(*NOW, HR, requester_id=EVE),),
    "get_stale": (lambda ml, name: ml.get_stale(0, requester_id=EVE),),
    "get_by_status": (lambda ml, name: ml.get_by_status("active", requester_id=EVE),),
    "bulk_update_status": (lambda ml, name: ml.bulk_update_status([name], "expired", requester_id=EVE),),
    "bulk_archive": (lambda ml, name: ml.bulk_archive([name], requester_id=EVE),),
    "get_lineage": (
        lambda ml, name: ml.get_lineage(name, requester_id=EVE),
        lambda ml, name: ml.get_lineage(description=SECRET, requester_id=EVE),
    ),
    "get_attribution": (lambda ml, name: ml.get_attribution(name, requester_id=EVE),),
    "get_attribution_chain": (
        lambda ml, name: ml.get_attribution_chain(name, "both", 10, requester_id=EVE),
        lambda ml, name: ml.chain_store.build_chain(name),
    ),
    "chain_of": (lambda ml, name: ml.chain_of(name, direction="both", max_hops=5, requester_id=EVE),),
    "weakest_of": (
        lambda ml, name: _zero(ml.weakest_of(name, requester_id=EVE)),
        lambda ml, name: _zero(ml.chain_store.min_confidence_upstream(name)),
    ),
    "get_downstream": (lambda ml, name: ml.get_downstream(name, requester_id=EVE),),
    "plan_cascade": (lambda ml, name: ml.plan_cascade(name, requester_id=EVE),),
    "execute_cascade": (
        lambda ml, name: ml.execute_cascade(
            {"source_memory_id": "x", "actions": [{"memory_id": name, "action": "auto_deprecate"}]}, requester_id=EVE
        ),
    ),
    "ingest": (
        lambda ml, name: ml.ingest("We always pay in gold.", agent_id=EVE, namespace=HR, strategy="deterministic"),
        lambda ml, name: ml.ingest("We always pay in gold.", namespace=HR, strategy="deterministic"),
    ),
}
WITHOUT_A_CALLER = {"close", "create", "from_config"}


async def _zero(answer: Awaitable[float]) -> str:
    return "nothing" if await answer == 0.0 else "hr-bot's confidence"


def test_every_public_method_is_called_here() -> None:
    public = {
        name for name, method in inspect.getmembers(Memledger, inspect.iscoroutinefunction) if not name.startswith("_")
    }

    assert public - WITHOUT_A_CALLER == set(CALLS)


def _told(answer: object) -> str:
    """All that an answer says, but what the caller had said before."""
    whole = msgspec.json.encode(answer, enc_hook=str).decode()
    fields = {"query", "record_id", "root_memory_id", "source_memory_id", "backend"}
    shown = msgspec.json.decode(whole)
    if isinstance(shown, dict):
        shown = {key: value for key, value in shown.items() if key not in fields}
    return str(shown)


@pytest.mark.parametrize("method", CALLS)
def test_nothing_comes_back_and_nothing_changes(method: str, vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        there = await scene(ml)
        heard: list[object] = []
        for hooks in (ml.hooks.on_add, ml.hooks.on_update, ml.hooks.on_conflict, ml.hooks.on_status_change):
            hooks.append(lambda *words: heard.extend(words))
        before = await _owned(ml, there)
        for call in CALLS[method]:
            for name in (there.fact, there.episode):
                said = await _answer(call(ml, name), method)
                assert WORDS.search(said) is None, said
        assert not {there.fact, there.episode} & {name for word in heard for name in _opponents(word)}
        assert await _owned(ml, there) == before

    play(vault, story, rbac=rules())


async def _answer(answer: Awaitable[object], method: str) -> str:
    """What a call says, be it that it is refused. Who writes to a path may be told the path they named."""
    try:
        return _told(await answer)
    except NamespaceAccessDenied as denied:
        return "" if method in ("add", "add_record", "ingest") and HR in str(denied) else str(denied)
    except MunimentError as error:
        return str(error)


def _opponents(word: object) -> list[str]:
    """The records that a record, of which a hook was told, says it disagrees with."""
    return [ref.existing_id for ref in word.conflicts] if isinstance(word, MemoryRecord) else []


async def _owned(ml: Memledger, there: Scene) -> list[object]:
    records = [await ml.get(name, requester_id="hr-bot") for name in (there.fact, there.episode)]
    return [
        msgspec.structs.replace(record, conflicts=[], quality_score=None) for record in records if record is not None
    ]


def test_counts_of_what_the_gate_left_out_are_of_what_one_may_read(vault: Path) -> None:
    async def story(ml: Memledger) -> list[object]:
        await scene(ml)
        await ml.add("The fund is a rumour", namespace="/news", agent_id="press", confidence=0.1)
        answers = [
            await ml.search("fund", requester_id=who, confidence_policy={"min_threshold": 0.4})
            for who in (EVE, "hr-bot")
        ]
        accounts = [answer.metadata["confidence_gating"] for answer in answers]
        return [account["filtered"] for account in accounts if isinstance(account, dict)]

    assert play(vault, story, rbac=rules()) == [1, 3]


def test_a_chain_tells_nothing_of_ancestors_that_are_hidden_but_its_weakness(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        there = await scene(ml)
        public = await ml.add(
            "The fund was paid", namespace="/news", agent_id="hr-bot", confidence=0.9, derived_from=[there.fact]
        )
        chain = await ml.get_attribution_chain(public, requester_id=EVE)
        assert (chain["chain_depth"], chain["truncated"], chain["min_confidence"]) == (1, False, 0.3)
        assert [hop["memory_id"] for hop in chain["chain"]] == [public]  # type: ignore[union-attr,index,call-overload]  # a list of hops
        assert await ml.weakest_of(public, requester_id=EVE) == 0.3

    play(vault, story, rbac=rules())


def test_a_record_is_not_made_to_stand_on_what_its_editor_may_not_read(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        there = await scene(ml)
        name = await ml.add("Eve's own note", namespace="/news", agent_id=EVE)
        with pytest.raises(NamespaceAccessDenied) as denied:
            await ml.update(name, requester_id=EVE, derived_from=[there.fact])
        assert (denied.value.decision.namespace, denied.value.decision.operation) == ("(hidden)", "read")
        record = await ml.get(name, requester_id=EVE)
        assert record is not None
        assert record.derived_from == []
        assert await ml.update(name, requester_id=EVE, derived_from=[there.note])

    play(vault, story, rbac=rules())


def test_what_stands_on_something_hidden_can_still_be_tended(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        there = await scene(ml)
        name = await ml.add("The fund was paid", namespace="/news", agent_id="hr-bot", derived_from=[there.fact])
        assert await ml.update(name, requester_id=EVE, metadata={"read": True})

    shared = rules()
    shared.set_policy(NamespacePolicy("/news", default_permissions={"read", "write"}))
    play(vault, story, rbac=shared)
