"""A secret in any text of any call is nowhere afterwards: in no file of the vault, in no answer, in no error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from tests.unit.world import all_bytes

from muniment import Memory
from muniment.model.claim import Claim
from muniment.model.entry import StoredEntry
from muniment.model.errors import MunimentError
from muniment.model.vocabulary import Outcome

SECRETS = ("AKIA" + "IOSFODNN7EXAMPLE", "4111111111111111", "ghp_" + "aB3dE6gH9jK2" * 3)
Call = Callable[[Memory, str], object]


def _claim(**parts: object) -> Claim:
    return msgspec.convert({"content": "The build is green", **parts}, Claim)


def _proposing(**parts: object) -> Call:
    def call(memory: Memory, secret: str) -> object:
        said = msgspec.json.decode(msgspec.json.encode(parts).replace(b"SECRET", msgspec.json.encode(secret)[1:-1]))
        return memory.propose(_claim(**said))

    return call


def _decide(memory: Memory, secret: str, **options: str) -> object:
    held = memory.as_actor("worker").remember("We deploy on Tuesdays", kind="decision")
    return memory.review.decide(held.proposal_id, **{"accept": True, "reason": "ok", **options})  # type: ignore[arg-type]


def _kept(memory: Memory) -> str:
    return memory.remember("The cluster has nine nodes").record_id or ""


CALLS: dict[str, Call] = {
    "content": lambda memory, secret: memory.remember(f"it is {secret} today"),
    "held content": lambda memory, secret: memory.as_actor("worker").remember(f"it is {secret}", kind="decision"),
    "refused content": lambda memory, secret: memory.as_actor("worker").remember(f"it is {secret}", kind="directive"),
    "slot": _proposing(slot={"subject": "a SECRET", "key": "b SECRET", "value": "c SECRET"}),
    "reasoning": _proposing(belief={"reasoning": "a SECRET"}),
    "evidence": _proposing(belief={"evidence": ["fine", "a SECRET"]}),
    "assumptions": _proposing(belief={"assumptions": ["a SECRET"]}),
    "intent": _proposing(intent={"purpose": "a SECRET", "question": "b SECRET"}),
    "origin": _proposing(
        origin={"source": "a SECRET", "source_type": "SECRET", "external_id": "SECRET", "triggered_by": "SECRET"}
    ),
    "entities": _proposing(lineage={"entities": ["a SECRET"]}),
    "nature": _proposing(nature={"experience": "a SECRET", "lifecycle": "b SECRET"}),
    "extension body": _proposing(extensions=[{"name": "omir", "body": '{"a": ["SECRET"], "SECRET": 1}'}]),
    "extension name": _proposing(extensions=[{"name": "a SECRET", "body": "{}"}]),
    "hidden reasoning in an extension": _proposing(extensions=[{"name": "a SECRET", "body": '{"cot": 1}'}]),
    "hidden reasoning under a key": _proposing(extensions=[{"name": "omir", "body": '{"a SECRET": {"cot": 1}}'}]),
    "scope id": _proposing(place={"scope_id": "SECRET"}),
    "namespace": _proposing(place={"namespace": "/a/SECRET"}),
    "session, workflow and task": _proposing(
        place={"session_id": "SECRET", "workflow_id": "SECRET", "task_id": "SECRET"}
    ),
    "derived from": _proposing(lineage={"derived_from": ["SECRET"]}),
    "supersedes": _proposing(lineage={"supersedes": "SECRET"}),
    "parent": _proposing(lineage={"parent": "SECRET"}),
    "relation": _proposing(lineage={"relations": [{"type": "supports", "target": "SECRET", "description": "SECRET"}]}),
    "owner": _proposing(handling={"owner": "SECRET"}),
    "proposal id": lambda memory, secret: memory.remember("fine", proposal_id=secret),
    "revised content": lambda memory, secret: memory.revise(_kept(memory), f"it is {secret}"),
    "revised id": lambda memory, secret: memory.revise(secret, "fine"),
    "reason of a retraction": lambda memory, secret: memory.review.retract(_kept(memory), reason=f"it was {secret}"),
    "reason of a refused retraction": lambda memory, secret: memory.as_actor("worker").review.retract(
        _kept(memory), reason=f"it was {secret}"
    ),
    "retracted id": lambda memory, secret: memory.review.retract(secret, reason="fine"),
    "reason of an acceptance": lambda memory, secret: _decide(memory, secret, reason=f"it is {secret}"),
    "scope of an acceptance": lambda memory, secret: _decide(memory, secret, scope_id=secret),
    "decided id": lambda memory, secret: memory.review.decide(secret, accept=True, reason="fine"),
    "query": lambda memory, secret: memory.recall(f"what is {secret} for"),
    "query of nothing else": lambda memory, secret: memory.recall(secret),
    "quoted query": lambda memory, secret: memory.recall(f'"what is {secret}"'),
    "purpose of a query": lambda memory, secret: memory.recall("cluster", purpose=secret),
    "scope of a query": lambda memory, secret: memory.recall("cluster", scope_ids=[secret]),
    "namespace of a query": lambda memory, secret: memory.recall("cluster", namespace=f"/{secret}"),
    "record id": lambda memory, secret: memory.get(secret),
    "receipt id": lambda memory, secret: memory.explain(secret),
    "unknown kind": lambda memory, secret: memory.remember("fine", kind=secret),
    "wrong time": lambda memory, secret: memory.remember("fine", valid_from=secret),
    "content that is refused": lambda memory, secret: memory.remember(f"{secret}\x00"),
    "actor": lambda memory, secret: memory.as_actor(f"{secret} \x00"),
}


def _spellings(secret: str) -> set[bytes]:
    return {secret.encode(), secret.lower().encode(), secret.casefold().encode(), secret.encode().hex().encode()}


@pytest.mark.parametrize("secret", SECRETS[1:])
@pytest.mark.parametrize("name", CALLS)
def test_the_secret_is_nowhere(vault: Path, name: str, secret: str) -> None:
    told: list[str] = []
    with Memory.open(vault) as memory:
        try:
            told.append(repr(CALLS[name](memory, secret)))
        except MunimentError as refused:
            told += [str(refused), repr(refused), refused.hint, repr(refused.__cause__)]
        before_closing = all_bytes(vault)
        told += [repr(memory.review.queue()), repr(memory.ledger.entries()), repr(memory.ledger.verify())]
    after_closing = all_bytes(vault)
    for spelling in _spellings(secret):
        assert spelling not in before_closing
        assert spelling not in after_closing
        if not name.startswith("quer"):
            assert spelling not in "\n".join(told).encode()


def test_a_cleaned_proposal_says_what_was_taken_out_and_where(memory: Memory) -> None:
    verdict = memory.remember(f"use {SECRETS[0]}", evidence=[f"card {SECRETS[1]}", f"card {SECRETS[1]}"])
    assert verdict.outcome is Outcome.COMMITTED
    assert {(one.field, one.what, one.count) for one in verdict.redactions} == {
        ("content", "cloud access key", 1),
        ("evidence", "card number", 2),
    }
    found = memory.get(verdict.record_id or "").record
    assert found.content == "use [redacted: cloud access key]"


def test_a_secret_in_a_name_ends_the_proposal(memory: Memory) -> None:
    verdict = memory.remember("fine", namespace=f"/{SECRETS[0]}")
    assert (verdict.outcome, verdict.rule, verdict.record_id) == (Outcome.REFUSED, "secret-in-name", None)


DISCARD = """\
version: 1
name: test
actors: {owner: {type: person, roles: [owner]}}
write: [{id: all, decision: commit, reason: may}]
read: [{id: all-read, member: false}]
review: [{id: all-review, actions: [accept, discard, retract, queue, audit]}]
safety: {secrets: discard}
"""


def test_a_policy_may_discard_instead(vault: Path) -> None:
    path = vault.parent / "policy.yaml"
    path.write_text(DISCARD)
    with Memory.open(vault, policy=path) as memory:
        verdict = memory.remember(f"use {SECRETS[0]}")
        assert (verdict.outcome, verdict.rule) == (Outcome.REFUSED, "secrets-discard")
    assert SECRETS[0].encode() not in all_bytes(vault)


def test_the_ledger_holds_no_content_at_all(memory: Memory, vault: Path) -> None:
    memory.remember(
        "Zanzibar is the codeword",
        reasoning="Quetzal said so",
        evidence=["xylophone:7"],
        subject="Okapi",
        key="k",
        value="v",
    )
    bodies = b"".join(stored.body for stored in _stored(memory))
    assert len(bodies) > 0
    for word in (b"Zanzibar", b"Quetzal", b"xylophone", b"Okapi", b"zanzibar"):
        assert word not in bodies


def _stored(memory: Memory) -> list[StoredEntry]:
    with memory._session.tenant.store.read() as snapshot:
        return list(snapshot.ledger.entries(1, 10_000))
