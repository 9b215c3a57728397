"""An opened vault: its stores, its signing keys and its policy, whether they are files of a folder or in a database."""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress
from pathlib import Path

from muniment.backends.clock_and_ids import FileSigner, make_folder, place_file
from muniment.backends.sealing import VaultKey
from muniment.backends.sqlite.read_only_files import writable
from muniment.backends.sqlite.reencryption import STAGE, finish
from muniment.backends.sqlite.store import SqliteVault
from muniment.backends.sqlite.vault_lock import VaultLock, alone, enter, unless_well
from muniment.config import AS_SET
from muniment.engine.database import database_there, open_database, refuse_for_files, shared_vault, vault_in
from muniment.engine.keyholding import PUBLIC, VaultKeys, folder_keys
from muniment.engine.marker import (
    MARKER,
    KeyGiven,
    agree,
    chosen_key,
    marker_text,
    read_marker,
    refuse_without_marker,
)
from muniment.engine.moving.unfinished_moves import MARK, folder_mark, guarded, guarded_place
from muniment.engine.place import Folder, Place, Said, place_of
from muniment.engine.policies import (
    POLICY_FILES,
    Text,
    default_policy_text,
    drawer_policy,
    folder_policy,
    own_name,
    place_policy,
    policy_file,
    put_in_drawer,
    put_in_folder,
    read_policy,
)
from muniment.model.errors import ConfigurationError, Malformed, StoreBusy, StoreUnavailable
from muniment.policy.parse import parse_policy
from muniment.policy.rules import Policy
from muniment.ports.store import Vault

_TRIES, _TRY_S = 50, 0.1
__all__ = [
    "POLICY_FILES",
    "OpenVault",
    "bring_policy",
    "default_policy_text",
    "folder_stores",
    "is_vault",
    "look_into",
    "open_vault",
    "policy_text",
    "put_policy",
    "read_policy",
    "stores_at",
    "there_is",
]


class OpenVault:
    """An opened vault: stores, keys, signer and policy."""

    def __init__(self, place: Place, stores: Vault, keys: VaultKeys, policy: Policy) -> None:
        self.place = place
        self.stores = stores
        self.keys = keys
        self.signer = keys.present()
        self.policy = policy

    def let_go_if_it_fails(self) -> AbstractContextManager[None]:
        """Close the stores again when what they are opened for does not come about."""
        return unless_well(self.stores.close)


def open_vault(
    said: Said,
    *,
    create: bool,
    policy: Path | None = None,
    capacity: int | None = None,
    key: KeyGiven = AS_SET,
    content_keys: str | Path | None = AS_SET,
) -> OpenVault:
    """Open a vault, making what is missing of it if `create` says so. `capacity` and `key` are for files alone,
    `content_keys` for a database alone."""
    place = place_of(said)
    chosen = read_policy(policy) if policy is not None else None  # before there is a vault to leave behind
    if isinstance(place, Folder):
        _refuse_for_databases(content_keys)
        return _open_folder(place, create=create, policy=chosen, capacity=capacity, key=key)
    refuse_for_files(capacity, key)
    stores, keys, found = open_database(place, create=create, policy=chosen, content_keys=content_keys)
    with unless_well(stores.close):
        return OpenVault(place, guarded(stores, stores.drawer.get(MARK)), keys, found)


def _refuse_for_databases(content_keys: str | Path | None) -> None:
    """Refuse what is said of a database: files would not keep to it. What a setting says is for databases as it is."""
    if content_keys is not None and content_keys != AS_SET:
        raise ConfigurationError(
            "content_keys",
            "nothing: they seal what a database holds, and the vault is a folder",
            hint="Encrypt a folder with an encryption key: `muniment encryption key FILE` makes one.",
        )


def look_into(said: Said) -> tuple[Vault, VaultKeys]:
    """The stores and the keys of a vault without its policy, for whoever looks at a damaged one or writes one out."""
    place = place_of(said)
    if not isinstance(place, Folder):
        shared, keys = vault_in(place)
        with unless_well(shared.close):
            return guarded(shared, shared.drawer.get(MARK)), keys
    folder, opener = place.path, chosen_key(AS_SET)
    guarded_place(folder_mark(folder))
    if not is_vault(folder):
        refuse_without_marker(folder)
    presence = _joined(folder, opener) if is_vault(folder) else None
    stores = folder_stores(folder, key=opener, presence=presence)
    return guarded(stores, folder_mark(folder)), folder_keys(folder)


def there_is(said: Said) -> bool:
    """Whether there is a vault in a place. Of a database that can be said only if it can be reached."""
    place = place_of(said)
    return is_vault(place.path) if isinstance(place, Folder) else database_there(place)


def policy_text(said: Said) -> Text:
    """The vault's own policy as it is written, after the name of its file."""
    place = place_of(said)
    if isinstance(place, Folder):
        return folder_policy(place.path)
    stores, _ = vault_in(place)
    try:
        return drawer_policy(stores.drawer)
    finally:
        stores.close()


def put_policy(said: Said, path: Path) -> Policy:
    """Let a policy file be the vault's own from the next opening on, in every process that opens it."""
    place = place_of(said)
    read_policy(path)
    if isinstance(place, Folder):
        if not is_vault(place.path):
            raise StoreUnavailable(f"there is no vault at {place}; `muniment init` makes one")
        return put_in_folder(place.path, path)
    stores, _ = vault_in(place)
    try:
        return put_in_drawer(stores.drawer, path)
    finally:
        stores.close()


def bring_policy(said: Said, path: Path) -> None:
    """Put a policy into a vault that is about to be made."""
    place = place_of(said)
    read_policy(path)
    if there_is(place):
        raise Malformed("policy", "a new vault; this one has a policy of its own, which `muniment policy put` replaces")
    if isinstance(place, Folder):
        _bring_to_folder(place.path, path)
        return
    stores = shared_vault(place, create=True)
    try:
        if not place_policy(stores.drawer, own_name(path), policy_file(path)[1]):
            raise Malformed("policy", "a new vault; somebody has just brought another policy to this one")
    finally:
        stores.close()


def _bring_to_folder(folder: Path, path: Path) -> None:
    try:
        make_folder(folder)
        put_in_folder(folder, path)
    except OSError as error:
        raise StoreUnavailable(f"cannot put the policy into {folder}: {error.strerror}") from None


def folder_stores(
    folder: Path, *, capacity: int | None = None, key: VaultKey | None = None, presence: VaultLock | None = None
) -> Vault:
    """The stores of a vault of files. Whoever tests another make of store puts its own in the place of this."""
    return SqliteVault(folder, capacity=capacity, key=key, presence=presence)


def stores_at(folder: Path, *, key: KeyGiven = AS_SET) -> SqliteVault:
    """The files of a vault without its signer and its policy, for whoever copies them."""
    opener = chosen_key(key)
    guarded_place(folder_mark(folder), tenants=True)
    if not is_vault(folder):
        refuse_without_marker(folder)
        return SqliteVault(folder, key=opener)
    return SqliteVault(folder, key=opener, presence=_joined(folder, opener))


def is_vault(folder: Path) -> bool:
    return (folder / MARKER).is_file()


def _open_folder(
    place: Folder, *, create: bool, policy: Policy | None, capacity: int | None, key: KeyGiven
) -> OpenVault:
    folder, opener = place.path, chosen_key(key)
    guarded_place(folder_mark(folder))
    if is_vault(folder):
        read_marker(folder)
        create = create and writable(folder)  # nothing is missing that could be made in a read-only place
    else:
        refuse_without_marker(folder)
    if not create and not is_vault(folder):
        raise StoreUnavailable(f"there is no vault at {folder}; `muniment init` makes one")
    if not is_vault(folder):
        _create(folder, opener)
    presence = _joined(folder, opener)
    with unless_well(presence.leave):
        if create:
            _create(folder, opener)
        keys = folder_keys(folder)
        keys.present()
        if policy is None:
            name, text = folder_policy(folder)
            policy = parse_policy(text, place=name)
    stores = folder_stores(folder, capacity=capacity, key=opener, presence=presence)
    with unless_well(stores.close):
        return OpenVault(place, guarded(stores, folder_mark(folder)), keys, policy)


def _joined(folder: Path, key: VaultKey | None) -> VaultLock:
    """Be in a vault, with its own key. What an encryption that was cut short has left is put in order before."""
    presence = enter(folder / MARKER)
    for _ in range(_TRIES):
        if not (folder / STAGE).exists():
            break
        presence.leave()
        _put_in_order(folder)
        presence = enter(folder / MARKER)
    with unless_well(presence.leave):
        if (folder / STAGE).exists():
            raise StoreBusy("an encryption of the vault was cut short, and others keep it from being put in order")
        agree(folder, key)
    return presence


def _put_in_order(folder: Path) -> None:
    """Finish an encryption that was cut short, unless others are in the vault: then one of them has, or does."""
    with suppress(StoreBusy), alone(folder / MARKER, wait_s=_TRY_S):
        if (folder / STAGE).exists():
            finish(folder, MARKER)


def _create(folder: Path, key: VaultKey | None) -> None:
    """Make what is missing; leave alone what is there. Two processes may do so at once: the first of each file wins."""
    if folder.exists() and not folder.is_dir():
        raise ConfigurationError("vault", "a folder; what is there is a file")
    try:
        if not folder.exists():  # what is made here is for its owner alone; a folder that was there is left as it is
            make_folder(folder)
            folder.chmod(0o700)
        make_folder(folder / "keys")
        (folder / "keys").chmod(0o700)
        signing = folder / "keys" / "signing.key"
        if not (folder / MARKER).exists():
            _clear_empty(signing, *(folder / name for name in POLICY_FILES))
            FileSigner.create(signing)
            place_file(folder / "keys" / PUBLIC, FileSigner(signing).key_id + "\n")
        if not any((folder / name).exists() for name in POLICY_FILES):
            place_file(folder / POLICY_FILES[0], default_policy_text())
        if not (folder / MARKER).exists():
            place_file(folder / MARKER, marker_text(key))
    except OSError as error:
        raise StoreUnavailable(f"cannot make a vault at {folder}: {error.strerror}") from None


def _clear_empty(*paths: Path) -> None:
    """Take away what a making that was cut short has left: a file without a word in it."""
    for path in paths:
        if path.is_file() and path.stat().st_size == 0:
            path.unlink()
