"""How a test says which assertions of a contract it shows, and which of them we knowingly do not keep."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec

import pytest

P = ParamSpec("P")


def cites(*ids: str) -> pytest.MarkDecorator:
    """Mark a test as showing that these assertions hold."""
    return pytest.mark.cites(*ids)


def diverges(*ids: str) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Mark a test that states an assertion as its contract means it, and that must fail because we do otherwise. When
    it comes true, the record of the divergence is out of date, and the suite says so."""

    def wrap(test: Callable[P, None]) -> Callable[P, None]:
        @functools.wraps(test)
        def run(*args: P.args, **kwargs: P.kwargs) -> None:
            try:
                test(*args, **kwargs)
            except AssertionError:
                return
            pytest.fail(f"{', '.join(ids)} now holds: take the divergence out of requirements.toml and cite it")

        return pytest.mark.cites(*ids)(run)

    return wrap
