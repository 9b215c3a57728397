"""Two tenants, two teams, and everything that can be hidden: each field of it holds a word that betrays where it was.

Ana's team keeps the secrets. Bob is of another team, Nat looks after the namespace `/team-a` and knows nothing of
`/team-ab`, Guest may nothing, and Eve owns another tenant. Dora sits in both teams, so that what is open and what is
hidden touch each other in every way there is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.walls.canaries import Canaries, word

from muniment import Memory
from muniment.engine.importing import Newcomer
from muniment.model.claim import Claim, Place
from muniment.model.claim_options import ClaimOptions
from muniment.model.curation import Verdict
from muniment.model.vocabulary import Scope

TENANT, OTHER = "acme", "rival"
ANA = f"ana-{word('actor')}"
TEAM, PROJECT, SESSION = (f"{name}-{word(name)}" for name in ("team", "project", "session"))
HIDDEN_SPACE, OPEN_SPACE = "/team-ab", "/team-a"
ATTACKERS = ("bob", "nat", "guest")

POLICY = f"""
version: 1
name: walls
actors:
  owner: {{type: person, roles: [owner], authority: 10}}
  {ANA}:
    {{type: agent, roles: [keeper], teams: [{TEAM}], projects: [{PROJECT}, shared], sessions: [{SESSION}],
     authority: 7}}
  dora: {{type: person, roles: [both], teams: [{TEAM}, beta], projects: [{PROJECT}, shared], authority: 7}}
  bob: {{type: agent, roles: [scout], teams: [beta], projects: [shared, project], sessions: [session], authority: 7}}
  nat: {{type: person, roles: [warden], authority: 9}}
  guest: {{type: agent, authority: 0}}
write:
  - {{id: owner-commits, roles: [owner, both], decision: commit, reason: may commit}}
  - {{id: decisions-wait, kinds: [decision], decision: hold, reason: a person decides}}
  - {{id: warden-commits, roles: [warden], namespaces: [{OPEN_SPACE}], decision: commit, reason: looks after it}}
  - {{id: members-commit, member: true, decision: commit, reason: its own place}}
  - {{id: rest-waits, types: [agent], authority_min: 1, decision: hold, reason: waits for a person}}
read:
  - {{id: owner-reads, roles: [owner], member: false}}
  - {{id: members-read, member: true, sensitivity_max: internal}}
  - {{id: both-read, roles: [both], member: true, sensitivity_max: secret}}
  - {{id: warden-reads, roles: [warden], namespaces: [{OPEN_SPACE}], member: false, sensitivity_max: secret}}
review:
  - id: owner-may
    roles: [owner]
    actions: [accept, discard, retract, queue, audit, observe, vouch, resolve, vote, promote, sweep, name, import,
              forget, archive, hold]
  - id: warden-may
    roles: [warden]
    namespaces: [{OPEN_SPACE}]
    actions: [accept, discard, retract, queue, observe, vouch, resolve, vote, promote, forget, archive]
  - {{id: seniors, authority_min: 6, actions: [observe, vote, resolve]}}
  - {{id: authors, own: true, actions: [retract]}}
  - {{id: importers, roles: [scout], actions: [import]}}
evidence: {{required_for: [], otherwise: hold}}
safety:
  poison:
    burst: {{below: person, low: ignore, high: ignore}}
"""


class World:
    """A vault with both tenants open, and what is hidden in it."""

    def __init__(self, vault: Path, ours: Memory, theirs: Memory) -> None:
        self.vault = vault
        self.ours = ours
        self.theirs = theirs
        self.canaries = Canaries()
        self.open: dict[str, str] = {}

    def seat(self, name: str) -> Memory:
        """The memory as somebody sees it; Eve has her own."""
        return self.theirs if name == "eve" else self.ours.as_actor(name)


def committed(verdict: Verdict) -> str:
    assert verdict.record_id is not None, (verdict.outcome, verdict.reason)
    return verdict.record_id


@contextmanager
def opened(folder: Path) -> Iterator[World]:
    """The world for as long as the block lasts."""
    vault = folder / "vault"
    Memory.open(vault, tenant=TENANT, embedder=None).close()
    (vault / "policy.yaml").write_text(POLICY)
    with (
        Memory.open(vault, tenant=TENANT, embedder=None) as ours,
        Memory.open(vault, tenant=OTHER, embedder=None) as theirs,
    ):
        world = World(vault, ours, theirs)
        _name_places(world)
        _fill_open(world)
        _fill_hidden(world)
        _fill_between(world)
        _fill_office(world)
        yield world


def _name_places(world: World) -> None:
    for about, name in (("actor", ANA), ("team", TEAM), ("project", PROJECT), ("session", SESSION)):
        assert world.canaries.word(about) in name


def _fill_open(world: World) -> None:
    """What the attackers have themselves, so that nothing fails for want of anything to find."""
    bob, nat, eve = (world.seat(name) for name in ("bob", "nat", "eve"))
    world.open["bob"] = committed(bob.remember("the pump leaks", scope="project", scope_id="shared"))
    world.open["nat"] = committed(nat.remember("the pump is old", namespace=OPEN_SPACE, scope_id="shared"))
    world.open["eve"] = committed(eve.remember("the pump is hers"))
    waiting = bob.remember("let us buy a pump", kind="decision", scope="project", scope_id="shared")
    world.open["held"] = waiting.proposal_id


def _said(world: World, about: str) -> ClaimOptions:
    """One word of its own in everything that can be said of a memory."""
    new = world.canaries.word
    return {
        "namespace": f"{HIDDEN_SPACE}/{new(f'{about}/namespace')}",
        "session_id": SESSION,
        "workflow_id": f"w-{new(f'{about}/workflow')}",
        "task_id": f"t-{new(f'{about}/task')}",
        "purpose": new(f"{about}/purpose"),
        "question": new(f"{about}/question"),
        "source": new(f"{about}/source"),
        "source_type": "document",
        "external_id": new(f"{about}/external id"),
        "triggered_by": new(f"{about}/triggered by"),
        "reasoning": new(f"{about}/reasoning"),
        "evidence": [f"ticket:{new(f'{about}/evidence')}"],
        "assumptions": [new(f"{about}/assumption")],
        "entities": [new(f"{about}/entity")],
        "owner": f"o-{new(f'{about}/owner')}",
        "confidence": 0.8,
        "scope": "agent_team",
        "scope_id": TEAM,
        "subject": new(f"{about}/subject"),
        "key": new(f"{about}/key"),
        "value": new(f"{about}/value"),
    }


def _proposed(world: World, about: str) -> tuple[str, str]:
    """Content for something hidden, and a name for its proposal."""
    content = f"the pump of {world.canaries.word(f'{about}/content')} leaks"
    return content, world.canaries.hide("proposal", about, f"p-{world.canaries.word(f'{about}/proposal')}")


def _hidden(world: World, about: str, more: ClaimOptions | None = None) -> str:
    """A record of Ana's that nobody outside her team may know of."""
    content, name = _proposed(world, about)
    said: ClaimOptions = {**_said(world, about), **(more or {})}
    verdict = world.seat(ANA).remember(content, proposal_id=name, **said)
    return world.canaries.hide("record", about, committed(verdict))


def _fill_hidden(world: World) -> None:
    """One of everything that a record can be, all of it Ana's."""
    ana, owner, new = world.seat(ANA), world.ours, world.canaries.word
    first = _hidden(world, "plain")
    ana.revise(first, f"the pump of {new('plain/second')} leaks", reasoning=new("plain/second reasoning"))
    _hidden(world, "derived", {"derived_from": [first]})
    _hidden(world, "hypothesis", {"kind": "hypothesis", "relations": [("supports", first)]})
    ana.review.retract(_hidden(world, "retracted"), reason=new("retracted/reason"))
    owner.review.retire(_hidden(world, "archived"), becomes="archived", reason=new("archived/reason"))
    owner.review.quarantine(_hidden(world, "quarantined"), reason=new("quarantined/reason"))
    ana.review.outcome(first, "misleading", evidence=new("plain/outcome"))
    for about in ("draft", "discarded"):
        content, name = _proposed(world, about)
        draft = ana.remember(content, proposal_id=name, draft=True, **_said(world, about))
        world.canaries.hide("record", about, committed(draft))
    ana.review.retract(world.canaries.ids["record"]["discarded"], reason=new("discarded/reason"))
    for about in ("held", "refused"):
        content, name = _proposed(world, about)
        decision: ClaimOptions = {**_said(world, about), "kind": "decision"}
        ana.remember(content, proposal_id=name, **decision)
    owner.review.decide(world.canaries.ids["proposal"]["refused"], accept=False, reason=new("refused/reason"))
    for number in (1, 2):
        slot: ClaimOptions = {"subject": new("dispute/subject"), "key": "colour", "value": new(f"dispute/{number}")}
        _hidden(world, f"side {number}", slot)
    ids = {row.id for row in ana.review.conflicts()}
    assert len(ids) == 1
    world.canaries.hide("conflict", "dispute", *ids)
    asked = ana.recall(f"where does {new('receipt/question')} leak?")
    world.canaries.hide("receipt", "receipt", asked.receipt_id)


def _fill_between(world: World) -> None:
    """What is open and touches what is hidden: replaced by it, disputed by it, repeated by it, a ground of it."""
    dora, owner = world.seat("dora"), world.ours
    shared: ClaimOptions = {"scope": "project", "scope_id": "shared", "namespace": OPEN_SPACE, "confidence": 0.8}
    old = committed(dora.remember("the gasket of the shared pump is old", **shared))
    world.open["replaced"] = old
    _between(world, "successor", {"supersedes": old})
    slot: ClaimOptions = {**shared, "subject": "door", "key": "colour", "value": "red"}
    door = committed(dora.remember("the door is red", **slot))
    world.open["disputed"] = door
    rival = _between(world, "opponent", {"subject": "door", "key": "colour", "value": "blue"})
    for number, conflict in enumerate(rival.conflict_ids):
        world.canaries.hide("conflict", f"opponent {number}", conflict)
    _between(world, "standing on it", {"derived_from": [door]})
    hidden = world.canaries.ids["record"]["plain"]
    pointing: ClaimOptions = {**shared, "sensitivity": "internal", "relations": [("supports", hidden)]}
    world.open["pointing"] = committed(owner.remember("the boiler of the shared pump hums", **pointing))


def _between(world: World, about: str, more: ClaimOptions) -> Verdict:
    """Something hidden that Dora says about something open."""
    content, name = _proposed(world, about)
    said: ClaimOptions = {**_said(world, about), **more}
    verdict = world.seat("dora").remember(content, proposal_id=name, **said)
    world.canaries.hide("record", about, committed(verdict))
    return verdict


def _fill_office(world: World) -> None:
    """What those leave behind who answer for the memory: erasures, holds, names, batches, quiet words."""
    owner, new, hide = world.ours, world.canaries.word, world.canaries.hide
    erased = _hidden(world, "erased")
    owner.forget(erased, reason=new("certificate/reason"))
    for one in owner.erasure.certificates():
        hide("certificate", "certificate", one.certificate.id)
    placed = owner.erasure.hold(subject=new("hold/subject"), reason=new("hold/reason"))
    hide("hold", "hold", placed.id)
    kept = owner.erasure.hold(world.canaries.ids["record"]["plain"], reason=new("hold/other reason"))
    hide("hold", "hold on a record", kept.id)
    owner.review.alias(new("alias/name"), world.canaries.word("plain/entity"))
    batch = hide("batch", "batch", f"b-{new('batch/name')}")
    place = Place(scope=Scope.AGENT_TEAM, scope_id=TEAM, namespace=HIDDEN_SPACE)
    content = f"taken in from {new('batch/content')}"
    taken = f"rec-{new('batch/record')}"
    owner.imports.take_in(batch, [Newcomer(claim=Claim(content=content, place=place), record=taken)], contract="omir")
    hide("record", "taken in", taken)
    hide("proposal", "taken in", f"{batch}.1")
