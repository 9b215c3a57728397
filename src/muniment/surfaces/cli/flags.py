"""The flags of the command line as a table: what a user types, which field it fills, what it means."""

from __future__ import annotations

import inspect

import typer

from muniment.model.value import Value

Given = dict[str, object]


class Flag(Value):
    """One option. `field` is the field or keyword it fills; errors that name the field are told with the flag. `also`
    are other names for it."""

    flag: str
    field: str
    meaning: str
    kind: type[str] | type[int] | type[float] | type[bool] = str
    many: bool = False
    metavar: str | None = None
    also: tuple[str, ...] = ()


class Flags(Value):
    """Flags that are handed to a command together, under one name."""

    name: str
    flags: tuple[Flag, ...]
    panel: str | None = None

    def parameters(self) -> list[inspect.Parameter]:
        return [self._parameter(flag) for flag in self.flags]

    def _parameter(self, flag: Flag) -> inspect.Parameter:
        # A flag that is not given is None, so that "not said" and "said no" stay two things.
        option = typer.Option(
            None,
            flag.flag,
            *flag.also,
            help=flag.meaning,
            metavar=flag.metavar,
            show_default=False,
            rich_help_panel=self.panel,
        )
        annotation: object = list[flag.kind] if flag.many else flag.kind  # type: ignore[name-defined]  # read by typer
        return inspect.Parameter(
            _parameter_name(flag),
            inspect.Parameter.KEYWORD_ONLY,
            default=option,
            annotation=annotation | None,  # type: ignore[operator]  # a type at run time
        )

    def take(self, given: Given) -> Given:
        """Take what belongs to these flags out of `given`, under the names of their fields."""
        return {flag.field: given.pop(_parameter_name(flag)) for flag in self.flags}


def _parameter_name(flag: Flag) -> str:
    return f"flag_{flag.flag.split('/')[0].strip('-').replace('-', '_')}"


SHARED = Flags(
    name="shared",
    panel="Shared options",
    flags=(
        Flag(
            flag="--vault",
            also=("--store",),
            field="vault",
            metavar="PLACE",
            meaning="The vault: a folder, or postgresql://… (or MUNIMENT_VAULT; ./muniment-data).",
        ),
        Flag(flag="--tenant", field="tenant", metavar="NAME", meaning="Whose memory (or MUNIMENT_TENANT; default)."),
        Flag(
            flag="--as", field="actor", metavar="ACTOR", meaning="Who is acting (or MUNIMENT_ACTOR; the vault's owner)."
        ),
        Flag(
            flag="--policy",
            field="policy",
            metavar="FILE",
            meaning="A policy file instead of the vault's own (or MUNIMENT_POLICY).",
        ),
        Flag(flag="--json", field="json", kind=bool, meaning="Answer in JSON; errors too, on standard error."),
        Flag(flag="--debug", field="debug", kind=bool, meaning="Show the traceback of an internal error."),
    ),
)

CLAIM = Flags(
    name="claim",
    flags=(
        Flag(flag="--user", field="user", metavar="NAME", meaning="Keep it for this user of a program alone."),
        Flag(flag="--kind", field="kind", meaning="What it is: fact, decision, observation, hypothesis, ..."),
        Flag(
            flag="--scope", field="scope", meaning="Whose it is: project, session, agent_team, agent_repo, user, x_..."
        ),
        Flag(flag="--scope-id", field="scope_id", meaning="Which project, session, team or repo."),
        Flag(flag="--namespace", field="namespace", metavar="/A/B", meaning="The heading it belongs under."),
        Flag(flag="--confidence", field="confidence", kind=float, meaning="How sure the proposer is, 0 to 1."),
        Flag(
            flag="--evidence", field="evidence", many=True, metavar="REF", meaning="What stands behind it. Repeatable."
        ),
        Flag(flag="--purpose", field="purpose", meaning="Why it is written down."),
        Flag(flag="--class", field="memory_class", meaning="short_term, long_term or profile."),
        Flag(flag="--memory-type", field="memory_type", meaning="semantic, episodic or procedural."),
        Flag(flag="--source", field="source", meaning="Where it comes from."),
        Flag(flag="--source-type", field="source_type", meaning="What sort of source: web, email, file, tool, ..."),
        Flag(flag="--external-id", field="external_id", meaning="Its name in another system."),
        Flag(flag="--reasoning", field="reasoning", meaning="A short public rationale."),
        Flag(flag="--assumption", field="assumptions", many=True, meaning="What it takes for granted. Repeatable."),
        Flag(flag="--hedged/--not-hedged", field="hedged", kind=bool, meaning="Whether it was said with reserve."),
        Flag(flag="--event-time", field="event_time", metavar="TIME", meaning="When it happened."),
        Flag(flag="--valid-from", field="valid_from", metavar="TIME", meaning="When it begins to hold."),
        Flag(flag="--valid-until", field="valid_until", metavar="TIME", meaning="When it ceases to hold."),
        Flag(flag="--expires-at", field="expires_at", metavar="TIME", meaning="When it is no longer to be told."),
        Flag(
            flag="--derived-from",
            field="derived_from",
            many=True,
            metavar="ID",
            meaning="A record it stands on. Repeatable.",
        ),
        Flag(flag="--parent", field="parent", metavar="ID", meaning="The record it is a part of, and stands on."),
        Flag(flag="--supersedes", field="supersedes", metavar="ID", meaning="The record it replaces."),
        Flag(
            flag="--relation",
            field="relations",
            many=True,
            metavar="TYPE:ID",
            meaning="A link, such as contradicts:rec_1. Repeatable.",
        ),
        Flag(flag="--sensitivity", field="sensitivity", meaning="public, internal, private, confidential or secret."),
        Flag(flag="--owner", field="owner", metavar="ACTOR", meaning="Who answers for it."),
        Flag(
            flag="--next-review-at",
            field="next_review_at",
            metavar="TIME",
            meaning="When somebody should look at it again (default: what the policy says).",
        ),
        Flag(
            flag="--importance", field="importance", kind=float, meaning="How present it should be, 0 to 1; only ranks."
        ),
        Flag(
            flag="--half-life-hours",
            field="half_life_hours",
            kind=float,
            meaning="After how many hours it is half as present; only ranks.",
        ),
        Flag(flag="--anchored/--not-anchored", field="anchored", kind=bool, meaning="Whether it never fades."),
        Flag(flag="--subject", field="subject", meaning="Slot: what it speaks of (with --key and --value)."),
        Flag(flag="--key", field="key", meaning="Slot: which question about the subject."),
        Flag(flag="--value", field="value", meaning="Slot: the answer."),
        Flag(flag="--workflow-id", field="workflow_id", metavar="ID", meaning="The workflow it belongs to."),
        Flag(flag="--task-id", field="task_id", metavar="ID", meaning="The task it belongs to."),
        Flag(flag="--question", field="question", meaning="The question it answers."),
        Flag(
            flag="--lawful-basis",
            field="lawful_basis",
            meaning="Charter: on which lawful ground it is kept. Scopes that begin with x_ need a whole charter.",
        ),
        Flag(
            flag="--access",
            field="access",
            many=True,
            metavar="NAME",
            meaning="Charter: an actor or a role that may read it. Repeatable.",
        ),
        Flag(flag="--erasure", field="erasure", meaning="Charter: how it is erased."),
        Flag(flag="--retention-days", field="retention_days", kind=int, meaning="Charter: how long it is kept."),
        Flag(flag="--source-quality", field="source_quality", meaning="Charter: how good its source is."),
        Flag(flag="--reviewer", field="reviewer", metavar="ACTOR", meaning="Charter: who reviews it."),
        Flag(
            flag="--bar-scope",
            field="barred_scopes",
            many=True,
            metavar="SCOPE",
            meaning="Charter: a scope that never sees it. Repeatable.",
        ),
    ),
)

_SETTLED_BY_THE_ENGINE = frozenset({"user", "kind", "derived_from", "parent", "supersedes", "relations"})
SYNTHESIS = Flags(
    name="claim",
    panel="The synthesis",
    flags=tuple(flag for flag in CLAIM.flags if flag.field not in _SETTLED_BY_THE_ENGINE),
)
"""What can be said of a synthesis: what it is and what it stands on follow from the conflict it settles."""

BOUNDS = Flags(
    name="bounds",
    flags=(
        Flag(flag="--user", field="user", metavar="NAME", meaning="Ask the memory of this user alone."),
        Flag(
            flag="--purpose", field="purpose", meaning="What the answer is for; the policy may care (default: answer)."
        ),
        Flag(flag="--scope", field="scopes", many=True, meaning="Only this scope. Repeatable."),
        Flag(
            flag="--scope-id",
            field="scope_ids",
            many=True,
            meaning="Only this project, session, team or repo. Repeatable.",
        ),
        Flag(
            flag="--namespace", field="namespace", metavar="/A/B", meaning="Only this namespace and what is below it."
        ),
        Flag(flag="--class", field="classes", many=True, meaning="Only this memory class. Repeatable."),
        Flag(flag="--kind", field="kinds", many=True, meaning="Only this kind. Repeatable."),
        Flag(flag="--trust-min", field="trust_min", meaning="At least this trust: low, medium or high."),
        Flag(flag="--sensitivity-max", field="sensitivity_max", meaning="At most this sensitivity."),
        Flag(
            flag="--max-age-days", field="max_age_days", kind=float, meaning="Only what was recorded in the last days."
        ),
        Flag(
            flag="--require-provenance",
            field="require_provenance",
            kind=bool,
            meaning="Only what has evidence or a source.",
        ),
        Flag(
            flag="--confidence-min",
            field="confidence_min",
            kind=float,
            meaning="At least this effective confidence, 0 to 1.",
        ),
        Flag(
            flag="--gate-min",
            field="gate_min",
            kind=float,
            meaning="Keep back what is believed less than this, 0 to 1 (default: the policy's).",
        ),
        Flag(
            flag="--gate-flag",
            field="gate_flag",
            kind=float,
            meaning="Warn of what is believed less than this, 0 to 1 (default: the policy's).",
        ),
        Flag(flag="--valid-at", field="valid_at", metavar="TIME", meaning="What held then (default: now)."),
        Flag(flag="--known-at", field="known_at", metavar="TIME", meaning="As the ledger knew it then (default: now)."),
        Flag(flag="--limit", field="limit", kind=int, meaning="At most so many records (default: 10)."),
        Flag(flag="--budget-tokens", field="budget_tokens", kind=int, meaning="At most so many tokens of content."),
        Flag(
            flag="--asked-at",
            field="asked_at",
            metavar="TIME",
            meaning='When the question is asked; "last week" is read against it (default: now).',
        ),
        Flag(
            flag="--floor",
            field="floor",
            kind=float,
            meaning="How likely something must fit to be told, 0 to 1 (default: the policy's).",
        ),
        Flag(
            flag="--min-fit",
            field="min_fit",
            kind=float,
            meaning="How likely each record must answer by itself, 0 to 1 (default: 0).",
        ),
        Flag(
            flag="--contested",
            field="contested",
            meaning="Of what is disputed: both, the newest of most authority, or neither (default: the policy's).",
        ),
        Flag(
            flag="--precise",
            field="precise",
            kind=bool,
            meaning="Only what holds the name that the question is bound by.",
        ),
    ),
)

_OF_A_QUESTION = frozenset({"asked_at", "floor", "min_fit", "precise"})
ATTUNED = Flags(name="bounds", flags=tuple(flag for flag in BOUNDS.flags if flag.field not in _OF_A_QUESTION))
"""The bounds of a recall without a question: there are no words to read a time from, and nothing to fit."""

OWN = {
    "after": "--after",
    "agent": "--agent",
    "authority": "--authority",
    "becomes": "--becomes",
    "binding": "--binding",
    "by": "--by",
    "cascade": "--cascade",
    "depth": "--depth",
    "direction": "--direction",
    "embedder": "--embedder",
    "expected": "--plan",
    "expected_revision": "--expected-revision",
    "expires": "--expires",
    "grant": "--grant",
    "host": "--host",
    "interests": "--interest",
    "keys": "--keys",
    "level": "--level",
    "only": "--only",
    "opening": "--opening",
    "origin": "--origin",
    "profile": "--profile",
    "rationale": "--rationale",
    "reason": "--reason",
    "revision": "--revision",
    "role": "--role",
    "session": "--session",
    "session_id": "--session",
    "since": "--since",
    "strategy": "--strategy",
    "synthesis": "--synthesis",
    "task": "--task",
    "timeout": "--timeout",
    "install": "--install",
    "print": "--print",
    "tools": "--tools",
    "user": "--user",
    "type": "--type",
    "types": "--type",
    "url": "--url",
    "weight": "--weight",
    "winner": "--winner",
}
"""Options that single commands declare for themselves, by the field that an error names."""
_SPELLED = OWN | {flag.field: flag.flag.split("/")[0] for group in (BOUNDS, CLAIM, SHARED) for flag in group.flags}


def spelling(field: str | None) -> str | None:
    """The flag that fills a field.

    >>> spelling("kinds[0]"), spelling("content")
    ('--kind', None)
    """
    return _SPELLED.get(field.split("[")[0]) if field is not None else None
