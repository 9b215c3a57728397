// Forgetting: erase for good with proof, take back with the history kept, and what must not be erased.

import { h } from "../core/dom.js";
import { session } from "../core/session.js";
import { certificates } from "./forget/certificate.js";
import { erasure } from "./forget/erase.js";
import { holds } from "./forget/holds.js";
import { withdrawal } from "./forget/withdraw.js";

/** The page. `?by=subject&value=…` fills the form; `?take=back` opens the milder way. */
export async function open(view, { query, signal }) {
  const given = { by: query.get("by"), value: query.get("value") ?? "" };
  const back = query.get("take") === "back";
  const kept = holds(signal);
  const proofs = certificates(signal);
  const barred = session.barred("forget");
  const heard = { held: (id) => kept.show(id), erased: () => proofs.reload?.(), milder: (by, value) => milder.show(by, value) };
  const milder = withdrawal({ ...given, opened: back }, signal);
  view.append(
    h("header", null, h("div", null, h("h1", null, "Forget"),
      h("p.lead", null, "Erase for good what the memory holds about somebody or something, and keep proof that it is gone. First you see everything that would go."))),
    barred ? closed(barred) : erasure(back ? { by: null, value: "" } : given, signal, heard),
    milder,
    kept,
    h("section", { "aria-labelledby": "certificates" }, h("h2#certificates", null, "Certificates so far"), proofs));
  if (back) milder.scrollIntoView({ block: "start" });
}

/** What those read who may not erase. */
function closed(reason) {
  return h("section.card", { "aria-labelledby": "closed" }, h("h2#closed", null, "Erasing is not open to you"), h("p", null, reason),
    h("p", null, "It takes a credential with the grant ", h("code", null, "review"), " and a rule of the policy that gives you ", h("code", null, "forget"), ". Whoever keeps the vault makes such a key:"),
    h("pre", { tabindex: "0" }, "muniment keys create NAME --grant read --grant review"));
}
