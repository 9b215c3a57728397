"""The vault folder: its marker, its signing key, its policy, and one file per tenant beside them."""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress
from importlib.resources import files
from pathlib import Path

from muniment.backends.sealing import VaultKey
from muniment.backends.sqlite.presence import Presence, alone, enter, unless_well
from muniment.backends.sqlite.resealing import STAGE, finish
from muniment.backends.sqlite.store import SqliteVault
from muniment.backends.world import FileSigner, place_file
from muniment.config import AS_SET
from muniment.engine.marker import MARKER, KeyGiven, agree, chosen_key, marker_text
from muniment.model.errors import ConfigurationError, StoreBusy, StoreUnavailable
from muniment.policy.parse import parse_policy
from muniment.policy.rules import Policy

_TRIES, _TRY_S = 50, 0.1
POLICY_FILES = ("policy.yaml", "policy.toml")


class VaultFolder:
    """An opened vault: stores, signer and policy."""

    def __init__(
        self,
        folder: Path,
        *,
        create: bool,
        policy: Path | None = None,
        capacity: int | None = None,
        key: KeyGiven = AS_SET,
    ) -> None:
        chosen = read_policy(policy) if policy is not None else None  # before there is a vault to leave behind
        opener = chosen_key(key)
        if not create and not is_vault(folder):
            raise StoreUnavailable(f"there is no vault at {folder}; `muniment init` makes one")
        if not is_vault(folder):
            _create(folder, opener)
        presence = _joined(folder, opener)
        with unless_well(presence.leave):
            if create:
                _create(folder, opener)
            self.folder = folder
            self.signer = FileSigner(folder / "keys" / "signing.key")
            self.policy = chosen or read_policy(_policy_path(folder))
        self.stores = SqliteVault(folder, capacity=capacity, key=opener, presence=presence)

    def let_go_if_it_fails(self) -> AbstractContextManager[None]:
        """Close the stores again when what they are opened for does not come about."""
        return unless_well(self.stores.close)


def stores_at(folder: Path, *, key: KeyGiven = AS_SET) -> SqliteVault:
    """The stores of a vault without its signer and its policy, for whoever looks at a damaged one or copies it."""
    opener = chosen_key(key)
    if not is_vault(folder):
        return SqliteVault(folder, key=opener)
    return SqliteVault(folder, key=opener, presence=_joined(folder, opener))


def is_vault(folder: Path) -> bool:
    return (folder / MARKER).is_file()


def _joined(folder: Path, key: VaultKey | None) -> Presence:
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
            folder.mkdir(parents=True)
            folder.chmod(0o700)
        (folder / "keys").mkdir(exist_ok=True)
        (folder / "keys").chmod(0o700)
        signing = folder / "keys" / "signing.key"
        if not (folder / MARKER).exists():
            _clear_empty(signing, *(folder / name for name in POLICY_FILES))
            FileSigner.create(signing)
            place_file(folder / "keys" / "signing.pub", FileSigner(signing).key_id + "\n")
        if not any((folder / name).exists() for name in POLICY_FILES):
            place_file(folder / POLICY_FILES[0], default_policy_text())
        place_file(folder / MARKER, marker_text(key))
    except OSError as error:
        raise StoreUnavailable(f"cannot make a vault at {folder}: {error.strerror}") from None


def _clear_empty(*paths: Path) -> None:
    """Take away what a making that was cut short has left: a file without a word in it."""
    for path in paths:
        if path.is_file() and path.stat().st_size == 0:
            path.unlink()


def default_policy_text() -> str:
    return files("muniment.policy").joinpath("default.yaml").read_text()


def _policy_path(folder: Path) -> Path:
    for name in POLICY_FILES:
        if (folder / name).exists():
            return folder / name
    raise ConfigurationError("policy", f"the vault has no {POLICY_FILES[0]}; without a policy nothing is allowed")


def read_policy(path: Path) -> Policy:
    """Read a policy file; errors name the file and the line."""
    try:
        text = path.read_bytes().decode()
    except OSError as error:
        raise ConfigurationError("policy", f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigurationError("policy", f"{path} is not UTF-8 text") from None
    return parse_policy(text, place=path.name)
