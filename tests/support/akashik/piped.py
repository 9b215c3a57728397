"""A Field at the end of a pipe: questions come in on one line each, answers go out on one line each."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import cast

import msgspec
from tests.support.akashik.native import Opened

from akashik_conformance.binding import Json, JsonObject, Settings, View
from muniment.model.decoding import decode_json


class Question(msgspec.Struct):
    """What is asked; which of it counts depends on what is to be done."""

    do: str
    token: str | None = None
    message: object = None
    name: str = ""
    agent: str | None = None
    session: str | None = None
    unit: str = ""
    reason: str = ""
    after: int = 0


def answered(opened: Opened, asked: Question) -> JsonObject:
    match asked.do:
        case "send":
            return opened.send(cast("Json", asked.message), asked.token)
        case "view":
            return opened.view(cast("View", asked.name), asked.token, asked.agent, asked.session)
        case "retract":
            return opened.retract(asked.agent or "", asked.unit, asked.reason, asked.token)
        case "notices":
            return opened.notices(asked.agent or "", asked.token, asked.after)
        case _:
            return {"status": "ok"}


def main() -> None:
    """Answer until nobody asks any more, then close the vault."""
    opened = Opened(Path(sys.argv[1]), decode_json(sys.argv[2], Settings))
    try:
        for line in sys.stdin.buffer:
            answer = answered(opened, decode_json(line, Question))
            sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
            sys.stdout.buffer.flush()
    finally:
        opened.close()


if __name__ == "__main__":
    main()
