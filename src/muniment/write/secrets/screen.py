"""What is looked for in every text, and what becomes of it, as a policy says."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from muniment.model.errors import Malformed
from muniment.policy.rules import CredentialsPolicy, PersonalDataPolicy, PersonalDataRules, SafetyPolicy, SecretsPolicy
from muniment.write.secrets.bank_accounts import BANKS
from muniment.write.secrets.contact_details import CONTACTS
from muniment.write.secrets.detector import Detector, LazyPattern, Span
from muniment.write.secrets.national_ids import NATIONAL
from muniment.write.secrets.normalize import fold, places
from muniment.write.secrets.numbers import CARDS
from muniment.write.secrets.phrases import PHRASES
from muniment.write.secrets.tokens import TOKENS

DETECTORS: tuple[Detector, ...] = (*TOKENS, *PHRASES, CARDS, *BANKS, *NATIONAL, *CONTACTS)
"""Everything that can be found. What two find is called what the one that finds more of it calls it, else the first."""


_END = 3
_SECRETS = CredentialsPolicy.__struct_fields__


def words(sort: str) -> str:
    """How a sort is called in a text.

    >>> words("card_number")
    'card number'
    """
    return sort.replace("_", " ")


class _Watch:
    """Some detectors, asked all at once: most texts hold nothing for any of them, and that must be known quickly."""

    def __init__(self, sorts: frozenset[str]) -> None:
        self.detectors = tuple(one for one in DETECTORS if one.sort in sorts)
        self._by_end: dict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
        self._by_gate: dict[re.Pattern[str] | LazyPattern, list[int]] = defaultdict(list)
        for rank, one in enumerate(self.detectors):
            assert one.needles or one.gate is not None, "a detector says what it can be known by"
            for needle in one.needles:
                self._by_end[tuple(needle[-_END:])].append((needle, rank))
            if one.gate is not None and not one.needles:
                self._by_gate[one.gate].append(rank)
        self._short = tuple(end for end in self._by_end if len(end) < _END)

    def awake(self, text: str) -> list[int]:
        """Which detectors may find something in a folded text. All needles are sought by their last letters at once."""
        lowered = text.lower()
        ends = {*zip(lowered, lowered[1:], lowered[2:], strict=False)}
        near = [pair for end in (*(self._by_end.keys() & ends), *self._short) for pair in self._by_end[end]]
        ranks = {rank for needle, rank in near if needle in lowered}
        open_ = {gate for gate in self._by_gate if gate.search(text) is not None}
        for gate in {self.detectors[rank].gate for rank in ranks} - self._by_gate.keys() - {None}:
            if gate is not None and gate.search(text) is not None:
                open_.add(gate)
        passed = [rank for rank in ranks if self.detectors[rank].gate in (None, *open_)]
        return sorted([*passed, *(rank for gate in open_ for rank in self._by_gate.get(gate, ()))])

    def spans(self, text: str, lead: int) -> list[tuple[int, int, str]]:
        """Where something was found behind the lead, in order. What overlaps is one, named by its longest part."""
        found: list[tuple[Span, int]] = []
        for rank in self.awake(text):
            found += ((span, rank) for span in self.detectors[rank].find(text) if span[1] > lead)
        merged: list[tuple[int, int, tuple[int, int]]] = []
        for (start, end), rank in sorted(found):
            if merged and start < merged[-1][1]:
                first, last, named = merged[-1]
                merged[-1] = first, max(last, end), min(named, (start - end, rank))
            else:
                merged.append((start, end, (start - end, rank)))
        return [(max(0, start - lead), end - lead, self.detectors[rank].sort) for start, end, (_, rank) in merged]

    def without(self, text: str, under: str) -> tuple[str, tuple[str, ...]]:
        """The text with a mark in the place of everything that was found, and the sorts of that."""
        lead = f"{fold(under)}: " if under else ""
        folded = fold(text)
        spans = self.spans(lead + folded, len(lead))
        if not spans:
            return text, ()
        where = places(text, folded)
        parts, at = [], 0
        for start, end, sort in spans:
            first, last = (where[start], where[end - 1] + 1) if where is not None else (start, end)
            parts += [text[at:first], f"[redacted: {words(sort)}]"]
            at = last
        return "".join([*parts, text[at:]]), tuple(words(sort) for _, _, sort in spans)


class Screen:
    """What is taken out of a text (`taken`), what is left in for a person to decide (`noticed`), and what ends a
    proposal (`ending`, which is taken out all the same)."""

    def __init__(self, *, taken: frozenset[str], noticed: frozenset[str], ending: frozenset[str]) -> None:
        self.taken, self.noticed, self.ending = taken, noticed, ending
        self._taking = _Watch(taken)
        self._noticing = _Watch(noticed)
        self._all = _Watch(taken | noticed)

    def suspicious(self, text: str) -> bool:
        """Whether a closer look is worth it. Never false for a text, or JSON of a text, that holds what is sought."""
        return bool(self._all.awake(fold(text)))

    def redact(self, text: str, *, under: str = "") -> tuple[str, tuple[str, ...]]:
        """The text without what must not be kept, and the sorts that were taken out. `under` is the name that the text
        is the value of: a number is an account where it is called one.

        >>> DEFAULT.redact("deploy with AKIAIOSFODNN7EXAMPLE today")
        ('deploy with [redacted: cloud access key] today', ('cloud access key',))
        >>> DEFAULT.redact("Tr0ub4dor&3", under="password")
        ('[redacted: credential]', ('credential',))
        """
        return self._taking.without(text, under)

    def clean(self, text: str) -> str:
        """Free text that is no claim: nobody is asked about it, so what a person would decide on is taken out too."""
        return self._all.without(text, "")[0]

    def notice(self, text: str, *, under: str = "") -> tuple[str, ...]:
        """The sorts of what is left in, for a person to decide on."""
        return self._noticing.without(text, under)[1] if self.noticed else ()

    def refuse(self, field: str, name: str | None) -> None:
        """Refuse a name that holds what must not be kept: it cannot be redacted without becoming another name. What is
        no text at all is left to the field's own check."""
        if isinstance(name, str) and self._all.without(name, "")[1]:
            raise Malformed(field, "a name with no secret in it")

    def ends(self, sorts: Iterable[str]) -> bool:
        """Whether one of these sorts, in words, ends a proposal."""
        return not {words(sort) for sort in self.ending}.isdisjoint(sorts)

    def secret(self, sorts: Iterable[str]) -> bool:
        """Whether one of these sorts, in words, ends a proposal because it is a secret."""
        return not {words(sort) for sort in self.ending.intersection(_SECRETS)}.isdisjoint(sorts)


@lru_cache(maxsize=64)
def _screen(secrets: SecretsPolicy, credentials: CredentialsPolicy, personal: PersonalDataRules) -> Screen:
    given: dict[str, PersonalDataPolicy] = {}
    for sort in CredentialsPolicy.__struct_fields__:
        given[sort] = PersonalDataPolicy(getattr(credentials, sort) or secrets)
    for sort in PersonalDataRules.__struct_fields__:
        given[sort] = getattr(personal, sort)
    return Screen(
        taken=frozenset(
            sort for sort in given if given[sort] in (PersonalDataPolicy.REDACT, PersonalDataPolicy.DISCARD)
        ),
        noticed=frozenset(sort for sort in given if given[sort] is PersonalDataPolicy.HOLD),
        ending=frozenset(sort for sort in given if given[sort] is PersonalDataPolicy.DISCARD),
    )


def screen_of(safety: SafetyPolicy) -> Screen:
    """What a policy looks for, made once for each way of saying it."""
    return _screen(safety.secrets, safety.credentials, safety.personal)


DEFAULT = screen_of(SafetyPolicy())
"""What is looked for where no policy is at hand: what a policy that says nothing looks for."""
