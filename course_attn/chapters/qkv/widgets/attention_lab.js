// @ts-check
// Attention of a few tokens: numbers to change, a mask to paint, and each result as its sum.

import {
  brief,
  button,
  cells,
  change,
  make,
  mount,
  paintable,
  renew,
  row,
  scrolling,
  slider,
} from "../../../drawing/kit.js";
import { table, troubles, written } from "../../../drawing/kit.js";
import { masked_softmax, scaled_scores, weighted_sum } from "../../../drawing/twin.js";

/** @typedef {import("../../../drawing/kit.js").Say} Say */
/** @typedef {"S" | "A" | "Y"} Letter */
/** @typedef {{Q?: number[][], K?: number[][], V?: number[][], scores?: number[][]}} Inputs */

/**
 * What a reader changes: `d` is how many features are used, `scaled` whether their number divides.
 * @typedef {Inputs & {tokens: string[], outputs: string[], mask?: boolean[][], d: number,
 *   scaled: boolean, temperature: number}} Setting
 */

/**
 * What follows: scores before the mask, scores, weights and outputs.
 * @typedef {{dots: number[][], S: number[][], A: number[][], Y: number[][]}} Found
 */

/**
 * Compute what follows from a setting.
 * @param {Setting} setting
 * @returns {Found}
 */
export function found({ Q = [], K = [], V, scores, mask, d, scaled, temperature }) {
  const [q, k] = [Q, K].map((one) => one.map((line) => line.slice(0, d)));
  /** @type {number[][]} */
  const dots = scores ?? scaled_scores(q, k, { scale: 1 });
  const size = (scaled ? Math.sqrt(d) : 1) * temperature;
  const S = dots.map((line, i) => line.map((s, j) => !mask || mask[i][j] ? s / size : -Infinity));
  const A = masked_softmax(S);
  return { dots, S, A, Y: V ? weighted_sum(A, V) : [] };
}

/**
 * Say that two numbers are equal, or nearly so where the second is rounded.
 * @param {number} value
 * @param {number} [decimals]
 * @returns {string}
 */
export function equals(value, decimals = 2) {
  const near = Math.abs(value - Number(value.toFixed(decimals))) > 1e-9;
  return (near ? " ≈ " : " = ") + brief(value, decimals);
}

/** A negative factor that follows another sign gets parentheses. */
const factor = (/** @type {number} */ x) => x < 0 ? `(${brief(x)})` : brief(x);
const power = (/** @type {number} */ s) => s < 0 ? `e^(${brief(s, 2)})` : `e^${brief(s, 2)}`;

/**
 * Write a sum of products: 1·0.5 + 2·(−1).
 * @param {number[]} x
 * @param {number[]} y
 * @param {number} decimals
 * @returns {string}
 */
export function products(x, y, decimals) {
  return x.map((a, f) =>
    (f ? factor : brief)(Number(a.toFixed(decimals))) + "·" +
    factor(Number(y[f].toFixed(decimals)))
  ).join(" + ");
}

/**
 * Spell out a row of softmax at one place. Very large scores are lowered first, as the code does.
 * @param {number[]} scores
 * @param {number} j
 * @param {number} weight
 * @returns {string}
 */
export function share(scores, j, weight) {
  const largest = Math.max(...scores);
  const lowered = Math.abs(largest) > 9;
  const shown = lowered ? scores.map((s) => s - largest) : scores;
  const exps = shown.map(Math.exp), total = exps.reduce((sum, e) => sum + e, 0);
  const first = lowered ? `${brief(largest, 2)}, the largest, is subtracted from all first: ` : "";
  return `${first}${power(shown[j])} ÷ (${shown.map(power).join(" + ")})` +
    ` ≈ ${brief(exps[j])} ÷ ${brief(total)}${equals(weight)}`;
}

/**
 * Say what a number is made of.
 * @type {Record<Letter, (setting: Setting, found: Found, i: number, j: number) => string>}
 */
export const IN_WORDS = {
  S: ({ tokens, Q, K, d, scaled, temperature }, { dots, S }, i, j) => {
    const start = `“${tokens[i]}” asks, “${tokens[j]}” answers: `;
    let value = dots[i][j];
    let steps = Q && K ? products(Q[i].slice(0, d), K[j].slice(0, d), 3) + equals(value) : brief(value);
    const divide = (/** @type {string} */ name, /** @type {number} */ by) => {
      value /= by;
      steps += `, ÷ ${name}${equals(value)}`;
    };
    if (scaled) divide(`√${d}`, Math.sqrt(d));
    if (temperature !== 1) divide(brief(temperature, 2), temperature);
    return start + steps + (S[i][j] === -Infinity ? ", but the mask forbids it: −∞." : ".");
  },
  A: ({ tokens }, { S, A }, i, j) => {
    const who = `“${tokens[i]}” gives “${tokens[j]}” the weight `;
    if (S[i].every((s) => s === -Infinity)) {
      return `${who}0: nothing is allowed, and 0 ÷ 0 is not computed.`;
    }
    const zero = S[i][j] === -Infinity ? " A forbidden key gets exactly 0." : "";
    return `${who}${share(S[i], j, A[i][j])}.${zero}`;
  },
  Y: ({ tokens, outputs, V = [] }, { A, Y }, i, f) => {
    const sum = products(A[i], V.map((line) => line[f]), 2);
    return `“${tokens[i]}” gets, in column ${outputs[f]}, ${sum} ≈ ${brief(Y[i][f], 2)}.`;
  },
};

/**
 * Name the tokens that the mask leaves no key.
 * @param {Setting} setting
 * @param {Found} found
 * @returns {string[]}
 */
export function blind({ tokens, V }, { S }) {
  return tokens.filter((_, i) => S[i].every((s) => s === -Infinity)).map((token) =>
    `The mask leaves “${token}” no key: its weights are 0${V ? ", and its output, too" : ""}.`
  );
}

class Lab {
  /**
   * @param {HTMLElement} stage
   * @param {Setting & {features: string[], changes: string[], opened: [Letter, number, number]}} data
   * @param {Say} say
   * @param {HTMLElement} said
   */
  constructor(stage, data, say, said) {
    const { tokens, features, outputs } = data;
    this.stage = stage;
    this.data = data;
    this.say = say;
    /** @type {[Letter, number, number]} */
    this.opened = data.opened;
    this.wrong = make("p", { class: "attn-trouble", role: "status" });
    this.Q = this.numbers("Q", "query", features);
    this.K = this.numbers("K", "key", features);
    this.V = this.numbers("V", "value", outputs);
    this.given = this.numbers("scores", "weight", tokens);
    const refresh = () => this.refresh();
    this.mask = data.mask &&
      paintable({ name: "mask", rows: tokens, columns: tokens, mask: data.mask, changed: refresh });
    this.results = {
      S: this.result("S", "S", tokens, "weight"),
      A: this.result("A", "A = softmax(S)", tokens, "weight"),
      Y: this.result("Y", "Y = A V", outputs, "output"),
    };
    const most = features.length || 1;
    this.width = slider({ name: "width d", min: 1, max: most, step: 1, value: most, changed: refresh });
    this.heat = slider({
      ...{ name: "temperature T", min: 0.1, max: 10, step: 0.1 },
      ...{ value: data.temperature, changed: refresh },
    });
    /** @type {HTMLInputElement} */
    this.divides = make("input", { type: "checkbox", autocomplete: "off", change: refresh });
    this.layOut(said);
    this.reset();
  }

  /**
   * @param {"Q" | "K" | "V" | "scores"} name
   * @param {string} role
   * @param {string[]} columns
   */
  numbers(name, role, columns) {
    const values = this.data[name], refresh = () => this.refresh();
    const rows = this.data.tokens;
    return values && table({ name, rows, columns, role, values, changed: refresh, bad: refresh, limit: 100 });
  }

  /**
   * @param {Letter} letter
   * @param {string} name
   * @param {string[]} columns
   * @param {string} role
   */
  result(letter, name, columns, role) {
    /** @type {(i: number, j: number) => void} */
    const act = (i, j) => {
      this.opened = [letter, i, j];
      this.show();
    };
    return cells({ name, rows: this.data.tokens, columns, role, act });
  }

  /** @param {HTMLElement} said */
  layOut(said) {
    const { Q, K, V, given, mask, results, data: { changes } } = this;
    /** @type {Record<string, HTMLElement>} */
    const controls = {
      d: this.width.element,
      T: this.heat.element,
      scale: make("label", {}, this.divides, " divide by √d"),
    };
    const asked = make("div", { class: "attn-controls" }, ...changes.map((name) => controls[name]));
    const inputs = [Q, K, V, given].map((one) => one && scrolling(one.element));
    const shown = [results.S, results.A, ...(V ? [results.Y] : [])];
    this.stage.append(
      row(...inputs, given && mask?.element),
      row(!given && mask?.element, changes.length > 0 && asked),
      row(...shown.map((one) => scrolling(one.element))),
      said,
      this.wrong,
      button("Back to the text’s numbers", () => this.reset()),
    );
  }

  /** @returns {Setting} */
  setting() {
    return {
      ...this.data,
      Q: this.Q?.values(),
      K: this.K?.values(),
      V: this.V?.values(),
      scores: this.given?.values(),
      mask: this.mask?.mask(),
      d: this.width.value(),
      scaled: this.divides.checked && !this.given,
      temperature: this.heat.value(),
    };
  }

  refresh() {
    this.found = found(this.setting());
    this.show();
  }

  show() {
    if (!this.found) return;
    const { Q, K, given, results, data: { tokens, changes } } = this, setting = this.setting();
    for (const letter of /** @type {Letter[]} */ (["S", "A", "Y"])) this.fill(letter, this.found[letter]);
    const root = setting.scaled ? " ÷ √d" : "", heated = changes.includes("T") ? " ÷ T" : "";
    /** @type {HTMLElement} */ (results.S.element.caption).textContent = given
      ? "S, masked"
      : `S = Q Kᵀ${root}${heated}`;
    for (const one of [Q, K]) {
      for (const line of one?.element.rows ?? []) {
        [...line.cells].forEach((cell, f) => cell.hidden = f > setting.d);
      }
    }
    this.stage.querySelectorAll(".attn-from").forEach((cell) => cell.classList.remove("attn-from"));
    this.sources(tokens).forEach((cell) => cell.classList.add("attn-from"));
    const [letter, i, j] = this.opened;
    const moved = this.stage.querySelectorAll(".attn-changed").length;
    const isStill = moved && !results[letter].at(i, j).classList.contains("attn-changed");
    const others = isStill
      ? ` This number stays; ${moved === 1 ? "one" : moved} that changed ${
        moved === 1 ? "is" : "are"
      } marked.`
      : "";
    this.say(IN_WORDS[letter](setting, this.found, i, j) + others);
    this.wrong.textContent = [...troubles(this.stage), ...blind(setting, this.found)].join(" ");
  }

  /**
   * @param {Letter} letter
   * @param {number[][]} values
   */
  fill(letter, values) {
    const { tokens, outputs } = this.data, columns = letter === "Y" ? outputs : tokens;
    values.forEach((line, i) =>
      line.forEach((value, j) => {
        const cell = this.results[letter].at(i, j);
        // A weight of 0 without decimals is exactly 0.
        const text = letter === "A" && !value ? "0" : written(value);
        renew(cell, text);
        change(cell, {
          style: letter === "A" && `--w: ${100 * value}%`,
          "aria-label": `${letter}, ${tokens[i]}, ${columns[j]}: ${text}`,
          "aria-pressed": String([letter, i, j].join() === this.opened.join()),
        });
      })
    );
  }

  /**
   * Return what the opened number is made of, as cells of the page.
   * @param {string[]} tokens
   */
  sources(tokens) {
    const { Q, K, V, given, results, opened: [letter, i, j] } = this;
    /** @type {(one: {element: HTMLTableElement} | undefined, k: number) => Element[]} */
    const inputs = (one, k) => [...one?.element.tBodies[0].rows[k].cells ?? []].slice(1);
    if (letter === "S") return given ? [inputs(given, i)[j]] : [...inputs(Q, i), ...inputs(K, j)];
    if (letter === "A") return inputs(results.S, i);
    return [...inputs(results.A, i), ...tokens.map((_, k) => inputs(V, k)[j])];
  }

  reset() {
    const { Q, K, V, given, mask, data } = this;
    this.opened = data.opened;
    Q?.set(data.Q ?? []);
    K?.set(data.K ?? []);
    V?.set(data.V ?? []);
    given?.set(data.scores ?? []);
    mask?.set(data.mask ?? []);
    this.width.set(data.features.length || 1);
    this.heat.set(data.temperature);
    this.divides.checked = data.scaled;
    this.refresh();
  }
}

mount("attention_lab", (stage, data, say, said) => new Lab(stage, data, say, said));
