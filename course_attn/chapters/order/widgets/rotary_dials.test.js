// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { compared, inWords, pairs, speeds } from "./rotary_dials.js";

/** @type {{query: number[], key: number[], positions: [number, number], base: number, far: number}} */
const DATA = { query: [1, 2, 3, 4], key: [0, 0, 1, 1], positions: [2, 0], base: 100, far: 20 };

test("pairs: two features half a width apart", () => {
  assert.deepEqual(pairs([1, 2, 3, 4]), [[1, 3], [2, 4]]);
});

test("speeds: the first pair turns by a radian, the next by less", () => {
  assert.deepEqual(speeds(DATA), [1, 0.1]);
});

test("compared: the angle between, never negative, and the products", () => {
  const found = compared([1, 0, 0, -1], [0, 0, 2, 3]);
  assert.deepEqual(found.map(({ adds }) => adds), [0, -3]);
  assert.deepEqual(found.map(({ between }) => Math.round(between * 180 / Math.PI)), [90, 180]);
});

test("inWords: what moves, and what stays", () => {
  const now = { query: 2, key: 5, shift: 0, score: -0.126, still: false };
  assert.equal(inWords(now), "Query at 2, key at 5: the distance is −3, and the score is −0.13.");
  assert.equal(
    inWords({ ...now, shift: 10, still: true }),
    "Query at 12, key at 15: the distance is still −3, and the score stays −0.13.",
  );
});
