"""Files that a person names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from muniment.config.files import open_file
from muniment.engine.policies import read_policy
from muniment.model.errors import ConfigurationError


def test_a_named_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="named pipe"):
        open_file(pipe)
    with pytest.raises(ConfigurationError, match="named pipe"):
        read_policy(pipe)


def test_a_pipe_that_a_shell_hands_over_is_read() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"said")
    os.close(writing)
    with open_file(Path(f"/dev/fd/{reading}")) as file:
        assert file.read() == b"said"
    os.close(reading)
