// By what it is said which records are meant: one record, or all of a subject, source, actor or session.

import { h } from "../../core/dom.js";
import { choice, field, input } from "../../parts/controls.js";

const NAMED = {
  subject: ["A person or thing", "Every record that names this person or thing, in any field, under any name it was given."],
  source: ["A source", "Everything that came from this source."],
  actor: ["An actor", "Everything that this actor wrote."],
  session: ["A session", "Everything of this session."],
  record: ["One record", "This record in all its revisions, by its id."],
};
const FIELDS = { record: "record_id" };

/** “by subject” as it is read. */
export const meant = (by) => ({ subject: "a subject", source: "a source", actor: "an actor", session: "a session", record: "a record" })[by] ?? by;

/** Two fields, for what and which. `read()` gives the part of a request, or null while nothing is named; `set` fills it,
 *  and what was set is meant to the letter, spaces at its ends included. */
export function target({ ways = Object.keys(NAMED), by = null, value = "", onchange = null } = {}) {
  const which = input({ value, oninput: onchange });
  let [chosen, shown] = value ? [value, which.value] : [null, null];
  const named = field("Which", which, { hint: "…" });
  const tell = () => (named.querySelector("small").textContent = NAMED[what.value][1]);
  const what = choice(ways, { value: ways.includes(by) ? by : ways[0], spell: (way) => NAMED[way][0], onchange: () => (tell(), onchange?.()) });
  tell();
  return {
    element: h("div.target", null, field("What", what), named),
    get by() {
      return what.value;
    },
    get value() {
      return chosen !== null && which.value === shown ? chosen : which.value.trim();
    },
    read() {
      return this.value ? { [FIELDS[what.value] ?? what.value]: this.value } : null;
    },
    set(way, words) {
      what.value = way;
      which.value = words;
      [chosen, shown] = [words, which.value];
      tell();
      onchange?.();
    },
    focus: () => which.focus(),
  };
}
