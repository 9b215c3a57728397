"""A draft does not outlive whoever makes it, and nobody takes it away while it is worked in."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.copies.making import names_in

from muniment.engine.copies.temporary_folders import draft_beside, move_in


def test_a_draft_is_gone_at_the_end_however_it_ends(tmp_path: Path) -> None:
    with draft_beside(tmp_path / "copy", "part") as draft:
        (draft / "a").write_text("half")
        assert oct(draft.stat().st_mode & 0o777) == "0o700"
    with pytest.raises(ValueError, match="broken"), draft_beside(tmp_path / "copy", "part"):
        raise ValueError("broken")
    assert names_in(tmp_path) == []


def test_what_a_dead_process_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    for name in (".monday.0123abcd.part", ".monday.part", ".monday.0123abcd.importing", "monday.0123abcd.part"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a").write_text("left")
    (tmp_path / ".tuesday.0123abcd.part").write_text("a file of somebody's")
    with draft_beside(tmp_path / "copy", "part") as worked_in:
        with draft_beside(tmp_path / "copy", "part") as second:
            assert worked_in.is_dir(), "somebody works in it"
            assert second != worked_in
        assert names_in(tmp_path) == sorted(
            [
                worked_in.name,
                ".monday.part",
                ".monday.0123abcd.importing",
                ".tuesday.0123abcd.part",
                "monday.0123abcd.part",
            ]
        )


def test_a_draft_inside_a_folder_moves_in_with_the_marker_last(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    with draft_beside(vault / "vault", "restoring") as draft:
        for name in ("vault.toml", "a.sqlite", "z.sqlite"):
            (draft / name).write_text(name)
        (draft / "keys").mkdir()
        move_in(draft, vault)
    assert names_in(vault) == ["a.sqlite", "keys", "vault.toml", "z.sqlite"]
