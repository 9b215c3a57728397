"""What an agent is told, in which order, with which reasons, and within which bounds."""

from __future__ import annotations

from functools import partial

from akashik_conformance.bench import Agent, Bench, Subject
from akashik_conformance.binding import Json, JsonObject
from akashik_conformance.say import (
    SUBJECTS,
    finding,
    fraction,
    holds,
    link,
    part,
    parts,
    refused,
    same,
    scope,
    valid,
    went,
    whole,
    word,
)

PLACES = ("The harbour is deep", "The orchard is large", "The quarry is closed", "The archive is dusty")


def pair(b: Bench) -> tuple[Subject, Agent, Agent]:
    """A Field, somebody who records and somebody who is told."""
    f = b.field()
    return f, f.join("scout"), f.join("analyst")


def many(b: Bench) -> tuple[Subject, Agent, Agent]:
    """The same with eight units that differ in one word."""
    f, scout, analyst = pair(b)
    for subject in SUBJECTS:
        scout.record(f"The {subject} is open on Sundays", type="observation")
    return f, scout, analyst


def scores(f: Subject, answer: JsonObject) -> list[float]:
    return [fraction(one, "relevance_score") for one in f.told(answer)]


def akas_018(b: Bench) -> None:
    _, _, analyst = pair(b)
    bad: list[JsonObject] = [{}, {"role": "r"}, {"max_units": 3}, {"role": "", "max_units": 3}]
    bad += [{"role": "r", "max_units": number} for number in (0, -1)]
    for one in bad:
        refused(analyst.ask("ATTUNE", {"scope": one}), None, f"an ATTUNE with the scope {one}")
    refused(analyst.ask("ATTUNE", {}), None, "an ATTUNE without a scope")
    went(analyst.ask("ATTUNE", scope(1)), "ok", "an ATTUNE with a role and room for one unit")


def akas_019(b: Bench) -> None:
    _, scout, analyst = pair(b)
    scout.record("The harbour is deep")
    analyst.record("The quarry is closed")
    same(scout.contents(), ["The quarry is closed"], "what an agent is told that recorded something itself")
    both = ["The harbour is deep", "The quarry is closed"]
    same(sorted(scout.contents(include_own=True)), both, "what it is told when it asks for its own too")


def akas_020(b: Bench) -> None:
    f = b.field()
    writers = [f.join(name) for name in ("scout", "analyst", "clerk")]
    for writer, text in zip(writers, PLACES, strict=False):
        writer.record(text)
    same(sorted(f.join("reader").contents()), sorted(PLACES[:3]), "what others recorded")


def akas_021(b: Bench) -> None:
    f, scout, analyst = pair(b)
    gone, replaced = scout.record("The harbour is deep"), scout.record("The roof leaks")
    scout.record("The cellar is dry")
    scout.record("The roof is mended", relations=link("supersedes", replaced))
    left = ["The cellar is dry", "The harbour is deep", "The roof is mended"]
    same(sorted(analyst.contents()), left, "what is told after a unit was superseded")
    retracted = f.binding.retract(scout.name, gone, "it silted up", scout.token)
    if retracted is not None:
        holds("code" not in retracted.document, f"an author could not retract its unit: {retracted.document}")
        left.remove("The harbour is deep")
    same(sorted(analyst.contents()), left, "what is told after a unit was retracted")
    same(sorted(scout.contents(include_own=True)), left, "what its own author is told")


def akas_022(b: Bench) -> None:
    f, _, analyst = many(b)
    answer = valid("attune_response", analyst.attune(role="keeper of the orchard"))
    same(len(f.told(answer)), 8, "how many units are told")
    for one in f.told(answer):
        fraction(one, "relevance_score")
        word(one, "relevance_reason")


def akas_023(b: Bench) -> None:
    f, _, analyst = many(b)
    found = scores(f, analyst.attune(role="keeper of the orchard"))
    same(found, sorted(found, reverse=True), "the order of the scores")
    holds(len(set(found)) > 1, f"a unit that names the role and units that do not have one score: {found}")


def akas_024(b: Bench) -> None:
    f, _, analyst = many(b)
    every = f.contents(analyst.attune(role="keeper of the orchard"))
    for room in (1, 3, 7, 8):
        cut = f.contents(analyst.attune(room, role="keeper of the orchard"))
        same(cut, every[:room], f"what is told with room for {room}")


def akas_025(b: Bench) -> None:
    f, _, analyst = many(b)
    for room in (1, 3, 20):
        answer = analyst.attune(room, role="keeper of the orchard")
        budget = part(answer, "context_budget")
        same(budget.get("units_returned"), len(parts(answer, "record")), "units_returned")
        holds(whole(budget, "units_available") >= 8, f"units_available leaves out candidates: {budget}")
        if not f.examined.shared:
            same(budget.get("units_available"), 8, "units_available")


def akas_026(b: Bench) -> None:
    f = b.field()
    scout, clerk, analyst = f.join("scout"), f.join("clerk"), f.join("analyst")
    scout.record("The database has a new index")
    clerk.record("The canteen has a new chef")
    same(analyst.contents(role="database keeper")[0], "The database has a new index", "the first for a database keeper")
    same(analyst.contents(role="astronomer")[0], "The canteen has a new chef", "the first of two equals")


def akas_027(b: Bench) -> None:
    for kind in ("decision", "contradiction"):
        f = b.field()
        scout, clerk, analyst = f.join("scout"), f.join("clerk"), f.join("analyst")
        scout.record("The harbour is deep", type=kind)
        clerk.record("The orchard is large", type="observation")
        same(analyst.contents()[0], "The harbour is deep", f"the first of a {kind} and a newer observation")


def akas_028(b: Bench) -> None:
    f = b.field()
    scout, clerk, analyst = f.join("scout"), f.join("clerk"), f.join("analyst")
    clerk.record("The quarry is closed")
    for subject in ("harbour", "library", "theatre"):
        scout.record(f"The {subject} is open")
    told = f.told(analyst.attune(2))
    authors = {word(part(part(one, "memory_unit"), "source"), "agent_id") for one in told}
    same(authors, {scout.name, clerk.name}, "the authors of a short answer")


def akas_029(b: Bench) -> None:
    _, scout, analyst = pair(b)
    text = ("The harbour is deep enough for every ship that comes this way, " * 10).strip()
    scout.record(text)
    sizes: list[int] = []
    for form in (None, "full", "summary", "ids_only"):
        extra: JsonObject = {} if form is None else {"format": form}
        answer = valid("attune_response", analyst.ask("ATTUNE", scope(50, **extra)))
        one = max(parts(answer, "record"), key=lambda unit: len(str(unit)))
        same(one.get("format"), form or "full", f"the format of a unit asked for as {form}")
        sizes.append(len(str(one)))
    same(sizes[0], sizes[1], "the size of a unit without a format and in full")
    holds(sizes[1] > sizes[2] > sizes[3], f"summary and ids_only are not smaller: {sizes}")


def akas_053(b: Bench) -> None:
    f = b.field(enrichment="failing")
    scout, analyst = f.join("scout"), f.join("analyst")
    name = word(_warned(f, scout), "memory_unit_id")
    told = analyst.unit(name)
    same(told and told.get("status"), "pending_enrichment", "the status of a unit without its vector")
    f.examined.heal()
    made: list[JsonObject] = []

    def enriched() -> bool:
        made.append(scout.recorded(f"Cargo {len(made)} of the day"))
        return (analyst.unit(name) or {}).get("status") == "active"

    f.within(enriched, "a unit is enriched with one of the next writes, once that works again")
    f.within(
        lambda: enriched() and "warning" not in made[-1], "a RECORD is answered without a warning where that works"
    )


def _warned(f: Subject, scout: Agent) -> JsonObject:
    """The answer to the first RECORD that warns. A Field that enriches later learns of the failure later, too."""
    answers: list[JsonObject] = []

    def warned() -> bool:
        answers.append(scout.recorded(f"Sounding {len(answers)} at buoy {len(answers) * 7}"))
        return "ENRICHMENT_FAILED" in str(answers[-1].get("warning"))

    f.within(warned, "a RECORD is answered with a warning that enrichment failed")
    return answers[-1]


def _leads(analyst: Agent, hint: str, said: str) -> bool:
    return analyst.contents(context_hint=hint)[0] == said


def akas_054(b: Bench) -> None:
    f = b.field(enrichment="meaning")
    scout, analyst = f.join("scout"), f.join("analyst")
    scout.record("Acquire automobile")
    scout.record("Soup tastes salty")
    for wanted, said in (("purchase vehicle", "Acquire automobile"), ("briny broth", "Soup tastes salty")):
        words = f"for the hint {wanted!r} the unit that says it in other words comes first"
        f.within(partial(_leads, analyst, wanted, said), words)
        same(analyst.contents(interests=[wanted])[0], said, f"the first for an interest in {wanted!r}")


def akas_055(b: Bench) -> None:
    f, _, analyst = many(b)
    role = "keeper of the orchard"
    every = analyst.attune(role=role, relevance_threshold=0.0)
    same(len(f.told(every)), 8, "how many a threshold of 0 lets through")
    found = scores(f, every)
    limit = (found[0] + found[1]) / 2
    cut = analyst.attune(role=role, relevance_threshold=limit)
    same(f.contents(cut), f.contents(every)[:1], f"what a threshold of {limit} lets through")
    holds(all(score >= limit for score in scores(f, cut)), "a unit below the threshold is told")


def akas_056(b: Bench) -> None:
    f = b.field()
    scout, clerk, analyst = f.join("scout"), f.join("clerk"), f.join("analyst")
    for writer, text in ((scout, PLACES[1]), (clerk, PLACES[0]), (scout, PLACES[2])):
        writer.record(text)
    role = "keeper of the orchard"
    by_time = analyst.contents(role=role, recency_weight=1.0)
    same(by_time, [PLACES[2], PLACES[0], PLACES[1]], "the order when recency decides alone")
    ageless = analyst.attune(role=role, recency_weight=0.0)
    same(f.contents(ageless)[0], PLACES[1], "the first when recency counts for nothing")
    plain = analyst.attune(role="astronomer", recency_weight=0.0)
    rest = {word(part(one, "memory_unit"), "content"): fraction(one, "relevance_score") for one in f.told(plain)}
    gap = abs(rest[PLACES[0]] - max(rest[PLACES[1]], rest[PLACES[2]]))
    holds(gap < 1e-3, f"two units that differ in age alone have different scores: {rest}")


def akas_057(b: Bench) -> None:
    _, scout, analyst = pair(b)
    scout.record(PLACES[1])
    scout.record(PLACES[2])
    scout.record(PLACES[3], intent={"purpose": "tidy", "task_id": "t-1"})
    scout.record("The brewery is new")
    same(analyst.contents()[0], "The brewery is new", "the first without interests or a task")
    same(analyst.contents(interests=["orchard"])[0], PLACES[1], "the first with an interest in the orchard")
    same(analyst.contents(active_task_id="t-1")[0], PLACES[3], "the first with its task at hand")


def akas_058(b: Bench) -> None:
    _, scout, analyst = pair(b)
    scout.record(PLACES[2])
    first = scout.record(PLACES[3], intent={"purpose": "tidy", "task_id": "t-1"})
    scout.record("Nobody swept the floor", relations=link("supports", first))
    scout.record("The brewery is new")
    told = analyst.contents(active_task_id="t-1")
    same(told[:2], [PLACES[3], "Nobody swept the floor"], "a unit of the task and one related to it, above others")


def akas_059(b: Bench) -> None:
    _, scout, analyst = pair(b)
    scout.record(PLACES[1], confidence={"score": 0.95, "reasoning": "seen"})
    scout.record(PLACES[2], confidence={"score": 0.2, "reasoning": "heard"})
    same(analyst.contents(), [PLACES[1], PLACES[2]], "a sure unit above a newer one of which its author is less sure")


def akas_060(b: Bench) -> None:
    f, scout, analyst = pair(b)
    for name in SUBJECTS[:3]:
        scout.record(f"The {name} " + "is a place of some importance to the town " * 11)
    open_ = analyst.attune(max_tokens=5_000)
    same([one.get("format") for one in f.told(open_)], ["full"] * 3, "formats where there is room")
    needed = whole(part(open_, "context_budget"), "tokens_used")
    shortened = False
    for room in (needed, needed // 2, needed // 8, 5):
        answer = valid("attune_response", analyst.attune(max_tokens=room))
        budget = part(answer, "context_budget")
        same(budget.get("tokens_budget"), room, "tokens_budget")
        holds(whole(budget, "tokens_used") <= room, f"a budget of {room} was overrun: {budget}")
        formats: list[Json] = [one.get("format") for one in f.told(answer)]
        shortened = shortened or "summary" in formats or len(formats) < 3
        holds(room == needed or formats != ["full"] * 3, f"three full units in a budget of {room}")
    holds(shortened, "no budget, however tight, shortened or left out anything")


def akas_047(b: Bench) -> None:
    f, scout, analyst = pair(b)
    scout.record("The harbour is open")
    scout.record("The library is open")
    first = analyst.attune()
    seen = set(f.contents(first))
    same(seen, {"The harbour is open", "The library is open"}, "what is told at first")
    quiet = analyst.attune(since_epoch=first["epoch"])
    holds(set(f.contents(quiet)) <= seen, f"something unseen after a quiet interval: {f.contents(quiet)}")
    for subject in ("orchard", "railway", "theatre"):
        scout.record(f"The {subject} is open")
    later = analyst.attune(since_epoch=quiet["epoch"])
    fresh = {"The orchard is open", "The railway is open", "The theatre is open"}
    same(set(f.contents(later)) - seen, fresh, "what is new since the last epoch")
    older = [word(part(one, "memory_unit"), "content") for one in f.told(later) if _epoch(one) < whole(quiet, "epoch")]
    same(older, [], "units from before the epoch asked for")
    _followed(f, scout, analyst, whole(later, "epoch"))


def _epoch(scoped: JsonObject) -> int:
    return whole(part(scoped, "memory_unit"), "epoch")


def _followed(f: Subject, scout: Agent, analyst: Agent, since: int) -> None:
    """With room for two at a time nothing is lost either, as long as one goes on from the epoch one is told."""
    texts = {f"Sounding {number} at buoy {number * 7}" for number in range(7)}
    for text in sorted(texts):
        scout.record(text)
    heard: set[str] = set()
    for _ in range(30):
        answer = analyst.attune(2, since_epoch=since)
        heard |= set(f.contents(answer))
        if texts <= heard:
            return
        since = whole(answer, "epoch")
    raise AssertionError(f"polling with room for two never told {sorted(texts - heard)}")


def akas_048(b: Bench) -> None:
    _, scout, analyst = pair(b)
    scout.record("The harbour is open")
    start = whole(scout.recorded("The library is open"), "epoch") + 1
    analyst.record("The quarry is closed")
    scout.record("The orchard is large")
    scout.record("The railway is long")
    new = ["The orchard is large", "The railway is long"]
    same(sorted(analyst.contents(since_epoch=start)), new, "since_epoch in the scope")
    same(sorted(analyst.contents(beside=start)), new, "since_epoch beside the scope")
    role = "keeper of the orchard"
    same(analyst.contents(1, since_epoch=start, role=role), new[:1], "since_epoch with a role and room for one")
    own = sorted(analyst.contents(since_epoch=start, include_own=True))
    same(own, [new[0], "The quarry is closed", new[1]], "since_epoch with one's own units")
    went(analyst.ask("ATTUNE", {**scope(), "since_epoch": None}), "ok", "since_epoch of null")
    refused(analyst.ask("ATTUNE", {**scope(), "since_epoch": -1}), None, "a negative since_epoch")
    went(scout.ask("RECORD", finding("It ends well")), "accepted", "a RECORD after all that")
