"""A lineage and a store's counts as HTML pages that need nothing else. Every text is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from muniment.compat.memledger.audit import AuditEntry
from muniment.compat.memledger.models import MemoryRecord
from muniment.contracts.strict.values import Json, JsonObject

_STYLE = "body{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto}td,th{padding:.2rem .8rem;text-align:left}"


def render_lineage_html(lineage: JsonObject, audit_entries: Sequence[AuditEntry] = ()) -> str:
    """What `get_lineage` tells, as a page."""
    record = lineage.get("record")
    name = record.get("content") if isinstance(record, dict) else lineage.get("error")
    parts = [
        _table("Replaced", ("id", "status", "content"), lineage.get("supersedes_chain")),
        _table("Derived from it", ("id", "status", "content"), lineage.get("derived_records")),
        _audit(audit_entries),
    ]
    return _page(str(name), [f"<p>written by {_text(lineage.get('created_by'))}</p>", *parts])


def render_dashboard_html(
    stats: JsonObject, records: Sequence[MemoryRecord], audit_entries: Sequence[AuditEntry] = ()
) -> str:
    """What `stats` counts and some records, as a page."""
    counts = [f"<p>{_text(stats.get('total_count'))} records</p>"]
    shown: Json = [record.to_dict() for record in records]
    table = _table("Records", ("id", "record_type", "namespace", "confidence", "quality_score", "content"), shown)
    return _page("Memory", [*counts, table, _audit(audit_entries)])


def _audit(entries: Sequence[AuditEntry]) -> str:
    lines = "".join(f"<li>{escape(entry.summary())}</li>" for entry in entries)
    return f"<h2>Audit</h2><ul>{lines}</ul>" if lines else ""


def _table(title: str, columns: Sequence[str], rows: Json) -> str:
    found = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    head = "".join(f"<th>{name}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{_text(row.get(name))}</td>" for name in columns) + "</tr>" for row in found)
    return f"<h2>{title}</h2><table><tr>{head}</tr>{body}</table>" if body else ""


def _text(value: Json) -> str:
    return escape("" if value is None else str(value))


def _page(title: str, parts: Sequence[str]) -> str:
    name = escape(title)
    head = f'<meta charset="utf-8"><title>{name}</title><style>{_STYLE}</style>'
    return f"<!doctype html><html><head>{head}</head><body><h1>{name}</h1>{''.join(parts)}</body></html>"
