"""What a text is made of for a search by words: FTS5's own tokens, for every store that does not have FTS5 itself."""

from __future__ import annotations

import threading
from functools import lru_cache

import apsw

TOKEN_BYTES_MAX = 32_768
"""FTS5 cuts longer tokens at this many bytes."""

_WORD_LENGTH_MAX = 40
_WORDS_KNOWN_MAX = 4_096


class _Tokenizers(threading.local):
    """One tokenizer per thread: a connection serves one thread at a time."""

    def __init__(self) -> None:
        self._connection = apsw.Connection(":memory:")
        self.run = self._connection.fts5_tokenizer("porter", ["unicode61", "remove_diacritics", "2"])


_tokenizers = _Tokenizers()


def tokenize(text: str) -> tuple[str, ...]:
    """The terms of a text, stemmed and folded. Those of a single word are remembered: it is asked about several times
    in each search and again in the next.

    >>> tokenize("The café's builds"), tokenize("👍")
    (('the', 'cafe', 's', 'build'), ())
    """
    return _remembered(text) if len(text) <= _WORD_LENGTH_MAX else _take_apart(text)


def _take_apart(text: str) -> tuple[str, ...]:
    found = _tokenizers.run(
        text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False
    )
    return tuple(str(token).encode()[:TOKEN_BYTES_MAX].decode(errors="surrogateescape") for token in found)


_remembered = lru_cache(maxsize=_WORDS_KNOWN_MAX)(_take_apart)
