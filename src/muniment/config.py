"""Every setting, declared once, and the only reader of the environment. An unknown setting is an error."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from muniment.model.actor import OWNER
from muniment.model.errors import ConfigurationError
from muniment.model.value import Value

PREFIX = "MUNIMENT_"
AUTO = "auto"
AS_SET = "as set"
"""What `Memory.open` takes for an embedder if nothing is said: what the environment names."""
_MODELS = "~/.cache/muniment/models"


class Setting(Value):
    """A setting: its environment name, its flag, its default, and what it is for."""

    name: str
    flag: str
    default: str
    meaning: str


SETTINGS = (
    Setting(
        name="MUNIMENT_VAULT", flag="--vault", default="./muniment-data", meaning="the folder that holds the vault"
    ),
    Setting(name="MUNIMENT_TENANT", flag="--tenant", default="default", meaning="whose memory to open"),
    Setting(name="MUNIMENT_ACTOR", flag="--as", default=OWNER, meaning="who is acting; the owner if nobody is named"),
    Setting(
        name="MUNIMENT_POLICY", flag="--policy", default="", meaning="a policy file to use instead of the vault's own"
    ),
    Setting(
        name="MUNIMENT_EMBEDDER",
        flag="--embedder",
        default="auto",
        meaning="what makes vectors: auto (the installed model), none, minilm, or the address of an endpoint "
        "with its model, such as http://localhost:8080/v1#model",
    ),
    Setting(
        name="MUNIMENT_EMBEDDER_KEY", flag="", default="", meaning="the key an endpoint asks for; never shown or stored"
    ),
    Setting(
        name="MUNIMENT_MODELS",
        flag="--models",
        default="~/.cache/muniment/models",
        meaning="the folder that holds installed models",
    ),
)


class Config(Value):
    vault: str = "./muniment-data"
    tenant: str = "default"
    actor: str = OWNER
    policy: str | None = None
    embedder: str = AUTO
    embedder_key: str | None = None
    models: str = _MODELS

    @property
    def folder(self) -> Path:
        return Path(self.vault)

    @property
    def models_folder(self) -> Path:
        return Path(self.models).expanduser()


def read_environment(environment: Mapping[str, str] | None = None) -> Config:
    """The configuration the environment gives.

    >>> read_environment({"MUNIMENT_VAULT": "vault"}).vault
    'vault'
    """
    found = os.environ if environment is None else environment
    ours = {
        name: value
        for name, value in found.items()
        if name.startswith(PREFIX) and not name.startswith(PREFIX + "TEST_")
    }
    known = {setting.name for setting in SETTINGS}
    if unknown := sorted(ours.keys() - known):
        raise ConfigurationError(unknown[0], "no such setting; there are " + ", ".join(sorted(known)))
    for name, value in ours.items():
        if not value.strip():
            raise ConfigurationError(name, "set but empty; give it a value or unset it")
    return Config(
        vault=ours.get("MUNIMENT_VAULT", "./muniment-data"),
        tenant=ours.get("MUNIMENT_TENANT", "default"),
        actor=ours.get("MUNIMENT_ACTOR", OWNER),
        policy=ours.get("MUNIMENT_POLICY"),
        embedder=ours.get("MUNIMENT_EMBEDDER", AUTO),
        embedder_key=ours.get("MUNIMENT_EMBEDDER_KEY"),
        models=ours.get("MUNIMENT_MODELS", _MODELS),
    )


def variables() -> dict[str, str]:
    """Everything in the environment, for files that refer to it by name."""
    return dict(os.environ)
