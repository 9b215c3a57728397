"""Moving house: killed at any moment, the same call goes on, and what comes out is the same to the last row."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.patience import WAIT_S
from tests.postgres.moving import (
    TRACE,
    Where,
    everything,
    forget_the_secret,
    furnish,
    move,
    opened,
    remembered,
    speak_of_the_secret,
)
from tests.postgres.server import Schemas
from tests.postgres.test_moving import words_at, words_below

from muniment import Memory
from muniment.engine.moving import follow_ledger
from muniment.engine.moving.move import MoveResult
from muniment.engine.vault import there_is
from muniment.model.errors import StoreUnavailable

ROOT = Path(__file__).parent.parent.parent
DEATHS = 8
RECORDS = 12
_KILLED = f"end {signal.SIGKILL.value}"


class Mover:
    """A process that moves a vault when it is told, and dies of it as often as one likes."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.postgres.mover"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def __call__(self, source: Where, target: Where, at: int = 0) -> int | None:
        """Move, and die at a call; how many calls there were, None if it died."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{at}\t{source}\t{target}\n")
        self._process.stdin.flush()
        said = self._process.stdout.readline().strip()
        if said.startswith("end"):
            assert said == _KILLED
            return None
        assert self._process.stdout.readline().strip() == "end 0"
        return int(said)

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=WAIT_S)
        self._process.stdout.close()


@pytest.fixture(scope="module")
def mover() -> Iterator[Mover]:
    made = Mover()
    yield made
    made.close()


@pytest.fixture(scope="module")
def calls(mover: Mover, schemas: Schemas, tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """How many calls there are to die at on the way to a database, and on the way to a folder."""
    folder = tmp_path_factory.mktemp("rehearsal")
    furnish(folder / "vault", RECORDS)
    place = schemas.lend()
    there, back = mover(folder / "vault", place), mover(place, folder / "back")
    schemas.take_back(place)
    assert there is not None
    assert back is not None
    return {"there": there, "back": back}


@pytest.fixture(params=["folder", "database"])
def target(request: pytest.FixtureRequest, tmp_path: Path, dsn: str) -> Where:
    """An empty place of either sort."""
    return tmp_path / "new" if request.param == "folder" else dsn


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(DEATHS))
def test_a_move_that_is_killed_at_any_moment_goes_on_where_it_was(
    mover: Mover, calls: dict[str, int], vault: Path, dsn: str, tmp_path: Path, seed: int
) -> None:
    """To a database or, every other time, to a folder: two deaths, the second in what went on. The later seeds die near
    the end, where keys and policy come along and the mark is taken away."""
    chance, way = random.Random(seed), "back" if seed % 2 else "there"
    earliest = 1 if seed < DEATHS // 2 else calls[way] * 49 // 50
    source, target = (dsn, tmp_path / "back") if seed % 2 else (vault, dsn)
    furnish(source, RECORDS)
    for _ in range(2):
        if mover(source, target, at=chance.randrange(earliest, calls[way])) is None and not there_is(target):
            with pytest.raises(StoreUnavailable):
                Memory.open(target, create=False)
    done = move(source, target)

    assert (done.open, done.unfinished) == (True, ())
    assert everything(target) == everything(source)
    with opened(target, create=False) as memory:
        remembered(memory, "The movers were paid")
        assert memory.ledger.verify().ok


@pytest.mark.parametrize("way", ["there", "back"])
def test_what_was_erased_while_a_killed_move_lay_still_does_not_come_back(
    mover: Mover, calls: dict[str, int], vault: Path, dsn: str, tmp_path: Path, way: str
) -> None:
    source, target = (dsn, tmp_path / "back") if way == "back" else (vault, dsn)
    speak_of_the_secret(source)
    furnish(source, RECORDS)
    assert mover(source, target, at=calls[way] // 2) is None
    arrived = words_below(tmp_path / "back") if way == "back" else words_at(dsn)
    assert all(word in arrived for word in TRACE)

    forget_the_secret(source)
    move(source, target)

    assert everything(target) == everything(source)
    left = words_below(tmp_path / "back") if way == "back" else words_at(dsn)
    assert [word for word in TRACE if word in left] == []


def test_two_who_move_two_tenants_at_once_open_the_vault_when_both_are_whole(vault: Path, target: Where) -> None:
    furnish(vault, 6)
    furnish(vault, 6, tenant="acme")
    inside: list[MoveResult] = []

    def cut_in(what: str, done: int, whole: int) -> None:
        if what == "default: entries" and not inside:
            inside.append(move(vault, target, tenant="acme"))

    outer = move(vault, target, tenant="default", progress=cut_in)

    assert [(one.open, one.unfinished) for one in (*inside, outer)] == [(False, ("default",)), (True, ())]
    for tenant in ("default", "acme"):
        assert everything(target, tenant) == everything(vault, tenant)
        with opened(target, tenant, create=False) as memory:
            assert memory.ledger.verify().ok


def test_two_who_move_the_same_at_once_do_not_disturb_each_other(
    vault: Path, target: Where, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second comes while the first is in the midst of it, and runs to its end."""
    monkeypatch.setattr(follow_ledger, "ENTRIES_AT_ONCE", 6)
    furnish(vault, 80)
    others: list[bool] = []

    def cut_in(what: str, done: int, whole: int) -> None:
        if what == "default: entries" and done > 20 and not others:
            others.append(False)
            others[0] = move(vault, target).open

    assert move(vault, target, progress=cut_in).open
    assert others == [True]
    assert everything(target) == everything(vault)
