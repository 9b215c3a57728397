"""Ctrl-C: a command says what it may have changed, and ends with a code of its own."""

from __future__ import annotations

import pytest
from tests.surfaces.shell import Shell

from muniment import Memory
from muniment.engine.review import Review


def _interrupted(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("line", "method", "said"),
    [
        (("conflicts", "--all"), "review.conflicts", "interrupted; nothing was changed"),
        (("--tenant", "default", "queue"), "review.queue", "interrupted; nothing was changed"),
        (("flush",), "flush", "the same command goes on from there"),
        (("remember", "stats"), "remember", "whole or not at all"),
    ],
)
def test_an_interrupted_command_says_what_it_changed(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, line: tuple[str, ...], method: str, said: str
) -> None:
    assert shell("init").code == 0
    owner = Review if method.startswith("review.") else Memory
    monkeypatch.setattr(owner, method.removeprefix("review."), _interrupted)
    told = shell(*line)
    assert (told.code, told.out) == (130, "")
    assert said in told.err
    assert shell(*line, "--json").error["code"] == "interrupted"
