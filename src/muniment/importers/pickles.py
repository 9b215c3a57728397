"""Read the plain data of a pickle without unpickling it: nothing is imported, nothing is called.

A local Qdrant store keeps its points as pickles. Unpickling a stranger's file runs whatever it says. Here its steps are
only parsed, and those that build lists, dictionaries, texts and numbers are followed; an object becomes the dictionary
of its fields, and a class is a name that leads nowhere.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable

from muniment.contracts.strict.values import Json

STEPS_MAX = 200_000
NODES_MAX = 50_000
DEPTH_MAX = 32


class NotData(ValueError):
    """The pickle is broken, too large, or does something that plain data does not need."""


class _Mark:
    """Where a group of values on the stack begins."""


class _Object:
    """An object of some class: its fields, as far as they were told."""

    def __init__(self) -> None:
        self.fields: dict[object, object] = {}


_MARK = _Mark()
_PUSHED = frozenset(
    [
        "BININT",
        "BININT1",
        "BININT2",
        "INT",
        "LONG",
        "LONG1",
        "LONG4",
        "BINFLOAT",
        "FLOAT",
        "UNICODE",
        "BINUNICODE",
        "SHORT_BINUNICODE",
        "BINUNICODE8",
        "STRING",
        "BINSTRING",
        "SHORT_BINSTRING",
        "BINBYTES",
        "SHORT_BINBYTES",
        "BINBYTES8",
        "BYTEARRAY8",
    ]
)
_CONSTANTS: dict[str, Callable[[], object]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_LIST": list,
    "EMPTY_DICT": dict,
    "EMPTY_TUPLE": list,
    "EMPTY_SET": list,
    "MARK": lambda: _MARK,
}


def plain_data(data: bytes) -> Json:
    """What a pickle says, as JSON values.

    >>> import pickle
    >>> plain_data(pickle.dumps({"a": [1, "b", None]}))
    {'a': [1, 'b', None]}
    """
    try:
        return _Budget().json(_run(data), 0)
    except NotData:
        raise
    except (ValueError, IndexError, KeyError, TypeError, RecursionError, OverflowError, MemoryError) as error:
        raise NotData(f"a pickle that is broken ({type(error).__name__})") from None


def _run(data: bytes) -> object:
    stack: list[object] = []
    memo: dict[int, object] = {}
    for steps, (code, argument, _) in enumerate(pickletools.genops(data)):
        name = code.name
        if steps > STEPS_MAX:
            raise NotData("a pickle of too many steps")
        if name in ("PROTO", "FRAME"):
            continue
        if name in _PUSHED:
            stack.append(argument)
        elif name in _CONSTANTS:
            stack.append(_CONSTANTS[name]())
        elif name == "STOP":
            return stack.pop()
        elif name in ("MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT"):
            memo[len(memo) if name == "MEMOIZE" else int(str(argument))] = stack[-1]
        elif name in ("GET", "BINGET", "LONG_BINGET"):
            stack.append(memo[int(str(argument))])
        elif name in ("GLOBAL", "STACK_GLOBAL"):
            if name == "STACK_GLOBAL":
                del stack[-2:]
            stack.append(_Object())
        elif name in ("NEWOBJ", "REDUCE", "NEWOBJ_EX"):
            del stack[-(3 if name == "NEWOBJ_EX" else 2) :]
            stack.append(_Object())
        elif name == "BUILD":
            _build(stack.pop(), stack[-1])
        elif not _collect(name, stack):
            raise NotData(f"plain data; {name} is none")
    raise NotData("a whole pickle")


def _collect(name: str, stack: list[object]) -> bool:
    """Put what is on top of the stack together, if that is what a step does."""
    if name in ("TUPLE1", "TUPLE2", "TUPLE3"):
        count = int(name[-1])
        items = stack[-count:]
        del stack[-count:]
        stack.append(items)
    elif name in ("APPEND", "SETITEM"):
        count = 1 if name == "APPEND" else 2
        items = stack[-count:]
        del stack[-count:]
        _add(stack[-1], items)
    elif name in ("APPENDS", "SETITEMS", "ADDITEMS", "TUPLE", "LIST", "DICT", "FROZENSET"):
        items = _since_mark(stack)
        if name in ("APPENDS", "SETITEMS", "ADDITEMS"):
            _add(stack[-1], items)
        else:
            made: object = {} if name == "DICT" else []
            _add(made, items)
            stack.append(made)
    elif name == "POP":
        stack.pop()
    elif name == "POP_MARK":
        _since_mark(stack)
    elif name == "DUP":
        stack.append(stack[-1])
    else:
        return False
    return True


def _since_mark(stack: list[object]) -> list[object]:
    at = len(stack) - 1
    while stack[at] is not _MARK:
        at -= 1
        if at < 0:
            raise NotData("a whole pickle")
    items = stack[at + 1 :]
    del stack[at:]
    return items


def _add(target: object, items: list[object]) -> None:
    if isinstance(target, _Object):
        return
    if isinstance(target, list):
        target.extend(items)
    elif isinstance(target, dict):
        target.update(zip(items[::2], items[1::2], strict=True))
    else:
        raise NotData("plain data")


def _build(state: object, target: object) -> None:
    if not isinstance(target, _Object):
        raise NotData("plain data")
    for part in state if isinstance(state, list) else [state]:
        if isinstance(part, dict):
            fields = part.get("__dict__", part)
            target.fields.update(fields if isinstance(fields, dict) else {})


class _Budget:
    """Counts what is copied out: a small pickle can refer to one value so often that its copy would fill the memory."""

    def __init__(self) -> None:
        self._left = NODES_MAX

    def json(self, value: object, depth: int) -> Json:
        self._left -= 1
        if self._left < 0 or depth > DEPTH_MAX:
            raise NotData("a pickle of fewer and less nested values")
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if isinstance(value, _Object):
            value = value.fields
        if isinstance(value, dict):
            return {str(key)[:256]: self.json(said, depth + 1) for key, said in value.items() if isinstance(key, str)}
        if isinstance(value, list):
            return [self.json(one, depth + 1) for one in value]
        return None
