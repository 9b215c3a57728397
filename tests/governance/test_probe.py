"""Forgetting that is probed: the certificate says that nothing came back, and says so truly where something does."""

from __future__ import annotations

from pathlib import Path

from tests.governance.fleet import open_fleet


def test_what_is_forgotten_does_not_come_back_and_the_certificate_says_so(vault: Path) -> None:
    with open_fleet(vault) as owner:
        pilot = owner.as_actor("pilot")
        said = "Ilse Braun wohnt in der Hafenstrasse 12 in Kiel"
        home = pilot.remember(said, scope="agent_team", scope_id="field").record_id or ""
        pilot.remember("The pier light is green", scope="agent_team", scope_id="field")
        pilot.recall("Wo wohnt Ilse Braun?")
        receipts = sum(1 for _ in owner.ledger.receipts())
        done = owner.forget(home, reason="she asked for it", probe=True)
        assert done.probe is not None
        assert done.probe.questions > 3
        assert done.probe.came_back == 0
        assert done.certificate is not None
        assert done.certificate.certificate.probe == done.probe
        assert sum(1 for _ in owner.ledger.receipts()) == receipts, "a probe leaves no receipt with its words"
        assert b"Hafenstrasse" not in b"".join(path.read_bytes() for path in vault.rglob("*") if path.is_file())
        assert owner.ledger.verify().ok


def test_a_copy_that_an_erasure_does_not_reach_comes_back_in_the_probe(vault: Path) -> None:
    with open_fleet(vault) as owner:
        words = "Ilse Braun lives at Hafenstrasse 12 in Kiel"
        mine = owner.remember(words, scope="agent_team", scope_id="field").record_id or ""
        owner.remember(f"A note from the office: {words}", scope="agent_team", scope_id="office")
        done = owner.forget(mine, reason="she asked for it", probe=True)
        assert done.probe is not None
        assert done.probe.came_back > 0
        assert owner.forget(subject="Ilse Braun", reason="all of it", probe=True).probe.came_back == 0  # type: ignore[union-attr]
