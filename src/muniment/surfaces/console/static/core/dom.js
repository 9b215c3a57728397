// Elements made of values. Text is always text: nothing here, and nothing elsewhere, turns a string into markup.

import { spelledOut } from "./signs.js";

const SVG = "http://www.w3.org/2000/svg";
const TOLD = /^(title|placeholder|alt|label|aria-.*)$/;
const SAFE_ADDRESS = /^(#|\/(?!\/)|blob:)/;

/** An HTML element: `h("p.note#id", {title: "…", onclick: f}, "text", child, [more])`. */
export function h(spelled, props = null, ...children) {
  return made(document.createElement(nameOf(spelled)), spelled, props, children);
}

/** The same for a part of a drawing. */
export function svg(spelled, props = null, ...children) {
  return made(document.createElementNS(SVG, nameOf(spelled)), spelled, props, children);
}

/** Put these children in the place of whatever an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(...flat(children));
  return element;
}

/** Children as nodes: strings and numbers become text, null and false nothing, lists are opened. */
export function flat(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false && child !== "")
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
}

function nameOf(spelled) {
  return spelled.match(/^[a-z0-9]+/i)[0];
}

function made(element, spelled, props, children) {
  for (const [mark] of spelled.matchAll(/[.#][\w-]+/g)) {
    if (mark[0] === "#") element.id = mark.slice(1);
    else element.classList.add(mark.slice(1));
  }
  for (const [name, value] of Object.entries(props ?? {})) set(element, name, value);
  element.append(...flat(children));
  return element;
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (typeof value === "function" && name.startsWith("on")) {
    element.addEventListener(name.slice(2), value);
  } else if (name.startsWith("on") || name === "style" || name === "srcdoc") {
    throw new TypeError(`${name} is never set from a value`);
  } else if (name === "class") {
    element.classList.add(...String(value).split(/\s+/).filter(Boolean));
  } else if (name === "value" || name === "checked" || name === "indeterminate" || name === "selected") {
    element[name] = value;
  } else if ((name === "href" || name === "src") && !SAFE_ADDRESS.test(value)) {
    throw new TypeError("addresses lead to this server only");
  } else {
    const text = value === true ? "" : String(value);
    element.setAttribute(name, TOLD.test(name) ? spelledOut(text) : text);
  }
}

/** Say something to those who hear the page rather than see it. */
export function speak(words) {
  const place = document.getElementById("spoken");
  if (place) place.textContent = spelledOut(String(words));
}

let counted = 0;
/** An id that nothing else on the page has. */
export function fresh(prefix = "n") {
  counted += 1;
  return `${prefix}-${counted}`;
}
