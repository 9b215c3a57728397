"""Who may see which words, and which words must be gone, in a few plain dictionaries. Knows nothing of the engine.

Every text has a word of its own. What stands on a record quotes its word, and so do reasons, questions and notes: a
word is gone when no text that was kept holds it any more. Belief and ranking are not modelled here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

OWNERS = ("owner", "kim")
AGENTS = ("bot", "fox")
OUTSIDER = "sly"
WORD = re.compile(r"\b[wn]o[a-z]{6}\b")
_LETTERS = "bdfgklmprtvz"


def word(number: int) -> str:
    """The word of a number: letters alone, so that nothing takes it for a name, a date or a figure.

    >>> word(0), word(13)
    ('wobobobo', 'wobododo')
    """
    places = (number // 144 % 12, number // 12 % 12, number % 12)
    return "wo" + "o".join(_LETTERS[place] for place in places) + "o"


def words_in(text: str) -> set[str]:
    return set(WORD.findall(text.lower()))


def own_word(text: str) -> str:
    """The word that a text was the first to say; none if that was struck out."""
    found = WORD.match(text)
    return found[0] if found is not None else ""


@dataclass(frozen=True)
class Said:
    """One revision, or one proposal that waits: what it says, who said it, where from, in which session."""

    text: str
    actor: str
    source: str | None = None
    session: str | None = None
    parents: tuple[str, ...] = ()
    private: bool = False

    def of(self, by: str, value: str) -> bool:
        return {"actor": self.actor, "source": self.source, "session": self.session}.get(by) == value

    def names(self, subject: str) -> bool:
        return subject.lower() in re.findall(r"\w+", self.text.lower())


@dataclass
class Life:
    """One record. `over`: it does not answer any more, or not now; `kept_back`: it is in quarantine, in its last words;
    `shaky`: whether it is told is not for us to say."""

    said: list[Said]
    draft: bool = False
    over: bool = False
    kept_back: bool = False
    erased: bool = False
    shaky: bool = False

    @property
    def last(self) -> Said:
        return self.said[-1]

    def of(self, by: str, value: str) -> bool:
        if by == "subject":
            return any(one.names(value) for one in self.said)
        return any(one.of(by, value) for one in self.said)


@dataclass
class Lives:
    """One tenant's records by id, the proposals that wait, and the holds. `gone` are the words that were
    forgotten: they may not be found anywhere. Words that were only refused or dismissed are nobody's business."""

    lives: dict[str, Life] = field(default_factory=dict)
    waiting: dict[str, Said] = field(default_factory=dict)
    holds: dict[str, tuple[str, str]] = field(default_factory=dict)
    spoken: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)

    def there(self) -> dict[str, Life]:
        return {name: life for name, life in self.lives.items() if not life.erased}

    def speaking(self) -> dict[str, Life]:
        return {name: life for name, life in self.there().items() if not life.over and not life.draft}

    def sees(self, actor: str, name: str) -> bool:
        life = self.lives[name]
        if life.erased:
            return False
        if life.draft:
            return actor == life.last.actor
        kept_back = life.kept_back and life.last.actor != actor
        return actor in OWNERS or (not kept_back and self.admitted(actor, life))

    def admitted(self, actor: str, life: Life) -> bool:
        """Whether an agent may see a record when nothing is the matter with it."""
        return actor in AGENTS and not life.last.private and not life.draft

    def texts(self) -> Iterator[str]:
        """Everything that is kept of what was said."""
        yield from (one.text for life in self.there().values() for one in life.said)
        yield from (one.text for one in self.waiting.values())
        yield from (value for _, value in self.holds.values())

    def words(self) -> set[str]:
        return {one for text in self.texts() for one in words_in(text)}

    def closed_to(self, actor: str) -> set[str]:
        """Words that an actor may not come across: those of others, and those that are gone."""
        return (self.words() | self.gone) - self.open_to(actor)

    def open_to(self, actor: str) -> set[str]:
        """Words that an actor may come across."""
        seen = (one.text for name, life in self.there().items() if self.sees(actor, name) for one in life.said)
        past = (one.text for life in self.there().values() if self.admitted(actor, life) for one in life.said[:-1])
        own = (one.text for one in self.waiting.values() if one.actor == actor or actor in OWNERS)
        return {found for text in (*seen, *past, *own) for found in words_in(text)}

    def below(self, names: Iterable[str]) -> set[str]:
        """Everything that was ever derived from these, at any depth, themselves left out."""
        first = set(names)
        reached, frontier = set(first), set(first)
        while frontier:
            frontier = {
                name
                for name, life in self.there().items()
                if name not in reached and any(frontier & set(one.parents) for one in life.said)
            }
            reached |= frontier
        return reached - first

    def meant(self, by: str, value: str) -> set[str]:
        if by == "record":
            return {value} & self.there().keys()
        return {name for name, life in self.there().items() if life.of(by, value)}

    def meant_waiting(self, by: str, value: str, erased: set[str]) -> set[str]:
        """Proposals that wait and go as well: they are meant themselves, or stand on what goes."""
        return {
            name
            for name, one in self.waiting.items()
            if erased & set(one.parents) or one.of(by, value) or (by == "subject" and one.names(value))
        }

    def held(self) -> set[str]:
        """Every record that some hold keeps."""
        return {name for by, value in self.holds.values() for name in self.meant(by, value)}

    # What happens.

    def say(self, text: str) -> None:
        """Somebody says this. A name that was forgotten is known again when it is said again."""
        self.spoken |= words_in(text)
        self.gone -= words_in(text)

    def keep(self, name: str, said: Said, *, draft: bool = False, shaky: bool = False) -> None:
        if name in self.lives:
            life = self.lives[name]
            life.said.append(said)
            life.shaky, life.draft = True, draft
        else:
            self.lives[name] = Life([said], draft=draft, shaky=shaky or bool(said.parents))
        self.unsettle(name)

    def end(self, name: str) -> None:
        self.lives[name].over = True
        self.unsettle(name)

    def unsettle(self, name: str) -> None:
        """What stands on a record may stand less firmly now."""
        for other in self.below([name]):
            self.lives[other].shaky = True

    def erase(self, names: set[str], waiting: set[str]) -> None:
        before = self.words()
        for name in names:
            self.unsettle(name)
        for name in names:
            self.lives[name] = replace(self.lives[name], erased=True, over=True)
        for proposal in waiting:
            del self.waiting[proposal]
        self.gone |= before - self.words()

    def redact(self, name: str, text: str) -> None:
        """All revisions of a record became one, which says this."""
        life, before = self.lives[name], self.words()
        parents = tuple(sorted({parent for one in life.said for parent in one.parents}))
        life.said = [replace(life.last, text=text, parents=parents)]
        life.shaky = True
        self.gone |= before - self.words()
