"""Packages that moved out of this one into distributions of their own, importable under their former names."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pkgutil import walk_packages

from muniment.model.errors import ConfigurationError


def require(package: str, distribution: str, setting: str) -> None:
    """Refuse to go on without a kit, with the line that installs it."""
    if find_spec(package) is None:
        raise ConfigurationError(setting, f"{distribution} is not installed", hint=how_to_install(distribution))


def how_to_install(distribution: str) -> str:
    return f"pip install {distribution}, or in a checkout: pip install ./kits/{distribution}"


def stand_in(name: str, package: str, distribution: str) -> None:
    """Let `name` and all its modules be those of `package`, so that a class imported by one name is the other's."""
    try:
        found = import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        words = f"{name} is in the distribution {distribution}: {how_to_install(distribution)}"
        raise ModuleNotFoundError(words, name=package) from None
    for module in walk_packages(found.__path__, f"{package}."):
        sys.modules[name + module.name.removeprefix(package)] = import_module(module.name)
    sys.modules[name] = found
