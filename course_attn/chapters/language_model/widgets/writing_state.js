// @ts-check
// The model in the page: what it reads, which of its parts are off, and what it makes of both.

import { unpacked } from "../../../drawing/packed.js";
import { firstSeen, gptInParts } from "./gpt.js";
import { habit, waysIn } from "./writing_words.js";

/** @typedef {import("./gpt.js").Run} Run */
/** @typedef {{n_layers: number, n_heads: number, n_context: number, n_vocab: number}} Config */
/** @typedef {import("../../../drawing/packed.js").Packed & {config: Config, characters: string}} PackedModel */
/** @typedef {"mask" | "scale" | "positions" | "residual" | "norm"} Part */

/**
 * Each part: what its switch says, and what is missing without it.
 * @type {[Part, string, string][]}
 */
export const PARTS = [
  ["mask", "mask: no look at later characters", "the mask"],
  ["scale", "scores ÷ √d", "÷ √d"],
  ["positions", "positions", "positions"],
  ["residual", "additions (residual stream)", "the additions"],
  ["norm", "norms", "norms"],
];

export class LiveModel {
  /** @param {PackedModel} packed @param {string} text that it reads first */
  constructor(packed, text) {
    this.config = packed.config;
    this.characters = packed.characters;
    this.params = unpacked(packed);
    this.tokens = new Map([...packed.characters].map((c, token) => [c, token]));
    /** @type {Record<Part, boolean>} */
    this.parts = { mask: true, scale: true, positions: true, residual: true, norm: true };
    /** @type {Set<number>} the heads that are off, counted through all blocks */
    this.off = new Set();
    /** What it reads: the last text without a problem; and what it sees of that. */
    this.text = this.seen = "";
    this.ways = waysIn("");
    /** The place of the character that asks, and the block and head that are looked at. */
    this.asking = 0;
    this.opened = [0, 0];
    /** @type {Run | undefined} what it makes of the text without the parts that are off */
    this.broken = undefined;
    this.whole = /** @type {Run} */ (/** @type {unknown} */ (undefined));
    this.read(text);
  }

  /** What it makes of the text as it is now. */
  get now() {
    return this.broken ?? this.whole;
  }

  get openedWeights() {
    return this.now.weights[this.opened[0]][this.opened[1]];
  }

  /** The number of a head among all, by default of the one that is looked at. */
  numberOf(layer = this.opened[0], head = this.opened[1]) {
    return layer * this.config.n_heads + head;
  }

  /** The block and the head with a number. @param {number} n @returns {[number, number]} */
  headAt(n) {
    return [Math.floor(n / this.config.n_heads), n % this.config.n_heads];
  }

  /** What is off, in words. */
  missing() {
    const heads = [...this.off].sort((a, b) => a - b).map((n) => this.headAt(n));
    return [
      ...PARTS.filter(([part]) => !this.parts[part]).map(([, , name]) => name),
      ...heads.map(([layer, head]) => `head ${head + 1} of block ${layer + 1}`),
    ];
  }

  /** Let all parts take part again. */
  mend() {
    for (const [part] of PARTS) this.parts[part] = true;
    this.off.clear();
  }

  /** What a head does on the text. @param {number} layer @param {number} head */
  habitOf(layer, head) {
    return habit(this.now.weights[layer][head], this.ways);
  }

  /** Open the head that is easiest to read. */
  openEasiest() {
    let most = -1;
    this.now.weights.forEach((heads, layer) =>
      heads.forEach((_, head) => {
        const { strength } = this.habitOf(layer, head);
        if (strength > most) [most, this.opened] = [strength, [layer, head]];
      })
    );
  }

  /**
   * Run the model on a text, and beside it the broken one if a part is off. There are rests between
   * the parts of the work; nothing has changed before its end.
   * @param {string} text @param {boolean} [anew] whether other parts are off than before
   * @returns {Generator<undefined, void>}
   */
  *reading(text, anew) {
    const { n_heads, n_context } = this.config, tokens = [...text].map((c) => this.tokens.get(c) ?? 0);
    const first = firstSeen(tokens.length, n_context), used = tokens.slice(first);
    const off = [...this.off].map((n) => this.headAt(n));
    const whole = yield* gptInParts(used, this.params, { n_heads }, this.whole);
    this.broken = this.missing().length
      ? yield* gptInParts(used, this.params, { n_heads, ...this.parts, off }, anew ? undefined : this.broken)
      : undefined;
    this.whole = whole;
    this.text = text;
    this.seen = text.slice(first);
    this.ways = waysIn(this.seen);
    this.asking = this.seen.length - 1;
  }

  /** Read a text without a rest. @param {string} text @param {boolean} [anew] */
  read(text, anew) {
    const work = this.reading(text, anew);
    while (!work.next().done);
  }
}
