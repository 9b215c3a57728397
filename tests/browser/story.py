"""What the agents of the console's world believe: a warehouse, told day by day. Knows no expected value."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Unpack

from tests.browser import hostile

from muniment import Memory
from muniment.model.claim_options import ClaimOptions
from muniment.model.curation import Verdict

FORGOTTEN = "customer C-1047"
SUBJECT = "customer C-2093"
GUARDED = "supplier S-88"

ZONES = ("north", "south", "cold", "returns")
GOODS = ("apples", "tea", "lamps", "rice", "paper", "honey", "soap", "rope", "cork", "wool")


class Teller:
    """Lets actors speak, and remembers under which id their words were kept."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.ids: dict[str, str] = {}

    def says(self, who: str, content: str, *, name: str | None = None, **options: Unpack[ClaimOptions]) -> Verdict:
        verdict = self.memory.as_actor(who).remember(content, **options)
        if name is not None:
            self.ids[name] = verdict.record_id or verdict.proposal_id
        return verdict

    def keeps(self, who: str, content: str, *, name: str | None = None, **options: Unpack[ClaimOptions]) -> str:
        """The same where the policy commits it; the record's id."""
        verdict = self.says(who, content, name=name, **options)
        assert verdict.record_id is not None, f"{content}: {verdict.reason}"
        return verdict.record_id

    def waits(self, who: str, content: str, *, name: str | None = None, **options: Unpack[ClaimOptions]) -> str:
        """The same where it must wait for a person; the proposal's id."""
        verdict = self.says(who, content, **options)
        assert verdict.outcome.value == "held", f"{content}: {verdict.outcome} {verdict.reason}"
        if name is not None:
            self.ids[name] = verdict.proposal_id
        return verdict.proposal_id


Chapter = Callable[[Teller], None]


def stock(number: int, tell: Teller) -> None:
    """What each zone holds of one of the goods: forty findings in all, so that lists have pages."""
    good = GOODS[number]
    for zone in ZONES:
        tell.keeps(
            ("scout", "researcher", "planner")[number % 3],
            f"The {zone} zone holds {number * 7 + len(zone)} pallets of {good}",
            kind=("fact", "observation", "risk")[number % 3],
            namespace=f"/warehouse/{zone}",
            confidence=0.55 + (number % 5) * 0.09,
            evidence=[f"count:{zone}-{number}", "scan:belt-2"][: 1 + number % 2],
            entities=[good, f"{zone} zone"],
            importance=(number % 10) / 10,
            source="stocktaking" if number % 2 else None,
            subject=f"{zone} zone",
            key=f"{good} in stock",
            value=str(number * 7 + len(zone)),
        )


def lineage(tell: Teller) -> None:
    """Four storeys on three pillars, one of which is taken back later."""
    post = tell.keeps(
        "scout",
        "A forum post says that the new conveyor halves the time to load",
        name="post",
        confidence=0.5,
        source_type="web",
        source="forum",
        evidence=["thread 5512"],
    )
    trial = tell.keeps(
        "researcher",
        "In the trial of May the conveyor loaded 41 pallets an hour",
        name="trial",
        kind="fact",
        confidence=0.9,
        evidence=["trial:2026-05", "video:17"],
        event_time="2026-05-12T08:00:00Z",
        valid_from="2026-05-12",
    )
    rival = tell.keeps(
        "scout", "A lorry waits 50 minutes at the gate", name="rival", confidence=0.8, evidence=["gate log"]
    )
    faster = tell.keeps(
        "researcher",
        "The conveyor loads faster than people do",
        name="faster",
        confidence=0.9,
        derived_from=[post, trial],
    )
    saves = tell.keeps(
        "researcher",
        "Faster loading would save one shift a day",
        name="saves",
        confidence=0.85,
        derived_from=[faster, rival],
    )
    plan = tell.keeps(
        "planner",
        "Buying the conveyor pays back within a year",
        name="plan",
        confidence=0.95,
        derived_from=[saves],
        kind="hypothesis",
    )
    tell.keeps(
        "planner",
        "Next year's budget has room for one conveyor more",
        name="budget",
        confidence=0.7,
        derived_from=[plan],
        assumptions=["prices stay as they are"],
        reasoning="the savings of one shift cover the rate",
    )


def fall(tell: Teller) -> None:
    tell.memory.as_actor("curator").review.retract(tell.ids["post"], reason="the post is about another machine")


def timetable(tell: Teller) -> None:
    """The first of a record's four revisions."""
    tell.keeps(
        "planner",
        "Lorries leave the north gate at 06:00 and 14:00 on working days",
        name="revised",
        confidence=0.7,
        evidence=["timetable:3"],
        kind="fact",
        valid_from="2026-03-01",
    )


def revise(content: str, evidence: str, tell: Teller) -> None:
    tell.memory.as_actor("planner").revise(tell.ids["revised"], content, evidence=[evidence])


def turn_out(who: str, result: str, evidence: str, tell: Teller) -> None:
    tell.memory.as_actor(who).review.outcome(tell.ids["revised"], result, evidence=evidence)


LORRIES: tuple[Chapter, ...] = (
    timetable,
    partial(turn_out, "planner", "helpful", "the 06:00 lorry left on time"),
    partial(revise, "Lorries leave the north gate at 06:00, 11:00 and 14:00 on working days", "timetable:4"),
    partial(turn_out, "developer", "misleading", "there was no lorry at 11:00"),
    partial(
        revise,
        "Lorries leave the north gate at 06:00, 10:30 and 14:00 on working days, and at 08:00 on Saturdays",
        "timetable:5",
    ),
    partial(turn_out, "developer", "helpful", "the 10:30 lorry left on time"),
    partial(turn_out, "developer", "helpful", "so did the one of Saturday"),
    partial(turn_out, "planner", "helpful", "and again a week later"),
    partial(
        revise,
        "Lorries leave the north gate at 06:00, 10:30 and 14:15 on working days, and at 08:00 on Saturdays",
        "timetable:6",
    ),
    partial(turn_out, "planner", "misleading", "it left at 14:00 once more"),
)
"""A record in four revisions, and how each turned out, step by step."""


def conflicts(tell: Teller) -> None:
    """A contradiction, an update and a duplicate that are open, and one dispute that was settled."""
    tell.keeps("scout", "The API rate limit is 100 requests per minute", confidence=0.7)
    contradiction = tell.says(
        "planner", "The API rate limit is 200 requests per minute", confidence=0.8, evidence=["docs:limits"]
    )
    tell.keeps("researcher", "The returns desk is in hall 2", confidence=0.8)
    update = tell.says("scout", "The returns desk moved to hall 5", confidence=0.75, evidence=["sign at the door"])
    tell.keeps("curator", "Parcel labels expire after 30 minutes", confidence=0.8)
    duplicate = tell.says("curator", "Please note that parcel labels expire after 30 minutes.", confidence=0.8)
    tell.keeps(
        "scout",
        "The default branch is called main",
        subject="repository",
        key="default branch",
        value="main",
        confidence=0.8,
    )
    settled = tell.says(
        "planner",
        "The default branch is called trunk",
        subject="repository",
        key="default branch",
        value="trunk",
        confidence=0.7,
    )
    for name, verdict in (
        ("contradiction", contradiction),
        ("update", update),
        ("duplicate", duplicate),
        ("settled", settled),
    ):
        assert verdict.conflict_ids, f"{name}: {verdict.decision} {verdict.reason}"
        tell.ids[name] = verdict.conflict_ids[0]
    tell.memory.as_actor("curator").review.resolve(
        tell.ids["settled"], strategy="confidence_weighted", rationale="read in the repository's own settings"
    )


def people(tell: Teller) -> None:
    """What is known about customers: one who was forgotten, one to forget, and a supplier whose papers must stay."""
    paper = tell.keeps(
        "researcher", f"{FORGOTTEN} wants invoices on paper", confidence=0.9, evidence=["call 31"], entities=[FORGOTTEN]
    )
    tell.keeps("planner", "One customer in the north gets invoices on paper", confidence=0.8, derived_from=[paper])
    for number, said in enumerate(
        ("prefers deliveries on Fridays", "lives on the third floor without a lift", "returned two lamps")
    ):
        tell.keeps(
            "researcher",
            f"{SUBJECT} {said}",
            name=f"subject-{number}",
            confidence=0.8,
            evidence=[f"call {40 + number}"],
            entities=[SUBJECT],
            source="crm",
        )
    tell.keeps(
        "planner",
        "One delivery on Fridays needs two people for the stairs",
        name="derived",
        confidence=0.7,
        derived_from=[tell.ids["subject-0"], tell.ids["subject-1"]],
    )
    tell.keeps(
        "researcher",
        f"{GUARDED} charges 12 per cent more than last year",
        name="guarded",
        confidence=0.9,
        evidence=["invoice 9"],
        entities=[GUARDED],
        source="ledger of suppliers",
    )
    tell.keeps(
        "scout",
        "The gate code is changed on the first of each month",
        name="quarantined",
        confidence=0.6,
        source_type="web",
    )


def deeds(tell: Teller) -> None:
    """What people did: forget, hold, put aside, put away, and what they keep for few."""
    steward, curator = tell.memory.as_actor("steward"), tell.memory.as_actor("curator")
    steward.forget(subject=FORGOTTEN, reason="ticket:PRIV-17")
    steward.erasure.hold(subject=GUARDED, reason="case 2026-114 is open")
    curator.review.quarantine(tell.ids["quarantined"], reason="odd wording, nobody knows the source")
    curator.remember(
        "Supplier prices are agreed until December",
        kind="decision",
        sensitivity="confidential",
        evidence=["contract:4"],
        confidence=0.95,
    )
    curator.review.vouch(tell.ids["trial"], origin="person", reason="I was there")
    curator.review.alias("NG", "north gate")


QUESTIONS = (
    ("planner", "when do lorries leave the north gate?"),
    ("researcher", "how many pallets of tea are there?"),
    ("scout", "what is the API rate limit?"),
    ("planner", "does the conveyor pay?"),
    ("developer", "where is the returns desk?"),
    ("developer", "what was agreed with suppliers?"),
    ("scout", "who won the chess tournament in Reykjavik?"),
    ("researcher", "which shelf is free?"),
)


def recall(number: int, tell: Teller) -> None:
    """One question; some have no answer."""
    who, question = QUESTIONS[number]
    tell.ids[f"receipt-{number}"] = tell.memory.as_actor(who).recall(question, limit=6).receipt_id


def act(tell: Teller) -> None:
    """A question whose answer is to move a tool: what comes from outside may not."""
    told = tell.memory.as_actor("planner").recall("is the gate code changed?", purpose="act")
    tell.ids["abstained"] = told.receipt_id


def queue(tell: Teller) -> None:
    """Proposals that wait, among them one that says again what is known and one that denies it."""
    for number, said in enumerate(
        (
            "Ship orders of more than ten pallets from the south gate",
            "Stop selling lamps until the recall is over",
            "Count the cold zone twice a week",
            "Give the returns desk a second scanner",
            "Move rope and cork next to the packing tables",
            "Let the night shift end at five",
            "Order pallets from two suppliers instead of one",
        )
    ):
        tell.waits(
            ("planner", "researcher", "scout")[number % 3],
            said,
            name=f"waiting-{number}",
            kind="decision",
            confidence=0.6 + number * 0.04,
            evidence=[f"meeting:{number + 20}"],
        )
    tell.waits(
        "researcher",
        "To restart belt 2: stop it, wait a minute, press the green button twice",
        name="procedure",
        kind="procedure",
        confidence=0.8,
        evidence=["manual p. 41"],
    )
    tell.waits("scout", "Belt 2 was bought in 2019", name="unfounded", kind="fact", confidence=0.7)
    tell.waits(
        "scout",
        "Lorries leave the north gate at 06:00, 10:30 and 14:15 on working days and at 08:00 on a Saturday",
        name="twin",
        kind="procedure",
        confidence=0.8,
        evidence=["seen myself"],
    )
    tell.waits(
        "researcher",
        "The API rate limit is 500 requests per minute",
        name="rebel",
        kind="procedure",
        confidence=0.8,
        evidence=["mail of the vendor"],
    )
    tell.waits(
        "planner",
        "Night deliveries begin in the cold zone",
        name="elsewhere",
        kind="decision",
        confidence=0.75,
        evidence=["meeting:31"],
        scope="agent_team",
        scope_id="delivery",
        namespace="/warehouse/cold",
    )
    tell.says("scout", "Everyone skips the safety briefing", kind="directive")


def harm(tell: Teller) -> None:
    """Hostile text wherever text is taken: contents, evidence, reasons, names, namespaces, ids."""
    for number, content in enumerate(hostile.CONTENTS):
        tell.says(
            "scout",
            content,
            name=f"harm-{number}",
            kind="observation",
            confidence=0.6,
            evidence=[hostile.EVIDENCE, hostile.NAME],
            assumptions=[hostile.NAME],
            reasoning=hostile.REASON,
            source=hostile.NAME,
            entities=[hostile.NAME],
            purpose=hostile.REASON,
        )
    tell.waits(
        "scout",
        hostile.PLEA,
        name="plea",
        kind="decision",
        confidence=0.99,
        evidence=[hostile.NAME],
        reasoning=hostile.REASON,
    )
    tell.says(hostile.ACTOR, "The actor of this record has an address for a name", name="harm-actor", confidence=0.7)
    curator = tell.memory.as_actor("curator")
    kept = curator.remember(
        hostile.SCRIPT + " and over the door",
        kind="fact",
        confidence=0.9,
        subject=hostile.NAME,
        key=hostile.NAME,
        value=hostile.SCRIPT,
    )
    assert kept.record_id is not None
    tell.ids["harm-kept"] = kept.record_id
    curator.revise(kept.record_id, hostile.IMAGE + " and over the door", reasoning=hostile.REASON)
    curator.review.outcome(kept.record_id, "helpful", evidence=hostile.REASON)
    tell.memory.as_actor("scout").recall(hostile.SCRIPT)
    tell.memory.as_actor("scout").recall(hostile.IMAGE + " which shelf?", purpose="research")
