// The figures on top: each says how much, and leads to where it can be seen.

import { h } from "../../core/dom.js";
import { bytes, count, many } from "../../core/format.js";
import { session } from "../../core/session.js";
import { when } from "../../parts/marks.js";

/** Figures of `stats`, and of `used` (what the activity says of now) as soon as it is there. */
export function figures(stats, used) {
  const today = used?.today ?? null;
  const told = [
    figure("#/search", count(stats.current), "records hold", gone(stats.revisions)),
    stats.held === null ? null : figure("#/queue", count(stats.held), "wait for a person", stats.held && used?.oldest ? ["the oldest since ", when(used.oldest)] : null),
    figure("#/conflicts", count(stats.open_conflicts), stats.open_conflicts === 1 ? "conflict is open" : "conflicts are open"),
    stats.receipts === null ? null : figure("#/receipts", today ? count(today.recalls) : "…", "recalls today", `${many(stats.receipts, "receipt")} in all`),
    stats.entries === null ? null : figure("#/ledger", count(stats.entries), "entries in the ledger"),
    stats.bytes === null ? null : figure("#/ledger?tab=keys", bytes(stats.bytes), "on disk", onDisk(stats)),
    stats.vectors_trailing === null ? null : figure("#/search", count(stats.vectors_trailing), "entries without vectors", background(stats)),
  ];
  const why = session.barred("audit");
  return [h("ul.figures-row", { "aria-label": "How much there is" }, told), why ? h("p.none", null, `What waits, how often it is asked, the ledger, the size and the plots over time are left out. ${why}`) : null];
}

function figure(href, number, words, note = null) {
  return h("li", null, h("a.figure", { href }, h("b", null, number), h("span", null, words), note ? h("small", null, note) : null));
}

/** What the disk holds beside records: the share of receipts, the write-ahead log, and the read that keeps it long. */
function onDisk({ bytes: all, receipts_bytes: receipts, wal_bytes: log, oldest_read_s: oldest }) {
  const share = all ? Math.round((100 * receipts) / all) : 0;
  const open = oldest >= 1 ? `, oldest open read ${count(Math.round(oldest))} s` : "";
  return `receipts ${share} %, log ${bytes(log)}${open}`;
}

/** How fast vectors are made, and whether background work had to be started again. */
function background({ vectors_per_s: rate, background_restarts: restarts }) {
  return `${rate.toFixed(1)} vectors per second${restarts ? `, background work restarted ${many(restarts, "time")}` : ""}`;
}

/** How many revisions hold no longer, and why not, the most first. */
function gone(revisions) {
  const ended = Object.entries(revisions).filter(([state, number]) => number && !["active", "contested", "held"].includes(state));
  const contested = revisions.contested ? [["contested", revisions.contested]] : [];
  const most = [...contested, ...ended.sort(([, one], [, other]) => other - one)].slice(0, 2);
  return most.length ? most.map(([state, number]) => `${count(number)} ${state}`).join(", ") : null;
}
