// @ts-check
// A memory: a picture to be damaged, a step of attention that repairs it, a classical network.

import {
  brief,
  button,
  change,
  draw,
  make,
  mount,
  paintable,
  panel,
  row,
  slider,
  written,
} from "../../../drawing/kit.js";
import { attention_weights, hopfield_update } from "../../../drawing/twin.js";

/** @typedef {import("../../../drawing/kit.js").Say} Say */

const SIDE = 8, HALF = SIDE * SIDE / 2, LINES = Array.from({ length: SIDE }, (_, k) => String(k));

/**
 * Let a classical network set one sign after the other, until none changes.
 * @param {number[][]} X the patterns, of signs
 * @param {number[]} given
 * @returns {number[]}
 */
export function settled(X, given) {
  const signs = [...given];
  for (let changed = true; changed;) {
    changed = false;
    const overlaps = X.map((x) => x.reduce((total, a, g) => total + a * signs[g], 0));
    signs.forEach((own, f) => {
      // The diagonal of zeros takes from each sign what it says of itself.
      const field = X.reduce((total, x, n) => total + overlaps[n] * x[f], -X.length * own);
      if ((signs[f] = field >= 0 ? 1 : -1) === own) return;
      changed = true;
      X.forEach((x, n) => overlaps[n] += (signs[f] - own) * x[f]);
    });
  }
  return signs;
}

/**
 * Return how many signs are another than those of a pattern; 0 is none, and not known.
 * @param {number[]} pattern
 * @param {number[]} state
 * @returns {number}
 */
export function wrong(pattern, state) {
  return pattern.filter((a, f) => state[f] * a < 0).length;
}

/**
 * Return a number with two digits by its power of ten.
 * @param {number} log
 * @returns {number}
 */
export function sharp(log) {
  return Number((10 ** log).toPrecision(2));
}

/**
 * Return a small picture as one path of black squares.
 * @param {number[]} signs
 * @returns {string}
 */
export function shape(signs) {
  return signs.map((a, f) => a > 0 ? `M${f % SIDE} ${Math.floor(f / SIDE)}h1v1h-1z` : "").join("");
}

/**
 * Say how far a state is from its pattern, and what the memories make of it.
 * @param {{name: string, pattern: number[], state: number[], updates: number, best: string,
 *   weight: number, signs: number[]}} now `best` is the pattern that gets the largest weight,
 *   `signs` what the classical network ends with
 * @returns {string}
 */
export function inWords({ name, pattern, state, updates, best, weight, signs }) {
  const when = updates ? `After ${updates === 1 ? "one update" : `${updates} updates`}` : "Before the update";
  const unknown = state.filter((x) => x === 0).length, off = wrong(pattern, state);
  const known = unknown ? `${unknown} of 64 signs are unknown; of the others ${off}` : `${off} of 64 signs`;
  return `${when} ${known} ${off === 1 ? "differs" : "differ"} from “${name}”. The next ` +
    `update gives “${best}” the weight ${written(weight)}. The classical network ` +
    `sets one sign after the other, and comes to rest with ${wrong(pattern, signs)} of 64 wrong.`;
}

/**
 * @param {any} path
 * @param {string} kind
 * @param {string} [name] for what is not drawn beside its name
 */
function small(path, kind, name = "") {
  return draw("svg", {
    viewBox: `0 0 ${SIDE} ${SIDE}`,
    class: kind,
    role: name ? "img" : null,
    "aria-label": name || null,
    "aria-hidden": name ? null : "true",
  }, path);
}

class Memory {
  /**
   * @param {HTMLElement} stage
   * @param {{patterns: number[][], names: string[], start: number, beta: number}} data
   * @param {Say} say
   * @param {HTMLElement} said
   */
  constructor(stage, data, say, said) {
    const { patterns, names, start, beta } = data;
    this.data = data;
    this.say = say;
    this.chosen = start;
    this.updates = 0;
    /** @type {number[]} the picture */
    this.state = [];
    /** @type {number[]} what the classical network is given: the picture drawn last */
    this.drawn = [];
    this.count = slider({
      ...{ name: "stored patterns", min: 2, max: names.length, step: 1, value: names.length },
      changed: (n) => this.chosen >= n ? this.lose(n - 1) : this.show(),
    });
    this.betas = slider({
      ...{ name: "β", min: -2, max: 0.5, step: 0.01, value: Math.log10(beta) },
      text: (log) => brief(sharp(log)),
      changed: () => this.show(),
    });
    this.paper = paintable({
      name: "the state: draw here",
      rows: LINES,
      columns: LINES,
      mask: LINES.map(() => LINES.map(() => false)),
      changed: (_, i, j) => this.flip([SIDE * i + j]),
    });
    this.squares = [...this.paper.table.querySelectorAll("button")];
    this.answer = draw("path");
    this.bars = patterns.map(() => make("span", { class: "bar" }));
    this.sizes = patterns.map(() => make("span", { class: "size" }));
    this.rows = names.map((_, n) => button("", () => this.lose(n), { class: "stored" }));
    this.layOut(stage, said);
    this.lose(start);
  }

  /**
   * @param {HTMLElement} stage
   * @param {HTMLElement} said
   */
  layOut(stage, said) {
    const { patterns, names, start, beta } = this.data;
    this.rows.forEach((line, n) =>
      line.append(
        small(draw("path", { d: shape(patterns[n]) }), "thumb"),
        make("span", { class: "track" }, this.bars[n]),
        this.sizes[n],
      )
    );
    stage.append(
      row(this.count.element, this.betas.element),
      row(
        button("One update", () => this.update(), { class: "update" }),
        button("Flip ten squares", () => {
          const places = this.squares.map((_, f) => ({ f, key: Math.random() }));
          this.flip(places.sort((a, b) => a.key - b.key).slice(0, 10).map(({ f }) => f));
        }),
      ),
      said,
      make(
        "div",
        { class: "attn-row panels" },
        panel("", this.paper.table),
        panel("classical network", small(this.answer, "answer", "what the classical network ends with")),
        panel("weights of the patterns", ...this.rows),
      ),
      button("Back to the text’s numbers", () => {
        this.count.set(names.length);
        this.betas.set(Math.log10(beta));
        this.lose(start);
      }),
    );
  }

  /**
   * Begin with the upper half of a pattern.
   * @param {number} n
   */
  lose(n) {
    this.chosen = n;
    this.keep(this.data.patterns[n].map((x, f) => f < HALF ? x : 0));
  }

  /** @param {number[]} places */
  flip(places) {
    this.keep(this.state.map((x, f) => places.includes(f) ? (x > 0 ? -1 : 1) : x));
  }

  /**
   * Give what is drawn to both memories.
   * @param {number[]} drawn
   */
  keep(drawn) {
    this.state = this.drawn = drawn;
    this.updates = 0;
    this.show();
  }

  update() {
    this.state = hopfield_update(this.stored(), [this.state], { beta: sharp(this.betas.value()) })[0];
    this.updates += 1;
    this.show();
  }

  stored() {
    return this.data.patterns.slice(0, this.count.value());
  }

  show() {
    const { state, data: { patterns, names }, chosen, updates } = this, X = this.stored();
    /** @type {number[]} */
    const weights = attention_weights([state], X, { scale: sharp(this.betas.value()) })[0];
    const signs = settled(X, this.drawn);
    this.paper.set(LINES.map((_, i) => LINES.map((_, j) => state[SIDE * i + j] > 0)));
    this.squares.forEach((one, f) => {
      one.style.setProperty("--g", `${50 + 50 * state[f]}%`);
      change(one, { "aria-label": `row ${Math.floor(f / SIDE)}, column ${f % SIDE}: ${brief(state[f], 2)}` });
    });
    this.rows.forEach((line, n) => {
      change(line, {
        hidden: n >= X.length,
        "aria-pressed": String(n === chosen),
        "aria-label": `begin with “${names[n]}”, weight ${written(weights[n] ?? 0)}`,
      });
      this.bars[n].style.width = `${100 * (weights[n] ?? 0)}%`;
      this.sizes[n].textContent = written(weights[n] ?? 0);
    });
    change(this.answer, { d: shape(signs) });
    const weight = Math.max(...weights), best = names[weights.indexOf(weight)];
    this.say(
      inWords({ name: names[chosen], pattern: patterns[chosen], state, updates, best, weight, signs }),
    );
  }
}

mount("hopfield_memory", (stage, data, say, said) => new Memory(stage, data, say, said));
