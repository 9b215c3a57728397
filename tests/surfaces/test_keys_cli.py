"""`muniment keys` and `muniment ledger denied`: made once, shown once, listed without secrets, ended for good."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.surfaces.shell import Shell

from muniment import Memory
from muniment.model.times import Instant
from muniment.surfaces.reception.denials import Denial, note
from muniment.surfaces.reception.keys import KeyRing
from muniment.surfaces.reception.server_context import system_now


def test_a_key_is_shown_once_and_listed_without_its_secret(shell: Shell, vault: Path) -> None:
    made = shell("keys", "create", "planner", "--grant", "read", "--expires", "90d", "--json")
    secret = made.json["secret"]
    key = made.json["key"]
    assert (key["actor"], key["grants"], key["tenant"], key["state"]) == ("planner", ["read"], "default", "holds")
    assert KeyRing(vault).match(secret, now=system_now()) is not None
    listed = shell("keys", "list", "--json")
    assert [one["id"] for one in listed.json["keys"]] == [key["id"]]
    for said in (listed.out, shell("keys", "list").out, shell("ledger", "show", "--json").out):
        assert secret[17:] not in said


def test_a_person_is_told_the_secret_and_that_it_is_told_once(shell: Shell) -> None:
    said = shell("keys", "create", "planner").out
    assert said.startswith("mnk_")
    assert "This is shown once" in said
    assert "good for: read, write" in said


def test_every_option_reaches_the_key(shell: Shell) -> None:
    made = shell(
        *("keys", "create", "night shift", "--actor", "planner", "--type", "service", "--authority", "7"),
        *("--role", "curator", "--team", "red", "--team", "blue", "--project", "apollo", "--agent", "scout"),
        *("--grant", "review", "--grant", "audit", "--expires", "2999-01-01", "--tenant", "acme", "--json"),
    )
    key = made.json["key"]
    assert key == {
        "id": key["id"],
        "name": "night shift",
        "tenant": "acme",
        "actor": "planner",
        "type": "service",
        "roles": ["curator"],
        "teams": ["red", "blue"],
        "projects": ["apollo"],
        "authority": 7,
        "grants": ["review", "audit"],
        "agents": ["scout"],
        "created_at": key["created_at"],
        "expires_at": "2999-01-01T00:00:00Z",
        "revoked_at": None,
        "state": "holds",
    }


def test_a_revoked_key_stays_listed_as_such_and_lets_nobody_in(shell: Shell, vault: Path) -> None:
    made = shell("keys", "create", "planner", "--json").json
    ended = shell("keys", "revoke", made["key"]["id"], "--json")
    assert (ended.code, ended.json["state"]) == (0, "revoked")
    assert [one["state"] for one in shell("keys", "list", "--json").json["keys"]] == ["revoked"]
    assert KeyRing(vault).match(made["secret"], now=system_now()) is None


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (("--grant", "everything"), "grant"),
        (("--type", "robot"), "type"),
        (("--authority", "11"), "authority"),
        (("--expires", "yesterday"), "expires"),
        (("--expires", "2001-01-01"), "expires"),
        (("--expires", "0d"), "expires"),
        (("--actor", "two words"), "actor"),
        (("--agent", "two words"), "agent[0]"),
    ],
)
def test_a_wrong_word_is_refused_by_name_and_makes_no_key(shell: Shell, words: tuple[str, str], field: str) -> None:
    said = shell("keys", "create", "planner", *words, "--json")
    assert (said.code, said.error["code"], said.error["field"]) == (2, "malformed", field)
    assert shell("init").code == 0
    assert shell("keys", "list", "--json").json == {"keys": []}


def test_only_the_owner_has_anything_to_do_with_keys(shell: Shell) -> None:
    shell("init")
    for words in (("create", "x"), ("list",), ("revoke", "aaaaaaaaaaaa")):
        said = shell("--as", "planner", "keys", *words, "--json")
        assert (said.code, said.error["code"]) == (2, "not_permitted")


def test_a_key_nobody_made_cannot_be_revoked(shell: Shell) -> None:
    shell("init")
    said = shell("keys", "revoke", "aaaaaaaaaaaa", "--json")
    assert (said.code, said.error["code"]) == (2, "not_found")


def test_denied_calls_are_listed_for_those_who_may_audit(shell: Shell, vault: Path) -> None:
    at = Instant(1_780_000_000_000_000)
    with Memory.open(vault) as memory:
        note(memory, [Denial(what="GET /api", code="not_permitted", peer="192.0.2.1", first=at, last=at, who="ben")])
        note(memory, [Denial(what="POST /v1", code="unauthenticated", peer="192.0.2.2", first=at, last=at, count=7)])
    found = shell("ledger", "denied", "--json").json["denied"]
    assert [(one["who"], one["what"], one["code"], one["count"]) for one in found] == [
        ("ben", "GET /api", "not_permitted", 1),
        (None, "POST /v1", "unauthenticated", 7),
    ]
    assert found[0]["first"] == "2026-05-28T20:26:40Z"
    assert [one["what"] for one in shell("ledger", "denied", "--limit", "1", "--json").json["denied"]] == ["POST /v1"]
    assert "192.0.2.2" in shell("ledger", "denied").out
    refused = shell("--as", "planner", "ledger", "denied", "--json")
    assert (refused.code, refused.error["code"]) == (2, "not_permitted")


def test_a_vault_without_denials_says_so(shell: Shell) -> None:
    shell("init")
    assert shell("ledger", "denied").out == "no call was denied\n"
