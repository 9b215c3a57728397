"""The walls of the library: every public method, asked for what is hidden by id and by every spelling of its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.walls.asking import heard, other_id, plain, row
from tests.walls.cells import Property, id_cells, place_cells, spoken_places, told, wrapped
from tests.walls.rows import APART, NAMES, PLACES, ROWS, parameters, public_names
from tests.walls.spellings import spellings
from tests.walls.world import ANA, ATTACKERS, OPEN_SPACE, OTHER, PROJECT, SESSION, TEAM, TENANT, World

from muniment import Memory
from muniment.model.errors import Malformed, MunimentError, Unauthenticated
from muniment.model.filter import covers
from muniment.model.status import Status

CALLERS = (*ATTACKERS, "eve")
POINTED_AT = "id of plain"
"""An author who shares a record shares the ids it links to."""


def test_every_public_method_has_a_row_or_a_reason() -> None:
    assert sorted(public_names() - ROWS.keys() - APART.keys()) == [], "no row for these"
    assert sorted((ROWS.keys() | APART.keys()) - public_names()) == [], "these are gone"


def test_every_parameter_is_asked_or_known_to_name_nothing() -> None:
    """A new parameter that takes a name of somebody or something belongs into the tables of rows.py."""
    known = {*NAMES, *PLACES, *_NAMELESS}
    assert sorted({one for name in ROWS for one in parameters(name)} - known) == []


_NAMELESS = frozenset(
    {"until", "accept", "anchor", "anchored", "asked_at", "assumptions", "barred_scopes", "becomes", "before", "bucket"}
    | {"buckets", "budget_tokens", "by", "cascade", "changed_after", "classes", "confidence", "confidence_min"}
    | {"content", "contract", "count", "depth", "detect", "direction", "draft", "dry_run", "entities", "erasure"}
    | {"event_time", "evidence", "expected", "expected_revision", "expires_at", "first", "floor", "gate_flag"}
    | {
        "gate_min",
        "half_life_hours",
        "hedged",
        "hold",
        "importance",
        "include_probable",
        "keep_bytes",
        "key",
        "kind",
        "kinds",
    }
    | {"known_at", "last", "lawful_basis", "limit", "max_age_days", "memory_class", "memory_type", "min_fit", "newest"}
    | {"contested", "digest", "next_review_at", "precise", "probe", "to"}
    | {"objections", "older_than_days", "origin", "others", "preview", "profile", "progress", "question", "rationale"}
    | {"reason", "reasoning", "replay", "require_provenance", "result", "retention_days", "reviewer", "revision"}
    | {"sensitivity", "sensitivity_max", "since", "source_quality", "source_type", "status", "statuses", "strategy"}
    | {"synthesis", "timeout", "triggered_by", "trust_min", "types", "valid_at", "valid_from", "valid_until", "weight"}
)


@pytest.mark.parametrize("caller", CALLERS)
def test_no_method_tells_what_is_hidden_without_being_asked_for_it(
    world: World, caller: str, record_property: Property
) -> None:
    """The rows as they stand, and every open record that touches something hidden."""
    asked = [(method, row(method)) for method in ROWS]
    asked += [("insight.browse", {"statuses": [one.value]}) for one in Status]
    asked += [("insight.entity", {"name": name}) for name in ("pump", "door", "gasket")]
    asked += [("insight.directory", {"about": "pump door"}), ("attune", {"count": True, "limit": 100})]
    for name in world.open.values():
        asked += [
            (one, row(one, record_id=name))
            for one in ("get", "history", "insight.lineage", "insight.foresee", "review.detect")
        ]
        asked += [
            (one, row(one, record_id=name))
            for one in ("forget", "revise", "review.quarantine", "review.release", "review.outcome")
        ]
        asked += [("remember", row("remember", supersedes=name, scope="project", scope_id="shared"))]
    leaks = []
    for method, given in asked:
        one = heard(world, caller, method, given)
        found = [about for about in world.canaries.found_in(one.text) if about != POINTED_AT]
        leaks += [f"{caller} {method} {given}: {about}" for about in (["it broke"] if one.broken else found)]
    told(record_property, f"library, as it is, {caller}", len(asked), leaks)


def _alike(world: World, caller: str, method: str, parameter: str, name: str) -> list[str]:
    """What gives a hidden id away: its answer, beside the answer for an id that nothing has."""
    absent = other_id(name)
    one, other = (
        heard(world, caller, method, row(method, **{parameter: wrapped(parameter, asked)})) for asked in (name, absent)
    )
    if one.broken or plain(one.text, name) != plain(other.text, absent):
        return [f"{one.code} is not {other.code}: {one.text[:200]}"]
    return [about for about in world.canaries.found_in(one.text, asked=[name]) if about != POINTED_AT]


@pytest.mark.parametrize("caller", CALLERS)
def test_what_is_hidden_is_answered_like_what_is_not_there(
    world: World, caller: str, record_property: Property
) -> None:
    leaks, cells = [], 0
    for cell, name in id_cells(world, caller):
        cells += 1
        found = _alike(world, caller, cell.method, cell.parameter, name)
        leaks += [f"{caller} {cell}: {one}" for one in found]
    told(record_property, f"library, ids, {caller}", cells, leaks)


@pytest.mark.parametrize("caller", ["bob", "nat", "eve"])
def test_no_spelling_of_a_place_opens_it(world: World, caller: str, record_property: Property) -> None:
    leaks, cells, known = [], 0, spoken_places()
    for cell in place_cells(caller):
        cells += 1
        one = heard(world, caller, cell.method, row(cell.method, **cell.given))
        found = [about for about in world.canaries.found_in(one.text, asked=known) if about != POINTED_AT]
        leaks += [f"{caller} {cell}: {about}" for about in (["it broke"] if one.broken else found)]
    leaks += [f"{caller} wrote {one}" for one in _trespasses(world)]
    told(record_property, f"library, places, {caller}", cells, leaks)


def _trespasses(world: World) -> list[str]:
    """Records of those who may not write where they are."""
    everything = [one.value for one in Status if one is not Status.ERASED]
    found = []
    for one in world.ours.insight.browse(statuses=everything):
        place, author = one.record.claim.place, one.record.actor
        if author in ("bob", "guest") and place.scope_id in (TEAM, PROJECT, SESSION):
            found.append(f"{author} in {place.scope_id}")
        if author == "nat" and not covers(OPEN_SPACE, place.namespace):
            found.append(f"{author} in {place.namespace}")
    return found


def test_a_tenant_is_who_it_is_spelled_as_and_nobody_else(world: World, record_property: Property) -> None:
    leaks, cells = [], 0
    for about, name in spellings(TENANT):
        if about == "itself":
            continue
        cells += 1
        try:
            with Memory.open(world.vault, tenant=name, create=False, embedder=None) as memory:  # type: ignore[arg-type]
                leaks.append(f"{about} opened {memory.tenant}")
        except MunimentError as error:
            leaks += [f"{about}: {one}" for one in world.canaries.found_in(str(error))]
    told(record_property, "library, tenants", cells, leaks)


def test_tenants_of_like_names_have_a_store_each(tmp_path: Path) -> None:
    names = ("acme", "ACME", "Acme", "acme.", "..", "a:b", "a-b", "con")
    for name in names:
        with Memory.open(tmp_path, tenant=name, embedder=None) as memory:
            memory.remember(f"this is of {name}")
    for name in names:
        with Memory.open(tmp_path, tenant=name, create=False, embedder=None) as memory:
            assert [one.record.content for one in memory.insight.browse()] == [f"this is of {name}"]


def test_an_actor_is_who_it_is_spelled_as_and_nobody_else(world: World, record_property: Property) -> None:
    leaks, cells = [], 0
    for about, name in spellings(ANA):
        if about == "itself":
            continue
        cells += 1
        try:
            seat = world.ours.as_actor(name)  # type: ignore[arg-type]
        except (Malformed, Unauthenticated):
            continue
        if seat.recall("pump", floor=0.0, limit=200).considered or list(seat.insight.browse()):
            leaks.append(f"{about} sees something")
    told(record_property, "library, actors", cells, leaks)


@pytest.mark.parametrize("caller", ["bob", "guest"])
def test_a_session_opens_no_other(world: World, caller: str, record_property: Property) -> None:
    """Whoever gives an actor a session names it; what only looks like another's is none of theirs."""
    secret = world.canaries.word(f"a session's own note, hidden from {caller}")
    ana = world.ours.as_actor(ANA)
    assert ana.remember(f"note of {secret}", scope="session", scope_id=SESSION).committed
    leaks, cells = [], 0
    for about, name in spellings(SESSION):
        if about == "itself":
            continue
        cells += 1
        try:
            seat = world.ours.as_actor(caller, session=name)  # type: ignore[arg-type]
            text = str(seat.recall(f"note of {secret}", floor=0.0)) + str(list(seat.insight.browse()))
        except MunimentError:
            continue
        found = world.canaries.found_in(text, asked=[*spoken_places(), secret])
        leaks += [f"{caller} as {about}: {one}" for one in found if one != POINTED_AT]
        leaks += [f"{caller} as {about} finds the note"] if f"note of {secret}'" in text else []
    told(record_property, f"library, sessions, {caller}", cells, leaks)


@pytest.mark.parametrize("caller", ["eve"])
def test_a_name_that_another_tenant_took_is_free(world: World, caller: str) -> None:
    """What somebody calls its own proposals and batches is told to nobody of another tenant by their being taken."""
    names = {about: name for about, name in world.canaries.ids["proposal"].items() if about != "taken in"}
    for number, (about, name) in enumerate(names.items()):
        method = ("remember", "review.outcome", "review.promote", "revise")[number % 4]
        one = heard(world, caller, method, row(method, proposal_id=name))
        assert one.code is None, (about, one.text)
    for name in world.canaries.ids["batch"].values():
        assert heard(world, caller, "imports.take_in", row("imports.take_in", batch=name)).code is None
    assert world.theirs.tenant == OTHER
