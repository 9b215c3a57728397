"""The same server over both transports, each with the memory behind it as its owner sees it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.docs.standing import stand
from tests.surfaces.http.conftest import Serve, Served, keyed, serve, served
from tests.surfaces.mcp.talking import LEGACY, MODERN, Talk, started, talking, talking_to

from muniment import Memory

__all__ = ["Serve", "Served", "keyed", "serve", "served"]


class Desk(msgspec.Struct):
    """A conversation, and the memory it is about."""

    talk: Talk
    memory: Memory


@pytest.fixture(scope="session")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """`muniment` with the SDK imported already: that takes longer than a conversation. `test_stdio` starts it anew."""
    folder = tmp_path_factory.mktemp("standing")
    with stand(folder, installed=("serve",), modules=("muniment.surfaces.mcp.stdio",)):
        yield folder / "muniment"


@pytest.fixture(params=["stdio", "http", "http of old"])
def desk(request: pytest.FixtureRequest, vault: Path) -> Iterator[Desk]:
    """The owner at the server: over standard input, over HTTP, and over HTTP as older clients speak it."""
    if request.param == "stdio":
        standing: Path = request.getfixturevalue("standing")
        with Memory.open(vault) as memory, talking(started(vault, standing=standing)) as talk:
            yield Desk(talk, memory)
        return
    found: Served = request.getfixturevalue("served")
    mode = MODERN if request.param == "http" else LEGACY
    with talking_to(f"{found.url}/mcp", mode=mode) as talk:
        yield Desk(talk, found.memory)


@pytest.fixture
def served_desk(served: Served) -> Iterator[Desk]:
    """The owner at the server over HTTP, for what no transport can change."""
    with talking_to(f"{served.url}/mcp") as talk:
        yield Desk(talk, served.memory)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In a short run each test of a conversation is run over one transport, another for each."""
    for item in items:
        if isinstance(item, pytest.Function) and "desk" in item.fixturenames:
            item.add_marker(pytest.mark.sampled(1), append=True)
