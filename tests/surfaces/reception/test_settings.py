"""The settings of a server: flags over environment over file over default; what is unknown or unsafe is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cases import each

from muniment.config import SERVING, SETTINGS, Config, ServerSettings, read_environment, read_server
from muniment.model.errors import ConfigurationError
from muniment.surfaces.reception.field_settings import field_settings
from muniment.surfaces.reception.settings import check_settings, open_to_anyone


def file_of(tmp_path: Path, text: str) -> str:
    path = tmp_path / "settings.toml"
    path.write_text(text)
    return str(path)


def test_nothing_said_gives_the_defaults() -> None:
    found = read_server({})
    assert found == ServerSettings()
    assert (found.host, found.port, found.level, found.vault) == ("127.0.0.1", 8765, 3, "./muniment-data")


def test_a_flag_wins_over_the_environment_the_environment_over_the_file_the_file_over_the_default(
    tmp_path: Path,
) -> None:
    path = file_of(tmp_path, 'port = 1\nlevel = 1\nthreads = 4\nvault = "from-file"\n')
    said = {"MUNIMENT_CONFIG": path, "MUNIMENT_PORT": "2", "MUNIMENT_LEVEL": "2"}
    found = read_server(said, flags={"port": 3, "level": None})
    assert (found.port, found.level, found.threads, found.vault, found.rate_burst) == (3, 2, 4, "from-file", 4000)


def test_a_file_named_by_a_flag_wins_over_one_the_environment_names(tmp_path: Path) -> None:
    path = file_of(tmp_path, "port = 1\n")
    assert read_server({"MUNIMENT_CONFIG": "nowhere.toml"}, file=path).port == 1


def test_every_kind_of_value_is_read_from_the_environment_and_from_a_file(tmp_path: Path) -> None:
    said = {
        "MUNIMENT_HOSTS": "a.example, b.example",
        "MUNIMENT_JWT_DEFAULT_TENANT": "true",
        "MUNIMENT_BODY_SECONDS": "1.5",
        "MUNIMENT_CAPACITY": "1000000",
        "MUNIMENT_LOG_FORMAT": "json",
    }
    text = (
        'hosts = ["a.example", "b.example"]\njwt_default_tenant = true\nbody_seconds = 1.5\n'
        'capacity = 1000000\nlog_format = "json"\n'
    )
    expected = ServerSettings(
        hosts=("a.example", "b.example"),
        jwt_default_tenant=True,
        body_seconds=1.5,
        capacity=1_000_000,
        log_format="json",
    )
    assert read_server(said) == expected
    assert read_server({}, file=file_of(tmp_path, text)) == expected


@each(
    ("text", "setting"),
    [
        ("prot = 1\n", "config: prot"),
        ("[server]\nport = 1\n", "config: server"),
        ("port = 70000\n", "config: port"),
        ('log_level = "loud"\n', "config: log_level"),
        ("threads = 0\n", "config: threads"),
        ("hosts = 7\n", "config: hosts"),
        ('embedder_key = "k"\n', "config: embedder_key"),
        ('key = "k"\n', "config: key"),
        ('actor = "planner"\n', "config: actor"),
        ("port = \n", "config"),
        ("\x00", "config"),
    ],
)
def test_a_file_with_anything_wrong_in_it_is_refused_by_name(tmp_path: Path, text: str, setting: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        read_server({}, file=file_of(tmp_path, text))
    assert refused.value.setting == setting


def test_a_file_that_is_not_there_not_text_or_too_large_is_refused(tmp_path: Path) -> None:
    binary, huge = tmp_path / "binary", tmp_path / "huge"
    binary.write_bytes(b"\xff\xfe")
    huge.write_bytes(b"#" * 2_000_000)
    for path in (tmp_path / "nowhere", tmp_path, binary, huge):
        with pytest.raises(ConfigurationError) as refused:
            read_server({}, file=str(path))
        assert refused.value.setting == "config"


@each(
    ("name", "value"),
    [
        ("MUNIMENT_PORT", "hunter2"),
        ("MUNIMENT_LOG_FORMAT", "hunter2"),
        ("MUNIMENT_RATE_PER_SECOND", "hunter2"),
        ("MUNIMENT_EXAMINATION", "hunter2"),
        ("MUNIMENT_PORT", "-1"),
        ("MUNIMENT_LEVEL", "4"),
        ("MUNIMENT_BODY_SECONDS", "0"),
        ("MUNIMENT_BODY_SECONDS", "nan"),
        ("MUNIMENT_HOST", " "),
    ],
)
def test_a_variable_that_is_wrong_is_refused_by_its_name_and_not_repeated(name: str, value: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        read_server({name: value})
    assert refused.value.setting == name
    assert "hunter2" not in f"{refused.value}{refused.value.hint}"


def test_an_unknown_variable_is_refused_for_every_command() -> None:
    for read in (read_server, read_environment):
        with pytest.raises(ConfigurationError) as refused:
            read({"MUNIMENT_PROT": "1"})
        assert refused.value.setting == "MUNIMENT_PROT"


def test_other_commands_take_vault_and_tenant_from_the_file_the_environment_names(tmp_path: Path) -> None:
    path = file_of(tmp_path, 'vault = "shared"\ntenant = "acme"\nport = 9\n')
    assert read_environment({"MUNIMENT_CONFIG": path, "MUNIMENT_TENANT": "other"}) == Config(
        vault="shared", tenant="other"
    )


def test_a_file_that_is_wrong_for_the_server_is_refused_for_every_command(tmp_path: Path) -> None:
    for text, setting in (("port = 70000\n", "config: port"), ("vault = 7\n", "config: vault")):
        with pytest.raises(ConfigurationError) as refused:
            read_environment({"MUNIMENT_CONFIG": file_of(tmp_path, text)})
        assert refused.value.setting == setting


def test_the_table_of_settings_names_each_once_and_says_what_it_is_for() -> None:
    names = [setting.name for setting in (*SETTINGS, *SERVING)]
    assert len(names) == len(set(names))
    assert all(setting.meaning for setting in SERVING)
    flags = {setting.name: setting.flag for setting in SERVING if setting.flag}
    assert flags == {
        "MUNIMENT_HOST": "--host",
        "MUNIMENT_PORT": "--port",
        "MUNIMENT_LEVEL": "--level",
        "MUNIMENT_WORKERS": "--workers",
        "MUNIMENT_LOG_FORMAT": "--log-format",
        "MUNIMENT_LOG_LEVEL": "--log-level",
        "MUNIMENT_CONFIG": "--config",
    }


@each("setting", [one for one in SERVING if one.name != "MUNIMENT_CONFIG"], ids=lambda one: one.name)
def test_a_declared_default_can_be_said_and_changes_nothing(setting: object) -> None:
    name, default = getattr(setting, "name", ""), getattr(setting, "default", "")
    if default:
        assert read_server({name: default}) == ServerSettings()


@each(
    ("host", "keys", "issuer", "anyone"),
    [
        ("127.0.0.1", False, None, True),
        ("::1", False, None, True),
        ("localhost", False, None, True),
        ("127.0.0.1", True, None, False),
        ("127.0.0.1", False, "https://issuer.example", False),
        ("0.0.0.0", False, None, False),
    ],
)
def test_anyone_may_call_only_where_this_machine_alone_can_and_nobody_asked_for_proof(
    host: str, keys: bool, issuer: str | None, anyone: bool
) -> None:
    assert open_to_anyone(ServerSettings(host=host, jwt_issuer=issuer), keys=keys) is anyone


@each("origin", ["console.example", "https://console.example/", "*"])
def test_an_origin_that_no_browser_would_send_is_refused(origin: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        check_settings(ServerSettings(origins=(origin,)), keys=False)
    assert refused.value.setting == "origins"


def test_grants_for_tokens_without_anybody_who_signs_them_are_refused() -> None:
    with pytest.raises(ConfigurationError) as refused:
        check_settings(ServerSettings(jwt_grants=("read",)), keys=False)
    assert refused.value.setting == "jwt_issuer"


def test_what_the_settings_say_of_a_field_reaches_it() -> None:
    found = field_settings(ServerSettings(level=1, replay_limit=7, detection_timeout_ms=0, type_rules=("decision=4",)))
    assert (found.level, found.replay_limit, found.detection_timeout_ms) == (1, 7, 0)
    assert [(sorted(rule.types), rule.least) for rule in found.rules] == [(["decision"], 4)]


@each("rule", ["decision", "decision=11", "nonsense=3", "decision=-1", ""])
def test_a_rule_for_types_that_says_nothing_is_refused(rule: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        field_settings(ServerSettings(type_rules=(rule,)))
    assert refused.value.setting == "type_rules"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"MUNIMENT_LOG_FORMAT": "xml"}, "MUNIMENT_LOG_FORMAT: expected one of text, json"),
        ({"MUNIMENT_TRACES": "loud"}, "MUNIMENT_TRACES: expected one of off, otlp, console, provided"),
    ],
)
def test_a_word_that_is_not_known_is_answered_with_those_that_are(said: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigurationError) as found:
        read_server(said)
    assert str(found.value) == words
