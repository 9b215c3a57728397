"""A vault in a database: what it is made of when it is empty, and how every process of a fleet finds the same in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from muniment.backends.clock_and_ids import FileSigner
from muniment.backends.sqlite.vault_lock import unless_well
from muniment.config import AS_SET, read_environment
from muniment.engine.keyholding import KEY, PUBLIC, VaultKeys, drawer_keys, outside_keys
from muniment.engine.marker import KeyGiven
from muniment.engine.moving.unfinished_moves import MARK, guarded_place
from muniment.engine.place import Database, place_of
from muniment.engine.policies import POLICY_FILES, default_policy_text, drawer_policy, place_policy
from muniment.model.errors import ConfigurationError, StoreUnavailable
from muniment.policy.parse import parse_policy
from muniment.policy.rules import Policy
from muniment.ports.shared_settings import SharedSettings, SharedVault

if TYPE_CHECKING:
    from muniment.backends.postgres.vault import PostgresVault

_DRIVERS = ("psycopg", "psycopg_binary", "psycopg_c")
_KEY_FILE = "MUNIMENT_SIGNING_KEY_FILE"
INSTEAD_OF_BACKUP = (
    "Back a database up with its own means (pg_dump, pg_basebackup, WAL archives), or write a tenant out with "
    "`muniment archive export`."
)
INSTEAD_OF_ENCRYPTION = (
    "Encrypt the disks of the database server; what its administrators and its copies must not be able to read is kept "
    "under content keys: set MUNIMENT_CONTENT_KEYS."
)


def shared_vault(place: Database, *, create: bool, content_keys: str | Path | None = AS_SET) -> SharedVault:
    """The tenants and the drawer of a database, which may hold no vault yet."""
    driver = _driver()
    from muniment.backends.postgres.content_keys import ContentKeys

    named = read_environment().content_keys if content_keys == AS_SET else content_keys
    keys = None if named is None else ContentKeys(Path(named).expanduser())
    return driver(place.dsn, create=create, content_keys=keys)


def _driver() -> type[PostgresVault]:
    """What speaks to PostgreSQL. It is imported here: nobody else needs it."""
    try:
        from muniment.backends.postgres.vault import PostgresVault
    except ImportError as missing:
        if (missing.name or _DRIVERS[0]).split(".")[0] not in _DRIVERS:
            raise
        raise ConfigurationError(
            "vault", "a database needs the package psycopg", hint='`pip install "muniment[postgres]"`'
        ) from None
    return PostgresVault


def database_there(place: Database) -> bool:
    """Whether a vault is in a database that can be reached."""
    stores = present_vault(place)
    if stores is None:
        return False
    stores.close()
    return True


def tables_in(place: Database, *, content_keys: str | Path | None = AS_SET) -> SharedVault | None:
    """The stores of a database that has our tables, whether a vault has begun there or not; None when it has none."""
    try:
        return shared_vault(place, create=False, content_keys=content_keys)
    except ConfigurationError:
        if _driver().there(place.dsn):
            raise
        return None


def present_vault(place: Database, *, content_keys: str | Path | None = AS_SET) -> SharedVault | None:
    """The stores of a database that holds a vault; None when it holds none."""
    stores = tables_in(place, content_keys=content_keys)
    if stores is None:
        return None
    with unless_well(stores.close):
        begun = stores.drawer.get(PUBLIC) is not None
    if not begun:
        stores.close()
    return stores if begun else None


def _demanded(place: Database, *, content_keys: str | Path | None = AS_SET) -> SharedVault:
    stores = present_vault(place, content_keys=content_keys)
    if stores is None:
        raise StoreUnavailable(f"there is no vault at {place}; `muniment init` makes one")
    return stores


def open_database(
    place: Database, *, create: bool, policy: Policy | None, content_keys: str | Path | None
) -> tuple[SharedVault, VaultKeys, Policy]:
    """Open a vault in a database; what is missing of a new one is made if that is allowed."""
    if create:
        stores = shared_vault(place, create=True, content_keys=content_keys)
    else:
        stores = _demanded(place, content_keys=content_keys)
    with unless_well(stores.close):
        drawer = stores.drawer
        guarded_place(drawer.get(MARK))
        begin(drawer)
        keys = keys_of(drawer)
        if policy is None:
            name, text = drawer_policy(drawer)
            policy = parse_policy(text, place=name)
        return stores, keys, policy


def vault_in(place: Database) -> tuple[SharedVault, VaultKeys]:
    """The stores and the keys of a database whatever its policy says."""
    stores = _demanded(place)
    with unless_well(stores.close):
        return stores, keys_of(stores.drawer)


def begin(drawer: SharedSettings, given: bytes | None = None) -> None:
    """Make what a vault in a database begins with, with the signing key that is `given` or with a new one. Several
    processes may do so at once: the first of each wins, and the public key by which a vault is known comes last."""
    if drawer.get(PUBLIC) is not None:
        return
    keys = _keys(drawer)
    try:
        signer = keys.private.begin(given)
    except OSError as error:
        raise StoreUnavailable(f"the signing key cannot be written to its file: {error.strerror}") from None
    place_policy(drawer, POLICY_FILES[0], default_policy_text())
    drawer.place(PUBLIC, f"{signer.key_id}\n".encode())


def begin_with_policy(address: str, name: str, text: str) -> None:
    """Lay a policy for a vault that has not begun yet; one that is there keeps its own."""
    place = place_of(address)
    if not isinstance(place, Database):
        raise ConfigurationError("vault", "expected the address of a PostgreSQL database: postgresql://…")
    stores = shared_vault(place, create=True)
    try:
        if stores.drawer.get(PUBLIC) is None:
            place_policy(stores.drawer, name, text)
    finally:
        stores.close()


def keys_of(drawer: SharedSettings) -> VaultKeys:
    """The signing keys of a vault in a database; refused when the private half at hand is not the vault's."""
    keys = _keys(drawer)
    outside = _outside()
    if outside is None:
        if drawer.get(KEY) is None:
            raise ConfigurationError(
                _KEY_FILE,
                "the database shows this user no signing key: it is kept in a file, or the user may only read",
                hint="Log in as a member of the schema's writer role (muniment_writer, or muniment_writer_… where the "
                f"schema has another name); or, if the key is kept outside, set {_KEY_FILE} to its file.",
            )
        return keys
    if drawer.get(KEY) is not None:
        raise ConfigurationError(
            _KEY_FILE, "the database keeps its signing key itself; this is for one that was made with the key outside"
        )
    if keys.public.known()[0] not in {one.key_id for one in (*keys.here(), *keys.private.going())}:
        raise ConfigurationError(
            _KEY_FILE,
            "the file holds another key than the vault's present one",
            hint="Bring the file from the machine on which the vault was made, or on which its key was changed.",
        )
    return keys


def refuse_for_files(capacity: int | None, key: KeyGiven) -> None:
    """Refuse what is said of files: a database would not keep to it, and must not seem to."""
    if capacity is not None:
        raise ConfigurationError(
            "capacity",
            "nothing: it bounds a file, and the vault is a database",
            hint="Bound the database on its server: by a tablespace, a quota of its disk, or an alert on its size.",
        )
    if _named(key):
        raise ConfigurationError(
            "encryption_key", "nothing: it encrypts files, and the vault is a database", hint=INSTEAD_OF_ENCRYPTION
        )


def _named(key: KeyGiven) -> bool:
    """Whether a caller gives a key, or the settings do. It is not read: it would not be used."""
    if not isinstance(key, str) or key != AS_SET:
        return key is not None
    config = read_environment()
    return config.encryption_key is not None or config.encryption_key_file is not None


def _keys(drawer: SharedSettings) -> VaultKeys:
    outside = _outside()
    if outside is None:
        return drawer_keys(drawer)
    if outside.exists():
        _own(outside)
    return outside_keys(drawer, outside)


def _outside() -> Path | None:
    named = read_environment().signing_key_file
    return None if named is None else Path(named).expanduser()


def _own(path: Path) -> None:
    """Refuse a key file that is not its owner's alone, by the name of the setting."""
    try:
        FileSigner(path)
    except ConfigurationError:
        raise ConfigurationError(
            _KEY_FILE,
            "others than its owner can get at this file; a signing key is its owner's alone",
            hint="chmod 600 the file; if somebody may have read it, change the key: `muniment signing rotate`.",
        ) from None
