"""The way in: envelopes, tokens, paths, tools and views, and that every binding gives the same."""

from __future__ import annotations

from contextlib import suppress

from akashik_conformance import recording, registering
from akashik_conformance.bench import Agent, Bench, Subject, disputed
from akashik_conformance.binding import VIEWS, Json, JsonObject, Shut, Ways
from akashik_conformance.samples import OPERATIONS, asked, known_at
from akashik_conformance.say import (
    finding,
    holds,
    link,
    merge,
    part,
    parts,
    refused,
    replay,
    same,
    scope,
    valid,
    went,
    whole,
    without,
    word,
    words,
)
from akashik_conformance.shapes import flaws

POSTED = (
    *("register", "deregister", "record", "attune", "detect", "merge", "replay", "compact", "subscribe"),
    *("handoff", "coordinate", "session"),
)
SEEN = ("/v1/field/status", "/v1/agents", "/v1/conflicts")
TOOLS = ("register", "record", "attune", "detect", "merge", "replay", "compact")
SERVED: tuple[Ways, ...] = ("http", "mcp")
STRATEGIES = (
    *("last_write_wins", "confidence_weighted", "human_escalation"),
    *("authority", "evidence_count", "synthesis", "vote"),
)


def akas_030(b: Bench) -> None:
    f = b.field()
    scout, looker = f.join("scout"), f.join("looker")
    good = f.message("RECORD", scout.name, finding("The harbour is deep"))
    broken: list[tuple[str, JsonObject]] = [
        ("another protocol", {**good, "protocol": "akasha"}),
        ("another version", {**good, "version": "9.9.9"}),
        ("a negative epoch", {**good, "epoch": -1}),
        ("a fractional epoch", {**good, "epoch": 1.5}),
        ("an epoch in words", {**good, "epoch": "one"}),
        ("an unknown operation", {**good, "operation": "TELEPORT"}),
        ("a payload that is a list", {**good, "payload": []}),
        ("a payload that is a text", {**good, "payload": "x"}),
        ("an empty id", {**good, "id": ""}),
        ("an agent without a name", {**good, "agent_id": ""}),
        ("a key nobody knows", {**good, "token": "secret"}),
        ("no payload", without(good, "payload")),
        ("no agent", without(good, "agent_id")),
    ]
    if b.way != "mcp":
        names = ("protocol", "version", "id", "operation", "session_id", "epoch")
        broken += [(f"no {name}", without(good, name)) for name in names]
    for what, message in broken:
        refused(f.send(message, scout.token), None, f"an envelope with {what}")
    same(looker.contents(), [], "what was kept of envelopes that were refused")
    went(f.send(good, scout.token), "accepted", "the envelope they were made of")


def akas_031(b: Bench) -> None:
    f = b.field()
    human = f.join("human", 10)
    for operation in known_at(f.level):
        message = f.message(operation, human.name, asked(operation, f"{human.name}-new"))
        wrong = (*flaws("message", message), *flaws(f"{operation.lower()}_request", message["payload"]))
        same(wrong, (), f"what is wrong with the suite's own {operation}")
        answer = f.send(message, human.token)
        code = str(answer.get("code", ""))
        known = "status" in answer or code.endswith("_NOT_FOUND")
        holds(known, f"a valid envelope of {operation} was not understood: {answer}")


def akas_081(b: Bench) -> None:
    f = b.field()
    scout = f.join("scout", 10)
    tokens: dict[str, str | None] = {"no token": None}
    tokens["an unknown token"] = f.examined.bad_token("unknown")
    tokens["an expired token"] = f.examined.bad_token("expired")
    for what, token in tokens.items():
        for operation in known_at(f.level):
            agent = "intruder" if operation == "REGISTER" else scout.name
            answer = f.answer(f.message(operation, agent, asked(operation, agent)), token)
            refused(answer.document, ("UNAUTHENTICATED", "TRANSPORT_ERROR"), f"{operation} with {what}")
            same(answer.status, 401 if b.way == "http" else None, f"the HTTP status of {operation} with {what}")
        for view in VIEWS:
            seen = f.binding.view(view, token, agent=scout.name).document
            holds("code" in seen, f"the view {view} is open to {what}: {seen}")
        holds(_shut(f, scout, token), f"a stream is open to {what}")
    same(scout.contents(include_own=True), [], "what was kept of messages without a valid token")
    holds("intruder" not in registering.roster(scout), "an agent without a valid token is on the roster")


def _shut(f: Subject, agent: Agent, token: str | None) -> bool:
    with suppress(Shut):
        stream = f.binding.follow(agent.name, token, after=0)
        stream.close()
        return False
    return True


def akas_098(b: Bench) -> None:
    for way in (one for one in SERVED if one != b.way):
        sister = b.sister(way)
        try:
            for shown in (registering.akas_001, registering.akas_003, recording.akas_006, recording.akas_009):
                shown(sister)
            _at_work(sister)
        except AssertionError as error:
            raise AssertionError(f"over {way}: {error}") from error
        finally:
            sister.close()


def _at_work(b: Bench) -> None:
    """A day of a Field, from the first unit to a settled conflict."""
    f = b.field()
    scout, analyst = f.join("scout"), f.join("analyst")
    old = scout.record("The harbour is deep")
    same(analyst.contents(), ["The harbour is deep"], "what is told")
    if f.level >= 2:
        senior = f.join("senior", 6)
        answer = analyst.recorded("Ships touch ground there", relations=link("contradicts", old))
        (name,) = words(answer, "conflicts_detected")
        went(senior.ask("MERGE", merge(name, "last_write_wins")), "resolved", "a MERGE")
        same(senior.contents(), ["Ships touch ground there"], "what is told after a MERGE")


def akas_099(b: Bench) -> None:
    f = b.over("http")
    raw = f.examined.http()
    human = f.join("human", 10)
    for name in POSTED:
        operation = name.upper()
        message = f.message(operation, human.name, asked(operation, f"{human.name}-new"))
        told = raw.post(f"/v1/{name}", message, human.token)
        holds(told.status not in (404, 405) or "code" in told.document, f"POST /v1/{name} is not there")
        same(told.kind, "application/json", f"the content type of POST /v1/{name}")
        holds("status" in told.document or "code" in told.document, f"POST /v1/{name} answers {told.document}")
        other = raw.post(f"/v1/{name}", message, human.token, kind="text/plain")
        same(other.status, 415, f"POST /v1/{name} with another content type")
        same(other.kind, "application/json", "the content type of a refusal")
    for path in SEEN:
        told = raw.get(f"{path}?agent_id={human.name}", human.token)
        same((told.status, told.kind), (200, "application/json"), f"GET {path}")


def akas_100(b: Bench) -> None:
    f = b.over("mcp")
    missing = [name for name in TOOLS if f"akashik_{name}" not in f.examined.tools()]
    same(missing, [], "tools that are not there")
    web = f.through("http")
    scout = f.join("scout")
    analyst = Agent(web, web.join("analyst").name, 4)
    name, old, new = disputed(scout, analyst)
    senior, over_http = f.join("senior", 6), Agent(web, f.name("senior"), 6)
    asked_: dict[str, JsonObject] = {
        "ATTUNE": scope(role="researcher"),
        "DETECT": {"mode": "list"},
        "REPLAY": replay("conflict", name),
    }
    for operation, payload in asked_.items():
        here, there = senior.ask(operation, payload), over_http.ask(operation, payload)
        same(_timeless(here), _timeless(there), f"{operation} over MCP and over HTTP")
    bad = (finding("x", type="rumour"), finding("x", intent={}))
    for payload in bad:
        same(
            scout.ask("RECORD", payload).get("code"),
            Agent(web, scout.name, 4).ask("RECORD", payload).get("code"),
            "the code of a refusal over MCP and over HTTP",
        )
    went(senior.ask("MERGE", merge(name, "last_write_wins")), "resolved", "a MERGE over MCP")
    refused(over_http.ask("MERGE", merge(name, "last_write_wins")), "INVALID_TRANSITION", "the same over HTTP")
    same([unit for unit in (old, new) if over_http.unit(unit)], [new], "what is told over HTTP after a MERGE over MCP")


def _timeless(document: JsonObject) -> Json:
    """A document without what depends on the moment at which it was asked for."""
    if "record" not in document:
        return {key: value for key, value in document.items() if key != "epoch"}
    units = [part(one, "memory_unit") for one in parts(document, "record")]
    return {"units": list[Json](units), "conflicts": document.get("conflicts")}


def akas_101(b: Bench) -> None:
    f = b.over("mcp")
    web = f.through("http")
    scout, follower = Agent(web, web.join("scout").name, 4), f.join("follower")
    since, heard = 0, list[str]()
    made: list[str] = []
    for round_ in range(4):
        made += [scout.record(f"Sounding {number} of round {round_}") for number in range(3)]
        answer = follower.attune(1_000, since_epoch=since)
        heard += [word(part(one, "memory_unit"), "id") for one in f.told(answer)]
        since = whole(answer, "epoch")
    same(sorted(set(heard)), sorted(made), "what an agent saw that can only poll")


def akas_107(b: Bench) -> None:
    f = b.field()
    chief, scout, stranger = f.join("chief", 8), f.join("scout"), f.join("stranger")
    session = f.meet(chief, scout)
    unit = scout.record("The harbour is deep", session=session)
    answer = scout.recorded("The harbour is shallow", relations=link("contradicts", unit), session=session)
    (conflict,) = words(answer, "conflicts_detected")
    whole(stranger.view("status"), "epoch")
    names = registering.roster(stranger)
    holds({chief.name, scout.name, stranger.name} <= set(names), f"the view of agents shows {sorted(names)}")
    for agent in names.values():
        valid("agent", agent)
    seen = [word(one, "id") for one in parts(scout.view("conflicts", session=session), "conflicts")]
    holds(conflict in seen, "a member is not shown the conflict of its session")
    hidden = [word(one, "id") for one in parts(stranger.view("conflicts"), "conflicts")]
    holds(conflict not in hidden, "the view of conflicts tells of a session to strangers")
    named = str(stranger.view("conflicts", session=session))
    holds(conflict not in named and unit not in named, "a stranger who names a session is shown its conflicts")
    for view in VIEWS:
        for what, token in (("no token", None), ("an unknown token", f.examined.bad_token("unknown"))):
            told = f.binding.view(view, token, agent=scout.name)
            refused(told.document, None, f"the view {view} with {what}")
            same(told.status, 401 if b.way == "http" else None, f"the HTTP status of the view {view} with {what}")


def akas_108(b: Bench) -> None:
    for level in range(b.level + 1):
        f = b.field(level=level)
        human = f.join("human", 10)
        told = part(f.register("other"), "field_capabilities")
        observed = [
            operation
            for operation in OPERATIONS
            if human.ask(operation, asked(operation, f.name("third"))).get("code") != "UNSUPPORTED_OPERATION"
        ]
        same(sorted(words(told, "supported_operations")), sorted(observed), f"operations of level {level}")
        known = [word_ for word_ in STRATEGIES if _known(human, word_)]
        same(sorted(words(told, "conflict_strategies")), sorted(known), f"strategies of level {level}")
        same(told.get("conformance_level"), level, "conformance_level")
    if b.level >= 3:
        _compacts(b)


def _known(agent: Agent, strategy: str) -> bool:
    answer = agent.ask("MERGE", merge("no-conflict", strategy, winner_id="m", synthesis="s"))
    return answer.get("code") not in ("UNSUPPORTED_OPERATION", "UNSUPPORTED_STRATEGY")


def _compacts(b: Bench) -> None:
    """What level 3 needs beside operations: every strategy of COMPACT."""
    f = b.field()
    human = f.join("human", 10)
    for strategy in ("archive", "summarize", "purge"):
        went(human.ask("COMPACT", {"strategy": strategy}), "ok", f"a COMPACT {strategy} on level 3")
