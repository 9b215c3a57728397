"""The chapter of the guided tour about finding: in other words, by another name, without a question, or not at all."""

from __future__ import annotations

from examples.tour.stage import Stage

from muniment.engine import Memory
from muniment.model.recall import Recall

BILLING = "Customers are billed at the start of the month"
IN_OTHER_WORDS = "when do invoices go out?"
IN_THE_SAME_WORDS = "when are customers billed?"
FOREIGN = "who won the chess tournament in Reykjavik?"
BUDGET = 160


def tell_recall(stage: Stage, owner: Memory, *, known_as: tuple[str, str]) -> None:
    """Tell it with or without a model: what needs one is told only if it is there. `known_as` is a name that a record
    uses, and what that record says."""
    stage.chapter("What is sought may be said in other words")
    before = owner.ledger.head().seq
    stage.act("owner", f'"{BILLING}", a procedure')
    owner.remember(BILLING, kind="procedure", evidence=["handbook:3"], confidence=0.9)
    _by_meaning(stage, owner)
    _by_another_name(stage, owner, *known_as)
    _without_a_question(stage, owner, before)
    _for_a_prompt(stage, owner)
    _not_at_all(stage, owner)


def _by_meaning(stage: Stage, owner: Memory) -> None:
    owner.flush()
    state = owner.insight.searching()
    question = IN_THE_SAME_WORDS if state.model is None else IN_OTHER_WORDS
    stage.act("planner", question)
    _first(stage, owner.as_actor("planner").recall(question), BILLING)
    if state.model is None:
        stage.result("by words", f"meaning is not searched here: {state.why}", "yellow")
    else:
        stage.result("by meaning", "not one word of the question is in the record")


def _first(stage: Stage, answer: Recall, content: str) -> None:
    told = [one.record.content for one in answer.records]
    stage.claim(told[:1] == [content], f'the first record should be "{content}"')
    stage.result("answer", f"{content}; {answer.records[0].reasons[0]}")


def _by_another_name(stage: Stage, owner: Memory, name: str, content: str) -> None:
    stage.act("owner", f'calls the {name} "NB" from now on')
    names = owner.review.alias("NB", name)
    stage.claim(set(names) == {"nb", name}, "the two names should mean the same")
    stage.act("planner", "what about NB?")
    _first(stage, owner.as_actor("planner").recall("what about NB?"), content)


def _without_a_question(stage: Stage, owner: Memory, before: int) -> None:
    stage.act("docs", f"begins its day: what is new about billing since entry {before}?")
    told = owner.as_actor("docs").attune(role="technical writer", task="describe billing", since=before)
    stage.claim([one.record.content for one in told.records] == [BILLING], "only what is new should be told")
    stage.result("attuned", f"{BILLING}; next time it asks since entry {told.epoch}")


def _for_a_prompt(stage: Stage, owner: Memory) -> None:
    stage.say("", f"The same for a prompt, in at most {BUDGET} tokens. What is quoted cannot leave its fence:", "")
    context = owner.as_actor("docs").recall(IN_THE_SAME_WORDS, limit=1).render(budget_tokens=BUDGET)
    stage.claim(len(context.citations) == 1 and context.tokens <= BUDGET, "one record should fit into the block")
    stage.say(*(f"| {line}" for line in context.text.rstrip().splitlines()), "")


def _not_at_all(stage: Stage, owner: Memory) -> None:
    stage.act("docs", FOREIGN)
    nothing = owner.as_actor("docs").recall(FOREIGN)
    stage.claim(nothing.records == () and nothing.abstained is not None, "nothing should be told")
    fit = nothing.searched.fit
    judged = "nothing matches" if fit is None else f"a fit was judged {fit:.0%} likely"
    stage.result("no answer", f"{judged}; no weak hits are offered instead", "yellow")
