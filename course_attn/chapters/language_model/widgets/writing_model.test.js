// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { unpacked } from "../../../drawing/packed.js";
import { gpt } from "./gpt.js";
import { LiveModel } from "./writing_state.js";
import { drawable, expected, habit, looked, named } from "./writing_words.js";
import { share3, visible, waysIn, wrongWith } from "./writing_words.js";

/** @typedef {import("./gpt.js").Run} Run */
/** @typedef {import("./gpt.js").Options} Options */
/** @typedef {import("./writing_state.js").PackedModel} PackedModel */

const [N_CONTEXT, D_MODEL, D_FF] = [8, 4, 6], CHARACTERS = "\n ab";

/** A model of two blocks with two heads, as the book packs it. @returns {PackedModel} */
function smallModel() {
  /** @type {[string, number[]][]} */
  const arrays = [["embedding", [CHARACTERS.length, D_MODEL]], ["positions.P", [N_CONTEXT, D_MODEL]]];
  for (const layer of [0, 1]) {
    const add = (/** @type {string} */ name, /** @type {number[]} */ ...shape) =>
      arrays.push([`transformer.blocks.${layer}.${name}`, shape]);
    for (const norm of ["norm_1", "norm_2"]) {
      for (const part of ["gain", "bias"]) add(`${norm}.${part}`, D_MODEL);
    }
    for (const name of ["W_Q", "W_K", "W_V", "W_O"]) add(`attention.${name}`, D_MODEL, D_MODEL);
    add("feed_forward.W_1", D_MODEL, D_FF);
    add("feed_forward.b_1", D_FF);
    add("feed_forward.W_2", D_FF, D_MODEL);
    add("feed_forward.b_2", D_MODEL);
  }
  for (const part of ["gain", "bias"]) arrays.push([`transformer.final_norm.${part}`, [D_MODEL]]);
  const count = arrays.reduce((sum, [, shape]) => sum + shape.reduce((product, n) => product * n), 0);
  // Numbers between -1 and 1 without a pattern that a model would show.
  const numbers = Float16Array.from({ length: count }, (_, i) => Math.sin(1 + i * i));
  return {
    config: { n_layers: 2, n_heads: 2, n_context: N_CONTEXT, n_vocab: CHARACTERS.length },
    characters: CHARACTERS,
    arrays,
    data: btoa(String.fromCharCode(...new Uint8Array(numbers.buffer))),
  };
}

const reading = (text = "ab a") => new LiveModel(smallModel(), text);

// The model's runs

/** @type {Omit<Options, "n_heads">[]} */
const SWITCHES = [
  {},
  { mask: false },
  { scale: false },
  { positions: false },
  { residual: false },
  { norm: false },
  { off: [[0, 1]] },
  { off: [[1, 0]], positions: false },
  { mask: false, norm: false, residual: false },
];

test("what an earlier text has found changes nothing, whatever is switched off", () => {
  const tokens = [2, 3, 0, 1, 3], params = unpacked(smallModel());
  const flat = (/** @type {Run} */ run) =>
    [run.logits, run.K.flat(), run.V.flat(), run.weights.flat(2)].flat().map((row) => [...row]).flat();
  for (const switches of SWITCHES) {
    const options = { n_heads: 2, ...switches }, anew = flat(gpt(tokens, params, options));
    for (const before of [[2, 3, 0, 1], [2], tokens, [2, 3, 0, 2, 3, 0], [0, 1]]) {
      const again = flat(gpt(tokens, params, options, gpt(before, params, options)));
      assert.equal(again.length, anew.length);
      again.forEach((x, i) => assert.ok(Math.abs(x - anew[i]) < 1e-5));
    }
  }
});

test("with a mask, no character sees a later one", () => {
  const params = unpacked(smallModel()), tokens = [2, 3, 0];
  const lengths = (/** @type {boolean} */ mask) =>
    gpt(tokens, params, { n_heads: 2, mask }).weights[1][1].map((row) => row.length);
  assert.deepEqual([lengths(true), lengths(false)], [[1, 2, 3], [3, 3, 3]]);
});

// Its state

test("what is off is left out of what the model makes of the text, and can be mended", () => {
  const model = reading("ab a"), { whole } = model;
  assert.equal(model.now, whole);
  model.parts.positions = false;
  model.off.add(model.numberOf(1, 0)).add(model.numberOf(0, 1));
  model.read("ab a", true);
  assert.deepEqual(model.missing(), ["positions", "head 2 of block 1", "head 1 of block 2"]);
  /** @type {[number, number][]} */
  const off = [[1, 0], [0, 1]];
  const wanted = gpt(whole.tokens, model.params, { n_heads: 2, positions: false, off });
  assert.deepEqual(model.now.logits, wanted.logits);
  assert.deepEqual(model.whole.logits, whole.logits);
  model.mend();
  model.read("ab a", true);
  assert.deepEqual([model.missing(), model.broken, model.now.logits], [[], undefined, whole.logits]);
});

test("nothing changes before the end of a reading that rests", () => {
  const model = reading("ab"), work = model.reading("ab b");
  let rests = 0;
  while (!work.next().done) {
    rests++;
    assert.deepEqual([model.text, model.now.tokens.length, model.asking], ["ab", 2, 1]);
  }
  assert.deepEqual([rests, model.text, model.now.tokens.length, model.asking], [2, "ab b", 4, 3]);
});

test("the head that is easiest to read is opened", () => {
  const model = reading("ab ab ab");
  model.openEasiest();
  const [layer, head] = model.opened, { strength } = model.habitOf(layer, head);
  for (const n of [0, 1, 2, 3]) assert.ok(model.habitOf(...model.headAt(n)).strength <= strength);
  assert.equal(model.openedWeights, model.now.weights[layer][head]);
});

// What it says

test("characters have names where they have no shape", () => {
  const each = (/** @type {(c: string) => string} */ name) => [" ", "\n", "a"].map(name);
  assert.deepEqual(each(named), ["space", "new line", "a"]);
  assert.deepEqual(each(visible), ["␣", "↵", "a"]);
});

test("a probability that rounds to nothing is not 0", () => {
  assert.deepEqual([0, 0.0004, 0.0005, 0.1234, 1].map(share3), [
    "0.000",
    "< 0.001",
    "0.001",
    "0.123",
    "1.000",
  ]);
});

test("a head that looks one way is said to, where at least three characters can", () => {
  /** The weights of rows that look at one place each. @param {(i: number) => number} place */
  const looking = (place) =>
    [..."ab ab ab"].map((_, i) => Array.from({ length: i + 1 }, (_, j) => Number(j === place(i))));
  const short = (/** @type {(i: number) => number} */ place) =>
    habit(looking(place), waysIn("ab ab ab")).short;
  assert.equal(short((i) => i - 1), "before 1.00");
  assert.equal(short((i) => i), "itself 1.00");
  assert.equal(short((i) => Math.max(i - 3, 0)), "same 1.00");
  assert.equal(short((i) => i < 3 ? 0 : i - 2), "after same 1.00");
  assert.deepEqual(habit(looking((i) => i === 1 ? 1 : 0), waysIn("ab ab ab")), {
    strength: 2.5,
    short: "first 1.00",
    long: "On this text it gives the first character 1.00 of its weight on average, where there is such a " +
      "place: look for the first column.",
  });
});

test("a head that looks everywhere spreads its weight", () => {
  const rows = Array.from({ length: 20 }, (_, i) => Array(i + 1).fill(1 / (i + 1)));
  assert.match(habit(rows, waysIn("abc def ghi jkl mno ")).short, /^spread: 10\.5 characters$/);
  assert.equal(habit([[1]], waysIn("a")).short, "one place");
});

test("what is expected is said with the loss, and without a part beside what the whole model says", () => {
  const model = reading();
  assert.match(
    expected(model),
    /^The most probable next character is .* \(0\.\d\d\)\. Loss .*: \d\.\d\d nats per character\.$/,
  );
  assert.match(expected(reading("a")), /^The most probable next character is .* \(0\.\d\d\)\.$/);
  model.parts.mask = false;
  model.off.add(3);
  model.read("ab a", true);
  assert.match(
    expected(model),
    /^Without the mask and head 2 of block 2: the most probable next character is (still|now) .*\(0\.\d\d.* before .*0\.\d\d\)\. Loss .* character, before \d\.\d\d\. Without the mask each .* copy it\.$/,
  );
  model.parts.mask = true;
  model.read("ab a", true);
  assert.doesNotMatch(expected(model), /Without the mask/);
});

test("a text that is longer than the context says what is used", () => {
  const model = reading("ab ab ab ");
  assert.equal(model.seen, " ab ");
  assert.match(expected(model), / at most 8 characters\. .* here it uses the last 4 of 9\.$/);
});

test("settings say how many characters they leave", () => {
  const model = reading();
  assert.match(drawable(model, {}), /is drawn with 0\.\d\d; every character can be drawn\.$/);
  assert.match(drawable(model, { top_k: 2 }), /; 2 characters can be drawn\.$/);
  assert.match(
    drawable(model, { temperature: 0 }),
    /is drawn with 1\.00; no other character can be drawn\.$/,
  );
});

test("a character that asks says where it looks most", () => {
  const model = reading();
  model.asking = 0;
  assert.equal(looked(model), "“a” at place 0 looks most at itself: 1.00");
  model.asking = 3;
  assert.match(looked(model), /^“a” at place 3 looks most at (itself|.* at place [012]): [01]\.\d\d$/);
});

test("a text that the model cannot read is explained", () => {
  const model = reading(), its = ": its 4 characters are ";
  /** @type {[string, string][]} */
  const cases = [
    ["abé", "The model does not know “é” (place 2)" + its],
    ["aïbçï", "The model does not know “ï” (place 1) and one other character" + its],
    ["日本語", "The model does not know “日” (place 0) and 2 other characters" + its],
    ["a 🙂", "The model does not know “🙂” (place 2)" + its],
    ["a\tb", "The model does not know the tab (place 1)" + its],
    ["a\u200bb", "The model does not know U+200B (place 1)" + its],
    ["", "There is no text: the model predicts a character from those before it"],
  ];
  for (const [text, said] of cases) assert.ok(wrongWith(model, text).startsWith(said), text);
  assert.equal(wrongWith(model, "ab\n"), "");
  const last = (/** @type {string} */ text) => wrongWith(reading(text), "").split("one at least.")[1];
  assert.equal(last("ab a"), " Bars and maps are still those of “ab a”.");
  assert.equal(last("ab\nb"), " Bars and maps are still those of “ab…”.");
  assert.equal(last("\nb"), " Bars and maps are still those of the last text that it could read.");
});
