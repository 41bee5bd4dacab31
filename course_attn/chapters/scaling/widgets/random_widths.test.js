// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { inWords, normal_numbers, shares, statistics } from "./random_widths.js";

test("normal_numbers: the same for the same seed, about standard normal", () => {
  const numbers = normal_numbers(1, 10_000);
  const mean = numbers.reduce((sum, x) => sum + x, 0) / 10_000;
  const variance = numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 10_000;
  assert.ok(Math.abs(mean) < 0.03 && Math.abs(variance - 1) < 0.05, `${mean}, ${variance}`);
  assert.deepEqual(normal_numbers(1, 10), numbers.slice(0, 10));
  assert.notDeepEqual(normal_numbers(2, 10), numbers.slice(0, 10));
});

test("statistics: by hand for two rows", () => {
  const { spread, weights, tops, nats } = statistics([[0, 0], [Math.log(3), 0]]);
  const close = (/** @type {number} */ a, /** @type {number} */ b) => assert.ok(Math.abs(a - b) < 1e-12);
  close(spread, Math.log(3) * Math.sqrt(3) / 4);
  close(weights[1][0], 0.75);
  assert.deepEqual(tops.map((top) => Number(top.toFixed(12))), [0.5, 0.75]);
  close(nats, (Math.log(2) - 0.75 * Math.log(0.75) - 0.25 * Math.log(0.25)) / 2);
});

test("shares: bins one unit wide, and what lies outside is in none", () => {
  const found = shares([[-20, -19.5], [0, 20], [-21, 19.9]]);
  assert.equal(found.length, 40);
  assert.deepEqual([found[0], found[20], found[39]].map((x) => Math.round(x * 6)), [2, 1, 1]);
});

test("inWords: both ways", () => {
  const both = [{ spread: 2, top: 0.9, key: 0 }, { spread: 1, top: 0.456, key: 4 }];
  assert.equal(
    inWords(4, both),
    "d = 4: the scores spread by 2.00 without √d, 1.00 with it. The first query’s largest weight is " +
      "0.90 on key 1 without, 0.46 on key 5 with.",
  );
});
