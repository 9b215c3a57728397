"""Lines of documents in and out of the memory, a bounded number at a time. Knows contracts, nothing of HTTP."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import IO

import msgspec

from muniment.compat.exchange import Fate, Imported, encoded_as, read_in, rivals_of
from muniment.compat.exchange.luggage import given_out
from muniment.contracts.contract import Encoded
from muniment.contracts.registry import ContractName
from muniment.contracts.strict.reader import read_json
from muniment.contracts.strict.values import Json
from muniment.engine import Memory
from muniment.model.errors import CallerError, LimitExceeded, Malformed, NotPermitted
from muniment.model.query import Disclosure
from muniment.model.times import Instant
from muniment.operations.answers import LedgerLine, LooseLink
from muniment.surfaces.problems import field_of

BATCH_LINES = 500
BATCH_BYTES = 1_048_576
LINE_BYTES_MAX = 4_194_304
PAGE = 100
_PLACE = re.compile(r"/(?:entry/)?(\d{1,6})(?:/|$)")


class Numbered:
    """A batch of lines, each with its number in the stream."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.texts: list[bytes] = []
        self.size = 0

    @property
    def full(self) -> bool:
        return len(self.texts) >= BATCH_LINES or self.size >= BATCH_BYTES

    def add(self, number: int, text: bytes) -> None:
        self.numbers.append(number)
        self.texts.append(text)
        self.size += len(text)


class Intake:
    """One import: what was counted so far, and the lines that tell of it."""

    def __init__(self, memory: Memory, contract: ContractName, *, hold: bool, preview: bool, again: bool) -> None:
        self._memory = memory
        self._contract = contract
        self._hold = hold
        self._preview = preview
        self._again = again
        self._counts = {"committed": 0, "held": 0, "refused": 0, "error": 0}
        self._batches: list[str] = []
        self._tenants: set[str] = set()
        self._lines = 0

    def document(self, body: bytes) -> Iterator[LedgerLine]:
        """Take in one document, all or none of it."""
        yield from self._told(self._read_in(body), None)
        yield self.summary()

    def stream(self, file: IO[bytes]) -> Iterator[LedgerLine]:
        """Take in lines, a batch at a time. A batch with a line that cannot be read is left out whole, and told."""
        for batch in batches(file):
            yield from self._batch(batch)
            self._lines = batch.numbers[-1]
            yield LedgerLine(what="progress", lines=self._lines)
        yield self.summary()

    def summary(self) -> LedgerLine:
        return LedgerLine(
            what="summary",
            lines=self._lines,
            committed=self._counts["committed"],
            held=self._counts["held"],
            refused=self._counts["refused"],
            errors=self._counts["error"],
            batches=tuple(self._batches),
            tenants=tuple(sorted(self._tenants)),
            preview=self._preview,
        )

    def _batch(self, batch: Numbered) -> Iterator[LedgerLine]:
        values: list[Json] = []
        faults: list[LedgerLine] = []
        for number, text in zip(batch.numbers, batch.texts, strict=True):
            try:
                if len(text) > LINE_BYTES_MAX:
                    raise LimitExceeded("line", limit=LINE_BYTES_MAX, unit="bytes", sent=len(text))
                values.append(read_json(text))
            except CallerError as error:
                faults.append(_fault(number, error))
        if not faults:
            joined = Joined(self._contract, batch.numbers, values)
            try:
                yield from self._told(self._read_in(joined.body), joined.memories)
                return
            except NotPermitted:
                raise
            except CallerError as error:
                faults.append(_fault(joined.number_of(error), error))
        self._counts["error"] += len(batch.texts)
        yield from faults

    def _read_in(self, body: bytes) -> Imported:
        return read_in(self._memory, self._contract, body, preview=self._preview, hold=self._hold, again=self._again)

    def _told(self, imported: Imported, numbers: Sequence[int] | None) -> Iterator[LedgerLine]:
        self._batches.append(imported.batch)
        self._tenants.update(imported.tenants)
        placed = numbers if numbers is not None and len(numbers) == len(imported.fates) else None
        for position, fate in enumerate(imported.fates):
            self._counts[fate.outcome] += 1
            yield _memory(fate, imported.batch, placed[position] if placed is not None else None)


def batches(file: IO[bytes]) -> Iterator[Numbered]:
    """The lines of a file that say something, so many at a time."""
    batch = Numbered()
    number = 0
    while text := file.readline(LINE_BYTES_MAX + 1):
        number += 1
        while not text.endswith(b"\n") and len(text) > LINE_BYTES_MAX:
            rest = file.readline(LINE_BYTES_MAX)
            if not rest or rest.endswith(b"\n"):
                break
        if text.strip():
            batch.add(number, text)
        if batch.full:
            yield batch
            batch = Numbered()
    if batch.texts:
        yield batch


class Joined:
    """The documents of some lines as one: a list, or a bundle where the contract has bundles. Each line may be a bundle
    of its own and bring what its memory refers to; what several bring alike is there once."""

    def __init__(self, contract: ContractName, numbers: Sequence[int], values: Sequence[Json]) -> None:
        self.entries: list[Json] = []
        self._lines: list[int] = []
        self._beside: set[bytes] = set()
        self._bundled = contract is ContractName.OMIR
        for number, value in zip(numbers, values, strict=True):
            for entry in _entries(value) if self._bundled else [value]:
                self._add(number, entry)

    def _add(self, number: int, entry: Json) -> None:
        if self._bundled and not _is_memory(entry):
            spelled = msgspec.json.encode(entry, order="deterministic")
            if spelled in self._beside:
                return
            self._beside.add(spelled)
        self.entries.append(entry)
        self._lines.append(number)

    @property
    def body(self) -> bytes:
        if not self._bundled:
            return msgspec.json.encode(self.entries)
        return msgspec.json.encode({"resourceType": "Bundle", "omirVersion": "R1", "entry": self.entries})

    @property
    def memories(self) -> list[int]:
        """The line of each memory, in their order."""
        pairs = zip(self._lines, self.entries, strict=True)
        return [number for number, entry in pairs if not self._bundled or _is_memory(entry)]

    def number_of(self, error: CallerError) -> int | None:
        """The line that an error points to."""
        found = _PLACE.match(field_of(error) or "")
        place = int(found[1]) if found is not None else len(self._lines)
        return self._lines[place] if place < len(self._lines) else None


def _entries(value: Json) -> list[Json]:
    inner = value.get("entry") if isinstance(value, dict) and value.get("resourceType") == "Bundle" else None
    return inner if isinstance(inner, list) else [value]


def _is_memory(entry: Json) -> bool:
    return isinstance(entry, dict) and entry.get("resourceType") == "MemoryRecord"


def _fault(number: int | None, error: CallerError) -> LedgerLine:
    return LedgerLine(
        what="refused",
        line=number,
        code=error.code,
        detail=str(error),
        field=field_of(error),
        hint=error.hint,
    )


def _memory(fate: Fate, batch: str, number: int | None) -> LedgerLine:
    return LedgerLine(
        what="memory",
        line=number,
        id=fate.id,
        batch=batch,
        verdict=fate.verdict,
        code=Malformed.code if fate.error is not None else None,
        detail=fate.error,
        loose=tuple(LooseLink(type=one.type, target=one.target, why=one.why) for one in fate.loose),
    )


def lines_of(
    memory: Memory, contract: ContractName, told: Sequence[Disclosure], since: Instant | None
) -> Iterator[bytes]:
    """Records as documents of a contract, each on a line of its own."""
    wanted = [one for one in told if since is None or one.record.created_at >= since]
    rivals = rivals_of(memory, wanted)
    for one in wanted:
        yield _form(memory, contract, one, rivals).data + b"\n"


def form_of(memory: Memory, contract: ContractName, told: Disclosure) -> Encoded:
    """One record as a document of a contract, as it would stand on its line, and what the contract cannot say."""
    return _form(memory, contract, told, rivals_of(memory, [told]))


def _form(memory: Memory, contract: ContractName, told: Disclosure, rivals: Mapping[str, tuple[str, ...]]) -> Encoded:
    carried, _ = given_out(memory, told, rivals.get(told.record.id, ()))
    encoded = encoded_as(contract, [carried])
    return Encoded(data=msgspec.json.format(encoded.data, indent=-1), narrowed=encoded.narrowed)
