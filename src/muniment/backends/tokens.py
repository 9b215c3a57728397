"""What a text is made of for a search by words: the one tokenizer of all stores.

A text is a row of places. At a place stand all terms by which the word there can be found: the word itself, spelled
plainly and stemmed as English, then what it is in its own language and without what its writing joins to it. The terms
of English are FTS5's own, so nothing of English depends on what the other languages add.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import Protocol
from unicodedata import normalize

import apsw
import snowballstemmer

from muniment.model.receipt import Terms
from muniment.ports.lexicon import Place, Places
from muniment.text.languages import (
    ARABIC_CLITICS,
    COMMON,
    HEBREW_CLITICS,
    language_of,
    without_clitics,
    without_particles,
)
from muniment.text.scripts import Script, ScriptRun, bigrams, canonical_spelling, clusters, runs, script_of, spelled_out
from muniment.text.stop_words import STOP_WORDS

TOKEN_BYTES_MAX = 32_768
"""FTS5 cuts longer tokens at this many bytes."""
TOKENIZER = "muniment"
STEMMED = "~"
"""What a stem of another language than English begins with, so that no word of English is taken for one."""
_AND, _OR = "\x1e", "\x1f"
_WORD_LENGTH_MAX = 40
_WORDS_KNOWN_MAX = 16_384
_STEM_MIN = 3
_STEMMERS = {
    "de": "german", "fr": "french", "es": "spanish", "it": "italian", "pt": "portuguese", "nl": "dutch",
    "sv": "swedish", "da": "danish", "no": "norwegian", "fi": "finnish", "hu": "hungarian", "ro": "romanian",
    "tr": "turkish", "pl": "polish", "cs": "czech",
}  # fmt: skip
_OVER_AND_OVER = "turkish"
_MARKERS = {language: f"{STEMMED}{STEMMED}{language}" for language in _STEMMERS}
"""The first place of a text in one of these languages says so."""
_STEMMED_SCRIPTS: dict[Script, str] = {"cyrillic": "russian", "greek": "greek", "devanagari": "hindi"}
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


class _Tokenizers(threading.local):
    """One tokenizer per thread: a connection serves one thread at a time."""

    def __init__(self) -> None:
        self._connection = apsw.Connection(":memory:")
        self.run = self._connection.fts5_tokenizer("porter", ["unicode61", "remove_diacritics", "2"])


_tokenizers = _Tokenizers()


def tokenize(text: str) -> Places:
    """The places of a text that is to be indexed.

    >>> tokenize("The café's builds"), tokenize("👍"), tokenize("parseFile")
    ((('the',), ('cafe',), ('s',), ('build',)), (), (('parsefil', 'pars', 'file'),))
    >>> tokenize("东京API"), tokenize("Müllers Rechnungen sind da")[:2]
    ((('东京', '东'), ('京',), ('api',)), (('muller', 'mueller', '~mull', '~~de'), ('rechnungen', '~rechnung')))
    """
    return _tokenized(text) if len(text) <= _KEPT_LENGTH_MAX else _taken_apart(text)


def _taken_apart(text: str) -> Places:
    language = language_of(text)
    if text.isascii() and language not in _STEMMERS and not _CAMEL.search(text):
        return tuple((term,) for term in _english(text))
    found = list(chain.from_iterable(_indexed(run, language) for run in runs(text)))
    if language in _STEMMERS and found:
        found[0] = _once([*found[0], _MARKERS[language]])
    return tuple(found)


_KEPT_LENGTH_MAX, _KEPT_MAX = 1_000, 2_048
"""Texts up to this length are kept taken apart, those asked for last: what is written is taken apart for the index and
for its neighbours, and what is often found each time that it is."""
_tokenized = lru_cache(maxsize=_KEPT_MAX)(_taken_apart)


def terms_of(text: str) -> Iterator[str]:
    """All terms a text is indexed under."""
    return chain.from_iterable(tokenize(text))


def sought(text: str, languages: tuple[str, ...] = ()) -> Places:
    """The places of what is searched for, a word or several. Whichever of the terms of a place a text holds there, it
    holds the word. A word does not say what language it is in: it is stemmed in each of those that texts are in.

    >>> sought("部署"), sought("김철수가"), sought("Rechnung"), sought("Rechnungen", ("de", "es"))
    ((('部署',),), (('김철수가', '김철수'),), (('rechnung',),), (('rechnungen', '~rechnung', '~rechnungen'),))
    """
    return _sought(text, languages) if len(text) <= _WORD_LENGTH_MAX else _look_for(text, languages)


def _look_for(text: str, languages: tuple[str, ...]) -> Places:
    return tuple(chain.from_iterable(_asked(run, languages) for run in runs(text)))


_sought = lru_cache(maxsize=_WORDS_KNOWN_MAX)(_look_for)


class TokenCount(Protocol):
    """How an index tells how many texts hold each of these terms."""

    def __call__(self, terms: Collection[str], /) -> Mapping[str, int]: ...


def looked_up(texts: Iterable[str], count: TokenCount) -> dict[str, Places]:
    """The places of words and phrases in an index, without the terms that no text in it holds. In which languages its
    texts are is asked together with the words."""
    plainly = {text: sought(text) for text in texts}
    terms = {term for places in plainly.values() for place in places for term in place}
    known = dict(count([*terms, *_MARKERS.values()]))
    languages = tuple(language for language, marker in _MARKERS.items() if known.get(marker))
    if not languages:
        return {text: alive(places, known) for text, places in plainly.items()}
    found = {text: sought(text, languages) for text in plainly}
    more = {term for places in found.values() for place in places for term in place} - terms
    known.update(count(more) if more else {})
    return {text: alive(places, known) for text, places in found.items()}


def phrased(terms: Terms) -> tuple[str, ...]:
    """The quoted phrases of a question, each as one text."""
    return tuple(map(" ".join, terms.phrases))


def asked(terms: Terms, places: Mapping[str, Places]) -> tuple[int, list[Places]]:
    """What is scored, in its order, and how many of the first of it must occur.

    Beside required phrases a word only adds to the score. FTS5 says so as `p AND (p OR word …)`, where the first phrase
    stands twice and so counts twice; the same is done everywhere. A word of several places is a phrase, one of none
    nothing.
    """
    phrases = [found for phrase in phrased(terms) if (found := places[phrase])]
    words = [found for word in terms.words if (found := places[word])]
    if not phrases:
        return 0, words
    return len(phrases), [*phrases, phrases[0], *words] if words else phrases


def single(word: str) -> str | None:
    """The plainest term of a word that is at one place."""
    places = sought(word)
    return places[0][0] if len(places) == 1 else None


def neighbours(words: Iterable[str], most: int) -> dict[str, str]:
    """The words to look for neighbours by, at most so many, each with its plainest term. A run without spaces is looked
    for by its pairs of letters."""
    found: dict[str, str] = {}
    for word in words:
        places = sought(word)
        if len(places) == 1:
            found[word] = places[0][0]
        elif places and script_of(word) == "unspaced":
            found.update({place[0]: place[0] for place in places})
    return dict(list(found.items())[:most])


def alive(places: Places, holding: Mapping[str, int]) -> Places:
    """The same places without the terms that no text holds; the plainest stays."""
    return tuple(tuple(term for term in place if holding.get(term, 0)) or place[:1] for place in places)


def written(places: Places) -> str:
    """Places as the tokenizer reads them back: what is searched for is taken apart once, here."""
    return _AND.join(_OR.join(place) for place in places)


def register(connection: apsw.Connection) -> None:
    """Teach a connection the tokenizer. Of what is searched for it reads the places that `written` wrote."""
    connection.register_fts5_tokenizer(TOKENIZER, _made)


def _made(connection: apsw.Connection, arguments: list[str]) -> Callable[..., Iterable[Place]]:
    del connection, arguments

    def take_apart(text: bytes, flags: int, locale: str | None) -> Iterable[Place]:
        del locale
        said = text.decode()
        if flags & apsw.FTS5_TOKENIZE_QUERY:
            return (tuple(place.split(_OR)) for place in said.split(_AND) if place)
        return tokenize(said)

    return take_apart


def _english(text: str) -> list[str]:
    found = _tokenizers.run(
        text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False
    )
    return [_cut(str(token)) for token in found]


def _cut(term: str) -> str:
    if len(term) * 4 <= TOKEN_BYTES_MAX:
        return term
    return term.encode()[:TOKEN_BYTES_MAX].decode(errors="ignore")


@lru_cache(maxsize=_WORDS_KNOWN_MAX)
def _porter(word: str) -> str:
    """A plain word as FTS5 stems it."""
    found = _english(word)
    return found[0] if len(found) == 1 else _cut(word)


def _indexed(run: ScriptRun, language: str | None) -> Iterator[Place]:
    if run.script == "unspaced":
        letters = clusters(canonical_spelling(run.text, run.script))
        pairs = (one + other for one, other in pairwise(letters))
        yield from ((pair, letter) for pair, letter in zip(pairs, letters, strict=False))
        yield (letters[-1],)
    elif run.script == "latin":
        humps = _humps(run.text) if _CAMEL.search(run.text) else ()
        languages = (language,) if language in _STEMMERS and language is not None else ()
        yield _once([*_latin(run.text, languages), *humps])
    else:
        yield _forms(run)


def _asked(run: ScriptRun, languages: tuple[str, ...]) -> Iterator[Place]:
    if run.script == "unspaced":
        yield from ((pair,) for pair in bigrams(canonical_spelling(run.text, run.script)))
    elif run.script == "latin":
        yield _unstemmed(_once(_latin(run.text, () if run.text.lower() in STOP_WORDS else languages)))
    else:
        yield _unstemmed(_forms(run))


def _unstemmed(place: Place) -> Place:
    """A word that is asked for may be a stem already: `Иванов` is that of `Иванова`, and has a shorter one itself."""
    return _once([*place, STEMMED + place[0]]) if any(term.startswith(STEMMED) for term in place) else place


def _once(terms: Iterable[str]) -> Place:
    return tuple(dict.fromkeys(term for term in terms if term))


def _latin(word: str, languages: tuple[str, ...]) -> Iterator[str]:
    yield _porter(canonical_spelling(word, "latin"))
    if not word.isascii():
        yield _porter(canonical_spelling(spelled_out(word.lower()), "latin"))
    if len(word) < _STEM_MIN or word[0].isdigit():
        return
    for language in languages:
        if word.lower() not in COMMON[language]:
            yield _stem(word, _STEMMERS[language])


def _humps(word: str) -> Iterator[str]:
    return (_porter(hump.lower()) for hump in _HUMPS.findall(word) if len(hump) > 1)


@lru_cache(maxsize=_WORDS_KNOWN_MAX)
def _forms(run: ScriptRun) -> Place:
    """A word of one of the other scripts that have spaces."""
    word = _cut(canonical_spelling(run.text, run.script))
    match run.script:
        case "hangul":
            return _once([word, *without_particles(word)])
        case "arabic":
            return _once([word, *without_clitics(word, ARABIC_CLITICS)])
        case "hebrew":
            return _once([word, *without_clitics(word, HEBREW_CLITICS)])
        case _:
            stemmer = _STEMMED_SCRIPTS.get(run.script)
            return _once([word, _stem(word, stemmer)] if stemmer is not None else [word])


@lru_cache(maxsize=_WORDS_KNOWN_MAX)
def _stem(word: str, language: str) -> str:
    """A word as its language stems it, or nothing when that leaves the word as it is or hardly anything of it."""
    small = _spelled(word)
    found = _stemmer(language).stemWord(small)
    while language == _OVER_AND_OVER and (shorter := _stemmer(language).stemWord(found)) != found:
        found = shorter  # its endings follow each other, and one run takes off one or two
    script = script_of(small)
    root = canonical_spelling(found, script)
    return STEMMED + root if len(root) >= _STEM_MIN - 1 and len(word) <= _WORD_LENGTH_MAX else ""


def _spelled(word: str) -> str:
    return normalize("NFKC", word).lower()


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...


class _Stemmers(threading.local):
    """A stemmer keeps the word it is at, so each thread has its own."""

    def __init__(self) -> None:
        self.of: Callable[[str], _Stemmer] = cache(snowballstemmer.stemmer)


_stemmers = _Stemmers()


def _stemmer(language: str) -> _Stemmer:
    return _stemmers.of(language)
