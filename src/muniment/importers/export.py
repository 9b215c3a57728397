"""Give the memories out in the form of another system, with a report of what that system cannot say.

The mirror of the readers: what is written here is what they read. Nothing that is there is ever overwritten.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import apsw

from muniment.compat.exchange.luggage import given_out
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.strict.values import Json, JsonObject
from muniment.engine import Memory
from muniment.importers.kinds import SourceKind
from muniment.importers.omp import DRAFTED, FORMAT
from muniment.importers.takeover import Loss
from muniment.model import times
from muniment.model.errors import Malformed
from muniment.model.query import Disclosure
from muniment.model.times import Instant
from muniment.model.user import user_name
from muniment.model.value import Value
from muniment.model.vocabulary import Kind, Label, Sensitivity

_DELICATE = frozenset({Sensitivity.PRIVATE, Sensitivity.CONFIDENTIAL, Sensitivity.SECRET})


class GivenOut(Value):
    """What was written: where, how many memories, what the target cannot say of them, how many are delicate."""

    kind: str
    target: str
    written: int
    lost: tuple[Loss, ...]
    delicate: int


class Outgoing(Value):
    """A record on its way out, as most systems would say it. `said` is what of it has a name elsewhere."""

    id: str
    text: str
    said: dict[str, str]
    tags: tuple[str, ...]
    entities: tuple[str, ...]
    relation: str | None = None
    revision: int = 1
    by_person: bool = False

    def get(self, name: str) -> str | None:
        return self.said.get(name)


Writer = Callable[[Path, Iterator[Outgoing]], None]


def give_out(memory: Memory, kind: SourceKind, target: Path, told: Iterable[Disclosure]) -> GivenOut:
    """Write these records as a store of another system. The target must not be there yet."""
    if kind not in WRITERS:
        raise Malformed("to", "one of " + ", ".join(WRITERS))
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise Malformed("output", "a file or folder that is not there yet: nothing is overwritten")
    if not target.parent.is_dir():
        raise Malformed("output", "a place in a folder that is there")
    counts: Counter[str] = Counter()

    def chosen() -> Iterator[Outgoing]:
        for one in told:
            carried, _ = given_out(memory, one, ())
            counts["written"] += 1
            counts["delicate"] += carried.claim.handling.sensitivity in _DELICATE
            counts.update(f"lost {what}" for what in _unsayable(carried, KEEPS[kind]))
            yield outgoing(carried)

    with tempfile.TemporaryDirectory(prefix=".muniment-", dir=target.parent) as folder:
        made = Path(folder) / target.name
        WRITERS[kind](made, chosen())
        if target.is_dir():
            target.rmdir()
        os.replace(made, target) if made.is_file() else shutil.move(made, target)
    return GivenOut(
        kind=kind.value,
        target=target.name,
        written=counts["written"],
        delicate=counts["delicate"],
        lost=tuple(
            Loss(what=what.removeprefix("lost "), count=count)
            for what, count in counts.most_common()
            if what.startswith("lost ")
        ),
    )


def _show(at: Instant | None) -> str | None:
    return times.show(at) if at is not None else None


def outgoing(carried: InterchangeRecord) -> Outgoing:
    claim = carried.claim
    said = {
        "author": carried.actor,
        "created": _show(carried.created_at),
        "updated": _show(carried.updated_at),
        "user": user_name(claim.place.user) if claim.place.user is not None else None,
        "namespace": claim.place.namespace.strip("/") or None,
        "session": claim.place.session_id,
        "source": claim.origin.source,
        "kind": claim.nature.kind.value if claim.nature.kind is not Kind.OBSERVATION else None,
        "valid_from": _show(claim.times.valid_from),
        "valid_until": _show(claim.times.valid_until),
        "expires": _show(claim.times.expires_at),
        "confidence": None if claim.belief.unstated else f"{claim.belief.score:g}",
    }
    brought = _brought(carried)
    tags = brought.get("tags")
    metadata = brought.get("metadata")
    relation = metadata.get("relationType") if isinstance(metadata, dict) else None
    return Outgoing(
        id=claim.origin.external_id or carried.id,
        text=claim.content,
        said={name: value for name, value in said.items() if value is not None},
        tags=tuple(one for one in tags if isinstance(one, str)) if isinstance(tags, list) else (),
        entities=claim.lineage.entities,
        relation=relation if isinstance(relation, str) else None,
        revision=carried.revision,
        by_person=carried.label is Label.PERSON,
    )


def _brought(carried: InterchangeRecord) -> JsonObject:
    """What came along from the system the record was taken over from."""
    for one in carried.claim.extensions:
        if one.name.startswith("import."):
            value: Json = json.loads(one.body)
            return value if isinstance(value, dict) else {}
    return {}


_EVERYTHING = frozenset(
    [
        "author",
        "created",
        "updated",
        "user",
        "namespace",
        "session",
        "source",
        "kind",
        "valid_from",
        "valid_until",
        "expires",
        "confidence",
        "entities",
    ]
)
KEEPS: dict[SourceKind, frozenset[str]] = {
    SourceKind.MEM0: _EVERYTHING,
    SourceKind.LANGGRAPH: _EVERYTHING,
    SourceKind.JSONL: _EVERYTHING - {"confidence", "entities"},
    SourceKind.CSV: _EVERYTHING - {"confidence", "entities"},
    SourceKind.COGX: _EVERYTHING - {"entities"},
    SourceKind.OBSIDIAN: _EVERYTHING - {"confidence", "entities"},
    SourceKind.BASIC_MEMORY: _EVERYTHING - {"confidence", "entities"},
    SourceKind.OMP: _EVERYTHING - {"confidence", "entities"},
    SourceKind.MCP_MEMORY: frozenset({"entities"}),
    SourceKind.LETTA: frozenset({"namespace"}),
}
"""What each target can say of a memory beside its text, where our readers find it again."""


def _unsayable(carried: InterchangeRecord, keeps: frozenset[str]) -> Iterator[str]:
    claim = carried.claim
    had = set(outgoing(carried).said) | ({"entities"} if claim.lineage.entities else set())
    yield from sorted(had - keeps)
    others = {
        "what it stands on and relates to": bool(claim.lineage.links),
        "evidence": bool(claim.belief.evidence) and claim.belief.evidence != (claim.origin.source,),
        "reasoning": claim.belief.reasoning is not None,
        "sensitivity": claim.handling.sensitivity is not Sensitivity.INTERNAL,
        "earlier revisions": carried.revision > 1,
        "who reviewed it": carried.reviewer is not None,
        "its place in a slot": claim.slot is not None,
    }
    yield from (what for what, is_lost in others.items() if is_lost)


def _lines(path: Path, values: Iterable[JsonObject]) -> None:
    with path.open("w", encoding="utf-8") as out:
        for value in values:
            out.write(json.dumps(value, ensure_ascii=False) + "\n")


def _write_mem0(path: Path, records: Iterator[Outgoing]) -> None:
    with path.open("w", encoding="utf-8") as out:
        out.write('{"results": [')
        for number, one in enumerate(records):
            placed = {"author", "created", "updated", "user", "session"}
            metadata: JsonObject = {name: said for name, said in one.said.items() if name not in placed}
            if one.entities:
                metadata["entities"] = list(one.entities)
            entry: JsonObject = {
                "id": one.id,
                "memory": one.text,
                "metadata": metadata,
                "created_at": one.get("created"),
                "updated_at": one.get("updated"),
                "user_id": one.get("user"),
                "run_id": one.get("session"),
                "actor_id": one.get("author"),
            }
            kept = {name: value for name, value in entry.items() if value is not None}
            out.write(f"{',' if number else ''}\n{json.dumps(kept, ensure_ascii=False)}")
        out.write("\n]}\n")


_STORE = (
    "CREATE TABLE store_migrations (v INTEGER PRIMARY KEY)",
    "INSERT INTO store_migrations VALUES (0), (1), (2), (3), (4)",
    "CREATE TABLE store (prefix text NOT NULL, key text NOT NULL, value text NOT NULL,"
    " created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,"
    " expires_at TIMESTAMP, ttl_minutes REAL, PRIMARY KEY (prefix, key))",
    "CREATE INDEX store_prefix_idx ON store (prefix)",
    "CREATE INDEX idx_store_expires_at ON store (expires_at) WHERE expires_at IS NOT NULL",
)


def _write_langgraph(path: Path, records: Iterator[Outgoing]) -> None:
    connection = apsw.Connection(str(path))
    for statement in _STORE:
        connection.execute(statement)
    connection.execute("BEGIN")
    for one in records:
        user, namespace = one.get("user"), one.get("namespace")
        shelf = f"users.{user.replace('.', '_')}" if user else (namespace or "memories").replace(".", "_")
        skipped = {"namespace"} if not user else set()
        value: JsonObject = {name: said for name, said in one.said.items() if name not in skipped}
        value |= {"content": one.text, "user_id": user} if user else {"content": one.text}
        value |= {"entities": list(one.entities)} if one.entities else {}
        connection.execute(
            "INSERT OR REPLACE INTO store VALUES (?, ?, ?, ?, ?, ?, NULL)",
            (
                shelf.replace("/", "."),
                one.id,
                json.dumps(value, ensure_ascii=False).encode(),
                _spaced(one.get("created")),
                _spaced(one.get("updated") or one.get("created")),
                _spaced(one.get("expires")),
            ),
        )
    connection.execute("COMMIT")
    connection.close()


def _spaced(at: str | None) -> str | None:
    """A time as LangGraph writes it: in UTC, to the second."""
    return at[:19].replace("T", " ") if at is not None else None


def _write_mcp(path: Path, records: Iterator[Outgoing]) -> None:
    """Observations are gathered by their first entity, so all of them are held at once: so does the server."""
    entities: dict[str, list[str]] = {}
    relations: list[JsonObject] = []
    for one in records:
        if one.relation is not None and len(one.entities) > 1:
            source, target = one.entities[0], one.entities[1]
            relations.append({"type": "relation", "from": source, "to": target, "relationType": one.relation})
            entities.setdefault(source, [])
            entities.setdefault(target, [])
            continue
        name = one.entities[0] if one.entities else one.get("user") or "memory"
        said = one.text.removeprefix(f"{name}: ")
        if said not in entities.setdefault(name, []):
            entities[name].append(said)
    listed: list[JsonObject] = [
        {"type": "entity", "name": name, "entityType": "memory", "observations": list(said)}
        for name, said in entities.items()
    ]
    _lines(path, [*listed, *relations])


def _write_letta(path: Path, records: Iterator[Outgoing]) -> None:
    """Memory blocks by namespace; a block holds 20,000 characters at most, so a long one goes on in the next."""
    blocks: list[JsonObject] = []
    texts: dict[str, list[str]] = {}
    for one in records:
        texts.setdefault(one.get("namespace") or "memories", []).append(" ".join(one.text.split()))
    for label, said in texts.items():
        value = ""
        number = 1
        for text in [*said, ""]:
            if value and (not text or len(value) + len(text) > 19_000):
                name = label if number == 1 else f"{label}_{number}"
                own = f"block-{len(blocks)}"
                blocks.append({"id": own, "label": name, "value": value.rstrip("\n"), "limit": 20_000})
                value, number = "", number + 1
            value += f"- {text}\n" if text else ""
    agent: JsonObject = {
        "id": "agent-0",
        "name": "muniment",
        "agent_type": "letta_v1_agent",
        "system": "",
        "block_ids": [str(one["id"]) for one in blocks],
        "tool_ids": [],
        "source_ids": [],
        "messages": [],
        "in_context_message_ids": [],
    }
    left: JsonObject = {"groups": [], "files": [], "sources": [], "tools": [], "mcp_servers": [], "metadata": {}}
    path.write_text(json.dumps({"agents": [agent], "blocks": list(blocks), **left}, ensure_ascii=False, indent=1))


def _write_cogx(path: Path, records: Iterator[Outgoing]) -> None:
    path.mkdir()
    count = 0

    def memories() -> Iterator[JsonObject]:
        nonlocal count
        for one in records:
            count += 1
            scope = {"user_id": one.get("user"), "session_id": one.get("session")}
            placed = {"user", "session", "created", "updated"}
            metadata: JsonObject = {name: said for name, said in one.said.items() if name not in placed}
            entry: JsonObject = {
                "kind": "memory",
                "external_system": "muniment",
                "external_id": one.id,
                "content": one.text,
                "categories": list(one.tags),
                "scope": {name: said for name, said in scope.items() if said is not None},
                "created_at": one.get("created"),
                "updated_at": one.get("updated"),
                "metadata": metadata,
            }
            yield {name: value for name, value in entry.items() if value is not None}

    _lines(path / "memories.jsonl", memories())
    manifest: JsonObject = {"cogx_version": "0.1", "source_system": "muniment", "counts": {"memory": count}}
    manifest["notes"] = ["Read in preserve mode, cognee keeps memories that its own export does not give back."]
    (path / "manifest.json").write_text(json.dumps(manifest, indent=1))


_UNSAFE = re.compile(r"[^\w -]+")


def _folder_of(namespace: str | None) -> str:
    parts = [_UNSAFE.sub("", part).strip(" .") for part in (namespace or "").split("/")]
    return "/".join(part[:64] for part in parts if part)


def slug(one: Outgoing) -> str:
    words = "-".join(_UNSAFE.sub(" ", one.text.lower()).split()[:6])[:48].strip("-")
    own = re.sub(r"[^A-Za-z0-9]", "", one.id)[-12:]
    return f"{words}-{own}" if words else own


def note_of(one: Outgoing, body: str, **more: str) -> str:
    """A note with properties. A JSON text is a YAML text, so no value can be read as anything else."""
    head = {"id": one.id, **more, **one.said}
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in head.items()]
    lines += [f"tags: {json.dumps(list(one.tags), ensure_ascii=False)}"] if one.tags else []
    return "---\n" + "\n".join(lines) + f"\n---\n{body}\n"


def _notes(
    path: Path, records: Iterator[Outgoing], write: Callable[[Outgoing], str]
) -> Iterator[tuple[Path, Outgoing]]:
    path.mkdir()
    for one in records:
        target = path / _folder_of(one.get("namespace")) / f"{slug(one)}.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        while target.exists():
            target = target.with_name(f"{target.stem}-2.md")
        target.write_text(write(one), encoding="utf-8")
        yield target, one


def _write_obsidian(path: Path, records: Iterator[Outgoing]) -> None:
    for _ in _notes(path, records, lambda one: note_of(one, one.text)):
        pass


def _write_basic(path: Path, records: Iterator[Outgoing]) -> None:
    def write(one: Outgoing) -> str:
        title = " ".join(one.text.split()[:8])
        return note_of(one, one.text, title=title, type="note", permalink=one.id)

    for _ in _notes(path, records, write):
        pass


def _write_exchange(path: Path, records: Iterator[Outgoing]) -> None:
    """An exchange of the draft's semantic core. What is not in it is not said to be gone."""
    objects: list[JsonObject] = []
    for one in records:
        placed = {"user", "session", "author", "created", "valid_from", "valid_until", "expires"}
        user = one.get("user")
        context: JsonObject = {"user": user} if user is not None else {}
        person = one.by_person
        rule: JsonObject = {"principals": [user], "actions": ["read"], "resources": ["*"], "constraints": {}}
        objects.append(
            {
                "ref": {"authority": "muniment", "namespace": one.get("namespace") or "memory", "local_id": one.id},
                "revision_id": one.id if one.revision == 1 else f"{one.id}@{one.revision}",
                "predecessor": None,
                "role": "human_assertion" if person else "machine_derived",
                "text": one.text,
                "scope": {
                    "subject": user,
                    "owner": user,
                    "author": one.get("author") if person else None,
                    "agent": None if person else one.get("author"),
                    "origin_system": "muniment",
                    "context": context,
                },
                "policy": {"rules": [rule] if user is not None else [], "required": user is not None},
                "derivation": None if person else {"activity": "unknown", "used": [], "unknown": True},
                "recorded_at": one.get("created"),
                "applies_from": one.get("valid_from"),
                "applies_until": one.get("valid_until"),
                "expires_at": one.get("expires"),
                "extensions": {f"muniment.{name}": said for name, said in one.said.items() if name not in placed},
            }
        )
    digest = hashlib.sha256(json.dumps(objects, sort_keys=True).encode()).hexdigest()
    manifest: JsonObject = {
        "format_version": FORMAT,
        "source_system": "muniment",
        "exchange_id": digest[:32],
        "profiles": [],
        "object_kinds": [*sorted({str(one["role"]) for one in objects})],
        "complete_snapshot": False,
        "required_extensions": [],
        "transfer_intent": "copy",
        "notes": [f"draft of {DRAFTED}"],
    }
    whole: JsonObject = {"manifest": manifest, "objects": list(objects), "events": []}
    path.write_text(json.dumps(whole, ensure_ascii=False, indent=1))


def _write_omp(path: Path, records: Iterator[Outgoing]) -> None:
    """The exchange document where the target is named as JSON, else the directory."""
    write = _write_exchange if path.suffix == ".json" else _write_omp_directory
    write(path, records)


def _write_omp_directory(path: Path, records: Iterator[Outgoing]) -> None:
    """An OMP directory: each folder has a `MEMORY.md` that lists what is in it."""
    index: dict[Path, list[str]] = {path: []}
    for target, one in _notes(path, records, lambda one: note_of(one, one.text)):
        described = " ".join(one.text.split())[:100].replace("[", "(").replace("]", ")")
        index.setdefault(target.parent, []).append(f"- [{described}]({target.name})")
        for parent in target.parent.relative_to(path).parents:
            index.setdefault(path / parent, [])
    for folder, said in sorted(index.items()):
        inner = [
            f"- [{one.name}]({one.name}/MEMORY.md)" for one in sorted(index) if one.parent == folder and one != path
        ]
        (folder / "MEMORY.md").write_text("# Memory\n\n" + "\n".join([*inner, *said]) + "\n", encoding="utf-8")


_COLUMNS = ("id", "text", "author", "created_at", "updated_at", "user", "namespace", "session", "source", "kind")
_RENAMED = {"created": "created_at", "updated": "updated_at", "expires": "expires_at"}


def _row(one: Outgoing) -> JsonObject:
    said = {_RENAMED.get(name, name): value for name, value in one.said.items() if name != "confidence"}
    return {"id": one.id, "text": one.text, **said}


def _write_jsonl(path: Path, records: Iterator[Outgoing]) -> None:
    _lines(path, map(_row, records))


def _write_csv(path: Path, records: Iterator[Outgoing]) -> None:
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, [*_COLUMNS, "valid_from", "valid_until", "expires_at"], restval="")
        writer.writeheader()
        writer.writerows(map(_row, records))


WRITERS: dict[SourceKind, Writer] = {
    SourceKind.MEM0: _write_mem0,
    SourceKind.LANGGRAPH: _write_langgraph,
    SourceKind.MCP_MEMORY: _write_mcp,
    SourceKind.LETTA: _write_letta,
    SourceKind.COGX: _write_cogx,
    SourceKind.OBSIDIAN: _write_obsidian,
    SourceKind.BASIC_MEMORY: _write_basic,
    SourceKind.OMP: _write_omp,
    SourceKind.JSONL: _write_jsonl,
    SourceKind.CSV: _write_csv,
}
"""The systems that can read a store back."""
