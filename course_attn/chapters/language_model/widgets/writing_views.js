// @ts-check
// What the page draws of the model: the next characters, a map of every head, and one head large.

import { brief, button, cells, change, make, slider, toggle } from "../../../drawing/kit.js";
import { written } from "../../../drawing/kit.js";
import { token_probabilities } from "./gpt.js";
import { looked, named, share3, visible } from "./writing_words.js";

/** @typedef {import("./gpt.js").Sampling} Sampling */
/** @typedef {import("./writing_state.js").LiveModel} LiveModel */
/** @typedef {[number, number, number]} Color red, green and blue */

const SHOWN = 8, NAMED = 40;

// --- what comes next -----------------------------------------------------------------------------

/**
 * The most probable next characters, each a button with its probability.
 * @param {LiveModel} model @param {(character: string) => void} pick
 */
export function nextCharacters(model, pick) {
  const bars = Array.from({ length: SHOWN }, () => {
    const [name, bar, model, draws, whole, drawn] = ["name", "bar", "model", "draws", "whole", "drawn"]
      .map((part) => make("span", { class: part }));
    const element = button("", () => pick(element.dataset.character ?? ""), { class: "choice" });
    bar.append(whole, drawn);
    element.append(name, bar, model, draws);
    return { element, name, model, draws, whole, drawn };
  });
  const buttons = bars.map(({ element }) => element);
  const guess = make("span", { class: "model" }, "guess"), drawn = make("span", { class: "draws" }, "drawn");
  const heading = make("p", { class: "heading", "aria-hidden": "true" }, "Next character", guess, drawn);
  const attributes = { class: "choices", "aria-label": "The most probable next characters" };
  const list = make("ol", attributes, ...buttons.map((one) => make("li", {}, one)));
  const element = make("div", { class: "next" }, heading, list);

  /** @param {Sampling} sampling @param {boolean} differs whether it changes what is drawn */
  function show(sampling, differs) {
    const { logits } = model.now, last = logits[logits.length - 1];
    const probs = token_probabilities(last), draws = token_probabilities(last, sampling);
    const order = [...probs.keys()].sort((a, b) => probs[b] - probs[a] || a - b);
    element.classList.toggle("differs", differs);
    bars.forEach((bar, rank) => {
      const token = order[rank], p = probs[token], q = draws[token], c = model.characters[token];
      bar.element.dataset.character = c;
      bar.name.textContent = named(c);
      bar.model.textContent = share3(p);
      bar.draws.textContent = q ? share3(q) : "never";
      bar.whole.style.width = `${100 * p}%`;
      bar.drawn.style.width = `${100 * q}%`;
      const also = differs ? `, drawn with ${share3(q)}` : "";
      const label = `${named(c)}, probability ${share3(p)}${also}: put it behind the text`;
      change(bar.element, { "aria-label": label });
    });
  }
  return { element, buttons, show };
}

/**
 * The sliders that say how the next character is drawn.
 * @param {number} n_vocab @param {() => void} changed
 */
export function samplingSliders(n_vocab, changed) {
  const one = (
    /** @type {string} */ name,
    /** @type {number[]} */ [min, max, step],
    /** @type {number} */ value,
    /** @type {(value: number) => string} */ text,
  ) => slider({ name, min, max, step, value, changed, text });
  const T = one("temperature", [0, 2, 0.05], 1, (t) => t ? written(t) : "0, always the most probable");
  const K = one("top-k", [1, n_vocab, 1], n_vocab, (k) => k === n_vocab ? `${k} (all)` : brief(k));
  const P = one("top-p", [0.05, 1, 0.05], 1, (p) => p === 1 ? "1 (all)" : written(p));
  return {
    elements: [T.element, K.element, P.element],
    differ: () => T.value() !== 1 || K.value() !== n_vocab || P.value() !== 1,
    // At 1, rounding alone would cut off the least probable ones.
    values: () => ({ temperature: T.value(), top_k: K.value(), top_p: P.value() === 1 ? null : P.value() }),
    reset() {
      T.set(1);
      K.set(n_vocab);
      P.set(1);
    },
  };
}

// --- what the heads look at ----------------------------------------------------------------------

/**
 * Draw a head's weights, a pixel each: their square root, as in the static picture.
 * @param {HTMLCanvasElement} canvas @param {ArrayLike<number>[]} weights @param {Color} color
 */
function paint(canvas, weights, color) {
  const n = weights.length, image = new ImageData(n, n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < weights[i].length; j++) {
      const at = 4 * (i * n + j);
      for (let k = 0; k < 3; k++) image.data[at + k] = color[k];
      image.data[at + 3] = 255 * Math.sqrt(weights[i][j]);
    }
  }
  canvas.width = canvas.height = n;
  canvas.getContext("2d")?.putImageData(image, 0, 0);
}

/**
 * A small map of every head, each a button.
 * @param {LiveModel} model @param {() => void} open shows the head that is opened now
 */
export function headMaps(model, open) {
  const rows = Array.from({ length: model.config.n_layers }, (_, layer) => `block ${layer + 1}`);
  const columns = Array.from({ length: model.config.n_heads }, (_, head) => `head ${head + 1}`);
  const act = (/** @type {number} */ layer, /** @type {number} */ head) => {
    model.opened = [layer, head];
    mark();
    open();
  };
  const maps = cells({ name: "Weights of every head", rows, columns, role: "weight", act });
  const all = rows.flatMap((_, layer) =>
    columns.map((_, head) => {
      const canvas = make("canvas", { "aria-hidden": "true" }), words = make("span", { class: "short" });
      const square = maps.at(layer, head);
      square.append(canvas, words);
      return { layer, head, square, canvas, words };
    })
  );

  function mark() {
    const opened = model.numberOf();
    for (const { layer, head, square } of all) {
      change(square, { "aria-pressed": String(model.numberOf(layer, head) === opened) });
    }
  }

  /** @param {Color} color */
  function show(color) {
    for (const { layer, head, square, canvas, words } of all) {
      const { short } = model.habitOf(layer, head), isOff = model.off.has(model.numberOf(layer, head));
      paint(canvas, model.now.weights[layer][head], color);
      words.textContent = isOff ? "off" : short.replace("characters", "charac\u00adters");
      square.classList.toggle("off", isOff);
      const label = `Block ${layer + 1}, head ${head + 1}: ${isOff ? "switched off" : short}`;
      change(square, { "aria-label": label });
    }
    mark();
  }
  return { element: maps.element, show };
}

/** The name of the head that is opened. @param {LiveModel} model */
export const titleOf = ({ opened: [layer, head] }) => `Block ${layer + 1}, head ${head + 1}`;

/**
 * The weights of the opened head large, with the characters at their edges.
 * @param {LiveModel} model @param {(place: number) => void} ask
 */
function largeMap(model, ask) {
  const canvas = make("canvas", {
    role: "img",
    click: (/** @type {MouseEvent} */ event) => {
      const box = canvas.getBoundingClientRect();
      ask(Math.floor((event.clientY - box.top) / box.height * model.seen.length));
    },
  });
  const above = make("div", { class: "above", "aria-hidden": "true" });
  const beside = make("div", { class: "beside", "aria-hidden": "true" });
  const band = make("div", { class: "band" });
  return {
    element: make("div", { class: "large" }, above, beside, make("div", { class: "map" }, canvas, band)),
    /** @param {Color} color */
    show(color) {
      paint(canvas, model.openedWeights, color);
      for (const edge of [above, beside]) {
        const labeled = model.seen.length <= NAMED ? [...model.seen] : [];
        edge.replaceChildren(...labeled.map((c) => make("span", {}, visible(c))));
      }
      const label = `The weights of ${titleOf(model)}: a row for each character that asks.`;
      change(canvas, { "aria-label": label });
    },
    showAsking() {
      band.style.top = `${100 * model.asking / model.seen.length}%`;
      band.style.height = `${100 / model.seen.length}%`;
    },
  };
}

/**
 * The row of the character that asks: a slider, and how much each other character gets.
 * @param {LiveModel} model @param {(place: number) => void} ask
 */
function askedRow(model, ask) {
  /** @type {HTMLElement[]} */
  let places = [];
  const looks = make("p", { class: "looks", "aria-hidden": "true" });
  const strip = make("div", {
    class: "strip",
    "aria-hidden": "true",
    click: (/** @type {MouseEvent} */ event) => {
      const place = places.findIndex((one) => one === event.target);
      if (place >= 0) ask(place);
    },
  });
  const input = () => ask(Number(asker.value));
  const asker = make("input", { type: "range", min: 0, step: 1, autocomplete: "off", input });
  const name = make("span", {}, "the character that asks");
  return {
    elements: [make("label", { class: "attn-slider" }, name, asker), looks, strip],
    showAsking() {
      const { seen, asking } = model, weights = model.openedWeights[asking];
      if (places.length !== seen.length) {
        places = Array.from(seen, () => make("span"));
        strip.replaceChildren(...places);
      }
      places.forEach((one, j) => {
        one.textContent = visible(seen[j]);
        one.classList.toggle("asks", j === asking);
        one.style.setProperty("--share", `${50 * Math.sqrt(weights[j] ?? 0)}%`);
      });
      asker.max = String(seen.length - 1);
      asker.value = String(asking);
      change(asker, { "aria-valuetext": looked(model) });
      looks.textContent = looked(model) + ".";
    },
  };
}

/**
 * One head: what it does in words, its weights, and the row of the character that asks.
 * @param {LiveModel} model @param {(on: boolean) => void} turned
 */
export function openedHead(model, turned) {
  const own = toggle("this head takes part", turned);
  // What is said stands far above on a narrow screen: there, it is repeated here for the eyes.
  const effect = make("p", { class: "effect", "aria-hidden": "true" });
  const heading = make("p", { class: "heading" }), tells = make("p", { class: "habit" });
  const large = largeMap(model, ask), row = askedRow(model, ask);

  /** @param {number} place */
  function ask(place) {
    model.asking = Math.min(Math.max(place, 0), model.seen.length - 1);
    showAsking();
  }

  function showAsking() {
    large.showAsking();
    row.showAsking();
  }

  /** @param {Color} color */
  function show(color) {
    const isOff = model.off.has(model.numberOf()), title = titleOf(model);
    const [layer, head] = model.opened;
    heading.textContent = title + (isOff ? " (switched off)" : "");
    tells.textContent = model.habitOf(layer, head).long;
    own.input.checked = !isOff;
    change(own.input, { "aria-label": `${title} takes part` });
    large.show(color);
    showAsking();
  }
  const inside = [heading, tells, own.element, effect, large.element, ...row.elements];
  return { element: make("div", { class: "opened" }, ...inside), effect, show };
}
