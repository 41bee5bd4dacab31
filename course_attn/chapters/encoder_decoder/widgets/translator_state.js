// @ts-check
// The translator in the page: what it reads, what it has written, which parts are off; in words, too.

import { listed, quoted, spelled, written } from "../../../drawing/kit.js";
import { softmax } from "../../../drawing/twin.js";
import { decode, encode, nested } from "./encoder_decoder.js";

/**
 * @typedef {object} Config
 * @property {number} n_layers
 * @property {number} n_heads
 * @property {number} n_source_context
 * @property {number} n_target_context
 *
 * @typedef {import("../../../drawing/packed.js").Packed & {config: Config, characters: string,
 *   target_characters: string}} PackedTranslator
 *
 * @typedef {"mask" | "cross"} Part
 *
 * @typedef {object} Written a character of the answer
 * @property {string} character
 * @property {number} share its probability
 * @property {number[]} weights of all places of the source: the mean of the heads that take part
 */

/**
 * Each part: what its switch says, and what is missing without it.
 * @type {[Part, string, string][]}
 */
export const PARTS = [
  ["mask", "mask on the source’s padding", "the mask"],
  ["cross", "cross-attention", "cross-attention"],
];

// The first characters of both vocabularies: what fills the source up, and begins the target; and
// what ends that.
const PADDING = 0, START = 0, END = 1;

/** @param {number[]} row */
const largestOf = (row) => row.indexOf(Math.max(...row));

export class LiveTranslator {
  /** @param {PackedTranslator} packed @param {string} text that it reads first */
  constructor(packed, text) {
    this.config = packed.config;
    this.characters = packed.characters;
    this.targets = packed.target_characters;
    this.params = nested(packed);
    /** @type {Record<Part, boolean>} */
    this.parts = { mask: true, cross: true };
    /** @type {Set<number>} the heads of cross-attention that are off, counted through all blocks */
    this.off = new Set();
    this.text = "";
    /** @type {Written[] | null} what the whole model makes of the text, once that was asked for */
    this.intact = null;
    /** @type {Written[]} the answer, as far as it is written */
    this.answer = [];
    /** @type {Generator<Written, void>} what goes on writing it */
    this.rest = this.writing(true);
    this.begin(text);
  }

  /** How many heads read the source. */
  get n_heads() {
    return this.config.n_layers * this.config.n_heads;
  }

  /** Whether nothing of the source is read. */
  get isBlind() {
    return !this.parts.cross || this.off.size === this.n_heads;
  }

  /** How many places of the source are padding. */
  get n_padding() {
    return this.config.n_source_context - this.text.length;
  }

  /** Whether the answer has come to its end, or to the end of its context. */
  get isDone() {
    return this.answer.length === this.config.n_target_context ||
      this.answer.at(-1)?.character === this.targets[END];
  }

  /** The block and the head with a number. @param {number} n @returns {[number, number]} */
  headAt(n) {
    return [Math.floor(n / this.config.n_heads), n % this.config.n_heads];
  }

  /** A head in words. @param {number} n */
  nameOf(n) {
    const [layer, head] = this.headAt(n);
    return `block ${layer + 1}, head ${head + 1}`;
  }

  /** What is off, in words. */
  missing() {
    const heads = [...this.off].sort((a, b) => a - b);
    return [
      ...PARTS.filter(([part]) => !this.parts[part]).map(([, , name]) => name),
      ...heads.map((n) => {
        const [layer, head] = this.headAt(n);
        return `head ${head + 1} of block ${layer + 1}`;
      }),
    ];
  }

  /** Let all parts take part again. */
  mend() {
    for (const [part] of PARTS) this.parts[part] = true;
    this.off.clear();
  }

  /** Read a text, or the same once more, with the parts that are on; nothing is written yet. */
  begin(text = this.text) {
    if (text !== this.text) this.intact = null;
    this.text = text;
    this.answer = [];
    this.rest = this.writing(!this.missing().length);
  }

  /** Write one character more. */
  writeOne() {
    const next = this.rest.next();
    if (next.value) this.answer.push(next.value);
  }

  /** Write all that is missing of the answer. */
  writeAll() {
    this.answer.push(...this.rest);
  }

  /** What the whole model writes, whatever is off. */
  whole() {
    return this.intact ??= [...this.writing(true)];
  }

  /**
   * Write an answer, always the likeliest character.
   * @param {boolean} whole whether all parts take part
   * @returns {Generator<Written, void>}
   */
  *writing(whole) {
    const { n_source_context, n_target_context, n_heads } = this.config;
    const source = Array.from(
      { length: n_source_context },
      (_, j) => j < this.text.length ? this.characters.indexOf(this.text[j]) : PADDING,
    );
    const on = whole ? { mask: true, cross: true } : { ...this.parts };
    const off = whole ? [] : [...this.off].map((n) => this.headAt(n));
    const options = {
      n_heads,
      source_mask: source.map((_, j) => !on.mask || j < this.text.length),
      cross: on.cross,
      off,
    };
    const Z = encode(source, this.params, options), target = [START];
    while (target.length <= n_target_context && target.at(-1) !== END) {
      const i = target.length - 1, { logits, weights } = decode(target, Z, this.params, options);
      const token = largestOf(logits[i]), share = softmax(logits[i])[token];
      const heads = weights.flat().filter((_, n) => on.cross && (whole || !this.off.has(n)));
      target.push(token);
      yield {
        character: this.targets[token],
        share,
        weights: source.map((_, j) => heads.reduce((sum, rows) => sum + rows[i][j] / heads.length, 0)),
      };
    }
  }
}

// --- in words ------------------------------------------------------------------------------------

/** An answer without its end. @param {Written[]} answer @param {string} end */
const textOf = (answer, end) => answer.map(({ character }) => character).filter((c) => c !== end).join("");

/**
 * Say what has become of the source, and what the whole model makes of it.
 * @param {LiveTranslator} model
 * @returns {string}
 */
export function became(model) {
  const { text, answer, targets, config, n_padding } = model, missing = model.missing();
  const end = targets[END], now = textOf(answer, end);
  const cut = answer.at(-1)?.character === end
    ? ""
    : ` It found no end, and was cut after ${config.n_target_context} characters.`;
  if (!missing.length) return `“${text}” becomes ${now}.${cut}`;
  const wanted = textOf(model.whole(), end), n = Math.max(now.length, wanted.length);
  const changed = Array.from({ length: n }, (_, i) => i).filter((i) => now[i] !== wanted[i]).length;
  return `Without ${listed(missing)}: “${text}” ` +
    (changed
      ? `becomes ${now || "nothing"}; the whole model writes ${wanted}. ${changed} of ${n} characters differ.`
      : `still becomes ${now}.`) +
    cut + seenOf(model, n_padding);
}

/** What is read that should not be, or not at all. @param {LiveTranslator} model @param {number} n */
function seenOf(model, n) {
  if (model.isBlind) {
    return " Nothing of the source is read: the answer is the same for every date.";
  }
  if (model.parts.mask) return "";
  if (!n) return " This source fills all places: there is no padding to hide.";
  const lost = model.answer.map(({ weights }) => weights.slice(-n).reduce((sum, a) => sum + a, 0));
  const share = lost.reduce((sum, a) => sum + a, 0) / lost.length;
  return ` On average ${written(share)} of a character’s weight lies on padding.`;
}

/**
 * A character of the answer in a sentence.
 * @param {LiveTranslator} model @param {string} c
 */
const answered = ({ targets }, c) =>
  c === targets[END] ? `“${c}”, the end,` : c === targets[START] ? `“${c}”, the beginning,` : `“${c}”`;

/** @param {LiveTranslator} model @param {number} j a place of the source */
const placed = ({ text }, j) => `${j < text.length ? quoted(text[j]) : "padding"} at place ${j}`;

/**
 * Say what a character of the answer has read of the source.
 * @param {LiveTranslator} model
 * @param {number} i
 * @returns {string}
 */
export function looked(model, i) {
  if (i >= model.answer.length) {
    return `Place ${i} of the answer ${model.isDone ? "stays empty" : "is not written yet"}.`;
  }
  const { character, share, weights } = model.answer[i];
  const begin = `${answered(model, character)} at place ${i} of the answer (probability ${written(share)})`;
  if (model.isBlind) return `${begin} has read nothing of the source.`;
  const best = weights.map((_, j) => j).sort((a, b) => weights[b] - weights[a]).slice(0, 3);
  const names = best.map((j) => `${placed(model, j)} (${written(weights[j])})`);
  return `${begin} has read most of ${listed(names)}.`;
}

/**
 * Say what is wrong with a text, or nothing.
 * @param {LiveTranslator} model
 * @param {string} given
 * @returns {string}
 */
export function wrongWith({ text, characters, config }, given) {
  const still = ` Source and answer are still those of “${text}”.`;
  if (!given.trim()) return "There is no text: write a date in words." + still;
  const longest = config.n_source_context, signs = [...given];
  const known = characters.slice(PADDING + 1);
  const [first, ...others] = new Set(signs.filter((c) => !known.includes(c)));
  if (first !== undefined) {
    const number = others.length === 1 ? "one other character" : `${others.length} other characters`;
    const letters = [...known].filter((c) => /[A-Z]/.test(c)).join(" ");
    return `The model does not know ${spelled(first)} (place ${signs.indexOf(first)})` +
      (others.length ? ` and ${number}` : "") +
      `: its ${known.length} characters are the space, , . - and digits, small letters, and of the capital ` +
      `ones ${letters}.` + still;
  }
  if (signs.length <= longest) return "";
  return `The model reads at most ${longest} characters, and these are ${signs.length}.` + still;
}
