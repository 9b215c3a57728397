"""What schemathesis does not know by itself: how a line of NDJSON is written."""

from __future__ import annotations

import json

import schemathesis
from schemathesis import SerializationContext


@schemathesis.serializer("application/x-ndjson")
def one_line(context: SerializationContext, value: object) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass") + b"\n"
