// Signs that cannot be seen, or that turn others around, and how they are spelled out.

export const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\u{e0000}-\u{e0fff}]/gu;

/** `U+202E` for the sign that turns writing around. */
export function codeOf(sign) {
  return `U+${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Text for a place that holds nothing but text, such as a title, with every such sign spelled out. */
export const spelledOut = (text) => text.replace(HIDDEN, codeOf);
