// Certificates of what was erased: in words, as files, and all there were so far.

import { get } from "../../core/api.js";
import { h } from "../../core/dom.js";
import { count, exact, many } from "../../core/format.js";
import { to } from "../../core/router.js";
import { session } from "../../core/session.js";
import { ask } from "../../parts/dialog.js";
import { jsonBlock, save } from "../../parts/files.js";
import { badge, facts, short, when, who } from "../../parts/marks.js";
import { nothing } from "../../parts/notices.js";
import { paged } from "../../parts/paged.js";
import { quoted, said } from "../../parts/said.js";
import { meant } from "./target.js";

const CASCADES = { erase: "erased too", redact: "redacted", review: "kept apart for review" };
const PAGE = 20;

/** What came of an erasure, told to whoever erased: `done` is the server's answer. */
export function certified(done) {
  const { certificate } = done.certificate;
  return h("div.certified", null,
    h("p", null, badge(done.scrubbed ? "gone from the files" : "not yet out of the files", { tone: done.scrubbed ? "good" : "warn" }), " ",
      done.scrubbed
        ? "Nothing of it is left in the files of the store."
        : "It is erased and nobody is told it any more. The last bytes are not out of the files yet: somebody still reads an older state, and they leave when that ends; or, in a database, the tables are large or not this user's, and their owner runs muniment migrate ADDRESS --scrub."),
    inWords(done.certificate),
    h("div.actions", null, h("button.main", { type: "button", onclick: () => keep(done.certificate) }, "Save the certificate")),
    done.opening ? opening(certificate, done.opening) : h("p", null, "The opening was told with the first answer to this request and is kept nowhere, so it cannot be told again."),
    checking(certificate));
}

/** Save an opening as a file. */
export const keepOpening = (certificate, text) => save(`opening-${certificate.id}.txt`, `${text}\n`, "text/plain");

/** That only whoever erased can show whom a certificate is about. */
function opening(certificate, text) {
  return h("section.opening-told", { "aria-labelledby": "opening" }, h("h3#opening", null, "The opening: shown once"),
    h("p", null, "The certificate does not say whom it is about, so it can be shown to anybody. Whoever also has the opening can prove that it is about the one who asked. It is kept nowhere: save it now, apart from the certificate, and hand both to the person who asked."),
    h("pre", { tabindex: "0" }, text),
    h("div.actions", null, h("button", { type: "button", onclick: () => keepOpening(certificate, text) }, "Save the opening")));
}

function checking(certificate) {
  const flag = certificate.by === "record" ? "--record ID" : `--${certificate.by} NAME`;
  return h("details", null, h("summary", null, "How anybody can check it"),
    h("p", null, "With the public key of this vault (the ledger page has it), without the vault and without trust in us:"),
    h("pre", { tabindex: "0" }, `muniment certificate verify certificate-${certificate.id}.json --key signing.pub ${flag} --opening HEX`));
}

function inWords({ certificate, signature }) {
  const { counts } = certificate;
  const rest = ["redacted", "reviewed"].filter((fate) => counts[fate]).map((fate) => `${count(counts[fate])} ${fate}`);
  const traces = ["proposals", "reports", "receipts", "notes", "names"].filter((name) => counts[name]).map((name) => `${count(counts[name])} ${name}`);
  return h("div", null,
    facts([
      ["Certificate", h("code", null, certificate.id)],
      ["Erased", `${many(counts.records, "record")}, ${many(counts.revisions, "revision")}`],
      ["Also", rest.join(", ")],
      ["Traces cleaned", traces.join(", ")],
      ["Asked by", meant(certificate.by)],
      ["What was derived", CASCADES[certificate.derived]],
      ["Erased by", who(certificate.actor)],
      ["When", exact(certificate.at)],
      ["Ledger entry", session.barred("audit") ? count(certificate.seq) : h("a", { href: to("/ledger", { at: certificate.seq }) }, count(certificate.seq))],
      ["Signed with key", h("span.id", { title: certificate.key }, short(certificate.key))],
      ["Signature", h("span.id", { title: signature }, short(signature))],
    ]),
    h("h3", null, "Reason"), said(certificate.reason, { by: certificate.actor }));
}

/** Save a certificate as a file. */
export function keep(signed) {
  save(`certificate-${signed.certificate.id}.json`, `${JSON.stringify(signed, null, 2)}\n`);
}

/** All certificates so far, oldest first; with `reload()`. */
export function certificates(signal) {
  const barred = session.barred("certificates");
  if (barred) return h("p.none", null, barred);
  return paged({
    label: "Certificates",
    load: async (cursor) => {
      const answer = await get("/api/erasures", { cursor, limit: PAGE }, { signal });
      return { rows: answer.certificates, next: answer.next };
    },
    row,
    empty: nothing("Nothing was erased yet", "Each erasure leaves a signed certificate here: what went, when, by whom and why, but not whom it was about."),
  });
}

function row(signed) {
  const { certificate } = signed;
  const look = () => ask(`Certificate ${short(certificate.id)}`, [inWords(signed), h("details", null, h("summary", null, "As a document"), jsonBlock(signed, `certificate-${certificate.id}.json`))], { confirm: "Close", cancel: "Back" });
  return h("li.certificate", null,
    h("div", null, h("div", null, many(certificate.counts.records, "record"), " of ", meant(certificate.by), ", for ", quoted(certificate.reason)),
      h("div.row-line", null, who(certificate.actor), when(certificate.at), `entry ${count(certificate.seq)}`, h("span.id", { title: certificate.id }, short(certificate.id)))),
    h("div.actions", null, h("button", { type: "button", onclick: look }, "Show"), h("button", { type: "button", onclick: () => keep(signed) }, "Save")));
}
