// Long lists, a page at a time: what is on the screen stays small however much there is.

import { fill, h } from "../core/dom.js";
import { trouble, waiting } from "./notices.js";

/** A list that loads on when asked. `load(cursor)` gives `{rows, next}`; `row(value)` an element; `empty` a node.
 *  Returns the element, with `reload()` to begin anew. */
export function paged({ load, row, empty, label, tag = "ol", more = "Show more" }) {
  const list = h(`${tag}.rows`, { "aria-label": label });
  const foot = h("div.foot");
  const element = h("div.paged", null, list, foot);
  let round = 0;

  async function page(cursor, mine) {
    fill(foot, waiting());
    element.setAttribute("aria-busy", "true");
    try {
      const { rows, next } = await load(cursor);
      if (mine !== round) return;
      list.append(...rows.map(row));
      fill(foot, next ? h("button", { type: "button", onclick: () => page(next, mine) }, more) : null);
      if (!list.children.length) fill(foot, empty);
    } catch (error) {
      if (mine === round && error.name !== "AbortError") fill(foot, trouble(error, () => page(cursor, mine)));
    }
    if (mine === round) element.removeAttribute("aria-busy");
  }

  element.reload = () => {
    round += 1;
    fill(list);
    return page(null, round);
  };
  element.reload();
  return element;
}

/** Rows of a table, wide values kept from breaking the page. */
export function table(heads, rows, { caption }) {
  return h("div.scroll", { tabindex: "0", role: "region", "aria-label": caption },
    h("table", null, h("caption", null, caption),
      h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", null, rows.map((cells) => h("tr", null, cells.map((cell) => h("td", null, cell)))))));
}
