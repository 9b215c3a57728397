"""In which form an answer is told: flat and short for whoever asks plainly, in full, only some fields, or as the values
that our own clients read back."""

from __future__ import annotations

from urllib.parse import parse_qsl, quote_plus

import msgspec

from muniment.model.errors import Malformed
from muniment.model.form import brief
from muniment.model.value import Value
from muniment.operations.wire import shape_of

VALUES, PLAIN = "values", "flat"
_OWN = ("fields", "verbose")
_FIELDS_MAX = 64
_TRUTH = {"true": True, "false": False}


class Form(Value):
    """How an answer is written. As `values` it is what the library holds; else it is flat, with all of a record if
    `verbose`, with some `fields` of it, or with what most readers need."""

    values: bool = False
    verbose: bool = False
    fields: frozenset[str] | None = None

    def write(self, value: Value) -> bytes:
        if self.values:
            return shape_of(type(value)).write(value)
        form = value.to_dict()
        return msgspec.json.encode(form if self.verbose else brief(form, self.fields))


FLAT = Form()


def read_form(query: bytes, header: str | None) -> tuple[bytes, Form]:
    """The form that is asked for, and the query string without what asks for it."""
    if header not in (None, VALUES, PLAIN):
        raise Malformed("Muniment-Form", f"{PLAIN} or {VALUES}")
    if not any(name.encode() in query for name in _OWN):
        return query, Form(values=header == VALUES)
    try:
        pairs = parse_qsl(query.decode("ascii"), keep_blank_values=True, strict_parsing=True, errors="strict")
    except ValueError:
        return query, FLAT  # it is refused where the rest is read
    said = [(name, text) for name, text in pairs if name in _OWN]
    left = "&".join(f"{quote_plus(name)}={quote_plus(text)}" for name, text in pairs if name not in _OWN)
    words = [text for name, text in said if name == "verbose"]
    if words and words != ["true"] and words != ["false"]:
        raise Malformed("verbose", "true or false, once")
    named = [part.strip() for name, text in said if name == "fields" for part in text.split(",")]
    if any(not one.isidentifier() or not one.isascii() for one in named) or len(named) > _FIELDS_MAX:
        raise Malformed("fields", "names of fields of a record, such as content,kind,created_at")
    fields = frozenset(named) if named else None
    return left.encode(), Form(values=header == VALUES, verbose=words == ["true"], fields=fields)
