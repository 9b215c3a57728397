"""How an operation of the table is asked over HTTP: who may, what was said, one call in a thread, the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response

from muniment.engine import Memory
from muniment.model.curation import Verdict
from muniment.model.errors import Malformed, NotFound, Stale
from muniment.model.value import Value
from muniment.model.vocabulary import Outcome
from muniment.operations import Key, OperationSpec, Verb
from muniment.operations.tags import ANY, Mark, read_match, same_tag, tag_of
from muniment.operations.wire import Shape, shape_of
from muniment.surfaces.http import bodies, doors
from muniment.surfaces.http.api.asking import ReadRequest, check_accept, read_body, read_query, understood
from muniment.surfaces.http.api.calls import call_of
from muniment.surfaces.http.api.form import read_form
from muniment.surfaces.http.api.kept import KEY_HEADER, claimed, named, repeatable, reused
from muniment.surfaces.http.problems import Declined
from muniment.surfaces.http.streams import hub_of
from muniment.surfaces.reception.principal import Principal
from muniment.surfaces.reception.server_context import ServerContext

JSON = bodies.JSON
USER_HEADER = "muniment-user"
FORM_HEADER = "muniment-form"
_HEADERS = ("if-match", "if-none-match", KEY_HEADER, USER_HEADER, FORM_HEADER)
_STATUS = {Outcome.COMMITTED: 201, Outcome.HELD: 202, Outcome.REFUSED: 200}
Ask = Callable[[Request], Awaitable[Response]]


def endpoints(reception: ServerContext, operations: Iterable[OperationSpec]) -> list[tuple[str, list[str], Ask]]:
    """An endpoint for each path of the table, with its methods."""
    by_path: dict[str, list[ApiEndpoint]] = {}
    for operation in operations:
        made = ApiEndpoint(reception, operation)
        for path in (operation.path, *operation.aliases):
            by_path.setdefault(path, []).append(made)
    ordered = sorted(by_path.items(), key=lambda pair: pair[0].count("{"))
    return [(path, [one.operation.verb.value for one in found], _chosen(found)) for path, found in ordered]


def _chosen(found: Sequence[ApiEndpoint]) -> Ask:
    by_verb = {one.operation.verb.value: one for one in found}

    async def ask(request: Request) -> Response:
        return await by_verb["GET" if request.method == "HEAD" else request.method](request)

    return ask


class ApiEndpoint:
    """One operation, ready to be asked."""

    def __init__(self, reception: ServerContext, operation: OperationSpec) -> None:
        self.operation = operation
        self._reception = reception
        self._hub = hub_of(reception)
        self._grant = operation.grant
        self._call = call_of(operation)
        self._answer: Shape[Value] = shape_of(operation.answer)
        for kind in (operation.query, operation.body):
            if kind is not None:
                shape_of(kind)

    async def __call__(self, request: Request) -> Response:
        visitor = await doors.permitted(request, self._grant)
        check_accept(request, JSON)
        raw = await self._body(request)
        headers = {name: value for name in _HEADERS if (value := _header(request, name)) is not None}
        query: bytes = request.scope["query_string"]
        places = dict(request.path_params)
        try:
            return await self._reception.run(self._work, visitor, places, query, raw, headers)
        finally:
            if self.operation.verb is not Verb.GET:
                self._hub.nudge(visitor.tenant)

    async def _body(self, request: Request) -> bytes:
        if self.operation.body is not None:
            return await bodies.read_body(request)
        length = request.headers.get("content-length", "0")
        if length != "0" or "transfer-encoding" in request.headers:
            raise Malformed("body", "none: this operation takes no body")
        return b""

    def _work(
        self, visitor: Principal, places: dict[str, str], query: bytes, raw: bytes, headers: dict[str, str]
    ) -> Response:
        """Everything that may take long, in one thread: read, ask, write."""
        operation = self.operation
        query, said = read_form(query, headers.get(FORM_HEADER))
        asking = read_query(query, operation.query)
        sketch = read_body(raw, operation.body) if operation.body is not None else None
        try:
            with understood():
                body = shape_of(operation.body).settle(sketch) if operation.body and sketch else None
                asked = ReadRequest(
                    operation,
                    visitor,
                    self._memory(visitor, headers.get(USER_HEADER)),
                    places=places,
                    query=asking,
                    body=body,
                    headers=headers,
                    form=said,
                )
                return self._answered(asked)
        except Stale as error:
            if headers.get("if-match", ANY).strip() == ANY:
                raise
            raise _outdated(str(error), error.hint) from None

    def _memory(self, visitor: Principal, user: str | None) -> Memory:
        """The memory as the visitor sees it, or the one of the user the request is made for."""
        memory = self._reception.memory(visitor)
        return memory if user is None else memory.for_user(unquote(user))

    def _answered(self, asked: ReadRequest) -> Response:
        """Under a key it is followed once. What changes nothing may come under a key and takes no notice of it."""
        if KEY_HEADER in asked.headers:
            if self.operation.key is Key.ANSWER:
                return repeatable(asked, lambda: self._told(asked))
            if self.operation.key is Key.BATCH:
                return claimed(asked, lambda: self._told(asked))
        return self._told(asked)

    def _told(self, asked: ReadRequest) -> Response:
        options = named(asked) if self.operation.key in (Key.PROPOSAL, Key.BATCH) else {}
        expected = self._expected(asked, options.get("proposal_id", getattr(asked.body, "proposal_id", None)))
        if expected is not None:
            options["expected_revision"] = expected
        value = self._called(asked, options)
        body = asked.form.write(value)
        if self.operation.tagged:
            return _tagged(asked, value, body)
        status, headers = _status(self.operation, value)
        return Response(body, status_code=status, headers=headers, media_type=JSON)

    def _called(self, asked: ReadRequest, options: dict[str, object]) -> Value:
        try:
            return self._call(asked, options)
        except Malformed as error:
            if error.field == "proposal_id" and "proposal_id" in options:
                raise reused() from None
            raise

    def _expected(self, asked: ReadRequest, name: object) -> int | None:
        """The revision the caller expects, once it is known that nothing else of the record has changed either. What
        was proposed before under that name is not compared again: the record has moved on because of it."""
        header = asked.headers.get("if-match")
        if header is None:
            return None
        if self.operation.tagged:
            return None
        if not self.operation.matchable:
            raise Malformed("If-Match", "to be left out: this operation compares nothing")
        marks = read_match(header)
        if marks is None:
            return None
        if len(marks) == 1 and (marks[0].tag is None or _proposed(asked, name)):
            return marks[0].revision
        told = asked.memory.get(asked.places["record_id"])
        _compare(marks, told.record.revision, tag_of(told.record.revision, shape_of(type(told)).write(told)))
        return told.record.revision


def _proposed(asked: ReadRequest, name: object) -> bool:
    """Whether there is a proposal of that name already."""
    if not isinstance(name, str):
        return False
    try:
        asked.memory.review.report(name)
    except NotFound:
        return False
    return True


def _compare(marks: tuple[Mark, ...] | None, revision: int, tag: str) -> None:
    if marks is not None and not any(mark.meets(revision, tag) for mark in marks):
        raise _outdated("the record is not as it was when it was read", "Read it again and decide on that.")


def _header(request: Request, name: str) -> str | None:
    said = request.headers.getlist(name)
    if not said:
        return None
    if len(said) > 1 and name != "if-none-match":
        raise Malformed(name, "to be said once")
    return ", ".join(said)


def _tagged(asked: ReadRequest, value: Value, body: bytes) -> Response:
    """A record with its tag, or only that it is still the one the caller has."""
    revision: int = value.record.revision  # type: ignore[attr-defined]  # what is tagged is a disclosure
    tag = tag_of(revision, shape_of(type(value)).write(value))
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if "if-match" in asked.headers:
        _compare(read_match(asked.headers["if-match"]), revision, tag)
    known = asked.headers.get("if-none-match")
    if known is not None and same_tag(known, tag):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=JSON)


def _status(operation: OperationSpec, value: Value) -> tuple[int, dict[str, str]]:
    """What became of a proposal, as a status and a place to look."""
    if len(operation.statuses) == 1 or not isinstance(value, Verdict):
        return operation.statuses[0], {}
    status = _STATUS[value.outcome]
    if value.outcome is Outcome.COMMITTED and value.record_id is not None:
        return status, {"Location": f"/api/records/{value.record_id}"}
    return status, {"Location": f"/api/proposals/{value.proposal_id}"}


def _outdated(detail: str, hint: str) -> Declined:
    return Declined(status=412, code="stale", detail=detail, hint=hint, field="if-match")
