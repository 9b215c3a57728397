// What somebody wrote, shown as what somebody wrote: as text, apart from our own words, with nothing hidden in it.

import { h } from "../core/dom.js";
import { codeOf, HIDDEN } from "../core/signs.js";

/** A block of quoted text. `by` names who wrote it; `short` clamps it to a few lines. */
export function said(text, { by = null, short = false, passage = null } = {}) {
  const body = h("bdi.said-text", short ? { class: "short" } : null, passage ? marked(text, passage) : visible(text));
  return h("blockquote.said", by ? { "aria-label": `written by ${by}` } : null, body);
}

/** The same within a line. */
export function quoted(text) {
  return h("bdi.quoted", null, visible(String(text)));
}

/** Text with every sign that cannot be seen, or that turns others around, spelled out. */
export function visible(text) {
  const found = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    found.push(text.slice(from, match.index), spelled(match[0]));
    from = match.index + match[0].length;
  }
  return [...found, text.slice(from)];
}

function spelled(sign) {
  return h("span.hidden-sign", { title: "A sign that is not shown, or that changes how others are shown" }, codeOf(sign));
}

/** `passage` counts characters as Python does: by code points. */
function marked(text, [first, last]) {
  const signs = [...text];
  const part = (from, upto) => visible(signs.slice(from, upto).join(""));
  return [part(0, first), h("mark", null, part(first, last)), part(last)];
}
