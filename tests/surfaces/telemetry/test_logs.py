"""Lines of the log: one line each, in form, without a word of what callers said."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import msgspec
import pytest

from muniment.surfaces.telemetry.logs import Log
from muniment.surfaces.telemetry.settings import LogFormat, LogLevel, TelemetrySettings

JSON = TelemetrySettings(log_format=LogFormat.JSON)
SECRET = "the launch code is swordfish"


@pytest.fixture
def libraries() -> Iterator[None]:
    """Puts the standard library's logging back as it was."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    spoken = logging.getLogger("uvicorn.error")
    before = spoken.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    spoken.setLevel(before)


def told(stream: io.StringIO) -> list[dict[str, str | int]]:
    return [msgspec.json.decode(line, type=dict[str, str | int]) for line in stream.getvalue().splitlines()]


def test_a_line_of_json_has_time_level_event_and_what_is_said() -> None:
    stream = io.StringIO()
    Log(JSON, stream).say(LogLevel.INFO, "request", status=200, actor="ana", credential=None)

    (line,) = told(stream)
    assert isinstance(line.pop("time"), str)
    assert line == {"level": "info", "event": "request", "status": 200, "actor": "ana"}


def test_a_line_of_text_is_one_line_whatever_a_value_holds() -> None:
    stream = io.StringIO()
    Log(TelemetrySettings(), stream).say(LogLevel.INFO, "request", actor='a\nlevel=error "x"', status=200)

    (line,) = stream.getvalue().splitlines()
    assert line.split(" ", 1)[1] == 'info    request actor="a\\nlevel=error \\"x\\"" status=200'


def test_what_is_below_the_level_is_not_written() -> None:
    stream = io.StringIO()
    log = Log(TelemetrySettings(log_level=LogLevel.WARNING), stream)
    log.say(LogLevel.INFO, "request")
    log.say(LogLevel.WARNING, "slow")

    assert len(stream.getvalue().splitlines()) == 1


def test_a_failure_is_logged_by_kind_and_place_and_never_in_its_own_words() -> None:
    stream = io.StringIO()
    try:
        raise ValueError(SECRET)
    except ValueError as error:
        Log(JSON, stream).failed("req-1", error)

    (line,) = told(stream)
    assert line["error"] == "builtins.ValueError"
    assert line["request_id"] == "req-1"
    assert "telemetry/test_logs.py" in str(line["where"])
    assert "swordfish" not in stream.getvalue()


@pytest.mark.usefixtures("libraries")
def test_of_what_libraries_log_only_the_place_is_written_unless_their_words_are_known_to_be_safe() -> None:
    stream = io.StringIO()
    Log(JSON, stream).install()
    logging.getLogger("some.library").warning("could not read %s", SECRET)
    logging.getLogger("some.library").info("not worth a line")
    logging.getLogger("uvicorn.error").info("Application startup complete.")
    logging.getLogger("uvicorn.error").error("ASGI callable returned without completing handshake.")

    foreign, server = told(stream)
    assert (foreign["logger"], foreign["level"]) == ("some.library", "warning")
    assert "words" not in foreign
    assert server["words"] == "Application startup complete."
    assert "swordfish" not in stream.getvalue()


@pytest.mark.usefixtures("libraries")
def test_an_error_a_library_logs_is_told_by_kind_and_place() -> None:
    stream = io.StringIO()
    Log(JSON, stream).install()
    try:
        raise KeyError(SECRET)
    except KeyError:
        logging.getLogger("uvicorn.error").exception("Exception in ASGI application: %s", SECRET)

    library, failed = told(stream)
    assert library["logger"] == "uvicorn.error"
    assert failed["error"] == "builtins.KeyError"
    assert "swordfish" not in stream.getvalue()
