// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { blind, equals, found, IN_WORDS, products, share } from "./attention_lab.js";

const SETTING = {
  ...{ tokens: ["prince", "she"], outputs: ["1"], d: 2, scaled: true, temperature: 1 },
  ...{ Q: [[2, 0, 9], [0, -1, 9]], K: [[1, 0, 9], [0, 2, 9]], V: [[3], [0.5]] },
};
const CAUSAL = [[true, false], [true, true]];

test("found: the first d features, divided by √d and T, masked", () => {
  const { dots, S, A, Y } = found({ ...SETTING, mask: CAUSAL, temperature: 2 });
  assert.deepEqual(dots, [[2, 0], [0, -2]]);
  assert.deepEqual(S, [[2 / (2 * Math.SQRT2), -Infinity], [0, -2 / (2 * Math.SQRT2)]]);
  assert.deepEqual(A[0], [1, 0]);
  assert.equal(A[1][0] + A[1][1], 1);
  assert.equal(Y[0][0], 3);
  assert.deepEqual(found({ ...SETTING, scaled: false, V: undefined }).S, dots);
  assert.deepEqual(found({ ...SETTING, V: undefined }).Y, []);
});

test("found: scores that are given, and a row without a key", () => {
  const setting = {
    ...SETTING,
    scores: [[1, 2], [3, 4]],
    scaled: false,
    mask: [[true, true], [false, false]],
  };
  assert.deepEqual(found(setting).S, [[1, 2], [-Infinity, -Infinity]]);
  assert.deepEqual(found(setting).A[1], [0, 0]);
});

test("equals: nearly, where the number is rounded", () => {
  assert.deepEqual([equals(0.5), equals(1 / 3), equals(-2, 0)], [" = 0.5", " ≈ 0.33", " = −2"]);
});

test("products: negative numbers after another sign stand in parentheses", () => {
  assert.equal(products([-1, -2], [0.5, -1], 3), "−1·0.5 + (−2)·(−1)");
  assert.equal(products([0.3333], [2.0004], 2), "0.33·2");
});

test("share: large scores are lowered first", () => {
  assert.equal(share([0, -1], 0, 0.731), "e^0 ÷ (e^0 + e^(−1)) ≈ 1 ÷ 1.368 ≈ 0.73");
  assert.equal(
    share([100, 99], 1, 0.269),
    "100, the largest, is subtracted from all first: e^(−1) ÷ (e^0 + e^(−1)) ≈ 0.368 ÷ 1.368 ≈ 0.27",
  );
});

/** @type {(letter: "S" | "A" | "Y", i: number, j: number, setting?: object) => string} */
const told = (letter, i, j, setting = {}) => {
  const all = { ...SETTING, ...setting };
  return IN_WORDS[letter](all, found(all), i, j);
};

test("IN_WORDS.S: products, divisions, and what is forbidden", () => {
  assert.equal(told("S", 0, 0), "“prince” asks, “prince” answers: 2·1 + 0·0 = 2, ÷ √2 ≈ 1.41.");
  assert.equal(
    told("S", 1, 1, { scaled: false, temperature: 0.5 }),
    "“she” asks, “she” answers: 0·0 + (−1)·2 = −2, ÷ 0.5 = −4.",
  );
  assert.match(told("S", 0, 1, { mask: CAUSAL }), /= 0, ÷ √2 = 0, but the mask forbids it: −∞\.$/);
  const given = { Q: undefined, K: undefined, scores: [[1.5, 2], [3, 4]], scaled: false };
  assert.equal(told("S", 0, 0, given), "“prince” asks, “prince” answers: 1.5.");
});

test("IN_WORDS.A: a share, exactly 0, and a row of nothing", () => {
  assert.match(told("A", 0, 0, { mask: CAUSAL }), /^“prince” gives “prince” the weight e\^1.41 ÷ .* = 1\.$/);
  assert.match(told("A", 0, 1, { mask: CAUSAL }), / = 0\. A forbidden key gets exactly 0\.$/);
  const none = { mask: [[false, false], [true, true]] };
  assert.equal(
    told("A", 0, 0, none),
    "“prince” gives “prince” the weight 0: nothing is allowed, and 0 ÷ 0 is not computed.",
  );
});

test("IN_WORDS.Y: the average of a column", () => {
  assert.equal(told("Y", 0, 0, { mask: CAUSAL }), "“prince” gets, in column 1, 1·3 + 0·0.5 ≈ 3.");
});

test("blind: each token without a key, and its output if there are any", () => {
  const setting = { ...SETTING, mask: [[false, false], [true, true]] };
  assert.deepEqual(blind(setting, found(setting)), [
    "The mask leaves “prince” no key: its weights are 0, and its output, too.",
  ]);
  assert.deepEqual(blind({ ...setting, V: undefined }, found(setting)), [
    "The mask leaves “prince” no key: its weights are 0.",
  ]);
  assert.deepEqual(blind(SETTING, found(SETTING)), []);
});
