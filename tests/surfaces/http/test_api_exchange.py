"""Streams of memories in and out of the native surface."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import msgspec
import pytest
from tests.operations.desk import Caller, Desk, opened
from tests.patience import WAIT_S
from tests.surfaces.http.conftest import Served

from muniment.contracts.registry import ContractName
from muniment.model.errors import Unauthenticated
from muniment.surfaces.http.api import exporting, lines
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.principal import Principal
from muniment.surfaces.reception.server_context import ServerContext, system_now

NDJSON = {"Content-Type": "application/x-ndjson"}
Told = dict[str, object]


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with opened(vault) as found:
        yield found


def note(number: int) -> bytes:
    return msgspec.json.encode(
        {"id": f"n-{number}", "record_type": "semantic", "content": f"Build {number} took {number} minutes"}
    )


def brought(caller: Caller, body: bytes, **query: str) -> list[Told]:
    answer = caller.post("/api/import", params={"contract": "memledger", **query}, content=body, headers=NDJSON)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    return [msgspec.json.decode(line) for line in answer.content.splitlines()]


def test_every_line_is_proposed_and_told_by_its_number(desk: Desk) -> None:
    told = brought(desk.caller(), b"\n".join([note(1), b"", note(2)]))

    assert [(one["what"], one["line"], one["id"]) for one in told[:2]] == [("memory", 1, "n-1"), ("memory", 3, "n-2")]
    assert [one["what"] for one in told[2:]] == ["progress", "summary"]
    assert (told[-1]["committed"], told[-1]["errors"], told[-1]["lines"]) == (2, 0, 3)
    assert desk.memory.get("n-2").record.label == "import"


def test_the_same_stream_again_changes_nothing(desk: Desk) -> None:
    body = b"\n".join(note(number) for number in range(1, 6))

    first = brought(desk.caller(), body)
    head = desk.memory.ledger.head()
    second = brought(desk.caller(), body)

    assert second == first
    assert desk.memory.ledger.head() == head


@pytest.mark.parametrize("kind", ["application/ndjson", "application/jsonl", "application/x-ndjson; charset=utf-8"])
def test_lines_go_by_several_names(desk: Desk, kind: str) -> None:
    answer = desk.caller().post(
        "/api/import", params={"contract": "memledger"}, content=note(1), headers={"Content-Type": kind}
    )

    assert msgspec.json.decode(answer.content.splitlines()[-1])["committed"] == 1


@pytest.mark.parametrize("contract", ["akashik", "matm", "memledger", "omir", "retrieval"])
def test_what_goes_out_comes_in_again_where_lines_share_what_they_refer_to(tmp_path: Path, contract: str) -> None:
    with opened(tmp_path / "from") as desk:
        for number in range(3):
            desk.memory.remember(
                f"Parcel {number} was weighed", kind="fact", session_id="s-1", task_id="t-1", entities=["Harbour"]
            )
        lines_out = desk.caller().get("/api/export", params={"contract": contract}).content
    with opened(tmp_path / "to") as desk:
        told = brought(desk.caller(), lines_out, contract=contract)
        found = sorted(one.record.content for one in desk.memory.insight.browse(statuses=["active", "contested"]))
        held = len(desk.memory.review.queue(limit=10))

    assert [one["line"] for one in told if one["what"] == "memory"] == [1, 2, 3]
    assert (told[-1]["errors"], told[-1]["refused"]) == (0, 0)
    assert len(found) + held == 3


def test_a_fault_in_a_bundle_is_told_by_the_line_it_stands_in(desk: Desk) -> None:
    desk.memory.remember("Parcel 1 was weighed", entities=["Harbour", "Crane"])
    (good,) = desk.caller().get("/api/export", params={"contract": "omir"}).content.splitlines()
    bad = good.replace(b'"name":"Crane"', b'"name":"Derrick"')
    assert bad != good

    told = brought(desk.caller(), good + b"\n" + bad + b"\n", contract="omir")

    assert [one["line"] for one in told if one["what"] == "refused"] == [2]


def test_a_bad_line_is_told_and_its_batch_is_left_out(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "BATCH_LINES", 2)
    body = b"\n".join([note(1), note(2), note(3), b'{"id": "n-4", "id": "n-5"}', note(6)])

    told = brought(desk.caller(), body)

    (refused,) = [one for one in told if one["what"] == "refused"]
    assert (refused["line"], refused["code"], refused["field"]) == (4, "unreadable", "/id")
    kept = sorted(one.record.id for one in desk.memory.insight.browse())
    assert kept == ["n-1", "n-2", "n-6"]
    assert (told[-1]["committed"], told[-1]["errors"]) == (3, 2)


def test_a_line_that_is_no_memory_is_told_by_its_number(desk: Desk) -> None:
    told = brought(desk.caller(), note(1) + b'\n{"content": "of no kind"}\n')

    assert [(one["what"], one["line"]) for one in told] == [("refused", 2), ("progress", None), ("summary", None)]
    assert desk.memory.insight.stats().current == 0


def test_a_preview_takes_nothing_in_and_a_hold_lets_all_wait(desk: Desk) -> None:
    seen = brought(desk.caller(), note(1), preview="true")
    before = desk.memory.insight.stats().current
    held = brought(desk.caller(), note(1), hold="true")

    assert (seen[-1]["committed"], seen[-1]["preview"], before) == (1, True, 0)
    assert (held[-1]["held"], len(desk.memory.review.queue())) == (1, 1)
    batches = held[-1]["batches"]
    assert isinstance(batches, list)
    (batch,) = batches
    accepted = desk.caller().post(f"/api/batches/{batch}/acceptance", json={"reason": "looked through"})
    undone = desk.caller().post(f"/api/batches/{batch}/rollback", json={"reason": "an old copy"})
    assert [one["outcome"] for one in accepted.json()["verdicts"]] == ["committed"]
    assert undone.json()["retracted"] == ["n-1"]


def test_one_document_comes_in_whole_or_not_at_all(desk: Desk) -> None:
    document = b"[" + note(1) + b"," + note(2) + b"]"
    plain = {"Content-Type": "application/json"}

    good = desk.caller().post("/api/import", params={"contract": "memledger"}, content=document, headers=plain)
    bad = desk.caller().post("/api/import", params={"contract": "memledger"}, content=b'[{"x": 1}]', headers=plain)
    unreadable = desk.caller().post("/api/import", params={"contract": "memledger"}, content=b"[", headers=plain)

    assert msgspec.json.decode(good.content.splitlines()[-1])["committed"] == 2
    assert (bad.status_code, bad.json()["field"]) == (409, "/0")
    assert (unreadable.status_code, unreadable.json()["code"]) == (400, "unreadable")
    assert desk.memory.insight.stats().current == 2


def test_who_may_not_import_is_told_so_before_anything_is(desk: Desk) -> None:
    planner = desk.caller(KeyRequest(name="planner", actor="planner"))

    answer = planner.post("/api/import", params={"contract": "memledger"}, content=note(1), headers=NDJSON)

    assert (answer.status_code, answer.json()["code"]) == (403, "not_permitted")
    assert desk.memory.insight.stats().current == 0


@pytest.mark.parametrize(
    ("query", "headers", "expected"),
    [
        ({}, NDJSON, (400, "contract")),
        ({"contract": "gopher"}, NDJSON, (400, "contract")),
        ({"contract": "omir", "tenant": "other"}, NDJSON, (400, "tenant")),
        ({"contract": "omir"}, {"Content-Type": "text/plain"}, (415, "content-type")),
        ({"contract": "omir"}, {**NDJSON, "Accept": "text/html"}, (406, "accept")),
    ],
)
def test_an_import_that_is_wrong_is_refused(
    desk: Desk, query: dict[str, str], headers: dict[str, str], expected: tuple[int, str]
) -> None:
    answer = desk.caller().post("/api/import", params=query, content=note(1), headers=headers)

    assert (answer.status_code, answer.json()["field"]) == expected


def test_a_stream_that_is_too_long_is_refused_and_nothing_is_kept(vault: Path) -> None:
    with opened(vault, import_bytes_max=200) as desk:
        answer = desk.caller().post(
            "/api/import",
            params={"contract": "memledger"},
            content=b"\n".join(note(number) for number in range(9)),
            headers=NDJSON,
        )

        assert (answer.status_code, answer.json()["code"]) == (413, "limit_exceeded")
        assert desk.memory.insight.stats().current == 0


@pytest.mark.parametrize("contract", list(ContractName))
def test_what_goes_out_comes_in_again_elsewhere(tmp_path: Path, contract: ContractName) -> None:
    with opened(tmp_path / "one") as one:
        for number in range(3):
            one.memory.remember(f"Build {number} took {number} minutes", kind="fact", evidence=["run:1"])
        gone_out = one.caller().get("/api/export", params={"contract": contract.value})
        names = [told.record.id for told in one.memory.insight.browse()]
    with opened(tmp_path / "two") as two:
        told = brought(two.caller(), gone_out.content, contract=contract.value)
        arrived = [told.record.id for told in two.memory.insight.browse()]

    assert len(gone_out.content.splitlines()) == 3
    assert (told[-1]["committed"], arrived) == (3, names)


def test_an_export_is_told_page_by_page_and_whole(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("muniment.surfaces.http.api.exporting.PAGE", 2)
    for number in range(5):
        desk.memory.remember(f"Build {number} took {number} minutes")
    caller = desk.caller()

    whole = caller.get("/api/export", params={"contract": "memledger"})
    first = caller.get("/api/export", params={"contract": "memledger", "limit": "3"})
    second = caller.get(first.headers["link"].partition(">")[0].removeprefix("<"))

    assert len(whole.content.splitlines()) == 5
    assert first.content + second.content == whole.content
    assert (len(second.content.splitlines()), second.headers.get("link")) == (2, None)


def test_an_export_tells_only_what_its_caller_may_see(desk: Desk) -> None:
    desk.memory.remember("Salaries rise in May", sensitivity="confidential")
    desk.memory.remember("The build passes")
    planner = desk.caller(KeyRequest(name="planner", actor="planner"))

    answer = planner.get("/api/export", params={"contract": "matm"})

    assert [msgspec.json.decode(line)["statement"] for line in answer.content.splitlines()] == ["The build passes"]


def test_a_caller_that_goes_away_in_the_middle_leaves_the_server_alive(served: Served) -> None:
    body = b"\n".join(note(number) for number in range(1, 1_201))
    with httpx.Client(base_url=served.url, timeout=WAIT_S) as client:
        with client.stream(
            "POST", "/api/import", params={"contract": "memledger"}, content=body, headers=NDJSON
        ) as answer:
            assert answer.status_code == 200
            next(answer.iter_lines())
        told = client.get("/api/ledger/head")
        again = client.post("/api/import", params={"contract": "memledger"}, content=body, headers=NDJSON)

    assert told.status_code == 200
    summary = msgspec.json.decode(again.content.splitlines()[-1])
    assert (summary["what"], summary["committed"]) == ("summary", 1_200)
    assert served.memory.insight.stats().current == 1_200


def test_an_export_is_cut_off_when_its_credential_no_longer_holds(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = served.key(msgspec.structs.replace(KeyRequest.everything("ana"), roles=("curator",)))
    monkeypatch.setattr(exporting, "PAGE", 2)
    for number in range(5):
        served.memory.remember(f"Build {number} took {number} minutes")
    pages = list[Principal]()

    def recheck(visitor: Principal) -> Principal:
        pages.append(visitor)
        if len(pages) == 2:
            keys.revoke(served.reception.settings.folder, str(visitor.credential).partition(":")[2], now=system_now())
        return ServerContext.recheck(served.reception, visitor)

    monkeypatch.setattr(served.reception, "recheck", recheck)
    with served.client(key) as client, client.stream("GET", "/api/export", params={"contract": "memledger"}) as answer:
        pieces = answer.iter_bytes()
        told = next(pieces)
        with pytest.raises(httpx.RemoteProtocolError):
            told += b"".join(pieces)
    assert 2 <= len(told.splitlines()) <= 4
    with served.client(key) as client:
        assert client.get("/api/stats").status_code == 401


def test_an_import_ends_when_its_credential_no_longer_holds(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    key = served.key(msgspec.structs.replace(KeyRequest.everything("ana"), roles=("curator",)))
    monkeypatch.setattr(lines, "BATCH_LINES", 2)

    def recheck(visitor: Principal) -> Principal:
        raise Unauthenticated("key")

    monkeypatch.setattr(served.reception, "recheck", recheck)
    with served.client(key) as client:
        body = b"\n".join(note(number) for number in range(1, 7))
        answer = client.post("/api/import", params={"contract": "memledger"}, content=body, headers=NDJSON)
    told = [msgspec.json.decode(line) for line in answer.content.splitlines()]
    assert (told[-1]["what"], told[-1]["code"]) == ("failed", "unauthenticated")
    assert len(list(served.memory.insight.browse())) == 2
