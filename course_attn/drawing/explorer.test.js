// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { called, inWords, led, number } from "./explorer.js";

const FOUR = {
  heads: ["head 1"],
  queries: ["the", "cat", "the", "mat"],
  keys: null,
  weights: [[[0, 0, 0, 0], [100_000, 0, 0, 0], [50_000, 30_000, 20_000, 0], [6_000, 17_000, 28_000, 49_000]]],
  query: 0,
  width: 0,
};

test("number: half a hundredth is rounded up, and 0 without decimals is exactly 0", () => {
  assert.deepEqual([0, 1, 499, 500, 7_499, 7_500, 100_000].map(number), [
    ...["0", "0.00", "0.00", "0.01", "0.07", "0.08", "1.00"],
  ]);
});

test("called: a token that is there twice is told from the other by its place", () => {
  assert.deepEqual([0, 1, 2].map((k) => called(FOUR.queries, k)), ["“the” (1)", "“cat”", "“the” (3)"]);
});

test("inWords: the three largest weights, what is left, and a row that is masked", () => {
  assert.deepEqual([0, 1, 2, 3].map((query) => inWords(FOUR, 0, query)), [
    "“the” (1) looks at nothing: all is masked.",
    "“cat” looks at “the” (1) with 1.00.",
    "“the” (3) looks at “the” (1) with 0.50, at “cat” with 0.30, at “the” (3) with 0.20.",
    "“mat” looks at “mat” with 0.49, at “the” (3) with 0.28, at “cat” with 0.17, at one other with 0.06.",
  ]);
});

test("inWords: a head by its name, keys that are others, a rest that is next to nothing", () => {
  const data = {
    ...FOUR,
    heads: ["left", "right"],
    queries: ["il"],
    keys: ["he", "is", "asleep"],
    weights: [[[1, 0, 0]], [[99_800, 150, 50]]],
  };
  assert.equal(
    inWords(data, 1, 0),
    "right: “il” looks at “he” with 1.00, at the other 2 with less than 0.01 together.",
  );
});

test("led: to both ends, by a line where tokens stand in lines, and nowhere else", () => {
  const data = { queries: [..."abcdef"], width: 3 };
  const keys = ["Home", "End", "ArrowDown", "ArrowUp", "ArrowLeft", "a"];
  assert.deepEqual(keys.map((key) => led(key, 1, data)), [0, 5, 4, -2, undefined, undefined]);
  assert.equal(led("ArrowDown", 1, { ...data, width: 0 }), undefined);
});
