// Calls that the server turned away: who asked for what, from where, and why not. What they said is kept nowhere.

import { get } from "../../core/api.js";
import { h } from "../../core/dom.js";
import { many } from "../../core/format.js";
import { badge, facts, when, who } from "../../parts/marks.js";
import { nothing } from "../../parts/notices.js";
import { paged } from "../../parts/paged.js";
import { quoted } from "../../parts/said.js";

const WHYS = {
  unauthenticated: "It came without a credential that counts.",
  not_permitted: "Neither the credential nor the policy lets this caller do that.",
  too_many_requests: "It came too often.",
};

/** The denied calls, a page at a time, the newest first. */
export function deniedTab(signal) {
  const list = paged({
    label: "Denied calls, the newest first",
    load: async (cursor) => {
      const { denials, next } = await get("/api/denials", { cursor, limit: 25 }, { signal });
      return { rows: denials, next };
    },
    row,
    empty: nothing("No call was denied", "Who is turned away is listed here, also those whom nobody knows: a wrong key, a grant that is missing, a rule of the policy. The same with:", h("code", null, "muniment ledger denied")),
    more: "Show earlier ones",
  });
  return h("div", null,
    h("p", null, "Each is in the ledger. Those alike within a second are counted together, and a flood of strangers is summed up, so that nobody can fill the disk by knocking. The newest 2,000 are listed; the ledger keeps them all."),
    list);
}

function row(denial) {
  return h("li.checkpoint", null,
    h("div.entry-head", null, h("b", null, quoted(denial.what)), badge(denial.code, { tone: "bad", title: WHYS[denial.code] ?? null }),
      denial.count > 1 ? h("span", null, many(denial.count, "time")) : null, h("span.entry-by", null, when(denial.last))),
    facts([
      ["Who", denial.who ? who(denial.who) : "nobody known"],
      ["Credential", denial.credential ? quoted(denial.credential) : null],
      ["From", quoted(denial.peer)],
      ["Since", denial.count > 1 ? when(denial.first) : null],
    ]));
}
