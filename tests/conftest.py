"""What every test folder shares: how long properties are tried, and a fresh vault. Knows no room's insides."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests import figures
from tests.agmi import table as agmi
from tests.contracts.coverage import table

from muniment import Memory

pytest_plugins = ["tests.scope", "tests.postgres.onto"]

_SLOW_IS_FINE = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large)

os.environ.setdefault("MUNIMENT_EMBEDDER", "none")  # a test that wants vectors says so
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # a shell that starts the suite in the background has it ignored
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "short",
    derandomize=True,
    max_examples=20,
    deadline=None,
    database=None,
    suppress_health_check=_SLOW_IS_FINE,
)
settings.register_profile("long", settings.get_profile("short"), max_examples=40)
settings.register_profile(
    "nightly",
    max_examples=4_000,
    deadline=None,
    print_blob=True,
    suppress_health_check=_SLOW_IS_FINE,
)
settings.load_profile(os.environ.get("MUNIMENT_TEST_PROFILE", "short"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what came of the attacks, and how many assertions of each contract are shown to hold, if they were run."""
    reports = [one for many in terminalreporter.stats.values() for one in many]
    properties = [pair for one in reports for pair in getattr(one, "user_properties", ())]
    if found := agmi.lines(value for name, value in properties if name == agmi.PROPERTY):
        terminalreporter.section("agmi")
        for line in found:
            terminalreporter.line(line)
    told = (value for name, value in properties if name == figures.PROPERTY)
    for title, lines in figures.sections(told).items():
        terminalreporter.section(title)
        for line in lines:
            terminalreporter.line(line)
    if not any("tests/contracts/" in getattr(one, "nodeid", "") for one in reports):
        return
    terminalreporter.section("contracts")
    for row in table():
        terminalreporter.line(f"{row.title:<40} {row.shown:>3} of {row.total:<3} shown, {row.apart} otherwise")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Where this test's vault is, or will be."""
    return tmp_path / "vault"


@pytest.fixture
def memory(vault: Path) -> Iterator[Memory]:
    """A fresh memory on SQLite, seen by its owner."""
    with Memory.open(vault) as opened:
        yield opened
