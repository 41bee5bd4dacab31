// @ts-check
// What the page says of the model: characters, numbers, what it expects and what its heads do.

import { listed, quoted, spelled, written } from "../../../drawing/kit.js";
import { entropy } from "../../../drawing/twin.js";
import { cross_entropy, token_probabilities } from "./gpt.js";

/** @typedef {import("./gpt.js").Run} Run */
/** @typedef {import("./gpt.js").Sampling} Sampling */
/** @typedef {import("./writing_state.js").LiveModel} LiveModel */

// --- characters and numbers ----------------------------------------------------------------------

/** A character standing alone. @param {string} c */
export const named = (c) => c === " " ? "space" : c === "\n" ? "new line" : c;

/** A character in a row of others. @param {string} c */
export const visible = (c) => c === " " ? "␣" : c === "\n" ? "↵" : c;

/** A probability, also one that rounds to nothing. @param {number} p */
export const share3 = (p) => p > 0 && p < 0.0005 ? "< 0.001" : written(p, 3);

// --- what a head does ----------------------------------------------------------------------------

/** @param {ArrayLike<number>} row */
const largestOf = (row) => {
  let best = 0;
  for (let j = 1; j < row.length; j++) if (row[j] > row[best]) best = j;
  return best;
};

/** @param {string} c */
const isSpace = (c) => /\s/.test(c);

/**
 * Where a head may look: what that is called, where it is seen in a map, how much of the weight
 * makes it worth saying (more for what covers more places), and the places of a row that count.
 * @type {[string, string, string, number, (i: number, j: number, text: string) => boolean][]}
 */
const WAYS = [
  ["before", "the character before", "the line next to the diagonal", 0.4, (i, j) => j === i - 1],
  ["itself", "the character itself", "the diagonal", 0.4, (i, j) => j === i],
  ["first", "the first character", "the first column", 0.4, (i, j) => j === 0 && i > 1],
  ["spaces", "spaces and new lines", "upright stripes", 0.4, (i, j, text) => j < i && isSpace(text[j])],
  [
    "same",
    "the same character earlier",
    "dots away from the diagonal",
    0.4,
    (i, j, text) => j < i && text[j] === text[i],
  ],
  [
    "after same",
    "what stood behind the same character earlier",
    "dots away from the diagonal",
    0.4,
    (i, j, text) => j > 0 && j < i && text[j - 1] === text[i],
  ],
  [
    "its word",
    "its own word so far",
    "small triangles at the diagonal",
    0.6,
    (i, j, text) => !isSpace(text[i]) && j <= i && ![...text.slice(j, i)].some(isSpace),
  ],
  ["5 before", "the five characters before", "a band below the diagonal", 0.6, (i, j) => j < i && j >= i - 5],
];
const ENOUGH = 3;

/**
 * The places that each way of looking means in a text, for each character that has any.
 * @param {string} text
 * @returns {[number, number[]][][]}
 */
export function waysIn(text) {
  return WAYS.map(([, , , , counts]) =>
    Array.from(text, (_, i) => {
      /** @type {number[]} */
      const places = [];
      for (let j = 0; i && j <= i; j++) if (counts(i, j, text)) places.push(j);
      return /** @type {[number, number[]]} */ ([i, places]);
    }).filter(([, places]) => places.length)
  );
}

/**
 * Say in numbers what a head does on a text.
 * @param {ArrayLike<number>[]} weights
 * @param {[number, number[]][][]} ways those of `waysIn`
 * @returns {{short: string, long: string, strength: number}} the strength is 1 and more where one
 *   way is worth saying
 */
export function habit(weights, ways) {
  if (weights.length === 1) {
    return { strength: 0, short: "one place", long: "There is only one place to look at." };
  }
  const shares = ways.map((rows) => {
    let total = 0;
    for (const [i, places] of rows) for (const j of places) total += weights[i][j];
    return rows.length < ENOUGH ? 0 : total / rows.length;
  });
  // How much it is beyond what makes it worth saying.
  const beyond = shares.map((share, k) => share / WAYS[k][3]), best = largestOf(beyond);
  if (beyond[best] >= 1) {
    const [short, what, where] = WAYS[best], share = written(shares[best]);
    const some = ways[best].length < weights.length - 1 ? ", where there is such a place" : "";
    return {
      strength: beyond[best],
      short: `${short} ${share}`,
      long: `On this text it gives ${what} ${share} of its weight on average${some}: look for ` +
        `${where}.`,
    };
  }
  const counts = weights.map((row) => Math.exp(Number(entropy(Array.from(row)))));
  const count = written(counts.reduce((sum, one) => sum + one) / counts.length, 1);
  return {
    strength: beyond[best],
    short: `spread: ${count} characters`,
    long: `On this text it spreads its weight: on average ${count} characters are in play. Let ` +
      "several characters ask, and look for what their darkest squares have in common.",
  };
}

// --- what the model makes of a text --------------------------------------------------------------

/** @param {LiveModel} model */
export function usedOf({ text, seen, config }) {
  return seen.length === text.length ? "" : ` The model sees at most ${config.n_context} characters. ` +
    "When they are full, it forgets the older half and goes on: here it uses the last " +
    `${seen.length} of ${text.length}.`;
}

/**
 * What comes next: all probabilities, and the largest one in words.
 * @param {LiveModel} model @param {Run} run @param {Sampling} [sampling]
 */
function nextOf({ characters }, run, sampling) {
  const probs = token_probabilities(run.logits[run.logits.length - 1], sampling);
  const best = largestOf(probs);
  return { probs, best: quoted(characters[best]), share: written(probs[best]) };
}

/** What the model expects, and what the whole one would. @param {LiveModel} model */
export function expected(model) {
  const { now, whole, seen } = model, missing = model.missing(), isSingle = seen.length < 2;
  const next = nextOf(model, now), before = nextOf(model, whole);
  const loss = (/** @type {Run} */ run) => written(cross_entropy(run.logits, run.tokens.slice(1)));
  const nats = isSingle ? "" : ` Loss on this text: ${loss(now)} nats per character`;
  if (!missing.length) {
    return `The most probable next character is ${next.best} (${next.share}).${nats && nats + "."}` +
      usedOf(model);
  }
  return `Without ${listed(missing)}: the most probable next character is ` +
    (next.best === before.best
      ? `still ${next.best} (${next.share}, before ${before.share}).`
      : `now ${next.best} (${next.share}), before ${before.best} (${before.share}).`) +
    (nats && `${nats}, before ${loss(whole)}.`) +
    (model.parts.mask || isSingle
      ? ""
      : " Without the mask each character sees the one that it is to predict; trained with the " +
        "mask, the model has not learned to copy it.") +
    usedOf(model);
}

/**
 * What the settings leave to be drawn.
 * @param {LiveModel} model @param {Sampling} sampling
 */
export function drawable(model, sampling) {
  const { probs, best, share } = nextOf(model, model.now, sampling);
  const left = probs.filter((p) => p > 0).length;
  const all = left === 1
    ? "no other character"
    : left === probs.length
    ? "every character"
    : `${left} characters`;
  return `With these settings ${best} is drawn with ${share}; ${all} can be drawn.`;
}

/** Where the character that asks looks. @param {LiveModel} model */
export function looked({ seen, asking, openedWeights }) {
  const weights = openedWeights[asking], best = largestOf(weights);
  const where = best === asking ? "itself" : `${quoted(seen[best])} at place ${best}`;
  return `${quoted(seen[asking])} at place ${asking} looks most at ${where}: ${written(weights[best])}`;
}

/**
 * What is wrong with a text, or nothing.
 * @param {LiveModel} model @param {string} given
 */
export function wrongWith({ text, tokens, config }, given) {
  const begin = text.split("\n")[0].slice(0, 20), more = text.length > begin.length ? "…" : "";
  const still = " Bars and maps are still those of " +
    (begin ? `“${begin}${more}”.` : "the last text that it could read.");
  if (!given) {
    return "There is no text: the model predicts a character from those before it, and " +
      "needs one at least." + still;
  }
  const [first, ...others] = new Set([...given].filter((c) => !tokens.has(c)));
  if (first === undefined) return "";
  const number = others.length === 1 ? "one other character" : `${others.length} other characters`;
  return `The model does not know ${spelled(first)} (place ${[...given].indexOf(first)})` +
    (others.length ? ` and ${number}` : "") +
    `: its ${config.n_vocab} characters are the new line, the space and what a plain English ` +
    "keyboard has." + still;
}
