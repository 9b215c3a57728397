"""lineage, cascade, outcome, vouch, promote, sweep, directory, quality, and the gate of recall."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.surfaces.shell import Shell

RUMOUR = "A forum post says that tenants may share a cache"
PLAN = "One cache serves all tenants"
ORDER = "A single machine is ordered for it"


@pytest.fixture
def chain(shell: Shell) -> tuple[str, str, str]:
    """A weak source, what was concluded from it, and what was concluded from both."""
    shell("init")
    rumour = shell.remember(RUMOUR, "--confidence", "0.5", "--source-type", "external", "--as", "scout")
    plan = shell.remember(PLAN, "--confidence", "0.95", "--derived-from", rumour, "--as", "planner")
    order = shell.remember(
        ORDER, "--confidence", "0.9", "--derived-from", plan, "--derived-from", rumour, "--as", "buyer"
    )
    return rumour, plan, order


def test_get_tells_how_far_a_record_is_believed_now(shell: Shell, chain: tuple[str, str, str]) -> None:
    rumour, plan, _ = chain
    found = shell("get", plan, "--json").json
    assert (found["confidence"], found["own_confidence"], found["effective_confidence"]) == (0.95, 0.95, 0.5)
    assert (found["gate"], found["support"], found["origin"], found["label"]) == (
        "FLAG",
        "standing",
        "external",
        "external",
    )
    assert (found["alpha"], found["beta"], found["tier"], found["accesses"]) == (1.0, 1.0, "working", 0)
    human = shell("get", plan).out
    assert "treat with care: it stands on something believed no more than 0.50" in human
    assert "confidence    0.95, effective 0.50" in human
    assert "treat with care: it is believed no more than 0.50" in shell("get", rumour).out


def test_recall_says_to_treat_with_care_what_the_gate_flags(shell: Shell, chain: tuple[str, str, str]) -> None:
    shell.remember("The cache is warm", "--confidence", "0.9")
    said = shell("recall", "cache", "--json").json["records"]
    assert {one["content"]: one["gate"] for one in said} == {"The cache is warm": "PASS", PLAN: "FLAG", RUMOUR: "FLAG"}
    assert shell("recall", "warm", "--limit", "1").out.count("treat with care") == 0
    assert shell("recall", "cache").out.count("treat with care") == 2


@pytest.mark.parametrize(
    ("words", "gates", "kept_back"),
    [
        (("--gate-min", "0.5"), {"FLAG"}, {}),
        (("--gate-min", "0.51"), set(), {"gate": 3}),
        (("--gate-flag", "0.5"), {"PASS"}, {}),
        (("--gate-min", "0", "--gate-flag", "0"), {"PASS"}, {}),
        (("--gate-min", "1", "--gate-flag", "1"), set(), {"gate": 3}),
    ],
)
def test_the_gate_of_one_recall(
    shell: Shell, chain: tuple[str, str, str], words: tuple[str, ...], gates: set[str], kept_back: dict[str, int]
) -> None:
    said = shell("recall", "forum serves ordered", *words, "--json").json
    assert ({one["gate"] for one in said["records"]}, said["excluded"]) == (gates, kept_back)
    plan = shell("explain", said["receipt_id"], "--json").json["plan"]["gate"]
    asked = {name.removeprefix("--gate-"): float(value) for name, value in zip(words[::2], words[1::2], strict=True)}
    assert {name: plan[name] for name in asked} == asked


def test_a_purpose_that_steers_is_told_nothing_from_outside(shell: Shell, chain: tuple[str, str, str]) -> None:
    said = shell("recall", "cache", "--purpose", "deploy", "--json").json
    assert (said["records"], said["excluded"]) == ([], {"origin": 2})


def test_lineage_is_a_graph_of_nodes_and_edges(shell: Shell, chain: tuple[str, str, str]) -> None:
    rumour, plan, order = chain
    said = shell("lineage", plan, "--json")
    assert said.code == 0
    assert (said.json["id"], said.json["direction"]) == (plan, "both")
    assert [(node["id"], node["depth"]) for node in said.json["nodes"]] == [(rumour, -1), (plan, 0), (order, 1)]
    assert said.json["nodes"][1] == {
        "id": plan,
        "revision": 1,
        "citation": f"{plan}@1",
        "depth": 0,
        "content": PLAN,
        "kind": "observation",
        "actor": "planner",
        "status": "active",
        "confidence": 0.95,
        "effective_confidence": 0.5,
        "origin": "external",
        "support": "standing",
        "gate": "FLAG",
    }
    edges = {(edge["source"], edge["target"], edge["type"]) for edge in said.json["edges"]}
    assert edges == {(plan, rumour, "derived_from"), (order, plan, "derived_from")}


@pytest.mark.parametrize(
    ("words", "depths"),
    [
        (("--direction", "up"), [0]),
        (("--direction", "down"), [0, 1, 1]),
        (("--direction", "down", "--depth", "1"), [0, 1, 1]),
        (("--depth", "0"), [0]),
        (("--type", "supports"), [0]),
        (("--type", "supports", "--type", "derived_from"), [0, 1, 1]),
    ],
)
def test_lineage_goes_as_far_as_it_is_asked(
    shell: Shell, chain: tuple[str, str, str], words: tuple[str, ...], depths: list[int]
) -> None:
    said = shell("lineage", chain[0], *words, "--json")
    assert [node["depth"] for node in said.json["nodes"]] == depths


def test_lineage_in_words_is_a_tree_in_which_a_diamond_is_told_once(shell: Shell, chain: tuple[str, str, str]) -> None:
    rumour, plan, order = chain
    below = shell("lineage", rumour)
    assert below.code == 0
    assert below.out.splitlines() == [
        "  it stands on nothing else",
        f"{rumour}@1  0.50 FLAG  {RUMOUR}",
        "  what stands on it",
        f"  ├─ {plan}@1  0.50 FLAG  {PLAN}",
        f"  │  └─ {order}@1  0.50 FLAG  {ORDER}",
        f"  └─ {order}@1  see above",
    ]
    above = shell("lineage", order, "--direction", "up").out
    assert above.index(RUMOUR) < above.index(ORDER)
    assert f"└─ {rumour}@1  see above" in above
    assert "what stands on it" not in above


def test_lineage_names_links_that_are_not_the_usual_one(shell: Shell, chain: tuple[str, str, str]) -> None:
    second = shell.remember("Tenants were seen sharing", "--relation", f"supports:{chain[0]}", "--as", "other")
    assert f"{second}@1  0.60 PASS  supports  Tenants were seen sharing" in shell("lineage", chain[0]).out


def test_a_long_line_of_descent_stays_on_the_paper(shell: Shell) -> None:
    above = first = shell.remember("generation 0 of a very long story")
    for number in range(1, 31):
        above = shell.remember(
            f"chapter {number} of something entirely different {number * 7}", "--derived-from", above
        )
    said = shell("lineage", first)
    lines = said.out.splitlines()
    assert (said.code, sum("rec_" in line for line in lines)) == (0, 31)
    assert max(len(line) for line in lines) <= 120
    assert f"(30) {above}@1" in said.out


def test_what_may_not_be_seen_is_in_no_lineage(shell: Shell) -> None:
    shell("init")
    secret = shell.remember("salaries rise in May", "--sensitivity", "confidential")
    open_ = shell.remember("The budget grows in May", "--derived-from", secret)
    said = shell("lineage", open_, "--as", "docs", "--json")
    assert [node["id"] for node in said.json["nodes"]] == [open_]
    assert secret not in said.out
    hidden, absent = (
        shell("lineage", secret, "--as", "docs", "--json"),
        shell("lineage", "rec_0", "--as", "docs", "--json"),
    )
    assert (hidden.code, hidden.error) == (2, absent.error)


def test_a_cascade_is_told_before_it_happens_and_then_happens_so(shell: Shell, chain: tuple[str, str, str]) -> None:
    rumour, plan, order = chain
    head = shell("ledger", "head").json
    foretold = shell("cascade", rumour, "--json").json
    dry = shell("retract", rumour, "--reason", "wrong product", "--dry-run", "--json")
    assert (dry.code, dry.json) == (0, foretold)
    assert shell("ledger", "head").json == head
    assert (foretold["id"], foretold["becomes"], foretold["reached"]) == (rumour, "retracted", 2)
    assert foretold["falls"][0] == {
        "id": plan,
        "revision": 1,
        "content": PLAN,
        "depth": 1,
        "under": rumour,
        "before": {"status": "active", "effective_confidence": 0.5, "support": "standing", "gate": "FLAG"},
        "after": {"status": "active", "effective_confidence": 0.2, "support": "fallen", "gate": "FILTER"},
    }
    shell("retract", rumour, "--reason", "wrong product", "--yes")
    for fall in foretold["falls"]:
        now = shell("get", fall["id"], "--json").json
        assert {name: now[name] for name in fall["after"]} == fall["after"]
    assert "kept back from answers: what it stands on is gone" in shell("get", order).out
    assert shell("recall", "cache", "--json").json["excluded"] == {"retracted": 1, "support": 1}


def test_a_cascade_in_words_is_a_tree(shell: Shell, chain: tuple[str, str, str]) -> None:
    rumour, plan, order = chain
    for words in (("cascade", rumour), ("retract", rumour, "--reason", "x", "--dry-run")):
        said = shell(*words)
        assert said.code == 0
        assert f"{rumour}  would become retracted" in said.out
        assert f"├─ {plan}@1  0.50 FLAG to 0.20 FILTER fallen  {PLAN}" in said.out
        assert f"└─ {order}@1  0.50 FLAG to 0.20 FILTER fallen  {ORDER}" in said.out
        assert "2 records reached" in said.out
        assert "nothing was changed" in said.out
    assert "would be judged otherwise" in shell("cascade", order).out


@pytest.mark.parametrize("becomes", ["deprecated", "superseded", "expired", "contested"])
def test_a_cascade_can_be_asked_about_every_end(shell: Shell, chain: tuple[str, str, str], becomes: str) -> None:
    said = shell("cascade", chain[0], "--becomes", becomes, "--json").json
    supports = {fall["after"]["support"] for fall in said["falls"]}
    assert (said["becomes"], supports) == (becomes, {"fallen"} if becomes in ("deprecated", "expired") else {"flagged"})


def test_a_dry_run_is_stale_where_the_deed_would_be(shell: Shell, chain: tuple[str, str, str]) -> None:
    words = ("retract", chain[0], "--reason", "x", "--expected-revision", "7", "--json")
    plan, deed = shell(*words, "--dry-run"), shell(*words, "--yes")
    assert (plan.code, plan.out, plan.error) == (2, "", deed.error)
    shell("retract", chain[0], "--reason", "x", "--yes")
    again = shell("retract", chain[0], "--reason", "x", "--dry-run", "--json")
    assert (again.code, again.error["code"]) == (2, "stale")


def test_an_outcome_moves_the_record_and_what_stands_on_it(shell: Shell, chain: tuple[str, str, str]) -> None:
    rumour, plan, _ = chain
    said = shell("outcome", rumour, "misleading", "--evidence", "the deploy failed", "--json")
    assert said.code == 0
    assert (said.json["outcome"], said.json["record_id"], said.json["reason"]) == (
        "committed",
        rumour,
        "the deploy failed",
    )
    assert (said.json["own_confidence"], said.json["effective_confidence"], said.json["gate"]) == (0.4, 0.4, "FLAG")
    found = shell("get", rumour, "--json").json
    assert (found["confidence"], found["own_confidence"], found["alpha"], found["beta"]) == (0.5, 0.4, 1.0, 2.0)
    assert shell("get", plan, "--json").json["effective_confidence"] == 0.4
    assert "beta 2: own confidence 0.40" in shell("get", rumour).out
    human = shell("outcome", rumour, "helpful", "--weight", "0.5")
    assert (human.code, "believed now: 0.45 of its own, 0.45 effective, FLAG" in human.out) == (0, True)


def test_an_agents_praise_of_its_own_record_weighs_nothing(shell: Shell, chain: tuple[str, str, str]) -> None:
    said = shell("outcome", chain[0], "helpful", "--as", "scout", "--json")
    assert (said.code, said.json["own_confidence"]) == (0, 0.5)


def test_whoever_may_judge_but_not_read_is_told_the_verdict_alone(shell: Shell, tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text(
        "version: 1\nname: judges\nactors:\n  owner: {type: person, roles: [owner]}\n"
        "write:\n  - {id: all, decision: commit, reason: all}\n"
        "read:\n  - {id: owners, roles: [owner], member: false}\n"
        "  - {id: judges, actors: [judge], member: false, purposes: [curation]}\n"
        "review:\n  - {id: judges-observe, actors: [judge], actions: [observe]}\n"
    )
    assert shell("init", "--policy", str(rules)).code == 0
    record = shell.remember("The build is green")
    said = shell("outcome", record, "misleading", "--as", "judge", "--json")
    assert (said.code, said.json["outcome"], said.json["own_confidence"], said.json["gate"]) == (
        0,
        "committed",
        None,
        None,
    )
    assert "believed now" not in shell("outcome", record, "misleading", "--as", "judge").out


def test_a_reviewer_vouches_for_where_a_record_comes_from(shell: Shell, chain: tuple[str, str, str]) -> None:
    refused = shell("vouch", chain[0], "--origin", "agent", "--reason", "seen", "--as", "docs", "--json")
    assert (refused.code, refused.json["outcome"], refused.json["origin"]) == (0, "refused", "external")
    said = shell("vouch", chain[0], "--origin", "tool", "--reason", "read the manual", "--json")
    assert (said.code, said.json["outcome"], said.json["origin"]) == (0, "committed", "tool")
    human = shell("vouch", chain[0], "--origin", "person", "--reason", "asked the author")
    assert (human.code, "origin person" in human.out, "asked the author" in human.out) == (0, True, True)
    again = shell("vouch", chain[0], "--origin", "person", "--reason", "once more", "--json")
    assert (again.code, again.error["hint"]) == (2, "Change --origin and ask again; nothing was done.")


def test_a_promotion_waits_for_a_reviewer(shell: Shell, chain: tuple[str, str, str]) -> None:
    words = (
        "--scope",
        "agent_team",
        "--scope-id",
        "core",
        "--evidence",
        "ci:9",
        "--owner",
        "lead",
        "--reason",
        "all need it",
    )
    said = shell("promote", chain[1], *words, "--as", "planner", "--json")
    assert (said.code, said.json["outcome"], said.json["record_id"]) == (0, "held", None)
    (waiting,) = shell("queue", "--json").json["proposals"]
    assert (waiting["promotes"], waiting["scope"], waiting["scope_id"]) == (chain[1], "agent_team", "core")
    assert "promotes rec_" in " ".join(shell("queue").out.split())
    own = shell("decide", said.json["proposal_id"], "accept", "--reason", "mine", "--as", "planner", "--json")
    assert own.code == 2
    done = shell("decide", said.json["proposal_id"], "accept", "--reason", "checked", "--json")
    record = shell("get", done.json["record_id"], "--json").json
    assert (record["scope"], record["scope_id"], record["owner"], record["derived_from"]) == (
        "agent_team",
        "core",
        "lead",
        [chain[1]],
    )


def test_remember_says_that_it_only_heard_an_echo(shell: Shell) -> None:
    shell("init")
    first = shell.remember("The staging database moved to eu-west-2", "--confidence", "0.7", "--as", "a")
    words = ("remember", "So the staging database moved to eu-west-2!", "--confidence", "0.9", "--as", "b")
    said = shell(*words)
    assert (said.code, f"echo: says again what {first} says: no new evidence" in said.out) == (0, True)
    (echo,) = shell("lineage", first, "--direction", "down", "--json").json["edges"]
    assert (echo["type"], echo["target"]) == ("echoes", first)
    record = shell("get", echo["source"], "--json").json
    assert (record["echoes"], record["effective_confidence"]) == ([first], 0.7)
    assert f"says again    {first}" in shell("get", echo["source"]).out


def test_a_sweep_does_what_time_has_done(shell: Shell) -> None:
    shell("init")
    assert "nothing to do" in shell("sweep").out
    over = shell.remember("The sale is on", "--expires-at", "2020-01-01")
    child = shell.remember("Prices are low", "--derived-from", over)
    due = shell.remember("The contract runs until May", "--next-review-at", "2020-01-01")
    said = shell("sweep", "--json")
    counts = {"expired": 1, "fallen": 1, "due": 1}
    assert (said.code, said.json) == (
        0,
        {"expired": [over], "fallen": [child], "moved": 0, "due": [due], "counts": counts},
    )
    assert shell("get", over, "--json").json["status"] == "expired"
    assert f"due for review  {due}" in shell("sweep").out
    agent = shell("sweep", "--as", "docs", "--json")
    assert (agent.code, agent.out, agent.error["code"]) == (2, "", "not_permitted")


def test_use_is_counted_by_a_sweep(shell: Shell) -> None:
    record = shell.remember("The build is green")
    shell("recall", "build")
    shell("recall", "build")
    assert shell("sweep", "--json").json["moved"] == 1
    found = shell("get", record, "--json").json
    assert (found["accesses"], found["last_access"].endswith("Z")) == (2, True)
    assert "told 2 times" in shell("get", record).out


def test_the_directory_tells_who_knows_what(shell: Shell, chain: tuple[str, str, str]) -> None:
    shell("outcome", chain[1], "misleading")
    shell.remember("Caches are flushed on Sunday", "--namespace", "/ops", "--as", "planner")
    said = shell("directory", "--json").json
    assert [(one["actor"], one["records"]) for one in said["knowers"]] == [("planner", 2), ("buyer", 1), ("scout", 1)]
    assert (said["about"], said["knowers"][0]["topics"]) == (None, {"/": 1, "/ops": 1})
    assert (said["knowers"][0]["misleading"], said["knowers"][0]["last"].endswith("Z")) == (1.0, True)
    narrowed = shell("directory", "flushed on Sunday", "--limit", "1", "--json").json
    assert [one["actor"] for one in narrowed["knowers"]] == ["planner"]
    human = shell("directory")
    assert (human.code, "who knows what" in human.out, "+0 -1" in human.out) == (0, True, True)
    assert "nobody you may know of has recorded anything about penguins" in shell("directory", "penguins").out


def test_the_directory_says_no_more_than_the_records_would(shell: Shell) -> None:
    shell.remember("salaries", "--sensitivity", "confidential")
    assert shell("directory", "--as", "docs", "--json").json["knowers"] == []
    assert shell("directory", "salaries", "--as", "docs", "--json").json["knowers"] == []


def test_quality_scores_what_there_is(shell: Shell, chain: tuple[str, str, str]) -> None:
    shell.remember(
        "The canteen closes at three", "--confidence", "0.9", "--evidence", "sign:1", "--namespace", "/house"
    )
    said = shell("quality", "--json")
    assert said.code == 0
    assert (said.json["profile"], said.json["records"], said.json["bands"]) == (
        "muniment",
        4,
        {"good": 1, "fair": 0, "weak": 3, "poor": 0},
    )
    assert said.json["worst"][0]["quality"] == 40
    assert set(said.json["integrity"]) == {"score", "band", "passed", "findings"}
    house = shell("quality", "--namespace", "/house", "--json").json
    assert (house["records"], house["mean"], house["worst"][0]["effective_confidence"]) == (1, 90.0, 0.9)
    theirs = shell("quality", "--namespace", "/house", "--profile", "memledger", "--json").json
    assert (theirs["profile"], theirs["worst"][0]["quality"]) == ("memledger", 66)
    assert shell("quality", "--session", "s9", "--json").json["mean"] is None
    human = shell("quality")
    assert (human.code, "mean quality  52.5 of 100" in human.out, "weak 3" in human.out) == (0, True, True)
