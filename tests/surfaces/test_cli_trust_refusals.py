"""What the commands about belief refuse: wrong words, wrong numbers, things that are not there. Nothing is changed."""

from __future__ import annotations

import shlex

import pytest
from tests.cases import each
from tests.surfaces.shell import Shell
from typer.core import TyperGroup
from typer.main import get_command

from muniment.surfaces.cli import flags
from muniment.surfaces.cli.root import app

BAD = [
    ("lineage REC --direction sideways", "direction", "--direction"),
    ("lineage REC --depth -1", "depth", "--depth"),
    ("lineage REC --depth deep", "depth", None),
    ("lineage REC --type likes", "types", "--type"),
    ("cascade REC --becomes active", "becomes", "--becomes"),
    ("cascade REC --becomes fish", "becomes", "--becomes"),
    ("outcome REC perhaps", "result", None),
    ("outcome REC helpful --weight 0", "weight", "--weight"),
    ("outcome REC helpful --weight nan", "weight", "--weight"),
    ("outcome REC helpful --weight 2", "weight", "--weight"),
    ("outcome REC helpful --weight -1", "weight", "--weight"),
    ("outcome REC helpful --weight inf", "weight", "--weight"),
    ("outcome REC helpful --evidence ' '", "evidence", "--evidence"),
    ("outcome 'a b' helpful", "id", None),
    ("vouch REC --origin oracle --reason x", "origin", "--origin"),
    ("vouch REC --origin person --reason ''", "reason", "--reason"),
    ("vouch REC --reason x", "origin", None),
    ("promote REC --scope galaxy --scope-id x --evidence e --owner o", "scope", "--scope"),
    ("promote REC --scope project --scope-id 'a b' --evidence e --owner o", "scope_id", "--scope-id"),
    ("promote REC --scope project --scope-id x --evidence '' --owner o", "evidence[0]", "--evidence"),
    ("promote REC --scope project --scope-id x --evidence e --owner 'a b'", "owner", "--owner"),
    ("promote REC --scope project --scope-id x --owner o", "evidence", None),
    ("resolve CFL --strategy coin --rationale x", "strategy", "--strategy"),
    ("resolve CFL --strategy authority --rationale ''", "rationale", "--rationale"),
    ("resolve CFL --strategy authority", "rationale", None),
    ("resolve CFL --strategy authority --rationale x --winner rec_0", "winner", "--winner"),
    ("resolve CFL --strategy vote --rationale x", "winner", "--winner"),
    ("resolve CFL --strategy synthesis --rationale x", "synthesis", "--synthesis"),
    ("resolve CFL --strategy synthesis --rationale x --synthesis ' '", "content", None),
    ("resolve CFL --strategy synthesis --rationale x --synthesis y --confidence 7", "confidence", "--confidence"),
    ("resolve CFL --strategy authority --rationale x --confidence 0.5", "confidence", "--confidence"),
    ("resolve 'a b' --strategy authority --rationale x", "conflict", None),
    ("retract REC --reason '' --dry-run", "reason", "--reason"),
    ("retract REC --reason x --dry-run --expected-revision 0", "expected_revision", "--expected-revision"),
]


@each(("line", "field", "flag"), BAD)
def test_bad_input_names_its_flag_and_changes_nothing(
    shell: Shell, dispute: tuple[str, str, str], line: str, field: str, flag: str | None
) -> None:
    named = {"REC": dispute[0], "CFL": dispute[2]}
    words = [named.get(word, word) for word in shlex.split(line)]
    before = shell("ledger", "head").json
    said = shell(*words, "--json")
    assert (said.code, said.out, said.error["field"]) == (2, "", field)
    assert flag is None or flag in said.error["hint"]
    human = shell(*words)
    assert (human.code, human.out, human.err.startswith("error: ")) == (2, "", True)
    assert shell("ledger", "head").json == before


@pytest.mark.parametrize(
    "words",
    [
        ("lineage", "rec_0"),
        ("cascade", "rec_0"),
        ("outcome", "rec_0", "helpful"),
        ("vouch", "rec_0", "--origin", "person", "--reason", "x"),
        ("promote", "rec_0", "--scope", "project", "--scope-id", "x", "--evidence", "e", "--owner", "o"),
        ("resolve", "cfl_0", "--strategy", "authority", "--rationale", "x"),
        ("retract", "rec_0", "--reason", "x", "--dry-run"),
    ],
    ids=lambda words: words[0],
)
def test_what_is_not_there_is_not_found(shell: Shell, words: tuple[str, ...]) -> None:
    shell("init")
    said = shell(*words, "--json")
    assert (said.code, said.out, said.error["code"]) == (2, "", "not_found")


def test_every_spelling_is_a_flag_that_some_command_takes() -> None:
    root = get_command(app)
    assert isinstance(root, TyperGroup)
    inner = [
        one for group in root.commands.values() if isinstance(group, TyperGroup) for one in group.commands.values()
    ]
    taken = {flag for command in (*root.commands.values(), *inner) for one in command.params for flag in one.opts}
    assert set(flags.OWN.values()) <= taken
