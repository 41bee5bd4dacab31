// @ts-check
// Random queries and keys, drawn anew at a click: what their width does to scores and weights.

import { brief, button, change, draw, grid, make, mount, plane, slider, written } from "../../../drawing/kit.js";
import { entropy, scaled_scores, softmax } from "../../../drawing/twin.js";

/**
 * Draw standard normal numbers, the same for the same seed, in Python as here (random_widths.py):
 * mulberry32, then Box and Muller's pairs.
 * @param {number} seed
 * @param {number} n even
 * @returns {number[]}
 */
function normal_numbers(seed, n) {
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

mount("random_widths", (stage, { seed: first, n_q, n_k, widths, start }, say) => {
  const largest = widths.at(-1);
  let seed = first;
  /** @type {number[][]} a row for each query, then for each key */
  let rows;

  const ways = [{ name: "without √d", kind: "plain" }, { name: "with √d", kind: "scaled" }];
  const reach = 20, bins = 40;
  const hill = plane({ x: [-reach, reach], y: [-4, 24], width: 220, name: "How the scores spread" });
  const curves = ways.map(({ kind }) => draw("path", { class: kind }));
  hill.svg.append(
    draw("path", { class: "axes", d: `M0 ${hill.py(0)}h220` }),
    ...[-10, 0, 10].map((s) => draw("text", { x: hill.px(s), y: hill.py(0) + 15 }, brief(s))),
    draw("text", { x: 2, y: 14, class: "start" }, "dashed: without √d"),
    ...curves,
  );
  const charts = ways.map(({ name, kind }) => {
    const area = plane({ x: [0, n_k], y: [-0.1 * n_k, 0.6 * n_k], width: 220, name: `Weights ${name}` });
    const bars = Array.from(
      { length: n_k },
      (_, j) => draw("rect", { class: kind, x: area.px(j + 0.15), width: area.px(0.7) }),
    );
    area.svg.append(draw("path", { class: "axes", d: `M0 ${area.py(0)}h220` }), ...bars);
    const number = draw("text");
    area.svg.append(number);
    return { area, bars, number };
  });
  const cells = ways.map(() => [0, 1, 2].map(() => make("td")));
  const found = grid({
    name: `${n_q} queries, ${n_k} keys`,
    rows: ways.map(({ name }) => name),
    columns: ["spread of the scores", "mean largest weight", "mean entropy"],
    cell: (i, j) => cells[i][j],
  });
  const width = slider({
    name: "width d",
    min: 0,
    max: widths.length - 1,
    step: 1,
    value: widths.indexOf(start),
    text: (k) => String(widths[k]),
    changed: () => show(),
  });

  function take(/** @type {number} */ now) {
    seed = now;
    const numbers = normal_numbers(seed, (n_q + n_k) * largest);
    rows = Array.from({ length: n_q + n_k }, (_, i) => numbers.slice(i * largest, (i + 1) * largest));
    show();
  }

  function show() {
    const d = widths[width.value()], short = rows.map((row) => row.slice(0, d));
    const both = [1, undefined].map((scale) =>
      scaled_scores(short.slice(0, n_q), short.slice(n_q), { scale })
    );
    const said = both.map((scores, way) => {
      const flat = scores.flat(), weights = softmax(scores);
      const mean = (/** @type {number[]} */ xs) => xs.reduce((sum, x) => sum + x, 0) / xs.length;
      const middle = mean(flat);
      const spread = Math.sqrt(mean(flat.map((/** @type {number} */ s) => (s - middle) ** 2)));
      const tops = weights.map((/** @type {number[]} */ row) => Math.max(...row));
      [spread, mean(tops), mean(entropy(weights))]
        .forEach((value, k) => cells[way][k].textContent = written(value));
      const counts = Array(bins).fill(0), step = 2 * reach / bins;
      for (const s of flat) {
        const bin = Math.floor((s + reach) / step);
        if (bin >= 0 && bin < bins) counts[bin] += 1 / flat.length;
      }
      change(curves[way], {
        d: "M" +
          counts.map((share, b) => `${hill.px(-reach + (b + 0.5) * step)} ${hill.py(share / step * 45)}`)
            .join("L"),
      });
      const { area, bars, number } = charts[way], key = weights[0].indexOf(tops[0]);
      weights[0].forEach((/** @type {number} */ a, /** @type {number} */ j) => {
        const top = area.py(a * 0.5 * n_k);
        change(bars[j], { y: top, height: area.py(0) - top });
        const inside = area.px(Math.min(Math.max(j, 1), n_k - 2) + 0.5);
        if (j === key) change(number, { x: inside, y: top - 4 });
      });
      number.textContent = written(tops[0]);
      return { top: `${written(tops[0])} on key ${key + 1}`, spread: written(spread) };
    });
    say(
      `d = ${d}: the scores spread by ${said[0].spread} without √d, ${said[1].spread} with it. ` +
        `The first query’s largest weight is ${said[0].top} without, ${said[1].top} with.`,
    );
  }

  const panel = (/** @type {string} */ title, /** @type {any} */ svg) =>
    make("div", { class: "panel" }, make("p", { "aria-hidden": "true" }, title), svg);
  stage.append(
    width.element,
    make(
      "div",
      { class: "attn-row" },
      panel("all scores", hill.svg),
      ...ways.map(({ name }, way) => panel(`first query ${name}`, charts[way].area.svg)),
    ),
    found,
    make(
      "div",
      { class: "attn-row" },
      button("Draw new vectors", () => take(seed + 1)),
      button("Back to the text’s numbers", () => {
        width.set(widths.indexOf(start));
        take(first);
      }),
    ),
  );
  take(first);
});
