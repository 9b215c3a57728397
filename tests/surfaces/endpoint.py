"""An embeddings endpoint on this machine that knows a few synonyms. Knows no expected value."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from zlib import crc32

import msgspec
from tests.patience import WAIT_S

WIDE = 256
SYNONYMS = {"automobile": "car", "vehicle": "car", "physician": "doctor", "purchased": "bought"}


class _Asked(msgspec.Struct):
    input: list[str]


class Endpoint:
    """Counts what it is asked. With a `refusal` it answers that status and nothing else."""

    def __init__(self, port: int) -> None:
        self.setting = f"http://127.0.0.1:{port}/v1#toy"
        self.texts: list[str] = []
        self.refusal: int | None = None


def vector(text: str) -> list[float]:
    """A bag of words, synonyms being the same word."""
    found = [0.0] * WIDE
    for word in text.lower().replace("?", "").split():
        found[crc32(SYNONYMS.get(word, word).encode()) % WIDE] += 1.0
    return found


@contextmanager
def serving() -> Iterator[Endpoint]:
    """The endpoint, for as long as the block lasts."""

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            texts = msgspec.json.decode(body, type=_Asked).input
            endpoint.texts += texts
            data = [{"index": place, "embedding": vector(text)} for place, text in enumerate(texts)]
            told = msgspec.json.encode({"data": data})
            self.send_response(endpoint.refusal or 200)
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing: the tests read both streams."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        endpoint = Endpoint(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield endpoint
        finally:
            server.shutdown()
            thread.join(timeout=WAIT_S)
