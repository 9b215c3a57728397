"""Notices: each event to those who asked for it and may see it, complete, not too often, and never one's own."""

from __future__ import annotations

from tests.cases import each
from tests.contracts.akashik.field import Field, an_object, attune, contents, finding
from tests.contracts.akashik.test_conflicts import disputed, merge
from tests.contracts.akashik.test_tasks import heard, listen
from tests.contracts.cites import cites

from muniment.contracts.akashik.events import FieldEvent, events_of
from muniment.contracts.akashik.notices import LastNotified, SubscriberView, notices
from muniment.contracts.akashik.subscriptions import FieldSubscription
from muniment.contracts.akashik.validation import check_document
from muniment.contracts.akashik.words import EventName
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.entry import ConflictChange, Entry, EntryKind, RevisionCreated
from muniment.model.record import TrustState
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment.model.vocabulary import ConflictStatus, Label

AGENTS = ("scout", "analyst", "senior", "chief", "human", "voter")
MET = ["memory.recorded", "memory.superseded", "memory.contested", "conflict.detected", "conflict.resolved"]


def unit_event(epoch: int = 3, by: str = "scout") -> FieldEvent:
    return FieldEvent(
        event=EventName.MEMORY_RECORDED, epoch=epoch, by=by, words="m-1 was recorded", unit="m-1", units=("m-1",)
    )


@cites("AKAS-071")
@each("event", [*MET, "agent.joined"])
def test_each_event_reaches_who_subscribed_to_it_with_all_eight_fields(event: str) -> None:
    field = listen(Field().join(*AGENTS), "voter", event)
    _, conflict, old, new = disputed(field)
    merge(field, conflict, "last_write_wins")
    field.join("latecomer")
    mail = field.mail("voter")
    assert {one["event"] for one in mail} == {event}
    for one in mail:
        assert check_document("notification", one) == ()
        assert set(one) == {
            "subscription_id",
            "event",
            "epoch",
            "relevance_score",
            "summary",
            "memory_unit_id",
            "conflict_id",
            "requires_action",
        }
    named: dict[str, set[Json]] = {
        "memory.recorded": {old, new},
        "memory.superseded": {old},
        "memory.contested": {old, new},
    }
    assert {one["memory_unit_id"] for one in mail} == named.get(event, {None})
    assert {one["conflict_id"] for one in mail} == ({conflict} if event.startswith("conflict") else {None})
    assert field.mail("voter") == []


@cites("AKAS-072")
def test_what_was_not_subscribed_to_or_no_longer_is_never_arrives_and_nobody_hears_of_itself() -> None:
    field = listen(Field().join("scout", "analyst"), "scout", "memory.recorded")
    field.ask("RECORD", "scout", finding("The harbour is deep"))
    assert heard(field, "scout") == []
    field.ask("RECORD", "analyst", finding("The quarry is closed"))
    (notice,) = field.mail("scout")
    assert heard(field, "analyst") == []
    ended: JsonObject = {"action": "unsubscribe", "subscription": {"id": notice["subscription_id"]}}
    assert field.ask("SUBSCRIBE", "scout", ended)["status"] == "ok"
    field.ask("RECORD", "analyst", finding("The orchard is large"))
    field.join("latecomer")
    assert heard(field, "scout") == []


@cites("AKAS-072")
def test_what_matters_less_than_asked_for_is_held_back() -> None:
    field = Field().join("analyst")
    wished: JsonObject = {"id": "scout", "role": "keeper of the harbour", "interests": ["harbour"]}
    assert field.ask("REGISTER", "scout", wished)["status"] == "registered"
    listen(field, "scout", "memory.recorded")
    for text in ("The harbour is deep", "Nobody swept the orchard"):
        field.ask("RECORD", "analyst", finding(text))
    near, far = (float(str(one["relevance_score"])) for one in field.mail("scout"))
    assert 0.0 <= far < near <= 1.0
    strict: JsonObject = {"events": ["memory.recorded"], "min_relevance": (near + far) / 2}
    field.ask("SUBSCRIBE", "scout", {"action": "subscribe", "subscription": strict})
    for text in ("The harbour has two quays", "Nobody swept the attic"):
        field.ask("RECORD", "analyst", finding(text))
    summaries = [(one["subscription_id"], one["memory_unit_id"]) for one in field.mail("scout")]
    assert len(summaries) == 3
    assert len({unit for name, unit in summaries if name == summaries[1][0]}) == 1


@cites("AKAS-072")
@each(("gap", "times"), [(0, 2), (99, 1), (100, 2)])
def test_the_same_thing_is_not_told_again_too_soon(gap: int, times: int) -> None:
    wait = 100 if gap else None
    wish = FieldSubscription(id="s", agent="analyst", events=(EventName.MEMORY_RECORDED,), debounce_ms=wait)
    views = {"analyst": SubscriberView(units={"m-1": 0.5})}
    first, told = notices([wish], [unit_event()], views, LastNotified(), now_ms=1_000)
    second, _ = notices([wish], [unit_event(4)], views, told, now_ms=1_000 + gap)
    assert len(first) + len(second) == times
    other, _ = notices(
        [wish], [FieldEvent(event=EventName.MEMORY_RECORDED, epoch=5, by="b", words="w")], views, told, now_ms=1_001
    )
    assert len(other) == 1


@cites("AKAS-072")
def test_a_field_holds_back_what_comes_too_often() -> None:
    field = Field().join("scout", "analyst", "senior")
    wish: JsonObject = {"events": ["memory.recorded", "memory.contested", "memory.superseded"], "debounce_ms": 1_000}
    field.ask("SUBSCRIBE", "senior", {"action": "subscribe", "subscription": wish})
    old = str(field.ask("RECORD", "scout", finding("The harbour is deep"))["memory_unit_id"])
    assert heard(field, "senior") == ["memory.recorded"]
    links: list[Json] = [{"type": "supersedes", "target_id": old}]
    field.ask("RECORD", "scout", finding("The harbour silted up", relations=links))
    assert heard(field, "senior") == ["memory.recorded"]
    field.now_ms = 1_000
    new = str(field.ask("RECORD", "scout", finding("The orchard is large"))["memory_unit_id"])
    assert [one["memory_unit_id"] for one in field.mail("senior")] == [new]


@cites("AKAS-069")
def test_the_side_that_lost_is_told_no_more_is_named_and_its_author_hears_of_it() -> None:
    field, conflict, old, _ = disputed()
    for agent in AGENTS:
        field.mail(agent)
    effects = an_object(merge(field, conflict, "last_write_wins")["side_effects"])
    assert (effects["superseded_units"], effects["notified_agents"]) == ([old], ["analyst", "scout"])
    assert "The market grows at 23 percent a year" not in contents(field.ask("ATTUNE", "chief", attune()))
    mail = {agent: field.mail(agent) for agent in AGENTS}
    assert {agent for agent, notes in mail.items() if notes} == set(map(str, ["analyst", "scout"]))
    lost = [one for one in mail["scout"] if one["memory_unit_id"] == old]
    assert [one["event"] for one in lost] == ["memory.superseded"]
    assert [one["conflict_id"] for one in mail["analyst"]] == [conflict]
    assert all(check_document("notification", one) == () for notes in mail.values() for one in notes)


def test_a_side_that_may_not_be_seen_hides_the_conflict() -> None:
    event = FieldEvent(
        event=EventName.CONFLICT_DETECTED, epoch=3, by="scout", words="w", conflict="c", units=("m-1", "m-2")
    )
    wish = FieldSubscription(id="s", agent="analyst", events=(EventName.CONFLICT_DETECTED,))
    half, whole = SubscriberView(units={"m-1": 0.9}), SubscriberView(units={"m-1": 0.2, "m-2": 0.4})
    assert notices([wish], [event], {"analyst": half}, LastNotified(), now_ms=0)[0] == ()
    ((notice,), _) = notices([wish], [event], {"analyst": whole}, LastNotified(), now_ms=0)
    assert notice.document["relevance_score"] == 0.4
    assert notices([wish], [event], {}, LastNotified(), now_ms=0)[0] == ()


class Reviewed:
    """What is known of a unit that somebody else let in; of the others nothing is."""

    def name(self, rid: int) -> str | None:
        return "m-1" if rid == 7 else None

    def author(self, rid: int) -> str | None:
        return "analyst" if rid == 7 else None

    def before(self, rid: int, seq: int) -> Status | None:
        return Status.ACTIVE


def test_a_unit_that_a_reviewer_let_in_is_its_authors_and_one_nobody_knows_of_is_no_news() -> None:
    footing = TrustState(own=0.8, effective=0.8, label=Label.AGENT)
    births = tuple(
        RevisionCreated(rid=rid, id=f"m-{rid}", revision=1, status=Status.ACTIVE, footing=footing) for rid in (7, 8)
    )
    conflict = ConflictChange(id="c-1", status=ConflictStatus.DETECTED, a=7, b=8, why="slot")
    entry = Entry(
        v=1,
        tenant="default",
        seq=3,
        at=Instant(0),
        kind=EntryKind.RULED,
        actor="chief",
        births=births,
        conflicts=(conflict,),
    )
    (told,) = events_of(entry, Reviewed())
    assert (told.by, told.concerns, told.unit, told.epoch) == ("analyst", ("analyst",), "m-1", 3)


def test_a_draft_and_what_is_archived_are_no_news() -> None:
    field = listen(Field().join("scout", "analyst", "senior"), "analyst", "memory.recorded", "memory.superseded")
    field.ask("RECORD", "scout", finding("Perhaps the harbour is deep", mode="draft"))
    assert heard(field, "analyst") == []
    field.ask("RECORD", "scout", finding("The harbour is deep"))
    assert heard(field, "analyst") == ["memory.recorded"]
    field.ask("COMPACT", "senior", {"strategy": "archive"})
    assert heard(field, "analyst") == []


def test_a_unit_that_only_counts_for_less_is_no_news() -> None:
    field = listen(Field().join("scout", "analyst", "senior"), "senior", "memory.contested")
    ground = str(field.ask("RECORD", "scout", finding("The harbour is deep"))["memory_unit_id"])
    rests: list[Json] = [{"type": "depends_on", "target_id": ground}]
    above = str(field.ask("RECORD", "scout", finding("Ships may enter", relations=rests))["memory_unit_id"])
    links: list[Json] = [{"type": "contradicts", "target_id": above}]
    field.ask("RECORD", "analyst", finding("Nothing larger than a boat goes in", relations=links))
    assert heard(field, "senior") == ["memory.contested", "memory.contested"]
    field.memory.as_actor("scout").review.retract(ground, reason="silted up")
    field.ask("RECORD", "scout", finding("The orchard is large"))
    assert heard(field, "senior") == []
