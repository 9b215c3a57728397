"""The Open Memory Protocol, as its draft stands: what an exchange is answered, and that it goes there and back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment.engine import Memory
from muniment.importers.export import give_out
from muniment.importers.kinds import SourceKind, kind_of
from muniment.importers.omp import FORMAT
from muniment.importers.omp.exchange import ExchangeMode
from muniment.importers.omp.receive import Received, receive


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "vault", embedder=None) as opened:
        yield opened


def made(name: str, text: str | None, **more: object) -> dict[str, object]:
    scope = {"owner": "alice", "author": "alice", "origin_system": "source", "context": {}}
    ref = {"authority": "source", "namespace": "memory", "local_id": name}
    said = {"revision_id": f"rev-{name}", "role": "human_assertion", "text": text, "scope": scope, "ref": ref}
    return {**said, "policy": {"rules": [], "required": False}, "recorded_at": "2026-09-01T00:00:00+00:00", **more}


def rule(*principals: str, actions: tuple[str, ...] = ("read",)) -> dict[str, object]:
    return {"rules": [{"principals": list(principals), "actions": list(actions)}], "required": True}


def tombstone(target: str) -> dict[str, object]:
    said = {"event_id": f"ev-{target}", "kind": "tombstone", "target": target, "actor": "alice"}
    return {**said, "effective_at": "2026-09-03T00:00:00+00:00"}


def exchange(folder: Path, objects: list[object], events: list[object] | None = None, **manifest: object) -> Path:
    head = {"format_version": FORMAT, "source_system": "source", "exchange_id": "ex-1", **manifest}
    path = folder / "exchange.json"
    path.write_text(json.dumps({"manifest": head, "objects": objects, "events": events or []}))
    return path


def statuses(received: Received) -> dict[str, str]:
    return {one.target: one.status.value for one in received.receipts}


def said(memory: Memory) -> set[str]:
    return {one.record.claim.content for one in memory.insight.browse()}


def test_what_an_exchange_requires_and_nobody_knows_rejects_all_of_it(memory: Memory, tmp_path: Path) -> None:
    for odd in (
        {"required_extensions": ["x.y"]},
        {"profiles": [{"name": "p", "required": True}]},
        {"format_version": "b-1.0"},
    ):
        path = exchange(tmp_path, [made("a", "Ada prefers SI units")], **odd)
        assert statuses(receive(memory, path, {})) == {"rev-a": "rejected"}
    assert said(memory) == set()


def test_each_object_has_its_receipt_and_a_second_run_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    objects: list[object] = [
        made("a", "東京オフィスは閉鎖された"),
        made("b", "Team roster", policy=rule("alice@source")),
        made("c", "Salary band", policy=rule("hr@source")),
        made("d", "Board minutes", policy=rule("alice@source", actions=("read", "watermark"))),
        made("e", "deploy with AKIAIOSFODNN7EXAMPLE"),
        made("f", None, media={"media_type": "image/png", "digest": "0"}),
        made("g", "Derived of nothing known", role="machine_derived"),
        made("h", "Ada was in Porto"),
    ]
    events: list[object] = [
        tombstone("rev-h"),
        {"event_id": "ev-x", "kind": "retract", "target": "rev-none", "actor": "a"},
    ]
    path = exchange(tmp_path, objects, events, transfer_intent="move")
    assert kind_of(path) is SourceKind.OMP
    received = receive(memory, path, {"alice@source": "alice"})
    assert statuses(received) == {
        "rev-a": "accepted",
        "rev-b": "accepted",
        "rev-c": "unresolved",
        "rev-d": "unresolved",
        "rev-e": "rejected",
        "rev-f": "omitted",
        "rev-g": "transformed",
        "rev-h": "rejected",
        "ev-rev-h": "accepted",
        "ev-x": "unresolved",
    }
    assert set(received.retry) == {"rev-c", "rev-d", "ev-x"}
    assert received.move_complete is False
    assert said(memory) == {"東京オフィスは閉鎖された", "Team roster", "Derived of nothing known"}
    assert memory.get("rev-b").record.claim.place.user == "alice"
    again = receive(memory, path, {"alice@source": "alice"})
    assert statuses(again) == statuses(received)
    assert (again.moved.taken, again.moved.already) == (0, 3)
    assert again.moved.batch == received.moved.batch


def test_a_tombstone_of_what_was_never_here_keeps_it_from_coming_back(memory: Memory, tmp_path: Path) -> None:
    receive(memory, exchange(tmp_path, [], [tombstone("rev-d")]), {})
    old = exchange(tmp_path, [made("d", "my number is 123"), made("k", "Unrelated fact")])
    assert statuses(receive(memory, old, {})) == {"rev-d": "rejected", "rev-k": "accepted"}
    assert said(memory) == {"Unrelated fact"}


def test_what_is_derived_anew_has_an_identity_of_its_own(memory: Memory, tmp_path: Path) -> None:
    path = exchange(tmp_path, [made("a", "Ada prefers SI units")])
    received = receive(memory, path, {}, mode=ExchangeMode.RE_DERIVE)
    (receipt,) = received.receipts
    assert (receipt.status, receipt.record) == ("transformed", "derived:rev-a")


def test_an_exchange_goes_there_and_back(memory: Memory, tmp_path: Path) -> None:
    memory.remember("Der Prüfstand läuft nachts")
    memory.remember("Ada prefers SI units", user="ada")
    target = tmp_path / "out.json"
    give_out(memory, SourceKind.OMP, target, memory.insight.browse())
    with Memory.open(tmp_path / "other", embedder=None) as other:
        received = receive(other, target, {"ada": "ada"})
        assert {one.status.value for one in received.receipts} <= {"accepted", "transformed"}
        assert said(other) == said(memory)
        assert [one.record.claim.content for one in other.insight.browse(user="ada")] == ["Ada prefers SI units"]
