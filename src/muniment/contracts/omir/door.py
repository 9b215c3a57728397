"""OMIR as one of the five contracts."""

from __future__ import annotations

from collections.abc import Sequence

from muniment.contracts.contract import Encoded
from muniment.contracts.finding import Finding
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.omir.decode import carry_envelope, decode_bundle
from muniment.contracts.omir.encode import encode_bundle
from muniment.contracts.omir.terms import CONTRACT, OmirVersion
from muniment.contracts.omir.validate import findings


class Omir:
    """Open Memory Interoperability Resources, release R1: always a bundle, of one memory or of many."""

    @property
    def name(self) -> str:
        return CONTRACT

    def check(self, data: bytes) -> tuple[Finding, ...]:
        return findings(data)

    def decode(self, data: bytes) -> tuple[InterchangeRecord, ...]:
        return carry_envelope(decode_bundle(data))

    def encode(self, memories: Sequence[InterchangeRecord], *, release: OmirVersion = OmirVersion.R1) -> Encoded:
        return encode_bundle(memories, release=release)
