"""The shape of every document of the protocol, by the published JSON Schemas."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

import jsonschema_rs

from akashik_conformance.binding import Json


def flaws(name: str, document: Json) -> tuple[str, ...]:
    """What is wrong with a document of that name, each with its place. Empty if its shape is right.

    >>> flaws("relation", {"type": "supports", "target_id": "u-1"})
    ()
    """
    found = [f"/{'/'.join(map(str, one.instance_path))} {one.message}" for one in _schema(name).iter_errors(document)]
    return (*found, *_missing_units(name, document))


@cache
def _schema(name: str) -> jsonschema_rs.Draft202012Validator:
    text = files("akashik_conformance").joinpath("schemas", f"{name}.schema.json").read_text(encoding="utf-8")
    return jsonschema_rs.Draft202012Validator(json.loads(text), validate_formats=True)


def _missing_units(name: str, document: Json) -> list[str]:
    """A unit of an answer is given whole, or by its id where ids alone were asked for. The schema cannot say which."""
    units = document.get("record") if name == "attune_response" and isinstance(document, dict) else None
    found = []
    for at, one in enumerate(units if isinstance(units, list) else ()):
        if not isinstance(one, dict):
            continue
        wanted = "memory_unit_id" if one.get("format") == "ids_only" else "memory_unit"
        unit = one.get(wanted)
        if unit is None:
            found.append(f"/record/{at} has no {wanted}")
        elif isinstance(unit, dict) and "id" in unit:
            found += [f"/record/{at}/memory_unit{flaw}" for flaw in flaws("memory_unit", unit) if "required" in flaw]
    return found
