"""The decisions a program may plug in, and the language model that is a function of the caller's."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.cases import each
from tests.contracts.cites import cites
from tests.contracts.memledger.room import play

from muniment_memledger import (
    Memledger,
    MemledgerConfig,
    MemoryRecord,
    SemanticRecord,
    build_strategies,
    register_strategy,
)
from muniment_memledger.strategies.llm import (
    LLMGated,
    LLMImportance,
    LLMRerank,
    LLMResolver,
    extract_json,
    model_name,
)
from muniment_memledger.strategies.policies import (
    AlwaysStore,
    ConflictResolution,
    ConflictResolverStrategy,
    FixedImportance,
    HookOnly,
    ImportanceStrategy,
    PolicyRerank,
    WriteDecision,
    WritePolicyStrategy,
)

OLD, NEW = MemoryRecord(content="Five pods run", id="old"), MemoryRecord(content="Six pods run", id="new")


class Blocking(WritePolicyStrategy):
    async def should_store(self, record: MemoryRecord) -> WriteDecision:
        hint = 0.7 if "code" in record.content else None
        return WriteDecision("secret" not in record.content, reason="it is a secret", importance_hint=hint)


class Important(ImportanceStrategy):
    async def score(self, record: MemoryRecord) -> float:
        return 0.9


class Resolving(ConflictResolverStrategy):
    def __init__(self, action: str = "reject_new") -> None:
        self.action = action

    async def resolve(
        self, new_record: MemoryRecord, existing_record: MemoryRecord, similarity: float
    ) -> ConflictResolution:
        return ConflictResolution(action=self.action, merged_content="Five or six pods run here today")


def saying(answer: str) -> object:
    return lambda _: answer


def failing(_: str) -> str:
    raise TimeoutError


@cites("MEML-070", "MEML-071")
@each("config", [None, {}, {"importance": {}}, {"model": "m"}])
def test_the_strategies_are_by_default_the_plain_ones(config: dict[str, object] | None) -> None:
    built = build_strategies(config)

    kinds = [type(one) for one in (built.importance, built.write_policy, built.conflict_resolver, built.reranker)]
    assert kinds == [FixedImportance, AlwaysStore, HookOnly, PolicyRerank]


@cites("MEML-071")
def test_choosing_one_kind_changes_only_that() -> None:
    built = build_strategies({"importance": {"provider": "llm"}, "model": "m-1"})

    assert isinstance(built.importance, LLMImportance)
    assert built.importance.model == "m-1"
    assert isinstance(built.write_policy, AlwaysStore)


@cites("MEML-072")
@each("kind", ["importance", "write_policy", "conflict_resolver", "reranker"])
def test_an_unknown_provider_is_a_value_error_that_names_the_kind(kind: str) -> None:
    with pytest.raises(ValueError, match=kind):
        build_strategies({kind: {"provider": "nonsense"}})


@cites("MEML-073", "MEML-074")
def test_a_registered_write_policy_that_blocks_gives_an_empty_id_and_touches_nothing(vault: Path) -> None:
    register_strategy("write_policy", "blocking", Blocking)

    async def story(ml: Memledger) -> None:
        old = await ml.add("The door code changes in May")
        assert await ml.add("This is a secret", supersedes=old) == ""

        record = await ml.get(old)
        assert record is not None
        assert (record.status, record.importance) == ("active", 0.7)
        assert ml.audit.by_operation("write_skipped")[0].details["reason"] == "it is a secret"

    play(vault, story, config=MemledgerConfig(strategies={"write_policy": {"provider": "blocking"}}))


@cites("MEML-075")
def test_an_importance_strategy_of_the_callers_decides_the_importance(vault: Path) -> None:
    register_strategy("importance", "important", Important)

    async def story(ml: Memledger) -> float:
        record = await ml.get(await ml.add("The pump is red", importance=0.1))
        assert record is not None
        return record.importance

    assert play(vault, story, config=MemledgerConfig(strategies={"importance": {"provider": "important"}})) == 0.9


@cites("MEML-076")
@each("default", [-0.1, 1.1, float("nan")])
def test_a_fixed_importance_outside_0_to_1_is_refused(default: float) -> None:
    with pytest.raises(ValueError, match="importance"):
        FixedImportance(default)


@cites("MEML-077")
@each(("answer", "expected"), [("7", 0.7), ("I say 10 of 10", 1.0), ("99", 1.0), ("-3", 0.0), ("high", 0.25)])
def test_the_models_importance_is_its_first_number_out_of_ten(answer: str, expected: float) -> None:
    model = LLMImportance(complete=saying(answer), fallback=0.25)  # type: ignore[arg-type]  # a function from text to text

    assert asyncio.run(model.score(NEW)) == expected
    assert asyncio.run(LLMImportance(complete=failing, fallback=0.25).score(NEW)) == 0.25
    assert asyncio.run(LLMImportance(fallback=0.3).score(NEW)) == 0.3


@cites("MEML-078")
@each(
    ("answer", "fallback", "stored"),
    [
        ('{"store": true}', False, True),
        ('Well: {"store": false, "reason": "chatter"}', True, False),
        ("who knows", False, False),
        ("who knows", True, True),
        ('{"store": "yes"}', False, False),
    ],
)
def test_the_models_write_gate_reads_true_and_false_and_falls_back(answer: str, fallback: bool, stored: bool) -> None:
    model = LLMGated(complete=saying(answer), fallback_store=fallback)  # type: ignore[arg-type]  # a function from text to text

    assert asyncio.run(model.should_store(NEW)).should_store is stored
    assert asyncio.run(LLMGated(complete=failing, fallback_store=fallback).should_store(NEW)).should_store is fallback


@cites("MEML-079")
@each(
    ("answer", "expected"),
    [
        ('{"action": "supersede"}', ("supersede", "old", None)),
        ('{"action": "merge", "merged_content": "Both"}', ("merge", None, "Both")),
        ('{"action": "merge"}', ("accept_both", None, None)),
        ('{"action": "explode"}', ("accept_both", None, None)),
        ("no idea", ("accept_both", None, None)),
    ],
)
def test_the_models_resolver_carries_what_its_action_needs(
    answer: str, expected: tuple[str, str | None, str | None]
) -> None:
    model = LLMResolver(complete=saying(answer), fallback_action="accept_both")  # type: ignore[arg-type]  # a function from text to text

    found = asyncio.run(model.resolve(NEW, OLD, 0.8))

    assert (found.action, found.supersede_id, found.merged_content) == expected
    broken = LLMResolver(complete=failing, fallback_action="accept_both")
    assert asyncio.run(broken.resolve(NEW, OLD, 0.8)).action == "accept_both"
    with pytest.raises(ValueError, match="fallback_action"):
        LLMResolver(fallback_action="explode")


@cites("MEML-080")
@each(
    ("answer", "expected"),
    [
        ('["c", "a"]', ["c", "a", "b"]),
        ('{"ids": ["b", "zz", "b"]}', ["b", "a", "c"]),
        ("sorry", ["a", "b", "c"]),
    ],
)
def test_the_models_order_is_followed_and_what_it_forgets_comes_after(answer: str, expected: list[str]) -> None:
    records = [MemoryRecord(content=name, id=name) for name in "abc"]
    model = LLMRerank(complete=saying(answer))  # type: ignore[arg-type]  # a function from text to text

    assert [record.id for record in asyncio.run(model.rerank("q", records))] == expected
    assert [record.id for record in asyncio.run(LLMRerank(complete=failing).rerank("q", records))] == ["a", "b", "c"]
    assert asyncio.run(model.rerank("q", [])) == []


@cites("MEML-081")
def test_a_provider_is_put_in_front_once() -> None:
    assert model_name("m-1", "acme") == "acme/m-1"
    assert model_name("acme/m-1", "acme") == "acme/m-1"
    assert LLMImportance("m-1", provider="acme").model == "acme/m-1"


@cites("MEML-082")
@each(
    ("text", "value"),
    [
        ('Sure! {"a": {"b": 1}} Done.', {"a": {"b": 1}}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('The list: ["x", "y"]', ["x", "y"]),
        ("no { json ] here", None),
        ("", None),
    ],
)
def test_json_is_taken_out_of_whatever_stands_around_it(text: str, value: object) -> None:
    assert extract_json(text) == value


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("reject_new", ["The five pods run here today"]),
        ("supersede", ["The six pods run here today"]),
        ("merge", ["Five or six pods run here today", "The five pods run here today"]),
        ("store_anyway", ["The five pods run here today", "The six pods run here today"]),
    ],
)
def test_a_resolver_decides_what_becomes_of_a_record_that_is_too_near(
    action: str, expected: list[str], vault: Path
) -> None:
    register_strategy("conflict_resolver", "resolving", Resolving)

    async def story(ml: Memledger) -> list[str]:
        told: list[str] = []
        ml.hooks.on_conflict.append(lambda new, old, alike: told.append(f"{old.content}: {alike:.2f}"))
        old = await ml.add("The five pods run here today", agent_id="ana")
        new = await ml.add("The six pods run here today", agent_id="bob")
        assert told == ["The five pods run here today: 0.71"]
        assert (new == old) is (action == "reject_new")
        return sorted(record.content for record in await ml.get_by_status("active"))

    chosen = {"conflict_resolver": {"provider": "resolving", "config": {"action": action}}}
    assert play(vault, story, config=MemledgerConfig(strategies={**chosen})) == expected


def test_a_resolver_that_fails_stops_the_write_instead_of_being_passed_over(vault: Path) -> None:
    class Broken(Resolving):
        async def resolve(
            self, new_record: MemoryRecord, existing_record: MemoryRecord, similarity: float
        ) -> ConflictResolution:
            raise ConnectionError

    register_strategy("conflict_resolver", "broken", Broken)

    async def story(ml: Memledger) -> None:
        await ml.add("The five pods run here today")
        with pytest.raises(ConnectionError):
            await ml.add("The six pods run here today")
        assert ml.memory.insight.stats().current == 1

    play(vault, story, config=MemledgerConfig(strategies={"conflict_resolver": {"provider": "broken"}}))


def test_a_reranker_may_be_async() -> None:
    async def backwards(records: list[MemoryRecord]) -> list[MemoryRecord]:
        return records[::-1]

    one, two = SemanticRecord(content="a"), SemanticRecord(content="b")
    assert asyncio.run(PolicyRerank(rerank_fn=backwards).rerank("q", [one, two])) == [two, one]
    assert asyncio.run(LLMRerank(rerank_fn=backwards).rerank("q", [one, two])) == [two, one]


def test_the_default_strategies_say_why() -> None:
    one, two = SemanticRecord(content="a"), SemanticRecord(content="b")
    assert asyncio.run(AlwaysStore().should_store(one)).reason == "always-store policy"
    assert "0.950" in (asyncio.run(HookOnly().resolve(one, two, 0.95)).reason or "")


def test_an_unknown_strategy_is_named_by_its_kind_with_what_there_is() -> None:
    with pytest.raises(ValueError, match=r"Unknown reranker strategy provider\. Available: llm, policy"):
        build_strategies({"reranker": {"provider": "none-such"}})
