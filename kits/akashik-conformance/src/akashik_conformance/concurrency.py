"""Many at once: nothing lost, nothing doubled, and of two that cannot both be right exactly one."""

from __future__ import annotations

from functools import partial
from threading import Event

from akashik_conformance.bench import Agent, Bench, Subject, disputed
from akashik_conformance.binding import JsonObject
from akashik_conformance.say import holds, link, merge, part, refused, same, whole, word, words

WRITERS, EACH = 6, 8


def akas_039(b: Bench) -> None:
    f = b.field()
    one, two, reader = f.join("one"), f.join("two"), f.join("reader")
    done = Event()
    heard: set[str] = set()

    def write(agent: Agent) -> list[tuple[int, str]]:
        answers = [agent.recorded(f"Sounding {number} of {agent.name}") for number in range(15)]
        return [(whole(answer, "epoch"), word(answer, "memory_unit_id")) for answer in answers]

    def follow() -> list[tuple[int, str]]:
        since = 0
        while True:
            last = done.is_set()
            answer = reader.attune(1_000, since_epoch=since)
            heard.update(word(part(unit, "memory_unit"), "id") for unit in f.told(answer))
            since = whole(answer, "epoch")
            if last:
                return []

    def both() -> list[tuple[int, str]]:
        found = f.at_once([partial(write, one), partial(write, two)], workers=2)
        done.set()
        return [each for many in found for each in many]

    written, _ = f.at_once([both, follow], workers=2)
    same(len({epoch for epoch, _ in written}), 30, "different epochs of thirty writes by two agents at once")
    same({name for _, name in written} - heard, set(), "units that a reader who follows by epoch never saw")


def akas_104(b: Bench) -> None:
    f = b.field()
    rival, reader = f.join("rival"), f.join("reader", 8)
    target = rival.record("The harbour is deep")
    agents = [f.join(f"writer-{number}") for number in range(WRITERS)]

    def record(agent: Agent, number: int) -> JsonObject:
        text = f"Sounding {number} of {agent.name} at buoy {number * 7}"
        if number == 0:
            return agent.recorded(text, relations=link("contradicts", target))
        return agent.recorded(text)

    jobs = [partial(record, agent, number) for number in range(EACH) for agent in agents]
    answers = f.at_once(jobs, workers=WRITERS)
    total = WRITERS * EACH
    made = {word(one, "memory_unit_id") for one in answers}
    same(len(made), total, "different ids of records made at once")
    same(len({whole(one, "epoch") for one in answers}), total, "different epochs of records made at once")
    told = {word(part(one, "memory_unit"), "id") for one in f.told(reader.attune(1_000))}
    same(made - told, set(), "records made at once that are not told")
    declared = {name for one in answers for name in words(one, "conflicts_detected")}
    same(len(declared), WRITERS, "conflicts of contradictions declared at once")
    listed = {word(one, "id") for one in reader.conflicts()}
    same(declared - listed, set(), "conflicts that are not listed")


def akas_105(b: Bench) -> None:
    f = b.field()
    scout, analyst = f.join("scout"), f.join("analyst")
    name, *_ = disputed(scout, analyst)
    judges = [f.join(f"judge-{number}", 6) for number in range(6)]
    answers = f.at_once([partial(judge.ask, "MERGE", merge(name, "last_write_wins")) for judge in judges], workers=6)
    won = [one for one in answers if one.get("status") == "resolved"]
    same(len(won), 1, "merges of one conflict that won")
    for one in answers:
        if one not in won:
            refused(one, "INVALID_TRANSITION", "a merge that came too late")


def akas_106(b: Bench) -> None:
    f = b.field()
    for attempt in range(3):
        _replaced_twice(f, attempt)


def _replaced_twice(f: Subject, attempt: int) -> None:
    author, reader = f.join(f"author-{attempt}"), f.join(f"reader-{attempt}")
    rivals = [f.join(f"rival-{attempt}-{number}") for number in range(2)]
    name = author.record(f"Pier {attempt} is deep")
    texts = (f"Pier {attempt} is 12 metres deep", f"Pier {attempt} is 15 metres deep")

    def replace(rival: Agent, text: str) -> JsonObject:
        payload: JsonObject = {
            "type": "finding",
            "content": text,
            "intent": {"purpose": "to be told"},
            "confidence": {"score": 0.8, "reasoning": "seen"},
            "relations": link("supersedes", name),
        }
        return rival.ask("RECORD", payload)

    answers = f.at_once([partial(replace, *pair) for pair in zip(rivals, texts, strict=True)], workers=2)
    accepted = [word(one, "memory_unit_id") for one in answers if one.get("status") == "accepted"]
    f.ours.update(accepted)
    holds(len(accepted) >= 1, f"nobody could supersede the unit: {answers}")
    told = {word(part(one, "memory_unit"), "id") for one in f.told(reader.attune(1_000))}
    holds(name not in told, "the unit that was superseded is still told")
    live = [one for one in accepted if one in told]
    open_ = [one for one in reader.conflicts() if {str(one.get("unit_a")), str(one.get("unit_b"))} == set(accepted)]
    holds(len(live) == 1 or bool(open_), f"{len(live)} live successors of one unit and no conflict between them")
