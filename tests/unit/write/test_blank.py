"""A text that nobody can see says nothing, and is taken for no reason and no content."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.world import open_memory

from muniment.model.curation import Verdict
from muniment.model.errors import Malformed


@pytest.mark.parametrize("field", ["content", "purpose", "question", "reasoning", "source"])
def test_invisible_characters_are_no_text(vault: Path, field: str) -> None:
    with open_memory(vault) as memory:
        before = memory.ledger.head().seq
        remember: Callable[..., Verdict] = memory.remember
        for blank in ("\u200b", "\u200b \u2060", "\u00ad", "\ufe0f", "\u3164", "\U000e0041"):
            with pytest.raises(Malformed) as refused:
                remember(**{"content": "The build is green", field: blank})
            assert refused.value.field == field
        assert memory.ledger.head().seq == before
        shown = {"content": "The build is green", field: "na\u00adive \u200bparsing"}
        assert remember(**shown).proposal_id
