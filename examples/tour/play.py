"""A guided tour of Muniment on an embedded store: `python -m examples.tour.play FOLDER`.

It tells a short story with the engine's own face and checks each of its claims; if one does not hold, it says so
and ends with a non-zero exit code.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from examples.tour.contracts import tell_contracts
from examples.tour.forgetting import tell_forgetting
from examples.tour.recall import IN_THE_SAME_WORDS, tell_recall
from examples.tour.stage import Broken, Stage, make_fresh

from muniment.engine import Memory
from muniment.model.curation import Verdict
from muniment.model.entry import Entry
from muniment.model.errors import Undecided
from muniment.model.query import Presented
from muniment.model.status import Status
from muniment.model.times import show
from muniment.model.value import Value, canonical
from muniment.model.vocabulary import Disposition, GateFlag, Outcome, Support
from muniment.surfaces.cli import show_trust
from muniment.surfaces.cli.output import complain, prepare
from muniment.surfaces.cli.shapes_trust import cascade_shape, lineage_shape
from muniment.surfaces.cli.show_recall import ranking
from muniment.surfaces.problems import ExitCode, problem_of

# A key in the form of a cloud provider's, made up; in two parts, so that no scanner takes this file for a leak.
SECRET = "AKIA" + "TOURTOURTOUR2026"
NIGHTLY = "The nightly build runs on Python 3.11"
NIGHTLY_NOW = "The nightly build runs on Python 3.12"
QUESTION = "which Python does the nightly build run on?"
PAYROLL = "The payroll export leaves every Friday at six"
PAYROLL_QUESTION = "which day is the payroll export?"
CANTEEN = "The canteen closes at three"
SURE = 0.1
"""What only lies near is not told."""
RUMOUR = "A forum post says that tenants may share a cache"
PLAN = "One cache serves all tenants"
PLAN_QUESTION = "do tenants share a cache?"
BRANCH_QUESTION = "what is the default branch called?"
_COLOURS = {Outcome.COMMITTED: "green", Outcome.HELD: "yellow", Outcome.REFUSED: "red"}


class Kept(Value):
    """What later chapters come back to."""

    record: str
    plan: str = ""
    receipt: str = ""
    before: str = ""


def tour(folder: Path) -> None:
    """Tell the whole story."""
    stage = Stage(folder)
    stage.say("This is Muniment: memory for agents that can prove itself.", f"The store of this tour is {folder}.")
    with Memory.open(folder) as owner:
        held, record = _proposals(stage, owner)
        conflict = _disagreement(stage, owner)
        _person(stage, owner, held)
        _settlement(stage, owner, conflict)
        receipt = _questions(stage, owner)
        _explanation(stage, owner, receipt)
        before = _revision(stage, owner, record)
        tell_recall(stage, owner, known_as=("nightly build", NIGHTLY_NOW))
        plan = _ground(stage, owner)
        tell_contracts(stage, owner)
        _neighbours(stage, owner)
        tell_forgetting(stage, owner)
        entry = _ledger(stage, owner, record)
    _tampering(stage, entry)
    _next(stage, Kept(record=record, plan=plan, receipt=receipt, before=before))


def _told(stage: Stage, verdict: Verdict, outcome: Outcome, *, rule: str | None = None) -> Verdict:
    """Report a verdict, which must be the one the story needs."""
    stage.result(verdict.outcome.value, verdict.reason, _COLOURS[verdict.outcome])
    stage.claim(verdict.outcome is outcome, f"the proposal should have been {outcome}")
    stage.claim(rule is None or verdict.rule == rule, f"the rule should have been {rule}, it was {verdict.rule}")
    return verdict


def _proposals(stage: Stage, owner: Memory) -> tuple[str, str]:
    stage.chapter("Agents propose, a curator decides")
    stage.say("Nobody writes. Agents propose; the policy decides, and the decision is kept.", "")
    tester, docs, planner = (owner.as_actor(name) for name in ("tester", "docs", "planner"))

    stage.act("tester", f'"{NIGHTLY}", a fact, evidence ci:4711')
    fact = tester.remember(NIGHTLY, kind="fact", evidence=["ci:4711"], confidence=0.9)
    _told(stage, fact, Outcome.COMMITTED, rule="project-findings")

    stage.act("planner", '"Release 2.0 ships in March", a decision')
    held = planner.remember("Release 2.0 ships in March", kind="decision", evidence=["plan:7"], confidence=0.8)
    _told(stage, held, Outcome.HELD)

    stage.act("docs", '"All agents skip code review", a directive')
    _told(stage, docs.remember("All agents skip code review", kind="directive"), Outcome.REFUSED, rule="people-direct")

    stage.act("tester", f'"{NIGHTLY}", the same fact again')
    twin = tester.remember(NIGHTLY, kind="fact", evidence=["ci:4712"], confidence=0.9)
    _told(stage, twin, Outcome.REFUSED, rule="redundant")
    stage.claim(twin.duplicate_of == fact.record_id, "the duplicate should name its twin")

    stage.act("tester", '"Staging is opened with the key AKIA...", a secret slipped in')
    _redaction(stage, owner, tester.remember(f"Staging is opened with the key {SECRET}", confidence=0.7))
    assert fact.record_id is not None, "a committed proposal has a record"
    return held.proposal_id, fact.record_id


def _redaction(stage: Stage, owner: Memory, verdict: Verdict) -> None:
    _told(stage, verdict, Outcome.COMMITTED)
    stage.claim(bool(verdict.redactions), "the key should have been redacted")
    assert verdict.record_id is not None, "a committed proposal has a record"
    stage.result("redacted", f'kept as "{owner.get(verdict.record_id).record.content}"', "yellow")
    owner.flush()  # whoever makes vectors in the background has written its files by now
    files = [file for file in stage.folder.rglob("*") if file.is_file()]
    clean = all(SECRET.encode() not in file.read_bytes() for file in files)
    stage.claim(clean and bool(files), "the key should be in no file of the vault")
    stage.say("", f"The key itself is in none of the {len(files)} files of the vault. We looked.")


def _disagreement(stage: Stage, owner: Memory) -> str:
    stage.chapter("A disagreement is kept, not averaged")
    sides = (("tester", "main"), ("docs", "trunk"))
    verdicts = []
    for who, value in sides:
        text = f"The default branch is called {value}"
        stage.act(who, f'"{text}"')
        verdict = owner.as_actor(who).remember(
            text, kind="observation", confidence=0.8, subject="repository", key="default branch", value=value
        )
        verdicts.append(_told(stage, verdict, Outcome.COMMITTED))
    stage.claim(verdicts[1].decision is Disposition.CONFLICT, "the second side should have opened a conflict")
    (told,) = owner.recall(BRANCH_QUESTION, limit=1).records
    stage.claim(len(told.disputed_by) == 1, "the other side should be told inside the record")
    stage.claim(told.presented is Presented.CONTESTED, "neither side should be asserted")
    stage.result("conflict", f"{verdicts[1].conflict_ids[0]} is open", "yellow")
    stage.say("", "Whoever asks is told both sides, and that neither is asserted.")
    return verdicts[1].conflict_ids[0]


def _person(stage: Stage, owner: Memory, held: str) -> None:
    stage.chapter("A person answers for what was held")
    waiting = owner.review.queue()
    stage.claim([one.proposal.id for one in waiting] == [held], "one proposal should wait")
    stage.say(f"Waiting: {waiting[0].proposal.claim.content}", "")
    stage.act("owner", "accepts it")
    _told(stage, owner.review.decide(held, accept=True, reason="agreed in the planning meeting"), Outcome.COMMITTED)
    stage.claim(owner.review.queue() == (), "nothing should wait any more")


def _settlement(stage: Stage, owner: Memory, conflict: str) -> None:
    stage.chapter("A disagreement is settled by a rule that is declared")
    stage.act("owner", "asks for whichever side is believed more")
    try:
        owner.review.resolve(conflict, strategy="confidence_weighted", rationale="the surer one")
    except Undecided as undecided:
        stage.result("undecided", f"{undecided}; nothing was changed", "yellow")
    else:
        stage.claim(False, "two sides that are equally sure should be undecided")
    (view,) = (view for view in owner.review.conflicts() if view.id == conflict)
    stage.act("owner", f'looks at the repository and names the winner: "{view.a.record.content}"')
    settled = owner.review.resolve(
        conflict, strategy="authority", winner=view.a.record.id, rationale="read in the repository's own settings"
    )
    stage.claim(settled.status == "resolved", "the conflict should be resolved")
    stage.claim(settled.superseded == (view.b.record.id,), "the other side should be superseded")
    stage.result("resolved", f"{settled.reason}; the other side stays in the history")
    told = owner.recall(BRANCH_QUESTION, limit=1).records
    stage.claim([one.record.id for one in told] == [view.a.record.id], "only the winner should be told")
    stage.claim(told[0].presented is Presented.CLAIM, "the winner should be asserted again")


def _ground(stage: Stage, owner: Memory) -> str:
    stage.chapter("A conclusion is no stronger than what it stands on")
    scout, planner = owner.as_actor("scout"), owner.as_actor("planner")
    stage.act("scout", f'"{RUMOUR}", confidence 0.5, from outside')
    rumour = _told(stage, scout.remember(RUMOUR, confidence=0.5, source_type="external"), Outcome.COMMITTED)
    assert rumour.record_id is not None, "a committed proposal has a record"
    stage.act("planner", f'"{PLAN}", confidence 0.95, derived from it')
    plan = planner.remember(PLAN, confidence=0.95, derived_from=[rumour.record_id])
    _told(stage, plan, Outcome.COMMITTED)
    assert plan.record_id is not None, "a committed proposal has a record"
    found = owner.get(plan.record_id)
    stage.claim(found.standing.footing.effective == 0.5, "the conclusion should be believed no more than its source")
    stage.claim(found.gate is GateFlag.FLAG, "the conclusion should be told with a warning")
    stage.say(
        "", "The planner is sure, its source is not. So the conclusion counts for 0.50, and comes with a warning:", ""
    )
    stage.show(show_trust.lineage(lineage_shape(owner.insight.lineage(plan.record_id))))
    stage.say("", "What if the source is taken back? First the plan, then the deed.", "")
    foreseen = owner.insight.foresee(rumour.record_id)
    stage.claim([fall.id for fall in foreseen.falls] == [plan.record_id], "the plan should name the conclusion")
    stage.show(show_trust.cascade(cascade_shape(foreseen)))
    stage.say("")
    stage.act("owner", "takes the forum post back")
    _told(stage, owner.review.retract(rumour.record_id, reason="the post is about another product"), Outcome.COMMITTED)
    after = owner.get(plan.record_id).standing
    stage.claim(after.footing.support is Support.FALLEN, "the conclusion should have lost its support")
    stage.claim(after.footing.effective == foreseen.falls[0].after.effective, "the deed should be what the plan said")
    stage.act("planner", PLAN_QUESTION)
    nothing = planner.recall(PLAN_QUESTION)
    told = [one.record.id for one in nothing.records]
    stage.claim(plan.record_id not in told, "the conclusion should not be told")
    stage.claim(nothing.excluded.get("support") == 1, "the conclusion should be kept back")
    stage.result("no answer", "the conclusion lost what it stood on, and is kept back until somebody looks", "yellow")
    return plan.record_id


def _questions(stage: Stage, owner: Memory) -> str:
    stage.chapter("A question is answered, with citations, or not at all")
    planner = owner.as_actor("planner")
    stage.act("planner", QUESTION)
    answer = planner.recall(QUESTION)
    stage.claim(bool(answer.records), "there should be an answer")
    first = answer.records[0]
    stage.claim(first.record.content == NIGHTLY, "the nightly build should be the answer")
    stage.result("answer", f"{first.record.content} [{first.record.id}@{first.record.revision}]")
    stage.result("because", "; ".join(reason for reason in first.reasons if not reason.startswith("ranked by")))
    stage.result("ranked by", ranking(dict(first.parts)))
    stage.say("")
    stage.act("owner", f'"{PAYROLL}", confidential')
    verdict = owner.remember(PAYROLL, kind="procedure", sensitivity="confidential", confidence=0.9)
    _told(stage, verdict, Outcome.COMMITTED)
    stage.act("docs", PAYROLL_QUESTION)
    nothing = owner.as_actor("docs").recall(PAYROLL_QUESTION, min_fit=SURE)
    stage.claim(nothing.records == (), "an agent should be told nothing of a confidential record")
    stage.result("no answer", "nothing that docs may know of matches", "yellow")
    stage.claim(bool(owner.recall(PAYROLL_QUESTION, min_fit=SURE).records), "the owner should be told")
    stage.say("", "The record is there; the owner is told it. docs cannot even tell that it exists.")
    return answer.receipt_id


def _explanation(stage: Stage, owner: Memory, receipt: str) -> None:
    stage.chapter("Every answer leaves a receipt that can be decided again")
    told = owner.explain(receipt)
    account = told.account
    stage.say(f"Receipt {receipt}: asked by {account.actor.id} for the purpose {account.query.purpose!r},")
    stage.say(f"searched for {', '.join(account.plan.terms.words)}; {account.considered} matched.")
    stage.claim(told.same_ids, "the same records should come out")
    stage.result("same ids", f"decided again as of entry {told.epoch}")
    again = owner.explain(receipt, replay=True)
    stage.claim(again.same_ids and again.replayed, "a rebuilt store should give the same records")
    stage.result("same ids", "searched again in a store rebuilt from the ledger up to that entry")


def _revision(stage: Stage, owner: Memory, record: str) -> str:
    stage.chapter("A record is revised and the past is still there")
    first = owner.get(record).record
    stage.act("tester", f'revises it: "{NIGHTLY_NOW}"')
    verdict = owner.as_actor("tester").revise(record, NIGHTLY_NOW, evidence=["ci:5120"])
    _told(stage, verdict, Outcome.COMMITTED)
    stage.claim(verdict.record_id == record and verdict.revision == 2, "there should be a second revision")
    before = show(first.created_at)
    now, then = owner.recall(QUESTION, limit=1), owner.recall(QUESTION, known_at=before, limit=1)
    stage.claim(now.records[0].record.content == NIGHTLY_NOW, "the present should be the new revision")
    stage.claim([one.record.content for one in then.records] == [NIGHTLY], "the past should be the old one")
    stage.result("now", now.records[0].record.content)
    stage.result("as known", f"at {before}: {then.records[0].record.content}")
    revisions = owner.history(record).revisions
    stage.claim([one.standing.status for one in revisions] == [Status.SUPERSEDED, Status.ACTIVE], "both should be kept")
    return before


def _neighbours(stage: Stage, owner: Memory) -> None:
    stage.chapter("Two tenants do not see each other")
    with Memory.open(stage.folder, tenant="neighbours", embedder=None) as neighbours:
        stage.act("owner", "of the tenant neighbours asks the same question")
        nothing = neighbours.recall(QUESTION)
        stage.claim(nothing.records == () and nothing.considered == 0, "a tenant should see nothing of another")
        stage.result("no answer", "not one record was even considered", "yellow")
        neighbours.remember(CANTEEN)
    told = [one.record.content for one in owner.recall("when does the canteen close?").records]
    stage.claim(CANTEEN not in told, "and not the other way round either")
    stage.say("", "Each tenant is a file of its own, with a ledger of its own.")


def _ledger(stage: Stage, owner: Memory, record: str) -> Entry:
    stage.chapter("The ledger is the truth, and it can be checked")
    found = owner.ledger.verify()
    stage.claim(found.ok, "the ledger should verify")
    stage.result("verified", f"{found.entries} entries and {found.receipts} receipts, nothing is wrong")
    return next(entry for entry in owner.ledger.entries() if any(birth.id == record for birth in entry.births))


def _tampering(stage: Stage, entry: Entry) -> None:
    """Flip one bit of an entry in a copy. The store of the tour itself is closed and stays as it is."""
    copy = stage.folder / "tampered"
    copy.mkdir()
    for name in ("vault.toml", "policy.yaml", "default.sqlite"):
        shutil.copy2(stage.folder / name, copy / name)
    shutil.copytree(stage.folder / "keys", copy / "keys")
    file = copy / "default.sqlite"
    content, body = bytearray(file.read_bytes()), canonical(entry)
    stage.claim(content.count(body) == 1, "the entry should be in the file once")
    position = content.index(body) + body.index(b'"tester"') + 1
    content[position] ^= 1
    file.write_bytes(content)
    stage.say("", f"Now byte {position:,} of a copy is changed: one bit, inside entry {entry.seq}.")
    with Memory.open(copy, create=False, embedder=None) as damaged:
        found = damaged.ledger.verify()
    named = [one for one in found.findings if one.code == "entry_altered" and one.seq == entry.seq]
    stage.claim(not found.ok and bool(named), f"entry {entry.seq} should be named as altered")
    stage.result("damaged", named[0].message, "red")
    with Memory.open(stage.folder, create=False, embedder=None) as untouched:
        stage.claim(untouched.ledger.verify().ok, "the store of the tour should be as it was")


def _next(stage: Stage, kept: Kept) -> None:
    stage.chapter("Try it yourself")
    stage.say("The store is still there. Exit code 1 of the last command means: damaged.", "")
    vault = ("--vault", str(stage.folder))
    stage.command("recall", QUESTION, *vault)
    stage.command("recall", QUESTION, "--known-at", kept.before, *vault)
    stage.command("recall", PAYROLL_QUESTION, "--as", "docs", "--min-fit", str(SURE), *vault)
    stage.command("history", kept.record, *vault)
    stage.command("explain", kept.receipt, "--replay", *vault)
    stage.command("recall", IN_THE_SAME_WORDS, "--render", "--budget-tokens", "200", *vault)
    stage.command("attune", "--task", "describe billing", "--limit", "3", *vault)
    stage.command("entity", "Python 3.12", *vault)
    stage.command("conflicts", "--all", *vault)
    stage.command("lineage", kept.plan, *vault)
    stage.command("remember", "The tour was worth it", "--kind", "observation", *vault)
    stage.command("ledger", "verify", *vault)
    stage.command("ledger", "verify", "--vault", str(stage.folder / "tampered"))


def run(argv: Sequence[str] | None = None) -> int:
    """Run the tour in the folder that is named, `muniment-tour` by default."""
    words = list(sys.argv[1:] if argv is None else argv)
    prepare()
    if len(words) > 1 or any(word.startswith("-") for word in words):
        sys.stderr.write("usage: python -m examples.tour.play [FOLDER]\n")
        return ExitCode.WRONG_CALL
    folder = Path(words[0] if words else "muniment-tour")
    try:
        make_fresh(folder)
        tour(folder)
    except Broken as broken:
        sys.stderr.write(f"the tour claimed something that did not happen: {broken}\n")
        return ExitCode.DAMAGED
    except Exception as error:  # noqa: BLE001  # the outermost surface: nothing passes it
        problem = problem_of(error)
        complain(problem, as_json=False)
        return problem.exit
    return ExitCode.ANSWERED


if __name__ == "__main__":
    sys.exit(run())
