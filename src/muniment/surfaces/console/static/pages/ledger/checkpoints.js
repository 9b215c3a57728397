// Signed checkpoints: where the ledger and the log of receipts stood, under which key, and one more on request.

import { get, post } from "../../core/api.js";
import { h } from "../../core/dom.js";
import { count, exact, many } from "../../core/format.js";
import { button } from "../../parts/controls.js";
import { ask } from "../../parts/dialog.js";
import { jsonBlock } from "../../parts/files.js";
import { facts, when } from "../../parts/marks.js";
import { nothing, told } from "../../parts/notices.js";
import { paged } from "../../parts/paged.js";

export function checkpointsTab(signal) {
  const list = paged({
    label: "Checkpoints, the last one first",
    load: async (cursor) => {
      const { checkpoints, next } = await get("/api/ledger/checkpoints", { cursor, limit: 25 }, { signal });
      return { rows: checkpoints, next };
    },
    row,
    empty: nothing("Nothing was signed yet", "A checkpoint is signed when the memory is closed, every so many entries, and when somebody asks for one here or with:", h("code", null, "muniment ledger checkpoint")),
    more: "Show earlier checkpoints",
  });
  return h("div", null,
    h("p", null, "A checkpoint is a signed statement of how far the ledger had come and what its hash was then. Nothing before it can be cut off or changed without that being seen."),
    h("p", null, button("Sign one now …", () => signOne(list, signal), { right: "audit", tone: "main" })),
    list);
}

async function signOne(list, signal) {
  const head = await get("/api/ledger/head", {}, { signal });
  const body = [
    h("p", null, `The server signs where the ledger stands now: entry ${count(head.seq)}, of ${exact(head.at)}, with the vault's signing key. No record is touched and no entry is added.`),
    h("p", null, "A checkpoint stays: it cannot be taken back, and need not be."),
  ];
  const signed = await ask("Sign a checkpoint", body, { confirm: "Sign", act: () => post("/api/ledger/checkpoints", null, { signal }) });
  if (!signed) return;
  told(`Signed: the ledger up to entry ${count(signed.checkpoint.seq)}.`);
  await list.reload();
}

function row(signed) {
  const { checkpoint } = signed;
  const raw = h("details", { ontoggle: () => raw.children.length === 1 && raw.append(jsonBlock({ ...checkpoint, signature: signed.signature }, `checkpoint-${checkpoint.seq}.json`)) }, h("summary", null, "As a file that can be checked without the vault"));
  return h("li.checkpoint", null,
    h("div.entry-head", null, h("b", null, `Up to entry ${count(checkpoint.seq)}`), h("span", null, `and ${many(checkpoint.receipts, "receipt")}`), h("span.entry-by", null, when(checkpoint.at))),
    facts([
      ["Hash of the ledger there", h("code", null, checkpoint.head)],
      ["Key", h("code", null, checkpoint.key)],
      ["Goes on from", checkpoint.previous ? `the checkpoint at entry ${count(checkpoint.previous)}` : "nothing: it is the first"],
    ]),
    raw);
}
