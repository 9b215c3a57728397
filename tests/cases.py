"""One test over many cases: every case is tried, and every one that fails is told with what it was."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps

import pytest

_SHOWN = 200
_Test = Callable[..., None]
_Given = type(pytest.param())


def each(
    names: str | Sequence[str], cases: Iterable[object], *, ids: Iterable[str] | Callable[..., object] | None = None
) -> Callable[[_Test], _Test]:
    """Like `pytest.mark.parametrize`, as one test. The cases share its fixtures: none may mind what another left."""
    wanted = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    given = [_values(case, len(wanted)) for case in cases]
    called = list(ids) if ids is not None and not callable(ids) else [_name(values, ids) for values in given]
    assert given, "a test without a case cannot fail"

    def decorate(test: _Test) -> _Test:
        @wraps(test)
        def tried(*self: object, **fixtures: object) -> None:
            failed: dict[int, BaseException] = {}
            skipped = 0
            for number, values in enumerate(given):
                try:
                    test(*self, **fixtures, **dict(zip(wanted, values, strict=True)))
                except pytest.skip.Exception:
                    skipped += 1
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001  the test tells them all
                    error.add_note(f"in the case {called[number]}")
                    failed[number] = error
            if failed:
                told = "; ".join(str(called[number]) for number in failed)
                raise BaseExceptionGroup(f"{len(failed)} of {len(given)} cases fail: {told}", list(failed.values()))
            if skipped == len(given):
                pytest.skip("every case was skipped")

        signature = inspect.signature(test)
        kept = [one for name, one in signature.parameters.items() if name not in wanted]
        vars(tried)["__signature__"] = signature.replace(parameters=kept)
        return tried

    return decorate


def _values(case: object, many: int) -> tuple[object, ...]:
    if isinstance(case, _Given):
        assert not case.marks, "a case with marks of its own is a test of its own"
        return tuple(case.values)
    if many == 1:
        return (case,)
    assert isinstance(case, Sequence)
    assert len(case) == many
    return tuple(case)


def _name(values: tuple[object, ...], ids: Callable[..., object] | None) -> str:
    told = ", ".join(str(ids(value)) if ids is not None else repr(value) for value in values)
    return told if len(told) <= _SHOWN else f"{told[:_SHOWN]}…"
