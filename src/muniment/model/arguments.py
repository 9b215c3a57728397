"""A call that does not fit a method is the caller's mistake like any other: it is refused with an error of ours."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from difflib import get_close_matches
from typing import ParamSpec, TypeVar

from muniment.model.errors import Malformed

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T", bound=type)


def checked(face: T) -> T:
    """Give every public method of a class that check. It costs nothing while the calls fit."""
    for name, method in list(vars(face).items()):
        if inspect.isfunction(method) and not name.startswith("_"):
            setattr(face, name, _checked(method))
    return face


def _checked(method: Callable[P, R]) -> Callable[P, R]:
    @functools.wraps(method)
    def call(*args: P.args, **options: P.kwargs) -> R:
        try:
            return method(*args, **options)
        except TypeError:
            problem = _problem(method, args[1:], options)
            if problem is None:
                raise
            raise problem from None

    return call


def bind(method: Callable[..., object], args: tuple[object, ...], options: dict[str, object]) -> dict[str, object]:
    """The arguments of a call by name, `self` and what was not given left out. A call that does not fit is refused."""
    try:
        given = inspect.signature(method).bind(None, *args, **options).arguments
    except TypeError:
        problem = _problem(method, args, options)
        if problem is None:
            raise
        raise problem from None
    named = dict(list(given.items())[1:])
    options = named.pop("options", {})
    return {**named, **options}


def _problem(method: Callable[..., object], args: tuple[object, ...], options: dict[str, object]) -> Malformed | None:
    """What is wrong with a call, or None if it fits and the error came from within."""
    spelled = inspect.signature(method)
    taken = list(spelled.parameters.values())[1:]
    named = [one.name for one in taken if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)]
    how = f"{method.__name__} takes: {', '.join(named)}."
    if not any(one.kind is one.VAR_KEYWORD for one in taken):
        for name in options:
            if name not in named:
                near = get_close_matches(name, named, n=1, cutoff=0.6)
                first = f"Say {near[0]}. " if near else ""
                return Malformed(
                    name, f"an argument of {method.__name__}, and there is none of that name", hint=first + how
                )
    places = [one for one in taken if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    if len(args) > len(places) and not any(one.kind is one.VAR_POSITIONAL for one in taken):
        name = next(
            (one.name for one in taken if one.kind is one.KEYWORD_ONLY and one.name not in options), "arguments"
        )
        return Malformed(name, "said by its name", hint=f"Say {name}=…; {how}")
    given = {*options, *(one.name for one in places[: len(args)])}
    for one in taken:
        if one.default is one.empty and one.name in named and one.name not in given:
            return Malformed(one.name, "a value; it is missing", hint=f"Say {one.name}=…; {how}")
    return None
