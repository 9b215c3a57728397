// The field: which agents are registered, in which sessions they meet, what they work on.

import { get } from "../../core/api.js";
import { fill, h } from "../../core/dom.js";
import { count, many } from "../../core/format.js";
import { badge } from "../../parts/marks.js";
import { later, nothing } from "../../parts/notices.js";
import { table } from "../../parts/paged.js";
import { quoted } from "../../parts/said.js";

const FEW = 10;
const TONES = { idle: "plain", working: "good", active: "good", waiting: "warn", blocked: "warn", failed: "bad", completed: "good", in_progress: "good" };

export function field(signal) {
  const place = h("div");
  const work = () => Promise.all([get("/v1/agents", {}, { signal }), get("/v1/x/work", {}, { signal })]);
  later(place, work, ([{ agents }, found]) => (agents.length || found.sessions.length || found.tasks.length ? drawn(agents, found) : teach()));
  return h("section", { "aria-labelledby": "field" }, h("h2#field", null, "The field: agents at work"), place);
}

function teach() {
  return nothing("No agent has registered", "Agents that share this memory as a field register, meet in sessions and hand each other tasks. One registers with:",
    h("code", null, `curl ${location.origin}/v1/register -H 'Akashik-Agent: scout' -H 'Content-Type: application/json' -d '{"id": "scout", "role": "surveyor"}'`));
}

function drawn(agents, { sessions, tasks, left_off: left }) {
  const hidden = [...sessions, ...tasks].some(({ id }) => id === null);
  return [
    few("Agents", ["Agent", "Role", "State", "Authority", "Interests"], agents, agentCells),
    few("Sessions", ["Session", "State", "Agents", "Tasks"], sessions, sessionCells),
    few("Tasks", ["Task", "State", "Agent", "Session", "Waits for"], tasks, taskCells),
    hidden ? h("p.none", null, "What a session or a task is called is told to its members.") : null,
    left ? h("p.none", null, `${count(left)} more are not shown.`) : null,
  ];
}

/** A table of the first few rows, and all of them for who wants them. */
function few(caption, heads, rows, cells) {
  if (!rows.length) return null;
  const place = h("div.field-table");
  const show = (shown) => fill(place, table(heads, shown.map(cells), { caption: `${caption}, ${count(rows.length)}` }),
    shown.length < rows.length ? h("button", { type: "button", onclick: () => show(rows) }, `Show all ${count(rows.length)}`) : null);
  show(rows.slice(0, FEW));
  return place;
}

const state = (word) => badge(word, { tone: TONES[word] ?? "plain" });

function agentCells({ id, role, status, authority_level: authority, interests = [] }) {
  return [h("b", null, quoted(id)), quoted(role), state(status), authority ?? "–", interests.length ? interests.map((one, place) => [place ? ", " : null, quoted(one)]) : "–"];
}

function sessionCells({ name, goal, status, members, tasks }) {
  return [goal ? quoted(goal) : quoted(name), state(status), members.map((one, place) => [place ? ", " : null, quoted(one)]), count(tasks)];
}

function taskCells({ title, status, assignee, session, waits_for: waits, flagged, offered_to: offered, created_by: maker }) {
  const notes = [flagged ? "its agent left" : null, offered ? ["offered to ", quoted(offered)] : null].filter(Boolean);
  return [
    title ? quoted(title) : h("span.none", null, "a task of ", quoted(maker)), state(status),
    [assignee ? quoted(assignee) : h("span.none", null, "nobody"), notes.map((note) => h("small", null, "; ", note))],
    session ? quoted(session) : "–", waits ? many(waits, "task") : "–",
  ];
}
