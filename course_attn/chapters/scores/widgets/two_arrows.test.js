// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { beside, inWords } from "./two_arrows.js";

test("inWords: sums with their values, and a sentence", () => {
  const { sums, sentence } = inWords([3, -4], [1, 0]);
  assert.deepEqual(sums, [
    ["3·1 + (−4)·0", "3.00"],
    ["3.00 ÷ (5.00 · 1.00)", "0.60"],
    ["√((3 − 1)² + ((−4) − 0)²)", "4.47"],
  ]);
  assert.equal(
    sentence,
    "Lengths 5.00 and 1.00, 53° between them: dot product 3.00, cosine 0.60, distance 4.47.",
  );
});

test("inWords: the angle is the shorter way around", () => {
  assert.match(inWords([-1, 0.1], [-1, -0.1]).sentence, /, 11° between them/);
});

test("inWords: a zero vector has no direction", () => {
  const { sums, sentence } = inWords([0, 0], [1, 2]);
  assert.deepEqual(sums[1], ["a zero vector has no direction", "0.00"]);
  assert.match(sentence, /, no angle, as a zero vector has no direction: dot product 0\.00/);
});

test("beside: on the side that the other arrow is not on", () => {
  assert.deepEqual(beside([50, 50], [1, 0], 1), [50, 67]);
  assert.deepEqual(beside([50, 50], [0, -1], -1), [33, 50]);
});
