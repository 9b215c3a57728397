"""A server on an encrypted vault: every tenant it opens is under the key its settings name."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from muniment import Memory
from muniment.config import ServerSettings
from muniment.model.errors import ConfigurationError
from muniment.surfaces.reception.server_context import ServerContext

HERE = "127.0.0.1"
TEXT = "The walrus keeps marzipan in the third drawer"


@pytest.fixture
def settings(vault: Path, tmp_path: Path) -> ServerSettings:
    key = tmp_path / "vault.key"
    key.write_text("3c" * 32)
    key.chmod(0o600)
    return ServerSettings(vault=str(vault), embedder="none", log_level="error", encryption_key_file=str(key))


def test_a_server_keeps_what_it_is_told_and_whom_it_denied_encrypted(settings: ServerSettings, vault: Path) -> None:
    reception = ServerContext(settings)
    reception.memory(reception.admit(None, peer=HERE)).remember(TEXT)
    reception.denied(None, what="read marzipan", code="unauthenticated", peer="203.0.113.77")
    reception.close()
    for word in (b"walrus", b"marzipan", b"203.0.113.77"):
        assert [file.name for file in vault.rglob("*") if file.is_file() and word in file.read_bytes()] == []
    with Memory.open(vault, embedder=None, encryption_key="3c" * 32) as memory:
        assert memory.recall("walrus").records[0].record.content == TEXT


def test_a_server_without_the_key_does_not_start(settings: ServerSettings, vault: Path) -> None:
    Memory.open(vault, embedder=None, encryption_key="3c" * 32).close()
    with pytest.raises(ConfigurationError, match="no key is given"):
        ServerContext(msgspec.structs.replace(settings, encryption_key_file=None))


def test_a_server_with_a_key_does_not_start_on_a_plain_vault(settings: ServerSettings, vault: Path) -> None:
    Memory.open(vault, embedder=None).close()
    with pytest.raises(ConfigurationError, match="the vault is not encrypted"):
        ServerContext(settings)
