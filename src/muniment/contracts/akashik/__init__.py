"""The Akashik protocol, 0.1.0-draft, as documents: wire types, checks by level, and the way to and from our own."""

from __future__ import annotations

from muniment.contracts.akashik.contract import AkashikContract

CONTRACT = AkashikContract()
