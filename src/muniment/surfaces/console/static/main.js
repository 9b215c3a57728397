// Where the console begins: find out who is there, draw the frame, open the place in the address.

import { credential, get, whenRefused } from "./core/api.js";
import { fill, h } from "./core/dom.js";
import { hush, listen } from "./core/live.js";
import { go, halt, route } from "./core/router.js";
import { session } from "./core/session.js";
import { frame } from "./frame.js";
import { signIn } from "./pages/signin.js";
import { hushQuestions } from "./parts/dialog.js";
import { trouble } from "./parts/notices.js";

const PAGES = [
  ["/", () => import("./pages/overview.js"), "Overview"],
  ["/queue", () => import("./pages/queue.js"), "Queue"],
  ["/search", () => import("./pages/search.js"), "Search"],
  ["/records/:id", () => import("./pages/record.js"), "Record"],
  ["/conflicts", () => import("./pages/conflicts.js"), "Conflicts"],
  ["/conflicts/:id", () => import("./pages/conflict.js"), "Conflict"],
  ["/receipts", () => import("./pages/receipts.js"), "Receipts"],
  ["/receipts/:id", () => import("./pages/receipt.js"), "Receipt"],
  ["/ledger", () => import("./pages/ledger.js"), "Ledger"],
  ["/forget", () => import("./pages/forget.js"), "Forget"],
];
const ground = document.getElementById("frame");
let show = null;
let close = () => {};

async function begin() {
  try {
    if (!credential.get() && !(await get("/console/door")).open) return fill(ground, signIn(begin));
    await session.open();
  } catch (error) {
    hush();
    if (error.status === 401) return fill(ground, signIn(begin, error));
    return fill(ground, h("main.opening", null, trouble(error, () => begin())));
  }
  const first = show === null;
  const drawn = frame(leave);
  close();
  ({ show, close } = drawn);
  fill(ground, drawn.element);
  listen();
  return first ? route(PAGES, (place) => (session.caller ? show(place) : null)) : go();
}

function leave(error = null) {
  halt();
  close();
  hush();
  hushQuestions();
  document.getElementById("told")?.remove();
  session.close();
  fill(ground, signIn(begin, error));
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();  // the address names a place of the console, not a part of the page
  document.getElementById("content")?.focus();
});
whenRefused((problem) => session.caller && leave(problem));
begin();
