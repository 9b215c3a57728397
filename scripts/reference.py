"""Write the reference pages from the code they describe; with `--check`, say which of them are stale.

Knows the public names, the settings, the error tree, the policy's fields, the vocabularies and the command line.
The same code always gives the same pages.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
import types
import typing
from collections.abc import Callable, Iterator, Sequence
from enum import Enum, StrEnum
from pathlib import Path

import msgspec
from typer.core import TyperArgument, TyperGroup, TyperOption
from typer.main import get_command

import muniment
import muniment.surfaces.cli  # declares the commands
from muniment import aio, config, engine
from muniment.client.parts import PARTS
from muniment.contracts.registry import ContractName
from muniment.engine.options import QueryOptions
from muniment.engine.vault import default_policy_text
from muniment.graph import walk
from muniment.model import (
    change,
    claim,
    curation,
    entry,
    errors,
    gate,
    query,
    recall,
    receipt,
    record,
    render,
    source,
    status,
    vocabulary,
    weights,
)
from muniment.model.claim_options import ClaimOptions
from muniment.operations import OPERATIONS, Key, OperationSpec
from muniment.policy import rules
from muniment.surfaces import problems
from muniment.surfaces.cli.root import app
from muniment.trust import attribution, quality

if typing.TYPE_CHECKING:
    from tests.support.requirements import Requirement

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"
NOTE = "<!-- Written by scripts/reference.py from the code; `make docs` writes it again. Do not edit. -->"


def page(title: str, *parts: str) -> str:
    return "\n\n".join([f"# {title}", NOTE, *(part.strip("\n") for part in parts)]) + "\n"


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |" for row in rows)
    return "\n".join(lines)


def joined(*parts: str) -> str:
    """Paragraphs, those that say nothing left out."""
    return "\n\n".join(part for part in parts if part)


def code(text: str) -> str:
    return f"`{text}`"


def first_line(subject: object) -> str:
    """The first paragraph of a thing's own docstring, on one line."""
    return " ".join(inspect.cleandoc(subject.__doc__ or "").split("\n\n")[0].split())


# Settings


def settings_page() -> str:
    return page(
        "Settings",
        "A flag wins over its environment variable, a variable over the settings file, the file over the default. A "
        "variable that begins with `MUNIMENT_` and is not listed here is an error, so that a misspelt setting is never "
        "silently ignored (names that begin with `MUNIMENT_TEST_` are left alone). A variable that is set but empty is "
        "an error too.",
        "## Of every command",
        _settings(config.SETTINGS),
        "## Of the server",
        "`muniment serve` takes all of these, and of the ones above the vault, the tenant, the policy and the "
        "embedder. In a settings file (`--config FILE`) a setting has the name of its variable without `MUNIMENT_`, "
        "in lower case: `port = 8765`. Lists are written with commas in a variable and as lists in a file. Other "
        "commands take the vault, the tenant, the policy and the embedder from the file that `MUNIMENT_CONFIG` names. "
        "[Serving](../guides/serve.md) shows them at work.",
        _settings(config.SERVING),
    )


def _settings(settings: Sequence[config.ConfigSetting]) -> str:
    rows = [
        (code(one.flag) if one.flag else "–", code(one.name), code(one.default) if one.default else "–", one.meaning)
        for one in settings
    ]
    return table(("flag", "environment", "default", "meaning"), rows)


# Errors

EXAMPLES: tuple[errors.MunimentError, ...] = (
    errors.Malformed("confidence", "a number from 0 to 1"),
    errors.Unreadable("/entry/3/id", "a key that is said once; it is said twice", line=41, column=7),
    errors.LimitExceeded("content", limit=1_048_576, unit="bytes", sent=2_000_000),
    errors.Unauthenticated(),
    errors.NotPermitted("planner", "verify the ledger"),
    errors.NotFound("record", "rec_1"),
    errors.Stale("record rec_1", yours="revision 1", present="revision 2"),
    errors.RolledBack("omir-0c1d2e"),
    errors.SourceUnreadable("history.db", "a whole SQLite file"),
    errors.SourceIncomplete(2, "memory.jsonl:7", "no JSON object, or one that was cut short"),
    errors.OnHold("hld_1", "case 2026-114", records=3),
    errors.Undecided("conflict cfl_1", "both sides are equal by confidence_weighted"),
    errors.StoreUnavailable("there is no vault at ./muniment-data; `muniment init` makes one"),
    errors.StoreFull("default.sqlite: the disk is full; nothing was written"),
    errors.StoreBusy("default.sqlite was locked by another writer for more than 10000 ms"),
    errors.ModelUnavailable("the endpoint cannot be reached (TimeoutError)"),
    errors.TooManyRequests("requests of planner", retry_after=2.0),
    errors.ConfigurationError("MUNIMENT_VAUTL", "no such setting"),
    errors.PolicyInvalid("policy.yaml", 14, "write[0].kinds: expected a list"),
    errors.IntegrityError("default.sqlite is damaged"),
    errors.LedgerBroken("entry 7 is missing", seq=7),
    errors.SchemaMismatch(found=2, needed=1),
)


def error_tree(root: type[errors.MunimentError], depth: int = 0) -> Iterator[tuple[int, type[errors.MunimentError]]]:
    yield depth, root
    for child in root.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from error_tree(child, depth + 1)


def errors_page() -> str:
    by_class = {type(one): one for one in EXAMPLES}
    parts = []
    for depth, kind in error_tree(errors.MunimentError):
        if depth == 0:
            continue
        parts.append(_error(kind, by_class.get(kind), leaf=not kind.__subclasses__()))
    return page(
        "Errors",
        "Every error Muniment raises on purpose belongs to this tree, carries a stable `code`, names what is wrong "
        "and has a `hint` that says what to do. Programs should look at the code; the words may change. "
        "A refusal by policy is not an error: it is a verdict with its rule and its reason.",
        "No message repeats a value that was sent, because a value may be a secret.",
        *parts,
    )


def _error(kind: type[errors.MunimentError], example: errors.MunimentError | None, *, leaf: bool) -> str:
    assert example is not None or not leaf, f"{kind.__name__} needs an example in scripts/reference.py"
    lines = [f"## `{kind.code}`", "", f"`{kind.__name__}`: {first_line(kind)}", ""]
    lines.append(f"- exit code on the command line: {_exit_code(kind)}")
    parent = kind.__bases__[0]
    if issubclass(parent, errors.MunimentError) and parent is not errors.MunimentError:
        lines.append(f"- kind of: [`{parent.code}`](#{parent.code})")
    if example is not None:
        lines += [f"- for example: {example}", f"- hint: {example.hint}"]
    return "\n".join(lines)


def _exit_code(kind: type[errors.MunimentError]) -> int:
    """Ask the surface. It looks at the class alone, so a bare instance will do."""
    return int(problems.exit_code_of(kind.__new__(kind)))


# Policy

MEANINGS: dict[str, str] = {
    "Policy.version": "the form of the policy; this engine reads 1",
    "Policy.name": "what the policy is called",
    "Policy.actors": 'who is who, by name; `"*"` is everybody who is not named',
    "Policy.write": "rules for proposals; asked in order, the first that fits decides, none that fits refuses",
    "Policy.read": "grants; a record may be seen when some grant covers it",
    "Policy.review": "who may answer for others, take back, see the queue, audit",
    "Policy.drafts": "who may keep drafts",
    "Policy.safety": "what happens to secrets, to personal data and to poison",
    "Policy.evidence": "which kinds need grounds",
    "Policy.trust": "how far records are believed, and what that lets by",
    "Policy.cascade": "what becomes of a record when something it stands on ends",
    "Policy.erasure": "what becomes of records that were derived from what is erased",
    "Policy.disputes": "how disagreement is found and settled",
    "Policy.reading": "how agents are told of disputes",
    "PolicyMember.type": "a person's word counts as evidence; an agent's does not",
    "PolicyMember.roles": "names that rules can speak of; also the `agent_repo` scopes the actor belongs to",
    "PolicyMember.teams": 'the `agent_team` scopes the actor belongs to; `"*"` is all of them',
    "PolicyMember.projects": 'the `project` scopes the actor belongs to; `"*"` is all of them',
    "PolicyMember.sessions": 'the `session` scopes the actor belongs to; `"*"` is all of them',
    "PolicyMember.authority": "0 to 10; review rules can ask for it, and disputes are settled by it",
    "id": "the name that verdicts, reports and receipts call the rule by; used once in a policy",
    "actors": "only these actors, by name",
    "roles": "only actors with one of these roles",
    "types": "only actors of these types",
    "scopes": "only these scopes",
    "scope_ids": "only scopes with one of these ids",
    "namespaces": "only these namespaces and what lies below them, by whole path parts",
    "kinds": "only these kinds",
    "classes": "only these memory classes",
    "sensitivity_max": "nothing more sensitive than this",
    "WriteRule.decision": "what happens to a proposal that fits",
    "WriteRule.reason": "why, in words; the proposer is told",
    "WriteRule.member": "true: only scopes the actor belongs to; false: only others",
    "WriteRule.confidence_min": "only claims at least this sure, 0 to 1",
    "WriteRule.evidence_min": "only claims with at least this many pieces of evidence",
    "WriteRule.review_days": "look at the record again after this many days",
    "ReadRule.purposes": "only reads for these purposes; a read that names none is for `answer`",
    "ReadRule.member": "true: only scopes the actor belongs to; false: all of them",
    "ReadRule.trust_min": "only records trusted at least this much",
    "ReadRule.label_min": "only records whose origin is labelled at least this",
    "ReviewRule.actions": "what may be done",
    "ReviewRule.own": "true: only with what the actor proposed",
    "authority_min": "only actors with at least this much authority",
    "WriteRule.word": "true: where evidence is asked for, the actor's word is enough",
    "DraftPolicy.authority_min": "how much authority it takes to keep drafts in places of one's own",
    "SafetyPolicy.secrets": "take secrets out and go on, or discard the whole proposal",
    "SafetyPolicy.poison": "what becomes of text that may be meant to steer whoever reads it",
    "PoisonPolicy.injection": "orders against orders, roles, chat markup, tool calls, requests to send secrets away",
    "PoisonPolicy.instruction": "text that speaks to the machine that reads it",
    "PoisonPolicy.hidden": "characters that show nothing or turn others, words of two scripts, disguised words",
    "PoisonPolicy.encoded": "text in a code that spells one of the others",
    "PoisonPolicy.authority": "text that vouches for itself, or speaks as somebody who rules",
    "PoisonPolicy.standing": "claims about who rules here, what somebody is or may do, and what the system says",
    "PoisonPolicy.marks": "what each thing weighs that a text does to its reader",
    "DirectiveWeights.order": "it gives an order",
    "DirectiveWeights.trigger": "it wants to rule over talks to come",
    "DirectiveWeights.persona": "it says who its reader is",
    "DirectiveWeights.secrecy": "it asks for silence",
    "DirectiveWeights.urgency": "it asks for haste",
    "DirectiveWeights.authority": "it calls on an authority that cannot be asked",
    "DirectiveWeights.outward": "it points out of here: an address, an account",
    "DirectiveWeights.always": "it is to hold for all time",
    "DirectiveWeights.bypass": "it wants to get round a check",
    "DirectiveWeights.part": "it takes a part in the conversation: speaks as the system, calls a tool",
    "DirectiveWeights.replay": "it plays back a key of a memory",
    "DirectiveWeights.carrier": "it has a link that carries data",
    "DirectiveWeights.least": "from this sum on the text is a suspect of `instruction`",
    "PoisonPolicy.burst": "very many from one actor at once",
    "PoisonPolicy.burst_count": "how many are very many",
    "PoisonPolicy.burst_seconds": "within how many seconds",
    "SuspectPolicy.below": "origins below this get `low`, the others `high`",
    "SuspectPolicy.low": "what becomes of a suspect of a lower origin",
    "SuspectPolicy.high": "what becomes of any other suspect",
    "SafetyPolicy.credentials": "the same for single sorts of secrets",
    "SafetyPolicy.personal": "what becomes of personal data, by its sort",
    "CredentialsPolicy.private_key": "PEM, OpenSSH, PGP and PuTTY keys, and the private part of a JWK",
    "CredentialsPolicy.cloud_access_key": "keys to clouds, hosting and vaults",
    "CredentialsPolicy.code_host_token": "tokens of code hosts",
    "CredentialsPolicy.build_token": "tokens of build and container systems",
    "CredentialsPolicy.chat_token": "tokens and hooks of chats",
    "CredentialsPolicy.payment_key": "keys to payments",
    "CredentialsPolicy.mail_key": "keys to mail senders",
    "CredentialsPolicy.package_token": "tokens of package registries",
    "CredentialsPolicy.api_key": "keys to models and what goes with them",
    "CredentialsPolicy.app_token": "tokens of other applications",
    "CredentialsPolicy.memory_key": "keys to Muniment itself",
    "CredentialsPolicy.signed_token": "JWT and PASETO",
    "CredentialsPolicy.service_account": "names of accounts that programs use",
    "CredentialsPolicy.authorization_header": "what stands in `Authorization`, in a cookie, or behind `curl -u`",
    "CredentialsPolicy.password_in_url": "the name and password in an address",
    "CredentialsPolicy.connection_string": "the password in a connection string or a `.pgpass` line",
    "CredentialsPolicy.credential": "what is called a password, key, token or secret; `.netrc`, password hashes",
    "PersonalDataRules.card_number": "payment cards, by issuer, length and checksum",
    "PersonalDataRules.bank_account": (
        "IBAN by country and checksum; routing and account numbers where they are called so"
    ),
    "PersonalDataRules.national_id": (
        "numbers by which states know people, by form and checksum, or where they are named"
    ),
    "PersonalDataRules.email": "addresses of mail",
    "PersonalDataRules.phone": "telephone numbers",
    "PersonalDataRules.ip_address": "addresses of machines: IPv4, IPv6, MAC",
    "PersonalDataRules.birth_date": "a day where somebody's birth is spoken of",
    "EvidencePolicy.word": "whether a person's or a reviewer's word stands in for evidence",
    "EvidencePolicy.session_below": "what is believed less than this is kept in a session or not at all",
    "EvidencePolicy.required_for": "kinds that need evidence, a person's word or a reviewer",
    "EvidencePolicy.otherwise": "what happens to such a proposal without it",
    "TrustPolicy.gate": "the thresholds for everything that no namespace below has its own for",
    "TrustPolicy.namespaces": "other thresholds for single namespaces and what lies below them; the nearest counts",
    "TrustPolicy.missing_floor": "the most that is believed of a record that has lost what it stood on, 0 to 1",
    "TrustPolicy.priors": "how far a claim is believed whose proposer does not say how sure they are, by its origin",
    "ConfidencePriors.person": "said by a person, the owner included",
    "ConfidencePriors.tool": "reported by a verified tool",
    "ConfidencePriors.system": "said by a service",
    "ConfidencePriors.agent": "said by an agent",
    "ConfidencePriors.imported": "brought in from elsewhere",
    "ConfidencePriors.external": "read outside: a page, a mail, a document",
    "ConfidencePriors.unknown": "of no known source",
    "TrustPolicy.inform": "purposes that only inform; any other may move tools, and so steers",
    "TrustPolicy.steer_label_min": "for a purpose that steers, only records whose origin is at least this",
    "TrustPolicy.exposure": "what it means for an actor to have been told something of low origin",
    "ExposurePolicy.hours": "for so long an actor that is no person writes under the impression of what it was told",
    "ExposurePolicy.unshared": "what becomes of a claim that shares nothing with it: `keep` its origin, "
    "`lower` it until a reviewer vouches for it, or `hold` it for a reviewer",
    "Thresholds.min": "what is believed less than this is kept back, 0 to 1; 0 keeps nothing back",
    "Thresholds.flag": "what is believed less than this is told with a warning; not below `min`",
    "CascadePolicy.retracted": "when it was taken back",
    "CascadePolicy.deprecated": "when it was deprecated itself",
    "CascadePolicy.superseded": "when another took its place",
    "CascadePolicy.expired": "when its time was over",
    "CascadePolicy.contested": "when it is in dispute",
    "CascadePolicy.erased": "when it was erased",
    "ErasurePolicy.derived": "`erase` them too, `redact` what they took over, or keep them back for `review`",
    "DisputePolicy.detector": (
        "what follows when two records disagree by their words: contest both, note it, or ignore it"
    ),
    "DisputePolicy.judge": "the same for what a judge suggests",
    "DisputePolicy.quorum": "how many voices a vote needs",
    "DisputePolicy.settle": "what settles established conflicts without a person: rules in order, or words as one rule",
    "SettleRule.id": "the name that reports call the rule by; numbered if it has none",
    "SettleRule.by": "what decides, in order; a tie asks the next, and `hold` leaves it to a person",
    "SettleRule.strength": "`established`; for `suspected` only `hold` is allowed",
    "ReadingPolicy.contested": "both sides, the `newest` of most authority, or `neither`; or one for each purpose",
    "Policy.recall": "how answers are ranked, and when none is given",
    "RecallPolicy.weights": "what each part of a score is multiplied with",
    "RecallPolicy.floor": (
        "how likely something must fit to be told, 0 to 1; 0 holds nothing back as irrelevant or weak"
    ),
    "Weights.words": "how well the words of the question are met",
    "Weights.meaning": "how near in meaning the nearest passage is",
    "Weights.nearby": "how well what stands next to it in its session fits",
    "Weights.session": "how well its session fits as a whole",
    "Weights.linked": "how near it is by shared names and links to what fits",
    "Weights.subject": "it was written by somebody the question names, or by the asker who says I",
    "Weights.time": "it falls into the time the question asks about",
    "Weights.future": "taken off what happened after the question was asked",
    "Weights.recency": "how recent it is",
    "Weights.confidence": "how far it is believed",
    "Weights.importance": "how important it was said to be",
    "Weights.origin": "how good its origin is",
    "Weights.kind": "how weighty its kind is",
}
POLICY_PARTS: tuple[tuple[str, type[msgspec.Struct]], ...] = (
    ("The whole", rules.Policy),
    ("`actors`: one member", rules.PolicyMember),
    ("`write`: one rule", rules.WriteRule),
    ("`read`: one grant", rules.ReadRule),
    ("`review`: one rule", rules.ReviewRule),
    ("`drafts`", rules.DraftPolicy),
    ("`safety`", rules.SafetyPolicy),
    ("`safety`: `poison`", rules.PoisonPolicy),
    ("`safety`: one guard of `poison`", rules.SuspectPolicy),
    ("`safety`: the weights of `poison`", rules.DirectiveWeights),
    ("`safety`: the sorts of secrets", rules.CredentialsPolicy),
    ("`safety`: the sorts of personal data", rules.PersonalDataRules),
    ("`evidence`", rules.EvidencePolicy),
    ("`trust`", rules.TrustPolicy),
    ("`trust`: exposure", rules.ExposurePolicy),
    ("`trust`: one pair of thresholds", gate.Thresholds),
    ("`trust`: the priors", rules.ConfidencePriors),
    ("`cascade`", rules.CascadePolicy),
    ("`erasure`", rules.ErasurePolicy),
    ("`disputes`", rules.DisputePolicy),
    ("`disputes`: one rule of `settle`", rules.SettleRule),
    ("`reading`", rules.ReadingPolicy),
    ("`recall`", rules.RecallPolicy),
    ("`recall`: the weights", weights.Weights),
)


def policy_page() -> str:
    parts = []
    for title, part in POLICY_PARTS:
        rows = [_policy_field(part, field) for field in msgspec.structs.fields(part)]
        parts.append(joined(f"## {title}", first_line(part), table(("field", "type", "default", "meaning"), rows)))
    return page(
        "Policy fields",
        "A policy is a YAML or TOML file. An absent field puts no bound; an empty list allows nothing; an unknown "
        "field is refused with its line. [How to write one](../guides/policy.md), "
        "[the one that ships](default-policy.md).",
        *parts,
    )


def _policy_field(part: type[msgspec.Struct], field: msgspec.structs.FieldInfo) -> tuple[str, ...]:
    meaning = MEANINGS.get(f"{part.__name__}.{field.name}") or MEANINGS[field.name]
    return code(field.encode_name), type_words(field.type), _default(field), meaning


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "required"
    if field.default is msgspec.NODEFAULT:
        return "none"
    return value_words(field.default)


def value_words(value: object) -> str:
    match value:
        case None:
            return "no bound"
        case bool():
            return code(str(value).lower())
        case Enum():
            return code(str(value.value))
        case tuple():
            return ", ".join(code(str(one)) for one in value) or "none"
        case rules.SuspectPolicy():
            return code(f"{{below: {value.below}, low: {value.low}, high: {value.high}}}")
        case gate.Thresholds():
            return code(f"{{min: {value.min:g}, flag: {value.flag:g}}}")
        case msgspec.Struct():
            return "as below"
        case _:
            return code(str(value))


TYPES: dict[object, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true / false",
    rules.PolicyMember: "member",
    rules.WriteRule: "rules",
    rules.ReadRule: "grants",
    rules.ReviewRule: "rules",
    rules.DraftPolicy: "see below",
    rules.SafetyPolicy: "see below",
    rules.PoisonPolicy: "see below",
    rules.DirectiveWeights: "see below",
    rules.ExposurePolicy: "see below",
    rules.SuspectPolicy: "guard",
    rules.CredentialsPolicy: "see below",
    rules.PersonalDataRules: "see below",
    rules.EvidencePolicy: "see below",
    rules.TrustPolicy: "see below",
    rules.ConfidencePriors: "see below",
    rules.CascadePolicy: "see below",
    rules.ErasurePolicy: "see below",
    rules.DisputePolicy: "see below",
    rules.SettleRule: "rule",
    rules.ReadingPolicy: "see below",
    rules.RecallPolicy: "see below",
    weights.Weights: "weights",
    gate.Thresholds: "thresholds",
}


def type_words(kind: object) -> str:
    """A type in words a policy's author knows."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return " or ".join(type_words(one) for one in arguments if one is not types.NoneType)
    if origin is tuple:
        return f"list of {type_words(arguments[0])}"
    if origin is dict:
        return f"{type_words(arguments[1])} by name"
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return " / ".join(kind)
    return TYPES[kind]


def default_policy_page() -> str:
    return page(
        "The default policy",
        "`muniment init` writes this file into the vault as `policy.yaml`. Edit it there; the next process that opens "
        "the vault records the change in every tenant's ledger.",
        "```yaml\n" + default_policy_text().strip() + "\n```",
    )


# Vocabulary


def vocabulary_page() -> str:
    parts = []
    for module in (vocabulary, query, entry, change, rules, walk, quality, attribution):
        for kind in _enums(module):
            words = ", ".join(code(word) for word in kind)
            parts.append(joined(f"## {kind.__name__}", first_line(kind), words))
    return page(
        "Vocabulary",
        "Closed word lists. Anything else is refused, and the refusal lists the words there are.",
        _status_table(),
        *parts,
        _source_types(),
    )


def _source_types() -> str:
    rows = [(code(label), ", ".join(code(word) for word in words)) for label, words in source.SOURCE_TYPES.items()]
    note = (
        "What `source_type` may say, by the label a text from there has at most. The first word of each line is its "
        "name, the others are synonyms; case, white space, punctuation and invisible characters make no difference. "
        "What an agent had from a tool counts as `external`. Any other word is refused; where another system's word "
        "must be kept as it is, it counts as `unknown`."
    )
    return joined("## SOURCE_TYPES", note, table(("label at most", "words"), rows))


def _enums(module: types.ModuleType) -> list[type[StrEnum]]:
    found = [one for one in vars(module).values() if isinstance(one, type) and issubclass(one, StrEnum)]
    return [one for one in found if one.__module__ == module.__name__]


def _status_table() -> str:
    rows = []
    for before in status.Status:
        after = [code(one) for one in status.Status if status.may_become(before, one)]
        rows.append((code(before), "yes" if before in status.CURRENT else "no", ", ".join(after) or "nothing"))
    note = "At most one revision of a record is current at a time."
    return "## Status\n\n" + table(("status", "current", "may become"), rows) + "\n\n" + note


# Python

RESULTS: tuple[type[msgspec.Struct], ...] = (
    curation.Verdict,
    curation.CurationReport,
    curation.StepOutcome,
    curation.Redaction,
    curation.ConflictResult,
    curation.MaintenanceResult,
    curation.WithdrawalResult,
    curation.AffectedReceipt,
    recall.Recall,
    query.Disclosure,
    query.Searched,
    render.Context,
    render.Citation,
    record.Record,
    record.RecordState,
    record.TrustState,
    record.UsageState,
    claim.Charter,
    receipt.Explanation,
    receipt.Account,
    entry.LedgerHead,
    entry.SignedCheckpoint,
    entry.VerifyFinding,
    entry.Vote,
    walk.Edge,
    attribution.AttributionResult,
    attribution.AttributionFinding,
)


def python_page() -> str:
    faces = [one for name in muniment.__all__ if inspect.isclass(one := getattr(muniment, name))]
    from_engine = [getattr(engine, name) for name in engine.__all__]
    values = [one for one in (*RESULTS, *faces, *from_engine) if issubclass(one, msgspec.Struct)]
    parts = [f"## Public names\n\n`muniment` exports {', '.join(code(name) for name in muniment.__all__)}."]
    parts += (_face(one) for one in faces if not issubclass(one, (msgspec.Struct, Exception)))
    parts += (_face(kind, f"memory.{name}") for name, kind in PARTS.items())
    parts.append(_async_part())
    parts.append("## What can be said of a memory\n\n" + first_line(ClaimOptions) + "\n\n" + _options(ClaimOptions))
    parts.append("## What bounds a recall\n\n" + first_line(QueryOptions) + "\n\n" + _options(QueryOptions))
    parts.append("## Values\n\nFrozen. Fields with a default may be left out of their JSON.")
    parts += (_value(one) for one in dict.fromkeys(values))
    return page("Python", *parts)


def _face(kind: type, title: str | None = None) -> str:
    lines = [f"## {title or kind.__name__}", "", first_line(kind)]
    same = vars(muniment.Memory).keys() if kind in (muniment.Client, muniment.AsyncClient) else ()
    if same:
        lines += ["", "The methods and parts of `Memory`, and:"]
    for name, member in _members(kind).items():
        if name in same:
            continue
        about = first_line(member.__func__ if isinstance(member, classmethod) else member)
        lines += ["", f"### `{name}`", "", f"    {signature(name, member)}", *(["", about] if about else [])]
    return "\n".join(lines)


def _members(kind: type) -> dict[str, object]:
    """What a class shows, what it has from the parts it is made of included, in the order it is written."""
    found: dict[str, object] = {}
    for part in kind.__mro__[:-1]:
        found |= {name: one for name, one in vars(part).items() if not name.startswith("_") and name not in found}
    return found


def signature(name: str, member: object) -> str:
    if isinstance(member, property):
        assert member.fget is not None
        return f"{name}: {inspect.signature(member.fget).return_annotation}"
    function = typing.cast(Callable[..., object], member.__func__ if isinstance(member, classmethod) else member)
    shown = str(inspect.signature(function))
    shown = re.sub(r"^\((self|cls)(, )?", "(", shown)
    shown = re.sub(r"(: |-> )'([^']*)'", r"\1\2", shown)  # annotations are kept as texts
    return name + re.sub(r"<function \S+ at 0x[0-9a-f]+>", "…", shown).replace(str(2**62), "2**62")


def _async_part() -> str:
    names = [name for name, one in vars(aio.Memory).items() if inspect.iscoroutinefunction(_plain(one))]
    awaited = ", ".join(code(name) for name in names if not name.startswith("_"))
    return (
        f"## muniment.aio\n\n{first_line(aio)}\n\n`muniment.aio.Memory` has the methods of `muniment.Memory` with the "
        f"same arguments. Awaited: {awaited}; and everything on its parts. Use it with `async with`."
    )


def _plain(member: object) -> object:
    return member.__func__ if isinstance(member, classmethod) else member


def _options(options: type) -> str:
    return table(("keyword", "type"), [(code(name), code(text)) for name, text in _annotations(options).items()])


TITLES: dict[type[msgspec.Struct], str] = {attribution.AttributionFinding: "Finding, of an Integrity"}
"""Where two values of two rooms have one name."""


def _value(kind: type[msgspec.Struct]) -> str:
    texts = _annotations(kind)
    rows = [(code(field.name), code(texts[field.name])) for field in msgspec.structs.fields(kind)]
    return joined(f"### {TITLES.get(kind, kind.__name__)}", first_line(kind), table(("field", "type"), rows))


def _annotations(kind: type) -> dict[str, str]:
    """Annotations as they are written, those of the classes above included."""
    found: dict[str, str] = {}
    for above in reversed(kind.__mro__):
        for name, written in vars(above).get("__annotations__", {}).items():
            found[name] = written.__forward_arg__ if isinstance(written, typing.ForwardRef) else str(written)
    return found


# Command line

SHARED = "Shared options"


def cli_page() -> str:
    root = get_command(app)
    assert isinstance(root, TyperGroup)
    shared = [one for one in root.params if isinstance(one, TyperOption) and one.rich_help_panel == SHARED]
    own = [one for one in root.params if isinstance(one, TyperOption) and one.rich_help_panel != SHARED]
    exits = table(("code", "name"), [(code(str(int(one))), one.name.lower()) for one in problems.ExitCode])
    meaning = _paragraphs(root.epilog)[-1].removeprefix("Exit codes: ")
    parts = [
        f"{root.help}\n\n    muniment [OPTIONS] COMMAND [ARGUMENTS]",
        "## Options of every command\n\nThey may stand before or after the command; the one further right wins.\n\n"
        + _option_table(shared),
        "## Options of `muniment` alone\n\n" + _option_table(own),
        joined("## Exit codes", meaning, exits),
    ]
    parts += _commands(root, "muniment")
    return page("Command line", *parts)


def _commands(group: TyperGroup, prefix: str) -> Iterator[str]:
    for name, command in group.commands.items():
        line = f"{prefix} {name}"
        if isinstance(command, TyperGroup):
            yield f"## `{line}`\n\n{command.help}"
            yield from _commands(command, line)
            continue
        arguments = [one for one in command.params if isinstance(one, TyperArgument)]
        options = [one for one in command.params if isinstance(one, TyperOption) and one.rich_help_panel != SHARED]
        example = _paragraphs(command.epilog)[0].removeprefix("Example: ")
        assert command.help, f"{line} needs a docstring"
        parts = [f"{'#' * (len(prefix.split()) + 1)} `{' '.join([line, *(_metavar(one) for one in arguments)])}`"]
        parts += [" ".join(command.help.split()), f"    {example}"]
        if arguments:
            parts.append(table(("argument", "meaning"), [(code(_metavar(one)), one.help or "") for one in arguments]))
        if options:
            parts.append(_option_table(options))
        yield "\n\n".join(parts)


def _paragraphs(text: str | None) -> list[str]:
    assert text, "commands and the root have an example"
    return [" ".join(part.split()) for part in text.split("\n\n")]


def _metavar(argument: TyperArgument) -> str:
    return argument.metavar or (argument.name or "").upper()


def _option_table(options: list[TyperOption]) -> str:
    rows = []
    for one in options:
        flags = "/".join((*one.opts, *one.secondary_opts))
        value = "" if one.is_flag else f" {one.metavar or 'VALUE'}"
        default = "required" if one.required else code(str(one.default)) if one.default not in (None, False) else "–"
        rows.append((code(flags + value), default, one.help or ""))
    return table(("option", "default", "meaning"), rows)


def contracts_page() -> str:
    root = Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(root), *(str(kit) for kit in sorted(root.glob("kits/*/src")))]
    from tests.contracts import coverage  # what shows what is read from the tests
    from tests.support.requirements import requirements

    counts = [(row.title, str(row.total), str(row.shown), str(row.apart)) for row in coverage.table()]
    parts = [
        "Every assertion of the five contracts, in our words. A test or a vector shows each of them; where we do "
        "otherwise there is a reason, and a test that fails as long as that is so. The suite prints the same counts.",
        table(("contract", "assertions", "shown to hold", "we do otherwise"), counts),
    ]
    for name in ContractName:
        found = requirements(name)
        parts += [f"## {found.title}", _assertions(found.lines)]
        if apart := [line for line in found.lines if line.diverges is not None]:
            rows = [(line.id, line.diverges or "") for line in apart]
            parts += [f"### Where we do otherwise: {name}", table(("assertion", "why"), rows)]
    return page("Contracts, assertion by assertion", *parts, joined("## Schemas", _schemas()))


def _assertions(lines: Sequence[Requirement]) -> str:
    marks = {True: "", False: " *(otherwise)*"}
    rows = [(line.id, line.level, line.says + marks[line.diverges is None]) for line in lines]
    return table(("assertion", "level", "says"), rows)


def _schemas() -> str:
    """The published schemas, as they lie in the package."""
    root = Path(muniment.__file__).parent / "contracts"
    named = {name: sorted(file.name for file in (root / name / "schemas").glob("*.json")) for name in ContractName}
    rows = [(name, ", ".join(code(file) for file in files)) for name, files in named.items()]
    words = "JSON Schema 2020-12, in the package under `muniment/contracts/CONTRACT/schemas`. "
    words += "`scripts/schemas.py` makes them of the wire types."
    return joined(words, table(("contract", "schemas"), rows))


_OF_THE_SURFACE = frozenset({"caller", "changes", "denied", "export", "forget_record", "form", "import"})
"""Operations that are no method of a memory."""


def rest_page() -> str:
    """Every operation of the native REST face, from its table."""
    sections = []
    for one in OPERATIONS:
        said = [
            table(
                ("", ""),
                [
                    ("method", code(f"Memory.{one.name}") if one.name not in _OF_THE_SURFACE else "–"),
                    ("grant", code(one.grant.value)),
                    ("query", _fields(one.query)),
                    ("body", _fields(one.body)),
                    ("answer", code(one.answer.__name__) + (", a page of it" if one.pages else "")),
                    ("headers", _headers(one)),
                ],
            )
        ]
        sections.append(joined(f"## {one.verb.value} {one.path}", one.summary + ".", *said))
    return page(
        "The native REST face",
        "What `/openapi.json` says in full, in short. [How to use it](../guides/rest.md).",
        *sections,
    )


def _fields(kind: type[msgspec.Struct] | None) -> str:
    if kind is None:
        return "–"
    return ", ".join(
        code(field.name) + ("" if not field.required else " (required)") for field in msgspec.structs.fields(kind)
    )


def _headers(one: OperationSpec) -> str:
    found = ["`If-Match`"] if one.matchable or one.tagged else []
    found += ["`If-None-Match`"] if one.tagged else []
    found += ["`Idempotency-Key`"] if one.key is not Key.NONE else []
    return ", ".join(found) or "–"


PAGES: dict[str, Callable[[], str]] = {
    "cli.md": cli_page,
    "contracts.md": contracts_page,
    "default-policy.md": default_policy_page,
    "errors.md": errors_page,
    "policy.md": policy_page,
    "python.md": python_page,
    "rest.md": rest_page,
    "settings.md": settings_page,
    "vocabulary.md": vocabulary_page,
}


def stale(folder: Path) -> list[str]:
    """The names of pages in `folder` that the code no longer gives, that are missing, or that nobody writes."""
    there = {file.name for file in folder.glob("*.md")}
    changed = [name for name, write in PAGES.items() if name not in there or (folder / name).read_text() != write()]
    return sorted({*changed, *(there - PAGES.keys())})


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Write the reference pages from the code.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a page is stale")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the pages are")
    given = parser.parse_args(arguments)
    if given.check:
        found = stale(given.folder)
        for name in found:
            sys.stderr.write(f"{name} is stale; run `make docs`\n")
        return 1 if found else 0
    given.folder.mkdir(parents=True, exist_ok=True)
    for name, write in PAGES.items():
        (given.folder / name).write_text(write())
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
