"""Every reading operation tells of an earlier moment what the account of the day says was known then, and nothing else.

The account is a list of what was written and when; what it expects is found by looking through all of it.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.flows.day import A_PERSON, HOUR, Day
from tests.patience import WAIT_S
from tests.scope import some
from tests.surfaces.http.conftest import serving, settings_for
from tests.surfaces.mcp.talking import talking_to

from muniment import Client, Memory
from muniment.compat.exchange import write_out
from muniment.contracts.registry import ContractName, contract
from muniment.model.query import Disclosure
from muniment.model.status import CURRENT
from muniment.model.times import Instant, show

MOMENTS = 12
"""So many of the day are looked at in a short run."""
LIMIT, MCP_LIMIT = 200, 50


def told(found: Iterable[Disclosure]) -> dict[str, int]:
    return {one.record.id: one.record.revision for one in found}


def moments(day: Day) -> list[tuple[Instant, Instant]]:
    """Pairs of when it was known and when it is to hold: then, earlier, later, and by a few steps all over the day."""
    chosen = some(day.moments, MOMENTS, salt="moments")
    steps = (0, -3 * HOUR, 5 * HOUR, 17 * HOUR)
    return [(known, Instant(known + steps[n % len(steps)])) for n, known in enumerate(chosen)]


@contextmanager
def opened(day: Day) -> Iterator[Memory]:
    with Memory.open(day.vault, embedder=None) as memory:
        yield memory


def differences(expected: dict[str, int], found: dict[str, int]) -> str | None:
    """What is missing and what is too much, or None."""
    missing, more = expected.items() - found.items(), found.items() - expected.items()
    return f"{len(missing)} of {len(expected)} missing, {len(more)} too many" if missing or more else None


def wrong(found: Iterable[tuple[str, dict[str, int], dict[str, int]]]) -> dict[str, str]:
    return {name: said for name, expected, got in found if (said := differences(expected, got)) is not None}


def test_browse_lists_what_was_known_and_what_of_it_held(day: Day) -> None:
    with opened(day) as memory:
        known = [(show(at), day.expected(at), told(memory.insight.browse(known_at=at))) for at, _ in moments(day)]
        held = [
            (
                f"{show(at)} of {show(valid)}",
                day.expected(at, valid),
                told(memory.insight.browse(known_at=at, valid_at=valid)),
            )
            for at, valid in moments(day)
        ]
    assert wrong([*known, *held]) == {}


def test_the_pages_of_the_api_list_the_same(day: Day) -> None:
    found = []
    with serving(settings_for(day.vault)) as server, httpx.Client(base_url=server.url, timeout=WAIT_S) as client:
        for at, valid in moments(day):
            got: dict[str, int] = {}
            bounds: dict[str, str | int] = {"known_at": show(at), "valid_at": show(valid), "limit": LIMIT}
            while True:
                answer = client.get("/api/records", params=bounds)
                assert answer.status_code == 200, answer.text
                page = answer.json()
                got |= {one["id"]: one["revision"] for one in page["records"]}
                if page["next"] is None:
                    break
                bounds["cursor"] = page["next"]
            found.append((f"{show(at)} of {show(valid)}", day.expected(at, valid), got))
    assert wrong(found) == {}


def test_recall_tells_of_a_person_what_was_known_and_held(day: Day) -> None:
    """Everything about one person fits into an answer, so nothing may be missing and nothing be there too much."""
    found = []
    with opened(day) as memory:
        for n, (at, valid) in enumerate(moments(day)):
            who = day.people[(n * 7) % len(day.people)]
            names = {one.record for one in day.lines if who in one.content}
            expected = {name: revision for name, revision in day.expected(at, valid).items() if name in names}
            answer = memory.recall(who, known_at=at, valid_at=valid, limit=LIMIT, floor=0.0)
            got = {name: revision for name, revision in told(answer.records).items() if name in names}
            found.append((f"{who} at {show(at)} of {show(valid)}", expected, got))
    assert wrong(found) == {}


def near(texts: Sequence[str]) -> list[list[float]]:
    """Vectors that are all near each other, so that a search by meaning finds everything that it may tell."""
    return [[math.cos(len(text) / 1_000), math.sin(len(text) / 1_000)] for text in texts]


def test_a_search_by_meaning_tells_all_that_was_known_and_held(day: Day) -> None:
    """Of the first hours of the day, when all there was fits into an answer. Vectors know the present only."""
    found = []
    with Memory.open(day.vault, embedder=near) as memory:
        memory.flush(timeout=WAIT_S)
        for known in day.moments[1 : LIMIT // A_PERSON - 1 : 2]:
            for valid in (known, Instant(known - 3 * HOUR), Instant(known + 17 * HOUR)):
                answer = memory.recall("who asked for what?", known_at=known, valid_at=valid, limit=LIMIT, floor=0.0)
                assert answer.searched.model is not None
                found.append((f"{show(known)} of {show(valid)}", day.expected(known, valid), told(answer.records)))
                assert memory.explain(answer.receipt_id, replay=True).same_ids
    assert wrong(found) == {}


def test_every_face_tells_of_an_earlier_moment_what_the_library_does(day: Day) -> None:
    """A client, MCP and the command line."""
    found: list[tuple[str, object, object]] = []
    with (
        serving(settings_for(day.vault)) as server,
        Client(server.url, timeout=WAIT_S) as client,
        talking_to(f"{server.url}/mcp") as talk,
        opened(day) as memory,
    ):
        for n, (at, valid) in enumerate(some(moments(day), 3, salt="faces")[:MOMENTS]):
            who, then = day.people[(n * 7) % len(day.people)], {"known_at": show(at), "valid_at": show(valid)}
            here = told(memory.recall(who, known_at=at, valid_at=valid, limit=MCP_LIMIT, floor=0.0).records)
            there = client.recall(who, known_at=at, valid_at=valid, limit=MCP_LIMIT, floor=0.0).records
            called = talk.call("recall", query=who, limit=MCP_LIMIT, floor=0.0, **then).document
            bounds = ("--known-at", then["known_at"], "--valid-at", then["valid_at"], "--limit", str(MCP_LIMIT))
            typed = cli(day.vault, "recall", who, *bounds, "--floor", "0")
            briefed = memory.attune(interests=[who], known_at=at, valid_at=valid, limit=LIMIT)
            asked = client.attune(interests=[who], known_at=at, valid_at=valid, limit=LIMIT)
            found += [
                ("recall of the client", here, told(there)),
                ("recall over MCP", set(here), {one["id"] for one in called["records"]}),
                ("recall on the command line", set(here), {one["id"] for one in typed["records"]}),
                ("attune of the client", told(briefed.records), told(asked.records)),
                (
                    "browse of the client",
                    day.expected(at, valid),
                    told(client.insight.browse(known_at=at, valid_at=valid)),
                ),
            ]
    assert [name for name, expected, got in found if expected != got] == []


def cli(vault: Path, *words: str) -> Any:
    command = [sys.executable, "-m", "muniment", "--vault", str(vault), *words, "--json"]
    done = subprocess.run(command, capture_output=True, timeout=WAIT_S, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_nothing_that_was_not_known_or_did_not_hold_is_told_in_any_answer(day: Day) -> None:
    """An answer leaves things out; what it tells must have been believed."""
    found = []
    with opened(day) as memory:
        for at, valid in moments(day):
            allowed = day.expected(at, valid).items()
            answers = {
                "recall": memory.recall("parcel Lieferung salle factura", known_at=at, valid_at=valid, limit=LIMIT),
                "attune": memory.attune(interests=["parcel", "sensor"], known_at=at, valid_at=valid, limit=LIMIT),
            }
            for name, answer in answers.items():
                more = told(answer.records).items() - allowed
                if more or not (answer.records or at <= day.moments[0]):
                    found.append(f"{name} at {show(at)} of {show(valid)}: {sorted(more)}")
    assert found == []


def test_a_record_and_its_history_are_those_of_the_account(day: Day) -> None:
    by_record: dict[str, list[tuple[int, str]]] = {}
    for line in day.lines:
        by_record.setdefault(line.record, []).append((line.revision, line.content))
    last = {one.record: one for one in day.lines}
    found = []
    with opened(day) as memory:
        for name, revisions in by_record.items():
            history = memory.history(name)
            if [(one.record.revision, one.record.content) for one in history.revisions] != sorted(revisions):
                found.append(f"history {name}")
            if any(memory.get(name, revision=number).record.content != content for number, content in revisions):
                found.append(f"get {name} by revision")
            present = memory.get(name)
            if (present.record.revision, present.standing.status in CURRENT) != (
                last[name].revision,
                last[name].until is None,
            ):
                found.append(f"get {name}")
    assert found == []


@pytest.mark.parametrize("name", [ContractName.OMIR, ContractName.MEMLEDGER], ids=str)
def test_an_export_of_an_earlier_moment_holds_what_was_known_then(day: Day, name: ContractName) -> None:
    found = []
    with opened(day) as memory:
        for at, valid in some(moments(day), 2, salt="exports"):
            text = write_out(memory, name, known_at=at, valid_at=valid).data
            got = {one.id for one in contract(name).decode(text)}
            expected = set(day.expected(at, valid))
            if got != expected:
                found.append(f"{show(at)}: {len(expected - got)} missing, {len(got - expected)} too many")
    assert found == []


def test_the_memory_at_the_end_of_the_day_is_the_account(day: Day) -> None:
    with opened(day) as memory:
        assert {one.record.content for one in memory.insight.browse()} == day.said()
        assert memory.insight.stats().current == len(day.said())
        assert memory.ledger.verify().findings == ()
        assert memory.ledger.replay().identical
