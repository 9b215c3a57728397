// What people press, choose and type into.

import { fresh, h } from "../core/dom.js";
import { plain } from "../core/format.js";
import { session } from "../core/session.js";

/** A button. With `right` it is dimmed for those who lack it, stays reachable, and says why.
 *  `tone`: "main" for the one thing a page is for, "danger" for what cannot be taken back. */
export function button(words, press, { right = null, why = null, tone = "", key = null, title = null } = {}) {
  const reason = why ?? (right ? session.barred(right) : null);
  const hint = key ? h("kbd", { "aria-hidden": "true" }, key) : null;
  if (!reason) return h("button", { type: "button", class: tone, onclick: press, title, "aria-keyshortcuts": key }, words, hint);
  const id = fresh("why");
  const tell = h("span.why", { id, role: "tooltip" }, reason);
  return h("span.barred", null, h("button", { type: "button", class: tone, "aria-disabled": "true", "aria-describedby": id }, words, hint), tell);
}

/** A control with its name above it and, if there is one, a hint below. */
export function field(name, control, { hint = null, wide = false } = {}) {
  control.id ||= fresh("field");
  const note = hint ? h("small", { id: `${control.id}-hint` }, hint) : null;
  if (note) control.setAttribute("aria-describedby", note.id);
  return h("div.field", wide ? { class: "wide" } : null, h("label", { for: control.id }, name), control, note);
}

/** A choice of words; the first is "any" if nothing needs to be chosen. */
export function choice(words, { value = "", any = null, onchange = null, spell = plain } = {}) {
  const options = words.map((word) => h("option", { value: word, selected: word === value }, spell(word)));
  return h("select", { onchange }, any !== null ? h("option", { value: "" }, any) : null, options);
}

export function input(props = {}) {
  return h("input", { type: "text", autocomplete: "off", spellcheck: "false", ...props });
}

export function area(props = {}) {
  return h("textarea", { rows: 3, ...props });
}

/** Several of some words: boxes to tick. Returns the element; `chosen(element)` reads it. */
export function several(name, words, { value = [], onchange = null, spell = plain } = {}) {
  const boxes = words.map((word) =>
    h("label.tick", null, h("input", { type: "checkbox", value: word, checked: value.includes(word), onchange }), spell(word)));
  return h("fieldset.several", null, h("legend", null, name), h("div.ticks", null, boxes));
}

export function chosen(element) {
  return [...element.querySelectorAll("input:checked")].map((box) => box.value);
}

export function tick(words, { checked = false, onchange = null } = {}) {
  return h("label.tick", null, h("input", { type: "checkbox", checked, onchange }), words);
}

/** A form that is sent with Enter and never leaves the page. */
export function form(send, ...children) {
  return h("form", { novalidate: true, onsubmit: (event) => { event.preventDefault(); send(event); } }, ...children);
}

/** Tabs over panels: `[["name", "Words", build], …]`; `build()` is called when its tab is first opened. */
export function tabs(label, panels, { open = panels[0][0], onopen = null } = {}) {
  const made = new Map();
  const bar = h("div.tabs", { role: "tablist", "aria-label": label });
  const space = h("div.panels");
  const show = (name, focus = false) => {
    for (const tab of bar.children) {
      const here = tab.dataset.name === name;
      tab.setAttribute("aria-selected", String(here));
      tab.tabIndex = here ? 0 : -1;
      if (here && focus) tab.focus();
    }
    if (!made.has(name)) {
      const panel = h("div.panel", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, tabindex: "0" });
      made.set(name, panel);
      space.append(panel);
      panel.append(...[panels.find(([one]) => one === name)[2]()].flat());
    }
    for (const [one, panel] of made) panel.hidden = one !== name;
    onopen?.(name);
  };
  const move = (event) => {
    const names = panels.map(([name]) => name);
    const place = names.indexOf(event.target.dataset.name);
    const next = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: names.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    show(names.at(next % names.length), true);
  };
  for (const [name, words] of panels) {
    const tab = h("button", { type: "button", role: "tab", id: `tab-${name}`, "data-name": name, onclick: () => show(name), onkeydown: move }, words);
    bar.append(tab);
  }
  show(panels.some(([name]) => name === open) ? open : panels[0][0]);
  return h("div.tabbed", null, bar, space);
}
