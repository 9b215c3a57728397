"""Take an exchange in: its objects become proposals of one batch, and the answer is a receipt for each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from muniment.contracts.names import safe_id
from muniment.engine import Memory
from muniment.importers.files import read_document
from muniment.importers.foreign import text_of
from muniment.importers.kinds import SourceKind
from muniment.importers.omp.exchange import ExchangeMode, Judged, ReceiptEntry, ReceiptWord, judge
from muniment.importers.takeover import MovedIn, Plan, move_in
from muniment.model.errors import NotFound
from muniment.model.status import CURRENT, Status
from muniment.model.value import Value


class Received(Value):
    """What became of an exchange: the batch it is here, and one receipt for each object and event. `retry` are those
    that can be sent again once they are resolved; `move_complete` says of a move whether the source may delete."""

    exchange: str | None
    moved: MovedIn
    receipts: tuple[ReceiptEntry, ...]
    retry: tuple[str, ...]
    move_complete: bool | None


def receive(
    memory: Memory,
    path: Path,
    principals: dict[str, str],
    *,
    mode: ExchangeMode = ExchangeMode.PRESERVE,
    preview: bool = False,
    hold: bool = False,
    again: bool = False,
) -> Received:
    """Take in what of an exchange can be taken in. The same exchange again changes nothing."""
    document = read_document(path)
    judged = judge(
        document, principals, mode=mode, gone=lambda own: _gone(memory, own), here=lambda own: _here(memory, own)
    )
    answers: dict[str, tuple[str, str]] = {}
    with _planned(judged) as plan:
        moved = move_in(
            memory,
            plan,
            preview=preview,
            hold=hold,
            again=again,
            answered=lambda name, word, why: answers.__setitem__(name, (word, why)),
        )
    receipts = tuple(_receipt(one, answers) for one in judged)
    manifest = document.get("manifest") if isinstance(document, dict) else None
    objects = [one for one in receipts if one.kind == "object"]
    landed = all(one.status in (ReceiptWord.ACCEPTED, ReceiptWord.TRANSFORMED) for one in objects)
    return Received(
        exchange=text_of(manifest, "exchange_id"),
        moved=moved,
        receipts=receipts,
        retry=tuple(one.target for one in receipts if one.status is ReceiptWord.UNRESOLVED),
        move_complete=landed if text_of(manifest, "transfer_intent") == "move" else None,
    )


@contextmanager
def _planned(judged: list[Judged]) -> Iterator[Plan]:
    plan = Plan(SourceKind.OMP)
    try:
        for one in judged:
            if one.proposed is not None:
                plan.take(one.proposed)
        yield plan
    finally:
        plan.close()


def _receipt(one: Judged, answers: dict[str, tuple[str, str]]) -> ReceiptEntry:
    """The receipt after the vault has decided: what waits for a person is unresolved, what it refused is rejected."""
    entry = one.entry
    if entry.record is None:
        return entry
    word, why = answers.get(entry.record, ("already", "it is here already"))
    if word == "held":
        return msgspec.structs.replace(entry, status=ReceiptWord.UNRESOLVED, reason=f"held for a person: {why}")
    if word == "refused":
        return msgspec.structs.replace(entry, status=ReceiptWord.REJECTED, reason=why)
    return msgspec.structs.replace(entry, reason="it is here already") if word == "already" else entry


def _gone(memory: Memory, own: str) -> bool:
    """Whether what has this id was deleted here, or is known to be deleted elsewhere."""
    if not own:
        return False
    try:
        found = memory.history(safe_id(own)).revisions
    except NotFound:
        return False
    last = max(found, key=lambda one: one.record.revision)
    return last.standing.status in (Status.RETRACTED, Status.ERASED, Status.DEPRECATED)


def _here(memory: Memory, own: str) -> bool:
    try:
        return any(one.standing.status in CURRENT for one in memory.history(safe_id(own)).revisions)
    except NotFound:
        return False
