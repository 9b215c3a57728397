"""The text of a resource's extensions, kept to the byte: entries of ours are put behind it and cut off again, and not
one character of anybody else's is touched."""

from __future__ import annotations

import json
import re

import msgspec

from muniment.contracts.strict.values import JsonObject
from muniment.model.claim import Extension
from muniment.model.decoding import json_decoder

_EMPTY = re.compile(r"\[[ \t\n\r]*\]")
_DELETE, _ESCAPED = "\x7f", "\\u007f"
_LISTED = "extension"


class _Entry(msgspec.Struct, rename="camel"):
    """What is looked at of an extension."""

    url: str
    value_json: msgspec.Raw = msgspec.Raw(b"null")


_entries = json_decoder(list[msgspec.Raw])
_entry = json_decoder(_Entry)


def append(text: str | None, url: str, value: JsonObject) -> str:
    """The text of a list of extensions with one of ours behind the others.

    >>> append('[ {"url":"a:b"} ]', "urn:x", {"n": 1})
    '[ {"url":"a:b"} ,{"url":"urn:x","valueJson":{"n":1}}]'
    """
    if text is not None and _EMPTY.fullmatch(text) is not None:
        value = {**value, _LISTED: text}
        text = None
    entry = json.dumps({"url": url, "valueJson": value}, ensure_ascii=False, separators=(",", ":"))
    return f"[{entry}]" if text is None else f"{text[:-1]},{entry}]"


def take(text: str, url: str) -> tuple[str | None, JsonObject | None]:
    """The text without our last entry of that URL (None: nothing is left, as if there had been no list), and what the
    entry says. What stands under the URL and is none of ours is left where it is.

    >>> take('[ {"url":"a:b"} ,{"url":"urn:x","valueJson":{"n":1}}]', "urn:x")
    ('[ {"url":"a:b"} ]', {'n': 1})
    """
    if url not in text:
        return text, None
    pieces = [bytes(raw).decode() for raw in _entries.decode(text)]
    for number in range(len(pieces) - 1, -1, -1):
        found = _entry.decode(pieces[number])
        if found.url == url:
            value = json.loads(bytes(found.value_json))
            if not isinstance(value, dict):
                return text, None
            return _cut(text, pieces, number, value), value
    return text, None


def _cut(text: str, pieces: list[str], number: int, value: JsonObject) -> str | None:
    """The text without one piece. Ours stands last and without white space, unless somebody else wrote it anew."""
    listed = value.pop(_LISTED, None)
    if len(pieces) == 1:
        return listed if isinstance(listed, str) and _EMPTY.fullmatch(listed) is not None else None
    end = f",{pieces[number]}]"
    if number == len(pieces) - 1 and text.endswith(end):
        return f"{text[: -len(end)]}]"
    return "[" + ",".join(piece for place, piece in enumerate(pieces) if place != number) + "]"


def keep(name: str, text: str) -> tuple[Extension, ...]:
    """A text as extensions of a claim. A record holds no delete character as it is: those that stood so are escaped,
    and counted beside."""
    if _DELETE not in text:
        return (Extension(name=name, body=text),)
    bare = [place for place, word in enumerate(re.findall(r"\x7f|\\u007f", text)) if word == _DELETE]
    return (
        Extension(name=name, body=text.replace(_DELETE, _ESCAPED)),
        Extension(name=f"{name}.bare", body=json.dumps(bare)),
    )


def kept(name: str, extensions: tuple[Extension, ...]) -> str | None:
    """The text that `keep` put away; None if there is none."""
    found = {one.name: one.body for one in extensions}
    text, bare = found.get(name), found.get(f"{name}.bare")
    if text is None or bare is None:
        return text
    places = set(json.loads(bare))
    words = iter(range(text.count(_ESCAPED)))
    return re.sub(r"\\u007f", lambda match: _DELETE if next(words) in places else match.group(), text)
