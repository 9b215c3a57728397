"""Every error of the tree has its status, its code and its words on the wire; what is ours is told in our words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
from starlette.exceptions import HTTPException
from tests.cases import each
from tests.surfaces.test_problems import EXAMPLES

from muniment.model import errors
from muniment.surfaces.http import problems
from muniment.surfaces.http.problem_pages import meaning_of
from muniment.surfaces.http.problems import Declined, ProblemDocument, document_of, headers_of, response_of, status_of

STATUS = {
    "caller_error": 400,
    "malformed": 400,
    "unreadable": 400,
    "limit_exceeded": 400,
    "source_unreadable": 400,
    "source_incomplete": 400,
    "unauthenticated": 401,
    "not_permitted": 403,
    "not_found": 404,
    "stale": 409,
    "on_hold": 409,
    "rolled_back": 409,
    "undecided": 409,
    "too_many_requests": 429,
    "operational_error": 503,
    "store_unavailable": 503,
    "store_busy": 503,
    "mind_unavailable": 503,
    "store_full": 507,
    "configuration_error": 500,
    "policy_invalid": 500,
    "integrity_error": 500,
    "ledger_broken": 500,
    "schema_mismatch": 500,
}


def _leaves(kind: type[errors.MunimentError]) -> Iterator[type[errors.MunimentError]]:
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            yield child
            yield from _leaves(child)


def test_every_error_of_the_tree_has_a_status() -> None:
    assert {kind.code for kind in _leaves(errors.MunimentError)} == set(STATUS)


@each("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_an_error_is_told_with_its_status_and_its_code(error: errors.MunimentError) -> None:
    response = response_of(error)
    told = msgspec.json.decode(response.body, type=ProblemDocument)
    assert (response.status_code, told.status, told.code) == (STATUS[error.code], STATUS[error.code], error.code)
    assert response.headers["content-type"] == "application/problem+json"
    assert told.type == f"/problems/{error.code}"
    assert told.title
    assert told.detail


@each("error", [one for one in EXAMPLES if STATUS[one.code] < 500], ids=lambda one: one.code)
def test_what_the_caller_got_wrong_is_told_in_the_errors_words(error: errors.MunimentError) -> None:
    told = document_of(error)
    assert (told.detail, told.hint) == (str(error), error.hint)


@each(
    "error",
    [
        errors.StoreUnavailable("there is no vault at /secret/place"),
        errors.IntegrityError("secret.sqlite is damaged"),
        errors.PolicyInvalid("/secret/policy.yaml", 3, "no"),
        errors.LedgerBroken("entry secret", seq=1),
        ValueError("the secret content"),
        OSError(2, "secret"),
    ],
)
def test_what_went_wrong_on_our_side_is_told_without_the_errors_words(error: Exception) -> None:
    body = bytes(response_of(error).body)
    assert b"secret" not in body
    assert b"detail" in body


def test_what_nobody_expected_is_an_internal_error() -> None:
    told = document_of(RuntimeError("boom"))
    assert (told.status, told.code) == (500, "internal")


def test_a_body_that_is_too_large_has_a_status_of_its_own() -> None:
    assert status_of(errors.LimitExceeded("body", limit=1, unit="bytes", sent=2)) == 413
    assert status_of(errors.LimitExceeded("content", limit=1, unit="bytes", sent=2)) == 400


def test_refusals_bring_the_headers_that_say_what_to_do() -> None:
    assert headers_of(errors.Unauthenticated()) == {"WWW-Authenticate": 'Bearer realm="muniment"'}
    assert headers_of(errors.TooManyRequests("x", retry_after=0.2)) == {"Retry-After": "1"}
    assert headers_of(errors.TooManyRequests("x", retry_after=2.1)) == {"Retry-After": "3"}
    assert headers_of(errors.StoreBusy("x")) == {"Retry-After": "1"}
    assert headers_of(errors.StoreFull("x")) == {}
    assert headers_of(HTTPException(405, headers={"Allow": "GET"})) == {"Allow": "GET"}


def test_a_refusal_only_http_knows_says_what_it_was_given() -> None:
    error = Declined(status=412, code="stale", detail="d", hint="h", field="if-match", headers={"ETag": '"r1"'})
    told = document_of(error)
    assert (told.status, told.code, told.detail, told.hint, told.field) == (412, "stale", "d", "h", "if-match")
    assert response_of(error).headers["etag"] == '"r1"'


def test_a_field_is_told_only_if_there_is_one() -> None:
    assert b'"field"' not in bytes(response_of(errors.StoreBusy("x")).body)
    assert document_of(errors.Malformed("kind", "a kind")).field == "kind"


def test_every_code_that_is_sent_has_a_page_that_explains_it() -> None:
    folder = Path(problems.__file__).parent
    sent = {found for path in folder.rglob("*.py") for found in re.findall(r'\bcode="([a-z_]+)"', path.read_text())}
    assert {"foreign_host", "unsupported_media_type"} <= sent
    assert [code for code in sorted(sent | set(STATUS) | {"internal"}) if not meaning_of(code)] == []
    assert meaning_of("no_such_code") is None
