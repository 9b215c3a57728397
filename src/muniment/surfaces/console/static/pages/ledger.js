// The ledger, for those who audit: what was written, what was signed, whether it still holds.

import { get } from "../core/api.js";
import { h } from "../core/dom.js";
import { count, exact } from "../core/format.js";
import { here, mark } from "../core/router.js";
import { session } from "../core/session.js";
import { tabs } from "../parts/controls.js";
import { nothing } from "../parts/notices.js";
import { deniedTab } from "./ledger/denied.js";
import { entriesTab } from "./ledger/entries.js";
import { keysTab } from "./ledger/keys.js";
import { checkpointsTab } from "./ledger/checkpoints.js";
import { verifyTab } from "./ledger/verify.js";

export async function open(view, { query, signal }) {
  const lead = h("p.lead", null, "Every change of this memory, in order, each entry bound to the one before it by a hash. What was said is not in here, only what was done.");
  view.append(h("header", null, h("h1", null, "Ledger")), lead);
  const why = session.barred("audit");
  if (why) return view.append(barred(why));
  const head = await get("/api/ledger/head", {}, { signal });
  lead.append(` It stands at entry ${count(head.seq)}, of ${exact(head.at)}.`);
  const at = Number(query.get("at")) || null;
  return view.append(tabs("Parts of the ledger", [
    ["entries", "Entries", () => entriesTab(head, at, signal)],
    ["checkpoints", "Checkpoints", () => checkpointsTab(signal)],
    ["verify", "Verify", () => verifyTab(signal)],
    ["keys", "Head and keys", () => keysTab(signal)],
    ["denied", "Denied calls", () => deniedTab(signal)],
  ], { open: query.get("tab") ?? "entries", onopen: (tab) => mark({ ...Object.fromEntries(here().query), tab: tab === "entries" ? null : tab }) }));
}

function barred(why) {
  return nothing("The ledger is for those who audit", why,
    "Whoever keeps the vault can give you a key that may: ", h("code", null, "muniment keys create NAME --grant read --grant audit"),
    ". The policy must also give you the action ", h("code", null, "audit"), ".");
}
