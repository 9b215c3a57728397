"""Answers that are kept, so that a request sent twice is followed once.

An `Idempotency-Key` names the proposal where there is one: the engine then repeats its verdict. Elsewhere the key is
noted before anything is done and the answer after it; whoever sends it again is told the first answer, and whoever
does so in between, or after a crash in between, is told that it is not known how that went.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable, Sequence

import msgspec
from starlette.responses import Response

from muniment.engine.notebook import Notebook, Pages
from muniment.model.decoding import decode_json
from muniment.model.errors import CallerError, Malformed, OperationalError
from muniment.model.note import NoteDraft
from muniment.model.value import Value, canonical
from muniment.surfaces.http.api.asking import ReadRequest
from muniment.surfaces.http.problems import Declined

KEY_HEADER = "idempotency-key"
TOPIC = "requests"
SALT = "request-salt"
OPENING = "opening"
KEPT_MAX = 4_096
_TRIMMED_EVERY = 256
_KEY = re.compile(r"[\x21-\x7e]{1,255}", re.ASCII)


class KeptAnswer(Value):
    """A request under a key: what was asked, and, once it was followed, what was answered."""

    digest: str
    status: int | None = None
    answer: str | None = None
    location: str | None = None


def named(asked: ReadRequest) -> dict[str, object]:
    """The name of the proposal that a key stands for, if there is a key."""
    header = asked.headers.get(KEY_HEADER)
    if header is None:
        return {}
    if getattr(asked.body, "proposal_id", None) is not None:
        raise Malformed("Idempotency-Key", "to be left out where proposal_id is said")
    return {"proposal_id": f"key-{_name(asked, header)}"}


def repeatable(asked: ReadRequest, follow: Callable[[], Response]) -> Response:
    """Follow a request, or repeat what was answered when it was followed before. A dry run is no change: it is told
    anew, and nothing of it is kept."""
    if _is_dry(asked):
        _check(asked.headers[KEY_HEADER])
        return follow()
    key = _name(asked, asked.headers[KEY_HEADER])
    notebook, actor = Notebook.of(asked.memory), asked.memory.actor.id
    digest = _digest(asked)
    before, _ = notebook.turn(actor, lambda pages: _begun(pages, key, digest))
    if before is not None:
        return _again(before)
    try:
        response = follow()
    except (CallerError, OperationalError, Declined):
        notebook.turn(actor, lambda _: ((NoteDraft(topic=TOPIC, key=key),), None))
        raise
    kept = KeptAnswer(
        digest=digest,
        status=response.status_code,
        answer=_keepable(bytes(response.body)),
        location=response.headers.get("location"),
    )
    notebook.turn(actor, lambda pages: (_written(pages, key, kept), None))
    return response


def _is_dry(asked: ReadRequest) -> bool:
    return any(getattr(part, "dry_run", None) is True for part in (asked.query, asked.body))


def _keepable(body: bytes) -> str:
    """An answer as it may be kept: the opening of a certificate is told to whoever erased, and kept nowhere."""
    plain = msgspec.json.decode(body)
    if isinstance(plain, dict) and plain.get(OPENING) is not None:
        return msgspec.json.encode({**plain, OPENING: None}).decode()
    return body.decode()


def claimed(asked: ReadRequest, follow: Callable[[], Response]) -> Response:
    """Follow a batch whose proposals are named by a key: the engine repeats what it said of each of them, and the key
    is noted with what was asked, so that it stands for no longer or shorter batch."""
    key = _name(asked, asked.headers[KEY_HEADER])
    notebook, actor = Notebook.of(asked.memory), asked.memory.actor.id
    digest = _digest(asked)
    new, _ = notebook.turn(actor, lambda pages: _claimed(pages, key, digest))
    try:
        return follow()
    except (CallerError, OperationalError, Declined):
        if new:
            notebook.turn(actor, lambda _: ((NoteDraft(topic=TOPIC, key=key),), None))
        raise


def _claimed(pages: Pages, key: str, digest: str) -> tuple[Sequence[NoteDraft], bool]:
    note = pages.get(TOPIC, key)
    if note is None or note.body is None:
        return _written(pages, key, KeptAnswer(digest=digest)), True
    if decode_json(note.body, KeptAnswer).digest != digest:
        raise reused()
    return (), False


def _check(header: str) -> None:
    if _KEY.fullmatch(header) is None:
        raise Malformed("Idempotency-Key", "1 to 255 visible ASCII characters")


def _name(asked: ReadRequest, header: str) -> str:
    _check(header)
    user = asked.memory.actor.user
    parts = (_salt(asked), asked.visitor.actor.id, asked.operation.name, header, *([] if user is None else [user]))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:40]


def _salt(asked: ReadRequest) -> str:
    """What nobody outside knows, so that nobody can name a proposal as somebody else's key will."""
    notebook = Notebook.of(asked.memory)
    if not notebook.read(SALT):
        notebook.turn(asked.memory.actor.id, _salted)
    (note,) = notebook.read(SALT)
    return note.body or ""


def _salted(pages: Pages) -> tuple[Sequence[NoteDraft], None]:
    there = pages.get(SALT, SALT) is not None
    return () if there else (NoteDraft(topic=SALT, key=SALT, body=secrets.token_hex(16)),), None


def _digest(asked: ReadRequest) -> str:
    """What was asked, whole: the same key with anything else is another request."""
    digest = hashlib.sha256()
    for name, text in sorted({**asked.places, "if-match": asked.headers.get("if-match", "")}.items()):
        digest.update(f"{name}={text}\n".encode())
    for part in (asked.query, asked.body):
        digest.update(canonical(part) + b"\n" if part is not None else b"\n")
    return digest.hexdigest()


def _begun(pages: Pages, key: str, digest: str) -> tuple[Sequence[NoteDraft], KeptAnswer | None]:
    note = pages.get(TOPIC, key)
    if note is None or note.body is None:
        return (_jot(key, KeptAnswer(digest=digest)),), None
    kept = decode_json(note.body, KeptAnswer)
    if kept.digest != digest:
        raise reused()
    if kept.status is None:
        raise Declined(
            status=409,
            code="key_in_use",
            detail="idempotency-key: a request under this key was begun, and it is not known how it ended",
            hint="Wait, or look whether it was followed before you send it under another key.",
            field="idempotency-key",
        )
    return (), kept


def _written(pages: Pages, key: str, kept: KeptAnswer) -> tuple[NoteDraft, ...]:
    """The answer, and now and then the removal of those that were kept longest."""
    jots = [_jot(key, kept)]
    if int(key[:8], 16) % _TRIMMED_EVERY == 0:
        oldest = sorted(pages.read(TOPIC), key=lambda note: note.seq)[:-KEPT_MAX]
        jots += (NoteDraft(topic=TOPIC, key=note.key) for note in oldest if note.key != key)
    return tuple(jots)


def _jot(key: str, kept: KeptAnswer) -> NoteDraft:
    return NoteDraft(topic=TOPIC, key=key, body=msgspec.json.encode(kept).decode())


def _again(kept: KeptAnswer) -> Response:
    assert kept.status is not None
    headers = {"Idempotency-Replayed": "true"}
    if kept.location is not None:
        headers["Location"] = kept.location
    return Response(kept.answer, status_code=kept.status, headers=headers, media_type="application/json")


def reused() -> Declined:
    """The refusal of a key that stands for another request."""
    return Declined(
        status=409,
        code="key_reused",
        detail="idempotency-key: it was used before, for a different request",
        hint="Use a new key for each request, and the same one only to send the same request again.",
        field="idempotency-key",
    )
