"""The files people deploy with say what we say they do: pinned, without rights, and in our own settings' words."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tomllib

import pytest
import yaml
from tests.cases import each
from tests.deploy.reading import DEPLOY, ROOT, instructions, unit
from tests.patience import WAIT_S

from muniment.config import SERVING, SETTINGS, read_server
from muniment.surfaces.problems import ExitCode

DOCKERFILE = instructions(DEPLOY / "Dockerfile")
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVER = COMPOSE["services"]["muniment"]
UNIT = unit(DEPLOY / "muniment.service")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def said(word: str) -> list[str]:
    return [rest for name, rest in DOCKERFILE if name == word]


def variables() -> dict[str, str]:
    pairs = (part.partition("=") for rest in said("ENV") for part in shlex.split(rest))
    return {name: value for name, _, value in pairs}


def test_both_stages_begin_with_the_same_image_of_a_full_version() -> None:
    images = {rest.split()[0] for rest in said("FROM")}
    assert len(said("FROM")) == 2
    assert len(images) == 1
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-\w+", images.pop())


def test_the_image_runs_the_python_the_project_is_tested_with() -> None:
    found = re.search(r"python:(3\.\d+)", said("FROM")[0])
    assert found is not None
    assert f"Programming Language :: Python :: {found[1]}" in PROJECT["classifiers"]


def test_what_is_copied_into_the_image_is_there_and_is_let_through_to_the_build() -> None:
    let_in = {line[1:] for line in (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines() if line[:1] == "!"}
    copied = [word for rest in said("COPY") if "--from" not in rest for word in rest.split()[:-1]]
    assert set(copied) == let_in
    assert all((ROOT / name).exists() for name in copied)


def test_the_extras_of_the_image_are_extras_of_the_project() -> None:
    extras = {
        extra for rest in said("RUN") for group in re.findall(r"\[([a-z,]+)\]", rest) for extra in group.split(",")
    }
    assert {"server", "mcp", "otel", "embed", "postgres"} == extras
    assert extras <= PROJECT["optional-dependencies"].keys()


def test_every_package_of_the_image_is_pinned() -> None:
    wheels = next(rest for rest in said("RUN") if "pip wheel" in rest)
    assert "--constraint requirements-dev.txt" in wheels
    pins = {
        _plain(line.split("==")[0]) for line in (ROOT / "requirements-dev.txt").read_text().splitlines() if "==" in line
    }
    extras = PROJECT["optional-dependencies"]
    wanted = [*PROJECT["dependencies"], *(need for name in ("server", "mcp", "otel", "embed") for need in extras[name])]
    missing = {name for name in (_plain(re.split(r"[\[<>=!~; ]", need)[0]) for need in wanted) if name not in pins}
    assert missing == set()


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_image_runs_as_a_user_without_a_name_in_the_host() -> None:
    (user,) = said("USER")
    assert user == "10001:10001"
    order = [word for word, _ in DOCKERFILE]
    assert order.index("USER") < order.index("ENTRYPOINT")
    assert "RUN" not in order[order.index("USER") :]


def test_the_variables_of_the_image_are_settings_and_the_vault_is_the_volume() -> None:
    ours = {name: value for name, value in variables().items() if name.startswith("MUNIMENT_")}
    settings = read_server(ours)
    assert set(ours) <= {setting.name for setting in (*SETTINGS, *SERVING)}
    assert said("VOLUME") == [f'["{settings.vault}"]']
    assert said("EXPOSE") == [str(settings.port)]
    assert (settings.host, settings.log_format) == ("0.0.0.0", "json")


def test_the_image_is_healthy_when_the_server_is_ready() -> None:
    (check,) = said("HEALTHCHECK")
    assert "http://127.0.0.1:8765/readyz" in check
    code = yaml.safe_load(check[check.index("CMD") + 3 :])[2]
    compile(code, "healthcheck", "exec")


def test_nothing_is_fetched_from_an_address_and_nothing_is_left_open() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    assert "ADD" not in [word for word, _ in DOCKERFILE]
    assert not re.search(r"https?://(?!127\.0\.0\.1)", text)
    assert "latest" not in text


def test_the_composed_server_is_described_in_words_compose_knows() -> None:
    words = "build cap_drop environment image init mem_limit pids_limit ports read_only restart security_opt"
    assert set(COMPOSE) == {"name", "services", "volumes"}
    assert set(SERVER) == {*words.split(), "stop_grace_period", "stop_signal", "tmpfs", "volumes"}
    assert set(SERVER["build"]) == {"context", "dockerfile"}


def test_the_composed_server_can_write_to_its_volumes_alone() -> None:
    assert SERVER["read_only"] is True
    assert SERVER["cap_drop"] == ["ALL"]
    assert SERVER["security_opt"] == ["no-new-privileges:true"]
    assert [one.split(":")[1] for one in SERVER["volumes"]] == ["/vault", "/models"]
    assert {one.split(":")[0] for one in SERVER["volumes"]} == set(COMPOSE["volumes"])
    assert [one.split(":")[0] for one in SERVER["tmpfs"]] == ["/tmp"]


def test_the_composed_server_is_reached_from_this_machine_alone() -> None:
    assert SERVER["ports"] == ["127.0.0.1:8765:8765"]
    settings = read_server({**_ours(), **SERVER["environment"]})
    assert settings.metrics_open == "audit"
    assert settings.hosts == ("localhost", "127.0.0.1")


def _ours() -> dict[str, str]:
    return {name: value for name, value in variables().items() if name.startswith("MUNIMENT_")}


def test_the_composed_image_is_of_this_release_and_built_by_our_file() -> None:
    assert SERVER["image"] == f"muniment:{PROJECT['version']}"
    build = SERVER["build"]
    assert (DEPLOY / build["context"]).resolve() == ROOT
    assert (ROOT / build["dockerfile"]).samefile(DEPLOY / "Dockerfile")


def test_whoever_stops_the_server_waits_for_it_to_finish() -> None:
    bound = read_server({}).shutdown_seconds
    assert int(SERVER["stop_grace_period"].removesuffix("s")) >= 2 * bound
    assert int(UNIT["TimeoutStopSec"][0]) >= 2 * bound
    assert (SERVER["stop_signal"], UNIT["KillSignal"], said("STOPSIGNAL")) == ("SIGTERM", ["SIGTERM"], ["SIGTERM"])


def test_the_example_settings_are_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = read_server({}, file=str(DEPLOY / "muniment.toml"))
    assert settings.loopback
    assert (settings.vault, settings.log_format, settings.metrics_open) == ("/var/lib/muniment", "json", "audit")


def test_the_settings_that_are_commented_out_are_settings_too() -> None:
    text = (DEPLOY / "muniment.toml").read_text()
    silent = re.findall(r"^# (\w+) = (.+)$", text, re.MULTILINE)
    assert [name for name, _ in silent] == ["hosts", "jwt_issuer", "jwt_audience", "jwt_jwks"]
    known = {setting.name.removeprefix("MUNIMENT_").lower() for setting in SERVING}
    assert {name for name, _ in silent} <= known
    assert tomllib.loads("\n".join(f"{name} = {value}" for name, value in silent))


def test_the_unit_keeps_its_state_where_the_settings_say() -> None:
    assert UNIT["ExecStart"] == ["/opt/muniment/bin/muniment serve --config /etc/muniment/muniment.toml"]
    assert [f"/var/lib/{name}" for name in UNIT["StateDirectory"]] == UNIT["WorkingDirectory"]
    assert UNIT["WorkingDirectory"] == [read_server({}, file=str(DEPLOY / "muniment.toml")).vault]


def test_the_unit_does_not_start_again_what_was_set_up_wrong() -> None:
    assert UNIT["RestartPreventExitStatus"] == [str(int(ExitCode.WRONG_CALL))]


@each(
    ("option", "value"),
    [
        ("User", "muniment"),
        ("NoNewPrivileges", "yes"),
        ("ProtectSystem", "strict"),
        ("ProtectHome", "yes"),
        ("PrivateTmp", "yes"),
        ("PrivateDevices", "yes"),
        ("CapabilityBoundingSet", ""),
        ("RestrictSUIDSGID", "yes"),
        ("UMask", "0077"),
        ("StateDirectoryMode", "0700"),
    ],
)
def test_the_unit_gives_the_server_no_more_than_it_needs(option: str, value: str) -> None:
    assert UNIT[option] == [value]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_understands_the_unit_and_finds_little_exposed() -> None:
    path = str(DEPLOY / "muniment.service")
    verified = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True, timeout=WAIT_S)
    complaints = [line for line in verified.stderr.splitlines() if "muniment.service" in line]
    assert [line for line in complaints if "is not executable" not in line] == []
    review = ["systemd-analyze", "security", "--offline=true", "--threshold=20", path]
    judged = subprocess.run(review, capture_output=True, text=True, timeout=WAIT_S)
    assert judged.returncode == 0, judged.stdout.splitlines()[-1]
