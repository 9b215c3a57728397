"""Folders of Markdown: Claude Code's memory, Anthropic's memory tool, Basic Memory, Obsidian, and the OMP directory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from muniment.contracts.strict.values import JsonObject
from muniment.importers.files import front_matter, note_text, path_of, walk
from muniment.importers.foreign import (
    PLAIN,
    ForeignLink,
    ForeignRecord,
    Item,
    Mapping,
    Unread,
    extras,
    fits,
    instant,
    made_id,
    object_of,
    text_of,
    time_of,
)
from muniment.importers.leftovers import is_leftover, left_in
from muniment.model.errors import SourceUnreadable
from muniment.model.times import Instant
from muniment.model.vocabulary import Kind

WIKILINK = re.compile(r"\[\[([^\[\]|#\n]{1,200})(?:[#|][^\[\]\n]{0,200})?\]\]")
_TAG = re.compile(r"(?<![\w#/&])#([^\W\d_][\w/-]{0,63})")
_BULLET = re.compile(r"[ \t]{0,16}[-*+][ \t]+(.*)")
_HEADING = re.compile(r"#{1,6}[ \t]+(.*)")
_OBSERVATION = re.compile(r"[ \t]{0,16}[-*][ \t]+\[([^\[\]\n]{1,80})\][ \t]+(.*)")
_CONTEXT = re.compile(r"\(([^()\n]{1,400})\)[ \t]*$")
_RELATION = re.compile(r"[ \t]{0,16}[-*][ \t]+([^\[\]\n]{1,80}?)[ \t]+\[\[([^\[\]\n]{1,200})\]\]")
_CATEGORIES = {
    "decision": Kind.DECISION,
    "preference": Kind.PREFERENCE,
    "fact": Kind.FACT,
    "method": Kind.PROCEDURE,
    "requirement": Kind.CONSTRAINT,
    "rule": Kind.CONSTRAINT,
    "question": Kind.QUESTION,
    "risk": Kind.RISK,
}
_KINDS = {kind.value: kind for kind in Kind}
_SORTS = {"user": Kind.PREFERENCE, "feedback": Kind.CORRECTION, "project": Kind.FACT, "reference": Kind.EVIDENCE}
RULE_FILES = frozenset({"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md"})
INDEX = "MEMORY.md"


class Note:
    """One Markdown file: its properties, its body, and where it stands in the folder."""

    def __init__(self, path: Path, folder: Path, text: str) -> None:
        self.path, self.name = path, path.relative_to(folder).as_posix()
        self.head, self.body, self.line = front_matter(text)
        self.changed = instant(path.stat().st_mtime)

    @property
    def title(self) -> str:
        return text_of(self.head, "title", "name") or self.path.stem

    @property
    def author(self) -> str | None:
        found = text_of(self.head, "author", "created_by")
        return found or text_of(object_of(self.head, "metadata"), "author", "actor")

    @property
    def created(self) -> Instant | None:
        return time_of(self.head, "created", "created_at", "date") or time_of(
            object_of(self.head, "metadata"), "created", "created_at"
        )

    @property
    def updated(self) -> Instant | None:
        return time_of(self.head, "modified", "updated", "updated_at")

    def tags(self, text: str) -> tuple[str, ...]:
        listed = self.head.get("tags")
        said = listed.replace(",", " ").split() if isinstance(listed, str) else []
        said += [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
        return tuple(dict.fromkeys([*(one.lstrip("#") for one in said), *_TAG.findall(text)]))[:64]


Notes = Callable[[Note], Iterator[Item]]


def _folder(path: Path, read_note: Notes, *, skip: frozenset[str] = frozenset()) -> Iterator[Item]:
    folder = path if path.is_dir() else path.parent
    if path.is_file():
        files: Iterator[Path] = iter([path])
    else:
        files = walk(path, lambda one: one.suffix.lower() in (".md", ".markdown", ".txt") or is_leftover(one.name))
        trash = path / ".trash"
        for left in walk(trash, lambda one: one.suffix == ".md") if trash.is_dir() else ():
            yield from left_in(left)
    found = False
    for one in files:
        if is_leftover(one.name):
            yield from left_in(one)
            continue
        found = True
        if one.name in skip:
            continue
        name = one.relative_to(folder).as_posix()
        text = note_text(one, name)
        if isinstance(text, Unread):
            yield text
            continue
        yield from read_note(Note(one, folder, text))
    if not found:
        raise SourceUnreadable(path.name, "Markdown files")


def bullets(body: str, line: int) -> Iterator[tuple[int, str]]:
    """The statements of a note, each with its line: bullets one by one, other paragraphs whole. Headings and code are
    no statements of their own.

    >>> list(bullets("# Ada\\n- prefers SI units\\n\\nLeads OPS\\nsince May\\n", 1))
    [(2, 'prefers SI units'), (4, 'Leads OPS\\nsince May')]
    """
    paragraph: list[str] = []
    start = line
    fenced = False
    for number, text in enumerate([*body.split("\n"), ""], start=line):
        if text.lstrip().startswith("```"):
            fenced = not fenced
        bullet = _BULLET.fullmatch(text) if not fenced else None
        if bullet is not None or not (text.strip() or fenced) or (_HEADING.fullmatch(text) and not fenced):
            if paragraph:
                yield start, "\n".join(paragraph)
            paragraph = []
            if bullet is not None and bullet[1].strip():
                start, paragraph = number, [bullet[1].strip()]
        else:
            start = start if paragraph else number
            paragraph.append(text.strip() if not fenced else text)
    if paragraph:
        yield start, "\n".join(paragraph)


def whole(note: Note, prefix: str, **more: object) -> Iterator[Item]:
    text = note.body.strip()
    if not text:
        return
    if not fits(text):
        yield Unread(place=note.name, code="too_long", message="a note of over a million characters")
        return
    yield _made(note, prefix, text, note.name, note.line, **more)


_PLACED = frozenset(
    [
        "id",
        "title",
        "name",
        "tags",
        "author",
        "created_by",
        "created",
        "created_at",
        "date",
        "modified",
        "updated",
        "updated_at",
        "source",
        "url",
        "user",
        "user_id",
        "session",
        "session_id",
        "kind",
        "valid_from",
        "valid_until",
        "expires",
        "expires_at",
    ]
)


def _made(note: Note, prefix: str, text: str, key: str, line: int, **more: object) -> ForeignRecord:
    """A record of a note. What a note does not say of itself is not guessed: a file's time is not when it was said."""
    said: dict[str, object] = {
        "id": text_of(note.head, "id", "permalink") if key == note.name else None,
        "author": note.author,
        "created": note.created,
        "updated": note.updated,
        "source": text_of(note.head, "source", "url"),
        "user": text_of(note.head, "user", "user_id"),
        "session": text_of(note.head, "session", "session_id"),
        "kind": _KINDS.get((text_of(note.head, "kind") or "").lower()),
        "valid_from": time_of(note.head, "valid_from"),
        "valid_until": time_of(note.head, "valid_until"),
        "expires": time_of(note.head, "expires", "expires_at"),
        "namespace": note.name.rpartition("/")[0] or None,
        "tags": note.tags(text),
        "entities": tuple(dict.fromkeys(one.strip() for one in WIKILINK.findall(text)))[:64],
        "metadata": extras(note.head, _PLACED),
    }
    said.update({name: value for name, value in more.items() if value is not None})
    said["id"] = said["id"] or made_id(prefix, key)
    return ForeignRecord(text=text, place=f"{note.name}:{line}", **said)  # type: ignore[arg-type]  # fields by name


def read_claude_code(source: Path | str, mapping: Mapping = PLAIN) -> Iterator[Item]:
    """Claude Code: what people wrote as rules (`CLAUDE.md`), and what the agent wrote down itself (`memory/*.md`)."""
    path = path_of(source)
    yield from _folder(path, _claude_note, skip=frozenset({INDEX}))


def _claude_note(note: Note) -> Iterator[Item]:
    rule = note.path.name in RULE_FILES or "rules" in Path(note.name).parts[:-1]
    if rule:
        for line, text in bullets(note.body, note.line):
            if fits(text):
                yield _made(note, "claude", text, f"{note.name}\x1f{text}", line, kind=Kind.DIRECTIVE, by_person=True)
        return
    metadata = object_of(note.head, "metadata")
    sort = text_of(metadata, "type") or text_of(note.head, "type") or ""
    described = text_of(note.head, "description")
    said: JsonObject = {"type": sort, "description": described}
    yield from whole(
        note,
        "claude",
        kind=_SORTS.get(sort),
        subject=text_of(note.head, "name"),
        author=note.author or "claude-code",
        namespace=sort or None,
        metadata=extras(said, frozenset()),
    )


def read_anthropic(source: Path | str, mapping: Mapping = PLAIN) -> Iterator[Item]:
    """The folder of Anthropic's memory tool: each bullet or paragraph is a memory under its file's name."""
    path = path_of(source)
    inner = path / "memories"
    yield from _folder(inner if path.is_dir() and inner.is_dir() else path, _statements("anthropic"))


def _statements(prefix: str) -> Notes:
    def read_note(note: Note) -> Iterator[Item]:
        heading = next((found[1].strip() for one in note.body.split("\n") if (found := _HEADING.fullmatch(one))), None)
        for line, text in bullets(note.body, note.line):
            if not fits(text):
                yield Unread(place=f"{note.name}:{line}", code="too_long", message="over a million characters")
                continue
            own = f"{note.name}\x1f{text}"
            yield _made(note, prefix, text, own, line, subject=heading or note.path.stem, namespace=note.name)

    return read_note


def read_basic_memory(source: Path | str, mapping: Mapping = PLAIN) -> Iterator[Item]:
    """Basic Memory: the observations of a note with their categories, its relations as links, and its prose."""
    yield from _folder(path_of(source), _basic_note)


def _basic_note(note: Note) -> Iterator[Item]:
    title = note.title
    prose: list[str] = []
    start = note.line
    for line, text in enumerate(note.body.split("\n"), start=note.line):
        observation, relation = _OBSERVATION.fullmatch(text), _RELATION.match(text)
        if observation is not None and observation[1].strip() not in ("", "x", "X", " "):
            yield from _observation(note, title, line, observation[1].strip(), observation[2])
        elif relation is not None:
            kind, target = relation[1].strip(), relation[2].partition("|")[0].strip()
            yield _made(
                note,
                "basic",
                f"{title} {kind.replace('_', ' ')} {target}",
                f"{note.name}\x1f{kind}\x1f{target}",
                line,
                subject=title,
                entities=(title, target),
                metadata=(("relation", kind),),
            )
        elif text.strip() and not _HEADING.fullmatch(text):
            start = start if prose else line
            prose.append(text)
    words = "\n".join(prose).strip()
    if words and fits(words):
        yield _made(note, "basic", words, note.name, start, subject=title)


def _observation(note: Note, title: str, line: int, category: str, said: str) -> Iterator[Item]:
    context = _CONTEXT.search(said)
    text = (said[: context.start()] if context is not None else said).strip()
    plain = _TAG.sub("", text).strip()
    if not plain or not fits(text):
        yield Unread(place=f"{note.name}:{line}", code="no_text", message="an observation without text")
        return
    yield _made(
        note,
        "basic",
        plain if title.lower() in plain.lower() else f"{title}: {plain}",
        f"{note.name}\x1f{category}\x1f{plain}",
        line,
        kind=_CATEGORIES.get(category.lower()),
        subject=title,
        entities=(title,),
        tags=tuple(dict.fromkeys(_TAG.findall(text))),
        source=context[1] if context is not None else None,
        metadata=(("category", category),),
    )


def read_obsidian(source: Path | str, mapping: Mapping = PLAIN) -> Iterator[Item]:
    """An Obsidian vault: a note is a memory, or with `split=bullets` each of its statements is one."""
    by_bullets = _statements("obsidian")
    yield from _folder(path_of(source), by_bullets if mapping.split == "bullets" else lambda n: whole(n, "obsidian"))


def read_omp_directory(path: Path, mapping: Mapping = PLAIN) -> Iterator[Item]:
    """An OMP directory: every folder has its `MEMORY.md`; what lies deeper is read as it is needed."""
    if not any(True for _ in walk(path, lambda one: one.name == INDEX)):
        raise SourceUnreadable(path.name, f"an OMP directory: a folder with {INDEX} in it")
    by_bullets = _statements("omp")

    def read_note(note: Note) -> Iterator[Item]:
        if note.path.name == INDEX:
            indexed = [line for line in note.body.split("\n") if re.search(r"\]\([^)\s]+\.md\)", line)]
            if not indexed:
                yield from by_bullets(note)
        else:
            yield from by_bullets(note) if mapping.split == "bullets" else whole(note, "omp")

    yield from _folder(path, read_note)


def links_of(text: str) -> tuple[ForeignLink, ...]:
    """The notes a text points to."""
    return tuple(ForeignLink(type="informs", target=one.strip()) for one in WIKILINK.findall(text))
