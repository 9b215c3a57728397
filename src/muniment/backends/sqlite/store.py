"""One SQLite file per tenant in a vault folder; many readers, one writer at a time, shared fsyncs.

Writers wait in a line; whoever leads runs every job that waits, in one transaction, and commits once.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import TypeVar, cast

import apsw

from muniment.backends.group_commit import Group, PendingWrite, WriteQueue, WriteUndone, run_alone, run_along
from muniment.backends.open_reads import OpenReads
from muniment.backends.sealing import TenantKey, VaultKey
from muniment.backends.sqlite.connection import (
    BUSY_WAIT_MS,
    bound_log,
    check,
    connect,
    limit,
    migrate,
    migrations,
    queries,
    rebuilt,
    translated,
    truncated,
)
from muniment.backends.sqlite.fork_guard import forked
from muniment.backends.sqlite.open_lock import SUFFIX as DOOR
from muniment.backends.sqlite.open_lock import passing
from muniment.backends.sqlite.read_only_files import private_copy, read_only, refused
from muniment.backends.sqlite.schema_check import complaints
from muniment.backends.sqlite.tables import Kept
from muniment.backends.sqlite.unit import SqliteSnapshot, SqliteUnit
from muniment.backends.sqlite.vault_lock import VaultLock
from muniment.backends.sqlite.vector_search import SqliteVectors
from muniment.backends.sqlite.writer_lock import SUFFIX as TURNS
from muniment.backends.sqlite.writer_lock import WriterLock
from muniment.model.checks import identifier
from muniment.model.errors import IntegrityError, NotFound, closed
from muniment.ports.health import StoreHealth
from muniment.ports.store import Snapshot, TenantStore, Unit

T = TypeVar("T")
SUFFIX = ".sqlite"
VECTORS = ".vectors"
REBUILT_MAX = 1024 * 1024 * 1024
"""A file of more bytes than this is not rebuilt after an erasure: the copy is made in memory."""
_LOG_BOUND_EVERY = 64
"""After so many transactions it is looked anew how large the file has become, and so how long its log may be."""
_LOOK = "SELECT 1 FROM sqlite_schema LIMIT 1"
"""BEGIN alone fixes nothing: a snapshot is of the moment of the first look."""


class SqliteTenant:
    """One tenant's file."""

    def __init__(
        self,
        path: Path,
        tenant: str,
        *,
        create: bool,
        capacity: int | None = None,
        key: TenantKey | None = None,
        progress: Callable[[int, int], None] = lambda done, whole: None,
    ) -> None:
        self.tenant = tenant
        self.key = key
        self._path = path
        self._line = WriteQueue(self._carry)
        self._writing = threading.Lock()
        self._turns = WriterLock(path, wait_ms=BUSY_WAIT_MS)
        self._idle: list[tuple[apsw.Connection, SqliteSnapshot]] = []
        self._reads = OpenReads()
        self._discarded = 0
        self._attempts = 0
        self._committing: Sequence[PendingWrite[object]] = ()
        self._closed = False
        self._owner = os.getpid()
        self.read_only = read_only(path)
        create = create and not self.read_only
        if create:
            _refuse_lost(path)
        with translated(path):
            self._asked = _of_now(path, tenant, key, progress) if self.read_only else path
            with passing(path):
                self._connection = connect(self._asked, create=create, key=key)
                if create:
                    migrate(self._connection, tenant, progress)
                check(self._connection, tenant, path)
            if capacity is not None:
                limit(self._connection, capacity)
            self._unit = SqliteUnit(self._connection, tenant, read_only=self.read_only)
        self.vectors = SqliteVectors(path.with_suffix(VECTORS), self.read, key)
        if not self.read_only:
            with translated(path):
                self._scrub_what_is_left()

    @contextmanager
    def read(self) -> Iterator[Snapshot]:
        with translated(self._path), self._reads.one():
            connection, snapshot = self._borrow()
            try:
                connection.execute("BEGIN")
                connection.execute(_LOOK).fetchall()
                snapshot.renew()
                yield snapshot
            finally:
                self._give_back(connection, snapshot)

    def _give_back(self, connection: apsw.Connection, snapshot: SqliteSnapshot) -> None:
        """Keep a connection for the next reader, if nothing on it is open: a statement that is still open would hold
        the moment it was begun in, and every later reader would see the past."""
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        if connection.txn_state("main") != apsw.SQLITE_TXN_NONE:
            self._discarded += 1
            connection.close()
        elif self._closed:
            connection.close()
        else:
            self._idle.append((connection, snapshot))

    def _demand_owner(self) -> None:
        """Refuse a process that was forked: its copies of the connections have none of their locks."""
        if os.getpid() != self._owner:
            raise forked(self._path)

    def _borrow(self) -> tuple[apsw.Connection, SqliteSnapshot]:
        self._demand_owner()
        if self._closed:
            raise closed(f"the memory of tenant {self.tenant}")
        try:
            return self._idle.pop()
        except IndexError:
            with passing(self._path):
                connection = connect(self._asked, create=False, key=self.key)
            connection.pragma("query_only", True)
            return connection, SqliteSnapshot(connection, self.tenant, self.vectors, kept=Kept())

    def marks(self) -> tuple[int, int, int]:
        with translated(self._path):
            connection, snapshot = self._borrow()
            try:
                row = connection.execute(queries()["marks"]).fetchone()
                assert row is not None, "a row of counts is always there"
                return cast(int, row[0]), cast(int, row[1]), cast(int, row[2])
            finally:
                self._give_back(connection, snapshot)

    def watching(self, wake: Callable[[], None]) -> AbstractContextManager[Callable[[], bool]]:
        """A file tells nobody that it was written to."""
        return nullcontext(lambda: False)

    def write(self, job: Callable[[Unit], T]) -> T:
        self._demand_owner()
        if self.read_only:
            raise refused(self._path)
        return self._line.run(job)

    def _carry(self, group: Group, gather: Callable[[], None]) -> None:
        """Run a group in the turn of this process. An interrupt may come at any instruction, also in a `finally`: so
        what ends a transaction and a turn may be run again, and is."""
        with self._writing, translated(self._path):
            if self._closed:
                raise closed(f"the memory of tenant {self.tenant}")
            try:
                try:
                    gather()
                    self._turns.take()
                    gather()
                    self._transaction(group)
                finally:
                    self._end(group)
            finally:
                self._end(group)

    def _end(self, group: Group) -> None:
        """Leave no transaction open and give up the turn, however far the group has come."""
        self._settle(group)
        self._turns.give_up()

    def _transaction(self, group: Group) -> None:
        """Run the jobs of a group and commit once.

        Almost always none of them fails, so at first they run without savepoints. If one does, everything is undone
        and all run again, each behind a savepoint of its own.
        """
        if len(group) == 1:
            self._attempt(group, run_alone)
            return
        try:
            self._attempt(group, run_along)
        except WriteUndone:
            self._attempt(group, self._run_apart)

    def _attempt(self, group: Group, run: Callable[[PendingWrite[object], Unit], None]) -> None:
        execute = self._connection.execute
        try:
            self._settle(())  # what a leader left who was interrupted again and again
            self._attempts += 1
            if self._attempts % _LOG_BOUND_EVERY == 0:
                bound_log(self._connection)
            execute("BEGIN IMMEDIATE")
            self._unit.begin()
            for ticket in group:
                run(ticket, self._unit)
            self._committing = group
            execute("COMMIT")
            for ticket in group:
                ticket.kept = ticket.error is None
            self._committing = ()
        finally:
            self._settle(group)

    def _settle(self, group: Sequence[PendingWrite[object]]) -> None:
        """Undo what is open, whose jobs may run again. Of a commit that was interrupted find out whether it came to
        pass, and mark what it kept."""
        if self._connection.in_transaction:
            self._unit.undone(None)
            for ticket in group:
                ticket.error = None
            self._connection.execute("ROLLBACK")
        if self._committing:
            self._unit.undone(None)
            kept = self._unit.landed()
            for ticket in self._committing:
                ticket.kept = kept and ticket.error is None
            self._committing = ()

    def _run_apart(self, ticket: PendingWrite[object], unit: Unit) -> None:
        """Run a job so that its failure is its own: what it wrote is undone, the others go on."""
        execute, head = self._connection.execute, self._unit.ledger.head()
        execute("SAVEPOINT job")
        try:
            with translated(self._path):
                ticket.result = ticket.job(unit)
        except Exception as error:  # noqa: BLE001  whatever it is, it belongs to the caller whose job this was
            execute("ROLLBACK TO job")
            self._unit.undone(head)
            ticket.error = error
        execute("RELEASE job")

    def scratch(self) -> AbstractContextManager[TenantStore]:
        return scratch_store(self.tenant, sealed=self.key is not None)

    def integrity(self) -> tuple[str, ...]:
        self._demand_owner()
        if self.read_only:
            return self._integrity_of_a_copy()
        with self._writing, translated(self._path):
            try:
                damage = self._pages_checked()
                if damage != ["ok"]:
                    return tuple(damage)
                with self._turns.turn():  # the check of the word index takes the write lock
                    self._connection.execute("INSERT INTO lexicon (lexicon, rank) VALUES ('integrity-check', 1)")
                unfound = cast(int, self._connection.execute(queries()["terms_unfound"]).get)
                lost = (f"the word index does not find {unfound} of its terms",) if unfound else ()
                return (*lost, *complaints(self._connection))
            except (apsw.BusyError, apsw.LockedError):
                raise  # another process writes: that is no damage
            except apsw.Error as error:
                return (f"the word index or a page is damaged: {error}",)

    def _integrity_of_a_copy(self) -> tuple[str, ...]:
        """The check of the word index takes the write lock, which a read-only place has not: a copy is checked."""
        copy = private_copy(self._asked)
        try:
            store = SqliteTenant(copy, self.tenant, create=False, key=self.key)
            try:
                return store.integrity()
            finally:
                store.close()
        finally:
            shutil.rmtree(copy.parent, ignore_errors=True)

    def _pages_checked(self) -> list[str]:
        """What SQLite's own check says. A search comes first, in the same read: the check itself goes by the outline of
        the word index that this connection remembers, and calls it damaged after another connection has merged it."""
        try:
            self._connection.execute("BEGIN")
            self._connection.execute("SELECT rowid FROM lexicon('a') LIMIT 1").fetchall()
            return [str(row[0]) for row in self._connection.execute("PRAGMA integrity_check(20)").fetchall()]
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def scrub(self) -> bool:
        with self.read() as snapshot:
            gone = [stone.rid for stone in snapshot.catalogue.tombstones()]
            last = max((signed.certificate.seq for signed in snapshot.ledger.certificates()), default=0)
        self.vectors.scrub(gone)
        with self._writing, translated(self._path), self._turns.turn():
            if not rebuilt(self._connection, most=REBUILT_MAX):
                return False
            if not truncated(self._connection):
                return False
            self._connection.execute(queries()["mark_scrubbed"], (str(last),))
            return truncated(self._connection)

    def _scrub_what_is_left(self) -> None:
        """Finish what a process that was killed after an erasure has left: its pages in the log, its vectors."""
        if self._connection.execute(queries()["unscrubbed"]).get:
            self.scrub()

    def size_bytes(self) -> int:
        folder = self._path.with_suffix(VECTORS)
        files = [*self._path.parent.glob(self._path.name + "*"), *folder.glob("*")]
        return sum(map(_size, files))

    def health(self) -> StoreHealth:
        oldest = self._reads.oldest_s()
        with translated(self._path):
            connection, snapshot = self._borrow()
            try:
                receipts = cast(int, connection.execute(queries()["receipts_bytes"]).get)
            finally:
                self._give_back(connection, snapshot)
        return StoreHealth(
            oldest_read_s=oldest,
            readers_discarded=self._discarded,
            wal_bytes=_size(self._path.with_name(self._path.name + "-wal")),
            receipts_bytes=receipts,
            total_bytes=self.size_bytes(),
        )

    def close(self) -> None:
        if os.getpid() != self._owner:
            _left_alone.append(self)
            return
        if not self._closed and not self.read_only:
            with translated(self._path):
                self._scrub_what_is_left()
        if not self._closed:
            self.vectors.close()
        with self._writing:
            self._closed = True
            self._turns.close()
            while self._idle:
                self._idle.pop()[0].close()
            self._connection.close()


_left_alone: list[SqliteTenant] = []
"""In a process that was forked: what the one it came from had open, kept so that nobody closes it for the other."""


@contextmanager
def scratch_store(tenant: str, *, sealed: bool = False) -> Iterator[TenantStore]:
    """An empty store that is gone when the block ends; sealed with a key that nobody else has, if it is to be."""
    with tempfile.TemporaryDirectory(prefix="muniment-") as folder:
        key = TenantKey.fresh() if sealed else None
        store = SqliteTenant(Path(folder) / f"scratch{SUFFIX}", tenant, create=True, key=key)
        try:
            store._connection.pragma("synchronous", "off")  # a scratch store may be lost
            yield store
        finally:
            store.close()


def _size(file: Path) -> int:
    """The size of a file that others may take away at any moment."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _of_now(path: Path, tenant: str, key: TenantKey | None, progress: Callable[[int, int], None]) -> Path:
    """A file in a read-only place, or a copy of it that was brought up from the schema of an earlier release."""
    connection = connect(path, create=False, key=key)
    try:
        revision = cast(int, connection.pragma("user_version"))
    finally:
        connection.close()
    if revision >= migrations()[-1][0]:
        return path
    copy = private_copy(path)
    connection = connect(copy, create=False, key=key)
    try:
        migrate(connection, tenant, progress)
    finally:
        connection.close()
    return copy


def _refuse_lost(path: Path) -> None:
    """Do not begin anew where a store was: its file is empty or gone, and what the first write leaves is there."""
    if lost(path):
        raise IntegrityError(
            f"{path.name} is empty or gone although it was written to: put it back from a backup; "
            f"to begin anew, take {path.name + TURNS} away"
        )


def lost(path: Path) -> bool:
    """Whether a file is empty or gone although it was written to."""
    return path.with_name(path.name + TURNS).exists() and not (path.exists() and path.stat().st_size)


def refuse_left(path: Path) -> None:
    """Do not put a file beside the log or the journal of one that is gone: SQLite would lay it over the new one."""
    for suffix in ("-wal", "-journal"):
        left = path.with_name(path.name + suffix)
        if left.exists() and left.stat().st_size and not path.exists():
            error = IntegrityError(f"{path.name} is gone, and {left.name} is there: it may hold what was written last")
            error.hint = f"Put {path.name} back beside it. If it is lost, move {left.name} out of the vault's folder."
            raise error


_PLAIN = re.compile(r"[a-z0-9_-]")
_STEM_MAX = 200


def file_name(tenant: str) -> str:
    """A tenant's file name: safe on every file system, and two tenants never share one.

    >>> file_name("acme"), file_name("Acme"), file_name("..")
    ('acme.sqlite', '%41cme.sqlite', '%2E%2E.sqlite')
    """
    identifier("tenant", tenant)
    stem = "".join(char if _PLAIN.fullmatch(char) else f"%{ord(char):02X}" for char in tenant)
    if len(stem) > _STEM_MAX:  # no file system takes it; a digest does as well, the file itself knows its tenant
        stem = "%" + hashlib.sha256(tenant.encode()).hexdigest()
    return stem + SUFFIX


def leave_bare(path: Path) -> None:
    """Take away what those who opened a file left beside it, before it is given another place."""
    for suffix in (TURNS, DOOR):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def tenant_name(path: Path, key: VaultKey | None = None) -> str:
    """Whose file it is: by its name, or by what is in it when the name could not hold it."""
    stem = path.name.removesuffix(SUFFIX)
    if len(stem) == 65 and stem.startswith("%"):
        with translated(path):
            with passing(path):
                connection = connect(path, create=False, key=tenant_key(path, key))
            name = connection.execute("SELECT value FROM about WHERE name = 'tenant'").get
            connection.close()
            return str(name)
    return re.sub("%([0-9A-F]{2})", lambda found: chr(int(found[1], 16)), stem)


def tenant_key(path: Path, key: VaultKey | None) -> TenantKey | None:
    """What a tenant's file is encrypted with. It goes by the name of the file, which is there before it is opened."""
    return None if key is None else key.tenant(path.name.removesuffix(SUFFIX))


class SqliteVault:
    """A folder of tenants. Who is in it is there from its making to its end."""

    def __init__(
        self,
        folder: Path,
        *,
        capacity: int | None = None,
        key: VaultKey | None = None,
        presence: VaultLock | None = None,
    ) -> None:
        self.key = key
        self._presence = presence
        self._folder = folder
        self._capacity = capacity
        self._open: dict[str, SqliteTenant] = {}
        self._opening = threading.Lock()

    def tenants(self) -> tuple[str, ...]:
        return tuple(sorted(tenant_name(file, self.key) for file in self._folder.glob(f"*{SUFFIX}")))

    def open(self, tenant: str, *, create: bool) -> SqliteTenant:
        with self._opening:
            if tenant not in self._open:
                path = self._folder / file_name(tenant)
                if not create and not path.exists():
                    raise NotFound("tenant", tenant)
                key = tenant_key(path, self.key)
                self._open[tenant] = SqliteTenant(path, tenant, create=create, capacity=self._capacity, key=key)
            return self._open[tenant]

    def revision(self, tenant: str) -> int:
        """The revision of a tenant's file, whatever it is."""
        path = self._folder / file_name(tenant)
        with (
            translated(path),
            passing(path),
            closing(connect(path, create=False, key=tenant_key(path, self.key))) as file,
        ):
            return cast(int, file.pragma("user_version"))

    def renew(self, tenant: str, *, progress: Callable[[int, int], None]) -> None:
        """Bring a tenant's file to the revision of now."""
        path = self._folder / file_name(tenant)
        SqliteTenant(path, tenant, create=True, key=tenant_key(path, self.key), progress=progress).close()

    def close(self) -> None:
        with self._opening:
            for store in self._open.values():
                store.close()
            self._open.clear()
            if self._presence is not None:
                self._presence.leave()
