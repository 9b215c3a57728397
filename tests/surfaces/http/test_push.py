"""Push over WebSocket and Server-Sent Events: in order, whole, resumable, and no further than the agent may see."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import httpx
import pytest
from tests.patience import WAIT_S
from tests.surfaces.http.agents import (
    Line,
    answered,
    contradicting,
    events,
    message,
    number_at,
    record,
    register,
    socket,
    socket_url,
    subscribe,
    text_at,
    unit,
)
from tests.surfaces.http.conftest import Served, serving, settings_for
from websockets.sync.client import connect

from muniment.contracts.strict.values import JsonObject

Listen = Callable[[Served, int], AbstractContextManager[Line]]


@contextmanager
def by_socket(served: Served, after: int) -> Iterator[Line]:
    with socket(socket_url(served.url, agent_id="ben", after=after)) as (line, _):
        yield line


@contextmanager
def by_events(served: Served, after: int) -> Iterator[Line]:
    with served.client() as client, events(client, f"/v1/events?agent_id=ben&after={after}") as line:
        yield line


@contextmanager
def by_last_id(served: Served, after: int) -> Iterator[Line]:
    """As a browser comes back: the address of the beginning, and the last id it has heard."""
    with served.client() as client, events(client, "/v1/events?agent_id=ben&after=0", last=after) as line:
        yield line


BOTH = pytest.mark.parametrize("listen", [by_socket, by_events])
ALL = pytest.mark.parametrize("listen", [by_socket, by_events, by_last_id])


def began(client: httpx.Client) -> int:
    """Ana and Ben are there, Ben listens to what is recorded; from which epoch on."""
    register(client, "ana", "ben")
    return number_at(subscribe(client, "ben"), "epoch")


@BOTH
def test_notices_arrive_in_the_order_in_which_things_happened(served: Served, listen: Listen) -> None:
    with served.client() as client:
        after = began(client)
        with listen(served, after) as line:
            line.next()
            recorded = [record(client, "ana", f"Cart {number} has arrived") for number in range(10)]
            assert line.units(10) == recorded
    epochs = [notice.epoch for notice in line.notices]
    assert epochs == sorted(epochs)
    assert all(notice.epoch <= frame.epoch for frame in line.heard for notice in frame.notices)


@BOTH
def test_a_notice_has_the_eight_fields_of_the_protocol(served: Served, listen: Listen) -> None:
    with served.client() as client:
        register(client, "ana", "ben")
        wish = subscribe(client, "ben")
        after, name = number_at(wish, "epoch"), text_at(wish, "subscription", "id")
        unit_id = record(client, "ana", "The mill stands still")
        with listen(served, after) as line:
            line.units(1)
    (notice,) = line.notices
    assert (notice.event, notice.memory_unit_id, notice.conflict_id) == ("memory.recorded", unit_id, None)
    assert (notice.epoch, notice.subscription_id) == (after + 1, name)
    assert 0.0 <= notice.relevance_score <= 1.0
    assert notice.summary
    assert notice.requires_action is False


@ALL
def test_a_stream_resumes_after_any_frame_without_gap_or_repeat(served: Served, listen: Listen) -> None:
    with served.client() as client:
        cursor = began(client)
        heard: list[str] = []
        recorded: list[str] = []
        for part in range(4):
            recorded += [record(client, "ana", f"Part {part}, cart {number}") for number in range(5)]
            with listen(served, cursor) as line:
                heard += line.until(cursor + 5)
                cursor = line.cursor
        assert heard == recorded


@ALL
def test_every_epoch_is_a_place_to_resume(served: Served, listen: Listen) -> None:
    with served.client() as client:
        first = began(client)
        recorded = [record(client, "ana", f"Cart {number} has arrived") for number in range(4)]
        for skipped in range(5):
            with listen(served, first + skipped) as line:
                assert line.until(first + 4) == recorded[skipped:]


@BOTH
def test_a_stream_goes_on_where_it_was_when_the_server_is_started_again(tmp_path: Path, listen: Listen) -> None:
    vault = tmp_path / "vault"
    with serving(settings_for(vault)) as served, served.client() as client:
        cursor = began(client)
        recorded = [record(client, "ana", f"Before, cart {number}") for number in range(3)]
        with listen(served, cursor) as line:
            heard = line.units(3)
            cursor = line.cursor
        recorded += [record(client, "ana", f"Unheard, cart {number}") for number in range(3)]
    with serving(settings_for(vault)) as served, served.client() as client:
        recorded += [record(client, "ana", f"After, cart {number}") for number in range(3)]
        with listen(served, cursor) as line:
            heard += line.units(6)
    assert heard == recorded


def test_a_new_subscription_is_heard_from_its_beginning_at_the_address_it_is_given(served: Served) -> None:
    with served.client() as client:
        register(client, "ana", "ben")
        record(client, "ana", "Before anybody listened")
        answer = subscribe(client, "ben")
        recorded = [record(client, "ana", "Before the stream was opened")]
        framed = str(answer["stream_url"]) + "&frames=true"
        with socket(framed) as (line, _), events(client, str(answer["events_url"])) as other:
            recorded.append(record(client, "ana", "After it was opened"))
            assert line.units(2) == recorded
            assert other.units(2) == recorded


def test_where_a_subscription_points_each_message_is_one_notice(served: Served) -> None:
    with served.client() as client:
        register(client, "ana", "ben")
        answer = subscribe(client, "ben")
        with connect(str(answer["stream_url"]), open_timeout=WAIT_S, close_timeout=WAIT_S) as stream:
            recorded = [record(client, "ana", f"Cart {number} has arrived") for number in range(2)]
            heard = [json.loads(stream.recv(timeout=WAIT_S)) for _ in recorded]
    assert [one["memory_unit_id"] for one in heard] == recorded
    assert {tuple(sorted(one)) for one in heard} == {
        (
            "conflict_id",
            "epoch",
            "event",
            "memory_unit_id",
            "relevance_score",
            "requires_action",
            "subscription_id",
            "summary",
        )
    }


def test_a_subscription_that_is_sent_again_has_the_same_address(served: Served) -> None:
    with served.client() as client:
        register(client, "ana", "ben")
        payload: JsonObject = {"action": "subscribe", "subscription": {"events": ["memory.recorded"]}}
        said = message("SUBSCRIBE", "ben", payload, name="once")
        first = answered(client, said)
        record(client, "ana", "Meanwhile")
        assert answered(client, said) == first


def test_without_a_cursor_a_stream_begins_now(served: Served) -> None:
    with served.client() as client:
        began(client)
        record(client, "ana", "Already told")
        with socket(socket_url(served.url, agent_id="ben")) as (line, _):
            assert line.next().notices == ()
            new = record(client, "ana", "Not yet told")
            assert line.units(1) == [new]


def test_nobody_hears_of_a_session_it_is_not_in(served: Served) -> None:
    with served.client() as client:
        register(client, "ana", "ben", "eve")
        made = answered(client, message("SESSION", "ana", {"action": "create", "goal": "quiet work"}))
        session = text_at(made, "session", "id")
        answered(client, message("SESSION", "ben", {"action": "join", "session_id": session}))
        after = max(number_at(subscribe(client, agent), "epoch") for agent in ("ben", "eve"))
        with (
            socket(socket_url(served.url, agent_id="ben", after=after)) as (inside, _),
            socket(socket_url(served.url, agent_id="eve", after=after)) as (outside, _),
        ):
            secret = record(client, "ana", "Only for those in the session", session=session)
            last = answered(client, message("RECORD", "ana", unit("For everybody")))
            assert secret in inside.until(number_at(last, "epoch"))
            assert outside.until(number_at(last, "epoch")) == [last["memory_unit_id"]]


def test_an_agent_does_not_hear_itself(served: Served) -> None:
    with served.client() as client:
        after = began(client)
        record(client, "ben", "Said by the listener")
        other = record(client, "ana", "Said by another")
        with socket(socket_url(served.url, agent_id="ben", after=after)) as (line, _):
            assert line.until(after + 2) == [other]


def test_what_was_unsubscribed_is_not_heard(served: Served) -> None:
    with served.client() as client:
        register(client, "ana", "ben")
        kept = subscribe(client, "ben", "agent.joined")
        gone = subscribe(client, "ben", "memory.recorded")
        name = text_at(gone, "subscription", "id")
        answered(client, message("SUBSCRIBE", "ben", {"action": "unsubscribe", "subscription": {"id": name}}))
        record(client, "ana", "Not asked for any more")
        with socket(socket_url(served.url, agent_id="ben", after=number_at(kept, "epoch"))) as (line, _):
            register(client, "eve")
            line.units(1)
    assert [notice.event for notice in line.notices] == ["agent.joined"]


def test_what_happens_at_one_epoch_is_told_in_one_frame(served: Served) -> None:
    with served.client() as client:
        register(client, "ana", "ben", "eve")
        wanted = ("memory.recorded", "memory.contested", "conflict.detected")
        after = number_at(subscribe(client, "ben", *wanted), "epoch")
        first = record(client, "ana", "The bridge holds")
        answered(client, message("RECORD", "eve", contradicting(first, "The bridge has fallen")))
        with socket(socket_url(served.url, agent_id="ben", after=after + 1)) as (line, _):
            line.units(3)
    (frame,) = [one for one in line.heard if one.notices]
    assert {notice.epoch for notice in frame.notices} == {frame.epoch}
    assert {notice.event for notice in frame.notices} >= {"memory.recorded", "memory.contested", "conflict.detected"}


def test_a_thing_is_not_told_again_too_soon_to_whoever_asked_for_a_pause(served: Served) -> None:
    with served.client() as client:
        register(client, "ana", "ben", "eve")
        wanted = ("memory.recorded", "memory.contested")
        patient = number_at(subscribe(client, "ben", *wanted, debounce_ms=60_000), "epoch")
        first = record(client, "ana", "The bridge holds")
        last = answered(client, message("RECORD", "eve", contradicting(first, "It has fallen")))
        with socket(socket_url(served.url, agent_id="ben", after=patient)) as (line, _):
            assert line.until(number_at(last, "epoch")) == [first, last["memory_unit_id"]]
