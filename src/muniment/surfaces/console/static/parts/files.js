// Texts that leave the page: to the clipboard, or as a file.

import { h } from "../core/dom.js";
import { told } from "./notices.js";
import { visible } from "./said.js";

/** Save a text as a file. */
export function save(name, text, type = "application/json") {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A JSON value, spelled for reading, with a way to take it along. */
export function jsonBlock(value, name = "muniment.json") {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      told("Copied.");
    } catch {
      told("The browser does not allow copying here; save it as a file instead.", { tone: "warn" });
    }
  };
  return h("div.json", null,
    h("div.actions", null,
      h("button", { type: "button", onclick: copy }, "Copy"),
      h("button", { type: "button", onclick: () => save(name, text) }, "Save as a file")),
    h("pre", { tabindex: "0" }, visible(text)));
}
