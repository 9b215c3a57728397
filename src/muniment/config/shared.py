"""The settings every command shares, declared once."""

from __future__ import annotations

from pathlib import Path

from muniment.model.actor import OWNER
from muniment.model.value import Value

PREFIX = "MUNIMENT_"
AUTO = "auto"
AS_SET = "as set"
"""What `Memory.open` takes for an embedder if nothing is said: what the environment names."""
_MODELS = "~/.cache/muniment/models"


class Hidden(str):
    """A secret as it was written. No picture of what holds it shows it.

    >>> Hidden("hunter2"), Hidden("hunter2") == "hunter2"
    ('…', True)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "'…'"


def pictured(value: Value) -> str:
    """A picture of settings that does not show the password a vault's address may hold.

    >>> Config(vault="postgresql://ana:hunter2@db/prod")  # doctest: +ELLIPSIS
    Config(vault='postgresql://…', tenant='default', ...)
    """
    told = {name: getattr(value, name) for name in value.__struct_fields__}
    scheme, address, _ = str(told["vault"]).partition("://")
    if address:
        told["vault"] = f"{scheme}{address}…"
    return f"{type(value).__name__}({', '.join(f'{name}={one!r}' for name, one in told.items())})"


class ConfigSetting(Value):
    """A setting: its environment name, its flag, its default, and what it is for."""

    name: str
    flag: str
    default: str
    meaning: str

    @property
    def field(self) -> str:
        """Its name in a settings file."""
        return self.name.removeprefix(PREFIX).lower()


SETTINGS = (
    ConfigSetting(
        name="MUNIMENT_VAULT",
        flag="--vault",
        default="./muniment-data",
        meaning="the folder that holds the vault, or the address of the database, such as postgresql://user@host/name",
    ),
    ConfigSetting(name="MUNIMENT_TENANT", flag="--tenant", default="default", meaning="whose memory to open"),
    ConfigSetting(
        name="MUNIMENT_ACTOR", flag="--as", default=OWNER, meaning="who is acting; the owner if nobody is named"
    ),
    ConfigSetting(
        name="MUNIMENT_POLICY", flag="--policy", default="", meaning="a policy file to use instead of the vault's own"
    ),
    ConfigSetting(
        name="MUNIMENT_EMBEDDER",
        flag="--embedder",
        default="auto",
        meaning="what makes vectors: auto (the installed model), none, minilm, or the address of an endpoint "
        "with its model, such as http://localhost:8080/v1#model",
    ),
    ConfigSetting(
        name="MUNIMENT_EMBEDDER_KEY", flag="", default="", meaning="the key an endpoint asks for; never shown or stored"
    ),
    ConfigSetting(
        name="MUNIMENT_MODELS",
        flag="--models",
        default="~/.cache/muniment/models",
        meaning="the folder that holds installed models",
    ),
    ConfigSetting(
        name="MUNIMENT_WITNESS",
        flag="",
        default="",
        meaning="a folder outside the vault that remembers where each ledger stood; an older copy of the vault is then "
        "refused",
    ),
    ConfigSetting(
        name="MUNIMENT_ENCRYPTION_KEY_FILE",
        flag="",
        default="",
        meaning="a file that holds the key of an encrypted vault and that nobody but its owner can read",
    ),
    ConfigSetting(
        name="MUNIMENT_ENCRYPTION_KEY",
        flag="",
        default="",
        meaning="the key of an encrypted vault itself: 32 bytes in hexadecimal or base64; never shown or stored",
    ),
    ConfigSetting(
        name="MUNIMENT_SIGNING_KEY_FILE",
        flag="",
        default="",
        meaning="for a vault in a database: a file that holds its signing key, which the database then does not, and "
        "that nobody but its owner can read",
    ),
    ConfigSetting(
        name="MUNIMENT_CONTENT_KEYS",
        flag="",
        default="",
        meaning="for a vault in a database: a folder of keys, one for each tenant, without which nobody can read what "
        "the database and its copies hold",
    ),
    ConfigSetting(
        name="MUNIMENT_RECEIPTS_DAYS",
        flag="",
        default="",
        meaning="`muniment ledger trim` drops most of every receipt older than so many days; not set: none",
    ),
    ConfigSetting(
        name="MUNIMENT_RECEIPTS_BYTES",
        flag="",
        default="",
        meaning="`muniment ledger trim` drops most of the oldest receipts until the others take no more than so many "
        "bytes; not set: none",
    ),
    ConfigSetting(
        name="MUNIMENT_RECEIPTS_FOLDER",
        flag="",
        default="",
        meaning="a folder for the receipts of what is told from a vault in a read-only place; without it such a vault "
        "answers no question",
    ),
    ConfigSetting(
        name="MUNIMENT_URL",
        flag="",
        default="http://127.0.0.1:8765",
        meaning="the server that `muniment.Client` calls if it is told no other",
    ),
    ConfigSetting(
        name="MUNIMENT_KEY", flag="", default="", meaning="the key `muniment.Client` shows it; never shown or stored"
    ),
)


class Config(Value):
    """What every command goes by."""

    vault: str = "./muniment-data"
    tenant: str = "default"
    actor: str = OWNER
    policy: str | None = None
    embedder: str = AUTO
    embedder_key: Hidden | None = None
    models: str = _MODELS
    witness: str | None = None
    encryption_key_file: str | None = None
    encryption_key: Hidden | None = None
    signing_key_file: str | None = None
    content_keys: str | None = None
    url: str = "http://127.0.0.1:8765"
    key: Hidden | None = None
    receipts_days: int | None = None
    receipts_bytes: int | None = None
    receipts_folder: str | None = None

    @property
    def folder(self) -> Path:
        return Path(self.vault)

    def __repr__(self) -> str:
        return pictured(self)

    @property
    def models_folder(self) -> Path:
        return Path(self.models).expanduser()
