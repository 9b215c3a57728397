// Questions that must be answered before something is done.

import { h } from "../core/dom.js";
import { trouble } from "./notices.js";

/** Put away every question that nobody has answered: the page that asked is no longer there. */
export function hushQuestions() {
  for (const box of document.querySelectorAll("dialog[open]:not([aria-busy])")) box.close();
}

/** Ask in a dialog. `body` are nodes; `act()` is what confirming does: while it runs the dialog waits, and if it fails
 *  the dialog says why and stays. Resolves to what `act` gave, or null when the question was put away. */
export function ask(title, body, { confirm = "Confirm", cancel = "Cancel", tone = "main", act = () => true, ready = () => true } = {}) {
  return new Promise((done) => {
    let result = null;
    const failed = h("div");
    const yes = h("button", { type: "submit", class: tone }, confirm);
    const no = h("button", { type: "button", onclick: () => box.close() }, cancel);
    const send = async (event) => {
      event.preventDefault();
      if (yes.disabled) return;
      yes.disabled = true;
      box.setAttribute("aria-busy", "true");
      try {
        result = await act();
        box.close();
      } catch (error) {
        failed.replaceChildren(trouble(error));
        yes.disabled = false;
        box.removeAttribute("aria-busy");
      }
    };
    const look = () => (yes.disabled = !ready());
    const inner = h("form", { novalidate: true, onsubmit: send, oninput: look },
      h("h2", null, title), h("div.dialog-body", null, body), failed, h("div.actions", null, no, yes));
    const box = h("dialog", { "aria-label": title, onclose: () => (box.remove(), done(result)) }, inner);
    document.body.append(box);
    look();
    box.showModal();
  });
}
