"""Under our context a bundle is linked data: references meet nodes, literals are legal, and nothing collapses."""

from __future__ import annotations

import json
import re

import pytest
from pyld import jsonld  # type: ignore[import-untyped]  # it has no types
from pyld.context_resolver import ContextResolver  # type: ignore[import-untyped]  # it has no types
from rdflib import RDF, XSD, Graph, Literal, URIRef
from rdflib.term import Node
from tests.cases import each
from tests.contracts.cites import cites
from tests.contracts.omir.example import document

from muniment.contracts.finding import passes
from muniment.contracts.omir import CONTRACT
from muniment.contracts.omir.linked import INSTANTS, context, linked, node
from muniment.contracts.omir.terms import CONTEXT_URL
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.errors import Malformed

NS = "https://omir.io/ns#"
LINKS = ("from", "to", "parentId", "sourceEpisode", "entityRefs", "competesWith")
LEGAL = {
    f"{XSD}decimal": re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)"),
    f"{XSD}double": re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?"),
    f"{XSD}integer": re.compile(r"[+-]?\d+"),
    f"{XSD}boolean": re.compile(r"true|false|1|0"),
    f"{XSD}dateTime": re.compile(
        r"\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-](0\d|1[0-3]):[0-5]\d|[+-]14:00)"
    ),
}
"""How XML Schema lets values of these types be spelled."""
_LITERAL = re.compile(r'"([^"\\]*)"\^\^<([^>]+)>')
JSON_TYPE = URIRef("http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON")


def _typed(kind: str, *names: str) -> JsonObject:
    return {name: {"@id": f"omir:{name}", "@type": kind} for name in names}


def _contained(how: str, *names: str) -> JsonObject:
    return {name: {"@id": f"omir:{name}", "@container": how} for name in names}


CANONICAL: JsonObject = {
    "@version": 1.1,
    "@vocab": NS,
    "omir": NS,
    "xsd": str(XSD),
    "id": "@id",
    "resourceType": "@type",
    "Episode": {"@id": "omir:Episode", "@context": {"source": "omir:episodeSource"}},
    **_contained("@set", "entry", "extension", "labels", "entityRefs"),
    **_contained("@index", "attributes", "metadata"),
    **_typed("xsd:dateTime", *INSTANTS),
    **_typed("xsd:decimal", "importance", "salience", "strength", "credibility", "calibrated"),
    **_typed("xsd:decimal", "alpha", "beta", "halfLifeHours", "valueNumber"),
    **_typed("xsd:integer", "accessCount", "mentionCount", "version", "maturity"),
    **_typed("xsd:boolean", "anchored", "properNoun", "valueBoolean"),
    **_typed("@id", "confidence", "decay", "provenance", "meta", "from", "to"),
    **_typed("@id", "parentId", "sourceEpisode", "ref", "url", "profile"),
}
"""A stand-in for the canonical context, written from what is known of it."""


def _load(url: str, options: object) -> dict[str, object]:
    assert url == CONTEXT_URL, "nothing else is fetched"
    return {
        "contentType": "application/ld+json",
        "contextUrl": None,
        "documentUrl": url,
        "document": json.loads(json.dumps({"@context": CANONICAL})),
    }


def triples(bundle: JsonObject) -> str:
    options = {
        "format": "application/n-quads",
        "documentLoader": _load,
        "contextResolver": ContextResolver({}, _load),
        "base": "https://elsewhere.example/",
    }
    return str(jsonld.to_rdf(bundle, options))


def lift(bundle: JsonObject) -> Graph:
    graph = Graph()
    graph.parse(data=triples(bundle), format="nt")
    return graph


def lift_otherwise(bundle: JsonObject) -> Graph:
    """A second opinion: another reader of linked data, which does not fetch what a context imports."""
    own = bundle["@context"]
    assert isinstance(own, dict)
    whole: JsonObject = {**CANONICAL, **{key: value for key, value in own.items() if key != "@import"}}
    graph = Graph()
    graph.parse(data=json.dumps({**bundle, "@context": whole}), format="json-ld", base="https://elsewhere.example/")
    return graph


def nodes(graph: Graph) -> set[Node]:
    kinds = [URIRef(NS + kind) for kind in ("Entity", "Episode", "MemoryRecord", "Relationship")]
    return {subject for kind in kinds for subject in graph.subjects(RDF.type, kind)}


def links(graph: Graph) -> list[Node]:
    return [target for name in LINKS for target in graph.objects(None, URIRef(NS + name))]


def illegal(bundle: JsonObject) -> list[tuple[str, str]]:
    """The literals that their type does not allow, as they are spelled."""
    found = _LITERAL.findall(triples(bundle))
    return [(text, kind) for text, kind in found if kind in LEGAL and LEGAL[kind].fullmatch(text) is None]


def drafted(*, entity: str = "log-17") -> JsonObject:
    """The example with fields of the draft, an id that looks like a name of its own, and one id on two types."""
    bundle = document()
    entries = bundle["entry"]
    assert isinstance(entries, list)
    for one in entries:
        assert isinstance(one, dict)
        if one["id"] == "crack":
            one["createdAt"] = "2026-04-01T16:05:00Z"
    more: list[Json] = [
        {"resourceType": "Entity", "id": "firing", "name": "the spring firing", "salience": 1},
        {"resourceType": "Entity", "id": entity, "name": "log seventeen"},
        {
            "resourceType": "MemoryRecord",
            "id": "urn:note:1",
            "content": "See log seventeen.",
            "createdAt": "2026-04-01T17:00:00Z",
            "entityRefs": [{"ref": f"Entity/{entity}"}, {"ref": "Entity/firing"}],
            "interference": {"needProbability": 0.95, "competesWith": [{"ref": "MemoryRecord/crack"}]},
        },
        {
            "resourceType": "MemoryRecord",
            "id": "child",
            "content": "And the one after.",
            "createdAt": "2026-04-01T17:00:00Z",
            "parentId": "urn:note:1",
        },
    ]
    return {**bundle, "entry": [*entries, *more]}


@cites("OMIR-064")
def test_a_context_changes_nothing_for_the_plain_reader() -> None:
    bundle = document()
    with_context = linked(bundle)
    assert {key: value for key, value in with_context.items() if key != "@context"} == bundle
    assert passes(CONTRACT.check(json.dumps(with_context).encode()))
    one, other = (CONTRACT.decode(json.dumps(given).encode()) for given in (bundle, with_context))
    assert [(memory.id, memory.claim.content) for memory in one] == [
        (memory.id, memory.claim.content) for memory in other
    ]
    assert one[1:] == other[1:]
    found = with_context["@context"]
    assert isinstance(found, dict)
    assert found["@import"] == CONTEXT_URL


@cites("OMIR-065")
@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")
def test_every_reference_meets_a_node() -> None:
    for graph in (lift(linked(drafted())), lift_otherwise(linked(drafted()))):
        assert len(nodes(graph)) == 13
        assert len(links(graph)) == 13
        assert set(links(graph)) <= nodes(graph)
        for kind, id_ in (("MemoryRecord", "urn:note:1"), ("Episode", "firing"), ("Entity", "firing")):
            assert URIRef(node(kind, id_)) in nodes(graph)


@cites("OMIR-065")
@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")
def test_a_reference_to_an_id_with_a_colon_meets_its_node() -> None:
    graph = lift_otherwise(linked(drafted(entity="log:17")))
    assert URIRef(node("Entity", "log:17")) in nodes(graph)
    assert len(links(graph)) == 13
    assert set(links(graph)) <= nodes(graph)


@cites("OMIR-065")
def test_no_literal_is_illegal() -> None:
    assert illegal(linked(drafted())) == []
    graph = lift(linked(drafted()))
    assert set(graph.objects(None, URIRef(NS + "salience"))) == {
        Literal("8.0E-1", datatype=XSD.double),
        Literal("1.0E0", datatype=XSD.double),
    }
    assert Literal("2026-04-01T16:06:00Z", datatype=XSD.dateTime) in set(graph.objects(None, URIRef(NS + "createdAt")))


@cites("OMIR-065")
def test_the_canonical_context_alone_would_miss_all_of_it() -> None:
    graph = lift({"@context": CONTEXT_URL, **drafted()})
    ends = {end for name in ("from", "to", "entityRefs") for end in graph.objects(None, URIRef(NS + name))}
    assert ends.isdisjoint(nodes(graph))
    assert ("8.0E-1", f"{XSD}decimal") in illegal({"@context": CONTEXT_URL, **drafted()})
    assert len(nodes(graph)) < 13


@cites("OMIR-065")
def test_keys_of_attributes_and_vendor_values_survive_and_do_not_leak() -> None:
    graph = lift(linked(drafted()))
    attributes = set(graph.objects(URIRef(node("Entity", "mara")), URIRef(NS + "attributes")))
    assert attributes == {Literal('{"id":"7","role":"potter"}', datatype=JSON_TYPE)}
    assert [str(one) for one in graph.objects(URIRef(node("Episode", "firing")), URIRef(NS + "metadata"))] == [
        '{"shift":"late"}'
    ]
    predicates = {str(predicate) for predicate in graph.predicates(None, None)}
    assert predicates.isdisjoint({NS + "cone", NS + "ramp", NS + "shift", NS + "role"})
    assert str(next(graph.objects(URIRef(node("Episode", "firing")), URIRef(NS + "episodeSource")))) == "observation"


def test_times_that_xml_schema_does_not_know_stay_text() -> None:
    assert illegal(linked(document())) == []
    graph = lift(linked(document()))
    assert Literal("2026-04-01t16:05:00z") in set(graph.objects(None, URIRef(NS + "createdAt")))


@each("id_", ["content:1", "_:b0", ":x", "omir:x"])
def test_an_id_that_is_a_word_of_linked_data_is_refused(id_: str) -> None:
    bundle = document()
    assert isinstance(bundle["entry"], list)
    bundle["entry"] = [{**bundle["entry"][3], "id": id_}] if isinstance(bundle["entry"][3], dict) else []
    with pytest.raises(Malformed) as refused:
        linked(bundle)
    assert refused.value.field == "/entry/0/id"


def test_the_published_context_types_every_reference() -> None:
    found = context()
    assert all(name in found for name in LINKS)
    assert found["@import"] == CONTEXT_URL
