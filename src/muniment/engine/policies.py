"""The policy of a vault: the file that is its own, in its folder or its database, and how another takes its place."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from muniment.backends.clock_and_ids import replace_file, settle
from muniment.config.files import open_file
from muniment.model.errors import ConfigurationError, StoreUnavailable
from muniment.policy.parse import parse_policy
from muniment.policy.rules import Policy
from muniment.ports.shared_settings import SharedSettings

POLICY_FILES = ("policy.yaml", "policy.toml")
"""The names a vault's policy may have. When both are there, the first counts."""
Text = tuple[str, str]
"""A policy as it is written, after the name of its file."""


def default_policy_text() -> str:
    return files("muniment.policy").joinpath("default.yaml").read_text()


def read_policy(path: Path) -> Policy:
    """Read a policy file; errors name the file and the line."""
    name, text = policy_file(path)
    return parse_policy(text, place=name)


def policy_file(path: Path) -> Text:
    """A policy file as it is written."""
    try:
        with open_file(path) as file:
            return path.name, file.read().decode()
    except OSError as error:
        raise ConfigurationError("policy", f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigurationError("policy", f"{path} is not UTF-8 text") from None


def folder_policy(folder: Path) -> Text:
    """The policy of a vault of files."""
    for name in POLICY_FILES:
        if (folder / name).exists():
            return policy_file(folder / name)
    raise _none()


def drawer_policy(drawer: SharedSettings) -> Text:
    """The policy of a vault in a database."""
    for name in POLICY_FILES:
        body = drawer.get(name)
        if body is not None:
            return name, _text(name, body)
    raise _none()


def place_policy(drawer: SharedSettings, name: str, text: str) -> bool:
    """Give a database a policy unless it has one; whether it is this one now."""
    if any(drawer.get(one) is not None for one in POLICY_FILES):
        return drawer_policy(drawer) == (name, text)
    return drawer.place(name, text.encode()) == text.encode()


def put_in_folder(folder: Path, path: Path) -> Policy:
    """Let a file be the policy of a vault of files from its next opening on."""
    name, text = _checked(path)
    try:
        replace_file(folder / name, text)
        for other in POLICY_FILES:
            if other != name:
                (folder / other).unlink(missing_ok=True)
        settle(folder)
    except OSError as error:
        raise StoreUnavailable(f"the policy cannot be written: {error.strerror}") from None
    return parse_policy(text, place=name)


def put_in_drawer(drawer: SharedSettings, path: Path) -> Policy:
    """The same for a vault in a database, for every process that opens it from now on."""
    name, text = _checked(path)
    drawer.replace(name, text.encode())
    for other in POLICY_FILES:
        if other != name:
            drawer.remove(other)
    return parse_policy(text, place=name)


def own_name(path: Path) -> str:
    """What a policy file is called once it is a vault's own."""
    return POLICY_FILES[1] if path.suffix == ".toml" else POLICY_FILES[0]


def _checked(path: Path) -> Text:
    read_policy(path)
    return own_name(path), policy_file(path)[1]


def _text(name: str, body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise ConfigurationError("policy", f"{name} in the database is not UTF-8 text") from None


def _none() -> ConfigurationError:
    return ConfigurationError("policy", f"the vault has no {POLICY_FILES[0]}; without a policy nothing is allowed")
