"""Subscriptions, and the notices they bring: each event to those who asked for it and may see it, and no others."""

from __future__ import annotations

from akashik_conformance.bench import Bench, disputed
from akashik_conformance.binding import Json, JsonObject
from akashik_conformance.say import fraction, holds, link, merge, parts, refused, same, valid, went, whole, word

FIELDS = {
    "subscription_id",
    "event",
    "epoch",
    "relevance_score",
    "summary",
    "memory_unit_id",
    "conflict_id",
    "requires_action",
}
MEMORY = (
    "memory.recorded",
    "memory.superseded",
    "memory.contested",
    "conflict.detected",
    "conflict.resolved",
)


def akas_070(b: Bench) -> None:
    f = b.field()
    scout, analyst = f.join("scout"), f.join("analyst")
    name = scout.subscribe("memory.recorded", min_relevance=0.5)

    def listed(agent: str = "scout") -> list[JsonObject]:
        asked = scout if agent == "scout" else analyst
        return parts(went(asked.ask("SUBSCRIBE", {"action": "list"}), "ok", "a SUBSCRIBE list"), "subscriptions")

    (one,) = listed()
    valid("subscription", one)
    same((one.get("id"), one.get("events")), (name, ["memory.recorded"]), "the subscription that is listed")
    same(one.get("min_relevance"), 0.5, "min_relevance of the subscription that is listed")
    same(listed("analyst"), [], "subscriptions of somebody who has none")
    ended: JsonObject = {"action": "unsubscribe", "subscription": {"id": name}}
    refused(analyst.ask("SUBSCRIBE", ended), None, "the end of somebody else's subscription")
    went(scout.ask("SUBSCRIBE", ended), "ok", "an unsubscribe")
    same(listed(), [], "subscriptions after the only one ended")
    refused(scout.ask("SUBSCRIBE", ended), None, "the end of a subscription that is over")
    none: JsonObject = {"action": "subscribe", "subscription": {"events": []}}
    refused(scout.ask("SUBSCRIBE", none), None, "a subscription to nothing")


def akas_071(b: Bench) -> None:
    f = b.field()
    scout, analyst, chief, voter = f.join("scout"), f.join("analyst"), f.join("chief", 8), f.join("voter")
    with f.following(voter, *MEMORY) as feed:
        conflict, old, new = disputed(scout, analyst)
        went(chief.ask("MERGE", merge(conflict, "last_write_wins")), "resolved", "a MERGE")
        heard = feed.heard()
    for one in heard:
        valid("notification", one)
        same(set(one), FIELDS, "the fields of a notification")
        same(one.get("subscription_id"), feed.wanted[0], "the subscription a notification names")
    seen = sorted((word(one, "event"), str(one.get("memory_unit_id") or one.get("conflict_id"))) for one in heard)
    expected = [("memory.recorded", old), ("memory.recorded", new), ("memory.superseded", old)]
    expected += [("memory.contested", old), ("memory.contested", new)]
    expected += [("conflict.detected", conflict), ("conflict.resolved", conflict)]
    same(seen, sorted(expected), "the notifications of a record, a contradiction and a merge")
    epochs = [whole(one, "epoch") for one in heard]
    same(epochs, sorted(epochs), "the order of notifications")
    with f.following(voter, "agent.joined", marker="memory.recorded") as joins:
        f.join("latecomer")
        names = [word(one, "event") for one in joins.heard()]
    holds(names.count("agent.joined") >= 1, f"nobody heard that an agent joined: {names}")


def akas_072(b: Bench) -> None:
    f = b.field()
    scout, analyst = f.join("scout"), f.join("analyst")
    keeper = f.join("keeper", role="keeper of the harbour", interests=["harbour"])
    with f.following(keeper, "memory.recorded") as feed:
        scout.record("The harbour is deep")
        analyst.record("Nobody swept the orchard")
        keeper.record("The quay is long")
        notices = feed.heard()
        same(len(notices), 2, "notices of three records, one of them the subscriber's own")
        near, far = (fraction(one, "relevance_score") for one in notices)
        holds(near > far, f"what concerns the subscriber matters no more than what does not: {near}, {far}")
        strict = keeper.subscribe("memory.recorded", min_relevance=(near + far) / 2)
        scout.record("The harbour has two quays")
        analyst.record("Nobody swept the attic")
        mine = [one for one in feed.heard() if one.get("subscription_id") == strict]
        same(len(mine), 1, "notices above min_relevance, of two records")
        ended: Json = {"action": "unsubscribe", "subscription": {"id": feed.wanted[0]}}
        went(keeper.ask("SUBSCRIBE", ended), "ok", "an unsubscribe")
        scout.record("The crane is old")
        late = [one for one in feed.heard() if one.get("subscription_id") == feed.wanted[0]]
        same(late, [], "notices under a subscription that ended")
    _held_back(b)


def _held_back(b: Bench) -> None:
    """What comes twice too soon for one unit is told once; other units are told."""
    f = b.field()
    scout, senior = f.join("scout"), f.join("senior", 6)
    with f.following(senior, "memory.recorded", "memory.superseded", debounce_ms=600_000) as feed:
        old = scout.record("The harbour is deep")
        new = scout.record("The harbour silted up", relations=link("supersedes", old))
        units = [one.get("memory_unit_id") for one in feed.heard()]
    same(sorted(map(str, units)), sorted([old, new]), "notices under a long debounce, once for each unit")
