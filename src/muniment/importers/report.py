"""The audit as a page: one file, no script, nothing from outside, plots as drawings in it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from muniment.importers.audit import MEANINGS, Audit, Counted, Trouble
from muniment.model import times

_STYLE = """
:root{color-scheme:light dark;--ink:#1d2430;--dim:#5d6675;--line:#d9dee6;--paper:#fff;--soft:#f4f6f9;--good:#1a7f5a;
--warn:#b56a00;--bad:#b3261e;--bar:#3867b7}
@media(prefers-color-scheme:dark){:root{--ink:#e7ebf2;--dim:#a3adbd;--line:#343c4a;--paper:#141922;--soft:#1c232f;
--good:#4cc296;--warn:#e5a84b;--bad:#f0857d;--bar:#7ea6ee}}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:1080px;margin:0 auto;padding:32px 20px 64px}h1{font-size:26px;margin:0}
h2{font-size:18px;margin:36px 0 12px}
p{margin:6px 0;color:var(--dim)}.top{display:flex;gap:28px;align-items:center;flex-wrap:wrap}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin-top:20px}
.card{background:var(--soft);border:1px solid var(--line);border-radius:10px;padding:12px 14px}
.card b{display:block;font-size:24px;font-variant-numeric:tabular-nums}.card span{color:var(--dim);font-size:14px}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(320px,1fr));gap:28px}
table{border-collapse:collapse;width:100%;font-size:15px}
th,td{text-align:left;padding:8px 10px 8px 0;vertical-align:top;
border-bottom:1px solid var(--line)}th{color:var(--dim);font-weight:600}td.n{text-align:right;
font-variant-numeric:tabular-nums;white-space:nowrap}code{font:14px/1.4 ui-monospace,monospace;overflow-wrap:anywhere}
.scroll{overflow-x:auto}svg text{fill:var(--ink);font:14px system-ui,sans-serif}svg .dim{fill:var(--dim)}
.good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}
"""


def page(audit: Audit, source: str) -> str:
    """The whole report as HTML. Every word of the source is escaped."""
    span = ""
    if audit.first is not None and audit.last is not None:
        span = f"{times.show(audit.first)[:10]} to {times.show(audit.last)[:10]}"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>Memory audit: {escape(source)}</title><style>{_STYLE}</style></head><body><main>"
        f'<div class="top">{_dial(audit.score)}<div><h1>Memory audit</h1>'
        f"<p><code>{escape(source)}</code>, read as {escape(audit.kind)}</p>"
        f"<p>{audit.records:,} memories{f', {span}' if span else ''}. {_sentence(audit)}</p></div></div>"
        f"{_cards(audit)}"
        f"<h2>What was found</h2>{_troubles(audit)}"
        f"<h2>When they were written</h2>{_months(audit.months)}"
        f'<div class="two"><section><h2>Who wrote them</h2>{_bars(audit.authors, "No memory names its author.")}'
        f"</section><section><h2>Whose they are</h2>{_bars(audit.users, 'No memory names its user.')}</section></div>"
        f"<h2>Secrets and personal data, by sort</h2>{_bars(audit.sorts, 'None found.')}"
        f"<h2>How the score is made</h2>{_score(audit)}"
        f"<h2>Look at these first</h2>{_worst(audit)}"
        f"{_rest(audit)}"
        "<p>Secrets are taken out of every excerpt. Deleted text is not shown, only where it lies.</p>"
        "</main></body></html>\n"
    )


def _sentence(audit: Audit) -> str:
    worst = max(audit.parts, key=lambda part: part.cost, default=None)
    if worst is None or worst.cost == 0:
        return "Nothing was found that costs the score."
    return f"Most costly: {_named(worst.trouble)} ({worst.found:,})."


def _tone(score: float) -> str:
    return "good" if score >= 80 else "warn" if score >= 50 else "bad"


def _dial(score: float) -> str:
    """The score as a ring."""
    around = 2 * 3.14159 * 52
    tone = _tone(score)
    return (
        f'<svg width="132" height="132" viewBox="0 0 132 132" role="img" aria-label="score {score:g} of 100">'
        '<circle cx="66" cy="66" r="52" fill="none" stroke="var(--line)" stroke-width="12"/>'
        f'<circle cx="66" cy="66" r="52" fill="none" stroke="var(--{tone})" stroke-width="12" stroke-linecap="round" '
        f'stroke-dasharray="{around * score / 100:.1f} {around:.1f}" transform="rotate(-90 66 66)"/>'
        f'<text x="66" y="72" text-anchor="middle" style="font-size:30px;font-weight:700">{score:g}</text>'
        '<text x="66" y="92" text-anchor="middle" class="dim">of 100</text></svg>'
    )


def _cards(audit: Audit) -> str:
    shown = (
        Trouble.SECRETS,
        Trouble.INSTRUCTIONS,
        Trouble.CONTRADICTIONS,
        Trouble.DUPLICATES,
        Trouble.ECHOES,
        Trouble.DELETED_RESIDUE,
    )
    cards = "".join(
        f'<div class="card"><b class="{"bad" if audit.found(one) else "good"}">{audit.found(one):,}</b>'
        f"<span>{_named(one)}</span></div>"
        for one in shown
    )
    return f'<div class="cards">{cards}</div>'


def _named(trouble: Trouble) -> str:
    return trouble.value.replace("-", " ")


def _troubles(audit: Audit) -> str:
    """Every trouble as a bar of its share, on one scale."""
    rows = [(one, audit.found(one)) for one in Trouble]
    most = max(1, audit.records, *(count for _, count in rows))
    height = 30
    drawn = []
    for at, (one, count) in enumerate(rows):
        y = at * height
        wide = 0 if not count else max(3.0, 520 * count / most)
        tone = "var(--bad)" if count else "var(--line)"
        drawn.append(
            f'<text x="0" y="{y + 20}">{_named(one)}</text>'
            f'<rect x="180" y="{y + 7}" width="{wide:.1f}" height="16" rx="3" fill="{tone}"/>'
            f'<text x="{190 + wide:.1f}" y="{y + 20}" class="dim">{count:,}</text>'
            f"<title>{_named(one)}: {count:,} {escape(MEANINGS[one])}</title>"
        )
    label = ", ".join(f"{_named(one)} {count}" for one, count in rows)
    return (
        f'<div class="scroll"><svg width="790" height="{len(rows) * height}" role="img" '
        f'aria-label="{escape(label)}">{"".join(f"<g>{one}</g>" for one in drawn)}</svg></div>'
    )


def _months(months: tuple[Counted, ...]) -> str:
    """How many were written in each month; of a long time the last five years."""
    shown = months[-60:]
    if not shown:
        return "<p>No memory says when it was written.</p>"
    most = max(one.count for one in shown)
    step = max(14, min(64, 960 // len(shown)))
    drawn = []
    for at, one in enumerate(shown):
        tall = max(2.0, 130 * one.count / most)
        drawn.append(
            f'<g><title>{escape(one.name)}: {one.count:,}</title><rect x="{at * step + 2}" y="{150 - tall:.1f}" '
            f'width="{step - 4}" height="{tall:.1f}" rx="2" fill="var(--bar)"/></g>'
        )
    every = max(1, len(shown) * 70 // max(1, len(shown) * step))
    names = "".join(
        f'<text x="{at * step + 2}" y="172" class="dim">{escape(one.name)}</text>'
        for at, one in enumerate(shown)
        if at % (every + 1 if step < 64 else 1) == 0
    )
    wide = len(shown) * step + 60
    return (
        f'<div class="scroll"><svg width="{wide}" height="180" role="img" '
        f'aria-label="memories by month, at most {most:,}">{"".join(drawn)}{names}'
        f'<line x1="0" y1="150.5" x2="{wide}" y2="150.5" stroke="var(--line)"/></svg></div>'
    )


def _bars(counted: tuple[Counted, ...], none: str) -> str:
    if not counted:
        return f"<p>{none}</p>"
    shown, most = counted[:10], counted[0].count
    drawn = []
    for at, one in enumerate(shown):
        y = at * 40
        name = one.name if len(one.name) <= 40 else one.name[:39] + "…"
        wide = max(3.0, 330 * one.count / most)
        drawn.append(
            f'<text x="0" y="{y + 14}">{escape(name)}</text>'
            f'<rect x="0" y="{y + 20}" width="{wide:.1f}" height="10" rx="3" fill="var(--bar)"/>'
            f'<text x="{wide + 8:.1f}" y="{y + 30}" class="dim">{one.count:,}</text>'
        )
    more = f"<p>and {len(counted) - 10} more</p>" if len(counted) > 10 else ""
    return f'<svg width="420" height="{len(shown) * 40}" role="img">{"".join(drawn)}</svg>{more}'


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    top = "".join(f"<th>{escape(one)}</th>" for one in head)
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def _score(audit: Audit) -> str:
    rows = (
        (
            f"<td>{_named(part.trouble)}</td><td>{escape(MEANINGS[part.trouble])}</td>",
            f'<td class="n">{part.found:,}</td><td class="n">−{part.cost:g} of {part.most}</td>',
        )
        for part in audit.parts
    )
    return _table(("", "memories that …", "found", "points"), rows)


def _worst(audit: Audit) -> str:
    if not audit.worst:
        return "<p>No memory has more against it than that it does not say who wrote it, when or on what grounds.</p>"
    rows = (
        (
            f"<td><code>{escape(one.place)}</code></td>",
            f"<td>{'<br>'.join(escape(why) for why in one.why)}</td>",
            f"<td>{escape(one.excerpt) or '<i>deleted text, not shown</i>'}</td>",
        )
        for one in audit.worst
    )
    return _table(("where", "why", "excerpt"), rows)


def _rest(audit: Audit) -> str:
    told = ""
    if audit.unread:
        rows = ((f"<td><code>{escape(one.place)}</code></td><td>{escape(one.message)}</td>",) for one in audit.unread)
        told += f"<h2>Could not be read</h2>{_table(('where', 'what is wrong'), rows)}"
    if audit.unsaid:
        rows = ((f"<td><code>{escape(one.place)}</code></td><td>{escape(one.what)}</td>",) for one in audit.unsaid)
        told += f"<h2>Not looked at</h2>{_table(('where', 'what'), rows)}"
    return told
