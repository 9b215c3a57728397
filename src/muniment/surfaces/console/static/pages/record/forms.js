// A record as a document of each contract, and what the contract has no words for.

import { h } from "../../core/dom.js";
import { CONTRACTS } from "../../core/words.js";
import { field, choice } from "../../parts/controls.js";
import { jsonBlock } from "../../parts/files.js";
import { facts } from "../../parts/marks.js";
import { later } from "../../parts/notices.js";

const ABOUT = {
  akashik: "Akashik: a unit of the shared field.",
  matm: "MATM: a memory record that a curator let in.",
  memledger: "memledger: a governed record.",
  omir: "OMIR R1: a portable document.",
  retrieval: "The memory and retrieval contract: a typed record.",
};

/** The tab of contracts. */
export function forms(about) {
  const place = h("div.record-form");
  const look = (contract) => later(place, () => about.ask(`forms/${contract}`), (form) => shown(about, form));
  const which = choice(CONTRACTS, { value: CONTRACTS[0], spell: (name) => ABOUT[name] ?? name, onchange: (event) => look(event.target.value) });
  look(CONTRACTS[0]);
  return h("div.record-forms", null, h("p.lead", null, "The same record as each contract says it, exactly as an export writes it."), h("div.grid", null, field("Contract", which, { wide: true })), place);
}

function shown(about, { contract, media, document, losses }) {
  return [h("p", null, h("small", null, media)), jsonBlock(indented(document), `${about.id}.${contract}.json`), h("h2", null, "What this contract has no words for"), lost(losses)];
}

function lost(losses) {
  if (!losses.length) return h("p.none", null, "Nothing: it says all of this record.");
  const paths = (kept) => losses.filter((one) => one.kept === kept).map(({ path }) => [h("code", null, path), " "]);
  return facts([["Travels in the extension slot, and comes back when it is read here", paths(true)], ["Left out", paths(false)]]);
}

/** JSON set out over lines without reading its values, so that each number stays spelled as it was. */
function indented(text) {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  let depth = 0;
  let found = "";
  const line = (by) => `\n${"  ".repeat((depth += by))}`;
  tokens.forEach((token, place) => {
    const opens = token === "{" || token === "[";
    const closes = token === "}" || token === "]";
    const empty = closes && (tokens[place - 1] === "{" || tokens[place - 1] === "[");
    if (closes && !empty) found += line(-1);
    found += token === ":" ? ": " : token;
    if (opens && tokens[place + 1] !== "}" && tokens[place + 1] !== "]") found += line(1);
    if (token === ",") found += line(0);
  });
  return found;
}
