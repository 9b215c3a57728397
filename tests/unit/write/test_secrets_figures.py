"""How much is found of what was made by rule, and how often harmless text is taken for a secret, in figures."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from tests.cases import each
from tests.unit.write import harmless, people
from tests.unit.write.shapes import PHRASES, TOKENS, make

from muniment.model.claim import Claim
from muniment.model.value import canonical
from muniment.policy.rules import PersonalDataPolicy, PersonalDataRules, SafetyPolicy
from muniment.write.secrets import DEFAULT, Screen, screen_of

EACH = 60
MANY = 400
Tell = Callable[[str, object], None]
AROUND = (
    "{}",
    "deploy with {} today",
    "key={}",
    "(`{}`)",
    "a,{},b",
    "was {}.",
    "see {}\nnext",
    "\u7528 {} \u767b\u5f55",
    '{{"k":"{}"}}',
    "<{}>",
)
SENTENCES = ("{}", "it is {} now", "({})", "a: {}, b", "noted {}.", "{}\nand more")
EVERYTHING = screen_of(
    SafetyPolicy(
        personal=PersonalDataRules(**dict.fromkeys(PersonalDataRules.__struct_fields__, PersonalDataPolicy.REDACT))
    )
)


def _taken(screen: Screen, text: str, secret: str, sort: str) -> bool:
    """Whether the end of a secret is nowhere in what is left, its sort is told, and no quick look let it pass."""
    left, sorts = screen.redact(text)
    return secret[-12:] not in left and sort in sorts and _noticed(screen, text)


def _noticed(screen: Screen, text: str) -> bool:
    """Whether a quick look sees that there is something, in the text and in JSON of it."""
    return screen.suspicious(text) and screen.suspicious(canonical(Claim(content=text)).decode())


@each("sort", TOKENS)
def test_tokens_of_every_issuer_are_taken_out(sort: str, record_property: Tell) -> None:
    shares = {}
    for shape in TOKENS[sort]:
        pick = random.Random(shape)
        values = [make(shape, pick) for _ in range(EACH)]
        around = AROUND if "://" not in shape else AROUND[:1]
        texts = [(around[number % len(around)].format(value), value) for number, value in enumerate(values)]
        shares[shape] = sum(_taken(DEFAULT, text, value, sort) for text, value in texts) / EACH
    least = min(shares, key=lambda shape: shares[shape])
    record_property("figures", ("secrets: found", f"{sort:<22} {min(shares.values()):>7.1%} of {len(shares)} shapes"))
    assert shares[least] >= 0.99, least


@pytest.mark.parametrize("sort", PHRASES)
def test_what_is_called_a_secret_is_taken_out(sort: str, record_property: Tell) -> None:
    shares = {}
    for around, shape in PHRASES[sort]:
        pick = random.Random(around + shape)
        values = [make(shape, pick) for _ in range(EACH)]
        texts = [SENTENCES[number % 2].format(around.format(one)) for number, one in enumerate(values)]
        pairs = zip(texts, values, strict=True)
        shares[around] = sum(_taken(DEFAULT, text, value, sort) for text, value in pairs) / EACH
    least = min(shares, key=lambda around: shares[around])
    record_property("figures", ("secrets: found", f"{sort:<22} {min(shares.values()):>7.1%} of {len(shares)} phrases"))
    assert shares[least] >= 0.99, least


@pytest.mark.parametrize("sort", people.MAKERS)
def test_numbers_and_addresses_of_people_are_taken_out(sort: str, record_property: Tell) -> None:
    shares = {}
    for maker in people.MAKERS[sort]:
        pick = random.Random(maker.__name__)
        texts = [SENTENCES[number % len(SENTENCES)].format(maker(pick)) for number in range(EACH)]
        shares[maker.__name__] = sum(
            sort in EVERYTHING.redact(text)[1] and _noticed(EVERYTHING, text) for text in texts
        ) / len(texts)
    least = min(shares, key=lambda name: shares[name])
    record_property("figures", ("secrets: found", f"{sort:<22} {min(shares.values()):>7.1%} of {len(shares)} makers"))
    assert shares[least] >= 0.99, least


def test_the_tables_cover_every_sort_there_is() -> None:
    told = {sort.replace(" ", "_") for sort in (*TOKENS, *PHRASES, *people.MAKERS)}
    assert told == EVERYTHING.taken
    assert sum(len(shapes) for shapes in TOKENS.values()) >= 120


def test_harmless_text_is_left_alone(record_property: Tell) -> None:
    wrong = {}
    for name, maker in harmless.SORTS.items():
        pick = random.Random(name)
        wrong[name] = sum(DEFAULT.redact(text) != (text, ()) for text in (maker(pick) for _ in range(MANY)))
        record_property("figures", ("secrets: harmless text taken for one", f"{name:<22} {wrong[name] / MANY:>7.2%}"))
    total = sum(wrong.values()) / (MANY * len(wrong))
    record_property("figures", ("secrets: harmless text taken for one", f"{'together':<22} {total:>7.2%}"))
    assert total <= 0.01
    assert max(wrong.values()) <= 0.02 * MANY, wrong


@each("sort", ["email", "phone", "birth_date"])
def test_a_sort_that_is_asked_for_takes_no_harmless_text(sort: str) -> None:
    screen = screen_of(SafetyPolicy(personal=PersonalDataRules(**{sort: PersonalDataPolicy.REDACT})))
    wrong = 0
    for name, maker in harmless.SORTS.items():
        pick = random.Random(name)
        wrong += sum(sort.replace("_", " ") in screen.redact(maker(pick))[1] for _ in range(MANY // 4))
    assert wrong <= 0.01 * (MANY // 4) * len(harmless.SORTS)


def test_a_number_with_a_wrong_check_digit_is_no_card_and_no_account() -> None:
    pick = random.Random("wrong")
    for _ in range(EACH):
        for maker in (people.card, people.iban, people.nir, people.cpf, people.ahv):
            right = maker(pick)
            last = next(place for place in range(len(right) - 1, -1, -1) if right[place].isdigit())
            wrong = right[:last] + str((int(right[last]) + 1) % 10) + right[last + 1 :]
            assert DEFAULT.redact(f"it is {right}")[1], maker.__name__
            kept, sorts = DEFAULT.redact(f"it is {wrong}")
            assert (kept, sorts) == (f"it is {wrong}", ()), maker.__name__
