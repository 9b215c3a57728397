// What stands around every page: the places to go, who is signed in, and the light.

import { get } from "./core/api.js";
import { fill, h, speak } from "./core/dom.js";
import { count, many } from "./core/format.js";
import { bindings, whenAsked } from "./core/keys.js";
import { onChange } from "./core/live.js";
import { session } from "./core/session.js";
import { ask, hushQuestions } from "./parts/dialog.js";
import { nothing, trouble, waiting } from "./parts/notices.js";
import { quoted } from "./parts/said.js";

const PLACES = [
  ["#/", "Overview", "read"],
  ["#/queue", "Queue", "read"],
  ["#/search", "Search", "read"],
  ["#/conflicts", "Conflicts", "read"],
  ["#/receipts", "Receipts", "audit"],
  ["#/ledger", "Ledger", "audit"],
  ["#/forget", "Forget", "forget"],
];
const LIGHT = "muniment.light";
const LIGHTS = ["auto", "light", "dark"];

/** The frame, how a place is shown in it, and how it ends. `leave` signs out. */
export function frame(leave) {
  const content = h("main#content", { tabindex: "-1" });
  const links = PLACES.map(([href, words, right]) => placeLink(href, words, right));
  const list = h("ul#places", null, links.map((link) => h("li", null, link)));
  const menu = h("button.menu", { type: "button", "aria-expanded": "false", "aria-controls": "places", onclick: toggle }, "Menu");
  const element = h("div.frame", null,
    h("header.top", null, h("a.brand", { href: "#/" }, h("img", { src: "/console/mark.svg", alt: "", width: 24, height: 24 }), "Muniment"), menu,
      h("nav", { "aria-label": "Places" }, list), present(leave)),
    content);

  function toggle() {
    const open = menu.getAttribute("aria-expanded") !== "true";
    menu.setAttribute("aria-expanded", String(open));
  }

  async function show(place) {
    hushQuestions();
    menu.setAttribute("aria-expanded", "false");
    for (const link of links) {
      const here = link.getAttribute("href").slice(1);
      const inside = here === "/" ? place.path === "/" : place.path.startsWith(here) || (here === "/search" && place.path.startsWith("/records"));
      inside ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
    }
    document.title = `${place.title} · Muniment`;
    content.dataset.place = place.path;
    content.setAttribute("aria-busy", "true");
    fill(content, waiting("Opening …"));
    scrollTo(0, 0);
    try {
      const page = await (place.load ?? nowhere)();
      if (place.signal.aborted) return null;
      const view = h("div.page");
      fill(content, view);
      await page.open(view, place);
    } catch (error) {
      if (error.name !== "AbortError" && !place.signal.aborted) fill(content, trouble(error, () => show(place)));
    }
    if (!place.signal.aborted) {
      content.removeAttribute("aria-busy");
      arrived(content, place);
    }
    return null;
  }

  const over = new AbortController();
  counted(links, over.signal);
  whenAsked(tellKeys);
  return { element, show, close: () => over.abort() };
}

/** The page for an address that leads nowhere. */
async function nowhere() {
  const open = (view) => view.append(nothing("There is no such page", "The address leads nowhere in this console.", h("a", { href: "#/" }, "Go to the overview")));
  return { open };
}

/** The first heading takes the focus, so that those who hear the page know where they are. */
function arrived(content, place) {
  const head = content.querySelector("h1");
  if (head && !content.contains(document.activeElement)) {
    head.tabIndex = -1;
    head.focus({ preventScroll: true });
  }
  speak(place.title);
}

function placeLink(href, words, right) {
  const why = session.barred(right);
  return h("a", { href, class: why ? "dim" : "", title: why }, words, h("span.tally", { "aria-hidden": "true" }));
}

/** How much waits, beside the places where it waits; read again when something was written. */
function counted(links, signal) {
  const look = async () => {
    try {
      const stats = await get("/api/stats", {}, { signal });
      tally(links[1], stats.held, "waiting");
      tally(links[3], stats.open_conflicts, "open");
    } catch (error) {
      tally(links[1], null, error.code);
    }
  };
  let soon = null;
  onChange(() => (soon ??= setTimeout(() => ((soon = null), look()), 500)), signal);
  signal.addEventListener("abort", () => clearTimeout(soon), { once: true });
  look();
}

function tally(link, number, words) {
  const place = link.querySelector(".tally");
  place.textContent = number ? count(number) : "";
  place.title = number ? `${many(number, "one", words).replace(/^1 one/, `1 ${words}`)}` : "";
}

function present(leave) {
  const { actor, tenant, grants } = session.caller;
  const who = h("span.present", { title: `Tenant ${tenant}; good for ${grants.join(", ") || "nothing"}` },
    quoted(actor.id), h("small", null, [actor.type, ...(actor.roles ?? [])].join(", ")));
  const light = h("button.quiet", { type: "button", onclick: () => turn(light) });
  turn(light, localStorage.getItem(LIGHT) ?? "auto");
  const help = h("button.quiet", { type: "button", "aria-label": "Keys of this page", title: "Keys of this page", onclick: tellKeys }, "?");
  return h("div.corner", null, who, light, help, h("button.quiet", { type: "button", onclick: () => leave() }, "Sign out"));
}

function turn(button, wanted = null) {
  const now = document.documentElement.dataset.light ?? "auto";
  const light = wanted ?? LIGHTS[(LIGHTS.indexOf(now) + 1) % LIGHTS.length];
  document.documentElement.dataset.light = light;
  localStorage.setItem(LIGHT, light);
  button.textContent = { auto: "◐", light: "☀", dark: "☾" }[light];
  button.title = `Light: ${light}`;
  button.setAttribute("aria-label", `Light: ${light}. Press to change.`);
}

function tellKeys() {
  const keys = bindings();
  const body = keys.length
    ? h("dl.keys", null, keys.map(([key, words]) => h("div", null, h("dt", null, h("kbd", null, key)), h("dd", null, words))))
    : h("p", null, "This page has no keys of its own. Tab and Enter work everywhere.");
  return ask("Keys", body, { confirm: "Close", cancel: "Back" });
}
