"""Settings: defaults, what the environment gives, and a refusal for whatever is unknown or empty."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cases import each

from muniment.config import SETTINGS, Config, Hidden, read_environment
from muniment.model.errors import ConfigurationError


def test_an_empty_environment_gives_the_defaults() -> None:
    config = read_environment({})
    assert config == Config(vault="./muniment-data", tenant="default", actor="owner", policy=None)
    assert config.folder == Path("muniment-data")


def test_the_environment_gives_each_setting() -> None:
    given = {
        "MUNIMENT_VAULT": "v",
        "MUNIMENT_TENANT": "acme",
        "MUNIMENT_ACTOR": "ana",
        "MUNIMENT_POLICY": "p.yaml",
        "MUNIMENT_EMBEDDER": "minilm",
        "MUNIMENT_EMBEDDER_KEY": "k",
        "MUNIMENT_MODELS": "m",
        "MUNIMENT_WITNESS": "w",
        "MUNIMENT_ENCRYPTION_KEY_FILE": "f",
        "MUNIMENT_ENCRYPTION_KEY": "e",
        "MUNIMENT_SIGNING_KEY_FILE": "g",
        "MUNIMENT_CONTENT_KEYS": "c",
        "MUNIMENT_URL": "u",
        "MUNIMENT_KEY": "s",
        "MUNIMENT_RECEIPTS_DAYS": "90",
        "MUNIMENT_RECEIPTS_BYTES": "4096",
        "MUNIMENT_RECEIPTS_FOLDER": "r",
    }
    assert read_environment(given) == Config(
        vault="v",
        tenant="acme",
        actor="ana",
        policy="p.yaml",
        embedder="minilm",
        embedder_key=Hidden("k"),
        models="m",
        witness="w",
        encryption_key_file="f",
        encryption_key=Hidden("e"),
        signing_key_file="g",
        content_keys="c",
        url="u",
        key=Hidden("s"),
        receipts_days=90,
        receipts_bytes=4096,
        receipts_folder="r",
    )
    assert {setting.name for setting in SETTINGS} == set(given)


@each("setting", SETTINGS, ids=lambda setting: setting.name)
def test_a_declared_default_is_the_default(setting: object) -> None:
    name, default = getattr(setting, "name", ""), getattr(setting, "default", "")
    assert (getattr(read_environment({}), name.removeprefix("MUNIMENT_").lower()) or "") == default


@each("name", ["MUNIMENT_VAULTS", "MUNIMENT_", "MUNIMENT_vault", "MUNIMENT_DEBUG"])
def test_an_unknown_setting_is_refused_by_name(name: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        read_environment({name: "x"})
    assert (refused.value.setting, refused.value.code) == (name, "configuration_error")
    assert "MUNIMENT_VAULT" in str(refused.value)


@each("setting", ["MUNIMENT_VAULT", "MUNIMENT_TENANT", "MUNIMENT_ACTOR", "MUNIMENT_POLICY"])
@each("empty", ["", " ", "\t\n"])
def test_a_setting_that_is_set_but_empty_is_refused_by_name(setting: str, empty: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        read_environment({setting: empty})
    assert refused.value.setting == setting


def test_no_refusal_repeats_a_value() -> None:
    with pytest.raises(ConfigurationError) as refused:
        read_environment({"MUNIMENT_TOKEN": "hunter2hunter2"})
    assert "hunter2" not in f"{refused.value} {refused.value.hint}"


def test_other_names_and_the_tests_own_are_none_of_our_business() -> None:
    assert read_environment({"PATH": "", "muniment_vault": "", "MUNIMENT_TEST_PROFILE": "nightly"}) == Config()


def test_the_real_environment_is_read_when_none_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUNIMENT_TENANT", "acme")
    assert read_environment().tenant == "acme"
