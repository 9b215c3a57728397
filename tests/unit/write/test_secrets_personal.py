"""Personal data by sort: left, taken out, held for a person or refused, as the policy says, however it is spelled."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cases import each
from tests.unit.world import all_bytes, open_memory

from muniment import Memory
from muniment.model.claim import Claim, Extension, Slot
from muniment.model.errors import Malformed, PolicyInvalid
from muniment.model.vocabulary import Outcome, Step, StepResult
from muniment.policy.parse import parse_policy
from muniment.policy.rules import CredentialsPolicy, PersonalDataPolicy, PersonalDataRules, SafetyPolicy, SecretsPolicy
from muniment.write.admit import clean
from muniment.write.secrets import DEFAULT, screen_of
from muniment.write.secrets.screen import DETECTORS

CARD = "4111111111111111"
MAIL = "ana.silva@example.com"
RULES = """\
version: 1
name: test
actors: {owner: {type: person, roles: [owner]}, worker: {projects: [default]}}
write: [{id: all, decision: commit, reason: may}]
read: [{id: all-read, member: false}]
review: [{id: all-review, roles: [owner], actions: [accept, discard, retract, queue, audit, forget]}]
"""


def _policy(**sorts: str) -> str:
    return RULES + f"safety: {{personal: {json.dumps(sorts)}}}\n"


def test_the_policy_names_every_sort_that_can_be_found_and_no_other() -> None:
    named = {*CredentialsPolicy.__struct_fields__, *PersonalDataRules.__struct_fields__}
    assert {one.sort for one in DETECTORS} == named


def test_numbers_that_open_something_are_taken_out_unless_said_otherwise() -> None:
    assert DEFAULT.taken == {*CredentialsPolicy.__struct_fields__, "card_number", "bank_account", "national_id"}
    assert (DEFAULT.noticed, DEFAULT.ending) == (frozenset(), frozenset())
    text = f"write to {MAIL} or +44 20 7946 0958, born 1980-05-03, at 192.0.2.7"
    assert DEFAULT.redact(text) == (text, ())


@each(
    "spelled",
    [
        "4111 1111 1111 1111",
        "4111-1111-1111-1111",
        "4111.1111.1111.1111",
        "4111_1111_1111_1111",
        "4111\u00a01111\u00a01111\u00a01111",
        "4111\u20091111\u20091111\u20091111",
        "4111\u20111111\u20111111\u20111111",
        "4111\u20131111\u20131111\u20131111",
        "41\u200b111111\u200c1111\u2060111\ufeff1",
        "\uff14\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11",
        "\u0664\u0661\u0661\u0661\u0661\u0661\u0661\u0661\u0661\u0661\u0661\u0661\u0661\u0661\u0661\u0661",
        "\U0001d7d2" + "\U0001d7cf" * 15,
        "4\ufe0f\u20e3" + "1\ufe0f\u20e3" * 15,
        "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
        "4111 - 1111 - 1111 - 1111",
        "card-4111111111111111",
        "cc_4111111111111111",
        "4111111111111111 12/29",
        "4111 1111 1111 1111 12 29",
    ],
)
def test_a_card_number_is_found_however_it_is_spelled(spelled: str) -> None:
    text = f"charge {spelled}, please"
    cleaned, sorts = DEFAULT.redact(text)
    assert sorts == ("card number",)
    assert "[redacted: card number]" in cleaned
    assert (cleaned.startswith("charge "), cleaned.endswith(", please")) == (True, True)
    assert not any(char.isdecimal() for char in cleaned.replace("12/29", "").replace("12 29", ""))


@each(
    "text",
    [
        "0.4111111111111111 of all",
        "3,4111111111111111",
        "4111111111111112",
        "1111111111111117",
        "deadbeef4111111111111111",
        "4111111111111111abc",
        "0000 0000 0000 0000",
    ],
)
def test_a_number_that_is_no_card_is_left(text: str) -> None:
    assert DEFAULT.redact(text) == (text, ())


@each(
    ("text", "left"),
    [
        ("IBAN GB82 WEST 1234 5698 7654 32 please", "IBAN [redacted: bank account] please"),
        ("gb82west12345698765432", "[redacted: bank account]"),
        ("DE89370400440532013000 and more", "[redacted: bank account] and more"),
        ("routing number 021000021", "routing number [redacted: bank account]"),
        ("SSN: 078-05-1120", "SSN: [redacted: national id]"),
        ("my social security number is 219099998", "my social security number is [redacted: national id]"),
        ("219099998 (SSN)", "[redacted: national id] (SSN)"),
        ("BSN 111222333 en 123456782", "BSN [redacted: national id] en [redacted: national id]"),
        ("DNI 12345678Z", "DNI [redacted: national id]"),
        ("dni: 12345678z", "dni: [redacted: national id]"),
        ("NIR 2 55 08 14 168 025 38", "NIR [redacted: national id]"),
        ("codice fiscale RSSMRA85T10A562S", "codice fiscale [redacted: national id]"),
        ("NINO AB 12 34 56 C", "NINO [redacted: national id]"),
        ("PESEL 44051401359", "PESEL [redacted: national id]"),
        ("AHV 756.9217.0769.85", "AHV [redacted: national id]"),
        ("NRIC S1234567D", "NRIC [redacted: national id]"),
        ("Aadhaar: 2341 2341 2346", "Aadhaar: [redacted: national id]"),
    ],
)
def test_accounts_and_national_numbers_are_taken_out(text: str, left: str) -> None:
    assert DEFAULT.redact(text)[0] == left


@each(
    "text",
    [
        "order 111222333",
        "ref 219099998",
        "number 2341 2341 2346",
        "no. 44051401359",
        "CI run 123456785 failed",
        "021000021",
        "GB82WEST12345698765433",
    ],
)
def test_a_number_that_nobody_names_is_only_a_number(text: str) -> None:
    assert DEFAULT.redact(text) == (text, ())


def test_a_value_is_known_by_the_key_it_stands_under() -> None:
    body = '{"ssn": 219099998, "login": {"password": "Tr0ub4dor&3"}, "bsn": ["111222333"], "count": 219099998}'
    claim = Claim(
        content="as agreed",
        slot=Slot(subject="the database", key="password", value="Tr0ub4dor&3"),
        extensions=(Extension(name="omir", body=body),),
    )
    cleaned = clean(claim)
    assert cleaned.claim.slot == Slot(subject="the database", key="password", value="[redacted: credential]")
    assert json.loads(cleaned.claim.extensions[0].body) == {
        "ssn": "[redacted: national id]",
        "login": {"password": "[redacted: credential]"},
        "bsn": ["[redacted: national id]"],
        "count": 219099998,
    }
    assert {(one.field, one.what, one.count) for one in cleaned.redactions} == {
        ("value", "credential", 1),
        ("extensions.omir", "national id", 2),
        ("extensions.omir", "credential", 1),
    }


def test_what_is_allowed_is_kept(vault: Path) -> None:
    with open_memory(vault, policy=_policy(card_number="allow")) as memory:
        verdict = memory.remember(f"test card {CARD}")
        assert memory.get(verdict.record_id or "").record.content == f"test card {CARD}"


def test_what_is_to_be_taken_out_is_nowhere(vault: Path) -> None:
    with open_memory(
        vault, policy=_policy(email="redact", phone="redact", ip_address="redact", birth_date="redact")
    ) as memory:
        verdict = memory.remember(f"Ana, born 1980-05-03: {MAIL}, +44 20 7946 0958, from 192.0.2.7")
        found = memory.recall(f"who is {MAIL}", limit=1)
        memory.review.retract(verdict.record_id or "", reason=f"asked by {MAIL}")
    assert {one.what for one in verdict.redactions} == {"email", "phone", "ip address", "birth date"}
    assert found is not None
    for value in (MAIL, "7946 0958", "192.0.2.7", "1980-05-03", "ana.silva"):
        assert value.encode() not in all_bytes(vault)


def test_what_is_to_be_discarded_ends_the_proposal_and_is_nowhere(vault: Path) -> None:
    with open_memory(vault, policy=_policy(card_number="discard")) as memory:
        verdict = memory.remember(f"charge {CARD}")
        assert (verdict.outcome, verdict.rule) == (Outcome.REFUSED, "personal-discard")
        assert verdict.reason == "the proposal held personal data: card number in content"
    assert CARD.encode() not in all_bytes(vault)


def test_what_is_to_be_held_waits_for_a_person_and_goes_when_they_say_no(vault: Path) -> None:
    with open_memory(vault, policy=_policy(email="hold")) as memory:
        verdict = memory.as_actor("worker").remember(f"write to {MAIL}", kind="observation")
        assert (verdict.outcome, verdict.reason) == (Outcome.HELD, "a person decides on email in content")
        step = next(one for one in verdict.steps if one.step is Step.SAFETY)
        assert step.result is StepResult.FLAGGED
        assert [waiting.proposal.claim.content for waiting in memory.review.queue()] == [f"write to {MAIL}"]
        memory.review.decide(verdict.proposal_id, accept=False, reason=f"not {MAIL}")
    assert MAIL.encode() not in all_bytes(vault)


def test_what_is_held_is_kept_when_a_person_says_yes(vault: Path) -> None:
    with open_memory(vault, policy=_policy(email="hold")) as memory:
        verdict = memory.as_actor("worker").remember(f"write to {MAIL}", kind="observation")
        taken = memory.review.decide(verdict.proposal_id, accept=True, reason="she asked us to")
        assert taken.outcome is Outcome.COMMITTED
        assert memory.get(taken.record_id or "").record.content == f"write to {MAIL}"


def test_a_draft_cannot_wait_for_a_person(vault: Path) -> None:
    with open_memory(vault, policy=_policy(email="hold")) as memory:
        verdict = memory.remember(f"write to {MAIL}", draft=True)
        assert (verdict.outcome, verdict.rule) == (Outcome.REFUSED, "personal-draft")
    assert MAIL.encode() not in all_bytes(vault)


@pytest.mark.parametrize("treatment", ["redact", "hold", "discard"])
def test_a_name_that_holds_what_may_not_be_kept_is_refused(vault: Path, treatment: str) -> None:
    with open_memory(vault, policy=_policy(ip_address=treatment)) as memory:
        verdict = memory.remember("fine", owner="192.0.2.7")
        assert (verdict.outcome, verdict.rule) == (Outcome.REFUSED, "secret-in-name")
        with pytest.raises(Malformed) as refused:
            memory.remember("fine", proposal_id="192.0.2.7")
        assert "192.0.2.7" not in str(refused.value)
    assert b"192.0.2.7" not in all_bytes(vault)


def test_a_sort_of_secret_may_be_treated_otherwise(vault: Path) -> None:
    policy = RULES + "safety: {secrets: redact, credentials: {private_key: discard}}\n"
    with open_memory(vault, policy=policy) as memory:
        key = memory.remember("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\n-----END PRIVATE KEY-----")
        token = memory.remember("push with ghp_" + "aB3dE6gH9jK2" * 3)
        assert (key.outcome, key.rule) == (Outcome.REFUSED, "secrets-discard")
        assert token.outcome is Outcome.COMMITTED


@each(
    ("safety", "place"),
    [
        ("{credentials: {private_key: allow}}", "safety.credentials.private_key"),
        ("{credentials: {private_key: hold}}", "safety.credentials.private_key"),
        ("{personal: {email: keep}}", "safety.personal.email"),
        ("{personal: {shoe_size: redact}}", "safety.personal.shoe_size"),
        ("{personal: redact}", "safety.personal"),
    ],
)
def test_a_policy_that_says_what_cannot_be_is_refused_with_its_place(safety: str, place: str) -> None:
    with pytest.raises(PolicyInvalid) as refused:
        parse_policy(f"{RULES}safety: {safety}\n", place="policy.yaml")
    assert place in str(refused.value)


def test_free_text_that_is_no_claim_is_cleaned_of_what_a_person_would_decide_on() -> None:
    screen = screen_of(SafetyPolicy(personal=PersonalDataRules(email=PersonalDataPolicy.HOLD)))
    assert screen.clean(f"asked by {MAIL}") == "asked by [redacted: email]"
    assert screen.redact(f"asked by {MAIL}") == (f"asked by {MAIL}", ())
    assert screen.notice(f"asked by {MAIL}") == ("email",)


def test_discarding_secrets_says_nothing_of_personal_data() -> None:
    screen = screen_of(SafetyPolicy(secrets=SecretsPolicy.DISCARD))
    assert screen.ends(["chat token"])
    assert not screen.ends(["card number"])


def test_a_mark_is_not_taken_for_what_it_stands_for(memory: Memory) -> None:
    everything = screen_of(
        SafetyPolicy(
            personal=PersonalDataRules(**dict.fromkeys(PersonalDataRules.__struct_fields__, PersonalDataPolicy.REDACT))
        )
    )
    text = f"tel. 030/1234567, card {CARD}, SSN 219099998, born 1980-05-03, {MAIL}, 4242 42 4242, password=Tr0ub4dor&3"
    once = everything.redact(text)[0]
    assert everything.redact(once) == (once, ())


@pytest.mark.parametrize("secret", [CARD, "ghp_" + "aB3dE6gH9jK2" * 3])
def test_no_actor_and_no_tenant_is_named_by_a_secret(vault: Path, secret: str) -> None:
    with pytest.raises(Malformed) as refused:
        Memory.open(vault, tenant=secret)
    assert (refused.value.code, secret in str(refused.value)) == ("malformed", False)
    assert not vault.exists()
    with Memory.open(vault) as memory, pytest.raises(Malformed):
        memory.as_actor(secret)


@pytest.mark.parametrize("given", [["x"], 1, None])
def test_a_name_that_is_no_text_is_left_to_its_own_check(memory: Memory, given: object) -> None:
    screen_of(memory.insight.policy.safety).refuse("scope_id", given)  # type: ignore[arg-type]  # that is the point
