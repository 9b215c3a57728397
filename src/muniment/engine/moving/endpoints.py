"""The two ends of a move: how a place is opened to be read from, looked at, and made ready to be filled.

The only module here that knows what sorts of places there are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from muniment.backends.clock_and_ids import make_folder, place_file
from muniment.backends.held import HeldSigner
from muniment.backends.sqlite.reencryption import STAGE
from muniment.backends.sqlite.vault_lock import enter, unless_well
from muniment.config import AS_SET
from muniment.engine.database import begin, keys_of, present_vault, shared_vault, tables_in
from muniment.engine.keyholding import KEY, PUBLIC, VaultKeys
from muniment.engine.marker import MARKER, agree, chosen_key, marker_text
from muniment.engine.moving.unfinished_moves import MARK, guarded
from muniment.engine.moving.vault_assets import FolderAssets, VaultAssets, known_by, refuse_other_key_outside
from muniment.engine.place import Database, Folder, Place
from muniment.engine.vault import folder_stores, is_vault, look_into
from muniment.model.errors import Malformed, StoreBusy, StoreUnavailable
from muniment.model.value import Value
from muniment.ports.shared_settings import SharedVault
from muniment.ports.store import Vault

_NEITHER = "a vault, or a place where there is nothing yet"


class MoveSource:
    """Where it is moved from: its stores, its keys, and what it owns beside them."""

    def __init__(self, place: Place, stores: Vault, keys: VaultKeys, chest: VaultAssets) -> None:
        self.place = place
        self.stores = stores
        self.keys = keys
        self.chest = chest

    @property
    def key(self) -> str:
        """By which key the vault is known."""
        found = known_by(self.chest)
        if found is None:
            raise StoreUnavailable(f"the public key of the vault at {self.place} is missing")
        return found


class MoveTarget:
    """Where it is moved to. `found` makes a vault of what is there, with a private key; before, nobody finds one."""

    def __init__(self, place: Place, stores: Vault, chest: VaultAssets, found: Callable[[bytes], None]) -> None:
        self.place = place
        self.stores = stores
        self.chest = chest
        self.found = found

    @property
    def key(self) -> str | None:
        """By which key the vault is known; None while there is none."""
        return known_by(self.chest)


def refuse_same(source: Place, target: Place) -> None:
    """A place cannot be moved to itself, nor into itself."""
    same = source == target
    if isinstance(source, Folder) and isinstance(target, Folder):
        one, other = source.path.resolve(), target.path.resolve()
        same = one == other or one in other.parents or other in one.parents
    elif isinstance(source, Database) and isinstance(target, Database):
        same = str(source) == str(target)
    if same:
        raise same_place()


def same_place() -> Malformed:
    return Malformed("to", "another place than the source, and none inside it")


class MoveEndpoint(Value):
    """A place as a move means it: with the folder of its content keys if it is a database, None for none. `AS_SET`:
    what the settings say."""

    place: Place
    content_keys: str | None = AS_SET

    def demand_sense(self, field: str) -> None:
        """Refuse content keys for files: they would not be kept to."""
        if isinstance(self.place, Folder) and self.content_keys not in (None, AS_SET):
            raise Malformed(field, "nothing: content keys are for a database, and this place is a folder")


def open_source(seat: MoveEndpoint) -> MoveSource:
    place = seat.place
    if isinstance(place, Folder):
        if not is_vault(place.path):
            raise _nothing(place)
        stores, keys = look_into(place)
        return MoveSource(place, stores, keys, FolderAssets(place.path))
    shared = present_vault(place, content_keys=seat.content_keys)
    if shared is None:
        raise _nothing(place)
    with unless_well(shared.close):
        drawer = shared.drawer
        return MoveSource(place, guarded(shared, drawer.get(MARK)), keys_of(drawer), drawer)


def _nothing(place: Place) -> StoreUnavailable:
    return StoreUnavailable(f"there is no vault at {place} to move from")


def look_at_target(seat: MoveEndpoint) -> MoveTarget | None:
    """What is in a place already; None for nothing. Makes nothing."""
    place = seat.place
    if isinstance(place, Folder):
        return _open_folder(place) if _something(place.path) else None
    stores = tables_in(place, content_keys=seat.content_keys)
    return None if stores is None else _open_database(place, stores)


def refuse_other_key(seat: MoveEndpoint, private: bytes) -> None:
    """Refuse a place where something would sign with another key than the source's."""
    if isinstance(seat.place, Database):
        refuse_other_key_outside(private)


def make_target(seat: MoveEndpoint) -> MoveTarget:
    """A place ready to be filled. What is made here is no vault: nobody would find one."""
    place = seat.place
    if isinstance(place, Folder):
        _make_folders(place.path)
        return _open_folder(place)
    return _open_database(place, shared_vault(place, create=True, content_keys=seat.content_keys))


def _open_database(place: Database, stores: SharedVault) -> MoveTarget:
    return MoveTarget(place, stores, stores.drawer, partial(begin, stores.drawer))


def _something(folder: Path) -> bool:
    """Whether a vault is in a folder, or what a move has begun. Anything else is not to be mixed with."""
    if is_vault(folder) or (folder / MARK).exists():
        return True
    if folder.is_dir():
        if any(left.name != "keys" or any(left.iterdir()) for left in folder.iterdir()):
            raise Malformed("to", _NEITHER)
    elif folder.exists() or folder.is_symlink():
        raise Malformed("to", _NEITHER)
    return False


def _make_folders(folder: Path) -> None:
    try:
        if not folder.exists():
            make_folder(folder)
            folder.chmod(0o700)
        make_folder(folder / "keys")
        (folder / "keys").chmod(0o700)
    except OSError as error:
        raise StoreUnavailable(f"cannot make a vault at {folder}: {error.strerror}") from None


def _open_folder(place: Folder) -> MoveTarget:
    folder, key = place.path, chosen_key(AS_SET)
    chest = FolderAssets(folder)
    found = partial(_found_folder, folder, chest)
    if not is_vault(folder):
        return MoveTarget(place, folder_stores(folder, key=key), chest, found)
    presence = enter(folder / MARKER)
    with unless_well(presence.leave):
        if (folder / STAGE).exists():
            raise StoreBusy("an encryption of the target was cut short; open it once, and it is put in order")
        agree(folder, key)
        return MoveTarget(place, folder_stores(folder, key=key, presence=presence), chest, found)


def _found_folder(folder: Path, chest: VaultAssets, private: bytes) -> None:
    chest.place(KEY, private)
    chest.place(PUBLIC, f"{HeldSigner(private, KEY).key_id}\n".encode())
    place_file(folder / MARKER, marker_text(chosen_key(AS_SET)))
