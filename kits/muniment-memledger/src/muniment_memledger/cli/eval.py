"""Score the runs of a task: what files a run must leave, how runs add up, and the table of them. Runs nothing."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from muniment.contracts.strict.values import Json
from muniment_memledger.config import expand


class Score(msgspec.Struct, frozen=True):
    """Whether a run did what it should, and why not."""

    success: bool
    reason: str


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a task under a configuration."""

    config_name: str
    success: bool
    duration_seconds: float
    timed_out: bool = False


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """All runs of one configuration."""

    config_name: str
    reps: int
    success_count: int
    success_rate: float
    duration_p50: float
    duration_mean: float
    timeout_count: int


def expand_variables(text: str, variables: Mapping[str, str]) -> str:
    """A text with `${NAME}` and `${NAME:default}` put in."""
    return str(expand(text, variables))


def score_files_exist(folder: Path, names: Sequence[str]) -> Score:
    """Whether a run left these files, none of them empty."""
    missing = [name for name in names if not (folder / name).is_file() or not (folder / name).stat().st_size]
    return Score(not missing, f"missing or empty: {', '.join(missing)}" if missing else "all files are there")


def score_files_valid_json(folder: Path, names: Sequence[str]) -> Score:
    """Whether these files are there and hold JSON."""
    there = score_files_exist(folder, names)
    if not there.success:
        return there
    broken = [name for name in names if not _is_json(folder / name)]
    return Score(not broken, f"no JSON: {', '.join(broken)}" if broken else "all files hold JSON")


def _is_json(path: Path) -> bool:
    try:
        json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return True


def score_run(folder: Path, criteria: Mapping[str, Json]) -> Score:
    """Whether a run meets its criteria: `files_exist` and `files_valid_json`, lists of names. The first that it does
    not meet is the reason."""
    for name, scorer in (("files_exist", score_files_exist), ("files_valid_json", score_files_valid_json)):
        wanted = criteria.get(name)
        if isinstance(wanted, list):
            score = scorer(folder, [str(one) for one in wanted])
            if not score.success:
                return score
    return Score(True, "all criteria are met")


def summarize(config_name: str, runs: Sequence[Run]) -> Summary:
    """The runs of one configuration together."""
    own = [run for run in runs if run.config_name == config_name]
    times = [run.duration_seconds for run in own]
    good = sum(run.success for run in own)
    return Summary(
        config_name=config_name,
        reps=len(own),
        success_count=good,
        success_rate=good / len(own) if own else 0.0,
        duration_p50=statistics.median(times) if times else 0.0,
        duration_mean=statistics.fmean(times) if times else 0.0,
        timeout_count=sum(run.timed_out for run in own),
    )


def render_markdown(summaries: Sequence[Summary]) -> str:
    """The summaries as a table."""
    rows = [
        f"| {one.config_name} | {one.reps} | {one.success_rate:.0%} | {one.duration_p50:.1f} | {one.timeout_count} |"
        for one in summaries
    ]
    return "\n".join(["| configuration | runs | success | median s | timeouts |", "|---|---|---|---|---|", *rows])
