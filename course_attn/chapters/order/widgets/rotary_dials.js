// @ts-check
// Rotary positions: each pair of features is a dial, and positions turn all dials like gears.

import { arrowhead, brief, button, change, clip, draggable, draw, grid } from "../../../drawing/kit.js";
import { make, mount, panel, plane, row, slider, turned, written } from "../../../drawing/kit.js";
import { dot_scores, rotary } from "../../../drawing/twin.js";

/** @typedef {import("../../../drawing/kit.js").Say} Say */
/** @typedef {"query" | "key"} Role */
/** @typedef {{query: number[], key: number[], positions: [number, number], base: number,
 *   far: number}} Data */

const MOST = 100, DEGREES = 180 / Math.PI;

/**
 * Return the pairs of features; the two of a pair are half a width apart.
 * @param {number[]} features
 * @returns {[number, number][]}
 */
export function pairs(features) {
  const half = features.length / 2;
  return features.slice(0, half).map((a, f) => [a, features[f + half]]);
}

/**
 * Return by how much a step turns each pair, in radians.
 * @param {Data} data
 * @returns {number[]}
 */
export function speeds({ query, base }) {
  return pairs(query).map((_, f) => base ** (-2 * f / query.length));
}

/**
 * Return for each pair the angle between key and query in radians, and what it adds to the score.
 * @param {number[]} q
 * @param {number[]} k
 * @returns {{between: number, adds: number}[]}
 */
export function compared(q, k) {
  const keys = pairs(k);
  return pairs(q).map(([a, b], f) => {
    const [c, d] = keys[f];
    return { between: Math.abs(turned(Math.atan2(d, c), Math.atan2(b, a))), adds: a * c + b * d };
  });
}

/**
 * Say where query and key are, and whether the score stays as both move.
 * @param {{query: number, key: number, shift: number, score: number, still: boolean}} now
 * @returns {string}
 */
export function inWords({ query, key, shift, score, still }) {
  return `Query at ${query + shift}, key at ${key + shift}: the distance is ` +
    `${still ? "still " : ""}${brief(query - key)}, and the score ${still ? "stays" : "is"} ` +
    `${written(score)}.`;
}

class Dials {
  /**
   * @param {HTMLElement} stage
   * @param {Data} data
   * @param {Say} say
   */
  constructor(stage, data, say) {
    const { positions: [query, key], far } = data, n = data.query.length / 2;
    this.data = data;
    this.say = say;
    this.speeds = speeds(data);
    this.longest = Math.max(...[data.query, data.key].flatMap(pairs).map((pair) => Math.hypot(...pair)));
    this.place = { query, key };
    this.before = { distance: NaN, shift: 0 };
    /** @type {(role: Role) => ReturnType<typeof slider>} */
    const positions = (role) =>
      slider({
        ...{ name: `${role} at`, min: 0, max: far, step: 1, value: this.place[role], text: String },
        changed: (at) => this.move(role, at),
      });
    this.at = { query: positions("query"), key: positions("key") };
    this.shift = slider({
      ...{ name: "move both by", min: 0, max: MOST, step: 1, value: 0 },
      changed: () => this.show(),
    });
    this.area = plane({
      x: [-1.25, 2.5 * n - 1.25],
      y: [-1.2, 1.6],
      width: 132 * n,
      name: "A dial for each pair of features",
    });
    this.dials = this.speeds.map((_, f) => this.dial(f));
    this.curve = this.scoreCurve();
    this.cells = Array.from({ length: n + 1 }, () => [0, 1, 2].map(() => make("td")));
    this.layOut(stage);
    this.show();
  }

  /** @param {HTMLElement} stage */
  layOut(stage) {
    const found = grid({
      name: "pair by pair",
      columns: ["turn for a step", "angle between", "adds to the score"],
      rows: [...this.speeds.keys()].map((f) => `pair ${f}`).concat("score"),
      cell: (i, j) => this.cells[i][j],
    });
    stage.append(
      this.area.svg,
      row(
        make("div", { class: "attn-query" }, this.at.query.element),
        make("div", { class: "attn-key" }, this.at.key.element),
        this.shift.element,
      ),
      row(found, panel("score at every distance", this.curve.svg)),
      button("Back to the text’s numbers", () => {
        const [query, key] = this.data.positions;
        Object.assign(this.place, { query, key });
        this.at.query.set(query);
        this.at.key.set(key);
        this.shift.set(0);
        this.show();
      }),
    );
  }

  /**
   * Return the features of the query or the key as they are turned where it is now.
   * @param {Role} role
   * @returns {number[]}
   */
  rotated(role) {
    const at = this.place[role] + this.shift.value();
    return rotary([this.data[role]], [at], { base: this.data.base })[0];
  }

  /**
   * @param {number} distance
   * @returns {number}
   */
  score(distance) {
    const { query, key, base } = this.data;
    return dot_scores(rotary([query], [distance], { base }), [key])[0][0];
  }

  /**
   * Draw the dial of a pair, and return what shows it anew.
   * @param {number} f
   * @returns {() => void}
   */
  dial(f) {
    const { svg, px, py } = this.area, x = px(2.5 * f), y = py(0), r = px(0.33) - px(0);
    const arc = draw("path", { class: "arc" });
    svg.append(
      draw("text", { x, y: py(1.2) }, `pair ${f}`),
      draw("circle", { class: "dial", cx: x, cy: y, r: px(1) - px(0) }),
      arc,
    );
    // The query lies over the key, which is thicker and so is seen on both sides of it.
    const key = this.hand("key", f, 16, 9), query = this.hand("query", f, 11, 4.5);
    return () => {
      const angles = [key.angle(), query.angle()];
      const [from, to] = angles.map((t) => `${x + r * Math.cos(t)} ${y - r * Math.sin(t)}`);
      const sweep = turned(angles[0], angles[1]) > 0 ? 0 : 1;
      change(arc, { d: `M${from}A${r} ${r} 0 0 ${sweep} ${to}` });
      key.show();
      query.show();
    };
  }

  /**
   * Draw a hand of a dial, which turns all of its role.
   * @param {Role} role
   * @param {number} f the pair
   * @param {number} long its head
   * @param {number} half
   */
  hand(role, f, long, half) {
    const { svg, px, py } = this.area, center = 2.5 * f;
    const shaft = draw("line", { x1: px(center), y1: py(0) });
    const tip = draw("polygon"), halo = draw("circle", { r: 15, class: "halo" });
    const handle = draw("g", { class: "attn-" + role }, shaft, tip, halo);
    svg.append(handle);
    /** @returns {[number, number]} */
    const where = () => {
      const [a, b] = pairs(this.rotated(role))[f];
      return [center + a / this.longest, b / this.longest];
    };
    const angle = () => Math.atan2(where()[1], where()[0] - center);
    const tell = draggable(handle, this.area, {
      name: `${role} in pair ${f}`,
      where,
      text: () => `position ${this.place[role] + this.shift.value()}`,
      moved: (x, y) => {
        const turn = turned(angle(), Math.atan2(y, x - center));
        this.move(role, this.place[role] + Math.round(turn / this.speeds[f]), true);
      },
      nudged: (right, up) => this.move(role, this.place[role] + right + up, true),
    });
    const show = () => {
      const [x, y] = where(), [left, top] = [px(x), py(y)], t = angle();
      const [c, s] = [Math.cos(t), -Math.sin(t)];
      change(shaft, { x2: left - 8 * c, y2: top - 8 * s });
      change(tip, { points: arrowhead(left, top, [c, s], long, half) });
      change(halo, { cx: left, cy: top });
      tell();
    };
    return { show, angle };
  }

  /** Draw the score against the distance, and return what marks a place on it. */
  scoreCurve() {
    const { far } = this.data;
    const all = Array.from({ length: 2 * far * 4 + 1 }, (_, k) => k / 4 - far);
    const size = Math.max(...all.map((distance) => Math.abs(this.score(distance))));
    const { svg, px, py } = plane({
      x: [-1.07 * far, 1.07 * far],
      y: [-0.3 * far, 0.3 * far],
      width: 396,
      name: "The score at every distance",
    });
    const high = (/** @type {number} */ score) => py(score / size * 0.25 * far);
    const dot = draw("circle", { r: 7, class: "weight" });
    const points = all.map((distance) => `${px(distance)} ${high(this.score(distance))}`);
    svg.append(
      draw("path", { class: "axes", d: `M0 ${high(0)}h396M${px(0)} 0v999` }),
      draw("path", { class: "curve", d: "M" + points.join("L") }),
      ...[-far, -far / 2, far / 2, far].map((at) => draw("text", { x: px(at), y: high(0) + 15 }, brief(at))),
      dot,
    );
    /** @type {(distance: number, score: number) => void} */
    const mark = (distance, score) => change(dot, { cx: px(distance), cy: high(score) });
    return { svg, mark };
  }

  /**
   * @param {Role} role
   * @param {number} at
   * @param {boolean} [dragged] by something else than its slider
   */
  move(role, at, dragged = false) {
    this.place[role] = clip(at, 0, this.data.far);
    if (dragged) this.at[role].set(this.place[role]);
    this.show();
  }

  show() {
    const q = this.rotated("query"), k = this.rotated("key"), { query, key } = this.place;
    const distance = query - key, score = dot_scores([q], [k])[0][0], shift = this.shift.value();
    compared(q, k).forEach(({ between, adds }, f) => {
      const texts = [
        `${written(this.speeds[f] * DEGREES, 1)}°`,
        `${written(between * DEGREES, 0)}°`,
        written(adds),
      ];
      texts.forEach((text, j) => this.cells[f][j].textContent = text);
    });
    this.cells[this.speeds.length][2].textContent = written(score);
    this.dials.forEach((show) => show());
    this.curve.mark(distance, score);
    const still = shift !== this.before.shift && distance === this.before.distance;
    this.say(inWords({ query, key, shift, score, still }));
    this.before = { distance, shift };
  }
}

mount("rotary_dials", (stage, data, say) => new Dials(stage, data, say));
