"""Comparing texts: what repeats, what brings up to date, what contradicts, and above all what does none of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each

from muniment.model.vocabulary import ConflictType
from muniment.text.compare import THRESHOLD, ComparisonResult, compare, echoes, salient, similarity, text_features

LIMIT = "The API rate limit is 100 requests per minute"


def found(new: str, old: str) -> ComparisonResult | None:
    return compare(text_features(new), text_features(old))


@each(
    ("new", "old", "why"),
    [
        ("The API rate limit is 200 requests per minute", LIMIT, "number"),
        ("Sessions expire after 45 minutes", "Sessions expire after 30 minutes", "number"),
        ("The service needs 8 GB of memory", "The service needs 4 GB of memory", "number"),
        ("The renewal deadline is May 3", "The renewal deadline is April 28", "date"),
        ("The standup starts at 9:30", "The standup starts at 10:00 AM", "date"),
        ("The review meeting is on Thursday", "The review meeting is on Tuesday", "date"),
        ("Login is not enabled on staging", "Login is enabled on staging", "negation"),
        ("I have never used Terraform modules", "I used Terraform modules at my last job", "negation"),
        ("We have never attended a security workshop", "We attended the security workshop in May", "negation"),
        ("The garden gate is locked", "The garden gate is unlocked", "antonym"),
        ("The billing system is a monolith", "The billing system is a set of microservices", "antonym"),
        ("The payments queue is down", "The payments queue is up", "antonym"),
        ("The office is in Madrid", "The office is in Berlin", "exclusive"),
        ("The default branch is trunk", "The default branch is main", "exclusive"),
        ("Server 12 runs in rack 4", "Server 12 runs in rack 3", "exclusive"),
    ],
)
def test_what_cannot_both_be_so_is_a_contradiction_either_way_round(new: str, old: str, why: str) -> None:
    for finding in (found(new, old), found(old, new)):
        assert finding is not None
        assert (finding.type, finding.why) == (ConflictType.CONTRADICTION, why)
        assert THRESHOLD <= finding.score <= 1


@each(
    ("new", "old"),
    [
        ("The API rate limit is now 200 requests per minute", LIMIT),
        ("The rate limit of the API was raised to 200 requests per minute", LIMIT),
        ("The upload limit increased from 5 GB to 10 GB", "The upload limit is 5 GB"),
        ("The launch has been moved to June 12", "The launch is scheduled for June 5"),
        ("The importer is no longer maintained", "The importer is maintained"),
        ("The repository is now public", "The repository is private"),
        ("The office has moved to Madrid", "The office is in Berlin"),
    ],
)
def test_what_says_that_it_changed_is_an_update(new: str, old: str) -> None:
    finding = found(new, old)
    assert finding is not None
    assert finding.type is ConflictType.UPDATE


@each(
    ("new", "old"),
    [
        ("Server 13 runs in rack 4", "Server 12 runs in rack 3"),
        ("Server 13 runs in rack 3", "Server 12 runs in rack 3"),
        ("Server 13 has 8 disks", "Server 12 has 5 disks"),
        ("The gateway timeout is 30 seconds on staging", "The gateway timeout is 60 seconds in production"),
        ("The gateway timeout is 30 seconds for invoices", "The gateway timeout is 60 seconds for refunds"),
        ("The gateway timeout is 30 seconds in Oslo", "The gateway timeout is 60 seconds at Lima"),
        ("Free users get 100 requests per minute", "Paid users get 200 requests per minute"),
        ("The customer in Oslo pays 40 euros per seat", "The customer in Lima pays 35 euros per seat"),
        ("The parser reads files in 20 ms", "The writer writes files in 30 ms"),
        ("The deploy failed on April 4", "The deploy failed on March 3"),
        ("The team merged 8 branches on Tuesday", "The team merged 12 branches on Monday"),
        ("The average wait was 20 minutes in May", "The average wait was 35 minutes in June"),
        ("The team uses Jira", "The team uses Slack"),
        ("The intern likes coffee", "The intern likes tea"),
        ("The intern does not drink coffee", "The auditor drinks coffee"),
        ("The API supports JSON", "The API does not support XML"),
        ("The flag is not enabled", "The flag is disabled"),
        ("We want to reach 90% coverage", "Coverage is 65%"),
        ("Latency is at least 80 ms", "Latency is 95 ms"),
        ("The library opens at 8:00", "The library closes at 20:00"),
        ("The workshop is by Falcon", "The workshop is in Berlin"),
        ("If the queue is full, writes are rejected", "If the queue is empty, reads are rejected"),
        ("Rice, beans and two onions", "Rice, lentils and three carrots"),
        ("It is not only fast but also cheap", "It is fast"),
    ],
)
def test_what_speaks_of_something_else_is_left_alone(new: str, old: str) -> None:
    assert found(new, old) is None
    assert found(old, new) is None


@each(
    ("new", "old"),
    [
        ("Is the rate limit 200 requests per minute?", "Is the rate limit 100 requests per minute?"),
        ("Is the API rate limit 200 requests per minute?", LIMIT),
        ("What is the rate limit of the API?", LIMIT),
    ],
)
def test_a_question_contradicts_nothing(new: str, old: str) -> None:
    assert found(new, old) is None


def test_an_elaboration_is_no_conflict() -> None:
    assert found(f"{LIMIT} and is counted per token", LIMIT) is None


ECHOES = [
    ("Please note that the API rate limit is 100 requests per minute.", LIMIT),
    ("The timeout is 0.1 s", "The timeout is 100 ms"),
    ("There are two replicas in the cluster", "There are 2 replicas in the cluster"),
    ("After each deploy, the operator restarts the cache", "The operator restarts the cache after each deploy"),
    ("Deployments are running on Kubernetes!", "The deployment runs on Kubernetes"),
    ("The lease expires on December 31, 2025", "The lease expires on 2025-12-31"),
    ("the Ｔimeout is 100 ms", "The timeout is 100 ms"),
]


@each(("one", "other"), ECHOES)
def test_the_same_in_other_words_is_a_duplicate(one: str, other: str) -> None:
    finding = found(one, other)
    assert finding is not None
    assert (finding.type, finding.why) == (ConflictType.DUPLICATE, "same")
    assert echoes(text_features(other), text_features(one))


@each(
    ("one", "other"),
    [
        ("The API rate limit is 200 requests per minute", LIMIT),
        ("The cache is not shared between nodes", "The cache is shared between nodes"),
        ("The cache may be shared between nodes", "The cache is shared between nodes"),
        ("Only the cache is shared between nodes", "The cache is shared between nodes"),
        ("Server 13 runs in rack 3", "Server 12 runs in rack 3"),
        ("The office of the platform team is in Berlin", "The office of the platform team is in Madrid"),
        ("Falcon manages Heron", "Heron manages Falcon"),
        ("The records move from Oslo to Bergen", "The records move from Bergen to Oslo"),
        ("Is the cache shared between nodes?", "The cache is shared between nodes"),
        (
            "Der Dienst auf dem dritten Knoten ist heute nicht aktiv",
            "Der Dienst auf dem dritten Knoten ist heute aktiv",
        ),
        ("这个服务已经启用", "这个服务没有启用"),
        ("run this ```x = 1```", "run this ```x = 2```"),
        (
            "The second run of the importer takes about 54 minutes",
            "The second run of the importer takes about 52 minutes",
        ),
    ],
)
def test_what_differs_in_one_thing_that_matters_is_no_echo(one: str, other: str) -> None:
    assert not echoes(text_features(one), text_features(other))


def test_in_a_long_sentence_one_other_name_is_enough_to_be_no_echo() -> None:
    said = "The nightly export of the orders table for the finance team in the head office runs every evening "
    end = "with full logging and alerts through {}"
    assert not echoes(text_features(said + end.format("Airflow")), text_features(said + end.format("Jenkins")))
    assert echoes(text_features(said + end.format("pipes")), text_features(said + end.format("robust pipes")))


@each(
    "note",
    [
        "Our drill works again and the first run takes {} minutes",
        "Our drill works again, the rest takes {} minutes",
        "The drill page feels slow and the second run stalls for {} minutes",
        "The drill works (about {} tries)",
        "I think the drill page is {} minutes late",
    ],
)
def test_what_comes_after_the_first_statement_or_is_only_thought_is_suspected_at_most(note: str) -> None:
    finding = found(note.format(14), note.format(37))
    assert finding is None or not finding.proven


@each(
    "note",
    [
        "Had a call with Amara and the second run stalls for {} minutes",
        "Deployed the kettle service. The second run stalls for {} minutes",
        "Spent the morning on the drill, then it runs for {} minutes",
        "There is a kettle in the office so we wait {} days",
        "Not sure about the kettle which is {} percent more than before",
        "Customs released shipment {} after two days",
    ],
)
def test_a_note_that_leaves_out_who_or_what_it_is_about_meets_no_other(note: str) -> None:
    assert found(note.format(14), note.format(37)) is None


@each(
    ("new", "old"),
    [
        ("We moved the wiki to Notion in March", "We host the wiki on Confluence"),
        ("The printer on floor 2 works again", "The printer on floor 2 is broken"),
        ("My daughter turned 8 yesterday", "My daughter is 7"),
        ("My new address is Kai 4", "My address is Weg 9"),
        ("Rex passed away last week, and our dog is called Tom now", "Our dog is called Rex"),
        ("The bank lowered the savings interest to 1.5 percent", "Interest on the savings account is 2 percent"),
    ],
)
def test_what_says_that_a_thing_is_otherwise_now_is_a_suspected_update(new: str, old: str) -> None:
    finding = found(new, old)
    assert finding is not None
    assert (finding.type, finding.proven) == (ConflictType.UPDATE, False)


@each(
    ("new", "old"),
    [
        ("Not sure about the kettle and I have 8 left now", "Our kettle is loud"),
        ("Still waiting for Celeste and the limit is 8 now", "Still waiting for Celeste and it took 56 minutes"),
        (
            "My kettle is here. The second run takes 23 minutes",
            "We use the lamp a lot and the second run takes 90 minutes",
        ),
        ("The printer on floor 3 works again", "The printer on floor 2 is broken"),
    ],
)
def test_a_cue_or_a_figure_counts_only_for_the_statement_in_which_it_stands(new: str, old: str) -> None:
    assert found(new, old) is None


def test_the_first_statement_is_compared_whatever_follows_it() -> None:
    said = "Closed tickets are kept for {} days, and nobody reads them"
    finding = found(said.format(30), said.format(60))
    assert finding is not None
    assert finding.proven


def test_a_note_names_the_two_pieces() -> None:
    finding = found("The API rate limit is 200 requests per minute", LIMIT)
    assert finding is not None
    assert finding.note == "200 requests per minute against 100 requests per minute"


def test_likeness_counts_shared_words_and_their_order() -> None:
    said, turned = text_features("cats chase dogs"), text_features("dogs chase cats")
    assert similarity(said, said) == 1
    assert similarity(said, turned) == pytest.approx(3 / 7)
    assert similarity(said, text_features("nothing alike here")) == 0


def test_a_statement_deep_in_a_long_text_is_met_by_the_one_that_contradicts_it() -> None:
    filler = " ".join(f"Paragraph {number} describes topic{number} at length." for number in range(60))
    finding = found(f"{filler} The invoice archive is not encrypted.", f"The invoice archive is encrypted. {filler}")
    assert finding is not None
    assert finding.why == "negation"


def test_a_denial_and_a_question_in_one_sentence_are_told_apart() -> None:
    new = "I've never attended any security workshops, so can you tell me how to prepare for one?"
    finding = found(new, "I just attended a workshop on network security, how do I get a certificate?")
    assert finding is not None
    assert finding.why == "negation"


def test_the_words_of_denials_and_changed_figures_are_salient_before_others() -> None:
    text = (
        "I am working on the onboarding handbook with illustrations, glossary, index, appendix and preface by authors, "
        "chapters on travel, leave, laptops, badges, lunch, parking, visitors, printers, keys, phones, bicycles, mail "
        "and pets, but I have never deployed the billing gateway"
    )
    assert salient(text)[:3] == ("deployed", "billing", "gateway")


@each("text", ["", "the of and", "?!", "🏳️‍🌈"])
def test_a_text_without_telling_words_has_no_salient_ones(text: str) -> None:
    assert salient(text) == ()


def test_a_number_that_is_part_of_a_name_is_salient() -> None:
    assert "12" in salient("server 12 runs in rack 3")


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_two_texts_can_be_compared(one: str, other: str) -> None:
    a, b = text_features(one), text_features(other)
    finding = compare(a, b)
    assert finding is None or 0 <= finding.score <= 1
    assert similarity(a, b) == similarity(b, a)
    assert echoes(a, b) == echoes(b, a)


_TELLING = """
the limit of not never is 5 ms now from to May 3 , . ? - : and server 12 v2.3 12:30 $5 % 2024-01-01 ``` I we no two
hundred on in be moved enabled disabled Berlin it's can't 1,000 ( ) per minute about least
"""
_PIECES = st.lists(st.sampled_from([*_TELLING.split(), "\n"]), max_size=40).map(" ".join)


@given(_PIECES, _PIECES)
def test_any_run_of_telling_pieces_can_be_compared(one: str, other: str) -> None:
    a, b = text_features(one), text_features(other)
    compare(a, b)
    assert echoes(a, b) == echoes(b, a)


@given(_PIECES)
def test_a_text_repeats_itself(text: str) -> None:
    finding = found(text, text)
    assert finding is not None
    assert finding.type is ConflictType.DUPLICATE


@each(
    "piece", ["alpha ", "a,", "1 ", "not a ", "a. ", "x", "1,000,", "a-", "a'", "```", "5 and ", "five ", "x, and i "]
)
def test_a_text_of_64_kib_is_read_and_compared(piece: str) -> None:
    text = (piece * (65_536 // len(piece) + 1))[:65_536]
    assert len(salient(text)) <= 10
    finding = found(text, text[:-1] + "z")
    assert finding is None or finding.type is ConflictType.DUPLICATE
