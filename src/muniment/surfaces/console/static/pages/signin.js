// The door: a key or a token, shown to the server and kept in this tab alone.

import { credential } from "../core/api.js";
import { h } from "../core/dom.js";
import { field, form, input } from "../parts/controls.js";
import { trouble } from "../parts/notices.js";

/** The sign-in page. `begin` is called once there is a credential to try; `error` is why the last one did not do. */
export function signIn(begin, error = null) {
  const key = input({ type: "password", name: "key", autocomplete: "current-password", required: true });
  const note = h("div", null, error ? trouble(error) : null);
  const send = () => {
    const said = key.value.trim();
    if (!said || /[^\x21-\x7e]/.test(said)) {
      const words = said ? "A key or token has no spaces and only plain letters, digits and signs." : "Type or paste a key or token first.";
      note.replaceChildren(trouble(new Error(words)));
      return key.focus();
    }
    credential.set(said);
    return begin();
  };
  document.title = "Sign in · Muniment";
  queueMicrotask(() => key.focus());
  return h("main#content.door", null,
    h("img", { src: "/console/mark.svg", alt: "", width: 48, height: 48 }),
    h("h1", null, "Muniment"),
    h("p.lead", null, "See what the agents believe."),
    note,
    form(send,
      field("Key or token", key, { hint: "It stays in this tab and is gone when you close it. It is sent to this server alone." }),
      h("button.main", { type: "submit" }, "Sign in")),
    h("details", null, h("summary", null, "Where do I get a key?"),
      h("p", null, "Whoever keeps the vault makes one on its machine:"),
      h("pre", { tabindex: "0" }, "muniment keys create NAME --grant read --grant review"),
      h("p", null, "A curator needs ", h("code", null, "read"), ", ", h("code", null, "write"), " and ", h("code", null, "review"), ", an auditor ", h("code", null, "read"), " and ", h("code", null, "audit"),
        ". What lies behind a grant is for the policy to decide. Tokens of your issuer work too, if the server knows it.")));
}
