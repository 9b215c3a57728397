"""The walls of the command line: every command that answers in somebody's name, run as each outsider.

Whoever can run commands on a vault's files can read the files too; the walls here keep one actor's agent, wrapped in a
script that says `--as`, from being told another's.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from tests.scope import LONG
from tests.walls.asking import nowhere, other_id, plain
from tests.walls.cells import PLACES, Property, told
from tests.walls.spellings import PLAIN, spellings
from tests.walls.world import OTHER, TENANT, World, opened

from muniment.surfaces.cli import app, run

Words = tuple[str, ...]
_WHY = ("--reason", "because")
_HOLDER = "works on the vault's files for whoever holds them, and asks for no actor"
_FILES = "reads and writes files of the caller's own; tells nothing of a vault"
_REQUEST = "asks in the name of whom the request file names: the same memory as `recall`, which is asked"

COMMANDS: dict[Words, Words] = {
    ("remember",): ("the valve is new",),
    ("recall",): ("the pump leaks",),
    ("get",): ("{record}",),
    ("history",): ("{record}",),
    ("explain",): ("{receipt}",),
    ("queue",): (),
    ("decide",): ("{proposal}", "accept", *_WHY),
    ("revise",): ("{record}", "the pump leaks no more"),
    ("announce",): ("{record}", "--to", "agent_team:beta"),
    ("settle",): ("--dry-run",),
    ("rewind",): ("--to", "1", "--dry-run"),
    ("tombstone",): ("--id", "{record}", *_WHY),
    ("retract",): ("{record}", *_WHY, "--yes"),
    ("forget",): ("{record}", *_WHY, "--dry-run"),
    ("certificate", "list"): (),
    ("withdraw",): ("bob", "--by", "actor", "--dry-run"),
    ("quarantine", "add"): ("{record}", *_WHY),
    ("quarantine", "release"): ("{record}", *_WHY),
    ("quarantine", "list"): (),
    ("hold", "add"): ("{record}", *_WHY),
    ("hold", "lift"): ("{hold}", *_WHY),
    ("hold", "list"): (),
    ("conflicts",): ("--all",),
    ("lineage",): ("{record}",),
    ("cascade",): ("{record}",),
    ("outcome",): ("{record}", "helpful"),
    ("vouch",): ("{record}", "--origin", "person", *_WHY),
    ("promote",): ("{record}", "--scope", "agent_team", "--scope-id", "beta", "--evidence", "e", "--owner", "bob"),
    ("resolve",): ("{conflict}", "--strategy", "last_write_wins", "--rationale", "because"),
    ("sweep",): (),
    ("diff",): ("--from", "0"),
    ("directory",): (),
    ("quality",): (),
    ("attune",): (),
    ("flush",): (),
    ("alias",): ("pump", "engine"),
    ("entity",): ("pump",),
    ("apply",): ("{batch}", *_WHY),
    ("rollback",): ("{batch}", *_WHY),
    ("retire",): ("{record}", "--becomes", "archived", *_WHY),
    ("export",): ("--contract", "omir"),
    ("inspect-memory",): (),
    ("matm", "tickets"): (),
    ("matm", "report"): ("{proposal}",),
    ("ledger", "show"): (),
    ("ledger", "head"): (),
    ("ledger", "checkpoint"): (),
    ("ledger", "verify"): (),
    ("ledger", "replay"): (),
    ("ledger", "denied"): (),
    ("ledger", "trim"): ("--keep-bytes", "0", "--dry-run"),
    ("stats",): (),
}
APART: dict[Words, str] = {
    **dict.fromkeys([("init",), ("backup",), ("restore",), ("serve",), ("mcp",), ("policy", "show")], _HOLDER),
    **dict.fromkeys([("migrate",), ("migrate-store",), ("policy", "put")], _HOLDER),
    **dict.fromkeys([("archive", one) for one in ("export", "import", "check")], _HOLDER),
    **dict.fromkeys([("signing", one) for one in ("rotate", "show", "export")], _HOLDER),
    **dict.fromkeys([("encryption", one) for one in ("status", "key", "encrypt", "rekey", "decrypt")], _HOLDER),
    **dict.fromkeys([("model", one) for one in ("install", "status", "remove")], _HOLDER),
    **dict.fromkeys([("keys", one) for one in ("create", "list", "revoke")], _HOLDER),
    **dict.fromkeys([("certificate", "verify"), ("certificate", "show"), ("checkpoint", "verify")], _FILES),
    **dict.fromkeys([("audit",), ("validate",), ("convert",), ("policy", "check"), ("conformance", "akashik")], _FILES),
    **dict.fromkeys([("omir", one) for one in ("validate", "pack", "unpack", "link", "rewrite", "statement")], _FILES),
    **dict.fromkeys([("matm", one) for one in ("policy", "example", "level")], _FILES),
    **dict.fromkeys([("matm", one) for one in ("emit", "curate", "decide", "retrieve", "adopt")], _REQUEST),
    **dict.fromkeys([("retrieve",), ("import",)], _REQUEST),
    ("watch",): "keeps a folder in step by browse, remember and revise, which have rows",
}
PLACED: dict[Words, dict[str, str]] = {
    ("recall",): {"--namespace": "space", "--scope-id": "team"},
    ("attune",): {"--namespace": "space"},
    ("quality",): {"--namespace": "space", "--session": "session"},
    ("remember",): {"--namespace": "space", "--scope-id": "team", "--session": "session"},
    ("export",): {"--namespace": "space"},
}
POINTED_AT = "id of plain"
FEW = ("itself", "any", "parent", "look-alike")
CALLERS = ("bob", "nat", "guest", "eve") if LONG else ("bob", "eve")


def _declared() -> Iterator[Words]:
    for command in app.registered_commands:
        yield (str(command.name),)
    for group in app.registered_groups:
        assert isinstance(group.typer_instance, typer.Typer)
        yield from ((str(group.name), str(command.name)) for command in group.typer_instance.registered_commands)


def test_every_command_has_a_row_or_a_reason() -> None:
    assert sorted(set(_declared()) - COMMANDS.keys() - APART.keys()) == [], "no row for these"
    assert sorted((COMMANDS.keys() | APART.keys()) - set(_declared())) == [], "these are gone"


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The world as it is on disk, when nobody has it open."""
    with opened(tmp_path_factory.mktemp("commands")) as found:
        return found


class Shell:
    """Runs commands on one vault in this process, in somebody's name."""

    def __init__(self, vault: Path, capture: pytest.CaptureFixture[bytes], patch: pytest.MonkeyPatch) -> None:
        self._vault = vault
        self._capture = capture
        patch.setattr(sys, "stdin", io.StringIO())

    def __call__(self, caller: str, command: Words, words: Words, tenant: str = TENANT) -> str:
        where, actor = (OTHER, "owner") if caller == "eve" else (tenant, caller)
        shared = ("--vault", str(self._vault), f"--tenant={where}", "--as", actor, "--json")
        self._capture.readouterr()
        code = run([*command, *words, *shared])
        out, err = self._capture.readouterr()
        said = out.decode() + err.decode()
        assert code in (0, 1, 2), f"{command}: {said}"
        return f"{int(code)}\n{said}"


@pytest.fixture
def shell(closed: World, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(closed.vault, capfdbinary, monkeypatch)


def _filled(world: World, words: Words) -> Words:
    """Words in which something that is not there stands for what is named."""
    return tuple(nowhere(world, one[1:-1]) if one.startswith("{") else one for one in words)


@pytest.mark.parametrize("caller", CALLERS)
def test_no_command_tells_what_is_hidden(closed: World, shell: Shell, caller: str, record_property: Property) -> None:
    leaks, cells = [], 0
    for command, words in COMMANDS.items():
        cells += 1
        found = closed.canaries.found_in(shell(caller, command, _filled(closed, words)))
        leaks += [f"{caller} {' '.join(command)}: {one}" for one in found if one != POINTED_AT]
    told(record_property, f"commands, as it is, {caller}", cells, leaks)


@pytest.mark.parametrize("caller", ["bob", "eve"] if LONG else ["bob"])
def test_what_is_hidden_is_answered_like_what_is_not_there(
    closed: World, shell: Shell, caller: str, record_property: Property
) -> None:
    leaks, cells = [], 0
    for command, words in COMMANDS.items():
        kind = next((one[1:-1] for one in words if one.startswith("{")), None)
        if kind is None or (caller == "eve" and command == ("hold", "add")):
            continue
        for about in list(closed.canaries.ids[kind])[: None if LONG else 1]:
            cells += 1
            name = closed.canaries.ids[kind][about]
            absent = other_id(name)
            one, other = (
                shell(caller, command, tuple(asked if word.startswith("{") else word for word in words))
                for asked in (name, absent)
            )
            found = closed.canaries.found_in(one, asked=[name])
            found += [] if _still(one, name) == _still(other, absent) else [f"{one[:200]} is not {other[:200]}"]
            leaks += [f"{caller} {' '.join(command)} {about}: {tell}" for tell in found]
    told(record_property, f"commands, ids, {caller}", cells, leaks)


def _still(text: str, name: str) -> str:
    code, _, said = text.partition("\n")
    return code + plain(said, name)


def test_no_spelling_of_a_place_opens_it(closed: World, shell: Shell, record_property: Property) -> None:
    leaks, cells = [], 0
    for command, flags in PLACED.items():
        for flag, kind in flags.items():
            for about, value in spellings(PLACES[kind]):
                if not isinstance(value, str) or "\0" in value or about not in (PLAIN if LONG else FEW):
                    continue
                cells += 1
                said = shell("bob", command, (*_filled(closed, COMMANDS[command]), f"{flag}={value}"))
                found = closed.canaries.found_in(said, asked=PLACES.values())
                leaks += [f"{' '.join(command)} {flag} {about}: {one}" for one in found if one != POINTED_AT]
    told(record_property, "commands, places, bob", cells, leaks)


def test_no_spelling_of_a_tenant_opens_it(closed: World, shell: Shell, record_property: Property) -> None:
    leaks, cells = [], 0
    for about, value in spellings(TENANT):
        if about == "itself" or not isinstance(value, str) or "\0" in value or (about not in PLAIN and not LONG):
            continue
        cells += 1
        found = closed.canaries.found_in(shell("owner", ("recall",), ("the pump leaks",), tenant=value))
        leaks += [f"{about}: {one}" for one in found]
    told(record_property, "commands, tenants", cells, leaks)


def test_whoever_may_see_it_is_told(closed: World, shell: Shell) -> None:
    name = closed.canaries.ids["record"]["plain"]
    assert "plain/second" in closed.canaries.found_in(shell("owner", ("get",), (name,)))
