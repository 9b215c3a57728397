"""Doubles of the world for the unit tests: a clock that is set by hand, and a way to open a vault under a policy."""

from __future__ import annotations

from pathlib import Path

from muniment import Memory
from muniment.model.times import Instant, parse

SECOND = 1_000_000
HOUR = 3_600 * SECOND
DAY = 24 * HOUR


def at(text: str) -> Instant:
    """An instant, as text."""
    return parse(text, field="at")


class SetClock:
    """A clock that stands still until it is moved."""

    def __init__(self, start: str = "2026-01-01T00:00:00Z") -> None:
        self.instant = at(start)

    def now(self) -> Instant:
        return self.instant

    def set(self, text: str) -> None:
        self.instant = at(text)

    def forward(self, micros: int) -> None:
        self.instant = Instant(self.instant + micros)


def open_memory(
    vault: Path,
    *,
    policy: str | None = None,
    clock: SetClock | None = None,
    actor: str = "owner",
    tenant: str = "default",
) -> Memory:
    """Open a vault, under the policy given as YAML text."""
    path = None
    if policy is not None:
        path = vault.parent / "policy-under-test.yaml"
        path.write_text(policy)
    return Memory.open(vault, tenant=tenant, actor=actor, policy=path, clock=clock)


def all_bytes(folder: Path) -> bytes:
    """Every byte of every file under a folder, names included."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return b"\n".join(str(path.relative_to(folder)).encode() + b"\n" + path.read_bytes() for path in files)
