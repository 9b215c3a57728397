"""Every scanner that sees a text from outside, found in the source: nobody has to remember to write one down here."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from inspect import isgenerator, unwrap
from pathlib import Path

import muniment
from muniment.model.actor import Actor
from muniment.model.claim import Claim
from muniment.model.errors import MunimentError
from muniment.model.proposal import Proposal
from muniment.model.times import Instant
from muniment.policy.rules import DirectiveWeights, SafetyPolicy
from muniment.text.asked import Asked
from muniment.write.admit import admit
from muniment.write.poison import inspect_claim
from muniment.write.secrets.normalize import fold, places
from muniment.write.secrets.screen import DEFAULT, DETECTORS

Scan = Callable[[str], object]
SOURCE = Path(muniment.__file__).parent
ROOMS = ("compat", "contracts", "model", "policy", "read", "text", "write")
"""Where texts are read. The other rooms hand them on, store them, or read what we wrote ourselves."""
FIRST = ("text", "data", "sentence", "body")
"""What the first argument of a scanner is called."""
_NOW = Instant(1_767_225_600_000_000)
REST: dict[str, dict[str, object]] = {
    "compat.exchange.files.as_json": {"suffix": ".json"},
    "compat.exchange.files.as_file": {"suffix": ".json"},
    "contracts.akashik.relevance.shared": {"topics": ("doors",)},
    "model.times.parse": {"field": "at"},
    "policy.parse.parse_policy": {"place": "policy.toml"},
    "read.exact.same_text": {"content": "doors"},
    "text.asked.holds_asked": {"asked": Asked.NUMBER},
    "text.dates.read_span": {"asked_at": _NOW},
    "write.poison.directives.speaking": {"marks": DirectiveWeights()},
}
"""What a scanner asks for beside the text."""
APART = {
    "compat.matm.emission.prepare": "reads by read_json, which is here",
    "contracts.omir.texts.take": "keeps a text as it is",
    "contracts.strict.instants.instant_of": "reads what is_instant let pass",
    "contracts.strict.locate.locate": "a part of read_json, which is here",
    "contracts.strict.locate.place": "counts lines, once, where an error is",
    "model.value.read_canonical": "reads what we wrote",
    "text.entities.keys.price_key": "reads what entities matched",
    "text.entities.names.names": "a part of entities, which is here",
    "text.entities.names.begins_sentence": "a part of entities, which is here",
    "write.secrets.detector.near": "looks at so many characters",
    "write.secrets.detector.reach_of": "looks at so many characters",
    "write.secrets.detector.leads_to": "looks at so many characters",
    "write.secrets.normalize.places": "is here with fold",
    "write.secrets.numbers.numbers_near": "a part of detectors, which are here",
    "read.named.names_of": "reads a question by entities, which is here",
    "read.named.without": "reads a question by language_of and words_of, which are here",
    "read.fetch.record_of": "reads what we wrote",
}
"""What looks like a scanner and is none, and why."""


def declared() -> Iterator[tuple[str, str, str, list[str], str]]:
    """Every public function whose first argument is a text: its name, module, own name, required arguments, and whether
    it takes text or bytes."""
    for path in sorted(file for room in ROOMS for file in (SOURCE / room).rglob("*.py")):
        module = ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
        for one in ast.parse(path.read_text()).body:
            if not isinstance(one, ast.FunctionDef) or one.name.startswith("_"):
                continue
            taken = [*one.args.posonlyargs, *one.args.args]
            if not taken or taken[0].annotation is None or taken[0].arg not in FIRST:
                continue
            kind = ast.unparse(taken[0].annotation)
            if kind in ("str", "bytes"):
                required = [each.arg for each in taken[1 : len(taken) - len(one.args.defaults)]]
                named = zip(one.args.kwonlyargs, one.args.kw_defaults, strict=True)
                required += [each.arg for each, default in named if default is None]
                yield f"{module}.{one.name}", f"muniment.{module}", one.name, required, kind


def scanners() -> dict[str, Scan]:
    """Each scanner by name, ready to be given a text."""
    found: dict[str, Scan] = {}
    for name, module, own, required, kind in declared():
        if name in APART:
            continue
        rest = REST.get(name, {})
        assert {*required} == rest.keys(), f"{name}: say in REST what it asks for, or in APART why not"
        found[name] = _scan(unwrap(getattr(import_module(module), own)), rest, kind)
    for number, one in enumerate(DETECTORS):
        found[f"detector {number} {one.sort}"] = lambda text, find=one.find: list(find(fold(text)))  # type: ignore[misc]
    found["write.secrets.normalize.places"] = lambda text: places(text, fold(text))
    found["screen.redact"] = DEFAULT.redact
    found["screen.suspicious"] = DEFAULT.suspicious
    found["inspect_claim"] = lambda text: inspect_claim(Claim(content=text))
    found["admit"] = lambda text: admit(
        Proposal(id="prp_1", tenant="default", claim=Claim(content=text)), Actor(id="owner"), SafetyPolicy()
    )
    return found


def _scan(call: Callable[..., object], rest: dict[str, object], kind: str) -> Scan:
    def scan(text: str) -> object:
        said = call(text if kind == "str" else text.encode(), **rest)
        return list(said) if isgenerator(said) else said

    return scan


def scanned(scan: Scan, text: str) -> None:
    """Let a scanner read a text. To refuse it is an answer too."""
    with suppress(MunimentError, ValueError, RecursionError, LookupError):
        scan(text)
