// @ts-check
// The third twin: functions of course_attn.in_numpy with the same names, arguments and results.
// Arguments after the * in Python go into an object: softmax([1, 2], {temperature: 2}). Arrays are
// nested arrays of numbers, masks of true and false. One without entries says its shape where that
// matters: Object.assign([], {shape: [0, 3]}). Nothing is checked: what calls it has done so.

/** @typedef {any[]} Numbers nested arrays of numbers */
/** @typedef {any[]} Mask nested arrays of true and false */

/** @type {(row: number[]) => number} */
const sum = (row) => row.reduce((total, x) => total + x, 0);
/** @type {(row: number[]) => number} */
const mean = (row) => sum(row) / row.length;
/** @type {(x: number[], y: number[]) => number} */
const dot = (x, y) => x.reduce((total, a, f) => total + a * y[f], 0);
/** @type {(X: Numbers) => Numbers} */
const transposed = (X) => X.length ? Array.from(X[0], (_, j) => X.map((row) => row[j])) : X;

/** @param {any} X @returns {number[]} */
function shape(X) {
  if (!Array.isArray(X)) return [];
  return X.length ? [X.length, ...shape(X[0])] : /** @type {any} */ (X).shape || [0];
}

/** How many axes there are. @param {any} X @returns {number} */
const rank = (X) => shape(X).length;

/**
 * What stands at a place of an axis; one of length 1 has the same everywhere.
 * @type {(X: any[], i: number) => any}
 */
const at = (X, i) => X[X.length === 1 ? 0 : i];

/**
 * Return a function that calls f, which takes arrays with so many axes, for each entry of a batch.
 * The first array has all axes of the batch.
 * @param {number[]} axes @param {(...arrays: Numbers[]) => any} f
 * @returns {(...arrays: any[]) => any}
 */
function batched(axes, f) {
  /** @type {(...arrays: any[]) => any} */
  const each = (...arrays) => {
    const more = rank(arrays[0]) - axes[0];
    if (more <= 0) return f(...arrays);
    const entry = (/** @type {number} */ b) =>
      arrays.map((X, k) => rank(X) - axes[k] === more ? at(X, b) : X);
    return Array.from(arrays[0], (_, b) => each(...entry(b)));
  };
  return each;
}

/**
 * Call f for each row along any axis.
 * @param {Numbers} X @param {number} axis @param {(row: number[]) => any} f
 * @returns {any}
 */
function along(X, axis, f) {
  const from = axis < 0 ? axis + rank(X) : axis;
  if (rank(X) === 1) return f(X);
  if (from > 0) return X.map((part) => along(part, from - 1, f));
  const found = transposed(X).map((part) => along(part, 0, f));
  return rank(found) === rank(X) ? transposed(found) : found;
}

/** @param {Numbers} scores @returns {Numbers} */
export function softmax(scores, { axis = -1, temperature = 1 } = {}) {
  return along(scores, axis, (row) => {
    const largest = Math.max(...row);
    const exps = row.map((s) => Math.exp((s - largest) / temperature));
    const total = sum(exps);
    return exps.map((e) => e / total);
  });
}

/** @param {Numbers} weights @returns {Numbers} */
export function entropy(weights, { axis = -1 } = {}) {
  return along(weights, axis, (row) => sum(row.map((a) => a && -a * Math.log(a))));
}

/** @param {Numbers} scores @param {Mask} [mask] @returns {Numbers} */
export function masked_softmax(scores, mask) {
  return batched([1, 1], (row, allowed) => {
    const left = row.map((s, j) => !allowed || at(allowed, j) ? s : -Infinity);
    return left.every((s) => s === -Infinity) ? left.map(() => 0) : softmax(left);
  })(scores, mask);
}

/** @param {Numbers} weights @param {Numbers} values @returns {Numbers} */
export function weighted_sum(weights, values) {
  if (rank(weights) === 1) return batched([2], (X) => weighted_sum([weights], X)[0])(values);
  return batched([2, 2], (A, X) => {
    const columns = X.length ? transposed(X) : Array(shape(X)[1]).fill([]);
    return A.map((row) => columns.map((column) => dot(row, column)));
  })(weights, values);
}

/** @param {Numbers} Q @param {Numbers} K @returns {Numbers} */
export function dot_scores(Q, K) {
  return batched([2, 2], (queries, keys) => queries.map((q) => keys.map((k) => dot(q, k))))(Q, K);
}

/** @param {Numbers} Q @param {Numbers} K @returns {Numbers} */
export function cosine_scores(Q, K) {
  const directions = (/** @type {Numbers} */ X) =>
    along(X, -1, (row) => {
      const length = Math.sqrt(dot(row, row)) || 1;
      return row.map((x) => x / length);
    });
  return dot_scores(directions(Q), directions(K));
}

/** @param {Numbers} Q @param {Numbers} K @returns {Numbers} */
export function scaled_scores(Q, K, { scale = shape(Q).slice(-1)[0] ** -0.5 } = {}) {
  return along(dot_scores(Q, K), -1, (row) => row.map((s) => s * scale));
}

/**
 * How many positions each key lies before each query.
 * @type {(n_q: number, n_k?: number) => number[][]}
 */
const distances = (n_q, n_k = n_q) =>
  Array.from({ length: n_q }, (_, i) => Array.from({ length: n_k }, (_, j) => i + n_k - n_q - j));

/** @param {number} n_q @param {number} [n_k] @returns {Mask} */
export function causal_mask(n_q, n_k) {
  return distances(n_q, n_k).map((row) => row.map((before) => before >= 0));
}

/**
 * @param {number} n_q @param {number | undefined} n_k @param {{window: number}} options
 * @returns {Mask}
 */
export function sliding_window_mask(n_q, n_k, { window }) {
  return distances(n_q, n_k).map((row) => row.map((before) => before >= 0 && before < window));
}

/** @typedef {{mask?: Mask, bias?: Numbers, causal?: boolean, scale?: number}} AttentionOptions */

/** @param {Numbers} Q @param {Numbers} K @param {AttentionOptions} [options] @returns {Numbers} */
export function attention_weights(Q, K, { mask, bias, causal = false, scale } = {}) {
  return batched([2, 2, 2, 2], (queries, keys, allowed, added) => {
    const before = distances(queries.length, keys.length);
    return scaled_scores(queries, keys, { scale }).map((/** @type {number[]} */ row, i) =>
      masked_softmax(
        row.map((s, j) => added ? s + at(at(added, i), j) : s),
        row.map((_, j) => (!allowed || at(at(allowed, i), j)) && (!causal || before[i][j] >= 0)),
      )
    );
  })(Q, K, mask, bias);
}

/**
 * @param {Numbers} Q @param {Numbers} K @param {Numbers} V @param {AttentionOptions} [options]
 * @returns {Numbers}
 */
export function attention(Q, K, V, options) {
  const weights = attention_weights(Q, K, options);
  return weights.length ? weighted_sum(weights, V) : weights;
}

/** @param {Numbers} X @param {number} n_heads @returns {Numbers} */
export function split_heads(X, n_heads) {
  return batched(
    [2],
    (x) =>
      Array.from(
        { length: n_heads },
        (_, h) => x.map((row) => row.slice(h * row.length / n_heads, (h + 1) * row.length / n_heads)),
      ),
  )(X);
}

/** @param {Numbers} X @returns {Numbers} */
export function merge_heads(X) {
  return batched([3], (heads) => transposed(heads).map((row) => row.flat()))(X);
}

/**
 * @param {Numbers} X @param {Numbers} W_Q @param {Numbers} W_K @param {Numbers} W_V
 * @param {Numbers} W_O @param {AttentionOptions & {n_heads: number, Z?: Numbers}} options
 * @returns {Numbers}
 */
export function multi_head_attention(X, W_Q, W_K, W_V, W_O, { n_heads, Z = X, ...options }) {
  return batched([2, 2, 2, 3], (x, z, mask, bias) => {
    const heads = (/** @type {Numbers} */ rows, /** @type {Numbers} */ W) =>
      split_heads(weighted_sum(rows, W), n_heads);
    const [Q, K, V] = [heads(x, W_Q), heads(z, W_K), heads(z, W_V)];
    return weighted_sum(merge_heads(attention(Q, K, V, { ...options, mask, bias })), W_O);
  })(X, Z, options.mask, options.bias);
}

/** @param {Numbers} X @param {number[]} gain @param {number[]} bias @returns {Numbers} */
export function layer_norm(X, gain, bias, { eps = 1e-5 } = {}) {
  return along(X, -1, (row) => {
    const centered = row.map((x) => x - mean(row));
    const size = Math.sqrt(mean(centered.map((x) => x * x)) + eps);
    return centered.map((x, f) => gain[f] * (x / size) + bias[f]);
  });
}

/** @param {Numbers} X @returns {Numbers} */
export function relu(X) {
  return X.map((x) => Array.isArray(x) ? relu(x) : Math.max(x, 0));
}

/** @param {Numbers} X @param {number[]} positions @returns {Numbers} */
export function rotary(X, positions, { base = 10000, interleaved = false } = {}) {
  return batched([2], (x) =>
    x.map((row, i) => {
      const turned = [...row], half = row.length / 2;
      for (let f = 0; f < half; f++) {
        const [a, b] = interleaved ? [2 * f, 2 * f + 1] : [f, f + half];
        const angle = positions[i] * base ** (-2 * f / row.length);
        turned[a] = row[a] * Math.cos(angle) - row[b] * Math.sin(angle);
        turned[b] = row[a] * Math.sin(angle) + row[b] * Math.cos(angle);
      }
      return turned;
    }))(X);
}

/** @param {Numbers} weights @param {Numbers} d_weights @returns {Numbers} */
export function softmax_backward(weights, d_weights) {
  return batched([1, 1], (a, d_a) => {
    const r = dot(a, d_a);
    return a.map((weight, j) => weight * (d_a[j] - r));
  })(weights, d_weights);
}

/**
 * The rows and columns of all pixels, row by row.
 * @type {(height: number, width: number) => [number, number][]}
 */
const pixels = (height, width) =>
  Array.from({ length: height * width }, (_, i) => [Math.floor(i / width), i % width]);

/**
 * @param {number} height @param {number} width @param {[number, number]} shift
 * @returns {Numbers}
 */
export function shift_weights(height, width, [down, right]) {
  const all = pixels(height, width);
  return all.map(([r, c]) => all.map(([s, t]) => Number(s - r === down && t - c === right)));
}

/**
 * @param {number} height @param {number} width @param {[number, number]} shift
 * @param {{sharpness: number}} options
 * @returns {Numbers}
 */
export function relative_position_scores(height, width, [down, right], { sharpness }) {
  const all = pixels(height, width);
  return all.map(([r, c]) => all.map(([s, t]) => -sharpness * ((s - r - down) ** 2 + (t - c - right) ** 2)));
}

/** @param {Numbers} image @param {Numbers} kernel @returns {Numbers} */
export function conv2d_as_attention(image, kernel) {
  const [k_height, k_width, ...sizes] = shape(kernel);
  return batched([3], (rows) => {
    const height = rows.length, width = rows[0].length, X = rows.flat();
    const heads = pixels(k_height, k_width).map(([a, b]) =>
      weighted_sum(
        shift_weights(height, width, [a - (k_height - 1) / 2, b - (k_width - 1) / 2]),
        X,
      )
    );
    const side_by_side = X.map((_, i) => heads.flatMap((head) => head[i]));
    const Y = weighted_sum(side_by_side, Object.assign(kernel.flat(2), { shape: sizes }));
    return rows.map((_, r) => Y.slice(r * width, (r + 1) * width));
  })(image);
}

/** @param {Numbers} patterns @param {Numbers} state @param {{beta: number}} options */
export function hopfield_update(patterns, state, { beta }) {
  return attention(state, patterns, patterns, { scale: beta });
}
