"""The log: one line per request and per event worth knowing, as JSON or text. Never content, queries or secrets."""

from __future__ import annotations

import logging
import sys
import threading
import time
import traceback
from typing import TextIO

import msgspec

from muniment.model.times import Instant, show
from muniment.surfaces.telemetry.settings import LogFormat, LogLevel, TelemetrySettings

Said = str | int | float
SPOKEN = ("uvicorn.error",)
"""Loggers whose words are known to hold nothing of a caller's. Of all others only the place is logged."""
NO_NEWS = ("ASGI callable returned without completing handshake.",)
"""What the server's own library says of a WebSocket that was turned away, as a stranger can have it say at will."""
_NUMBERS = {
    LogLevel.DEBUG: logging.DEBUG,
    LogLevel.INFO: logging.INFO,
    LogLevel.WARNING: logging.WARNING,
    LogLevel.ERROR: logging.ERROR,
}


class Log:
    """Writes lines to one stream, whole lines at a time, from any thread."""

    def __init__(self, settings: TelemetrySettings, stream: TextIO | None = None) -> None:
        self._json = settings.log_format is LogFormat.JSON
        self._least = _NUMBERS[settings.log_level]
        self._stream = stream
        self._lock = threading.Lock()

    def say(self, level: LogLevel, event: str, **said: Said | None) -> None:
        """Write a line. What is None is left out."""
        if _NUMBERS[level] < self._least:
            return
        at = show(Instant(time.time_ns() // 1_000))
        kept = {name: value for name, value in said.items() if value is not None}
        line = _json(at, level, event, kept) if self._json else _text(at, level, event, kept)
        stream = self._stream or sys.stderr
        with self._lock:
            stream.write(line)
            stream.flush()

    def failed(self, request_id: str | None, error: BaseException) -> None:
        """Something went wrong that nobody foresaw: what sort of error, and where. Its words may quote a caller."""
        frames = traceback.extract_tb(error.__traceback__)
        places = [f"{_module(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames[-5:]]
        kind = f"{type(error).__module__}.{type(error).__qualname__}"
        self.say(LogLevel.ERROR, "failed", request_id=request_id, error=kind, where=" > ".join(places))

    def install(self) -> None:
        """Have what the libraries log written as our lines too, from warnings up."""
        root = logging.getLogger()
        root.handlers[:] = [_Foreign(self)]
        root.setLevel(max(self._least, logging.WARNING))
        for name in SPOKEN:
            logging.getLogger(name).setLevel(self._least)


class _Foreign(logging.Handler):
    """Takes a record of the standard library's logging and says of it what is safe to say."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        if record.msg in NO_NEWS:
            return
        level = LogLevel.ERROR if record.levelno >= logging.ERROR else LogLevel.WARNING
        level = level if record.levelno >= logging.WARNING else LogLevel.INFO
        error = record.exc_info[1] if record.exc_info else None
        words = record.getMessage() if record.name in SPOKEN and error is None else None
        where = f"{record.module}:{record.lineno}"
        self._log.say(level, "library", logger=record.name, where=where, words=words)
        if error is not None:
            self._log.failed(None, error)


def _json(at: str, level: LogLevel, event: str, said: dict[str, Said]) -> str:
    return msgspec.json.encode({"time": at, "level": level.value, "event": event, **said}).decode() + "\n"


def _text(at: str, level: LogLevel, event: str, said: dict[str, Said]) -> str:
    words = " ".join(f"{name}={_word(value)}" for name, value in said.items())
    return f"{at} {level.value:7} {event} {words}".rstrip() + "\n"


def _word(value: Said) -> str:
    """A value on a line of text: quoted unless it is one plain word, so that no value can begin a line."""
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    plain = text.isprintable() and not {" ", '"', "="} & set(text)
    return text if plain and text else msgspec.json.encode(text).decode()


def _module(path: str) -> str:
    """The end of a path, without the machine's own part.

    >>> _module("/somewhere/site-packages/muniment/read/gate.py")
    'read/gate.py'
    """
    return "/".join(path.replace("\\", "/").split("/")[-2:])
