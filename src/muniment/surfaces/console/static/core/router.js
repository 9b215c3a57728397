// Places in the console: `#/records/rec_1?tab=lineage`. One page is open at a time; leaving it ends what it began.

let leaving = new AbortController();
let table = [];
let opened = () => {};

/** Routes are `["/records/:id", load]`, where `load` gives a module with `open(view, place)`. */
export function route(routes, show) {
  table = routes;
  opened = show;
  addEventListener("hashchange", go);
  return go();
}

/** Where we are: the path, its named parts, its query, and the signal that it was left. */
export function here() {
  const [path, query = ""] = (location.hash.slice(1) || "/").split("?");
  return { path, query: new URLSearchParams(query) };
}

/** The address of a place. */
export function to(path, query = {}) {
  const said = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "" && value !== false) said.set(name, value);
  }
  const text = said.toString();
  return `#${path}${text && `?${text}`}`;
}

export const recordPlace = (id, query) => to(`/records/${encodeURIComponent(id)}`, query);

/** Note a state of this page in its address without opening it anew. */
export function mark(query) {
  history.replaceState(null, "", to(here().path, query));
}

export function visit(address) {
  if (location.hash === address) return go();
  location.hash = address;
  return null;
}

/** Leave the present place, and open no other until somebody says so. */
export function halt() {
  leaving.abort();
}

/** Open the present place again. */
export async function go() {
  leaving.abort();
  leaving = new AbortController();
  const { path, query } = here();
  for (const [pattern, load, title] of table) {
    const parts = matched(pattern, path);
    if (parts) return opened({ path, pattern, title, parts, query, load, signal: leaving.signal });
  }
  return opened({ path, pattern: null, title: "Not found", parts: {}, query, load: null, signal: leaving.signal });
}

function matched(pattern, path) {
  const wanted = pattern.split("/");
  const found = path.split("/");
  if (wanted.length !== found.length) return null;
  const parts = {};
  for (let place = 0; place < wanted.length; place += 1) {
    if (wanted[place][0] === ":") {
      try {
        parts[wanted[place].slice(1)] = decodeURIComponent(found[place]);
      } catch {
        return null;
      }
    } else if (wanted[place] !== found[place]) return null;
  }
  return parts;
}
