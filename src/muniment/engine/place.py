"""Where a vault is: a folder of this machine, or a database that a fleet shares."""

from __future__ import annotations

import re
from pathlib import Path

from muniment.backends.postgres.address import SCHEMES, DatabaseAddress
from muniment.model.errors import ConfigurationError, Malformed
from muniment.model.value import Value

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://|postgres(?:ql)?:", re.IGNORECASE)
_WHAT = "the path of a folder, or the address of a database, such as postgresql://user@host/name"


class Folder(Value):
    """A vault of files."""

    name: str

    @property
    def path(self) -> Path:
        return Path(self.name)

    def __str__(self) -> str:
        return self.name


class Database(Value):
    """A vault in a PostgreSQL database. No picture of it shows a password.

    >>> Database(dsn="postgresql://ana:hunter2@db1,db2:5433/prod?schema=memory&target_session_attrs=read-write")
    Database('postgresql://ana@db1,db2:5433/prod?schema=memory&target_session_attrs=read-write')
    """

    dsn: str

    def __post_init__(self) -> None:
        DatabaseAddress.parse(self.dsn)

    def __str__(self) -> str:
        return str(DatabaseAddress.parse(self.dsn))

    def __repr__(self) -> str:
        return f"Database({str(self)!r})"


Place = Folder | Database
Said = str | Path | Folder | Database
"""A place as a caller names it."""


def place_of(said: Said) -> Place:
    """Read where a vault is.

    >>> place_of("./muniment-data"), place_of("postgres://db/prod")
    (Folder(name='muniment-data'), Database('postgresql://db/prod'))
    """
    if isinstance(said, (Folder, Database)):
        return said
    if not isinstance(said, (str, Path)) or not str(said) or "\0" in str(said):
        raise Malformed("vault", _WHAT)
    if isinstance(said, str) and said.startswith(SCHEMES):
        return Database(dsn=said)
    if _ADDRESS.match(str(said)):
        raise Malformed("vault", f"{_WHAT}; an address is given as text and begins as this one does")
    return folder_place(Path(said))


def folder_place(path: Path) -> Place:
    """The place that a path names. Whoever tests another make of vault puts its own in the place of this function."""
    return Folder(name=str(path))


def folder_of(said: Said, *, instead: str) -> Path:
    """The folder of a vault of files. Of a database it is said what does there what a folder is needed for here."""
    place = place_of(said)
    if isinstance(place, Database):
        raise ConfigurationError("vault", "a folder: this is done to files, and the vault is a database", hint=instead)
    return place.path
