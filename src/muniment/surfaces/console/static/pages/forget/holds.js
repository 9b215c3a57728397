// Holds: what must not be erased, whoever asks, until somebody lifts it.

import { get, post } from "../../core/api.js";
import { h } from "../../core/dom.js";
import { session } from "../../core/session.js";
import { area, button, field } from "../../parts/controls.js";
import { ask } from "../../parts/dialog.js";
import { short, when, who } from "../../parts/marks.js";
import { nothing, told } from "../../parts/notices.js";
import { paged } from "../../parts/paged.js";
import { quoted, said } from "../../parts/said.js";
import { meant, target } from "./target.js";

const PAGE = 20;

/** The holds that stand, with placing and lifting. `show(id)` brings one into view. */
export function holds(signal) {
  const barred = session.barred("hold");
  const list = barred ? h("p.none", null, barred) : paged({
    label: "Holds",
    load: async (cursor) => {
      const answer = await get("/api/holds", { cursor, limit: PAGE }, { signal });
      return { rows: answer.holds, next: answer.next };
    },
    row: (hold) => row(hold, () => list.reload(), signal),
    empty: nothing("Nothing is on hold", "A hold keeps a record, or everything of a subject, source, actor or session, from being erased: also what is written later."),
  });
  const element = h("section", { "aria-labelledby": "holds" },
    h("div.section-head", null, h("h2#holds", null, "Holds"), button("Place a hold …", async () => (await place(signal)) && list.reload(), { right: "hold" })),
    h("p.lead", null, "What is on hold cannot be erased by anybody."), list);
  element.show = (id) => {
    const found = list.querySelector(`[data-hold="${CSS.escape(id)}"]`) ?? element.querySelector("h2");
    found.tabIndex = -1;
    found.focus();
    found.scrollIntoView({ block: "center" });
  };
  return element;
}

function row(hold, again, signal) {
  const lifting = async () => (await lift(hold, signal)) && again();
  return h("li.certificate", { "data-hold": hold.id },
    h("div", null, h("div", null, `Everything of ${meant(hold.target.by)}: `.replace("Everything of a record", "A record"), h("b", null, quoted(hold.target.value))), said(hold.reason, { by: hold.actor, short: true }),
      h("div.row-line", null, who(hold.actor), when(hold.at), h("span.id", { title: hold.id }, short(hold.id)))),
    h("div.actions", null, button("Lift …", lifting, { right: "hold" })));
}

function place(signal) {
  const which = target();
  const reason = area({ rows: 2 });
  const act = async () => {
    const placed = await post("/api/holds", { ...which.read(), reason: reason.value.trim() }, { signal });
    told(`The hold is placed (${short(placed.id)}). You can lift it at any time.`);
    return placed;
  };
  const body = [h("p", null, "From then on it cannot be erased, and neither can what is written about it later. A hold on a subject keeps that name until it is lifted."),
    which.element, field("Why", reason, { hint: "Kept with the hold and in the ledger. Name a case, never the person." })];
  return ask("Place a hold", body, { confirm: "Place the hold", act, ready: () => Boolean(which.read() && reason.value.trim()) });
}

function lift(hold, signal) {
  const reason = area({ rows: 2 });
  const act = async () => {
    const ended = await post(`/api/holds/${encodeURIComponent(hold.id)}/lifting`, { reason: reason.value.trim() }, { signal });
    told("The hold is lifted. What it kept can be erased now; nothing was.");
    return ended;
  };
  const body = [h("p", null, "What it keeps can be erased afterwards, by those who may. Nothing is erased by lifting it, and a new hold can be placed."),
    h("p", null, h("b", null, quoted(hold.target.value)), " is on hold because"), said(hold.reason, { by: hold.actor }), field("Why it may end", reason)];
  return ask("Lift the hold", body, { confirm: "Lift it", act, ready: () => Boolean(reason.value.trim()) });
}
