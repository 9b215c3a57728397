// The filters of a question: one control for each bound, the ones in force as chips that can be taken away.

import { get } from "../../core/api.js";
import { fill, fresh, h } from "../../core/dom.js";
import { plain } from "../../core/format.js";
import { area, choice, chosen, field, input, several, tick } from "../../parts/controls.js";
import { visible } from "../../parts/said.js";
import { BOUNDS, GROUPS, boundWords, isSet, parts } from "./bounds.js";

const NAMESPACES_MOST = 200;

/** The filters, filled with `bounds`. `element` is the disclosure, `read()` what is set now, `show(name)` opens it at a
 *  control, which may be said to be `wrong`, `set(bounds)` fills it anew. */
export function filters(bounds, { signal }) {
  const controls = new Map();
  const body = h("div.search-filters");
  const tally = h("span.tally");
  const element = h("details.search-filter-box", { ontoggle: () => element.open && offerNamespaces(controls, signal) },
    h("summary", null, "Filters ", tally), body);

  function set(values) {
    controls.clear();
    fill(body, GROUPS.map(([title, group]) => h("section.search-group", null, h("h2", null, title),
      h("div.grid", null, group.map((bound) => control(bound, values[bound.name], controls))))));
  }

  function read() {
    const found = {};
    for (const [name, one] of controls) {
      const value = one.read();
      one.focus.removeAttribute("aria-invalid");
      if (isSet(value)) found[name] = value;
    }
    const number = Object.keys(found).length;
    tally.textContent = number ? `(${number} set)` : "";
    return found;
  }

  function show(name, wrong = false) {
    const one = controls.get(name);
    if (!one) return;
    element.open = true;
    if (wrong) one.focus.setAttribute("aria-invalid", "true");
    one.focus.focus();
  }

  set(bounds);
  read();
  return { element, read, set: (values) => (set(values), read()), show };
}

/** One control; what it reads and what takes the focus is kept under the bound's name. */
function control({ name, label, type, words, hint }, value, controls) {
  const keep = (element, read, focus = element) => (controls.set(name, { read, focus }), element);
  const typed = (made, read) => (keep(made, () => read(made.value.trim())), field(label, made, { hint, wide: type === "lines" }));
  if (type === "several") {
    const made = several(label, words, { value: value ?? [], spell: plain });
    made.classList.add("wide");
    return keep(made, () => chosen(made), made.querySelector("input"));
  }
  if (type === "flag") {
    const made = tick(label, { checked: value === true });
    return keep(made, () => made.firstChild.checked, made.firstChild);
  }
  if (type === "one") return typed(choice(words, { value, any: "any" }), (text) => text);
  if (type === "names") return typed(input({ value: (value ?? []).join(", ") }), (text) => parts(text, ","));
  if (type === "lines") return typed(area({ value: (value ?? []).join("\n"), rows: 2 }), (text) => parts(text, "\n"));
  if (type === "instant") return typed(input({ type: "datetime-local", step: 1, value: toLocal(value) }), fromLocal);
  if (type === "share") return typed(input({ type: "number", min: 0, max: 1, step: 0.05, value: value ?? "" }), (text) => text);
  if (type === "number") return typed(input({ type: "number", min: 0, value: value ?? "" }), (text) => text);
  return typed(input({ value: value ?? "" }), (text) => text);
}

/** An instant as a field of date and time shows it; the field speaks UTC. */
export function toLocal(instant) {
  const found = new Date(instant ?? NaN);
  return Number.isNaN(found.getTime()) ? "" : found.toISOString().slice(0, 19);
}

export function fromLocal(text) {
  const found = new Date(`${text}Z`);
  return text && !Number.isNaN(found.getTime()) ? found.toISOString() : "";
}

/** The namespaces there are, offered while one is typed; asked for once, when the filters are opened. */
async function offerNamespaces(controls, signal) {
  const typed = controls.get("namespace").focus;
  if (typed.hasAttribute("list")) return;
  const list = h("datalist", { id: fresh("namespaces") });
  typed.setAttribute("list", list.id);
  typed.after(list);
  try {
    const { namespaces } = await get("/api/namespaces", {}, { signal });
    fill(list, namespaces.slice(0, NAMESPACES_MOST).map((one) => h("option", { value: one })));
  } catch (error) {
    if (error.name !== "AbortError") typed.removeAttribute("list");
  }
}

/** The bounds in force, each with a way to take it away. */
export function chips(bounds, remove) {
  const names = Object.keys(bounds).filter((name) => BOUNDS.has(name) && isSet(bounds[name]));
  if (!names.length) return null;
  return h("ul.search-chips", { "aria-label": "Filters in force" }, names.map((name) => {
    const words = boundWords(name, bounds[name]);
    return h("li", null, h("button.search-chip", { type: "button", "data-bound": name, "aria-label": `Remove the filter ${words}`, onclick: () => remove(name) },
      h("bdi", null, visible(words)), h("span", { "aria-hidden": "true" }, "×")));
  }));
}
