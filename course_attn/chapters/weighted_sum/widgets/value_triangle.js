// @ts-check
// An average that is dragged inside, and out of, the triangle of its three values.

import { brief, button, change, draggable, draw, field } from "../../../drawing/kit.js";
import { grid, make, mount, plane, row, written } from "../../../drawing/kit.js";
import { weighted_sum } from "../../../drawing/twin.js";

/** @typedef {import("../../../drawing/kit.js").Say} Say */
/** @typedef {[number, number]} Point */

const LOW = ["₁", "₂", "₃"];

/** A point, or a list of numbers, in words. @type {(numbers: number[]) => string} */
const listed = (numbers) => numbers.map((x) => written(x)).join(", ");

/**
 * Return the only weights of sum 1 that average three corners to a point; outside the triangle
 * one of them is negative.
 * @param {Point} point
 * @param {Point[]} corners not on one line
 * @returns {number[]}
 */
export function weights_at([x, y], [[x1, y1], [x2, y2], [x3, y3]]) {
  const area = (x2 - x1) * (y3 - y1) - (x3 - x1) * (y2 - y1);
  const second = ((x - x1) * (y3 - y1) - (x3 - x1) * (y - y1)) / area;
  const third = ((x2 - x1) * (y - y1) - (x - x1) * (y2 - y1)) / area;
  return [1 - second - third, second, third];
}

/**
 * Give one weight a new size; the others share what is left in their old proportion.
 * @param {number[]} weights
 * @param {number} j
 * @param {number} size from 0 to 1
 * @returns {number[]}
 */
export function with_weight(weights, j, size) {
  const others = weights.map((a, m) => m === j ? 0 : Math.max(a, 0));
  const total = others.reduce((sum, a) => sum + a, 0);
  return weights.map((_, m) =>
    m === j ? size : (1 - size) * (total ? others[m] / total : 1 / (weights.length - 1))
  );
}

/**
 * Return the weights of an edge or corner that is near; a hand cannot hit them. Nothing if none is.
 * @param {number[]} weights
 * @returns {number[] | undefined}
 */
export function caught(weights) {
  if (!weights.every((a) => a > -0.02) || !weights.some((a) => Math.abs(a) < 0.02)) return undefined;
  const kept = weights.map((a) => a < 0.02 ? 0 : a), total = kept.reduce((sum, a) => sum + a);
  return kept.map((a) => a / total);
}

/**
 * Write an output as its sum.
 * @param {number[]} weights
 * @param {Point[]} values
 * @param {Point} output
 * @returns {string}
 */
export function spelled(weights, values, output) {
  const products = weights.map((a, j) =>
    `${a < 0 ? `(${written(a)})` : written(a)}·(${values[j].map((x) => brief(x)).join(", ")})`
  );
  return `y = ${products.join(" + ")} = (${listed(output)})`;
}

/**
 * Say where an output lies, and by which weights.
 * @param {number[]} weights
 * @param {Point} output
 * @returns {string}
 */
export function inWords(weights, output) {
  const minus = weights.map((a, j) => a < 0 ? "a" + LOW[j] : "").filter(Boolean);
  const used = weights.map((a, j) => a > 0 ? "x" + LOW[j] : "").filter(Boolean);
  if (minus.length) {
    return `(${listed(output)}) lies outside the triangle. The only weights of sum 1 that give it are ` +
      `${listed(weights)}, and ${minus.join(" and ")} ${minus.length > 1 ? "are" : "is"} negative: ` +
      "no average gets there.";
  }
  const where = [
    "",
    `on the corner ${used[0]}`,
    `on the edge from ${used[0]} to ${used[1]}`,
    "inside the triangle",
  ][used.length];
  return `The average (${listed(output)}) lies ${where}. Its weights are ${listed(weights)}; their sum is 1.`;
}

class Triangle {
  /**
   * @param {HTMLElement} stage
   * @param {{values: Point[], weights: number[], x: Point, y: Point}} data
   * @param {Say} say
   */
  constructor(stage, { values, weights, x, y }, say) {
    this.values = values;
    this.weights = weights;
    /** @type {any} a point */
    const output = weighted_sum(weights, values);
    /** @type {Point} */
    this.output = output;
    this.say = say;
    this.area = plane({ x, y, name: "The triangle of the values" });
    this.lines = values.map(() => draw("line"));
    this.corners = values.map((value) => draw("circle", { class: "corner", ...this.at(value) }));
    this.square = draw("rect", { width: 14, height: 14 });
    this.halo = draw("circle", { r: 18, class: "halo" });
    this.name = draw("text", {}, "y");
    this.bars = values.map(() => make("span", { class: "bar" }));
    this.fields = values.map((_, j) =>
      field({
        ...{ name: "a" + LOW[j], value: 0, limit: 1, least: 0, step: 0.1, bad: say },
        changed: (size) => this.mix(with_weight(this.weights, j, size), j),
      })
    );
    this.places = [x, y].map(([least, limit], f) =>
      field({
        ...{ name: `y, feature ${f + 1}`, value: 0, limit, least, step: 0.1, bad: say },
        changed: (now) => this.move(f ? [this.output[0], now] : [now, this.output[1]], f),
      })
    );
    this.spelled = make("p", { class: "sum" });
    this.tell = this.drawAll();
    this.layOut(stage, weights);
    this.mix(weights);
  }

  /**
   * Return the attributes of a circle around a point.
   * @param {Point} point
   */
  at([x, y]) {
    return { cx: this.area.px(x), cy: this.area.py(y) };
  }

  /** Draw the triangle and the output, and return what tells of a move. */
  drawAll() {
    const { values, area: { svg, px, py, x, y } } = this, handle = draw("g", {}, this.halo, this.square);
    /** @type {any} a point */
    const center = weighted_sum([1 / 3, 1 / 3, 1 / 3], values), middle = this.at(center);
    const upright = Array.from({ length: x[1] - x[0] }, (_, k) => `M${px(Math.ceil(x[0]) + k)} 0v999`);
    const level = Array.from({ length: y[1] - y[0] }, (_, k) => `M0 ${py(Math.ceil(y[0]) + k)}h999`);
    const names = values.map((value, j) => {
      const { cx, cy } = this.at(value), left = cx - middle.cx, down = cy - middle.cy;
      const away = 24 / Math.hypot(left, down);
      return draw("text", { class: "name", x: cx + away * left, y: cy + away * down }, "x" + LOW[j]);
    });
    handle.append(this.name);
    svg.append(
      draw("path", { d: [...upright, ...level].join("") }),
      draw("polygon", { points: values.map((value) => Object.values(this.at(value)).join()).join(" ") }),
      ...this.lines,
      ...this.corners,
      ...names,
      handle,
    );
    return draggable(handle, this.area, {
      name: "y, the output",
      where: () => this.output,
      text: () => `(${listed(this.output)}), weights ${listed(this.weights)}`,
      moved: (right, up) => {
        /** @type {Point} */
        const point = [Math.round(right * 100) / 100, Math.round(up * 100) / 100];
        const near = caught(weights_at(point, values));
        if (near) this.mix(near);
        else this.move(point);
      },
    });
  }

  /**
   * @param {HTMLElement} stage
   * @param {number[]} start
   */
  layOut(stage, start) {
    const weights = grid({
      name: "weights",
      rows: LOW.map((low) => "a" + low),
      columns: ["number", "bar"],
      role: "weight",
      cell: (j, f) => make("td", {}, f ? this.bars[j] : this.fields[j].element),
    });
    const output = grid({
      name: "output",
      rows: ["y"],
      columns: ["feature 1", "feature 2"],
      role: "output",
      cell: (_, f) => make("td", {}, this.places[f].element),
    });
    const back = button("Back to the text’s numbers", () => this.mix(start));
    stage.append(
      row(this.area.svg, make("div", { class: "attn-stage" }, weights, output, back)),
      this.spelled,
    );
  }

  /**
   * Take weights of sum 1; a field that is being written in stays as it is.
   * @param {number[]} now
   * @param {number} [typed]
   */
  mix(now, typed = -1) {
    /** @type {any} a point */
    const output = weighted_sum(now, this.values);
    this.weights = now;
    this.output = output;
    this.show(typed);
  }

  /**
   * Take an output, inside or not.
   * @param {Point} point
   * @param {number} [typed]
   */
  move(point, typed = -1) {
    this.weights = weights_at(point, this.values).map((a) => Math.abs(a) < 1e-9 ? 0 : a);
    this.output = point;
    this.show(-1, typed);
  }

  show(weight = -1, place = -1) {
    const { weights, output, values } = this, { cx, cy } = this.at(output);
    this.fields.forEach((one, j) => j === weight || one.set(weights[j]));
    this.places.forEach((one, f) => f === place || one.set(output[f]));
    weights.forEach((a, j) => {
      const { cx: x2, cy: y2 } = this.at(values[j]);
      change(this.corners[j], { r: 5 + 9 * Math.max(a, 0) });
      change(this.lines[j], {
        ...{ x1: cx, y1: cy, x2, y2 },
        "stroke-width": 1 + 6 * Math.min(Math.abs(a), 1),
        class: a < 0 && "minus",
      });
      this.bars[j].style.width = `${Math.min(Math.abs(a), 1.5) * 5}em`;
      change(this.bars[j], { class: "bar" + (a < 0 ? " minus" : "") });
    });
    change(this.halo, { cx, cy });
    change(this.square, { x: cx - 7, y: cy - 7 });
    change(this.name, { x: cx + 12, y: cy - 10 });
    this.spelled.textContent = spelled(weights, values, output);
    this.say(inWords(weights, output));
    this.tell();
  }
}

mount("value_triangle", (stage, data, say) => new Triangle(stage, data, say));
