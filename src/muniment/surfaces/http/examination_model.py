"""A stand-in for a model, for examined fields: an embeddings endpoint with few synonyms, which can be made to fail."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec

from muniment.model.decoding import decode_json
from muniment.testing.standing_in import counted

WIDE = 256
_BODY_BYTES_MAX = 1_048_576
_REFUSAL = 422
"""Not worth another try, so that a failure is known at once."""


class _Asked(msgspec.Struct):
    input: list[str]


class ModelEndpoint:
    """Listens on this machine alone, on a port that the system chooses."""

    def __init__(self, *, works: bool) -> None:
        self.works = works
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _answering(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        self._thread.start()

    @property
    def setting(self) -> str:
        """How the embedder is named in the settings of a server."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1#stand-in"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)


def _answering(endpoint: ModelEndpoint) -> type[BaseHTTPRequestHandler]:
    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), _BODY_BYTES_MAX))
            told = _embedded(body) if endpoint.works else None
            self.send_response(_REFUSAL if told is None else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(told or b"{}")))
            self.end_headers()
            self.wfile.write(told or b"{}")

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing: what is embedded is content."""

    return Answering


def _embedded(body: bytes) -> bytes | None:
    try:
        texts = decode_json(body, _Asked).input
    except msgspec.DecodeError:
        return None
    told = [{"index": number, "embedding": counted(text, WIDE)} for number, text in enumerate(texts)]
    return msgspec.json.encode({"data": told})
