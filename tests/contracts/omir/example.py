"""A bundle of our own making that says one of everything, spelled so that a careless reader would change it."""

from __future__ import annotations

import json

from muniment.contracts.strict.values import Json, JsonObject

EXTENSION = r"""[ {"url": "https://kiln.example/ext/glaze", "valueJson": {"cone": 1.10, "ramp": 1E2,
       "b": null, "a": "\u00e9"}}, {"url":"https://kiln.example/ext/none","valueJson":null},
     {"url":"https://kiln.example/ext/bare"} ]"""
"""Numbers, escapes, white space and the order of keys that no reader of values would give back."""

TEXT = """{
  "resourceType": "Bundle", "omirVersion": "R1", "id": "kiln-2026-04", "generatedAt": "2026-04-02T08:00:00+02:00",
  "source": "kiln/2.3",
  "entry": [
    {"resourceType": "Entity", "id": "mara", "meta": {"omirVersion": "R1", "source": "kiln/2.3", "maturity": 3},
     "name": "Mara Oduya", "labels": ["person"], "summary": "Runs the kiln.", "mentionCount": 4, "salience": 0.8,
     "properNoun": true, "attributes": {"role": "potter", "id": "7"}, "lastSeenAt": "2026-04-01T16:00:00Z"},
    {"resourceType": "Entity", "id": "kiln", "name": "the large kiln", "labels": ["product"]},
    {"resourceType": "Episode", "id": "firing", "content": "The spring firing was unloaded and two bowls had cracked.",
     "source": "observation", "createdAt": "2026-04-01T16:00:00.250Z", "entityRefs": [{"ref": "Entity/kiln"}],
     "metadata": {"shift": "late"}},
    {"resourceType": "MemoryRecord", "id": "crack", "content": "Bowls crack when the large kiln cools too fast.",
     "createdAt": "2026-04-01t16:05:00z", "kind": "learning", "experienceType": "discovery", "tier": "session",
     "importance": 0.7, "confidence": {"alpha": 7, "beta": 2, "calibrated": 0.75}, "version": 3,
     "decay": {"halfLifeHours": 720, "lastAccess": "2026-04-01T19:00:00+02:00", "accessCount": 2, "anchored": false},
     "provenance": {"source": "firing log", "sourceType": "observation", "credibility": 0.9, "externalId": "log:17"},
     "entityRefs": [{"ref": "Entity/kiln"}, {"ref": "Entity/mara"}],
     "extension": @},
    {"resourceType": "MemoryRecord", "id": "slow", "content": "Cool the large kiln for twelve hours from now on.",
     "createdAt": "2026-04-01T16:06:00Z", "experienceType": "decision", "tier": "working", "parentId": "crack",
     "meta": {"omirVersion": "R1", "lastUpdated": "2026-04-01T16:06:00Z"}},
    {"resourceType": "MemoryRecord", "id": "glaze", "content": "Order cobalt glaze before the summer firing.",
     "createdAt": "2026-04-01T16:07:00Z", "experienceType": "intention"},
    {"resourceType": "MemoryRecord", "id": "rota", "content": "Until May the kiln rota hangs at the north door.",
     "createdAt": "2026-04-01T16:08:00Z", "validUntil": "2026-04-30T22:00:00Z"},
    {"resourceType": "Relationship", "id": "runs", "from": {"ref": "Entity/mara"}, "to": {"ref": "Entity/kiln"},
     "relationType": "operates", "strength": 0.6, "createdAt": "2026-03-01T09:00:00Z",
     "validAt": "2026-04-01T16:00:00Z", "sourceEpisode": {"ref": "Episode/firing"}},
    {"resourceType": "Relationship", "id": "owned", "from": {"ref": "Entity/mara"}, "to": {"ref": "Entity/kiln"},
     "relationType": "owned_by", "strength": 0.2, "context": "Mara owned the large kiln until it was sold.",
     "invalidatedAt": "2026-02-01T00:00:00Z"}
  ]
}""".replace("@", EXTENSION)

DATA = TEXT.encode()


def document() -> JsonObject:
    found: JsonObject = json.loads(TEXT)
    return found


def sorted_entries(bundle: JsonObject) -> JsonObject:
    """The bundle with its entries in the order we write them in: order has no meaning."""
    entries = bundle["entry"]
    assert isinstance(entries, list)
    return {**bundle, "entry": sorted(entries, key=_place)}


def _place(entry: Json) -> tuple[str, str]:
    assert isinstance(entry, dict)
    return str(entry["resourceType"]), str(entry["id"])
