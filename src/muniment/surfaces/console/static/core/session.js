// Who is signed in, what their credential is good for, and why something is not open to them.

import { credential, get } from "./api.js";

/** Each thing one can do here: the grant its credential needs, and the action that the policy must allow (if one). */
const RIGHTS = {
  read: ["read", null, "read the memory"],
  queue: ["read", "queue", "see proposals of others that wait"],
  accept: ["review", "accept", "accept proposals"],
  discard: ["review", "discard", "discard proposals"],
  retire: ["write", "retract", "let a record end"],
  observe: ["write", "observe", "say how a record turned out"],
  vouch: ["review", "vouch", "answer for where a record comes from"],
  quarantine: ["review", "retract", "keep a record apart"],
  release: ["review", "accept", "let a record speak again"],
  withdraw: ["review", "retract", "take back what a source, actor or session contributed"],
  resolve: ["write", "resolve", "settle conflicts"],
  vote: ["write", "vote", "vote on conflicts"],
  audit: ["audit", "audit", "read the ledger and the receipts"],
  forget: ["review", "forget", "erase"],
  hold: ["review", "hold", "place holds"],
  certificates: ["audit", "audit", "list certificates"],
};

let present = null;

export const session = {
  /** The caller, as the server knows them; null before it was asked. */
  get caller() {
    return present;
  },

  async open() {
    present = await get("/api/caller");
    return present;
  },

  close() {
    credential.set(null);
    present = null;
  },

  /** Null when it is open to the caller, else the reason in words. */
  barred(right) {
    const [grant, action, words] = RIGHTS[right];
    if (!present) return "You are not signed in.";
    if (!present.grants.includes(grant)) return `Your credential has no grant “${grant}”, which it takes to ${words}.`;
    if (action && present.may && !present.may.includes(action)) {
      return `The policy does not let ${present.actor.id} ${words} (no rule gives them “${action}”).`;
    }
    return null;
  },
};
