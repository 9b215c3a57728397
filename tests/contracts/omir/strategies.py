"""Valid OMIR documents of every shape: all resources, all fields, odd spellings of times and numbers."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from muniment.contracts.strict.values import Json, JsonObject

IDS = st.text(alphabet="abcXYZ019._:-", min_size=1, max_size=12) | st.just("i" * 128) | st.just("Entity:a")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(["", " ", "\x7f", "tea\n"])
UNITS = st.sampled_from([0, 1, 0.0, 1.0, 0.5, 0.25, 1e-9]) | st.floats(0, 1)
POSITIVE = st.sampled_from([1, 2.0, 5e-324, 1.7e308]) | st.floats(0, 1e6, exclude_min=True)
NOT_NEGATIVE = st.sampled_from([0, 3, 0.5]) | st.floats(0, 1e6)
COUNTS = st.integers(0, 9) | st.sampled_from([2.0, 10**20])
INSTANTS = st.sampled_from(
    [
        "2026-03-01T09:30:00Z",
        "2026-03-01t09:30:00z",
        "2026-03-01T11:30:00.000+02:00",
        "2026-03-01T09:30:00.123456789Z",
        "2016-12-31T23:59:60Z",
        "2026-03-01T09:30:00-00:00",
        "0000-01-01T00:00:00Z",
        "9999-12-31T23:59:59-23:59",
    ]
)
URIS = st.sampled_from(["https://example.org/a", "urn:x:y", "javascript:", "https://example.org/b#c"])
JSONS: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
LABELS = ["person", "organization", "location", "technology", "concept", "event", "date", "product", "other"]
EXPERIENCES = ["conversation", "decision", "error", "learning", "pattern", "context", "observation", "intention"]


def some(
    required: Mapping[str, st.SearchStrategy[Json]], optional: Mapping[str, st.SearchStrategy[Json]]
) -> st.SearchStrategy[JsonObject]:
    return st.fixed_dictionaries(dict(required), optional=dict(optional))


def _in(*words: str) -> st.SearchStrategy[Json]:
    return st.sampled_from(list(words))


def _list(inner: st.SearchStrategy[Json], most: int = 2) -> st.SearchStrategy[Json]:
    return st.lists(inner, max_size=most)


METAS = some(
    {"omirVersion": st.just("R1")},
    {
        "profile": _list(URIS),
        "source": TEXTS,
        "createdAt": INSTANTS,
        "lastUpdated": INSTANTS,
        "maturity": st.integers(0, 5),
    },
)
EXTENSIONS = _list(
    some(
        {"url": URIS},
        {"valueString": TEXTS, "valueNumber": st.floats(-9, 9), "valueBoolean": st.booleans(), "valueJson": JSONS},
    )
)
SHARED: dict[str, st.SearchStrategy[Json]] = {"meta": METAS, "extension": EXTENSIONS}
CONFIDENCES = some({}, {"alpha": POSITIVE, "beta": POSITIVE, "calibrated": UNITS})
DECAYS = some(
    {},
    {"halfLifeHours": POSITIVE, "lastAccess": INSTANTS, "accessCount": COUNTS, "anchored": st.booleans()},
)
PROVENANCES = some({}, {"source": TEXTS, "sourceType": TEXTS, "credibility": UNITS, "externalId": TEXTS})
INFORMATION = some(
    {},
    {
        "novelty": UNITS,
        "surprisalBits": NOT_NEGATIVE,
        "model": TEXTS,
        "reconstructable": st.booleans(),
        "reconstructableBy": TEXTS,
    },
)
SKETCHES = some(
    {
        "kind": _in("bloom", "count_min"),
        "domain": _in("entity", "cue", "content"),
        "hashes": st.integers(1, 9),
        "bits": st.integers(1, 99),
        "hashAlg": TEXTS,
        "data": st.just("AAAA"),
    },
    {},
)


@st.composite
def documents(draw: st.DrawFn, draft: bool = False) -> JsonObject:
    """A bundle with an entry or more, in the order we write. With `draft` it may have the fields of R1.x."""
    ids = {kind: draw_ids(draw, least) for kind, least in (("Entity", 0), ("Episode", 0), ("MemoryRecord", 1))}
    entries: list[Json] = [draw(_entity(id_)) for id_ in ids["Entity"]]
    entries += [draw(_episode(id_, ids["Entity"], draft)) for id_ in ids["Episode"]]
    records = [
        draw(_record(id_, ids["Entity"], ids["MemoryRecord"][:place], draft))
        for place, id_ in enumerate(ids["MemoryRecord"])
    ]
    entries += records
    if ids["Entity"]:
        entries += [draw(_relationship(id_, ids["Entity"], ids["Episode"], draft)) for id_ in draw_ids(draw, 0)]
    sketch: dict[str, st.SearchStrategy[Json]] = {"familiaritySketch": SKETCHES} if draft else {}
    return draw(
        some(
            {"resourceType": st.just("Bundle"), "omirVersion": st.just("R1"), "entry": st.just(entries)},
            {"@context": JSONS, "id": IDS, "generatedAt": INSTANTS, "source": TEXTS, **sketch},
        )
    )


def draw_ids(draw: st.DrawFn, least: int) -> list[str]:
    return sorted(draw(st.lists(IDS, min_size=least, max_size=3, unique=True)))


def _refs(kind: str, ids: list[str]) -> st.SearchStrategy[Json]:
    return st.sampled_from(ids).map(lambda id_: {"ref": f"{kind}/{id_}"})


def _some_refs(name: str, kind: str, ids: list[str]) -> dict[str, st.SearchStrategy[Json]]:
    return {name: _list(_refs(kind, ids), 3)} if ids else {name: st.just([])}


def _head(kind: str, id_: str) -> dict[str, st.SearchStrategy[Json]]:
    return {"resourceType": st.just(kind), "id": st.just(id_)}


def _record(id_: str, entities: list[str], parents: list[str], draft: bool) -> st.SearchStrategy[JsonObject]:
    rivals = _some_refs("competesWith", "MemoryRecord", parents)
    drafts: dict[str, st.SearchStrategy[Json]] = {
        "informationContent": INFORMATION,
        "replayPriority": UNITS,
        "interference": some({}, {"needProbability": UNITS, "localDensity": NOT_NEGATIVE, **rivals}),
    }
    return some(
        {**_head("MemoryRecord", id_), "content": TEXTS, "createdAt": INSTANTS},
        {
            **SHARED,
            **(drafts if draft else {}),
            **_some_refs("entityRefs", "Entity", entities),
            **({"parentId": st.sampled_from(parents)} if parents else {}),
            "kind": _in("memory", "plan", "prompt", "learning"),
            "experienceType": _in(*EXPERIENCES),
            "tier": _in("working", "session", "longterm", "archive"),
            "eventTime": INSTANTS,
            "validUntil": INSTANTS,
            "importance": UNITS,
            "confidence": CONFIDENCES,
            "decay": DECAYS,
            "provenance": PROVENANCES,
            "version": st.integers(1, 9) | st.sampled_from([2.0, 10**20]),
        },
    )


def _entity(id_: str) -> st.SearchStrategy[JsonObject]:
    return some(
        {**_head("Entity", id_), "name": TEXTS},
        {
            **SHARED,
            "labels": _list(_in(*LABELS)),
            "summary": TEXTS,
            "mentionCount": COUNTS,
            "salience": UNITS,
            "properNoun": st.booleans(),
            "attributes": st.dictionaries(TEXTS, TEXTS, max_size=2),
            "createdAt": INSTANTS,
            "lastSeenAt": INSTANTS,
        },
    )


def _relationship(id_: str, entities: list[str], episodes: list[str], draft: bool) -> st.SearchStrategy[JsonObject]:
    normal = some(
        {},
        {
            "reverseStrength": UNITS,
            "normalization": some({}, {"scheme": st.just("none"), "over": _in("source", "target")}),
        },
    )
    plain = some(
        {
            **_head("Relationship", id_),
            "from": _refs("Entity", entities),
            "to": _refs("Entity", entities),
            "relationType": TEXTS,
        },
        {
            **SHARED,
            **({"sourceEpisode": _refs("Episode", episodes)} if episodes else {}),
            "strength": UNITS,
            "context": TEXTS,
            "createdAt": INSTANTS,
            "validAt": INSTANTS,
            "invalidatedAt": INSTANTS,
        },
    )
    return st.builds(lambda one, other: {**one, **other}, plain, normal) if draft else plain


def _episode(id_: str, entities: list[str], draft: bool) -> st.SearchStrategy[JsonObject]:
    drafts: dict[str, st.SearchStrategy[Json]] = {"boundaryStrength": UNITS, "boundaryReason": TEXTS}
    return some(
        {**_head("Episode", id_), "content": TEXTS, "createdAt": INSTANTS},
        {
            **SHARED,
            **(drafts if draft else {}),
            **_some_refs("entityRefs", "Entity", entities),
            "name": TEXTS,
            "source": _in("message", "document", "event", "observation"),
            "eventTime": INSTANTS,
            "metadata": st.dictionaries(TEXTS, TEXTS, max_size=2),
        },
    )
