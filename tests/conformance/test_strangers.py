"""The command before servers that cannot be examined: it says so once, in words, and the exit code is 2."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec
import pytest
from tests.patience import WAIT_S
from tests.surfaces.http.conftest import serving, settings_for
from tests.surfaces.shell import Shell

from muniment import Memory
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.keys import KeyWish
from muniment.surfaces.reception.reception import system_now


class Website(BaseHTTPRequestHandler):
    """A web server that knows nothing of the protocol."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        page = b"<html>Welcome</html>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


@pytest.fixture
def shell(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path / "vault", capfdbinary, monkeypatch)


@pytest.fixture
def website() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Website)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join(timeout=WAIT_S)
        server.server_close()


def examine(shell: Shell, url: str, *words: str) -> tuple[int, str, str]:
    said = shell.bare("conformance", "akashik", "--url", url, "--only", "AKAS-001", "--json", *words)
    assert said.out == ""
    return said.code, said.error["field"], said.error["message"]


@pytest.mark.parametrize(("binding", "path"), [("http", "/v1/register"), ("mcp", "/mcp")])
def test_a_web_server_is_not_failed_but_named_for_what_it_is(
    shell: Shell, website: str, binding: str, path: str
) -> None:
    words = f"url: what answers there does not speak Akashik: POST {path} gave HTTP 200"
    assert examine(shell, website, "--binding", binding) == (2, "url", words)


def test_nobody_there_is_told_even_if_tokens_were_given(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    file.write_bytes(msgspec.json.encode({"4": "a-token"}))
    words = "url: nobody answers there (ConnectError)"
    assert examine(shell, "http://127.0.0.1:9", "--keys", str(file)) == (2, "url", words)


def test_a_server_that_asks_for_a_key_is_told_apart_by_what_it_lacks(shell: Shell, tmp_path: Path) -> None:
    vault = tmp_path / "served"
    Memory.open(vault, embedder=None).close()
    _, plain = keys.create(vault, KeyWish(name="plain", tenant="default", actor="plain"), now=system_now())
    with serving(settings_for(vault, examination=True)) as served:
        without = examine(shell, served.url)
        told = shell.bare("conformance", "akashik", "--url", served.url)
        wrong = examine(shell, served.url, "--key", "mnk_aaaaaaaaaaaa_" + "A" * 43)
        weak = examine(shell, served.url, "--key", plain)
        odd = examine(shell, served.url, "--key", "ключ")
    assert without == (2, "key", "key: the server asks for one")
    assert "(--key or MUNIMENT_KEY)" in told.err
    assert wrong == (2, "key", "key: the server does not take it")
    assert weak == (2, "key", "key: the server opens no field for examination with it")
    assert odd == (2, "key", "key: expected letters, digits and signs of ASCII")


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/", "/mcp"])
def test_the_address_of_a_binding_leads_to_the_server(shell: Shell, address: str, path: str) -> None:
    said = shell.bare("conformance", "akashik", "--url", address + path, "--only", "AKAS-002", "--json")
    assert (said.code, said.json["passed"]) == (0, 1)


def test_a_server_that_asks_nobody_for_a_credential_is_examined_without_one(shell: Shell, tmp_path: Path) -> None:
    with serving(settings_for(tmp_path / "open", examination=False)) as served:
        said = shell.bare(
            *("conformance", "akashik", "--url", served.url, "--json", "--only", "AKAS-001", "--only", "AKAS-007")
        )
    assert (said.code, said.json["failed"]) == (0, [])
