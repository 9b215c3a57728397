"""Where the halves of a vault's signing keys are kept: in files of their own, or in the drawer of a database.

At every moment of a rotation both private halves are kept, the one that goes and the one that comes, so that one that
is cut short can be gone on with.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Protocol

from muniment.backends.clock_and_ids import FileSigner, destroy_file, place_file, replace_file, settle
from muniment.backends.held import HeldSigner, fresh_signing_text
from muniment.backends.vectors.lock import FileLock
from muniment.model.errors import StoreBusy, StoreUnavailable
from muniment.ports.clock_and_ids import Signer
from muniment.ports.shared_settings import SharedSettings

KEY, NEXT, OLD, PUBLIC = "signing.key", "signing.next", "signing.old", "signing.pub"
Pair = tuple[Signer, Signer, bool]
"""The key that goes, the key that comes, and whether a rotation that was cut short had named them already."""


class PrivateHalves(Protocol):
    """The present key and, while a rotation is under way, the next."""

    def begin(self, given: bytes | None) -> Signer:
        """Make a key, or take the one that is given, unless there is one; say which it is."""

    def present(self) -> Signer: ...

    def coming(self) -> Signer:
        """The key a ledger that begins now is begun with. During a rotation that is the next one: a ledger that is not
        there yet when the others are gone through must not begin with a key that is about to go."""

    def going(self) -> tuple[Signer, ...]:
        """The key that a rotation has replaced and not yet let go of, if there is one."""

    def pair(self) -> Pair:
        """Begin a rotation, or go on with one."""

    def swap(self) -> None:
        """Put the next key in the place of the present one."""

    def retire(self, old: Signer, *, keep: bool) -> None:
        """Let go of the private half that went, or keep it under its own name."""

    def settle(self) -> bool:
        """See to it that what was let go of is gone from the disk, once nobody is alone with the keys any more; whether
        it is."""


class PublicHalves(Protocol):
    def known(self) -> tuple[str, ...]:
        """Every public half, the present one first."""

    def keep(self, key: str) -> None:
        """Keep the public half of a key that goes."""

    def announce(self, key: str) -> None:
        """Say which key is the present one."""


class VaultKeys:
    """The signing keys of one vault."""

    def __init__(
        self, private: PrivateHalves, public: PublicHalves, alone: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self.private = private
        self.public = public
        self.alone = alone
        """For a block, be the only one who changes the keys."""

    def present(self) -> Signer:
        return self.private.present()

    def coming(self) -> Signer:
        return self.private.coming()

    def here(self) -> tuple[Signer, ...]:
        """Every key whose private half is here and may sign."""
        present, coming = self.present(), self.coming()
        return (present,) if coming.key_id == present.key_id else (present, coming)

    def swap(self, old: Signer, new: Signer) -> None:
        """Let the next key be the present one, in both halves."""
        self.public.keep(old.key_id)
        self.private.swap()
        self.public.announce(new.key_id)


def folder_keys(vault: Path) -> VaultKeys:
    """The keys of a vault that is a folder."""
    folder = vault / "keys"
    return VaultKeys(PrivateFiles(folder / KEY), PublicFiles(folder), lambda: _alone(folder / "rotation.lock"))


def drawer_keys(drawer: SharedSettings) -> VaultKeys:
    """The keys of a vault that is a database."""
    return VaultKeys(PrivateRows(drawer), PublicRows(drawer), lambda: drawer.alone())


def outside_keys(drawer: SharedSettings, key: Path) -> VaultKeys:
    """The keys of a vault whose private half stays in a file of this machine, outside its database."""
    return VaultKeys(PrivateFiles(key), PublicRows(drawer), lambda: drawer.alone())


class PrivateFiles:
    """Private halves in files that only their owner can read, beside each other."""

    def __init__(self, key: Path) -> None:
        self._key, self._next, self._old = key, key.with_suffix(".next"), key.with_suffix(".old")

    def begin(self, given: bytes | None) -> Signer:
        place_file(self._key, (given or fresh_signing_text()).decode(), mode=0o600)
        return FileSigner(self._key)

    def present(self) -> Signer:
        return FileSigner(self._key)

    def coming(self) -> Signer:
        with suppress(StoreUnavailable):
            if self._next.exists():  # it may have taken its place by the time it is read
                return FileSigner(self._next)
        return self.present()

    def going(self) -> tuple[Signer, ...]:
        there = self._old.exists() and FileSigner.readable(self._old)
        return (FileSigner(self._old),) if there else ()

    def pair(self) -> Pair:
        folder = self._key.parent
        for draft in (*folder.glob(f".{self._next.name}.*"), *folder.glob(f".{self._key.name}.*")):
            draft.unlink()  # it may be another name of a key that is in use: not to be overwritten
        if self._old.exists() and not self._next.exists():
            for old in self.going():
                return old, FileSigner(self._key), True
            destroy_file(self._old)  # overwritten already: all that was left of the last rotation
        resumed = self._next.exists()
        return FileSigner(self._key), FileSigner.create(self._next), resumed

    def swap(self) -> None:
        if self._next.exists():
            with suppress(FileExistsError):
                os.link(self._key, self._old)
            self._next.replace(self._key)
            settle(self._key.parent)

    def retire(self, old: Signer, *, keep: bool) -> None:
        assert not self._old.samefile(self._key), "the key in use is never destroyed"
        if keep:
            self._old.replace(self._key.with_name(f"{old.key_id[:16]}.key"))
            settle(self._key.parent)
        else:
            destroy_file(self._old)

    def settle(self) -> bool:
        return True  # a file is overwritten before it is taken away


class PublicFiles:
    """Public halves in files that anybody may read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def known(self) -> tuple[str, ...]:
        names = [PUBLIC, *sorted(path.name for path in self._folder.glob("*.pub") if path.name != PUBLIC)]
        try:
            return tuple((self._folder / name).read_text().strip() for name in names)
        except OSError as error:
            raise StoreUnavailable(f"the public keys of the vault cannot be read: {error.strerror}") from None

    def keep(self, key: str) -> None:
        place_file(self._folder / _public_name(key), key + "\n")

    def announce(self, key: str) -> None:
        replace_file(self._folder / PUBLIC, key + "\n")


class PrivateRows:
    """Private halves in the drawer of a database, under the names that the files have."""

    def __init__(self, drawer: SharedSettings) -> None:
        self._drawer = drawer

    def begin(self, given: bytes | None) -> Signer:
        return HeldSigner(self._drawer.place(KEY, given or fresh_signing_text()), KEY)

    def present(self) -> Signer:
        return self._signer(KEY)

    def coming(self) -> Signer:
        found = self._drawer.get(NEXT)
        return self.present() if found is None else HeldSigner(found, NEXT)

    def going(self) -> tuple[Signer, ...]:
        found = self._drawer.get(OLD)
        return () if found is None else (HeldSigner(found, OLD),)

    def pair(self) -> Pair:
        key, coming, old = (self._drawer.get(name) for name in (KEY, NEXT, OLD))
        if old is not None and coming in (None, key):  # the new key has its place; only the old one is left to go
            return HeldSigner(old, OLD), self.present(), True
        present = self.present()
        return present, HeldSigner(self._drawer.place(NEXT, fresh_signing_text()), NEXT), coming is not None

    def swap(self) -> None:
        key, coming = self._drawer.get(KEY), self._drawer.get(NEXT)
        if coming is None:
            return
        if key is not None and key != coming:
            self._drawer.place(OLD, key)
            self._drawer.replace(KEY, coming)
        self._drawer.remove(NEXT)

    def retire(self, old: Signer, *, keep: bool) -> None:
        found = self._drawer.get(OLD)
        assert found != self._drawer.get(KEY), "the key in use is never destroyed"
        if found is not None and keep:
            self._drawer.place(f"{old.key_id[:16]}.key", found)
        self._drawer.remove(OLD)

    def settle(self) -> bool:
        return self._drawer.scour()

    def _signer(self, name: str) -> Signer:
        found = self._drawer.get(name)
        if found is None:
            raise StoreUnavailable(f"the signing key {name} is missing from the database")
        return HeldSigner(found, name)


class PublicRows:
    """Public halves in the drawer of a database."""

    def __init__(self, drawer: SharedSettings) -> None:
        self._drawer = drawer

    def known(self) -> tuple[str, ...]:
        names = [PUBLIC, *sorted(name for name in self._drawer.names() if name.endswith(".pub") and name != PUBLIC)]
        return tuple(self._read(name) for name in names)

    def keep(self, key: str) -> None:
        self._drawer.place(_public_name(key), f"{key}\n".encode())

    def announce(self, key: str) -> None:
        self._drawer.replace(PUBLIC, f"{key}\n".encode())

    def _read(self, name: str) -> str:
        found = self._drawer.get(name)
        if found is None:
            raise StoreUnavailable(f"the public key {name} is missing from the database")
        return found.decode(errors="replace").strip()


def _public_name(key: str) -> str:
    return f"{key[:16]}.pub"


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    lock = FileLock(path)
    if not lock.take():
        raise StoreBusy("another process is changing the signing key")
    try:
        yield
    finally:
        lock.release()
