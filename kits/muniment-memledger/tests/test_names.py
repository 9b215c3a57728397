"""The package under its two names."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pkgutil import walk_packages

import muniment_memledger
from muniment_memledger import Memledger


def test_both_names_are_the_same_package_down_to_the_last_module() -> None:
    assert importlib.import_module("muniment.compat.memledger") is muniment_memledger
    for found in walk_packages(muniment_memledger.__path__, "muniment_memledger."):
        old = found.name.replace("muniment_memledger", "muniment.compat.memledger", 1)
        assert importlib.import_module(old) is importlib.import_module(found.name), old


def test_the_public_names_are_all_there() -> None:
    assert [name for name in muniment_memledger.__all__ if not hasattr(muniment_memledger, name)] == []
    assert Memledger.__module__.startswith("muniment_memledger")


def test_without_the_kit_the_former_name_says_how_to_install_it() -> None:
    code = "import sys; sys.modules['muniment_memledger'] = None; import muniment.compat.memledger"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "pip install muniment-memledger" in done.stderr
