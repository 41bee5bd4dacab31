// @ts-check
// Random queries and keys, drawn anew at a click: what their width does to scores and weights.

import {
  brief,
  button,
  change,
  draw,
  grid,
  make,
  mount,
  panel,
  plane,
  row,
  slider,
  written,
} from "../../../drawing/kit.js";
import { entropy, scaled_scores, softmax } from "../../../drawing/twin.js";

/** @typedef {import("../../../drawing/kit.js").Say} Say */

const WAYS = [{ name: "without √d", kind: "plain" }, { name: "with √d", kind: "scaled" }];
const REACH = 20, BINS = 40, STEP = 2 * REACH / BINS;

/**
 * Draw standard normal numbers, the same for the same seed, in Python as here (random_widths.py):
 * mulberry32, then Box and Muller's pairs.
 * @param {number} seed
 * @param {number} n even
 * @returns {number[]}
 */
export function normal_numbers(seed, n) {
  const uniform = Array.from({ length: n }, (_, i) => {
    const a = seed + Math.imul(i + 1, 0x6D2B79F5);
    let t = Math.imul(a ^ a >>> 15, a | 1);
    t = t + Math.imul(t ^ t >>> 7, t | 61) ^ t;
    return ((t ^ t >>> 14) >>> 0) / 2 ** 32;
  });
  return uniform.map((u, i) =>
    i % 2
      ? Math.sqrt(-2 * Math.log(1 - uniform[i - 1])) * Math.sin(2 * Math.PI * u)
      : Math.sqrt(-2 * Math.log(1 - u)) * Math.cos(2 * Math.PI * uniform[i + 1])
  );
}

/** @param {number[]} xs */
const mean = (xs) => xs.reduce((sum, x) => sum + x, 0) / xs.length;

/**
 * Return what scores spread by, their weights, the largest of each row, and the mean entropy.
 * @param {number[][]} scores
 * @returns {{spread: number, weights: number[][], tops: number[], nats: number}}
 */
export function statistics(scores) {
  const flat = scores.flat(), middle = mean(flat), weights = softmax(scores);
  return {
    spread: Math.sqrt(mean(flat.map((s) => (s - middle) ** 2))),
    weights,
    tops: weights.map((line) => Math.max(...line)),
    nats: mean(entropy(weights)),
  };
}

/**
 * Return which share of the scores lies in each of the bins from -REACH to REACH.
 * @param {number[][]} scores
 * @returns {number[]}
 */
export function shares(scores) {
  const counts = Array(BINS).fill(0), flat = scores.flat();
  for (const s of flat) {
    const bin = Math.floor((s + REACH) / STEP);
    if (bin >= 0 && bin < BINS) counts[bin] += 1 / flat.length;
  }
  return counts;
}

/**
 * @param {number} d
 * @param {{spread: number, top: number, key: number}[]} both without √d and with it: the spread, and
 *   the first query's largest weight and its key
 * @returns {string}
 */
export function inWords(d, both) {
  const [plain, scaled] = both.map(({ spread, top, key }) => ({
    spread: written(spread),
    top: `${written(top)} on key ${key + 1}`,
  }));
  return `d = ${d}: the scores spread by ${plain.spread} without √d, ${scaled.spread} with it. ` +
    `The first query’s largest weight is ${plain.top} without, ${scaled.top} with.`;
}

/**
 * Make a bar for each key.
 * @param {number} n_k
 * @param {{name: string, kind: string}} way
 */
function barChart(n_k, { name, kind }) {
  const area = plane({ x: [0, n_k], y: [-0.1 * n_k, 0.6 * n_k], width: 220, name: `Weights ${name}` });
  const bars = Array.from(
    { length: n_k },
    (_, j) => draw("rect", { class: kind, x: area.px(j + 0.15), width: area.px(0.7) }),
  );
  const number = draw("text");
  area.svg.append(draw("path", { class: "axes", d: `M0 ${area.py(0)}h220` }), ...bars, number);
  /** Show weights, with a number above the largest. @type {(weights: number[], key: number) => void} */
  const show = (weights, key) => {
    const tops = weights.map((a) => area.py(a * 0.5 * n_k));
    bars.forEach((bar, j) => change(bar, { y: tops[j], height: area.py(0) - tops[j] }));
    const inside = area.px(Math.min(Math.max(key, 1), n_k - 2) + 0.5);
    change(number, { x: inside, y: tops[key] - 4 });
    number.textContent = written(weights[key]);
  };
  return { svg: area.svg, show };
}

/** Make a curve for each way: how scores spread. */
function hills() {
  const area = plane({ x: [-REACH, REACH], y: [-4, 24], width: 220, name: "How the scores spread" });
  const curves = WAYS.map(({ kind }) => draw("path", { class: kind }));
  area.svg.append(
    draw("path", { class: "axes", d: `M0 ${area.py(0)}h220` }),
    ...[-10, 0, 10].map((s) => draw("text", { x: area.px(s), y: area.py(0) + 15 }, brief(s))),
    draw("text", { x: 2, y: 14, class: "start" }, "dashed: without √d"),
    ...curves,
  );
  /** @type {(way: number, found: number[]) => void} */
  const show = (way, found) => {
    const points = found.map((share, b) =>
      `${area.px(-REACH + (b + 0.5) * STEP)} ${area.py(share / STEP * 45)}`
    );
    change(curves[way], { d: "M" + points.join("L") });
  };
  return { svg: area.svg, show };
}

class Widths {
  /**
   * @param {HTMLElement} stage
   * @param {{seed: number, n_q: number, n_k: number, widths: number[], start: number}} data
   * @param {Say} say
   */
  constructor(stage, data, say) {
    const { seed, n_q, n_k, widths, start } = data;
    this.data = data;
    this.say = say;
    this.seed = seed;
    /** @type {number[][]} a row for each query, then for each key */
    this.vectors = [];
    this.hill = hills();
    this.charts = WAYS.map((way) => barChart(n_k, way));
    this.cells = WAYS.map(() => [0, 1, 2].map(() => make("td")));
    const found = grid({
      name: `${n_q} queries, ${n_k} keys`,
      rows: WAYS.map(({ name }) => name),
      columns: ["spread of the scores", "mean largest weight", "mean entropy"],
      cell: (i, j) => this.cells[i][j],
    });
    this.width = slider({
      ...{ name: "width d", min: 0, max: widths.length - 1, step: 1, value: widths.indexOf(start) },
      text: (k) => String(widths[k]),
      changed: () => this.show(),
    });
    stage.append(
      this.width.element,
      row(
        panel("all scores", this.hill.svg),
        ...WAYS.map(({ name }, way) => panel(`first query ${name}`, this.charts[way].svg)),
      ),
      found,
      row(
        button("Draw new vectors", () => this.take(this.seed + 1)),
        button("Back to the text’s numbers", () => {
          this.width.set(widths.indexOf(start));
          this.take(seed);
        }),
      ),
    );
    this.take(seed);
  }

  /** @param {number} seed */
  take(seed) {
    const { n_q, n_k, widths } = this.data, d = widths[widths.length - 1];
    const numbers = normal_numbers(seed, (n_q + n_k) * d);
    this.seed = seed;
    this.vectors = Array.from({ length: n_q + n_k }, (_, i) => numbers.slice(i * d, (i + 1) * d));
    this.show();
  }

  show() {
    const { n_q, widths } = this.data, d = widths[this.width.value()];
    const short = this.vectors.map((line) => line.slice(0, d));
    const both = [1, undefined].map((scale, way) => {
      const scores = scaled_scores(short.slice(0, n_q), short.slice(n_q), { scale });
      const { spread, weights, tops, nats } = statistics(scores);
      [spread, mean(tops), nats].forEach((x, k) => this.cells[way][k].textContent = written(x));
      const key = weights[0].indexOf(tops[0]);
      this.hill.show(way, shares(scores));
      this.charts[way].show(weights[0], key);
      return { spread, top: tops[0], key };
    });
    this.say(inWords(d, both));
  }
}

mount("random_widths", (stage, data, say) => new Widths(stage, data, say));
