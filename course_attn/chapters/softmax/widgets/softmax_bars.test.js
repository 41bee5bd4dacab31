// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { barAt, inWords, steps, warmth } from "./softmax_bars.js";

test("warmth: three digits", () => {
  assert.deepEqual([-1, 0, 0.5, 1.3].map(warmth), [0.1, 1, 3.16, 20]);
});

test("steps: divided, lowered, as exponentials, as weights", () => {
  const found = steps([2, 2 - Math.log(3)], 1);
  assert.deepEqual(found.map((line) => line.map((x) => Number(x.toFixed(6)))), [
    [2, 0, 1, 0.75],
    [0.901388, -1.098612, 0.333333, 0.25],
  ]);
  assert.deepEqual(steps([1000, -1000], 2).map((line) => line.slice(1)), [[0, 1, 1], [-1000, 0, 0]]);
});

test("barAt: from its base to its tip, cut at the end of the picture", () => {
  assert.deepEqual(barAt(2, 0, 1), { low: 0, high: 2, cut: false });
  assert.deepEqual(barAt(-2, 0, 1), { low: -2, high: 0, cut: false });
  assert.deepEqual(barAt(1000, 0, 1), { low: 0, high: 5, cut: true });
  assert.deepEqual(barAt(-7, 0, 1), { low: -5, high: 0, cut: true });
  assert.deepEqual(barAt(1, -5, 9), { low: -5, high: 4, cut: false });
});

test("inWords: the largest weight, or several, and the keys in play", () => {
  assert.equal(
    inWords(["cat", "sat"], [0.75, 0.25], 1, 0),
    "At T = 1.00 the largest weight is 0.75 (cat). Entropy 0.56 of at most 0.69 nats: 1.8 keys in play.",
  );
  assert.match(
    inWords(["cat", "sat"], [0.5, 0.5], 0.1, -1.5),
    /^At T = 0\.10 and with −1\.5 added to all the largest weight is 0\.50 \(cat, sat\)/,
  );
});
