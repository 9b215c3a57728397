// What an auditor takes along: the head of the ledger, and the public keys it was signed with.

import { get } from "../../core/api.js";
import { h } from "../../core/dom.js";
import { count, exact } from "../../core/format.js";
import { session } from "../../core/session.js";
import { button } from "../../parts/controls.js";
import { save } from "../../parts/files.js";
import { facts } from "../../parts/marks.js";
import { later, told } from "../../parts/notices.js";

export function keysTab(signal) {
  const heads = later(h("div"), () => get("/api/ledger/head", {}, { signal }), headCard);
  const keys = later(h("div"), () => get("/api/ledger/keys", {}, { signal }), (found) => keysCard(found, signal));
  const place = h("div.ledger-keys");
  Promise.all([heads, keys]).then((both) => place.append(...both));
  return place;
}

function headCard(head) {
  return h("section.card", null, h("h2", null, "The head"),
    h("p", null, "Where the chain ends: a position and a hash, and nothing of what was said. A vault that was set back to an older copy is sound in itself; only a head that was kept ",
      h("b", null, "elsewhere"), " tells. Keep one now and then where nobody who can write to the vault can reach it: on another machine, in a ticket, on paper. Later, give it to ",
      h("a", { href: "#/ledger?tab=verify" }, "Verify"), ", or to ", h("code", null, "muniment ledger verify --anchor head.json"), "."),
    facts([["Entry", count(head.seq)], ["Written", exact(head.at)], ["Hash", h("code", null, head.hash)]]),
    h("p.actions", null, button("Download the head", () => {
      save(`head-${head.tenant}-${head.seq}.json`, JSON.stringify({ tenant: head.tenant, seq: head.seq, hash: head.hash, at: head.at }));
      told("Saved. Keep it away from the vault.");
    }, { tone: "main" })));
}

function keysCard({ keys }, signal) {
  return h("section.card", null, h("h2", null, "The public keys"),
    h("p", null, "Checkpoints and certificates of erasure are signed. With these keys anybody can check them without the vault: ", h("code", null, "muniment checkpoint verify checkpoint.json --key keys.json"), "."),
    h("ul.rows", null, keys.map(({ key, since, pem }, place) => h("li", null,
      h("p", null, place === keys.length - 1 ? h("b", null, "In force") : "Before", ` since entry ${count(since)}`),
      h("pre", { tabindex: "0", "aria-label": `Public key since entry ${since}` }, pem), h("small", null, key)))),
    h("p.actions", null, button("Download the keys", () => takeKeys(keys, signal), { tone: "main" })));
}

/** The line of keys as `muniment signing export` writes it: each later key with the two signatures that brought it in. */
async function takeKeys(keys, signal) {
  try {
    const line = await Promise.all(keys.map(async ({ key, since }) => ({ key, since, handover: await handoverOf(since, signal) })));
    save("keys.json", JSON.stringify({ tenant: session.caller.tenant, keys: line }));
    told("Saved.");
  } catch (error) {
    told(`Not saved: ${error.message}`, { tone: "warn" });
  }
}

async function handoverOf(seq, signal) {
  const { entries } = await get("/api/ledger/entries", { first: seq, last: seq }, { signal });
  const signed = entries[0]?.handover;
  return signed ? { after: signed.handover.after, by_old: signed.by_old, by_new: signed.by_new } : null;
}
