"""The commands that erase, and those about the certificates of it: forget; certificate verify, list, show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from muniment.engine import Memory
from muniment.engine.audit import VerificationState
from muniment.model.curation import ErasureResult
from muniment.model.erasure import Target, TargetKind, one_target
from muniment.model.errors import Malformed, NotFound
from muniment.model.user import user_name
from muniment.surfaces.cli import show, show_guard
from muniment.surfaces.cli.certified import CertificateCheck, checked, read_document
from muniment.surfaces.cli.confirm import confirmed, must_ask
from muniment.surfaces.cli.output import note, write_json
from muniment.surfaces.cli.root import CommandCall, app, command, group
from muniment.surfaces.cli.shapes_guard import (
    CertificatesShape,
    certificate_shape,
    plan_shape,
)
from muniment.surfaces.cli.verdicts import verdict_shape
from muniment.surfaces.problems import ExitCode

certificate = typer.Typer(help="Certificates of what was erased: list, show, verify.", rich_markup_mode="rich")
certificate.callback()(group)
app.add_typer(certificate, name="certificate")

MaybeRecord = Annotated[str | None, typer.Argument(metavar="[ID]", help="The record's id.", show_default=False)]
Subject = Annotated[
    str | None, typer.Option("--subject", metavar="NAME", help="Everything about this person or thing.")
]
Source = Annotated[str | None, typer.Option("--source", metavar="NAME", help="Everything from this source.")]
Author = Annotated[str | None, typer.Option("--actor", metavar="ACTOR", help="Everything this actor wrote.")]
Sitting = Annotated[str | None, typer.Option("--session", metavar="ID", help="Everything of this session.")]
OfUser = Annotated[str | None, typer.Option("--user", metavar="NAME", help="Everything that is kept for this user.")]
Cascade = Annotated[
    str | None,
    typer.Option(
        "--cascade",
        metavar="erase|redact|review",
        help="What becomes of what was derived from it (default: the policy's).",
    ),
]
Expected = Annotated[
    str | None,
    typer.Option("--plan", metavar="DIGEST", help="Do it only if the plan is still the one of this digest."),
]
Reason = Annotated[
    str | None,
    typer.Option("--reason", help="Why; it is kept for good, so name a ticket and no person. Needed but with --user."),
]
Probable = Annotated[
    bool,
    typer.Option(
        "--include-probable",
        help="With --subject: erase also what holds the letters of the name in a longer word or without their accents.",
    ),
]
Probe = Annotated[
    bool, typer.Option("--probe", help="Ask recall for it as if it were gone; the certificate says what came back.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would go, and change nothing.")]
CertificateFile = Annotated[
    str, typer.Argument(metavar="FILE", help="A certificate, as `forget --json` prints it.", show_default=False)
]


@command(app, "forget", example='muniment forget --subject "Ana Ruiz" --reason ticket:PRIV-17 --dry-run')
def forget(
    call: CommandCall,
    record_id: MaybeRecord = None,
    reason: Reason = None,
    subject: Subject = None,
    source: Source = None,
    actor: Author = None,
    session: Sitting = None,
    user: OfUser = None,
    cascade: Cascade = None,
    expected: Expected = None,
    include_probable: Probable = False,
    yes: Yes = False,
    dry_run: DryRun = False,
    probe: Probe = False,
) -> ExitCode:
    """Erase for good: every revision, index term and vector, the words of receipts and reports that quote it, and what
    was derived from it. A tombstone and a signed certificate stay. Shows the plan and asks first."""
    target = target_of(record_id, subject=subject, source=source, actor=actor, session=session, user=user)
    asks = not dry_run and must_ask(yes, "erase")
    with call.memory() as memory:
        wish = ErasureRun(memory, target, reason=reason, cascade=cascade, expected=expected, probable=include_probable)
        wish.probe = probe
        if dry_run:
            call.tell(plan_shape(wish.plan().plan), show_guard.plan)
            return ExitCode.ANSWERED
        if asks and not _agreed(wish):
            note("nothing was changed")
            return ExitCode.ANSWERED
        done = wish.fulfil()
    _tell(call, done)
    return ExitCode.ANSWERED


def target_of(
    record_id: str | None,
    *,
    subject: str | None,
    source: str | None,
    actor: str | None,
    session: str | None,
    user: str | None = None,
) -> Target:
    """The one target on the line. What is wrong with it is told by its flag: `--actor` is not who is acting."""
    try:
        return one_target(record_id, subject=subject, source=source, actor=actor, session=session, user=user)
    except Malformed as error:
        hints = {
            "actor": "Change --actor and ask again; nothing was done.",
            "target": "Name a record's id, or one of --subject, --source, --actor, --session, --user.",
        }
        raise Malformed(error.field, error.expected, hint=hints.get(error.field, "")) from None


class ErasureRun:
    """An erasure somebody asks for: what it would do, and the doing of it."""

    def __init__(
        self,
        memory: Memory,
        target: Target,
        *,
        reason: str | None,
        cascade: str | None,
        expected: str | None,
        probable: bool,
    ) -> None:
        self._memory = memory
        self.expected = expected
        self._reason = reason
        self._cascade = cascade
        self._target = target
        self._probable = probable
        self.probe = False

    def plan(self) -> ErasureResult:
        return self._forget(dry_run=True)

    def fulfil(self) -> ErasureResult:
        return self._forget(dry_run=False)

    def _forget(self, *, dry_run: bool) -> ErasureResult:
        by, value = self._target.by, self._target.value
        return self._memory.forget(
            value if by is TargetKind.RECORD else None,
            subject=value if by is TargetKind.SUBJECT else None,
            source=value if by is TargetKind.SOURCE else None,
            actor=value if by is TargetKind.ACTOR else None,
            session=value if by is TargetKind.SESSION else None,
            user=user_name(value) if by is TargetKind.USER else None,
            reason=self._reason,
            cascade=self._cascade,
            expected=self.expected,
            include_probable=self._probable,
            dry_run=dry_run,
            probe=self.probe,
        )


def _agreed(wish: ErasureRun) -> bool:
    """Ask with the plan shown; what is agreed to is that plan and no other. Where a hold stands against it there is
    nothing to ask: the erasure refuses."""
    plan = wish.plan().plan
    wish.expected = plan.digest
    if plan.holds:
        return True
    return confirmed("Erase it for good?", show_guard.asked(plan_shape(plan)))


STILL_THERE = (
    "it is not out of the store's files yet: somebody still reads an older state, and it leaves them when they end; "
    "or, in a database, the tables are large or not yours: let their owner run `muniment migrate ADDRESS --scrub`"
)


def _tell(call: CommandCall, done: ErasureResult) -> None:
    """Answer with the certificate. Where the policy refused there is none: then with the verdict."""
    if done.certificate is None:
        assert done.verdict is not None, "what was asked for in earnest has a verdict"
        call.tell(verdict_shape(done.verdict), show.verdict)
        return
    shape = certificate_shape(done.certificate)
    if call.as_json:
        write_json(shape if done.opening is None else {**shape, "opening": done.opening})
    else:
        call.tell(shape, show_guard.erased)
        if done.opening is not None:
            what = "(kept nowhere; `certificate verify --opening` shows by it what this is about)"
            note(f"opening: {done.opening} {what}")
    if not done.scrubbed:
        note(STILL_THERE)


@command(certificate, "verify", example="muniment certificate verify certificate.json --key signing.pub")
def verify(
    call: CommandCall,
    file: CertificateFile,
    key: Annotated[
        str | None,
        typer.Option("--key", metavar="PUB", help="The public key, or a file that holds it; needs no vault."),
    ] = None,
    opening: Annotated[
        str | None, typer.Option("--opening", metavar="HEX", help="What was told when it was erased.")
    ] = None,
    record_id: Annotated[str | None, typer.Option("--record", metavar="ID", help="Whether it is about this.")] = None,
    subject: Annotated[str | None, typer.Option("--subject", metavar="NAME", help="Whether it is about this.")] = None,
    source: Annotated[str | None, typer.Option("--source", metavar="NAME", help="Whether it is about this.")] = None,
    actor: Annotated[str | None, typer.Option("--actor", metavar="ACTOR", help="Whether it is about this.")] = None,
    session: Annotated[str | None, typer.Option("--session", metavar="ID", help="Whether it is about this.")] = None,
    user: Annotated[str | None, typer.Option("--user", metavar="NAME", help="Whether it is about this.")] = None,
) -> ExitCode:
    """Check a certificate by a public key, or by the vault if there is one: then also that its ledger says so and that
    what it names is gone; else by the key it names. Says what was checked. Exit code 0 if it is genuine, 1 if not,
    5 if it is genuine and a restore put the ledger back to before it."""
    named = any(one is not None for one in (record_id, subject, source, actor, session, user))
    about = (
        target_of(record_id, subject=subject, source=source, actor=actor, session=session, user=user) if named else None
    )
    document = read_document(Path(file))
    given = opening if opening is not None or about is None else document.opening
    found = checked(call, document, CertificateCheck(key=key, about=about, opening=given))
    call.tell(found, show_guard.checked)
    if not found["genuine"]:
        return ExitCode.DAMAGED
    return ExitCode.RESTORED if found["state"] == VerificationState.RESTORED else ExitCode.ANSWERED


@command(certificate, "list", example="muniment certificate list --json")
def list_(call: CommandCall) -> ExitCode:
    """List the certificates of everything that was erased, oldest first."""
    with call.memory() as memory:
        found = memory.erasure.certificates()
    shape: CertificatesShape = {"certificates": [certificate_shape(one) for one in found]}
    call.tell(shape, show_guard.certificates)
    return ExitCode.ANSWERED


@command(certificate, "show", example="muniment certificate show crt_1 --json > certificate.json")
def show_certificate(
    call: CommandCall,
    certificate_id: Annotated[str, typer.Argument(metavar="ID", help="The certificate's id.", show_default=False)],
) -> ExitCode:
    """Show a certificate. With --json it is the document that `certificate verify` reads."""
    with call.memory() as memory:
        found = [one for one in memory.erasure.certificates() if one.certificate.id == certificate_id]
    if not found:
        raise NotFound("certificate", certificate_id)
    call.tell(certificate_shape(found[0]), show_guard.certificate)
    return ExitCode.ANSWERED
