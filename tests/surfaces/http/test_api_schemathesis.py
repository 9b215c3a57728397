"""Schemathesis against the published document, on a real port, by several callers: it finds nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.surfaces.http.conftest import Serve, Served

from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.principal import Grant

HERE = Path(__file__).parents[3]
PROGRAM = Path(sys.executable).parent / "schemathesis"
WAIT_S = 840.0
SEED = "20260301"
OWNER = KeyRequest(name="owner", actor="owner", grants=tuple(Grant), agents=("*",))
READER = KeyRequest(name="reader", actor="planner", grants=(Grant.READ,))
CONFIGURATION = """
headers = {{ Authorization = "Bearer {key}" }}
hooks = "tests.operations.schemathesis_hooks"
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "304", "401", "403", "404", "409", "412", "414"]
[checks.missing_required_header]
expected-statuses = [400, 401, 403, 406, 415]
[phases.coverage]
unexpected-methods = ["TRACE", "PATCH"]
"""
"""409 is the answer to what has the right shape and cannot be; 400, which stands for the wrong shape, is in no list."""


@pytest.fixture
def busy(serve: Serve) -> Served:
    """A server with something in it that sends nobody away for calling often."""
    served = serve(rate_per_second=0.0, failures_per_minute=1_000_000)
    memory = served.memory
    first = memory.remember("The staging database moved to eu-west-2", kind="fact", evidence=["ticket:OPS-7"])
    memory.remember("The staging database stayed", kind="fact", relations=[("contradicts", first.record_id or "")])
    memory.as_actor("planner").remember("Deploy on Mondays", kind="decision")
    return served


def found_by(served: Served, wish: KeyRequest, folder: Path, *options: str) -> str:
    """What a run says, as the caller that the wish describes."""
    settings = folder / "schemathesis.toml"
    settings.write_text(CONFIGURATION.format(key=served.key(wish)))
    run = subprocess.run(
        [
            str(PROGRAM),
            "--config-file",
            str(settings),
            "run",
            f"{served.url}/openapi.json",
            "--include-path-regex=^/api",
            "--exclude-operation-id=changes",
            "--checks=all",
            f"--seed={SEED}",
            "--generation-database=none",
            "--suppress-health-check=all",
            "--warnings=off",
            "--no-color",
            *options,
        ],
        cwd=HERE,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    said = run.stdout + run.stderr
    assert run.returncode == 0, said[-12_000:]
    assert served.memory.ledger.verify().ok
    return said


TWINS = ("revise", "resolve", "preview", "propose_many")
"""Operations whose bodies are those of `remember` and `propose` once more: tried at random, not field by field."""


@pytest.mark.slow
@pytest.mark.timeout(WAIT_S + 60)
def test_it_finds_nothing_field_by_field(busy: Served, tmp_path: Path) -> None:
    left_out = [f"--exclude-operation-id={name}" for name in TWINS]

    said = found_by(busy, OWNER, tmp_path, "--phases=examples,coverage", *left_out)

    assert "No issues found" in said


@pytest.mark.slow
@pytest.mark.timeout(WAIT_S + 60)
def test_it_finds_nothing_at_random_and_along_the_links(busy: Served, tmp_path: Path) -> None:
    said = found_by(busy, OWNER, tmp_path, "--phases=fuzzing,stateful", "--max-examples=3")

    assert "No issues found" in said
    assert "API Links" in said


@pytest.mark.slow
@pytest.mark.timeout(WAIT_S + 60)
def test_it_finds_nothing_with_a_key_for_reading(busy: Served, tmp_path: Path) -> None:
    before = busy.memory.ledger.head().seq

    said = found_by(busy, READER, tmp_path, "--phases=examples,fuzzing", "--max-examples=2")

    assert "No issues found" in said
    written = [entry.kind for entry in busy.memory.ledger.entries(before + 1)]
    assert set(written) <= {"noted"}  # that it was turned away at many doors
