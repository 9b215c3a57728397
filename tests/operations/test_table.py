"""The table says what the engine does: every method, by its own words, and nothing twice."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import get_args, get_type_hints

from muniment import Memory
from muniment.contracts.registry import ContractName
from muniment.engine import Erasure, Imports, Insight, Review
from muniment.engine.audit import LedgerFace
from muniment.engine.impact import ENDS, LINK_TYPES
from muniment.engine.options import QueryOptions
from muniment.model.claim_options import ClaimOptions
from muniment.model.status import RETIRED
from muniment.operations import OPERATIONS, Key, OperationSpec, answers, bodies, operation, queries
from muniment.operations import Grant as Needed
from muniment.surfaces.reception.principal import Grant

PARTS = {"review": Review, "erasure": Erasure, "imports": Imports, "insight": Insight, "ledger": LedgerFace}
NOT_OFFERED = {"as_actor", "for_user", "close", "imports.take_in"}
"""Who is calling is the credential's to say, a server opens and closes by itself, and batches come in by import."""
OF_THE_SURFACE = {"caller", "changes", "denied", "import", "export", "forget_record", "form", "propose_many"}
ELSEWHERE = {"progress", "expected_revision", "after"}
"""Nobody watches over HTTP, what is expected is said in If-Match, and a list goes on by its cursor."""
_PLACES = re.compile(r"{([a-z_]+)}").findall
OF_HTTP = {"cursor", "limit", "status"}


def methods() -> Mapping[str, object]:
    found = {name: one for name, one in inspect.getmembers(Memory, inspect.isfunction) if name[0] != "_"}
    for part, kind in PARTS.items():
        members = inspect.getmembers(kind, inspect.isfunction)
        found |= {f"{part}.{name}": one for name, one in members if name[0] != "_"}
    return found


def test_every_method_of_a_memory_is_an_operation() -> None:
    offered = {one.name for one in OPERATIONS}

    assert methods().keys() - offered == NOT_OFFERED
    assert offered - methods().keys() == OF_THE_SURFACE


def test_an_operation_takes_the_keywords_of_its_method() -> None:
    for name, method in methods().items():
        if name in NOT_OFFERED:
            continue
        one = operation(name)
        said = spoken(one)
        known = keywords(method)
        assert said - known <= OF_HTTP, name
        assert known - said <= ELSEWHERE, name


def spoken(one: OperationSpec) -> set[str]:
    parts = [kind.__struct_fields__ for kind in (one.query, one.body) if kind is not None]
    return {*one.places, *(name for part in parts for name in part)}


def keywords(method: object) -> set[str]:
    assert callable(method)
    parameters = inspect.signature(method).parameters
    found = set(parameters) - {"self", "options"}
    if "options" in parameters:
        options = ClaimOptions if "ClaimOptions" in str(parameters["options"].annotation) else QueryOptions
        found |= set(get_type_hints(options))
    return found


def test_the_flat_words_are_those_of_remember_and_recall() -> None:
    assert set(bodies.TextRequest.__struct_fields__) == set(get_type_hints(ClaimOptions))
    assert set(bodies.RecordBounds.__struct_fields__) == set(get_type_hints(QueryOptions))


def test_no_request_can_name_a_tenant_or_an_actor() -> None:
    callers = {"tenant", "tenant_id", "actor", "actor_id", "grants", "agents"}
    named = {(one.name, name) for one in OPERATIONS for name in spoken(one) & callers}

    assert named == {("forget", "actor"), ("erasure.hold", "actor")}, "whose records are meant, not who is calling"


def test_no_two_operations_share_a_name_or_a_place() -> None:
    assert len({one.name for one in OPERATIONS}) == len(OPERATIONS)
    places = [(one.verb, path) for one in OPERATIONS for path in (one.path, *one.aliases)]
    assert len(set(places)) == len(places)
    assert all(sorted(_PLACES(path)) == sorted(one.places) for one in OPERATIONS for path in one.aliases)


def test_whoever_changes_something_can_send_it_twice() -> None:
    unkeyed = {one.name for one in OPERATIONS if one.changes and one.key is Key.NONE}

    assert unkeyed == {"import"}  # it finds the second time that it is done


def test_what_only_tells_needs_no_key_and_what_changes_needs_more_than_reading() -> None:
    for one in OPERATIONS:
        assert one.changes or one.key is Key.NONE, one.name
        assert not one.changes or one.grant is not Needed.READ, one.name


def test_every_page_holds_a_list_and_the_way_on() -> None:
    paged = [one for one in OPERATIONS if one.pages is not None]

    assert {one.name for one in paged} == {
        "insight.browse",
        "review.queue",
        "review.conflicts",
        "insight.directory",
        "erasure.certificates",
        "denied",
        "erasure.holds",
        "review.quarantined",
        "ledger.chain",
        "ledger.checkpoints",
        "ledger.entries",
        "ledger.receipts",
        "erasure.tombstones",
        "insight.receipts_of",
    }
    for one in paged:
        assert {one.pages, "next"} <= set(one.answer.__struct_fields__)
        assert one.query is not None
        assert {"cursor", "limit"} <= set(one.query.__struct_fields__)


def test_words_that_are_written_down_twice_are_the_same() -> None:
    assert {one.value for one in Needed} == {one.value for one in Grant}
    assert set(get_args(queries.ContractWord)) == {one.value for one in ContractName}
    assert set(get_args(queries.LinkType)) == set(LINK_TYPES)
    assert {*get_args(get_args(get_type_hints(queries.Foresee)["becomes"])[0])} == {one.value for one in ENDS}
    assert {*get_args(get_type_hints(bodies.Retire)["becomes"])} == {one.value for one in RETIRED}


def test_examples_are_what_the_operation_takes() -> None:
    for one in OPERATIONS:
        assert (one.example is None) == (one.body is None), one.name
        assert one.example is None or type(one.example) is one.body, one.name


def test_the_index_names_nothing_that_is_not_there() -> None:
    assert answers.Entrance.__struct_fields__ == ("name", "verb", "path", "summary", "grant")
