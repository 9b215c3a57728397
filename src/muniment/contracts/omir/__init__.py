"""OMIR R1: portable documents of memories, entities, relationships and episodes."""

from muniment.contracts.omir.door import Omir

CONTRACT = Omir()
