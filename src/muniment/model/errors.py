"""Everything that can go wrong, as one tree. One question per branch: who can do something about it?

    MunimentError
    ├─ CallerError           the request is wrong; sending it again will not help
    │  ├─ Malformed          which field, what was expected
    │  ├─ Unreadable         a text that is no document: where in it, and what should stand there
    │  ├─ LimitExceeded      which limit, its value, what was sent
    │  ├─ Unauthenticated    nobody is named as the caller
    │  ├─ NotPermitted       an operation the policy does not give this actor
    │  ├─ NotFound           nothing there that the caller may know of
    │  ├─ Stale              the caller's version, the present version
    │  ├─ RolledBack         a batch that was taken in and rolled back: which
    │  ├─ SourceUnreadable   a store of another system that cannot be read: where, and what should be there
    │  ├─ SourceIncomplete   entries of such a store that cannot be read: how many, and where first
    │  ├─ OnHold             what was to be erased must be kept: under which hold, and why
    │  └─ Undecided          a strategy that cannot tell two sides apart
    ├─ OperationalError      the world failed; the same request may work later
    │  ├─ StoreUnavailable
    │  │  └─ StoreFull       no room left
    │  ├─ StoreBusy
    │  ├─ ModelUnavailable   a model cannot be reached or cannot work
    │  └─ TooManyRequests    the caller asks for more than its share; when to come again
    ├─ ConfigurationError    refuse to start; say which setting and what would be right
    │  └─ PolicyInvalid      which file, which line
    └─ IntegrityError        what is stored contradicts itself; stop
       ├─ LedgerBroken
       └─ SchemaMismatch     found revision, needed revision

A refusal by policy is not an error: it is a returned verdict with its rule and reason.
No message quotes a caller's value: a value may be a secret.
"""

from __future__ import annotations

from typing import ClassVar

FIELD_SHOWN = 240


def shown(field: str) -> str:
    """The name of a field as a message tells it: a name that a caller made up may be of any length."""
    return field if len(field) <= FIELD_SHOWN else f"{field[: FIELD_SHOWN // 2]}…"


class MunimentError(Exception):
    """Root of everything Muniment raises on purpose. Carries a stable `code` and a `hint`."""

    code: ClassVar[str] = "error"
    hint: str = ""


class CallerError(MunimentError):
    """The request is wrong; sending it again will not help."""

    code = "caller_error"


class Malformed(CallerError):
    """A field of the request does not have the shape it must have."""

    code = "malformed"

    def __init__(self, field: str, expected: str, *, hint: str = "") -> None:
        super().__init__(f"{shown(field)}: expected {expected}")
        self.field = field
        self.expected = expected
        self.hint = hint or f"Change {shown(field)} and ask again; nothing was done."


class Unreadable(CallerError):
    """A text cannot be read as a document at all."""

    code = "unreadable"

    def __init__(self, field: str, expected: str, *, line: int, column: int) -> None:
        super().__init__(f"{shown(field)}, line {line}, column {column}: expected {expected}")
        self.field = field
        self.expected = expected
        self.line = line
        self.column = column
        self.hint = "Correct the text there; it must be one JSON or YAML document."


class LimitExceeded(CallerError):
    """The request carries more than a named limit allows."""

    code = "limit_exceeded"

    def __init__(self, field: str, *, limit: int, unit: str, sent: int) -> None:
        assert sent > limit, "raised for a request that was within bounds"
        super().__init__(f"{field}: at most {limit} {unit} are allowed, the request carries {sent}")
        self.field = field
        self.limit = limit
        self.unit = unit
        self.sent = sent
        self.hint = f"Shorten or split {field}."


class Unauthenticated(CallerError):
    """Nobody is named as the caller; there is no anonymous access."""

    code = "unauthenticated"
    hint = "Name the actor: actor=… in Python, --as ACTOR on the command line."

    def __init__(self, field: str = "actor") -> None:
        wrong = field in ("authorization", "key")
        super().__init__(f"{field}: {'no key or token that is good here' if wrong else 'a caller must be named'}")
        self.field = field


class NotPermitted(CallerError):
    """The policy does not give this actor that operation. Says nothing of what the operation would have found."""

    code = "not_permitted"
    hint = "Ask an owner of the vault, or have the policy's review rules name this actor."

    def __init__(self, actor: str, operation: str) -> None:
        super().__init__(f"{actor} may not {operation}")
        self.actor = actor
        self.operation = operation


class NotFound(CallerError):
    """Nothing there that the caller may know of. Never tells hidden from absent, and keeps no word of what was asked
    for: that may be a secret."""

    code = "not_found"

    def __init__(self, what: str, _asked: str) -> None:
        super().__init__(f"there is no {what} of that id that you may see")
        self.what = what
        self.hint = f"Check the {what} id, the tenant and who you are acting as."


class Stale(CallerError):
    """The request was made against a version that is no longer the present one."""

    code = "stale"

    def __init__(self, what: str, *, yours: str, present: str) -> None:
        super().__init__(f"{what}: you expected {yours}, the present state is {present}")
        self.what = what
        self.yours = yours
        self.present = present
        self.hint = "Read it again and decide on what it says now."


class RolledBack(CallerError):
    """The same batch was taken in before and rolled back; nothing was changed."""

    code = "rolled_back"

    def __init__(self, batch: str) -> None:
        super().__init__(f"this was taken in as batch {batch}, which was rolled back")
        self.batch = batch
        self.hint = "To take it in once more, say `--again` (`again=True` in Python, `again=true` over HTTP)."


class SourceUnreadable(CallerError):
    """A store of another system cannot be read; nothing of it was taken in."""

    code = "source_unreadable"

    def __init__(self, place: str, expected: str, *, hint: str = "") -> None:
        super().__init__(f"{place}: expected {expected}")
        self.field = "source"
        self.place = place
        self.expected = expected
        self.hint = hint or "Name the file or folder the other system wrote, or another kind with --from."


class SourceIncomplete(CallerError):
    """A store of another system has entries that cannot be read; nothing of it was taken in."""

    code = "source_incomplete"

    def __init__(self, count: int, place: str, message: str) -> None:
        super().__init__(f"{count} entries cannot be read, the first at {place}: {message}")
        self.field = "source"
        self.count = count
        self.place = place
        self.hint = "Correct them, or take in the rest with --skip-bad; they are counted in the report."


class OnHold(CallerError):
    """What was to be erased must be kept; nothing was changed."""

    code = "on_hold"

    def __init__(self, hold: str, reason: str, *, records: int, proposals: int = 0) -> None:
        kept = [f"{records} of the records"] if records or not proposals else []
        kept += [f"{proposals} of the waiting proposals"] if proposals else []
        super().__init__(f"{' and '.join(kept)} are on hold {hold}: {reason}")
        self.hold = hold
        self.reason = reason
        self.records = records
        self.proposals = proposals
        self.hint = "`muniment forget --dry-run` marks what is on hold; `muniment hold lift` ends the hold."


class Undecided(CallerError):
    """A strategy cannot tell the two sides of a conflict apart; nothing was changed."""

    code = "undecided"
    hint = "Choose another strategy, name the winner if you may, or escalate it to a person."

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")
        self.what = what


class OperationalError(MunimentError):
    """The world failed; the same request may work later."""

    code = "operational_error"


class StoreUnavailable(OperationalError):
    """The store cannot be opened, read or written."""

    code = "store_unavailable"
    hint = "Check that the vault exists, that its disk has room and that you may write to it."

    def __init__(self, message: str = "", *, hint: str = "") -> None:
        super().__init__(message)
        if hint:
            self.hint = hint


def closed(what: str) -> StoreUnavailable:
    """The refusal of something that was closed by whoever opened it."""
    return StoreUnavailable(f"{what} is closed", hint="Open it again, or ask before you close it.")


class StoreFull(StoreUnavailable):
    """There is no room left; nothing was written, and reading goes on."""

    code = "store_full"
    hint = "Free room on the vault's disk, or put the vault on a larger one, and send the request again."


class StoreBusy(OperationalError):
    """Another writer held the store for longer than we were told to wait."""

    code = "store_busy"
    hint = "Try again; if it lasts, look for a process that holds the vault open in a long transaction."


class ModelUnavailable(OperationalError):
    """An embedder cannot be reached or cannot work. Everything else goes on without it."""

    code = "mind_unavailable"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint or "Check the embedder: `muniment model status`, or the endpoint's address and key."


class TooManyRequests(OperationalError):
    """The caller asks for more than its share at once; nothing was done."""

    code = "too_many_requests"

    def __init__(self, what: str, *, retry_after: float) -> None:
        super().__init__(f"{what}: more than a caller may ask for at once")
        self.what = what
        self.retry_after = retry_after
        self.hint = f"Send it again in {max(1, round(retry_after))} s, or have the server's limits raised."


class ConfigurationError(MunimentError):
    """A setting is missing, unknown or wrong; nothing was opened."""

    code = "configuration_error"

    def __init__(self, setting: str, expected: str, *, hint: str = "") -> None:
        super().__init__(f"{setting}: {expected}")
        self.setting = setting
        self.hint = hint or f"Change {setting} and start again."


class PolicyInvalid(ConfigurationError):
    """The policy file does not say anything we may act on."""

    code = "policy_invalid"

    def __init__(self, place: str, line: int, expected: str) -> None:
        super().__init__(f"{place}, line {line}" if line else place, expected)
        self.place = place
        self.line = line
        self.hint = "Correct the line; `muniment policy check FILE` checks without changing anything."


class IntegrityError(MunimentError):
    """What is stored contradicts itself; stop and look."""

    code = "integrity_error"
    hint = "Run `muniment ledger verify` and restore from a copy that verifies."


class LedgerBroken(IntegrityError):
    """A ledger entry is missing, altered or out of place."""

    code = "ledger_broken"

    def __init__(self, message: str, *, seq: int | None = None) -> None:
        super().__init__(message)
        self.seq = seq


class SchemaMismatch(IntegrityError):
    """The store was written by a schema revision this engine does not speak."""

    code = "schema_mismatch"

    def __init__(
        self, *, found: int, needed: int, what: str = "the store has schema revision", hint: str | None = None
    ) -> None:
        super().__init__(f"{what} {found}, this engine needs {needed}")
        self.found = found
        self.needed = needed
        self.hint = hint or (
            "Let the owner run `muniment migrate`, which brings it up to date."
            if found < needed
            else "Upgrade Muniment: a newer release wrote this store."
        )
