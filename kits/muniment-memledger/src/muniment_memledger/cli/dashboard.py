"""A lineage and a store's counts as HTML pages that need nothing else. Every text is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from muniment.contracts.strict.values import Json, JsonObject
from muniment_memledger.records import MemoryRecord
from muniment_memledger.strategies.audit import AuditEntry

_STYLE = "body{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto}td,th{padding:.2rem .8rem;text-align:left}"


def render_lineage_html(lineage: JsonObject, audit_entries: Sequence[AuditEntry] = ()) -> str:
    """What `get_lineage` tells, as a page."""
    record = lineage.get("record")
    if not isinstance(record, dict):
        return _page("Lineage", "Memledger · Lineage", [f"<p>Error: {_text(lineage.get('error'))}</p>"])
    short = _text(record.get("id"))[:8]
    about = {
        "ID": record.get("id"),
        "Type": record.get("record_type"),
        "Status": record.get("status"),
        "Confidence": lineage.get("confidence"),
        "Created": record.get("created_at"),
        "Created by": lineage.get("created_by"),
        "Workflow": lineage.get("workflow_id"),
        "Triggered by": lineage.get("triggered_by"),
    }
    told = "".join(f"<dt>{name}</dt><dd>{_text(value)}</dd>" for name, value in about.items() if value is not None)
    parts = [
        f"<dl>{told}</dl><blockquote>{_text(record.get('content'))}</blockquote>",
        _table("Replaced", ("id", "status", "content"), lineage.get("supersedes_chain")),
        _table("Derived from it", ("id", "status", "content"), lineage.get("derived_records")),
        _audit(audit_entries),
    ]
    return _page(f"Memory Lineage {short}", f"Memledger · Lineage · {short}", parts)


def render_dashboard_html(
    stats: JsonObject, records: Sequence[MemoryRecord], audit_entries: Sequence[AuditEntry] = ()
) -> str:
    """What `stats` counts and some records, as a page."""
    counts = [f"<p>{_text(stats.get('total_count'))} records</p>"]
    shown: Json = [record.to_dict() for record in records]
    table = _table("Records", ("id", "record_type", "namespace", "confidence", "quality_score", "content"), shown)
    return _page("Memledger Dashboard", "Memledger · Dashboard", [*counts, table, _audit(audit_entries)])


def _audit(entries: Sequence[AuditEntry]) -> str:
    lines = "".join(f"<li>{escape(entry.summary())}</li>" for entry in entries)
    return f"<h2>Audit Trail</h2><ul>{lines}</ul>" if lines else ""


def _table(title: str, columns: Sequence[str], rows: Json) -> str:
    found = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    head = "".join(f"<th>{name}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{_text(row.get(name))}</td>" for name in columns) + "</tr>" for row in found)
    return f"<h2>{title}</h2><table><tr>{head}</tr>{body}</table>" if body else ""


def _text(value: Json) -> str:
    return escape("" if value is None else str(value))


def _page(heading: str, title: str, parts: Sequence[str]) -> str:
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
    return f"<!doctype html><html><head>{head}</head><body><h1>{escape(heading)}</h1>{''.join(parts)}</body></html>"
