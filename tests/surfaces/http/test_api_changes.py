"""The line of changes: it says at once where the ledger stands, wakes for every write, and ends with the credential."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import msgspec
import pytest
from tests.surfaces.http.conftest import Serve, Served

from muniment import Memory
from muniment.model.claim import Claim, Place
from muniment.model.vocabulary import Scope
from muniment.surfaces.http.streams import hub_of
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.principal import Grant
from muniment.surfaces.reception.server_context import system_now

Keyed = tuple[Served, str]
PLACE = Place(scope=Scope.PROJECT, scope_id="default")
SELDOM = 600_000
"""A watch that looks by itself every ten minutes: what is heard earlier was said."""
HOLDING = """
version = 1
name = "waiting"

[actors.owner]
roles = ["owner"]

[[write]]
id = "waits"
roles = ["owner"]
decision = "hold"
reason = "a person looks first"
"""


class Heard(msgspec.Struct):
    """An event, or a comment under the name of its colon."""

    event: str
    text: str


class Listening:
    """What comes over one line."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines

    def next(self) -> Heard:
        event = ""
        for text in self._lines:
            name, _, rest = text.partition(": ")
            if name in ("event", ""):
                event = rest
            if text.startswith(": "):
                return Heard(":", rest)
            if name == "data":
                return Heard(event, rest)
        return Heard("end", "")

    def epoch(self) -> int:
        """The next epoch that is told."""
        while True:
            heard = self.next()
            if heard.event == "changed":
                found = msgspec.json.decode(heard.text, type=dict[str, int])
                assert found.keys() == {"epoch"}
                return found["epoch"]
            assert heard.event == ":", heard

    def until(self, epoch: int) -> list[int]:
        """Every epoch that is told up to this one."""
        found = [self.epoch()]
        while found[-1] < epoch:
            found.append(self.epoch())
        return found


@contextmanager
def listening(client: httpx.Client) -> Iterator[Listening]:
    with client.stream("GET", "/api/changes") as response:
        assert response.status_code == 200, response.read()
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert response.headers["cache-control"] == "no-store"
        yield Listening(response.iter_lines())


def test_where_the_ledger_stands_is_told_at_once(served: Served) -> None:
    epoch = served.memory.remember("The mill stands still").epoch

    with served.client() as client, listening(client) as line:
        assert line.epoch() == epoch


def test_a_native_write_is_heard_without_waiting_for_the_next_look(serve: Serve) -> None:
    served = serve(watch_ms=SELDOM)
    with served.client() as client, listening(client) as line:
        line.epoch()
        written = client.post("/api/memories", json={"content": "The mill stands still"})

        assert line.epoch() == written.json()["epoch"]


def test_an_import_is_heard_without_waiting_for_the_next_look(serve: Serve) -> None:
    served = serve(watch_ms=SELDOM)
    memory = b'{"id": "n-1", "record_type": "semantic", "content": "The mill stands still"}\n'
    with served.client() as client, listening(client) as line:
        before = line.epoch()
        client.post(
            "/api/import",
            params={"contract": "memledger"},
            content=memory,
            headers={"Content-Type": "application/x-ndjson"},
        )

        assert line.epoch() == before + 1


def test_what_is_written_past_the_server_is_heard_too(served: Served) -> None:
    with served.client() as client, listening(client) as line:
        line.epoch()
        epoch = served.memory.remember("The mill stands still").epoch

        assert line.epoch() == epoch


def test_a_proposal_that_only_waits_is_heard(serve: Serve, vault: Path) -> None:
    policy = vault.parent / "policy.toml"
    policy.write_text(HOLDING)
    served = serve(watch_ms=SELDOM, policy=str(policy))
    with served.client() as client, listening(client) as line:
        line.epoch()
        waits = client.post("/api/memories", json={"content": "The mill stands still"})

        assert waits.status_code == 202
        assert line.epoch() == waits.json()["epoch"]


def test_a_proposal_that_is_refused_is_heard(serve: Serve) -> None:
    served = serve(watch_ms=SELDOM)
    with served.client() as client, listening(client) as line:
        line.epoch()
        client.post("/api/memories", json={"content": "The mill stands still"})
        again = client.post("/api/memories", json={"content": "The mill stands still"})

        assert again.json()["outcome"] == "refused"
        assert line.until(again.json()["epoch"])[-1] == again.json()["epoch"]


def test_many_entries_at_once_come_as_one_event(served: Served) -> None:
    claims = [Claim(content=f"Cart {number} has arrived", place=PLACE) for number in range(20)]
    with served.client() as client, listening(client) as line:
        before = line.epoch()
        last = served.memory.propose(claims)[-1].epoch

        assert (last, line.epoch()) == (before + 20, before + 20)


def test_a_silent_line_shows_that_it_lives(serve: Serve) -> None:
    served = serve(heartbeat_seconds=0.05)
    with served.client() as client, listening(client) as line:
        line.epoch()

        assert [line.next() for _ in range(2)] == [Heard(":", "alive")] * 2


def test_a_line_ends_when_its_credential_does(serve: Serve, vault: Path) -> None:
    with Memory.open(vault):
        made, key = keys.create(vault, KeyRequest(name="one", actor="scout", grants=(Grant.READ,)), now=system_now())
        keys.create(vault, KeyRequest.everything("ana"), now=system_now())
    served = serve(recheck_seconds=0.05)
    with served.client(key) as client, listening(client) as line:
        line.epoch()
        keys.revoke(vault, made.id, now=system_now())

        heard = line.next()
        assert (heard.event, msgspec.json.decode(heard.text)["code"]) == ("error", "unauthenticated")
        assert line.next().event == "end"


def test_a_credential_that_may_not_read_hears_nothing(keyed: Keyed) -> None:
    served, _ = keyed
    key = served.key(KeyRequest(name="one", actor="scout", grants=(Grant.WRITE,)))
    with served.client(key) as client, served.client() as stranger:
        barred = client.get("/api/changes")
        unknown = stranger.get("/api/changes")

    assert (barred.status_code, barred.json()["code"]) == (403, "not_permitted")
    assert (unknown.status_code, unknown.json()["code"]) == (401, "unauthenticated")


def test_a_tenant_hears_nothing_of_another(serve: Serve, vault: Path) -> None:
    with Memory.open(vault, tenant="other") as other:
        epoch = other.remember("Theirs").epoch
        _, key = keys.create(
            vault, KeyRequest(name="one", actor="eve", tenant="other", grants=(Grant.READ,)), now=system_now()
        )
    served = serve(heartbeat_seconds=0.2)
    with served.client(key) as client, listening(client) as line:
        assert line.epoch() == epoch
        served.memory.remember("Ours")

        assert line.next() == Heard(":", "alive")


def test_an_actor_has_so_many_lines_and_no_more(serve: Serve) -> None:
    served = serve(streams_per_actor=1)
    with served.client() as client, listening(client) as line:
        line.epoch()
        second = client.get("/api/changes")
        assert (second.status_code, second.json()["code"]) == (429, "too_many_requests")


@pytest.mark.parametrize(
    ("options", "status", "code"),
    [
        ({"params": {"after": "1"}}, 400, "malformed"),
        ({"headers": {"Accept": "application/json"}}, 406, "not_acceptable"),
    ],
)
def test_a_line_that_cannot_be_opened_says_why(
    served: Served, options: dict[str, dict[str, str]], status: int, code: str
) -> None:
    with served.client() as client:
        answer = client.get("/api/changes", params=options.get("params"), headers=options.get("headers"))

    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_look_at_the_head_alone_does_not_listen(served: Served) -> None:
    with served.client() as client:
        answer = client.head("/api/changes")

    assert (answer.status_code, answer.content) == (200, b"")
    assert served.reception.limits.streams_open == 0


def test_a_server_that_closes_ends_the_line(serve: Serve) -> None:
    served = serve()
    with served.client() as client, listening(client) as line:
        line.epoch()
        hub_of(served.reception).close()

        assert line.next() == Heard(":", "the server closes; come again")
        assert line.next().event == "end"


def test_who_was_told_hears_that_a_record_no_longer_holds(served: Served) -> None:
    """And only then: what the listener was never told ends unheard."""
    told = served.memory.remember("The mill stands still").record_id or ""
    untold = served.memory.remember("The weir is open").record_id or ""
    with served.client() as client, listening(client) as line:
        line.epoch()
        asked = client.post("/api/recall", json={"query": "does the mill stand still?", "limit": 1})
        assert [one["record"]["id"] for one in asked.json()["records"]] == [told]
        served.memory.review.retract(untold, reason="it was closed")
        line.epoch()
        ended = served.memory.review.retract(told, reason="it turns")
        heard = line.next()
        while heard.event == ":":
            heard = line.next()

        assert heard.event == "memory.retracted"
        assert msgspec.json.decode(heard.text) == {"id": told, "why": "retracted", "since": ended.epoch}
        assert line.epoch() == ended.epoch
