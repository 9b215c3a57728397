"""A fleet of three groups under one policy: who is who, and a memory of it on either store."""

from __future__ import annotations

from pathlib import Path

from muniment import Memory

FLEET = """
version: 1
name: fleet
actors:
  owner: {type: person, roles: [owner], authority: 10, teams: [lead]}
  scout: {type: agent, teams: [field], projects: [harbour], authority: 4}
  pilot: {type: agent, teams: [field], projects: [harbour], authority: 4}
  lead: {type: agent, roles: [lead], teams: [field, lead], projects: [harbour], authority: 7}
  clerk: {type: agent, teams: [office], authority: 4}
write:
  - {id: owners, roles: [owner], decision: commit, reason: owners may}
  - {id: leads, roles: [lead], decision: commit, reason: leads may where they belong, member: true}
  - {id: members, scopes: [agent_team, project, user], member: true, decision: commit, reason: members may}
read:
  - {id: owners-read, roles: [owner], scopes: [session, project, agent_team, agent_repo, user], member: false}
  - {id: members-read, scopes: [session, project, agent_team, agent_repo], member: true}
  - {id: pilots-see, actors: [pilot], scopes: [agent_team], scope_ids: [lead], member: false}
  - {id: users-read, scopes: [user], member: true, sensitivity_max: private}
review:
  - id: owners-review
    roles: [owner]
    actions: [accept, discard, retract, queue, audit, observe, vouch, resolve, vote, promote, sweep, name, import,
              forget, archive, hold, rewind]
  - {id: leads-resolve, authority_min: 7, actions: [resolve]}
  - {id: all-observe, actions: [observe]}
  - {id: own, own: true, actions: [retract]}
evidence: {required_for: []}
"""


def open_fleet(vault: str | Path, more: str = "", **given: object) -> Memory:
    """The fleet's memory as its owner; `more` is added to the policy."""
    folder = Path(vault).parent if not str(vault).startswith("postgres") else Path(str(given.pop("folder")))
    policy = folder / "fleet.yaml"
    policy.write_text(FLEET + more)
    return Memory.open(vault, policy=policy, **given)  # type: ignore[arg-type]  # handed through
