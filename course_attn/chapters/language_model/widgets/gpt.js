// @ts-check
// The course's GPT in JavaScript: what course_attn.in_numpy.gpt computes, with the same parameters
// and the same results, fast enough to follow the keys. A matrix is one typed array, row after row;
// rows that belong to tokens are typed arrays of their own, so that those of an earlier text can be
// used again. Numbers are as wide as the parameters: 32 bits in the page, 64 in some of the tests.

import { softmax } from "../../../drawing/twin.js";

/**
 * @typedef {Float32Array | Float64Array} Row
 * @typedef {Record<string, Row>} Parameters under their names in a state dict
 *
 * @typedef {object} Options
 * @property {number} n_heads
 *
 * What of the model takes part: all, but for what is said here.
 * @property {boolean} [mask] whether no token sees a later one
 * @property {boolean} [scale] whether scores are divided by √d_k
 * @property {boolean} [positions] whether P is added
 * @property {boolean} [residual] whether what a part finds is added to what it was given
 * @property {boolean} [norm] whether there are norms
 * @property {[number, number][]} [off] heads, (layer, head) from 0, that find nothing
 *
 * @typedef {object} Run what the model makes of some tokens
 * @property {number[]} tokens
 * @property {Row[][]} K by layer and token
 * @property {Row[][]} V by layer and token
 * @property {Row[][][]} weights by layer, head and token that asks; with a mask, row i ends at i
 * @property {Row[]} logits by token
 */

const EPS = 1e-5;

/**
 * The error function, by its series (2/√π) e^(-x²) (x + 2x³/3 + 4x⁵/15 + …): its terms all have
 * one sign, so that nothing cancels.
 * @param {number} x
 * @returns {number}
 */
export function erf(x) {
  const square = x * x;
  if (square > 36) return Math.sign(x);
  let term = x, total = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(total); n++) {
    term *= 2 * square / (2 * n + 1);
    total += term;
  }
  return 2 / Math.sqrt(Math.PI) * Math.exp(-square) * total;
}

/** @param {number} x @returns {number} */
export function gelu(x) {
  return x * (1 + erf(x / Math.SQRT2)) / 2;
}

/**
 * Make a row of zeros as wide as another's numbers.
 * @param {Row} row @param {number} n
 * @returns {Row}
 */
const like = (row, n) => new /** @type {any} */ (row.constructor)(n);

/**
 * @param {Row} x @param {Row} gain @param {Row} bias @returns {Row}
 */
function normed(x, gain, bias) {
  const n = x.length;
  let mean = 0, variance = 0;
  for (let f = 0; f < n; f++) mean += x[f] / n;
  for (let f = 0; f < n; f++) variance += (x[f] - mean) ** 2 / n;
  const size = Math.sqrt(variance + EPS);
  return x.map((value, f) => gain[f] * ((value - mean) / size) + bias[f]);
}

/**
 * Multiply rows with a matrix. Four rows share each look at the matrix, which is what takes long.
 * @param {Row[]} X @param {Row} W @param {Row} [bias]
 * @returns {Row[]}
 */
function times(X, W, bias) {
  const n_out = X.length && W.length / X[0].length;
  const Y = X.map((x) => {
    const y = like(x, n_out);
    if (bias) y.set(bias);
    return y;
  });
  let i = 0;
  for (; i + 4 <= X.length; i += 4) {
    const [a, b, c, d] = X.slice(i, i + 4), [p, q, r, s] = Y.slice(i, i + 4);
    for (let k = 0, at = 0; k < a.length; k++) {
      const ak = a[k], bk = b[k], ck = c[k], dk = d[k];
      for (let j = 0; j < n_out; j++, at++) {
        const w = W[at];
        p[j] += ak * w;
        q[j] += bk * w;
        r[j] += ck * w;
        s[j] += dk * w;
      }
    }
  }
  for (; i < X.length; i++) {
    const x = X[i], y = Y[i];
    for (let k = 0, at = 0; k < x.length; k++) {
      const xk = x[k];
      for (let j = 0; j < n_out; j++, at++) y[j] += xk * W[at];
    }
  }
  return Y;
}

/**
 * Turn a row of scores into weights, in place.
 * @param {Row} row
 * @returns {Row}
 */
function softmaxed(row) {
  let largest = -Infinity, total = 0;
  for (const score of row) largest = Math.max(largest, score);
  for (let j = 0; j < row.length; j++) total += row[j] = Math.exp(row[j] - largest);
  for (let j = 0; j < row.length; j++) row[j] /= total;
  return row;
}

/**
 * Let tokens ask: the weights of each head, and what all heads find, side by side.
 * @param {Row[]} Q of the new tokens @param {Row[]} K of all @param {Row[]} V of all
 * @param {number} n_heads @param {number} scale @param {boolean} causal
 * @param {(head: number) => boolean} isOff
 * @returns {{found: Row[], weights: Row[][]}}
 */
function attended(Q, K, V, n_heads, scale, causal, isOff) {
  const first = K.length - Q.length, d_k = K[0].length / n_heads, d_v = V[0].length / n_heads;
  const found = Q.map(() => like(V[0], V[0].length));
  const weights = Array.from({ length: n_heads }, (_, head) =>
    Q.map((q, i) => {
      const n = causal ? first + i + 1 : K.length, row = like(q, n);
      for (let j = 0; j < n; j++) {
        const key = K[j];
        let score = 0;
        for (let f = head * d_k; f < (head + 1) * d_k; f++) score += q[f] * key[f];
        row[j] = score * scale;
      }
      softmaxed(row);
      if (isOff(head)) return row;
      const y = found[i];
      for (let j = 0; j < n; j++) {
        const value = V[j], weight = row[j];
        for (let f = head * d_v; f < (head + 1) * d_v; f++) y[f] += weight * value[f];
      }
      return row;
    }));
  return { found, weights };
}

/**
 * What follows a norm, if there are norms.
 * @param {Row[]} X @param {Parameters} params @param {string} name @param {Options} options
 * @returns {Row[]}
 */
const afterNorm = (X, params, name, { norm = true }) =>
  norm ? X.map((x) => normed(x, params[`${name}.gain`], params[`${name}.bias`])) : X;

/**
 * What a part found, added to what it was given, if there are additions.
 * @param {Row[]} X @param {Row[]} found @param {Options} options
 * @returns {Row[]}
 */
const added = (X, found, { residual = true }) =>
  residual ? X.map((x, i) => x.map((value, f) => value + found[i][f])) : found;

/**
 * What a run found for its first n tokens, as the beginning of another run.
 * @param {number[]} tokens @param {Run | undefined} before @param {number} n
 * @returns {Run}
 */
function begun(tokens, before, n) {
  const cut = (/** @type {Row[]} */ rows) => rows.slice(0, n);
  const { K = [], V = [], weights = [], logits = [] } = before ?? {};
  return {
    tokens: [...tokens],
    K: K.map(cut),
    V: V.map(cut),
    weights: weights.map((heads) => heads.map(cut)),
    logits: cut(logits),
  };
}

/**
 * Let new tokens pass a block, and add to the run what they find there.
 * @param {Row[]} X @param {number} layer @param {Run} run @param {Parameters} params
 * @param {Options} options
 * @returns {Row[]}
 */
function throughBlock(X, layer, run, params, options) {
  const { n_heads, mask = true, scale = true, off = [] } = options;
  const block = `transformer.blocks.${layer}.`;
  const W = (/** @type {string} */ name) => params[block + name];
  const x = afterNorm(X, params, block + "norm_1", options);
  const Q = times(x, W("attention.W_Q"));
  const K = [...run.K[layer] ?? [], ...times(x, W("attention.W_K"))];
  const V = [...run.V[layer] ?? [], ...times(x, W("attention.W_V"))];
  const factor = scale ? Math.sqrt(n_heads / K[0].length) : 1;
  const isOff = (/** @type {number} */ head) => off.some(([l, h]) => l === layer && h === head);
  const { found, weights } = attended(Q, K, V, n_heads, factor, mask, isOff);
  run.K[layer] = K;
  run.V[layer] = V;
  run.weights[layer] = weights.map((rows, head) => [...run.weights[layer]?.[head] ?? [], ...rows]);
  const Y = added(X, times(found, W("attention.W_O")), options);
  const y = afterNorm(Y, params, block + "norm_2", options);
  const hidden = times(y, W("feed_forward.W_1"), W("feed_forward.b_1")).map((row) => row.map(gelu));
  return added(Y, times(hidden, W("feed_forward.W_2"), W("feed_forward.b_2")), options);
}

/**
 * How well each token would fit behind a row.
 * @param {Row} x @param {Row} E
 * @returns {Row}
 */
function logitsOf(x, E) {
  const logits = like(x, E.length / x.length);
  for (let token = 0, at = 0; token < logits.length; token++) {
    let fit = 0;
    for (let f = 0; f < x.length; f++, at++) fit += x[f] * E[at];
    logits[token] = fit;
  }
  return logits;
}

/**
 * Predict every next token. What an earlier run with the same parts found for the tokens with which
 * both texts begin is used again, as a cache would be: with a mask, it cannot have changed.
 * @param {number[]} tokens at least one, at most n_context
 * @param {Parameters} params
 * @param {Options} options
 * @param {Run} [before] a run with the same options
 * @returns {Run}
 */
export function gpt(tokens, params, options, before) {
  const work = gptInParts(tokens, params, options, before);
  for (;;) {
    const part = work.next();
    if (part.done) return part.value;
  }
}

/**
 * Do what `gpt` does, with a rest after each block, in which the page can answer the reader.
 * @param {number[]} tokens @param {Parameters} params @param {Options} options
 * @param {Run} [before]
 * @returns {Generator<undefined, Run>}
 */
export function* gptInParts(tokens, params, options, before) {
  const { mask = true, positions = true } = options;
  let kept = 0;
  if (before && mask) {
    while (kept < tokens.length && tokens[kept] === before.tokens[kept]) kept++;
  }
  const run = begun(tokens, before, kept);
  const E = params.embedding, P = params["positions.P"];
  const d_model = params["transformer.final_norm.gain"].length;
  /** @type {Row[]} */
  let X = tokens.slice(kept).map((token, i) => {
    const at = (kept + i) * d_model;
    return E.slice(token * d_model, (token + 1) * d_model)
      .map((value, f) => positions ? value + P[at + f] : value);
  });
  for (let layer = 0; `transformer.blocks.${layer}.norm_1.gain` in params; layer++) {
    X = throughBlock(X, layer, run, params, options);
    yield;
  }
  const last = afterNorm(X, params, "transformer.final_norm", options);
  run.logits.push(...last.map((x) => logitsOf(x, E)));
  return run;
}

/**
 * Where the part of a text begins that the model sees. As `generate` does, it forgets its older
 * half where the context is full, and goes on behind the other.
 * @param {number} n tokens in all @param {number} n_context
 * @returns {number}
 */
export function firstSeen(n, n_context) {
  if (n <= n_context) return 0;
  const step = n_context + 1 - Math.floor((n_context + 1) / 2);
  return step * (1 + Math.floor((n - n_context - 1) / step));
}

/**
 * How badly logits predict tokens, in nats per token.
 * @param {ArrayLike<number>[]} logits @param {number[]} targets
 * @param {{ignore?: number}} [options]
 * @returns {number} NaN without a target that counts
 */
export function cross_entropy(logits, targets, { ignore = -100 } = {}) {
  let total = 0, count = 0;
  targets.forEach((target, i) => {
    if (target === ignore) return;
    const row = Array.from(logits[i]), largest = Math.max(...row);
    const sum = row.reduce((so_far, logit) => so_far + Math.exp(logit - largest), 0);
    total += Math.log(sum) + largest - row[target];
    count++;
  });
  return total / count;
}

/**
 * @typedef {{temperature?: number, top_k?: number | null, top_p?: number | null}} Sampling
 *
 * The probabilities that the next token is drawn with.
 * @param {ArrayLike<number>} logits
 * @param {Sampling} [options]
 * @returns {number[]}
 */
export function token_probabilities(logits, { temperature = 1, top_k = null, top_p = null } = {}) {
  const n = logits.length, least = 2.2250738585072014e-308;
  const order = Array.from({ length: n }, (_, token) => token)
    .sort((a, b) => logits[b] - logits[a] || a - b);
  const kept = temperature === 0 ? 1 : top_k ?? n;
  const shares = (/** @type {number[]} */ row) => {
    const total = row.reduce((sum, x) => sum + x, 0);
    return row.map((x) => x / total);
  };
  /** @type {number[]} */
  const all = softmax(order.map((token) => logits[token]), { temperature: Math.max(temperature, least) });
  let ranked = shares(all.map((share, rank) => share * Number(rank < kept)));
  if (top_p !== null) {
    let before = 0;
    ranked = shares(ranked.map((share) => {
      const counts = before < top_p;
      before += share;
      return counts ? share : 0;
    }));
  }
  const probs = Array(n).fill(0);
  order.forEach((token, rank) => probs[token] = ranked[rank]);
  return probs;
}

/**
 * The token that a number u from 0 to 1 draws: the first whose probabilities add up to more than u.
 * @param {number[]} probs @param {number} u
 * @returns {number}
 */
export function drawn(probs, u) {
  const total = probs.reduce((sum, p) => sum + p, 0);
  let so_far = 0;
  for (let token = 0; token < probs.length; token++) {
    so_far += probs[token];
    if (so_far > u * total) return token;
  }
  return probs.findLastIndex((p) => p > 0);
}
