// Whether a record is still as it was read.

/** Whether two readings differ in more than how often the record was used. */
export function moved(before, after) {
  return bare(before) !== bare(after);
}

function bare({ standing, ...rest }) {
  return JSON.stringify({ ...rest, standing: { ...standing, vigour: null } });
}
