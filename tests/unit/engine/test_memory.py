"""The engine's face: three lines to a memory, every wrong call refused by name, and nothing stored by a refusal."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cases import each
from tests.unit.world import SetClock, all_bytes, open_memory

from muniment import Memory
from muniment.model.actor import Actor
from muniment.model.claim import Claim
from muniment.model.curation import Verdict
from muniment.model.errors import (
    CallerError,
    ConfigurationError,
    IntegrityError,
    LimitExceeded,
    Malformed,
    MunimentError,
    NotFound,
    NotPermitted,
    Stale,
    StoreUnavailable,
    Unauthenticated,
)
from muniment.model.status import Status
from muniment.model.vocabulary import ActorType, Outcome


def _kept(verdict: Verdict) -> str:
    assert verdict.record_id is not None, verdict.reason
    return verdict.record_id


def test_three_lines_make_a_governed_memory(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path / "vault")
    memory.remember("The staging database moved to Dublin")
    assert [one.record.content for one in memory.recall("staging").records] == ["The staging database moved to Dublin"]
    memory.close()


def test_what_was_remembered_is_there_after_a_restart(vault: Path) -> None:
    with Memory.open(vault) as memory:
        kept = _kept(memory.remember("alpha"))
    with Memory.open(vault, create=False) as memory:
        assert memory.get(kept).record.content == "alpha"
        assert memory.ledger.verify().ok


# Opening.


@pytest.mark.parametrize("nobody", ["", None])
def test_nobody_opens_nothing_and_leaves_nothing(vault: Path, nobody: str | None) -> None:
    with pytest.raises(Unauthenticated):
        Memory.open(vault, actor=nobody)  # type: ignore[arg-type]  # the wrong type is the point
    assert not vault.exists()


@pytest.mark.parametrize("actor", ["a b", "../x", 5, "x" * 129, "\x00"])
def test_an_actor_with_a_wrong_name_opens_nothing(vault: Path, actor: str) -> None:
    with pytest.raises(Malformed) as refused:
        Memory.open(vault, actor=actor)
    assert refused.value.field == "actor"
    assert not vault.exists()


@each(
    "tenant", [None, "", " ", "../x", "a/b", "a\\b", "/etc", "a\x00b", "a\n", "x" * 129, 5, "ünder", "\ud800", "C:\\x"]
)
def test_a_missing_or_tricky_tenant_is_refused_and_leaves_nothing(vault: Path, tenant: str) -> None:
    with pytest.raises(Malformed) as refused:
        Memory.open(vault, tenant=tenant)
    assert refused.value.field == "tenant"
    assert not vault.exists()


@pytest.mark.parametrize("tenant", ["..", ".", "-", "vault", "policy", "keys", "a:b", "CON", "A" * 128, "x" * 128])
def test_every_legal_tenant_has_its_own_file_inside_the_vault(vault: Path, tenant: str) -> None:
    with Memory.open(vault, tenant=tenant) as memory:
        kept = _kept(memory.remember("alpha"))
    files = [path for path in vault.iterdir() if path.name.endswith(".sqlite")]
    assert len(files) == 1
    with Memory.open(vault, tenant=tenant, create=False) as memory:
        assert memory.get(kept).record.content == "alpha"
    assert {path.name for path in vault.parent.iterdir()} == {"vault"}


def test_tenants_that_differ_in_case_do_not_share(vault: Path) -> None:
    with Memory.open(vault, tenant="acme") as small, Memory.open(vault, tenant="Acme") as large:
        small.remember("alpha")
        assert large.recall("alpha").records == ()


def test_another_tenants_file_is_not_taken_for_ones_own(vault: Path) -> None:
    with Memory.open(vault, tenant="acme") as memory:
        memory.remember("alpha")
    (vault / "acme.sqlite").rename(vault / "other.sqlite")
    with pytest.raises(IntegrityError):
        Memory.open(vault, tenant="other")


@pytest.mark.parametrize("tenant", ["default", "A" * 128])
def test_what_is_not_there_is_not_made_unless_asked(vault: Path, tenant: str) -> None:
    with pytest.raises(StoreUnavailable):
        Memory.open(vault, create=False)
    assert not vault.exists()
    Memory.open(vault, tenant="there").close()
    with pytest.raises(NotFound):
        Memory.open(vault, tenant=tenant, create=False)


@pytest.mark.parametrize("name", ["a\x00b", "file/vault"])
def test_a_place_that_cannot_be_a_vault_is_an_error_with_a_code(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(MunimentError) as refused:
        Memory.open(str(tmp_path / name))
    assert refused.value.code in {"store_unavailable", "malformed"}


def test_the_signing_key_is_for_its_owner_alone(vault: Path) -> None:
    Memory.open(vault).close()
    assert stat.S_IMODE((vault / "keys" / "signing.key").stat().st_mode) == 0o600
    assert stat.S_IMODE((vault / "keys").stat().st_mode) == 0o700
    key = (vault / "keys" / "signing.key").read_text().strip()
    (vault / "keys" / "signing.key").rename(vault.parent / "kept.key")
    assert key.encode() not in all_bytes(vault)


@pytest.mark.parametrize("key", [None, "", "zz", "00" * 31])
def test_a_vault_without_its_key_is_not_opened_and_gets_no_new_one(vault: Path, key: str | None) -> None:
    Memory.open(vault).close()
    path = vault / "keys" / "signing.key"
    path.unlink()
    if key is not None:
        path.write_text(key)
    with pytest.raises(StoreUnavailable):
        Memory.open(vault)
    assert path.exists() is (key is not None)


def test_a_file_that_is_not_ours_is_refused_and_left_as_it_is(vault: Path) -> None:
    Memory.open(vault).close()
    foreign = vault / "foreign.sqlite"
    foreign.write_bytes(b"not a database at all, but long enough to look like one" * 100)
    before = foreign.read_bytes()
    with pytest.raises(IntegrityError):
        Memory.open(vault, tenant="foreign")
    assert foreign.read_bytes() == before


# Policy of a vault.


@pytest.mark.parametrize("text", [b"\xff\xfe", b"version: 2\nname: x\n", b"", b"version: 1\nname: x\ncolour: blue\n"])
def test_a_wrong_policy_file_opens_nothing(vault: Path, text: bytes) -> None:
    path = vault.parent / "policy.yaml"
    path.write_bytes(text)
    with pytest.raises(ConfigurationError) as refused:
        Memory.open(vault, policy=path)
    assert "policy" in str(refused.value)
    assert list(vault.glob("*.sqlite")) == []


def test_a_policy_file_that_is_not_there_is_named(vault: Path) -> None:
    with pytest.raises(ConfigurationError) as refused:
        Memory.open(vault, policy=vault.parent / "absent.yaml")
    assert refused.value.setting == "policy"


POLICY = """\
version: 1
name: one
actors: {owner: {type: person, roles: [owner]}}
write: [{id: all, decision: commit, reason: may}]
read: [{id: all-read, member: false}]
review: [{id: all-review, actions: [accept, discard, retract, queue, audit]}]
"""


def test_a_change_of_policy_is_an_entry_and_the_same_policy_again_is_none(vault: Path) -> None:
    def kinds() -> list[str]:
        with open_memory(vault, policy=POLICY) as memory:
            return [entry.kind for entry in memory.ledger.entries()]

    assert kinds() == ["genesis", "policy"]
    assert kinds() == ["genesis", "policy"]
    with open_memory(vault, policy=POLICY.replace("name: one", "name: two")) as memory:
        assert [entry.kind for entry in memory.ledger.entries()] == ["genesis", "policy", "policy"]
        assert memory.remember("alpha").committed
        assert memory.ledger.entries()[-1].policy == memory.ledger.entries()[2].documents[0].doc
        assert memory.ledger.verify().ok


# Actors.


def test_the_same_memory_is_seen_by_another_actor(memory: Memory) -> None:
    agent = memory.as_actor("worker", session="s1")
    assert agent.actor == Actor(id="worker", roles=("agent",), projects=("default",), sessions=("s1",))
    kept = _kept(agent.remember("alpha"))
    assert memory.get(kept).record.actor == "worker"
    assert memory.actor.type is ActorType.PERSON


@pytest.mark.parametrize("nobody", ["", None])
def test_nobody_is_not_an_actor(memory: Memory, nobody: str) -> None:
    with pytest.raises(Unauthenticated):
        memory.as_actor(nobody)


@pytest.mark.parametrize(
    ("actor", "session", "field"), [("a b", None, "actor"), ("ana", "a/b", "session_id"), (5, None, "actor")]
)
def test_a_wrong_actor_is_refused_by_name(memory: Memory, actor: str, session: str | None, field: str) -> None:
    with pytest.raises(Malformed) as refused:
        memory.as_actor(actor, session=session)
    assert refused.value.field == field


def test_a_session_is_not_dropped_because_the_actor_is_given_whole(memory: Memory) -> None:
    agent = memory.as_actor(Actor(id="worker", projects=("default",)), session="s1")
    assert agent.actor.sessions == ("s1",)
    assert agent.remember("alpha", scope="session").committed


# Many at once.


def test_many_are_put_forward_in_one_go_each_with_its_own_answer(memory: Memory) -> None:
    before = memory.ledger.head().seq
    verdicts = memory.propose([Claim(content="alpha"), ("prp_b", Claim(content="beta")), Claim(content=" alpha")])
    assert [verdict.outcome for verdict in verdicts] == [Outcome.COMMITTED, Outcome.COMMITTED, Outcome.REFUSED]
    assert [verdict.epoch for verdict in verdicts] == [before + 1, before + 2, before + 3]
    assert verdicts[1].proposal_id == "prp_b"
    assert verdicts[2].duplicate_of == verdicts[0].record_id


def test_none_put_forward_is_no_answer(memory: Memory) -> None:
    before = memory.ledger.head()
    assert memory.propose([]) == ()
    assert memory.ledger.head() == before


def test_one_bad_proposal_undoes_them_all(memory: Memory) -> None:
    memory.propose(Claim(content="taken"), proposal_id="prp_taken")
    before, head = memory.insight.stats(), memory.ledger.head()
    with pytest.raises(Malformed):
        memory.propose([Claim(content="alpha"), ("prp_taken", Claim(content="something else"))])
    assert (memory.insight.stats().revisions, memory.ledger.head()) == (before.revisions, head)
    assert memory.ledger.verify().ok


@each(
    "claims",
    [None, 5, "alpha", [5], ["alpha"], [None], [("prp_1",)], [("prp_1", Claim(content="x"), 1)],
     [("../x", Claim(content="x"))], [(Claim(content="x"), "prp_1")], [()], {"a": 1}],
    ids=repr,
)  # fmt: skip
def test_what_is_no_list_of_claims_is_refused_and_nothing_is_stored(memory: Memory, claims: list[Claim]) -> None:
    before = memory.ledger.head()
    with pytest.raises((Malformed, LimitExceeded)):
        memory.propose(claims)
    assert memory.ledger.head() == before


def test_a_batch_has_a_limit(memory: Memory) -> None:
    with pytest.raises((Malformed, LimitExceeded)):
        memory.propose(Claim(content="x") for _ in range(10_001))
    assert memory.insight.stats().revisions == {}


# Revisions.

SAID = {
    "kind": "risk",
    "confidence": 0.9,
    "evidence": ["log:1"],
    "reasoning": "seen",
    "namespace": "/ci",
    "purpose": "planning",
    "source": "wiki",
    "subject": "db",
    "key": "region",
    "value": "eu",
    "valid_from": "2026-01-01",
    "sensitivity": "public",
    "importance": 0.7,
    "entities": ["db"],
}


def test_a_revision_keeps_what_is_not_said(memory: Memory) -> None:
    kept = _kept(memory.remember("alpha", **SAID))  # type: ignore[arg-type]
    first = memory.get(kept).record.claim
    verdict = memory.revise(kept, "beta", confidence=0.4)
    second = memory.get(kept).record.claim
    assert (verdict.decision, verdict.revision) == ("update", 2)
    assert (second.content, second.belief.score) == ("beta", 0.4)
    assert second.belief.evidence == first.belief.evidence
    for part in ("slot", "nature", "place", "intent", "origin", "times", "lineage", "handling", "strength"):
        assert getattr(second, part) == getattr(first, part)
    assert memory.get(kept, revision=1).record.claim == first
    assert memory.get(kept, revision=1).standing.status is Status.SUPERSEDED


def test_a_revision_may_say_the_same_words_with_other_confidence(memory: Memory) -> None:
    kept = _kept(memory.remember("alpha"))
    assert memory.revise(kept, "alpha", confidence=0.9).revision == 2


def test_a_record_that_replaced_another_can_be_revised(memory: Memory) -> None:
    old = _kept(memory.remember("alpha"))
    new = _kept(memory.remember("beta", supersedes=old))
    assert memory.revise(new, "gamma").revision == 2
    assert memory.history(new).replaced == (old,)


def test_a_record_that_contradicts_another_can_be_revised(memory: Memory) -> None:
    old = _kept(memory.remember("alpha"))
    new = _kept(memory.remember("beta", relations=[("contradicts", old)]))
    memory.revise(new, "gamma")
    assert memory.insight.stats().open_conflicts == 1
    assert memory.ledger.verify().ok


def test_one_part_of_a_slot_can_be_revised_alone(memory: Memory) -> None:
    kept = _kept(memory.remember("alpha", subject="db", key="region", value="eu"))
    memory.revise(kept, "beta", value="us")
    slot = memory.get(kept).record.claim.slot
    assert slot is not None
    assert (slot.subject, slot.key, slot.value) == ("db", "region", "us")


def test_a_revision_to_another_scope_gets_the_id_that_scope_implies(memory: Memory) -> None:
    kept = _kept(memory.remember("alpha"))
    memory.revise(kept, "beta", scope="agent_repo")
    place = memory.get(kept).record.claim.place
    assert (place.scope, place.scope_id) == ("agent_repo", "owner")


def test_a_revision_made_on_another_than_the_present_one_is_stale(memory: Memory) -> None:
    kept = _kept(memory.remember("alpha"))
    memory.revise(kept, "beta", expected_revision=1)
    before = memory.ledger.head()
    with pytest.raises(Stale) as refused:
        memory.revise(kept, "gamma", expected_revision=1)
    assert (refused.value.code, refused.value.present) == ("stale", "revision 2")
    with pytest.raises(Stale):
        memory.review.retract(kept, reason="no", expected_revision=1)
    assert memory.ledger.head() == before


@pytest.mark.parametrize("revision", [0, -1, True, "1", 1.0, 2**31 + 1])
def test_an_expected_revision_that_is_none_is_refused(memory: Memory, revision: int) -> None:
    kept = _kept(memory.remember("alpha"))
    with pytest.raises(Malformed) as refused:
        memory.revise(kept, "beta", expected_revision=revision)
    assert refused.value.field == "expected_revision"


def test_history_tells_every_revision_who_and_why(vault: Path) -> None:
    clock = SetClock()
    with open_memory(vault, clock=clock) as memory:
        kept = _kept(memory.remember("alpha"))
        clock.forward(5)
        memory.revise(kept, "beta")
        clock.forward(5)
        memory.review.retract(kept, reason="it was wrong")
        history = memory.history(kept)
    assert [view.record.content for view in history.revisions] == ["alpha", "beta"]
    assert [view.standing.status for view in history.revisions] == [Status.SUPERSEDED, Status.RETRACTED]
    assert [event.what for event in history.revisions[0].events] == ["committed as active", "became superseded"]
    last = history.revisions[1].events[-1]
    assert (last.what, last.actor, last.reason) == ("became retracted", "owner", "it was wrong")
    assert last.at == clock.now()


def test_history_tells_what_replaced_what(memory: Memory) -> None:
    old = _kept(memory.remember("alpha"))
    new = _kept(memory.remember("beta", supersedes=old))
    assert (memory.history(old).replaced_by, memory.history(new).replaced) == ((new,), (old,))


# What waits.


def test_the_queue_is_for_reviewers_and_for_those_who_wait(memory: Memory) -> None:
    ana, bo = memory.as_actor("ana"), memory.as_actor("bo")
    mine = ana.remember("We deploy on Tuesdays", kind="decision").proposal_id
    theirs = bo.remember("We deploy on Fridays", kind="decision").proposal_id
    assert {waiting.proposal.id for waiting in memory.review.queue()} == {mine, theirs}
    assert [(waiting.proposal.id, waiting.actor_type) for waiting in ana.review.queue()] == [(mine, "agent")]
    assert memory.as_actor("stranger").review.queue() == ()
    for actor in (ana, bo):
        with pytest.raises(NotFound):
            actor.review.decide(mine, accept=True, reason="I say so")
    assert memory.review.decide(mine, accept=False, reason="no").outcome is Outcome.REFUSED
    accepted = memory.review.decide(theirs, accept=True, reason="yes", kind="preference")
    assert memory.get(_kept(accepted)).record.claim.nature.kind == "preference"
    assert memory.get(_kept(accepted)).record.reviewer == "owner"
    assert memory.review.queue() == ()
    with pytest.raises(Stale):
        memory.review.decide(mine, accept=True, reason="after all")


def test_the_queue_is_paged(memory: Memory) -> None:
    agent = memory.as_actor("worker")
    names = sorted(
        agent.remember(f"Decision {n}", kind="decision", proposal_id=f"prp_{n}").proposal_id for n in range(5)
    )
    assert [waiting.proposal.id for waiting in memory.review.queue(limit=2)] == names[:2]
    assert [waiting.proposal.id for waiting in memory.review.queue(after=names[1], limit=2)] == names[2:4]
    assert [waiting.proposal.id for waiting in memory.review.queue(after=names[4])] == []


def test_stats_tell_auditors_more_than_others(memory: Memory) -> None:
    memory.remember("alpha", sensitivity="secret")
    memory.remember("beta")
    memory.as_actor("worker").remember("We deploy on Tuesdays", kind="decision")
    full, narrow = memory.insight.stats(), memory.as_actor("worker").insight.stats()
    assert (full.revisions, full.current, full.held, full.entries) == ({"active": 2}, 2, 1, 5)
    assert (narrow.revisions, narrow.current) == ({"active": 1}, 1)
    assert (narrow.held, narrow.entries, narrow.receipts, narrow.bytes) == (None, None, None, None)


LEDGER: dict[str, Callable[[Memory], object]] = {
    "head": lambda memory: memory.ledger.head(),
    "entries": lambda memory: memory.ledger.entries(),
    "checkpoint": lambda memory: memory.ledger.checkpoint(),
    "verify": lambda memory: memory.ledger.verify(),
    "replay": lambda memory: memory.ledger.replay(),
}


@pytest.mark.parametrize("call", LEDGER)
def test_the_ledger_needs_the_right_to_audit(memory: Memory, call: str) -> None:
    with pytest.raises(NotPermitted) as refused:
        LEDGER[call](memory.as_actor("worker"))
    assert (refused.value.code, refused.value.actor) == ("not_permitted", "worker")
    assert LEDGER[call](memory) is not None


# Wrong calls.

WRONG: dict[str, tuple[Callable[[Memory], object], str]] = {
    "unknown word of remember": (lambda m: m.remember("x", colour="blue"), "colour"),  # type: ignore[call-arg]
    "unknown word of remember, said as nothing": (lambda m: m.remember("x", colour=None), "colour"),  # type: ignore[call-arg]
    "unknown word of recall": (lambda m: m.recall("x", colour="blue"), "colour"),  # type: ignore[call-arg]
    "unknown word of recall, said as nothing": (lambda m: m.recall("x", colour=None), "colour"),  # type: ignore[call-arg]
    "content that is no text": (lambda m: m.remember(5), "content"),  # type: ignore[arg-type]
    "query that is no text": (lambda m: m.recall(None), "query"),  # type: ignore[arg-type]
    "empty query": (lambda m: m.recall(""), "query"),
    "query with NUL": (lambda m: m.recall("a\x00"), "query"),
    "query with half a pair": (lambda m: m.recall("\ud800"), "query"),
    "empty purpose": (lambda m: m.recall("x", purpose=""), "purpose"),
    "purpose that is no id": (lambda m: m.recall("x", purpose="a b"), "purpose"),
    "provenance that is no flag": (lambda m: m.recall("x", require_provenance=""), "require_provenance"),  # type: ignore[arg-type]
    "provenance that is a number": (lambda m: m.recall("x", require_provenance=0), "require_provenance"),  # type: ignore[arg-type]
    "kinds as one text": (lambda m: m.recall("x", kinds="fact"), "kinds"),
    "unknown kind": (lambda m: m.recall("x", kinds=["fact", "gossip"]), "kinds[1]"),
    "trust that is none": (lambda m: m.recall("x", trust_min="some"), "trust_min"),
    "sensitivity that is none": (lambda m: m.recall("x", sensitivity_max="some"), "sensitivity_max"),
    "age that is NaN": (lambda m: m.recall("x", max_age_days=float("nan")), "max_age_days"),
    "age beyond all numbers": (lambda m: m.recall("x", max_age_days=10**400), "max_age_days"),
    "confidence that is true": (lambda m: m.recall("x", confidence_min=True), "confidence_min"),
    "limit below 0": (lambda m: m.recall("x", limit=-1), "limit"),
    "limit that is true": (lambda m: m.recall("x", limit=True), "limit"),
    "limit beyond all numbers": (lambda m: m.recall("x", limit=10**400), "limit"),
    "budget below 0": (lambda m: m.recall("x", budget_tokens=-1), "budget_tokens"),
    "time without a zone": (lambda m: m.recall("x", known_at="2026-01-01T00:00:00"), "known_at"),
    "time that is no time": (lambda m: m.recall("x", valid_at="soon"), "valid_at"),
    "namespace with tricks": (lambda m: m.recall("x", namespace="/../x"), "namespace"),
    "empty namespace": (lambda m: m.recall("x", namespace=""), "namespace"),
    "record id with tricks": (lambda m: m.get("../x"), "id"),
    "record id that is no text": (lambda m: m.get(None), "id"),  # type: ignore[arg-type]
    "revision that is text": (lambda m: m.get("rec_1", revision="1"), "revision"),  # type: ignore[arg-type]
    "history of tricks": (lambda m: m.history("a/b"), "id"),
    "receipt with tricks": (lambda m: m.explain("../x"), "receipt_id"),
    "reason that says nothing": (lambda m: m.review.retract("rec_1", reason=" "), "reason"),
    "reason that is no text": (lambda m: m.review.retract("rec_1", reason=None), "reason"),  # type: ignore[arg-type]
    "answer that is no yes or no": (lambda m: m.review.decide("prp_1", accept=1, reason="x"), "accept"),  # type: ignore[arg-type]
    "kind of an answer": (lambda m: m.review.decide("prp_1", accept=True, reason="x", kind="gossip"), "kind"),
    "queue limit": (lambda m: m.review.queue(limit=0), "limit"),
    "queue limit beyond": (lambda m: m.review.queue(limit=10**400), "limit"),
    "queue after nothing": (lambda m: m.review.queue(after=5), "after"),  # type: ignore[arg-type]
    "queue after something": (lambda m: m.review.queue(after=object()), "after"),  # type: ignore[arg-type]
    "entries from text": (lambda m: m.ledger.entries("x"), "first"),  # type: ignore[arg-type]
    "entries beyond all numbers": (lambda m: m.ledger.entries(1, 10**400), "last"),
    "proposal id with tricks": (lambda m: m.remember("x", proposal_id="../x"), "proposal_id"),
    "empty proposal id": (lambda m: m.remember("x", proposal_id=""), "proposal_id"),
    "claim that is none": (lambda m: m.propose("x"), "claim"),  # type: ignore[arg-type]
}


@each("name", WRONG)
def test_a_wrong_call_is_refused_by_the_name_of_the_field_and_stores_nothing(memory: Memory, name: str) -> None:
    call, field = WRONG[name]
    before = memory.ledger.head()
    with pytest.raises(CallerError) as refused:
        call(memory)
    assert getattr(refused.value, "field", None) == field
    assert memory.ledger.head() == before


def test_a_wrong_revision_is_refused_by_the_name_of_the_field(memory: Memory) -> None:
    kept = _kept(memory.remember("alpha"))
    before = memory.ledger.head()
    with pytest.raises(Malformed) as unknown:
        memory.revise(kept, "beta", colour="blue")  # type: ignore[call-arg]  # an unknown word is the point
    with pytest.raises(Malformed) as wrong:
        memory.get(kept, revision=0)
    assert (unknown.value.field, wrong.value.field) == ("colour", "revision")
    assert memory.ledger.head() == before


@pytest.mark.slow
def test_ten_megabytes_of_anything_are_refused_and_not_kept(memory: Memory, vault: Path) -> None:
    huge = "x" * 10_000_000
    calls: tuple[Callable[[], object], ...] = (
        lambda: memory.remember(huge),
        lambda: memory.remember("x", reasoning=huge),
        lambda: memory.remember("x", evidence=[huge]),
        lambda: memory.recall(huge),
        lambda: memory.review.retract("rec_1", reason=huge),
        lambda: memory.get(huge),
    )
    for call in calls:
        with pytest.raises((Malformed, LimitExceeded)) as refused:
            call()
        assert len(str(refused.value)) < 300
    assert len(all_bytes(vault)) < 2_000_000


# After closing.

CLOSED: dict[str, Callable[[Memory], object]] = {
    "remember": lambda memory: memory.remember("alpha"),
    "propose_many": lambda memory: memory.propose([Claim(content="x")]),
    "recall": lambda memory: memory.recall("alpha"),
    "get": lambda memory: memory.get("rec_1"),
    "history": lambda memory: memory.history("rec_1"),
    "revise": lambda memory: memory.revise("rec_1", "x"),
    "retract": lambda memory: memory.review.retract("rec_1", reason="x"),
    "decide": lambda memory: memory.review.decide("prp_1", accept=True, reason="x"),
    "queue": lambda memory: memory.review.queue(),
    "conflicts": lambda memory: memory.review.conflicts(),
    "stats": lambda memory: memory.insight.stats(),
    "explain": lambda memory: memory.explain("rcp_1"),
    **LEDGER,
}


@pytest.mark.parametrize("call", CLOSED)
@pytest.mark.parametrize("view", ["the memory", "a view of it"])
def test_a_closed_memory_says_so(vault: Path, call: str, view: str) -> None:
    memory = Memory.open(vault)
    seen = memory if view == "the memory" else memory.as_actor("owner")
    memory.close()
    memory.close()  # twice is once
    with pytest.raises(StoreUnavailable) as refused:
        CLOSED[call](seen)
    assert refused.value.code == "store_unavailable"


def test_closing_signs_what_was_written(vault: Path) -> None:
    with Memory.open(vault) as memory:
        memory.remember("alpha")
        memory.recall("alpha")
        head = memory.ledger.head()
    with Memory.open(vault) as memory, memory._session.tenant.store.read() as snapshot:
        last = snapshot.ledger.last_checkpoint()
        assert last is not None
        assert (last.checkpoint.seq, last.checkpoint.head, last.checkpoint.receipts) == (head.seq, head.hash.hex(), 1)


def test_the_ledgers_clock_never_runs_back(vault: Path) -> None:
    clock = SetClock("2026-06-01T00:00:00Z")
    with open_memory(vault, clock=clock) as memory:
        memory.remember("alpha")
        clock.set("2020-01-01T00:00:00Z")
        memory.remember("beta")
        times = [entry.at for entry in memory.ledger.entries()]
        assert times == sorted(times)
        assert memory.ledger.verify().ok
