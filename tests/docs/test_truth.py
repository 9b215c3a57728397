"""The pages say what the code says: links, settings, errors, commands, policy fields, steps, words, versions."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import msgspec
from tests.cases import each
from tests.docs.pages import REFERENCE, ROOT, anchors, links, pages, samples, written_pages
from tests.patience import WAIT_S
from typer.core import TyperGroup
from typer.main import get_command

import muniment
import muniment.surfaces.cli  # declares the commands
from muniment.config import SERVING, SETTINGS
from muniment.model import errors
from muniment.model.vocabulary import Disposition, Step
from muniment.policy.parse import parse_policy
from muniment.policy.rules import EvidencePolicy, Policy, PolicyMember, ReadRule, ReviewRule, SafetyPolicy, WriteRule
from muniment.surfaces.cli.root import app

SCRIPT = ROOT / "scripts" / "reference.py"
GUIDE = ROOT / "docs" / "guides" / "policy.md"
COMMANDS = """init remember recall get history explain queue decide revise retract conflicts stats
    ledger.show ledger.head ledger.checkpoint ledger.verify ledger.replay policy.check policy.show"""


def _policy_samples() -> list[str]:
    return [sample.body for sample in samples(GUIDE) if sample.language == "yaml"]


def _commands(group: TyperGroup, prefix: str = "") -> dict[str, list[str]]:
    """Every command with the options it takes."""
    found: dict[str, list[str]] = {}
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            found |= _commands(command, f"{prefix}{name}.")
        else:
            found[prefix + name] = [flag for one in command.params for flag in one.opts if flag.startswith("--")]
    return found


def _root() -> TyperGroup:
    root = get_command(app)
    assert isinstance(root, TyperGroup)
    return root


def _error_tree(kind: type[errors.MunimentError]) -> list[type[errors.MunimentError]]:
    return [kind, *(below for child in kind.__subclasses__() for below in _error_tree(child))]


def broken(page: Path, target: str) -> str | None:
    """Why a link leads nowhere."""
    path, _, fragment = target.partition("#")
    there = (page.parent / path).resolve() if path else page
    if not there.exists():
        return "leads nowhere"
    if not there.is_relative_to(ROOT):
        return "leads out of the repository"
    return "no such heading" if fragment and fragment not in anchors(there) else None


def test_every_link_within_the_repository_leads_somewhere() -> None:
    told = [(page, target, broken(page, target)) for page in pages() for target in links(page)]
    assert [f"{page.relative_to(ROOT)}: {target}: {why}" for page, target, why in told if why] == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    seen: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen or page.suffix != ".md":
            continue
        seen.add(page)
        waiting += [(page.parent / target.partition("#")[0]).resolve() for target in links(page) if target[0] != "#"]
    assert set(pages()) - seen == set()


def test_the_generated_pages_are_current() -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, "--check"], capture_output=True, text=True, timeout=WAIT_S, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_stale_missing_or_foreign_reference_page_is_noticed(tmp_path: Path) -> None:
    shutil.copytree(REFERENCE, tmp_path, dirs_exist_ok=True)
    (tmp_path / "settings.md").write_text("old")
    (tmp_path / "errors.md").unlink()
    (tmp_path / "notes.md").write_text("by hand")
    command = [sys.executable, str(SCRIPT), "--folder", str(tmp_path)]
    done = subprocess.run([*command, "--check"], capture_output=True, text=True, timeout=WAIT_S, check=False)
    assert done.returncode == 1
    assert [line.split()[0] for line in done.stderr.splitlines()] == ["errors.md", "notes.md", "settings.md"]


def test_every_setting_is_documented() -> None:
    text = (REFERENCE / "settings.md").read_text()
    assert (len(SETTINGS), len(SERVING) > 20) == (17, True)
    for setting in (*SETTINGS, *SERVING):
        flag = f"`{setting.flag}`" if setting.flag else "–"
        assert f"| {flag} | `{setting.name}` |" in text


def test_every_error_code_is_documented_once_with_its_exit_code() -> None:
    text = (REFERENCE / "errors.md").read_text()
    ours = [kind for kind in _error_tree(errors.MunimentError)[1:] if kind.__module__ == errors.__name__]
    headings = re.findall(r"^## `(\w+)`$", text, re.MULTILINE)
    assert sorted(headings) == sorted(kind.code for kind in ours)
    assert len(set(headings)) == len(headings)
    exits = dict(re.findall(r"^## `(\w+)`$.*?exit code on the command line: (\d)", text, re.MULTILINE | re.DOTALL))
    expected = {"malformed": "2", "policy_invalid": "2", "store_busy": "3", "ledger_broken": "1"}
    assert {code: exits[code] for code in expected} == expected


def test_every_command_and_option_is_documented() -> None:
    text = (REFERENCE / "cli.md").read_text()
    found = _commands(_root())
    assert set(found) >= set(COMMANDS.split()), "the promised commands are there"
    for name, flags in found.items():
        title = re.escape(name.replace(".", " "))
        section = re.search(rf"^#+ `muniment {title}\b[^\n]*$(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
        assert section is not None, name
        shared = text[: text.index("## `muniment init`")]
        for flag in flags:
            assert re.search(rf"[`/]{flag}[ /`]", section[1] + shared), f"{name} {flag}"


def test_every_command_occurs_in_a_page_a_person_wrote() -> None:
    text = "\n".join(page.read_text() for page in written_pages())
    for name in ("init", "remember", "recall", "queue", "decide", "ledger verify", "ledger head", "policy check"):
        assert re.search(rf"muniment (?:--as \w+ )?{name}\b", text), name


@each("part", [Policy, PolicyMember, WriteRule, ReadRule, ReviewRule, SafetyPolicy, EvidencePolicy])
def test_every_policy_field_is_in_the_reference_and_shown_in_the_guide(part: type[msgspec.Struct]) -> None:
    reference = (REFERENCE / "policy.md").read_text()
    shown = "\n".join(_policy_samples()) + (REFERENCE / "default-policy.md").read_text()
    for field in msgspec.structs.fields(part):
        assert f"| `{field.name}` |" in reference, field.name
        assert re.search(rf"\b{field.name}:", shown), f"no example of {field.name}"


@each("body", _policy_samples(), ids=lambda body: body.split(":")[0])
def test_every_policy_sample_is_a_policy(body: str) -> None:
    whole = body if body.startswith("version:") else f"version: 1\nname: sample\n{body}"
    assert parse_policy(whole, place="sample.yaml").version == 1


def test_every_toml_sample_of_the_guide_is_a_policy() -> None:
    bodies = [sample.body for sample in samples(GUIDE) if sample.language == "toml"]
    assert [parse_policy(body, place="sample.toml").name for body in bodies] == ["two-agents"]


def test_the_default_policy_is_shown_as_it_ships() -> None:
    shipped = (ROOT / "src" / "muniment" / "policy" / "default.yaml").read_text().strip()
    assert f"```yaml\n{shipped}\n```" in (REFERENCE / "default-policy.md").read_text()


def test_the_nine_steps_are_described_in_their_order_and_every_disposition_is() -> None:
    text = (ROOT / "docs" / "concepts" / "proposals.md").read_text()
    steps = text[text.index("## The steps") : text.index("## Dispositions")]
    assert re.findall(r"^\| `(\w+)` \|", steps, re.MULTILINE) == [step.value for step in Step]
    dispositions = text[text.index("## Dispositions") :]
    assert sorted(re.findall(r"^\| `(\w+)` \|", dispositions, re.MULTILINE)) == sorted(Disposition)


def test_what_verify_is_said_to_report_are_codes_that_exist() -> None:
    page = (ROOT / "docs" / "concepts" / "ledger.md").read_text()
    table = page[page.index("## What `verify` notices") : page.index("## What `verify` cannot notice")]
    named = set(re.findall(r"`([a-z]+_[a-z_]+)`", table))
    sources = [
        ROOT / "src" / "muniment" / name
        for name in (
            "ledger/verify.py",
            "ledger/projection_check.py",
            "ledger/keys.py",
            "ledger/receipts.py",
            "engine/audit.py",
            "engine/witness.py",
        )
    ]
    code = "\n".join(source.read_text() for source in sources)
    assert len(named) >= 15
    assert [name for name in sorted(named) if f'"{name}"' not in code] == []


def test_the_glossary_lists_the_classes_of_the_model_once_each_and_no_others() -> None:
    listed = re.findall(r"^- \*\*`(\w+)`\*\*:", (ROOT / "docs/concepts/glossary.md").read_text(), re.MULTILINE)
    defined = [
        node.name
        for file in sorted((ROOT / "src" / "muniment" / "model").glob("*.py"))
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and not node.name.endswith("Shape")
    ]
    assert sorted(listed) == sorted(defined)


def test_changelog_package_and_project_agree_on_the_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    newest = re.search(r"^## \[(\d+\.\d+\.\d+)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    assert newest[1] == project == muniment.__version__


def test_the_readme_names_both_commands_and_what_is_not_there() -> None:
    text = (ROOT / "README.md").read_text()
    assert "make run" in text
    assert "make test" in text
    assert "## Limits" in text
    assert "from muniment import Memory" in text


def test_every_picture_is_shown_somewhere_and_can_be_read_on_light_and_dark() -> None:
    pictures = sorted((ROOT / "docs" / "pictures").glob("*.svg"))
    shown = {(page.parent / target).resolve() for page in pages() for target in links(page) if target.endswith(".svg")}
    assert set(pictures) == shown
    assert len(pictures) >= 3
    for picture in pictures:
        root = ElementTree.fromstring(picture.read_text())
        space = "{http://www.w3.org/2000/svg}"
        paper = root.find(f"{space}rect")
        assert root.find(f"{space}title") is not None, "a picture has a title for those who cannot see it"
        assert root.find(f"{space}desc") is not None
        assert paper is not None, "ink needs paper of its own: the page below may be dark"
        assert paper.get("fill") == "#fbfaf6"


def test_decisions_are_numbered_without_gaps_and_have_their_three_parts() -> None:
    files = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    assert [file.name[:4] for file in files] == [f"{number:04}" for number in range(1, len(files) + 1)]
    assert len(files) >= 7
    for file in files:
        headings = re.findall(r"^## (.+)$", file.read_text(), re.MULTILINE)
        assert headings == ["The question", "What we chose", "What we gave up"], file.name
