"""The console is served as files and nothing else: under a strict policy, with tags, from its own folder alone."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.cases import each
from tests.patience import WAIT_S
from tests.surfaces.http.conftest import Served, serving, settings_for

import muniment.surfaces.console
from muniment import Memory
from muniment.surfaces.console.files import shelf
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.server_context import system_now

STATIC = Path(muniment.surfaces.console.__file__).parent / "static"
NAMES = sorted(str(path.relative_to(STATIC)) for path in STATIC.rglob("*") if path.is_file())
PATHS = ["/", *(f"/console/{name}" for name in NAMES)]
CSP = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}
TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
OUTSIDE = [
    "/console/../serving.py",
    "/console/%2e%2e/serving.py",
    "/console/..%2fserving.py",
    "/console/%2e%2e%2fserving.py",
    "/console/..%5cserving.py",
    "/console/..\\serving.py",
    "/console/core/../../serving.py",
    "/console//etc/passwd",
    "/console/%2fetc%2fpasswd",
    "/console/core",
    "/console/core/",
    "/console/",
    "/console/index.html%00.js",
    "/console/INDEX.HTML",
    "/console/index.html/",
    "/console/__pycache__",
    "/console/nowhere.js",
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(settings_for(tmp_path_factory.mktemp("served") / "vault")) as found:
        yield found


@pytest.fixture(scope="module")
def client(served: Served) -> Iterator[httpx.Client]:
    with served.client() as found:
        yield found


def directives(answer: httpx.Response) -> dict[str, str]:
    parts = (part.strip().partition(" ") for part in answer.headers["content-security-policy"].split(";"))
    return {name: value for name, _, value in parts}


@pytest.mark.sampled(12)
@pytest.mark.parametrize("path", PATHS)
def test_a_file_comes_whole_with_its_type_its_tag_and_the_strict_policy(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    name = path.removeprefix("/console/") if path != "/" else "index.html"

    assert answer.status_code == 200
    assert answer.content == (STATIC / name).read_bytes()
    assert answer.headers["content-type"].split(";")[0] == TYPES[name.rpartition(".")[2]]
    assert directives(answer) == CSP
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
    assert "set-cookie" not in answer.headers
    assert "unsafe" not in answer.headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/", "/console/main.js"])
def test_what_has_not_changed_is_not_sent_again(client: httpx.Client, path: str) -> None:
    first = client.get(path)
    tag = first.headers["etag"]
    again = client.get(path, headers={"If-None-Match": f'"other", W/{tag}'})

    assert first.headers["cache-control"] == "no-cache"
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == tag
    assert directives(again) == CSP
    assert client.get(path, headers={"If-None-Match": '"other"'}).status_code == 200


def test_two_files_do_not_share_a_tag() -> None:
    tags = [file.tag for file in shelf().values()]
    assert len(set(tags)) == len(tags) == len(NAMES)


def test_a_head_is_answered_like_a_get_without_the_body(client: httpx.Client) -> None:
    got, head = client.get("/console/main.js"), client.head("/console/main.js")
    assert (head.status_code, head.content) == (200, b"")
    for name in ("etag", "content-length", "content-type", "content-security-policy"):
        assert head.headers[name] == got.headers[name]


def raw(served: Served, method: str, path: str) -> tuple[int, bytes]:
    """Ask with a path as it is: a client would put it in order first."""
    said = f"{method} {path} HTTP/1.1\r\nHost: {served.address[0]}:{served.address[1]}\r\nConnection: close\r\n\r\n"
    with socket.create_connection(served.address, timeout=WAIT_S) as line:
        line.sendall(said.encode("latin-1"))
        answer = b"".join(iter(lambda: line.recv(65_536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split(b" ", 2)[1]), body


@each("path", OUTSIDE)
def test_nothing_but_the_files_of_the_console_is_found(served: Served, path: str) -> None:
    status, body = raw(served, "GET", path)
    assert status in (400, 404)
    assert b"import annotations" not in body
    assert b"root:" not in body
    assert b"<html" not in body


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_an_unknown_file_is_a_problem_in_words(client: httpx.Client, method: str) -> None:
    answer = client.request(method, "/console/nowhere.js")
    assert answer.status_code == 404
    assert answer.headers["content-type"].split(";")[0] == "application/problem+json"
    if method == "GET":
        assert answer.json()["code"] == "not_found"


@each("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_a_file_can_only_be_read(client: httpx.Client, method: str) -> None:
    answer = client.request(method, "/console/main.js")
    assert answer.status_code == 405
    assert set(answer.headers["allow"].replace(" ", "").split(",")) == {"GET", "HEAD"}


def test_a_server_that_asks_for_keys_gives_the_console_to_anyone_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:

    vault = tmp_path_factory.mktemp("keyed") / "vault"
    Memory.open(vault).close()
    keys.create(vault, KeyRequest.everything("owner"), now=system_now())
    with serving(settings_for(vault)) as found, found.client() as stranger:
        assert stranger.get("/").status_code == 200
        assert stranger.get("/console/main.js").status_code == 200
        assert stranger.get("/api/caller").status_code == 401
