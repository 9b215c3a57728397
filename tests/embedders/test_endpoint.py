"""An endpoint that speaks the OpenAI protocol, spoken to over a real connection; and a function of the caller's."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.cases import each
from tests.embedders.made import running

from muniment.backends.embedders.endpoint import BATCH_TEXTS_MAX, TRIES, EmbeddingsEndpoint
from muniment.backends.embedders.wrapped import Wrapped
from muniment.model.errors import ConfigurationError, Malformed, ModelUnavailable


class Server(ThreadingHTTPServer):
    """Answers as `answers` says, one after the other and then properly. Keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Desk)
        self.answers: list[tuple[int, bytes]] = []
        self.asked: list[tuple[str, str | None, dict[str, object]]] = []
        self.address = ""


class _Desk(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, self.headers["Authorization"], body))
        status, told = self.server.answers.pop(0) if self.server.answers else (200, _proper(body["input"]))
        self.send_response(status)
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def _proper(texts: list[str]) -> bytes:
    """For each text its length and its first sign, the last text first."""
    rows = [{"index": place, "embedding": [3.0 * len(text), 4.0 * len(text)]} for place, text in enumerate(texts)]
    return json.dumps({"object": "list", "model": "m", "data": rows[::-1]}).encode()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    with running(made) as address:
        made.address = address
        yield made


@pytest.fixture
def endpoint(server: Server) -> EmbeddingsEndpoint:
    return EmbeddingsEndpoint(f"{server.address}/v1/", "small", key="sesame", pause_s=0.0)


def _numbers(body: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(body) // 4}f", body)


def test_vectors_are_asked_for_and_brought_to_length_one(server: Server, endpoint: EmbeddingsEndpoint) -> None:
    (found,) = endpoint.embed(["tea"])
    assert _numbers(found) == pytest.approx((0.6, 0.8))
    path, key, body = server.asked[0]
    assert (path, key) == ("/v1/embeddings", "Bearer sesame")
    assert body == {"model": "small", "input": ["tea"], "encoding_format": "float"}


def test_without_a_key_none_is_sent(server: Server) -> None:
    EmbeddingsEndpoint(server.address, "small").embed(["tea"])
    assert server.asked[0][1] is None


def test_many_texts_go_in_batches_and_keep_their_order(server: Server) -> None:
    server.answers = [(200, _lengths(BATCH_TEXTS_MAX, 1)), (200, _lengths(10, 1 + BATCH_TEXTS_MAX))]
    found = EmbeddingsEndpoint(server.address, "small").embed(["x"] * (BATCH_TEXTS_MAX + 10))
    assert [len(body["input"]) for _, _, body in server.asked if isinstance(body["input"], list)] == [64, 10]
    ratios = [high / low for low, high in map(_numbers, found)]
    assert ratios == pytest.approx([float(number) for number in range(1, BATCH_TEXTS_MAX + 11)], rel=1e-4)


def _lengths(count: int, first: int) -> bytes:
    """Vectors that tell their place by the ratio of their numbers, handed over backwards."""
    rows = [{"index": place, "embedding": [1.0, float(first + place)]} for place in range(count)]
    return json.dumps({"data": rows[::-1]}).encode()


def test_no_texts_ask_for_nothing(server: Server, endpoint: EmbeddingsEndpoint) -> None:
    assert endpoint.embed([]) == []
    assert server.asked == []


def test_the_label_depends_on_address_model_and_width(server: Server, endpoint: EmbeddingsEndpoint) -> None:
    assert endpoint.dimensions == 2
    name, _, digest = endpoint.model.partition("@")
    assert (name, len(digest)) == ("openai:small", 64)
    assert EmbeddingsEndpoint(f"{server.address}/v1", "small").model == endpoint.model
    assert EmbeddingsEndpoint(f"{server.address}/v2", "small").model != endpoint.model
    server.answers = [(200, b'{"data": [{"index": 0, "embedding": [1, 2, 2]}]}')]
    assert EmbeddingsEndpoint(f"{server.address}/v1", "small").model != endpoint.model


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_a_failure_that_may_pass_is_tried_again(server: Server, endpoint: EmbeddingsEndpoint, status: int) -> None:
    server.answers = [(status, b"")] * (TRIES - 1)
    assert len(endpoint.embed(["tea"])) == 1
    assert len(server.asked) == TRIES


def test_a_failure_that_lasts_is_told_after_a_few_tries(server: Server, endpoint: EmbeddingsEndpoint) -> None:
    server.answers = [(503, b"")] * 10
    with pytest.raises(ModelUnavailable, match="failed 3 times: it answered 503"):
        endpoint.embed(["tea"])
    assert len(server.asked) == TRIES


@pytest.mark.parametrize(("status", "hint"), [(401, "MUNIMENT_EMBEDDER_KEY"), (404, "address"), (400, "model's name")])
def test_a_refusal_is_told_at_once_and_never_shows_the_key(
    server: Server, endpoint: EmbeddingsEndpoint, status: int, hint: str
) -> None:
    server.answers = [(status, b"sesame is not a key")]
    with pytest.raises(ModelUnavailable, match=f"answered {status}") as caught:
        endpoint.embed(["tea"])
    assert hint in caught.value.hint
    assert "sesame" not in str(caught.value) + caught.value.hint
    assert len(server.asked) == 1


def test_nobody_there_is_told() -> None:
    gone = Server()
    address = f"http://127.0.0.1:{gone.server_address[1]}"
    gone.server_close()
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        EmbeddingsEndpoint(address, "small", pause_s=0.0, timeout_s=5.0).embed(["tea"])


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "not a list of embeddings"),
        (b"\xff\xfe", "not a list of embeddings"),
        (b'{"error": "no"}', "not a list of embeddings"),
        (b'{"data": [{"index": 0, "embedding": "AAAA"}]}', "not a list of embeddings"),
        (b'{"data": []}', "did not answer each exactly once"),
        (b'{"data": [{"index": 1, "embedding": [1]}]}', "did not answer each exactly once"),
        (b'{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}', "exactly once"),
        (b'{"data": [{"index": 0, "embedding": []}]}', "widths"),
        (b'{"data": [{"index": 0, "embedding": [0, 0]}]}', "without a direction"),
        (b'{"data": [{"index": 0, "embedding": [1e999, 1]}]}', "not a list of embeddings|without a direction"),
    ],
)
def test_an_answer_that_is_none_is_refused(
    server: Server, endpoint: EmbeddingsEndpoint, body: bytes, words: str
) -> None:
    server.answers = [(200, body)]
    with pytest.raises(ModelUnavailable, match=words):
        endpoint.embed(["tea"])


def test_a_width_that_changes_is_refused(server: Server, endpoint: EmbeddingsEndpoint) -> None:
    endpoint.embed(["tea"])
    server.answers = [(200, b'{"data": [{"index": 0, "embedding": [1, 2, 3]}]}')]
    with pytest.raises(ModelUnavailable, match="all must have 2 numbers"):
        endpoint.embed(["tea"])


def test_half_a_surrogate_pair_is_replaced(server: Server, endpoint: EmbeddingsEndpoint) -> None:
    endpoint.embed(["a\ud800b"])
    assert server.asked[0][2]["input"] == ["a?b"]


@each(
    ("address", "model"),
    [
        ("ftp://host", "m"),
        ("http://", "m"),
        ("host", "m"),
        ("http://host", ""),
        ("http://name:word@host", "m"),
    ],
)
def test_an_address_that_is_none_is_refused(address: str, model: str) -> None:
    with pytest.raises(ConfigurationError, match="embedder: "):
        EmbeddingsEndpoint(address, model)


def test_a_function_is_an_embedder() -> None:
    embedder = Wrapped("toy-1", lambda texts: [[3.0 * len(text), 4.0 * len(text)] for text in texts])
    assert [_numbers(body) for body in embedder.embed(["a", "bb"])] == [pytest.approx((0.6, 0.8))] * 2
    assert embedder.dimensions == 2
    assert embedder.embed([]) == []


def test_the_label_of_a_function_is_the_name_it_was_given() -> None:
    def function(texts: list[str]) -> list[list[float]]:
        return [[1.0]] * len(texts)

    first, again, other = (Wrapped(name, function).model for name in ("toy-1", "toy-1", "toy-2"))
    assert first == again != other
    assert first.startswith("toy-1@")


@each(
    ("rows", "words"),
    [
        ([], "was given 2 texts and made 0 vectors"),
        ([[1.0]], "was given 2 texts and made 1 vectors"),
        ([[1.0], [1.0, 2.0]], "different widths"),
        ([[], []], "different widths"),
        ([[1.0], [0.0]], "without a direction"),
        ([[1.0], [float("nan")]], "without a direction"),
        ([["1"], ["2"]], "something else than numbers"),
    ],
)
def test_a_function_that_makes_no_vectors_is_told(rows: list[list[float]], words: str) -> None:
    with pytest.raises(ModelUnavailable, match=f"toy.*{words}"):
        Wrapped("toy", lambda texts: rows).embed(["a", "b"])


@each("name", ["", "a@b", "a\nb"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(Malformed, match=r"embedder\.name"):
        Wrapped(name, lambda texts: [])
