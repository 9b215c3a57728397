"""The published schemas: they are what the wire types give, and they take exactly what the check takes."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.contracts.shaped import changed, values
from tests.patience import WAIT_S

from muniment.contracts.finding import passes
from muniment.contracts.registry import ContractName, contract
from muniment.contracts.schemas import DIALECT, file_of, schema_of
from muniment.contracts.shape import FORMATS, flaws
from muniment.contracts.strict.values import Json, JsonObject

ROOT = Path(__file__).parent.parent.parent


def wires(name: ContractName) -> dict[str, type]:
    found: dict[str, type] = import_module(f"muniment.contracts.{name}.wire").DOCUMENTS
    return found


def documents(name: ContractName) -> st.SearchStrategy[Json]:
    found: st.SearchStrategy[Json] = import_module(f"tests.contracts.{name}.strategies").documents()
    return found


@cache
def published(name: ContractName, document: str) -> jsonschema_rs.Draft202012Validator:
    """The published schema of a document, ready to judge. Formats are what we say they are."""
    text = files("muniment.contracts").joinpath(name, "schemas", file_of(document)).read_text(encoding="utf-8")
    return jsonschema_rs.Draft202012Validator(json.loads(text), validate_formats=True, formats=dict(FORMATS))


EACH = [pytest.param(name, document, id=f"{name}-{document}") for name in ContractName for document in wires(name)]


@each("name", list(ContractName))
def test_the_published_schemas_are_those_of_the_wire_types(name: ContractName) -> None:
    folder = files("muniment.contracts").joinpath(name, "schemas")
    there = {file.name: json.loads(file.read_text(encoding="utf-8")) for file in folder.iterdir()}
    wanted: dict[str, JsonObject] = {file_of(doc): schema_of(name, doc, kind) for doc, kind in wires(name).items()}
    assert there == json.loads(json.dumps(wanted)), "run `python scripts/schemas.py`"


def test_the_script_finds_nothing_stale() -> None:
    script = [sys.executable, str(ROOT / "scripts" / "schemas.py"), "--check"]
    said = subprocess.run(script, capture_output=True, text=True, timeout=WAIT_S, check=False)
    assert (said.returncode, said.stderr) == (0, "")


@each(("name", "document"), EACH)
def test_a_schema_is_one_of_2020_12_and_names_itself(name: ContractName, document: str) -> None:
    schema = schema_of(name, document, wires(name)[document])
    jsonschema_rs.meta.validate(schema)
    assert (schema["$schema"], schema["$id"]) == (DIALECT, f"urn:muniment:contract:{name}:{document}")
    assert schema["title"] == document


@pytest.mark.sampled(16)
@pytest.mark.parametrize(("name", "document"), EACH)
@given(st.data())
def test_what_fits_a_wire_type_is_taken_by_its_schema(name: ContractName, document: str, data: st.DataObject) -> None:
    value = data.draw(values(wires(name)[document]))
    assert flaws(value, wires(name)[document]) == ()
    assert published(name, document).is_valid(value)


@pytest.mark.sampled(16)
@pytest.mark.parametrize(("name", "document"), EACH)
@given(st.data())
def test_check_and_schema_take_and_refuse_the_same(name: ContractName, document: str, data: st.DataObject) -> None:
    value = data.draw(changed(values(wires(name)[document])))
    assert (flaws(value, wires(name)[document]) == ()) == published(name, document).is_valid(value)


@pytest.mark.parametrize("name", list(ContractName))
@given(st.data())
def test_a_valid_document_of_a_contract_fits_one_of_its_schemas(name: ContractName, data: st.DataObject) -> None:
    value = data.draw(documents(name))
    assert passes(contract(name).check(json.dumps(value).encode()))
    assert any(published(name, document).is_valid(value) for document in wires(name))


@pytest.mark.parametrize("name", list(ContractName))
@given(st.data())
def test_a_document_that_fits_no_schema_does_not_pass(name: ContractName, data: st.DataObject) -> None:
    value = data.draw(changed(documents(name)))
    fits = any(published(name, document).is_valid(value) for document in wires(name))
    assert fits or not passes(contract(name).check(json.dumps(value).encode()))
