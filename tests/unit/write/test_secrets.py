"""Secrets of every sort are taken out; texts that only look technical are left exactly as they are."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.unit import strategies as make
from tests.unit.write.examples import BENIGN, SECRETS

from muniment.model.claim import Claim, Extension
from muniment.model.value import canonical
from muniment.policy.rules import PersonalDataPolicy, PersonalDataRules, SafetyPolicy
from muniment.write.admit import clean
from muniment.write.secrets import DEFAULT, screen_of

EVERYTHING = screen_of(
    SafetyPolicy(
        personal=PersonalDataRules(**dict.fromkeys(PersonalDataRules.__struct_fields__, PersonalDataPolicy.REDACT))
    )
)


def _near(text: str) -> str:
    return text[:60].replace("\n", " ")


@each(("around", "secret"), SECRETS, ids=lambda text: _near(str(text)))
def test_a_secret_is_taken_out_and_named_by_its_sort(around: str, secret: str) -> None:
    text = around.format(secret)
    cleaned, sorts = DEFAULT.redact(text)
    assert secret not in cleaned
    assert len(sorts) >= 1
    assert all(f"[redacted: {sort}]" in cleaned for sort in sorts)
    assert not any(secret[start : start + 12] in cleaned for start in range(max(1, len(secret) - 11)))


@each("text", BENIGN, ids=_near)
def test_a_text_without_a_secret_is_left_as_it_is(text: str) -> None:
    assert DEFAULT.redact(text) == (text, ())


def test_the_tables_are_as_long_as_they_promise() -> None:
    assert len(set(SECRETS)) >= 40
    assert len(set(BENIGN)) >= 60


@each(("around", "secret"), SECRETS, ids=lambda text: _near(str(text)))
def test_the_quick_look_never_waves_a_secret_through(around: str, secret: str) -> None:
    text = around.format(secret)
    assert DEFAULT.suspicious(text)
    assert DEFAULT.suspicious(canonical(Claim(content=text)).decode())


@each(("around", "secret"), SECRETS, ids=lambda text: _near(str(text)))
def test_cleaning_twice_changes_nothing_more(around: str, secret: str) -> None:
    once, _ = DEFAULT.redact(around.format(secret))
    assert DEFAULT.redact(once) == (once, ())


@given(make.texts, make.texts, st.sampled_from(SECRETS[:30]))
def test_a_secret_is_found_between_any_words(before: str, after: str, example: tuple[str, str]) -> None:
    secret = example[0].format(example[1])
    cleaned, sorts = DEFAULT.redact(f"{before} {secret} {after}")
    assert example[1] not in cleaned
    assert sorts


@given(make.texts)
def test_what_the_quick_look_passes_is_passed_by_the_close_one(text: str) -> None:
    cleaned, sorts = DEFAULT.redact(text)
    assert DEFAULT.suspicious(text) or (cleaned, sorts) == (text, ())


def test_two_secrets_in_one_text_are_both_taken_out() -> None:
    one, other = SECRETS[0][1], "4111111111111111"
    cleaned, sorts = DEFAULT.redact(f"{one} and {other} and {one}")
    assert sorts == ("cloud access key", "card number", "cloud access key")
    assert one not in cleaned
    assert other not in cleaned


@pytest.mark.parametrize("spelled", ['"card": 4111111111111111', '"note": "-----BEGIN PRIVATE KEY-----\\nabc"'])
def test_an_extension_is_still_json_after_its_secret_is_taken_out(spelled: str) -> None:
    body = f'{{{spelled}, "keep": 1}}'
    cleaned = clean(Claim(content="x", extensions=(Extension(name="omir", body=body),)))
    kept = json.loads(cleaned.claim.extensions[0].body)
    assert kept["keep"] == 1
    assert [redaction.field for redaction in cleaned.redactions] == ["extensions.omir"]
    assert "4111111111111111" not in cleaned.claim.extensions[0].body


def test_a_secret_spelled_with_escapes_in_json_is_taken_out_too() -> None:
    body = '{"note": "\\u0041KIA' + 'IOSFODNN7EXAMPLE"}'
    cleaned = clean(Claim(content="x", extensions=(Extension(name="omir", body=body),)))
    assert "IOSFODNN7EXAMPLE" not in cleaned.claim.extensions[0].body


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    "piece",
    [
        *("password ", "password:", "password is ", "://a:", "1 ", "1-", "4111 1111 ", "-----BEGIN ", "eyJaaaaaaaa."),
        *("eyJaaaaaaaa-", "key is ", "a@", "sk-" + "-" * 10, "a-", "a.", "curl=", "cookie: a=", "ab12 ", "GB82 WEST "),
        *("mysql -", "machine a login ", "$6$a", "A", "0", "::", "bsn 1 ", "+1 ", "\u200b1", "\uff11 ", "born 1-"),
    ],
)
def test_a_pathological_text_is_cleaned_in_reasonable_steps(piece: str) -> None:
    """Bounded by the test's timeout: a pattern that goes back and forth over almost-secrets would not end."""
    text = (piece * (65_536 // len(piece) + 1))[:65_536]
    assert isinstance(EVERYTHING.redact(text)[0], str)
