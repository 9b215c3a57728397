"""In which form records are told over HTTP: flat and short, in full, some fields, or as the values of clients."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.operations.desk import Desk, opened

from muniment.client.calls import prepare

FLAT = {"Muniment-Form": "flat"}


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with opened(vault) as found:
        yield found


def test_a_hit_is_flat_and_short_and_tells_more_when_it_is_asked_to(desk: Desk) -> None:
    kept = desk.memory.remember("Der Wasserkocher steht im Labor", kind="fact", evidence=["ticket:7"]).record_id
    ask = {"query": "Wo steht der Wasserkocher?"}
    short = desk.caller().post("/api/recall", json=ask, headers=FLAT)
    (hit,) = short.json()["records"]

    assert (hit["id"], hit["content"], hit["kind"]) == (kept, "Der Wasserkocher steht im Labor", "fact")
    assert {"effective_confidence", "support", "status", "origin", "actor", "created_at"} <= hit.keys()
    assert "alpha" not in hit
    assert None not in hit.values()
    assert len(short.content) < 1_400, "a hit of one line is not kilobytes"

    full = desk.caller().post("/api/recall", json=ask, params={"verbose": "true"}, headers=FLAT).json()["records"][0]
    assert {**full, **hit, "score": full["score"]} == full
    assert full["alpha"] == 1.0
    some = desk.caller().post("/api/recall", json=ask, params={"fields": "content,actor"}, headers=FLAT)
    assert [set(one) for one in some.json()["records"]] == [{"id", "content", "actor"}]

    told = desk.caller().get(f"/api/records/{kept}", params={"verbose": "true"}, headers=FLAT).json()
    assert told == desk.memory.get(str(kept)).to_dict()
    assert desk.caller().get(f"/api/records/{kept}/history", headers=FLAT).json()["revisions"][0]["id"] == kept


def test_the_form_of_the_clients_is_the_values(desk: Desk) -> None:
    kept = desk.memory.remember("The lamp is lit").record_id
    assert prepare("get", {"record_id": kept}, fresh="x").headers["Muniment-Form"] == "values"
    told = desk.caller().get(f"/api/records/{kept}", headers={"Muniment-Form": "values"}).json()
    assert told["record"]["claim"]["content"] == "The lamp is lit"


@pytest.mark.parametrize(
    ("params", "headers", "field"),
    [
        ({"verbose": "yes"}, FLAT, "verbose"),
        ({"fields": "content,<b>"}, FLAT, "fields"),
        ({}, {"Muniment-Form": "nested"}, "Muniment-Form"),
    ],
)
def test_a_form_that_there_is_not_is_refused(
    desk: Desk, params: dict[str, str], headers: dict[str, str], field: str
) -> None:
    answer = desk.caller().get("/api/records", params=params, headers=headers)
    assert (answer.status_code, answer.json()["field"]) == (400, field)
