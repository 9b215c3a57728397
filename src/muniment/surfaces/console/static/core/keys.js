// Keys that do something on the page that is open. They rest while somebody types or a dialog is open.

const TYPED = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";
let bound = new Map();
let listed = () => {};

/** Bind keys for one page: `{j: ["next", f], "?": [...]}`. They go when the signal says that it was left. */
export function bind(keys, signal) {
  const mine = new Map(Object.entries(keys));
  bound = mine;
  signal.addEventListener("abort", () => bound === mine && (bound = new Map()), { once: true });
}

/** What `?` does on every page. */
export function whenAsked(list) {
  listed = list;
}

/** The keys of the open page with what they do, for those who ask. */
export function bindings() {
  return [...bound].map(([key, [words]]) => [key, words]);
}

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  const found = bound.get(event.key) ?? (event.key === "?" ? ["list the keys", listed] : null);
  if (!found || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  found[1](event);
});

function typing(element) {
  return element instanceof Element && element.closest(TYPED) !== null;
}
