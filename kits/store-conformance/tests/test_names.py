"""The package under its two names."""

from __future__ import annotations

import importlib
from pkgutil import walk_packages

import muniment_store_conformance


def test_both_names_are_the_same_package_down_to_the_last_module() -> None:
    assert importlib.import_module("muniment.testing.conformance") is muniment_store_conformance
    for found in walk_packages(muniment_store_conformance.__path__, "muniment_store_conformance."):
        old = found.name.replace("muniment_store_conformance", "muniment.testing.conformance", 1)
        assert importlib.import_module(old) is importlib.import_module(found.name), old
