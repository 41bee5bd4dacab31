// @ts-check
// A query and a key as arrows to be dragged: what the dot product, the cosine and the distance say.

import { arrowhead, brief, button, change, clip, draggable, draw, grid } from "../../../drawing/kit.js";
import { make, mount, plane, row, table, turned, written } from "../../../drawing/kit.js";
import { cosine_scores, dot_scores } from "../../../drawing/twin.js";

/** @typedef {import("../../../drawing/kit.js").Say} Say */
/** @typedef {[number, number]} Point */
/** @typedef {"query" | "key"} Role */

/** A negative number that follows another sign gets parentheses. @type {(a: number) => string} */
const signed = (a) => a < 0 ? `(${brief(a)})` : brief(a);

/**
 * Return what two arrows say: three sums with their values, and a sentence.
 * @param {Point} q
 * @param {Point} k
 * @returns {{sums: [string, string][], sentence: string}}
 */
export function inWords(q, k) {
  const dot = dot_scores([q], [k])[0][0], cosine = written(cosine_scores([q], [k])[0][0]);
  const far = written(Math.hypot(q[0] - k[0], q[1] - k[1]));
  const lengths = [q, k].map((a) => Math.hypot(...a)), none = !lengths[0] || !lengths[1];
  const [[a, b], [c, d]] = [q, k].map((arrow) => arrow.map(signed));
  const degrees = Math.abs(turned(Math.atan2(k[1], k[0]), Math.atan2(q[1], q[0]))) * 180 / Math.PI;
  const angle = none ? "no angle, as a zero vector has no direction" : `${written(degrees, 0)}° between them`;
  const quotient = `${written(dot)} ÷ (${lengths.map((a) => written(a)).join(" · ")})`;
  return {
    sums: [
      [`${a}·${c} + ${b}·${d}`, written(dot)],
      [none ? "a zero vector has no direction" : quotient, cosine],
      [`√((${a} − ${c})² + (${b} − ${d})²)`, far],
    ],
    sentence: `Lengths ${lengths.map((a) => written(a)).join(" and ")}, ${angle}: dot product ` +
      `${written(dot)}, cosine ${cosine}, distance ${far}.`,
  };
}

/**
 * Return where the letter of an arrow stands: beside its head, on the side away from the other.
 * @param {Point} at the head, in the drawing
 * @param {Point} direction of length 1, in the drawing
 * @param {number} turn positive where the other arrow lies to its left
 * @returns {Point}
 */
export function beside([left, top], [c, s], turn) {
  const side = turn > 0 ? 17 : -17;
  return [left - side * s, top + side * c];
}

class Arrows {
  /**
   * @param {HTMLElement} stage
   * @param {{query: Point, key: Point, x: Point, y: Point}} data
   * @param {Say} say
   */
  constructor(stage, { query, key, x, y }, say) {
    this.say = say;
    /** @type {Record<Role, Point>} */
    this.arrows = { query, key };
    this.area = plane({ x, y, width: 300, name: "The two arrows" });
    this.zero = { x: this.area.px(0), y: this.area.py(0) };
    this.between = draw("line", { class: "between" });
    this.arc = draw("path", { class: "arc" });
    this.ends = { query: this.arrow("query", "q"), key: this.arrow("key", "k") };
    this.sums = [0, 1, 2].map(() => [make("td", { class: "sum" }), make("td")]);
    const back = () => {
      this.take("query", query);
      this.take("key", key);
    };
    this.layOut(stage, back);
    back();
  }

  /**
   * @param {HTMLElement} stage
   * @param {() => void} back
   */
  layOut(stage, back) {
    const { area: { svg, px, py }, zero, ends } = this;
    const upright = [-2, -1, 1, 2].map((a) => `M${px(a)} 0v999`);
    const level = [-1, 1, 2, 3, 4].map((b) => `M0 ${py(b)}h999`);
    svg.append(
      draw("path", { class: "axes grid", d: [...upright, ...level].join("") }),
      draw("path", { class: "axes", d: `M0 ${zero.y}h999M${zero.x} 0v999` }),
      this.between,
      this.arc,
      ends.key.handle,
      ends.query.handle,
    );
    const found = grid({
      name: "what they say",
      rows: ["dot product", "cosine", "distance"],
      columns: ["sum", "value"],
      cell: (i, j) => this.sums[i][j],
    });
    const numbers = row(ends.query.numbers.element, ends.key.numbers.element);
    const back_button = button("Back to the text’s numbers", back);
    stage.append(row(svg, make("div", { class: "attn-stage" }, numbers, found, back_button)));
  }

  /**
   * Draw an arrow to be dragged, with a table of its numbers.
   * @param {Role} role
   * @param {string} letter
   */
  arrow(role, letter) {
    const shaft = draw("line", { x1: this.zero.x, y1: this.zero.y }), head = draw("polygon");
    const halo = draw("circle", { r: 18, class: "halo" }), name = draw("text", {}, letter);
    const handle = draw("g", { class: "attn-" + role }, shaft, head, halo, name);
    const round = (/** @type {number} */ a) => Math.round(a * 20) / 20;
    const tell = draggable(handle, this.area, {
      name: `the ${role}`,
      where: () => this.arrows[role],
      text: () => `(${this.arrows[role].map((a) => brief(a)).join(", ")})`,
      moved: (right, up) => this.take(role, [round(right), round(up)]),
    });
    const numbers = table({
      ...{ name: role, rows: [letter], columns: ["feature 1", "feature 2"], role },
      ...{ values: [this.arrows[role]], limit: 10, step: 0.1, bad: this.say },
      changed: ([[a, b]]) => this.take(role, [a, b], true),
    });
    const place = () => {
      const { zero, area: { px, py, x, y } } = this, [a, b] = this.arrows[role];
      const left = px(a), top = py(b), size = Math.hypot(left - zero.x, top - zero.y) || 1;
      /** @type {Point} */
      const direction = [(left - zero.x) / size, (top - zero.y) / size];
      const long = Math.min(size, 12), [c, s] = direction;
      change(shaft, { x2: left - c * long * 0.8, y2: top - s * long * 0.8 });
      change(head, { points: arrowhead(left, top, direction, long, 5) });
      change(halo, { cx: left, cy: top });
      const other = this.arrows[role === "query" ? "key" : "query"];
      const turn = a * other[1] - b * other[0] || (role === "query" ? 1 : -1);
      const [across, down] = beside([left, top], direction, turn);
      change(name, { x: clip(across, 8, px(x[1]) - 8), y: clip(down, 8, py(y[0]) - 8) });
      tell();
    };
    return { handle, numbers, place };
  }

  /**
   * Take an arrow; a field that is being written in stays as it is.
   * @param {Role} role
   * @param {Point} now
   * @param {boolean} [typed]
   */
  take(role, now, typed = false) {
    this.arrows[role] = now;
    if (!typed) this.ends[role].numbers.set([now]);
    this.show();
  }

  show() {
    const { arrows: { query: q, key: k }, area: { px, py }, zero, ends } = this, r = 26;
    const { sums, sentence } = inWords(q, k);
    sums.forEach((texts, i) => texts.forEach((text, j) => this.sums[i][j].textContent = text));
    const angles = [k, q].map(([a, b]) => Math.atan2(-b, a));
    const [from, to] = angles.map((t) => `${zero.x + r * Math.cos(t)} ${zero.y + r * Math.sin(t)}`);
    const none = !Math.hypot(...q) || !Math.hypot(...k);
    const sweep = turned(angles[0], angles[1]) > 0 ? 1 : 0;
    change(this.arc, { d: none ? "" : `M${from}A${r} ${r} 0 0 ${sweep} ${to}` });
    change(this.between, { x1: px(q[0]), y1: py(q[1]), x2: px(k[0]), y2: py(k[1]) });
    ends.query.place();
    ends.key.place();
    this.say(sentence);
  }
}

mount("two_arrows", (stage, data, say) => new Arrows(stage, data, say));
