"""Technical text with nothing to hide, generated: numbers, hashes and code that a hasty eye takes for secrets."""

from __future__ import annotations

import base64
import random
import uuid
from collections.abc import Callable

Make = Callable[[random.Random], str]
_WORDS = ("checkout", "billing", "search", "gateway", "ledger", "metrics", "the cache", "the replica", "the build")


def _digits(pick: random.Random, size: int) -> str:
    return str(pick.randrange(1, 10)) + "".join(str(pick.randrange(10)) for _ in range(size - 1))


def order(pick: random.Random) -> str:
    number = _digits(pick, pick.choice((6, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
    return pick.choice(
        (
            f"order {number} was shipped",
            f"invoice INV-{number} is paid",
            f"ticket #{number[:7]}",
            f"customer no. {number}",
            f"PO {number[:4]}-{number[4:]}",
            f"part {pick.choice('ABCDEFGH')}{number[:6]}-{number[-3:]}",
        )
    )


def digest(pick: random.Random) -> str:
    size = pick.choice((20, 32, 40, 64))
    return f"{pick.choice(('sha256:', 'commit ', 'etag ', 'md5 ', 'trace '))}{pick.getrandbits(4 * size):0{size}x}"


def short_sha(pick: random.Random) -> str:
    return f"fixed in {pick.getrandbits(36):09x}, reverted by {pick.getrandbits(28):07x}"


def identifier(pick: random.Random) -> str:
    name = uuid.UUID(int=pick.getrandbits(128), version=4)
    return pick.choice((f"request {name} failed", f"id={name.hex}", f"arn:x:y:{_digits(pick, 12)}:role/{name}"))


def version(pick: random.Random) -> str:
    parts = [str(pick.randrange(40)) for _ in range(pick.choice((2, 3, 4)))]
    return f"version {'.'.join(parts)} of {pick.choice(_WORDS)}, build 20{_digits(pick, 2)}.{_digits(pick, 4)}"


def moment(pick: random.Random) -> str:
    seconds = pick.randrange(1_500_000_000, 1_900_000_000)
    return pick.choice(
        (
            f"at {seconds}",
            f"at {seconds}{_digits(pick, 3)} ms",
            f"ts={seconds}{_digits(pick, 6)}",
            f"2026-{pick.randrange(1, 13):02}-{pick.randrange(1, 29):02}T{pick.randrange(24):02}:00:00.123456Z",
            f"from 2026-01-{pick.randrange(10, 29)} to 2026-02-{pick.randrange(10, 28)}",
            f"backup-2026{pick.randrange(1, 13):02}{pick.randrange(1, 29):02}-{pick.randrange(24):02}0000.tar.gz",
        )
    )


def isbn(pick: random.Random) -> str:
    body = pick.choice(("978", "979")) + _digits(pick, 9)
    check = -sum(int(char) * (3 if place % 2 else 1) for place, char in enumerate(body)) % 10
    return pick.choice((f"ISBN {body}{check}", f"ISBN {body[:3]}-{body[3]}-{body[4:7]}-{body[7:]}-{check}"))


def log(pick: random.Random) -> str:
    return (
        f"2026-01-01T00:00:0{pick.randrange(10)}Z {pick.choice(('INFO', 'WARN'))} {pick.choice(_WORDS)}[4711]: "
        f"{pick.choice(('token refreshed', 'password check passed', 'session opened', 'key rotated', 'took'))} "
        f"{_digits(pick, 3)} ms, {_digits(pick, 8)} bytes, user={_digits(pick, 5)}, rid={pick.getrandbits(64):016x}"
    )


def host(pick: random.Random) -> str:
    four = ".".join(str(pick.randrange(256)) for _ in range(4))
    return pick.choice((f'bind = "{four}:{_digits(pick, 4)}"', f"ALLOWED = ['{four}/24']", f"ping -c 3 {four}"))


def encoded(pick: random.Random) -> str:
    body = base64.b64encode(bytes(pick.choice((0, 0, 24))) + pick.randbytes(pick.choice((24, 48, 60)))).decode()
    return pick.choice(
        (f"data:image/png;base64,{body}", f'"fixture": "{body}"', f"blob {body}", f"integrity=sha384-{body}")
    )


def figure(pick: random.Random) -> str:
    return pick.choice(
        (
            f"loss {pick.random()!r} at step {_digits(pick, 6)}",
            f"lat {pick.uniform(-90, 90)!r}, lon {pick.uniform(-180, 180)!r}",
            f"total EUR {_digits(pick, 3)}.{_digits(pick, 3)},{_digits(pick, 2)}",
            f"{_digits(pick, 3)},{_digits(pick, 3)},{_digits(pick, 3)} rows, {_digits(pick, 3)}_000 kept",
            " ".join(_digits(pick, pick.randrange(1, 5)) for _ in range(8)),
            f"range {_digits(pick, 4)}-{_digits(pick, 4)}, page {_digits(pick, 3)}",
        )
    )


def code(pick: random.Random) -> str:
    word = pick.choice(("token", "password", "secret", "api_key", "session_token", "access_token"))
    return pick.choice(
        (
            f"def check({word}: str) -> bool:\n    return {word} == self.{word}",
            f'{word} = os.environ["{word.upper()}"]',
            f"{word}: ${{{word.upper()}}}",
            f"if not {word}: raise Malformed('{word}', 'a text')",
            f"connect(user=name, {word}={word})",
            f"const {word} = await vault.read('{word}');",
            f"max_{word}s: {_digits(pick, 4)}",
            f"SELECT id, {word}_hash FROM users WHERE id = {_digits(pick, 6)}",
            f"The {word} is rotated every {_digits(pick, 2)} days.",
            f"{word}: string, at least {_digits(pick, 1)} characters",
        )
    )


def link(pick: random.Random) -> str:
    return pick.choice(
        (
            f"https://example.com/orders/{_digits(pick, 10)}?page={_digits(pick, 2)}",
            f"https://example.com/tree/{pick.getrandbits(160):040x}/src",
            f"s3://bucket/2026/01/{pick.getrandbits(64):016x}.parquet",
            f"git@example.com:team/repo-{_digits(pick, 3)}.git",
            f"docker pull registry.example/app:{_digits(pick, 2)}@sha256:{pick.getrandbits(256):064x}",
        )
    )


SORTS: dict[str, Make] = {
    "order numbers": order,
    "digests": digest,
    "short commits": short_sha,
    "identifiers": identifier,
    "versions": version,
    "moments": moment,
    "ISBNs": isbn,
    "log lines": log,
    "hosts in code": host,
    "base64 fixtures": encoded,
    "figures": figure,
    "code about secrets": code,
    "links": link,
}
