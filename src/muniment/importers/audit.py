"""The audit of a foreign store: one pass over what a reader yields, with flat memory, and what was found.

Nothing is written but a temporary file that only this process has. No text of the source is in the result but short
excerpts with every secret taken out.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterator
from enum import StrEnum

import msgspec

from muniment.importers.foreign import ForeignRecord, Item, Prompt, Residue, Unread, Unsaid
from muniment.importers.spill import Spill, key
from muniment.model import times
from muniment.model.card import normalise
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import ConflictType, Suspicion
from muniment.policy.rules import CredentialsPolicy, PersonalDataPolicy, PersonalDataRules, SafetyPolicy
from muniment.text.compare import compare, may_meet
from muniment.text.features import TextFeatures, text_features
from muniment.text.identity import about, meet
from muniment.text.similarity import echoes, similarity
from muniment.write.poison.look import inspect
from muniment.write.secrets import screen_of, words

Progress = Callable[[int], None]


class Trouble(StrEnum):
    """What can be wrong with a foreign store. `--fail-on` takes these words."""

    DUPLICATES = "duplicates"
    NEAR_DUPLICATES = "near-duplicates"
    ECHOES = "echoes"
    SECRETS = "secrets"
    PERSONAL = "personal"
    INSTRUCTIONS = "instructions"
    CONTRADICTIONS = "contradictions"
    STALE = "stale"
    NO_AUTHOR = "no-author"
    NO_TIME = "no-time"
    NO_SOURCE = "no-source"
    DELETED_RESIDUE = "deleted-residue"
    MIXED_USERS = "mixed-users"
    UNREAD = "unread"


MEANINGS: dict[Trouble, str] = {
    Trouble.DUPLICATES: "say the same words as an earlier memory of the same owner",
    Trouble.NEAR_DUPLICATES: "say nearly the same as an earlier memory of the same owner",
    Trouble.ECHOES: "repeat the system prompt, or memories that were recalled and stored again",
    Trouble.SECRETS: "hold a password, key or token",
    Trouble.PERSONAL: "hold personal data, such as an address, a number or a date of birth",
    Trouble.INSTRUCTIONS: "speak to the model like an instruction",
    Trouble.CONTRADICTIONS: "contradict an earlier memory about the same thing",
    Trouble.STALE: "bring an earlier memory up to date, which is still kept beside them",
    Trouble.NO_AUTHOR: "do not say who wrote them",
    Trouble.NO_TIME: "do not say when they were written",
    Trouble.NO_SOURCE: "do not say where they come from",
    Trouble.DELETED_RESIDUE: "were deleted, and their text is still on disk",
    Trouble.MIXED_USERS: "namespaces hold memories of several users",
    Trouble.UNREAD: "entries could not be read",
}
WEIGHTS: dict[Trouble, int] = {
    Trouble.SECRETS: 20,
    Trouble.DELETED_RESIDUE: 15,
    Trouble.INSTRUCTIONS: 15,
    Trouble.CONTRADICTIONS: 10,
    Trouble.ECHOES: 10,
    Trouble.DUPLICATES: 10,
    Trouble.NEAR_DUPLICATES: 5,
    Trouble.STALE: 5,
    Trouble.NO_AUTHOR: 4,
    Trouble.NO_TIME: 3,
    Trouble.MIXED_USERS: 3,
}
"""How many of the hundred points each can cost. It costs all of them once it is found in `_FULL` of the records."""
_FULL = {Trouble.SECRETS: 0.02, Trouble.DELETED_RESIDUE: 0.02, Trouble.INSTRUCTIONS: 0.02, Trouble.MIXED_USERS: 0.02}
_FULL_ELSE = 0.5
_LEFT = WEIGHTS[Trouble.DELETED_RESIDUE]
_WORST = 10
_PLACES = 20
_EXCERPT = 160
_READ_MAX = 8_192
"""Of a longer text the beginning is compared; secrets and instructions are looked for in all of it."""
_BANDS = 6
_BESIDE = 6
_NEAR = 0.8
_TOPS = 1_000


class Finding(Value):
    """One thing found: what, in which record, where, and of which sort. Never the text itself."""

    trouble: Trouble
    place: str
    what: str


class Worst(Value):
    """A record to look at first, and why. The excerpt has every secret taken out."""

    id: str
    place: str
    why: tuple[str, ...]
    weight: int
    excerpt: str


class Counted(Value):
    name: str
    count: int


class Part(Value):
    """How one trouble counts: how often it was found, and how many points of the score it cost of how many."""

    trouble: Trouble
    found: int
    cost: float
    most: int


class Audit(Value):
    """What a store holds and what is wrong with it. Each number counts records, unless it says otherwise."""

    kind: str
    records: int
    deleted: int
    counts: dict[str, int]
    score: float
    parts: tuple[Part, ...]
    worst: tuple[Worst, ...]
    authors: tuple[Counted, ...]
    users: tuple[Counted, ...]
    months: tuple[Counted, ...]
    sorts: tuple[Counted, ...]
    places: tuple[Finding, ...]
    unread: tuple[Unread, ...]
    unsaid: tuple[Unsaid, ...]
    first: Instant | None = None
    last: Instant | None = None
    previous: int = 0

    def found(self, trouble: Trouble) -> int:
        return self.counts.get(trouble.value, 0)


_ALL = SafetyPolicy(
    personal=PersonalDataRules(**dict.fromkeys(PersonalDataRules.__struct_fields__, PersonalDataPolicy.REDACT)),
)
SCREEN = screen_of(_ALL)
"""Looks for every sort of secret and personal data, whatever a policy would do about it."""
_CREDENTIALS = frozenset(words(name) for name in CredentialsPolicy.__struct_fields__)
_STEERING = frozenset({Suspicion.INJECTION, Suspicion.INSTRUCTION, Suspicion.HIDDEN, Suspicion.ENCODED})
_PROMPT = re.compile(
    r"\s{0,8}(?:#{0,3}\s{0,4}|<[a-z_ ]{1,40}>\s{0,4})?(?:you are (?:an? |the )[^.\n]{0,80}"
    r"(?:assistant|agent|model|chatbot|bot|ai)\b|you are (?:chatgpt|claude|gemini)\b|your (?:role|task|job) is to\b)",
    re.IGNORECASE,
)
_FRAME = re.compile(
    r"(?:(?:relevant|retrieved|recalled|user|previous|past|stored|related|saved)\s{1,4}memor(?:y|ies)"
    r"(?:\s{1,4}(?:about|of|for|from)[^:\n]{0,60})?\s{0,4}:|</?(?:memory|memories|recalled|context)>"
    r"|(?:here (?:are|is)|based on) (?:the |my |your |our )?(?:relevant |previous |stored |user'?s? )?memor"
    r"|according to (?:my|the|your|our) (?:stored |saved |previous )?memor)",
    re.IGNORECASE,
)
_PIECE = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_PIECES_MAX = 200
_OWN_WORDS = 4
_WORD = re.compile(r"\w+")


class Auditor:
    """Takes in the items of one source, one after the other, and says at the end what it found."""

    def __init__(self, kind: str, *, prompts: tuple[str, ...] = ()) -> None:
        self._kind = kind
        self._records = self._deleted = self._previous = 0
        self._counts: Counter[Trouble] = Counter()
        self._authors: Counter[str] = Counter()
        self._users: Counter[str] = Counter()
        self._months: Counter[str] = Counter()
        self._sorts: Counter[str] = Counter()
        self._first: Instant | None = None
        self._last: Instant | None = None
        self._places: list[Finding] = []
        self._placed: Counter[Trouble] = Counter()
        self._unread: list[Unread] = []
        self._unsaid: list[Unsaid] = []
        self._worst: list[tuple[int, int, Worst]] = []
        self._rank = 0
        self._prompt: set[bytes] = set()
        self._remains = _Remains()
        for text in prompts:
            self._learn(text)
        self._spill = Spill(
            "CREATE TABLE same (key BLOB PRIMARY KEY, place TEXT) WITHOUT ROWID",
            "CREATE TABLE id (key BLOB PRIMARY KEY, place TEXT) WITHOUT ROWID",
            "CREATE TABLE said (id INTEGER PRIMARY KEY, place TEXT, text TEXT, words TEXT, about TEXT)",
            "CREATE TABLE band (key BLOB, id INTEGER)",
            "CREATE INDEX by_key ON band (key, id)",
            "CREATE TABLE room (name TEXT, user TEXT, PRIMARY KEY (name, user)) WITHOUT ROWID",
        )

    def close(self) -> None:
        self._spill.close()

    def take(self, item: Item) -> None:
        match item:
            case ForeignRecord():
                self._record(item)
            case Unread():
                self._counts[Trouble.UNREAD] += 1
                if len(self._unread) < _PLACES:
                    self._unread.append(item)
            case Residue():
                self._remains.add(item)
            case Prompt():
                self._learn(item.text)
            case Unsaid():
                if len(self._unsaid) < _PLACES:
                    self._unsaid.append(item)

    def _learn(self, text: str) -> None:
        """Remember the sentences of a system prompt."""
        self._prompt.update(key(piece) for piece in _pieces(text[:65_536]))

    def _record(self, record: ForeignRecord) -> None:
        if record.deleted:
            self._deleted += 1
            return
        self._records += 1
        self._previous += len(record.previous)
        self._remains.live(record.text)
        for one in record.previous:
            self._remains.live(one.text)
        self._tally(record)
        why = [*self._said_badly(record), *self._unsaid_of(record), *self._beside(record)]
        for trouble, what in why:
            self._counts[trouble] += 1
            if self._placed[trouble] < _PLACES:
                self._placed[trouble] += 1
                self._places.append(Finding(trouble=trouble, place=record.place, what=what))
        self._rate(record, why)

    def _tally(self, record: ForeignRecord) -> None:
        """Who wrote it, whose it is, and when. The less frequent of very many names are not kept apart."""
        for counter, name in ((self._authors, record.author), (self._users, record.user)):
            if name is not None and (name in counter or len(counter) < 50_000):
                counter[name[:128]] += 1
        at = record.created or record.updated
        if at is not None:
            self._months[times.show(at)[:7]] += 1
            self._first = at if self._first is None else min(self._first, at)
            self._last = at if self._last is None else max(self._last, at)
        if record.user is not None:
            room = record.namespace or ""
            self._spill.execute("INSERT OR IGNORE INTO room VALUES (?, ?)", (room[:512], record.user[:512]))

    def _said_badly(self, record: ForeignRecord) -> Iterator[tuple[Trouble, str]]:
        """What one text shows by itself."""
        _, found = SCREEN.redact(record.text)
        metadata = [sort for name, said in record.metadata for sort in SCREEN.redact(said, under=name)[1]]
        secret = [one for one in (*found, *metadata) if one in _CREDENTIALS]
        personal = [one for one in (*found, *metadata) if one not in _CREDENTIALS]
        self._sorts.update({*secret, *personal})
        if secret:
            yield Trouble.SECRETS, ", ".join(dict.fromkeys(secret))
        if personal:
            yield Trouble.PERSONAL, ", ".join(dict.fromkeys(personal))
        signals = [one.code for one in inspect(record.text) if one.family in _STEERING]
        if signals and not record.by_person:
            yield Trouble.INSTRUCTIONS, ", ".join(dict.fromkeys(signals))
        echo = self._echo(record)
        if echo is not None:
            yield Trouble.ECHOES, echo

    def _unsaid_of(self, record: ForeignRecord) -> Iterator[tuple[Trouble, str]]:
        if record.author is None:
            yield Trouble.NO_AUTHOR, "no author"
        if record.created is None and record.updated is None:
            yield Trouble.NO_TIME, "no time"
        if record.source is None and not record.links and record.session is None:
            yield Trouble.NO_SOURCE, "no source"

    def _echo(self, record: ForeignRecord) -> str | None:
        """Whether a text only repeats the system prompt, or memories that were told."""
        text = record.text[:65_536]
        pieces = list(_pieces(text))
        if pieces and sum(1 for one in pieces if key(one) in self._prompt) * 2 >= len(pieces):
            return "sentences of the system prompt"
        if _PROMPT.match(text) is not None:
            return "worded like a system prompt"
        if _FRAME.search(text) is not None:
            return "recalled memories, stored again"
        if len(pieces) < 2:
            return None
        told = sum(1 for piece in pieces if self._was_said(key(record.user or "", piece)))
        return "earlier memories, repeated" if told and told * 2 >= len(pieces) else None

    def _was_said(self, name: bytes) -> bool:
        return self._spill.execute("SELECT 1 FROM same WHERE key = ?", (name,)).fetchone() is not None

    def _beside(self, record: ForeignRecord) -> Iterator[tuple[Trouble, str]]:
        """How a record stands to earlier ones of its owner: the same, nearly the same, newer, or against it."""
        owner = record.user or ""
        own = key(owner, _plain(record.text))
        row = self._spill.execute("SELECT place FROM same WHERE key = ?", (own,)).fetchone()
        if row is not None:
            yield Trouble.DUPLICATES, f"the same as {row[0]}"
            return
        version = self._spill.execute("SELECT place FROM id WHERE key = ?", (key(owner, record.id),)).fetchone()
        if version is not None:
            yield Trouble.STALE, f"other words under the id of {version[0]}"
        self._spill.execute("INSERT OR REPLACE INTO id VALUES (?, ?)", (key(owner, record.id), record.place))
        self._spill.execute("INSERT INTO same VALUES (?, ?)", (own, record.place))
        text = record.text[:_READ_MAX]
        new = text_features(text)
        subject = about(text)
        bands = list(_bands(owner, new, record.subject, subject))
        nearest: tuple[Trouble, str] | None = None
        for said in self._neighbours(bands):
            stands = _stands(new, subject, said)
            if stands is not None and (nearest is None or _ORDER[stands] < _ORDER[nearest[0]]):
                nearest = stands, said.place
        if nearest is not None and version is None:
            trouble, place = nearest
            words_ = {Trouble.NEAR_DUPLICATES: "nearly the same as", Trouble.CONTRADICTIONS: "against"}
            yield trouble, f"{words_.get(trouble, 'follows')} {place}"
        number = self._spill.execute(
            "INSERT INTO said (place, text, words, about) VALUES (?, ?, ?, ?) RETURNING id",
            (record.place, text, " ".join(new.words), "\n".join(subject)),
        ).fetchone()
        assert number is not None
        self._spill.connection.executemany("INSERT INTO band VALUES (?, ?)", [(one, number[0]) for one in bands])

    def _neighbours(self, bands: list[bytes]) -> Iterator[_Said]:
        """The latest few records that share a band with this one, each once. What was read of them is kept with them:
        it is most of the work."""
        found: dict[int, None] = {}
        for band in bands:
            rows = self._spill.execute("SELECT id FROM band WHERE key = ? ORDER BY id DESC LIMIT ?", (band, _BESIDE))
            found.update(dict.fromkeys(int(str(row[0])) for row in rows))
        for number in found:
            row = self._spill.execute("SELECT place, text, words, about FROM said WHERE id = ?", (number,)).fetchone()
            if row is not None:
                place, text, stems, subject = map(str, row)
                known = TextFeatures(text=text, words=frozenset(stems.split(" ")))
                yield _Said(place=place, reading=known, about=tuple(subject.split("\n")) if subject else ())

    def _rate(self, record: ForeignRecord, why: list[tuple[Trouble, str]]) -> None:
        """Keep the ten records with the most against them."""
        weight = sum(WEIGHTS.get(trouble, 1) for trouble, _ in why)
        if not {trouble for trouble, _ in why} - _COMMON or not self._among_worst(weight):
            return
        self._keep(
            Worst(
                id=SCREEN.clean(record.id)[:128],
                place=record.place,
                why=tuple(f"{trouble}: {what}" for trouble, what in why),
                weight=weight,
                excerpt=_excerpt(record.text),
            )
        )

    def _among_worst(self, weight: int) -> bool:
        return len(self._worst) < _WORST or weight > self._worst[0][0]

    def _keep(self, worst: Worst) -> None:
        if self._among_worst(worst.weight):
            self._rank += 1
            push = heapq.heappush if len(self._worst) < _WORST else heapq.heapreplace
            push(self._worst, (worst.weight, -self._rank, worst))

    def result(self) -> Audit:
        remains = list(self._remains.left())
        self._counts[Trouble.DELETED_RESIDUE] = len(remains)
        self._places += [
            Finding(trouble=Trouble.DELETED_RESIDUE, place=one.place, what=one.why) for one in remains[:_PLACES]
        ]
        mixed = self._spill.execute("SELECT name, COUNT(*) FROM room GROUP BY name HAVING COUNT(*) > 1").fetchall()
        self._counts[Trouble.MIXED_USERS] = len(mixed)
        self._places += [
            Finding(trouble=Trouble.MIXED_USERS, place=str(name) or "(no namespace)", what=f"{count} users")
            for name, count in mixed[:_PLACES]
        ]
        for one in remains[:_WORST]:
            why = (f"{Trouble.DELETED_RESIDUE}: {one.why}",)
            told = Worst(id=SCREEN.clean(one.id or "")[:128], place=one.place, why=why, weight=_LEFT, excerpt="")
            self._keep(told)
        parts = tuple(self._part(trouble, most) for trouble, most in WEIGHTS.items())
        return Audit(
            kind=self._kind,
            records=self._records,
            deleted=self._deleted,
            previous=self._previous,
            counts={trouble.value: self._counts[trouble] for trouble in Trouble},
            score=round(max(0.0, 100.0 - sum(part.cost for part in parts)), 1),
            parts=parts,
            worst=tuple(one for _, _, one in sorted(self._worst, key=lambda held: (-held[0], -held[1]))),
            authors=_top(self._authors),
            users=_top(self._users),
            months=tuple(Counted(name=name, count=count) for name, count in sorted(self._months.items())),
            sorts=_top(self._sorts),
            places=tuple(msgspec.structs.replace(one, place=SCREEN.clean(one.place)) for one in self._places),
            unread=tuple(self._unread),
            unsaid=tuple(self._unsaid),
            first=self._first,
            last=self._last,
        )

    def _part(self, trouble: Trouble, most: int) -> Part:
        count = self._counts[trouble]
        share = count / max(1, self._records + (count if trouble is Trouble.DELETED_RESIDUE else 0))
        cost = round(most * min(1.0, share / _FULL.get(trouble, _FULL_ELSE)), 1)
        return Part(trouble=trouble, found=count, cost=cost, most=most)


_COMMON = frozenset({Trouble.NO_AUTHOR, Trouble.NO_TIME, Trouble.NO_SOURCE})
"""What whole stores lack says nothing about one record."""
_ORDER = {Trouble.NEAR_DUPLICATES: 0, Trouble.CONTRADICTIONS: 1, Trouble.STALE: 2}


def _plain(text: str) -> str:
    return normalise(text).strip(" .!?,;:-")


def _pieces(text: str) -> Iterator[str]:
    """The sentences and lines of a text that are long enough to be somebody's words, in one spelling."""
    for one in _PIECE.split(text)[:_PIECES_MAX]:
        plain = _plain(one.strip().lstrip("-*•0123456789.) "))
        if len(_WORD.findall(plain)) >= _OWN_WORDS or (len(plain) > 12 and not plain.isascii()):
            yield plain


def _bands(owner: str, text: TextFeatures, named: str | None, subject: tuple[str, ...]) -> Iterator[bytes]:
    """Under what a record is looked for: the rarest-looking of its words, two by two, by their hashes, which texts of
    much the same words share; what it is about; and the entity it is kept under."""
    hashed = sorted(key(owner, word) for word in text.words)
    for at in range(min(_BANDS, len(hashed) - 1)):
        yield hashed[at] + hashed[at + 1]
    if len(hashed) == 1:
        yield hashed[0]
    for one in subject[:4]:
        yield key("about", owner, one)
    if named is not None:
        yield key("named", owner, named, *sorted(text.words)[:1])


class _Said(Value):
    """An earlier record: where it stands and what was read of it."""

    place: str
    reading: TextFeatures
    about: tuple[str, ...]


def _stands(new: TextFeatures, subject: tuple[str, ...], said: _Said) -> Trouble | None:
    """How a text stands to an earlier one: it says nearly the same, brings it up to date, or contradicts it."""
    old = said.reading
    if not may_meet(new, old):
        return None
    if echoes(new, old):
        return Trouble.NEAR_DUPLICATES
    if meet(subject, said.about):
        found = compare(new, old)
        if found is not None:
            return _TYPES[found.type]
    return Trouble.NEAR_DUPLICATES if similarity(new, old) >= _NEAR and not _differs(new, old) else None


_TYPES = {
    ConflictType.CONTRADICTION: Trouble.CONTRADICTIONS,
    ConflictType.UPDATE: Trouble.STALE,
    ConflictType.DUPLICATE: Trouble.NEAR_DUPLICATES,
}


def _differs(new: TextFeatures, old: TextFeatures) -> bool:
    """Whether two texts of the same words give different figures or names: then neither repeats the other."""
    return sorted(re.findall(r"\d+", new.text)) != sorted(re.findall(r"\d+", old.text))


def _excerpt(text: str) -> str:
    clean = " ".join(SCREEN.clean(text[: _EXCERPT * 8]).split())
    return clean if len(clean) <= _EXCERPT else clean[: _EXCERPT - 1] + "…"


def _top(counter: Counter[str]) -> tuple[Counted, ...]:
    """The most frequent names. A name can be an address, so secrets are taken out of it; a person's own address is
    how many systems name their users."""
    return tuple(Counted(name=name, count=count) for name, count in counter.most_common(20))


class _Remains:
    """Deleted text that is still on disk. A piece found in free space counts only if no record says it; of several
    pieces that say the same one counts."""

    def __init__(self) -> None:
        self._known: list[Residue] = []
        self._raw: list[tuple[Residue, frozenset[int]]] = []
        self._live: set[int] = set()
        self._wanted: set[int] = set()
        self._ids: set[str] = set()

    def add(self, piece: Residue) -> None:
        shingles = _shingles(piece.text)
        if piece.id is not None:
            if piece.id not in self._ids:
                self._ids.add(piece.id)
                self._known.append(msgspec.structs.replace(piece, text=""))
            self._live |= shingles & self._wanted
        elif shingles:
            self._raw.append((msgspec.structs.replace(piece, text=""), shingles))
            self._wanted |= shingles

    def live(self, text: str) -> None:
        """A text that is there: what is found of it elsewhere is no residue."""
        if self._wanted:
            self._live |= _shingles(text) & self._wanted

    def left(self) -> Iterator[Residue]:
        yield from self._known
        for piece, shingles in self._raw:
            if len(shingles & self._live) * 2 < len(shingles):
                self._live |= shingles
                yield piece


def _shingles(text: str) -> frozenset[int]:
    """Three words in a row, as numbers; of a text in a script without spaces, three of its letters."""
    found = _WORD.findall(text.lower()[:65_536])
    if len(found) < 3:
        found = list("".join(found)) if not text.isascii() else found
    return frozenset(hash(tuple(found[at : at + 3])) for at in range(max(1, len(found) - 2))) if found else frozenset()


def audit(
    kind: str, items: Iterator[Item], *, prompts: tuple[str, ...] = (), progress: Progress = lambda _: None
) -> Audit:
    """Look at everything a source holds."""
    auditor = Auditor(kind, prompts=prompts)
    try:
        for number, item in enumerate(items, start=1):
            auditor.take(item)
            if number % _TOPS == 0:
                progress(number)
        return auditor.result()
    finally:
        auditor.close()
