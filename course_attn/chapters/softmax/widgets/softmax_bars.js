// @ts-check
// A row of scores as bars to be dragged, and what softmax makes of it at any temperature and shift.

import { brief, button, change, clip, draggable, draw, grid, make } from "../../../drawing/kit.js";
import { mount, panel, plane, row, slider, table, written } from "../../../drawing/kit.js";
import { entropy, softmax } from "../../../drawing/twin.js";

/** @typedef {import("../../../drawing/kit.js").Say} Say */

// Bars lie in drawings that are as wide as they are high; the temperature goes by its logarithm.
const REACH = 5, WIDE = 190, COLD = -1, HOT = 1.3;
/** @type {[number, number]} */
const X = [-REACH, REACH];
/** @type {[number, number]} */
const Y = [-1.15 * REACH, 1.25 * REACH];

/**
 * Return a temperature from its power of ten.
 * @param {number} log
 * @returns {number}
 */
export function warmth(log) {
  return Number((10 ** log).toPrecision(3));
}

/**
 * Return softmax of a row step by step: divided by T, lowered, as exponentials, as weights.
 * @param {number[]} scores
 * @param {number} t
 * @returns {number[][]} a row for each score
 */
export function steps(scores, t) {
  const weights = softmax(scores, { temperature: t }), largest = Math.max(...scores);
  return scores.map((s, j) => [s / t, (s - largest) / t, Math.exp((s - largest) / t), weights[j]]);
}

/**
 * Say which keys get the largest weight, and how many are in play.
 * @param {string[]} names
 * @param {number[]} weights
 * @param {number} t
 * @param {number} added to all scores
 * @returns {string}
 */
export function inWords(names, weights, t, added) {
  const nats = Number(entropy(weights)), best = Math.max(...weights);
  const first = names.filter((_, j) => weights[j] > best - 1e-9);
  const more = added ? ` and with ${brief(added)} added to all` : "";
  return `At T = ${written(t)}${more} the largest weight is ` +
    `${written(best)} (${first.join(", ")}). Entropy ${written(nats)} of at most ` +
    `${written(Math.log(names.length))} nats: ${written(Math.exp(nats), 1)} keys in play.`;
}

/**
 * Return where a bar begins and ends that stands on a height, one unit of its value so long; it is
 * cut where the picture ends.
 * @param {number} value
 * @param {number} base
 * @param {number} unit
 * @returns {{low: number, high: number, cut: boolean}}
 */
export function barAt(value, base, unit) {
  const length = value * unit, tip = base + clip(length, -REACH - base, REACH - base);
  const cut = length > REACH - base || length < -REACH - base;
  return { low: Math.min(base, tip), high: Math.max(base, tip), cut };
}

/**
 * Make a bar for each name.
 * @param {string[]} names
 * @param {string} title
 * @param {string} kind
 */
function barChart(names, title, kind) {
  const area = plane({ x: X, y: Y, width: WIDE, name: title }), wide = 2 * REACH / names.length;
  const middle = (/** @type {number} */ j) => area.px(-REACH + (j + 0.5) * wide);
  const thick = area.px(0.7 * wide) - area.px(0);
  const line = draw("path", { class: "axes" });
  const bars = names.map((name, j) => ({
    box: draw("rect", { class: kind, width: thick, x: middle(j) - 0.5 * thick }),
    broken: draw("path", { class: "broken" }),
    number: draw("text", { x: middle(j) }),
    word: draw("text", { x: middle(j) }, name),
  }));
  area.svg.append(line);
  /** Show numbers as bars that stand on a height. @type {(numbers: number[], base?: number, unit?: number) => void} */
  const show = (numbers, base = 0, unit = 1) => {
    change(line, { d: `M0 ${area.py(base)}h${WIDE}` });
    numbers.forEach((value, j) => {
      const { low, high, cut } = barAt(value, base, unit), { box, broken, number, word } = bars[j];
      const from = area.py(high), to = area.py(low), below = value < 0;
      change(box, { y: from, height: to - from });
      change(number, { y: below ? to + 14 : from - 4 });
      change(word, { y: below && base > -REACH ? from - 5 : area.py(base) + 14 });
      number.textContent = cut ? brief(value, 1) : written(value);
      // A bar that goes on beyond the picture is broken off near its end.
      const end = below ? to - 12 : from + 12, start = middle(j) - 0.5 * thick - 3;
      change(broken, { d: cut ? `M${start} ${end + 4}l${thick + 6} -8` : "" });
    });
  };
  return { area, bars, middle, wide, show };
}

/**
 * Make a plot of the entropy over the temperature.
 * @param {number} n the number of keys
 */
function entropyPlot(n) {
  const { svg, px, py } = plane({ x: X, y: Y, width: WIDE, name: "Entropy at every temperature" });
  const all = Math.log(n);
  const along = (/** @type {number} */ log) => px(-REACH + 2 * REACH * (log - COLD) / (HOT - COLD));
  const up = (/** @type {number} */ nats) => py(-REACH + 1.8 * REACH * nats / all);
  const curve = draw("path", { class: "curve" }), dot = draw("circle", { r: 7, class: "weight" });
  svg.append(
    draw("path", { class: "axes", d: `M0 ${up(0)}h${WIDE}M0 ${up(all)}h${WIDE}` }),
    draw("text", { x: 4, y: up(all) - 5, class: "start" }, `log ${n} = ${written(all)}`),
    ...[0.1, 1, 10].map((t) => draw("text", { x: along(Math.log10(t)) + 5, y: up(0) + 14 }, String(t))),
    curve,
    dot,
  );
  /** @type {(scores: number[], t: number) => void} */
  const show = (scores, t) => {
    const at = (/** @type {number} */ temperature) => Number(entropy(softmax(scores, { temperature })));
    const logs = Array.from({ length: 47 }, (_, k) => COLD + k * (HOT - COLD) / 46);
    change(curve, { d: "M" + logs.map((log) => `${along(log)} ${up(at(10 ** log))}`).join("L") });
    change(dot, { cx: along(Math.log10(t)), cy: up(at(t)) });
  };
  return { svg, show };
}

class Bars {
  /**
   * @param {HTMLElement} stage
   * @param {{names: string[], scores: number[], temperature: number}} data
   * @param {Say} say
   */
  constructor(stage, data, say) {
    const { names, scores, temperature } = data;
    this.data = data;
    this.say = say;
    this.scores = scores;
    this.T = slider({
      ...{ name: "temperature T", min: COLD, max: HOT, step: 0.01, value: Math.log10(temperature) },
      text: (log) => written(warmth(log)),
      changed: () => this.show(),
    });
    this.shift = slider({
      ...{ name: "add to all scores", min: -5, max: 5, step: 0.5, value: 0 },
      changed: () => this.show(),
    });
    this.field = table({
      ...{ name: "scores", rows: ["s"], columns: names, values: [scores], limit: 1000, bad: say },
      changed: ([now], _, j) => {
        this.scores = this.scores.map((s, k) => k === j ? now[j] : s);
        this.show();
      },
    });
    this.left = barChart(names, "Scores", "score");
    this.right = barChart(names, "Weights", "weight");
    this.third = entropyPlot(names.length);
    this.tells = names.map((name, j) => this.handle(name, j));
    this.right.area.svg.append(
      ...this.right.bars.map(({ box }) => box),
      ...this.right.bars.map(({ number }) => number),
      ...this.right.bars.map(({ word }) => word),
    );
    this.cells = names.map(() => [0, 1, 2, 3].map(() => make("td")));
    this.layOut(stage);
    this.reset();
  }

  /** @param {HTMLElement} stage */
  layOut(stage) {
    const worked = grid({
      name: "step by step",
      rows: this.data.names,
      columns: ["score ÷ T", "minus the largest", "e to that", "÷ their sum"],
      cell: (i, j) => this.cells[i][j],
    });
    stage.append(
      row(
        panel("scores ↕", this.left.area.svg),
        panel("weights", this.right.area.svg),
        panel("entropy over T", this.third.svg),
      ),
      row(this.T.element, this.shift.element),
      row(this.field.element, worked),
      button("Back to the text’s numbers", () => this.reset()),
    );
  }

  /**
   * Let the bar of a score be dragged, and return what tells of a move.
   * @param {string} name
   * @param {number} j
   * @returns {() => void}
   */
  handle(name, j) {
    const { area, bars, middle, wide } = this.left, { box, broken, number, word } = bars[j];
    const width = area.px(wide) - area.px(0);
    const halo = draw("rect", {
      class: "halo",
      x: middle(j) - 0.5 * width,
      y: 0,
      width,
      height: area.py(Y[0]),
    });
    const handle = draw("g", {}, box, broken, number, word, halo);
    const shown = () => this.scores[j] + this.shift.value();
    area.svg.append(handle);
    return draggable(handle, area, {
      name: `score of ${name}`,
      step: 0.5,
      where: () => [shown(), shown()],
      text: () => written(shown()),
      moved: (_, up) => this.take(j, Math.round(clip(up, -REACH, REACH) * 10) / 10),
      nudged: (across, up) => this.take(j, clip(shown() + (across + up) / 2, -REACH, REACH)),
    });
  }

  /**
   * Give a key the score that its bar shows, shift included.
   * @param {number} j
   * @param {number} shown
   */
  take(j, shown) {
    this.scores = this.scores.map((s, k) => k === j ? shown - this.shift.value() : s);
    this.field.set([this.scores]);
    this.show();
  }

  reset() {
    const { scores, temperature } = this.data;
    this.scores = scores;
    this.field.set([scores]);
    this.T.set(Math.log10(temperature));
    this.shift.set(0);
    this.show();
  }

  show() {
    const t = warmth(this.T.value()), added = this.shift.value();
    const shifted = this.scores.map((s) => s + added), found = steps(shifted, t);
    const weights = found.map((line) => line[3]);
    this.left.show(shifted);
    this.right.show(weights, -REACH, 1.8 * REACH);
    found.forEach((line, j) => line.forEach((x, k) => this.cells[j][k].textContent = written(x)));
    this.third.show(shifted, t);
    this.tells.forEach((tell) => tell());
    this.say(inWords(this.data.names, weights, t, added));
  }
}

mount("softmax_bars", (stage, data, say) => new Bars(stage, data, say));
