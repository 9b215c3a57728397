"""The one way a document and a memory become each other without loss, in both directions.

A contract says by hand only the plain part: which field is which (`Dialect`). Whatever of a document the plain part
does not give back is kept as the residue of that contract in the claim's extensions; whatever of a memory the document
cannot say travels in the contract's extension slot, if it has one, and is told as narrowed.
"""

from __future__ import annotations

import json
from copy import copy
from typing import Protocol

import msgspec

from muniment.contracts.contract import Narrowing
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.json_diff import Rest, differ, lay_on, spell, unspell
from muniment.contracts.strict.values import Json, JsonObject, same
from muniment.model.claim import Extension
from muniment.model.decoding import convert
from muniment.model.errors import CallerError, Malformed

_SLOT = ":slot"
"""What stands in our slot of a document and is not what we would put there: under the contract's name and this."""


class RecordCodec(Protocol):
    """The plain part of a contract for one sort of document: checked before, and without any residue.

    `write` must give the same document for the same memory, and `read` must take whatever `write` gives. `put_slot`
    returns the document with our words in its extension slot, or None if the contract has none; `take_slot` takes
    them out again and returns the document without, and the words (None: there were none of ours).
    """

    @property
    def name(self) -> str: ...

    def read(self, document: JsonObject) -> InterchangeRecord: ...

    def write(self, memory: InterchangeRecord) -> JsonObject: ...

    def put_slot(self, document: JsonObject, words: Json) -> JsonObject | None: ...

    def take_slot(self, document: JsonObject) -> tuple[JsonObject, Json]: ...


def decode(dialect: RecordCodec, document: JsonObject, *, path: str = "/") -> InterchangeRecord:
    """Read a document that was found valid. `path` is where it stands, for errors."""
    bare, words = dialect.take_slot(document)
    try:
        said = dialect.read(bare)
        memory = _patched(said, unspell(words))
    except CallerError as error:
        raise _placed(error, path) from None
    found = _with_residue(memory, dialect.name, differ(dialect.write(memory), bare))
    if words is None and bare is document:
        return found
    if _own_words(said, memory, words) and dialect.put_slot(bare, words) == document:
        return found
    again, _ = encode(dialect, found)
    return _with_residue(found, dialect.name + _SLOT, differ(again, document))


def encode(dialect: RecordCodec, memory: InterchangeRecord) -> tuple[JsonObject, tuple[Narrowing, ...]]:
    """Write a memory as a document, and say what it could not hold."""
    whole, words = _split(memory, dialect.name + _SLOT)
    kept, residue = _split(whole, dialect.name)
    written = dialect.write(kept)
    bare, back = _laid_on(dialect, written, residue)
    if back == kept and not words:
        return bare, ()
    if back is None or (residue and back != kept and _misleads(dialect.read(written), back, kept)):
        bare, back, words = written, dialect.read(written), ()
    lost = differ(_plain(back), _plain(kept))
    told = tuple(narrowing for rest in lost if (narrowing := _told(memory.id, rest)) is not None)
    slotted = dialect.put_slot(bare, json.loads(spell(lost))) if lost else bare
    if slotted is None:
        return bare, told
    whole_document = lay_on(slotted, words)
    if words and _bare_of(dialect, whole_document) != bare:
        whole_document = slotted  # words of a slot that reach beyond it are nobody's honest words
    return whole_document, tuple(msgspec.structs.replace(one, kept=True) for one in told)


_STUMBLES = (CallerError, AssertionError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""How a reader fails on a document that nobody checked. A residue that was made up, or out of which a secret was taken,
can make any document, and a reader is promised a valid one."""


def _laid_on(
    dialect: RecordCodec, written: JsonObject, residue: tuple[Rest, ...]
) -> tuple[JsonObject, InterchangeRecord] | tuple[JsonObject, None]:
    """The document with its residue, and what a reader makes of it: None if it is none that can be read."""
    if not residue:
        return written, dialect.read(written)
    bare = lay_on(written, residue)
    try:
        return bare, dialect.read(bare)
    except _STUMBLES:
        return bare, None


def _bare_of(dialect: RecordCodec, document: JsonObject) -> JsonObject | None:
    """The document without our slot; None if it is none that can be read."""
    try:
        return dialect.take_slot(document)[0]
    except _STUMBLES:
        return None


def _misleads(plain: InterchangeRecord, back: InterchangeRecord, kept: InterchangeRecord) -> bool:
    """Whether a residue makes a document say what the record does not. An honest one only brings a document nearer to
    the record it was read to; one that somebody made up, to have it told under a record's name, is not laid on."""
    said, meant = _plain(back), _plain(kept)
    return any(not _agree(said, meant, rest.path) for rest in differ(_plain(plain), said))


def _agree(a: JsonObject, b: JsonObject, path: tuple[str, ...]) -> bool:
    return _at(a, path) == _at(b, path)


def _at(value: Json, path: tuple[str, ...]) -> Json:
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _own_words(said: InterchangeRecord, memory: InterchangeRecord, words: Json) -> bool:
    """Whether these are the very words we would put into the slot of that document for that memory."""
    lost = differ(_plain(said), _plain(memory))
    return bool(lost) and same(json.loads(spell(lost)), words)


def _told(name: str, rest: Rest) -> Narrowing | None:
    """What the reader is told of a loss; what is only a default of the other side is none."""
    return Narrowing(id=name, path=rest.pointer, kept=False) if rest.now else None


def _plain(memory: InterchangeRecord) -> JsonObject:
    found: JsonObject = msgspec.json.decode(msgspec.json.encode(memory))
    return found


def _patched(memory: InterchangeRecord, rests: tuple[Rest, ...]) -> InterchangeRecord:
    """The memory with our own words laid on. Words that would make no memory are left out: the document was changed."""
    if not rests:
        return memory
    try:
        return convert(lay_on(_plain(memory), rests), InterchangeRecord)
    except (msgspec.ValidationError, CallerError):
        return memory


def _with_residue(memory: InterchangeRecord, name: str, rests: tuple[Rest, ...]) -> InterchangeRecord:
    others = tuple(one for one in memory.claim.extensions if one.name != name)
    if not rests and len(others) == len(memory.claim.extensions):
        return memory
    own = (Extension(name=name, body=spell(rests)),) if rests else ()
    # Everything else was checked when it was made, and an extension checks itself: copies need no second look.
    claim, found = copy(memory.claim), copy(memory)
    msgspec.structs.force_setattr(claim, "extensions", (*others, *own))
    msgspec.structs.force_setattr(found, "claim", claim)
    return found


def _split(memory: InterchangeRecord, name: str) -> tuple[InterchangeRecord, tuple[Rest, ...]]:
    """The memory without the residue of that name, and the residue."""
    own = [one for one in memory.claim.extensions if one.name == name]
    if not own:
        return memory, ()
    return _with_residue(memory, name, ()), unspell(json.loads(own[0].body))


def _placed(error: CallerError, path: str) -> CallerError:
    if isinstance(error, Malformed) and not error.field.startswith("/"):
        where = "" if path == "/" else path
        return Malformed(f"{where}/{error.field.replace('.', '/')}", error.expected)
    return error
