"""The numbered scripts that make the schema, as they stand in `migrations/`: read, told apart, cut into statements."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import Literal

from muniment.model.value import Value

MINIMUM = 6
"""The oldest revision this engine works on. Raised when a statement of ours needs what a newer one adds."""
SPLIT = "-- alone"
"""The first line of a script whose statements cannot share a transaction; each must bear being run twice."""
Phase = Literal["pre", "post"]
_FILE = re.compile(r"(\d{4})_(\w+)\.(pre|post)\.sql")
_COMMENT = re.compile(r"^\s*--.*$", re.MULTILINE)
_END = re.compile(r";\s*$", re.MULTILINE)


class Revision(Value):
    """One script. `pre` only adds, and runs while the last release still works; `post` takes away what only that
    release needed. Names of roles and of the schema stand in it in braces."""

    number: int
    name: str
    phase: Phase
    text: str

    @property
    def title(self) -> str:
        return f"{self.number:04d} {self.name} ({self.phase})"

    @property
    def digest(self) -> str:
        """What tells whether the script is the one that was applied."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def alone(self) -> bool:
        return self.text.startswith(SPLIT)

    def statements(self, names: dict[str, str]) -> tuple[str, ...]:
        """Its statements, one by one, with `names` in the place of what stands in braces."""
        return tuple(_named(statement, names) for statement in split(self.text))


def split(text: str) -> tuple[str, ...]:
    """The statements of a script. One ends with a semicolon at the end of a line.

    >>> split("-- a table; a comment;\\nCREATE TABLE a (x text DEFAULT ';x');\\nDROP TABLE b;\\n")
    ("CREATE TABLE a (x text DEFAULT ';x')", 'DROP TABLE b')
    """
    parts = (part.strip() for part in _END.split(_COMMENT.sub("", text)))
    return tuple(part for part in parts if part)


def _named(statement: str, names: dict[str, str]) -> str:
    for name, spelled in names.items():
        statement = statement.replace(f"{{{name}}}", spelled)
    return statement


def read(name: str, text: str) -> Revision:
    """A script by the name of its file.

    >>> read("0007_more.post.sql", "DROP TABLE a;").title
    '0007 more (post)'
    """
    found = _FILE.fullmatch(name)
    assert found is not None, f"{name}: a script is called NNNN_name.pre.sql or NNNN_name.post.sql"
    return Revision(number=int(found[1]), name=found[2], phase="pre" if found[3] == "pre" else "post", text=text)


@cache
def revisions() -> tuple[Revision, ...]:
    """All of them in the order in which they are applied: by number, `pre` before `post`."""
    folder = files(__package__).joinpath("migrations")
    found = (read(file.name, file.read_text(encoding="utf-8")) for file in folder.iterdir())
    return tuple(sorted(found, key=lambda one: (one.number, one.phase == "post")))


def newest(known: tuple[Revision, ...]) -> int:
    """The newest revision that is known."""
    return max(one.number for one in known)
