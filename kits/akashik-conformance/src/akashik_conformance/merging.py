"""Disagreement settled: every strategy, what it does to both sides, and who hears of it."""

from __future__ import annotations

from akashik_conformance.bench import Agent, Bench, Subject, disputed, ids
from akashik_conformance.binding import Json, JsonObject
from akashik_conformance.say import (
    NEW,
    OLD,
    holds,
    link,
    merge,
    part,
    parts,
    refused,
    same,
    valid,
    went,
    whole,
    without,
    word,
    words,
)


class Dispute:
    """A Field with an open conflict, the two who disagree, and somebody who may settle it."""

    def __init__(self, f: Subject, *, older: JsonObject | None = None, newer: JsonObject | None = None) -> None:
        self.f = f
        self.scout, self.analyst, self.senior = f.join("scout"), f.join("analyst"), f.join("senior", 6)
        self.name, self.old, self.new = disputed(self.scout, self.analyst, older=older, newer=newer)

    def merge(self, strategy: str, agent: Agent | None = None, **more: Json) -> JsonObject:
        return (agent or self.senior).ask("MERGE", merge(self.name, strategy, **more))

    def statuses(self) -> dict[str, Json]:
        """The sides that are still told, with their status."""
        units = [part(one, "memory_unit") for one in self.f.told(self.senior.attune())]
        return {word(unit, "id"): unit.get("status") for unit in units if unit.get("id") in (self.old, self.new)}

    def winner(self, answer: JsonObject) -> Json:
        went(answer, "resolved", "a MERGE that can decide")
        return part(part(answer, "conflict"), "resolution").get("winner_id")


def akas_065(b: Bench) -> None:
    d = Dispute(b.field())
    nothing = d.senior.ask("MERGE", merge("no-conflict", "last_write_wins"))
    refused(nothing, "CONFLICT_NOT_FOUND", "a MERGE of nothing")
    bare: JsonObject = {"conflict_id": d.name, "strategy": "last_write_wins", "resolution": {}}
    refused(d.senior.ask("MERGE", bare), None, "a MERGE without a rationale")
    refused(d.senior.ask("MERGE", without(bare, "resolution")), None, "a MERGE without a resolution")
    blank: JsonObject = {**bare, "resolution": {"rationale": "  "}}
    refused(d.senior.ask("MERGE", blank), None, "a MERGE whose rationale says nothing")
    refused(d.merge("coin_toss"), None, "a MERGE by an unknown strategy")
    same(d.statuses(), {d.old: "contested", d.new: "contested"}, "both sides after nothing but refusals")
    went(d.merge("last_write_wins"), "resolved", "a MERGE")
    refused(d.merge("last_write_wins"), "INVALID_TRANSITION", "a MERGE of what is resolved")


def akas_066(b: Bench) -> None:
    d = Dispute(b.field())
    answer = valid("merge_response", went(d.merge("last_write_wins"), "resolved", "a MERGE"))
    same(d.statuses(), {d.new: "active"}, "the sides that are told after the last write won")
    resolution = part(part(answer, "conflict"), "resolution")
    same(resolution.get("strategy"), "last_write_wins", "resolution.strategy")
    same(resolution.get("winner_id"), d.new, "resolution.winner_id")
    same(resolution.get("rationale"), "for good reasons", "resolution.rationale")
    same(resolution.get("resolved_by"), d.senior.name, "resolution.resolved_by")
    holds(whole(resolution, "epoch_resolved") > 0, f"resolution.epoch_resolved: {resolution}")
    same(part(answer, "conflict").get("status"), "resolved", "the status of the conflict")
    same(part(answer, "side_effects").get("superseded_units"), [d.old], "superseded_units")


def akas_067(b: Bench) -> None:
    d = Dispute(b.field(), older={"confidence": {"score": 0.95, "reasoning": "seen"}})
    same(d.winner(d.merge("confidence_weighted")), d.old, "the winner by confidence")
    same(d.statuses(), {d.old: "active"}, "the sides that are told after the surer one won")
    tie = Dispute(b.field())
    refused(tie.merge("confidence_weighted"), "MERGE_FAILED", "a MERGE by confidence of two equals")
    same(tie.statuses(), {tie.old: "contested", tie.new: "contested"}, "both sides after a tie")


def akas_068(b: Bench) -> None:
    d = Dispute(b.field())
    answer = went(d.merge("human_escalation"), "escalated", "an escalation")
    same(part(answer, "side_effects").get("superseded_units"), [], "what an escalation supersedes")
    same(d.statuses(), {d.old: "contested", d.new: "contested"}, "both sides after an escalation")
    seen = [one for one in parts(d.senior.attune(), "conflicts") if one.get("id") == d.name]
    same([one.get("status") for one in seen], ["escalated"], "an escalated conflict in an ATTUNE")


def akas_069(b: Bench) -> None:
    f = b.field()
    d = Dispute(f)
    with f.following(d.scout) as lost, f.following(d.analyst) as won:
        answer = went(d.merge("last_write_wins"), "resolved", "a MERGE")
        effects = part(answer, "side_effects")
        same(words(effects, "superseded_units"), [d.old], "superseded_units")
        same(sorted(words(effects, "notified_agents")), sorted([d.scout.name, d.analyst.name]), "notified_agents")
        holds(OLD not in d.senior.contents(), "the side that lost is still told")
        notices = lost.heard()
        holds(
            any(one.get("memory_unit_id") == d.old or one.get("conflict_id") == d.name for one in notices),
            f"the author of the side that lost heard nothing of it: {notices}",
        )
        other = won.heard()
        holds(
            any(one.get("conflict_id") == d.name or one.get("memory_unit_id") in (d.old, d.new) for one in other),
            f"the author of the other side heard nothing of it: {other}",
        )
        for one in (*notices, *other):
            valid("notification", one)


def akas_092(b: Bench) -> None:
    f = b.field()
    chief, scout, senior = f.join("chief", 8), f.join("scout"), f.join("senior", 6)
    old = chief.record(OLD)
    (name,) = words(scout.recorded(NEW, relations=link("contradicts", old)), "conflicts_detected")
    answer = went(senior.ask("MERGE", merge(name, "authority")), "resolved", "a MERGE by authority")
    same(part(part(answer, "conflict"), "resolution").get("winner_id"), old, "the winner by authority")
    holds(NEW not in senior.contents(), "the unit of the lower author is still told")


def akas_093(b: Bench) -> None:
    documented: JsonObject = {"confidence": {"score": 0.8, "reasoning": "seen", "evidence": ["report-1"]}}
    first = Dispute(b.field(), newer=documented)
    same(first.winner(first.merge("evidence_count")), first.new, "the winner with more evidence")
    second = Dispute(b.field(), newer=documented)
    voter = second.f.join("voter")
    for number in range(2):
        voter.record(f"Ledger page {number} agrees with the old figure", relations=link("supports", second.old))
    same(second.winner(second.merge("evidence_count")), second.old, "the winner with more supporters")


def akas_094(b: Bench) -> None:
    d = Dispute(b.field())
    text = "Growth fell from 23 to 14 percent within the year"
    answer = went(d.merge("synthesis", synthesis=text), "resolved", "a synthesis")
    effects = part(answer, "side_effects")
    made = word(effects, "new_unit_id")
    same(sorted(words(effects, "superseded_units")), sorted([d.old, d.new]), "superseded_units of a synthesis")
    same(d.statuses(), {}, "the sides that are told after a synthesis")
    unit = d.scout.unit(made)
    if unit is None:
        raise AssertionError("the synthesis is not told")
    same((unit.get("type"), unit.get("content")), ("synthesis", text), "type and content of the synthesis")
    targets = {word(one, "target_id") for one in parts(unit, "relations")}
    holds({d.old, d.new} <= targets, f"the synthesis is not related to both originals: {targets}")
    other = Dispute(b.field())
    refused(other.merge("synthesis", synthesis=" "), None, "a synthesis that says nothing")


def akas_095(b: Bench) -> None:
    d = Dispute(b.tight())
    went(d.merge("vote", d.scout, winner_id=d.new), "pending_vote", "a first vote")
    went(d.merge("vote", d.scout, winner_id=d.old), "pending_vote", "a second vote of the same agent")
    same(d.senior.conflict(d.name).get("status"), "resolving", "a conflict that is voted on")
    same(d.winner(d.merge("vote", d.senior, winner_id=d.old)), d.old, "the winner of a vote")
    same(d.statuses(), {d.old: "active"}, "the sides that are told after a vote")
    tie = Dispute(b.tight())
    went(tie.merge("vote", tie.scout, winner_id=tie.old), "pending_vote", "a first vote")
    went(tie.merge("vote", tie.analyst, winner_id=tie.new), "escalated", "a tie at the quorum")
    same(tie.statuses(), {tie.old: "contested", tie.new: "contested"}, "both sides after a tie")
    refused(Dispute(b.field()).merge("vote"), None, "a vote without a ballot")


def akas_096(b: Bench) -> None:
    d = Dispute(b.field())
    chief, human = d.f.join("chief", 9), d.f.join("human", 10)
    went(d.merge("human_escalation"), "escalated", "an escalation")
    for agent in (d.senior, chief):
        refusal = d.merge("last_write_wins", agent)
        codes = ("INSUFFICIENT_AUTHORITY", "INVALID_TRANSITION")
        refused(refusal, codes, f"a MERGE of what was escalated, by authority {agent.authority}")
    same(ids(d.senior.conflicts({"status": ["escalated"]})).count(d.name), 1, "the conflict after that")
    answer = d.merge("authority", human, winner_id=d.old)
    same(d.winner(answer), d.old, "the winner that authority 10 named")
    resolution = part(part(answer, "conflict"), "resolution")
    same(resolution.get("resolved_by"), human.name, "who resolved it")
