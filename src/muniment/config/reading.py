"""Read settings: a flag wins over the environment, the environment over the file, the file over the default."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import get_args, get_type_hints

import msgspec

from muniment.config.files import open_file
from muniment.config.serving import FILE, SERVING, ServerSettings
from muniment.config.shared import PREFIX, SETTINGS, Config, Hidden
from muniment.model.decoding import convert
from muniment.model.errors import ConfigurationError

Given = Mapping[str, object]
_KNOWN = frozenset(field.name for field in msgspec.structs.fields(ServerSettings))
"""What a file may say: all that a server goes by. Secrets, and what is a caller's own, do not belong in one."""
_LISTS = frozenset(field.name for field in msgspec.structs.fields(ServerSettings) if isinstance(field.default, tuple))
NAME_SHOWN = 64
_FILE_BYTES_MAX = 1_048_576


def read_environment(environment: Mapping[str, str] | None = None) -> Config:
    """The configuration the environment gives, and the file it names.

    >>> read_environment({"MUNIMENT_VAULT": "vault"}).vault
    'vault'
    """
    ours = _ours(environment)
    found = {**_from_file(ours.get(FILE.name)), **{name.removeprefix(PREFIX).lower(): ours[name] for name in ours}}
    shared = {setting.field for setting in SETTINGS}
    told = {name: str(value) for name, value in found.items() if name in shared}
    default = Config()
    return Config(
        vault=told.get("vault", default.vault),
        tenant=told.get("tenant", default.tenant),
        actor=told.get("actor", default.actor),
        policy=told.get("policy"),
        embedder=told.get("embedder", default.embedder),
        embedder_key=_hidden(told.get("embedder_key")),
        models=told.get("models", default.models),
        witness=told.get("witness"),
        encryption_key_file=told.get("encryption_key_file"),
        encryption_key=_hidden(told.get("encryption_key")),
        signing_key_file=told.get("signing_key_file"),
        content_keys=told.get("content_keys"),
        url=told.get("url", default.url),
        key=_hidden(told.get("key")),
        receipts_days=_whole("MUNIMENT_RECEIPTS_DAYS", told.get("receipts_days")),
        receipts_bytes=_whole("MUNIMENT_RECEIPTS_BYTES", told.get("receipts_bytes")),
        receipts_folder=told.get("receipts_folder"),
    )


def _whole(name: str, text: str | None) -> int | None:
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise ConfigurationError(name, "must be a whole number, 0 or more")
    return int(text)


def read_server(
    environment: Mapping[str, str] | None = None, *, file: str | None = None, flags: Given | None = None
) -> ServerSettings:
    """The settings of a server. What a flag says is given under the name of its field; None: not said.

    >>> read_server({"MUNIMENT_PORT": "0", "MUNIMENT_HOSTS": "a, b"}, flags={"level": 2}).hosts
    ('a', 'b')
    """
    ours = _ours(environment)
    named = {name.removeprefix(PREFIX).lower(): value for name, value in ours.items()}
    if named.get("actor", Config().actor) != Config().actor:
        raise ConfigurationError("MUNIMENT_ACTOR", "a server speaks for its callers; unset it")
    spoken = {name: value for name, value in (flags or {}).items() if value is not None}
    written = _from_file(file if file is not None else ours.get(FILE.name))
    merged: dict[str, object] = {
        **written,
        **{name: _listed(name, value) for name, value in named.items() if name in _KNOWN},
        **spoken,
    }
    return _converted(merged, flags=spoken, environment=named)


def variables() -> dict[str, str]:
    """Everything in the environment, for files that refer to it by name."""
    return dict(os.environ)


def _hidden(text: str | None) -> Hidden | None:
    return None if text is None else Hidden(text)


def _ours(environment: Mapping[str, str] | None) -> dict[str, str]:
    """What is said to us: every name known, every value there."""
    found = os.environ if environment is None else environment
    ours = {
        name: value
        for name, value in found.items()
        if name.startswith(PREFIX) and not name.startswith(PREFIX + "TEST_")
    }
    known = {setting.name for setting in (*SETTINGS, *SERVING)}
    if unknown := sorted(ours.keys() - known):
        raise ConfigurationError(unknown[0][:NAME_SHOWN], "no such setting; there are " + ", ".join(sorted(known)))
    for name, value in ours.items():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ConfigurationError(name, "text in UTF-8") from None
        if not value.strip():
            raise ConfigurationError(name, "set but empty; give it a value or unset it")
    return ours


def _from_file(name: str | None) -> dict[str, object]:
    """The settings a file gives, by their names in it."""
    if name is None:
        return {}
    import tomllib  # seldom needed, and every program that imports us would wait for it

    try:
        with open_file(Path(name)) as file:
            body = file.read(_FILE_BYTES_MAX + 1)
        if len(body) > _FILE_BYTES_MAX:
            raise ConfigurationError("config", f"a file of at most {_FILE_BYTES_MAX} bytes")
        found: dict[str, object] = tomllib.loads(body.decode())
    except OSError as error:
        raise ConfigurationError("config", f"the file cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigurationError("config", "the file is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        where = re.search(r"\(at (.+)\)$", str(error))
        raise ConfigurationError("config", f"the file is not TOML ({where[1] if where else 'at its end'})") from None
    except (ValueError, RecursionError):
        raise ConfigurationError("config", "the file is not TOML that can be read, or its name is none") from None
    if unknown := sorted(found.keys() - _KNOWN):
        name = unknown[0][:NAME_SHOWN]
        raise ConfigurationError(f"config: {name}", "no setting of a file; see the table of settings")
    _converted(found)
    return found


def _converted(given: Given, *, flags: Given | None = None, environment: Given | None = None) -> ServerSettings:
    """Settings from what was said of them; what is wrong is named as it was said."""
    try:
        return convert(given, ServerSettings, strict=False)
    except msgspec.ValidationError as error:
        field = re.search(r"`\$\.(\w+)", str(error))
        name = field[1] if field else "settings"
        raise ConfigurationError(_spelling(name, flags or {}, environment or {}), _expected(name, str(error))) from None


def _listed(name: str, value: str) -> object:
    return [part.strip() for part in value.split(",") if part.strip()] if name in _LISTS else value


def _spelling(field: str, flags: Given, environment: Given) -> str:
    """A setting by the name under which it was given."""
    setting = next((one for one in (*SETTINGS, *SERVING) if one.field == field), None)
    if field in flags and setting is not None and setting.flag:
        return setting.flag
    return PREFIX + field.upper() if field in environment else f"config: {field}"


def _expected(name: str, complaint: str) -> str:
    """What a value must be: without the place, which is told by its name, and without the value itself."""
    if complaint.startswith("Invalid enum"):
        told = get_type_hints(ServerSettings)[name]
        return f"expected one of {', '.join(get_args(told))}"
    return re.sub(r" - at `.*$", "", complaint).replace("`", "").replace("Expected", "expected")
