"""An issuer of tokens with keys of its own, and a place where its public keys can be had. Knows no expected value."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt
import msgspec
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm
from tests.patience import WAIT_S

ISSUER = "https://issuer.example"
AUDIENCE = "muniment"
RSA = rsa.generate_private_key(public_exponent=65_537, key_size=2048)
EC = ec.generate_private_key(ec.SECP256R1())
ED = ed25519.Ed25519PrivateKey.generate()
PRIVATE: dict[str, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey] = {
    "RS256": RSA,
    "ES256": EC,
    "EdDSA": ED,
}
Claims = dict[str, object]
Jwk = dict[str, object]


def public(*algorithms: str) -> list[Jwk]:
    """The public halves, each under its algorithm's name."""
    spelled = {
        "RS256": RSAAlgorithm.to_jwk(RSA.public_key()),
        "ES256": ECAlgorithm.to_jwk(EC.public_key()),
        "EdDSA": OKPAlgorithm.to_jwk(ED.public_key()),
    }
    return [
        {**msgspec.json.decode(spelled[name], type=Jwk), "kid": name, "use": "sig"} for name in algorithms or spelled
    ]


def jwks(*algorithms: str) -> bytes:
    return msgspec.json.encode({"keys": public(*algorithms)})


def token(
    claims: Claims, *, algorithm: str = "EdDSA", kid: str | None = None, headers: dict[str, object] | None = None
) -> str:
    """A token as the issuer signs it."""
    head = {"kid": algorithm if kid is None else kid, **(headers or {})}
    return jwt.encode(claims, PRIVATE[algorithm], algorithm=algorithm, headers=head)


class Publisher:
    """Where the issuer's keys are had: what it answers may be changed, and it counts how often it is asked."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.body = jwks()
        self.status = 200
        self.location: str | None = None
        self.asked = 0


@contextmanager
def publishing() -> Iterator[Publisher]:
    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            publisher.asked += 1
            self.send_response(publisher.status)
            if publisher.location is not None:
                self.send_header("Location", publisher.location)
            self.send_header("Content-Length", str(len(publisher.body)))
            self.end_headers()
            self.wfile.write(publisher.body)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing: the tests read both streams."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        publisher = Publisher(f"http://127.0.0.1:{server.server_address[1]}/keys")
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield publisher
        finally:
            server.shutdown()
            thread.join(timeout=WAIT_S)
