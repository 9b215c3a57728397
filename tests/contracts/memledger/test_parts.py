"""The smaller parts: lexical conflicts, a judge's bias, embedders of others, and what each refuses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cases import each
from tests.contracts.memledger.room import play

from muniment.model.errors import ConfigurationError, LimitExceeded, Malformed, ModelUnavailable
from muniment_memledger import (
    AccessRule,
    AuditLog,
    ConfidencePolicy,
    EmbeddingConfig,
    EmbeddingProvider,
    EpisodicRecord,
    Memledger,
    MemledgerConfig,
    MemoryRecord,
    MemoryStatus,
    NamespacePolicy,
    NamespaceRBAC,
    PositionBiasTracker,
    RecordType,
    ScoringConfig,
    SemanticRecord,
    build_strategies,
    check_conflict,
    compute_confidence,
    propagate_attribution,
    record_from_dict,
    register_strategy,
)
from muniment_memledger.config import expand, read_config
from muniment_memledger.embeddings import AS_CONFIGURED, embedder_of
from muniment_memledger.evaluators import evaluate_attribution_integrity, evaluate_structural
from muniment_memledger.strategies.policies import AlwaysStore, FixedImportance


def known(content: str, by: str = "ana") -> MemoryRecord:
    return MemoryRecord(content=content, id=content, created_by=by)


@each(
    ("text", "records", "existing", "action"),
    [
        ("The service runs 8 replicas", [known("The service runs 5 replicas", "bob")], 0, "review"),
        ("The service runs 8 replicas", [known("The service runs 5 replicas")], 0, "supersede"),
        ("The service runs 5 replicas", [known("The service runs 5 replicas")], None, "none"),
        ("The service runs 8 replicas", [known("Lunch is at 12")], None, "none"),
        ("The service runs 8 pods", [known("Lunch is at 12"), known("The service runs 5 pods", "bob")], 1, "review"),
        ("anything", [], None, "none"),
    ],
)
def test_a_text_conflicts_with_one_like_it_that_tells_other_numbers(
    text: str, records: list[MemoryRecord], existing: int | None, action: str
) -> None:
    found = check_conflict(text, "ana", records)

    assert found.has_conflict is (existing is not None)
    assert found.existing_memory_id == (records[existing].id if existing is not None else None)
    assert found.action == action


def test_a_judge_is_asked_in_both_orders_and_its_changes_of_mind_are_counted() -> None:
    tracker = PositionBiasTracker()
    assert tracker.bias_rate == 0.0

    first = tracker.run_paired(lambda one, other: "a", "x", "y", "m1", "m2")
    longer = tracker.run_paired(lambda one, other: "a" if len(one) > len(other) else "b", "xx", "y")
    agreed = tracker.run_paired(lambda one, other: "contradiction", "x", "y")

    assert (first, longer, agreed) == ("a", "a", "contradiction")
    assert (tracker.total_checks, tracker.disagreements) == (3, 1)
    assert tracker.to_otel_attributes()["memledger.judge.disagreements"] == 1
    assert tracker.summary() == "1 of 3 verdicts changed with the order (33%)"
    assert tracker.events_json()[0] == {
        "memory_a_id": "m1",
        "memory_b_id": "m2",
        "verdict_ab": "a",
        "verdict_ba": "a",
        "agreed": False,
        "judge_id": "conflict_resolution",
    }


class AwaitedVectors:
    """An embedder as memledger has them: async, lists of numbers, no name."""

    async def embed(self, texts: list[str]) -> list[list[float]]:
        return [[1.0, 0.0] if "car" in text or "automobile" in text else [0.0, 1.0] for text in texts]


class PlainVectors:
    def embed(self, texts: list[str]) -> list[list[float]]:
        return [[1.0, 0.0] if "car" in text or "automobile" in text else [0.0, 1.0] for text in texts]


class NamedVectors(AwaitedVectors):
    """One that names its model and width, as a configured one does."""

    model = "text-embedding-3-small"
    dimensions = 2


class SingleVectors:
    async def embed_single(self, text: str) -> list[float]:
        return (await AwaitedVectors().embed([text]))[0]


class ProvidedVectors(EmbeddingProvider):
    """One that is plugged in as memledger's programs do it: a subclass that overrides `embed`."""

    def __init__(self) -> None:
        super().__init__(EmbeddingConfig(provider="fake", model="fake", dimensions=2))

    async def embed(self, texts: list[str]) -> list[list[float]]:
        return await AwaitedVectors().embed(texts)


class ProvidedSingles(EmbeddingProvider):
    def __init__(self) -> None:
        super().__init__(EmbeddingConfig(provider="fake"))

    async def embed_single(self, text: str) -> list[float]:
        return (await AwaitedVectors().embed([text]))[0]


class KeepingVectors(AwaitedVectors):
    """One that keeps a connection, which lives on one event loop only."""

    def __init__(self) -> None:
        self.loops: list[asyncio.AbstractEventLoop] = []

    async def embed(self, texts: list[str]) -> list[list[float]]:
        self.loops.append(asyncio.get_running_loop())
        if len(set(self.loops)) > 1 or any(loop.is_closed() for loop in self.loops):
            raise RuntimeError("the connection is of another loop")
        return await super().embed(texts)


@pytest.mark.parametrize(
    "embedder",
    [
        AwaitedVectors(),
        PlainVectors(),
        NamedVectors(),
        SingleVectors(),
        KeepingVectors(),
        ProvidedVectors(),
        ProvidedSingles(),
    ],
    ids=["async", "plain", "named", "single", "keeping", "subclass", "subclass-single"],
)
def test_an_embedder_written_for_memledger_works_as_it_is(embedder: object, vault: Path) -> None:
    async def story(ml: Memledger) -> str:
        await ml.add("My automobile broke down")
        await ml.add("The soup was salty")
        found = await ml.search("which car")
        assert ml.memory.insight.searching().why is None
        return found.records[0].content

    assert play(vault, story, embedder=embedder) == "My automobile broke down"


@each(
    ("config", "chosen"),
    [
        (EmbeddingConfig(), AS_CONFIGURED),
        (EmbeddingConfig(provider="none"), None),
        (EmbeddingConfig(provider="http://localhost:8080/v1", model="m"), "http://localhost:8080/v1#m"),
    ],
)
def test_a_configuration_names_its_embedder(config: EmbeddingConfig, chosen: str | None) -> None:
    assert embedder_of(EmbeddingProvider(config)) == chosen


def test_an_embedder_can_be_assigned_after_a_provider_that_nobody_knows(vault: Path) -> None:
    async def story() -> None:
        fake = EmbeddingConfig(provider="fake", model="fake", dimensions=2)
        async with await Memledger.create("sqlite", {"path": str(vault)}, fake) as ml:
            with pytest.raises(ConfigurationError, match="expected local, none"):
                await ml.add("My automobile broke down")
            with pytest.raises(ConfigurationError, match="expected local, none"):
                await ml.search("which car")
            ml._embedder = ProvidedVectors()
            await ml.add("My automobile broke down")
            await ml.add("The soup was salty")
            assert (await ml.search("which car")).records[0].content == "My automobile broke down"
            with pytest.raises(ConfigurationError, match="assigned already"):
                ml._embedder = ProvidedVectors()

    asyncio.run(story())


def test_the_embedder_of_a_configuration_can_be_asked_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUNIMENT_EMBEDDER", "minilm")
    provider = EmbeddingProvider(EmbeddingConfig())
    one, many = asyncio.run(provider.embed_single("a pump")), asyncio.run(provider.embed(["a pump", "a valve"]))

    assert len(one) == provider.dimensions == 384
    assert sum(a * b for a, b in zip(one, many[0], strict=True)) > 0.99  # batches differ in the last places
    with pytest.raises(ModelUnavailable):
        asyncio.run(EmbeddingProvider(EmbeddingConfig(provider="none")).embed(["a pump"]))


REFUSALS: dict[str, Callable[[], object]] = {
    "embeddings.provider": lambda: embedder_of(EmbeddingProvider(EmbeddingConfig(provider="acme"))),
    "embeddings.api_key": lambda: embedder_of(EmbeddingProvider(EmbeddingConfig(provider="http://x", api_key="k"))),
    "embedder": lambda: embedder_of(7),
    "backends.host": lambda: asyncio.run(Memledger.create("sqlite", {"host": "x"})),
    "config": lambda: read_config("no-such-file.yaml"),
}


@each("setting", REFUSALS)
def test_a_setting_that_cannot_be_is_refused_by_name(setting: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        REFUSALS[setting]()

    assert refused.value.setting == setting


MALFORMED: dict[str, Callable[[], object]] = {
    "permissions": lambda: AccessRule("*", {"fly"}),
    "default_permissions": lambda: NamespacePolicy("/", default_permissions={"fly"}),
    "operation": lambda: NamespaceRBAC().check_access("ana", "/", "fly"),
    "decay_type": lambda: ScoringConfig(decay_type="sudden"),  # type: ignore[arg-type]  # that is the point
    "conflict_threshold": lambda: MemledgerConfig(conflict_threshold=2.0),
    "strategies.importance": lambda: build_strategies({"importance": "high"}),
    "strategies.importance.config": lambda: build_strategies({"importance": {"config": "high"}}),
    "importance": lambda: record_from_dict({"content": "x", "importance": "high"}),
    "conflicts[0].similarity": lambda: record_from_dict(
        {"content": "x", "conflicts": [{"existing_id": "a", "existing_content": "", "similarity": "much"}]}
    ),
    "record": lambda: record_from_dict({"content": "x", "metadata": {"o": object()}}),
    "content": lambda: MemoryRecord(content=" \n"),
    "chain": lambda: propagate_attribution({"chain": "long"}, "ana", 0.5),
    "flag_threshold": lambda: ConfidencePolicy(0.9, 0.1),
}


@each("field", MALFORMED)
def test_a_word_that_cannot_be_is_refused_by_the_name_of_its_field(field: str) -> None:
    with pytest.raises(Malformed) as refused:
        MALFORMED[field]()

    assert refused.value.field == field


CALLS: dict[str, Callable[[Memledger], object]] = {
    "record_id": lambda ml: ml.get(),
    "fields": lambda ml: ml.update("x"),
    "derived_from": lambda ml: ml.add("x", derived_from="abc"),
    "ids": lambda ml: ml.bulk_archive("abc"),
    "content": lambda ml: ml.add("half \ud800 a pair"),
    "metadata": lambda ml: ml.add("x", metadata={"n": float("nan")}),
    "max_hops": lambda ml: ml.get_attribution_chain("x", max_hops=-1),
    "max_depth": lambda ml: ml.get_downstream("x", -1),
    "direction": lambda ml: ml.get_attribution_chain("x", "sideways"),
    "strategy": lambda ml: ml.ingest("x", agent_id="ana", strategy="guess"),
    "start": lambda ml: ml.get_by_timerange("yesterday", "today"),
    "record_type": lambda ml: ml.add("x", record_type="dream"),
    "confidence_policy": lambda ml: ml.search("x", confidence_policy={"threshold": 0.4}),
    "record_type ": lambda ml: ml.search("x", record_type="dream"),
    "top_k": lambda ml: ml.search("x", top_k=-1),
}


@each("field", CALLS)
def test_a_call_that_cannot_be_is_refused_by_the_name_of_what_is_wrong(field: str, vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        with pytest.raises(Malformed) as refused:
            await CALLS[field](ml)  # type: ignore[misc]  # every call is awaited
        assert refused.value.field == field.strip()

    play(vault, story)


def test_a_strategy_is_registered_under_its_own_kind_only() -> None:
    with pytest.raises(ValueError, match="kind"):
        register_strategy("mood", "x", AlwaysStore)
    with pytest.raises(ValueError, match="write_policy"):
        register_strategy("write_policy", "x", FixedImportance)


def test_the_audit_log_keeps_the_latest_and_can_be_emptied() -> None:
    log = AuditLog(max_entries=2)
    for name in "abc":
        log.log("add", record_id=name)

    assert [entry.record_id for entry in log.recent()] == ["b", "c"]
    assert log.recent(0) == []
    log.clear()
    assert len(log) == 0


def test_policies_can_be_listed_and_taken_away() -> None:
    rules = NamespaceRBAC()
    rules.set_policy(NamespacePolicy("/hr/", [AccessRule("hr-*", {"write", "read"})]))

    assert rules.list_policies() == [
        {
            "namespace": "/hr/",
            "rules": [{"pattern": "hr-*", "permissions": ["read", "write"]}],
            "default_permissions": ["read"],
        }
    ]
    rules.remove_policy("/hr")
    assert rules.get_policy("/hr/pay") is None


def test_a_signal_says_the_verdict_and_from_whom() -> None:
    policy, quiet = ConfidencePolicy(), ConfidencePolicy(include_attribution=False)

    assert policy.format_signal(0.9, "ana") == "High confidence (0.90) from ana"
    assert quiet.format_signal(0.5, "ana") == "Low confidence (0.50): hedge what is decided on it"
    assert policy.format_signal(0.1) == "Left out (0.10): below what is trusted"


def test_variables_are_put_in_at_any_depth() -> None:
    assert expand({"a": ["${X}", {"b": "${Y:y}"}], "n": 7}, {"X": "x"}) == {"a": ["x", {"b": "y"}], "n": 7}


def test_what_a_person_verified_is_wholly_believed() -> None:
    assert compute_confidence(failure_count=9, human_verified=True) == 1.0


def test_a_confidence_that_is_no_number_counts_as_none_at_all() -> None:
    odd = [{"created_by": "ana", "session_id": "s", "confidence": value} for value in ("high", float("nan"), True)]

    assert [evaluate_attribution_integrity("d", [one]).score for one in odd] == [0.45, 0.45, 0.45]
    spans = [{"operation": "add", "confidence": 0.9, "agent_id": "a", "derived_from": ["p"] * 6}]
    assert evaluate_structural(spans).explanation == "Failed: chain_depth_bounded"
    assert evaluate_structural(spans).to_dict()["span_count"] == 1


class FailingVectors:
    async def embed(self, texts: list[str]) -> list[list[float]]:
        raise ConnectionError("no answer")


def test_an_embedder_that_fails_leaves_the_search_to_words_and_is_on_record(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        name = await ml.add("My automobile broke down")
        assert [record.id for record in await ml.search("automobile")] == [name]
        (late,) = ml.audit.by_operation("vectors_late")
        assert "ConnectionError" in str(late.details["reason"])

    play(vault, story, embedder=FailingVectors())


def test_words_for_types_and_states_become_what_they_mean(vault: Path) -> None:
    made = MemoryRecord(content="The pump is red", record_type="episodic", status="expired")  # type: ignore[arg-type]  # as a program may say it

    assert (made.record_type, made.status) == (RecordType.EPISODIC, MemoryStatus.EXPIRED)
    with pytest.raises(Malformed, match="record_type"):
        MemoryRecord(content="x", record_type="dream")  # type: ignore[arg-type]  # that is the point
    with pytest.raises(Malformed, match="status"):
        MemoryRecord(content="x", status="weird")  # type: ignore[arg-type]  # that is the point

    async def story(ml: Memledger) -> None:
        kept = await ml.get(await ml.add_record(made))
        assert isinstance(kept, EpisodicRecord)
        assert (kept.id, kept.status) == (made.id, MemoryStatus.EXPIRED)

    play(vault, story)


def test_a_model_is_dumped_read_and_copied() -> None:
    record = SemanticRecord(content="The pump is red", id="a", source="wiki", confidence=0.8)

    assert SemanticRecord.model_validate(record.model_dump()) == record
    assert record_from_dict(json.loads(record.model_dump_json())) == record
    assert record.model_dump(include={"id", "source", "score"}, exclude_none=True) == {"id": "a", "source": "wiki"}
    assert "content" not in record.model_dump(exclude={"content"})
    assert record.model_copy(update={"confidence": 0.5}).confidence == 0.5
    with pytest.raises(Malformed, match="SemanticRecord"):
        SemanticRecord.model_validate({"content": 7})


def test_the_same_words_of_another_time_type_or_session_are_another_record(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        days = [datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2, 2)]
        first, second, again = [
            await ml.add("The deploy failed", record_type="episodic", event_time=day) for day in days
        ]
        fact = await ml.add("The deploy failed")
        sessions = [await ml.add("Said hello", record_type="episodic", session_id=name) for name in ("s1", "s2")]
        assert len({first, second, fact, *sessions}) == 5
        assert again == second
        assert [record.id for record in await ml.get_by_session("s2")] == [sessions[1]]
        kept = await ml.get(second)
        assert isinstance(kept, EpisodicRecord)
        assert kept.event_time == days[1]

    play(vault, story)


def test_a_content_that_would_not_be_kept_whole_is_refused(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        with pytest.raises(LimitExceeded) as refused:
            await ml.add("é" * 524_289)
        assert (refused.value.field, refused.value.sent) == ("content", 1_048_578)
        assert await ml.get_attribution_chain("x", max_hops=10**9)
        kept = await ml.get(await ml.add("\x1b[31mred\x1b[0m\n\tand more"))
        assert kept is not None
        assert kept.content == "\x1b[31mred\x1b[0m\n\tand more"

    play(vault, story)


def test_a_record_has_no_more_parents_than_are_counted(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        with pytest.raises(Malformed) as refused:
            await ml.add("Standing on many", derived_from=[f"p-{number}" for number in range(257)])
        assert refused.value.field == "derived_from"

    play(vault, story)
