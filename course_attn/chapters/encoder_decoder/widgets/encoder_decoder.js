// @ts-check
// The course's encoder and decoder in JavaScript, of the functions of twin.js: what
// course_attn.in_numpy.encoder_decoder computes, with the same parameters and the same results.

import {
  attention_weights,
  dot_scores,
  layer_norm,
  merge_heads,
  relu,
  split_heads,
  weighted_sum,
} from "../../../drawing/twin.js";
import { unpacked } from "../../../drawing/packed.js";

/**
 * @typedef {any[]} Numbers nested arrays of numbers
 * @typedef {Record<string, Numbers>} Parameters under their names in a state dict
 *
 * @typedef {object} Options
 * @property {number} n_heads
 * @property {boolean[]} [source_mask] false marks padding
 *
 * What of the decoder takes part: all, but for what is said here.
 * @property {boolean} [cross] whether it reads the source
 * @property {[number, number][]} [off] heads of cross-attention, (layer, head) from 0, that find nothing
 */

/**
 * Take a model's parameters out of what the book was built with.
 * @param {import("../../../drawing/packed.js").Packed} packed
 * @returns {Parameters}
 */
export function nested(packed) {
  const flat = unpacked(packed);
  return Object.fromEntries(packed.arrays.map(([name, [n, ...width]]) => {
    const row = (/** @type {number} */ i) => [...flat[name].subarray(i * width[0], (i + 1) * width[0])];
    return [name, width.length ? Array.from({ length: n }, (_, i) => row(i)) : [...flat[name]]];
  }));
}

/** @param {Numbers} X @param {Numbers} Y @returns {Numbers} */
const added = (X, Y) => X.map((/** @type {number[]} */ x, i) => x.map((value, f) => value + Y[i][f]));

/**
 * Add the vectors of tokens and of positions.
 * @param {number[]} tokens @param {Parameters} params @param {string} side
 * @returns {Numbers}
 */
const embedded = (tokens, params, side) =>
  added(tokens.map((token) => params[`${side}_embedding`][token]), params[`${side}_positions.P`]);

/** @param {Numbers} X @param {Parameters} params @param {string} name @returns {Numbers} */
const normed = (X, params, name) => layer_norm(X, params[`${name}.gain`], params[`${name}.bias`]);

/**
 * Let each element of X read Z: what all heads find, and their weights.
 * @param {Numbers} X @param {Numbers} Z @param {Parameters} params @param {string} part its name
 * @param {{n_heads: number, mask?: boolean[][], causal?: boolean, isOff?: (head: number) => boolean}} options
 * @returns {[Numbers, Numbers]}
 */
function read(X, Z, params, part, { n_heads, mask, causal, isOff = () => false }) {
  const heads = (/** @type {Numbers} */ rows, /** @type {string} */ x) =>
    split_heads(weighted_sum(rows, params[`${part}.W_${x}`]), n_heads);
  const weights = attention_weights(heads(X, "Q"), heads(Z, "K"), { mask, causal });
  const found = weighted_sum(weights, heads(Z, "V"))
    .map((rows, head) => isOff(head) ? rows.map((/** @type {number[]} */ row) => row.map(() => 0)) : rows);
  return [weighted_sum(merge_heads(found), params[`${part}.W_O`]), weights];
}

/**
 * What the network of a block makes of each element.
 * @param {Numbers} X @param {Parameters} params @param {string} block
 * @returns {Numbers}
 */
function processed(X, params, block) {
  const layer = (/** @type {Numbers} */ rows, /** @type {number} */ k) =>
    added(weighted_sum(rows, W(`W_${k}`)), rows.map(() => W(`b_${k}`)));
  const W = (/** @type {string} */ name) => params[`${block}.feed_forward.${name}`];
  return layer(relu(layer(X, 1)), 2);
}

/** The names of a stack's blocks. @param {Parameters} params @param {string} stack */
const blocksOf = (params, stack) => {
  const names = [];
  const next = () => `${stack}.blocks.${names.length}`;
  while (`${next()}.norm_1.gain` in params) names.push(next());
  return names;
};

/** @param {boolean[] | undefined} source_mask */
const ofKeys = (source_mask) => source_mask && [source_mask];

/**
 * Read a source: what the encoder returns.
 * @param {number[]} source tokens @param {Parameters} params @param {Options} options
 * @returns {Numbers}
 */
export function encode(source, params, { n_heads, source_mask }) {
  let Z = embedded(source, params, "source");
  for (const block of blocksOf(params, "encoder")) {
    const H = normed(Z, params, `${block}.norm_1`);
    Z = added(Z, read(H, H, params, `${block}.attention`, { n_heads, mask: ofKeys(source_mask) })[0]);
    Z = added(Z, processed(normed(Z, params, `${block}.norm_2`), params, block));
  }
  return normed(Z, params, "encoder.final_norm");
}

/**
 * Predict every next token of a target, and say what each one has read of the source.
 * @param {number[]} target tokens @param {Numbers} Z what `encode` gave
 * @param {Parameters} params @param {Options} options
 * @returns {{logits: Numbers, weights: Numbers}} the weights of cross-attention by layer and head,
 *   also of heads that are off
 */
export function decode(target, Z, params, { n_heads, source_mask, cross = true, off = [] }) {
  let X = embedded(target, params, "target");
  const weights = blocksOf(params, "decoder").map((block, layer) => {
    const H = normed(X, params, `${block}.norm_1`);
    X = added(X, read(H, H, params, `${block}.self_attention`, { n_heads, causal: true })[0]);
    const isOff = (/** @type {number} */ head) => !cross || off.some(([l, h]) => l === layer && h === head);
    const [found, looks] = read(
      normed(X, params, `${block}.norm_2`),
      Z,
      params,
      `${block}.cross_attention`,
      { n_heads, mask: ofKeys(source_mask), isOff },
    );
    X = added(X, found);
    X = added(X, processed(normed(X, params, `${block}.norm_3`), params, block));
    return looks;
  });
  return { logits: dot_scores(normed(X, params, "decoder.final_norm"), params.target_embedding), weights };
}
