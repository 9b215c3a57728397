"""The same story told to an embedded and to a served memory comes to the same."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial

import pytest
from tests.patience import WAIT_S
from tests.surfaces.http.conftest import Served

from muniment import AsyncClient, Claim, Client, Memory
from muniment.model.claim import Belief
from muniment.model.erasure import Target, TargetKind, digest_of
from muniment.model.errors import (
    ConfigurationError,
    Malformed,
    NotFound,
    NotPermitted,
    OnHold,
    Stale,
    StoreUnavailable,
    Unauthenticated,
    Undecided,
)
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.principal import Grant

Either = Memory | Client


def story(memory: Either) -> list[object]:
    """Every method once at least; ids and times aside, what it comes to."""
    told: list[object] = []
    first = memory.remember(
        "The staging database moved to eu-west-2",
        kind="fact",
        evidence=["ticket:OPS-7"],
        confidence=0.9,
        valid_from=datetime(2026, 1, 1, tzinfo=UTC),
        valid_until="2030-01-01T00:00:00Z",
    )
    assert first.record_id is not None
    told += [first.decision, first.outcome, first.rule, [step.result for step in first.steps]]
    again = memory.propose(
        Claim(content="The cache is cold", belief=Belief(score=0.8, evidence=("run:1",))), proposal_id="prp-own"
    )
    told += [
        again.outcome,
        memory.propose(
            Claim(content="The cache is cold", belief=Belief(score=0.8, evidence=("run:1",))), proposal_id="prp-own"
        )
        == again,
    ]
    many = memory.propose([Claim(content=f"Shelf {n} is oak") for n in range(3)])
    told += [[one.outcome for one in many], memory.propose([])]
    told += [[one.outcome for one in memory.imports.preview([Claim(content="A preview")])], memory.imports.preview([])]
    revised = memory.revise(first.record_id, "The staging database moved to eu-west-3", expected_revision=1)
    told += [
        revised.revision,
        memory.get(first.record_id).record.content,
        memory.get(first.record_id, revision=1).record.content,
    ]
    told += [memory.get(first.record_id).record.claim.times, len(memory.history(first.record_id).revisions)]
    found = memory.recall("where is the staging database?", limit=5, purpose="answer")
    told += [[one.record.content for one in found.records], [one.reasons for one in found.records]]
    told += [memory.explain(found.receipt_id).same_ids, memory.explain(found.receipt_id, replay=True).same_ids]
    told += [len(memory.attune(role="engineer", interests=["databases"], limit=3).records)]
    told += [
        [one.record.content for one in memory.insight.browse()],
        len(list(memory.insight.browse(limit=2))),
        len(list(memory.insight.browse(kinds=["decision"]))),
    ]
    above = memory.remember(
        "Point backups at eu-west-3", kind="decision", derived_from=[first.record_id], confidence=0.9
    )
    assert above.record_id is not None
    told += [
        len(memory.insight.lineage(above.record_id, direction="up").nodes),
        len(memory.insight.foresee(first.record_id).falls),
    ]
    told += [
        memory.insight.lineage(above.record_id, limit=1).more,
        memory.insight.foresee(above.record_id, becomes="archived").falls,
    ]
    told += [memory.review.outcome(first.record_id, "misleading", weight=0.5, evidence="it was empty").outcome]
    told += [round(memory.get(above.record_id).standing.footing.effective, 6)]
    other = memory.remember("Shelf 1 is ash", kind="fact", confidence=0.7)
    told += [
        other.outcome,
        len(memory.review.conflicts()),
        memory.review.queue(),
        memory.review.detect(first.record_id),
    ]
    for conflict in memory.review.conflicts():
        told.append(memory.review.resolve(conflict.id, strategy="last_write_wins", rationale="newer").status)
    draft = memory.remember("Perhaps walnut", draft=True).record_id
    assert draft is not None
    told += [memory.get(draft).standing.status, memory.review.retract(draft, reason="no").outcome]
    told += [memory.review.retire(above.record_id, becomes="archived", reason="done").outcome]
    told += [memory.review.report("prp-own").report.outcome, memory.review.alias("the base", "staging database")]
    told += guarded(memory, first.record_id)
    told += [
        memory.insight.directory().knowers[0].actor,
        memory.insight.entity("eu-west-3").names,
    ]
    told += [
        memory.insight.namespaces(),
        memory.insight.stats().current,
        memory.insight.quality().profile,
        memory.insight.searching().model,
        memory.review.sweep(),
    ]
    told += [
        memory.ledger.head().seq == len(memory.ledger.entries()),
        memory.ledger.verify().ok,
        memory.ledger.replay().identical,
    ]
    told += [memory.ledger.checkpoint().checkpoint.seq == memory.ledger.head().seq]
    told += [len(list(memory.ledger.receipts())) > 3, memory.flush().upto]
    told += [memory.actor.id, memory.tenant]
    return told


def guarded(memory: Either, name: str) -> list[object]:
    """What a guardian does, ending with the erasure of a record."""
    told_by = memory.remember("The post says so", source="forum.example", confidence=0.9).record_id
    assert told_by is not None
    apart = memory.review.quarantine(told_by, reason="odd", expected_revision=1)
    told: list[object] = [apart.outcome, [one.record.content for one in memory.review.quarantined()]]
    told += [memory.review.release(told_by, reason="not so odd").outcome, memory.review.quarantined()]
    told += [len(memory.erasure.withdraw("source", "forum.example", reason="defaced", dry_run=True).records)]
    gone = memory.erasure.withdraw("source", "forum.example", reason="defaced")
    told += [gone.records == (told_by,), gone.verdict is not None and gone.verdict.outcome]
    placed = memory.erasure.hold(name, reason="case 7")
    told += [placed.target.by, [one.id for one in memory.erasure.holds()] == [placed.id]]
    with pytest.raises(OnHold):
        memory.forget(name, reason="asked to")
    told += [memory.erasure.lift(placed.id, reason="closed") == placed, memory.erasure.holds()]
    plan = memory.forget(name, reason="asked to", cascade="review", dry_run=True)
    told += [[(node.revisions, node.fate) for node in plan.plan.nodes], plan.certificate, plan.opening]
    with pytest.raises(Stale):
        memory.forget(name, reason="asked to", cascade="erase", expected=plan.plan.digest)
    done = memory.forget(name, reason="asked to", cascade="review", expected=plan.plan.digest)
    assert done.certificate is not None
    assert done.opening is not None
    counts = done.certificate.certificate.counts
    told += [done.plan.nodes[0].fate, done.scrubbed, (counts.records, counts.revisions, counts.reviewed)]
    told += [memory.erasure.certificates() == (done.certificate,)]
    told += [digest_of(Target(by=TargetKind.RECORD, value=name), done.opening) == done.certificate.certificate.digest]
    return told


def test_the_same_story_comes_to_the_same(served: Served, embedded: Memory) -> None:
    with Client(served.url) as client:
        assert story(client) == story(embedded)


def caught(call: Callable[[], object]) -> Exception:
    with pytest.raises(Exception) as found:  # which one is what the test is about
        call()
    return found.value


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        (lambda memory: memory.remember(""), Malformed),
        (lambda memory: memory.recall("x", limit=-1), Malformed),
        (lambda memory: memory.remember("x", kind="poem"), Malformed),
        (lambda memory: memory.get("rec-nowhere"), NotFound),
        (lambda memory: memory.review.resolve("cfl-nowhere", strategy="vote", rationale="r"), NotFound),
        (lambda memory: memory.revise(kept(memory), "Another", expected_revision=7), Stale),
        (lambda memory: memory.insight.foresee(kept(memory), becomes="active"), Malformed),
        (lambda memory: memory.review.resolve(disputed(memory), strategy="authority", rationale="r"), Undecided),
    ],
)
def test_an_error_is_the_same_error(
    served: Served, embedded: Memory, wrong: Callable[[Either], object], kind: type[Exception]
) -> None:
    with Client(served.url) as client:
        theirs = caught(lambda: wrong(client))
    ours = caught(lambda: wrong(embedded))
    assert (type(theirs), type(ours)) == (kind, kind)
    assert getattr(theirs, "code", None) == getattr(ours, "code", None)
    assert getattr(theirs, "field", None) == getattr(ours, "field", None)


def kept(memory: Either) -> str:
    name = memory.remember("The harbour is deep").record_id
    assert name is not None
    return name


def disputed(memory: Either) -> str:
    memory.remember("The nightly build takes 40 minutes", confidence=0.8)
    memory.remember("The nightly build takes 55 minutes", confidence=0.8)
    return memory.review.conflicts()[0].id


def test_what_a_key_does_not_open_is_refused_and_the_key_is_shown_nowhere(served: Served) -> None:
    key = served.key(KeyRequest(name="reader", actor="reader", grants=(Grant.READ,)))
    with Client(served.url, key=key) as client:
        assert client.caller().grants == ("read",)
        error = caught(lambda: client.remember("x"))
        assert isinstance(error, NotPermitted)
        shown = f"{client!r} {vars(client)!r} {error!r} {error}"
    with Client(served.url, key="mnk_wrong") as client:
        wrong = caught(client.insight.stats)
    with Client(served.url) as client:
        nobody = caught(client.insight.stats)
    assert (type(wrong), type(nobody)) == (Unauthenticated, Unauthenticated)
    assert key not in shown
    assert "mnk_wrong" not in f"{wrong} {wrong!r}"


def test_where_there_is_no_server_that_is_said(served: Served) -> None:
    with socket.socket() as taken:  # held, so that nobody else begins to listen there
        taken.bind(("127.0.0.1", 0))
        with Client(f"http://127.0.0.1:{taken.getsockname()[1]}", timeout=1.0) as client:
            assert isinstance(caught(client.insight.stats), StoreUnavailable)
    assert isinstance(caught(lambda: Client("ftp://nowhere")), ConfigurationError)


@contextmanager
def dropping(target: tuple[str, int], *, answers: int) -> Iterator[str]:
    """A way to a server that loses the first answers: the request arrives, the connection ends."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.1)
    ended = threading.Event()

    def carry() -> None:
        lost = 0
        while not ended.is_set():
            try:
                here, _ = listener.accept()
            except TimeoutError:
                continue
            with here, socket.create_connection(target, timeout=WAIT_S) as there:
                here.settimeout(WAIT_S)
                there.sendall(request(here))
                answer = b"".join(iter(partial(there.recv, 65_536), b""))
                if lost < answers:
                    lost += 1
                    continue
                here.sendall(answer)

    thread = threading.Thread(target=carry, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        ended.set()
        thread.join(timeout=WAIT_S)
        listener.close()


def request(here: socket.socket) -> bytes:
    """One whole request, told to end the connection after it."""
    held = b""
    while b"\r\n\r\n" not in held:
        held += here.recv(65_536)
    head, _, body = held.partition(b"\r\n\r\n")
    length = next(
        (int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")), 0
    )
    while len(body) < length:
        body += here.recv(65_536)
    return head.replace(b"keep-alive", b"close") + b"\r\n\r\n" + body


def test_a_change_whose_answer_is_lost_is_sent_again_and_counts_once(served: Served) -> None:
    with dropping(served.address, answers=2) as url, Client(url, timeout=WAIT_S) as client:
        verdict = client.remember("The harbour is deep")
        assert verdict.outcome == "committed"
    assert [one.record.content for one in served.memory.insight.browse()] == ["The harbour is deep"]
    assert [one.record.id for one in served.memory.insight.browse()] == [verdict.record_id]


def test_what_was_forgotten_while_the_answer_was_lost_is_told_as_the_first_time(served: Served) -> None:
    name = kept(served.memory)
    with dropping(served.address, answers=1) as url, Client(url, timeout=WAIT_S) as client:
        done = client.forget(name, reason="asked to")
        assert [one.certificate.erased for one in served.memory.erasure.certificates()] == [(name,)]
        assert done.certificate == served.memory.erasure.certificates()[0]
        assert done.opening is None, "it is told once, and that answer was lost"
    assert list(served.memory.insight.browse()) == []


def test_an_async_client_remembers_and_recalls(served: Served) -> None:
    async def told() -> tuple[str, list[str], list[str], bool, str, int]:
        async with AsyncClient(served.url) as memory:
            verdicts = await asyncio.gather(*(memory.remember(f"Agent {number} was here") for number in range(8)))
            found = await memory.recall("agent", limit=3)
            listed = [one.record.content async for one in memory.insight.browse(limit=5)]
            with pytest.raises(NotFound):
                await memory.get("rec-nowhere")
            return (
                verdicts[0].outcome,
                [one.record.content[:5] for one in found.records],
                listed,
                (await memory.ledger.verify()).ok,
                (await memory.actor()).id,
                len(await memory.ledger.entries()),
            )

    outcome, heads, listed, verified, actor, entries = asyncio.run(told())
    assert (outcome, heads, len(listed), verified, actor) == ("committed", ["Agent"] * 3, 5, True, "owner")
    assert entries == served.memory.ledger.head().seq
