"""One launcher for all tests of this folder, and one server for those that take it as it is."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from tests.surfaces.http.conftest import serving, settings_for

from akashik_conformance.servers import Launcher

LAUNCH = f"{sys.executable} -m muniment.surfaces.akashik_launcher"


@pytest.fixture(scope="package")
def launcher() -> Iterator[Launcher]:
    made = Launcher(LAUNCH.split(), name="muniment")
    try:
        yield made
    finally:
        made.close()


@pytest.fixture(scope="package")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server on an empty vault, which asks nobody for a credential."""
    with serving(settings_for(tmp_path_factory.mktemp("served") / "vault")) as served:
        yield served.url
