"""The memory of one user is theirs: whoever asks for another, or for none, is told nothing of it by any method."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.cases import each

from muniment import Malformed, Memory, MunimentError, NotFound
from muniment.model.user import user_id, user_name

ALICE, BOB = "alice", "bob"
SAID = "Alice is allergic to walnuts and lives in Porto"
NAMES = ["alice@example.com", "auth0|5f7c8ec7", "王伟", "José Ñandú", "user:*", "*", "%", "a/b", "42", "ALICE"]

Ask = Callable[[Memory, str], object]


class Written:
    """What was written for Alice: a record, its revision, a receipt of hers, and a proposal that waits."""

    def __init__(self, memory: Memory) -> None:
        alice = memory.for_user(ALICE)
        kept = alice.remember(SAID, kind="fact", subject="Alice", key="allergy", value="walnuts")
        assert kept.record_id is not None
        self.record, self.proposal = kept.record_id, kept.proposal_id
        self.receipt = alice.recall("what is Alice allergic to?").receipt_id
        bot = memory.as_actor("bot").for_user(ALICE)
        self.waits = bot.remember("Alice has debts in Porto", sensitivity="confidential").proposal_id


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path, embedder=None) as opened:
        yield opened


READS: dict[str, Ask] = {
    "recall": lambda seen, _: seen.recall("what is Alice allergic to?").records,
    "recall by prefix": lambda seen, _: seen.recall("walnuts Porto", scopes=["user"], scope_ids=["alic"]).records,
    "recall by filter": lambda seen, _: seen.recall("walnuts", scopes=["user"], scope_ids=["alice"]).records,
    "recall by wildcard": lambda seen, _: seen.recall("walnuts", scopes=["user"], scope_ids=["-"]).records,
    "recall by author": lambda seen, _: seen.recall("walnuts", authors=["owner"]).records,
    "attune": lambda seen, _: seen.attune(interests=["Alice", "Porto"]).records,
    "attune since": lambda seen, _: seen.attune(since=1).records,
    "browse": lambda seen, _: list(seen.insight.browse()),
    "browse everything": lambda seen, _: list(
        seen.insight.browse(statuses=["active", "contested", "held", "superseded"])
    ),
    "queue": lambda seen, _: seen.review.queue(),
    "conflicts": lambda seen, _: seen.review.conflicts(),
    "namespaces": lambda seen, _: seen.insight.namespaces(),
    "directory": lambda seen, _: seen.insight.directory().knowers,
    "entity": lambda seen, _: seen.insight.entity("Alice").records,
    "quarantined": lambda seen, _: seen.review.quarantined(),
    "holds": lambda seen, _: seen.erasure.holds(),
    "certificates": lambda seen, _: seen.erasure.certificates(),
    "activity": lambda seen, _: seen.insight.activity(),
    "receipts": lambda seen, _: list(seen.ledger.receipts()),
    "stats": lambda seen, _: seen.insight.stats().revisions,
}
BY_ID: dict[str, Callable[[Memory, Written], object]] = {
    "get": lambda seen, of: seen.get(of.record),
    "history": lambda seen, of: seen.history(of.record),
    "lineage": lambda seen, of: seen.insight.lineage(of.record),
    "foresee": lambda seen, of: seen.insight.foresee(of.record),
    "revise": lambda seen, of: seen.revise(of.record, "Alice eats walnuts"),
    "retract": lambda seen, of: seen.review.retract(of.record, reason="mine"),
    "outcome": lambda seen, of: seen.review.outcome(of.record, "misleading"),
    "vouch": lambda seen, of: seen.review.vouch(of.record, origin="person", reason="mine"),
    "quarantine": lambda seen, of: seen.review.quarantine(of.record, reason="mine"),
    "forget": lambda seen, of: seen.forget(of.record, reason="mine"),
    "forget, rehearsed": lambda seen, of: seen.forget(of.record, reason="mine", dry_run=True),
    "forget a user": lambda seen, of: seen.forget(user=ALICE, dry_run=True),
    "forget a subject": lambda seen, of: seen.forget(subject="Alice", reason="mine", dry_run=True),
    "promote": lambda seen, of: seen.review.promote(of.record, scope="project", scope_id="default", evidence=["x"]),
    "explain": lambda seen, of: seen.explain(of.receipt),
    "report": lambda seen, of: seen.review.report(of.proposal),
    "decide": lambda seen, of: seen.review.decide(of.waits, accept=True, reason="mine"),
    "sweep": lambda seen, of: seen.review.sweep(),
}


@pytest.fixture
def of(memory: Memory) -> Written:
    return Written(memory)


@each("who", [BOB, "alic", "alice2", "Alice", "*", "%"])
@each("ask", READS.values(), ids=READS)
def test_another_user_finds_nothing(memory: Memory, of: Written, who: str, ask: Ask) -> None:
    seen = memory.for_user(who)
    try:
        told = ask(seen, who)
    except MunimentError as refused:
        told = str(refused)
    assert SAID not in repr(told)
    assert not told or isinstance(told, str), told


@each("ask", BY_ID.values(), ids=BY_ID)
def test_another_user_reaches_nothing_by_its_id(
    memory: Memory, of: Written, ask: Callable[[Memory, Written], object]
) -> None:
    with pytest.raises(MunimentError) as refused:
        ask(memory.for_user(BOB), of)
    assert refused.value.code in ("not_found", "not_permitted")
    assert [one.record.content for one in memory.for_user(ALICE).recall("allergic walnuts").records] == [SAID]


@pytest.mark.parametrize("who", ["owner", "bot"])
def test_a_question_without_a_user_is_told_of_none(memory: Memory, who: str) -> None:
    Written(memory)
    memory.remember("The office has a walnut table in Porto")
    seen = memory.as_actor(who)
    for found in (seen.recall("walnuts in Porto"), seen.attune(interests=["Porto", "walnuts"])):
        assert SAID not in repr([one.record.content for one in found.records])


def test_an_agent_sees_no_user_by_any_way_unless_it_names_them(memory: Memory) -> None:
    of, bot = Written(memory), memory.as_actor("bot")
    for ask in (lambda: bot.get(of.record), lambda: bot.history(of.record), lambda: bot.explain(of.receipt)):
        with pytest.raises(NotFound):
            ask()
    assert list(bot.insight.browse()) == []
    assert bot.recall("walnuts", scopes=["user"], scope_ids=["alice"]).records == ()
    assert [one.record.content for one in bot.recall("walnuts", user=ALICE).records] == [SAID]


def test_what_users_say_never_meets(memory: Memory) -> None:
    """The same words, another answer to the same question, a word that contradicts: each user has a world of their
    own, and so has what all share."""
    slot = {"subject": "user", "key": "diet"}
    for user, value in ((ALICE, "vegan"), (BOB, "omnivore"), (None, "vegetarian")):
        verdict = memory.remember(f"The user's diet is {value}", user=user, value=value, **slot)  # type: ignore[arg-type]
        assert (verdict.outcome.value, verdict.conflict_ids, verdict.same_as) == ("committed", (), ())
        again = memory.remember("The user works from home on Fridays", user=user)
        assert (again.outcome.value, again.same_as, again.echoes) == ("committed", (), ())
    assert memory.review.conflicts() == ()
    changed = memory.remember("The user's diet is omnivore now", user=ALICE, value="omnivore", **slot)  # type: ignore[arg-type]
    assert changed.conflict_ids
    assert memory.for_user(BOB).review.conflicts() == ()
    assert {one.standing.status.value for one in memory.recall("diet", user=BOB).records} == {"active"}


def test_nothing_is_derived_across_the_wall(memory: Memory) -> None:
    of = Written(memory)
    shared = memory.remember("The canteen serves walnut cake").record_id
    assert shared is not None
    for user, source in ((BOB, of.record), (None, of.record), (BOB, shared)):
        verdict = memory.remember("Somebody should skip the cake", user=user, derived_from=[source])
        assert (verdict.outcome.value, verdict.rule) == ("refused", "unknown-link")


@pytest.mark.parametrize("who", ["owner", "bot"])
def test_who_acts_for_a_user_writes_nowhere_else(memory: Memory, who: str) -> None:
    seen = memory.as_actor(who).for_user(ALICE)
    for options in ({"scope": "project"}, {"scope_id": "bob"}, {"user": BOB}):
        with pytest.raises(Malformed):
            seen.remember("It is raining", **options)  # type: ignore[arg-type]
    with pytest.raises(Malformed):
        seen.for_user(BOB)


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_a_user_of_its_own(memory: Memory, name: str) -> None:
    assert user_name(user_id(name)) == name
    for other in (*NAMES, ALICE):
        memory.remember(f"This is about {NAMES.index(other) if other in NAMES else 'alice'}", user=other)
    expected = f"This is about {NAMES.index(name)}"
    assert [one.record.content for one in memory.insight.browse(user=name)] == [expected]
    assert [one.record.content for one in memory.recall("what is this about?", user=name).records] == [expected]


def test_two_spellings_of_one_name_are_one_user() -> None:
    assert user_id("Jose\u0301") == user_id("Jos\u00e9")


@pytest.mark.parametrize("name", ["", "  ", " alice", None, 42, "x" * 129, "\x00"])
def test_what_is_no_name_is_refused(memory: Memory, name: str) -> None:
    with pytest.raises(MunimentError) as refused:
        memory.for_user(name)
    assert refused.value.code in ("malformed", "limit_exceeded")
    assert refused.value.hint


def test_all_of_a_user_is_forgotten_and_nothing_of_another(memory: Memory, tmp_path: Path) -> None:
    of = Written(memory)
    memory.for_user(ALICE).remember("Alice should avoid the cake", derived_from=[of.record])
    memory.remember("Bob is allergic to figs", user=BOB)
    memory.remember("The canteen closes at three")
    memory.recall("is there a banshee in Porto?", user=ALICE)
    planned = memory.forget(user=ALICE, dry_run=True).plan

    done = memory.forget(user=ALICE)

    assert done.certificate is not None
    assert done.plan.digest == planned.digest
    assert (len(done.plan.nodes), done.plan.traces.proposals) == (2, 1)
    assert list(memory.insight.browse(user=ALICE)) == []
    assert memory.for_user(ALICE).review.queue() == memory.review.queue() == ()
    assert [one.record.content for one in memory.insight.browse(user=BOB)] == ["Bob is allergic to figs"]
    bytes_there = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    for word in (b"walnuts", b"debts", b"avoid the cake", b"banshee"):
        assert word not in bytes_there
    assert not memory.ledger.verify().findings


def test_a_hold_keeps_what_a_user_said(memory: Memory) -> None:
    Written(memory)
    memory.erasure.hold(user=ALICE, reason="case 12")
    with pytest.raises(MunimentError) as refused:
        memory.forget(user=ALICE)
    assert refused.value.code == "on_hold"


@pytest.mark.parametrize(
    ("word", "named"),
    [("user_id", "user"), ("metadata", "source"), ("tags", "entities"), ("confidense", "confidence"), ("knd", "kind")],
)
def test_an_unknown_word_names_the_nearest_and_all(memory: Memory, word: str, named: str) -> None:
    with pytest.raises(Malformed) as refused:
        memory.remember("It is raining", **{word: "x"})  # type: ignore[arg-type]
    assert refused.value.field == word
    assert refused.value.hint.startswith(f"Say {named}")
    for one in ("user", "kind", "evidence", "namespace"):
        assert one in refused.value.hint


def test_an_agent_keeps_what_it_learns_of_its_user_and_waits_with_what_steers_others(memory: Memory) -> None:
    bot = memory.as_actor("bot")
    for kind in ("preference", "decision", "procedure", "fact"):
        assert bot.remember(f"Alice's {kind} is to answer briefly", kind=kind, user=ALICE).committed
        held = bot.remember(f"Everybody's {kind} is to answer briefly", kind=kind)
        assert held.outcome.value == "held"
    assert bot.remember("Always obey Alice", kind="directive", user=ALICE).outcome.value == "refused"
