"""The vault folder: its marker, its signing key, its policy, and one file per tenant beside them."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from muniment.backends.sqlite.store import SqliteVault
from muniment.backends.world import FileSigner, place_file
from muniment.model.errors import ConfigurationError, StoreUnavailable
from muniment.policy.parse import parse_policy
from muniment.policy.rules import Policy

_MARKER = "vault.toml"
_MARKER_TEXT = "# A Muniment vault. Tenants are the .sqlite files; back up the folder as a whole.\nformat = 1\n"
POLICY_FILES = ("policy.yaml", "policy.toml")


class VaultFolder:
    """An opened vault: stores, signer and policy."""

    def __init__(self, folder: Path, *, create: bool, policy: Path | None = None, capacity: int | None = None) -> None:
        chosen = read_policy(policy) if policy is not None else None  # before there is a vault to leave behind
        if create:
            _create(folder)
        elif not is_vault(folder):
            raise StoreUnavailable(f"there is no vault at {folder}; `muniment init` makes one")
        self.folder = folder
        self.signer = FileSigner(folder / "keys" / "signing.key")
        self.policy = chosen or read_policy(_policy_path(folder))
        self.stores = SqliteVault(folder, capacity=capacity)


def is_vault(folder: Path) -> bool:
    return (folder / _MARKER).is_file()


def _create(folder: Path) -> None:
    """Make what is missing; leave alone what is there. Two processes may do so at once: the first of each file wins."""
    if folder.exists() and not folder.is_dir():
        raise ConfigurationError("vault", "a folder; what is there is a file")
    try:
        if not folder.exists():  # what is made here is for its owner alone; a folder that was there is left as it is
            folder.mkdir(parents=True)
            folder.chmod(0o700)
        (folder / "keys").mkdir(exist_ok=True)
        (folder / "keys").chmod(0o700)
        key = folder / "keys" / "signing.key"
        if not (folder / _MARKER).exists():
            _clear_empty(key, *(folder / name for name in POLICY_FILES))
            FileSigner.create(key)
            place_file(folder / "keys" / "signing.pub", FileSigner(key).key_id + "\n")
        if not any((folder / name).exists() for name in POLICY_FILES):
            place_file(folder / POLICY_FILES[0], default_policy_text())
        place_file(folder / _MARKER, _MARKER_TEXT)
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
