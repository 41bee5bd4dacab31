// @ts-check
// The course's GPT at work in the page: it reads what the reader types, shows what it expects next
// and what every head looks at, writes on, and can be broken part by part. This script and the
// model (model.js, which the build writes) are loaded when the reader asks: writing.js.

import { brief, button, cells, change, make } from "../../../drawing/kit.js";
import { mount, slider, written } from "../../../drawing/kit.js";
import { cross_entropy, drawn, firstSeen, gptInParts } from "./gpt.js";
import { token_probabilities, unpacked } from "./gpt.js";

/** @typedef {import("./gpt.js").Run} Run */
/** @typedef {{n_layers: number, n_heads: number, n_context: number, n_vocab: number}} Config */
/** @typedef {import("./gpt.js").Packed & {config: Config, characters: string}} PackedModel */
/** @typedef {"mask" | "scale" | "positions" | "residual" | "norm"} Part */

/**
 * Each part: what its switch says, and what is missing without it.
 * @type {[Part, string, string][]}
 */
const PARTS = [
  ["mask", "mask: no look at later characters", "the mask"],
  ["scale", "scores ÷ √d", "÷ √d"],
  ["positions", "positions", "positions"],
  ["residual", "additions (residual stream)", "the additions"],
  ["norm", "norms", "norms"],
];

/** What phones put in the place of plain signs. */
const PLAIN_SIGNS = { "“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "…": "...", "\u00a0": " " };

// In milliseconds: between two characters, and without a rest.
const PAUSE = 40, BUSY = 12;
const SHOWN = 8, WRITTEN = 60, NAMED = 40;

/** A character in a sentence. @param {string} c */
const quoted = (c) => c === " " ? "a space" : c === "\n" ? "a new line" : `“${c}”`;

/** A character standing alone. @param {string} c */
const named = (c) => c === " " ? "space" : c === "\n" ? "new line" : c;

/** A character in a row of others. @param {string} c */
const visible = (c) => c === " " ? "␣" : c === "\n" ? "↵" : c;

/** A character that may have no shape. @param {string} c */
const spelled = (c) => {
  const code = "U+" + (c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return c === "\t" ? "the tab" : /[\s\p{C}\p{M}]/u.test(c) ? code : `“${c}”`;
};

/** A probability, also one that rounds to nothing. @param {number} p */
const share3 = (p) => p > 0 && p < 0.0005 ? "< 0.001" : written(p, 3);

/** @param {string[]} all */
const listed = (all) =>
  all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all[all.length - 1]}`;

/** @param {ArrayLike<number>} row */
const largestOf = (row) => {
  let best = 0;
  for (let j = 1; j < row.length; j++) if (row[j] > row[best]) best = j;
  return best;
};

/** @param {string} c */
const isSpace = (c) => /\s/.test(c);

/**
 * Where a head may look: what that is called, where it is seen in a map, how much of the weight
 * makes it worth saying (more for what covers more places), and the places of a row that count.
 * @type {[string, string, string, number, (i: number, j: number, text: string) => boolean][]}
 */
const WAYS = [
  ["before", "the character before", "the line next to the diagonal", 0.4, (i, j) => j === i - 1],
  ["itself", "the character itself", "the diagonal", 0.4, (i, j) => j === i],
  ["first", "the first character", "the first column", 0.4, (i, j) => j === 0 && i > 1],
  ["spaces", "spaces and new lines", "upright stripes", 0.4, (i, j, text) => j < i && isSpace(text[j])],
  [
    "same",
    "the same character earlier",
    "dots away from the diagonal",
    0.4,
    (i, j, text) => j < i && text[j] === text[i],
  ],
  [
    "after same",
    "what stood behind the same character earlier",
    "dots away from the diagonal",
    0.4,
    (i, j, text) => j > 0 && j < i && text[j - 1] === text[i],
  ],
  [
    "its word",
    "its own word so far",
    "small triangles at the diagonal",
    0.6,
    (i, j, text) => !isSpace(text[i]) && j <= i && ![...text.slice(j, i)].some(isSpace),
  ],
  ["5 before", "the five characters before", "a band below the diagonal", 0.6, (i, j) => j < i && j >= i - 5],
];
const ENOUGH = 3;

/**
 * The places that each way of looking means in a text, for each character that has any.
 * @param {string} text
 * @returns {[number, number[]][][]}
 */
export function waysIn(text) {
  return WAYS.map(([, , , , counts]) =>
    Array.from(text, (_, i) => {
      /** @type {number[]} */
      const places = [];
      for (let j = 0; i && j <= i; j++) if (counts(i, j, text)) places.push(j);
      return /** @type {[number, number[]]} */ ([i, places]);
    }).filter(([, places]) => places.length)
  );
}

/**
 * Say in numbers what a head does on a text.
 * @param {ArrayLike<number>[]} weights
 * @param {[number, number[]][][]} ways those of `waysIn`
 * @returns {{short: string, long: string, strength: number}} the strength is 1 and more where one
 *   way is worth saying
 */
export function habit(weights, ways) {
  if (weights.length === 1) {
    return { strength: 0, short: "one place", long: "There is only one place to look at." };
  }
  const shares = ways.map((rows) => {
    let total = 0;
    for (const [i, places] of rows) for (const j of places) total += weights[i][j];
    return rows.length < ENOUGH ? 0 : total / rows.length;
  });
  // How much it is beyond what makes it worth saying.
  const beyond = shares.map((share, k) => share / WAYS[k][3]), best = largestOf(beyond);
  if (beyond[best] >= 1) {
    const [short, what, where] = WAYS[best], share = written(shares[best]);
    const some = ways[best].length < weights.length - 1 ? ", where there is such a place" : "";
    return {
      strength: beyond[best],
      short: `${short} ${share}`,
      long: `On this text it gives ${what} ${share} of its weight on average${some}: look for ` +
        `${where}.`,
    };
  }
  let keys = 0;
  for (const row of weights) {
    let nats = 0;
    for (let j = 0; j < row.length; j++) if (row[j]) nats -= row[j] * Math.log(row[j]);
    keys += Math.exp(nats) / weights.length;
  }
  const count = written(keys, 1);
  return {
    strength: beyond[best],
    short: `spread: ${count} characters`,
    long: `On this text it spreads its weight: on average ${count} characters are in play. Let ` +
      "several characters ask, and look for what their darkest squares have in common.",
  };
}

mount("writing_model", (stage, { text: start }, say, said) => {
  const page = /** @type {{courseModel: PackedModel}} */ (/** @type {unknown} */ (window));
  const packed = page.courseModel, params = unpacked(packed), { characters } = packed;
  const { n_layers, n_heads, n_context, n_vocab } = packed.config;
  const places = new Map([...characters].map((c, token) => [c, token]));

  /** @type {Record<Part, boolean>} */
  const parts = { mask: true, scale: true, positions: true, residual: true, norm: true };
  const off = new Set();
  /** What the model reads: the last text without a problem. */
  let text = start, seen = "", ways = waysIn("");
  /** @type {Run} */
  let whole;
  /** @type {Run | undefined} */
  let broken;
  let opened = [0, 0], asking = 0;
  /** @type {string | null} what stood there before the model wrote: see `remember` */
  let unwritten = null;
  /** @type {number | null} */
  let writing = null;

  // --- what the model makes of the text --------------------------------------------------------

  const now = () => broken ?? whole;
  const missing = () => [
    ...PARTS.filter(([part]) => !parts[part]).map(([, , name]) => name),
    ...[...off].sort((a, b) => a - b)
      .map((n) => `head ${n % n_heads + 1} of block ${Math.floor(n / n_heads) + 1}`),
  ];

  /**
   * Run the model on a text, and beside it the broken one if a part is off. There are rests between
   * the parts of the work; nothing has changed before its end.
   * @param {string} given @param {boolean} [anew] whether other parts are off than before
   * @returns {Generator<undefined, void>}
   */
  function* reading(given, anew) {
    const tokens = [...given].map((c) => places.get(c) ?? 0);
    const first = firstSeen(tokens.length, n_context), used = tokens.slice(first);
    const heads = [...off].map((
      n,
    ) => /** @type {[number, number]} */ ([Math.floor(n / n_heads), n % n_heads]));
    const run = yield* gptInParts(used, params, { n_heads }, whole);
    broken = missing().length
      ? yield* gptInParts(used, params, { n_heads, ...parts, off: heads }, anew ? undefined : broken)
      : undefined;
    whole = run;
    text = given;
    seen = text.slice(first);
    ways = waysIn(seen);
    asking = seen.length - 1;
  }

  /** Read a text without a rest. @param {string} given @param {boolean} [anew] */
  function compute(given, anew) {
    const work = reading(given, anew);
    while (!work.next().done);
  }

  // At 1, rounding alone would cut off the least probable ones.
  const options = () => ({
    temperature: T.value(),
    top_k: K.value(),
    top_p: P.value() === 1 ? null : P.value(),
  });
  const last = (/** @type {Run} */ run) => run.logits[run.logits.length - 1];
  const loss = (/** @type {Run} */ run) => cross_entropy(run.logits, run.tokens.slice(1));

  // --- sentences -------------------------------------------------------------------------------

  function used() {
    return seen.length === text.length ? "" : ` The model sees at most ${n_context} characters. ` +
      "When they are full, it forgets the older half and goes on: here it uses the last " +
      `${seen.length} of ${text.length}.`;
  }

  /** What the model expects, and what the whole one would. */
  function expected() {
    const probs = token_probabilities(last(now())), best = largestOf(probs);
    const sure = written(probs[best]), gone = missing();
    const nats = written(loss(now()));
    const single = seen.length < 2;
    if (!gone.length) {
      return `The most probable next character is ${quoted(characters[best])} (${sure}).` +
        (single ? "" : ` Loss on this text: ${nats} nats per character.`) + used();
    }
    const before = token_probabilities(last(whole)), other = largestOf(before);
    const was = written(before[other]);
    return `Without ${listed(gone)}: ` + (best === other
      ? `the most probable next character is still ${quoted(characters[best])} (${sure}, before ` +
        `${was}).`
      : `the most probable next character is now ${quoted(characters[best])} (${sure}), before ` +
        `${quoted(characters[other])} (${was}).`) +
      (single ? "" : ` Loss on this text: ${nats} nats per character, before ` +
        `${written(loss(whole))}.`) +
      (parts.mask || single
        ? ""
        : " Without the mask each character sees the one that it is to predict; trained with the " +
          "mask, the model has not learned to copy it.") +
      used();
  }

  function sampling() {
    const probs = token_probabilities(last(now()), options()), best = largestOf(probs);
    const left = probs.filter((p) =>
      p > 0
    ).length;
    return `With these settings ${quoted(characters[best])} is drawn with ${written(probs[best])}; ` +
      (left === 1
        ? "no other character can be drawn."
        : left === n_vocab
        ? "every character can be drawn."
        : `${left} characters can be drawn.`);
  }

  const title = () => `Block ${opened[0] + 1}, head ${opened[1] + 1}`;
  const isOff = () => off.has(opened[0] * n_heads + opened[1]);
  const row = () => now().weights[opened[0]][opened[1]][asking];

  /** Where the character that asks looks. */
  function looked() {
    const weights = row(), best = largestOf(weights);
    return `${quoted(seen[asking])} at place ${asking} looks most at ${
      best === asking ? "itself" : `${quoted(seen[best])} at place ${best}`
    }: ${written(weights[best])}`;
  }

  // --- the text, and what comes next -----------------------------------------------------------

  const area = make("textarea", {
    class: "attn-field text",
    rows: 3,
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "off",
    "aria-label": "Your text",
    input: typed,
    // Who comes to the text takes it over.
    focus: halt,
    pointerdown: halt,
    keydown: halt,
    beforeinput: halt,
  });
  const bars = Array.from({ length: SHOWN }, () => {
    const spans = ["name", "bar", "model", "draws"].map((name) => make("span", { class: name }));
    const element = button("", () => {
      const c = element.dataset.character ?? "";
      quiet();
      if (refused()) return;
      remember(null);
      read(text + c);
      say(`Put behind the text: ${quoted(c)}. ${expected()}`);
    }, { class: "choice" });
    element.append(...spans);
    spans[1].append(make("span", { class: "whole" }), make("span", { class: "drawn" }));
    return { element, spans };
  });
  const list = make(
    "ol",
    { class: "choices", "aria-label": "The most probable next characters" },
    ...bars.map(({ element }) => make("li", {}, element)),
  );
  const next = make(
    "div",
    { class: "next" },
    make(
      "p",
      { class: "heading", "aria-hidden": "true" },
      "Next character",
      make("span", { class: "model" }, "guess"),
      make("span", { class: "draws" }, "drawn"),
    ),
    list,
  );

  function showNext() {
    const logits = last(now()), probs = token_probabilities(logits);
    const draws = token_probabilities(logits, options());
    const order = [...probs.keys()].sort((a, b) => probs[b] - probs[a] || a - b);
    const same = T.value() === 1 && K.value() === n_vocab && P.value() === 1;
    next.classList.toggle("differs", !same);
    bars.forEach(({ element, spans: [name, bar, model, drawing] }, rank) => {
      const token = order[rank], p = probs[token], q = draws[token];
      element.dataset.character = characters[token];
      name.textContent = named(characters[token]);
      model.textContent = share3(p);
      drawing.textContent = q ? share3(q) : "never";
      bar.firstChild.style.width = `${100 * p}%`;
      bar.lastChild.style.width = `${100 * q}%`;
      change(element, {
        "aria-label": `${named(characters[token])}, probability ${share3(p)}` +
          (same ? "" : `, drawn with ${share3(q)}`) + ": put it behind the text",
      });
    });
  }

  /** Take a text that has no problem. @param {string} given */
  function read(given) {
    compute(given);
    showText();
    marked(false);
    show();
  }

  function showText() {
    if (area.value !== text) area.value = text;
    area.scrollTop = area.scrollHeight;
  }

  /** Mark the text as one that the model can read or not. @param {boolean} wrong */
  function marked(wrong) {
    change(area, { "aria-invalid": wrong && "true" });
    for (const one of [write, writeOne, ...bars.map(({ element }) => element)]) {
      change(one, { "aria-disabled": wrong && "true" });
    }
  }

  /** @type {number | undefined} */
  let waiting;
  /** Say something when the keys rest. @param {() => string} sentence */
  function later(sentence) {
    clearTimeout(waiting);
    waiting = setTimeout(() => say(sentence()), 500);
  }

  function typed() {
    const { value } = area, given = [...value].map((c) => PLAIN_SIGNS[c] ?? c).join("");
    const at = area.selectionEnd + given.length - value.length;
    quiet();
    if (area.value !== value) area.value = value;
    remember(null);
    const wrong = wrongWith(given);
    if (wrong) {
      marked(true);
      later(() => wrong);
      return;
    }
    if (given !== area.value) {
      area.value = given;
      area.setSelectionRange(at, at);
    }
    const top = area.scrollTop;
    read(given);
    area.scrollTop = top;
    later(expected);
  }

  /** What is wrong with a text, or nothing. @param {string} given */
  function wrongWith(given) {
    const begin = text.split("\n")[0],
      still = " Bars and maps are still those of " +
        (begin
          ? `“${begin.slice(0, 20)}${text.length > Math.min(begin.length, 20) ? "…" : ""}”.`
          : "the last text that it could read.");
    if (!given) {
      return "There is no text: the model predicts a character from those before it, and " +
        "needs one at least." + still;
    }
    const unknown = [...new Set(given)].filter((c) => !places.has(c));
    if (!unknown.length) return "";
    const place = [...given].indexOf(unknown[0]), more = unknown.length - 1;
    return `The model does not know ${spelled(unknown[0])} (place ${place})` +
      (more ? ` and ${more === 1 ? "one other character" : `${more} other characters`}` : "") +
      `: its ${n_vocab} characters are the new line, the space and what a plain English keyboard ` +
      "has." + still;
  }

  /** Say what is wrong with the text, if anything is, before something is put behind it. */
  function refused() {
    if (!area.getAttribute("aria-invalid")) return false;
    say(wrongWith(area.value));
    return true;
  }

  // --- writing ---------------------------------------------------------------------------------

  const write = button(`Write ${WRITTEN} characters`, () => {
    if (writing === null) goOn(WRITTEN);
    else quiet(true);
  });

  /** End the writing. @param {boolean} [told] whether to say what was written */
  function quiet(told = false) {
    clearTimeout(waiting);
    if (writing === null) return;
    clearTimeout(writing);
    writing = null;
    write.textContent = `Write ${WRITTEN} characters`;
    change(said, { "aria-busy": null });
    showText();
    show();
    const count = text.length - (unwritten ?? "").length;
    if (told) {
      say(
        `The model has written ${count === 1 ? "a character" : `${count} characters`}: ` +
          `“${text.slice((unwritten ?? "").length)}”.${used()}`,
      );
    }
  }

  function halt() {
    if (writing !== null) quiet(true);
  }

  /**
   * Write so many characters, one after the other.
   * @param {number} n
   * @returns {Generator<number | undefined, void>} the milliseconds to wait at least
   */
  function* characterByCharacter(n) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    for (let count = 1; count <= n; count++) {
      const probs = token_probabilities(last(now()), options());
      yield* reading(text + characters[drawn(probs, Math.random())]);
      if (n > 1) say(`Writing: ${count} of ${n}.`);
      if (still || count === n) continue;
      yield;
      showText();
      show();
      yield PAUSE;
    }
  }

  /** Let the model write, and the page answer in between. @param {number} n */
  function goOn(n) {
    if (refused()) return;
    // Also for the keyboard of a phone, which would hide what is written.
    area.blur();
    remember(text);
    write.textContent = "Stop";
    // Nobody wants to hear every number.
    change(said, { "aria-busy": "true" });
    const work = characterByCharacter(n);
    const go = () => {
      const began = performance.now();
      let part = work.next();
      while (!part.done && !part.value && performance.now() - began < BUSY) part = work.next();
      if (part.done) quiet(true);
      else writing = setTimeout(go, part.value);
    };
    writing = setTimeout(go, 0);
  }

  const writeOne = button("Write one", () => {
    quiet();
    goOn(1);
  });

  const takeBack = button("Take back", () => {
    quiet();
    if (unwritten === null) {
      say("There is nothing to take back: the model has not written since the text was changed.");
      return;
    }
    const before = unwritten;
    remember(null);
    read(before);
    say(`What the model wrote is taken back. ${expected()}`);
  });

  /** Keep what can be taken back, or nothing. @param {string | null} before */
  function remember(before) {
    unwritten = before;
    change(takeBack, { "aria-disabled": before === null && "true" });
  }

  const settings = () => {
    showNext();
    if (writing === null) later(sampling);
  };
  const T = slider({
    name: "temperature",
    min: 0,
    max: 2,
    step: 0.05,
    value: 1,
    changed: settings,
    text: (t) => t ? written(t) : "0, always the most probable",
  });
  const K = slider({
    name: "top-k",
    min: 1,
    max: n_vocab,
    step: 1,
    value: n_vocab,
    changed: settings,
    text: (k) => k === n_vocab ? `${k} (all)` : brief(k),
  });
  const P = slider({
    name: "top-p",
    min: 0.05,
    max: 1,
    step: 0.05,
    value: 1,
    changed: settings,
    text: (p) => p === 1 ? "1 (all)" : written(p),
  });

  // --- switches --------------------------------------------------------------------------------

  function check(/** @type {string} */ name, /** @type {(on: boolean) => void} */ turned) {
    const input = make("input", {
      type: "checkbox",
      autocomplete: "off",
      change: () => turned(input.checked),
    });
    return { input, element: make("label", { class: "switch" }, input, make("span", {}, name)) };
  }

  /** Show and say what a switch has changed. */
  function switched() {
    quiet();
    compute(text, true);
    show();
    const sentence = (missing().length ? "" : "This is the trained model again. ") + expected();
    effect.textContent = sentence;
    say(sentence);
  }

  const switches = PARTS.map(([part, name]) =>
    check(name, (on) => {
      parts[part] = on;
      switched();
    })
  );
  const own = check("this head takes part", (on) => {
    const n = opened[0] * n_heads + opened[1];
    if (on) off.delete(n);
    else off.add(n);
    switched();
  });

  const back = button("Back to the trained model", () => {
    for (const [part] of PARTS) parts[part] = true;
    off.clear();
    switched();
  });
  const again = button("Back to the text’s sentence", () => {
    quiet();
    remember(null);
    T.set(1);
    K.set(n_vocab);
    P.set(1);
    read(start);
    say(expected());
  });

  // --- what the heads look at ------------------------------------------------------------------

  const rows = Array.from({ length: n_layers }, (_, layer) => `block ${layer + 1}`);
  const columns = Array.from({ length: n_heads }, (_, head) => `head ${head + 1}`);
  const maps = cells({
    name: "Weights of every head",
    rows,
    columns,
    role: "weight",
    act: (layer, head) => {
      opened = [layer, head];
      showOpened();
      mark();
      say(`${title()}. ${habit(now().weights[layer][head], ways).long}`);
    },
  });
  const small = rows.map((_, layer) =>
    columns.map((_, head) => {
      const canvas = make("canvas", { "aria-hidden": "true" }), label = make("span", { class: "short" });
      maps.at(layer, head).append(canvas, label);
      return { canvas, label };
    })
  );

  /** The red, green and blue of the weights. */
  let color = [0, 0, 0];
  /** Draw a head's weights, a pixel each: their square root, as in the static picture. */
  function paint(/** @type {any} */ canvas, /** @type {ArrayLike<number>[]} */ weights) {
    const n = weights.length, image = new ImageData(n, n);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < weights[i].length; j++) {
        const at = 4 * (i * n + j);
        image.data[at] = color[0];
        image.data[at + 1] = color[1];
        image.data[at + 2] = color[2];
        image.data[at + 3] = 255 * Math.sqrt(weights[i][j]);
      }
    }
    canvas.width = canvas.height = n;
    canvas.getContext("2d").putImageData(image, 0, 0);
  }

  function showMaps() {
    small.forEach((heads, layer) =>
      heads.forEach(({ canvas, label }, head) => {
        const weights = now().weights[layer][head], { short } = habit(weights, ways);
        const isOff = off.has(layer * n_heads + head);
        paint(canvas, weights);
        label.textContent = isOff ? "off" : short.replace("characters", "charac\u00adters");
        maps.at(layer, head).classList.toggle("off", isOff);
        change(maps.at(layer, head), {
          "aria-label": `Block ${layer + 1}, head ${head + 1}: ${isOff ? "switched off" : short}`,
        });
      })
    );
    mark();
  }

  function mark() {
    small.forEach((heads, layer) =>
      heads.forEach((_, head) =>
        change(maps.at(layer, head), { "aria-pressed": String(layer === opened[0] && head === opened[1]) })
      )
    );
  }

  // What is said stands far above on a narrow screen: there, it is repeated here for the eyes.
  const effect = make("p", { class: "effect", "aria-hidden": "true" });
  const heading = make("p", { class: "heading" }), tells = make("p", { class: "habit" });
  const looks = make("p", { class: "looks", "aria-hidden": "true" });
  const large = make("canvas", {
    role: "img",
    click: (event) => {
      const box = large.getBoundingClientRect();
      ask(Math.floor((event.clientY - box.top) / box.height * seen.length));
    },
  });
  const above = make("div", { class: "above", "aria-hidden": "true" });
  const beside = make("div", { class: "beside", "aria-hidden": "true" });
  const band = make("div", { class: "band" });
  const strip = make("div", {
    class: "strip",
    "aria-hidden": "true",
    click: (event) => {
      const place = [...strip.children].indexOf(event.target);
      if (place >= 0) ask(place);
    },
  });
  const asker = make("input", {
    type: "range",
    min: 0,
    step: 1,
    autocomplete: "off",
    input: () => ask(Number(asker.value)),
  });

  function ask(/** @type {number} */ place) {
    asking = Math.min(Math.max(place, 0), seen.length - 1);
    showAsking();
  }

  function showAsking() {
    const weights = row();
    if (strip.childElementCount !== seen.length) {
      strip.replaceChildren(...Array.from(seen, () => make("span")));
    }
    [...strip.children].forEach((one, j) => {
      one.textContent = visible(seen[j]);
      one.classList.toggle("asks", j === asking);
      one.style.setProperty("--share", `${50 * Math.sqrt(weights[j] ?? 0)}%`);
    });
    band.style.top = `${100 * asking / seen.length}%`;
    band.style.height = `${100 / seen.length}%`;
    asker.max = String(seen.length - 1);
    asker.value = String(asking);
    change(asker, { "aria-valuetext": looked() });
    looks.textContent = looked() + ".";
  }

  function showOpened() {
    const weights = now().weights[opened[0]][opened[1]], { long } = habit(weights, ways);
    heading.textContent = title() + (isOff() ? " (switched off)" : "");
    tells.textContent = long;
    own.input.checked = !isOff();
    change(own.input, { "aria-label": `${title()} takes part` });
    paint(large, weights);
    for (const edge of [above, beside]) {
      const named = seen.length <= NAMED ? [...seen] : [];
      edge.replaceChildren(...named.map((c) => make("span", {}, visible(c))));
    }
    change(large, { "aria-label": `The weights of ${title()}: a row for each character that asks.` });
    showAsking();
  }

  function show() {
    const hex = getComputedStyle(stage).getPropertyValue("--weight").trim();
    color = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) || 0);
    showNext();
    showMaps();
    showOpened();
    switches.forEach(({ input }, i) => input.checked = parts[PARTS[i][0]]);
  }

  // Colors change with the page's theme, and what is drawn in pixels must be drawn again.
  new MutationObserver(show)
    .observe(document.documentElement, { attributeFilter: ["data-theme"] });

  const group = (/** @type {string} */ name, /** @type {any[]} */ ...inside) =>
    make("fieldset", { class: "attn-row" }, make("legend", {}, name), ...inside);
  stage.append(
    make(
      "div",
      { class: "attn-row top" },
      make(
        "div",
        { class: "writes" },
        make("p", { class: "heading", "aria-hidden": "true" }, "Your text"),
        area,
        make("div", { class: "attn-row" }, write, writeOne, takeBack),
      ),
      next,
    ),
    said,
    group("How it writes", T.element, K.element, P.element),
    group("Parts of the model", ...switches.map(({ element }) => element)),
    make("div", { class: "attn-row" }, back, again),
    make(
      "div",
      { class: "attn-row heads" },
      make(
        "div",
        { class: "all" },
        make("div", { class: "attn-scroll" }, maps.element),
        make(
          "p",
          { class: "legend" },
          "Rows are the characters that ask, from the first at the top; " +
            "columns are those that they look at, counted from 0. The more color, the more weight. " +
            "Below each map: where most of it goes on this text, and how much (“5 before”: the " +
            "five characters before); or “spread”, where it goes nowhere in particular, and how " +
            "many characters are in play.",
        ),
      ),
      make(
        "div",
        { class: "opened" },
        heading,
        tells,
        own.element,
        effect,
        make("div", { class: "large" }, above, beside, make("div", { class: "map" }, large, band)),
        make("label", { class: "attn-slider" }, make("span", {}, "the character that asks"), asker),
        looks,
        strip,
      ),
    ),
  );
  // The head that is easiest to read is open at first.
  remember(null);
  read(start);
  const found = now().weights.flatMap((heads, layer) =>
    heads.map((weights, head) => ({ at: [layer, head], strength: habit(weights, ways).strength }))
  );
  opened = found.reduce((best, one) => one.strength > best.strength ? one : best).at;
  show();
  say(expected());
  // The colors are known only once this stands in the page.
  queueMicrotask(show);
});
