"""Resources by address and prompts by name: what they tell, and what they refuse."""

from __future__ import annotations

import msgspec
import pytest
from tests.surfaces.mcp.conftest import Desk

from muniment.model.form import disclosure_shape
from muniment.surfaces.cli.proofs import explanation_shape
from muniment.surfaces.cli.shapes_trust import conflicts_shape
from muniment.surfaces.cli.verdicts import queue_shape

BUILD = "The nightly build takes 40 minutes"


def plain(shape: object) -> object:
    return msgspec.json.decode(msgspec.json.encode(shape))


def test_a_record_is_read_by_its_id_and_by_its_citation(desk: Desk) -> None:
    name = desk.memory.remember(BUILD).record_id
    assert name is not None
    desk.memory.revise(name, "The nightly build takes 55 minutes")

    assert desk.talk.read(f"muniment://record/{name}") == plain(disclosure_shape(desk.memory.get(name)))
    assert desk.talk.read(f"muniment://record/{name}@1")["content"] == BUILD


def test_a_receipt_is_read_and_decided_again(desk: Desk) -> None:
    desk.memory.remember(BUILD)
    receipt = desk.memory.recall("nightly build").receipt_id

    found = desk.talk.read(f"muniment://receipt/{receipt}")

    assert found == plain(explanation_shape(desk.memory.explain(receipt)))
    assert found["same_ids"] is True


def test_the_queue_and_the_conflicts_are_read(desk: Desk) -> None:
    desk.memory.as_actor("worker").remember("We deploy on Fridays", kind="decision")
    desk.memory.as_actor("a").remember(BUILD, confidence=0.8)
    desk.memory.as_actor("b").remember("The nightly build takes 55 minutes", confidence=0.8)

    queue, conflicts = desk.talk.read("muniment://queue"), desk.talk.read("muniment://conflicts")

    assert queue == plain(queue_shape(desk.memory.review.queue(), limit=200))
    assert [one["content"] for one in queue["proposals"]] == ["We deploy on Fridays"]
    assert conflicts == plain(conflicts_shape(desk.memory.review.conflicts()))
    assert len(conflicts["conflicts"]) == 1


@pytest.mark.parametrize(
    ("uri", "code"),
    [
        ("muniment://record/rec_none", "not_found"),
        ("muniment://record/rec_none@1", "not_found"),
        ("muniment://receipt/rcp_none", "not_found"),
        ("muniment://elsewhere", "not_found"),
        ("file:///etc/passwd", "not_found"),
        ("muniment://record/", "malformed"),
        ("muniment://record/a%2Fb", "malformed"),
        ("muniment://record/a%20b", "malformed"),
    ],
)
def test_an_address_where_nothing_is_gets_a_protocol_error_with_our_code(
    uri: str, code: str, served_desk: Desk
) -> None:
    refused = served_desk.talk.refusal(lambda: served_desk.talk.read(uri))

    assert refused.code == -32602
    assert refused.data["code"] == code
    assert refused.data["hint"]


def test_a_prompt_brings_what_memory_says_as_data(desk: Desk) -> None:
    desk.memory.remember(BUILD)
    desk.memory.as_actor("worker").remember("We deploy on Fridays", kind="decision")

    known = desk.talk.prompt("what-do-we-know", topic="nightly build")
    review = desk.talk.prompt("review-queue")

    assert known.startswith("What do we know about this: nightly build\n")
    assert f"```\n{BUILD}\n```" in known
    assert "Ask me before you call `decide`." in review
    assert "```\nWe deploy on Fridays\n```" in review


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("what-do-we-know", {}, "topic: expected text that is not empty"),
        ("what-do-we-know", {"topic": " "}, "topic: expected text that is not empty"),
        ("what-do-we-know", {"topic": "x", "tenant": "y"}, "tenant: expected an argument that the prompt takes"),
        ("settle-conflict", {"conflict_id": "con_none"}, "there is no conflict of that id that you may see"),
        ("take-over", {}, "there is no prompt of that name; prompts/list names those there are"),
    ],
)
def test_a_prompt_takes_what_it_asks_for_and_nothing_else(
    name: str, given: dict[str, str], words: str, served_desk: Desk
) -> None:
    refused = served_desk.talk.refusal(lambda: served_desk.talk.prompt(name, **given))

    assert (refused.code, refused.message) == (-32602, words)
