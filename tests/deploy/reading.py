"""Read a Dockerfile and a systemd unit far enough to check them. Knows no expected value."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
DEPLOY = ROOT / "deploy"


def instructions(path: Path) -> list[tuple[str, str]]:
    """The instructions of a Dockerfile, continued lines joined."""
    return [(word.upper(), rest.strip()) for word, _, rest in (line.partition(" ") for line in _joined(path))]


def _joined(path: Path) -> Iterator[str]:
    whole = ""
    for line in path.read_text().splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        whole += line.rstrip("\\").strip() + " "
        if not line.endswith("\\"):
            yield whole.strip()
            whole = ""


def unit(path: Path) -> dict[str, list[str]]:
    """The options of a unit file by name; one may be said several times."""
    found: dict[str, list[str]] = {}
    for line in path.read_text().splitlines():
        name, said, value = line.partition("=")
        if said and not line.startswith(("#", "[")):
            found.setdefault(name.strip(), []).append(value.strip())
    return found
