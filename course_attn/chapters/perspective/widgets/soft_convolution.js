// @ts-check
// A convolution by nine softmax heads beside the exact one.

import { brief, button, cells, change, clip, draw, make } from "../../../drawing/kit.js";
import { mount, panel, powered, row, shades, slider, written } from "../../../drawing/kit.js";
import {
  conv2d_as_attention,
  relative_position_scores,
  softmax,
  weighted_sum,
} from "../../../drawing/twin.js";

/** @typedef {import("../../../drawing/kit.js").Say} Say */
/** @typedef {[number, number]} Place */
/** @typedef {number[][]} Picture */

const MOST = 20, WIDE = 190, HIGH = 150, FLOOR = -8, TOP = 2;

/**
 * Return where a head looks from a pixel: so many rows down and columns to the right.
 * @param {number} head
 * @returns {Place}
 */
export function shift(head) {
  return [Math.floor(head / 3) - 1, head % 3 - 1];
}

/**
 * Say where a head looks.
 * @param {number} head
 * @returns {string}
 */
export function towards(head) {
  const [down, right] = shift(head);
  const words = [["up", "", "down"][down + 1], ["left", "", "right"][right + 1]];
  return words.filter(Boolean).join(" and ") || "at the pixel itself";
}

/**
 * Return the weights of a head, a row for each pixel.
 * @param {Picture} image
 * @param {number} head
 * @param {number} sharpness
 * @returns {number[][]}
 */
export function weights(image, head, sharpness) {
  return softmax(relative_position_scores(image.length, image[0].length, shift(head), { sharpness }));
}

/**
 * Return what each head brings to each pixel.
 * @param {Picture} image
 * @param {number} sharpness
 * @returns {number[][]}
 */
export function brought(image, sharpness) {
  const column = image.flat().map((x) => [x]);
  return Array.from({ length: 9 }, (_, h) => weighted_sum(weights(image, h, sharpness), column).flat());
}

/**
 * Return the convolution itself, of a picture with a ring around it.
 * @param {Picture} image
 * @param {number[][]} kernel
 * @param {boolean} zeros whether the ring is 0, or continues the border
 * @returns {number[]}
 */
export function exact(image, kernel, zeros) {
  const height = image.length, width = image[0].length;
  const ringed = Array.from({ length: height + 2 }, (_, a) =>
    Array.from({ length: width + 2 }, (_, b) => {
      const [s, t] = [clip(a - 1, 0, height - 1), clip(b - 1, 0, width - 1)];
      return [zeros && (s !== a - 1 || t !== b - 1) ? 0 : image[s][t]];
    }));
  /** @type {number[][][]} */
  const found = conv2d_as_attention(ringed, kernel.map((line) => line.map((w) => [[w]])));
  return found.slice(1, -1).flatMap((line) => line.slice(1, -1).flat());
}

/**
 * Say what the largest error is, where a head looks, and what stays however sharp the heads are.
 * @param {{image: Picture, pixel: Place, head: number, sharpness: number, errors: number[],
 *   looks: number[], rest: number}} now `looks` are the head's weights, `rest` is the error that
 *   stays
 * @returns {string}
 */
export function inWords({ image, pixel: [r, c], head, sharpness, errors, looks, rest }) {
  const width = image[0].length, [down, right] = shift(head), [s, t] = [r + down, c + right];
  const place = (/** @type {number} */ i) => `row ${Math.floor(i / width)}, column ${i % width}`;
  const error = Math.max(...errors), mostly = looks.indexOf(Math.max(...looks));
  const hits = image[s]?.[t] === undefined
    ? "; what is meant lies outside"
    : mostly === s * width + t
    ? ", the pixel meant"
    : "; another is meant";
  const gives = sharpness
    ? `gives ${written(looks[mostly])} of the weight of ${place(r * width + c)} to ` +
      place(mostly) + hits
    : `gives every pixel the same weight, 1/${looks.length}`;
  const stays = rest
    ? ` However sharp the heads, an error of ${powered(rest)} stays: softmax never looks at nothing. ` +
      "A ring of keys with the value 0 cures it."
    : "";
  return `α = ${brief(sharpness)}: the largest error is ${powered(error)}, at ` +
    `${place(errors.indexOf(error))}. The head that looks ${towards(head)} ${gives}.${stays}`;
}

/**
 * @param {HTMLElement | SVGElement} square
 * @param {number} x
 * @param {number} low
 * @param {number} high
 */
function shade(square, x, low, high) {
  square.style.setProperty("--g", `${clip(100 * (x - low) / (high - low || 1), 0, 100)}%`);
}

/**
 * Make a picture of the pixels, with frames around some.
 * @param {string} title
 * @param {Picture} image
 * @param {number} [edge] its width around the pixels
 */
function picture(title, image, edge = 0) {
  const height = image.length, width = image[0].length;
  const box = [-edge, -edge, width + 2 * edge, height + 2 * edge].join(" ");
  /** @type {(place: Place, kind: string | null) => any} */
  const square = ([y, x], kind) => draw("rect", { x, y, width: 1, height: 1, class: kind });
  const squares = image.flatMap((line, y) => line.map((_, x) => square([y, x], null)));
  const framed = draw("g");
  const svg = draw("svg", { viewBox: box, role: "img", "aria-label": title }, ...squares, framed);
  /** @type {(values: number[], low: number, high: number, places: Record<string, Place>) => void} */
  const show = (values, low, high, places) => {
    values.forEach((y, i) => shade(squares[i], y, low, high));
    framed.replaceChildren(...Object.entries(places).map(([kind, at]) => square(at, kind)));
  };
  return { svg, show };
}

/** Make a plot of the largest error over the sharpness, by powers of ten. */
function errorPlot() {
  const px = (/** @type {number} */ alpha) => alpha / MOST * WIDE;
  const py = (/** @type {number} */ error) =>
    clip((TOP - Math.log10(error || 1e-99)) / (TOP - FLOOR), 0, 1) * HIGH;
  const curve = draw("path", { class: "curve" }), bound = draw("path", { class: "bound" });
  const dot = draw("circle", { r: 6, class: "dot" });
  /** @type {(x: number, y: number, text: string) => any} */
  const label = (x, y, text) => draw("text", { x, y, "text-anchor": "middle" }, text);
  const svg = draw(
    "svg",
    {
      viewBox: `-40 -8 ${WIDE + 48} ${HIGH + 30}`,
      role: "img",
      "aria-label": "the largest error at every sharpness",
    },
    draw("path", { class: "axes", d: `M0 0V${HIGH}H${WIDE}` }),
    label(-20, py(1) + 5, "1"),
    label(-20, py(1e-3) + 5, "10⁻³"),
    label(-20, py(1e-6) + 5, "10⁻⁶"),
    label(0, HIGH + 17, "α = 0"),
    label(px(10), HIGH + 17, "10"),
    label(px(20), HIGH + 17, "20"),
    bound,
    curve,
    dot,
  );
  /** @type {(f: (alpha: number) => number, from: number) => string} */
  const line = (f, from) =>
    "M" + Array.from({ length: MOST + 1 - from }, (_, k) => `${px(k + from)} ${py(f(k + from))}`).join("L");
  /**
   * @param {number} alpha
   * @param {(alpha: number) => number} errorAt
   * @param {((alpha: number) => number) | null} boundAt
   */
  const show = (alpha, errorAt, boundAt) => {
    change(curve, { d: line(errorAt, 0) });
    change(bound, { d: boundAt ? line(boundAt, 1) : "" });
    change(dot, { cx: px(alpha), cy: py(errorAt(alpha)) });
  };
  return { svg, show };
}

/**
 * Make a row of buttons, one of which is pressed.
 * @param {string} title
 * @param {string[]} texts
 * @param {(text: string) => void} act
 */
function choice(title, texts, act) {
  const buttons = texts.map((text) => button(text, () => act(text)));
  const press = (/** @type {string} */ text) =>
    buttons.forEach((one) => change(one, { "aria-pressed": String(one.textContent === text) }));
  const attributes = { class: "choice", role: "group", "aria-label": title };
  return { press, element: make("div", attributes, make("span", {}, title), ...buttons) };
}

class Convolution {
  /**
   * @param {HTMLElement} stage
   * @param {{image: Picture, kernels: Record<string, number[][]>, sharpness: number, pixel: Place}} data
   * @param {Say} say
   * @param {HTMLElement} said
   */
  constructor(stage, data, say, said) {
    const { image, kernels, sharpness } = data;
    this.data = data;
    this.say = say;
    this.all = image.flat();
    this.range = [Math.min(...this.all), Math.max(...this.all)];
    /** @type {Map<number, number[][]>} what each head brings to each pixel, by sharpness */
    this.known = new Map();
    const names = Object.keys(kernels);
    this.kinds = choice("kernel", names, (name) => {
      const head = kernels[name].flat().findIndex((w) => w !== 0);
      this.take({ name, head });
    });
    this.beyond = choice("border", ["continued", "zeros"], (text) => {
      this.take({ zeros: text === "zeros" });
    });
    this.alpha = slider({
      ...{ name: "sharpness α", min: 0, max: MOST, step: 0.25, value: sharpness },
      changed: () => this.show(),
    });
    this.asked = cells({
      name: "picture",
      rows: image.map((_, k) => `row ${k}`),
      columns: image[0].map((_, k) => `column ${k}`),
      act: (r, c) => this.take({ pixel: [r, c] }),
    });
    this.kernel = cells({
      name: "kernel",
      rows: ["up", "level", "down"],
      columns: ["left", "middle", "right"],
      act: (a, b) => this.take({ head: 3 * a + b }),
    });
    this.scales = Array.from({ length: 4 }, shades);
    this.looks = picture("where the head looks", image, 1);
    this.mixed = picture("nine softmax heads", image);
    this.wanted = picture("the convolution", image);
    this.plot = errorPlot();
    this.dashed = make("div", {}, "dashed: what it cannot exceed");
    this.start = { name: names[0], zeros: false, head: 0, pixel: data.pixel };
    this.now = this.start;
    this.layOut(stage, said);
    this.show();
  }

  /**
   * @param {HTMLElement} stage
   * @param {HTMLElement} said
   */
  layOut(stage, said) {
    const { asked, kernel, data: { image, sharpness } } = this;
    for (const one of [asked, kernel]) {
      change(one.element, { focusin: (event) => event.target.click() });
    }
    image.forEach((line, r) =>
      line.forEach((x, c) => shade(asked.at(r, c), x, this.range[0], this.range[1]))
    );
    const keys = this.scales.map((one) => one.element);
    stage.append(
      row(this.kinds.element, this.beyond.element),
      this.alpha.element,
      said,
      make(
        "div",
        { class: "attn-row panels" },
        panel("", asked.element, keys[0]),
        panel("", kernel.element),
        panel("where the head looks", this.looks.svg, keys[1]),
        panel("nine softmax heads", this.mixed.svg, keys[2]),
        panel("the convolution", this.wanted.svg, keys[3]),
        panel("largest error", this.plot.svg, this.dashed),
      ),
      button("Back to the text’s numbers", () => {
        this.alpha.set(sharpness);
        this.take(this.start);
      }),
    );
  }

  /** @param {Partial<Convolution["start"]>} picked */
  take(picked) {
    this.now = { ...this.now, ...picked };
    this.show();
  }

  entries() {
    return this.data.kernels[this.now.name].flat();
  }

  /**
   * Return what nine softmax heads give.
   * @param {number} alpha
   * @returns {number[]}
   */
  soft(alpha) {
    const values = this.known.get(alpha) ?? brought(this.data.image, alpha);
    this.known.set(alpha, values);
    const entries = this.entries();
    return this.all.map((_, i) => entries.reduce((total, w, h) => total + w * values[h][i], 0));
  }

  show() {
    const { data: { image, kernels }, now: { name, zeros, head, pixel } } = this;
    const sharpness = this.alpha.value(), found = this.soft(sharpness), width = image[0].length;
    const goal = exact(image, kernels[name], zeros), low = Math.min(...goal), high = Math.max(...goal);
    const off = (/** @type {number[]} */ ys) => ys.map((y, i) => Math.abs(y - goal[i]));
    const errors = off(found), worst = errors.indexOf(Math.max(...errors));
    const ranges = [this.range, [0, 1], [low, high], [low, high]];
    this.scales.forEach((one, k) => one.show(ranges[k]));
    const [r, c] = pixel, [down, right] = shift(head);
    const looks = weights(image, head, sharpness)[r * width + c];
    this.looks.show(looks, 0, 1, { asks: pixel, meant: [r + down, c + right] });
    for (const [one, values] of /** @type {const} */ ([[this.mixed, found], [this.wanted, goal]])) {
      one.show(values, low, high, { worst: [Math.floor(worst / width), worst % width] });
    }
    this.press();
    const size = this.entries().reduce((total, w) => total + Math.abs(w), 0) *
      (this.range[1] - this.range[0]);
    this.plot.show(
      sharpness,
      (alpha) => Math.max(...off(this.soft(alpha))),
      zeros ? null : (alpha) => 6 * Math.exp(-alpha) * size,
    );
    this.dashed.hidden = zeros;
    const rest = zeros ? Math.max(...off(exact(image, kernels[name], false))) : 0;
    this.say(inWords({ image, pixel, head, sharpness, errors, looks, rest }));
  }

  /** Show what is picked. */
  press() {
    const { asked, kernel, now: { name, zeros, head, pixel: [r, c] } } = this;
    /** @type {(square: HTMLElement, text: string, picked: boolean) => void} */
    const pick = (square, text, picked) =>
      change(square, {
        "aria-label": text,
        "aria-pressed": String(picked),
        tabindex: picked ? "0" : "-1",
      });
    this.data.image.forEach((line, a) =>
      line.forEach((x, b) => pick(asked.at(a, b), `row ${a}, column ${b}: ${brief(x)}`, a === r && b === c))
    );
    this.entries().forEach((w, h) => {
      const [down, right] = shift(h), square = kernel.at(down + 1, right + 1);
      pick(square, `${towards(h)}: ${brief(w, 2)}`, h === head);
      square.textContent = brief(w, 2);
    });
    this.kinds.press(name);
    this.beyond.press(zeros ? "zeros" : "continued");
  }
}

mount("soft_convolution", (stage, data, say, said) => new Convolution(stage, data, say, said));
