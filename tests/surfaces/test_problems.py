"""Every error of the tree has an exit code, a code and words; what is not of the tree is not quoted."""

from __future__ import annotations

from collections.abc import Iterator

from tests.cases import each

from muniment.model import errors
from muniment.surfaces.problems import ExitCode, problem_of

EXITS = {
    "caller_error": 2,
    "malformed": 2,
    "limit_exceeded": 2,
    "unreadable": 2,
    "unauthenticated": 2,
    "not_permitted": 2,
    "not_found": 2,
    "stale": 2,
    "rolled_back": 2,
    "source_unreadable": 2,
    "source_incomplete": 2,
    "on_hold": 2,
    "undecided": 2,
    "configuration_error": 2,
    "policy_invalid": 2,
    "operational_error": 3,
    "store_unavailable": 3,
    "store_full": 3,
    "store_busy": 3,
    "mind_unavailable": 3,
    "too_many_requests": 3,
    "integrity_error": 1,
    "ledger_broken": 1,
    "schema_mismatch": 6,
}

EXAMPLES: tuple[errors.MunimentError, ...] = (
    errors.CallerError("wrong"),
    errors.Malformed("kind", "one of the kinds"),
    errors.Unreadable("/entry/3", "a comma or ]", line=7, column=2),
    errors.LimitExceeded("content", limit=1, unit="bytes", sent=2),
    errors.Unauthenticated(),
    errors.NotPermitted("docs", "read the ledger"),
    errors.NotFound("record", "rec_1"),
    errors.Stale("record rec_1", yours="revision 1", present="revision 2"),
    errors.RolledBack("omir-0c1d2e"),
    errors.SourceUnreadable("history.db", "a whole SQLite file"),
    errors.SourceIncomplete(2, "memory.jsonl:7", "no JSON object"),
    errors.OnHold("hld_1", "case 2026-114", records=3),
    errors.Undecided("conflict cfl_1", "both sides are equal by vote"),
    errors.ConfigurationError("vault", "is missing"),
    errors.PolicyInvalid("policy.yaml", 3, "no"),
    errors.OperationalError("the world failed"),
    errors.StoreUnavailable("no disk"),
    errors.StoreFull("no room"),
    errors.StoreBusy("locked"),
    errors.ModelUnavailable("the endpoint answered 401"),
    errors.TooManyRequests("requests of planner", retry_after=2.0),
    errors.IntegrityError("contradiction"),
    errors.LedgerBroken("entry 3", seq=3),
    errors.SchemaMismatch(found=9, needed=1),
)


def _tree(root: type[errors.MunimentError]) -> Iterator[type[errors.MunimentError]]:
    for branch in root.__subclasses__():
        yield branch
        yield from _tree(branch)


def test_the_examples_cover_the_whole_tree() -> None:
    # Errors that a test declares for itself are not of our tree.
    ours = {kind for kind in _tree(errors.MunimentError) if kind.__module__ == errors.__name__}
    assert {type(example) for example in EXAMPLES} == ours


@each("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_every_error_has_its_exit_code_and_its_words(error: errors.MunimentError) -> None:
    problem = problem_of(error)
    assert (problem.code, int(problem.exit)) == (error.code, EXITS[error.code])
    assert problem.message == str(error)


def test_a_problem_names_the_field_or_the_setting() -> None:
    assert problem_of(errors.Malformed("kind", "a kind")).field == "kind"
    assert problem_of(errors.ConfigurationError("MUNIMENT_VAULT", "empty")).field == "MUNIMENT_VAULT"
    assert problem_of(errors.StoreBusy("locked")).field is None


def test_an_unknown_error_is_internal_and_its_words_are_not_repeated() -> None:
    problem = problem_of(ValueError("the secret content"))
    assert problem.exit is ExitCode.INTERNAL
    assert "internal error" in problem.message
    assert "secret" not in problem.message + problem.hint


def test_what_the_operating_system_refuses_is_the_worlds_failure() -> None:
    problem = problem_of(PermissionError(13, "Permission denied"))
    assert (problem.exit, problem.message) == (ExitCode.WORLD_FAILED, "Permission denied")


def test_half_a_surrogate_pair_does_not_break_the_telling() -> None:
    assert problem_of(errors.StoreUnavailable("no vault at \udcff")).message == "no vault at \\udcff"
