// @ts-check
// Masks to paint for a few layers, and a lamp: does an output change when a later word changes?

import {
  button,
  change,
  grid,
  listed,
  make,
  mount,
  paintable,
  part,
  row,
  scrolling,
} from "../../../drawing/kit.js";
import { attention, weighted_sum } from "../../../drawing/twin.js";

/** @typedef {import("../../../drawing/kit.js").Say} Say */
/** @typedef {boolean[][]} Mask */

/**
 * What is computed: a row of `inputs` for each token, another for when it is exchanged, and for
 * each layer four matrices.
 * @typedef {{tokens: string[], inputs: number[][], others: number[][], weights: number[][][][]}} Model
 */

/**
 * What a layer makes of its input: attention and a step on every row, each added.
 * @param {number[][]} X
 * @param {number[][][]} weights
 * @param {Mask} mask
 * @returns {number[][]}
 */
function through(X, weights, mask) {
  const [Q, K, V] = weights.slice(0, 3).map((W) => weighted_sum(X, W));
  const mixed = attention(Q, K, V, { mask });
  const middle = X.map((line, i) => line.map((x, f) => x + mixed[i][f]));
  const step = weighted_sum(middle, weights[3]);
  return middle.map((line, i) => line.map((x, f) => x + Math.tanh(step[i][f])));
}

/**
 * Return for each token, the input and each layer which positions differ when it is exchanged.
 * @param {Model} model
 * @param {Mask[]} masks
 * @returns {boolean[][][]}
 */
export function moves({ tokens, inputs, others, weights }, masks) {
  const stack = (/** @type {number[][]} */ X) =>
    masks.reduce((found, mask, k) => [...found, through(found[k], weights[k], mask)], [X]);
  const before = stack(inputs);
  return tokens.map((_, j) => {
    const after = stack(inputs.map((line, i) => i === j ? others[i] : line));
    return before.map((X, k) => X.map((line, i) => line.some((x, f) => x !== after[k][i][f])));
  });
}

/**
 * Return the pairs of a position and a later one that changes its output.
 * @param {boolean[][][]} moved
 * @returns {[number, number][]}
 */
export function leaksOf(moved) {
  return moved.flatMap((_, i) => moved.map((_, j) => /** @type {[number, number]} */ ([i, j])))
    .filter(([i, j]) => j > i && moved[j].at(-1)?.[i]);
}

/**
 * Quote a token, with its place where there is another like it.
 * @param {string[]} tokens
 * @param {number} i
 * @returns {string}
 */
export function quoted(tokens, i) {
  const again = tokens.indexOf(tokens[i]) !== tokens.lastIndexOf(tokens[i]);
  return `“${tokens[i]}”${again ? ` (${i + 1})` : ""}`;
}

/**
 * Say whether there is a leak, what moves, and which rows of a mask are empty.
 * @param {string[]} tokens
 * @param {Mask[]} masks
 * @param {boolean[][][]} moved
 * @param {number} exchanged the token that is exchanged
 * @returns {string}
 */
export function inWords(tokens, masks, moved, exchanged) {
  const said = [], leaks = leaksOf(moved), quote = (/** @type {number} */ i) => quoted(tokens, i);
  if (leaks.length) {
    const [i, j] = leaks.find(([, late]) => late === exchanged) || leaks[0];
    const more = leaks.length > 1 ? ` ${leaks.length} such pairs.` : "";
    said.push(`Leak: the output at ${quote(i)} changes when the later ${quote(j)} changes.${more}`);
  } else {
    said.push("No leak: no output changes when a later word changes.");
  }
  const last = moved[exchanged].at(-1) ?? [];
  const where = tokens.map((_, i) => i).filter((i) => last[i]).map(quote);
  const which = where.length > 1 ? "the outputs at" : "only the output at";
  said.push(
    `When ${quote(exchanged)} is exchanged, ${which} ${listed(where)} ` +
      `change${where.length > 1 ? "" : "s"}.`,
  );
  masks.forEach((mask, k) =>
    mask.forEach((line, i) => {
      if (line.includes(true)) return;
      said.push(`The mask of layer ${k + 1} leaves ${quote(i)} no key: its weights are 0.`);
    })
  );
  return said.join(" ");
}

/**
 * Return the layer to show of a plan: the one that is shown, or if it is the same in another plan
 * the first that is not, so that what has changed is seen.
 * @param {Mask[]} plan
 * @param {Mask[]} other
 * @param {number} layer
 * @returns {number}
 */
export function layerToShow(plan, other, layer) {
  const changed = [...plan.keys()].filter((k) => String(plan[k]) !== String(other[k]));
  return changed.length && !changed.includes(layer) ? changed[0] : layer;
}

class Painter {
  /**
   * @param {HTMLElement} stage
   * @param {Model & {plans: Record<string, Mask[]>, layer: number, changed: number}} data
   * @param {Say} say
   * @param {HTMLElement} said
   */
  constructor(stage, data, say, said) {
    const { tokens, plans, weights } = data;
    this.data = data;
    this.say = say;
    this.layer = data.layer;
    this.exchanged = data.changed;
    this.names = Object.keys(plans);
    this.masks = plans[this.names[0]];
    this.squares = paintable({
      name: "",
      rows: tokens,
      columns: tokens,
      mask: this.masks[this.layer],
      changed: (now) => {
        const painted = now.map((line) => [...line]);
        this.masks = this.masks.map((mask, k) => k === this.layer ? painted : mask);
        this.refresh();
      },
    });
    this.planButtons = this.names.map((name) => button(name, () => this.take(name)));
    this.layerButtons = weights.map((_, k) =>
      button(String(k + 1), () => this.turn(k), { "aria-label": `layer ${k + 1}` })
    );
    this.chosen = tokens.map((token, i) =>
      button(token, () => {
        this.exchanged = i;
        this.refresh();
      })
    );
    this.places = [...weights, null].map(() =>
      tokens.map(() => make("td", {}, make("span", { class: "attn-hidden" })))
    );
    this.lamp = make(
      "p",
      { class: "attn-lamp", "aria-hidden": "true" },
      make("span", {}, "●"),
      make("span", {}),
    );
    this.layOut(stage, said);
    this.turn(this.layer);
  }

  /**
   * @param {HTMLElement} stage
   * @param {HTMLElement} said
   */
  layOut(stage, said) {
    const { tokens, weights, layer, changed } = this.data;
    /** @type {(name: string, parts: HTMLElement[]) => HTMLElement} */
    const group = (name, parts) => {
      const title = make("span", { "aria-hidden": "true" }, name);
      return make("div", { class: "attn-choice", role: "group", "aria-label": name }, title, ...parts);
    };
    const picture = grid({
      name: "which vectors change",
      rows: ["input", ...weights.map((_, k) => `layer ${k + 1}`)].reverse(),
      columns: tokens,
      cell: (k, i) => this.places[k][i],
    });
    stage.style.setProperty("--n", String(tokens.length));
    stage.append(group("masks", this.planButtons));
    if (weights.length > 1) stage.append(group("mask of layer", this.layerButtons));
    stage.append(
      group("exchange", this.chosen),
      this.lamp,
      row(this.squares.element, scrolling(picture)),
      said,
      button("Back to the text’s numbers", () => {
        this.exchanged = changed;
        this.masks = this.data.plans[this.names[0]];
        this.turn(layer);
      }),
    );
  }

  /** @param {string} name of a plan */
  take(name) {
    const { plans } = this.data;
    this.masks = plans[name];
    this.turn(layerToShow(this.masks, plans[this.names[0]], this.layer));
  }

  /** @param {number} layer */
  turn(layer) {
    this.layer = layer;
    this.squares.set(this.masks[layer]);
    /** @type {HTMLElement} */ (this.squares.table.caption).textContent = `mask of layer ${layer + 1}`;
    this.refresh();
  }

  refresh() {
    const { masks, exchanged, data: { tokens, plans, weights } } = this;
    const moved = moves(this.data, masks), leaks = leaksOf(moved);
    moved[exchanged].forEach((line, k) =>
      line.forEach((moves, i) => {
        const cell = this.places[weights.length - k][i], early = moves && i < exchanged;
        change(cell, { class: moves ? early ? "attn-early" : "attn-moved" : "" });
        part(cell, "span").textContent = moves ? early ? "leaks" : "moves" : "stays";
      })
    );
    /** @type {(buttons: HTMLElement[], picked: (k: number) => boolean) => void} */
    const press = (buttons, picked) =>
      buttons.forEach((one, k) => change(one, { "aria-pressed": String(picked(k)) }));
    press(this.chosen, (i) => i === exchanged);
    press(this.layerButtons, (k) => k === this.layer);
    press(this.planButtons, (p) => JSON.stringify(plans[this.names[p]]) === JSON.stringify(masks));
    change(this.lamp, { "data-leak": String(leaks.length > 0) });
    part(this.lamp, "span:last-child").textContent = leaks.length ? "leak" : "no leak";
    this.say(inWords(tokens, masks, moved, exchanged));
  }
}

mount("mask_painter", (stage, data, say, said) => new Painter(stage, data, say, said));
