// What a receipt is about, in words: what was asked, and how it ended.

import { h } from "../../core/dom.js";
import { count, plain } from "../../core/format.js";
import { ABSTENTIONS } from "../../core/words.js";
import { badge } from "../../parts/marks.js";
import { quoted } from "../../parts/said.js";

const FEW_STATES = 3;

/** What stands in the place of words that were taken away. */
const ERASED = "[erased]";

/** Whether the words of a question were erased since it was asked. */
export const isErased = (query) => query.text.includes(ERASED);

/** What sort of request it was: a question, an attunement, or a listing. */
export const sortOf = (query) => (query.listing ? "listing" : query.attuned ? "attunement" : "question");

export const SORTS = {
  question: "A question was asked.",
  attunement: "Somebody asked for what they should know.",
  listing: "Somebody listed records, page by page.",
};

/** What was asked, within a line. */
export function askedFor(query) {
  if (query.listing) return h("span", null, listingWords(query.listing));
  if (!query.attuned) return isErased(query) ? h("i", null, "a question whose words were erased") : quoted(query.text);
  const { role, task, interests } = query.attuned;
  const said = [role && ["as ", quoted(role)], task && ["at ", quoted(task)], interests.length && ["caring for ", interests.flatMap((one, place) => [place ? ", " : "", quoted(one)])]].filter(Boolean);
  return h("span", null, "What should I know", said.length ? [", ", said.flatMap((one, place) => [place ? ", " : "", one])] : null, "?");
}

function listingWords({ changed_after: after, statuses, session }) {
  const which = after === null ? "Records as they were written" : `Records that changed after entry ${count(after)}`;
  const usual = statuses.length === 2 && statuses.includes("active") && statuses.includes("contested");
  const states = statuses.length > FEW_STATES ? "in many states" : `in state ${statuses.map(plain).join(", ")}`;
  return [which, usual ? null : `, ${states}`, session ? [", of session ", quoted(session)] : null];
}

/** How it ended: told, kept back, or why nothing was told. */
export function ended(account) {
  const kept = Object.values(account.excluded).reduce((sum, number) => sum + number, 0);
  const told = account.selected.length;
  return h("span.receipt-ended", null,
    h("span", null, h("b", null, count(told)), " told"),
    h("span", null, h("b", null, count(kept)), " kept back"),
    account.abstained ? badge(account.abstained, { tone: "warn", title: ABSTENTIONS[account.abstained] ?? null }) : null);
}

export const purposeWords = (purpose) => h("span", null, "for the purpose ", quoted(purpose));
