"""Where a text comes from is said in a closed vocabulary: whatever the spelling, it never counts for more than that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.contracts.omir.bundles import bundle as omir
from tests.contracts.omir.bundles import record as omir_record
from tests.contracts.samples import sample
from tests.operations.desk import opened
from tests.trust.world import footing, kept, sentence

from muniment import Memory
from muniment.compat.exchange import read_in
from muniment.contracts.registry import ContractName
from muniment.engine.importing import Newcomer
from muniment.model.claim import Claim, Origin
from muniment.model.errors import Malformed
from muniment.model.source import SOURCE_TYPES
from muniment.model.vocabulary import Label
from muniment.surfaces.reception.keys import KeyRequest

# What an agent says, what is kept of it, and the label of what it wrote.
SPELLINGS = {
    **dict.fromkeys(
        ("web", "WEB", " web", "web\t", "w\u200beb", "\u2060web", "we\xadb", "ｗｅｂ"), ("web", "external")
    ),
    **dict.fromkeys(("webpage", "web page", "Web-Page", "web_page", "WEB.PAGE"), ("web_page", "external")),
    **{said: (said, "external") for said in ("website", "url", "html", "rss", "mail", "email", "pdf", "file", "rag")},
    **{said: (said, "external") for said in ("document", "external", "webhook", "message", "transcript", "ocr", "api")},
    **{said: (said, "external") for said in ("tool", "tool_output", "tool_result", "command", "terminal", "log")},
    **dict.fromkeys(("tool output", "Tool-Output", "toolOutput", "TOOL\u200d_OUTPUT"), ("tool_output", "external")),
    **{said: (said, "import") for said in ("import", "migration")},
    **{said: (said, "unknown") for said in ("unknown", "untrusted", "anonymous")},
    **{said: (said, "agent") for said in ("agent", "assistant", "observation", "person", "human", "owner", "system")},
}
STRANGE = {"wbe": "web", "emial": "email", "w\u0435bsite": "website", "ragg": "rag", "trusted": "untrusted"}
"""Words that are not in the vocabulary (one with a letter of another alphabet), and which is near."""


def test_there_are_enough_spellings_to_mean_something() -> None:
    assert len(SPELLINGS) >= 40


def test_whatever_an_agent_calls_its_source_it_counts_for_no_more_than_that(team: Memory) -> None:
    worker, found = team.as_actor("worker"), {}
    for number, said in enumerate(SPELLINGS):
        record = kept(worker.remember(sentence(number), source_type=said))
        found[said] = (worker.get(record).record.claim.origin.source_type, footing(team, record).label.value)
    assert found == SPELLINGS


@pytest.mark.parametrize(("said", "near"), STRANGE.items())
def test_a_word_outside_the_vocabulary_is_refused_and_changes_nothing(team: Memory, said: str, near: str) -> None:
    with pytest.raises(Malformed, match=r"^source_type: expected a sort of source") as refused:
        team.as_actor("worker").remember(sentence(0), source_type=said)
    assert (refused.value.code, refused.value.hint) == ("malformed", f"The nearest is {near}.")
    assert not list(team.insight.browse())


def test_a_word_of_another_system_is_kept_and_counts_as_unknown(team: Memory) -> None:
    """A claim that is handed over whole keeps what it says, as does one that is brought in."""
    for number, word in enumerate(["telepathy", "wbe", "trusted", "verified tool"]):
        origin = Origin(source_type=word)
        own, claim = (Claim(content=sentence(number + 10 * place), origin=origin) for place in (0, 1))
        (brought,) = team.imports.take_in(
            f"batch-{number}", [Newcomer(claim=claim, record=f"mem-{number}")], contract="omir"
        )
        for record in (kept(team.propose(own)), kept(brought)):
            assert team.get(record).record.claim.origin.source_type == word
            assert footing(team, record).label is Label.UNKNOWN


def test_a_server_keeps_to_the_same_vocabulary(vault: Path) -> None:
    with opened(vault) as desk:
        agent = desk.caller(KeyRequest(name="planner", actor="planner"))
        for number, (said, (word, label)) in enumerate(list(SPELLINGS.items())[:12]):
            answer = agent.post("/api/memories", json={"content": sentence(number), "source_type": said})
            record = desk.memory.get(answer.json()["record_id"]).record
            assert (record.claim.origin.source_type, record.label.value) == (word, label)
        refused = agent.post("/api/memories", json={"content": sentence(99), "source_type": "emial"})
        assert refused.json()["code"] == "malformed"
        assert "The nearest is email." in refused.text


def test_no_two_labels_claim_one_word() -> None:
    words = ["".join(sign for sign in word if sign.isalnum()) for words in SOURCE_TYPES.values() for word in words]
    assert len(words) == len(set(words))


def test_what_a_document_says_of_its_source_lowers_what_it_brings(team: Memory) -> None:
    """In every contract that has a place for it. The word stays as it was written; an import is an import at most."""
    words = {"web": "external", " Web-Page ": "external", "rag": "external", "telepathy": "unknown", "person": "import"}
    bundle = [
        omir_record(f"o{n}", content=sentence(n), provenance={"sourceType": said}) for n, said in enumerate(words)
    ]
    read_in(team, ContractName.OMIR, omir(*bundle))
    told = {said: team.get(f"o{number}") for number, said in enumerate(words)}
    assert {said: one.record.claim.origin.source_type for said, one in told.items()} == {said: said for said in words}
    assert {said: one.standing.footing.label.value for said, one in told.items()} == words

    matm = json.loads(sample(ContractName.MATM))[0]
    for number, (said, label) in enumerate(words.items()):
        one = {**matm, "record_id": f"m{number}", "statement": sentence(40 + number)}
        one["provenance"] = {**matm.get("provenance", {}), "method": said}
        assert read_in(team, ContractName.MATM, json.dumps([one]).encode()).count("committed") == 1
        assert footing(team, f"m{number}").label == label


@pytest.mark.parametrize("name", [ContractName.MEMLEDGER, ContractName.AKASHIK])
def test_a_contract_without_a_word_for_the_source_brings_imports(team: Memory, name: ContractName) -> None:
    assert read_in(team, name, sample(name)).count("committed") > 0
    assert {found.standing.footing.label.value for found in team.insight.browse()} <= {"import", "external", "unknown"}
