// What the overview says of a memory that holds nothing yet: how the first record comes into it.

import { h } from "../../core/dom.js";
import { nothing } from "../../parts/notices.js";

const WORDS = "The staging database is in eu-west-2";

export function beginning() {
  const address = location.origin;
  return [
    nothing("Nothing is remembered yet", "Agents and people propose; the policy or a curator decides; what was decided appears here at once. Write the first record in one of these ways."),
    h("div.beginning", null,
      way("On the command line, beside the vault", [
        `muniment remember "${WORDS}" \\`,
        "  --kind fact --evidence ticket:OPS-7 --confidence 0.9",
        'muniment recall "where is the staging database?"',
      ]),
      way("In Python, over this server", [
        "from muniment import Client",
        `with Client("${address}", key="mnk_…") as memory:`,
        `    memory.remember("${WORDS}", kind="fact", evidence=["ticket:OPS-7"])`,
      ]),
      way("With curl", [
        `curl ${address}/api/memories -H "Authorization: Bearer mnk_…" \\`,
        "  -H 'Content-Type: application/json' \\",
        `  -d '{"content": "${WORDS}", "kind": "fact", "evidence": ["ticket:OPS-7"]}'`,
      ])),
  ];
}

function way(title, lines) {
  return h("section.card", null, h("h2", null, title), h("pre", { tabindex: "0", "aria-label": title }, lines.join("\n")));
}
